#!/usr/bin/env python3
"""What scripts and recorders note of a run, and facts that rest on counts of calls."""
import json
import sys

import truth
from model_parts import HALF, LetterCase, Module, ModuleCase, attention, embedding, linear, operator


class Notes(ModuleCase, LetterCase):
    def noted(self, path, **expected):
        found = self.facts(path)
        self.assertEqual({name: found.get(name) for name in expected}, expected)

    def with_head(self, path, **head):
        """The trace again, with more at its beginning."""
        path.write_text(json.dumps({**json.loads(path.read_text()), **head}))
        return path

    def test_models(self):
        """A name that the classes bear out is likely, others are possible; the first of several is taken."""
        llama = Module("LlamaModel_0", Module("Linear_0"))
        for notes, said in (({"repo_id": "meta/LLaMA-2"}, ("meta/LLaMA-2", "likely", "repo_id = meta/LLaMA-2")),
                            ({"model_id": "qwen", "model_name": "llama"}, ("qwen", "possible", "model_id = qwen")),
                            ({"x": 1, "model_name": "llama", "repo_id": "qwen"}, ("llama", "likely", "model_name = llama")),
                            ({"inner": {"model_id": "my-llama"}}, ("my-llama", "likely", "model_id = my-llama")),
                            ({"inner": {"deeper": {"model_id": "llama"}}}, None), ({"model_id": ""}, None)):
            for key in ("metadata", "model"):
                self.noted(self.with_head(self.modules(llama), **{key: notes}), model=said)
            self.noted(self.with_head(self.modules(llama), other=notes), model=None)

    def test_tasks_and_modes(self):
        """Tasks that classes show come first. That nothing is recorded for a gradient proves inference."""
        chat = {"pipeline_tag": "chat", "grad_mode": "inference_mode"}
        causal = Module("LlamaForCausalLM_0", Module("Linear_0"))
        self.noted(self.with_head(self.modules(causal), metadata=chat), task=(
            "text generation", "likely", "1 x nn.Module: LlamaForCausalLM, the outermost"))
        attends = [("flash_fwd_x", 2)]
        self.noted(self.with_head(self.trace(kernels=attends), metadata=chat), task=("chat", "possible", "pipeline_tag = chat"),
                   mode=("inference", "proved", "nothing of a backward pass or of an optimizer"))
        self.noted(self.with_head(self.trace(kernels=attends), metadata={"grad_mode": "no_grad"}),
                   mode=("inference", "possible", "nothing of a backward pass or of an optimizer"))
        self.noted(self.with_head(self.trace(kernels=[*attends, ("fusedadam", 1)]), metadata=chat), mode=("training", "likely",
                                                                                                          "1 x fusedadam"))

    def test_devices_of_the_machine(self):
        for names, said in ((["A", "A", "A"], ("A", "proved", "3 such devices in the machine")), (["A", "A", "B"], None), (["", "A"], (
                "A", "proved", "1 such device in the machine")), ([], None)):
            self.noted(self.with_head(self.trace(kernels=[("x", 1)]), deviceProperties=[{"id": n, "name": name} for n,
                                                                                        name in enumerate(names)]),
                       device=said)

    def test_what_makes_inference_likely(self):
        """Attention, and an operator, a cache or a choice beside it."""
        for kernels, ops, sure in ((["flash_fwd_x"], [], "possible"), (["flash_fwd_x", "reshape_and_cache"], [], "likely"),
                                   (["flash_fwd_x", "argmax_x"], [], "likely"), (["paged_attention_x"], [], "likely"),
                                   (["gemm_x", "reshape_and_cache"], [], "possible"), (["flash_fwd_x"], [linear(8, 16, 16)], "likely"),
                                   (["flash_fwd_x"], [operator("x::y", [[1]])], "possible"), (["copy_x"], [], None)):
            found = self.facts(self.trace(ops, [(name, 2) for name in kernels]))
            self.assertEqual(found.get("mode"), sure and ("inference", sure, "nothing of a backward pass or of an optimizer"),
                             (kernels, ops))

    def test_embeddings_of_recommendations(self):
        look_up = operator("fbgemm::lookup", [[100, 16]], [HALF])
        found = self.facts(self.trace([look_up], [("x", 1)]))
        why = "look-ups of fbgemm in embedding tables"
        self.assertEqual((found["family"], found["attention"], found.get("model_parallel_embeddings")), (
            ("dlrm (recommendation)", "possible", why), (False, "likely", "no kernel, no operator and no module of attention"), None))
        for name in ("c10d::alltoall_base_", "nccl:all_to_all"):
            found = self.facts(self.trace([look_up, operator("a", [[1]]), operator(name, [[1]], times=3)], [("x", 1)]))
            self.assertEqual(found["model_parallel_embeddings"], (True, "likely", f"3 x {name}"))

    def test_phases_by_attention_kernels(self):
        """Where no shapes or steps say more: by what names or shapes say of passes."""
        for names, said in ((("BatchPrefillWithPagedKVCacheKernel", "BatchDecodeWithPagedKVCacheKernel"), ["decode", "prefill"]),
                            (("BatchDecodeWithPagedKVCacheKernel",) * 2, ["decode"]), (("flash_fwd_x",) * 2, None)):
            kernels = [one for name in names for one in ((name, 1), ("gemm_x", 2), (name, 1), ("gemm_x", 2), ("argmax_x", 1))]
            found = self.facts(self.trace(kernels=kernels))
            self.assertEqual(found.get("phases"), said and (said, "possible", "by the names of attention kernels"), names)

    def test_heads_on_all_ranks(self):
        """An embedding and a head on one of several ranks leave nothing for another stage."""
        for world, head, said in ((2, True, True), (1, True, False), (2, False, False)):
            ops = [embedding(1000, 64, 4, 8), *([linear(32, 64, 1000)] if head else [linear(32, 64, 65)]), attention(4, 4, 8, 16, times=2)]
            found = self.facts(self.trace(ops, [("x", 1)], world=world))
            expected = (1, "likely", "the embedding and the head are on this rank") if said else (1, "proved",
                                                                                                  "one rank") if world == 1 else None
            self.assertEqual(found.get("pipeline_parallel"), expected)

    def test_words_of_long_names(self):
        """160 letters of a kernel are shown; of a longer one its type is."""
        for more in (0, 1):
            name = ("void fusedadam<" + "x" * 145 + "(P)")[:159 + more] + "z"
            found = self.facts(self.trace(kernels=[(name, 2)]))
            self.assertEqual(len(name), 160 + more)
            self.assertEqual(found["optimizer"][2].startswith("2 x void fusedadam<xxx"), not more)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
