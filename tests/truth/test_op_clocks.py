"""Ops by the clock of their device: which events decide that, what a filter goes by, and what is left to the timeline. As
`device_offset_ps` and `device_duration_ps` of XSpaces say it, and the same of an export to trace JSON."""
import gzip
import sys

import truth
from proto_writer import Plane, Uint, xspace

LENGTH, START = "device_duration_ps", "device_offset_ps"


def event(name, start, length, own=None, own_start=None, count=None):
    """Its place on the timeline; its length and its start by the device."""
    return name, start, length, [(key, n) for key, n in ((LENGTH, own), (START, own_start)) if n is not None], count


class Clocks(truth.Case):
    def plane(self, *lines, steps=(), name="/device:TPU:0"):
        plane = Plane(name)
        for n, events in enumerate(lines):
            plane.line("XLA Ops", 0, [plane.event(e, start, length, stats, count) for e, start, length, stats, count in events], n + 1)
        if steps:
            plane.line("Steps", 0, [plane.event(str(n), start, length) for n, (start, length) in enumerate(steps)], 99)
        return plane

    def ask(self, *lines, options=(), steps=()):
        """Clock, sum of lengths, busy time and ops of each line, of a file and of the same compressed."""
        whole = xspace([self.plane(*lines, steps=steps)])
        found = []
        for path in (self.write("a.xplane.pb", whole), self.write("a.xplane.pb.gz", gzip.compress(whole, 1))):
            document = truth.loads(truth.run("ops", path, "--json", *options))
            found.append([(line["clock"], line["duration_sum_ps"], line["busy_ps"],
                           {op["name"]: (op["count"], op["total_ps"], op["self_ps"], op["min_ps"], op["max_ps"]) for op in line["ops"]})
                          for line in document["lines"]])
        self.assertEqual(found[0], found[1])
        return found[0]

    def test_what_decides(self):
        """Both times of every event with a place: the device's clock. Any length of the device without that: mixed."""
        both, length, none = event("a", 0, 50, 40, 0), event("b", 60, 50, 30), event("c", 120, 50)
        alone = event("d", 180, 50, None, 170)  # a start without a length is nothing
        for events, clock in (((both,), "device"), ((both, length), "mixed"), ((length, both), "mixed"), ((both, none), "mixed"),
                              ((none, both), "mixed"), ((length,), "mixed"), ((length, none), "mixed"), ((none,), "aligned"),
                              ((alone,), "aligned"), ((alone, none), "aligned"), ((alone, both), "mixed"), ((both, alone), "mixed")):
            (found,) = self.ask(events)
            own = {"a": 40, "b": 30, "c": 50, "d": 50}
            self.assertEqual((found[0], {name: row[1] for name, row in found[3].items()}), (clock, {e[0]: own[e[0]] for e in events}))

    def test_starts(self):
        """Those of the timeline where one event lacks its own: what nests there nests, whatever the others say."""
        apart = [event("a", 0, 100, 100, 0), event("b", 10, 20, 20, 500)]  # by the device b runs later
        self.assertEqual(self.ask(apart), [("device", 120, 120, {"a": (1, 100, 100, 100, 100), "b": (1, 20, 20, 20, 20)})])
        for more in (event("c", 200, 5, 5), event("c", 200, 5)):
            for events in ([*apart, more], [more, *apart]):
                (found,) = self.ask(events)
                self.assertEqual((found[0], found[2], found[3]["a"][2]), ("mixed", 105, 80))
        together = [event("a", 0, 10, 100, 0), event("b", 20, 10, 20, 30)]  # on the timeline they are apart
        self.assertEqual(self.ask(together)[0][2:], (100, {"a": (1, 100, 80, 100, 100), "b": (1, 20, 20, 20, 20)}))

    def test_lines_and_devices_for_themselves(self):
        found = self.ask([event("a", 0, 50, 40, 0)], [event("a", 0, 50)], [event("a", 0, 50, 30)])
        self.assertEqual([row[:2] for row in found], [("device", 40), ("aligned", 50), ("mixed", 30)])
        planes = [self.plane([event("a", 0, 50, 40, 0)]), self.plane([event("a", 0, 50)], name="/device:TPU:1")]
        document = truth.loads(truth.run("ops", self.write("b.xplane.pb", xspace(planes)), "--json"))
        self.assertEqual([line["clock"] for line in document["lines"]], ["device", "aligned"])

    def test_filters_go_by_the_timeline(self):
        """An event is there as long as the timeline says, and counts with its own length; of those that are kept the clock is."""
        events = [event("a", 0, 50, 10, 1000), event("b", 60, 5, 400, 1010), event("c", 100, 50)]
        for window, clock, own in (("49ps:60ps", "device", {"a": 10}), ("50ps:61ps", "device", {"b": 400}), ("65ps:100ps", None, {}),
                                   ("49ps:61ps", "device", {"a": 10, "b": 400}), ("64ps:101ps", "mixed", {"b": 400, "c": 50}),
                                   ("100ps:", "aligned", {"c": 50})):
            found = [(row[0], {name: op[1] for name, op in row[3].items()}) for row in self.ask(events, options=("--time", window))]
            self.assertEqual(found, [(clock, own)] if own else [], window)
        steps = [(0, 55), (55, 50)]
        for n, own in enumerate(({"a": 10}, {"b": 400, "c": 50})):
            (found,) = self.ask(events, steps=steps, options=("--step", n))
            self.assertEqual({name: op[1] for name, op in found[3].items()}, own)
        path = self.write("c.xplane.pb", xspace([self.plane(events, steps=steps)]))
        groups = truth.loads(truth.run("ops", path, "--by", "step", "--json"))
        self.assertEqual([(g["name"], g["total_ps"]) for g in groups["groups"]], [("step 1", 450), ("step 0", 10)])

    def test_totals_without_a_place(self):
        """They have the device's length where it is known, and decide nothing of starts."""
        placed, total = event("a", 0, 50, 40, 7), event("b", 0, 90, 60, count=3)
        for events in ([placed, total], [total, placed]):
            self.assertEqual(self.ask(events), [("device", 100, 40, {"a": (1, 40, 40, 40, 40), "b": (3, 60, 0, 0, 0)})])
        self.assertEqual(self.ask([event("c", 0, 50), total])[0][:3], ("mixed", 110, 50))
        self.assertEqual(self.ask([placed, event("b", 0, 90, count=3)])[0][:3], ("device", 130, 40))

    def test_kinds_of_numbers(self):
        """Whole ones with and without a sign; others leave the timeline's."""
        for own, start, clock in ((40, 5, "device"), (Uint(40), Uint(5), "device"), (Uint(40), 5, "device"), (40.0, 5, "aligned"),
                                  ("40", 5, "aligned"), (40, "5", "mixed"), (40, 5.0, "mixed"), (b"(", 5, "aligned")):
            (found,) = self.ask([event("a", 0, 50, own, start)])
            self.assertEqual(found[:3], (clock, *[50 if clock == "aligned" else 40] * 2))

    def test_the_same_of_an_export(self):
        """Trace JSON says of each event what the device says."""
        us = 1_000_000
        events = [event("a", 0, 50 * us, 40 * us, 0), event("b", 60 * us, 50 * us, 30 * us, 20 * us),
                  event("c", 200 * us, 5 * us, 5 * us, 90 * us)]
        rows = ("clock", "duration_sum_ps", "busy_ps")
        for at, last in enumerate((events[2], event("c", 200 * us, 5 * us, 5 * us), event("c", 200 * us, 5 * us))):
            kept = [*events[:2], last]
            path, trace = self.write("d.xplane.pb", xspace([self.plane(kept)])), self.scratch / f"{at}.trace.json"
            truth.run("export", path, "--compat", "xla", "-o", trace)
            shown = [[(*(line[key] for key in rows), [(op["name"], op["total_ps"], op["self_ps"]) for op in line["ops"]])
                      for line in truth.loads(truth.run("ops", each, "--json"))["lines"]] for each in (path, trace)]
            whole = at == 0
            own = {"a": 20 if whole else 40, "b": 30, "c": 5}
            self.assertEqual(shown[0], [("device" if whole else "mixed", 75 * us, sum(own.values()) * us, [
                ("a", 40 * us, own["a"] * us), ("b", 30 * us, 30 * us), ("c", 5 * us, 5 * us)])])
            self.assertEqual(shown[1], shown[0])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
