#!/usr/bin/env python3
"""Words of the command line: amounts, numbers at their limits, what stands in for what, which of two mistakes is said, and to which of
its outputs the command writes."""
import json
import os
import subprocess
import sys

import proto_writer as proto
import truth
from trace_events import x

START_US = 1_700_000_000_000_000


def memory():
    """A host that allocated once: there is an allocator, and nothing of programs."""
    host = proto.Plane("/host:CPU", 9)
    host.line("t", 0, [host.event("MemoryAllocation", 1000, 0, [
        ("allocator_name", "TPU_0_bfc"), ("addr", 8), ("allocation_bytes", 300), ("bytes_allocated", 300), ("bytes_available", 100)])])
    return proto.xspace([host], ["h"])


class CommandWords(truth.Case):
    def setUp(self):
        super().setUp()
        device = proto.Plane("/device:TPU:0", 1)
        device.line("XLA Ops", 0, [device.event(name, at * 1000, 900) for at, name in enumerate(("a", "b", "c", "a"))])
        self.write("a.xplane.pb", proto.xspace([device], ["h"]))
        self.write("m.xplane.pb", memory())

    def run_here(self, *words, status=0, stdout=None, **environment):
        """Standard output and standard error."""
        shown = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
        done = subprocess.run([truth.PROFKIT, *map(str, words)], cwd=self.scratch, env={**shown, **environment}, check=False, timeout=60,
                              stdin=subprocess.DEVNULL, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE)
        if status is not None:
            self.assertEqual(done.returncode, status, (words, done.stderr))
        return (done.stdout or b"").decode(), done.stderr.decode()

    def wrong(self, message, *words):
        out, err = self.run_here(*words, status=2)
        self.assertEqual(out, "")
        self.assertTrue(err.startswith("profkit: " + message), err)
        self.assertEqual(err.count("\n  hint: "), 1, err)

    def test_amounts_of_bytes(self):
        """Units of a thousand and of 1024; parts of them that are whole bytes; 64 bits of them."""
        for text, expected in (
                ("1", 1), ("7B", 7), ("2kB", 2_000), ("3MB", 3 * 10**6), ("1GB", 10**9), ("1TB", 10**12), ("2KiB", 2_048), ("1MiB", 2**20),
                ("1GiB", 2**30), ("1TiB", 2**40), ("1PiB", 2**50), ("1.5kB", 1_500), ("0.5KiB", 512), ("2.25MiB", 2_359_296),
                ("1.000B", 1), ("0.001kB", 1), ("16383PiB", 16_383 * 2**50)):
            found = json.loads(self.run_here("memory", "m.xplane.pb", "--json", "--fit", text, status=None)[0])
            self.assertEqual(found["fit"]["limit_bytes"], expected, text)
        for text in ("0.5B", "0.0001kB", "1.5.0kB", ".5kB", "kB", "1 kB", "1KB", "1kb", "-1", "16384PiB", "18446744073709551616", "1e3"):
            self.wrong(f"--fit '{text}': ", "memory", "m.xplane.pb", f"--fit={text}")

    def test_numbers_at_their_limits(self):
        for option, least, most, command in (("-j", 1, 1024, "ops"), ("--limit", 0, 2**64 - 1, "ops"), ("--curve", 1, None, "memory")):
            path = "m.xplane.pb" if command == "memory" else "a.xplane.pb"
            for number in (least, most):
                if number is not None:
                    self.run_here(command, path, option, number)
            for number in (least - 1, None if most is None else most + 1, "1.0", "+1", "0x1", "1 ", "ten"):
                if number is not None:
                    self.wrong(f"{option} '{number}': not a number that fits", command, path, option, f"{number}")

    def test_words_that_stand_for_others(self):
        """A path alone asks for the report, `help X` for its help, and `-o -` for standard output."""
        report = self.run_here("report", "a.xplane.pb")
        for words in (["a.xplane.pb"], ["report", "a.xplane.pb", "-o", "-"], ["a.xplane.pb", "--output", "-"]):
            self.assertEqual(self.run_here(*words), report)
        self.assertFalse((self.scratch / "-").exists())
        self.assertEqual(self.run_here("help", "ops"), self.run_here("ops", "--help"))
        self.assertEqual(self.run_here("help"), self.run_here("--help"))
        self.assertEqual(self.run_here(), self.run_here("-h"))
        # A folder of the name of a command is reached by a path.
        self.write("ops/plugins/profile/r/h.xplane.pb", (self.scratch / "a.xplane.pb").read_bytes())
        self.wrong("", "ops")
        self.assertIn("a", self.run_here("ops", "ops")[0])
        self.run_here("./ops")
        self.run_here("nothing.here", status=3)
        self.wrong("there is no command 'nothing'", "nothing")

    def test_one_of_several_mistakes(self):
        """Words are read before any file is: a wrong one is said even where there is no capture."""
        for path in ("a.xplane.pb", "gone.xplane.pb"):
            self.wrong("--limit 'x'", "ops", path, "--limit", "x")
            self.wrong("--host and --node both choose hosts", "ops", path, "--host", "h", "--node", "1")
            self.wrong("--aliases is about --redact", "ops", path, "--aliases", "al.json")
            self.wrong("--output and --aliases name the same file: o", "ops", path, "--redact", "-o", "o", "--aliases", "o")
            for way in ("./o", "x/../o", self.scratch / "o"):
                self.wrong(f"--output and --aliases name the same file: {way}", "ops", path, "--redact", "-o", "o", "--aliases", way)
        out, err = self.run_here("ops", "gone.xplane.pb", "--plane", "none", status=3)
        self.assertEqual((out, err.splitlines()[0].split(": ")[1]), ("", "error"))
        out, _ = self.run_here("ops", "gone.xplane.pb", "--json", status=3)
        found = json.loads(out)
        self.assertEqual((found["schema"], found["status"], found["code"], found["path"]),
                         ("profkit.ops", "error", "not_found", "gone.xplane.pb"))

    def test_where_it_is_written(self):
        """A file has what the screen has, and the screen nothing; two may be one device."""
        shown, err = self.run_here("ops", "a.xplane.pb", "--json")
        self.assertEqual(err, "")
        self.assertEqual(self.run_here("ops", "a.xplane.pb", "--json", "-o", "o.json"), ("", ""))
        self.assertEqual((self.scratch / "o.json").read_text(), shown)
        self.assertEqual(self.run_here("ops", "a.xplane.pb", "--json", "-o", "/dev/null", "--redact", "--aliases", "/dev/null")[0], "")
        for words in (["ops", "a.xplane.pb", "-o", "no/such/file"], ["ops", "a.xplane.pb", "-o", "/dev/full"],
                      ["rows", "a.xplane.pb", "ops", "-o", "/dev/full"], ["rows", "a.xplane.pb", "-o", "/dev/full"]):
            out, err = self.run_here(*words, status=4)
            self.assertEqual(out, "")
            self.assertTrue(err.startswith("profkit: error: "), err)
        with open("/dev/full", "wb") as full:
            for words in (["ops", "a.xplane.pb"], ["--version"], ["rows", "a.xplane.pb", "ops"], ["help", "ops"]):
                self.run_here(*words, status=4, stdout=full)

    def test_a_damaged_capture(self):
        """What is intact goes to standard output, what is lost to the other; with --strict the status is 4, the output the same."""
        whole = (self.scratch / "a.xplane.pb").read_bytes()
        self.write("cut.xplane.pb", whole + b"\x0a\x7f\x12")
        shown, err = self.run_here("ops", "cut.xplane.pb", status=5)
        rows = err.splitlines()
        self.assertTrue(rows[0].startswith("profkit: damaged: cut.xplane.pb: "), rows)
        self.assertEqual(rows[-1], "profkit: what was intact is shown; what was lost is not counted")
        quiet = self.run_here("ops", "cut.xplane.pb", "-q", status=5)
        self.assertEqual(quiet, (shown, "".join(row + "\n" for row in rows[:-1])))
        strict, err = self.run_here("ops", "cut.xplane.pb", "--strict", status=4)
        self.assertEqual(strict, shown)
        self.assertTrue(err.startswith("profkit: error: cut.xplane.pb: "), err)
        document, err = self.run_here("ops", "cut.xplane.pb", "--json", status=5)
        self.assertEqual((json.loads(document)["status"], err), ("partial", "profkit: the capture is damaged; the document says where\n"))
        self.assertEqual(self.run_here("ops", "cut.xplane.pb", "--json", "-q", "--strict", status=4), (document, ""))

    def test_shares_that_fail(self):
        """More than the limit fails, the limit itself does not. Two devices have 1 ms each, together."""
        step = x("user_annotation", "ProfilerStep#1", 50, 1, START_US, 1000)
        events = [step]
        for device, spans in ((0, (("kernel", "k", 0, 700), ("gpu_memcpy", "Memcpy DtoH", 700, 60), ("kernel", "k", 800, 200))),
                              (1, (("kernel", "k", 0, 600), ("kernel", "ncclDevKernel_AllReduce", 600, 260), ("kernel", "k", 900, 100)))):
            events += [x(cat, name, device, 7, START_US + at, length, device=device, stream=7) for cat, name, at, length in spans]
        self.write("t.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        shares = {"idle": 40 + 40, "exposed": 60 + 260, "cause:exposed_copy": 60, "cause:exposed_comm": 260, "cause:gc": 0}
        for what, us in shares.items():
            percent = us / 20
            self.run_here("bubbles", "t.json", "--fail-on", f"{what}>{percent:.4f}%")
            if us:
                err = self.run_here("bubbles", "t.json", "-q", "--fail-on", f"{what}>{percent - 0.0001:.4f}%", status=1)[1]
                self.assertTrue(err.startswith(f"profkit: {what}>{percent - 0.0001:.4f}%: it is {percent:.1f} % of the device time"), err)
        _, err = self.run_here("bubbles", "t.json", "-q", "--fail-on", "idle>1%,exposed>99%,cause:exposed_copy>2.99%", status=1)
        self.assertEqual([row.split(": it is")[0] for row in err.splitlines()], ["profkit: idle>1%", "profkit: cause:exposed_copy>2.99%"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
