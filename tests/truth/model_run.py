"""An inference run of four layers a pass: a dense one and three ways to run experts, on two devices.

The capture of NPU 0 begins inside of a decode pass and ends inside of another; one prefill pass and three decode passes
are whole. NPU 1 runs two passes of the same model. Every kernel is told with the part of the layer that it is.
"""
from ascend import Rank

BASE = 1_764_246_900 * 1_000_000_000
US = 1000
PREFILL, DECODE = "17,16,64;17,1,64;17,1,64;2", "16,16,64;16,1,64;16,1,64;2"

# op type, core, stream, role; lengths in µs at prefill and at decode; a gap in front in µs. A stream of None is that of a
# collective that names none.
ATTENTION = ("FusedInferAttentionScore", "MIX_AIC", 2, "attention", 11_000, 90, 3)
PROJECTION = ("MatMulV3", "AI_CORE", 2, "projection", 800, 30, 2)
REDUCE = ("hcom_allReduce_", "HCCL", 46, "tp_comm", 600, 40, -10)
NORM = ("RmsNorm", "AI_VECTOR_CORE", 2, "norm", 100, 6, 1)
AFTER = ("RmsNorm", "AI_VECTOR_CORE", 2, "post_ffn_norm", 100, 6, 1)
NEXT = [("MatMulV3", "AI_CORE", 2, "next_layer_prep", 500, 22, 0), ("InterleaveRope", "AI_VECTOR_CORE", 2, "next_layer_prep",
                                                                    50, 4, 0),
        ("ReshapeAndCache", "AI_VECTOR_CORE", 2, "next_layer_prep", 70, 5, 0)]
GATING = ("MoeGatingTopK", "AI_VECTOR_CORE", 2, "moe_routing", 60, 7, 0)
LAYERS = {
    "Dense": [ATTENTION, PROJECTION, REDUCE, NORM, ("MatMulV3", "AI_CORE", 2, "dense_ffn", 900, 35, 0),
              ("SwiGlu", "AI_VECTOR_CORE", 2, "dense_ffn", 80, 5, 0), ("MatMulV3", "AI_CORE", 2, "dense_ffn", 900, 33, 0),
              REDUCE, AFTER, *NEXT, ("Tiny", "AI_VECTOR_CORE", 2, "next_layer_prep", 5, 1, 0),
              ("Unique2", "AI_CPU", 17, "other", 20, 20, -10)],
    "MoE+DFC": [ATTENTION, PROJECTION, REDUCE, NORM, ("MatMulV3", "AI_CORE", 2, "moe_routing", 90, 8, 0), GATING,
                ("DispatchFFNCombine", "MIX_AIC", 2, "expert_dispatch", 2000, 150, 0), AFTER, *NEXT],
    "MoE+GMM": [ATTENTION, PROJECTION, NORM, GATING, ("hcom_alltoall_", "HCCL", 47, "ep_comm", 700, 60, 1),
                ("GroupedMatmul", "AI_CORE", 2, "expert_dispatch", 1500, 100, -30),
                ("SwiGlu", "AI_VECTOR_CORE", 2, "expert_ffn", 80, 5, 0),
                ("GroupedMatmul", "AI_CORE", 2, "expert_dispatch", 1400, 95, 0),
                ("hcom_alltoall_", "HCCL", 47, "ep_comm", 700, 55, 0), AFTER, *NEXT],
    "MoE+MDD": [ATTENTION, PROJECTION, NORM, GATING, ("MoeDistributeDispatch", "MIX_AIC", 2, "ep_comm", 300, 40, 0),
                ("MatMulV3", "AI_CORE", 2, "expert_ffn", 900, 70, 0),
                ("MoeDistributeCombine", "MIX_AIC", 2, "ep_comm", 300, 42, 0), AFTER,
                ("MatMulV3", "AI_CORE", 2, "output_head", 700, 65, 0), ("ArgMaxV2", "AI_VECTOR_CORE", 2, "sampling", 40, 9, 0)],
}
ORDER = ["Dense", "MoE+DFC", "MoE+GMM", "MoE+MDD"]
PROLOGUE = [("GatherV2", "AI_VECTOR_CORE", 2, "", 90, 8, 0), ("RmsNorm", "AI_VECTOR_CORE", 2, "", 100, 6, 0),
            ("MatMulV3", "AI_CORE", 2, "", 500, 22, 0), ("ReshapeAndCache", "AI_VECTOR_CORE", 2, "", 70, 5, 0)]


class Run:
    """passes: (phase, first layer, behind the last layer); `rows`: by device, what the model of the architecture wants."""

    def __init__(self):
        self.rank = Rank(BASE)
        self.rows = {}

    def add(self, device, passes, start_ns):
        cursor, out = start_ns, []
        for number, (phase, first, end) in enumerate(passes):
            cursor += 400 * US + 10 * US * number
            marked = []
            for op in PROLOGUE if first == 0 else []:
                cursor, row = self.kernel(device, op, phase, cursor, number)
                marked.append((row, "", -1))
            for layer in range(first, end):
                for op in LAYERS[ORDER[layer]]:
                    cursor, row = self.kernel(device, op, phase, cursor, number)
                    marked.append((row, op[3], layer))
            out.append((phase, first, end, marked))
        self.rows[device] = out
        return cursor

    def kernel(self, device, op, phase, cursor, number):
        name, core, stream, _, prefill, decode, gap = op
        start = cursor + gap * US
        length = (prefill if phase == "prefill" else decode) * US + 100 * number
        is_anchor = name == ATTENTION[0]
        self.rank.kernel(device, f"aclnn_{name}_{name}" if not name.startswith("hcom") else f"{name}_7_1@81", name, core, start,
                         length, stream=stream, shapes=(PREFILL if phase == "prefill" else DECODE) if is_anchor else "")
        return max(cursor, start + length), self.rank.kernels[device][-1]


def described():
    run = Run()
    run.add(0, [("decode", 1, 4), ("prefill", 0, 4), ("decode", 0, 4), ("decode", 0, 4), ("decode", 0, 4), ("decode", 0, 2)],
            BASE + 5_000_000)
    run.add(1, [("decode", 0, 4), ("decode", 0, 4)], BASE + 6_000_000)
    return run
