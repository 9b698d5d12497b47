"""A trace of PyTorch, written event by event in µs, and the gaps that `bubbles` finds in it."""
import json

import truth

US = 1_000_000  # ps


class Rank:
    """One process; `rank` None: the trace does not say which it is."""

    def __init__(self, rank=None, world=0, pid=77, base_ns=0):
        self.rank, self.world, self.pid, self.base_ns = rank, world, pid, base_ns
        self.events, self.correlation = [], 0

    def event(self, category, name, start, size, pid, tid, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": size, "args": args})

    def span(self, name, start, size, tid=1, category="cpu_op", **args):
        self.event(category, name, start, size, self.pid, tid, **args)

    def step(self, number, start, size, tid=1):
        self.span(f"ProfilerStep#{number}", start, size, tid, "user_annotation")

    def call(self, start, size, tid=1, name="cudaLaunchKernel"):
        self.correlation += 1
        self.span(name, start, size, tid, "cuda_runtime", correlation=self.correlation)
        return self.correlation

    def kernel(self, name, start, size, launch=None, stream=7, device=0, category="kernel", **args):
        """`launch`: when the call that launched it began and how long it lasted, and its thread if that is not 1; or a correlation
        id that has a call already."""
        given = {"device": device, "context": 1, "stream": stream, **args}
        if launch is not None:
            given["correlation"] = launch if isinstance(launch, int) else self.call(*launch)
        self.event(category, name, start, size, device, stream, **given)

    def text(self):
        head = {"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": self.events}
        if self.rank is not None:
            head["distributedInfo"] = {"backend": "nccl", "rank": self.rank, **({"world_size": self.world} if self.world else {})}
        if self.base_ns:
            head["baseTimeNanoseconds"] = self.base_ns
        return json.dumps(head)


class Case(truth.Case):
    def bubbles(self, *ranks, options=()):
        """The whole document about these ranks; a single one is a file, several are a folder. Steps begin and end with kernels,
        if not asked for otherwise."""
        if "--window-policy" not in options:
            options = ("--window-policy", "guide", *options)
        for number, rank in enumerate(ranks):
            self.write(f"{number}_of_{len(ranks)}/rank{number}.json" if len(ranks) == 1 else f"all/rank{number}.json", rank.text())
        path = self.scratch / "0_of_1" / "rank0.json" if len(ranks) == 1 else self.scratch / "all"
        return truth.parsed(truth.run("bubbles", path, "--json", "--limit", 0, *options))


def gaps(document):
    return document["anomaly_discovery"]["bubble_windows"]
