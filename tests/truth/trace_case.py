"""The two ranks of PyTorch and those of Ascend, written to a folder, with what `ops` and the others say of them."""
import json
from fractions import Fraction

import ascend_pair
import kineto_pair
import trace_lines
import trace_model as model
import truth
from idle_model import Idle

KINETO_SOURCE = "kernels of traces and tables"


def filters_of(options):
    """What the options of a command are called in the C ABI."""
    filters = {}
    for option, value in zip(options[::2], options[1::2]):
        if option == "--time":
            ends = (part.removesuffix("ps") for part in value.split(":"))
            filters.update({name: int(end) for name, end in zip(("from_ps", "to_ps"), ends) if end})
        elif option != "--sort":  # of the screen alone
            filters[{"--name": "event"}.get(option, option[2:])] = value
    return filters


class PairCase(truth.Case):
    """`files`: (name, family) in the order of the capture."""
    files = ()
    host_files = {}  # where a device's kernels are in one file and what its host did is in another

    def setUp(self):
        super().setUp()
        self.folder = self.scratch / "run"

    def listed(self):
        return [{"path": f"{self.folder}/{name}", "family": family, "export_of": -1} for name, family in self.files]

    def windows(self, index):
        """When the steps of that number are, by the file of the device and by that of the host."""
        times = {s["file"]: (s["start_ps"], s["start_ps"] + s["duration_ps"]) for s in self.steps() if s["index"] == index}
        return {**times, **{device: times[host] for device, host in self.host_files.items() if host in times}}

    def ask(self, command, *options, status=0):
        """The document of the command, which that of the C ABI equals."""
        text = truth.run(command, self.folder, "--json", *options, status=status)
        if not truth.is_sanitized():
            with truth.library().open(str(self.folder)) as profile:
                found = profile.document_bytes(command, **filters_of(options))
            if found.rstrip() != text.encode().rstrip():
                self.check(truth.parsed(found.decode()), json.loads(text))
                self.fail("the two documents are written differently")
        found = truth.parsed(text)
        # Traces and tables are read whole, but for those of other hosts.
        self.check(found.pop("events_checked"), "some" if "--host" in options else "all")
        if command == "ops":
            # Filters ask for a part.
            asked = {"--plane", "--line", "--name", "--time", "--step", "--host"} & set(options)
            left_out = found.pop("left_out", [])
            if not asked:
                self.check_left_out(left_out)
            elif asked != {"--host"}:
                self.check(left_out, [])
        return found

    def ops_document(self, lines, keeps=lambda line, run: True, name="", limit=0, source=KINETO_SOURCE):
        return truth.with_limited({
            **model.frame("ops"), "source": source, "lines": model.ops_lines(lines, keeps, name, limit),
            "files": self.listed(), "damage": []}, limit)

    def recorded(self, name=""):
        """What the recorder says of waits and links in operations whose name contains it."""
        return []

    def collectives_document(self, rows, limit=0, recorded=()):
        absent = {} if rows or recorded else {"status": "absent"}
        upto = limit or None
        shown, kept = rows[:upto], [{**row, "links": row["links"][:upto]} for row in recorded[:upto]]
        lists = (("ops", len(shown), len(rows)), ("recorded", len(kept), len(recorded)),
                 ("recorded[].links", sum(len(row["links"]) for row in kept), sum(len(row["links"]) for row in recorded[:upto])))
        left_out = [each for each in lists if each[1] != each[2]]
        return {
            **model.frame("collectives"), **absent, "flows": 0, "events_without_flow": 0, "async": [], "async_left_out": 0,
            "transfers": [], "transfers_left_out": 0, "ops": shown, "ops_left_out": len(rows) - len(shown), "recorded": kept,
            "recorded_left_out": len(recorded) - len(kept), "files": self.listed(), "damage": [],
            **({"limited": truth.limited(limit, *left_out)} if left_out else {})}

    def steps_document(self, steps, limit=0, **more):
        cut = limit and len(steps) > limit
        more = {**more, "limited": truth.limited(limit, ("steps", limit, len(steps)))} if cut else more
        return {**model.frame("steps"), "steps": steps[:limit] if limit else steps, "matched": len(steps),
                "files": self.listed(), "damage": [], **more}


class KinetoCase(PairCase):
    files = (("rank0.pt.trace.json", "chrome_trace"), ("rank1.pt.trace.json", "chrome_trace"))

    def setUp(self):
        super().setUp()
        self.ranks = (kineto_pair.rank0(), kineto_pair.rank1())
        for (name, _), rank in zip(self.files, self.ranks):
            self.write(f"run/{name}", rank.text())
        self.lines = []
        for file, rank in enumerate(self.ranks):
            places = model.kineto_places(rank.events)
            for device in sorted(rank.kernels):
                # "GPU 0" is in both ranks, "GPU 1" is not.
                name = f"GPU {device}" + (f" of rank {file}" if device == 0 else "")
                self.lines += model.lines_of_device(file, name, rank.kernels[device], lambda s, d=device, p=places: p[d, s])

    def check_left_out(self, found):
        self.check(found, trace_lines.left_out(*(rank.events for rank in self.ranks)))

    def steps(self):
        return [model.step(file, "ProfilerStep", m.name, int(m.name.split("#")[1]), index, m.start, m.duration,
                           *self.place_of(file, m.thread))
                for file, rank in enumerate(self.ranks)
                for index, m in enumerate(sorted(rank.markers, key=lambda m: m.start))]

    def place_of(self, file, thread):
        """Where a thread of the host is shown."""
        rank = self.ranks[file]
        tid = next(tid for tid, number in rank.threads.items() if number == thread)
        return model.kineto_places(rank.events)[900 + rank.rank, tid]


class AscendCase(PairCase):
    TABLES = (3, 7)

    def recorded(self, name=""):
        """In communication.json of the first rank: each of three lasts 0.8 ms, of which it moves 0.5, waits 0.25, half of that before the
        first byte, and idles 0.05. They move 1.5, 2.5 and 3.5 MB, by SDMA over HCCS. Other links moved nothing."""
        of = [n for n in range(3) if name in f"hcom_allReduce__{n}_0_1"]
        size, moving = sum(1_500_000 + 1_000_000 * n for n in of), 500_000_000 * len(of)
        return [] if not of else [{
            "file": self.TABLES[0], "device": "NPU 0 of rank 0", "name": "hcom_allReduce", "count": len(of), "elapsed_ps": 800_000_000 * len(of),
            "wait_ps": 250_000_000 * len(of), "synchronization_ps": 125_000_000 * len(of), "transit_ps": moving,
            "idle_ps": 50_000_000 * len(of), "links": [
                {"link": link, "bytes": size, "transit_ps": moving, "bytes_per_s": Fraction(size * 10**12, moving)} for link in ("HCCS", "SDMA")]}]
    TRACE = 5  # of the first rank
    host_files = {3: TRACE}

    def setUp(self):
        super().setUp()
        self.ranks = ascend_pair.capture()[:2]
        capture = ascend_pair.capture()[2]
        steps, capture.self_check = ascend_pair.step_checks(Idle(capture))
        written = ascend_pair.files(*self.ranks, steps)
        for name, text in written.items():
            self.write(f"run/{name}", text)

        def family(name):
            return {"kernel_details.csv": "ascend_kernels", "step_trace_time.csv": "ascend_table",
                    "trace_view.json": "chrome_trace"}.get(name.rsplit("/", 1)[1], "ascend_json")
        # Of a rank first its settings, then its tables.
        self.files = sorted(((name, family(name)) for name in written),
                            key=lambda f: (f[0].split("/")[0], "OUTPUT" in f[0], f[0]))
        self.files = tuple(self.files)
        self.lines = []
        for file, rank, number in zip(self.TABLES, self.ranks, (0, 1)):
            for plane, device in enumerate(sorted(rank.kernels)):
                # Which types are derived from names is told by the pair.
                name = "NPU 1" if device == 1 else f"NPU 0 of rank {number}"
                kernels = rank.kernels[device]
                # A line of the table's kernels without a stream comes first, whether there are any or not.
                streams = list(dict.fromkeys(k.stream for k in kernels if k.stream is not None))
                self.lines += model.lines_of_device(file, name, kernels,
                                                    lambda s, p=plane, of=streams: (p, of.index(s) + 1), True, "Stream {}")

    def check_left_out(self, found):
        """Tables tell of the kernels: all of the trace of the first rank is left out."""
        spans = [(e["pid"], e["tid"]) for rank in self.ranks[:1] for e in rank.events if e["ph"] == "X"]
        self.check([sum(row["lines"] for row in found), sum(row["events"] for row in found)], [len(set(spans)), len(spans)])

    def steps(self):
        out = [model.step(self.TRACE, "ProfilerStep", m.name, int(m.name.split("#")[1]), index, m.start, m.duration,
                          *self.place_of(m.thread))
               for index, m in enumerate(sorted(self.ranks[0].markers, key=lambda m: m.start))]
        # The second rank has no trace: a step lasts from the first kernel with its id to the end of the last.
        kernels = self.ranks[1].kernels[0]
        for index, number in enumerate(sorted({int(k.step) for k in kernels})):
            of = [k for k in kernels if int(k.step) == number]
            start = min(k.start for k in of)
            out.append(model.step(7, "step id", str(number), number, index, start, max(k.end for k in of) - start,
                                  0, -1))
        return out

    def place_of(self, thread):
        rank = self.ranks[0]
        return model.kineto_places(rank.events)[next(key for key, number in rank.threads.items() if number == thread)]
