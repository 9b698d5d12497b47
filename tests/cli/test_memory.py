#!/usr/bin/env python3
"""Black-box tests of `profkit memory`: test_memory.py PROFKIT [TEST ...]"""
import json
import pathlib
import sys
import tempfile
import unittest

import harness
from harness import DATA, TPU, Case, run


def without_places(document):
    """But for what the host is called, and how many planes the file has."""
    if isinstance(document, list):
        return [without_places(item) for item in document]
    if not isinstance(document, dict):
        return document
    return {key: without_places(value) for key, value in document.items() if key not in ("host", "n_planes")}


class Questions(Case):
    def test_headline(self):
        out = run("memory", TPU)
        self.assertEqual(out.status, 0, out.err)
        self.assertIn("jit_f(12190760917235803885) needs 20.0 GiB of memory space 0 (HBM)", out.out)
        self.assertIn("/device:TPU:1 was filled up to 20.0 GiB of 31.2 GiB, the most of 4 devices", out.out)
        self.assertIn("15.0 GiB of memory space 5 (Host)", out.out)
        for heading in ["Modules, highest peak", "Alive at the peak", "By opcode and by op_name", "What stays",
                        "Allocators at run time: 4 allocators", "Alive at run time", "Checks"]:
            self.assertIn(heading, out.out)
        self.assertIn("compile and run time agree", out.out)
        self.assertIn("10 of 10 invariants hold", out.out)
        self.assertRegex(out.out, r"\[RT+\.\]")
        self.assertTrue(all(len(line) <= 100 for line in out.out.splitlines()),
                        [line for line in out.out.splitlines() if len(line) > 100][:3])

    def test_no_runtime(self):
        out = run("memory", TPU, "--no-runtime", "--json")
        document = json.loads(out.out)
        self.assertIsNone(document["runtime"])
        self.assertEqual(document["allocators"], [])
        self.assertEqual(document["hlo"]["static_peak_bytes"], 21474934816)

    def test_fit(self):
        self.assertEqual(run("memory", TPU, "--fit", "21GiB").status, 0)
        for same in ("21G", "21504M", "21504MiB"):
            self.assertEqual(run("memory", TPU, "--fit", same).out, run("memory", TPU, "--fit", "21GiB").out)
        out = run("memory", TPU, "--fit", "16GiB")
        self.assertEqual(out.status, 1)
        self.assertIn("does not fit", out.out)
        fit = json.loads(run("memory", TPU, "--fit=16GiB", "--json").out)["fit"]
        self.assertEqual(fit["spare_bytes"], (16 << 30) - fit["needed_bytes"])
        self.assertFalse(fit["fits"])

    def test_fit_of_nothing_known(self):
        path = self.scratch / "empty.xplane.pb"
        path.write_bytes(harness.plane(1, "/host:CPU"))
        out = run("memory", path, "--fit", "1GiB")
        self.assertEqual(out.status, 1)
        self.assertIn("is not known whether it fits", out.out)
        fit = json.loads(run("memory", path, "--fit", "1GiB", "--json").out)["fit"]
        self.assertIsNone(fit["fits"])
        self.assertIsNone(fit["needed_bytes"])

    def test_hosts_are_those_of_info(self):
        host = json.loads(run("info", TPU, "--json").out)["files"][0]["hosts"][0]
        allocators = json.loads(run("memory", TPU, "--host", host, "--json").out)["allocators"]
        self.assertEqual(allocators, json.loads(run("memory", TPU, "--json").out)["allocators"])
        self.assertIn("no host's name contains", run("memory", TPU, "--host", "zzz").err)

    def test_every_node_of_a_merge_tells_what_its_own_trace_tells(self):
        merged = self.scratch / "merged.pb"
        out = run("merge", "--traces", TPU, TPU, "--keep-going", "-o", merged)
        self.assertEqual(out.status, 0, out.err)
        own = json.loads(run("memory", TPU, "--json").out)
        self.assertEqual(len(json.loads(run("memory", merged, "--json").out)["allocators"]), 2 * len(own["allocators"]))
        for node, names in enumerate([{}, {f"/device:TPU:{i}": f"/device:TPU:{64 + i}" for i in range(4)}]):
            found = json.loads(run("memory", merged, "--host", f"node:{node}", "--json").out)
            for key in ["hlo", "runtime", "allocators", "modules", "invariants", "findings", "summary", "runtime_diagnostics"]:
                with self.subTest(node=node, key=key):
                    expected = json.dumps(own[key]).replace(str(TPU), str(merged))
                    for old, new in names.items():
                        expected = expected.replace(old, new)
                    expected = json.loads(expected)
                    self.assertEqual(without_places(found[key]), without_places(expected))

    def test_module(self):
        document = json.loads(run("memory", TPU, "--module", "jit__psum", "--json").out)
        self.assertEqual(document["hlo"]["module"], "jit__psum(9646411105960254074)")
        self.assertEqual(document["hlo"]["static_peak_bytes"], 10 << 30)
        out = run("memory", TPU, "--module", "jit_nothing")
        self.assertEqual(out.status, 2)
        self.assertIn("jit_f(12190760917235803885)", out.err)

    def test_space(self):
        out = run("memory", TPU, "--space", "host", "--json")
        self.assertEqual(out.status, 0, out.err)
        hlo = json.loads(out.out)["hlo"]
        self.assertEqual((hlo["memory_space"], hlo["static_peak_bytes"]), (5, 15 << 30))
        self.assertIn("memory space 5 Host: 15.0 GiB", run("memory", TPU, "--space", "5").out)
        out = run("memory", TPU, "--space", "3")
        self.assertEqual(out.status, 2)
        self.assertIn("5 (Host)", out.err)

    def test_what_if(self):
        out = run("memory", TPU, "--what-if", "remat=copy-start", "--what-if", "offload=broadcast_add_fusion.2", "--json")
        self.assertEqual(out.status, 0, out.err)
        questions = json.loads(out.out)["hlo"]["what_if"]
        self.assertEqual([q["action"] for q in questions], ["remat", "offload"])
        for q in questions:
            self.assertLessEqual(q["after_bytes"], q["before_bytes"])
        self.assertEqual(run("memory", TPU, "--what-if", "remat=nothing").status, 2)
        self.assertEqual(run("memory", TPU, "--what-if", "forget=copy-start").status, 2)

    def test_curve(self):
        curve = json.loads(run("memory", TPU, "--curve", "5", "--json").out)["hlo"]["curve"]
        self.assertLessEqual(len(curve["points"]), 5)
        self.assertEqual(max(p["live_bytes"] for p in curve["points"]), 21474836512)
        self.assertIn("Live curve", run("memory", TPU, "--curve", "5").out)


class Document(Case):
    def test_one_invariant_of_each(self):
        document = json.loads(run("memory", TPU, "--json").out)
        self.assertEqual([i["id"] for i in document["invariants"]],
                         ["H1", "H2", "H3", "H4", "H5", "R1", "R2", "R2b", "R3", "R4", "C1"])
        self.assertTrue(all(i["holds"] is not False for i in document["invariants"]))
        self.assertEqual(document["version"], 2)
        self.assertEqual(document["consistency_warnings"], [])

    def test_top(self):
        document = json.loads(run("memory", TPU, "--top", "1", "--json").out)
        alive = document["hlo"]["alive_at_peak"]
        self.assertEqual(len(alive["buffers"]), 1)
        self.assertEqual(alive["buffers"][0]["size_bytes"] + alive["tail"]["total_bytes"], alive["total_bytes"])
        none = json.loads(run("memory", TPU, "--top", "0", "--json").out)["hlo"]["alive_at_peak"]
        self.assertEqual((none["buffers"], none["tail"]["total_bytes"]), ([], none["total_bytes"]))

    def test_steps(self):
        everything = json.loads(run("memory", TPU, "--all-trace", "--json").out)
        self.assertEqual(everything["runtime"]["step"]["policy"], "all_trace")
        first = json.loads(run("memory", TPU, "--step", "0", "--json").out)["runtime"]
        self.assertEqual(first["step"]["policy"], "explicit")
        low, high = first["step"]["range_ns"]
        self.assertTrue(low <= first["peak"]["ts_ns"] <= high)
        gone = run("memory", TPU, "--step", "-1", "--json")
        self.assertEqual((gone.status, json.loads(gone.out)["code"]), (2, "invalid_argument"))
        self.assertIn("there is no step -1, steps go from 0 to", gone.err)


class Mistakes(Case):
    def test_usage(self):
        for wrong in (["--step", "0", "--all-trace"], ["--step-policy", "bogus"], ["--top", "-2"], ["--step", "x"],
                      ["--fit", "12 elephants"], ["--space", "HBM9"], ["--fit", "0.5B"], ["--what-if", "remat"], ["--curve", "0"],
                      ["--time-samples", "-1"]):
            with self.subTest(wrong=wrong):
                out = run("memory", TPU, *wrong)
                self.assertEqual(out.status, 2)
                self.assertIn("hint:", out.err)
        self.assertEqual(run("memory").status, 2)
        self.assertEqual(run("memory", "/nonexistent").status, 3)

    def test_damage(self):
        whole = next((DATA / "jax" / "two_process_rank0" / "dump").glob("*jit_step*.hlo.pb")).read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "good.hlo_proto.pb").write_bytes(whole)
            (folder / "bad.hlo_proto.pb").write_bytes(whole[:len(whole) // 2])
            out = run("memory", folder, "--json")
            self.assertEqual(out.status, 5, out.err)
            document = json.loads(out.out)
            self.assertEqual(document["status"], "partial")
            self.assertEqual(document["hlo"]["static_peak_bytes"], 53356)
            self.assertEqual(len(document["damage"]), 1)
            self.assertIsNotNone(document["damage"][0]["byte_offset"])
            self.assertEqual(run("memory", folder, "--strict").status, 4)
            (folder / "good.hlo_proto.pb").unlink()
            self.assertEqual(run("memory", folder, "--json").status, 4)

    def test_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            out = run("memory", folder)
            self.assertEqual(out.status, 3)
            self.assertIn("no profile in", out.err)


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
