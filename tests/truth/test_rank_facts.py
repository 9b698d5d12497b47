#!/usr/bin/env python3
"""What the head of a PyTorch trace says, file by file, and what operators say of the kernels that they launched: which of several counts,
and numbers that are 0."""
import json
import sys

import truth
from trace_events import KernelsCase, launch, operator, run, x

US = 1_000_000


class Heads(KernelsCase):
    def facts(self, path, *names, keys=("value", "certainty", "evidence")):
        rows = [json.loads(line) for line in truth.run("rows", path, "facts", "--format", "json").splitlines()]
        return {name: [[row[key] for key in keys] for row in rows if row["name"] == name] for name in names}

    @staticmethod
    def info(rank, world, groups):
        return {"rank": rank, "world_size": world, "backend": "nccl",
                "pg_config": [{"pg_name": str(i), **({} if desc is None else {"pg_desc": desc}), "pg_size": size}
                              for i, (desc, size) in enumerate(groups)]}

    def test_sizes_of_groups(self):
        """The first group of a name counts, whatever its case is and what number follows it; those that say nothing, or have no size, do
        not."""
        groups = [("default_pg", 8), ("undefined", 3), (None, 5), ("", 6), ("TP:1", 0), ("TP:0", 4), ("tp:1", 2), ("dp", 2), ("DP", 8)]
        path = self.save([run("k", 0, 1)], distributedInfo=self.info(0, 8, groups))
        self.check(self.facts(path, "tensor_parallel", "data_parallel", "world_size", "rank"), {
            "tensor_parallel": [["4", "proved", "group tp = 4"]], "data_parallel": [["2", "proved", "group dp = 2"]],
            "world_size": [["8", "proved", "world_size of the run"]], "rank": [["0", "proved", "rank of this process"]]})

    def test_names_of_models(self):
        """At the head or one level inside of "metadata" or "model"; a text that is empty is none."""
        for head, model in (({"metadata": {"repo_id": "Org/a"}}, [["Org/a"]]),
                            ({"model": {"x": {"y": 1}, "inner": {"model_name": "Org/b"}}}, [["Org/b"]]),
                            
                            ({"model": {"model_id": ""}}, []), ({"other": {"repo_id": "Org/c"}}, []),
                            ({"model": {"a": {"b": {"repo_id": "Org/d"}}}}, [])):
            path = self.save([run("k", 0, 1)], **head)
            self.check(self.facts(path, "model", keys=("value",))["model"], model)


class Operators(KernelsCase):
    def worked(self, events):
        """Of each kernel how much it is said to have worked."""
        found = truth.parsed(truth.run("ops", self.save(events), "--json", "--by", "kernel"))
        return sorted([group["name"], group["flops"], group["worked_ps"] // US] for group in found["groups"])

    def test_who_did_the_work(self):
        """Of the kernels of an operator the longest, of equal ones the first; each call of the operator has its own, on each device."""
        events = [operator("aten::mm", 1, 0, 50, 0, [[2, 3], [3, 4]]), operator("aten::mm", 1, 100, 50, 1, [[2, 3], [3, 5]]),
                  *(launch(1, at, correlation=at, External_id=at // 100) for at in (2, 12, 22, 102, 112)),
                  run("a", 200, 30, correlation=2, External_id=0), run("b", 300, 50, correlation=12, External_id=0),
                  run("c", 400, 50, correlation=22, External_id=0), run("d", 500, 9, correlation=102, External_id=1),
                  run("e", 600, 10, device=1, correlation=112, External_id=1)]
        self.check(self.worked(events), [["a", 0, 0], ["b", 48, 50], ["c", 0, 0], ["d", 0, 0], ["e", 60, 10]])

    def test_shapes_by_kind(self):
        """Calls of one operator with other shapes, or other types, are other work."""
        events = []
        for number, (dims, types) in enumerate((([[2, 3], [3, 4]], ["float", "float"]), ([[2, 3], [3, 5]], ["float", "float"]),
                                                ([[2, 3], [3, 4]], ["double", "double"]), ([[2, 3], [3, 4]], ["float", "float"]))):
            events += [operator("aten::mm", 1, 100 * number, 50, number, dims, types), launch(1, 100 * number + 5, correlation=number,
                                                                                            External_id=number),
                       run(f"k{number}", 1_000 + 100 * number, 10, correlation=number, External_id=number)]
        self.check(self.rows(self.save(events), "name", "input_shapes", "input_types"), [
            ["k0", "[[2, 3], [3, 4]]", '["float", "float"]'], ["k1", "[[2, 3], [3, 5]]", '["float", "float"]'],
            ["k2", "[[2, 3], [3, 4]]", '["double", "double"]'], ["k3", "[[2, 3], [3, 4]]", '["float", "float"]']])
        self.check(self.worked(events), [["k0", 48, 10], ["k1", 60, 10], ["k2", 48, 10], ["k3", 48, 10]])

    def test_what_runs_backward(self):
        """The number of autograd joins backward to forward, and 0 is one; of equal threads and other numbers nothing is taken."""
        module = lambda name, start: x("python_function", f"nn.Module: {name}", 50, 1, start, 80)
        events = [module("First_0", 0), operator("aten::mm", 1, 10, 50, 0, [[2, 3], [3, 4]], Sequence_number=0),
                  module("Second_0", 100), operator("aten::mm", 1, 110, 50, 1, [[2, 3], [3, 4]], Sequence_number=1)]
        for at, (number, correlation) in enumerate(((1, 0), (0, 1), (7, 2))):
            start = 300 + 100 * at
            events += [operator("autograd::engine::evaluate_function: MmBackward0", 2, start, 60, Sequence_number=number),
                       operator("MmBackward0", 2, start + 5, 50, Sequence_number=number), launch(2, start + 10, correlation=correlation),
                       run(f"k{number}", 1_000 + start, 5, correlation=correlation)]
        self.check(self.rows(self.save(events), "name", "module", "phase"), [
            ["k1", "Second_0", "backward"], ["k0", "First_0", "backward"], ["k7", None, "backward"]])


class Unplaced(KernelsCase):
    def test_unknown_categories(self):
        """On a process that has kernels they are neither kernels nor spans, and are counted; elsewhere they are spans of nobody."""
        odd = lambda pid, start: {"ph": "X", "name": "odd", "cat": "what", "pid": pid, "tid": 3, "ts": start, "dur": 5}
        path = self.save([odd(0, 1), run("k", 10, 5), odd(0, 20), odd(77, 30), odd(78, 40), odd(78, 50)])
        notes = truth.parsed(truth.run("bubbles", path, "--json"))["inputs"][0]["notes"]
        self.check(notes, ["1 of 1 kernels have no launch in the trace: who launched them is unattributed",
                           "events of unknown categories on devices, taken neither for kernels nor for hosts: 2"])
        found = truth.parsed(truth.run("ops", path, "--json"))["left_out"]
        self.check({row["why"].split(" (")[0]: [row["lines"], row["events"]] for row in found},
                   {"unknown categories and lines": [1, 2], "events that do not say whether a device or a host ran them": [2, 3]})

    def test_waits_of_mtia(self):
        rows = [("event_wait", "mtia_ccp_events", "other"), ("event_record", "mtia_ccp_events", "other"),
                ("event_other", "mtia_ccp_events", "compute"), ("event_wait", "kernel", "compute")]
        path = self.save([run(name, 10 * i, 5, cat=cat) for i, (name, cat, _) in enumerate(rows)])
        self.check(self.rows(path, "name", "kind"), [[name, kind] for name, _, kind in rows])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
