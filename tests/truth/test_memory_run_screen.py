"""Parts of the screen of `memory` that come from allocators: how their rows differ, what was alive when, of what kind, and checks."""
import sys

import proto_writer as proto
import truth
import xspace as x
from screens import percent, table
from test_memory_hlo import Op
from test_memory_questions import plain
from test_memory_runtime import Allocator, Event, Host
from test_memory_screen import ALLOCATORS, MemoryScreen, part

ALIVE = [">bytes", ">share", ">count", "kind", "lifetime", "shape", "type", "op", "from"]
F32 = (1, "f32")
STEPS = {f"/device:TPU:{number}": [("s0", 0, 2000), ("s1", 2000, 5000), ("s2", 5000, 9000)] for number in (0, 1)}
NONE = "[absent] no compiled module: no XSpace with Hlo Proto, *.hlo_proto.pb or *.hlo.pb"


def alloc(at, address, size, counted, **more):
    return Event(0, at, "alloc", address, size, counted, **more)


def free(at, address, size, counted, **more):
    return Event(0, at, "free", address, size, counted, **more)


def device(number, *events):
    return Allocator("alpha", str(number), [("device_ordinal", number)], f"/device:TPU:{number}", list(events))


class RunScreen(MemoryScreen):
    def run_of(self, *allocators, around=()):
        self.write("a.xplane.pb", Host("alpha", 0, 0, STEPS, list(allocators), around).bytes())

    def sample(self):
        """Two equal buffers, one that is freed in the second step, one that comes in the third."""
        return device(0, alloc(100, 1, 100, 100, available=900, shape="f32[25]", op="jit/a", type=F32),
                      alloc(200, 2, 100, 200, available=800, shape="f32[25]", op="jit/a", type=F32),
                      alloc(2500, 3, 50, 250, available=750), free(2600, 3, 50, 200, available=800),
                      alloc(5500, 4, 70, 270, available=730, op="jit/b"), free(6000, 1, 100, 170, available=830))


class Rows(RunScreen):
    def test_replay(self):
        """After how many events the sum differs from the allocator's own count; of what it does not count nothing is known."""
        for counts, text in (((100, 200, 100), "agrees"), ((100, 200, 101), "differs 1 time"), ((100, 201, 102), "differs 2 times"),
                             ((100, None, 101), "differs 1 time"), ((None, None, None), "agrees")):
            self.run_of(device(0, alloc(100, 1, 100, counts[0]), alloc(200, 2, 100, counts[1]), free(300, 1, 100, counts[2])))
            row = self.part("Allocators")[2]
            self.assertEqual(row.rsplit("  ", 1)[1], text, counts)

    def test_cells(self):
        """What is reserved counts as filled, what is available as room; the time is that of the first peak."""
        self.run_of(device(0, alloc(1000, 1, 100, 100, reserved=30, available=870), alloc(2000, 2, 200, 300, reserved=0, available=700),
                           free(3000, 2, 200, 100, reserved=30, available=870), alloc(4000, 3, 200, 300, available=700)),
                    device(1, alloc(1500, 1, 40, 40, reserved=5, available=55)))
        rows = [["0", "TPU:0", "a", "300 B", "0 B", "300 B", "1000 B", "30.0 %", "2.000 ns", "agrees"],
                ["1", "TPU:1", "a", "45 B", "5 B", "40 B", "100 B", "45.0 %", "1.500 ns", "agrees"]]
        text = truth.run("memory", self.scratch)
        self.assertEqual(part(text, "Allocators"), ["Allocators at run time: 2 allocators", *table(ALLOCATORS, *rows, indent=2)])
        self.assertEqual(text.splitlines()[0], "/device:TPU:0 was filled up to 300 B of 1000 B, the most of 2 devices.")

    def test_the_fullest_device(self):
        """The one of the second place where it is; one device alone is not the most of several."""
        few, most = alloc(100, 1, 100, 100, available=0), alloc(100, 1, 101, 101, available=0)
        for events, sentence in (((few, most), "/device:TPU:1 was filled up to 101 B of 101 B, the most of 2 devices."),
                                 ((most, few), "/device:TPU:0 was filled up to 101 B of 101 B, the most of 2 devices."),
                                 ((few, few), "/device:TPU:0 was filled up to 100 B of 100 B, the most of 2 devices."),
                                 ((most, ), "/device:TPU:0 was filled up to 101 B of 101 B.")):
            self.run_of(*(device(at, event) for at, event in enumerate(events)))
            self.assertEqual(truth.run("memory", self.scratch).splitlines()[0], sentence)
            at = sentence.split()[0][len("/device:"):]
            self.assertEqual(self.part("Alive at run time")[0].split(" on ")[1], f"{at} at the peak of step s0 (--step-policy peak)")


class AliveThen(RunScreen):
    CLASSES = "  by lifetime: unknown 170 B, persistent 100 B"

    def rows(self, *rows, size):
        return table(ALIVE, *([f"{row[0]} B", percent(row[0], size), *row[1:]] for row in rows), indent=2)

    def test_windows(self):
        """What was alive at the peak of a step, or of all; of equal rows there is one where their lifetimes are not known."""
        self.run_of(self.sample())
        first = (100, "", "buffer", "unknown", "f32[25]", "f32", "jit/a", "")
        second = (100, "", "buffer", "persistent", "f32[25]", "f32", "jit/a", "")
        late = (70, "", "buffer", "unknown", "", "", "jit/b", "")
        of_last = [*self.rows(first, second, late, size=270), self.CLASSES]
        of_first = [*self.rows(first, second, size=200), "  by lifetime: unknown 100 B, persistent 100 B"]
        for options, title, lines in (
                ((), "270 B on TPU:0 at the peak of step s2 (--step-policy peak)", of_last),
                (("--step-policy", "last"), "270 B on TPU:0 at the peak of step s2 (--step-policy last)", of_last),
                (("--step-policy", "first"), "200 B on TPU:0 at the peak of step s0 (--step-policy first)", of_first),
                (("--step", 0), "200 B on TPU:0 at the peak of step s0 (asked for)", of_first),
                (("--step", 2), "270 B on TPU:0 at the peak of step s2 (asked for)", of_last),
                (("--all-trace", ), "270 B on TPU:0 at the peak of the whole trace", self.rows(
                    (200, 2, "buffer", "", "f32[25]", "f32", "jit/a", ""), (70, "", "buffer", "", "", "", "jit/b", ""), size=270))):
            self.assertEqual(self.part("Alive at run time", *options), [f"Alive at run time: {title}", *lines])

    def test_top(self):
        """Rows, not buffers, are counted; lifetimes are of all of them."""
        events = [alloc(100 + at, 1 + at, size, None, op=name) for at, (size, name) in enumerate((
            (50, "x"), (50, "x"), (70, "y"), (20, "z"), (10, "w")))]
        self.run_of(device(0, *events))
        every = [[100, 2, "x"], [70, "", "y"], [20, "", "z"], [10, "", "w"]]
        for options, shown in (((), 4), (("--top", 4), 4), (("--top", 3), 3), (("--top", 2), 2), (("--top", 1), 1), (("--limit", 2), 2), (("--limit", 0), 4)):
            rows = [(size, count, "buffer", "persistent", "", "", name, "") for size, count, name in every[:shown]]
            left_out = [f"  … {4 - shown} more row{'s' if shown < 3 else ''} (--top N shows N)"] if shown < 4 else []
            self.assertEqual(self.part("Alive at run time", *options)[1:], [*self.rows(*rows, size=200), *left_out,
                                                                            "  by lifetime: persistent 200 B"])

    def test_before_the_trace(self):
        """What the allocator counts and no event allocates was there before; of equal sizes the first is first."""
        self.run_of(device(0, alloc(100, 1, 100, 150)))
        self.assertEqual(self.part("Alive at run time")[1:], [*self.rows(
            (100, "", "buffer", "persistent", "", "", "", ""), (50, "", "before the trace", "persistent", "", "", "", ""), size=150),
            "  by lifetime: persistent 150 B"])

    def test_where_it_comes_from(self):
        """The innermost of what encloses it, where no op is known."""
        around = [(0, "outer", 0, 1000), (0, "inner", 50, 300)]
        self.run_of(device(0, alloc(100, 1, 100, 100, op="jit/a"), alloc(200, 2, 90, 190), alloc(500, 3, 80, 270), alloc(1500, 4, 70, 340)),
                    around=around)
        self.assertEqual(self.part("Alive at run time")[1:], [*self.rows(
            (100, "", "buffer", "persistent", "", "", "jit/a", ""), (90, "", "buffer", "persistent", "", "", "", "inner"),
            (80, "", "buffer", "persistent", "", "", "", "outer"), (70, "", "buffer", "persistent", "", "", "", ""), size=340),
            "  by lifetime: persistent 340 B"])

    def test_what_makes_a_row(self):
        """Another shape, type, op or place is another row; of as many bytes the one that was met first comes first."""
        around = [(0, "p", 0, 50), (0, "q", 50, 100)]
        same = {"shape": "f32[5]", "type": F32, "op": "o"}
        self.run_of(device(0, alloc(1000, 1, 20, None, **same), alloc(1001, 2, 20, None, **{**same, "shape": "f32[4]"}),
                           alloc(1002, 3, 20, None, **{**same, "type": (14, "bf16")}), alloc(1003, 4, 20, None, **{**same, "op": "u"}),
                           alloc(10, 5, 20, None, shape="f32[5]"), alloc(60, 6, 20, None, shape="f32[5]"), alloc(1004, 7, 20, None, **same)),
                    around=around)
        found = self.part("Alive at run time")
        self.assertEqual(found[2].split(), ["40", "B", "28.6", "%", "2", "buffer", "persistent", "f32[5]", "f32", "o"])
        self.assertEqual(sorted(line.split()[6:] if line.split()[4] == "2" else line.split()[5:] for line in found[3:-1]), sorted(
            [["persistent", "f32[4]", "f32", "o"], ["persistent", "f32[5]", "bf16", "o"], ["persistent", "f32[5]", "f32", "u"],
             ["persistent", "f32[5]", "p"], ["persistent", "f32[5]", "q"]]))

    def test_warnings(self):
        """Frees of what was there before, addresses that are given twice, counts that differ: one or several."""
        miss = "  - the replay differs from the allocator's own count after {} of {} events: the trace misses events of 0"
        two = [alloc(100, 1, 10, 10), alloc(200, 2, 10, 21)]
        self.run_of(device(0, *two, free(300, 2, 10, 12)))
        self.assertEqual(self.warnings(), [miss.format(2, 3)])
        self.run_of(device(0, *two))
        self.assertEqual(self.warnings(), [miss.format(1, 2)])
        self.run_of(device(0, free(50, 9, 10, 90), alloc(100, 1, 10, 100)))
        self.assertEqual(self.warnings(), ["  - 1 free has no allocation in the trace: the memory was allocated before it began"])
        self.run_of(device(0, free(50, 9, 10, 90), free(60, 8, 10, 80), alloc(100, 1, 10, 90)))
        self.assertEqual(self.warnings(), ["  - 2 frees have no allocation in the trace: the memory was allocated before it began"])
        self.run_of(device(0, alloc(100, 1, 10, None), alloc(110, 1, 10, None)))
        self.assertEqual(self.warnings(), ["  - 1 address was allocated again without a free between"])
        self.run_of(device(0, alloc(100, 1, 10, None), alloc(110, 1, 10, None), alloc(120, 1, 10, None)))
        self.assertEqual(self.warnings(), ["  - 2 addresses were allocated again without a free between"])

    def warnings(self):
        """Each on one line."""
        text = "\n".join(self.part("Alive at run time")).replace("\n    ", " ")
        return [line for line in text.splitlines() if line.startswith("  - ")]


class Checks(RunScreen):
    def checks(self):
        return "\n".join(self.part("Checks")).replace("\n    ", " ").splitlines()

    def test_static_and_run_time(self):
        """Whether both agree is said where they can be compared, with their difference as a share of the greater one."""
        self.run_of(self.sample())
        both = "static peak of memory space 0 and highest occupancy of /device:TPU:0 differ by"
        self.assertEqual(self.checks(), ["Checks", "  5 of 5 invariants hold"])
        self.put(plain("jit_a", 270, 0, 0))
        self.assertEqual(self.checks(), ["Checks", f"  compile and run time agree: {both} 0.0 % (270 and 270 B)", "  11 of 11 invariants hold"])
        self.put(plain("jit_a", 100, 200, 120))
        self.assertEqual(self.checks(), ["Checks", f"  compile and run time differ: {both} 10.0 % (300 and 270 B)",
                                         "  10 of 11 invariants hold"])
        self.assertNotIn("differ by", "\n".join(self.part("Findings")))

    def test_a_broken_one(self):
        self.run_of(device(0, alloc(100, 1, 100, 150, available=900), alloc(200, 2, 100, 200)))
        self.assertEqual(self.checks(), ["Checks", "  broken invariant R2b: the replay is within 1 % of what the allocator says is allocated "
                                         "(soft); its count differs after some events (250 and 200 B)", "  4 of 5 invariants hold"])
        self.assertNotIn("Findings", truth.run("memory", self.scratch))


class Absent(MemoryScreen):
    """What is said where one of the two is not there."""

    def events(self, plane):
        return x.space(x.plane(1, plane, x.line(1, "t", [x.event(1, 0, 5)]), x.event_metadata(1, "e")))

    def test_nothing(self):
        """Both reasons, and one of them where there is no file for any."""
        for plane, why in (("/host:CPU", "no MemoryAllocation events: TPU and GPU runtimes record them, CPU ones do not"),
                           ("/device:TPU:0", "no /host:CPU plane, where allocators record what they do")):
            self.write("a.xplane.pb", self.events(plane))
            self.assertEqual(truth.run("memory", self.scratch).splitlines(), [NONE, f"[absent] {why}"])
            self.assertEqual(truth.run("memory", self.scratch, "--fit", "1GiB", status=1).splitlines()[2:],
                             ["It is not known whether it fits: nothing here says how much is needed."])
        self.assertEqual(truth.run("memory", self.scratch, "--no-runtime").splitlines(), [NONE])

    def test_one_of_both(self):
        """The other part says why it is empty."""
        self.put(plain("jit_a", 100, 200, 120))
        self.assertEqual(self.part("Run time"), ["Run time", "[absent] no XSpace file, so nothing is known of run time"])
        self.assertNotIn("Run time", truth.run("memory", self.scratch, "--no-runtime"))
        self.write("a.xplane.pb", self.events("/device:TPU:0"))
        self.assertEqual(self.part("Run time"), ["Run time", "[absent] no /host:CPU plane, where allocators record what they do"])

    def test_no_buffer_assignment(self):
        ops = [Op(1, "p", "parameter")]
        main = proto.text(1, "main") + b"".join(proto.text(2, op.bytes()) for op in ops) + proto.number(5, 1) + proto.number(6, 1)
        self.write("jit_n.hlo_proto.pb", proto.text(1, proto.text(1, "jit_n") + proto.text(3, main) + proto.number(5, 3) + proto.number(6, 1)))
        text = truth.run("memory", self.scratch)
        self.assertNotIn("Modules", text)
        self.assertEqual(part(text, "Compile time"), ["Compile time", "[absent] the module has no buffer assignment"])
        self.assertEqual(part(text, "Run time"), ["Run time", "[absent] no XSpace file, so nothing is known of run time"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
