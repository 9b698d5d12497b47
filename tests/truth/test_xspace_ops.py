"""Ops of XSpaces, one decision after another: which lines, which clock, what is in what; mapped, and read in one pass."""
import gzip
import sys

import pair
import truth
import xspace as x

NS = pair.ORIGIN_NS["alpha"]
HLO_OP, DURATION, OFFSET, TEXT = 1, 2, 3, 4
ENTRIES = [x.event_metadata(1, "a"), x.event_metadata(2, "b"), x.event_metadata(3, "long c", "c"), x.stat_metadata(HLO_OP, "hlo_op"),
           x.stat_metadata(DURATION, "device_duration_ps"), x.stat_metadata(OFFSET, "device_offset_ps"), x.stat_metadata(TEXT, "text")]
FAR = (1 << 63) - 1


def line(name, *events, key=1):
    return x.line(key, name, events, NS)


def device(*lines, name="/device:TPU:0"):
    return x.plane(1, name, *lines, *ENTRIES)


def timed(key, start, length, duration, offset=None, kind=None):
    """An event that has times of its device."""
    return x.event(key, start, length, [x.stat(DURATION, duration, kind), *([x.stat(OFFSET, offset)] if offset is not None else [])])


class Ops(truth.Case):
    def ask(self, *planes, status="ok", **filters):
        """The document, mapped and in one pass of the compressed file."""
        whole = x.space(*planes)
        packed = self.write("a.xplane.pb.gz", gzip.compress(whole, 1))
        library = truth.library()
        with library.open(str(self.write("a.xplane.pb", whole))) as profile:
            found = profile.document("ops", limit=0, **filters)
        self.assertEqual(found["status"], status)
        with library.open(str(packed), one_pass=True) as profile:
            streamed = profile.document("ops", limit=0, **filters)
        for document in (found, streamed):
            for each in document["lines"]:
                del each["events_cut"]
        self.assertEqual(streamed["lines"], found["lines"])
        return found

    def lines(self, *planes, **more):
        return [(at["plane"], at["line_name"]) for at in self.ask(*planes, **more)["lines"]]

    def rows(self, *events, **more):
        """name, count, total, self, shortest, longest of one line's ops."""
        (found,) = self.ask(device(line("XLA Ops", *events)), **more)["lines"]
        self.assertEqual(found["busy_ps"], sum(op["self_ps"] for op in found["ops"]))
        self.assertEqual(found["duration_sum_ps"], min(FAR, sum(op["total_ps"] for op in found["ops"])))
        return [tuple(op[key] for key in ("name", "count", "total_ps", "self_ps", "min_ps", "max_ps")) for op in found["ops"]]

    def test_which_lines(self):
        """Lines of ops, else streams; hosts only where no device has an event."""
        event = x.event(1, 0, 5)
        named = x.plane(9, "/host:CPU", line("t", x.event(1, 0, 5, [x.stat(HLO_OP, "a")]), x.event(2, 0, 5)), *ENTRIES)
        ops, stream, steps = line("XLA Ops", event), line("Stream #3", event, key=2), line("Steps", event, key=3)
        self.assertEqual(self.lines(device(ops, stream, steps), named), [(0, "XLA Ops")])
        self.assertEqual(self.lines(device(line("XLA Ops"), stream, steps), named), [(0, "Stream #3")])
        self.assertEqual(self.lines(device(line("Sparse Core Ops", event), line("Async XLA Ops", event))), [(0, "Sparse Core Ops")])
        self.assertEqual(self.ask(device(steps), named, status="absent")["reason"],
                         "the device planes have events, but neither a line 'XLA Ops' nor a stream")
        found = self.ask(device(line("Steps"), line("XLA Ops")), named)
        self.assertEqual([(at["plane"], at["events"], at["ops"][0]["name"]) for at in found["lines"]], [(1, 1, "a")])
        self.assertEqual(found["source"], "host events with hlo_op")

    def test_lines_by_name(self):
        """Those of just that name, else those that contain it; a line without events is none."""
        event = x.event(1, 0, 5)
        lines = [line("XLA Ops", event), line("Async XLA Ops", event, key=2), line("Steps", event, key=3)]
        self.assertEqual(self.lines(device(*lines), line="XLA Ops"), [(0, "XLA Ops")])
        self.assertEqual(self.lines(device(*lines), line="Ops"), [(0, "XLA Ops"), (0, "Async XLA Ops")])
        self.assertEqual(self.lines(device(*lines), line="Steps"), [(0, "Steps")])
        self.assertEqual(self.lines(device(line("XLA Ops"), *lines[1:]), line="XLA Ops"), [(0, "Async XLA Ops")])

    def test_what_is_inside(self):
        """What an op has to itself, whichever of those that begin together stands first; what overlaps belongs to the later one."""
        whole, part = x.event(1, 0, 100), x.event(2, 0, 40)
        for events in ((whole, part), (part, whole)):
            self.assertEqual(self.rows(*events), [("a", 1, 100, 60, 100, 100), ("b", 1, 40, 40, 40, 40)])
        late = x.event(2, 80, 40)
        for events in ((whole, late), (late, whole)):
            self.assertEqual(self.rows(*events), [("a", 1, 100, 80, 100, 100), ("b", 1, 40, 40, 40, 40)])
        touching = x.event(2, 100, 40)
        self.assertEqual(self.rows(whole, touching), [("a", 1, 100, 100, 100, 100), ("b", 1, 40, 40, 40, 40)])
        three = (x.event(1, 0, 100), x.event(2, 10, 50), x.event(3, 20, 60))  # the third lasts longer than the second
        self.assertEqual(self.rows(*three), [("a", 1, 100, 30, 100, 100), ("long c", 1, 60, 60, 60, 60), ("b", 1, 50, 10, 50, 50)])

    def test_order(self):
        """By total, then by the number of the name."""
        self.assertEqual([row[:3] for row in self.rows(x.event(3, 0, 5), x.event(2, 10, 5), x.event(1, 20, 4), x.event(1, 30, 1))],
                         [("a", 2, 5), ("b", 1, 5), ("long c", 1, 5)])

    def test_totals_without_a_place_in_time(self):
        """They are in no op and have no length of one call; alone they are all the time there is; no count is below none."""
        total = x.event(1, None, 70, occurrences=3)
        self.assertEqual(self.rows(total, x.event(1, 0, 10), x.event(2, 20, 5)), [("a", 4, 80, 10, 10, 10), ("b", 1, 5, 5, 5, 5)])
        self.assertEqual(self.rows(total, x.event(2, None, 9, occurrences=-2)), [("a", 3, 70, 70, 0, 0), ("b", 0, 9, 9, 0, 0)])

    def test_lengths_by_the_device(self):
        """They replace those of the timeline, where they are whole numbers; then starts are the timeline's, unless the device has them."""
        self.assertEqual(self.rows(timed(1, 0, 50, 40), timed(2, 10, 5, 6, kind="uint")), [("a", 1, 40, 34, 40, 40), ("b", 1, 6, 6, 6, 6)])
        self.assertEqual(self.rows(timed(1, 0, 50, "40"), timed(2, 10, 5, 6.0)), [("a", 1, 50, 45, 50, 50), ("b", 1, 5, 5, 5, 5)])
        self.assertEqual(self.rows(timed(1, 0, 50, 40, 1000), timed(2, 10, 5, 6, 1100)), [("a", 1, 40, 40, 40, 40), ("b", 1, 6, 6, 6, 6)])
        self.assertEqual(self.rows(timed(1, 0, 50, 40, 1000), timed(2, 60, 5, 6, 1010)), [("a", 1, 40, 34, 40, 40), ("b", 1, 6, 6, 6, 6)])
        self.assertEqual(self.rows(timed(1, 0, 50, 0)), [("a", 1, 0, 0, 0, 0)])

    def test_clocks(self):
        events = {"aligned": [x.event(1, 0, 5)], "mixed": [timed(1, 0, 5, 4), x.event(1, 9, 5)], "device": [timed(1, 0, 5, 4, 77)]}
        for clock, rows in events.items():
            self.assertEqual([at["clock"] for at in self.ask(device(line("XLA Ops", *rows)))["lines"]], [clock])

    def test_a_name(self):
        """It picks rows by either name, and changes no time of theirs."""
        events = [x.event(1, 0, 100), x.event(3, 10, 30)]
        for name in ("long", "c"):
            (found,) = self.ask(device(line("XLA Ops", *events)), event=name)["lines"]
            self.assertEqual([(op["name"], op["self_ps"]) for op in found["ops"]], [("long c", 30)])
            self.assertEqual((found["events"], found["busy_ps"], found["duration_sum_ps"]), (2, 100, 130))
        (found,) = self.ask(device(line("XLA Ops", *events)), event="a")["lines"]
        self.assertEqual([(op["name"], op["self_ps"]) for op in found["ops"]], [("a", 70)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
