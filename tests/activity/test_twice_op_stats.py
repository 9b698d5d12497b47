#!/usr/bin/env python3
"""Two files of OpStats with two of everything, of which all that is read is worked out here.

What describes the device comes twice, a program has two names, ops stand in two messages, one is idle and one never ran, one communicates
by its category and another by its name, the start of a transfer counts no bytes; the second file has totals elsewhere, twice.

test_twice_op_stats.py ACTIVITY_DUMP
"""
import sys

import twice
from wire import message, number


def op(name, category, calls, total, self_ps, flops=0, moved=0, program=0, long_name="", provenance=""):
    return message(10, number(1, self_ps), number(2, flops), number(3, calls), number(5, moved), message(6, name), number(7, total),
                   message(11, category), message(12, provenance), number(13, program), message(20, long_name))


def total(name, category, calls, took, self_ps, kind="compute", **more):
    return twice.total(name, "", kind, calls, took, self_ps=self_ps, category=category, **more)


class Everything(twice.Case):
    def test_all_that_is_read(self):
        first = [("fusion.1", "convolution fusion", 3, 900, 700, 50, 60, 5, "%fusion.1 = f32[] fusion()", "jit(f)/dot"),
                 ("IDLE", "IDLE", 4, 800, 800), ("never", "fusion", 0, 0, 0)]
        second = [("all-reduce.2", "all-reduce", 2, 400, 300, 7, 8, 6), ("ncclKernel_AllGather", "custom-call", 1, 200, 100),
                  ("copy-start.3", "copy-start", 1, 90, 80, 11, 12), ("copy-done.3", "data formatting", 1, 70, 60, 13, 14)]
        self.write("run/a.op_stats_v2.pb", b"".join((
            message(2, *(op(*o) for o in first)), message(5, message(4, "TPU v8"), number(5, 1), number(16, 2)),
            message(12, number(1, 5), message(2, "old name")), message(12, number(1, 5), message(2, "new name")),
            message(12, number(1, 6), message(2, "other")), message(2, *(op(*o) for o in second)),
            message(5, message(4, "TPU v9"), number(5, 2), number(16, 3)), message(16, b"\x08\x01"))))
        self.write("run/b.op_stats_v2.pb", message(16, b"\x08\x01") + message(5, message(4, "TPU v9"), number(5, 2)) + message(16, b""))
        totals = [total("fusion.1", "convolution fusion", 3, 900, 700, flops=50, bytes=60, program="new name", program_id=5,
                        full_name="%fusion.1 = f32[] fusion()", framework_op="jit(f)/dot"),
                  total("all-reduce.2", "all-reduce", 2, 400, 300, "comm", flops=7, bytes=8, program="other", program_id=6),
                  total("ncclKernel_AllGather", "custom-call", 1, 200, 100, "comm"),
                  total("copy-start.3", "copy-start", 1, 90, 80), total("copy-done.3", "data formatting", 1, 70, 60, flops=13, bytes=14)]
        self.check(self.dump(self.scratch / "run"), {
            "devices": [twice.device("TPU v9, 2 cores", "tpu", [], [], has_classes=False, totals=totals)], "hosts": [twice.host([])],
            "threads": [], "markers": [], "communication": [], "step_trace": [], "lines": [], "operator_calls": [],
            "inputs": [twice.taken("op_stats", len(totals)),
                       twice.taken("op_stats", 0, file=1, why_empty="its totals are in flat_device_op_metrics_db, which is not read")]})

    def test_one_core_and_two_damages(self):
        """One core is not named; what is lost first is said."""
        sound = message(2, op("a", "fusion", 1, 5, 5), op("b", "fusion", 1, 5, 5))
        broken = op("a", "fusion", 1, 5, 5)[:-1] + b"\xff"
        data = sound + message(5, number(5, 1), number(16, 2)) + message(2, broken, op("c", "fusion", 1, 6, 6), broken)
        self.write("a.op_stats_v2.pb", data)
        found = self.dump(self.scratch / "a.op_stats_v2.pb")
        self.assertEqual([t["op_type"] for t in found["devices"][0]["totals"]], ["a", "b", "c"])
        self.assertEqual((found["devices"][0]["name"], found["devices"][0]["type"]), ("all devices", "gpu"))
        self.assertIsNotNone(found["inputs"][0]["damage"])


if __name__ == "__main__":
    twice.main(sys.modules[__name__])
