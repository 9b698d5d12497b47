"""The whole document `bubbles` of two ranks of PyTorch, its tables, its screen text, and what else reads such traces."""
import json
import pathlib
import sys

import truth
import kineto_pair
from idle_tables import IdleTables
from idle_model import Idle

EXPECTED = pathlib.Path(__file__).parent / "expected"


def files_of(folder, names, family):
    return [{"path": f"{folder}/{name}", "family": family, "export_of": -1} for name in names]


def input_of(file, folder, name, rows, notes=()):
    return {"file": file, "path": f"{folder}/{name}", "variant": "kineto", "rows": rows, "rejected": 0,
            "reject_reasons": [], "first_rejected_line": 0, "unknown_columns": [], "missing_columns": [],
            "notes": list(notes)}


class BubblesOfKineto(IdleTables, truth.Case):
    hosts = {0: "rank0", 1: "rank1"}

    def setUp(self):
        super().setUp()
        self.capture, files = kineto_pair.capture()
        for name, text in files.items():
            self.write(f"run/{name}", text)
        self.folder = self.scratch / "run"
        self.inputs = [
            input_of(0, self.folder, "rank0.pt.trace.json", 252,
                     ["2 of 97 kernels have no launch in the trace: who launched them is unattributed"]),
            input_of(1, self.folder, "rank1.pt.trace.json", 64)]
        self.files = files_of(self.folder, files, "chrome_trace")
        self.sentences = json.loads((EXPECTED / "bubbles_kineto.json").read_text(encoding="utf-8"))

    def expected(self, **options):
        return Idle(self.capture, **options).document(self.inputs, self.files, self.sentences)

    def test_document(self):
        text = truth.run("bubbles", self.folder, "--json", "--window-policy", "guide")
        self.check(truth.parsed(text), self.expected())

    def check_with(self, *arguments, policy="guide", **options):
        """All but the sentences, of other options."""
        found = truth.parsed(truth.run("bubbles", self.folder, "--json", *(arguments if policy != "guide" else ("--window-policy", "guide", *arguments))))
        self.capture, _ = kineto_pair.capture(policy)
        sentences = {"answers": {key: text for key, text in found["summary"].items() if key.startswith("q")},
                     "recommendations": found["recommendations"], "evidence_gaps": found["evidence_gaps"]}
        expected = Idle(self.capture, **options).document(self.inputs, self.files, sentences, policy)
        self.check(found, expected)

    def test_own_ends_of_steps(self):
        self.check_with("--window-policy", "marker", policy="marker")

    def test_other_thresholds(self):
        # All of those that do not decide on groups and parts, each another than usual and than its neighbours.
        changed = {"heavy_gap_us": "110.5", "heavy_share": "0.02", "reportable_gap_us": "40.000001",
                   "idle_ratio": "0.6", "recurring_share": "0.75", "sync_overlap": "0.9", "comm_overlap": "0.35",
                   "untraced_coverage": "0.3", "launch_lag_coverage": "0.97", "serial_parallelism": "1.7",
                   "high_coverage": "0.98", "known_cause": "0.79", "high_confidence": "0.85",
                   "medium_confidence": "0.45", "late_launch": "0.9", "early_launch": "0.55", "small_kernel_us": "32.5",
                   "small_op_share": "0.2", "parallel": "1.001", "sparse": "0.4", "serial": "0.6",
                   "pattern_share": "0.1", "pattern_gap_us": "1000", "mixed_pattern": "0.1", "rank_disagreement": "1"}
        given = [text for name, value in changed.items() for text in ("--threshold", f"{name}={value}")]
        self.check_with(*given, thresholds=changed)

    def test_document_of_the_library(self):
        profkit = truth.library()
        with profkit.open(str(self.folder)) as profile, profile.bubbles() as found:
            self.assertEqual(bytes(found.document_bytes()).decode().rstrip(), truth.run("bubbles", self.folder, "--json").rstrip())

    def test_screen(self):
        self.check_text(truth.run("bubbles", self.folder, "--window-policy", "guide").replace(str(self.scratch), "DIR"),
                        (EXPECTED / "bubbles_kineto.txt").read_text(encoding="utf-8"))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
