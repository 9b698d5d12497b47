#!/usr/bin/env python3
"""`ops --by kind`: what moves data instead of computing, in programs made here, by names that frameworks give, and in captures
of PyTorch, which record the types that a copy reads and writes."""
import gzip
import json
import random
import sys
from collections import defaultdict

import hlo
import truth
from test_op_work import BF16, F32, Module, array
from wire import message, number

COPY = "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const"
STILL = {"", "compute", "communication", "control flow"}  # the kinds that move no data
KERNELS = [  # (kernel, category, operator, the outermost one, kind, and types of the operator's inputs)
    ("a_copy", "kernel", "aten::copy_", "aten::contiguous", "layout copy", ["float", "float", "Scalar"]),
    ("a_copy_2", "kernel", "aten::copy_", "aten::clone", "copy", ["float", "float", "Scalar"]),
    ("a_copy_3", "kernel", "aten::copy_", "aten::clone", "cast", ["float", "c10::Half", "Scalar"]),
    ("a_copy_4", "kernel", "aten::copy_", "aten::to", "copy", ["c10::Half", "c10::Half", "Scalar"]),
    (f"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<{COPY}>>(int)", "kernel", "aten::copy_", "",
     "layout copy", ["float", "float", "Scalar"]),
    (f"void at::native::unrolled_elementwise_kernel<{COPY}, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1>>(int)",
     "kernel", "aten::copy_", "aten::linear", "cast"),
    (f"void at::native::unrolled_elementwise_kernel<{COPY}, at::native::memory::LoadWithoutCast, at::native::memory::StoreWithoutCast>(int)",
     "kernel", "aten::copy_", "aten::reshape", "copy"),
    (f"void at::native::vectorized_elementwise_kernel<4, {COPY}>(int)", "kernel", "aten::copy_", "", "copy"),
    (f"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<{COPY}>>(int)", "kernel", "aten::copy_",
     "aten::contiguous", "layout copy"),
    ("void at::native::vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)>", "kernel",
     "aten::copy_", "aten::to", "cast"),
    (f"void at::native::elementwise_kernel<512, 1, at::native::gpu_kernel_impl<{COPY}>>(int)", "kernel", "aten::copy_", "aten::to", "cast"),
    (f"void at::native::elementwise_kernel<512, 1, at::native::gpu_kernel_impl<{COPY}> >(int)", "kernel", "aten::copy_", "aten::add", "copy"),
    ("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 4>(float*)", "kernel", "aten::cat", "", "concatenate"),
    ("my_kernel", "kernel", "aten::constant_pad_nd", "aten::pad", "pad"),
    ("my_kernel_2", "kernel", "aten::index_select", "", "gather"),
    ("my_kernel_3", "kernel", "aten::softmax", "", "compute"),
    ("my_kernel_4", "kernel", "mine::op", "", ""),
    ("my_kernel_5", "kernel", "", "", ""),
    ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", "kernel", "", "", "compute"),
    ("void cudnn::ops::nchwToNhwcKernel<float>(int)", "kernel", "aten::cudnn_convolution", "aten::conv2d", "layout copy"),
    ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "kernel", "c10d::allreduce_", "", "communication"),
    ("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", "aten::copy_", "aten::to", "copy to device"),
    ("Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", "aten::copy_", "aten::item", "copy to host"),
    ("Memcpy DtoD (Device -> Device)", "gpu_memcpy", "aten::copy_", "", "copy"),
    ("Memcpy PtoP (Device -> Device)", "gpu_memcpy", "aten::copy_", "", "copy between devices"),
    ("CopyHostToDevice", "gpu_memcpy", "", "", "copy to device"),
    ("Memset (Device)", "gpu_memset", "aten::zero_", "", "fill"),
]
NPU = [("TransData", "layout copy"), ("Cast", "cast"), ("Conv2DBackpropFilter", "compute"), ("ConcatD", "concatenate"), ("Concatenates", ""),
       ("ReduceSum", "compute"), ("StridedSliceD", "slice"), ("DSAGenBitMask", "")]


def laid_out(kind, dimensions, order):
    return hlo.shape(kind, dimensions, hlo.layout(order))


class Program(Module):
    """A fusion for each of some sets of instructions, and what each is, in `kinds`."""

    def __init__(self):
        super().__init__()
        self.kinds = {}

    def one(self, opcode, shape, operands, kind, more=b""):
        self.kinds[f"{opcode}.{self.new(opcode, shape, operands, more)}"] = kind

    def fusion(self, kind, *steps, result=(8, 16)):
        """`steps`: (opcode, dimensions); each takes the one before it."""
        inside, last = [], None
        last = self.parameter(F32, (8, 16), inside, 0)
        for opcode, dimensions in steps:
            last = self.new(opcode, array(BF16 if opcode == "convert" else F32, *dimensions), (last,), into=inside)
        called = self.computation(inside, last)
        self.one("fusion", array(F32, *result), (self.parameter(F32, (8, 16)),), kind, message(11, "kLoop") + hlo.numbers(38, [called]))

    def fill(self):
        big = self.parameter(F32, (8, 16))
        self.one("copy", laid_out(F32, (8, 16), (0, 1)), (big,), "copy")
        self.one("copy", laid_out(F32, (8, 16), (1, 0)), (big,), "layout copy")
        for opcode, dimensions, kind in (("transpose", (16, 8), "transpose"), ("convert", (8, 16), "cast"), ("pad", (9, 16), "pad"),
                                         ("slice", (4, 16), "slice"), ("dynamic-update-slice", (8, 16), "slice"), ("reverse", (8, 16), "transpose"),
                                         ("broadcast", (8, 16, 2), "broadcast"), ("concatenate", (16, 16), "concatenate"),
                                         ("gather", (4, 16), "gather"), ("iota", (64,), "fill"), ("add", (8, 16), "compute"),
                                         ("reduce", (8,), "compute"), ("all-reduce", (8, 16), "communication"), ("copy-start", (8, 16), "copy"),
                                         ("copy-done", (8, 16), "wait for copy"), ("custom-call", (8, 16), ""), ("sort", (8, 16), "compute")):
            self.one(opcode, array(F32, *dimensions), (big,), kind)
        self.fusion("cast", ("convert", (8, 16)))
        self.fusion("transpose", ("convert", (8, 16)), ("transpose", (16, 8)))  # as many elements: what costs more
        self.fusion("cast", ("convert", (8, 16)), ("slice", (2, 16)))  # more elements
        self.fusion("compute", ("transpose", (16, 8)), ("add", (16, 8)))
        self.fusion("slice", ("multiply", ()), ("dynamic-slice", (2, 16)))  # where a slice begins is computed by scalars
        self.fusion("pad", ("broadcast", (64, 64)), ("pad", (9, 16)))
        self.fusion("broadcast", ("broadcast", (64, 64)), ("bitcast", (64, 64)))
        self.fusion("fill", ("bitcast", (16, 8)))
        # One inside the other.
        inside = []
        within = self.parameter(F32, (8, 16), inside, 0)
        deepest = self.computation(inside, self.new("transpose", array(F32, 16, 8), (within,), into=inside))
        inside = []
        within = self.parameter(F32, (8, 16), inside, 0)
        calls = message(11, "kLoop") + hlo.numbers(38, [deepest])
        called = self.computation(inside, self.new("fusion", array(F32, 16, 8), (within,), calls, into=inside))
        self.one("fusion", array(F32, 16, 8), (big,), "transpose", message(11, "kLoop") + hlo.numbers(38, [called]))
        # A computation that calls itself: its number is the next but one.
        body = []
        root = self.new("fusion", array(F32, 4), (), message(11, "kLoop") + hlo.numbers(38, [self.key + 2]), into=body)
        self.one("fusion", array(F32, 4), (), "", message(11, "kLoop") + hlo.numbers(38, [self.computation(body, root)]))


class WorkKindsTest(truth.Case):
    def kinds(self, path, key):
        """{name: kind}; the kernels of the screen's tree."""
        found, kind = {}, ""
        document = truth.loads(truth.run("ops", path, "--by", f"kind,{key}", "--json", "--limit", "0"))
        self.assertEqual(document["moving_ps"], sum(g["self_ps"] for g in document["groups"]
                                                    if g["depth"] == 0 and g["name"] not in STILL))
        for g in document["groups"]:
            if g["depth"] == 0:
                kind = g["name"]
            else:
                self.assertNotIn(g["name"], found)
                found[g["name"]] = kind
        return found

    def write_program(self, program, plane, line, in_metadata):
        names = ["hlo_op", "program_id", "hlo_module", "Hlo Proto", "hlo_category"]
        stat_names = b"".join(message(5, number(1, i) + message(2, number(1, i) + message(2, n))) for i, n in enumerate(names, 1))
        events, ops = b"", b""
        for at, name in enumerate(program.kinds, 1):
            category = message(5, number(1, 5) + message(5, "loop fusion" if name.startswith("fusion") else name.split(".")[0]))
            stats = b"".join(message(4, s) for s in (number(1, 1) + message(5, name), number(1, 2) + number(4, 1234567)))
            # A TPU's entries carry category and program, and its programs are numbered anyhow.
            entry = category + message(5, number(1, 2) + number(4, 1234567)) if in_metadata else b""
            ops += message(4, number(1, at) + message(2, number(1, at) + message(2, name if in_metadata else f"kernel_{at}") + entry))
            events += message(4, number(1, at) + number(2, 100 * at) + number(3, 50) + (b"" if in_metadata else stats))
        device = message(1, number(1, 1) + message(2, plane) + stat_names + ops + message(3, number(1, 1) + message(2, line) + events))
        key = 9 if in_metadata else 1234567
        entry = message(4, number(1, key) + message(2, number(1, key) + message(2, "jit_f(1234567)")
                                                    + message(5, number(1, 4) + message(6, program.encoded()))))
        path = self.scratch / f"{line}.xplane.pb"
        path.write_bytes(device + message(1, number(1, 2) + message(2, "/host:metadata") + stat_names + entry))
        return path

    def test_programs(self):
        program = Program()
        program.fill()
        for plane, line, in_metadata in (("/device:GPU:0", "Stream #1(Compute)", False), ("/device:TPU:0", "XLA Ops", True)):
            with self.subTest(line=line):
                self.assertEqual(self.kinds(self.write_program(program, plane, line, in_metadata), "instruction"), program.kinds)

    def test_names_of_kernels(self):
        events, now = [], 100
        rows = KERNELS[:]
        random.Random(3).shuffle(rows)
        for at, (kernel, category, op, outer, _, *types) in enumerate(rows, 1):
            for depth, name in enumerate(n for n in (outer, op) if n):
                events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": now + depth, "dur": 8 - 2 * depth,
                               "args": {"External id": 900 + at, "Input Dims": [[4], [4], []], "Input type": types[0]} if types and name == op else {}})
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": now + 3, "dur": 1,
                           "args": {"correlation": at}})
            events.append({"ph": "X", "cat": category, "name": kernel, "pid": 0, "tid": 7, "ts": 5000 + 10 * at, "dur": 4,
                           "args": {"correlation": at, "device": 0, "stream": 7}})
            now += 10
        path = self.scratch / "rank0.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.assertEqual(self.kinds(path, "kernel"), {k[0].removeprefix("void "): k[4] for k in KERNELS})

    def test_types_of_an_npu(self):
        path = self.scratch / "kernel_details.csv"
        path.write_text("Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\n" + "".join(
            f"1,0,1,{n},2,aclnn{kind}_{n},{kind},static,AI_VECTOR_CORE,{1000 + 10 * n},5,0\n" for n, (kind, _) in enumerate(NPU)))
        self.assertEqual({name: kind for name, kind in self.kinds(path, "kernel").items()}, dict(NPU))

    def test_real_copies(self):
        """Whether a copy converts is told by the types that its operator records."""
        paths = sorted(truth.corpus("captures/kineto").glob("*.json.gz"))
        self.assertTrue(paths)
        casts = copies = 0
        for path in paths:
            events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
            ops = {e["args"]["External id"]: e for e in events if e.get("cat") == "cpu_op" and "External id" in e.get("args", {})}
            expected = defaultdict(int)
            for e in events:
                op = ops.get(e["args"].get("External id")) if e.get("ph") == "X" and e.get("cat") == "kernel" else None
                if op is not None and op["name"] == "aten::copy_" and op["args"].get("Input type"):
                    to, source = op["args"]["Input type"][:2]
                    expected[e["name"].removeprefix("void "), to != source] += 1
            found, path_of_row = defaultdict(int), {}
            for g in truth.loads(truth.run("ops", path, "--by", "op,shape,kind,kernel", "--json", "--limit", "0"))["groups"]:
                path_of_row[g["depth"]] = g["name"]
                if g["depth"] == 3 and path_of_row[0] == "aten::copy_" and path_of_row[1] and not g["name"].startswith("Memcpy"):
                    found[g["name"], path_of_row[2] == "cast"] += g["count"]
            with self.subTest(path=path.name):
                if expected:
                    self.assertEqual(found, expected)
            casts += sum(n for (_, cast), n in expected.items() if cast)
            copies += sum(n for (_, cast), n in expected.items() if not cast)
        self.assertGreater(casts, 100)
        self.assertGreater(copies, 100)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
