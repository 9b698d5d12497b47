#!/usr/bin/env python3
"""Parameters of models with experts, rates over passes, steps, micro-batches, models that encode and decode, and how facts are shown."""
import sys

import kineto
import truth
from model_parts import (BASE, HALF, LetterCase, Module, ModuleCase, US, activation, attention, embedding, layer_norm, linear, operator,
                         rms_norm)


class Experts(LetterCase):
    @staticmethod
    def model(experts=8, gate=True):
        """Two layers of 4 heads of 16; 1000 words; experts of 96, of which 32 tokens go to 128 / 32."""
        grouped = [operator("aten::_grouped_mm", [[128, a], [experts, a, b]], [HALF] * 2, times=2) for a, b in ((64, 96), (96, 64))]
        return [embedding(1000, 64, 4, 8), rms_norm(64), linear(32, 64, 64), *([linear(32, 64, experts, times=2)] if gate else []),
                attention(4, 4, 8, 16, times=2), *grouped, activation("silu", 128, 96, 2)]

    def test_parameters(self):
        """All experts of all layers, and those that a token goes to: 4 of 8."""
        facts = self.facts(self.trace(self.model()))
        self.assertEqual([facts[name][0] for name in ("layers", "experts", "experts_per_token", "expert_ffn_size")], [2, 8, 4, 96])
        common = 1000 * 64 + 2 * (4 * 64 * 64 + 2 * 64) + 64
        each = 2 * 64 * 96
        self.assertEqual(facts["parameters"][:2], (common + 2 * 8 * each, "possible"))
        self.assertEqual(facts["active_parameters"], (common + 2 * 4 * each, "possible", "those that one token goes through"))
        self.assertIn("2 layers of 16.4 k in attention, 8 experts of 12.3 k; an embedding of", facts["parameters"][2])
        # Without a number of experts a token goes to, nothing is said.
        facts = self.facts(self.trace(self.model(gate=False)))
        self.assertNotIn("active_parameters", facts)


class Rates(ModuleCase, LetterCase):
    def test_whole_passes(self):
        """Where no step is marked, passes count, if all are whole and modules ran as often."""
        one = Module("M_0", Module("Linear_0"), attention(4, 4, 9, 16))
        kernels = ["flash_fwd_x", "gemm", "gemm", "flash_fwd_x", "gemm", "gemm", "argmax"]
        for calls, launched, known in ((2, kernels * 2, True), (2, [*kernels, *kernels[:3]], False), (3, kernels * 2, False),
                                       (2, kernels * 3, False), (3, kernels * 3, True)):
            facts = self.facts(self.modules(*[one] * calls, kernels=launched))
            us = 3 * len(launched) - 1  # each lasts 2 us, one after 3
            said = [36 * calls / (us * 1e-6), "possible", f"36 a pass, {calls} passes in {us}.000 us"]
            self.check(list(facts.get("tokens_per_s", ())), said if known else [])

    def test_steps_of_hosts_and_devices(self):
        """Those of a host count, each once; the time is from its first mark until it or the device ends; with a device two are enough."""
        name = "step[DECODE bs=8]"
        def run(count, of_host, of_device):
            trace = kineto.Trace(BASE, 0, 0, 1)
            trace.name_process(900, "python")
            for step in range(count):
                at = 1_000_000 * (step + 1)
                for _ in range(of_host):
                    trace.span("user_annotation", name, at, 900_000, kind="annotation")
                if of_device:
                    trace.add(ph="X", cat="gpu_user_annotation", name=name, pid=0, tid=7, ts=at + 50_000, dur=930_000, args={})
                trace.kernel(0, "gemm", at + 100_000, 2000)
            return self.facts(self.write(f"{len(list(self.scratch.iterdir()))}/rank0.pt.trace.json", trace.text()))
        for count, of_host, of_device, us in ((3, 1, 0, 2900), (3, 1, 1, 2980), (3, 0, 1, 2930), (3, 2, 1, 2980), (2, 1, 1, 1980),
                                              (2, 1, 0, None),
                                              (1, 1, 1, 980)):
            found = run(count, of_host, of_device)
            self.assertEqual(found["batch"], (8, "proved", f"{count} x annotation {name}"))
            spelled = us and (f"{us / 1000:.3f} ms" if us >= 1000 else f"{us}.000 us")
            noun = "step" if count == 1 else "steps"
            rate, *said = found.get("tokens_per_s", (0,))
            self.assertEqual(said, ["likely", f"8 a step, {count} {noun} in {spelled}"] if us else [])
            self.assertAlmostEqual(float(rate), 8 * count / (us * 1e-6) if us else 0, places=6)

    def test_steps_of_a_profiler(self):
        """They come before numbered ones, and each begin counts once."""
        def steps(*spans):
            trace = kineto.Trace(BASE, 0, 0, 1)
            trace.name_process(900, "python")
            for name, start, thread in spans:
                trace.span("user_annotation", name, start * US, 50 * US, thread)
            trace.kernel(0, "gemm", 1_000_000, 2 * US)
            found = self.facts(self.write(f"{len(list(self.scratch.iterdir()))}/rank0.pt.trace.json", trace.text()))
            return found.get("steps", (None,))[0]
        self.assertEqual(steps(("ProfilerStep#3", 1000, 11), ("ProfilerStep#4", 1100, 11), ("ProfilerStep#5", 1200, 11)), 3)
        self.assertEqual(steps(("ProfilerStep#0", 1000, 11)), 1)
        self.assertEqual(steps(("ProfilerStep#3", 1000, 11), ("ProfilerStep#4", 1100, 12), ("other", 1200, 11)), 2)
        self.assertEqual(steps(("other", 1000, 11)), None)

    def test_micro_batches(self):
        """Look-ups of tokens in each step of training."""
        for count, said in ((2, 2), (3, 3)):
            rank = self.rows("".join(f"{step}{'FMB' * count}O" for step in (1, 2)))
            at = BASE
            for n in range(2 * count):
                rank.kernel(0, "aclnn_GatherV2", "GatherV2", "AI_VECTOR_CORE", at + (n * 5 + 1) * 21_000 - 500, 400, shapes="1000,64;4,8",
                            step="1")
            facts = self.short(self.ask(self.folder(rank))["facts"])
            self.assertEqual(facts["micro_batches"], (said, "likely", f'{2 * count} x GatherV2 "1000,64;4,8" in 2 steps'))
            self.assertEqual((facts["steps"][0], facts["mode"][0]), (2, "training"))

    def test_no_kernel_that_chooses(self):
        """On an NPU that is worth a word, where something attends."""
        self.assertEqual(self.short(self.run_of("AMNAMN")["facts"])["sampling"], (False, "possible", "no kernel chooses a token"))
        self.assertNotIn("sampling", self.short(self.run_of("MNUMNU")["facts"]))
        self.assertNotIn("sampling", self.facts(self.trace(kernels=[("flash_fwd_x", 2)])))


class Kinds(LetterCase):
    def test_several_hosts(self):
        """The rank of a process is no fact of a capture of two; with one it is, 0 too."""
        for count, ranks in ((1, [0]), (1, [3]), (2, [0, 1])):
            root = f"hosts{len(list(self.scratch.iterdir()))}"
            for n in ranks:
                trace = kineto.Trace(BASE, 0, n, 4)
                trace.name_process(900 + n, "python")
                trace.kernel(0, "flash_fwd_x", 1_000_000, 2 * US)
                self.write(f"{root}/rank{n}.pt.trace.json", trace.text())
            facts = self.facts(self.scratch / root)
            self.assertEqual((facts.get("rank", (None,))[0], facts["world_size"][0], facts["devices"][0]), (
                ranks[0] if count == 1 else None, 4, count))

    def test_pictures_from_latents(self):
        """Four or sixteen channels of a square, where something attends and no table is looked up."""
        def latents(channels, height, width):
            return operator("aten::conv2d", [[2, channels, height, width], [8, channels, 3, 3], []], [HALF] * 2)
        for dims, known in (((4, 64, 64), True), ((16, 32, 32), True), ((3, 64, 64), False), ((4, 64, 32), False), ((8, 64, 64), False)):
            ops = [latents(*dims), attention(2, 4, 16, 16, times=2)]
            facts = self.facts(self.trace(ops, [("x", 1)]))
            text = f"1 x aten::conv2d [[2, {dims[0]}, {dims[1]}, {dims[2]}], [8, {dims[0]}, 3, 3], []]"
            self.assertEqual(facts.get("task"), ("diffusion", "possible", text) if known else None, dims)
        facts = self.facts(self.trace([latents(4, 64, 64), latents(4, 32, 32), attention(2, 4, 16, 16, times=2)], [("x", 1)]))
        self.assertEqual(facts["latent_size"][:2], (64, "likely"))
        facts = self.facts(self.trace([latents(4, 64, 64), attention(2, 4, 16, 16, times=2), attention(2, 4, 16, 16, keys=77)], [("x", 1)]))
        self.assertEqual(facts["cross_attention"], (True, "likely", "attention with other keys than queries"))
        facts = self.facts(self.trace([latents(4, 64, 64), attention(2, 4, 16, 16, times=2), embedding(1000, 64, 4, 8)], [("x", 1)]))
        self.assertNotIn("task", facts)

    def test_the_order_of_facts(self):
        """As people read them, whichever way they were found; what contradicts comes with its fact."""
        ops = [embedding(1000, 64, 4, 9, times=2), layer_norm(64, 2), linear(32, 64, 64, True, 4), attention(4, 4, 9, 16, causal="True",
                                                                                                             times=4)]
        path = self.trace(ops, [("flash_fwd_x", 2)])
        self.assertEqual(list(self.facts(path)), [
            "moe", "framework", "mode", "phases", "batch", "sequence", "layers", "norm", "hidden_size", "vocab_size", "lm_head",
            "attention_kind", "attention_heads", "kv_heads", "head_dim", "causal", "qkv_bias", "attention_backend", "dtype", "world_size",
            "rank", "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel", "devices"])
        lines = truth.run("architecture", path).splitlines()
        self.assertEqual([line[2:].rstrip() for line in lines[:6]], [
            "what        no moe (likely); framework PyTorch", "ran         mode inference (likely); phases prefill (likely)",
            "inputs      batch 4; sequence 9", "layers      2 (likely); norm LayerNorm",
            "widths      hidden size 64; vocab size 1000 (likely); no lm head (likely)",
            "attention   kind MHA; heads 4; kv heads 4; head dim 16; causal; qkv bias (likely);"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
