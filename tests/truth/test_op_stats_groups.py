"""Totals of `*.op_stats_v2.pb` in groups: by kernel, category, program and place in the model, of one host and of two; what has no time
of its own there."""
import sys

import truth
from test_op_stats import MOST, Op, encoded

SCOPE = "jit(f)/transpose(jvp(Net))/layer_0/add:"
OPS = [Op("while.1", "while", 2, 10_000, 100, program=7), Op("gather-done", "all-gather-done", 1, 50, 50, 7),
       Op("fusion.2", "loop fusion", 3, 9_900, 9_900, 300, 990, 7, "%fusion.2 = f32[]", SCOPE),
       Op("fusion.2", "loop fusion", 1, 40, 40, 5, program=8, provenance="jit(f)/jvp(Net)/mul"),
       Op("all-reduce.3", "all-reduce", 4, 700, 700, bytes_=64, program=7, provenance="model/sum:Sum"), Op("idle", "IDLE", 1, 77, 77)]


class Groups(truth.Case):
    def ask(self, by, *options, path=None):
        path = path or self.write("a.op_stats_v2.pb", encoded(OPS, [(7, "jit_f")]))
        return truth.loads(truth.run("ops", path, "--by", by, "--json", "--limit", "0", *options))

    def groups(self, by, *options, path=None):
        """Depth, name, executions, own time, time, operations, bytes, time of which that is known."""
        return [tuple(g[key] for key in ("depth", "name", "count", "self_ps", "total_ps", "flops", "bytes", "worked_ps"))
                for g in self.ask(by, *options, path=path)["groups"]]

    def test_sums(self):
        """Of all executions; by the longest self time, whatever is inside; the rest of a transfer does nothing."""
        self.assertEqual(self.groups("kernel"), [
            (0, "fusion.2", 4, 9940, 9940, 305, 990, 9940), (0, "all-reduce.3", 4, 700, 700, 0, 64, 700),
            (0, "while.1", 2, 100, 10_000, 0, 0, 0), (0, "gather-done", 1, 50, 50, 0, 0, 0)])
        self.assertEqual([row[1:3] for row in self.groups("category")],
                         [("loop fusion", 4), ("all-reduce", 4), ("while", 2), ("all-gather-done", 1)])
        self.assertEqual([row[1:4] for row in self.groups("program")], [("jit_f(7)", 9, 10_700), ("", 1, 50), ("8", 1, 40)])
        found = self.ask("device,stream")
        self.assertEqual([(g["by"], g["name"], g["count"]) for g in found["groups"]],
                         [("device", "TPU v9, 4 cores", 11), ("stream", "totals of a table", 11)])
        self.assertEqual((found["count"], found["self_ps"], found["total_ps"], found["flops"], found["bytes"], found["worked_ps"]),
                         (11, 10_790, 20_690, 305, 1054, 10_640))
        self.assertEqual((found["source"], found["attainable_ps"]), ("kernels of traces and tables", 0))

    def test_kinds(self):
        """What the category says that an instruction does."""
        self.assertEqual([row[1:4] for row in self.groups("kind") if row[1]], [("communication", 5, 750), ("control flow", 2, 100)])

    def test_places(self):
        self.assertEqual([row[:4] for row in self.groups("module")], [
            (0, "Net", 4, 9940), (1, "layer_0", 3, 9900), (0, "model", 4, 700), (0, "", 3, 150)])
        self.assertEqual([row[1:4] for row in self.groups("op")], [("add", 3, 9900), ("Sum", 4, 700), ("", 3, 150), ("mul", 1, 40)])
        self.assertEqual([row[1:4] for row in self.groups("phase")], [("backward", 3, 9900), ("", 7, 850), ("forward", 1, 40)])
        for by, unlinked in (("op", (3, 150)), ("phase", (7, 850)), ("program", (1, 50)), ("source", (11, 10_790)), ("step", (11, 10_790))):
            found = self.ask(by)
            self.assertEqual((found["unlinked"], found["unlinked_ps"]), unlinked, by)

    def test_parts(self):
        """A name picks ops by either name; a time none."""
        self.assertEqual([row[1:4] for row in self.groups("program", "--name", "fusion")], [("jit_f(7)", 3, 9900), ("8", 1, 40)])
        self.assertEqual([row[1:4] for row in self.groups("kernel", "--name", "= f32")], [("fusion.2", 3, 9900)])
        found = self.ask("kernel", "--time", ":1s")
        self.assertEqual((found["status"], found["groups"], found["self_ps"]), ("absent", [], 0))
        found = truth.loads(truth.run("ops", self.scratch / "a.op_stats_v2.pb", "--by", "kernel", "--json", "--limit", "2"))
        self.assertEqual([g["name"] for g in found["groups"]], ["fusion.2", "all-reduce.3"])
        self.assertEqual((found["groups_left_out"], found["self_ps"]), (2, 10_790))

    def test_two_hosts(self):
        """Programs of one number are those of each file; two devices of one name stay two."""
        for host, module, length in (("a", "f", 5), ("b", "g", 7)):
            self.write(f"run/{host}.op_stats_v2.pb", encoded([Op("x", "fusion", 1, length, length, program=7)], [(7, module)]))
        path = self.scratch / "run"
        self.assertEqual([row[1:4] for row in self.groups("program", path=path)], [("g(7)", 1, 7), ("f(7)", 1, 5)])
        self.assertEqual([row[1:4] for row in self.groups("kernel", path=path)], [("x", 2, 12)])
        self.assertEqual([row[3] for row in self.groups("device", path=path)], [7, 5])

    def test_sums_beyond_int64(self):
        path = self.write("b.op_stats_v2.pb", encoded([Op("a", "x", 1, MOST, MOST), Op("b", "x", 1, 9, 9), Op("c", "y", 1, 4, 4)]))
        found = self.ask("category,kernel", path=path)
        self.assertEqual([(g["name"], g["self_ps"]) for g in found["groups"]], [("x", MOST), ("a", MOST), ("b", 9), ("y", 4), ("c", 4)])
        self.assertEqual((found["self_ps"], found["total_ps"]), (MOST, MOST))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
