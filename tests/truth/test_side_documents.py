#!/usr/bin/env python3
"""The documents that are not of what a capture holds: why files are what they are, what SQL answers, what was redacted."""
import gzip
import json
import sys

import hlo
import truth
import xspace as x
from wire import message

NOT_FOUND = {"code": "not_found", "message": "cannot open: No such file or directory", "reason": "cannot open: No such file or directory",
             "byte_offset": None, "hint": "check the path; it may have been moved or removed"}
TRACE_HINT = "Give the trace that the profiler wrote (*.trace.json, *.pt.trace.json, trace_view.json)."


def capture(name="add", more=()):
    return x.space(x.plane(1, "/device:TPU:0", x.event_metadata(1, name), x.line(0, "XLA Ops", [x.event(1, 0, 1000)]), *more))


class Detection(truth.Case):
    """Of each file: its first bytes once decompressed, and which formats fit its name and its content."""

    def ask(self, path, status):
        return truth.loads(truth.run("info", "--why", path, "--json", status=status))

    def test_files_of_a_folder(self):
        whole, words, text = capture(), b'{"a": 1}\n', b"hello\n"
        packed = gzip.compress(words, mtime=0)
        paths = [str(self.write(f"run/{name}", content)) for name, content in
                 (("a.xplane.pb", whole), ("b.json.gz", packed), ("c.txt", text))]
        found = self.ask(self.scratch / "run", 0)
        considered = [{entry["format"]: entry for entry in file.pop("considered")} for file in found["files"]]

        def entry(name, why, names="", by_name=False, matches=False, is_read=True):
            return {"format": name, "is_read": is_read, "names": names, "name_matches": by_name, "matches": matches, "why": why}

        xspace, chrome, other = "*.xplane.pb", considered[0]["chrome_trace"]["names"], 'JSON without "traceEvents"'
        self.assertIn("*.pt.trace.json", chrome.split(", "))
        self.check([[of["xspace"], of["chrome_trace"], of[other]] for of in considered], [
            [entry("xspace", "shape of an XSpace", xspace, True, True), entry("chrome_trace", "no JSON: byte 1 is 0x36", chrome),
             entry(other, "whole JSON, of no kind above", is_read=False)],
            [entry("xspace", "not protobuf: byte 0 is 0x7b", xspace),
             entry("chrome_trace", 'a JSON object without "traceEvents"; its keys: a', chrome, True),
             entry(other, "whole JSON, of no kind above", matches=True, is_read=False)],
            [entry("xspace", "not protobuf: byte 2 is 0x6c", xspace), entry("chrome_trace", "no JSON: it begins with neither { nor [", chrome),
             entry(other, "whole JSON, of no kind above", is_read=False)]])
        self.assertEqual([[name for name, of in all_of.items() if of["matches"]] for all_of in considered], [["xspace"], [other], []])
        self.check(found, {
            "schema": "profkit.detection", "version": 1, "status": "ok", "reason": None, "files": [
                {"path": paths[0], "bytes": len(whole), "compression": "none", "first_bytes": whole[:16].hex(), "family": "xspace",
                 "verdict": "xspace: name *.xplane.pb", "next": "", "damage": None},
                {"path": paths[1], "bytes": len(packed), "compression": "gzip", "first_bytes": words.hex(), "family": None,
                 "verdict": other, "next": TRACE_HINT, "damage": None},
                {"path": paths[2], "bytes": len(text), "compression": "none", "first_bytes": text.hex(), "family": None,
                 "verdict": "no format that profkit knows", "next": "If it is another protobuf message, `profkit dump --type raw` shows it.",
                 "damage": None}]})

    def test_nothing_that_can_be_read(self):
        path = str(self.scratch / "absent")
        self.check(self.ask(path, 3), {"schema": "profkit.detection", "version": 1, "status": "error", "path": path, **NOT_FOUND})
        path = str(self.write("b.json", b'{"a": 1}\n'))
        found = self.ask(path, 4)
        self.assertEqual(len(found.pop("files")), 1)
        reason = 'this is JSON without "traceEvents"'
        self.check(found, {"schema": "profkit.detection", "version": 1, "status": "error", "reason": reason, "code": "unrecognised",
                           "message": reason, "path": path, "byte_offset": None, "hint": TRACE_HINT})

    def test_a_gzip_file_without_a_sound_block(self):
        """Whatever its name says, the damage is shown that leaves nothing to look at."""
        packed = bytearray(gzip.compress(capture(), compresslevel=0, mtime=0))
        packed[11] ^= 1  # its length is no longer what the block says twice
        for name in ("a.xplane.pb.gz", "a.bin.gz"):
            path = str(self.write(name, bytes(packed)))
            file = self.ask(path, 0 if "xplane" in name else 4)["files"][0]
            self.assertEqual((file["first_bytes"], file["compression"]), ("", "gzip"))
            self.check(file["damage"], {"code": "damaged", "path": path, "byte_offset": 0, "message": truth.Text, "hint": ""})
            self.assertIn("the gzip stream is damaged", file["damage"]["message"])


class Sql(truth.Case):
    def ask(self, query, *captures, status=0):
        try:
            return truth.loads(truth.run("sql", *captures, query, "--json", status=status))
        except AssertionError as why:
            if "was built without SQL" in str(why):
                self.skipTest("profkit was built without SQL")
            raise

    def test_rows_and_what_cannot_be_read(self):
        sound, gone = str(self.write("a.xplane.pb", capture())), str(self.scratch / "gone.pb")
        query = "select name, self_ps, null as none, 1.5 as half from ops"
        columns, rows = ["name", "self_ps", "none", "half"], [["add", 1000, None, 1.5]]
        like = {"schema": "profkit.sql", "version": 1, "query": query, "columns": columns, "rows": rows}
        self.check(self.ask(query, sound), {**like, "captures": 1, "errors": [], "status": "ok", "reason": None})
        self.check(self.ask(query, sound, gone, status=5), {
            **like, "captures": 2, "errors": [{"uri": gone, "table_name": None, "message": f"{gone}: {NOT_FOUND['message']}"}],
            "status": "partial", "reason": "1 capture or table cannot be read, or not to the end"})
        self.check(self.ask("selec", sound, status=2), {
            "schema": "profkit.sql", "version": 1, "query": "selec", "columns": [], "rows": [], "captures": 1, "errors": [],
            "status": "error", "reason": 'near "selec": syntax error'})


class Redaction(truth.Case):
    def test_what_was_replaced(self):
        """Each word that is not public has one alias wherever it stands; what cannot be looked into is left out and counted."""
        secret = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
        more = [x.stat_metadata(7, "long_name"), x.plane_stat(7, "zorbling"), x.plane_stat(7, secret)]
        path = self.write("a.xplane.pb", capture("zorbling.7", more))
        found = json.loads(truth.run("ops", path, "--redact", "--aliases", "aliases.json", "--json", cwd=self.scratch))
        said = truth.loads((self.scratch / "aliases.json").read_text())
        aliases = {entry["word"]: entry["alias"] for entry in said["words"]}
        self.assertEqual(len(set(aliases.values())), len(said["words"]))
        self.assertIn("zorbling", aliases)
        self.assertEqual([row["name"] for row in found["lines"][0]["ops"]], [aliases["zorbling"] + ".7"])
        self.check({key: value for key, value in said.items() if key != "words"}, {
            "schema": "profkit.redaction", "version": 1, "status": "ok", "reason": None, "environment_dumps": 0, "blobs": 0, "blob_bytes": 0,
            "constants": 0, "secrets": [{"kind": truth.Text, "times": 1}]})
        self.assertNotIn("zorbling", json.dumps(found))
        self.assertFalse(any(secret in entry["word"] and entry["alias"] in secret for entry in said["words"]))

    def test_what_was_left_out(self):
        """The environment but for its numbers, bytes that are no text and no program, and constants of more than a number or two."""
        def literal(count):
            return message(8, message(1, hlo.shape(hlo.F32, [count])), message(8, b"\0\0\x80\x3f" * count))
        blobs = [b"\x01\xff\xfe\x00\x80" * 3, b"\x01\xff\xfe\x00\x80\x81\x82"]
        program = hlo.module("jit_zorbling", 7, hlo.computation(1, "main", *(
            hlo.instruction(at, f"constant.{at}", "constant", hlo.shape(hlo.F32, [count]), more=literal(count))
            for at, count in enumerate((100, 1, 50), 1))))
        for at, name in enumerate(("a", "b")):
            own = [x.stat_metadata(1, "raw"), *(x.plane_stat(1, blob, "bytes") for blob in blobs[at:])]
            self.write(f"run/{name}.xplane.pb", capture(more=own) +
                       x.plane(5, "/host:metadata", x.stat_metadata(1, "Hlo Proto"),
                               x.event_metadata(7, "jit_zorbling(7)", "", [x.stat(1, program, "bytes")])) +
                       x.plane(6, "Task Environment", x.stat_metadata(1, "profile_start_time"), x.stat_metadata(2, "env"),
                               x.plane_stat(1, 1_700_000_000_000_000_000, "uint"), x.plane_stat(2, "HOME=/home/zorbling")))
        truth.run("ops", self.scratch / "run", "--redact", "--aliases", "aliases.json", "--json", cwd=self.scratch)
        said = truth.loads((self.scratch / "aliases.json").read_text())
        self.check(said, {
            "schema": "profkit.redaction", "version": 1, "status": "ok", "reason": None, "environment_dumps": 2, "blobs": 3,
            "blob_bytes": 15 + 7 + 7, "constants": 2 * 2, "secrets": [], "words": [{"alias": truth.Text, "word": "zorbling"}]})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
