"""A format that profkit does not know, handed in by a host (examples/own-format), in every document.

What must be told is worked out from the rows of the log. PROFKIT_OWN_FORMAT: the example's program.
"""
import collections
import gzip
import os
import random
import subprocess
import sys

import truth

PROGRAM = os.environ["PROFKIT_OWN_FORMAT"]
TRAINING = truth.ROOT / "examples" / "own-format" / "training.spans"
START_NS = 1764246877000000000
PS = 1000  # a nanosecond
SHORTEST_HEAD = len("spanlog 1 ")

Kernel = collections.namedtuple("Kernel", "stream start duration launch name")
Span = collections.namedtuple("Span", "start duration name")


class Log:
    """The rows of a log, times in ps after its start."""

    def __init__(self, text):
        self.start_ns, self.streams, self.kernels, self.spans, self.steps = 0, {}, [], [], []
        for line in text.splitlines():
            what, *rest = line.split(" ")
            if what == "spanlog":
                self.start_ns = int(rest[1])
            elif what == "stream":
                self.streams[int(rest[0])] = rest[1]
            elif what == "kernel":
                self.kernels.append(Kernel(int(rest[0]), *(int(ns) * PS for ns in rest[1:4]), " ".join(rest[4:])))
            elif what == "span":
                self.spans.append(Span(*(int(ns) * PS for ns in rest[:2]), " ".join(rest[2:])))
            elif what == "step":
                self.steps.append((int(rest[0]), int(rest[1]) * PS, int(rest[2]) * PS))

    def on(self, stream):
        return [k for k in self.kernels if k.stream == stream]

    def on_the_thread(self):
        return [Span(start, duration, f"step {number}") for number, start, duration in self.steps] + self.spans

    def lines(self):
        """(plane, line, id, name, rows), as `info` shows them."""
        device = [(0, at, stream, name, self.on(stream)) for at, (stream, name) in enumerate(self.streams.items())]
        return device + [(1, 0, 0, "main", self.on_the_thread())]


def ends(rows):
    return [row.start + row.duration for row in rows]


def busy(rows):
    total, until = 0, 0
    for start, end in sorted(zip((row.start for row in rows), ends(rows))):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total


def gaps(rows):
    """Where nothing runs, between the first row and the last."""
    found, until = [], None
    for start, end in sorted(zip((row.start for row in rows), ends(rows))):
        if until is not None and start > until:
            found.append((until, start))
        until = end if until is None else max(until, end)
    return found


def category(name):
    return "comm" if name.startswith("nccl") else "compute"


def made_log(seed):
    """Streams of kernels, one after another; a host that launches them; a row of every kind."""
    rng = random.Random(seed)
    rows = [f"spanlog 1 {START_NS + rng.randrange(10**9)}"]
    streams = rng.sample(range(100), rng.randrange(1, 4))
    rows += [f"stream {stream} s{stream}" for stream in streams]
    names = ["gemm", "softmax two words", "ncclDevKernel_AllGather_RING_LL", "reduce_1", 'quote"and\\slash']
    timed = []
    for stream in streams:
        at = rng.randrange(5000)
        for _ in range(rng.randrange(1, 20)):
            length = rng.randrange(0, 3000)
            timed.append(f"kernel {stream} {at} {length} {max(0, at - rng.randrange(500))} {rng.choice(names)}")
            at += length + rng.choice((0, 0, 7, 2000))
    timed += [f"span {rng.randrange(50000)} {rng.randrange(900)} load {i}" for i in range(rng.randrange(5))]
    rng.shuffle(timed)
    return "\n".join(rows + [f"step {i + 1} {i * 20000} 20000" for i in range(3)] + timed) + "\n"


class OwnFormat(truth.Case):
    def write_of(self, document, path, status=0):
        done = subprocess.run([PROGRAM, document, path], capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return truth.parsed(done.stdout.decode()) if done.stdout else done.stderr.decode()

    def each_log(self):
        """The example's and random ones: (path, log)."""
        yield TRAINING, Log(TRAINING.read_text())
        for seed in range(8):
            text = made_log(seed)
            yield self.write(f"made{seed}.spans", text), Log(text)

    def test_ops(self):
        for path, log in self.each_log():
            found = self.write_of("ops", path)
            self.assertEqual(found["status"], "ok")
            lines = {(line["plane_name"], line["line_name"]): line for line in found["lines"]}
            expected = {("Accel 0", name): log.on(stream) for stream, name in log.streams.items()}
            self.assertEqual(lines.keys(), expected.keys())
            for place, kernels in expected.items():
                line = lines[place]
                self.assertEqual((line["events"], line["duration_sum_ps"], line["busy_ps"]),
                                 (len(kernels), sum(k.duration for k in kernels), busy(kernels)))
                by_name = collections.defaultdict(list)
                for k in kernels:
                    by_name[k.name].append(k.duration)
                told = {op["name"]: (op["count"], op["total_ps"], op["self_ps"], op["min_ps"], op["max_ps"],
                                     op["stats"]["category"]) for op in line["ops"]}
                self.assertEqual(told, {name: (len(d), sum(d), sum(d), min(d), max(d), category(name))
                                        for name, d in by_name.items()})

    def test_report(self):
        for path, log in self.each_log():
            found = self.write_of("report", path)
            self.assertEqual(found["status"], "ok")
            summary = found["summary"]
            self.assertEqual(summary["software"], ["spanlog 1"])
            self.assertEqual(summary["busy_devices"], [{"file": 0, "device": "Accel 0", "kernels": len(log.kernels),
                                                        "busy_ps": busy(log.kernels)}])
            every = log.kernels + log.on_the_thread()
            self.assertEqual((summary["first_ps"], summary["last_ps"]), (min(r.start for r in every), max(ends(every))))

    def test_steps(self):
        for path, log in self.each_log():
            found = self.write_of("steps", path)
            self.assertEqual([(s["step_num"], s["name"], s["start_ps"], s["duration_ps"], s["plane"], s["line"])
                              for s in found["steps"]],
                             [(str(number), f"step {number}", start, duration, 1, 0) for number, start, duration in log.steps])

    def test_info(self):
        for path, log in self.each_log():
            (file,) = self.write_of("info", path)["files"]
            self.assertEqual((file["family"], file["origin_unix_ns"]), ("own", str(log.start_ns)))
            found = {(at, i): (line["id"], line["name"], line["events"], line["duration_sum_ps"], line["first_ps"],
                               line["last_ps"])
                     for at, plane in enumerate(file["planes"]) for i, line in enumerate(plane["lines"])}
            self.assertEqual(found, {(plane, at): (str(number), name, len(rows), sum(r.duration for r in rows),
                                                   min(r.start for r in rows), max(ends(rows)))
                                     for plane, at, number, name, rows in log.lines()})
            self.assertEqual([(p["name"], p["kind"]) for p in file["planes"]], [("Accel 0", "device"), ("program", "host")])

    def test_tree_and_metadata(self):
        for path, log in self.each_log():
            (file,) = self.write_of("tree", path)["files"]
            found = [(plane["plane"], line["line"], line["id"], line["name"],
                      [(e["start_ps"], e["duration_ps"], e["name"]) for e in line["events"]], line["event_count"])
                     for plane in file["planes"] for line in plane["lines"]]
            self.assertEqual(found, [(plane, at, str(number), name, [(r.start, r.duration, r.name) for r in rows], len(rows))
                                     for plane, at, number, name, rows in log.lines()])
            planes = self.write_of("metadata", path)["planes"]
            for plane, rows in zip(planes, (log.kernels, log.on_the_thread())):
                names = collections.Counter(r.name for r in rows)
                self.assertEqual([(e["name"], e["count"]) for e in plane["event_entries"]],
                                 sorted(names.items(), key=lambda item: (-item[1], item[0])))

    def test_collectives_and_framework(self):
        for path, log in self.each_log():
            expected = collections.Counter((k.stream, k.name) for k in log.kernels if category(k.name) == "comm")
            found = self.write_of("collectives", path)
            streams = list(log.streams)
            self.assertEqual({(streams[op["line"]], op["name"]): op["count"] for op in found["ops"]}, expected)
            spans = self.write_of("framework", path)["events"]
            self.assertEqual(sorted((e["start_ps"], e["duration_ps"], e["name"]) for e in spans),
                             sorted(log.on_the_thread()))

    def test_bubbles(self):
        for path, log in self.each_log():
            (device,) = self.write_of("bubbles", path)["devices"]
            idle = sorted((end - start for start, end in gaps(log.kernels)), reverse=True)
            self.assertEqual((device["kernels"], device["gap_count"], device["window_source"], device["kernels_without_launch"]),
                             (len(log.kernels), len(idle), "launches", 0))
            self.assertEqual(round(device["gaps"]["device_gap_ms"] * 10**9), sum(idle))
        # The kernel after the gap was launched late: in the second step the host was loading the next batch, in the first one nothing
        # is on record. The gap as a whole is listed, too.
        windows = self.write_of("bubbles", TRAINING)["anomaly_discovery"]["bubble_windows"]
        self.assertEqual([(w["scope"], w["start_rel_ns"], w["duration_ns"], w["cause"]["id"], w["evidence_ops"]) for w in windows], [
            ("global", 750_000, 660_000, "launch_bound", ["load batch 2"]), ("tail", 750_000, 250_000, "host_untraced", []),
            ("prelaunch", 1_000_000, 410_000, "launch_bound", ["load batch 2"])])
        self.assertEqual(windows[2]["launch"], {"launch_rel_ns": 1_405_000, "launch_slack_us": 5, "host_late": True})

    def test_export(self):
        for path, log in self.each_log():
            found = self.write_of("export", path)
            self.assertEqual(found["baseTimeNanoseconds"], log.start_ns)
            processes = {e["pid"]: e["args"]["name"] for e in found["traceEvents"]
                         if e["ph"] == "M" and e["name"] == "process_name" and e["args"]}
            threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in found["traceEvents"]
                       if e["ph"] == "M" and e["name"] == "thread_name"}
            told = sorted((processes[e["pid"]], threads[e["pid"], e["tid"]], e["ts"] * 10**6, e["dur"] * 10**6, e["name"])
                          for e in found["traceEvents"] if e["ph"] == "X")
            self.assertEqual(told, sorted(("program" if plane else "Accel 0", name, r.start, r.duration, r.name)
                                          for plane, _, _, name, rows in log.lines() for r in rows))

    def test_programs_and_layers(self):
        modules = self.write_of("modules", TRAINING)
        self.assertEqual((modules["status"], modules["modules"]), ("absent", []))
        self.assertIn("XSpace", modules["reason"])
        model = self.write_of("architecture", TRAINING)
        self.assertEqual((model["devices"][0]["kernels"], model["layers_total"], model["devices"][0]["confidence"]),
                         (8, 0, "low"))

    def test_cut_at_every_byte(self):
        """What was whole before the cut stays; a log without its last line's end is damaged."""
        whole = TRAINING.read_text()
        for size in range(len(whole)):
            path = self.write("cut.spans", whole[:size])
            intact = whole[:size].rpartition("\n")[0]
            is_whole = size > 0 and whole[size - 1] == "\n"
            if size < SHORTEST_HEAD or (not is_whole and not Log(intact).on_the_thread()):
                self.write_of("ops", path, status=1)  # not recognised, or nothing is intact
                continue
            found = self.write_of("ops", path, status=0 if is_whole else 5)
            on_device = [line["events"] for line in found["lines"] if line["plane_name"] == "Accel 0"]
            self.assertEqual(sum(on_device), len(Log(intact).kernels), whole[:size])
            if not is_whole:
                number = intact.count("\n") + (2 if intact else 1)
                self.assertEqual([d["message"] for d in found["damage"]], [f"line {number} has no end: the log was cut"])

    def test_rows_that_say_nothing(self):
        """Rows that cannot be understood, or cannot be: counted, named, and the others stay."""
        whole = TRAINING.read_text()
        for row in ("kernel 9 1 1 1 stream unknown", "kernel 7 -5 1 1 before", "kernel 7 1 x 1 no number", "nonsense",
                    "span 1", "step one 1 1", f"kernel 7 {200 * 86400 * 10**9} 1 1 after 200 days",
                    f"kernel 7 5 {200 * 86400 * 10**9} 1 for 200 days"):
            path = self.write("odd.spans", whole + row + "\n")
            for document in ("ops", "bubbles", "report", "info", "tree", "steps", "framework", "collectives", "export"):
                found = self.write_of(document, path, status=5)
                if document == "ops":
                    self.assertEqual(found["status"], "partial")
                    self.assertEqual(sum(line["events"] for line in found["lines"]), 8, row)
                    (damage,) = found["damage"]
                    self.assertIn(f"line {whole.count(chr(10)) + 1}", damage["message"])
                if document == "bubbles":
                    self.assertEqual([(i["rows"], i["rejected"]) for i in found["inputs"]], [(13, 1)])

    def test_a_folder_of_logs(self):
        """Two ranks, started at different times, on one clock; one of them compressed, beside a file of another kind."""
        later = TRAINING.read_text().replace("1764246877000000000", "1764246877000500000")
        self.write("run/a.spans", TRAINING.read_text())
        (self.scratch / "run" / "b.spans.gz").write_bytes(gzip.compress(later.encode()))
        self.write("run/notes.txt", "nothing")
        found = self.write_of("info", self.scratch / "run")
        self.assertEqual([(os.path.basename(f["path"]), f["family"], f["first_ps"], f["last_ps"]) for f in found["files"]],
                         [("a.spans", "own", 0, 2_000_000_000), ("b.spans.gz", "own", 500_000_000, 2_500_000_000)])
        steps = self.write_of("steps", self.scratch / "run")["steps"]
        self.assertEqual([(s["file"], s["start_ps"]) for s in steps],
                         [(0, 0), (0, 1_000_000_000), (1, 500_000_000), (1, 1_500_000_000)])
        ops = self.write_of("ops", self.scratch / "run")
        self.assertEqual([(line["file"], line["events"]) for line in ops["lines"]], [(0, 6), (0, 2), (1, 6), (1, 2)])

    def test_the_host_is_asked_first(self):
        """A log under the name of another format is still a log."""
        path = self.write("log.trace.json", TRAINING.read_text())
        self.assertEqual(self.write_of("info", path)["files"][0]["family"], "own")

    def test_without_it_nobody_knows_the_file(self):
        truth.run("ops", TRAINING, status=4)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
