#!/usr/bin/env python3
"""Facts of a model by the modules that ran: which class, how many blocks, of which kinds."""
import sys

import truth
from model_parts import Module, ModuleCase, attention, linear


def block(name, *parts):
    return Module(name, *(parts or (Module("LlamaAttention_0", attention(2, 4, 8, 16)), Module("LlamaMLP_0"))))


def stack(name, *classes):
    return Module(name, *(block(f"{of}_{n}") for n, of in enumerate(classes)))


class Classes(ModuleCase):
    def holds(self, path, **expected):
        found = self.facts(path)
        self.assertEqual({name: found.get(name) for name in expected}, expected)

    def test_the_outermost_class_with_most_in_it(self):
        def calls(inner):
            return [*[Module("LlamaModel_0", Module("Linear_0"))] * 3, Module("MistralModel_0", *[Module("Linear_1")] * inner)]
        llama, mistral = "3 x nn.Module: LlamaModel, the outermost", "1 x nn.Module: MistralModel, the outermost"
        for inner, name, text in ((4, "LlamaModel", llama), (5, "LlamaModel", llama), (6, "MistralModel", mistral)):
            self.holds(self.modules(*calls(inner)), model_class=(name, "proved", text), family=(name[:-5].lower(), "likely", text))
        # Threads do not nest in each other.
        self.holds(self.modules(Module("LlamaModel_0", *[Module("Linear_0")] * 9), other=[Module("MistralModel_0", Module("Linear_1"))]),
                   model_class=("LlamaModel", "proved", llama.replace("3", "1")))

    def test_containers_of_one_module_are_no_model(self):
        inner = Module("LlamaModel_0", Module("Linear_0"))
        text = "2 x nn.Module: LlamaModel, the outermost"
        for wrapped, known in ((Module("Sequential_0", Module("DistributedDataParallel_3", inner)), True), (inner, True),
                               (Module("DataParallel_0", inner, Module("Linear_1")), False), (Module("ModuleList_0", Module("Linear_1")),
                                                                                              False),
                               (Module("Sampler_0"), False)):
            self.holds(self.modules(wrapped, wrapped), model_class=("LlamaModel", "proved", text) if known else None,
                       family=("llama", "likely", text) if known else None)
        # Without a part it is a lone layer, though its name may be known.
        self.holds(self.modules(Module("LlamaModel_0")), model_class=None,
                   family=("llama", "likely", "1 x nn.Module: LlamaModel, the outermost"))

    def test_families_and_tasks(self):
        for name, family, task in (("Llama4ForCausalLM", "llama4", "text generation"), ("LlamaForCausalLM", "llama", "text generation"),
                                   ("Llamafied", None, None), ("BertLMHeadModel", "bert", "fill-mask"),
                                   ("GPT2LMHeadModel", "gpt2", "language model"), ("Gemma2Model", "gemma2", None),
                                   ("llama", "llama", None), ("DeepseekV2ForCausalLM", "deepseek-v2", "text generation"),
                                   ("DeepseekForCausalLM", "deepseek", "text generation"),
                                   ("BertForTokenClassification", "bert", "token classification"),
                                   ("FluxTransformer2DModel", "flux", "diffusion"), ("MyTransformerEncoder", "transformer encoder", None)):
            found = self.facts(self.modules(Module(name + "_0", Module("Linear_0"))))
            self.assertEqual([found.get(key, (None,))[0] for key in ("family", "task")], [family, task], name)

    def test_steps_of_denoising(self):
        text = "3 x nn.Module: FluxTransformer2DModel, the outermost"
        self.holds(self.modules(*[Module("FluxTransformer2DModel_0", Module("Linear_0"))] * 3),
                   denoising_steps=(3, "likely", text), task=("diffusion", "likely", text))

    def test_numbers_of_instances_belong_to_no_class(self):
        """Only a number after a line at the end."""
        for name, of in (("Llama_12", "Llama"), ("Llama_1_2", "Llama_1"), ("Llama12", "Llama12"), ("Llama_", "Llama_")):
            self.holds(self.modules(Module(name, Module("Linear_0"))),
                       model_class=(of, "proved", f"1 x nn.Module: {of}, the outermost"))

    def test_norms_of_most_calls(self):
        for counts, said in (((2, 2), ("LayerNorm", "likely", "2 calls of such modules")),
                             ((2, 3), ("RMSNorm", "likely", "3 calls of such modules")),
                             ((0, 3), ("RMSNorm", "proved", "3 calls of such modules")), ((0, 0), None)):
            inner = [*[Module("LayerNorm_0")] * counts[0], *[Module("LlamaRMSNorm_0")] * counts[1]]
            self.holds(self.modules(Module("Llama_0", Module("Linear_0"), *inner)), norm=said)
        self.holds(self.modules(Module("T5Model_0", Module("T5LayerNorm_0"), Module("T5LayerNorm_1"))),
                   norm=("RMSNorm", "proved", "2 calls of such modules"))

    def test_parts_by_their_names(self):
        self.holds(self.modules(Module("Llama_0", *[Module("LlamaRotaryEmbedding_0")] * 2, Module("SiLU_0"), Module("SiLUx_0"))),
                   position=("rope", "proved", "2 x nn.Module: LlamaRotaryEmbedding"), activation=("silu", "likely", "1 x nn.Module: SiLU"),
                   shared_experts=None)
        self.holds(self.modules(Module("Qwen_0", Module("Qwen2MoeSharedExpert_0"), Module("GLU_0"))),
                   moe=(True, "proved", "1 x nn.Module: Qwen2MoeSharedExpert"),
                   shared_experts=(True, "likely", "1 x nn.Module: Qwen2MoeSharedExpert"), activation=None)


class Blocks(ModuleCase):
    def layers(self, *calls, **expected):
        found = self.facts(self.modules(*calls))
        self.assertEqual({name: found.get(name) for name in expected}, expected)

    def test_the_call_with_most_blocks(self):
        def text(n, of="LlamaModel"):
            return f"{n} x nn.Module: LlamaDecoderLayer in one call of {of}"
        def calls(*sizes):
            return [stack("LlamaModel_0", *["LlamaDecoderLayer"] * n) for n in sizes]
        for sizes, said in (((3, 3, 2), (3, "proved", text(3))), ((2, 3, 3), (3, "proved", text(3))), ((3, 2), (3, "likely", text(3))),
                            ((2, 3), (3, "likely", text(3))), ((2, 3, 2), None), ((3, 3, 2, 2), None), ((4,), (4, "proved", text(4))),
                            ((1, 1), (1, "likely", "2 x nn.Module: LlamaDecoderLayer_0"))):
            self.layers(*calls(*sizes), layers=said)
        # Of as many, the first; calls of other classes need not agree.
        self.layers(*calls(3), stack("VisionModel_0", *["LlamaDecoderLayer"] * 3), layers=(3, "proved", text(3)))
        self.layers(*calls(2), stack("VisionModel_0", *["LlamaDecoderLayer"] * 3), layers=(3, "proved", text(3, "VisionModel")))

    def test_blocks_of_several_classes(self):
        names = ["LlamaDecoderLayer", "ABlock", "BBlock", "CBlock"]
        text = "1 x nn.Module: ABlock, 1 x nn.Module: BBlock, 1 x nn.Module: CBlock, 2 x nn.Module: LlamaDecoderLayer in one call of M"
        self.layers(stack("M_0", *names, names[0]), layers=(5, "proved", text))
        self.layers(stack("M_0", *names, "DBlock"), layers=None)

    def test_what_counts_as_a_block(self):
        """It attends and has parts. Attention in attention is one."""
        attends = attention(2, 4, 8, 16)
        bare, empty = Module("Block_0", attends), Module("Block_1", Module("Linear_0"))
        nested = Module("Block_2", Module("XAttention_0", Module("XSdpaAttention_0", attends)))
        named = Module("Block_3", Module("XAttention_0", Module("YAttention_0")))  # no operator on record
        self.layers(Module("M_0", bare, empty, nested, named), layers=(2, "proved", "2 x nn.Module: Block in one call of M"))
        self.layers(Module("M_0", bare, empty, nested), layers=None)

    def test_kinds_of_blocks(self):
        state = Module("MambaDecoderLayer_0", Module("MambaMixer_0"))
        expert = Module("LlamaDecoderLayer_1", Module("LlamaAttention_1", attention(2, 4, 8, 16)), Module("MixtralSparseMoeBlock_0"))
        dense = block("LlamaDecoderLayer_0")
        text = "3 x nn.Module: LlamaDecoderLayer, 2 x nn.Module: MambaDecoderLayer in one call of Jamba"
        self.layers(Module("Jamba_0", state, dense, state, expert, dense), layers=(5, "proved", text), ssm_layers=(2, "proved", text),
                    attention_layers=(3, "proved", text), moe=(True, "proved", text), moe_layers=(1, "proved", text),
                    dense_layers=(4, "proved", text))
        text = "2 x nn.Module: LlamaDecoderLayer in one call of Jamba"
        self.layers(Module("Jamba_0", expert, expert), layers=(2, "proved", text), ssm_layers=None, attention_layers=None,
                    moe_layers=(2, "proved", text), dense_layers=None)

    def test_encoders_and_decoders(self):
        """Blocks with two attentions are those of a decoder, where both stacks are whole."""
        once = Module("T5Block_0", Module("T5Attention_0", attention(2, 4, 8, 16)), Module("T5FF_0"))
        twice = Module("T5Block_0", Module("T5Attention_0", attention(2, 4, 8, 16)), Module("T5Attention_1", attention(2, 4, 8, 16)))
        text = "stacks of blocks with one attention and with two, in calls of T5Stack"
        self.layers(Module("T5Stack_0", *[once] * 3), Module("T5Stack_1", *[twice] * 2), encoder_layers=(3, "likely", text),
                    decoder_layers=(2, "likely", text), cross_attention=(True, "likely", text), layers=None)
        self.layers(Module("T5Stack_0", *[once] * 3), Module("T5Stack_1", twice, once, twice), encoder_layers=None, decoder_layers=None)
        self.layers(Module("T5Stack_0", *[once] * 3), Module("T5Stack_1", *[twice] * 2), Module("T5Stack_1", *[twice] * 3),
                    encoder_layers=None, decoder_layers=None)

    def test_blocks_among_residual_ones(self):
        attends = [block(f"TransformerBlock_{n}") for n in range(2)]
        residual = [Module(f"ResnetBlock2D_{n}", Module("Linear_0")) for n in range(3)]
        text = "in one call of UpBlock"
        self.layers(Module("UpBlock_0", *residual, *attends), residual_blocks=(3, "proved", text), attention_blocks=(2, "proved", text),
                    layers=None)

    def test_a_lone_block(self):
        encoder = block("TransformerEncoderLayer_0")
        self.layers(encoder, encoder, layers=(1, "likely", "2 x nn.Module: TransformerEncoderLayer_0"),
                    family=("transformer encoder", "likely", "2 x nn.Module: TransformerEncoderLayer, the outermost"))
        self.layers(encoder, block("TransformerEncoderLayer_1"), layers=None)
        self.layers(encoder, block("LlamaDecoderLayer_0"), layers=None)

    def test_what_lies_where(self):
        """Operators belong to the module of their own thread that lasts as long as they do; those of autograd mix nothing."""
        for name, layers in (("autograd::engine::evaluate_function: X", None), ("XBackward0", None), ("forward", 2)):
            path = self.modules(Module("M_0", *(Module(f"Block_{n}", Module("Linear_0"), Module("Around", attention(2, 4, 8, 16)))
                                                for n in range(2))))
            path.write_text(path.read_text().replace("nn.Module: Around", name))
            self.assertEqual(self.facts(path).get("layers", (None,))[0], layers, name)
        path = self.modules(Module("M_0", *(Module(f"Block_{n}", Module("Linear_0"), linear(8, 16, 16)) for n in range(2))),
                            other=[Module("Other_0", attention(2, 4, 8, 16, times=8))])
        self.assertEqual(self.facts(path).get("layers"), None)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
