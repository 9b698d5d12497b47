#!/usr/bin/env python3
"""Black-box tests of `profkit neutrino`: test_neutrino.py PROFKIT [TEST ...]"""
import csv
import io
import json
import pathlib
import shutil
import sys
import xml.dom.minidom

import harness
from harness import DATA, TPU, Case, run

SOUND = DATA / "neutrino" / "block_sched"
CUT = DATA / "neutrino" / "cut"
SLICES = ["launches", "kernels", "maps", "records", "schedule", "bytes", "density", "progress", "overhead", "log"]


def document(*arguments):
    outcome = run("neutrino", *arguments, "--json")
    return json.loads(outcome.out), outcome.status


@harness.needs("toml")
class Documents(Case):
    def test_launches(self):
        found, status = document(SOUND, "launches")
        self.assertEqual(status, 0)
        first = found["launches"][0]
        expected = {"kernel": "matmul", "func": "0x10", "grid_dim": [24, 1, 1], "block_dim": [64, 1, 1],
                    "shared_bytes": 0, "time_ns": "1750652293000000000", "params": ["4096", str(0x7f1292000000)],
                    "probe_mem_bytes": 13056, "prologue_ms": 12, "kernel_ms": 0.5, "epilogue_ms": 1.5,
                    "outcome": "ok", "bin": "0.100000.bin", "bin_present": True}
        self.assertEqual({k: first[k] for k in expected}, expected)

    def test_maps(self):
        found, status = document(SOUND, "maps")
        self.assertEqual(status, 0)
        self.assertEqual(found["map_count"], 4)
        first = found["maps"][0]
        expected = {"bin": "0.100000.bin", "map": "block_sched", "level": "warp",
                    "fields": ["start", "elapsed", "cuid"], "types": ["u64", "u32", "u32"], "record_bytes": 16,
                    "lane_bytes": 16, "offset": 64, "bytes": 768, "recorded_offset": 64, "records": 48, "flags": [],
                    "clock": "sm_cycles"}
        self.assertEqual({k: first[k] for k in expected}, expected)

    def test_records(self):
        found, _ = document(SOUND, "records", "--map", "bytes", "--block", "3", "--limit", "2")
        self.assertEqual(found["fields"], ["sync_bytes", "async_bytes"])
        self.assertEqual(found["row_count"], 64)
        self.assertEqual(found["rows"], [{"block": 3, "lane": 0, "k": 0, "values": ["67", "0"]},
                                         {"block": 3, "lane": 1, "k": 0, "values": ["67", "16"]}])

    def test_schedule(self):
        found, _ = document(SOUND, "schedule")
        self.assertEqual(found["clock"], "sm_cycles")
        self.assertEqual([sm["sm"] for sm in found["sms"]], [0, 1, 2])
        sm = found["sms"][0]
        self.assertEqual(sm["blocks"][0][:2], [0, 1000])
        self.assertEqual(sm["busy"], sum(end - start for _, start, end in sm["blocks"]))
        self.assertEqual(sm["slots"], 2)
        self.assertEqual(sum(len(sm["blocks"]) for sm in found["sms"]), 24)
        self.assertEqual(len(found["skew"]), 24)
        self.assertEqual(found["max_start_skew"], 4)

    def test_bytes(self):
        found, _ = document(SOUND, "bytes")
        self.assertEqual(found["map"], "bytes")
        self.assertEqual(found["lanes"], 24 * 64)
        self.assertEqual(found["total"], sum(64 * (64 + b) + 16 * (16 + 32 + 48) for b in range(24)))
        self.assertEqual(len(found["per_block"]), 24)

    def test_absent_slices(self):
        for name in ("density", "progress"):
            found, status = document(SOUND, name)
            self.assertEqual((found["status"], status), ("absent", 0))
        found, status = document(TPU, "launches")
        self.assertEqual((found["status"], status), ("absent", 0))

    def test_damage(self):
        found, status = document(CUT, "maps")
        self.assertEqual((found["status"], status), ("partial", 5))
        self.assertIn("truncated", found["maps"][1]["flags"])
        self.assertEqual(found["damage"][0]["byte_offset"], 700)
        self.assertEqual(run("neutrino", CUT, "maps", "--json", "--strict").status, 4)
        # A record file alone reads the same.
        one, _ = document(next(CUT.rglob("*.bin")), "maps")
        self.assertEqual(one["maps"], found["maps"])

    def test_report_holds_the_document(self):
        whole = json.loads(run("report", SOUND, "--json").out)["neutrino"]
        self.assertEqual(whole, document(SOUND)[0])

    def test_the_trace_is_never_the_output(self):
        trace = self.scratch / "trace"
        shutil.copytree(SOUND, trace)
        log = next(trace.rglob("event.log"))
        records = next(trace.rglob("*.bin"))
        before = log.read_bytes(), records.read_bytes()
        for arguments in (["neutrino", trace, "schedule", "--svg", log], ["neutrino", trace, "records", "--json", "-o", records],
                          ["report", trace, "-o", log], ["export", trace, "--format", "pftrace", "-o", log]):
            self.check_status(run(*arguments), 2)
            self.assertEqual((log.read_bytes(), records.read_bytes()), before)
        self.check_status(run("neutrino", trace, "schedule", "--svg", log.parent / "schedule.svg"), 0)

    def test_unreadable(self):
        outcome = run("neutrino", self.write("0.100000.bin", b"short"), "--json")
        self.check_status(outcome, 4)
        self.assertEqual(json.loads(outcome.out)["status"], "error")
        self.check_status(run("neutrino", self.scratch / "missing"), 3)


@harness.needs("toml")
class Text(Case):
    def test_every_slice_fits_the_screen(self):
        for name in [None] + SLICES:
            outcome = run("neutrino", SOUND, *([name] if name else []))
            self.check_status(outcome, 0)
            self.assertTrue(outcome.out.strip())
            for line in outcome.out.splitlines():
                self.assertLessEqual(len(line), 100, f"{name}: {line}")

    def test_summary(self):
        out = run("neutrino", SOUND).out
        for words in ["pid 4242: python train.py", "2: 2 ok", "2 files", "matmul", "24x1x1", "500.000 us", "28.00x",
                      "48 of 48"]:
            self.assertIn(words, out)
        self.assertEqual(run("report", SOUND).out, out)

    def test_info(self):
        out = run("info", SOUND).out
        for words in ["launches  2 of 1 kernel", "records   4 maps in 2 files, 25.", "2 launches, 4 maps"]:
            self.assertIn(words, out)
        self.assertNotIn("planes", out)
        probes = json.loads(run("info", SOUND, "--json").out)["files"][0]["probes"]
        self.assertEqual({k: probes[k] for k in ("launches", "kernels", "record_files", "maps")},
                         {"launches": 2, "kernels": 1, "record_files": 2, "maps": 4})
        self.assertEqual(probes["damaged_record_files"], 0)
        self.assertIn("; 1 damaged", run("info", CUT).out)

    def test_schedule_picture(self):
        out = run("neutrino", SOUND, "schedule").out
        self.assertRegex(out, r"SM 0 +\|[ ·░▒▓█]{64}\|")
        self.assertIn("24 blocks on 3 SMs, clock: sm_cycles", out)

    def test_svg(self):
        svg = self.scratch / "schedule.svg"
        self.check_status(run("neutrino", SOUND, "schedule", "--svg", svg), 0)
        picture = xml.dom.minidom.parse(str(svg))
        tips = [t.firstChild.data for t in picture.getElementsByTagName("title")]
        self.assertEqual(len(tips), 24 + 1)  # and that of the picture
        self.assertIn("block 0: 1,000 to 1,405 (405 cycles)", tips)

    def test_csv(self):
        for name in SLICES:
            outcome = run("neutrino", SOUND, name, "--csv")
            self.check_status(outcome, 0)
            if name in ("density", "progress"):
                self.assertIn("[absent]", outcome.out)
                continue
            rows = list(csv.reader(io.StringIO(outcome.out, newline="")))
            self.assertGreater(len(rows), 1, name)
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, name)
        rows = list(csv.DictReader(io.StringIO(run("neutrino", SOUND, "schedule", "--csv").out, newline="")))
        self.assertEqual(len(rows), 24)
        self.assertEqual(rows[0], {"sm": "0", "slot": "0", "block": "0", "start": "1000", "end": "1405"})

    def test_as_a_tool(self):
        folder = self.scratch / "trace"
        shutil.copytree(SOUND, folder)
        next(folder.rglob("probe.toml")).unlink()
        self.assertIn("raw_words", run("neutrino", folder, "maps").out)
        outcome = run("neutrino", folder, "schedule", "--as", "block_sched")
        self.check_status(outcome, 0)
        self.assertIn("24 blocks on 3 SMs", outcome.out)

    def test_usage(self):
        for arguments, words in [(["nothing"], "not a slice"), (["--csv"], "name a slice"),
                                 (["maps", "--svg", "x"], "only schedule and density"),
                                 (["records", "--block", "x"], "not a number"),
                                 (["records", "--as", "x"], "not a tool"),
                                 (["records", "--map", "nothing"], "block_sched, bytes"),
                                 (["records", "--launch", "9"], "numbered from 0 to 1")]:
            outcome = run("neutrino", SOUND, *arguments)
            self.check_status(outcome, 2)
            self.assertIn(words, outcome.err)

    def test_perfetto(self):
        trace = self.scratch / "x.pftrace"
        self.check_status(run("export", SOUND, "-o", trace), 0)
        content = trace.read_bytes()
        self.assertIn(b"SM 2 slot 1", content)
        self.assertIn(b"block 23", content)


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
