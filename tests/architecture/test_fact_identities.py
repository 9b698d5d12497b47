#!/usr/bin/env python3
"""Facts of a model and the sentences of the same screen agree, and facts that follow from each other do, on every capture of the corpus.

Facts are read from the document, sentences from the screen, and what modules are called from the trace itself.
"""
import json
import pathlib
import re
import sys
import tempfile
import unittest
import zlib

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("cli", "architecture")]
import fact_cases  # noqa: E402
import harness  # noqa: E402
from harness import run  # noqa: E402
from test_identities import captures  # noqa: E402

COUNTED = re.compile(r"(\d+) (repeating part|layer)s? a pass")
TYPES = re.compile(r"(\d+) (Dense or MoE|Dense|MoE\S*?)(?=[,;)])")
OTHER = re.compile(r"; (?:modules|annotations|shapes|names of kernels|counts) show ([^;]*);")
PASSES = re.compile(r"\d+ pass(?:es)? \(([^)]*)\)")


def six_layers(path, steps, parts):
    """Six layers by their modules in each step; in each layer these modules, one after the other, with a product for each kernel."""
    t = fact_cases.Trace()
    for step in range(steps):
        with t.scope(f"ProfilerStep#{step}", "user_annotation"), t.module("Net", 0), t.module("Stack", 0):
            for layer in range(6):
                with t.module("Block", layer):
                    for part, kernels in parts:
                        with t.module(part, layer):
                            for name in kernels:
                                t.op("aten::mm", [[32, 64], [64, 64]], [fact_cases.BF16] * 2, [name])
    t.write(path)


def twice_a_layer(folder):
    """Two kernels of attention a layer, and four passes, so that the kernels agree with each other."""
    kernels = (fact_cases.FLASH.format("true"), fact_cases.GEMM, "rms_norm_kernel")
    six_layers(folder / "twice_a_layer.json.gz", 4, [("SelfAttention", kernels), ("CrossAttention", kernels)])


def experts_by_modules(folder):
    """Layers with experts, whose kernels have names like those of any other product."""
    six_layers(folder / "experts_by_modules.json.gz", 3,
               [("SelfAttention", (fact_cases.FLASH.format("true"), fact_cases.GEMM)), ("SparseMoE", (fact_cases.GEMM,))])


def attention_by_products(folder):
    """A network of convolutions with a module of attention that is made of products and a softmax."""
    t = fact_cases.Trace()
    for _ in range(3):
        with t.module("Net", 0):
            t.op("aten::conv2d", [[4, 3, 32, 32], [8, 3, 3, 3], []], [fact_cases.BF16] * 2, ["cudnn_conv"])
            with t.module("SelfAttention", 0):
                t.op("aten::bmm", [[4, 1024, 8], [4, 8, 1024]], [fact_cases.BF16] * 2, [fact_cases.GEMM])
                t.op("aten::softmax", [[4, 1024, 1024]], [fact_cases.BF16], ["softmax_kernel"])
                t.op("aten::bmm", [[4, 1024, 1024], [4, 1024, 8]], [fact_cases.BF16] * 2, [fact_cases.GEMM])
    t.write(folder / "attention_by_products.json.gz")


def made(folder):
    fact_cases.write_all(folder)
    for case in (twice_a_layer, experts_by_modules, attention_by_products):
        case(folder)
    return sorted(path for path in folder.iterdir() if path.name != "truth.json")


def modules_of(path):
    """Names of the modules that a trace of PyTorch holds."""
    if path.is_dir() or ".json" not in path.name:
        return set()
    data = path.read_bytes()
    if path.name.endswith(".gz"):
        data = zlib.decompressobj(31).decompress(data)  # what is there of a file that was cut
    return set(re.findall(rb'"nn\.Module: ([^"]*?)(?:_\d+)?"', data))


class FactIdentities(unittest.TestCase):
    def facts_hold(self, facts):
        """What follows from what, among facts alone."""
        def both(*names):
            return all(name in facts for name in names)
        layers = facts.get("layers")
        if both("layers", "moe_layers"):
            self.assertEqual(facts["moe_layers"] + facts.get("dense_layers", 0), layers)
        if both("layers", "ssm_layers"):
            self.assertEqual(facts["ssm_layers"] + facts.get("attention_layers", 0), layers)
        for name in ("experts", "experts_per_token", "experts_per_rank", "expert_ffn_size", "moe_layers", "shared_experts", "moe_backend"):
            self.assertTrue(name not in facts or facts.get("moe") is True, name)
        if both("attention_heads", "kv_heads"):
            heads, keys = facts["attention_heads"], facts["kv_heads"]
            self.assertEqual(heads % keys, 0)
            self.assertEqual(facts.get("gqa_ratio", heads // keys), heads // keys)
            kind = facts.get("attention_kind")
            self.assertTrue(kind not in ("MHA", "GQA", "MQA") or kind == ("MHA" if keys == heads else "MQA" if keys == 1 else "GQA")
                            or (kind == "GQA" and keys < heads), kind)
        if both("parameters", "active_parameters"):
            self.assertLess(facts["active_parameters"], facts["parameters"])
        if both("tokens_per_s", "samples_per_s", "sequence") and "query_tokens" not in facts and facts.get("phases") != ["decode"]:
            self.assertAlmostEqual(facts["tokens_per_s"] / facts["samples_per_s"] / facts["sequence"], 1)
        if "mfu" in facts:
            self.assertTrue(both("tokens_per_s", "parameters", "layers") and 0 < facts["mfu"] <= 100)
        if "optimizer" in facts or "gradient_accumulation_steps" in facts:
            self.assertEqual(facts["mode"], "training")
        if "gradient_accumulation_steps" in facts and facts.get("steps", 0) > 1:
            micro = facts["gradient_accumulation_steps"] * facts["optimizer_steps"]
            self.assertTrue(facts["steps"] >= facts["optimizer_steps"] or micro >= facts["steps"], facts["steps"])
        if both("micro_batches", "gradient_accumulation_steps") and facts["steps"] == facts["optimizer_steps"]:
            self.assertEqual(facts["micro_batches"], facts["gradient_accumulation_steps"])

    def screen_agrees(self, facts, screen, modules):
        """What the sentences say, against the facts beside them. True where there was something to compare."""
        said = re.search(r"^ +by kernels +((?:.*\n)(?: {14}.*\n)*)", screen, re.M)
        sentence = " ".join(said.group(1).split()) + ";" if said else ""
        counted, other = COUNTED.search(sentence), OTHER.search(sentence)
        layers = facts["encoder_layers"] + facts["decoder_layers"] if "encoder_layers" in facts else facts.get(
            "layers", facts.get("attention_blocks"))
        if counted and layers is not None:
            if int(counted.group(1)) != layers:
                self.assertIsNotNone(other, sentence)
                numbers = [int(n) for n in re.findall(r"\d+", other.group(1))]
                self.assertIn(layers, [numbers[0], sum(numbers[:2])], sentence)
                self.assertTrue(sentence.startswith("possibly") and sentence.endswith("confidence low;"), sentence)
            else:
                self.assertIsNone(other, sentence)
        types = [kind for _, kind in TYPES.findall(sentence)]
        if facts.get("moe") is True and types:
            self.assertTrue(any("MoE" in kind for kind in types), sentence)
        if facts.get("moe") is False:
            self.assertFalse(any("MoE" in kind for kind in types), sentence)
            self.assertNotRegex(screen, r"(?m)^  MoE")
        if facts.get("attention") is False:
            self.assertNotRegex(screen, r"\d attention kernel")
            self.assertFalse([name for name in facts if name.startswith("attention_")])
            self.assertFalse([name for name in modules if b"attention" in name.lower() or b"attn" in name.lower()])
        phases = PASSES.search(sentence)
        if phases and "mixed" not in facts.get("phases", []):
            self.assertLessEqual({one.split()[1] for one in phases.group(1).split(", ")}, set(facts.get("phases", [])))
        if facts.get("sampling") is False:
            self.assertNotIn("+sampling", screen)
        return bool(counted and layers is not None)

    def test_facts_and_sentences(self):
        compared = 0
        with tempfile.TemporaryDirectory() as scratch:
            for path in [*made(pathlib.Path(scratch)), *captures()]:
                done = run("architecture", path, "--json", "-q")
                found = json.loads(done.out) if done.status in (0, 5) else {}
                if not found.get("facts"):
                    continue
                facts = {fact["name"]: fact["value"] for fact in found["facts"]}
                with self.subTest(path=str(path)):
                    self.facts_hold(facts)
                    compared += self.screen_agrees(facts, run("architecture", path, "--color=never", "-q").out, modules_of(path))
        self.assertGreater(compared, 5)

    def test_two_sources(self):
        """Where modules know more than kernels, the sentence says both."""
        with tempfile.TemporaryDirectory() as scratch:
            made(pathlib.Path(scratch))

            def screen(name):
                return " ".join(run("architecture", pathlib.Path(scratch) / name, "--color=never", "-q").out.split())
            self.assertIn("possibly 12 layers a pass (12 Dense), 4 passes; modules show 6 layers; confidence low", screen("twice_a_layer.json.gz"))
            self.assertIn("6 layers a pass (6 Dense or MoE), 3 passes; confidence low", screen("experts_by_modules.json.gz"))
            self.assertNotIn("attention no attention", screen("attention_by_products.json.gz"))


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
