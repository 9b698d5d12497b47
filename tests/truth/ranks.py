"""Ranks of PyTorch whose kernels are calls of process groups: what tests of calls write."""
import json

import truth

US, ZERO_NS = 1_000_000, 1_700_000_000_000_000_000


def call(name, start, end, ranks=(0, 1), group="0", elements=10, dtype="Float", stream=7, out=None, kernel="ncclDevKernel_X", **args):
    """A kernel of NCCL; times in us. `args`: more of what the recorder says, "_" for a blank."""
    given = {"device": 0, "stream": stream, "Collective name": name, "In msg nelems": elements,
             "Out msg nelems": elements if out is None else out, "dtype": dtype, "Group size": len(ranks), "Process Group Name": group,
             "Process Group Ranks": json.dumps(list(ranks)), **{key.replace("_", " "): value for key, value in args.items()}}
    return {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": stream, "ts": start, "dur": round(end - start, 6), "args": given}


class RanksCase(truth.Case):
    def rank(self, rank, events, world=2, host=None, base_ns=ZERO_NS):
        named = {} if host is None else {"host_name": host}
        return self.write(f"rank{rank}.pt.trace.json", json.dumps({
            "schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world}, **named,
            "baseTimeNanoseconds": base_ns, "traceEvents": events}))

    def ask(self, ranks, *options, world=None, hosts=None):
        """`ranks`: of each rank its calls."""
        paths = [self.rank(rank, events, world or len(ranks), hosts and hosts[rank]) for rank, events in ranks.items()]
        return truth.parsed(truth.run("validate", *paths, "--json", "--limit", 0, *options))

    def irregular(self, found, *keys):
        return [[row[key] for key in keys] for row in found["irregularities"]]
