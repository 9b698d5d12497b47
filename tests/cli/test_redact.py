#!/usr/bin/env python3
"""Captures without the names of who recorded them: test_redact.py PROFKIT

Two promises. No planted word is left in any output. And nothing else is lost: a report of the redacted capture, with the words put
back in the place of their aliases, is that of the capture itself.
"""
import gzip
import json
import random
import re
import string
import sys

import harness
from harness import CPU_RUN, DATA, GPU, ROOT, TPU, Case, event, event_name, line, needed_corpus, number, plane, run, text

ALIAS = re.compile(r"XX[A-Z]+(?![a-z])|[Xx]x[a-z]+")
# Where the rewriting itself shows: how long a program is, and at which byte an event lies.
OF_BYTES = ("source_row", "byte_offset", "offset", "entry_offset")

SECRETS = ["Zyklotron", "zyklotron_train", "alice.wonder", "gandalf", "Mordor", "Frodo", "Bilbo", "sauron", "mithril", "balrog",
           "shadowfax", "Galadriel", "rivendell", "palantir"]


def put_back(value, words):
    if isinstance(value, str):
        def word_of(found):
            alias = found.group()
            word = words.get(alias.lower())
            if word is None:
                return alias
            return word.upper() if alias.isupper() else word[0].upper() + word[1:] if alias[0] == "X" else word
        return ALIAS.sub(word_of, value)
    if isinstance(value, list):
        return [put_back(item, words) for item in value]
    if isinstance(value, dict):
        return {put_back(k, words): put_back(v, words) for k, v in value.items()}
    return value


def comparable(value, path, key=""):
    """Without paths and places of bytes; rows that names have ordered are in an order of their own."""
    if isinstance(value, dict):
        return {k: comparable(v, path, k) for k, v in value.items() if k not in OF_BYTES and not (k == "bytes" and key == "modules")}
    if isinstance(value, list):
        rows = [comparable(v, path, key) for v in value]
        return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True)) if all(isinstance(r, dict) for r in rows) else rows
    if isinstance(value, str):
        # As the folder above the capture is not part of the answer.
        return value.replace(str(path.parent) + "/", "")
    return value


class RedactTest(Case):
    def setUp(self):
        super().setUp()
        self.aliases = self.scratch / "aliases.json"

    def redacted(self, command, path, *more):
        done = run(command, path, *more, "--redact", "--aliases", self.aliases)
        return done, json.loads(self.aliases.read_text()) if self.aliases.exists() else None

    def check_nothing_is_lost(self, path):
        as_it_is = run("report", path, "--json", "--limit", 1000000)
        done, listed = self.redacted("report", path, "--json", "--limit", 1000000)
        self.assertEqual(done.status, as_it_is.status, f"{path}: {done.err}")
        words = {w["alias"]: w["word"] for w in listed["words"]}
        mine = comparable(put_back(json.loads(done.out), words), path)
        theirs = comparable(json.loads(as_it_is.out), path)
        for report in (mine, theirs):
            report.pop("limited", None)
            for p in [p for f in report["info"]["files"] for p in f.get("planes", [])]:
                for anything in ("core_details", "profile_options"):
                    p.get("stats", {}).pop(anything, None)  # bytes
        for part in theirs:
            self.assertEqual(mine[part], theirs[part], f"{path}: {part}")
        return listed

    def test_nothing_else_is_lost(self):
        for path in [TPU, GPU, CPU_RUN, DATA / "kineto" / "h100_bert_small.pt.trace.json.gz", DATA / "ascend" / "two_ranks"]:
            with self.subTest(path=path.name):
                self.check_nothing_is_lost(path)

    def test_nothing_else_is_lost_in_the_corpus(self):
        folder = needed_corpus()
        for path in [folder / "kineto" / "dlrm_8_ranks", folder / "kineto" / "nccl_data.json.gz",
                     folder / "ascend" / "msprof-analyze"]:
            with self.subTest(path=path.name):
                self.check_nothing_is_lost(path)

    def outputs(self, path, name):
        """Everything that can be made of a capture to be shown to others."""
        for command in ("report", "info", "tree", "ops", "framework", "metadata"):
            for more in ((), ("--json",)):
                yield run(command, path, *more, "--redact", "-q").out
        page, copy, listing = self.scratch / "page.html", self.scratch / name, self.scratch / "trace.pftrace"
        run("report", path, "-o", page, "--redact", "-q")
        run("export", path, "-o", copy, "--redact", "-q")
        run("export", path, "-o", listing, "--redact", "-q")
        for made in (page, copy, listing):
            if made.exists():
                yield made.read_bytes().decode("utf-8", "replace")

    def assert_no_secret(self, shown, secrets=()):
        for secret in [*SECRETS, *secrets]:
            self.assertNotIn(secret.lower(), shown.lower(), secret)

    def kineto(self):
        secret = {"ghp": "ghp_" + "A1b2C3d4" * 4, "aws": "AKIA" + "Q7W3E5R9T1Y2U4I6", "uuid": "550e8400-e29b-41d4-a716-446655440000"}
        events = [
            {"ph": "X", "cat": "kernel", "name": "void Zyklotron::mithrilKernel<float, 4>(balrog const*)", "pid": 0, "tid": 7,
             "ts": 100.5, "dur": 20, "args": {"stream": 7, "correlation": 3, "Palantir key": "sauron", "device": 0}},
            {"ph": "X", "cat": "user_annotation", "name": "zyklotron_train/Mordor/layer_12", "pid": 1, "tid": 1, "ts": 50, "dur": 100},
            {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": 60, "dur": 30,
             "args": {"External id": 5, "note": f"alice.wonder@rivendell.example 10.11.12.13 {secret['uuid']} acct 998877665544",
                      "path": "/home/gandalf/shadowfax/train.py", "token": secret["ghp"], "key": secret["aws"],
                      "escaped": "Frodo\tB\u00e9\u00e9lbo \"Bilbo\" \u6307\u8f2a", "env": {"GALADRIEL_HOME": "/rivendell", "N": "17"}}},
            {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Galadriel 4711"}},
            {"ph": "X", "cat": "cpu_op", "name": "hash_9c1ab27de4", "pid": 1, "tid": 1, "ts": 200, "dur": 1},
        ]
        planted = [*secret.values(), "10.11.12.13", "998877665544", "\u6307\u8f2a", "B\u00e9\u00e9lbo", "\\u6307"]
        trace = {"schemaVersion": 1, "hostname": "mordor-17", "environment": {"TOKEN": "mithril"}, "os_environ": "PALANTIR=1",
                 "traceEvents": events, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85024112640}]}
        return trace, planted

    def test_secrets_in_a_trace(self):
        trace, planted = self.kineto()
        path = self.scratch / "gandalf_rank0.pt.trace.json"
        for escapes in (True, False):
            path.write_text(json.dumps(trace, ensure_ascii=escapes), encoding="utf-8")
            for shown in self.outputs(path, "copy.trace.json"):
                self.assert_no_secret(shown, planted)
            copy = json.loads((self.scratch / "copy.trace.json").read_text(encoding="utf-8"))
            self.assertEqual(copy["environment"], {})
            self.assertEqual(copy["os_environ"], "")
            self.assertEqual(copy["traceEvents"][2]["args"]["env"], {})
            # What is public stays, and so do all numbers.
            self.assertEqual(copy["deviceProperties"], trace["deviceProperties"])
            self.assertEqual([e.get("ts") for e in copy["traceEvents"]], [e.get("ts") for e in trace["traceEvents"]])
            self.assertEqual(copy["traceEvents"][2]["name"], "aten::addmm")
            self.assertRegex(copy["traceEvents"][1]["name"], r"^xx[a-z]+_train/Xx[a-z]+/layer_12$")
            self.assertRegex(copy["traceEvents"][0]["name"], r"^void Xx[a-z]+::xx[a-z]+Kernel<float, 4>\(xx[a-z]+ const\*\)$")
            self.assertRegex(copy["traceEvents"][4]["name"], r"^hash_xx[a-z]+$")
            done, listed = self.redacted("report", path)
            self.assertEqual(listed["environment_dumps"], 3)
            self.assertEqual([(s["kind"], s["times"]) for s in listed["secrets"]], [("GitHub token", 1), ("AWS access key", 1)])
            self.assertIn("3 lists of environment variables", done.err)
            self.assertIn("GitHub token, 1 time): withdraw it", done.err)
            self.assertIn("zyklotron", [w["word"] for w in listed["words"]])
            self.assertNotIn("Next (PATH", done.out.replace("gandalf", ""))

    def space(self):
        """An XSpace whose every corner holds a word of ours."""
        module = text(1, text(1, "jit_zyklotron_train") + text(2, "main.Mordor") + text(3, text(1, "main.Mordor") + text(
            2, text(1, "mithril.3") + text(2, "constant") + text(8, number(2, 11) + text(4, b"sauronsauronsauron"))
            + text(7, text(2, "jit(Frodo)/Bilbo/dot_general") + text(3, "/home/gandalf/shadowfax.py"))
            + text(43, b'{"palantir":"Galadriel"}'))) + text(199, b"rivendell, a field of a later version"))
        stat_names = b"".join(text(5, number(1, i) + text(2, number(1, i) + text(2, name)))
                              for i, name in enumerate(["Hlo Proto", "balrog_note", "PALANTIR_HOME", "profile_start_time"], 1))
        host = plane(1, "/host:CPU", stat_names, event_name(1, "Zyklotron::Run", "Galadriel"),
                     line(1, "alice.wonder/4711", [text(4, number(1, 1) + number(2, 10) + number(3, 1000) + text(
                         4, number(1, 2) + text(5, "rivendell.example")))]))
        programs = plane(2, "/host:metadata", stat_names, text(4, number(1, 9) + text(2, number(1, 9) + text(2, "jit_zyklotron_train(9)")
                         + text(5, number(1, 1) + text(6, module)))))
        environment = plane(3, "Task Environment", stat_names, text(6, number(1, 3) + text(5, "/opt/gandalf")),
                            text(6, number(1, 4) + number(3, 1700000000000000000)))
        blob = plane(4, "/device:CUSTOM:Sauron", stat_names, text(6, number(1, 2) + text(6, b"\xff\x00mithril")))
        return host + programs + environment + blob + text(4, "Mordor") + text(2, "gandalf failed") + text(77, "Bilbo")

    def test_secrets_in_an_xspace(self):
        path = self.scratch / "gandalf.xplane.pb"
        path.write_bytes(self.space())
        for shown in self.outputs(path, "copy.xplane.pb"):
            self.assert_no_secret(shown)
        self.assertNotIn(b"/opt/", (self.scratch / "copy.xplane.pb").read_bytes())  # not even what is public of an environment
        _, listed = self.redacted("report", path)
        self.assertEqual((listed["environment_dumps"], listed["constants"]), (1, 1))
        self.assertEqual(listed["blobs"], 3)  # the plane's bytes, the field of a later version and that of the space
        start = json.loads(run("info", path, "--json", "--redact", "-q").out)["files"][0]["origin_unix_ns"]
        self.assertEqual(start, "1700000000000000000")
        self.assertEqual(run("modules", path, "--redact", "-q").status, 0)

    def test_damaged_captures(self):
        """Wherever a capture ends, no word of ours is left, and damage stays damage."""
        whole, planted = self.kineto()
        rng = random.Random(5)
        for name, data in (("gandalf.pt.trace.json", json.dumps(whole).encode()), ("gandalf.xplane.pb", self.space())):
            path, copy = self.scratch / name, self.scratch / ("copy." + name.partition(".")[2])
            for cut in sorted(rng.sample(range(1, len(data)), 60)):
                path.write_bytes(data[:cut])
                as_it_is = run("report", path, "--json", "-q")
                shown = run("report", path, "--json", "-q", "--redact")
                self.assertEqual(shown.status, as_it_is.status, f"{name} cut at {cut}")
                self.assert_no_secret(shown.out, planted)
                copy.unlink(missing_ok=True)
                run("export", path, "--redact", "-q", "-o", copy)
                if copy.exists():
                    self.assert_no_secret(copy.read_bytes().decode("utf-8", "replace"), planted)
            packed = self.scratch / (name + ".gz")
            packed.write_bytes(gzip.compress(data)[:-8] + bytes(8))  # all is there, and the checksum is wrong
            shown = run("report", packed, "--json", "-q", "--redact")
            self.assertEqual((shown.status, shown.status != 0), (run("report", packed, "--json", "-q").status, True))
            self.assert_no_secret(shown.out, planted)
            # Bytes that fell over: quotes that open what was outside.
            for _ in range(60):
                bent = bytearray(data)
                for _ in range(4):
                    bent[rng.randrange(len(bent))] = rng.choice(b'"\\{}[],:\x00\xff')
                path.write_bytes(bent)
                shown = run("export", path, "--redact", "-q", "-o", copy)
                self.assertIn(shown.status, (0, 4, 5), shown.err)
                if copy.exists() and shown.status != 4:
                    left = copy.read_bytes().decode("utf-8", "replace").lower()
                    for secret in SECRETS:
                        if secret.lower().encode() in bytes(bent).lower():
                            self.assertNotIn(secret.lower(), left, name)

    def test_different_names_stay_different(self):
        """Names of all shapes: each is found again from its alias, so that no two have become one."""
        rng = random.Random(3)
        pieces = ["layer", "Layer", "mithril", "Mithril", "MITHRIL", "xxa", "Xxb", "XXC", "x", "A", "12", "7", "123456789", "HTTP", "aten",
                  "::", "_", ".", "/", " ", "<", ">", "-", "fp16", "sm90a", "a3f9c2e1", "0x7fe02c0d9d20", "\u00e9", "(", ")", "[", "]", "ab",
                  "10.0.0.1", "1.5", "e", "hf_", "sk-", "Qwen2Decoder", "\u6307"]
        names = {"".join(rng.choice(pieces) for _ in range(rng.randint(1, 7))) for _ in range(4000)}
        names |= {"".join(rng.choice(string.ascii_letters + string.digits + "_.") for _ in range(rng.randint(1, 12))) for _ in range(4000)}
        names = sorted(names)
        path, copy = self.scratch / "names.pt.trace.json", self.scratch / "copy.trace.json"
        path.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 1} for at, name in enumerate(names)]}))
        done, _ = self.redacted("export", path, "-o", copy)
        self.assertEqual(done.status, 0, done.err)
        made = [e["name"] for e in json.loads(copy.read_text(encoding="utf-8"))["traceEvents"]]
        self.assertEqual(len(made), len(names))
        self.assertEqual(len(set(made)), len(set(names)))

    def test_folders(self):
        target = self.scratch / "shared"
        done = run("export", CPU_RUN, "--redact", "-o", f"{target}/")
        self.assertEqual(done.status, 0, done.err)
        files = [p for p in target.rglob("*") if p.is_file()]
        self.assertEqual(sorted(p.suffix for p in files), [".gz", ".gz", ".pb"])
        self.assertIn("3 redacted files", done.err)
        # What was redacted stands; once more changes nothing but the names of aliases.
        again = json.loads(run("report", target, "--json", "-q").out)
        first = json.loads(run("report", CPU_RUN, "--json", "--redact", "-q").out)
        self.assertEqual(again["summary"]["steps"], first["summary"]["steps"])
        self.assertEqual(again["summary"]["devices"], first["summary"]["devices"])
        ascend = self.scratch / "ranks"
        done = run("export", DATA / "ascend" / "two_ranks", "--redact", "-o", f"{ascend}/")
        self.assertEqual(done.status, 0, done.err)
        devices = [json.loads(run("report", at, "--json", "-q").out)["summary"]["devices"] for at in (ascend, DATA / "ascend" / "two_ranks")]
        self.assertEqual(devices[0], devices[1])
        packed = run("export", DATA / "kineto" / "h100_bert_small.pt.trace.json.gz", "--redact", "-o", self.scratch / "x.trace.json.gz")
        self.assertEqual(packed.status, 0, packed.err)
        self.assertTrue(json.loads(gzip.decompress((self.scratch / "x.trace.json.gz").read_bytes()))["traceEvents"])

    def small(self, name):
        """A trace of two kernels, 10 us apart, on two devices."""
        self.write(name, json.dumps({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "kernel", "name": f"mithril_{at}", "pid": at, "tid": 7, "ts": 10 * at, "dur": 1,
             "args": {"device": at, "stream": 7}} for at in (0, 1)]}).encode())
        return self.scratch / name

    def test_filters_of_a_redacted_export(self):
        """A file holds what they leave; a folder of whole files takes none of them."""
        path, target = self.small("log/rank0.json"), self.scratch / "target"
        for filters, left in ((["--time", ":5us"], [0]), (["--time", "5us:"], [1]), (["--host", "rank0"], [0, 1]), ([], [0, 1])):
            done = run("export", path, "--redact", *filters, "-o", self.scratch / "part.trace.json")
            self.check_status(done, 0)
            events = json.loads((self.scratch / "part.trace.json").read_text(encoding="utf-8"))["traceEvents"]
            self.assertEqual([e["args"]["device"] for e in events if e["ph"] == "X"], left, filters)
            self.assertNotIn("mithril", str(events))
            if filters:
                done = run("export", path.parent, "--redact", *filters, "-o", f"{target}/")
                self.check_status(done, 2)
                self.assertIn("a folder takes the files as they are", done.err)
                self.assertFalse(target.exists())
        self.check_status(run("export", path.parent, "--redact", "-o", f"{target}/"), 0)
        events = json.loads((target / "rank0.json").read_text(encoding="utf-8"))["traceEvents"]
        self.assertEqual([e["args"]["device"] for e in events], [0, 1])

    def test_a_folder_that_is_the_capture(self):
        """A file whose name needs no alias would be replaced by what can be shown of it."""
        path = self.small("log/rank0.json")
        whole = path.read_bytes()
        for capture in (path.parent, path):
            done = run("export", capture, "--redact", "-o", f"{path.parent}/")
            self.check_status(done, 2)
            self.assertIn(f"{path}: the output file is a file of the capture", done.err)
            self.assertEqual((path.read_bytes(), [p.name for p in path.parent.iterdir()]), (whole, ["rank0.json"]))
        # Nor is a file written that would get another name.
        self.small("log/alice.json")
        self.check_status(run("export", path.parent, "--redact", "-o", f"{path.parent}/"), 2)
        self.assertEqual(sorted(p.name for p in path.parent.iterdir()), ["alice.json", "rank0.json"])
        other = self.scratch / "other"
        self.check_status(run("export", path.parent, "--redact", "-o", f"{other}/"), 0)
        self.assertNotIn(b"mithril", (other / "rank0.json").read_bytes())

    def test_what_cannot_be(self):
        self.assertEqual(run("report", TPU, "--aliases", self.aliases).status, 2)
        self.assertEqual(run("report", DATA / "neutrino" / "block_sched", "--redact").status, 2)
        own = self.scratch / "own.trace.json"
        own.write_bytes(gzip.decompress((DATA / "kineto" / "h100_bert_small.pt.trace.json.gz").read_bytes()))
        before = own.read_bytes()
        for more in (("-o", own), ("-o", self.scratch / "a.trace.json", "--aliases", own)):
            self.assertEqual(run("export", own, "--redact", *more).status, 2)
            self.assertEqual(own.read_bytes(), before)
        filtered = run("export", own, "--redact", "--name", "aten", "-o", f"{self.scratch}/d/")
        self.assertEqual(filtered.status, 2)

    def test_kernels_are_of_the_same_type(self):
        """What runs another function keeps its name, and a mangled name stays one."""
        wrappers = re.findall(r'WRAPPER\("(\w*)", "(\w+)"', (ROOT / "src" / "core" / "base" / "kernel_wrappers.inc").read_text())
        names = [f"void {scope + '::' if scope else ''}{name}<4, int>(mithril)" for scope, name in wrappers]
        names += [f"_ZN7cutlass6KernelIN{scope}4ringEvT_" for scope in ("7mithril", "7palantir")]
        path, copy = self.scratch / "a.pt.trace.json", self.scratch / "b.pt.trace.json"
        events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10 * at, "dur": 5,
                   "args": {"stream": 7, "device": 0}} for at, name in enumerate(names)]
        path.write_text(json.dumps({"traceEvents": events, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}]}))
        self.assertEqual(run("export", path, "-o", copy, "--redact").status, 0)

        def types(of):
            return [json.loads(line)["op_type"] for line in run("rows", of, "kernels", "--format", "json").out.splitlines()]

        self.assertEqual(types(copy)[:len(wrappers)], types(path)[:len(wrappers)])
        self.assertEqual(len(set(types(copy))), len(set(types(path))))

    def test_the_list_obeys_its_schema(self):
        path = self.scratch / "gandalf.pt.trace.json"
        path.write_text(json.dumps(self.kineto()[0]))
        for capture in (path, TPU):
            self.check_schema(self.redacted("info", capture)[1], "redaction")

    def test_public_words(self):
        """They are what a run can be cut into, in small letters, and none is taken for an alias."""
        listed = " ".join(re.findall(r'"(.*)"', (ROOT / "src" / "wings" / "redact" / "public_words.inc").read_text())).split()
        self.assertEqual(len(listed), len(set(listed)))
        for word in listed:
            self.assertRegex(word, r"^[a-z0-9]{2,}$")
            self.assertFalse(word.startswith("xx"), word)
            self.assertFalse(word[-1].isdigit() and not word[:-1].isdigit() and not re.search(r"\d", word[:-1]), word)


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
