#!/usr/bin/env python3
"""`profkit collectives`: what asynchronous copies move, between which memories, and how fast; random captures."""
import random
import sys

import pair
import truth

BITS = {"f32": 32, "bf16": 16, "s8": 8, "pred": 8, "f64": 64, "c128": 128, "f8e5m2": 8, "u16": 16}
SPACES = {0: "HBM", 1: "VMEM", 4: "SMEM", 5: "Host", 6: "SparseCore"}


class Array:
    """A random array with the text that XLA has for it."""

    def __init__(self, rng, space, elements=None):
        extents = [rng.choice([1, 2, 3, 5, 128, 1000]) for _ in range(rng.randrange(4))]
        self.space = space
        kind, bits = rng.choice(sorted(BITS.items()))
        in_layout = ""
        if rng.random() < 0.2:
            kind = rng.choice(["s4", "u4"])
            packed = rng.random() < 0.5
            bits, in_layout = (4, "E(4)") if packed else (8, "")
        self.elements = 1
        for extent in extents:
            self.elements *= extent
        self.bytes = -(-self.elements * bits // 8)
        tiles = rng.choice(["", "T(8,128)", "T(8,128)(2,1)"])
        memory = f"S({space})" if space else ""
        properties = tiles + in_layout + memory
        order = ",".join(str(n) for n in reversed(range(len(extents))))
        texts = [("<=" if rng.random() < 0.1 else "") + str(n) for n in extents]
        self.text = f"{kind}[{','.join(texts)}]" + ("{" + order + (":" + properties if properties else "") + "}")


def start(rng, number):
    """The text of a start, and its bytes and memories: None where it is no copy."""
    source, target = rng.choice(sorted(SPACES)), rng.choice(sorted(SPACES))
    form = rng.choice(["copy", "copy", "copy", "slice", "dynamic-slice", "dynamic-update-slice", "all-gather", "odd type", "cut"])
    whole, part = Array(rng, source), Array(rng, target)
    comment = rng.choice(["", "/*index=1*/"])
    name = f"%copy-start.{number}"
    known = (part.bytes, SPACES[source], SPACES[target])
    if form == "copy":
        return f"{name} = ({part.text}, {comment}{whole.text}, u32[]{{:S(2)}}) copy-start({whole.text} %p)", known
    if form in ("slice", "dynamic-slice"):
        return f"%{form}-start.{number} = (({whole.text}, s32[]), {comment}{part.text}, u32[]) {form}-start({whole.text} %p)", known
    if form == "dynamic-update-slice":
        whole, part = Array(rng, target), Array(rng, source)
        return (f"%{form}-start.{number} = (({whole.text}, {comment}{part.text}, s32[]), {whole.text}, u32[]) {form}-start(x)",
                (part.bytes, SPACES[source], SPACES[target]))
    if form == "all-gather":
        return f"%all-gather-start.{number} = ({part.text}, {whole.text}) all-gather-start({part.text} %p)", None
    if form == "odd type":
        return f"{name} = (q7[8]{{0}}, q7[8]{{0}}, u32[]) copy-start(q7[8]{{0}} %p)", None
    return f"{name} = ({part.text}, {whole.text[:-1]}", None


def covered(spans):
    total, reach = 0, None
    for begin, end in sorted(spans):
        if reach is None or begin > reach:
            total, reach = total + end - begin, end
        elif end > reach:
            total, reach = total + end - reach, end
    return total


class TransfersTest(truth.Case):
    def test_random(self):
        for seed in range(60):
            with self.subTest(seed=seed):
                self.one(random.Random(seed))

    def one(self, rng):
        by_device = rng.random() < 0.5
        ops, events, ran, rows, totals = {}, [], [], [], {}
        for number in range(1, rng.randrange(2, 14)):
            text, known = start(rng, number)
            key, done = 2 * number, 2 * number + 1
            name_of_done = text.split(" ")[0].lstrip("%").replace("start", "done")
            ops[key], ops[done] = pair.Op(text), pair.Op(f"%{name_of_done} = f32[] x()")
            for _ in range(rng.randrange(1, 4)):
                # No two begin at one time, no two end at one time.
                begin, length = 10_000 * rng.randrange(100) + number * 20 + len(rows), 30_000 + 1_000 * rng.randrange(40)
                flow = len(rows) + 1
                events.append(pair.Ev(key, begin, length, ("flow", "uint", flow), ("hlo_op", "text", name_of_done)))
                span, wait = (begin, begin + length), 700
                if by_device:
                    # By the device's clock it begins later and takes longer.
                    span = (begin + 5_000, begin + length + 9_000)
                    ran.append(pair.Ev(key, begin, 10, ("device_offset_ps", "uint", span[0]), ("device_duration_ps", "uint", 5)))
                    ran.append(pair.Ev(done, begin + length - wait, wait, ("device_offset_ps", "uint", span[1] - wait),
                                       ("device_duration_ps", "uint", wait)))
                rows.append((str(flow), *(known or (None, None, None))))
                if known is None:
                    continue
                total = totals.setdefault(known[1:], [0, 0, [], 0])
                total[0] += 1
                total[1] += known[0]
                total[2].append(span)
                total[3] += wait
        path = self.write("a.xplane.pb", pair.Host("alpha", [pair.Plane(1, "/device:TPU:0", "device", [
            pair.Line(3, "XLA Ops", 0, sorted(ran, key=lambda e: e.start_ps), "ops"),
            pair.Line(4, "Async XLA Ops", 0, sorted(events, key=lambda e: e.start_ps), "async")], ops)]).bytes())
        found = truth.parsed(truth.run("collectives", path, "--json"))
        self.assertEqual(sorted((f["flow"], f["bytes"], f["from_space"], f["to_space"]) for f in found["async"]), sorted(rows))
        self.assertEqual(
            [[t["from_space"], t["to_space"], t["count"], t["bytes"], t["in_flight_ps"], t["exposed_stall_ps"]]
             for t in found["transfers"]],
            [[*spaces, count, moved, covered(spans), stall if by_device else None]
             for spaces, (count, moved, spans, stall) in sorted(totals.items())])
        # The report has a kind for each way between two memories.
        kinds = {c["kind"] for c in truth.parsed(truth.run("report", path, "--json"))["summary"]["collectives"] if not c["blocking"]}
        self.assertEqual({k.partition(" ")[2] for k in kinds if " " in k}, {f"{a} to {b}" for a, b in totals if a != b})

    def test_screen(self):
        host, hbm = "f32[5,1024,1024,256]{3,2,1,0:T(8,128)S(5)}", "f32[5,1024,1024,256]{3,2,1,0:T(8,128)}"
        ops = {1: pair.Op(f"%copy-start.1 = ({hbm}, {host}, u32[]{{:S(2)}}) copy-start({host} %p)")}
        line = pair.Line(4, "Async XLA Ops", 0, [
            pair.Ev(1, 0, 200_000_000_000, ("flow", "uint", 1)), pair.Ev(1, 100_000_000_000, 300_000_000_000, ("flow", "uint", 2))],
            "async")
        path = self.write("b.xplane.pb", pair.Host("alpha", [pair.Plane(1, "/device:TPU:0", "device", [line], ops)]).bytes())
        lines = truth.run("collectives", path).splitlines()
        at = next(i for i, text in enumerate(lines) if text.startswith("Copies between memories"))
        self.assertEqual([text.split() for text in lines[at + 1:at + 3]], [
            "plane memory copies bytes in flight B/s".split(),
            "TPU:0 Host to HBM 2 10.0 GiB 400.000 ms 26.8 G".split()])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
