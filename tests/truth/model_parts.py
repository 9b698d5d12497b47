"""Small captures that each hold one decision of `architecture`: operators of a host, kernels of a device, rows of a table."""
import json

import kineto
import truth
from ascend import Rank

BASE = 1_764_246_900 * 1_000_000_000
US = 1000
HALF = "c10::Half"


def operator(name, dims, types=(), values=(), times=1):
    """`types` and `values` are those of the first inputs; the others have none."""
    count = len(dims)
    return {"name": name, "times": times, "args": {
        "Input Dims": dims, "Input type": list(types) + [""] * (count - len(types)),
        "Concrete Inputs": list(values) + [""] * (count - len(values))}}


class PartsCase(truth.Case):
    number = 0

    def trace(self, operators=(), kernels=(), spans=(), rank=0, world=1, **head):
        """Operators one after the other on thread 11; `kernels`: (name, times); `spans`: (category, name, start us, length us, thread)."""
        trace, at = kineto.Trace(BASE, 0, rank, world), 1_000_000
        trace.name_process(900 + rank, "python")
        for one in operators:
            for _ in range(one["times"]):
                trace.span("cpu_op", one["name"], at, 2 * US, args=one["args"])
                at += 3 * US
        for category, name, start, length, thread in spans:
            trace.span(category, name, start * US, length * US, thread)
        at = 1_000_000
        for name, times in kernels:
            for _ in range(times):
                trace.kernel(0, name, at, 2 * US)
                at += 3 * US
        text = trace.text()
        if head:
            text = json.dumps({**json.loads(text), **head})
        PartsCase.number += 1
        return self.write(f"{PartsCase.number}/rank{rank}.pt.trace.json", text)

    def table(self, rows, device=0):
        """`rows`: (op type, input shapes, output shapes, types, times), one kernel after the other."""
        rank, at = Rank(BASE), BASE
        for op_type, shapes, out, types, times in rows:
            for _ in range(times):
                rank.kernel(device, f"aclnn_{op_type}", op_type, "AI_CORE", at, 5 * US, shapes=shapes, out_shapes=out, types=types)
                at += 6 * US
        PartsCase.number += 1
        folder = f"{PartsCase.number}_ascend_pt"
        self.write(f"{folder}/ASCEND_PROFILER_OUTPUT/kernel_details.csv", rank.table())
        return self.scratch / folder

    @staticmethod
    def ask(path, *options):
        return truth.parsed(truth.run("architecture", path, "--json", *options))

    @staticmethod
    def short(facts):
        """Facts by name: value, certainty, evidence, and the contradictions where there are some."""
        return {f["name"]: (f["value"], f["certainty"], f["source"]["text"], *([f["contradictions"]] if f["contradictions"] else []))
                for f in facts}

    def facts(self, path, *options):
        return self.short(self.ask(path, *options)["facts"])


def evidence(one):
    """How a fact names an operator: how often it ran, and its first 120 letters of shapes."""
    dims = json.dumps(one["args"]["Input Dims"])
    return f"{one['times']} x {one['name']} " + (dims if len(dims) <= 120 else dims[:120] + "…")


def linear(rows, into, out, bias=False, times=1, kind=HALF, batch=0):
    x = [batch, rows // batch, into] if batch else [rows, into]
    return operator("aten::linear", [x, [out, into], [out] if bias else []], [kind] * 2, times=times)


def attention(batch, heads, tokens, size, kv=0, keys=0, causal="", times=1, mask=""):
    key = [batch, kv or heads, keys or tokens, size]
    return operator("aten::scaled_dot_product_attention", [[batch, heads, tokens, size], key, key] + [[]] * 5, [HALF] * 3 + [mask],
                    ["", "", "", "", "", causal], times)


def embedding(rows, width, *ids, times=1):
    return operator("aten::embedding", [[rows, width], list(ids)], [HALF, "long"], times=times)


def layer_norm(width, times=1):
    return operator("aten::layer_norm", [[4, 8, width], [], [width], [width]], [HALF], times=times)


def rms_norm(width, times=1, x=None):
    return operator("aten::rms_norm", [x or [4, 8, width], [], [width]], [HALF], times=times)


def activation(name, rows, width, times=1):
    return operator("aten::" + name, [[rows, width]], [HALF], times=times)


class OperatorFacts(PartsCase):
    def holds(self, operators, expected, kernels=(), **more):
        """`expected`: by name what is said: (value, certainty, number of the operator that says so, more of the evidence), a value
        alone, or None where the fact must not be there."""
        found = self.facts(self.trace(operators, kernels, **more))
        for name, value in expected.items():
            if not isinstance(value, tuple):
                self.assertEqual(found.get(name, (None,))[0], value, name)
                continue
            value, certainty, number, *rest = value
            self.assertEqual(found.get(name), (value, certainty, evidence(operators[number]) + "".join(rest)), name)


class Module:
    """A module of PyTorch with what it calls: modules, and operators as `operator` gives them."""

    def __init__(self, name, *parts):
        self.name, self.parts = name, parts

    def write(self, trace, at, thread=11):
        """Where it ends, a microsecond after its last part."""
        start, at = at, at + US
        for part in self.parts:
            if isinstance(part, Module):
                at = part.write(trace, at, thread)
                continue
            for _ in range(part["times"]):
                trace.span("cpu_op", part["name"], at, US, thread, args=part["args"])
                at += 2 * US
        trace.span("python_function", "nn.Module: " + self.name, start, at - start, thread)
        return at + US


class ModuleCase(PartsCase):
    def modules(self, *calls, kernels=("gemm",), other=(), world=1):
        """Calls one after the other on thread 11, and `other` ones on thread 12 at the same time."""
        trace = kineto.Trace(BASE, 0, 0, world)
        trace.name_process(900, "python")
        for thread, of in ((11, calls), (12, other)):
            at = 1_000_000
            for one in of:
                at = one.write(trace, at, thread)
        for n, name in enumerate(kernels):
            trace.kernel(0, name, 1_000_000 + 3 * US * n, 2 * US)
        PartsCase.number += 1
        return self.write(f"{PartsCase.number}/rank0.pt.trace.json", trace.text())


LETTERS = {  # op type, core, stream
    "E": ("GatherV2", "AI_VECTOR_CORE", 2), "A": ("FusedInferAttentionScore", "MIX_AIC", 2), "M": ("MatMulV3", "AI_CORE", 2),
    "N": ("RmsNorm", "AI_VECTOR_CORE", 2), "S": ("ArgMaxV2", "AI_VECTOR_CORE", 2), "G": ("MoeGatingTopK", "AI_VECTOR_CORE", 2),
    "D": ("DispatchFFNCombine", "MIX_AIC", 2), "X": ("hcom_alltoall_", "HCCL", 47), "P": ("GroupedMatmul", "AI_CORE", 2),
    "T": ("MoeDistributeDispatch", "MIX_AIC", 2), "C": ("MoeDistributeCombine", "MIX_AIC", 2), "R": ("hcom_allReduce_", "HCCL", 46),
    "K": ("ReshapeAndCache", "AI_VECTOR_CORE", 2), "Q": ("InterleaveRope", "AI_VECTOR_CORE", 2), "U": ("Tiny", "AI_VECTOR_CORE", 2),
    "W": ("SwiGlu", "AI_VECTOR_CORE", 2), "B": ("FlashAttentionScoreGrad", "AI_CORE", 2), "V": ("hcom_send_", "HCCL", 48),
    "I": ("Unique2", "AI_CPU", 17), "F": ("FlashAttentionScore", "MIX_AIC", 2), "O": ("ApplyAdamW", "AI_VECTOR_CORE", 2),
    "Y": ("MEMCPY_ASYNC", "MEMCPY_ASYNC", 9)}


class LetterCase(PartsCase):
    """Tables that are written as a letter for each kernel, of 20 us each, a microsecond apart."""

    def rows(self, text, rank=None, at=BASE, lengths=(), shapes=(), streams=(), device=0):
        """`text`: letters; "_" is a pause of half a millisecond, and digits before a letter are the step of all that follow, until "."
        ends it. `lengths`: us, and `shapes`, of attention, one after the other; `streams`: of letters, other than theirs."""
        rank = rank or Rank(BASE)
        lengths, shapes, streams, step, number = list(lengths), list(shapes), dict(streams), "", ""
        for letter in text:
            if letter == "_":
                at += 500 * US
            if letter == ".":
                step = ""
            if letter.isdigit():
                number += letter
            if letter not in LETTERS:
                continue
            step, number = number or step, ""
            op_type, core, stream = LETTERS[letter]
            attends = letter in "AF"
            length = (lengths.pop(0) if attends and lengths else 20) * US
            rank.kernel(device, f"aclnn_{op_type}" if core != "HCCL" else f"{op_type}_1_2@9", op_type, core, at, int(length),
                        stream=streams.get(letter, stream), step=step, shapes=shapes.pop(0) if attends and shapes else "")
            at += int(length) + US
        return rank

    def folder(self, rank, name="one"):
        PartsCase.number += 1
        name = f"{PartsCase.number}/{name}"
        self.write(f"{name}/ASCEND_PROFILER_OUTPUT/kernel_details.csv", rank.table())
        return self.scratch / name

    def run_of(self, text, name="one", **more):
        return self.ask(self.folder(self.rows(text, **more), name))
