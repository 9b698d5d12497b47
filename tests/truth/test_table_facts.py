#!/usr/bin/env python3
"""Facts of a model by the shapes of a table of kernels: each case is a table in which one rule decides."""
import sys

import truth
from model_parts import PartsCase

WORDS = ("GatherV2", "1000,64;4,8", "", "", 1)
SUMS = "2,4,8,8"  # of FlashAttentionScore: batch, heads, queries, 8


def row(op_type, shapes, out="", types="DT_BF16;DT_BF16", times=1):
    return op_type, shapes, out, types, times


def product(rows, into, out, bias=None, times=1, types="DT_BF16;DT_BF16"):
    return row("MatMulV3", f"{rows},{into};{out},{into}" + (f";{bias}" if bias else ""), types=types, times=times)


class TableFacts(PartsCase):
    def holds(self, rows, *names):
        """The facts of these names are those of `names`: (name, value, certainty, number of the row that says so, more of the
        evidence), (name, value) or a name alone where it must not be there."""
        found = self.facts(self.table(rows))
        for name, *value in ((name,) if isinstance(name, str) else name for name in names):
            if len(value) < 3:
                self.assertEqual(found.get(name, (None,))[0], value[0] if value else None, (name, rows))
                continue
            value, certainty, number, *rest = value
            op_type, shapes, _, _, times = rows[number]
            cut = shapes[:120] + "…" if len(shapes) > 120 else shapes
            self.assertEqual(found.get(name), (value, certainty, f'{times} x {op_type} "{cut}"' + "".join(rest)), (name, rows))


class Attention(TableFacts):
    def test_sums_say_what_is_what(self):
        """[B, N, S, 8] of its results; another last size is none."""
        self.holds([row("FlashAttentionScore", "8,2,64;8,2,32;8,2,32", SUMS, times=3)], ("attention_heads", 4, "proved", 0),
                   ("kv_heads", 2, "proved", 0), ("head_dim", 16, "proved", 0), ("batch", 2, "proved", 0), ("sequence", 8, "proved", 0),
                   ("gqa_ratio", 2, "proved", 0), ("attention_kind", "GQA", "proved", 0, ": 4 query heads to 2 of keys"))
        self.holds([row("FlashAttentionScore", "8,2,64;8,2,64;8,2,64", "2,4,8,7", times=3)], "attention_heads", "batch", "hidden_per_rank")
        self.holds([row("FlashAttentionScore", "8,2,64;8,2,64;8,2,64", "2,3,8,8", times=3)], "attention_heads",
                   "head_dim", ("batch", 2, "proved", 0))

    def test_four_dimensions(self):
        fused = "FusedInferAttentionScore"
        for q, k, rotary, heads, kv, batch, queries in (
                ("3,6,5,16", "3,2,7,16", None, 6, 2, 3, 5), ("3,6,5,16", "3,6,5,16", None, 6, 6, 3, 5),
                ("3,6,5,16", "3,2,7,16", "15,5,16;15,1,16", 5, 2, 3, 6), ("3,6,5,16", "3,6,2,16", "15,5,16;15,1,16", 5, 2, 3, 6),
                ("3,6,5,16", "3,2,7,16", "15,6,16;15,2,16", 6, 2, 3, 5)):
            rows = [row(fused, f"{q};{k};{k}", times=3), *([row("ApplyRotaryPosEmb", rotary)] if rotary else [])]
            self.holds(rows, ("attention_heads", heads, "proved", 0), ("head_dim", 16, "proved", 0), ("batch", batch, "proved", 0),
                       ("sequence", queries, "proved", 0), ("kv_heads", kv, "proved", 0) if heads % kv == 0 else "kv_heads")
        # As many queries as heads of keys, in either order; a cache of blocks; a model with twice the heads of keys as queries.
        rotary = [row("ApplyRotaryPosEmb", "6,8,16;6,4,16")]
        for shapes, more, heads, kv in (("3,8,1,16;3,1,4,16", [], 8, 1), ("3,8,4,16;3,4,7,16", [], 8, 4), ("3,2,8,16;3,7,4,16", rotary, 8, 4),
                                        ("3,2,8,16;3,2,4,16", rotary, 8, 4), ("3,2,8,16;90,4,128,16", rotary, 8, 4),
                                        ("3,8,2,16;90,4,128,16", rotary, 8, 4)):
            q, k = shapes.split(";")
            self.holds([row(fused, f"{q};{k};{k}", times=3), *more], ("attention_heads", heads, "proved", 0), ("kv_heads", kv, "proved", 0))
        # A cache of blocks: [blocks, block, heads of keys x size].
        for width, kv in ((32, 2), (64, 4), (40, None)):
            self.holds([row(fused, f"3,4,1,16;100,128,{width};100,128,{width}", times=3)], ("attention_heads", 4, "proved", 0),
                       ("kv_heads", kv, "proved", 0) if kv else "kv_heads", "sequence", ("batch", 3, "proved", 0))

    def test_three_dimensions(self):
        """Tokens, heads and size where rotary positions have the same, or where as many keys have fewer heads."""
        score = "FusedInferAttentionScore"
        rotary = row("ApplyRotaryPosEmb", "32,8,16;32,2,16")
        self.holds([row(score, "32,8,16;32,2,16;32,2,16", times=3)], ("attention_heads", 8, "proved", 0), ("kv_heads", 2, "proved", 0),
                   ("head_dim", 16, "proved", 0), "batch")
        self.holds([row(score, "32,8,16;100,128,16;100,128,16", times=3), rotary], ("attention_heads", 8, "proved", 0),
                   ("head_dim", 16, "proved", 0), "batch")
        for key in ("31,2,16", "32,2,15", "32,3,16", "32,8,16", "32,9,16"):
            self.holds([row(score, f"32,8,16;{key};{key}", times=3)], "attention_heads", "head_dim")

    def test_masks_say_which_is_the_sequence(self):
        norm = row("RmsNorm", "8,4,4,16;16")
        for mask, batch, queries in (("8,8", 4, 8), ("4,4", 8, 4), ("1,1,8,8", 4, 8), ("8,4", None, None), ("16,16", None, None)):
            rows = [row("FusedInferAttentionScore", f"8,4,64;8,4,64;8,4,64;;{mask}", times=3), norm]
            self.holds(rows, *([("batch", batch, "proved", 0), ("sequence", queries, "proved", 0), ("attention_heads", 4, "proved", 1)]
                               if batch else ["batch", "sequence"]))
        self.holds([row("FusedInferAttentionScore", "8,4,64;8,4,64;8,4,64;;8,8", times=3)], ("hidden_per_rank", 64, "likely", 0))
        # Masks that are compressed are 2048 x 2048, too.
        for mask, queries in (("2048,2048", None), ("1,2048,2048", 2048)):
            rows = [row("FusedInferAttentionScore", f"2048,4,64;2048,4,64;2048,4,64;{mask}", times=3), norm]
            self.holds(rows, ("sequence", queries), ("batch", 4 if queries else None))
        rows = [row("FusedInferAttentionScore", "8,8,64;8,8,64;8,8,64;8,8", times=3), norm]
        self.holds(rows, "batch", "sequence")

    def test_tokens_say_which_is_the_sequence(self):
        for ids, known in (("4,8", True), ("8,4", True), ("4,7", False), ("32", False)):
            rows = [row("GatherV2", f"1000,512;{ids}"), row("FusedInferAttentionScore", "8,4,512;8,4,512;8,4,512", times=3),
                    row("RmsNorm", "8,4,8,64;64")]
            self.holds(rows, ("attention_heads", 8 if known else None), ("head_dim", 64 if known else None))

    def test_what_is_sixteen_times_as_long_is_the_sequence(self):
        for shape, batch, queries in (("64,4,512", 4, 64), ("4,64,512", 4, 64), ("63,4,512", None, None), ("64,4,256", None, None),
                                      ("64,4,257", 4, 64)):
            rows = [row("FlashAttentionScore", f"{shape};{shape};{shape}", times=3)]
            self.holds(rows, *([("batch", batch, "possible", 0), ("sequence", queries, "possible", 0)] if batch else ["batch", "sequence"]))
        self.holds([row("FusedInferAttentionScore", "64,4,512;64,4,512;64,4,512", times=3)], "batch", "sequence")

    def test_compressed_masks_are_causal(self):
        q = "8,2,64;8,2,64;8,2,64"
        for mask, out, causal in (("2048,2048", SUMS, True), ("2047,2047", SUMS, False), ("2048,2047", SUMS, False), ("2048", SUMS, False),
                                  ("2048,2048", "2,4,2048,8", False)):
            rows = [row("FlashAttentionScore", f"{q};;;{mask}", out, times=3)]
            text = ", is_causal"
            self.holds(rows, ("causal", True, "proved", 0, text) if causal else "causal")
        self.holds([row("FlashAttentionScore", "8,2,64;8,2,64;2048,2048", SUMS, times=3)], "causal")  # values, not a mask

    def test_phases_of_long_and_short_queries(self):
        fused, flash = "FusedInferAttentionScore", "FlashAttentionScore"
        self.holds([row(fused, "3,4,8,16;3,4,8,16;3,4,8,16", times=3)], ("phases", ["decode"], "likely", 0))
        self.holds([row(fused, "3,4,9,16;3,4,9,16;3,4,9,16", times=3)], "phases")
        for queries, phases in ((8, None), (9, ["prefill"])):
            rows = [row(flash, f"{queries},2,64;{queries},2,64;{queries},2,64", f"2,4,{queries},8", times=3)]
            self.holds(rows, ("phases", phases, "possible", 0) if phases else "phases")
        rows = [row(flash, "9,2,64;9,2,64;9,2,64;2048,2048", "2,4,9,8", times=3)]
        self.holds(rows, ("phases", ["prefill"], "likely", 0))

    def test_rotary_positions(self):
        rope = ("position", "rope", "proved", 0)
        for shapes, heads, kv in (("32,8,16;32,2,16", 8, 2), ("4,7,8,16;4,7,2,16", 8, 2), ("32,8,16;32,2,15", None, None),
                                  ("32,8,16;32,1,2,16", None, None), ("32,128;32,32", None, None)):
            rows = [row("ApplyRotaryPosEmb", shapes, times=2)]
            self.holds(rows, *([("attention_heads", heads, "proved", 0), ("kv_heads", kv, "proved", 0), ("head_dim", 16, "proved", 0), rope]
                               if heads else ["attention_heads", "kv_heads", "head_dim"]))
        # One for queries, one for keys: those with fewer heads are keys, the first of them.
        def one(heads):
            return row("RotaryPositionEmbedding", f"8,4,{heads},16;8,1,1,16")
        self.holds([one(6), one(2), one(3)], ("attention_heads", 6, "proved", 0), ("kv_heads", 2, "proved", 1), ("gqa_ratio", 3, "proved",
                                                                                                                 1))
        again = row("RotaryPositionEmbedding", "9,4,6,16;8,1,1,16")
        self.holds([one(6), again, one(3)], ("attention_heads", 6, "proved", 0), ("kv_heads", 3, "proved", 2))
        self.holds([row("RotaryPositionEmbedding", "8,4,16;8,1,16")], "attention_heads", "head_dim")

    def test_long_shapes(self):
        """120 letters of them are shown."""
        for more in (0, 1):
            shapes = "2,4,8,16;2,4,8,16;".ljust(119 + more, ";") + "9"
            self.assertEqual(len(shapes), 120 + more)
            self.holds([row("FusedInferAttentionScore", shapes, times=3)], ("attention_heads", 4, "proved", 0))


class Parts(TableFacts):
    def test_products(self):
        """Weights are [out, in], or [in, out] where nothing trains; a training step multiplies gradients so."""
        norm = row("RmsNorm", "32,64;64", times=2)
        gate = row("SwiGlu", "32,192")
        for up, trains, known in ((row("MatMulV3", "32,64;192,64"), False, True), (row("MatMulV3", "32,64;64,192"), False, True),
                                  (row("MatMulV3", "32,64;64,192"), True, False), (row("MatMulV3", "32,64;192,64"), True, True),
                                  (row("QuantBatchMatmulV3", "32,64;192,64"), False, True), (row("MatMulV3", "32,64;63,192"), False, False),
                                  (row("BatchMatMulV2", "32,64;192,64"), False, False), (row("MatMulV3", "2,16,64;192,64"), False, False)):
            rows = [WORDS, norm, up, product(32, 96, 64), gate, *([row("ApplyAdamW", "64")] if trains else [])]
            self.holds(rows, *([("ffn_size", 96, "proved", 4), ("ffn_gated", True, "proved", 4), ("activation", "swiglu", "proved", 4)]
                               if known else ["ffn_size", ("activation", "swiglu", "likely", 4)]))

    def test_biases(self):
        attends = row("FlashAttentionScore", "8,4,64;8,4,64;8,4,64", "4,4,8,8", times=3)
        for bias, known in (("64", True), ("32", False), ("1,64", False), (None, False)):
            rows = [WORDS, attends, product(32, 64, 64, bias, 3), product(32, 64, 64)]
            self.holds(rows, ("qkv_bias", True, "likely", 2) if known else "qkv_bias")

    def test_functions(self):
        for op_type, name, width, gated in (("Gelu", "gelu", 256, False), ("FastGelu", "gelu", 256, False), ("GeluV2", "gelu", 256, False),
                                            ("Relu", "relu", 256, False), ("Swish", "silu", 256, False), ("Silu", "silu", 256, False),
                                            ("GeGluV3", "geglu", 128, True), ("SwiGlu", "swiglu", 128, True)):
            rows = [WORDS, product(32, 64, 256), product(32, width, 64), row(op_type, "32,256", times=2)]
            self.holds(rows, ("activation", name, "proved", 3), ("ffn_size", width, "proved", 3),
                       ("ffn_gated", gated, "proved", 3, *(() if gated else (", one product before it",))))

    def test_tables_of_words(self):
        for shapes, known in (("999,64;4,8", False), ("1000,64;4,8", True), ("1000,64;4,8,1", False), ("1000,64", False),
                              ("1000,8,64;4,8", False), ("1000,64;32", True)):
            rows = [row("GatherV2", shapes), product(32, 64, 128, times=2)]
            self.holds(rows, *([("hidden_size", 64, "proved", 0), ("vocab_size", 1000, "likely", 0)] if known
                               else ["hidden_size", "vocab_size"]))

    def test_norms(self):
        """The first input of one dimension is the weight; of four dimensions the third counts heads."""
        attends = row("FlashAttentionScore", "8,4,64;8,4,64;8,4,64", "4,4,8,8", times=3)
        rows = [row("GatherV2", "1000,64;4,8"), row("RmsNorm", "32,64;64", times=2), row("RmsNorm", "8,4,4,16;16", times=9),
                row("RmsNorm", "8,4,5,16;16", times=9), attends]
        self.holds(rows, ("qk_norm", True, "proved", 2), ("hidden_size", 64, "likely", 0), ("norm", "RMSNorm", "proved", 1))
        self.holds([row("LayerNormV4", "32,64;64;64", times=2), row("AddRmsNorm", "32,64;32,64;64", times=2)],
                   ("norm", "RMSNorm", "likely", 1))
        self.holds([row("LayerNormV4", "32,64;64;64", times=3), row("AddRmsNorm", "32,64;32,64;64", times=2)],
                   ("norm", "LayerNorm", "likely", 0))
        self.holds([rows[0], row("RmsNorm", "32,64", times=2)], ("hidden_size", 64, "likely", 0))

    def test_experts(self):
        for shapes, out, experts, top in (("32,16", "32,4;32,4", 16, 4), ("32,16", "32,16", 16, 16), ("32,16", "32,17", 16, None),
                                          ("32,16", "31,4", 16, None), ("32,16", "32", 16, None), ("2,16,16", "32,4", None, None)):
            rows = [WORDS, row("MoeGatingTopKSoftmax", shapes, out, times=2)]
            self.holds(rows, ("experts", experts, "proved", 1) if experts else "experts",
                       ("experts_per_token", top, "proved", 1) if top else "experts_per_token")
        rows = [WORDS, product(32, 64, 1000), row("GroupedMatmul", "128,64;8,64,96"), row("GroupedMatmul", "128,48;8,48,64"),
                row("SwiGlu", "128,96"), row("SwiGlu", "127,64")]
        self.holds(rows, ("experts_per_rank", 8, "proved", 2), ("expert_ffn_size", 48, "proved", 4), ("moe", True, "proved", 2), "ffn_size")

    def test_types_of_the_first_input(self):
        for types, said, sure, number in ((("DT_BF16;DT_FLOAT", "FLOAT16;DT_BF16", "DT_BF16;DT_FLOAT"), "bf16", "likely", 0),
                                          (("FLOAT16;DT_BF16", "DT_BF16;FLOAT16", "FLOAT16;INT8"), "fp16", "likely", 0),
                                          (("FLOAT;DT_BF16", "FLOAT;DT_BF16", "FLOAT;INT8"), "fp32", "proved", 0),
                                          (("INT8;DT_BF16", "INT8;DT_BF16", "DT_BF16;INT8"), "bf16", "proved", 2)):
            rows = [product(32, 64 + n, 128, types=kind) for n, kind in enumerate(types)]
            self.holds(rows, ("dtype", said, sure, number))

    def test_classes(self):
        for op_type, shapes, name, value in (("ArgMaxV2", "4,1000", "vocab_size", 1000), ("ArgMaxV2", "4,255", "vocab_size", None),
                                             ("ArgMaxV2", "4,2,1000", "vocab_size", None), ("LogSoftmaxV2", "4,1000", "classes", 1000),
                                             ("SoftmaxCrossEntropyWithLogits", "4,10", "classes", 10)):
            self.holds([product(32, 64, 128), row(op_type, shapes)], (name, value))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
