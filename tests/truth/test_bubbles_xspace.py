"""The whole document `bubbles` of two hosts of an XSpace run, its tables and its screen text."""
import json
import pathlib
import sys

import truth
import arrow
import xspace_pair
from idle_model import Idle

EXPECTED = pathlib.Path(__file__).parent / "expected"


class BubblesOfXspace(truth.Case):
    def setUp(self):
        super().setUp()
        self.capture, self.first_events, files = xspace_pair.described()
        self.folder = self.scratch / "run"
        self.hosts = {i: name.split(".")[0] for i, name in enumerate(files)}
        for name, data in files.items():
            self.write(f"run/{name}", data)
        self.files = [{"path": f"{self.folder}/{name}", "family": "xspace", "export_of": -1} for name in files]
        self.inputs = [{"file": i, "path": f["path"], "variant": "xspace", "rows": rows, "rejected": 0,
                        "reject_reasons": [], "first_rejected_line": 0, "unknown_columns": [], "missing_columns": [],
                        "notes": []} for i, (f, rows) in enumerate(zip(self.files, (14, 18)))]
        self.sentences = json.loads((EXPECTED / "bubbles_xspace.json").read_text(encoding="utf-8"))

    def events_of(self, rows, device="device", kind=str):
        """The offset of the first event of a line may be that of the line: both are taken for the event's."""
        for found in rows:
            first = self.first_events[self.capture.devices[found[device]].host]
            found["source_row"] = kind(first.get(int(found["source_row"]), found["source_row"]))

    def kernels_in(self, part):
        if isinstance(part, dict):
            yield from [part] if "source_row" in part else []
        for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            yield from self.kernels_in(inner)

    def test_document(self):
        found = truth.parsed(truth.run("bubbles", self.folder, "--json", "--window-policy", "guide"))
        self.events_of(self.kernels_in(found))
        self.check(found, Idle(self.capture).document(self.inputs, self.files, self.sentences))

    def test_tables(self):
        idle = Idle(self.capture)
        with arrow.Handle("profile", self.folder, None) as profile, arrow.Handle("bubbles", profile, arrow.guided()) as bubbles, \
                arrow.Handle("activity", profile, None) as activity:
            self.check(arrow.table("steps", bubbles)[1], idle.arrow_steps(self.hosts))
            self.check(arrow.table("device_time", bubbles)[1], idle.arrow_time(self.hosts))
            gaps, kernels = arrow.table("gaps", bubbles)[1], arrow.table("kernels", activity)[1]
            for gap, known in zip(gaps, idle.gaps):
                for row in ("before_row", "after_row"):
                    host = self.first_events[self.capture.devices[known.device].host]
                    gap[row] = host.get(gap[row], gap[row])
            self.check(gaps, idle.arrow_gaps(self.hosts))
            self.events_of(kernels, "device", kind=int)
            self.check(kernels, idle.arrow_kernels(self.hosts))

    def test_screen(self):
        self.check_text(truth.run("bubbles", self.folder, "--window-policy", "guide").replace(str(self.scratch), "DIR"),
                        (EXPECTED / "bubbles_xspace.txt").read_text(encoding="utf-8"))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
