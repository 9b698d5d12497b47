#!/usr/bin/env python3
"""Sizes of a model by the shapes of operators: its words, lengths, positions, norms, types, experts, pictures and features."""
import sys

import truth
from model_parts import HALF, OperatorFacts, activation, attention, embedding, layer_norm, linear, operator, rms_norm


def logits(name, rows, classes, times=1):
    return operator("aten::" + name, [[rows, classes]], ["float"], times=times)


def convolution(dims, weight, times=1, kind=HALF):
    return operator("aten::conv2d", [dims, weight, []], [kind] * 2, times=times)


class Words(OperatorFacts):
    def test_a_table_of_words_has_256_rows(self):
        for rows, known in ((255, False), (256, True)):
            ops = [embedding(rows, 64, 4, 8), linear(32, 64, 128, times=2)]
            self.holds(ops, {"vocab_size": (rows, "likely", 0) if known else None, "lm_head": False if known else None,
                             "hidden_size": (64, "proved", 0)})

    def test_heads(self):
        """The last product with a column for each word is it; what classes there are says as much of the vocabulary."""
        words = embedding(1000, 64, 4, 8)
        for more, sure, head in (([linear(32, 64, 1000), linear(4, 64, 1000)], "proved", 2), ([linear(32, 65, 1000)], "likely", None),
                                 ([linear(32, 64, 999)], "likely", None), ([logits("argmax", 4, 1000)], "proved", None),
                                 ([logits("argmax", 4, 1001), logits("argmax", 4, 1000)], "likely", None),
                                 ([logits("log_softmax", 4, 1000), logits("log_softmax", 4, 10)], "proved", None),
                                 ([logits("log_softmax", 4, 1000), logits("argmax", 4, 10)], "likely", None)):
            ops = [words, *more, linear(32, 64, 70)]
            self.holds(ops, {"vocab_size": (1000, sure, 0), "lm_head": (True, "proved", head) if head else False})

    def test_what_is_chosen_from(self):
        """Without a table, the largest number of classes from which one is chosen."""
        for sizes, said in (((100, 255), None), ((100, 256), 1), ((300, 256), 0), ((300, 700, 700), 1)):
            ops = [logits("argmax", 4 + n, size) for n, size in enumerate(sizes)]
            self.holds(ops, {"vocab_size": None if said is None else (sizes[said], "likely", said), "lm_head": None})

    def test_what_is_lost_on(self):
        norm, attends, product = rms_norm(64, 2), attention(4, 4, 8, 16), [linear(32, 64, 64), linear(32, 64, 64, True)]
        for classes, rows, said in ((16384, 4, "vocab_size"), (16383, 4, "likely"), (16383, 5, "possible")):
            ops = [norm, attends, *product, logits("log_softmax", 7, 10), logits("log_softmax", rows, classes),
                   logits("log_softmax", 9, classes)]
            self.holds(ops, {"vocab_size": (classes, "likely", 5) if said == "vocab_size" else None,
                             "classes": None if said == "vocab_size" else (classes, said, 5)})
        self.holds([logits("log_softmax", 5, 10), logits("log_softmax", 7, 12)], {
            "classes": (12, "likely", 1), "batch": (5, "likely", 0)})

    def test_pictures_that_are_classified(self):
        """A head of one row for each picture, and no loss."""
        patches, norm, attends = convolution([4, 3, 32, 32], [64, 3, 8, 8]), rms_norm(64, 2), attention(4, 4, 17, 16, times=2)
        around = [linear(68, 64, 64), linear(68, 64, 96), linear(68, 96, 64)]
        for head, said in ((linear(4, 64, 10), 10), (linear(5, 64, 10), None), (linear(4, 63, 10), None), (linear(4, 64, 64), None)):
            ops = [patches, norm, attends, *around, head]
            self.holds(ops, {"classes": (said, "likely", 6) if said else None, "image_size": (32, "proved", 0),
                             "patch_size": (8, "proved", 0), "batch": (4, "proved", 2), "sequence": (17, "proved", 2)})
        self.holds([norm, attends, *around, linear(4, 64, 10)], {"classes": None, "image_size": None})
        self.holds([norm, attention(4, 4, 1, 16), *around[1:], linear(4, 64, 10)], {"classes": None})


class Lengths(OperatorFacts):
    def test_tables_of_the_same_rows_must_agree(self):
        product = linear(32, 64, 128, times=2)
        for second, known in ((embedding(1000, 64, 4, 8, times=3), True), (embedding(1000, 64, 4, 9), False),
                              (embedding(1000, 64, 5, 8), False), (embedding(999, 64, 5, 9), True)):
            ops = [embedding(1000, 64, 4, 8), second, product]
            if second["times"] == 3:
                ops.pop(1)
            self.holds(ops, {"batch": (4, "proved", 0) if known else None, "sequence": (8, "proved", 0) if known else None})
        # Of ids in one row no batch is known, and attention says more.
        self.holds([embedding(1000, 64, 32), product, attention(2, 4, 16, 16)], {"batch": (2, "proved", 2), "sequence": (16, "proved", 2)})

    def test_products_that_begin_alike(self):
        def three(batch, rows, into, out, times=1):
            return linear(rows, into, out, batch=batch, times=times)
        keeps = [three(4, 32, 64, 64), three(4, 32, 64, 256), three(4, 32, 256, 64)]
        self.holds(keeps, {"batch": (4, "possible", 0), "sequence": (8, "possible", 0), "hidden_size": (64, "possible", 0)})
        self.holds([linear(32, 64, 10), *keeps], {"batch": (4, "possible", 1), "sequence": (8, "possible", 1)})
        self.holds([three(1, 32, 64, 10), *keeps], {"batch": (4, "possible", 1), "sequence": (8, "possible", 1)})
        for other in (three(2, 32, 64, 10), three(4, 36, 64, 10)):
            self.holds([*keeps, other], {"batch": None, "sequence": None})

    def test_positions(self):
        """A second table of the same width, looked up for as many tokens, that has fewer rows than words and enough of them."""
        words, product = embedding(1000, 64, 4, 8), linear(32, 64, 128, times=2)
        for tables, said in (([embedding(8, 64, 1, 8)], 0), ([embedding(7, 64, 1, 8)], None), ([embedding(1000, 64, 1, 8)], None),
                             ([embedding(999, 64, 1, 8)], 0), ([embedding(512, 32, 1, 8)], None), ([embedding(512, 64, 1, 9)], None),
                             ([embedding(64, 64, 1, 8), embedding(512, 64, 1, 8), embedding(512, 64, 2, 8)], 1)):
            ops = [words, *tables, product]
            rows = None if said is None else tables[said]["args"]["Input Dims"][0][0]
            self.holds(ops, {"position": None if said is None else ("learned", "likely", 1 + said),
                             "max_positions": None if said is None else (rows, "likely", 1 + said)})
        for tokens, known in ((1, False), (2, True)):
            self.holds([embedding(1000, 64, 4, tokens), embedding(512, 64, 1, tokens), product], {"position": "learned" if known else None})
        rotary = operator("_C::rotary_embedding", [[32], [32, 64], [32, 32], [], [4096, 16]], ["long", HALF, HALF], times=2)
        self.holds([words, embedding(512, 64, 1, 8), product, rotary], {"position": ("rope", "proved", 3),
                                                                       "max_positions": (4096, "proved", 3)})

    def test_layers_by_look_ups(self):
        words, other, product = embedding(1000, 64, 4, 8, times=2), embedding(512, 64, 1, 8, times=3), linear(32, 64, 128, times=2)
        for calls, layers in ((1, None), (2, None), (3, None), (4, 2), (5, None), (6, 3)):
            found = self.facts(self.trace([words, other, product, attention(4, 4, 8, 16, times=calls)]))
            self.assertEqual(found.get("layers"), layers and (layers, "likely", f"{calls} calls of attention, 2 look-ups of tokens"))
        self.holds([words, product, attention(4, 4, 8, 16, times=2), attention(4, 4, 8, 16, keys=9, times=2)], {"layers": None})
        self.holds([words, product, attention(4, 4, 1, 16, keys=9, times=4)], {"layers": 2})

    def test_norms_of_most_calls(self):
        for ops, kind, sure, number in (([layer_norm(64, 2), rms_norm(64, 2)], "RMSNorm", "likely", 1),
                                        ([rms_norm(64, 2), layer_norm(64, 3)], "LayerNorm", "likely", 1),
                                        ([layer_norm(32), layer_norm(64, 3)], "LayerNorm", "proved", 0)):
            self.holds(ops, {"norm": (kind, sure, number)})

    def test_types_of_most_calls(self):
        for kinds, said, sure, number in ((("c10::Half", "c10::BFloat16", "c10::Half"), "fp16", "likely", 0),
                                          (("c10::Half", "c10::BFloat16", "float"), "bf16", "likely", 1),  # by name
                                          (("float", "c10::BFloat16", "float8_e4m3fn"), "bf16", "likely", 1),
                                          (("double", "double", "double"), "fp64", "proved", 0), (("int", "long", "bool"), None, "", 0),
                                          (("int", "c10::Half", "bool"), "fp16", "proved", 1)):
            ops = [linear(32, 64 + n, 128, kind=kind) for n, kind in enumerate(kinds)]
            self.holds(ops, {"dtype": None if said is None else (said, sure, number)})


class Experts(OperatorFacts):
    def test_several_numbers_of_experts(self):
        def routed(tokens, experts, rows=None, name="vllm::moe_forward"):
            return operator(name, [[tokens, 64], [rows or tokens, experts]], [HALF] * 2)
        for name in ("vllm::moe_forward", "sgl::fused_experts_impl", "vllm::fused_moe"):
            self.holds([routed(7, 16, name=name)], {"experts": (16, "proved", 0), "moe": (True, "proved", 0)})
        self.holds([routed(7, 16, 8)], {"experts": None})
        found = self.facts(self.trace([routed(7, 16), routed(9, 16), routed(8, 32)]))
        self.assertEqual(found["experts"], (16, "possible", "1 x vllm::moe_forward [[7, 64], [7, 16]]",
                                            ["32 by shape: 1 x vllm::moe_forward [[8, 64], [8, 32]]"]))

    def test_products_by_groups(self):
        """Of several the first that begins with the hidden state says how many there are, the first that ends with it how wide."""
        def grouped(rows, into, out, experts, turned=False):
            weight = [experts, out, into] if turned else [experts, into, out]
            return operator("aten::_grouped_mm", [[rows, into], weight], [HALF] * 2)
        hidden = [embedding(1000, 64, 4, 8), linear(32, 64, 1000)]
        self.holds([*hidden, grouped(128, 40, 48, 5), grouped(128, 64, 96, 8), grouped(128, 96, 64, 7, True), grouped(64, 32, 64, 6)], {
            "moe": (True, "proved", 2), "experts_per_rank": (8, "proved", 3), "expert_ffn_size": (96, "proved", 4), "experts": None},
                   world=2)
        self.holds([*hidden, grouped(128, 40, 48, 5), grouped(128, 64, 64, 4)], {
            "moe": (True, "proved", 2), "experts_per_rank": (4, "proved", 3), "expert_ffn_size": None})
        self.holds([*hidden, grouped(128, 40, 48, 5), grouped(128, 41, 48, 4)], {"experts_per_rank": (5, "proved", 2)})
        # The function between them says more, the last of several; it has the rows of the products.
        between = [activation("silu", 128, 96), activation("silu", 128, 32), activation("silu", 127, 64), activation("silu", 128, 33)]
        self.holds([*hidden, grouped(128, 64, 96, 8), grouped(128, 96, 64, 8), grouped(64, 32, 64, 6), *between], {
            "expert_ffn_size": (96, "proved", 5), "ffn_size": None})
        self.holds([*hidden, grouped(128, 64, 96, 8), grouped(128, 96, 64, 8), grouped(128, 32, 64, 6), *between], {
            "expert_ffn_size": (32, "proved", 6)})
        # What scores them has a column for each, and tokens come as often as they have experts.
        scored = [*hidden, linear(32, 64, 8), linear(32, 64, 16)]
        self.holds([*scored, grouped(128, 64, 96, 8)], {
            "experts": (8, "likely", 2), "experts_per_token": (4, "likely", 4, " of 32 tokens")}, world=2)
        for rows, each in ((130, None), (256, 8), (288, None)):  # each token to all of them, and to more than there are
            self.holds([*scored, grouped(rows, 64, 96, 8)], {"experts": (8, "likely", 2), "experts_per_token": each}, world=2)


class Pictures(OperatorFacts):
    def test_patches(self):
        """As many tokens as patches of 8 x 8 in 32 x 32, and up to two more."""
        for queries, known in ((15, False), (16, True), (18, True), (19, False)):
            ops = [convolution([4, 3, 32, 32], [64, 3, 8, 8]), attention(4, 4, queries, 16, times=2)]
            self.holds(ops, {"patch_size": (8, "proved", 0) if known else None, "image_size": (32, "proved", 0)})
        for dims, kernel, image, patch in (([4, 3, 32, 32], 1, 32, None), ([4, 3, 32, 16], 8, None, None), ([4, 4, 32, 32], 8, None, None),
                                           ([4, 3, 32, 32], 2, 32, 2)):
            ops = [convolution(dims, [64, dims[1], kernel, kernel]), attention(4, 4, (32 // kernel) ** 2, 16, times=2)]
            self.holds(ops, {"patch_size": patch, "image_size": image})

    def test_networks_of_convolutions(self):
        """The first convolution says how large pictures are, and how many there are."""
        ops = [convolution([4, 3, 64, 64], [8, 3, 3, 3], 2), convolution([5, 8, 32, 32], [8, 8, 3, 3])]
        self.holds(ops, {"image_size": (64, "proved", 0), "batch": (4, "likely", 0), "convolutions": 3, "attention": False,
                         "family": "convolutional"})
        self.holds(ops[::-1], {"image_size": None, "batch": (5, "likely", 0)})

    def test_samples_are_not_frames(self):
        """A clip is one sample, whether its frames are a dimension or lie in the batch beside a loss of one row a clip."""
        def conv3d(dims, times=2):
            return operator("aten::conv3d", [dims, [8, dims[1], 3, 3, 3], []], [HALF] * 2, times=times)
        def batch(ops):
            found = {f["name"]: f for f in self.ask(self.trace(ops))["facts"]}
            return [found[name][key] for name in ("batch",) for key in ("value", "certainty", "unit")] if "batch" in found else None
        clips = conv3d([2, 3, 16, 32, 32])
        frames, second = convolution([32, 3, 32, 32], [8, 3, 3, 3]), convolution([32, 8, 16, 16], [8, 8, 3, 3])
        self.assertEqual(batch([clips]), [2, "likely", "samples"])
        self.assertEqual(batch([frames, second]), [32, "likely", "images"])  # that they are of clips is on no record
        self.assertEqual(batch([frames, second, logits("log_softmax", 2, 10)]), [2, "likely", "samples"])
        self.assertEqual(batch([frames, second, logits("log_softmax", 32, 10)]), [32, "likely", "images"])
        for other in (logits("log_softmax", 5, 10), logits("log_softmax", 64, 10), logits("argmax", 2, 10)):
            self.assertEqual(batch([frames, second, other]), [32, "likely", "images"])
        # Attention over the frames of one place, or the places of one frame, has a batch of its own.
        for attends in (attention(32, 4, 17, 16, times=3), attention(34, 4, 16, 16, times=3)):
            self.assertEqual(batch([conv3d([2, 3, 16, 32, 32], 1), attends]), [2, "likely", "samples"])
        self.assertEqual(batch([conv3d([2, 3, 16, 32, 32], 1), attention(2, 4, 17, 16, times=3)]), [2, "proved", "sequences"])

    def test_rates_of_images(self):
        """What a rate counts is said: images, which may be frames."""
        ops = [convolution([32, 3, 32, 32], [8, 3, 3, 3], 3), linear(32, 64, 10, times=3)]
        steps = [("user_annotation", f"ProfilerStep#{n}", 1000 + 100 * n, 100, 11) for n in range(3)]
        found = self.facts(self.trace(ops, [("gemm", 1)], spans=steps))
        self.assertEqual(found["samples_per_s"][1:], ("likely", "32 images a step, 3 steps in 300.000 us"))

    def test_convolutions_as_often_as_attention(self):
        """A network of both is one of convolutions where there are at least as many: then norms by groups come first."""
        groups = operator("aten::group_norm", [[4, 8, 32, 32], [], [8]], [HALF])
        for times, convolves in ((2, False), (3, True)):
            ops = [convolution([4, 3, 32, 32], [8, 3, 3, 3], times), attention(4, 4, 8, 16, times=3), layer_norm(64, 4), groups]
            number = 3 if convolves else 2
            self.holds(ops, {"norm": ("GroupNorm" if convolves else "LayerNorm", "likely", number),
                             "batch": (4, "likely", 0) if convolves else (4, "proved", 1)})


class Features(OperatorFacts):
    def test_two_chains_of_products(self):
        def bmm(*dims):
            return operator("aten::bmm", [list(d) for d in dims], [HALF] * 2)
        look_up = operator("fbgemm::split_embedding_codegen_lookup", [[100, 16]], [HALF])
        chains = [linear(32, 13, 64), linear(31, 7, 9), linear(32, 64, 16), linear(32, 40, 20), linear(32, 20, 1)]
        found = self.facts(self.trace([look_up, *chains, bmm((32, 5, 16), (32, 16, 4)), bmm((32, 5, 16), (32, 16, 5)),
                                       bmm((32, 6, 17), (32, 17, 6))]))
        first = "1 x aten::linear [[32, 13], [64, 13], []]"
        self.check({name: found[name] for name in ("batch", "bottom_mlp", "top_mlp", "dense_features", "embedding_dim",
                                                   "interaction_features", "family")}, {
            "batch": (32, "proved", first), "bottom_mlp": ([13, 64, 16], "likely", first + " and those after it"),
            "top_mlp": ([40, 20, 1], "likely", "products after the interaction"), "dense_features": (13, "likely", first),
            "embedding_dim": (16, "likely", "the width that the bottom ends with"),
            "interaction_features": (5, "proved", "aten::bmm [[32, 5, 16], [32, 16, 5]]"),
            "family": ("dlrm (recommendation)", "likely", "look-ups of fbgemm in embedding tables")})
        for ops in (chains[:3], [*chains, linear(32, 3, 2)]):
            found = self.facts(self.trace([look_up, *ops]))
            self.assertEqual([found.get(name) for name in ("batch", "bottom_mlp", "top_mlp")], [None] * 3)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
