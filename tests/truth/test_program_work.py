"""What instructions of programs do, by the rules of XLA's cost analysis; which kernel does it; and the roof of each type of numbers."""
import sys

import hlo
import truth
from proto_writer import Plane, xspace
from test_op_work import BF16, F32, F64, PRED, S4, S32, TUPLE, Module, array
from wire import message, number

F16, S8, U8, F8, F4 = 10, 2, 6, 20, 32
FAST = {"device_vendor": "Nvidia", "compute_cap_major": 9, "compute_cap_minor": 0, "core_count": 1000, "clock_rate": 1_000_000,
        "memory_bandwidth": 10**18}  # a cycle of all of them is a picosecond; of memory there is plenty


def calls(*computations):
    return hlo.numbers(38, computations)


def window(*dimensions):
    """(size, stride, padding low, padding high)."""
    return message(15, *(message(1, *(number(field, n) for field, n in enumerate((*d, 1, 1), 1))) for d in dimensions))


class Work(truth.Case):
    def space(self, m, *runs, devices=1, more=(), stats=()):
        """`runs`: (instruction, kernel, count, length), one after the other."""
        planes = [Plane("/host:metadata", first_event_id=5)]
        planes[0].event_metadata("jit_work(5)", stats=[("Hlo Proto", m.encoded())])
        for at in range(devices):
            plane, now, events = Plane(f"/device:GPU:{at}"), 0, []
            for name, kernel, count, length in runs:
                for _ in range(count):
                    events.append(plane.event(kernel, now, length, [("hlo_op", name), ("program_id", 5), *more]))
                    now += length
            plane.line("Stream #1(Compute)", 0, events)
            for fact in stats:
                plane.own_stat(*fact)
            planes.append(plane)
        return self.write("a.xplane.pb", xspace(planes))

    def groups(self, path, by="instruction"):
        found = truth.loads(truth.run("ops", path, "--by", by, "--json", "--limit", "0"))
        return found, {g["name"]: g for g in found["groups"]}

    def check_work(self, m):
        """Of all instructions of m.known, each run three times."""
        _, found = self.groups(self.space(m, *((name, f"k{at}", 3, 10) for at, name in enumerate(m.known))))
        shown = {name: (g["flops"], g["bytes"]) if g["worked_ps"] else None for name, g in found.items()}
        self.assertEqual(shown, {name: None if work is None else (3 * work[0], 3 * work[1]) for name, work in m.known.items()})

    def test_instructions(self):
        m = Module()
        big, line, start, flags = m.parameter(F32, (8, 6)), m.parameter(F32, (6,)), m.parameter(F32, ()), m.parameter(PRED, (8, 6))
        adder = m.adder(F32)
        two = m.computation(*(lambda inside: (inside, m.new("tanh", array(F32), (m.new("multiply", array(F32), (
            m.parameter(F32, (), inside, 0), m.parameter(F32, (), inside, 1)), into=inside),), into=inside)))([]))
        large = 4 * 48
        pair = hlo.shape(TUPLE, elements=(array(F32, 8, 6), array(F32, 8, 6), array(F32, 6)))
        for opcode, shape, operands, more, work in (
                ("map", array(F32, 8, 6), (big, big), calls(adder), (48, 3 * large)),
                ("map", array(F32, 8, 6), (big, big), calls(two), (48, 3 * large)),
                ("map", array(F32, 8, 6), (big, big), calls(10**6), None),
                ("reduce", array(F32, 6), (big, start), calls(adder), (42, large + 4 + 24)),
                ("reduce", array(F32), (big, start), calls(adder), (47, large + 4 + 4)),
                ("reduce-window", array(F32, 6, 2), (big, start), calls(adder) + window((3, 1, 0, 0), (3, 3, 0, 0)),
                 (12 * 8, large + 4 + 48)),
                ("reduce-window", array(F32, 8, 6), (big, start), calls(adder) + window((1, 1, 0, 0), (1, 1, 0, 0)), (0, 2 * large + 4)),
                ("select-and-scatter", array(F32, 8, 6), (big, line, start), calls(adder, adder) + window((4, 4, 0, 0), (2, 2, 0, 0)),
                 (6 * 7 + 6, 2 * large + 24 + 4)),
                ("all-reduce", array(F32, 8, 6), (big,), calls(adder), (48, 2 * large)),
                ("all-reduce", pair, (big, big, line), calls(adder), (48 + 48 + 6, 2 * (2 * large + 24))),
                ("all-reduce-start", array(F32, 8, 6), (big,), calls(adder), (48, 2 * large)),
                ("all-reduce-done", array(F32, 8, 6), (big,), b"", (0, 0)), ("all-gather", array(F32, 16, 6), (big,), b"", (0, 3 * large)),
                ("copy-start", pair, (big,), b"", (0, 2 * large)), ("copy-done", array(F32, 8, 6), (big,), b"", (0, 0)),
                ("async-start", pair, (big, big), calls(adder), (1, 12)), ("async-done", array(F32, 8, 6), (big,), b"", (0, 0)),
                ("tuple", pair, (big, big, line), b"", (0, 24)), ("get-tuple-element", array(F32, 8, 6), (big,), b"", (0, 0)),
                ("select", array(F32, 8, 6), (flags, big, big), b"", (48, 48 + 3 * large)),
                ("clamp", array(F32, 8, 6), (start, big, start), b"", (48, 2 * large + 8)),
                ("compare", array(PRED, 8, 6), (big, big), b"", (48, 48 + 2 * large)),
                ("convert", array(S4, 8, 6), (big,), b"", (48, 24 + large)), ("rng", array(F32, 6), (start, start), b"", (0, 32)),
                ("power", array(F32, 8, 6), (big, big), b"", (0, 3 * large)), ("sqrt", array(F64, 6), (line,), b"", (0, 72)),
                ("broadcast", array(F32, 8, 6), (line,), b"", (0, large + 24)),
                ("transpose", array(F32, 6, 8), (big,), b"", (0, 2 * large)),
                ("concatenate", array(F32, 16, 6), (big, big), b"", (0, 4 * large)),
                ("pad", array(F32, 10, 6), (big, start), b"", (0, large + 4 + 240)),
                ("partition-id", array(S32), (), b"", (0, 0)), ("after-all", hlo.shape(17), (), b"", (0, 0)),
                ("call", array(F32, 8, 6), (big, big), calls(adder), None), ("conditional", array(F32, 8, 6), (flags,), calls(adder), None),
                ("cholesky", array(F32, 6, 6), (big,), b"", None), ("triangular-solve", array(F32, 6, 6), (big, big), b"", None),
                ("rng-bit-generator", array(F32, 6), (big,), b"", None), ("infeed", pair, (big,), b"", None),
                ("custom-call", array(F32, 8, 6), (big,), message(28, "cublas$gemm"), None),
                ("fusion", array(F32, 8, 6), (big,), message(11, "kLoop"), None),
                ("fusion", array(F32, 8, 6), (big,), message(11, "kLoop") + calls(10**6), None)):
            m.expect(m.new(opcode, shape, operands, more), opcode, work)
        for count, flops in ((1, 0), (2, 2), (8, 24), (9, 36)):
            m.expect(m.new("sort", array(F32, count), (m.parameter(F32, (count,)),)), "sort", (flops, 8 * count))
        self.check_work(m)

    def test_convolutions_of_libraries(self):
        """All three are the same pairs: 8 places of 3 numbers, less the 2 that meet the padding."""
        m = Module()
        image, kernel, result = array(F32, 2, 8, 4), array(F32, 3, 4, 6), array(F32, 2, 8, 6)
        pairs, moved = 2 * 4 * 6 * (8 * 3 - 2), 4 * (2 * 8 * 4 + 3 * 4 * 6 + 2 * 8 * 6)
        how = window((3, 1, 1, 1)) + message(16, number(3, 1) + number(4, 2) + hlo.numbers(6, [0]) + number(8, 2) + number(10, 2)
                                             + hlo.numbers(11, [1]) + hlo.numbers(12, [1]))
        for target, made, taken in (("Forward", result, (image, kernel)), ("BiasActivationForward", result, (image, kernel)),
                                    ("BackwardInput", image, (result, kernel)), ("BackwardFilter", kernel, (image, result)),
                                    ("Sideways", result, (image, kernel))):
            operands = [m.new("parameter", shape) for shape in taken]
            room = hlo.shape(TUPLE, elements=(made, array(U8, 1000)))
            m.expect(m.new("custom-call", room, operands, how + message(28, "__cudnn$conv" + target)), "custom-call",
                     None if target == "Sideways" else (2 * pairs, moved))
        for groups, part in ((number(58, 2), 2), (number(58, 0), 1), (number(50, 2), 2)):
            m.expect(m.new("convolution", result, [m.new("parameter", shape) for shape in (image, kernel)], how + groups), "convolution",
                     (2 * pairs // part, moved))
        self.check_work(m)

    def test_which_kernel(self):
        """The one with the longest total, as often as it ran, on each device for itself."""
        m = Module()
        name = f"add.{m.new('add', array(F32, 10), (m.parameter(F32, (10,)), m.parameter(F32, (10,))))}"
        for runs, wanted in (((("a", 3, 30), ("b", 1, 80)), {"a": 3, "b": 0}), ((("a", 3, 30), ("b", 1, 91)), {"a": 0, "b": 1}),
                             ((("a", 1, 0), ("b", 1, 5)), {"a": 0, "b": 1}), ((("a", 4, 5),), {"a": 4})):
            for devices in (1, 2):
                found, kernels = self.groups(self.space(m, *((name, *run) for run in runs), devices=devices), "kernel")
                self.assertEqual({k: g["flops"] for k, g in kernels.items()}, {k: 10 * n * devices for k, n in wanted.items()})
                self.assertEqual((found["flops"], found["bytes"]), tuple(devices * n * sum(wanted.values()) for n in (10, 120)))
        found, _ = self.groups(self.space(m, (name, "a", 2, 9), (name, "b", 3, 6)), "kernel")
        self.assertIn(found["flops"], (20, 30))  # of two that are as long as each other one

    def test_types(self):
        """The rate is that of the numbers that are multiplied, of 32 bits that of TF32; without a rate there is no roof."""
        rates = {F64: 256, F32: 2048, F16: 4096, BF16: 4096, F8: 8192, S8: 8192, U8: 8192, F4: None, S4: 8192}
        for kind, rate in rates.items():
            m = Module()
            left, right = m.new("parameter", array(kind, 64, 256)), m.new("parameter", array(kind, 256, 64))
            dims = message(30, hlo.numbers(1, [1]) + hlo.numbers(2, [0]))
            name = f"dot.{m.new('dot', array(F32, 64, 64), (left, right), dims)}"
            flops = 2 * 64 * 64 * 256
            found, _ = self.groups(self.space(m, (name, "k", 1, flops // (rate or 1)), stats=FAST.items()))
            self.assertEqual((found["flops"], found["attainable_ps"]), (flops, flops // rate if rate else 0), kind)
            self.assertEqual(found["compute_bound_ps"], found["self_ps"] if rate else 0)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
