#!/usr/bin/env python3
"""How many micro-steps make a step of the optimizer, and what a rate is then over."""
import sys

import kineto
import truth
from model_parts import BASE, US, LetterCase, embedding, linear

ENGINE = "autograd::engine::evaluate_function: "
GRADIENT = ENGINE + "torch::autograd::AccumulateGrad"


class Loop:
    """A training loop of one rank, a letter after the other: F looks up 4 x 8 tokens and multiplies them; R computes forward again
    inside of a backward pass B; G asks for gradients without adding them to any; C clips gradients; O and P are steps of two
    optimizers. "|" begins a marked step."""

    def __init__(self, letters, kernels=("gemm",)):
        self.trace, self.at = kineto.Trace(BASE, 0, 0, 1), 1000 * US
        self.trace.name_process(900, "python")
        self.marks = []
        for letter in letters:
            getattr(self, "mark" if letter == "|" else letter)()
        self.end_mark()
        for n, name in enumerate(kernels):
            self.trace.kernel(0, name, 1000 * US + 3 * US * n, 2 * US)

    def mark(self):
        self.end_mark()
        self.marks.append([self.at, None])

    def end_mark(self):
        if self.marks and self.marks[-1][1] is None:
            start = self.marks[-1][0]
            self.marks[-1][1] = self.at
            self.trace.span("user_annotation", f"ProfilerStep#{len(self.marks)}", start, self.at - start, kind="annotation")

    def op(self, one, tid=11):
        self.trace.span("cpu_op", one["name"], self.at, 2 * US, tid, args=one["args"])
        self.at += 3 * US

    def engine(self, name, inside=()):
        start = self.at
        self.at += US
        for one in inside:
            self.op(one, 12)
        self.trace.span("cpu_op", name, start, self.at + 2 * US - start, 12)
        self.at += 4 * US

    def F(self):
        self.op(embedding(1000, 64, 4, 8))
        self.op(linear(32, 64, 64))

    def B(self):
        self.engine(ENGINE + "AddmmBackward0")
        self.engine(GRADIENT)
        self.engine(GRADIENT)

    def R(self):
        self.engine(ENGINE + "CheckpointFunctionBackward", [linear(32, 64, 64)])

    def G(self):
        self.engine(ENGINE + "AddmmBackward0")

    def C(self):
        self.trace.span("cpu_op", "aten::_foreach_norm", self.at, 2 * US)
        self.at += 3 * US

    def O(self, name="AdamW"):
        self.trace.span("user_annotation", f"Optimizer.step#{name}.step", self.at, 5 * US, kind="annotation")
        self.at += 6 * US

    def P(self):
        self.O("Muon")


class Accumulation(LetterCase):
    def loop(self, letters, **more):
        loop = Loop(letters, **more)
        LetterCase.number += 1
        path = self.write(f"loop{LetterCase.number}/rank0.pt.trace.json", loop.trace.text())
        return loop, path, self.facts(path)

    def holds(self, letters, each, steps=None, **more):
        found = self.loop(letters, **more)[2]
        said = [found.get(name, (None,))[0] for name in ("gradient_accumulation_steps", "optimizer_steps")]
        self.assertEqual(said, [each, steps], letters)
        return found

    def test_every_kth_step_and_inside_of_steps(self):
        for k in (1, 2, 4):
            for letters in (("|FB" * k + "O") * 3, ("|" + "FB" * k + "O") * 3):
                found = self.holds(letters, k, 3)
                text = f"{3 * k} passes forward and back on the host, 3 steps of the optimizer"
                self.assertEqual(found["gradient_accumulation_steps"], (k, "likely", text))

    def test_what_the_capture_cuts(self):
        """The first and the last one may be short, and never longer."""
        self.holds("|FB" + "O" + "|FB|FB|FBO" * 2 + "|FB", 3, 3)
        self.holds("|B|FBO" + "|FB|FBO" * 2, 2, 3)
        self.holds("|FB|FB|FBO|FB|FBO|FB|FBO", None)
        self.holds("|FB|FBO|FB|FBO|FB|FB|FB", None)
        self.holds("|FB|FBO|FB|FB|FBO|FB|FBO", None)

    def test_one_step_of_the_optimizer(self):
        """Where one marked step holds all of it."""
        self.holds("|FBFBFBFBO", 4, 1)
        self.holds("|FBO", 1, 1)
        self.holds("FB|FBO", None)
        self.holds("|FBOFB", None)
        self.holds("|FB|FBO", None)
        self.holds("FBFBO", None)

    def test_what_is_no_micro_step(self):
        self.holds("|FBRBFBRBO" * 2, 2, 2)  # what is computed again between gradients
        self.holds("|FGFBO" * 2, 1, 2)  # gradients that are asked for
        self.holds("|FBFBCO" * 2, 2, 2)  # clipping
        self.holds("|FBFBOP" * 2, 2, 2)  # two optimizers, one after the other
        self.holds("|FBFBC" * 3, None)  # no optimizer on record
        self.holds("|FF" * 3, None)
        self.holds("|FBFBO" * 2, None, kernels=["ncclDevKernel_SendRecv(x)"])  # stages of a pipeline

    def test_rates(self):
        """Over all micro-steps, whether a marked step is one or several."""
        for k, letters in ((1, "|FBO" * 4), (2, "|FB|FBO" * 3), (2, "|FBFBO" * 3), (4, "|FBFBFBFBO" * 3)):
            loop, path, found = self.loop(letters)
            count, marks = letters.count("F"), len(loop.marks)
            seconds = (loop.marks[-1][1] - loop.marks[0][0]) * 1e-9
            noun = "micro-step" if k > 1 else "step"
            how = f"{k} micro-steps a step of the optimizer, {count} in " if k > 1 else ""
            text = f"32 a {noun}, {how}{marks} steps in {seconds * 1e6:.3f} us"
            rate, *said = found["tokens_per_s"]
            self.assertAlmostEqual(float(rate), 32 * count / seconds, places=3)
            self.assertEqual(said, ["likely", text])
            self.assertAlmostEqual(float(found["samples_per_s"][0]), 4 * count / seconds, places=3)
            card = " ".join(truth.run("architecture", path).split())
            self.assertIn(f"optimizer steps {letters.count('O')} (likely); gradient accumulation steps {k} (likely)", card)

    def test_kernels_alone(self):
        """Passes that the backward pass of attention parts, and kernels of an optimizer."""
        def said(letters):
            facts = self.short(self.run_of(letters)["facts"])
            return facts.get("gradient_accumulation_steps", (None,))[:3]
        text = "{} passes of the device, {} of the optimizer"
        self.assertEqual(said("1FMFMBMBMFMFMBMBMO2FMFMBMBMFMFMBMBMO"), (2, "likely", text.format(4, "2 steps")))
        self.assertEqual(said("1FMFMBMBMFMFMBMBMFMFMBMBMO"), (3, "likely", text.format(3, "1 step")))
        self.assertEqual(said("1FMFMBMBMVFMFMBMBMVFMFMBMBMO"), (None,))  # a stage of a pipeline
        self.assertEqual(said("1EFMFMEFMFMVBMBMBMBMO"), (2, "likely", text.format(2, "1 step")))  # with look-ups
        self.assertEqual(said("1FMFMBMBMFMFMBMBM2FMFMBMBMFMFMBMBM"), (None,))  # no optimizer
        self.assertEqual(said("1FMFMBMBMO2FMFMBMBMO"), (None,))  # steps alone part the passes


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
