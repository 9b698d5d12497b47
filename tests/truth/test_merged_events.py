#!/usr/bin/env python3
"""Events that a merge writes anew: whatever else they hold stays, byte for byte, in whatever order it was written; what becomes of times
that no timeline holds, and of traces that are not there or damaged."""
import sys

import truth
from wire import every, message, number, signed

START_NS = 1_700_000_000_000_000_000
FAR_PS = 1 << 62  # of that many picoseconds, less a microsecond, times on one timeline may be away from its start
UNKNOWN = number(77, 5) + message(78, b"\x01\x02")


def metadata(*names):
    return b"".join(message(4, number(1, at), message(2, number(1, at), message(2, name))) for at, name in enumerate(names, 1))


def line(*events, at_ns=START_NS, extra=b"", last=b""):
    return message(3, number(1, 7), message(2, "l"), number(3, at_ns), extra, *(message(4, e) for e in events), last)


def plane(*lines, name="/device:GPU:0", extra=b""):
    return message(1, number(1, 3), message(2, name), *lines, metadata("a", "b", "c", "d"), extra)


class MergedEvents(truth.Case):
    def merge(self, *spaces, options=(), status=0, names=None):
        names = names or [f"node{at}.xplane.pb" for at in range(len(spaces))]
        for name, data in zip(names, spaces):
            self.write(name, data)
        self.said = truth.parsed(truth.run("merge", "--traces", *names, "--no-correction", "-o", "out.xspace", "--json", *options,
                                           status=status, cwd=self.scratch))
        if status:
            return self.said["message"]
        self.planes = every((self.scratch / "out.xspace").read_bytes(), 1)
        return [every(row, 4) for body in self.planes for row in every(body, 3)]

    def test_everything_else_stays(self):
        """Node 1 begins 5 us later than node 0: its offsets grow by as much. Only times change, and where they stand among the rest."""
        shift = 5_000_000
        stats = message(4, number(1, 9), number(4, 5)) + message(4, number(1, 9), message(5, "text"))
        cases = (
            (number(1, 1) + number(2, 10) + number(3, 4) + stats, number(1, 1) + number(2, shift + 10) + number(3, 4) + stats),
            (number(1, 1) + number(2, 10) + stats + number(3, 4), number(1, 1) + number(2, shift + 10) + stats + number(3, 4)),
            (number(1, 2) + number(3, 4), number(1, 2) + number(2, shift) + number(3, 4)),  # no offset is 0
            (number(1, 2), number(1, 2) + number(2, shift)),
            (number(1, 2) + UNKNOWN + number(2, 10), number(1, 2) + number(2, shift + 10) + UNKNOWN),
            (number(1, 3) + number(5, 12) + number(3, 9), number(1, 3) + number(5, 12) + number(3, 9)),  # one of many that are added up
            (number(1, 3) + number(2, 10) + number(5, 12), number(1, 3) + number(2, 10) + number(5, 12)),  # of both the last counts
            (number(1, 3) + number(5, 12) + number(2, 10), number(1, 3) + number(2, shift + 10)),
            (number(1, 4) + number(2, -30), number(1, 4) + number(2, shift - 30)),
            (number(1, 4) + number(2, 1) + number(2, 10), number(1, 4) + number(2, shift + 10)),
            (b"\x08\x81\x00" + number(2, 10), b"\x08\x81\x00" + number(2, shift + 10)),  # a number in more bytes than it needs
            (number(1, 1) + b"\x10\x8a\x00" + number(3, 1), number(1, 1) + number(2, shift + 10) + number(3, 1)))
        for given, expected in cases:
            found = self.merge(plane(line(number(1, 1))), plane(line(given, at_ns=START_NS + 5_000)))
            self.assertEqual(found[1], [expected], given.hex())
        # And one after another in one line, which is sorted then.
        found = self.merge(plane(line(number(1, 1))), plane(line(*(given for given, _ in cases), at_ns=START_NS + 5_000)))
        self.assertEqual(sorted(found[1]), sorted(expected for _, expected in cases))
        times = [signed(every(e, 2)[-1]) for e in found[1] if every(e, 2) and not every(e, 5)]
        self.assertEqual(times, sorted(times))

    def test_what_a_line_and_a_plane_hold_besides(self):
        """Unknown fields and a duration of the line stay; a time that is written after the events counts as well."""
        more = UNKNOWN + message(6, number(1, 1), number(4, 3))
        self.merge(plane(line(number(1, 1) + number(2, 4), extra=number(9, 33), last=UNKNOWN), extra=more))
        body = self.planes[0]
        row = every(body, 3)[0]
        self.assertEqual((every(row, 9), every(row, 77), every(row, 78)), ([33], [5], [b"\x01\x02"]))
        self.assertEqual((every(body, 77), every(body, 78), len(every(body, 4))), ([5], [b"\x01\x02"], 4))
        self.assertIn(number(1, 1) + number(4, 3), every(body, 6))
        late = message(3, number(1, 7), message(2, "l"), message(4, number(1, 1) + number(2, 4)), number(3, START_NS + 2))
        found = self.merge(plane(line(number(1, 1))), plane(late))
        self.assertEqual(found[1], [number(1, 1) + number(2, 2_004)])

    def test_times_from_the_start_of_the_profile(self):
        """A line whose time is no date counts from when the profile began, which the trace says."""
        name = message(5, number(1, 1), message(2, number(1, 1), message(2, "profile_start_time")))
        environment = message(1, message(2, "Task Environment"), name, message(6, number(1, 1), number(3, START_NS + 9_000)))
        found = self.merge(plane(line(number(1, 1)), line(number(1, 2), at_ns=START_NS + 1)),
                           plane(line(number(1, 1)), line(number(1, 1), at_ns=6), line(number(1, 1), at_ns=0)) + environment)
        at = {0: [0, 1_000], 1: [0, 9_006_000, 9_000_000]}
        self.assertEqual([[every(e, 2)[0] for e in row] for row in found], [[ps] for ps in at[0] + at[1]])

    def test_the_ends_of_time(self):
        """53 days to either side: what lies beyond is refused, or kept at the end of the timeline."""
        most = FAR_PS - 1_000_000
        for at, reached in ((most, True), (most + 1, False), (-most, True), (-most - 1, False)):
            spaces = (plane(line(number(1, 1))), plane(line(number(1, 2) + number(2, at) + number(3, 8))))
            if reached:
                found = self.merge(*spaces, options=["--normalize", "node0"])
                self.assertEqual(signed(every(found[1][0], 2)[0]), at)
                self.check([n["out_of_reach_events"] for n in self.said["nodes"]], [0, 0])
                continue
            said = self.merge(*spaces, options=["--normalize", "node0"], status=4)
            self.assertIn("node 1: 1 event of plane /device:GPU:0 lie more than 53 days", said.replace("lies", "lie"))
            found = self.merge(*spaces, options=["--normalize", "node0", "--keep-going"])
            self.assertEqual(signed(every(found[1][0], 2)[0]), most if at > 0 else -most)
            self.check([n["out_of_reach_events"] for n in self.said["nodes"]], [0, 1])

    def test_traces_that_are_not_there(self):
        """The others are merged where that is asked for, and the document names what each lacks."""
        good = plane(line(number(1, 1)))
        cases = {"node1.xplane.pb": (good + b"\x0a\x7f", "corrupt", 1), "node2.xplane.pb": (b"", "corrupt", 0),
                 "node3.xplane.pb": (plane(line(b"\x08\x01\x10\xff")), "corrupt", 0), "node5.xplane.pb": (b"no trace at all", "corrupt", 0)}
        names = ["node0.xplane.pb", *cases, "node4.xplane.pb"]
        self.merge(good, *(data for data, _, _ in cases.values()), names=names, options=["--keep-going"])
        self.assertEqual([(n["id"], n["status"], n["events"]) for n in self.said["nodes"]], [
            (0, "raw", 1), *((int(name[4]), status, events) for name, (_, status, events) in cases.items()), (4, "missing", 0)])
        self.assertEqual((self.said["status"], self.said["events"]), ("partial", 2))
        for node in range(1, 6):
            self.assertTrue(any(f"node{node}" in w or f"node {node}" in w for w in self.said["warnings"]), node)
        for node, status in ((1, 4), (2, 4), (3, 4), (4, 3), (5, 4)):
            self.merge(good, names=["node0.xplane.pb", f"node{node}.xplane.pb"], status=status)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
