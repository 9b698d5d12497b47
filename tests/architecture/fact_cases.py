"""Small captures of models whose facts are known, as PyTorch's profiler and CANN write them. Sizes are not those of any published model.

write_all(folder) writes them and truth.json, in the form that score_facts.py reads. A fact that the capture does not hold is not
`recorded`; giving a wrong value for it is wrong all the same.
"""
import csv
import gzip
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "truth"))
import hlo  # noqa: E402
import wire  # noqa: E402
import xspace  # noqa: E402

WANTED_PERCENT = 100

BF16, HALF, FLOAT, LONG, SCALAR = "c10::BFloat16", "c10::Half", "float", "long int", "Scalar"


class Trace:
    """Events of one rank: the host goes on, and the device follows."""

    def __init__(self, **head):
        self.events, self.at, self.calls, self.external = [], 1000.0, 0, 0
        self.head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU"}], **head}

    def kernel(self, name, us=10.0, host=True):
        self.calls += 1
        if host:
            self.events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": self.at, "dur": 1,
                                "args": {"correlation": self.calls, "External id": self.external}})
        self.events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": self.at + 2, "dur": us,
                            "args": {"device": 0, "stream": 7, "correlation": self.calls, "External id": self.external}})
        self.at += us + 4

    def op(self, name, dims, types, kernels=(), values=None, inner=()):
        self.external += 1
        event = {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": self.at,
                 "args": {"External id": self.external, "Input Dims": dims, "Input type": types}}
        if values:
            event["args"]["Concrete Inputs"] = values
        start = self.at
        self.at += 1
        self.events.append(event)
        for one in inner:
            self.op(*one)
        for one in kernels:
            self.kernel(one)
        self.at += 1
        event["dur"] = self.at - start

    def scope(self, name, cat="python_function"):
        trace = self

        class Scope:
            def __enter__(self):
                self.event = {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": trace.at, "args": {}}
                self.start = trace.at
                trace.events.append(self.event)
                trace.at += 1
                return self

            def __exit__(self, *_):
                trace.at += 1
                self.event["dur"] = trace.at - self.start

        return Scope()

    def module(self, name, number):
        return self.scope(f"nn.Module: {name}_{number}")

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", compresslevel=1) as out:
            json.dump({**self.head, "traceEvents": self.events}, out)


def fact(name, value, recorded=True, accept=None):
    return {"name": name, "value": value, "recorded": recorded, "accept": accept}


GEMM = "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_64x3_tn_align8"
FLASH = ("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<96, 128, 64, 4, false, false, cutlass::bfloat16_t, "
         "pytorch_flash::Flash_kernel_traits<96, 128, 64, 4, cutlass::bfloat16_t> >, false, {}, false, false, true, true, false, false>"
         "(pytorch_flash::Flash_fwd_params)")


def linear(t, lead, wide, out, bias=False, gemm=GEMM):
    t.op("aten::linear", [[*lead, wide], [out, wide], [out] if bias else []], [BF16, BF16, BF16 if bias else ""],
         inner=[("aten::addmm" if bias else "aten::mm", [[lead[0] * lead[-1], wide], [wide, out]], [BF16, BF16], [gemm])])


DECODER = {"batch": 3, "tokens": 77, "hidden": 480, "heads": 10, "kv": 5, "size": 96, "wide": 1344, "words": 7013, "layers": 5}


def decoder_pass(t):
    batch, tokens, hidden, heads, kv, size, wide, words, layers = DECODER.values()
    lead, whole = [batch, tokens], [batch, tokens, hidden]
    with t.module("LlamaForCausalLM", 0), t.module("LlamaModel", 0):
        t.op("aten::embedding", [[words, hidden], lead, [], [], []], [BF16, LONG, SCALAR, SCALAR, SCALAR], ["indexSelectLargeIndex"])
        for layer in range(layers):
            with t.module("LlamaDecoderLayer", layer):
                with t.module("LlamaRMSNorm", 2 * layer):
                    t.op("aten::rms_norm", [whole, [], [hidden]], [BF16, "ScalarList", BF16], ["rms_norm_kernel"])
                with t.module("LlamaAttention", layer):
                    linear(t, lead, hidden, heads * size, True)
                    linear(t, lead, hidden, kv * size, True)
                    linear(t, lead, hidden, kv * size, True)
                    t.op("aten::scaled_dot_product_attention",
                         [[batch, heads, tokens, size], [batch, kv, tokens, size], [batch, kv, tokens, size], [], [], [], [], []],
                         [BF16, BF16, BF16, "", SCALAR, SCALAR, SCALAR, SCALAR], [FLASH.format("true")],
                         ["", "", "", "", "0.", "True", "0.1", "True"])
                    linear(t, lead, heads * size, hidden)
                with t.module("LlamaRMSNorm", 2 * layer + 1):
                    t.op("aten::rms_norm", [whole, [], [hidden]], [BF16, "ScalarList", BF16], ["rms_norm_kernel"])
                with t.module("LlamaMLP", layer):
                    linear(t, lead, hidden, wide)
                    with t.module("SiLU", layer):
                        t.op("aten::silu", [[batch, tokens, wide]], [BF16], ["silu_kernel"])
                    linear(t, lead, hidden, wide)
                    linear(t, lead, wide, hidden)
        # Called like layers and more often, and nothing in them attends.
        for number in range(7):
            with t.module("Tail", number), t.module("Identity", number):
                t.op("aten::tanh", [whole], [BF16], ["tanh_kernel"])


def decoder_parameters():
    batch, tokens, hidden, heads, kv, size, wide, words, layers = DECODER.values()
    attention = hidden * heads * size + heads * size + 2 * (hidden * kv * size + kv * size) + heads * size * hidden
    return layers * (attention + 3 * hidden * wide + 2 * hidden) + words * hidden + hidden


def kernel_seconds(t):
    kernels = [(e["ts"], e["ts"] + e["dur"]) for e in t.events if e["cat"] == "kernel"]
    return (max(end for _, end in kernels) - min(start for start, _ in kernels)) / 1e6


def decoder(folder):
    """A decoder of 5 layers with grouped queries, heads of 96 and a gated feed forward: one prompt pass over whole sequences."""
    t = Trace()
    batch, tokens, hidden, heads, kv, size, wide, words, layers = DECODER.values()
    decoder_pass(t)
    t.write(folder / "decoder.json.gz")
    return "decoder.json.gz", [
        fact("layers", 5), fact("hidden_size", hidden), fact("attention_heads", heads), fact("kv_heads", kv), fact("head_dim", size),
        fact("attention_kind", "GQA"), fact("gqa_ratio", 2), fact("ffn_size", wide), fact("ffn_gated", True), fact("activation", "silu"),
        fact("norm", "RMSNorm"), fact("vocab_size", words), fact("batch", batch), fact("sequence", tokens), fact("causal", True),
        fact("qkv_bias", True), fact("dtype", "bf16"), fact("moe", False), fact("mode", "inference"), fact("phases", ["prefill"]),
        fact("family", "llama"), fact("lm_head", False), fact("model_class", "LlamaForCausalLM"), fact("task", "text generation"),
        fact("attention_backend", "FlashAttention-2", accept=["flash"]), fact("device", "Test GPU"), fact("devices", 1),
        fact("framework", "PyTorch"), fact("parameters", decoder_parameters()),
        fact("tokens_per_s", batch * tokens / kernel_seconds(t)), fact("samples_per_s", batch / kernel_seconds(t))], [
            "experts", "classes", "optimizer", "tensor_parallel", "expert_ffn_size", "mfu", "active_parameters"]


def in_steps(steps, passes, of_device):
    t = Trace(deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}])
    for step in range(steps):
        with t.scope(f"ProfilerStep#{step}", "user_annotation"), t.scope(f"ProfilerStep#{step}", "gpu_user_annotation") as marker:
            for _ in range(passes):
                decoder_pass(t)
        marker.event.update(pid=0, tid=7)
        if not of_device:
            t.events.remove(marker.event)
    return t


def timed(folder):
    """The same in four steps that host and device show, on a device whose rate is published: from the host's first mark on."""
    t = in_steps(4, 1, True)
    starts = [e["ts"] for e in t.events if e["cat"] == "user_annotation"]
    ends = [e["ts"] + e["dur"] for e in t.events if e["cat"] in ("user_annotation", "gpu_user_annotation")]
    seconds = (max(ends) - min(starts)) / 1e6
    tokens = DECODER["batch"] * DECODER["tokens"]
    looked_up = DECODER["words"] * DECODER["hidden"]  # there is no head that multiplies with it
    each = 2 * (decoder_parameters() - looked_up) + 4 * DECODER["layers"] * DECODER["heads"] * DECODER["size"] * DECODER["tokens"]
    t.write(folder / "timed.json.gz")
    return "timed.json.gz", [
        fact("layers", 5), fact("steps", 4), fact("parameters", decoder_parameters()), fact("samples_per_s", 4 * DECODER["batch"] / seconds),
        # NVIDIA's data sheet: 312 TFLOP/s of bfloat16 without sparsity.
        fact("tokens_per_s", 4 * tokens / seconds), fact("mfu", 100 * 4 * tokens / seconds * each / 312e12)], ["optimizer", "active_parameters"]


def accumulated(folder):
    """Two passes a step: how much a step holds is not known."""
    in_steps(4, 2, True).write(folder / "accumulated.json.gz")
    return "accumulated.json.gz", [fact("layers", 5), fact("parameters", decoder_parameters())], ["tokens_per_s", "samples_per_s", "mfu"]


def on_the_host(folder):
    """Two steps of the host alone, after which the device may go on: what it ran says how long a pass took."""
    t = in_steps(2, 1, False)
    t.write(folder / "on_the_host.json.gz")
    tokens = DECODER["batch"] * DECODER["tokens"]
    return "on_the_host.json.gz", [
        fact("layers", 5), fact("tokens_per_s", 2 * tokens / kernel_seconds(t)),
        fact("samples_per_s", 2 * DECODER["batch"] / kernel_seconds(t))], ["active_parameters"]


def renamed(folder):
    """The same sizes under classes of which no word is known: only structure says what they are."""
    decoder(folder / "of")
    text = gzip.open(folder / "of" / "decoder.json.gz", "rt").read()
    for was, is_now in (("LlamaDecoderLayer", "Piece"), ("LlamaAttention", "Mixing"), ("LlamaMLP", "Rest"), ("LlamaRMSNorm", "Scale"),
                        ("LlamaForCausalLM", "Thing"), ("LlamaModel", "Body"), ("nn.Module: SiLU", "nn.Module: Bend")):
        text = text.replace(was, is_now)
    with gzip.open(folder / "renamed.json.gz", "wt", compresslevel=1) as out:
        out.write(text)
    return "renamed.json.gz", [
        fact("layers", 5), fact("hidden_size", 480), fact("attention_heads", 10), fact("kv_heads", 5), fact("ffn_size", 1344),
        fact("ffn_gated", True), fact("activation", "silu"), fact("norm", "RMSNorm"), fact("vocab_size", 7013), fact("moe", False),
        fact("model_class", "Thing")], ["family", "task", "experts"]


def served(folder):
    """Kernels and annotations alone: a step of prompts, one of both kinds, two that generate."""
    t = Trace()
    splitkv = ("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<64, 64, 128, 4, false, false, cutlass::bfloat16_t, "
               "Flash_kernel_traits<64, 64, 128, 4, cutlass::bfloat16_t> >, false, false, false, false, true, false, true, false>"
               "(flash::Flash_fwd_params)")
    for name in ("execute_context_2(300)_generation_0(0)", "execute_context_1(120)_generation_6(6)",
                 "execute_context_0(0)_generation_7(7)", "execute_context_0(0)_generation_7(7)"):
        with t.scope(name, "user_annotation"):
            for _ in range(4):
                t.kernel("void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*)", host=False)
                t.kernel(GEMM, host=False)
                t.kernel("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)", host=False)
                t.kernel(splitkv, 30.0, host=False)
                t.kernel("void vllm::moe::topkGating<8, 24, 4, 16, 32, int, __nv_bfloat16, (vllm::moe::ScoringFunc)0>(int)", host=False)
                t.kernel("fused_moe_kernel", host=False)
                t.kernel("void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 vllm::silu_kernel<c10::BFloat16>(int)), true>(int)",
                         host=False)
                t.kernel("fused_moe_kernel", host=False)
                t.kernel("void vllm::moe::moe_sum_kernel<c10::BFloat16, 3>(c10::BFloat16*)", host=False)
            t.kernel("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float> > >(int)", host=False)
    t.write(folder / "served.json.gz")
    return "served.json.gz", [
        fact("phases", ["decode", "mixed", "prefill"]), fact("step_phases", ["prefill", "mixed", "decode", "decode"]),
        fact("mode", "inference"), fact("moe", True), fact("experts", 24), fact("experts_per_token", 3), fact("head_dim", 64),
        fact("norm", "RMSNorm"), fact("activation", "silu"), fact("ffn_gated", True), fact("position", "rope"), fact("dtype", "bf16"),
        fact("sampling", True), fact("sampling_method", "greedy"),
        fact("layers", 4), fact("framework", "vLLM"), fact("batch", 7, False), fact("ffn_size", 0, False)], [
            "batch", "sequence", "hidden_size", "vocab_size", "optimizer"]


def training(folder):
    """An encoder that is trained: two ranks, each with all of the model."""
    t = Trace(distributedInfo={"backend": "nccl", "rank": 1, "world_size": 2, "pg_count": 1,
                               "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "pg_size": 2, "ranks": [0, 1]}]})
    batch, tokens, hidden, heads, size, wide, words = 6, 40, 192, 6, 32, 512, 911
    lead, whole = [batch, tokens], [batch, tokens, hidden]
    for step in range(2):
        with t.scope(f"ProfilerStep#{step + 4}", "user_annotation"):
            with t.scope("DistributedDataParallel.forward", "user_annotation"):
                t.op("aten::embedding", [[words, hidden], lead, [], [], []], [FLOAT, LONG, SCALAR, SCALAR, SCALAR], ["indexSelect"])
                t.op("aten::embedding", [[64, hidden], lead, [], [], []], [FLOAT, LONG, SCALAR, SCALAR, SCALAR], ["indexSelect"])
                for _ in range(3):
                    for _ in range(3):
                        t.op("aten::linear", [whole, [hidden, hidden], [hidden]], [FLOAT] * 3, ["sgemm"])
                    t.op("aten::scaled_dot_product_attention", [[batch, heads, tokens, size]] * 3 + [[]] * 5,
                         [FLOAT, FLOAT, FLOAT, "", SCALAR, SCALAR, SCALAR, SCALAR], ["fmha_cutlassF_f32_aligned_64x64_rf_sm80(int)"],
                         ["", "", "", "", "0.", "False", "", "False"])
                    t.op("aten::linear", [whole, [hidden, hidden], [hidden]], [FLOAT] * 3, ["sgemm"])
                    t.op("aten::layer_norm", [whole, [], [hidden], [hidden], [], []], [FLOAT, "", FLOAT, FLOAT, SCALAR, SCALAR],
                         ["layer_norm"])
                    t.op("aten::linear", [whole, [wide, hidden], [wide]], [FLOAT] * 3, ["sgemm"])
                    t.op("aten::gelu", [[batch, tokens, wide], []], [FLOAT, ""], ["gelu"])
                    t.op("aten::linear", [[batch, tokens, wide], [hidden, wide], [hidden]], [FLOAT] * 3, ["sgemm"])
                    t.op("aten::layer_norm", [whole, [], [hidden], [hidden], [], []], [FLOAT, "", FLOAT, FLOAT, SCALAR, SCALAR],
                         ["layer_norm"])
                t.op("aten::linear", [whole, [words, hidden], [words]], [FLOAT] * 3, ["sgemm"])
                t.op("aten::cross_entropy_loss", [[batch * tokens, words], [batch * tokens]], [FLOAT, LONG], ["nll_loss_forward"])
            for _ in range(3):
                t.op("autograd::engine::evaluate_function: AddmmBackward0", [], [], inner=[
                    ("aten::mm", [[batch * tokens, hidden], [hidden, wide]], [FLOAT, FLOAT], ["sgemm"])])
                t.op("autograd::engine::evaluate_function: ScaledDotProductAttentionBackward0", [], [],
                     ["fmha_cutlassB_f32_aligned_64x64_k64_sm80(int)"])
            with t.scope("Optimizer.step#AdamW.step", "user_annotation"):
                t.op("aten::_fused_adamw_", [], [], ["FusedAdamMathFunctor"])
    t.write(folder / "training.json.gz")
    return "training.json.gz", [
        fact("mode", "training"), fact("phases", ["training"]), fact("training_parts", ["forward", "backward", "optimizer"]),
        fact("optimizer", "AdamW"), fact("loss", "cross entropy"), fact("steps", 2), fact("sampling", False),
        fact("data_parallel", 2), fact("world_size", 2), fact("rank", 1), fact("hidden_size", hidden), fact("attention_heads", heads),
        fact("kv_heads", heads), fact("head_dim", size), fact("attention_kind", "MHA"), fact("causal", False), fact("ffn_size", wide),
        fact("ffn_gated", False), fact("activation", "gelu"), fact("norm", "LayerNorm"), fact("vocab_size", words), fact("lm_head", True),
        fact("position", "learned"), fact("max_positions", 64), fact("batch", batch), fact("sequence", tokens), fact("dtype", "fp32"),
        fact("layers", 3), fact("moe", False), fact("attention_backend", "memory-efficient", accept=["cutlass"])], [
            "experts", "tensor_parallel"]


COLUMNS = ["Step Id", "Device_id", "Model ID", "Task ID", "Stream ID", "Name", "Type", "OP State", "Accelerator Core", "Start Time(us)",
           "Duration(us)", "Wait Time(us)", "Block Dim", "Mix Block Dim", "HF32 Eligible", "Input Shapes", "Input Data Types",
           "Input Formats", "Output Shapes", "Output Data Types", "Output Formats", "Context ID"]


def ascend(folder):
    """A table of CANN: prompts of a model with experts, sequence first."""
    tokens, batch, hidden, heads, kv, size, experts, chosen, wide, words = 3000, 2, 384, 6, 2, 64, 12, 3, 208, 5003
    rows, at = tokens * batch, 1764246877347712.0
    table = []

    def add(kind, shapes, out, us=20.0):
        nonlocal at
        table.append(["0", "0", "1", len(table), "2", f"aclnn{kind}_{kind}", kind, "dynamic", "AI_CORE", f"{at:.3f}", f"{us:.3f}", "1.0",
                      "24", "0", "NO", f'"{shapes}"', ";".join(["DT_BF16"] * (shapes.count(";") + 1)), "ND", f'"{out}"', "DT_BF16",
                      "ND", "N/A"])
        at += us + 2

    add("GatherV2", f"{words},{hidden};{rows};1", f"{rows},{hidden}")
    for _ in range(4):
        add("AddRmsNorm", f"{rows},{hidden};{rows},{hidden};{hidden}", "")
        add("MatMulV3", f"{rows},{hidden};{(heads + 2 * kv) * size},{hidden}", "")
        add("ApplyRotaryPosEmb", f"{rows},{heads},{size};{rows},{kv},{size};{rows},{size};{rows},{size}", "")
        keys = f"{tokens},{batch},{kv * size}"
        queries = f"{tokens},{batch},{heads * size}"
        add("FlashAttentionScore", f"{queries};{keys};{keys};;;;2048,2048;;;", queries, 90.0)
        add("MatMulV3", f"{rows},{heads * size};{hidden},{heads * size}", "")
        add("MoeGatingTopKSoftmax", f"{rows},{experts}", f"{rows},{chosen};{rows},{chosen}")
        add("GroupedMatmul", f"{rows * chosen},{hidden};{experts},{hidden},{2 * wide}", "")
        add("SwiGlu", f"{rows * chosen},{2 * wide}", f"{rows * chosen},{wide}")
        add("GroupedMatmul", f"{rows * chosen},{wide};{experts},{wide},{hidden}", "")
    add("MatMulV3", f"{batch},{hidden};{words},{hidden}", "")
    add("ArgMaxV2", f"{batch},{words};1", "")
    path = folder / "ascend" / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    path.mkdir(parents=True)
    with open(path / "kernel_details.csv", "w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([COLUMNS, *table])
    common = words * hidden + hidden + 4 * (2 * hidden * heads * size + 2 * hidden * kv * size + 2 * hidden)
    expert = 4 * 3 * hidden * wide
    return "ascend/rank0_ascend_pt", [
        fact("parameters", common + experts * expert), fact("active_parameters", common + chosen * expert),
        fact("layers", 4), fact("hidden_size", hidden), fact("attention_heads", heads), fact("kv_heads", kv), fact("head_dim", size),
        fact("attention_kind", "GQA"), fact("experts", experts), fact("experts_per_token", chosen), fact("expert_ffn_size", wide),
        fact("moe", True), fact("vocab_size", words), fact("lm_head", True), fact("norm", "RMSNorm"), fact("activation", "swiglu"),
        fact("ffn_gated", True), fact("position", "rope"), fact("dtype", "bf16"), fact("mode", "inference"), fact("phases", ["prefill"]),
        fact("sampling", True), fact("sampling_method", "greedy"),
        fact("batch", batch), fact("sequence", tokens)], ["ffn_size", "optimizer", "family"]


def fused(folder):
    """Trained without shapes of modules: one product makes queries, keys and values, and products of the gradient look like others."""
    t = Trace()
    batch, tokens, hidden, heads, kv, size, wide, words = 2, 30, 256, 8, 2, 32, 704, 1009
    rows, whole = batch * tokens, [batch, tokens, hidden]

    def product(a, b):
        t.op("aten::addmm", [[b], [rows, a], [a, b], [], []], [HALF, HALF, HALF, SCALAR, SCALAR], ["hgemm"])

    for _ in range(2):
        t.op("aten::embedding", [[words, hidden], [batch, tokens]], [HALF, LONG], ["indexSelect"])
        for _ in range(4):
            t.op("aten::layer_norm", [whole, [], [hidden], [hidden], [], []], [HALF, "", HALF, HALF, SCALAR, SCALAR], ["layer_norm"])
            product(hidden, (heads + 2 * kv) * size)
            # What an operator calls to do the same is no other layer.
            heads_of = [[batch, heads, tokens, size], [batch, kv, tokens, size], [batch, kv, tokens, size]]
            t.op("aten::scaled_dot_product_attention", heads_of, [HALF] * 3, inner=[
                ("aten::_scaled_dot_product_flash_attention", heads_of, [HALF] * 3, [FLASH.format("true")])])
            product(heads * size, hidden)
            product(hidden, wide)
            t.op("aten::gelu", [[batch, tokens, wide]], [HALF], ["gelu"])
            product(wide, hidden)
        for _ in range(4):
            t.op("autograd::engine::evaluate_function: AddmmBackward0", [], [], inner=[
                ("aten::mm", [[rows, hidden], [hidden, wide]], [HALF, HALF], ["hgemm"])])
            t.op("autograd::engine::evaluate_function: GeluBackward0", [], [], ["gelu_backward"])
    t.write(folder / "fused.json.gz")
    return "fused.json.gz", [
        fact("hidden_size", hidden), fact("attention_heads", heads), fact("kv_heads", kv), fact("head_dim", size),
        fact("attention_kind", "GQA"), fact("ffn_size", wide), fact("ffn_gated", False), fact("activation", "gelu"),
        fact("vocab_size", words), fact("layers", 4), fact("batch", batch), fact("sequence", tokens), fact("dtype", "fp16"),
        fact("mode", "training"), fact("norm", "LayerNorm")], ["experts", "optimizer"]


S32, BF16_ARRAY = 4, 16  # of xla.PrimitiveType


def program(folder):
    """A program of JAX on a host, of which no device recorded anything: 6 layers in a loop over stacked weights."""
    batch, tokens, hidden, heads, size, wide, words, layers = 3, 20, 96, 4, 24, 400, 777, 6
    rows, scores, key = batch * tokens, [batch, heads, tokens, tokens], 0

    def of(name, opcode, dimensions, operands=(), scope="", contracts=None, batches=(), kind=BF16_ARRAY):
        nonlocal key
        key += 1
        own = wire.message(1, wire.message(30, *(hlo.numbers(i + 1, v) for i, v in enumerate(contracts)), *(
            hlo.numbers(i + 3, v) for i, v in enumerate(batches)))) if contracts else b""
        whole = hlo.instruction(key, f"{name}.{key}", opcode, hlo.shape(kind, dimensions), hlo.op_metadata(scope), operands)
        inner = wire.first(whole, 2)
        # What the helper does not write stands after it in the same message.
        extra = wire.first(own, 1) if own else b""
        return key, wire.message(2, inner + extra)

    def product(wide_in, wide_out, scope):
        a, b = of("x", "parameter", [rows, wide_in]), of("w", "parameter", [wide_in, wide_out])
        return a[1], b[1], of("dot", "dot", [rows, wide_out], [a[0], b[0]], f"jit(f)/while/body/{scope}/dot_general", ([1], [0]))[1]

    q, k = of("q", "parameter", [batch, heads, tokens, size]), of("k", "parameter", [batch, heads, size, tokens])
    body = [q[1], k[1], of("dot", "dot", scores, [q[0], k[0]], "jit(f)/while/body/attention/dot_general", ([3], [2]), ([0, 1], [0, 1]))[1]]
    for wide_in, wide_out, scope in ((hidden, 3 * hidden, "attention"), (hidden, hidden, "attention"), (hidden, wide, "mlp"),
                                     (wide, hidden, "mlp")):
        body += product(wide_in, wide_out, scope)
    # A gradient is no further product of the model.
    a, b = of("x", "parameter", [rows, wide]), of("w", "parameter", [wide, 2 * wide])
    body += [a[1], b[1], of("dot", "dot", [rows, 2 * wide], [a[0], b[0]], "jit(f)/transpose(jvp())/mlp/dot_general", ([1], [0]))[1]]
    main = [of("t", "parameter", [batch, tokens], kind=S32)[1]]
    for shape in ([layers, hidden, 3 * hidden], [layers, hidden, hidden], [layers, hidden, wide], [layers, wide, hidden]):
        main.append(of("w", "parameter", shape)[1])
    table, ids = of("emb", "parameter", [words, hidden]), of("ids", "iota", [rows, 1], kind=S32)
    main += [table[1], ids[1], of("gather", "gather", [rows, 1, hidden], [table[0], ids[0]], "jit(f)/gather")[1]]
    blob = hlo.module("jit_f", 7, hlo.computation(2, "body", *body), hlo.computation(1, "main", *main))
    plane = xspace.plane(1, "/host:metadata", xspace.stat_metadata(1, "Hlo Proto"),
                         xspace.event_metadata(7, "jit_f(7)", "", [xspace.stat(1, blob, "bytes")]))
    work = xspace.plane(2, "/host:CPU", xspace.event_metadata(1, "PjitFunction(f)"),
                        xspace.line(1, "python", [xspace.event(1, 1000, 5000)]))
    (folder / "program.xplane.pb").write_bytes(xspace.space(plane, work))
    return "program.xplane.pb", [
        fact("layers", layers), fact("hidden_size", hidden), fact("attention_heads", heads), fact("head_dim", size),
        fact("ffn_size", wide), fact("ffn_gated", False), fact("vocab_size", words), fact("batch", batch), fact("sequence", tokens),
        fact("dtype", "bf16"), fact("framework", "JAX"), fact("mode", "training")], ["experts", "family"]


def flax(folder):
    """A program of Flax on a host: modules run in scopes of their names, and each layer has products of its own."""
    key, tokens, hidden, heads, size, wide, words, layers = 0, 64, 96, 4, 24, 200, 555, 3
    body = []

    def of(name, opcode, dimensions, operands=(), scope="", contracts=None, batches=(), kind=BF16_ARRAY):
        nonlocal key
        key += 1
        own = wire.first(wire.message(1, wire.message(30, *(hlo.numbers(i + 1, v) for i, v in enumerate(contracts)), *(
            hlo.numbers(i + 3, v) for i, v in enumerate(batches)))), 1) if contracts else b""
        whole = hlo.instruction(key, f"{name}.{key}", opcode, hlo.shape(kind, dimensions), hlo.op_metadata(scope), operands)
        body.append(wire.message(2, wire.first(whole, 2) + own))
        return key

    def product(wide_in, wide_out, scope):
        a, b = of("x", "parameter", [tokens, wide_in]), of("w", "parameter", [wide_in, wide_out])
        of("dot", "dot", [tokens, wide_out], [a, b], f"jit(step)/{scope}/dot_general", ([1], [0]))

    of("gather", "gather", [tokens, 1, hidden], [of("emb", "parameter", [words, hidden]), of("ids", "iota", [tokens, 1], kind=S32)],
       "jit(step)/jvp(TextModel)/embed/take")
    for number in range(4):  # what does not attend is no layer
        product(hidden, hidden, f"jvp(TextModel)/stem_{number}/Dense_0")
    for layer in range(layers):
        at = f"jvp(TextModel)/stack/block_{layer}"
        for number in range(3):  # numbered parts of a layer are no layers
            product(hidden, hidden, f"{at}/side_{number % 2}/attention/Dense_{number}")
        heads_of = [1, heads, tokens, size]
        of("dot", "dot", [1, heads, tokens, tokens], [of("q", "parameter", heads_of), of("k", "parameter", heads_of)],
           f"jit(step)/{at}/attention/dot_general", ([3], [3]), ([0, 1], [0, 1]))
        product(hidden, hidden, f"{at}/attention/out")
        product(hidden, wide, f"{at}/mlp/Dense_0")
        product(wide, hidden, f"{at}/mlp/Dense_1")
    # The gradient of a part that runs once more has a number that no layer has.
    product(hidden, hidden, "transpose(jvp(TextModel))/stack/block_7/attention/Dense_0")
    product(hidden, words, "jvp(TextModel)/head_0")
    blob = hlo.module("jit_step", 7, hlo.computation(1, "main", *body))
    plane = xspace.plane(1, "/host:metadata", xspace.stat_metadata(1, "Hlo Proto"),
                         xspace.event_metadata(7, "jit_step(7)", "", [xspace.stat(1, blob, "bytes")]))
    work = xspace.plane(2, "/host:CPU", xspace.event_metadata(1, "PjitFunction(step)"),
                        xspace.line(1, "python", [xspace.event(1, 1000, 5000)]))
    (folder / "flax.xplane.pb").write_bytes(xspace.space(plane, work))
    return "flax.xplane.pb", [fact("layers", layers), fact("model_class", "TextModel"), fact("framework", "JAX"), fact("hidden_size", hidden),
                              fact("ffn_size", wide)], ["experts", "encoder_layers"]


def operators(folder):
    """Products without a model: nothing of layers, heads or words may be said."""
    t = Trace()
    for _ in range(12):
        t.op("aten::mm", [[512, 256], [256, 1024]], [HALF, HALF], ["cutlass_80_tensorop_f16_s16816gemm_f16_128x64_64x3_nn_align8"])
    t.write(folder / "operators.json.gz")
    return "operators.json.gz", [fact("dtype", "fp16"), fact("devices", 1)], [
        "layers", "hidden_size", "attention_heads", "kv_heads", "family", "phases", "vocab_size", "experts", "classes", "ffn_size"]


CASES = (decoder, timed, accumulated, on_the_host, renamed, served, training, fused, ascend, program, flax, operators)


def write_all(folder):
    captures = []
    for case in CASES:
        path, facts, forbidden = case(folder)
        captures.append({"path": path, "facts": facts, "forbidden": forbidden})
    truth = folder / "truth.json"
    truth.write_text(json.dumps({"captures": captures}), encoding="utf-8")
    return truth
