#!/usr/bin/env python3
"""Facts of a model by the names of kernels and their template arguments, where no shapes are on record."""
import sys

import truth
from model_parts import PartsCase


def flash(size, dropout="false", causal="true", local="false"):
    return f"void flash_fwd_kernel<Flash_fwd_kernel_traits<{size}, 64, 64, 4>, {dropout}, {causal}, {local}, true>(Params)"


class KernelFacts(PartsCase):
    def holds(self, kernels, **expected):
        """`expected`: by name (value, certainty, number of the kernel that says so, more of the evidence), a value alone, or None."""
        found = self.facts(self.trace(kernels=kernels))
        for name, value in expected.items():
            if not isinstance(value, tuple):
                self.assertEqual(found.get(name, (None,))[0], value, (name, kernels))
                continue
            value, certainty, number, *rest = value
            kernel, times = kernels[number]
            cut = kernel[:160] + ("…" if len(kernel) > 160 else "")
            self.assertEqual(found.get(name), (value, certainty, f"{times} x {cut}" + "".join(rest)), (name, kernels))


class Attention(KernelFacts):
    def test_libraries_of_most_calls(self):
        fa, fi, vllm = "flash_fwd_kernel", "BatchDecodeWithPagedKVCacheKernel", "paged_attention_v1_kernel"
        for times, number, name in (((2, 2, 2), 0, "FlashAttention-2"), ((2, 3, 3), 1, "FlashInfer"), ((2, 2, 3), 2,
                                                                                                       "paged attention (vLLM)")):
            self.holds([*zip((fa, fi, vllm), times)], attention_backend=(name, "likely", number))
        # The calls of kernels of one library add up, and the first of them says so.
        self.holds([(fi, 3), ("flash_fwd_a", 2), ("flash_fwd_b", 2)], attention_backend=("FlashAttention-2", "likely", 1))
        self.holds([("flash_fwd_mla_combine", 9), (fi, 1)], attention_backend=("FlashAttention-2", "likely", 0))
        self.holds([("paged_attention_ragged", 9), (fi, 1)], attention_backend=("FlashInfer", "likely", 1))

    def test_libraries_of_experts(self):
        """Of several none is sure; DeepEP comes with DeepGEMM."""
        marlin, fused, deep, gemm = "marlin_moe_wna16", "fused_moe_kernel", "deep_ep::internode::x", "deep_gemm::y"
        self.holds([(marlin, 2)], moe_backend=("Marlin", "likely", 0))
        self.holds([(marlin, 2), (fused, 3), (gemm, 3)], moe_backend=("DeepGEMM", "possible", 2))
        self.holds([(marlin, 2), (gemm, 3), (deep, 1)], moe_backend=("DeepEP + DeepGEMM", "likely", 2))

    def test_sizes_of_heads(self):
        less = ": or somewhat less"
        for name, size in ((flash(128), 128), (flash(15), None), (flash(16), 16), (flash(512), 512), (flash(513), None),
                           ("void flash_bwd_x<Flash_bwd_kernel_traits<96, 64>>(P)", 96),
                           ("CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<2>, cute::C<1>>, cute::tuple<cute::C<32>, "
                            "cute::C<48>, cute::C<80>, cute::C<99>>>", 80),
                           ("fmha_cutlassF_bf16_aligned_64x128_rf_sm80", 128), ("fmha_cutlassF_bf16_aligned_rf_sm80", None),
                           ("cudnn_sdpa_sm90_flash_fprop_wgmma_knob_7_64x128x96_4x1x1", 96), ("sdpa_sm90_bprop_knob_7_64x128x96", None),
                           ("FmhaFwd<TileFmhaShape<ck_tile::sequence<128, 64, 32, 96, 16, 96>, 1>>", 96),
                           ("FmhaFwd<TileFmhaShape<ck_tile::sequence<128, 64, 32, 96, 16, 48>, 1>>", None),
                           ("BlockFmhaBwdOGradDotOPipelineProblem<float, half, 64, 80, true>", 80),
                           ("void vllm::paged_attention_v1_kernel<unsigned short, __half, 112, 16, 128>(x)", 112),
                           ("void vllm::paged_attention_v2_kernel<unsigned short, 96u, 16, 128>(x)", 96),
                           ("fmhaSm100aKernel_QkvBfloat16OBfloat16H64PagedKvP16", 64)):
            self.holds([(name, 3)], head_dim=(size, "possible", 0, less) if size else None)
        self.holds([(flash(128), 3), (flash(64), 2)], head_dim=None)
        self.holds([("x", 1), (flash(64, causal="false"), 3), (flash(64), 2)], head_dim=(64, "possible", 1, less))

    def test_groups_of_heads(self):
        """<…, block, size, 256, alibi, query heads to one of keys, …>"""
        name = "void paged_attention_ll4mi_QKV_mfma16_kernel<{}, half, 16, 128, 256, {}, {}, 1>(x)"
        for ratio, kind, sure in ((4, "GQA", "possible"), (1, "MHA", "likely")):
            self.holds([(name.format("a", "false", ratio), 2)], gqa_ratio=(ratio, "likely", 0), attention_kind=(kind, sure, 0),
                       head_dim=(128, "possible", 0, ": or somewhat less"))
        self.holds([(name.format("a", "false", 0), 2)], gqa_ratio=None, head_dim=128)
        self.holds([(name.format("a", "maybe", 4), 2)], gqa_ratio=None, head_dim=None)
        self.holds([(name.format("a", "true", 2), 2), (name.format("b", "true", 4), 2)], gqa_ratio=(2, "likely", 0))

    def test_causal_where_all_kernels_say_so(self):
        for kernels, said in (([flash(64), flash(64, "true")], (True, "likely", 0)), ([flash(64), flash(64, causal="false")], None),
                              ([flash(64, causal="false")], (False, "likely", 0)), ([flash(64, causal="false", local="true")], None),
                              (["a", "x::SimplifiedGenericAttentionMask<true>"], (True, "likely", 1)),
                              (["fmhaSm100H64Causal"], (True, "likely", 0)), (["fmhaSm100H64"], None)):
            self.holds([(name, 2) for name in kernels], causal=said)

    def test_windows_that_slide(self):
        sliding, whole = "fmhaSm100aKernel_H64SlidingOrChunkedCausal", "fmhaSm100aKernel_H64Causal"
        for counts, said in (((3, 2), 3), ((3, 0), None), ((0, 3), None)):
            kernels = [(name, n) for name, n in zip((sliding, whole), counts) if n]
            found = self.facts(self.trace(kernels=kernels))
            text = f"3 x SlidingOrChunkedCausal of {sum(counts)}"
            self.assertEqual(found.get("sliding_window_layers"), said and (said, "likely", text))

    def test_latent_attention(self):
        for arguments, rank in (("576, 64, 64, 8, type, 512", 512), ("576, 64, 64, 8, type, 576", None), ("576, 64, 64, 8", None)):
            self.holds([(f"flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<{arguments}>>", 2)],
                       attention_kind=("MLA", "likely", 0), kv_lora_rank=(rank, "likely", 0) if rank else None, head_dim=None)

    def test_caches_and_positions(self):
        self.holds([("reshape_and_cache<(Fp8KVCacheDataType)1>", 2), ("rotary_embedding_kernel", 3), ("fused_rope_forward", 4)],
                   kv_cache_dtype=("fp8 (e4m3)", "likely", 0), position=("rope", "likely", 1))
        self.holds([("reshape_and_cache<(Fp8KVCacheDataType)2>", 2)], kv_cache_dtype=("fp8 (e5m2)", "likely", 0), position=None)
        self.holds([("reshape_and_cache<(Fp8KVCacheDataType)0>", 2)], kv_cache_dtype=None)

    def test_long_names_are_cut(self):
        for length in (160, 161):
            self.holds([("flash_fwd_" + "x" * (length - 10), 2)], attention_backend=("FlashAttention-2", "likely", 0))


class Experts(KernelFacts):
    def test_numbers_of_experts(self):
        for name, experts in (("topkGatingSoftmax<4, 64, 8>", 64), ("topkGating<4, 1, 8>", None), ("topkGating<4, 2, 8>", 2),
                              ("routingIndices<KernelParams<float, 1, 128, 8>>", 128), ("moe::routing::x<KernelParams<half, 64>>", 64)):
            self.holds([("a", 1), (name, 2)], experts=(experts, "likely", 1) if experts else None)
        self.holds([("topkGating<4, 64, 8>", 2), ("topkGating<2, 64, 4>", 2)], experts=(64, "likely", 0))
        self.holds([("topkGating<4, 64, 8>", 2), ("topkGating<2, 32, 4>", 2)], experts=None)

    def test_experts_of_a_token(self):
        for name, each in (("moe_sum_kernel<half, 6>", 6), ("moe_sum_kernel<half, 0>", None), ("moe_sum_kernel<half, float, 6>", None),
                           ("moe_permute_kernel<half, float, 6, 3>", 6), ("moe_unpermute_kernel<half, float, 5>", 5),
                           ("moe_permute_kernel<half, 6>", None)):
            self.holds([(name, 2)], experts_per_token=(each, "likely", 0) if each else None)
        self.holds([("moe_sum_kernel<half, 6>", 2), ("moe_sum_kernel<half, 4>", 3)], experts_per_token=(6, "likely", 0))

    def test_what_is_dispatched(self):
        for name, width in (("dispatch<true, 255, 4>", None), ("dispatch<true, 256, 4>", 256), ("combine<300, 7, 300>", 300),
                            ("combine<300, 400>", None)):
            self.holds([("deep_ep::internode_ll::" + name, 2)], hidden_size=(width, "likely", 0) if width else None)

    def test_products_of_groups(self):
        """m, n, k, groups; the one that ends with the hidden state, and where it begins with it another as wide twice."""
        def gemm(n, k, groups, kind=1):
            return f"deep_gemm::sm90_fp8_gemm_1d2d_impl<(cute::UMMA::Major)0, 0, {n}, {k}, {groups}, 128, (deep_gemm::GemmType){kind}>", 2
        sent = ("deep_ep::internode_ll::dispatch<true, 512, 4>", 2)
        for products, number, width, groups in (([gemm(1024, 512, 8), gemm(512, 256, 4)], 2, 256, 4), ([gemm(512, 512, 8)], None, None,
                                                                                                       None),
                                                ([gemm(1024, 512, 8), gemm(512, 512, 4)], 2, 512, 4), ([gemm(512, 256, 1)], None, None,
                                                                                                       None),
                                                ([gemm(512, 256, 2, 0)], None, None, None), ([gemm(512, 256, 2, 2)], 1, 256, 2),
                                                ([gemm(512, 256, 2), gemm(512, 128, 3)], 1, 256, 2)):
            self.holds([sent, *products], hidden_size=(512, "likely", 0),
                       expert_ffn_size=(width, "likely", number) if width else None,
                       experts_per_rank=(groups, "likely", number) if width else None, weight_format=("fp8", "likely", 1))

    def test_formats_of_weights(self):
        for name, said, sure in (("bmm_E2m1_x", "nvfp4", "possible"), ("bmm_MxE2m1_x", "mxfp4", "likely"), ("bmm_E4m3_x", None, ""),
                                 ("matmul_xmxfp4", "mxfp4", "likely"), ("deep_gemm::bf16_gemm", None, "")):
            self.holds([(name, 2)], weight_format=(said, sure, 0) if said else None)


class Rest(KernelFacts):
    def test_norms(self):
        for kernels, said in (([("rms_norm_a", 2), ("LayerNormKernel", 2)], ("LayerNorm", "possible", 1)),
                              ([("rms_norm_a", 2), ("rms_norm_b", 1), ("LayerNormKernel", 2)], ("RMSNorm", "possible", 0)),
                              ([("triton_red_fused_add_mean_mul_pow_rsqrt_0", 2)], ("RMSNorm", "likely", 0)),
                              ([("triton_red_fused_add_mean_mul_rsqrt_0", 2)], None), ([("bn_fw_tr", 2)], ("BatchNorm", "likely", 0)),
                              ([("group_norm_x", 2)], ("GroupNorm", "likely", 0))):
            self.holds(kernels, norm=said)
        parts = [("flash_fwd_x", 2), ("pow_tensor_scalar_a", 2), ("pow_tensor_scalar_b", 1), ("MeanOps", 2), ("rsqrt_kernel", 2)]
        self.holds(parts, norm=("RMSNorm", "likely", 2, ", mean and rsqrt"))
        for lost in (0, 3, 4):
            self.holds([k for i, k in enumerate(parts) if i != lost], norm=None)

    def test_functions(self):
        attends = ("flash_fwd_x", 2)
        for kernels, said in (([("silu_kernel", 2), ("gelu_kernel", 2)], ("gelu", "possible", 1)),
                              ([("silu_kernel", 3), ("gelu_kernel", 2)], ("silu", "possible", 0)), ([("relu_kernel", 2)], None),
                              ([("silu_backward", 3), ("gelu_kernel", 2)], ("gelu", "likely", 1)),
                              ([("act_and_mul_kernel<silu>", 2)], ("silu", "likely", 0)), ([("gemm_relu", 2)], None)):
            self.holds(kernels, activation=said, ffn_gated=None)
        self.holds([("act_and_mul_kernel<silu>", 2), attends], ffn_gated=(True, "likely", 0))
        for products, gated in ((1, None), (2, True)):
            self.holds([("silu_kernel", 2), ("at::MulFunctor", products), attends],
                       ffn_gated=gated and (True, "possible", 0, ", each with a product of its size"))

    def test_types(self):
        for kernels, said in (([("gemm_bf16", 2), ("gemm_half", 2)], ("bf16", "possible", 0)),
                              ([("gemm_half", 3), ("gemm_bf16", 2)], ("fp16", "possible", 0)),
                              ([("sgemm_a", 9), ("gemm_bf16", 2)], ("bf16", "likely", 1)),
                              ([("sgemm_a", 9), ("gemm_bf16", 2), ("gemm_half", 1)], ("fp32", "possible", 0)),
                              ([("copy_bf16", 9), ("sgemm_a", 2)], ("fp32", "likely", 1)), ([("gemm_int8", 9)], None)):
            self.holds(kernels, dtype=said)

    def test_norms_of_queries_and_keys(self):
        """Two norm kernels, each twice as often as attention."""
        for counts, known in (((4, 4), True), ((4, 3), False), ((2, 2), False), ((4, 4, 4), False)):
            kernels = [("flash_fwd_x", 2), *((f"rms_norm_{n}", times) for n, times in enumerate(counts))]
            self.holds(kernels, qk_norm=(True, "possible", 1, " beside another such kernel") if known else None)

    def test_state_spaces(self):
        """Scans stand for layers beside those of attention."""
        self.holds([("selective_scan_a", 2), ("selective_scan_b", 3), ("flash_fwd_x", 2)], ssm_layers=(5, "possible", 1),
                   attention_layers=(2, "possible", 1), layers=(7, "possible", 1))
        self.holds([("flash_fwd_x", 2)], ssm_layers=None, attention_layers=None)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
