#!/usr/bin/env python3
"""Files that are not read are named for what they are, and `info --why` says what was looked at: test_why.py PROFKIT
[TEST ...]. The files are made by the libraries of their formats where Python has them."""
import bz2
import gzip
import io
import json
import lzma
import pickle
import sqlite3
import struct
import sys
import tarfile
import zipfile

import harness
from harness import DATA, GPU, ROOT, Case, corpus, number, run, small_tpu, text

SAVED_MODEL = number(1, 1) + text(2, text(1, text(2, text(1, text(1, "Const"))) + text(4, "serve") + text(5, "2.15.0")) +
                                  text(2, text(1, text(1, "x") + text(2, "Const"))))
SNAPSHOT = {"segments": [{"device": 0, "address": 1 << 45, "total_size": 2097152, "blocks": []}], "device_traces": [[]],
            "allocator_settings": {}, "external_annotations": []}


def tarred(name, content):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zipped(name, content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


class WhyTest(Case):
    def database(self, name, tables, views=()):
        path = self.scratch / name
        made = sqlite3.connect(path)
        for table in tables:
            made.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, value TEXT NOT NULL DEFAULT 'of some length')")
        for view in views:
            made.execute(f"CREATE VIEW {view} AS SELECT * FROM {tables[0]}")
        made.commit()
        made.close()
        return path.read_bytes()

    def files(self):
        """Contents by the name that is expected."""
        many = [f"ENUM_{i}" for i in range(200)]
        return {
            "an SQLite export of Nsight Systems": [
                self.database("a", ["StringIds", "CUPTI_ACTIVITY_KIND_KERNEL"]),
                self.database("b", many + ["StringIds", "TARGET_INFO_SYSTEM_ENV"])],
            "a rocpd database of rocprofv3": [
                self.database("c", ["rocpd_string_1", "rocpd_info_node_1"], ["rocpd_api", "rocpd_op"])],
            "a database of RocmProfileData": [self.database("d", ["rocpd_api", "rocpd_op", "rocpd_string"])],
            "a database of the Ascend profiler": [self.database("e", ["NPU_INFO", "SESSION_TIME_INFO", "TASK"])],
            "an SQLite database": [
                self.database("f", ["StringIds"]), self.database("g", ["notes"]), self.database("h", many),
                self.database("i", ["notes"], ["StringIds", "CUPTI_ACTIVITY_KIND_KERNEL"]),
                self.database("j", ["rocpd_api"])],
            "a snapshot of PyTorch's memory, as a pickle": [
                pickle.dumps(SNAPSHOT, protocol) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)],
            "a Python pickle": [
                pickle.dumps({"weights": [1.5] * 9, "segments": [], "device_traces": []}, 4), pickle.dumps([1, 2, "x"], 2),
                pickle.dumps(complex(1, 2), 3), pickle.dumps({}, 2)],
            "a SavedModel": [SAVED_MODEL],
            "a ZIP archive": [zipped("a.txt", b"hello")],
            "a tar archive": [tarred("a.txt", b"hello")],
            "a file packed with xz": [lzma.compress(b"hello")],
            "a file packed with bzip2": [bz2.compress(b"hello")],
            "a file that was packed twice": [gzip.compress(gzip.compress(b"hello"))],
            "a web page": [b"<!doctype html>\n<html lang=en><title>404</title></html>\n"],
            "a pointer of Git LFS": [b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"],
            "a Parquet table": [b"PAR1\x15\x04\x15\x10"],
            "an HDF5 file": [b"\x89HDF\r\n\x1a\n" + bytes(16)],
            "a snapshot of PyTorch's memory, as JSON": [json.dumps(SNAPSHOT).encode()],
            "a Speedscope profile": [
                b'{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": []}, "profiles": []}'],
            "a CPU profile of Chrome or Node.js": [json.dumps(
                {"nodes": [{"id": 1, "callFrame": {"functionName": "(root)"}, "children": [2]}], "startTime": 1, "endTime": 9,
                 "samples": [1], "timeDeltas": [0]}).encode()],
            'JSON without "traceEvents"': [
                b'{"seed": 1}', b"[1, 2, 3]\n", json.dumps({"a": {"traceEvents": []}}, indent=2).encode()],
        }

    def test_formats_are_named(self):
        for name, contents in self.files().items():
            for content in contents:
                for packed in (content, gzip.compress(content)):
                    if packed[:2] == b"\x1f\x8b" and name == "a file that was packed twice" and packed is not content:
                        continue
                    with self.subTest(name=name, packed=packed[:2], content=content[:40]):
                        path = self.write("some.bin", packed)
                        told = run("info", path)
                        self.assertEqual(told.status, 4)
                        self.assertIn(f"this is {name}, which is not read", told.err)
                        self.assertTrue(told.err.endswith("`profkit info --why FILE` says what was looked at.\n"), told.err)
                        why = run("info", "--why", path)
                        self.assertEqual((why.status, why.err), (4, ""))
                        self.assertIn(f"  verdict     {name}\n", why.out)
                        self.assertIn("  next        ", why.out)

    def test_a_name_does_not_make_a_capture(self):
        database = self.database("x", ["notes"])
        for name in ("a.xplane.pb", "a.trace.json"):
            for content, kind in ((zipped("a", b"b"), "a ZIP archive"), (b"<html></html>", "a web page"),
                                  (database, "an SQLite database")):
                for packed in (content, gzip.compress(content)):
                    with self.subTest(name=name, kind=kind):
                        path = self.write(name, packed)
                        told = run("ops", path)
                        self.assertEqual(told.status, 4)
                        self.assertIn(kind, told.err)
                        self.assertIn(f"verdict     {kind}", run("info", "--why", path).out)

    def test_a_folder_of_a_saved_model(self):
        self.write("model/saved_model.pb", SAVED_MODEL)
        self.write("model/variables/variables.index", b"x")
        told = run("info", self.scratch / "model")
        self.assertEqual(told.status, 3)
        self.assertIn("; not read: a SavedModel", told.err)
        self.assertIn("That is a model, not a profile", told.err)
        why = run("info", "--why", self.scratch / "model")
        self.assertEqual(why.status, 3)
        self.assertRegex(why.out, r"(?m)^saved_model.pb .* a SavedModel$")
        self.assertIn("2 files, 0 recognised", why.out)

    def test_one_file_fits_a_screen(self):
        path = self.write("config.json", b'{"seed": 1, "rate": 0.5}')
        told = run("info", "--why", path).out
        self.assertEqual(told.splitlines()[1:4], [
            "  size        24 B", "  begins      7b 22 73 65 65 64 22 3a 20 31 2c 20 22 72 61 74  {\"seed\": 1, \"rat",
            "  looked for"])
        self.assertRegex(told, r"(?m)^  xspace +no +not protobuf: byte 0 is 0x7b$")
        self.assertRegex(told, r'(?m)^  chrome_trace +name +a JSON object without "traceEvents"; its keys: seed, rate$')
        self.assertRegex(told, r"(?m)^  by name alone +no +ascend_json, ascend_table, ascend_database, op_stats$")
        self.assertLess(len(told.splitlines()), 24)
        self.assertLess(max(map(len, told.splitlines()[1:])), 101)
        packed = run("info", "--why", self.write("config.json.gz", gzip.compress(b'{"seed": 1, "rate": 0.5}'))).out
        self.assertIn("gzip; what follows is of its contents", packed)
        self.assertIn("7b 22 73 65", packed)

    def test_what_is_recognised(self):
        told = run("info", "--why", GPU)
        self.assertEqual((told.status, told.err), (0, ""))
        self.assertRegex(told.out, r"(?m)^  xspace +yes +shape of an XSpace$")
        self.assertIn("  verdict     xspace: name *.xplane.pb\n", told.out)
        self.assertNotIn("  next ", told.out)
        self.assertIn("probe: shape of an XSpace", run("info", "--why", self.write("x", small_tpu())).out)
        trace = DATA / "neutrino" / "block_sched" / "Jun23_121812_4242"
        self.assertIn("neutrino: event.log", run("info", "--why", trace).out)
        self.assertEqual(run("info", "--why", "-", input=small_tpu()).status, 0)

    def test_statuses(self):
        self.assertEqual(run("info", "--why", self.scratch / "nowhere").status, 3)
        (self.scratch / "empty").mkdir()
        empty = run("info", "--why", self.scratch / "empty")
        self.assertEqual((empty.status, empty.out), (3, ""))
        self.assertIn("holds no files", empty.err)
        nothing = run("info", "--why", self.write("a", b""))
        self.assertEqual(nothing.status, 4)
        self.assertIn("verdict     empty", nothing.out)
        self.assertEqual(run("info", "--why", self.write("a.txt", b"hello\n")).status, 4)
        self.assertEqual(run("info", "--why", self.write("a.gz", gzip.compress(b"hello" * 99)[:15])).status, 4)
        kept = self.write("kept.json", b"{}")
        self.assertEqual(run("info", "--why", kept, "-o", kept).status, 2)
        self.assertEqual(kept.read_bytes(), b"{}")
        self.assertEqual(run("ops", "--why", kept).status, 2)

    def test_it_says_what_info_says(self):
        """What --why recognises info reads, and what it names info names."""
        inputs = [p for p in DATA.rglob("*") if p.is_file()]
        if corpus() is not None:
            for folder in ("nsys", "rpd", "rocpd", "torch_memory", "perfetto", "riegeli", "tfevents", "ascend_db",
                           "op_stats", "hlo"):
                inputs += [p for p in sorted((corpus() / folder).glob("*"))[:6] if p.is_file()]
            inputs += sorted((corpus() / "jax").glob("*/device_memory.pprof"))
        for path in inputs:
            with self.subTest(path=str(path)[-60:]):
                info, why = run("info", path, "-q"), run("info", "--why", path, "--json")
                document = json.loads(why.out)
                self.assertEqual(why.status, 4 if info.status == 4 else 0, info.err)
                if info.status != 4:
                    continue
                verdict = document["files"][0]["verdict"]
                if "this is " in info.err:
                    self.assertIn(f"this is {verdict}, which", info.err)
                else:
                    self.assertEqual(verdict, "no format that profkit knows")

    def test_documents_obey_their_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no Python package jsonschema")
        schemas = {p.stem: json.loads(p.read_text()) for p in (ROOT / "docs" / "schemas").glob("*.json")}
        store = {s["$id"]: s for s in schemas.values()}
        try:
            import referencing
            import referencing.jsonschema
            registry = referencing.Registry().with_resources(
                (i, referencing.jsonschema.DRAFT202012.create_resource(s)) for i, s in store.items())
            validator = jsonschema.Draft202012Validator(schemas["detection"], registry=registry)
        except ImportError:
            validator = jsonschema.Draft202012Validator(
                schemas["detection"], resolver=jsonschema.RefResolver("", schemas["detection"], store=store))
        (self.scratch / "none").mkdir()
        cut = self.write("cut.gz", gzip.compress(b"hello" * 99)[:15])
        for path, status in ((GPU, "ok"), (DATA, "ok"), (self.write("a.txt", b"x"), "error"), (cut, "error"),
                             (self.scratch / "none", "error"), (self.scratch / "nowhere", "error")):
            with self.subTest(path=str(path)[-40:]):
                document = json.loads(run("info", "--why", path, "--json").out)
                self.assertEqual((document["schema"], document["status"]), ("profkit.detection", status))
                self.assertEqual([e.message for e in validator.iter_errors(document)], [])
                for file in document.get("files", []):
                    self.assertEqual(len([c for c in file["considered"] if not c["is_read"] and c["matches"]]),
                                     0 if file["family"] or file["verdict"] in ("empty", "no format that profkit knows") else 1)


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
