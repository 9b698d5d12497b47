"""XSpaces that arrive in pieces: what is handed on, in which order, whatever the pieces."""
import gzip
import sys

import truth
import xspace as x
from wire import message, number

SIZES = (1, 2, 3, 7, 64, 1 << 20)


def row(key, offset=None, length=0, occurrences=None):
    """An event, and what must come of it."""
    return x.event(key, offset, length, occurrences=occurrences), (key, offset, length, occurrences)


def raw_plane(*parts):
    return message(1, *parts)


class Pushed(truth.Case):
    def setUp(self):
        super().setUp()
        self.lib = truth.library()

    def heard(self, data, size=1 << 20):
        """Everything that a reader calls, in order; the events of a line together."""
        log = []

        def events(line, rows):
            if log[-1][0] != "events":
                log.append(("events", line.plane, line.line, []))
            log[-1][3].extend((e.metadata_id, e.offset_ps, e.duration_ps, e.num_occurrences) for e in rows)
        with self.lib.PushReader(
                events, plane_begin=lambda p: log.append(("plane", p.plane, p.id, p.name)),
                line_begin=lambda n: log.append(("line", n.plane, n.line, n.id, n.name, n.timestamp_ns, n.display_name)),
                line_end=lambda n: log.append(("line end", n.id, n.name, n.timestamp_ns, n.event_count, n.was_changed, n.display_name)),
                plane_end=lambda at, p: log.append(("plane end", at, p.name)), note=lambda kind, text: log.append(("note", kind, text)),
                damage=lambda why: log.append(("damage", why.byte_offset))) as reader:
            try:
                for at in range(0, len(data), size):
                    reader.push(data[at:at + size])
                reader.finish()
            except self.lib.Error as why:
                log.append(("raised", type(why).__name__))
        return log

    def check_pieces(self, data, expected):
        for size in SIZES:
            self.assertEqual(self.heard(data, size), expected, size)
        self.assertEqual(self.heard(gzip.compress(data), 5), expected)

    def test_in_order(self):
        """Planes and lines are counted from 0; an instant at 0 is not one without a place; totals have none."""
        (a, seen_a), (b, seen_b), (c, seen_c) = row(1, 0, 5), row(2, None, 9, 3), row(3, 7)
        data = x.space(x.plane(4, "one", x.line(7, "first", [a, b], 50, "shown"), x.line(8, "second", [c], 60),
                               x.event_metadata(1, "name")),
                       x.plane(5, "two", x.line(9, "third", [a])))
        self.check_pieces(data, [
            ("plane", 0, 4, "one"), ("line", 0, 0, 7, "first", 50, ""), ("events", 0, 0, [seen_a, seen_b]),
            ("line end", 7, "first", 50, 2, False, "shown"), ("line", 0, 1, 8, "second", 60, ""), ("events", 0, 1, [seen_c]),
            ("line end", 8, "second", 60, 1, False, ""), ("plane end", 0, "one"), ("plane", 1, 5, "two"), ("line", 1, 0, 9, "third", 0, ""),
            ("events", 1, 0, [seen_a]), ("line end", 9, "third", 0, 1, False, ""), ("plane end", 1, "two")])

    def test_headers(self):
        """A line begins with what stands before its first event; whether that was changed is known at its end."""
        event, seen = row(1, 3, 2)
        name, start, key = message(2, "n"), number(3, 40), number(1, 6)
        for before, after, begins, ends, changed in (
                ((key, name, start), (), (6, "n", 40), (6, "n", 40), False), ((key, name), (start,), (6, "n", 0), (6, "n", 40), True),
                ((), (key, name, start), (0, "", 0), (6, "n", 40), True),
                ((key, name, start), (key, name, start), (6, "n", 40), (6, "n", 40), False),
                ((key, name, start), (message(2, "m"),), (6, "n", 40), (6, "m", 40), True), ((), (), (0, "", 0), (0, "", 0), False),
                ((number(1, 5), key, start), (), (6, "", 40), (6, "", 40), False)):
            data = raw_plane(message(2, "p"), message(3, *before, event, *after))
            self.check_pieces(data, [("plane", 0, 0, "p"), ("line", 0, 0, *begins, ""), ("events", 0, 0, [seen]),
                                     ("line end", *ends, 1, changed, ""), ("plane end", 0, "p")])

    def test_planes_without_lines(self):
        """A plane whose name comes after its lines begins without one; one that has no lines begins before it ends."""
        event, seen = row(1, 3, 2)
        line = x.line(7, "first", [event])
        self.check_pieces(raw_plane(line, message(2, "late"), number(1, 3)),
                          [("plane", 0, 0, ""), ("line", 0, 0, 7, "first", 0, ""), ("events", 0, 0, [seen]),
                           ("line end", 7, "first", 0, 1, False, ""), ("plane end", 0, "late")])
        self.check_pieces(x.space(x.plane(4, "one"), x.plane(5, "two", x.line(1, "none", []))),
                          [("plane", 0, 4, "one"), ("plane end", 0, "one"), ("plane", 1, 5, "two"), ("line", 1, 0, 1, "none", 0, ""),
                           ("line end", 1, "none", 0, 0, False, ""), ("plane end", 1, "two")])

    def test_notes(self):
        """With the plane after them, or at the end."""
        plane = x.plane(4, "one")
        known = [("plane", 0, 4, "one"), ("plane end", 0, "one")]
        notes = message(4, "host"), message(2, "bad"), message(3, "odd")
        host, error, warning = (next(n for n in self.heard(plane + text) if n[0] == "note") for text in notes)
        self.assertEqual([note[2] for note in (host, error, warning)], ["host", "bad", "odd"])
        self.assertEqual(len({note[1] for note in (host, error, warning)}), 3)
        self.check_pieces(plane + b"".join(notes), [*known, host, error, warning])
        self.check_pieces(notes[0] + plane + notes[1], [host, *known, error])

    def test_a_cut_capture(self):
        """What came whole stays, wherever it is cut; the end says that it was."""
        events = [row(at, at * 10, 5) for at in range(1, 5)]
        data = x.space(x.plane(4, "one", x.line(7, "first", [e for e, _ in events], 50)))
        ends = [len(data) - sum(len(e) for e, _ in events[at:]) for at in range(5)]
        for cut in range(ends[0], len(data)):
            found = self.heard(data[:cut], 9)
            whole = sum(end <= cut for end in ends[1:])
            self.assertEqual([e for call in found if call[0] == "events" for e in call[3]], [seen for _, seen in events[:whole]], cut)
            planes = [call[1:] for call in found if call[0] == "plane end"]
            self.assertEqual((found[-1], planes), (("raised", "Damaged"), [(0, "one")]), cut)

    def test_what_is_no_capture(self):
        self.assertEqual(self.heard(b""), [("raised", "Unrecognised")])
        self.assertEqual(self.heard(b'{"traceEvents": []}' * 50, 10)[-1], ("raised", "Unrecognised"))
        with self.lib.PushReader(lambda line, rows: None) as reader:
            reader.push(x.space(x.plane(4, "one")))
            reader.finish()
            for again in (reader.finish, lambda: reader.push(b"")):
                with self.assertRaises(self.lib.InvalidArgument):
                    again()


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
