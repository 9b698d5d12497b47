"""Parts of the screen of `memory` that come from compiled programs: bars, rollups, what stays, donations, questions, curves, places."""
import sys

import proto_writer as proto
import truth
import xspace as x
from screens import percent, table
from test_memory_hlo import ALIASED, CONSTANT, PARAMETER, RESULT, Allocation, Buffer, Op
from test_memory_questions import plain, program
from test_memory_screen import MODULES, SPACE, MemoryScreen, part

ROLLUP = [">bytes", ">share", ">buffers"]
NEVER_AT_ONCE = ["Findings", "  - 300 B of the temporary memory of jit_a(1) is never used at once. Next: smaller or fewer",
                 "    long-lived temporaries pack better"]


def capture(of, more=b""):
    return x.space(x.plane(1, "/host:metadata", x.stat_metadata(1, "Hlo Proto"), x.event_metadata(
        of.key, f"{of.name}({of.key})", "", [x.stat(1, of.bytes() + more, "bytes")])))


def simulated():
    """Of the temporary memory 70, 130, 70, 90, 20 and 0 bytes are in use, one after the other."""
    ops = [Op(1, "p", "parameter"), Op(2, "iota", "iota"), Op(3, "dot", "dot", (1,)), Op(4, "add", "add", (2,)), Op(5, "out", "copy", (4,))]
    return program("jit_a", ops, [Buffer(1, 100, 1), Buffer(2, 70, 2), Buffer(3, 60, 3), Buffer(4, 20, 4)], [
        Allocation(0, 100, PARAMETER, 0, [(1, 0, 100)]), Allocation(1, 150, 0, 0, [(2, 0, 70), (3, 70, 60), (4, 130, 20)])],
        [[("a", 2, 0, "iota"), ("a", 3, 0, "dot"), ("f", 3, 0, "dot"), ("a", 4, 0, "add"), ("f", 2, 0, "add"), ("f", 4, 0, "out")]])


def given(*sizes, aliased=0):
    """A program that copies each of its parameters, of so many floats; the first ones share the memory of their result."""
    ops = [Op(at, f"p{at}", "parameter", size=size) for at, size in enumerate(sizes, 1)]
    ops += [Op(100 + at, f"r{at}", "copy", (at,), size=size) for at, size in enumerate(sizes, 1)]
    ops.append(Op(999, "out", "tuple", [100 + at for at in range(1, len(sizes) + 1)]))
    buffers = [Buffer(at, 4 * size, at) for at, size in enumerate(sizes, 1)]
    buffers += [Buffer(100 + at, 4 * size, 100 + at) for at, size in enumerate(sizes, 1)]
    allocations = [Allocation(at - 1, 4 * size, PARAMETER | (ALIASED if at <= aliased else 0), 0, [(at, 0, 4 * size)], at - 1)
                   for at, size in enumerate(sizes, 1)]
    allocations += [Allocation(len(sizes) + at - 1, 4 * size, RESULT, 0, [(100 + at, 0, 4 * size)]) for at, size in enumerate(sizes, 1)]
    return program("jit_a", ops, buffers, allocations)


class Bars(MemoryScreen):
    def bar(self, *parts):
        """What stands below the title, for bytes of parameters, constants, results, and of the pool used and not."""
        kept, constant, result, used, unused = parts
        ops = [Op(1, "p", "parameter"), Op(2, "c", "constant"), Op(3, "dot", "dot", (1, 2)), Op(4, "out", "add", (3,))]
        fixed = [(0, kept, PARAMETER, 1), (1, constant, CONSTANT, 2), (3, result, RESULT, 4)]
        allocations = [Allocation(at, size, flag, 0, [(key, 0, size)]) for at, size, flag, key in fixed if size]
        traces = []
        if used + unused:
            allocations.append(Allocation(2, used + unused, 0, 0, [(3, 0, used)]))
            traces = [[("a", 3, 0, "dot"), ("f", 3, 0, "dot")]]
        buffers = [Buffer(1, kept, 1), Buffer(2, constant, 2), Buffer(3, used, 3), Buffer(4, result, 4)]
        self.put(program("jit_a", ops, buffers, sorted(allocations, key=lambda a: a.index), traces))
        return self.part("jit_a(1), memory")

    def test_columns(self):
        """Of 1000 bytes each 21 have a column; what has less has one, and a part of a column is none."""
        for parts, bar in (((400, 100, 250, 120, 130), "P" * 19 + "C" * 4 + "R" * 11 + "T" * 5 + "." * 6),
                           ((20, 21, 41, 42, 876), "PCRTT" + "." * 41), ((62, 63, 0, 1, 874), "PPCCCT" + "." * 41),
                           ((998, 1, 1, 0, 0), "P" * 47 + "CR"), ((1, 0, 0, 999, 0), "P" + "T" * 47)):
            found = self.bar(*parts)
            self.assertEqual(found[:2], [f"jit_a(1), memory space {SPACE}: 1000 B", f"  [{bar}]"])
            names = ("P", "parameters"), ("C", "constants"), ("R", "results"), ("T", "temporary"), (".", "fragmentation")
            rows = [[*name, f"{size} B", percent(size, 1000)] for name, size in zip(names, parts) if size]
            self.assertEqual(found[2:2 + len(rows)], table(["", "", ">", ">"], *rows, indent=2)[1:])
            self.assertTrue(found[2 + len(rows)].startswith("  Counts parameters"))

    def test_few_bytes(self):
        """Of less than 50 bytes each has a column."""
        self.assertEqual(self.bar(7, 0, 0, 2, 3)[1], "  [PPPPPPPTT...]")
        self.assertEqual(self.bar(49, 0, 0, 0, 0)[1], "  [" + 49 * "P" + "]")
        self.assertEqual(self.bar(50, 0, 0, 0, 0)[1], "  [" + 25 * "P" + "]")

    def test_places(self):
        """How many have the module, and how many of them with another text of it, where it is more than one."""
        of, other = plain("jit_a", 100, 500, 300, 7), plain("jit_a", 100, 500, 300, 7)
        other.ops[2].op_name = "mul"
        self.write("a.xplane.pb", capture(of))
        texts = {1: None, 2: "  found in 2 places", 3: "  found in 3 places, 1 of them with other bytes for the same memory",
                 4: "  found in 4 places, 2 of them with other bytes for the same memory"}
        for count, content in ((1, of), (2, of), (3, other), (4, other)):
            self.write(f"{'abcd'[count - 1]}.xplane.pb", capture(content))
            found = [line for line in self.part("jit_a(7), memory") if "found in" in line]
            self.assertEqual(found, [texts[count]] if texts[count] else [])

    def test_bounds(self):
        """What a peak is at least or at most, with why; of one that is exact nothing."""
        ops = [Op(1, "p", "parameter"), Op(2, "dot", "dot", (1,)), Op(3, "out", "add", (2,))]
        buffers = [Buffer(1, 100, 1), Buffer(2, 60, 2)]
        allocations = [Allocation(0, 100, PARAMETER, 0, [(1, 0, 100)]), Allocation(1, 80, 0, 0, [(2, 0, 60)])]
        exact = program("jit_a", ops, buffers, allocations, [[("a", 2, 0, "dot"), ("f", 2, 0, "dot")]])
        lower = program("jit_a", ops, buffers, allocations)
        upper = program("jit_a", ops, buffers, allocations)
        upper.schedule = {}
        for of, peak, at, method, bound in (
                (exact, "160 B", "dot", "heap_replay", None),
                (lower, ">= 160 B", "dot", "schedule_sweep", "  bound: lower, the module has no heap simulation; lifetimes come from the "
                 "schedule and may be longer"),
                (upper, "<= 180 B", "", "allocation_sizes", "  bound: upper, the module has neither heap simulation nor schedule: temporary "
                 "allocations count in full")):
            self.put(of)
            self.assertEqual(self.part("Modules")[1:],
                             table(MODULES, ["jit_a(1)", SPACE, "180 B", peak, "80 B", "100 B", at, method], indent=2))
            self.assertEqual([line for line in self.part("jit_a(1), memory") if "bound" in line], [bound] if bound else [])

    def test_a_damaged_module(self):
        """It has a row without spaces, and comes after those that have some."""
        self.put(plain("jit_a", 100, 200, 120))
        self.write("jit_n.hlo_proto.pb", proto.text(1, proto.text(1, "jit_n") + proto.number(5, 3)) + b"\x1a\x7f")
        found = self.part("Modules", status=5)
        self.assertEqual(found, ["Modules, highest peak in memory space 0 first: 2 modules", *table(
            MODULES, ["jit_a(1)", SPACE, "300 B", "220 B", "200 B", "100 B", "dot", "heap_replay"],
            ["jit_n(3)", "", "", "", "", "", "", "damaged"], indent=2)])


class Rollups(MemoryScreen):
    def test_how_many(self):
        """Eight keys; the others are counted."""
        for count, last in ((7, None), (8, None), (9, "  … 1 more (--json has them)"), (11, "  … 3 more (--json has them)")):
            ops = [Op(at, f"i{at}", f"op-{at}", op_name=f"jit/{at}") for at in range(1, count + 1)]
            sizes = [1000 - at for at in range(count)]
            self.put(program("jit_a", ops, [Buffer(at, size, at) for at, size in enumerate(sizes, 1)], [
                Allocation(0, sum(sizes), 0, 0, [(at, sum(sizes[:at - 1]), size) for at, size in enumerate(sizes, 1)])],
                [[("a", at, 0, f"i{at}") for at in range(1, count + 1)]]))
            expected = ["By opcode and by op_name"]
            for title, name in (("opcode", "op-{}"), ("op_name", "jit/{}")):
                rows = [[f"{size} B", percent(size, sum(sizes)), 1, name.format(at)] for at, size in enumerate(sizes[:8], 1)]
                expected += [*table([*ROLLUP, title], *rows, indent=2), *([last] if last else [])]
            self.assertEqual(self.part("By opcode"), expected)

    def test_sums(self):
        """Buffers of one key together; what has no op_name is one, too."""
        ops = [Op(1, "a", "dot", op_name="x"), Op(2, "b", "add", op_name="x"), Op(3, "c", "dot"), Op(4, "d", "dot")]
        self.put(program("jit_a", ops, [Buffer(at, 10 * at, at) for at in (1, 2, 3, 4)], [
            Allocation(0, 100, 0, 0, [(1, 0, 10), (2, 10, 20), (3, 30, 30), (4, 60, 40)])],
            [[("a", at, 0, "abcd"[at - 1]) for at in (1, 2, 3, 4)]]))
        self.assertEqual(self.part("By opcode"), [
            "By opcode and by op_name", *table([*ROLLUP, "opcode"], ["80 B", "80.0 %", 3, "dot"], ["20 B", "20.0 %", 1, "add"], indent=2),
            *table([*ROLLUP, "op_name"], ["70 B", "70.0 %", 2, "<no op_name>"], ["30 B", "30.0 %", 2, "x"], indent=2)])


class Stays(MemoryScreen):
    FLOOR = "in use at every moment; no rematerialisation goes below it"
    LONE = "of the temp pool, at addresses that one buffer alone uses"

    def test_floor(self):
        """What stays of parameters and of temporary memory, and what of the pool one buffer alone has."""
        self.put(plain("jit_a", 100, 200, 120))  # it is freed at the end
        self.assertEqual(self.part("What stays"), ["What stays", f"  floor           100 B  {self.FLOOR}",
                                                   f"  lone owners     120 B  {self.LONE}"])
        ops = [Op(1, "p", "parameter"), Op(2, "a", "dot"), Op(3, "b", "dot"), Op(4, "out", "add")]
        self.put(program("jit_a", ops, [Buffer(1, 100, 1), Buffer(2, 30, 2), Buffer(3, 50, 3)], [
            Allocation(0, 100, PARAMETER, 0, [(1, 0, 100)]), Allocation(1, 80, 0, 0, [(2, 0, 30), (3, 10, 50)])],
            [[("a", 2, 0, "a"), ("a", 3, 0, "b"), ("f", 3, 0, "b")]]))
        self.assertEqual(self.part("What stays"), ["What stays", f"  floor           130 B  {self.FLOOR}",
                                                   f"  lone owners     40 B  {self.LONE}"])  # 10 of a, 30 of b

    def donated(self, of):
        self.put(of)
        return [line for line in self.part("What stays") if line[:2] == "  "][2:]

    def test_donations(self):
        """All in one sum; five of them are named, the greatest first."""
        def line(number, size):
            return f"                  {4 * size} B  parameter {number - 1} p{number} -> r{number}  f32[{size}]{{0}}"
        self.assertEqual(self.donated(given(25)), ["  donation        100 B  in 1 parameter with the shape of a result:", line(1, 25)])
        self.assertEqual(self.donated(given(25, 30)), ["  donation        220 B  in 2 parameters with the shape of a result:", line(2, 30),
                                                       line(1, 25)])
        sizes = [10, 11, 12, 13, 14]
        self.assertEqual(self.donated(given(*sizes)), ["  donation        240 B  in 5 parameters with the shape of a result:",
                                                       *(line(at, sizes[at - 1]) for at in (5, 4, 3, 2, 1))])
        self.assertEqual(self.donated(given(*sizes, 15)), ["  donation        300 B  in 6 parameters with the shape of a result:",
                                                           *(line(at, at + 9) for at in (6, 5, 4, 3, 2))])
        self.assertEqual(self.donated(given(25, 30, aliased=1)), ["  donation        120 B  in 1 parameter with the shape of a result:",
                                                                  line(2, 30)])
        self.assertEqual(self.donated(given(25, 30, aliased=2)), [])

    def test_what_if(self):
        """Where a buffer is made and where it is last used it counts, in between it does not; a parameter stays."""
        self.put(simulated())
        cannot = "    the peak cannot fall below after_bytes: the buffer counts only where it is made and where it is"
        remat, offload = ([cannot, f"    last used; {text}"] for text in (
            "what it is recomputed from may have to live longer", "a copy under way needs room on both sides"))
        none = ["    no temporary buffer of this name lies in memory space 0: parameters, constants and results stay",
                "    for the whole program"]
        saved, unchanged = (f"peak 230 B -> at least {after} B, at most {230 - after} B saved" for after in (190, 230))
        for question, lines in ((("remat=iota",), [f"  what if remat iota: {saved} (1 buffer, 70 B)", *remat]),
                                (("offload=iota",), [f"  what if offload iota: {saved} (1 buffer, 70 B)", *offload]),
                                (("remat=dot",), [f"  what if remat dot: {unchanged} (1 buffer, 60 B)", *remat]),
                                (("remat=p",), [f"  what if remat p: {unchanged} (0 buffers, 0 B)", *none]),
                                (("remat=add", "offload=add"), [f"  what if remat add: {unchanged} (1 buffer, 20 B)", *remat,
                                                                f"  what if offload add: {unchanged} (1 buffer, 20 B)", *offload])):
            options = [word for text in question for word in ("--what-if", text)]
            self.assertEqual(self.part("What stays", *options)[3:], lines)

    def test_curve(self):
        """Bars have a column for each 40th part of the most, rounded to whole bytes upwards; all events, or some of them."""
        self.put(simulated())
        live = [170, 230, 170, 190, 120, 100]

        def rows(*events):
            return table([">event", ">live", ""], *([at, f"{live[at]} B", (live[at] // 6) * "#"] for at in events), indent=2)
        for count, title, events in (("10", "6 points of 6, every extremum kept", range(6)), ("6", "6 points of 6, every extremum kept", range(6)),
                                     ("1", "1 point of 6, the extremes of each part kept", [1])):
            self.assertEqual(self.part("Live curve", "--curve", count), [f"Live curve: {title}", *rows(*events)])
        self.assertNotIn("Live curve", truth.run("memory", self.scratch))


class Sentences(MemoryScreen):
    def head(self, *options, status=0):
        """Its sentences, each on one line."""
        text = truth.run("memory", self.scratch, *options, status=status).split("\n\n")[0]
        return [sentence + "." for sentence in " ".join(text.split()).rstrip(".").split(". ")]

    def test_other_spaces(self):
        """Four of them, then how many more; those of nothing are none."""
        names = {0: " (device memory)", 1: " (VMEM)", 5: " (Host)"}
        for count, rest in ((0, ""), (1, ""), (4, ""), (5, " and 1 more"), (6, " and 2 more")):
            colors = [at + 20 for at in range(count)]
            ops = [Op(1, "p", "parameter")]
            buffers = [Buffer(1, 100, 1), *(Buffer(2 + color, 7, 1, color) for color in colors), Buffer(99, 0, 1, 5)]
            self.put(program("jit_a", ops, buffers, [Allocation(0, 100, PARAMETER, 0, [(1, 0, 100)]), *(
                Allocation(1 + at, 7 + at, PARAMETER, color, [(2 + color, 0, 7)]) for at, color in enumerate(colors)),
                Allocation(50, 0, PARAMETER, 5, [(99, 0, 0)])]))
            listed = ", ".join(f"{7 + at} B of memory space {color}" for at, color in enumerate(colors[:4]))
            self.assertEqual(self.head(), [
                f"jit_a(1) needs 100 B of memory space 0{names[0]}; its peak is 100 B.",
                "Parameters 100 B, constants 0 B, results 0 B, temporary 0 B (0 B fragmentation).", "No rematerialisation goes below 100 B.",
                *([f"Besides, it needs {listed}{rest}."] if colors else [])])

    def test_whether_it_fits(self):
        """With what is left; where it does not, a finding says the same of the module that needs most."""
        self.put(plain("jit_a", 100, 200, 120), plain("jit_b", 100, 700, 100, 2))
        self.assertEqual(self.head("--fit", "1000B")[-1], "It fits, with 200 B to spare.")
        self.assertEqual(self.head("--fit", "800B")[-1], "It fits, with 0 B to spare.")
        text = truth.run("memory", self.scratch, "--fit", "700B", status=1)
        self.assertEqual(text.split("\n\n")[0].splitlines()[-1], "It does not fit: 100 B are missing.")
        self.assertEqual(part(text, "Findings")[1:3], [
            "  - jit_b(2) needs 800 B, 100 B more than the limit. Next: look at what is alive at the peak for",
            "    what to keep out"])

    def test_how_much_is_never_used(self):
        """Said above a tenth of the temporary memory."""
        for temp, peak, said in ((1000, 900, False), (1000, 899, True), (1000, 700, True)):
            self.put(plain("jit_a", 1, temp, peak))
            text = truth.run("memory", self.scratch)
            self.assertEqual("Findings" in text, said, (temp, peak))
        self.assertEqual(part(text, "Findings"), NEVER_AT_ONCE)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
