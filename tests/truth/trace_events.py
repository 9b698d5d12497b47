"""Events of trace JSON, one dictionary each, and the rows that a table has of them. Times are in us."""
import json

import truth


def meta(what, pid, tid, name):
    return {"ph": "M", "name": what, "pid": pid, **({} if tid is None else {"tid": tid}), "args": {"name": name}}


def x(cat, name, pid, tid, start, length, **args):
    """An argument "External_id" is written as "External id"."""
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": length,
            "args": {key.replace("_", " "): value for key, value in args.items()}}


def run(name, start, length, device=0, stream=7, cat="kernel", **args):
    return x(cat, name, device, stream, start, length, device=device, stream=stream, **args)


def launch(tid, start, length=5, name="cudaLaunchKernel", cat="cuda_runtime", **args):
    return x(cat, name, 50, tid, start, length, **args)


def operator(name, tid, start, length, number=None, dims=None, types=None, **args):
    more = {} if number is None else {"External_id": number}
    more.update({} if dims is None else {"Input_Dims": dims, "Input_type": types or ["float"] * len(dims)})
    return x("cpu_op", name, 50, tid, start, length, **more, **args)


class RowsCase(truth.Case):
    def rows(self, path, *keys, table="kernels", more=()):
        text = truth.run("rows", path, table, "--format", "json", *more)
        return [[json.loads(line)[key] for key in keys] for line in text.splitlines()]


class KernelsCase(RowsCase):
    """Of PyTorch."""

    def save(self, events, name="a.json", **head):
        return self.write(name, json.dumps({"schemaVersion": 1, **head, "traceEvents": events}))
