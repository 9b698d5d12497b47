#!/usr/bin/env python3
"""Threads and processes of hosts, of one trace and of a merge of several: whose name is whose where numbers are alike."""
import json
import sys

import truth
from ranks import ZERO_NS
from trace_events import KernelsCase, meta, x

US = 1_000_000


def step(pid, tid, number, start, length=10):
    return x("user_annotation", f"ProfilerStep#{number}", pid, tid, start, length)


def call(pid, tid, start, number):
    return x("cuda_runtime", "cudaLaunchKernel", pid, tid, start, 2, correlation=number)


def run(name, start, number, device=0, stream=7, pid=None):
    return x("kernel", name, device if pid is None else pid, stream, start, 5, device=device, stream=stream, correlation=number)


class Threads(KernelsCase):
    def test_what_they_are_called(self):
        """A process by its name, and its number where the name does not have it; a thread by its name, else its number. The last names
        count, and those of another process are its own."""
        path = self.save([
            step(5, 11, 1, 0), step(6, 11, 2, 20), step(7, 11, 3, 40), step(7, 12, 4, 60), step("x", "y", 5, 80), step(5, 12, 6, 100),
            meta("process_name", 5, 0, "other"), meta("process_name", 5, 0, "python"), meta("process_name", 6, 0, "rank 6"),
            meta("thread_name", 5, 12, "first"), meta("thread_name", 5, 12, "main"), meta("thread_name", 7, 12, "pump"),
            run("k", 30, 1)], "a.json")
        for option, text, numbers in (
                ("--plane", "python 5", "16"), ("--plane", "rank 6", "2"), ("--plane", "rank 6 6", ""), ("--plane", "process 7", "34"),
                ("--plane", "process x", "5"), ("--plane", "other", ""), ("--line", "thread 11", "123"), ("--line", "main", "6"),
                ("--line", "pump", "4"), ("--line", "thread y", "5"), ("--line", "first", ""), ("--line", "thread 12", "")):
            with self.subTest(text=text):
                found = truth.run("steps", path, "--json", option, text, status=0 if numbers else 2)
                if numbers:
                    self.check("".join(s["name"][-1] for s in truth.parsed(found)["steps"]), numbers)

    def test_a_merge_of_three(self):
        """Nodes are numbered by ranks. Processes and threads of one number are those of each node; kernels keep their devices, streams
        and launches."""
        paths = []
        for node, host in enumerate(("ada", "bob", "cleo")):
            at = 100 * node
            events = [meta("process_name", 5, 0, f"python of {host}"), meta("thread_name", 5, 11, f"main of {host}"),
                      call(5, 11, at + 10, 0), call(5, 12, at + 20, 1), run(f"a{node}", at + 30, 0), run(f"b{node}", at + 40, 1, 1, 0),
                      run(f"c{node}", at + 50, 1, 0, 9, pid="card"), step(5, 11, node, at)]
            paths.append(self.save(events, f"{host}.json", baseTimeNanoseconds=ZERO_NS + 1_000 * node, host_name=host,
                                   distributedInfo={"rank": 7 - node, "world_size": 8}))
        merged = self.scratch / "merged.json"
        truth.run("merge", *paths, "--no-correction", "-o", merged)
        keys = ("node", "rank", "device_name", "stream", "name", "start_ps", "launch_ps")
        rows = [json.loads(line) for line in truth.run("rows", merged, "kernels", "--format", "json").splitlines()]
        expected = []
        for node in range(3):
            at = 101 * node  # the traces begin 1 us one after the other
            for device, stream, name, start, launch in ((0, 7, "a", 30, 10), (0, 9, "c", 50, 20), (1, 0, "b", 40, 20)):
                expected.append([7 - node, 7 - node, f"GPU {device}", stream, f"{name}{node}", (at + start) * US, (at + launch) * US])
        found = [[row[key] for key in keys] for row in rows]
        for row in found:
            row[2] = row[2][:5]
        self.check(sorted(found), sorted(expected))
        for node, host in enumerate(("ada", "bob", "cleo")):
            for option, text in (("--plane", f"python of {host}"), ("--line", f"main of {host}")):
                steps = truth.parsed(truth.run("steps", merged, "--json", option, text))["steps"]
                self.check([[s["name"], s["start_ps"]] for s in steps], [[f"ProfilerStep#{node}", 101 * node * US]])
            lines = truth.parsed(truth.run("ops", merged, "--node", 7 - node, "--json"))["lines"]
            self.check(sorted(op["name"] for line in lines for op in line["ops"]), [f"{name}{node}" for name in "abc"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
