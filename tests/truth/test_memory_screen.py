"""`memory` as text: which modules, buffers and allocators are listed, what is said of those left out, and the exit status."""
import sys

import truth
from screens import percent, table
from test_memory_hlo import CONSTANT, PARAMETER, RESULT, Allocation, Buffer, Op
from test_memory_questions import plain, program
from test_memory_runtime import Allocator, Event, Host

MODULES = ["module", "space", ">total", ">peak", ">temporary", ">floor", "peak at", "method"]
ALIVE = [">bytes", ">share", "class", "instruction", "opcode", "shape", "op_name", "source"]
ALLOCATORS = ["allocator", "device", "host", ">filled to", ">reserved", ">allocated", ">capacity", ">used", ">at", "replay"]
SPACE = "0 device memory"


def part(text, begin):
    """Lines of the part of a screen whose first begins so."""
    for lines in (block.splitlines() for block in text.split("\n\n")):
        if lines[0].startswith(begin):
            return lines
    raise AssertionError(f"nothing begins with {begin!r} in:\n{text}")


class MemoryScreen(truth.Case):
    def put(self, *modules):
        for of in modules:
            self.write(f"{of.name}.hlo_proto.pb", of.bytes())

    def part(self, begin, *options, status=0):
        return part(truth.run("memory", self.scratch, *options, status=status), begin)


class Modules(MemoryScreen):

    def test_limit(self):
        """Ten, or as many as are asked for; the highest first."""
        names = [f"jit_{at:02}" for at in range(12)]
        self.put(*(plain(name, 100, 200, 120 + at, at + 1) for at, name in enumerate(names)))
        rows = [[f"jit_{at:02}({at + 1})", SPACE, "300 B", f"{220 + at} B", "200 B", "100 B", "dot", "heap_replay"]
                for at in reversed(range(12))]
        for options, shown in (((), 10), (("--limit", 1), 1), (("--limit", 11), 11), (("--limit", 12), 12), (("--limit", 0), 12)):
            self.assertEqual(self.part("Modules", *options), [
                "Modules, highest peak in memory space 0 first: 12 modules", *table(MODULES, *rows[:shown], indent=2),
                *([f"  … {12 - shown} more (--limit 0 shows all)"] if shown < 12 else [])])

    def test_spaces(self):
        """A module is named once; a space in which nothing lies has no row where there is another."""
        ops = [Op(1, "p", "parameter"), Op(2, "dot", "dot", (1,)), Op(3, "out", "add", (2,))]
        self.put(program("jit_a", ops, [Buffer(1, 100, 1), Buffer(2, 60, 2, 1), Buffer(3, 0, 3, 5)],
                         [Allocation(0, 100, PARAMETER, 0, [(1, 0, 100)]), Allocation(1, 80, 0, 1, [(2, 0, 60)]),
                          Allocation(2, 0, 0, 5, [(3, 0, 0)])], [[("a", 2, 0, "dot"), ("f", 2, 0, "dot")]]),
                 plain("jit_b", 0, 0, 0, 2))
        self.assertEqual([line.split()[:6] for line in self.part("Modules")[2:]],
                         [["jit_a(1)", *SPACE.split(), "100", "B"], ["1", "VMEM", "80", "B", "60", "B"],
                          ["jit_b(2)", *SPACE.split(), "0", "B"]])

    def test_one_is_not_chosen(self):
        """How it was chosen is said where there was a choice, or where it was asked for."""
        self.put(plain("jit_a", 100, 200, 120))
        begin = f"jit_a(1), memory space {SPACE}: 300 B"
        self.assertNotIn("chosen", "".join(self.part(begin)))
        self.assertIn("  chosen: ", "\n".join(self.part(begin, "--module", "jit_a")))
        self.put(plain("jit_b", 100, 100, 100, 2))
        self.assertIn("  chosen: the module with the highest peak in memory space 0, of 2", self.part(begin))

    def test_parts_of_the_memory(self):
        """Those of which there is something, with their shares of all that is assigned."""
        ops = [Op(1, "p", "parameter"), Op(2, "c", "constant"), Op(3, "dot", "dot", (1, 2)), Op(4, "out", "add", (3,))]
        buffers = [Buffer(1, 400, 1), Buffer(2, 100, 2), Buffer(3, 120, 3), Buffer(4, 250, 4)]
        self.put(program("jit_a", ops, buffers, [
            Allocation(0, 400, PARAMETER, 0, [(1, 0, 400)]), Allocation(1, 100, CONSTANT, 0, [(2, 0, 100)]),
            Allocation(2, 250, 0, 0, [(3, 0, 120)]), Allocation(3, 250, RESULT, 0, [(4, 0, 250)])],
            [[("a", 3, 0, "dot"), ("f", 3, 0, "dot")]]))
        rows = [[mark, name, f"{size} B", percent(size, 1000)] for mark, name, size in (
            ("P", "parameters", 400), ("C", "constants", 100), ("R", "results", 250), ("T", "temporary", 120), (".", "fragmentation", 130))]
        self.assertEqual(self.part("jit_a(1), memory")[2:7], table(["", "", ">", ">"], *rows, indent=2)[1:])
        self.put(plain("jit_a", 100, 200, 200))
        rows = [["P", "parameters", "100 B", "33.3 %"], ["T", "temporary", "200 B", "66.7 %"]]
        self.assertEqual(self.part("jit_a(1), memory")[2:4], table(["", "", ">", ">"], *rows, indent=2)[1:])
        self.assertFalse(self.part("jit_a(1), memory")[4].startswith("  ."))

    def test_whether_it_fits(self):
        """At the edge it does."""
        self.put(plain("jit_a", 100, 200, 120))
        self.assertIn("It fits", truth.run("memory", self.scratch, "--fit", "300B"))
        self.assertIn("It does not fit: 1 B are missing", truth.run("memory", self.scratch, "--fit", "299B", status=1))


class Buffers(MemoryScreen):

    def setUp(self):
        super().setUp()
        self.put(plain("jit_a", 100, 200, 120))
        self.rows = [["120 B", percent(120, 220), "temp", "dot", "dot", "f32[100]{0}", "", ""],
                     ["100 B", percent(100, 220), "indefinite", "p", "parameter", "f32[100]{0}", "", ""]]

    def test_top(self):
        """As many as --top says, else --limit; the rest as a sum."""
        title = "Alive at the peak: 220 B in 2 buffers"
        both = [title, *table(ALIVE, *self.rows, indent=2)]
        first = [title, *table(ALIVE, self.rows[0], indent=2), "  … 1 more with 100 B (--top N shows N)"]
        for options, expected in (((), both), (("--top", 2), both), (("--top", 1), first), (("--limit", 1), first), (("--limit", 0), both),
                                  (("--limit", 1, "--top", 2), both), (("--limit", 0, "--top", 1), first)):
            self.assertEqual(self.part("Alive at the peak", *options), expected)

    def test_several_rest(self):
        """Files are named without their folders, with the line where it is known."""
        ops = [Op(1, "p", "parameter"), Op(2, "a", "dot", (1,), "jit/a", source=("/src/x.py", 12)),
               Op(3, "b", "dot", (2,), source=("y.py", 0)), Op(4, "c", "dot", (3,))]
        self.put(program("jit_a", ops, [Buffer(1, 100, 1), Buffer(2, 90, 2), Buffer(3, 80, 3), Buffer(4, 70, 4)], [
            Allocation(0, 100, PARAMETER, 0, [(1, 0, 100)]), Allocation(1, 240, 0, 0, [(2, 0, 90), (3, 90, 80), (4, 170, 70)])],
            [[(kind, key, 0, "abc"[key - 2]) for kind in "af" for key in (2, 3, 4)]]))
        rows = [["100 B", percent(100, 340), "indefinite", "p", "parameter", "f32[100]{0}", "", ""],
                ["90 B", percent(90, 340), "temp", "a", "dot", "f32[100]{0}", "jit/a", "x.py:12"],
                ["80 B", percent(80, 340), "temp", "b", "dot", "f32[100]{0}", "", "y.py"],
                ["70 B", percent(70, 340), "temp", "c", "dot", "f32[100]{0}", "", ""]]
        self.assertEqual(self.part("Alive"), ["Alive at the peak: 340 B in 4 buffers", *table(ALIVE, *rows, indent=2)])
        self.assertEqual(self.part("Alive", "--top", 2), ["Alive at the peak: 340 B in 4 buffers", *table(ALIVE, *rows[:2], indent=2),
                                                          "  … 2 more with 150 B (--top N shows N)"])
        self.assertEqual(self.part("Alive", "--top", 1)[-1], "  … 3 more with 240 B (--top N shows N)")


class Allocators(MemoryScreen):

    def test_order(self):
        """The fullest first, whatever its share; of those that are as full the first."""
        def allocator(name, at_ps, size, available):
            return Allocator("alpha", name, [("allocator_name", name)], "", [
                Event(0, at_ps, "alloc", at_ps, size, size, available=available),
                Event(0, 9000, "free", at_ps, size, 0, available=available + size)])
        of = [("few", 1000, 100, 100), ("most", 1500, 900, 9100), ("equal", 2000, 100, 300)]
        self.write("a.xplane.pb", Host("alpha", 0, 0, {}, [allocator(*each) for each in of]).bytes())
        rows = [[name, "(host memory)", "a", f"{size} B", "0 B", f"{size} B", capacity, percent(size, size + available), at, "agrees"]
                for (name, _, size, available), at, capacity in ((of[1], "1.500 ns", "9.8 KiB"), (of[0], "1.000 ns", "200 B"),
                                                                 (of[2], "2.000 ns", "400 B"))]
        self.assertEqual(self.part("Allocators"), ["Allocators at run time: 3 allocators", *table(ALLOCATORS, *rows, indent=2)])

    def test_how_many(self):
        """Eight of them, or as many as are asked for."""
        allocators = [Allocator("alpha", f"pool {at}", [("allocator_name", f"pool {at}")], "", [
            Event(0, 1000, "alloc", 1, 100 + at, 100 + at, available=900)]) for at in range(10)]
        self.write("a.xplane.pb", Host("alpha", 0, 0, {}, allocators).bytes())
        for options, shown, left_out in (((), 8, 2), (("--limit", 3), 3, 7), (("--limit", 0), 10, 0), (("--limit", 10), 10, 0)):
            lines = self.part("Allocators", *options)
            self.assertEqual([line.split()[1] for line in lines if line.startswith("  pool")], [str(9 - at) for at in range(shown)])
            self.assertEqual(lines[-1] == f"  … {left_out} more (--limit 0 shows all)", left_out > 0)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
