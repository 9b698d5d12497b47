"""Host planes of XSpaces in `framework`, one decision after another; and the header of a line, wherever its fields stand."""
import sys

import pair
import truth
import xspace as x
from wire import message, number

NS = pair.ORIGIN_NS["alpha"]
NAMES = [x.event_metadata(1, "a"), x.event_metadata(2, "b"), x.event_metadata(3, "a"), x.event_metadata(4, "whole", "shown")]
STATS = [x.stat_metadata(1, "size"), x.stat_metadata(2, "kind"), x.stat_metadata(3, "size")]


def line(*events, key=1, name="main", start=NS):
    """Events are (number of the name, start, length, stats)."""
    return x.line(key, name, [x.event(of, at, length, stats) for of, at, length, *stats in events], start)


def host(*lines, name="/host:CPU", more=()):
    return x.plane(1, name, *lines, *NAMES, *STATS, *more)


class Hosts(truth.Case):
    def ask(self, command, *planes, status=0, options=("--limit", "0")):
        path = self.write("a.xplane.pb", x.space(*planes))
        return truth.loads(truth.run(command, path, "--json", *options, status=status))

    def names(self, *planes, **more):
        return [(n["plane"], n["name"], n["count"], n["total_ps"], n["self_ps"], n["max_ps"])
                for n in self.ask("framework", *planes, **more)["names"]]

    def test_names(self):
        """Numbers of one name are one, also on two threads; those of two planes are two; what has no entry has no name."""
        lines = [line((1, 0, 10), (3, 20, 30), (2, 60, 5)), line((1, 0, 7), (9, 50, 2), (8, 60, 1), key=2)]
        self.assertEqual(self.names(host(*lines), host(line((1, 0, 48)), name="/host:python")),
                         [(1, "a", 1, 48, 48, 48), (0, "a", 3, 47, 47, 30), (0, "b", 1, 5, 5, 5), (0, "", 2, 3, 3, 2)])

    def test_ties(self):
        """Of equal totals by plane, then by name."""
        planes = [host(line((2, 0, 5), (1, 10, 5)), name=name) for name in ("/host:b", "/host:a")]
        self.assertEqual([(plane, name) for plane, name, *_ in self.names(*planes)], [(0, "a"), (0, "b"), (1, "a"), (1, "b")])

    def test_which_lines(self):
        """Those of hosts that were not derived from others; the name of a thread may be that of a line of devices."""
        lines = [line((1, 0, 1), key=1, name="XLA Ops"), line((1, 0, 2), key=-1), line((1, 0, 4), key=-559038737),
                 line((1, 0, 8), key=-559038737 + 1023), line((1, 0, 16), key=-559038737 + 1024), line((1, 0, 32), key=-559038738)]
        self.assertEqual(self.names(host(*lines)), [(0, "a", 4, 51, 51, 32)])
        planes = [host(line((1, 0, 1)), name=name) for name in ("/device:TPU:0", "/host:metadata", "Task Environment", "plane")]
        self.assertEqual(self.names(*planes), [])

    def test_self_times(self):
        """Less what is inside on the same thread. A total without a place in time is in no call, and no call's length."""
        self.assertEqual(self.names(host(line((1, 0, 100), (2, 10, 30), (1, 20, 10), (2, 90, 10)), line((2, 20, 50), key=2))),
                         [(0, "a", 2, 110, 70, 100), (0, "b", 3, 90, 80, 50)])
        totals = x.line(1, "main", [x.event(1, 0, 100), x.event(1, None, 700, occurrences=4), x.event(2, None, 9, occurrences=2)], NS)
        self.assertEqual(self.names(host(totals)), [(0, "a", 5, 800, 100, 100), (0, "b", 2, 9, 0, 0)])
        alone = x.line(1, "main", [x.event(1, None, 700, occurrences=4)], NS)  # all the time there is
        self.assertEqual(self.names(host(alone)), [(0, "a", 4, 700, 700, 0)])

    def test_negative_durations(self):
        """They count as none, and the document says so."""
        rows = [x.event(1, 0, -5), x.event(1, 10, 7)]
        found = self.ask("framework", host(x.line(1, "main", rows, NS)), status=5)
        self.assertEqual([(n["count"], n["total_ps"], n["max_ps"]) for n in found["names"]], [(2, 7, 7)])
        self.assertEqual([e["duration_ps"] for e in found["events"]], [0, 7])
        self.assertIn("1 event has a negative duration, which counts as 0", found["damage"][0]["message"])

    def test_stats(self):
        """By name, over all planes; several of one event count each; each kind that was met."""
        lines = line((1, 0, 1, x.stat(1, 5), x.stat(1, 6, "uint"), x.stat(2, "x")), (2, 5, 1, x.stat(3, 0.5)), (2, 9, 1, x.stat(7, 1)))
        other = host(line((1, 0, 1, x.stat(2, 1, "ref"), x.stat(1, b"\x00", "bytes"))), name="/host:python")
        found = self.ask("framework", host(lines), other)
        self.assertEqual([(s["name"], s["count"], s["kinds"]) for s in found["stat_names"]],
                         [("", 1, ["int64"]), ("kind", 2, ["str", "ref"]), ("size", 4, ["double", "uint64", "int64", "bytes"])])

    def test_samples(self):
        """The first in the order of the file, of each thread and of all; a name filters them, and the stats that are counted."""
        lines = [line((1, 50, 1, x.stat(1, 5)), (2, 0, 1), (1, 20, 1)), line((2, 5, 1, x.stat(2, "x")), (2, 6, 1), key=2, name="other")]
        found = self.ask("framework", host(*lines), options=("--limit", "4"))
        self.assertEqual([(e["line_name"], e["name"], e["start_ps"]) for e in found["events"]],
                         [("main", "a", 50), ("main", "b", 0), ("main", "a", 20), ("other", "b", 5)])
        self.assertEqual((found["matched"], found["limited"]["lists"]), (5, [{"list": "events", "written": 4, "total": 5}]))
        found = self.ask("framework", host(*lines), options=("--limit", "0", "--name", "b"))
        self.assertEqual(([e["start_ps"] for e in found["events"]], [s["name"] for s in found["stat_names"]], found["matched"]),
                         ([0, 5, 6], ["kind"], 3))

    def test_display_names(self):
        """A name finds either; what is shown is the name itself."""
        for wanted in ("whole", "shown"):
            found = self.ask("framework", host(line((4, 0, 3), (1, 5, 5))), options=("--name", wanted))
            self.assertEqual([(n["name"], n["total_ps"]) for n in found["names"]], [("whole", 3)])

    def test_headers_of_lines(self):
        """Fields of a line may stand before its events or after them, and twice: the last counts. A long line without a name before its
        events has it after them."""
        event = message(4, number(1, 1), number(2, 5), number(3, 10))
        fields = [number(1, 7), message(2, "main"), number(3, NS)]
        for count in (1, 20_000):  # more than 64 KiB
            events = event * count
            orders = [(*fields, events), (events, *fields), (fields[0], events, *fields[1:]),
                      (number(1, 8), number(3, NS + 9), *fields, events),
                      (fields[0], fields[2], events, message(11, "main")), (message(11, "other"), *fields, events)]
            if count == 1:
                orders += [(message(2, "old"), events, *fields), (number(3, NS + 9), *fields[:2], events, fields[2])]
            for parts in orders:
                (file,) = self.ask("info", host(message(3, *parts)))["files"]
                (found,) = file["planes"][0]["lines"]
                self.assertEqual((found["id"], found["name"], found["timestamp_ns"], found["events"], found["first_ps"], found["kind"]),
                                 ("7", "main", str(NS), count, 5, "thread"))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
