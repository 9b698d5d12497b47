#!/usr/bin/env python3
"""Facts of a model by the shapes of operators: each case is a trace in which one rule decides, and a twin in which it does not."""
import sys

import truth
from model_parts import HALF, OperatorFacts, activation, attention, embedding, evidence, layer_norm, linear, operator, rms_norm

class Attention(OperatorFacts):
    def test_heads_are_those_of_two_thirds_of_the_calls(self):
        for times, known in ((2, True), (3, False)):
            ops = [attention(3, 8, 8, 16, times=times), attention(2, 4, 8, 16, times=4)]
            self.holds(ops, {"attention_heads": (4, "proved", 1) if known else None, "kv_heads": (4, "proved", 1) if known else None,
                             "head_dim": (16, "proved", 1) if known else None, "batch": (2, "proved", 1) if known else None,
                             "sequence": (8, "proved", 1) if known else None})

    def test_of_calls_with_the_same_heads_the_most_frequent_says_how_long_they_are(self):
        for times, number in (((2, 2, 2), 0), ((2, 3, 3), 1), ((1, 2, 3), 2)):
            ops = [attention(batch, 4, tokens, 16, times=n) for batch, tokens, n in zip((2, 3, 5), (8, 9, 7), times)]
            self.holds(ops, {"batch": ((2, 3, 5)[number], "proved", number), "sequence": ((8, 9, 7)[number], "proved", number),
                             "attention_heads": (4, "proved", number)})

    def test_kinds_by_heads_of_keys(self):
        for heads, kv, kind, ratio in ((4, 4, "MHA", None), (4, 2, "GQA", 2), (4, 1, "MQA", 4), (1, 1, None, None), (4, 3, None, None)):
            ops = [attention(2, heads, 8, 16, kv=kv)]
            self.holds(ops, {
                "attention_heads": (heads, "proved", 0), "head_dim": (16, "proved", 0),
                "kv_heads": (kv, "proved", 0) if heads % kv == 0 else None,
                "attention_kind": (kind, "proved", 0, f": {heads} query heads to {kv} of keys") if kind else None,
                "gqa_ratio": (ratio, "proved", 0) if ratio else None})

    def test_orders_of_dimensions(self):
        """FlashAttention has the sequence before the heads; without a batch tokens come first."""
        def flash(*dims):
            return [operator("flash_attn::_flash_attn_forward", [list(d) for d in dims], [HALF] * 3)]
        self.holds(flash((3, 8, 6, 16), (3, 9, 2, 16), (3, 9, 2, 16)), {
            "attention_heads": (6, "proved", 0), "kv_heads": (2, "proved", 0), "head_dim": (16, "proved", 0), "batch": (3, "proved", 0),
            "sequence": (8, "proved", 0), "gqa_ratio": (3, "proved", 0)})
        self.holds(flash((24, 6, 16), (24, 2, 16), (24, 2, 16)), {
            "attention_heads": (6, "proved", 0), "kv_heads": (2, "proved", 0), "head_dim": (16, "proved", 0), "batch": None})
        # Of sizes, numbers of dimensions or batches that differ nothing is said.
        for dims in (((3, 8, 6, 16), (3, 8, 2, 8), (3, 8, 2, 16)), ((3, 8, 6, 16), (4, 8, 2, 16), (4, 8, 2, 16)),
                     ((3, 8, 6, 16), (3, 8, 2, 16), (3, 8, 16)), ((3, 8, 16), (3, 8, 2, 16), (3, 8, 2, 16))):
            self.holds(flash(*dims), {"attention_heads": None, "head_dim": None, "batch": None})

    def test_sequences_of_one_token_have_no_length(self):
        self.holds([attention(4, 4, 1, 16, keys=9, times=2)], {"batch": (4, "proved", 0), "sequence": None})
        self.holds([attention(4, 4, 2, 16, keys=9, times=2)], {"batch": (4, "proved", 0), "sequence": (2, "proved", 0)})

    def test_keys_that_were_repeated(self):
        """Two narrower products for each attention: four heads have two of keys."""
        for times in (5, 6, 7):
            ops = [rms_norm(64, 2), linear(32, 64, 64, times=3), linear(32, 64, 48, times=6), linear(32, 64, 32, times=times),
                   attention(4, 4, 8, 16, times=3)]
            of = 3 if times == 6 else 4
            kv = 2 if times == 6 else 4
            self.holds(ops, {"kv_heads": (kv, "proved", of), "attention_heads": (4, "proved", 4), "gqa_ratio": 2 if kv == 2 else None,
                             "attention_kind": ("GQA" if kv == 2 else "MHA", "proved", of, f": 4 query heads to {kv} of keys")})

    def test_sums_over_ranks_half_as_often_as_attention(self):
        ops = [attention(4, 4, 8, 16, kv=2, times=5)]
        for sums, world, spread in ((1, 2, False), (2, 2, True), (2, 1, False)):
            self.holds(ops, {"attention_heads_per_rank": (4, "proved", 0) if spread else None,
                             "kv_heads_per_rank": (2, "proved", 0) if spread else None,
                             "attention_heads": None if spread else (4, "proved", 0), "kv_heads": None if spread else (2, "proved", 0),
                             "attention_kind": ("GQA", "likely", 0) if spread else ("GQA", "proved", 0, ": 4 query heads to 2 of keys"),
                             "gqa_ratio": None if spread else (2, "proved", 0), "head_dim": (16, "proved", 0)},
                       [("ncclDevKernel_AllReduce_Sum_f16_RING_LL(x)", sums)], world=world)
        # Those that gather do not count, and one head of keys has no kind.
        self.holds(ops, {"attention_heads": 4}, [("ncclDevKernel_AllGather_RING_LL(x)", 9)], world=2)
        for kv, kind in ((1, None), (2, "GQA"), (4, None)):
            self.holds([attention(4, 4, 8, 16, kv=kv, times=2)], {"kv_heads_per_rank": (kv, "proved", 0), "attention_kind": kind},
                       [("ncclDevKernel_AllReduce_Sum_f16_RING_LL(x)", 2)], world=2)

    def test_causal_where_all_say_so(self):
        true, false = ", is_causal", ", not is_causal and without a mask"
        ninth = {"causal": "True", "mask": ""}
        for ops, causal in (
                ([attention(4, 4, 8, 16, causal="True"), attention(4, 4, 8, 16, keys=9, causal="False"), attention(4, 4, 9, 16, **ninth)],
                 (True, "proved", 2, true)),
                ([attention(4, 4, 8, 16, causal="True"), attention(4, 4, 9, 16, causal="False"), attention(4, 4, 7, 16, **ninth)], None),
                ([attention(4, 4, 8, 16, causal="True"), attention(4, 4, 9, 16), attention(4, 4, 7, 16, **ninth)], None),
                ([attention(4, 4, 8, 16, causal="False"), attention(4, 4, 9, 16, causal="False")], (False, "proved", 1, false)),
                ([attention(4, 4, 8, 16, causal="False", mask="bool"), attention(4, 4, 9, 16, causal="False")], None),
                ([attention(4, 4, 1, 16, causal="True")], None), ([attention(4, 4, 2, 16, causal="True")], (True, "proved", 0, true))):
            self.holds(ops, {"causal": causal})

    def test_biases_of_three_calls_in_four(self):
        norm, attends = rms_norm(64, 2), attention(4, 4, 8, 16, kv=2)
        for ops, said in (([linear(32, 64, 64, True, 3), linear(32, 64, 32, False, 1)], 0),
                          ([linear(32, 64, 64, True, 2), linear(32, 64, 32, False, 1)], None),
                          ([linear(32, 64, 128, True, 2), linear(32, 64, 32, True), linear(32, 64, 64)], 1),
                          ([linear(32, 64, 256, True, 8), linear(32, 64, 64, times=3)], None),
                          ([linear(32, 128, 64, True, 8), linear(32, 64, 64, times=3)], None)):
            # The product with 64 ends at the hidden state, too.
            made = [norm, attends, *ops]
            self.holds(made, {"qkv_bias": None if said is None else (True, "likely", 2 + said)})

    def test_latent_keys(self):
        def latent(tokens, heads, rank, times):
            return operator("vllm::unified_mla_attention", [[tokens, heads, 192], [tokens, rank], [tokens, 1, 64]], [HALF] * 3, times=times)
        for times, of in (((2, 2, 1), 0), ((2, 3, 3), 1), ((1, 1, 2), 2)):
            ops = [latent(7, heads, rank, n) for heads, rank, n in zip((16, 8, 4), (512, 256, 128), times)]
            self.holds(ops, {"attention_kind": ("MLA", "proved", of), "attention_heads": ((16, 8, 4)[of], "proved", of),
                             "kv_lora_rank": ((512, 256, 128)[of], "proved", of), "kv_heads": None, "head_dim": None})

    def test_long_shapes_are_cut_in_what_is_said(self):
        for tail, more in (([[]] * 15, False), ([[]] * 16, True)):
            ops = [operator("aten::scaled_dot_product_attention", [[100, 4, 888, 16]] * 3 + tail, [HALF] * 3)]
            self.assertEqual("…" in evidence(ops[0]), more)
            self.holds(ops, {"attention_heads": (4, "proved", 0), "batch": (100, "proved", 0)})


class Widths(OperatorFacts):
    def test_words_are_the_table_with_most_rows(self):
        tables = [embedding(500, 32, 4, 8), embedding(2000, 64, 3, 8), embedding(2000, 48, 4, 9), embedding(700, 16, 4, 7)]
        said = {"vocab_size": (2000, "likely", 1), "batch": None, "sequence": None}  # the two tables disagree
        self.holds([*tables, linear(32, 64, 128)], {"hidden_size": (64, "likely", 1), **said})
        self.holds([*tables, linear(32, 64, 128, times=2)], {"hidden_size": (64, "proved", 1), **said})
        self.holds([*tables, linear(32, 128, 64), layer_norm(64)], {"hidden_size": (64, "proved", 1), **said})
        self.holds([*tables, linear(32, 128, 96), layer_norm(64)], {"hidden_size": (64, "likely", 1), **said})
        self.holds([*tables, linear(32, 128, 96)], {"hidden_size": None, "vocab_size": None})
        self.holds([embedding(2000, 64, 4, 8), embedding(700, 16, 4, 7), linear(32, 64, 128)],
                   {"batch": (4, "proved", 0), "sequence": (8, "proved", 0)})

    def test_the_width_of_two_thirds_of_the_norms(self):
        products, attends = [linear(32, 64, 96), linear(32, 96, 64)], attention(4, 4, 8, 16)
        for times, known in ((2, True), (3, False)):
            ops = [layer_norm(48, times), rms_norm(64, 2), layer_norm(64, 2), layer_norm(16, 9), *products, attends]  # 16: over heads
            self.holds(ops, {"hidden_size": (64, "proved", 1) if known else None})
        for product in products:
            self.holds([rms_norm(64, 2), product, attends], {"hidden_size": None})
        # Norms over heads count for no width.
        heads = rms_norm(32, 9, [4, 8, 4, 32])
        self.holds([heads, rms_norm(64, 2), *products, attends], {"hidden_size": (64, "proved", 1), "qk_norm": (True, "proved", 0)})
        self.holds([rms_norm(32, 9, [4, 8, 5, 32]), rms_norm(64, 2), *products, attends], {"hidden_size": 64, "qk_norm": None})

    def test_a_width_that_products_keep_widen_and_narrow(self):
        for last, said in ((linear(32, 256, 64), (64, "possible", 0)), (linear(16, 256, 64), None), (linear(32, 256, 96), None),
                           (linear(32, 128, 64), None)):
            self.holds([linear(32, 64, 64), linear(32, 64, 256), last], {"hidden_size": said})
        self.holds([linear(32, 64, 64), linear(32, 64, 256), linear(32, 256, 64), linear(32, 96, 96), linear(32, 96, 97),
                    linear(32, 97, 96)], {"hidden_size": None})
        self.holds([linear(32, 64, 64), linear(32, 64, 64, True), linear(32, 64, 256), linear(32, 256, 64)],
                   {"hidden_size": (64, "possible", 1)})
        # Beside attention a product that keeps what its heads make is enough, or one that begins with it.
        attends = attention(4, 4, 8, 16)
        self.holds([linear(32, 48, 48), linear(32, 64, 64), attends], {"hidden_size": (64, "possible", 1)})
        self.holds([linear(32, 64, 80), linear(32, 48, 96), attends], {"hidden_size": (64, "possible", 2)})
        self.holds([linear(32, 60, 80), attends], {"hidden_size": None})

    def test_feed_forward_of_most_calls(self):
        norm, attends = rms_norm(64, 2), attention(4, 4, 8, 16)
        products = [linear(32, 64, 256), linear(32, 256, 64), linear(32, 64, 96), linear(32, 96, 64)]
        for kinds, said in ((((256, 2), (96, 2)), 256), (((256, 2), (96, 3)), 96)):
            ops = [norm, attends, *products, *(activation(name, 32, width, n) for name, (width, n) in zip(("gelu", "relu"), kinds))]
            number = 6 if said == 256 else 7
            self.holds(ops, {"ffn_size": (said, "proved", number), "activation": ("gelu" if said == 256 else "relu", "proved", number),
                             "ffn_gated": (False, "proved", number, ", one product before it")})
        # A function that no product turns back, or that none leads to.
        for lost in (0, 1):
            ops = [norm, attends, *(p for i, p in enumerate(products[:2]) if i != lost), linear(32, 64, 80), linear(32, 80, 64),
                   activation("gelu", 32, 256)]
            self.holds(ops, {"activation": ("gelu", "likely", len(ops) - 1), "ffn_size": (80, "possible", 4)})

    def test_gates(self):
        norm, attends, act = rms_norm(64, 2), attention(4, 4, 8, 16), activation("silu", 32, 256, 3)
        for up, down, gated, rest in ((6, 3, True, ", two products before it"), (3, 3, False, ", one product before it"), (5, 3, None, ""),
                                      (7, 3, None, "")):
            self.holds([norm, attends, linear(32, 64, 256, times=up), linear(32, 256, 64, times=down), act],
                       {"ffn_gated": None if gated is None else (gated, "proved", 4, rest), "ffn_size": (256, "proved", 4)})
        gate = operator("_C::silu_and_mul", [[32, 256], [32, 512]], [HALF], times=2)
        self.holds([norm, attends, linear(32, 64, 512), linear(32, 256, 64), gate],
                   {"ffn_gated": (True, "proved", 4), "ffn_size": (256, "proved", 4), "activation": ("swiglu", "proved", 4)})
        # A product that makes both halves goes with one that makes one: then nothing is known of the gate of a plain function.
        self.holds([norm, attends, linear(32, 64, 512), linear(32, 64, 256), linear(32, 256, 64), activation("silu", 32, 256)],
                   {"ffn_gated": None, "ffn_size": (256, "proved", 5)})

    def test_widening_without_a_function(self):
        norm, attends = rms_norm(64, 2), attention(4, 4, 8, 32)
        for ops, said in (([linear(32, 64, 96), linear(32, 96, 64)], (96, 1)), ([linear(16, 64, 96), linear(32, 96, 64)], None),
                          ([linear(32, 64, 128), linear(32, 128, 64)], None),  # as wide as attention
                          ([linear(32, 64, 48), linear(32, 48, 64)], None), ([linear(32, 64, 65), linear(32, 65, 64)], (65, 1)),
                          ([linear(32, 64, 96), linear(32, 96, 64), linear(32, 64, 97), linear(32, 97, 64)], None),
                          ([linear(32, 64, 96), linear(32, 96, 64), linear(32, 96, 64, True)], (96, 2))):
            made = [norm, attends, *ops]
            self.holds(made, {"ffn_size": None if said is None else (said[0], "possible", 2 + said[1]), "ffn_gated": None})
        made = [norm, attends, linear(32, 64, 96, times=4), linear(32, 96, 64, times=2)]
        self.holds(made, {"ffn_gated": (True, "possible", 3, ", two products before it")})

    def test_functions_alone(self):
        for ops, name, certainty, number in (
                ([activation("gelu", 32, 256, 2), activation("silu", 32, 128, 2)], "silu", "possible", 1),  # as often: by their order
                ([activation("silu", 32, 256, 2), activation("gelu", 32, 128, 3)], "gelu", "possible", 1),
                ([activation("relu", 32, 256, 2), activation("relu", 32, 128, 9)], "relu", "likely", 0)):
            self.holds(ops, {"activation": (name, certainty, number), "ffn_gated": None})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
