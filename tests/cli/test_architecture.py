#!/usr/bin/env python3
"""`profkit architecture` seen from outside: what a person reads, the report, documents, both reports of a folder."""
import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import harness
from harness import CPU_RUN, GPU, TPU, run

CORPUS = Path(os.environ.get("PROFKIT_CORPUS") or Path(__file__).resolve().parents[3] / "shared")
KINETO = CORPUS / "captures" / "kineto"
ASCEND = CORPUS / "oracles" / "ascend" / "golden" / "gen_mixed" / "input"


def document(*arguments):
    done = run("architecture", *arguments, "--json")
    return done, json.loads(done.out)


def sections(text):
    return [line.split(".")[0] for line in text.splitlines() if line.startswith("## ")]


ALL = [f"## {i}" for i in range(1, 11)]


class Everywhere(unittest.TestCase):
    def test_captures_without_layers_say_why(self):
        for capture in (TPU, GPU):
            done = run("architecture", capture)
            self.assertEqual(done.status, 0, done.err)
            for line in done.out.splitlines():
                self.assertLessEqual(len(line), 100, line)
            _, found = document(capture)
            self.assertEqual(found["confidence"], "low")
            self.assertTrue(found["limitations"])
            self.assertEqual(sections(run("architecture", capture, "--markdown").out), ALL)

    def test_a_host_capture_is_absent_and_fine(self):
        done = run("architecture", CPU_RUN)
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("[absent]", done.out)
        self.assertEqual(sections(run("architecture", CPU_RUN, "--markdown").out), ALL)
        _, found = document(CPU_RUN)
        self.assertEqual(found["status"], "absent")
        self.assertEqual(found["layers"], [])

    def test_two_forms_at_once_are_a_usage_error(self):
        self.assertEqual(run("architecture", TPU, "--json", "--markdown").status, 2)

    def test_threads_and_runs_do_not_matter(self):
        first = run("architecture", TPU, "--json", "--threads", "1").out
        self.assertEqual(first, run("architecture", TPU, "--json", "--threads", "4").out)

    def test_nothing_is_written_unasked(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / TPU.name
            shutil.copy(TPU, copy)
            for command in ("architecture", "bubbles", "report"):
                self.assertEqual(run(command, copy).status, 0)
            self.assertEqual([p.name for p in Path(folder).iterdir()], [copy.name])


class Folders(unittest.TestCase):
    def test_a_folder_gets_the_report_under_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("architecture", TPU, "-o", folder)
            self.assertEqual(done.status, 0, done.err)
            [written] = Path(folder).iterdir()
            self.assertRegex(written.name, r"^model_architecture_report_.*\.md$")
            self.assertIn(written.name, done.out)
            self.assertEqual(written.read_text(), run("architecture", TPU, "--markdown").out)
            own = Path(folder) / "own.md"
            self.assertEqual(run("architecture", TPU, "-o", own).status, 0)
            self.assertEqual(own.read_text(), written.read_text())

    def test_bubbles_writes_both(self):
        with tempfile.TemporaryDirectory() as folder:
            into = Path(folder) / "new"
            done = run("bubbles", TPU, "-o", f"{into}/")
            self.assertEqual(done.status, 0, done.err)
            names = sorted(p.name.split("_")[0] for p in into.iterdir())
            self.assertEqual(names, ["anomaly", "model"])
            [json_file] = into.glob("*.json")
            self.assertEqual(json.loads(json_file.read_text())["schema"], "profkit.bubbles")
            [report] = into.glob("*.md")
            self.assertEqual(sections(report.read_text()), ALL)

    def test_a_folder_that_cannot_be_made_is_told(self):
        done = run("architecture", TPU, "-o", "/no/such/place/")
        self.assertNotEqual(done.status, 0)
        self.assertIn("/no/such/place/", done.err)


@unittest.skipUnless(KINETO.is_dir(), "needs PROFKIT_CORPUS")
class KnownModels(unittest.TestCase):
    def test_layer_counts(self):
        for name, layers, most in (("h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 24, "low"),
                                   ("mi300_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 24, "low"),
                                   ("h100_gaunernst_bert-small-uncased__1016001.json.gz", 4, "medium"),
                                   ("inference_sglang_decode_sglang_Qwen3-8B_decode.json.gz", 36, "medium"),
                                   ("b200_eager_trace.json.gz", 36, "low")):
            done, found = document(KINETO / name)
            self.assertEqual(found["layers_per_pass"], layers, name)
            self.assertEqual(found["confidence"], most, name)
            self.assertTrue(all(c["result"] != "fail" for c in found["cross_checks"]), name)
        self.assertEqual({p["phase"] for p in document(KINETO / "inference_sglang_decode_sglang_Qwen3-8B_decode.json.gz")[1]["passes"]},
                         {"decode"})

    def test_a_pass_cut_at_its_beginning(self):
        _, found = document(KINETO / "h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz")
        self.assertEqual([(p["cut"], p["layers"]) for p in found["passes"]], [("beginning", 10), ("none", 24)])
        self.assertEqual(found["layers"][0]["index"], 14)

    def test_the_report_shows_one_line(self):
        done = run("report", KINETO / "inference_sglang_decode_sglang_Qwen3-8B_decode.json.gz")
        self.assertIn("36 layers a pass", done.out)


@unittest.skipUnless(ASCEND.is_dir(), "needs PROFKIT_CORPUS")
class Ascend(unittest.TestCase):
    def test_what_a_person_reads(self):
        done = run("architecture", ASCEND)
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("6 layers a pass (2 Dense, 3 MoE+DFC, 1 MoE+GMM; in decode 2 Dense, 4 MoE+GMM)", " ".join(done.out.split()))
        for line in done.out.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_damage_is_told_and_the_rest_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "p"
            shutil.copytree(ASCEND, copy)
            table = next(copy.rglob("kernel_details.csv"))
            table.write_bytes(table.read_bytes()[:-4000])
            done, found = document(copy)
            self.assertIn(done.status, (0, 5))
            self.assertGreater(len(found["layers"]), 10)

    def test_sizes_of_the_recorder(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "dp2_tp4_ascend_pt"
            shutil.copytree(ASCEND, copy)
            (copy / "profiler_metadata.json").write_text(json.dumps({
                "distributed_args": {"tensor_model_parallel_size": 8, "pipeline_model_parallel_size": 1, "rank": 3,
                                     "sequence_parallel": True, "world_size": 16},
                "parallel_group_info": {"a": {"group_name": "dp", "group_rank": 1, "global_ranks": [3, 11]}}}))
            _, found = document(copy)
            told = found["configuration"]["parallelism"]
            self.assertIn("TP 8, PP 1, DP 2, sequence parallel, world size 16 (profiler metadata)", told)
            self.assertFalse([t for t in told if "folder name" in t], told)
            report = run("architecture", copy, "--markdown").out
            self.assertNotIn("\n| - ", report)

    def test_limits_bound_lists(self):
        _, found = document(ASCEND, "--limit", "2")
        self.assertEqual((len(found["passes"]), len(found["layers"])), (2, 2))
        self.assertEqual((found["passes_total"], found["layers_total"]), (3, 18))


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
