"""XSpaces with lines of many events: nothing is lost, doubled or misplaced where they are read in parts or put in order."""
import collections
import gzip
import random
import sys

import pair
import truth
import wire
import xspace as x

NS = pair.ORIGIN_NS["alpha"]
US = 1_000_000  # ps
CORRELATION, NOTE = 3, 4
CALL, LOAD, GEMM, FIRST_STEP = 1, 2, 5, 100
STATS = [x.stat_metadata(CORRELATION, "correlation_id"), x.stat_metadata(NOTE, "note")]


class LongLines(truth.Case):
    def open(self, *planes):
        profile = truth.library().open(str(self.write("a.xplane.pb", x.space(*planes))))
        self.addCleanup(profile.close)
        return profile

    def test_a_thread(self):
        """Two MB of calls, whose stats hold what looks like events; steps and launches lie anywhere among them."""
        rng = random.Random(7)
        steps, each = 20, 2_000
        looks_like = b"".join(x.event(9, 5, 6) for _ in range(4))
        events, called, named, stats, kernels = [], {}, collections.Counter(), 0, []
        for step in range(steps):
            begins = step * 10_000
            events.append(x.event(FIRST_STEP + step, begins * US, 10_000 * US))
            named[f"ProfilerStep#{step}"] += 1
            for at in range(each):
                start = begins + 4 * at + 1
                notes = [x.stat(NOTE, looks_like, "bytes")] if rng.random() < 0.7 else [x.stat(NOTE, "x" * rng.randrange(60))]
                if rng.random() < 0.5:
                    number = rng.randrange(40_000)
                    called.setdefault(number, start)  # the earliest
                    notes.append(x.stat(CORRELATION, number, rng.choice((None, "uint"))))
                key = rng.choice((CALL, LOAD))
                named["call" if key == CALL else "load"] += 1
                stats += len(notes)
                events.append(x.event(key, start * US, 3 * US, notes))
            for number in rng.sample([n for n, start in called.items() if start >= begins], 5):
                kernels.append((begins + 9_000 + len(kernels) % 5 * 10, number))
        host = x.plane(2, "/host:CPU", x.line(1, "main", events, NS), x.event_metadata(CALL, "call"), x.event_metadata(LOAD, "load"),
                       *(x.event_metadata(FIRST_STEP + step, f"ProfilerStep#{step}") for step in range(steps)), *STATS)
        self.assertGreater(len(host), 2 << 20)
        rows = [x.event(GEMM, at * US, US, [x.stat(CORRELATION, number)]) for at, number in kernels]
        profile = self.open(x.plane(1, "/device:GPU:0", x.line(7, "Stream #7", rows, NS), x.event_metadata(GEMM, "gemm"), *STATS), host)
        found = profile.table("kernels", columns=["start_ps", "launch_ps"]).to_dicts()
        self.assertEqual([(row["start_ps"] // US, row["launch_ps"] // US) for row in found], [(at, called[n]) for at, n in kernels])
        self.assertEqual([step["step_id"] for step in profile.document("bubbles", limit=0)["steps"]], [str(step) for step in range(steps)])
        self.assertEqual([s["step_num"] for s in profile.document("steps", limit=0)["steps"]], [str(step) for step in range(steps)])
        self.assertEqual({n["name"]: n["count"] for n in profile.document("framework", limit=30)["names"]}, dict(named))
        (line,) = profile.document("info")["files"][0]["planes"][1]["lines"]
        self.assertEqual((line["events"], line["event_stats"]), (len(events), stats))

    def kernels(self, *lines):
        """(start, length) of each kernel, in the order of the table."""
        planes = [x.line(7 + at, f"Stream #{7 + at}", [x.event(GEMM, start, length) for start, length in line], NS)
                  for at, line in enumerate(lines)]
        profile = self.open(x.plane(1, "/device:TPU:0", *planes, x.event_metadata(GEMM, "gemm")))
        found = profile.table("kernels", columns=["start_ps", "duration_ps", "stream"]).to_dicts()
        rows = [(row["start_ps"], row["duration_ps"], row["stream"]) for row in found]
        self.assertEqual(sorted(rows), sorted((start, length, 7 + at) for at, line in enumerate(lines) for start, length in line))
        return [start for start, _, _ in rows]

    def test_one_line_in_order(self):
        """Many that begin together, over any border of a batch."""
        rng = random.Random(3)
        for together in (1, 2, 255, 256, 257, 600):
            line = [(at // together * 10, rng.randrange(1, 9)) for at in range(1_300)]
            self.assertEqual(self.kernels(line), sorted(start for start, _ in line))

    def test_fields_after_the_events(self):
        """In whatever order they are written, mapped and in one pass of the compressed file."""
        many = 8_000
        events = b"".join(x.event(1, at * 10, 5) for at in range(many))
        fields = {"id": wire.number(1, 7), "name": wire.message(2, "XLA Ops"), "start": wire.number(3, NS)}
        for late in (set(), {"id"}, {"name"}, {"start"}, {"id", "start"}, {"id", "name", "start"}):
            before, after = (b"".join(text for name, text in fields.items() if (name in late) == is_late) for is_late in (False, True))
            line = wire.message(3, before + events + after)
            self.assertGreater(len(line), 64 << 10)
            whole = x.space(x.plane(1, "/device:TPU:0", line, x.event_metadata(1, "op")))
            for path in (self.write("a.xplane.pb", whole), self.write("a.xplane.pb.gz", gzip.compress(whole, 1))):
                (found,) = truth.loads(truth.run("info", path, "--json"))["files"][0]["planes"][0]["lines"]
                self.assertEqual([found[key] for key in ("id", "name", "timestamp_ns", "events", "first_ps", "last_ps")],
                                 ["7", "XLA Ops", str(NS), many, 0, many * 10 - 5], (late, path))

    def test_lines_out_of_order(self):
        """By a little, by much, and turned round; alone and beside others."""
        rng = random.Random(5)
        ordered = [(at * 10, 5) for at in range(3_000)]
        near = sorted(ordered, key=lambda row: row[0] + rng.randrange(300))
        far = rng.sample(ordered, len(ordered))
        late = ordered[1:] + ordered[:1]  # the first stands last
        for lines in ([near], [far], [ordered[::-1]], [late], [ordered, near], [far, late, ordered[:700]], [[], far, [(15, 1)]]):
            starts = sorted(start for line in lines for start, _ in line)
            self.assertEqual(self.kernels(*lines), starts)

    def test_totals_of_lines_out_of_order(self):
        """What each op has to itself, worked out instant by instant: the call that began last has it, of two the shorter."""
        rng = random.Random(11)
        for _ in range(20):
            calls = [(rng.randrange(1, 5), rng.randrange(0, 60), rng.randrange(0, 20)) for _ in range(rng.randrange(1, 25))]
            own = collections.Counter()
            for at in range(80):
                inside = [(start, -length, -order, key) for order, (key, start, length) in enumerate(calls) if start <= at < start + length]
                if inside:
                    own[max(inside)[3]] += 1
            rows = [x.event(*call) for call in calls]
            names = [x.event_metadata(key, f"op {key}") for key in range(1, 5)]
            (line,) = self.open(x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", rows, NS), *names)).document("ops", limit=0)["lines"]
            totals = {key: [length for of, _, length in calls if of == key] for key in {call[0] for call in calls}}
            # Of calls that begin and end together either may have the time; what they have is theirs together.
            self.assertEqual(line["busy_ps"], sum(own.values()))
            self.assertEqual({op["metadata_id"]: (op["count"], op["total_ps"], op["min_ps"], op["max_ps"]) for op in line["ops"]},
                             {str(key): (len(of), sum(of), min(of), max(of)) for key, of in totals.items()})
            if len({call[1:] for call in calls}) == len(calls):
                self.assertEqual({op["metadata_id"]: op["self_ps"] for op in line["ops"]}, {str(key): own[key] for key in totals})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
