"""`roofline` and `ops --by` as text: what bounds a group, how much of it, and what stands where a part is not known."""
import sys
from fractions import Fraction

import screens
import truth
from proto_writer import Plane, xspace
from screens import percent, table, time

TITLES = [">of ops", ">self time", ">FLOP/s", ">B/s", ">FLOP/B", ">of roof", "bound by"]
FLOPS, BYTES = "peak_teraflops_per_second", "peak_hbm_bw_gigabytes_per_second"
ONE = ((FLOPS, 1.0), (BYTES, 1000.0))  # of each one in a picosecond
PEAK = "1.00 TFLOP/s of 16-bit products, 1.00 TB/s of memory (the plane)"
COUNTED = "  Rates are over the self time. counted: the share of it of which it is on record what the ops do."
OVER = "  over: faster than its roof. Its bytes came from a cache, or it does less than its shapes say, as causal attention does."


def tpu(number, *ops, peaks=ONE):
    """`ops`: (name, length, operations, bytes), one after the other; a name twice is one op."""
    plane = Plane(f"/device:TPU:{number}", number + 1)
    at, events = 0, []
    for name, length, flops, size in ops:
        events.append(plane.event(name, at, length))
        plane.event_metadata(name, stats=[(key, n) for key, n in (("flops", flops), ("bytes_accessed", size)) if n])
        at += length
    plane.line("XLA Ops", 0, events)
    for fact in peaks:
        plane.own_stat(*fact)
    return plane


def short(value):
    """Three digits and a prefix, whose place stays where there is none; whole numbers below 1,000 as they are."""
    value = Fraction(value)
    size, prefix = value, ""
    for prefix in ("", "k", "M", "G", "T"):
        if size < Fraction(9995, 10):
            break
        size /= 1000
    digits = 0 if size >= 100 or (not prefix and size.denominator == 1) else 1 if size >= 10 else 2
    return f"{float(size):.{digits}f} {prefix}"


def row(all_ps, name, own, flops=0, size=0, roof=None, bound=""):
    return [percent(own, all_ps), time(own), short(Fraction(flops * 10**12, own)) if flops else "",
            short(Fraction(size * 10**12, own)) if size else "", short(Fraction(flops, size)) if flops and size else "",
            "" if roof is None else percent(roof, own), bound, name]


class Screen(truth.Case):
    def ask(self, planes, *options, command="roofline"):
        return truth.run(command, self.write("a.xplane.pb", xspace(planes)), *options).splitlines()

    def check_lines(self, planes, expected, *options, by="kernel", below=()):
        """`expected`: what is said above, in one line; the rows. `below`: the lines under the table."""
        said, rows = expected
        found = self.ask(planes, *options)
        titles = TITLES[:5] + [">counted"] * (COUNTED in below) + TITLES[5:]
        lines = [*table([*titles, by], *rows, indent=2), *below]
        self.assertEqual(found[-len(lines):], lines)
        self.assertEqual(" ".join(" ".join(found[:-len(lines)]).split()), said)


class Bounds(Screen):

    def test_each_bound(self):
        """An op is bound by what it reaches 60 % of, at that edge too."""
        plane = tpu(0, ("compute", 5000, 4000, 500), ("memory", 2000, 100, 1300), ("at the edge", 1000, 600, 5),
                    ("below it", 990, 593, 6), ("unknown", 10, 0, 0))
        total = 9000
        self.check_lines([plane], (
            f"Of 9.000 ns in 5 executions: bound by compute {percent(6000, total)}, by memory {percent(2000, total)}, "
            f"by neither {percent(990, total)}, not known {percent(10, total)}. At their roofs the known ops would take 6.493 ns, "
            f"2.497 ns less. device: {PEAK}", [
                row(total, "compute", 5000, 4000, 500, 4000, "compute"), row(total, "memory", 2000, 100, 1300, 1300, "memory"),
                row(total, "at the edge", 1000, 600, 5, 600, "compute"), row(total, "below it", 990, 593, 6, 593, "neither"),
                row(total, "unknown", 10)]))

    def test_without_compute_the_next_is_first(self):
        plane = tpu(0, ("m", 1000, 0, 900))
        self.check_lines([plane], (
            "Of 1.000 ns in 1 execution: bound by memory 100.0 %. At their roofs the known ops would take 900 ps, 100 ps less. "
            f"device: {PEAK}",
            [row(1000, "m", 1000, 0, 900, 900, "memory")]))
        plane = tpu(0, ("n", 1000, 50, 0))
        self.check_lines([plane], (
            "Of 1.000 ns in 1 execution: bound by neither 100.0 %. At their roofs the known ops would take 50 ps, 950 ps less. "
            f"device: {PEAK}",
            [row(1000, "n", 1000, 50, 0, 50, "neither")]))

    def test_a_group_of_several(self):
        """Its largest part, and of what is known the share."""
        plane = tpu(0, ("c", 3000, 2400, 0), ("m", 4000, 0, 3600), ("x", 3000, 0, 0))
        self.check_lines([plane], (
            "Of 10.000 ns in 3 executions: bound by compute 30.0 %, by memory 40.0 %, not known 30.0 %. At their roofs the known ops "
            f"would take 6.000 ns, 1.000 ns less. device: {PEAK}",
            [["100.0 %", "10.000 ns", short(Fraction(2400 * 10**12, 10000)), short(Fraction(3600 * 10**12, 10000)), "0.67 ", "70.0 %",
              percent(6000, 7000), f"memory {percent(4000, 7000)}", "/device:TPU:0"]]), "--by", "device", by="device", below=[COUNTED])

    def test_faster_than_its_roof(self):
        """It needs 1,200 ps there, and took 1,000: no share is above 100 %. One that took as long as there is not faster."""
        plane = tpu(0, ("f", 1000, 1200, 100), ("at it", 500, 500, 0))
        found = self.ask([plane])
        first, second = row(1500, "f", 1000, 1200, 100, 1000, "compute"), row(1500, "at it", 500, 500, 0, 500, "compute")
        first[5] = "over"
        lines = table([*TITLES, "kernel"], first, second, indent=2) + [OVER]
        self.assertEqual(found[-len(lines) - 1:-2], lines[:-1])
        self.assertEqual(" ".join(" ".join(found[-2:]).split()), OVER.strip())

    def test_smallest_share(self):
        """What there is at all is never 0."""
        plane = tpu(0, ("c", 999_960, 900_000, 0), ("m", 40, 0, 40))
        self.check_lines([plane], (
            "Of 1.000 us in 2 executions: bound by compute 100.0 %, by memory <0.1 %. At their roofs the known ops would take "
            f"900.040 ns, 99.960 ns less. device: {PEAK}",
            [row(1_000_000, "c", 999_960, 900_000, 0, 900_000, "compute"),
             ["<0.1 %", *row(1_000_000, "m", 40, 0, 40, 40, "memory")[1:]]]))


class Peaks(Screen):

    def test_of_several_devices(self):
        """Those that are alike in everything are counted together."""
        op = ("c", 1000, 500, 100)
        named = ("device_type_string", "TPU v5 lite")
        planes = [tpu(0, op), tpu(1, op, peaks=ONE + (named,)), tpu(2, op), tpu(3, op, peaks=((FLOPS, 2.0), (BYTES, 1000.0)))]
        found = self.ask(planes)
        self.assertEqual([line.strip() for line in found if "(the plane)" in line],
                         [f"2 × device: {PEAK}", f"TPU v5 lite: {PEAK}", f"device: {PEAK.replace('1.00 TF', '2.00 TF')}"])

    def test_without_memory(self):
        found = self.ask([tpu(0, ("c", 1000, 700, 100), peaks=((FLOPS, 1.0), ))])
        self.assertEqual(found[-3], "  device: 1.00 TFLOP/s of 16-bit products, memory not known (the plane)")

    def test_nothing_to_judge_by(self):
        self.check_lines([tpu(0, ("c", 1000, 500, 0), peaks=())],
                         ("Of 1.000 ns in 1 execution: what their devices do at most is not known.", [row(1000, "c", 1000, 500)]))
        self.check_lines([tpu(0, ("c", 1000, 0, 0))],
                         (f"Of 1.000 ns in 1 execution: what the ops do is not on record. device: {PEAK}", [row(1000, "c", 1000)]))


class Groups(Screen):

    def lines(self, plane, *options):
        return self.ask([plane], *options, command="ops")

    def test_rates_of_those_that_work(self):
        """A rate is over the time beside it; its column stands there where any has one. Where ops of a group do what is not known,
        the share of those that are known stands beside it."""
        plane = tpu(0, ("a", 3000, 600, 0), ("b", 1000, 0, 0), peaks=())
        titles = [">of ops", ">self time", ">count", ">FLOP/s"]
        self.assertEqual(self.lines(plane, "--by", "device"), [
            "Time of XLA Ops by device: 4.000 ns in 2 executions",
            *table([*titles, ">counted", "device"], ["100.0 %", "4.000 ns", 2, "150 G", "75.0 %", "/device:TPU:0"], indent=2), COUNTED])
        rows = [["75.0 %", "3.000 ns", 1, "200 G", "a"], ["25.0 %", "1.000 ns", 1, "", "b"]]
        self.assertEqual(self.lines(plane, "--by", "kernel"), [
            "Time of XLA Ops by kernel: 4.000 ns in 2 executions", *table([*titles, "kernel"], *rows, indent=2)])
        self.assertEqual(self.lines(plane, "--by", "kernel", "--limit", 1), [
            "Time of XLA Ops by kernel: 4.000 ns in 2 executions", *table([*titles, "kernel"], rows[0], indent=2),
            "  … 1 more (--limit 0 shows all)"])

    def test_what_is_not_on_record(self):
        """Of the first key; of what no step holds there is another word."""
        plane = tpu(0, ("a", 3000, 0, 0), ("b", 1000, 0, 0), peaks=())
        plane.event_metadata("a", stats=[("hlo_category", "copy")])
        plane.line("Steps", 0, [plane.event("1", 0, 3000)])
        titles = [">of ops", ">self time", ">count"]
        of_a, of_b = ["75.0 %", "3.000 ns", 1], ["25.0 %", "1.000 ns", 1]
        for key, first, none in (("category", "copy", "(not on record)"), ("step", "step 0", "(outside of steps)")):
            found = self.lines(plane, "--by", f"{key},kernel")
            self.assertEqual(" ".join(" ".join(found[:-5]).split()),
                             f"Time of XLA Ops by {key},kernel: 4.000 ns in 2 executions; of 1 (25.0 %) no {key} is on record")
            self.assertEqual(found[-5:], table([*titles, f"{key},kernel"], of_a + [first], of_a + ["  a"], of_b + [none], of_b + ["  b"],
                                               indent=2))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
