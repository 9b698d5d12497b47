#!/usr/bin/env python3
"""Facts of a model by the programs that an XSpace carries: which of them is the model, its products, attention, tables, stacked weights."""
import sys

import hlo
import truth
import xspace as x
from model_parts import PartsCase
from wire import message

S32, F16, F32, BF16 = 4, 10, 11, 16
WORDS = {S32: "s32", F16: "f16", F32: "f32", BF16: "bf16"}


def text(kind, shape):
    return f"{WORDS[kind]}[{','.join(map(str, shape))}]"


class Program:
    """Instructions of one computation, numbered from 1; each call gives the number of what it added."""

    def __init__(self, name, key=7):
        self.name, self.key, self.parts, self.shapes = name, key, [], {}

    def add(self, opcode, kind, shape, operands=(), more=b"", scope=""):
        number = len(self.parts) + 1
        self.shapes[number] = kind, shape
        self.parts.append(hlo.instruction(number, f"{opcode}.{number}", opcode, hlo.shape(kind, shape), hlo.op_metadata(scope), operands,
                                          more))
        return number

    def given(self, *shape, kind=BF16):
        return self.add("parameter", kind, shape)

    def dot(self, left, right, out, sums=((1,), (0,)), batches=((), ()), scope=""):
        """`left` and `right`: shapes, of which new parameters are made, or numbers."""
        operands = [one if isinstance(one, int) else self.add("copy", BF16, one) for one in (left, right)]
        numbers = message(30, hlo.numbers(1, sums[0]), hlo.numbers(2, sums[1]), hlo.numbers(3, batches[0]), hlo.numbers(4, batches[1]))
        return self.add("dot", BF16, out, operands, numbers, scope)

    def product(self, rows, into, out, scope=""):
        return self.dot((rows, into), (into, out), (rows, out), scope=scope)

    def call(self, target, *operands, out=(1,), kind=BF16):
        return self.add("custom-call", BF16, out, [self.add("copy", kind, one) for one in operands], message(28, target))

    def look_up(self, table, ids, kind=S32):
        return self.add("gather", BF16, (1,), [self.add("copy", BF16, table), self.add("copy", kind, ids)])

    def proto(self):
        return hlo.module(self.name, self.key, hlo.computation(1, "main", *self.parts))


class Programs(PartsCase):
    def of(self, *programs):
        PartsCase.number += 1
        plane = x.plane(1, "/host:metadata", x.stat_metadata(1, "Hlo Proto"), *(
            x.event_metadata(key, f"{p.name}({p.key})", "", [x.stat(1, p.proto(), "bytes")]) for key, p in enumerate(programs, 1)))
        return self.facts(self.write(f"{PartsCase.number}/a.xplane.pb", x.space(plane)))

    @staticmethod
    def with_products(name, count, rows=8, key=7, scope=""):
        p = Program(name, key)
        for n in range(count):
            p.product(rows, 16 + n, 32, scope)
        return p

    def test_the_program_with_most_products(self):
        """The first of as many; where none has four, all are looked at."""
        for counts, said in (((4, 5, 3), 1), ((4, 4, 2), 0), ((3, 4, 4), 1)):
            programs = [self.with_products(f"jit_{n}", count, 8 + n, 7 + n) for n, count in enumerate(counts)]
            found = self.of(*programs)
            self.assertEqual((found["framework"], found["dtype"]), (
                ("JAX", "likely", f"program jit_{said}"), ("bf16", "proved", f"jit_{said}: dot bf16[{8 + said},16] bf16[16,32]")), counts)
        keeps = [Program(f"jit_{n}", n) for n in range(3)]
        for p, (into, out) in zip(keeps, ((64, 64), (64, 256), (256, 64))):
            p.product(8, into, out)
        found = self.of(*keeps)
        self.assertEqual((found["hidden_size"], found.get("framework")), ((64, "possible", "jit_0: dot bf16[8,64] bf16[64,64]"), None))

    def test_products(self):
        """Of two dimensions on the right, one of which is summed over."""
        for left, right, out, sums, batches, known in (
                ((8, 64), (64, 64), (8, 64), ((1,), (0,)), ((), ()), True), ((8, 64), (64, 64), (8, 64), ((1,), (1,)), ((), ()), True),
                ((64, 8), (64, 64), (8, 64), ((0,), (0,)), ((), ()), True), ((2, 4, 64), (64, 64), (2, 4, 64), ((2,), (0,)), ((), ()),
                                                                             True),
                ((8, 64), (8, 64, 64), (8, 64), ((1,), (1,)), ((0,), (0,)), False), ((8, 8, 8), (8, 8), (8,), ((1, 2), (0, 1)), ((), ()),
                                                                                     False),
                ((8, 64), (64,), (8,), ((1,), (0,)), ((), ()), False)):
            p = Program("jit_m")
            p.dot(left, right, out, sums, batches)
            p.dot((8, 64), (256, 64), (8, 256), ((1,), (1,)))
            p.dot((8, 256), (256, 64), (8, 64))
            found = self.of(p)
            said = f"jit_m: dot {text(BF16, left)} {text(BF16, right)}"
            self.assertEqual(found.get("hidden_size"), (64, "possible", said) if known else None, (left, right))

    def test_batches_of_products(self):
        """Of the first of three dimensions, or of an input whose first two are as many rows."""
        for given, left, sums, batch in (((), (2, 4, 64), (2,), 2), ((), (4, 64, 2), (1,), None), ([(4, 2, 64)], (8, 64), (1,), 4),
                                         ([(4, 3, 64)], (8, 64), (1,), None), ([(4, 2, 63)], (8, 64), (1,), None),
                                         ([(2, 4, 64), (4, 2, 64)], (8, 64), (1,), 2)):
            p = Program("jit_m")
            for shape in given:
                p.given(*shape)
            p.dot(left, (64, 64), (8, 64), (sums, (0,)))
            p.dot((8, 64), (64, 256), (8, 256))
            p.dot((8, 256), (256, 64), (8, 64))
            found = self.of(p)
            self.assertEqual([found.get(name, (None,))[:2] for name in ("batch", "sequence")],
                             [(batch, "possible"), (8 // batch, "possible")] if batch else [(None,)] * 2, (given, left))

    def test_scores_of_attention(self):
        """As many rows as columns, more than one, and another number than was summed over."""
        for queries, keys, depth, known in ((8, 8, 16, True), (8, 9, 16, False), (8, 8, 8, False), (1, 1, 16, False), (2, 2, 16, True)):
            p = Program("jit_m")
            left, right = (3, 4, queries, depth), (3, 4, keys, depth)
            p.dot(left, right, (3, 4, queries, keys), ((3,), (3,)), ((0, 1), (0, 1)))
            p.product(8, 64, 32)
            found = self.of(p)
            said = f"jit_m: dot {text(BF16, left)} {text(BF16, right)}"
            self.assertEqual([found.get(name) for name in ("attention_heads", "head_dim", "batch", "sequence")], [
                (value, "proved", said) if known else None for value in (4, depth, 3, queries)], (queries, keys, depth))

    def test_calls_of_libraries(self):
        for target, shapes, facts in (
                ("te_fused_attn_forward_ffi", [(3, 8, 3, 4, 16)], {"attention_heads": 4, "kv_heads": 4, "head_dim": 16, "batch": 3,
                                                                   "sequence": 8}),
                ("te_fused_attn_forward_ffi", [(3, 8, 6, 16), (3, 8, 2, 2, 16)], {"attention_heads": 6, "kv_heads": 2, "head_dim": 16,
                                                                                  "batch": 3}),
                ("te_fused_attn_forward_ffi", [(3, 8, 6, 16), (3, 8, 3, 16), (3, 8, 3, 16)], {"attention_heads": 6, "kv_heads": 3,
                                                                                              "sequence": 8}),
                ("te_fused_attn_forward_ffi", [(3, 8, 2, 4, 16)], {"attention_heads": None}),
                ("te_fused_attn_backward_ffi", [(3, 8, 3, 4, 16)], {"attention_heads": None})):
            p = Program("jit_m")
            p.call(target, *shapes)
            p.product(8, 64, 32)
            found = self.of(p)
            said = f"jit_m: {target} " + " ".join(text(BF16, shape) for shape in shapes[:3])
            self.assertEqual({name: found.get(name) for name in facts}, {
                name: value and (value, "proved", said) for name, value in facts.items()}, shapes)
        for a, b, known in (((8, 64), (64, 64), True), ((64, 64), (64, 64), False), ((8, 64), (63, 64), False), ((64, 64), (64, 32), None)):
            p = Program("jit_m")
            p.call("__cublas$gemm", a, b)
            p.dot((a[0], 64), (64, 256), (8, 256))
            p.dot((a[0], 256), (256, 64), (8, 64))
            found = self.of(p)
            self.assertEqual(found.get("hidden_size", (None,))[0], 64 if known else None, (a, b))

    def test_tables_of_words(self):
        """256 rows; tokens are an input of as many, or of one more each."""
        for rows, ids, kind, given, sequence in ((256, (32, 1), S32, (4, 8), 8), (255, (32, 1), S32, (4, 8), None), (256, (28, 1), S32,
                                                                                                                     (4, 8), 8),
                                                 (256, (32, 2), S32, (4, 8), None), (256, (32, 1), F32, (4, 8), None),
                                                 (256, (4, 8, 1), S32, (4, 8), 8), (256, (31, 1), S32, (4, 8), None)):
            p = Program("jit_m")
            p.given(4, 8)  # of floats: no tokens
            p.given(*given, kind=S32)
            p.look_up((rows, 64), ids, kind)
            p.product(8, 64, 32)
            p.product(8, 64, 33)
            found = self.of(p)
            said = f"jit_m: gather bf16[256,64] s32[{','.join(map(str, ids))}], tokens [4,8]"
            self.assertEqual([found.get(name) for name in ("hidden_size", "vocab_size", "batch", "sequence")], [
                (64, "proved", said), (256, "likely", said), (4, "proved", said), (sequence, "proved", said)] if sequence else [None] * 4,
                (rows, ids))

    def test_weights_of_all_layers(self):
        """Two arrays of products at least, over as many layers."""
        for shapes, said in (([(6, 64, 96), (6, 96, 64)], 6), ([(6, 64, 96)], None), ([(6, 64, 96), (5, 96, 64)], None),
                             ([(6, 64, 96), (6, 96, 64), (5, 64, 97)], 6), ([(1, 64, 96), (1, 96, 64)], None),
                             ([(6, 96, 64), (6, 64, 96), (6, 64, 96)], 6), ([(6, 96, 96), (6, 64, 64)], None)):
            p = Program("jit_m")
            for shape in shapes:
                p.given(*shape)
            p.product(8, 64, 96)
            p.product(8, 96, 64)
            found = self.of(p)
            self.assertEqual(found.get("layers"), said and (said, "likely", f"jit_m: weights {text(BF16, shapes[0])}"), shapes)

    def test_scopes(self):
        """Layers are numbered from 0, without a gap, and attend; what belongs to the gradient is done again."""
        def run(*scopes, add=()):
            p = Program("jit_m")
            for n, scope in enumerate((*scopes, *add)):
                p.product(8, 16 + n, 32, scope)
            return self.of(p)
        def layer(n, part="attention", inside="layer"):
            return f"jit(m)/Transformer/{inside}_{n}/{part}/dot"
        text_of = "layer_0 … layer_{} of Transformer in jit_m"
        for scopes, said in (([layer(n) for n in range(3)], 3), ([layer(n) for n in (2, 0, 1, 1)], 3), ([layer(n) for n in (0, 2, 3)],
                                                                                                        None),
                             ([layer(n) for n in (1, 2, 3)], None), ([layer(0)] * 4, None), ([layer(n, "mlp") for n in range(4)], None),
                             ([layer(n, "attention" if n == 3 else "mlp") for n in range(4)], 4),
                             ([layer(n) for n in range(3)] + [layer(n, inside="block") for n in range(3)], None)):
            found = run(*scopes, add=["x/dot"] * 4)
            self.assertEqual(found.get("layers"), said and (said, "likely", text_of.format(said - 1)), scopes)
            self.assertEqual(found["model_class"], ("Transformer", "likely", "the outermost named scope of jit_m"))
        gradient = [f"jit(m)/transpose(jvp(Transformer))/layer_{n}/attention/dot" for n in range(4)]
        again = [f"jit(m)/rematted_computation/Transformer/layer_{n}/attention/dot" for n in range(4)]
        found = run(*(layer(n) for n in range(3)), add=gradient)
        self.assertEqual((found["layers"][0], found["mode"]), (3, ("training", "likely", "scopes of a gradient in the program jit_m")))
        found = run(*(layer(n) for n in range(3)), add=again)
        self.assertEqual((found["layers"][0], found.get("mode")), (3, None))
        for scope, name in (("jit(main)/jit(m)/while/body/Model/dot", "Model"), ("jit(m)/model/Inner/dot", None),
                            ("jit(m)/jvp(Model)/dot", "Model"), ("jit(m)/checkpoint/Model/x/dot", "Model"), ("Model", None)):
            self.assertEqual(run(*[scope] * 4).get("model_class", (None,))[0], name, scope)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
