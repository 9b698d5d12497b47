"""The whole document `bubbles` of two ranks of an Ascend run, its tables and its screen text."""
import json
import pathlib
import sys

import truth
import ascend_pair
from ascend import Rank
from idle_tables import IdleTables
from idle_model import Idle

EXPECTED = pathlib.Path(__file__).parent / "expected"
OUTPUT = "ASCEND_PROFILER_OUTPUT/"
# file, variant, rows, notes: as the ranks read them, settings first, then kernels and the trace, then the rest.
INPUTS = [("rank0_ascend_pt/profiler_info_0.json", "profiler_info", 2,
           ["profiler_level=Level1", "21 of 127 kernels have no launch in the trace: who launched them is unattributed"]),
          ("rank0_ascend_pt/profiler_metadata.json", "profiler_metadata", 2,
           ["tensor_model_parallel_size=2", "rank=0", "world_size=2", "group tp=[0, 1]"]),
          ("rank0_ascend_pt/" + OUTPUT + "kernel_details.csv", "kernel_details 2025", 127, []),
          ("rank0_ascend_pt/" + OUTPUT + "trace_view.json", "trace_view.json", 258, []),
          ("rank0_ascend_pt/" + OUTPUT + "communication.json", "communication.json", 3, []),
          ("rank0_ascend_pt/" + OUTPUT + "step_trace_time.csv", "step_trace_time", 3, []),
          ("rank1_ascend_pt/profiler_info_1.json", "profiler_info", 2, ["profiler_level=Level1"]),
          ("rank1_ascend_pt/" + OUTPUT + "kernel_details.csv", "kernel_details 2025", 65, []),
          ("rank1_ascend_pt/" + OUTPUT + "step_trace_time.csv", "step_trace_time", 1, [])]
FAMILIES = {"profiler_info_0.json": "ascend_json", "profiler_info_1.json": "ascend_json",
            "profiler_metadata.json": "ascend_json", "communication.json": "ascend_json",
            "kernel_details.csv": "ascend_kernels", "trace_view.json": "chrome_trace",
            "step_trace_time.csv": "ascend_table"}


class BubblesOfAscend(IdleTables, truth.Case):
    def setUp(self):
        super().setUp()
        a, b, self.capture = ascend_pair.capture()
        steps, self.capture.self_check = ascend_pair.step_checks(Idle(self.capture))
        self.folder = self.scratch / "run"
        for name, text in ascend_pair.files(a, b, steps).items():
            self.write(f"run/{name}", text)
        # Files come by folder and name; those of the folder of a rank in front of its subfolder's.
        order = sorted((name for name, *_ in INPUTS), key=lambda n: (n.split("/")[0], OUTPUT in n, n))
        self.hosts = {i: name.split("/")[0] for i, name in enumerate(order)}
        self.files = [{"path": f"{self.folder}/{name}", "family": FAMILIES[name.rsplit("/", 1)[1]], "export_of": -1}
                      for name in order]
        self.inputs = [{"file": order.index(name), "path": f"{self.folder}/{name}", "variant": variant, "rows": rows,
                        "rejected": 0, "reject_reasons": [], "first_rejected_line": 0, "unknown_columns": [],
                        "missing_columns": [], "notes": notes} for name, variant, rows, notes in INPUTS]
        self.sentences = json.loads((EXPECTED / "bubbles_ascend.json").read_text(encoding="utf-8"))

    def test_document(self):
        found = truth.parsed(truth.run("bubbles", self.folder, "--json", "--window-policy", "guide"))
        self.check(found, Idle(self.capture).document(self.inputs, self.files, self.sentences))

    def test_other_thresholds(self):
        changed = {"aicpu_masked": "0.5", "aicpu_exposed": "0.01", "aicpu_exposed_us": "50", "aicpu_exposed_share": "0.009",
                   "aicpu_adjacent_us": "200", "wait_anchor_ratio": "0.5", "wait_anchor_duration_us": "400",
                   "wait_anchor_rank": "2", "wait_heavy": "0.1", "polluted_wait": "0.99", "wait_danger": "3",
                   "unit_bound": "0.7", "small_op_share": "0.0001", "inter_step_factor": "1"}
        given = [text for name, value in changed.items() for text in ("--threshold", f"{name}={value}")]
        found = truth.parsed(truth.run("bubbles", self.folder, "--json", "--window-policy", "guide", *given))
        sentences = {"answers": {key: text for key, text in found["summary"].items() if key.startswith("q")},
                     "recommendations": found["recommendations"], "evidence_gaps": found["evidence_gaps"]}
        self.check(found, Idle(self.capture, thresholds=changed).document(self.inputs, self.files, sentences))

    def test_disagreement_of_ranks(self):
        """Two orders disagree about an op from just so many places on."""
        def ops_with(places):
            return truth.parsed(truth.run("bubbles", self.folder, "--json", "--window-policy", "guide", "--threshold", f"rank_disagreement={places}"))["ops"]
        for order in ("by_total_cost", "by_duration"):
            apart = [abs(op["rank_by_total_cost"] - op["rank_by_duration"]) for op in ops_with(1)[order]]
            self.assertGreater(max(apart), 0)
            for places in (max(apart) - 1, max(apart), max(apart) + 1):
                self.assertEqual([op["ranks_disagree"] for op in ops_with(places)[order]], [a >= places for a in apart])

    def test_screen(self):
        self.check_text(truth.run("bubbles", self.folder, "--window-policy", "guide").replace(str(self.scratch), "DIR"),
                        (EXPECTED / "bubbles_ascend.txt").read_text(encoding="utf-8"))

    def test_folder(self):
        """-o DIR/ writes the document and the report on the model beside it."""
        into = self.scratch / "out"
        truth.run("bubbles", self.folder, "-o", f"{into}/", "-q", "--window-policy", "guide")
        self.assertEqual(sorted(p.name for p in into.iterdir()),
                         ["anomaly_discovery_run.json", "model_architecture_report_run.md"])
        self.assertEqual((into / "anomaly_discovery_run.json").read_text(), truth.run("bubbles", self.folder, "--json", "--window-policy", "guide"))
        self.assertEqual((into / "model_architecture_report_run.md").read_text(),
                         truth.run("architecture", self.folder, "--markdown"))


def values_of(document, key):
    """All values of a field, wherever it stands."""
    if isinstance(document, list):
        return [v for part in document for v in values_of(part, key)]
    if not isinstance(document, dict):
        return []
    own = [document[key]] if key in document else []
    return own + [v for part in document.values() for v in values_of(part, key)]


class BubblesOfOneRank(truth.Case):
    """A table of kernels alone."""
    ZERO, US = 1_764_246_900 * 1_000_000_000, 1000

    def document_of(self, rank):
        self.write("one_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", rank.table())
        return truth.parsed(truth.run("bubbles", self.scratch / "one_ascend_pt", "--json", "--window-policy", "guide"))

    def test_waits_of_a_table_count_for_the_step_they_begin_in(self):
        """Two steps with a collective each, and one after the last step: communication.json tells of all three."""
        rank, told = Rank(self.ZERO), {}
        for number, start_us in enumerate((0, 1_000, 3_000)):
            start = self.ZERO + start_us * self.US
            step = str(number) if number < 2 else ""
            rank.kernel(0, f"hcom_allReduce__{number}", "hcom_allReduce_", "HCCL", start, 100 * self.US, step=step)
            rank.kernel(0, "MatMul", "MatMul", "AI_CORE", start + 100 * self.US, 50 * self.US, step=step)
            told[f"hcom_allReduce__{number}@1"] = {"Communication Time Info": {
                "Start Timestamp(us)": start / 1000, "Elapse Time(ms)": 0.1, "Transit Time(ms)": 0.02 * (number + 1),
                "Wait Time(ms)": 0.01}}
        self.write("one_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json",
                   json.dumps({"step": {"p2p": {}, "collective": told}}))
        exposed = [c for c in self.document_of(rank)["causes"] if c["cause"] == "exposed_comm"]
        self.assertEqual([c["evidence"][-1] for c in exposed],
                         ["its collectives last 200.000 us, of which 10.0 % wait for other ranks and 30.0 % move bytes"])

    def test_hidden_shares(self):
        """Three calls on the AI CPU, of which compute hides a half, all and a quarter."""
        rank = Rank(self.ZERO)
        for number, hidden in enumerate((50, 100, 25)):
            start = self.ZERO + number * 1000 * self.US
            rank.kernel(0, "aclnnUnique2_1", "Unique2", "AI_CPU", start, 100 * self.US, stream=17)
            rank.kernel(0, "aclnnMatMul_1", "MatMulV3", "AI_CORE", start, hidden * self.US)
        found = self.document_of(rank)
        self.assertEqual([values_of(found, "masked_ratio" + of) for of in ("_min", "_max")], [[0.25], [1.0]])
        self.assertAlmostEqual(float(values_of(found, "masked_ratio")[0]), 175 / 300)

    def test_cut_step_is_no_part_of_the_average(self):
        """Four steps of ten kernels with pauses of a tenth of them, and a last one that is cut behind a long pause."""
        rank = Rank(self.ZERO)
        for step in range(5):
            for number in range(10 if step < 4 else 2):
                apart = 1100 if step < 4 else 6000
                rank.kernel(0, "aclnnMatMul_1", "MatMulV3", "AI_CORE",
                            self.ZERO + (step * 20_000 + number * apart) * self.US, 1000 * self.US, step=str(step))
        found = self.document_of(rank)
        average = values_of(found, "underfeed_ratio_avg")
        self.assertEqual(len(average), 1)
        self.assertAlmostEqual(float(average[0]), 900 / 10_900)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
