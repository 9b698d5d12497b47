"""`explain` as text: the list, the facts of one finding, where its evidence lies, what ran around it, and what to type next."""
import json
import sys

import truth
from screens import table, time
from trace_events import KernelsCase, run, x

US = 1_000_000
AROUND = ["", "on", "name", ">start", ">length"]


def offset(ps):
    return ("+" if ps > 0 else "") + time(ps)


class ExplainScreen(KernelsCase):
    def parts(self, path, *options, status=0):
        """Lines of each part by its first line."""
        blocks = [block.splitlines() for block in truth.run("explain", path, *options, status=status).split("\n\n")]
        return blocks[0], {block[0]: block[1:] for block in blocks[1:]}

    def idle(self, kernels, host=(), name="a.json"):
        """One step from 0 to the end of the last kernel; (name, start, length, stream) in us."""
        end = max(k[1] + k[2] for k in kernels)
        return self.save([x("user_annotation", "ProfilerStep#0", 50, 1, 0, end), *host,
                          *(run(kernel, start, length, 0, stream) for kernel, start, length, stream in kernels)], name=name)

    def check_around(self, kernels, gap, host=(), spans=()):
        """Two before the gap and two after it, with the greatest three in it; spans of the host that cover most of it, the most first."""
        start, end = gap
        _, parts = self.parts(self.idle(kernels, host), "bubbles.idle")
        before = sorted((k for k in kernels if k[1] + k[2] <= start), key=lambda k: k[1] + k[2])[-2:]
        after = sorted((k for k in kernels if k[1] >= end), key=lambda k: k[1])[:2]
        rows = [[position, f"stream {stream}", name, offset((at - start) * US), time(length * US)]
                for position, of in (("before", before), ("after", after)) for name, at, length, stream in sorted(of, key=lambda k: k[1])]
        rows += [["host", thread, name, offset((at - start) * US), time(length * US)] for thread, name, at, length in spans]
        self.assertEqual(parts["Around the first of these; starts count from its start"], table(AROUND, *rows, indent=2))
        return parts

    def test_around(self):
        """Starts before it have no sign but their own, those at it none, those after it a plus."""
        self.check_around([("a", 0, 100, 7), ("b", 1000, 50, 7)], (100, 1000))
        self.check_around([("a", 0, 30, 7), ("b", 40, 20, 8), ("c", 70, 30, 7), ("d", 1000, 50, 7), ("e", 1051, 3, 8), ("f", 1055, 1, 7)],
                          (100, 1000))
        self.check_around([("a", 500, 100, 7), ("b", 600, 100, 8)], (0, 500))

    def test_host(self):
        host = [x("cpu_op", "load", 50, 1, 100, 800), x("cpu_op", "part", 50, 2, 300, 100), x("cpu_op", "before", 50, 1, 0, 90)]
        spans = [("thread 1", "load", 100, 800), ("thread 2", "part", 300, 100)]
        self.check_around([("a", 0, 100, 7), ("b", 1000, 50, 7)], (100, 1000), host, spans)

    def test_evidence(self):
        """What it is of, where it is in time and for how long; of several files which of them."""
        kernels = [("a", 0, 100, 7), ("b", 1000, 50, 7), ("c", 1150, 20, 7)]
        path = self.idle(kernels)
        _, parts = self.parts(path, "bubbles.idle")
        lines = ["  - 900.000 us after a, before b; at 100.000 us for 900.000 us",
                 "  - 100.000 us after b, before c; at 1.050 ms for 100.000 us"]
        self.assertEqual(parts["Evidence"], lines)
        for rank in (0, 1):
            self.save([x("user_annotation", "ProfilerStep#0", 50, 1, 0, 1170), *(run(*k[:3], 0, k[3]) for k in kernels)],
                      name=f"r/{rank}.json", distributedInfo={"rank": rank, "world_size": 2})
        _, parts = self.parts(self.scratch / "r", "bubbles.idle")
        said = " ".join(" ".join(parts["Evidence"]).split())
        self.assertIn("- 900.000 us after a, before b; at 100.000 us for 900.000 us; ", said)
        self.assertIn(f"; {self.scratch}/r/0.json", said)

    def test_facts(self):
        """Each under its name; advice that is a command below stands there alone."""
        path = self.idle([("a", 0, 100, 7), ("b", 1000, 50, 7)])
        head, parts = self.parts(path, "bubbles.idle")
        self.assertEqual([line[:12] for line in head], ["bubbles.idle", "  what      ", "  where     ", "  certainty "])
        self.assertEqual((head[2][12:], head[3][12:]), ("GPU 0, step 0, after a, before b", "proved"))
        self.assertEqual(list(parts), ["Evidence", "Around the first of these; starts count from its start", "Next"])
        self.assertTrue(all(line.startswith("  profkit ") for line in parts["Next"]), parts["Next"])
        self.assertLessEqual(len(parts["Next"]), 4)

    def test_list(self):
        """An id with its certainty, what it is below it."""
        path = self.idle([("a", 0, 100, 7), ("b", 1000, 50, 7)])
        lines = truth.run("explain", path).splitlines()
        found = truth.loads(truth.run("explain", path, "--json"))["findings"]
        self.assertEqual(lines[0], "bubbles.idle  proved")
        self.assertEqual([line for line in lines if not line.startswith("    ")], [f"{f['id']}  {f['certainty']}" for f in found])
        path = self.save([run("a", 0, 100), run("a", 100, 100)], name="b.json")
        self.assertEqual(truth.run("explain", path), "[absent] nothing was found that needs an explanation: `profkit report` says what "
                                                     "there is\n")

    def test_damage(self):
        """A byte of one of two files; the exit status is that of the damage, whichever finding is asked for."""
        whole = json.dumps({"schemaVersion": 1, "traceEvents": [run("a", 0, 5), run("a", 5, 5)]})
        self.write("r/0.json", whole)
        bad = self.write("r/1.json", whole[:-2])
        lines = truth.run("explain", self.scratch / "r", status=5).splitlines()
        self.assertEqual([line for line in lines if not line.startswith("    ")][0], "damage.damaged  proved")
        head, parts = self.parts(self.scratch / "r", "damage.damaged", status=5)
        self.assertEqual(" ".join(head[2].split()), f"where {bad}")
        self.assertEqual(" ".join(" ".join(parts["Evidence"]).split()), f"- byte {len(whole) - 2}; {bad}")
        truth.run("explain", self.scratch / "r", "damage.damaged", "--strict", status=4)
        truth.run("explain", self.scratch / "r", "none", status=2)

    def test_commands(self):
        """They name what was asked for, in quotes where a shell needs them."""
        path = self.idle([("a", 0, 100, 7), ("b", 1000, 50, 7)], name="it's one.json")
        _, parts = self.parts(path, "bubbles.idle")
        quoted = "'" + str(path).replace("'", "'\\''") + "'"
        text = "\n".join(parts["Next"])
        self.assertIn(f"  profkit bubbles {quoted}", text)
        self.assertIn(f"  profkit tree {quoted} --time ", text)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
