#!/usr/bin/env python3
"""Facts of how a model ran: steps that servers name, what ran a second, parameters, frameworks, groups of ranks, optimizers, losses."""
import sys

import truth
from model_parts import HALF, Module, ModuleCase, activation, attention, embedding, layer_norm, linear, operator


def steps(*names, every=1000, length=900):
    return [("user_annotation", name, 1000 + every * n, length, 11) for n, name in enumerate(names)]


class RunFacts(ModuleCase):
    def holds(self, path, **expected):
        found = self.facts(path)
        self.assertEqual({name: found.get(name) for name in expected}, expected)


class Served(RunFacts):
    def served(self, *names, **expected):
        """`expected` without certainty and evidence: both are those of annotations."""
        text = f"{len(names)} x annotation {names[0]}"
        self.holds(self.trace(spans=steps(*names), kernels=[("gemm", 2)]),
                   **{name: None if value is None else (value, "proved", text) for name, value in expected.items()})

    def test_vllm(self):
        prefill, decode, mixed = ("execute_context_1(128)_generation_0(0)", "execute_context_0(0)_generation_4(4)",
                                  "execute_context_1(128)_generation_4(4)")
        inference = {"mode": "inference"}
        self.served(prefill, prefill, phases=["prefill"], batch=1, sequence=128, query_tokens=128, context_tokens=None, step_phases=None,
                    **inference)
        self.served(decode, decode, phases=["decode"], batch=4, sequence=None, query_tokens=4, **inference)
        self.served(mixed, mixed, mixed, phases=["mixed"], batch=5, sequence=None, query_tokens=132, **inference)
        # Steps of several phases are listed in the order of time, and no number is one of all.
        self.served(decode, prefill, decode, phases=["decode", "prefill"], batch=None, sequence=None, query_tokens=None,
                    step_phases=["decode", "prefill", "decode"], **inference)
        self.served(decode, decode, decode.replace("4(4)", "4(5)"), phases=["decode"], batch=4, query_tokens=None)
        self.served(decode, decode, decode.replace("4(4)", "5(4)"), phases=["decode"], batch=None, query_tokens=4)
        two = "execute_context_2(128)_generation_0(0)"
        self.served(two, two, phases=["prefill"], batch=2, sequence=None, query_tokens=128)

    def test_keys_of_vllm(self):
        keys = "execute_context_{}(sq{}sk{})_generation_{}(sq{}sk{})"
        for numbers, batch, context, queries in (((1, 16, 20, 3, 3, 400), 4, 420, 19), ((0, 0, 0, 3, 3, 400), 3, 400, 3),
                                                 ((1, 16, 20, 0, 0, 0), 1, 20, 16)):
            name = keys.format(*numbers)
            self.served(name, name, batch=batch, context_tokens=context, query_tokens=queries)

    def test_sglang(self):
        for mode, phase, sequence in (("DECODE", "decode", None), ("TARGET_VERIFY", "decode", None), ("EXTEND", "prefill", 64),
                                      ("PREFILL", "prefill", 64), ("SPLIT_PREFILL", "prefill", 64), ("MIXED", "mixed", None)):
            name = f"step[{mode} bs=1 toks=64]"
            self.served(name, name, phases=[phase], batch=1, sequence=sequence, query_tokens=None)
        for name in ("step[IDLE bs=1]", "step [DECODE bs=1]"):
            self.served(name, name, phases=None, batch=None)
        two = "step[EXTEND bs=2 toks=64]"
        self.served(two, two, batch=2, sequence=None)

    def test_tensorrt(self):
        for counts, phase, batch in (("0 ctx reqs, 8 gen reqs", "decode", 8), ("2 ctx reqs, 0 gen reqs", "prefill", 2),
                                     ("2 ctx reqs, 8 gen reqs", "mixed", 10), ("0 ctx reqs, 0 gen reqs", None, None),
                                     ("2 ctx reqs, 8 other", None, None)):
            name = "[Executor] _forward_step 1: " + counts
            self.served(name, name, name, phases=phase and [phase], batch=batch)

    def test_rates(self):
        """From the first begin to the last end of at least three steps of the host."""
        decode = "step[DECODE bs=8 toks=8]"
        for count, known in ((2, False), (3, True)):
            path = self.trace(spans=steps(*[decode] * count, every=2000), kernels=[("gemm", 2)])
            seconds = (2000 * (count - 1) + 900) * 1e-6
            each = (8 * count / seconds, "likely", f"8 a step, {count} steps in {seconds * 1e3:.3f} ms")
            found = self.facts(path)
            self.check([list(found.get(name, ())) for name in ("samples_per_s", "tokens_per_s")], [each if known else []] * 2)
        # The longest may begin in the middle.
        spans = steps(decode, decode, decode, every=1000)
        spans[1] = ("user_annotation", decode, 2000, 5000, 11)
        found = self.facts(self.trace(spans=spans, kernels=[("gemm", 2)]))
        self.check(list(found["tokens_per_s"]), (24 / 6e-3, "likely", "8 a step, 3 steps in 6.000 ms"))
        # Of mixed steps the tokens that are processed count, not the sequences.
        mixed = "execute_context_1(128)_generation_4(4)"
        found = self.facts(self.trace(spans=steps(*[mixed] * 4), kernels=[("gemm", 2)]))
        self.check([list(found["samples_per_s"]), list(found["tokens_per_s"])], [
            (20 / 3.9e-3, "likely", "5 a step, 4 steps in 3.900 ms"), (528 / 3.9e-3, "likely", "132 a step, 4 steps in 3.900 ms")])


class Parameters(RunFacts):
    ATTENTION, DENSE = 4 * 64 * 64, 2 * 64 * 256  # of a layer
    ALL = 1000 * 64 + 2 * (ATTENTION + 4 * 64 + DENSE) + 64

    @staticmethod
    def model(bias=False, kv=0, norm=None, gate=1):
        """Two layers of 4 heads of 16, a feed-forward part of 256, 1000 words; three passes of a prompt of 8 tokens."""
        return [embedding(1000, 64, 1, 8, times=3), norm or layer_norm(64, 3), linear(8, 64, 64, bias, 6), linear(8, 64, 256,
                                                                                                                  times=6 * gate),
                linear(8, 256, 64, times=6), activation("gelu", 8, 256, 6), attention(1, 4, 8, 16, kv=kv, times=6)]

    def test_counts(self):
        self.assertEqual(self.ALL, 162880)
        how = "2 layers of 16.4 k in attention and 32.8 k in the feed-forward part; an embedding of 64.0 k, once"
        found = self.facts(self.trace(self.model()))
        self.assertEqual(found["parameters"][:2], (self.ALL, "possible"))
        self.assertEqual(found["parameters"][2].replace("64 k", "64.0 k"), how)
        rms = operator("aten::rms_norm", [[1, 8, 64], [], [64]], [HALF], times=3)
        for model, more in ((self.model(norm=rms), -2 * 2 * 64), (self.model(kv=2), -2 * 2 * 64 * 32), (self.model(gate=2), 2 * 64 * 256),
                            (self.model(kv=1), -2 * 2 * 64 * 48)):
            self.assertEqual(self.facts(self.trace(model))["parameters"][0], self.ALL + more)
        biased = self.model(bias=True)
        self.assertEqual(self.facts(self.trace(biased))["qkv_bias"][0], True)
        self.assertEqual(self.facts(self.trace(biased))["parameters"][0], self.ALL + 2 * 3 * 64)
        for lost in (0, 3, 6):
            model = [one for n, one in enumerate(self.model()) if n != lost]
            self.assertNotIn("parameters", self.facts(self.trace(model)))

    def test_what_a_name_says(self):
        """A seventh of the number in the name more or less is the same."""
        for name, value, agrees in (("0.142520m", 142520, False), ("0.142521m", 142521, True), ("0.190025m", 190025, True),
                                    ("0.190026m", 190026, False)):
            path = self.trace(self.model(), metadata={"experiment": {"repo_id": f"some/Model-{name}-Chat"}})
            found = self.facts(path)
            self.assertEqual(found["model"], (f"some/Model-{name}-Chat", "possible", f"repo_id = some/Model-{name}-Chat"))
            if agrees:
                self.assertEqual(found["parameters"][:2], (self.ALL, "likely"))
                self.assertIn("; the name says ", found["parameters"][2])
            else:
                self.assertEqual((found["parameters"][:2], found["parameters"][3]),
                                 ((self.ALL, "possible"), [f"{value} by recorder: the model's name"]))
        for name in ("8x0.15m", "A0.15m", "0.15mx", "0.15", "v0.15k"):  # no sizes
            found = self.facts(self.trace(self.model(), metadata={"repo_id": name}))
            self.assertEqual((found["parameters"][:2], len(found["parameters"])), ((self.ALL, "possible"), 3), name)

    def test_names_that_classes_bear_out(self):
        """The first name of several is the model's."""
        path = self.trace(self.model(), metadata={"model_name": "first", "model_id": "second", "pipeline_tag": "chat", "other": "x"})
        self.holds(path, model=("first", "possible", "model_name = first"), task=("chat", "possible", "pipeline_tag = chat"))

    def test_utilization(self):
        """Two operations a parameter and 4 L H Q T in attention, of the device's 989.4 TFLOP/s."""
        each = 2 * (self.ALL - 1000 * 64) + 4 * 2 * 4 * 16 * 8  # the embedding is looked up, and nothing is multiplied with it
        prompt = "step[EXTEND bs=1 toks=8]"
        for device, peak in (("NVIDIA H100 80GB HBM3", 989.4e12), ("Unknown", None)):
            path = self.trace(self.model(), [("gemm", 2)], steps(*[prompt] * 3), deviceProperties=[{"id": 0, "name": device}])
            found = self.facts(path)
            self.check(list(found["tokens_per_s"]), (24 / 2.9e-3, "likely", "8 a step, 3 steps in 2.900 ms"))
            if peak is None:
                self.assertNotIn("mfu", found)
            else:
                self.assertAlmostEqual(float(found["mfu"][0]) / (100 * (24 / 2.9e-3) * each / peak), 1, places=12)
                self.assertEqual(found["mfu"][1], "possible")
        # Three times that where what runs backward is there, too.
        marks = steps("ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3")
        marks += [("python_function", "nn.Module: Net_0", 1010 + 1000 * n, 800, 11) for n in range(3)]
        found = self.facts(self.trace(self.model(), [("gemm", 3), ("fusedadam_bwd", 3)], marks,
                                      deviceProperties=[{"id": 0, "name": "NVIDIA H100 80GB HBM3"}]))
        self.assertEqual(found["mode"][0], "training")
        self.check(list(found["tokens_per_s"]), (24 / 2.9e-3, "likely", "8 a step, 3 steps in 2.900 ms"))
        self.assertAlmostEqual(float(found["mfu"][0]) / (100 * (24 / 2.9e-3) * 3 * each / 989.4e12), 1, places=12)


class Places(RunFacts):
    def groups(self, world, groups, rank=0, kernels=(("gemm", 2),), operators=()):
        config = [{"pg_name": str(n), "pg_desc": name, "pg_size": size, "ranks": list(range(size))}
                  for n, (name, size) in enumerate(groups)]
        return self.trace(operators, kernels, rank=rank, world=world, distributedInfo={
            "backend": "nccl", "rank": rank, "world_size": world, "pg_config": config})

    def test_groups(self):
        whole = "the named groups make up all 8 ranks"
        for groups, expected in (
                ([("tp", 4), ("pp", 2)], {"tensor_parallel": (4, "proved", "group tp = 4"), "pipeline_parallel": (2, "proved",
                                                                                                                  "group pp = 2"),
                                          "expert_parallel": (1, "possible", whole), "data_parallel": None}),
                ([("TP:0", 4), ("tp:1", 3)], {"tensor_parallel": (4, "proved", "group tp = 4"), "pipeline_parallel": None}),
                ([("dp", 8)], {"data_parallel": (8, "proved", "group dp = 8"), "tensor_parallel": (1, "possible", whole),
                               "pipeline_parallel": (1, "possible", whole)}),
                ([("ep", 8)], {"expert_parallel": (8, "proved", "group ep = 8"), "tensor_parallel": None,
                               "pipeline_parallel": (1, "possible", whole)}),
                ([("ep", 2), ("dp", 4)], {"expert_parallel": (2, "proved", "group ep = 2"), "tensor_parallel": (1, "possible", whole)}),
                ([("exp", 4), ("ep", 2)], {"expert_parallel": (2, "proved", "group ep = 2")}),
                ([("cp", 2), ("default_pg", 8), ("undefined", 4)], {"context_parallel": (2, "proved", "group cp = 2"),
                                                                    "tensor_parallel": None})):
            self.holds(self.groups(8, groups), world_size=(8, "proved", "world_size of the run"), rank=(0, "proved",
                                                                                                        "rank of this process"),
                       **expected)

    def test_one_rank(self):
        one = (1, "proved", "one rank")
        self.holds(self.groups(1, []), tensor_parallel=one, pipeline_parallel=one, data_parallel=one, expert_parallel=one,
                   context_parallel=None)
        self.holds(self.groups(2, [], rank=1), tensor_parallel=None, rank=(1, "proved", "rank of this process"))

    def test_replicas(self):
        ddp = operator("DistributedDataParallel.forward", [[1]], times=2)
        text = "DistributedDataParallel.forward on 4 ranks"
        self.holds(self.groups(4, [], operators=[ddp]), data_parallel=(4, "likely", text), tensor_parallel=None)
        self.holds(self.groups(4, [("tp", 2)], operators=[ddp]), data_parallel=None, tensor_parallel=(2, "proved", "group tp = 2"))

    def test_sums_over_ranks(self):
        """Two a layer and pass, where a vocabulary is gathered: layers are those of modules."""
        for sums, gathers, known in ((12, 1, True), (11, 1, False), (12, 0, False)):
            more = [operator("vllm::all_reduce", [[32, 64]], [HALF], times=sums),
                    *([operator("vllm::all_gather", [[32, 64]], [HALF])] if gathers else [])]
            blocks = [Module(f"Block_{n}", Module("XAttention_0", attention(4, 4, 8, 16)), Module("Linear_0")) for n in range(3)]
            path = self.modules(Module("M_0", *blocks), Module("M_0", *blocks, *more), world=2)
            text = "12 sums over ranks in 3 layers, 2 ranks"
            self.holds(path, tensor_parallel=(2, "likely", text) if known else None, world_size=(2, "proved", "world_size of the run"))


class Kinds(RunFacts):
    def test_frameworks(self):
        """The first of the list that is met, whichever comes first in the capture."""
        def line(name):
            return ("python_function", name, 1000, 5, 11)
        for names, said in ((["transformers/models/x.py(3): forward", "vllm/engine.py(1): run"], ("vLLM", "proved",
                                                                                                  "vllm/engine.py(1): run")),
                            (["megatron/a.py(1): f", "mindspeed/b.py(2): g"], ("MindSpeed", "proved", "mindspeed/b.py(2): g")),
                            (["KJTListAwaitable.wait"], ("TorchRec", "likely", "KJTListAwaitable.wait"))):
            path = self.trace([linear(8, 16, 16)], [("at::native::x", 2)], [(c, n, s + 9 * i, d, t) for i, (c, n, s, d, t)
                                                                           in enumerate(map(line, names))])
            self.holds(path, framework=(said[0], said[1], "1 x " + said[2]))
        self.holds(self.trace([linear(8, 16, 16)], [("at::native::x", 2)]), framework=("PyTorch", "proved", "1 x aten::linear"))
        self.holds(self.trace([], [("a", 1), ("at::native::x", 2)]), framework=("PyTorch", "likely", "2 x at::native::x"))
        self.holds(self.trace([operator("fbgemm::x", [[1]]), linear(8, 16, 16)], [("a", 1)]),
                   framework=("PyTorch with FBGEMM", "proved", "1 x fbgemm::x"))

    def test_losses_and_optimizers(self):
        adam = [("multi_tensor_apply_FusedAdam<adam_mode)1>", 2)]
        for name, said in (("aten::mse_loss", "mean squared error"), ("aten::cross_entropy_loss", "cross entropy"),
                           ("aten::nll_loss_nd", "negative log likelihood"), ("aten::binary_cross_entropy", "binary cross entropy"),
                           ("aten::binary_cross_entropy_with_logits", "binary cross entropy"), ("aten::nll_loss", None)):
            self.holds(self.trace([operator(name, [[4, 4]], times=3)], adam), loss=said and (said, "proved", f"3 x {name}"),
                       optimizer=("AdamW", "likely", f"2 x {adam[0][0]}"))
        for kernel, said in (("FusedAdam_x", "Adam"), ("fusedsgd_x", "SGD"), ("foreachaddlist", None)):
            self.holds(self.trace([], [("a", 1), (kernel, 2)]), optimizer=said and (said, "likely", f"2 x {kernel}"),
                       training_parts=(["optimizer"], "likely", f"; ; 2 x {kernel}"), mode=("training", "likely", f"2 x {kernel}"))

    def test_parts_of_training(self):
        for kernels, parts, sure in (([("gemm_a", 2), ("x_bwd_y", 3), ("fusedadam", 1)], ["forward", "backward", "optimizer"], "proved"),
                                     ([("gemm_a", 2), ("fusedadam", 1)], ["forward", "optimizer"], "likely"),
                                     ([("x_wgrad_gemm", 3)], ["backward"], "proved")):
            named = {part: f"{n} x {name}" for part, (name, n) in zip(parts, kernels)}
            text = "; ".join(named.get(part, "") for part in ("forward", "backward", "optimizer"))
            self.holds(self.trace([], kernels), training_parts=(parts, "likely", text), sampling=(
                False, "likely", "training: what has a highest value is a metric"), mode=("training", sure, named.get(
                    "backward", named.get("optimizer"))), phases=(["training"], sure, named.get("backward", named.get("optimizer"))))
        # What enlarges a picture runs the gradient of an input.
        self.holds(self.trace([], [("cudnn_dgrad_x", 2)]), training_parts=None)
        self.holds(self.trace([], [("cudnn_dgrad_wgrad_x", 2)]), training_parts=(["backward"], "likely", "; 2 x cudnn_dgrad_wgrad_x; "))

    def test_how_tokens_are_chosen(self):
        attends = ("flash_fwd_x", 2)
        for kernels, said in (([attends, ("argmax_a", 2), ("argmax_b", 1)], ("greedy", 1)), ([("argmax_a", 2)], None),
                              ([attends, ("argmax_a", 2), ("multinomial_b", 1)], ("random", 2)), ([("multinomial_b", 1)], ("random", 0)),
                              ([attends, ("argmax_maxpool", 1)], None), ([attends, ("SamplingFromProb", 1)], ("random", 1))):
            text = said and f"{kernels[said[1]][1]} x {kernels[said[1]][0]}"
            self.holds(self.trace([], kernels), sampling=said and (True, "likely", text),
                       sampling_method=said and (said[0], "likely", text))

    def test_networks_by_their_convolutions(self):
        def run(convolutions, norms, products=2):
            ops = [operator("aten::conv2d", [[4, 8, 9, 9], [8, 8, 3, 3], []], ["float"] * 2, times=convolutions),
                   operator("aten::batch_norm", [[4, 8, 9, 9], [8]], ["float"], times=norms), linear(4, 16, 10, times=products)]
            return self.trace(ops, [("x", 1)], steps("ProfilerStep#3", "ProfilerStep#4"))
        for counts, each, model in (((40, 40), 20, "ResNet-18"), ((72, 72), 36, "ResNet-34"), ((40, 38), 20, None), ((42, 42), 21, None),
                                    ((40, 40, 3), 20, None)):
            text = f"{counts[0]} convolutions in 2 steps"
            self.holds(run(*counts), convolutions=(each, "proved", text),
                       model=model and (model, "possible", text + ", as many batch norms, one product a step"),
                       steps=(2, "proved", "marked steps"))
        self.holds(run(41, 41), convolutions=None, model=None)

    def test_experts_by_no_name(self):
        attends = ("flash_fwd_x", 2)
        none = (False, "likely", "nothing that routes tokens or multiplies by groups")
        self.holds(self.trace([], [attends]), moe=none)
        for name in ("x_moe_y", "router_z", "_ogs", "groupproblem_x"):
            found = self.facts(self.trace([], [("a", 1), attends, (name, 1)]))
            self.assertNotEqual(found.get("moe"), none, name)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
