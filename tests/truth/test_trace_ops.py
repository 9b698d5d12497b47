"""`profkit ops` of traces and tables: every number of every op of the two ranks of PyTorch and of those of Ascend."""
import sys

import trace_model as model
import truth
from trace_case import AscendCase, KinetoCase


class Both:
    """What holds of either pair."""

    def test_all(self):
        self.check(self.ask("ops"), self.ops_document(self.lines))

    def test_limit_and_order(self):
        """--json keeps the order by total."""
        expected = self.ops_document(self.lines, limit=1)
        self.check(self.ask("ops", "--limit", 1), expected)
        self.assertTrue(any(line["ops_left_out"] for line in expected["lines"]))
        for by in ("self", "count", "total"):
            self.check(self.ask("ops", "--sort", by), self.ops_document(self.lines))

    def test_self_times_add_up(self):
        for line in self.ask("ops")["lines"]:
            self.assertEqual(sum(op["self_ps"] for op in line["ops"]), line["busy_ps"])
            self.assertEqual(sum(op["total_ps"] for op in line["ops"]), line["duration_sum_ps"])
            self.assertEqual(sum(op["count"] for op in line["ops"]), line["events"])

    def test_devices(self):
        for wanted in (self.lines[0].plane_name, self.lines[-1].plane_name, " 0", self.other_device):
            lines = [line for line in self.lines if wanted in line.plane_name]
            self.assertTrue(lines)
            self.check(self.ask("ops", "--plane", wanted), self.ops_document(lines))

    def test_windows(self):
        runs = sorted((r for line in self.lines for r in line.runs if r.duration), key=lambda r: r.start)
        middle = runs[len(runs) // 2]
        for window in ((middle.start, middle.end), (middle.end, None), (None, middle.start),
                       (middle.start - 1, middle.start + 1), (middle.end - 1, middle.end)):
            text = ":".join("" if at is None else f"{at}ps" for at in window)
            self.check(self.ask("ops", "--time", text),
                       self.ops_document(self.lines, lambda line, run, w=window: model.in_window(run, w)))

    def test_steps_are_windows(self):
        """The N-th step of a host for all of its devices, or that of a device."""
        for index in (0, 2):
            windows = {s["file"]: (s["start_ps"], s["start_ps"] + s["duration_ps"]) for s in self.steps()
                       if s["index"] == index}
            self.check(self.ask("ops", "--step", index),
                       self.ops_document(self.lines, lambda line, run, w=windows: model.in_window(run, w[line.file])))

    def test_a_rank(self):
        lines = [line for line in self.lines if line.file == self.last_file]
        self.check(self.ask("ops", "--host", "rank1"), self.ops_document(lines))

    def test_nothing_there(self):
        for option, text in (("--plane", "PU 7"), ("--name", "no such op"), ("--host", "rank7")):
            truth.run("ops", self.folder, option, text, status=2)


class OpsOfPyTorch(Both, KinetoCase):
    other_device, last_file = "GPU 1", 1

    def test_the_description_is_awkward(self):
        lines = model.ops_lines(self.lines)
        self.assertEqual([(line["plane_name"], line["line_name"]) for line in lines],
                         [("GPU 0 of rank 0", "stream 7"), ("GPU 0 of rank 0", "stream 9"), ("GPU 0 of rank 0", "stream 20"),
                          ("GPU 1", "stream 5"), ("GPU 1", "stream 6"), ("GPU 0 of rank 1", "stream 7"),
                          ("GPU 0 of rank 1", "stream 30")])
        self.assertEqual([op["name"] for op in lines[3]["ops"]], ["first", "second", "lonely"])  # two of one total
        self.assertEqual(lines[0]["ops"][2]["min_ps"], 0)

    def test_names(self):
        for name in ("gemm", "AllReduce", "µ", "second"):
            self.check(self.ask("ops", "--name", name), self.ops_document(self.lines, name=name))

    def test_streams(self):
        for wanted in ("stream 7", "stream", "0"):
            lines = [line for line in self.lines if wanted in line.line_name]
            self.check(self.ask("ops", "--line", wanted), self.ops_document(lines))


class OpsOfAscend(Both, AscendCase):
    other_device, last_file = "NPU 1", 7

    def test_the_description_is_awkward(self):
        lines = model.ops_lines(self.lines)
        self.assertEqual([line["line_name"] for line in lines if line["plane_name"] == "NPU 1"],
                         ["Stream 2", "Stream 17", "Stream 18", "Stream 19", "Stream 50", "Stream 51", "Stream 60",
                          "no stream"])
        # A collective that is listed twice counts once, where it has a stream.
        self.assertEqual([(line["plane_name"], line["line_name"]) for line in lines
                          if any("allReduce" in op["name"] for op in line["ops"])],
                         [("NPU 0 of rank 0", "Stream 46"), ("NPU 1", "no stream"), ("NPU 0 of rank 1", "Stream 46")])

    def test_names(self):
        for name in ("MatMul", "all", "y"):
            self.check(self.ask("ops", "--name", name), self.ops_document(self.lines, name=name))

    def test_streams(self):
        for wanted in ("Stream 2", "no stream", "Stream 1"):
            lines = [line for line in self.lines if wanted in line.line_name]
            self.check(self.ask("ops", "--line", wanted), self.ops_document(lines))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
