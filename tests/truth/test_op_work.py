#!/usr/bin/env python3
"""What ops do (`flops` and `bytes` of `ops --by`): of programs made here, whose products are counted one by one in loops over
all elements, and as XProf counts them in captures of AMD GPUs."""
import itertools
import json
import os
import pathlib
import random
import sys

import hlo
import truth
from wire import double, message, number

PRED, S32, BF16, F32, F64, TOKEN, S4 = 1, 4, 16, 11, 12, 17, 21
TUPLE = 13
BYTES = {PRED: 1, S32: 4, BF16: 2, F32: 4, F64: 8, S4: 0.5}


def elements(dimensions):
    count = 1
    for d in dimensions:
        count *= d
    return count


def size(kind, dimensions):
    return -int(-elements(dimensions) * BYTES[kind] // 1)


def array(kind, *dimensions):
    return hlo.shape(kind, dimensions, hlo.layout(range(len(dimensions))))


class Module:
    """Instructions of the entry with what one run of each does: {name: (flops, bytes)}, or None where that is not known."""

    def __init__(self):
        self.entry, self.computations, self.known, self.key = [], [], {}, 100

    def new(self, opcode, shape, operands=(), more=b"", into=None):
        self.key += 1
        body = hlo.instruction(self.key, f"{opcode}.{self.key}", opcode, shape, operands=operands)
        (self.entry if into is None else into).append(with_more(body, more) if more else body)
        return self.key

    def parameter(self, kind, dimensions, into=None, at=0):
        return self.new("parameter", array(kind, *dimensions), more=number(9, at), into=into)

    def expect(self, key, opcode, work):
        self.known[f"{opcode}.{key}"] = work

    def computation(self, instructions, root):
        self.key += 1
        self.computations.append(message(3, message(1, f"part.{self.key}"), *instructions, number(5, self.key), number(6, root)))
        return self.key

    def adder(self, kind):
        inside = []
        a, b = self.parameter(kind, (), inside, 0), self.parameter(kind, (), inside, 1)
        return self.computation(inside, self.new("add", array(kind), (a, b), into=inside))

    def encoded(self):
        main = message(3, message(1, "main"), *self.entry, number(5, 1), number(6, self.key))
        return hlo.module("jit_work", 5, *self.computations, main)


def with_more(instruction, more):
    """An instruction is field 2 of its computation: puts fields at its end."""
    at, shift, length = 1, 0, 0
    while True:
        byte = instruction[at]
        length |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            break
    return message(2, instruction[at:] + more)


def add_dot(m, rng):
    kind = rng.choice([BF16, F32, F64])
    batch, rows, columns, depth = ([rng.randint(1, 7) for _ in range(4)])
    left, right = m.parameter(kind, (batch, rows, depth)), m.parameter(kind, (batch, depth, columns))
    count = sum(1 for _ in itertools.product(range(batch), range(rows), range(columns), range(depth)))
    dims = message(30, hlo.numbers(1, [2]) + hlo.numbers(2, [1]) + hlo.numbers(3, [0]) + hlo.numbers(4, [0]))
    key = m.new("dot", array(kind, batch, rows, columns), (left, right), dims)
    moved = size(kind, (batch, rows, depth)) + size(kind, (batch, depth, columns)) + size(kind, (batch, rows, columns))
    m.expect(key, "dot", (2 * count, moved))


def add_library_product(m, rng):
    rows, columns, depth = [rng.randint(1, 9) for _ in range(3)]
    left, right = m.parameter(BF16, (depth, rows)), m.parameter(BF16, (depth, columns))
    room = hlo.shape(TUPLE, elements=(array(BF16, rows, columns), array(PRED, 4096)))
    config = json.dumps({"gemm_backend_config": {"beta": 0, "dot_dimension_numbers": {
        "lhs_contracting_dimensions": ["0"], "rhs_contracting_dimensions": ["0"]}}}, separators=(",", ":"))
    key = m.new("custom-call", room, (left, right), message(28, "__cublas$gemm") + message(43, config))
    moved = 2 * (rows * depth + depth * columns + rows * columns)
    m.expect(key, "custom-call", (2 * rows * columns * depth, moved))
    m.expect(m.new("custom-call", room, (left, right), message(28, "my_kernel")), "custom-call", None)


def add_convolution(m, rng):
    batch, features, filters = rng.randint(1, 3), 2 * rng.randint(1, 3), 2 * rng.randint(1, 3)
    groups = rng.choice([1, 2])
    sides, kernel, strides, pads, dilations, holes = [], [], [], [], [], []
    for _ in range(rng.randint(1, 2)):
        sides.append(rng.randint(3, 8))
        kernel.append(rng.randint(1, 3))
        strides.append(rng.randint(1, 2))
        pads.append((rng.randint(0, 2), rng.randint(0, 2)))
        dilations.append(rng.randint(1, 2))
        holes.append(rng.choice([1, 1, 2, 3]))
    out = []
    for i, side in enumerate(sides):
        room = (side - 1) * holes[i] + 1 + sum(pads[i]) - ((kernel[i] - 1) * dilations[i] + 1)
        out.append(room // strides[i] + 1)
        if room < 0:
            return add_convolution(m, rng)
    count = 0
    spatial = [range(o) for o in out] + [range(k) for k in kernel]
    for place in itertools.product(*spatial):
        met = True
        for i in range(len(sides)):
            at = place[i] * strides[i] + place[len(sides) + i] * dilations[i] - pads[i][0]
            met = met and 0 <= at <= (sides[i] - 1) * holes[i] and at % holes[i] == 0
        count += met
    count *= batch * filters * (features // groups)
    left_shape, right_shape = [batch, *sides, features], [*kernel, features // groups, filters]
    result_shape = [batch, *out, filters]
    left, right = m.parameter(F32, left_shape), m.parameter(F32, right_shape)
    window = message(15, *(message(1, number(1, kernel[i]) + number(2, strides[i]) + number(3, pads[i][0]) + number(4, pads[i][1])
                                   + number(5, dilations[i]) + number(6, holes[i])) for i in range(len(sides))))
    rank = len(sides)
    numbers = message(16, number(3, rank) + number(4, rank + 1) + hlo.numbers(6, range(rank)) + number(8, rank + 1)
                      + number(10, rank + 1) + hlo.numbers(11, range(1, rank + 1)) + hlo.numbers(12, range(1, rank + 1)))
    key = m.new("convolution", array(F32, *result_shape), (left, right), window + numbers + number(50, groups))
    m.expect(key, "convolution", (2 * count, 4 * (elements(left_shape) + elements(right_shape) + elements(result_shape))))


def add_simple(m, rng):
    shape = tuple(rng.randint(1, 9) for _ in range(rng.randint(0, 3)))
    n = elements(shape)
    a, b = m.parameter(F32, shape), m.parameter(F32, shape)
    m.expect(m.new("add", array(F32, *shape), (a, b)), "add", (n, 12 * n))
    m.expect(m.new("multiply", array(F32, *shape), (a, 10**9)), "multiply", None)  # there is no such operand
    m.expect(m.new("tanh", array(F32, *shape), (a,)), "tanh", (0, 8 * n))
    m.expect(m.new("copy", array(F32, *shape), (a,)), "copy", (0, 8 * n))
    m.expect(m.new("convert", array(BF16, *shape), (a,)), "convert", (n, 6 * n))
    m.expect(m.new("iota", array(S4, *shape)), "iota", (0, (n + 1) // 2))
    m.expect(m.new("bitcast", array(F32, *shape), (a,)), "bitcast", (0, 0))
    rows, columns = rng.randint(2, 9), rng.randint(2, 9)
    matrix, start = m.parameter(F32, (rows, columns)), m.parameter(S32, ())
    m.expect(m.new("reduce", array(F32, rows), (matrix, start), hlo.numbers(38, [m.adder(F32)])), "reduce",
             (rows * columns - rows, 4 * (rows * columns + 1 + rows)))
    m.expect(m.new("slice", array(F32, 1, columns), (matrix,)), "slice", (0, 8 * columns))
    m.expect(m.new("dynamic-slice", array(F32, 1, columns), (matrix, start, start)), "dynamic-slice", (0, 8 * columns + 4))
    line = m.parameter(F32, (1, columns))
    m.expect(m.new("dynamic-update-slice", array(F32, rows, columns), (matrix, line, start, start)), "dynamic-update-slice",
             (0, 8 * columns + 4))
    indices = m.parameter(S32, (3, 1))
    m.expect(m.new("gather", array(F32, 3, columns), (matrix, indices)), "gather", (0, 2 * 12 * columns + 12))
    updates = m.parameter(F32, (3, columns))
    m.expect(m.new("scatter", array(F32, rows, columns), (matrix, indices, updates), hlo.numbers(38, [m.adder(F32)])), "scatter",
             (3 * columns, 3 * 12 * columns + 12))
    m.expect(m.new("sort", array(F32, 8), (m.parameter(F32, (8,)),)), "sort", (24, 64))
    m.expect(m.new("fft", array(F32, *shape), (a,)), "fft", None)
    # The instructions inside a loop are ops themselves.
    m.expect(m.new("while", array(F32, *shape), (a,), hlo.numbers(38, [m.adder(F32), m.adder(F32)])), "while", None)


def add_fusion(m, rng):
    """Reads of a parameter once for all that share it, slices of it, and an update in place."""
    rows, columns = rng.randint(2, 9), rng.randint(2, 9)
    inside = []
    big, small = m.parameter(F32, (rows, columns), inside, 0), m.parameter(F32, (1, columns), inside, 1)
    start = m.parameter(S32, (), inside, 2)
    cut = m.new("dynamic-slice", array(F32, 1, columns), (big, start, start), into=inside)
    total = m.new("add", array(F32, 1, columns), (cut, small), into=inside)
    root = m.new("dynamic-update-slice", array(F32, rows, columns), (big, total, start, start), into=inside)
    called = m.computation(inside, root)
    operands = (m.parameter(F32, (rows, columns)), m.parameter(F32, (1, columns)), m.parameter(S32, ()))
    key = m.new("fusion", array(F32, rows, columns), operands, message(11, "kLoop") + hlo.numbers(38, [called]))
    # Reads a line of the big one, the small one and the start; writes a line.
    m.expect(key, "fusion", (columns, 4 * columns + 4 * columns + 4 + 4 * columns))
    inside = []
    a, b = m.parameter(BF16, (rows, columns), inside, 0), m.parameter(BF16, (columns, rows), inside, 1)
    dims = message(30, hlo.numbers(1, [1]) + hlo.numbers(2, [0]))
    product = m.new("dot", array(F32, rows, rows), (a, b), dims, into=inside)
    grown = m.new("exponential", array(F32, rows, rows), (product,), into=inside)
    table = m.new("constant", array(F32, rows, rows), into=inside)
    scaled = m.new("multiply", array(F32, rows, rows), (grown, table), into=inside)
    root = m.new("tuple", hlo.shape(TUPLE, elements=(array(F32, rows, rows), array(F32, rows, rows))), (scaled, product), into=inside)
    called = m.computation(inside, root)
    operands = (m.parameter(BF16, (rows, columns)), m.parameter(BF16, (columns, rows)))
    key = m.new("fusion", hlo.shape(TUPLE, elements=(array(F32, rows, rows), array(F32, rows, rows))), operands,
                message(11, "kOutput") + hlo.numbers(38, [called]))
    m.expect(key, "fusion", (2 * rows * rows * columns + rows * rows, 4 * rows * columns + 3 * 4 * rows * rows))
    # A tuple is read where its arrays are taken out of it.
    inside = []
    pair = hlo.shape(TUPLE, elements=(array(F32, rows, columns), array(F32, columns)))
    both = m.new("parameter", pair, more=number(9, 0), into=inside)
    big = m.new("get-tuple-element", array(F32, rows, columns), (both,), into=inside)
    line = m.new("get-tuple-element", array(F32, columns), (both,), number(13, 1), into=inside)
    wide = m.new("broadcast", array(F32, rows, columns), (line,), into=inside)
    called = m.computation(inside, m.new("multiply", array(F32, rows, columns), (big, wide), into=inside))
    held = m.new("parameter", pair, more=number(9, 7))
    key = m.new("fusion", array(F32, rows, columns), (held,), message(11, "kLoop") + hlo.numbers(38, [called]))
    m.expect(key, "fusion", (rows * columns, 4 * (2 * rows * columns + columns)))
    inside = []
    inner = m.parameter(F32, (rows,), inside, 0)
    broken = m.computation(inside, m.new("fft", array(F32, rows), (inner,), into=inside))
    key = m.new("fusion", array(F32, rows), (m.parameter(F32, (rows,)),), message(11, "kLoop") + hlo.numbers(38, [broken]))
    m.expect(key, "fusion", None)


TYPES = {"float": 4, "c10::BFloat16": 2, "c10::Half": 2, "double": 8, "c10::Float8_e4m3fn": 1}


def product_call(rng):
    name = rng.choice(["mm", "addmm", "bmm", "baddbmm", "_scaled_mm"])
    kind = "c10::Float8_e4m3fn" if name == "_scaled_mm" else rng.choice(list(TYPES)[:4])
    m, n, k, b = [rng.randint(1, 6) for _ in range(4)]
    batch = [b] if name in ("bmm", "baddbmm") else []
    count = sum(1 for _ in itertools.product(*[range(x) for x in (*batch, m, n, k)]))
    shapes, types = [[*batch, m, k], [*batch, k, n]], [kind, kind]
    if name in ("addmm", "baddbmm"):
        shapes, types = [[n], *shapes, [], []], [kind, *types, "Scalar", "Scalar"]
    moved = (elements(shapes[-4] if len(shapes) > 2 else shapes[0]) + elements(shapes[-3] if len(shapes) > 2 else shapes[1])) * TYPES[kind]
    moved += elements([*batch, m, n]) * max(TYPES[kind], 2) + (n * TYPES[kind] if name == "addmm" else 0)  # beta of the other may be 0
    return "aten::" + name, shapes, types, [""] * len(types), (2 * count, moved)


def linear_call(rng):
    a, b, k, n = [rng.randint(1, 6) for _ in range(4)]
    shapes = [[a, b, k], [n, k], [n]]
    return "aten::linear", shapes, ["c10::Half"] * 3, [""] * 3, (2 * a * b * k * n, 2 * (a * b * k + n * k + n + a * b * n))


def attention_call(rng):
    batch, heads, queries, keys, size, out = [rng.randint(1, 5) for _ in range(6)]
    backward, by_length = rng.random() < 0.5, rng.random() < 0.5
    order = (lambda length, last: [batch, length, heads, last]) if by_length else (lambda length, last: [batch, heads, length, last])
    pairs = sum(1 for _ in itertools.product(range(batch), range(heads), range(queries), range(keys)))
    q, k, v, o = order(queries, size), order(keys, size), order(keys, out), order(queries, out)
    read = sum(elements(x) for x in (q, k, v))
    if backward:  # scores again, their gradient, and the gradients of values, queries and keys
        work = (2 * pairs * (3 * size + 2 * out), 2 * (2 * read + 2 * elements(o)))
    else:
        work = (2 * pairs * (size + out), 2 * (read + elements(o)))
    name = "_flash_attention_" if by_length else "_scaled_dot_product_flash_attention"
    name += ("backward" if backward else "forward") if by_length else ("_backward" if backward else "")
    shapes = [o, q, k, v] if backward else [q, k, v]
    return "aten::" + name, shapes, ["c10::BFloat16"] * len(shapes), [""] * len(shapes), work


def convolution_call(rng):
    dimensions = rng.randint(1, 2)
    batch, groups = rng.randint(1, 3), rng.randint(1, 2)
    features, filters = groups * rng.randint(1, 3), groups * rng.randint(1, 3)
    sides, kernel, pads, steps, spreads = [], [], [], [], []
    for _ in range(dimensions):
        kernel.append(rng.randint(1, 3))
        spreads.append(rng.randint(1, 2))
        sides.append(rng.randint(spreads[-1] * (kernel[-1] - 1) + 1, 9))
        pads.append(rng.randint(0, 2))
        steps.append(rng.randint(1, 3))
    out = [len([at for at in range(-p, side + p) if (at + p) % step == 0 and at + d * (k - 1) < side + p])
           for side, k, p, step, d in zip(sides, kernel, pads, steps, spreads)]
    image, weight, result = [batch, features, *sides], [filters, features // groups, *kernel], [batch, filters, *out]
    count = sum(1 for _ in itertools.product(*[range(x) for x in (*result, features // groups, *kernel)]))
    once = 4 * (elements(image) + elements(weight) + elements(result))
    way = rng.randrange(5)
    if way == 0:
        return ("aten::cudnn_convolution", [image, weight, [], [], [], [], [], [], []], ["float", "float", *["ScalarList"] * 3, *["Scalar"] * 4],
                ["", "", str(pads), str(steps), str(spreads), str(groups), "False", "False", "True"], (2 * count, once))
    if way == 1:
        return ("aten::miopen_convolution", [image, weight, [filters], [], [], [], [], [], []],
                ["float", "float", "float", *["ScalarList"] * 3, *["Scalar"] * 3],
                ["", "", "", str(pads), str(steps), str(spreads), str(groups), "False", "False"], (2 * count, once))
    transposed = way == 3
    if way in (2, 3):
        return ("aten::_convolution", [image, weight, [filters], [], [], [], [], [], []],
                ["float", "float", "float", *["ScalarList"] * 3, "Scalar", "ScalarList", "Scalar"],
                ["", "", "", str(steps), str(pads), str(spreads), str(transposed), str([0] * dimensions), str(groups)],
                None if transposed else (2 * count, once))
    mask = [rng.random() < 0.7, rng.random() < 0.7, True]
    moved = 4 * (elements(result) + elements(image) * (1 + mask[0]) + elements(weight) * (1 + mask[1]))
    return ("aten::convolution_backward", [result, image, weight, [], [], [], [], [], [], [], []],
            ["float", "float", "float", *["ScalarList"] * 4, "Scalar", "ScalarList", "Scalar", ""],
            ["", "", "", str([filters]), str(steps), str(pads), str(spreads), "False", str([0] * dimensions), str(groups), str(mask)],
            (2 * count * (mask[0] + mask[1]), moved))


def elementwise_call(rng):
    rows, columns = rng.randint(1, 9), rng.randint(1, 9)
    n, kind = rows * columns, rng.choice(["float", "c10::Half"])
    each = TYPES[kind]
    return rng.choice([
        ("aten::mul", [[rows, columns], [columns]], [kind, kind], ["", ""], (n, each * (2 * n + columns))),
        ("aten::add", [[rows, 1], [1, columns], []], [kind, kind, "Scalar"], ["", "", "1"], (n, each * (rows + columns + n))),
        ("aten::mul", [[rows, columns], []], [kind, "double"], ["", "2."], (n, each * 2 * n + 8)),  # an array of one number
        ("aten::add_", [[rows, columns], [columns]], [kind, kind], ["", ""], (n, each * (2 * n + columns))),
        ("aten::eq", [[rows, columns], [columns]], ["long int", "long int"], ["", ""], (n, 8 * (n + columns) + n)),
        ("aten::copy_", [[rows, columns], [columns]], ["float", "c10::Half"], ["", ""], (0, 4 * n + 2 * columns)),
        ("aten::sum", [[rows, columns], []], [kind, "ScalarList"], ["", "[1]"], (n, each * n)),
        ("aten::_softmax", [[rows, columns], [], []], [kind, "Scalar", "Scalar"], ["", "1", "False"], (0, 2 * each * n)),
        ("aten::cat", [[[rows, columns], [rows, columns]], []], ["TensorList", "Scalar"], ["", "0"], None),
        ("mylib::mm", [[rows, columns], [columns, rows]], [kind, kind], ["", ""], None),
        ("aten::mm", [[rows, columns], [columns + 1, rows]], [kind, kind], ["", ""], None),  # does not fit
        ("aten::mm", [[rows, columns], [columns, rows]], [kind, "what"], ["", ""], None),
    ])


OPERATORS = [product_call, linear_call, attention_call, convolution_call, elementwise_call, elementwise_call]


class OpWorkTest(truth.Case):
    def groups(self, path, by, *more):
        found = truth.loads(truth.run("ops", path, "--by", by, "--json", "--limit", "0", *more))
        return found, found["groups"]

    def test_random_programs(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                rng = random.Random(seed)
                m = Module()
                for add in (add_dot, add_library_product, add_convolution, add_simple, add_fusion) * 3:
                    add(m, rng)
                runs = [(name, rng.randint(1, 5)) for name in m.known]
                names = ["hlo_op", "program_id", "hlo_module", "Hlo Proto"]
                stat_names = b"".join(message(5, number(1, i) + message(2, number(1, i) + message(2, n))) for i, n in enumerate(names, 1))
                program = message(4, number(1, 5) + message(2, number(1, 5) + message(2, "jit_work(5)")
                                                           + message(5, number(1, 4) + message(6, m.encoded()))))
                events, offset = b"", 0
                for name, count in runs:
                    for _ in range(count):
                        # A second, shorter kernel of the same instruction does nothing of its own.
                        for kernel, took in ((1, 100), (2, 40)):
                            stats = message(4, number(1, 1) + message(5, name)) + message(4, number(1, 2) + number(4, 5))
                            stats += message(4, number(1, 3) + message(5, "jit_work"))
                            events += message(4, number(1, kernel) + number(2, offset) + number(3, took) + stats)
                            offset += took
                kernels = b"".join(message(4, number(1, i) + message(2, number(1, i) + message(2, k))) for i, k in ((1, "main"), (2, "tail")))
                device = message(1, number(1, 1) + message(2, "/device:GPU:0") + stat_names + kernels
                                 + message(3, number(1, 1) + message(2, "Stream #1(Compute)") + events))
                host = message(1, number(1, 2) + message(2, "/host:metadata") + stat_names + program)
                path = self.scratch / "work.xplane.pb"
                path.write_bytes(device + host)
                found, groups = self.groups(path, "instruction")
                expected = {}
                for name, count in runs:
                    flops, moved = m.known[name] or (0, 0)
                    expected[name] = (flops * count, moved * count, 100 * count if m.known[name] else 0)
                self.assertEqual({g["name"]: (g["flops"], g["bytes"], g["worked_ps"]) for g in groups}, expected)
                for key, at in (("flops", 0), ("bytes", 1), ("worked_ps", 2)):
                    self.assertEqual(found[key], sum(e[at] for e in expected.values()))
                found, groups = self.groups(path, "device,kernel")
                self.assertEqual([(g["name"], g["flops"], g["bytes"]) for g in groups],
                                 [("/device:GPU:0", found["flops"], found["bytes"]), ("main", found["flops"], found["bytes"]),
                                  ("tail", 0, 0)])

    def test_operators_of_pytorch(self):
        """By the shapes of operators, of which some launch two kernels; products are counted one by one."""
        for seed in range(8):
            rng = random.Random(seed)
            calls = [call(rng) for call in OPERATORS * 2 for _ in range(rng.randint(1, 2))]
            rng.shuffle(calls)
            events, expected, now = [], {}, 100
            for at, (name, shapes, types, values, work) in enumerate(calls, 1):
                events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": now, "dur": 8, "args": {
                    "External id": at, "Input Dims": shapes, "Input type": types, "Concrete Inputs": values}})
                kernels = rng.sample([("a", 3), ("b", 2)], rng.randint(1, 2))
                sums = expected.setdefault((name, str(shapes).replace("'", '"')), [0, 0, 0, 0])
                for n, (kernel, took) in enumerate(kernels):
                    # Some recorders give calls and kernels a number of their own: then the call lies inside the operator.
                    args = {"External id": 100_000 + 10 * at + n if seed % 4 == 1 else at, "correlation": 10 * at + n}
                    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": now + 1 + n, "dur": 1,
                                   "args": args})
                    events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": 5000 + now + 4 * n, "dur": took,
                                   "args": {**args, "device": 0, "stream": 7}})
                    sums[3] += took * 10**6
                now += 10
                if work is not None:
                    longest = max(took for _, took in kernels)
                    for i, amount in enumerate((*work, longest * 10**6)):
                        sums[i] += amount
            path = self.scratch / "rank0.json"
            layout = {"indent": 2} if seed % 2 else {}  # recorders differ
            path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA L4"}], "traceEvents": events}, **layout))
            with self.subTest(seed=seed):
                name, shown = "", {}
                for g in self.groups(path, "op,shape")[1]:
                    if g["depth"] == 0:
                        name = g["name"]
                    else:
                        shown[name, g["name"]] = [g["flops"], g["bytes"], g["worked_ps"], g["self_ps"]]
                self.assertEqual(shown, expected)

    def test_roofs_of_devices(self):
        """By the names that recorders give devices, in rates of the makers' data sheets."""
        known = {
            "NVIDIA A100-SXM4-40GB": (312e12, 1555e9), "NVIDIA A100 80GB PCIe": (312e12, 1935e9), "NVIDIA A100-SXM4-80GB": (312e12, 2039e9),
            "NVIDIA H100 80GB HBM3": (989.4e12, 3352e9), "NVIDIA H100 PCIe": (756e12, 2039e9), "NVIDIA H200": (989.4e12, 4800e9),
            "Tesla V100-SXM2-16GB": (125e12, 900e9), "Tesla V100-PCIE-32GB": (112e12, 900e9), "NVIDIA L4": (121e12, 300e9),
            "NVIDIA L40S": (362e12, 864e9), "NVIDIA B200": (2250e12, 8000e9), "NVIDIA GB200": (2500e12, 8000e9),
            "AMD Instinct MI300X": (1307.4e12, 5325e9), "AMD Instinct MI325X": (1307.4e12, 6000e9), "AMD Instinct MI250X": (191.5e12, 1638e9),
            "NVIDIA A100-PG509-200": (312e12, None), "NVIDIA A10G": None, "Tesla P100-PCIE-16GB": None, "": None}
        for name, rates in known.items():
            with self.subTest(name=name):
                path = self.scratch / "rank0.json"
                path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": name}], "traceEvents": [
                    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7}}]}))
                found, groups = self.groups(path, "kernel")
                shown = [(p["flops_per_s"], p["hbm_bytes_per_s"], p["device_type"], p["devices"]) for p in found["peaks"]]
                self.assertEqual([tuple(round(r) if isinstance(r, float) else r for r in s) for s in shown],
                                 [(round(rates[0]), rates[1] and round(rates[1]), name, 1)] if rates else [])
                self.assertEqual([(g["name"], g["worked_ps"], g["attainable_ps"]) for g in groups], [("k", 0, 0)])
                if rates:  # the names of devices are public
                    self.assertEqual(self.groups(path, "kernel", "--redact")[0]["peaks"], found["peaks"])

    def test_roofs_by_type(self):
        """Of dense products, as the data sheets have them; of two models in one machine, in the order in which they are met."""
        sheets = {"NVIDIA A100-SXM4-40GB": ("NVIDIA A100 Tensor Core GPU datasheet", 1555e9, {
                      "f64": 19.5e12, "f32": 19.5e12, "tf32": 156e12, "f16": 312e12, "bf16": 312e12, "i8": 624e12}),
                  "Tesla V100-SXM2-16GB": ("NVIDIA V100 Tensor Core GPU datasheet", 900e9, {"f64": 7.8e12, "f32": 15.7e12, "f16": 125e12})}
        path = self.scratch / "rank0.json"
        path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": i, "name": name} for i, name in enumerate(sheets)],
                                    "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": i, "tid": 7, "ts": 1, "dur": 2 + i,
                                                     "args": {"device": i, "stream": 7}} for i in (0, 1)]}))
        self.check(self.groups(path, "device")[0]["peaks"], [
            {"device_type": name, "devices": 1, "source": source, "flops_per_s": rates["f16"], "hbm_bytes_per_s": memory,
             "flops_per_s_by_type": rates} for name, (source, memory, rates) in sheets.items()])

    def test_bounds(self):
        """Of an op with so many operations and bytes on a device with these rates."""
        rates = {"peak_teraflops_per_second": 100.0, "peak_hbm_bw_gigabytes_per_second": 1000.0}  # 100 FLOP and 1 byte a ps at most
        ops = [  # name, category, flops, bytes, duration, what bounds it, attainable
            ("dot.1", "convolution fusion", 90_000, 100, 1000, "compute", 900),
            ("dot.2", "convolution fusion", 60_000, 100, 1000, "compute", 600),
            ("dot.3", "convolution fusion", 59_000, 100, 1000, "neither", 590),
            ("add.4", "loop fusion", 1000, 950, 1000, "memory", 950),
            ("copy.5", "copy", 0, 700, 1000, "memory", 700),
            ("copy.6", "copy", 0, 70, 1000, "neither", 70),
            ("wait.7", "custom-call", None, None, 1000, None, 0),
            ("while.8", "while", 90_000, 100, 1000, None, 0),
            ("all-reduce.9", "all-reduce", 800, 950, 1000, None, 0)]
        names = [*rates, "hlo_category", "flops", "bytes_accessed"]
        plane = b"".join(message(5, number(1, i) + message(2, number(1, i) + message(2, n))) for i, n in enumerate(names, 1))
        plane += b"".join(message(6, number(1, i) + double(2, rate)) for i, rate in enumerate(rates.values(), 1))
        events = b""
        for at, (name, category, flops, moved, took, _, _) in enumerate(ops, 1):
            stats = message(5, number(1, 3) + message(5, category))
            if flops is not None:
                stats += message(5, number(1, 4) + number(3, flops)) + message(5, number(1, 5) + number(3, moved))
            plane += message(4, number(1, at) + message(2, number(1, at) + message(2, name) + stats))
            for run in range(at):  # as often as its number
                events += message(4, number(1, at) + number(2, 100_000 * at + 2000 * run) + number(3, took))
        path = self.scratch / "vm.xplane.pb"
        path.write_bytes(message(1, number(1, 1) + message(2, "/device:TPU:0") + plane
                                 + message(3, number(1, 1) + message(2, "XLA Ops") + events)))
        found, groups = self.groups(path, "instruction")
        shown = {g["name"]: ({k: g[k + "_bound_ps"] for k in ("compute", "memory", "neither")}, g["attainable_ps"]) for g in groups}
        expected = {name: ({k: took * at if k == bound else 0 for k in ("compute", "memory", "neither")}, best * at)
                    for at, (name, _, _, _, took, bound, best) in enumerate(ops, 1)}
        self.assertEqual(shown, expected)
        self.assertEqual(found["memory_bound_ps"], 1000 * (4 + 5))
        self.assertEqual(truth.loads(truth.run("roofline", path, "--by", "instruction", "--json", "--limit", "0")), found)
        text = truth.run("roofline", path)
        self.assertIn("bound by compute 6.7 %, by memory 20.0 %, by neither 20.0 %, not known 53.3 %", " ".join(text.split()))

    def test_memories(self):
        """Bytes in several memories of a TPU, whose rates are 1 byte a ps of HBM, 20 and 10 of VMEM, 5 and 4 of CMEM."""
        rates = {"peak_teraflops_per_second": 100.0, "peak_hbm_bw_gigabytes_per_second": 1000.0,
                 "peak_vmem_rd_bw_gigabytes_per_second": 20_000.0, "peak_vmem_wr_bw_gigabytes_per_second": 10_000.0,
                 "peak_cmem_rd_bw_gigabytes_per_second": 5_000.0, "peak_cmem_wr_bw_gigabytes_per_second": 4_000.0}
        read, write, hbm, cmem, vmem = 1, 2, 1, 2, 3
        ops = [  # name, FLOP, [(type, memory, bytes)], what bounds it, attainable; each takes 1000 ps
            ("in_hbm", 0, [(read, hbm, 300), (write, hbm, 500)], "memory", 800),
            ("in_vmem", 0, [(read, hbm, 100), (read, vmem, 18_000)], "vmem", 900),
            ("to_vmem", 0, [(read, cmem, 1_000), (read, vmem, 18_000), (write, vmem, 9_600)], "vmem", 960),
            ("in_cmem", 0, [(read, cmem, 4_500), (write, vmem, 800)], "cmem", 900),
            ("to_cmem", 0, [(write, cmem, 3_000), (write, cmem, 600)], "cmem", 900),
            ("product", 99_000, [(read, vmem, 18_000)], "compute", 990),
            ("quick", 0, [(read, vmem, 1_000)], "neither", 50),
            ("not_said", 0, [], "memory", 700),  # bytes_accessed alone: 700
            ("elsewhere", 0, [(read, 9, 5_000)], "memory", 700)]
        for known in (True, False):
            with self.subTest(known=known):
                given = rates if known else dict(list(rates.items())[:2])
                names = [*given, "flops", "bytes_accessed", "memory_access_breakdown", "hlo_category"]
                of = {name: number for number, name in enumerate(names, 1)}
                plane = b"".join(message(5, number(1, i) + message(2, number(1, i) + message(2, n))) for n, i in of.items())
                plane += b"".join(message(6, number(1, of[name]) + double(2, rate)) for name, rate in given.items())
                events = b""
                for at, (name, flops, accesses, _, _) in enumerate(ops, 1):
                    breakdown = b"".join(message(1, number(1, how) + number(2, space) + number(3, n)) for how, space, n in accesses)
                    stats = message(5, number(1, of["flops"]) + number(3, flops)) + message(5, number(1, of["bytes_accessed"]) + number(3, 700))
                    stats += message(5, number(1, of["memory_access_breakdown"]) + message(6, breakdown))
                    stats += message(5, number(1, of["hlo_category"]) + message(5, "loop fusion"))
                    plane += message(4, number(1, at) + message(2, number(1, at) + message(2, f"{name}.{at}") + stats))
                    for run in range(at):  # as often as its number
                        events += message(4, number(1, at) + number(2, 100_000 * at + 2000 * run) + number(3, 1000))
                path = self.scratch / "memories.xplane.pb"
                path.write_bytes(message(1, number(1, 1) + message(2, "/device:TPU:0") + plane
                                         + message(3, number(1, 1) + message(2, "XLA Ops") + events)))
                found, groups = self.groups(path, "instruction")
                bounds = ("compute", "memory", "vmem", "cmem", "neither")
                shown = {g["name"].partition(".")[0]: ([b for b in bounds if g.get(b + "_bound_ps", 0) > 0], g["attainable_ps"]) for g in groups}
                expected = {}
                for at, (name, _, accesses, bound, best) in enumerate(ops, 1):
                    lacks = not known and any(space in (cmem, vmem) for _, space, _ in accesses)
                    expected[name] = ([], 0) if lacks else (["memory", bound] if bound in ("vmem", "cmem") else [bound], best * at)
                self.assertEqual(shown, expected)
                text = " ".join(truth.run("roofline", path).split())
                if known:
                    self.assertEqual((found["vmem_bound_ps"], found["cmem_bound_ps"]), (5000, 9000))
                    self.check(found["peaks"], [{
                        "device_type": "", "devices": 1, "source": "the plane", "flops_per_s": 1e14, "flops_per_s_by_type": {},
                        "hbm_bytes_per_s": 1e12, "vmem_read_bytes_per_s": 2e13, "vmem_write_bytes_per_s": 1e13,
                        "cmem_read_bytes_per_s": 5e12, "cmem_write_bytes_per_s": 4e12}])
                    self.check(truth.loads(truth.run("report", path, "--json"))["summary"]["roofline"], {
                        "self_ps": 45_000, "attainable_ps": sum(best for _, best in expected.values()), "compute_bound_ps": 6000,
                        "memory_bound_ps": 1000 * (1 + 2 + 3 + 4 + 5 + 8 + 9), "vmem_bound_ps": 5000, "cmem_bound_ps": 9000,
                        "neither_bound_ps": 7000})
                    self.assertIn("bound by compute 13.3 %, by memory 40.0 %, by VMEM 11.1 %, by CMEM 20.0 %, by neither 15.6 %", text)
                else:
                    self.assertNotIn("vmem_bound_ps", found)

    def test_the_report_says_the_same(self):
        """Of a TPU, of a GPU with its programs, and of PyTorch."""
        known = 0
        for name in ("xspace/tpu_v6e_inference.xplane.pb", "xspace/jax08_gemm_mi300.xplane.pb", "kineto/h100_bert_small.pt.trace.json.gz"):
            with self.subTest(name=name):
                path = truth.ROOT / "tests" / "data" / name
                said = truth.loads(truth.run("report", path, "--json"))["summary"]["roofline"]
                groups = truth.loads(truth.run("ops", path, "--by", "device", "--json"))
                expected = {key: groups[key] for key in ("self_ps", "attainable_ps", "compute_bound_ps", "memory_bound_ps", "neither_bound_ps")}
                self.assertEqual(said, expected if groups["attainable_ps"] > 0 else None)
                known += said is not None
        self.assertEqual(known, 3)

    def test_as_xprof_counts(self):
        """hlo_stats of XProf 2.24.2, as rates: GFLOP/s and GiB/s times the op's time. Its bytes are equal for every op; its
        operations for products. Of elementwise fusions it counts instructions that a GPU needs (3 for a conversion, up to 98 for
        a tanh), and of library calls nothing."""
        source = pathlib.Path(os.environ["PROFKIT_SOURCE_ROOT"])
        expected = json.loads((source / "tests/data/xspace/xprof_hlo_work.json").read_text())
        compared = 0
        for name, ops in expected.items():
            path = next((p for p in (source / "tests/data/xspace" / name, truth.CORPUS / "captures/xspace" / name) if p.exists()), None)
            if path is None:
                continue
            groups = self.groups(path, "program,instruction")[1]
            program, found = "", {}
            for g in groups:
                if g["depth"] == 0:
                    program = g["name"]
                else:
                    found[program, g["name"]] = g
            for op in ops:
                with self.subTest(capture=name, op=op["name"], program=op["program"]):
                    of = [g for (p, n), g in found.items() if n == op["name"] and p.endswith(f"({op['program']})")]
                    self.assertEqual(len(of), 1)
                    if op["category"] == "custom-call":
                        self.assertEqual((op["flops"], op["bytes"]), (0, 0))
                        continue
                    count = of[0]["count"]
                    self.assertEqual(count, op["count"])
                    self.assertAlmostEqual(of[0]["bytes"] / count / op["bytes"], 1, delta=1e-6)
                    if op["category"] == "custom fusion":
                        self.assertAlmostEqual(of[0]["flops"] / count / op["flops"], 1, delta=1e-6)
                    compared += 1
        self.assertGreaterEqual(compared, 10)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
