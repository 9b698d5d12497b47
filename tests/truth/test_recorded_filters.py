"""What hosts recorded themselves, asked in parts: by plane, line, name, host, time and step, of one description."""
import sys

import truth

US = 1_000_000  # ps
# (host, process or device, line, name, start, length), us. Device rows are launched as they begin.
KERNELS = [("a", "GPU 0", "stream 7", "gemm", 10, 30), ("a", "GPU 0", "stream 7", "norm", 50, 20),
           ("a", "GPU 0", "stream 7", "gemm", 120, 40),
           ("a", "GPU 0", "stream 9", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 60, 50), ("a", "GPU 1", "stream 7", "gemm", 5, 95),
           ("b", "GPU 0", "stream 7", "gemm two", 130, 10), ("b", "GPU 0", "stream 7", "norm", 40, 0)]
SPANS = [("a", "python", "main", "load", 0, 40), ("a", "python", "main", "inner load", 10, 10), ("a", "python", "pin", "load", 100, 25),
         ("a", "other", "main", "idle", 60, 0), ("b", "python", "main", "load", 99, 2)]
STEPS = [("a", "python", "main", "train", 0, 100, 3), ("a", "python", "main", "train", 100, 100, 4),
         ("b", "python", "main", "train", 90, 50, 9)]


def overlaps(row, start, end):
    """Half open: what only touches from before is outside; an instant at the start is inside."""
    at, length = row[4], row[5]
    return at < end and (at >= start or at + length > start)


class Filters(truth.Case):
    def setUp(self):
        super().setUp()
        lib = truth.library()
        parts = {}

        def part(key, make):
            if key not in parts:
                parts[key] = make()
            return parts[key]

        with lib.TraceBuilder("lab") as made:
            hosts = {name: made.host(name) for name in "ab"}
            for host, device, stream, name, at, length in KERNELS:
                owner = part((host, device), lambda at=(hosts[host], device): made.device(*at))
                line = part((host, device, stream), lambda at=(owner, int(stream[7:])): made.stream(*at))
                made.kernels([lib.TraceKernel(line, name, at * US, length * US, launch_ps=at * US)])
            for host, process, thread, name, at, length, *number in SPANS + STEPS:
                line = part((host, process, thread), lambda at=(hosts[host], process, thread): made.thread(*at))
                if number:
                    made.steps([lib.TraceStep(line, name, at * US, length * US, number[0])])
                else:
                    made.spans([lib.TraceSpan(line, name, at * US, length * US)])
            self.profile = made.finish()
        self.addCleanup(self.profile.close)

    def ask(self, name, **filters):
        return self.profile.document(name, **{"limit": 0, **filters})

    def shown(self, **filters):
        """(host, plane, line, name, start, length) of every event of the tree."""
        return sorted((file["hosts"][0], plane["name"], line["name"], e["name"], e["start_ps"] // US, e["duration_ps"] // US)
                      for file in self.ask("tree", **filters)["files"] for plane in file["planes"] for line in plane["lines"]
                      for e in line["events"])

    def test_tree(self):
        every = KERNELS + SPANS + [row[:6] for row in STEPS]
        for filters, keeps in (
                ({}, lambda r: True), ({"plane": "GPU 0"}, lambda r: r[1] == "GPU 0"), ({"plane": "GPU"}, lambda r: "GPU" in r[1]),
                ({"line": "main"}, lambda r: r[2] == "main"), ({"line": "7", "plane": "1"}, lambda r: r[1:3] == ("GPU 1", "stream 7")),
                ({"event": "load"}, lambda r: "load" in r[3]), ({"host": "b"}, lambda r: r[0] == "b"),
                ({"from_ps": 60 * US, "to_ps": 99 * US}, lambda r: overlaps(r, 60, 99)),
                ({"from_ps": 40 * US}, lambda r: overlaps(r, 40, 10**9)), ({"to_ps": 40 * US}, lambda r: overlaps(r, -1, 40)),
                ({"event": "gemm", "to_ps": 11 * US}, lambda r: "gemm" in r[3] and r[4] < 11)):
            self.assertEqual(self.shown(**filters), sorted(r for r in every if keeps(r)), filters)

    def test_limits_of_the_tree(self):
        """Lines and events are counted that are left out, of those that fit."""
        (file, _) = self.ask("tree", limit=1)["files"]
        device, *others = file["planes"]
        self.assertEqual((device["line_count"], device["lines_left_out"], [line["events_left_out"] for line in device["lines"]]),
                         (2, 1, [2]))
        self.assertEqual([plane["lines_left_out"] for plane in others], [0, 1, 0])
        (file, _) = self.ask("tree", limit=1, event="gemm")["files"]
        self.assertEqual([(line["event_count"], line["events_left_out"]) for line in file["planes"][0]["lines"]], [(3, 1)])

    def test_metadata(self):
        """Names of a plane by count, then by name; a filter of names picks among them."""
        planes = [(p["file"], p["name"], [(e["name"], e["count"]) for e in p["event_entries"]])
                  for p in self.ask("metadata")["planes"]]
        comm = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
        self.assertEqual(planes, [(0, "GPU 0", [("gemm", 2), (comm, 1), ("norm", 1)]), (0, "GPU 1", [("gemm", 1)]),
                                  (0, "python", [("load", 2), ("train", 2), ("inner load", 1)]), (0, "other", [("idle", 1)]),
                                  (1, "GPU 0", [("gemm two", 1), ("norm", 1)]), (1, "python", [("load", 1), ("train", 1)])])
        (found, *_) = self.ask("metadata", limit=1, event="n")["planes"]
        self.assertEqual(([e["name"] for e in found["event_entries"]], found["event_entries_left_out"]), ([comm], 1))

    def ops(self, **filters):
        """Devices of one name on two hosts are called by these: "GPU 0 of a"."""
        return {(line["file"], line["plane_name"].split(" of ")[0], line["line_name"]):
                {op["name"]: (op["count"], op["total_ps"] // US) for op in line["ops"]} for line in self.ask("ops", **filters)["lines"]}

    def totals(self, keeps):
        found = {}
        for host, device, stream, name, start, length in (row for row in KERNELS if keeps(row)):
            ops = found.setdefault(("ab".index(host), device, stream), {})
            count, total = ops.get(name, (0, 0))
            ops[name] = (count + 1, total + length)
        return found

    def test_ops(self):
        for filters, keeps in (
                ({}, lambda r: True), ({"plane": "GPU 1"}, lambda r: r[1] == "GPU 1"), ({"line": "stream 9"}, lambda r: r[2] == "stream 9"),
                ({"host": "a"}, lambda r: r[0] == "a"), ({"from_ps": 40 * US, "to_ps": 60 * US}, lambda r: overlaps(r, 40, 60)),
                ({"from_ps": 70 * US}, lambda r: overlaps(r, 70, 10**9))):
            self.assertEqual(self.ops(**filters), self.totals(keeps), filters)

    def test_a_step(self):
        """Of a device the kernels that its host launched within the step: its position counts, not its number."""
        self.assertEqual(self.ops(step=0), self.totals(lambda r: 90 <= r[4] < 140 if r[0] == "b" else r[4] < 100))
        self.assertEqual(self.ops(step=1), self.totals(lambda r: r[0] == "a" and 100 <= r[4] < 200))
        self.assertEqual([(s["file"], s["index"], s["step_num"]) for s in self.ask("steps", step=0)["steps"]], [(0, 0, "3"), (1, 0, "9")])

    def test_framework(self):
        def names(**filters):
            found = self.ask("framework", **filters)
            return [(n["file"], n["name"], n["count"], n["total_ps"] // US) for n in found["names"] if n["name"] != "train"]
        self.assertEqual(names(event="load"), [(0, "load", 2, 65), (0, "inner load", 1, 10), (1, "load", 1, 2)])
        self.assertEqual(names(line="pin"), [(0, "load", 1, 25)])
        self.assertEqual(names(host="b"), [(1, "load", 1, 2)])
        self.assertEqual(names(plane="other"), [(0, "idle", 1, 0)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
