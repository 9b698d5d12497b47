"""`bubbles` as text: its tables of devices, steps, gaps and ops, worked out microsecond by microsecond."""
import random
import re
import sys

import truth
from screens import table, time
from trace_events import KernelsCase, run, x

US = 1_000_000
LISTED = 50  # us
STEPS = [">window", ">idle", ">before", ">inside", ">after", ">longest", ">gaps", ">compute", ">exposed", ">copy"]
DEVICES = ["device", ">kernels", ">span", ">busy", ">idle", ">gaps", ">longest", "steps from"]
OPS = ["type of op", ">calls", ">duration", ">mean", ">gaps before"]


def share(part, whole):
    """Never rounded to nothing."""
    tenths = (2000 * part + whole) // (2 * whole)
    return f"{tenths // 10}.{tenths % 10} %" if tenths or not part else "<0.1 %"


def holes(kernels, begin, end):
    """(start, end) of what no kernel covers between two instants."""
    found, reach = [], begin
    for start, stop in sorted((k[1], k[1] + k[2]) for k in kernels):
        if start > reach:
            found.append((reach, start))
        reach = max(reach, stop)
    return found + ([(reach, end)] if end > reach else [])


class Step:
    """`kernels`: (name, start, length, kind); kind: kernel, copy or comm."""

    def __init__(self, number, device, begin, end, kernels):
        self.number, self.device, self.begin, self.end, self.kernels = number, device, begin, end, kernels
        first, last = min(k[1] for k in kernels), max(k[1] + k[2] for k in kernels)
        self.inside = holes(kernels, first, last)
        self.before, self.after = first - begin, end - last
        self.gaps = [("before", begin, first)] * (first > begin) + [("inside", *g) for g in self.inside]
        self.gaps += [("after", last, end)] * (end > last)
        self.lengths = [g[2] - g[1] for g in self.gaps]
        kinds = [{k[3] for k in kernels if k[1] <= at < k[1] + k[2]} for at in range(begin, end)]
        self.compute = sum("kernel" in of for of in kinds)
        self.exposed = sum("comm" in of and "kernel" not in of for of in kinds)
        self.copied = sum(of == {"copy"} for of in kinds)

    def cells(self):
        whole = self.end - self.begin
        idle = sum(self.lengths)
        return [time(whole * US), share(idle, whole), share(self.before, whole), share(sum(b - a for a, b in self.inside), whole),
                share(self.after, whole), time(max(self.before, self.after, *(b - a for a, b in self.inside), 0) * US), len(self.inside),
                share(self.compute, whole), *(share(part, whole) if part else "" for part in (self.exposed, self.copied))]


class BubblesScreen(KernelsCase):
    def show(self, marks, kernels, *options):
        """`marks`: where steps begin. `kernels`: of each device. Gives the steps, and the parts of the screen by their titles."""
        steps, events = [], [x("user_annotation", f"ProfilerStep#{at}", 50, 1, mark, 10) for at, mark in enumerate(marks)]
        for device, of in enumerate(kernels):
            edges = [*marks[1:], max(k[1] + k[2] for k in of)]
            for at, (begin, end) in enumerate(zip(marks, edges)):
                steps.append(Step(at, device, begin, end, [k for k in of if begin <= k[1] < end]))
            for name, start, length, kind in of:
                events.append(run(name, start, length, device, {"kernel": 7, "comm": 8, "copy": 9}[kind],
                                  "gpu_memcpy" if kind == "copy" else "kernel"))
        text = truth.run("bubbles", self.save(events), "--window-policy", "guide", *options)
        return steps, {re.split("[:,]", block.splitlines()[0])[0]: block.splitlines() for block in text.split("\n\n")[1:]}

    def random(self, rng, devices):
        """A thread of each kind; whatever begins in a step ends in it."""
        marks = [0]
        for _ in range(rng.randrange(3)):
            marks.append(marks[-1] + rng.randrange(300, 900))
        ends = [*marks[1:], marks[-1] + 500]
        kernels = [[] for _ in range(devices)]
        for of in kernels:
            for begin, end in zip(marks, ends):
                for kind in ("kernel", "kernel", "comm", "copy")[:rng.choice((1, 2, 4))]:
                    at = begin + rng.randrange(150)
                    while at < end - 20:
                        length = rng.randrange(1, min(150, end - at))
                        name = {"kernel": rng.choice("abc"), "comm": "ncclDevKernel_AllReduce_Sum", "copy": "Memcpy HtoD"}[kind]
                        if kind != "kernel" or not any(k[3] == kind and k[1] < at + length and at < k[1] + k[2] for k in of):
                            of.append((name, at, length, kind))
                        at += length + rng.choice((0, 1, 30, 49, 50, 51, 200))
        return marks, kernels

    def test_steps_and_devices(self):
        rng = random.Random(4)
        for trial in range(25):
            devices = rng.choice((1, 2))
            marks, kernels = self.random(rng, devices)
            steps, parts = self.show(marks, kernels, "--limit", 0)
            several = ["device"] if devices > 1 else []
            rows = [[f"GPU {s.device}"] * (devices > 1) + [str(s.number), *s.cells()] for s in steps]
            self.assertEqual(parts["Steps"][:len(rows) + 2],
                             [f"Steps: {len(steps)}, windows by guide", *table([*several, "step", *STEPS], *rows, indent=2)], trial)
            if devices == 1:
                self.assertNotIn("Devices", parts)
                continue
            rows = []
            for device, of in enumerate(kernels):
                first, last = min(k[1] for k in of), max(k[1] + k[2] for k in of)
                lengths = [b - a for a, b in holes(of, first, last)]
                rows.append([f"GPU {device}", len(of), time((last - first) * US), time((last - first - sum(lengths)) * US),
                             share(sum(lengths), last - first), len(lengths), time(max(lengths, default=0) * US), "host markers"])
            self.assertEqual(parts["Devices"], ["Devices, over the whole capture", *table(DEVICES, *rows, indent=2)], trial)

    def test_gaps(self):
        """Those that are long enough, the longest first."""
        rng = random.Random(9)
        for trial in range(25):
            devices = rng.choice((1, 2))
            steps, parts = self.show(*self.random(rng, devices), "--limit", 0)
            gaps = [(b - a, kind, str(s.number), f"GPU {s.device}", a) for s in steps for kind, a, b in s.gaps if b - a >= LISTED]
            if not gaps:
                self.assertNotIn("Longest gaps", parts)
                continue
            title, _, *lines = parts["Longest gaps"]
            self.assertEqual(title, f"Longest gaps: {len(gaps)} gap{'s' * (len(gaps) > 1)} of 50.000 us and more")
            found = [re.split("  +", line.strip())[:5 if devices > 1 else 4] for line in lines[:len(gaps)]]
            expected = [[time(length * US), kind, step, *([device] if devices > 1 else []), time(at * US)]
                        for length, kind, step, device, at in sorted(gaps, key=lambda g: -g[0])]
            self.assertEqual([row[0] for row in found], [row[0] for row in expected], trial)
            self.assertEqual(sorted(found), sorted(expected), trial)

    def test_steps_that_are_cut(self):
        """Those that wait longest stay, in the order of time; of as long ones the first."""
        waits = [30, 200, 10, 200, 90, 100]
        marks = [1000 * at for at in range(6)]
        kernels = [("a", mark, 1000 - wait, "kernel") for mark, wait in zip(marks, waits)]
        kernels[-1] = ("a", 5100, 900, "kernel")
        steps, whole = self.show(marks, [kernels])
        self.assertEqual(whole["Steps"][0], "Steps: 6, windows by guide")
        for limit, kept in ((1, [1]), (2, [1, 3]), (3, [1, 3, 5]), (4, [1, 3, 4, 5]), (5, [0, 1, 3, 4, 5])):
            _, parts = self.show(marks, [kernels], "--limit", limit)
            rows = [[str(at), *steps[at].cells()] for at in kept]
            self.assertEqual(parts["Steps"][:limit + 3], [
                "Steps: 6, windows by guide; those that wait longest", *table(["step", *STEPS], *rows, indent=2),
                f"  … {6 - limit} more (--limit 0 shows all)"])

    def test_ops(self):
        """By what they take and the idle time that ends with them."""
        kernels = [("a", 0, 100, "kernel"), ("b", 300, 50, "kernel"), ("a", 350, 110, "kernel"), ("c", 470, 60, "kernel"),
                   ("b", 530, 10, "kernel")]
        _, parts = self.show([0], [kernels], "--limit", 0)
        rows = [["b", 2, 60, 30, 200], ["a", 2, 210, 105, 0], ["c", 1, 60, 60, 10]]
        cells = [[name, calls, time(total * US), time(mean * US), time(gap * US) if gap else ""] for name, calls, total, mean, gap in rows]
        self.assertEqual(parts["Ops"], ["Ops, by their time and the idle time right before them", *table(OPS, *cells, indent=2)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
