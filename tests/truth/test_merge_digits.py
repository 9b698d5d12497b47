#!/usr/bin/env python3
"""How far offsets can be wrong because of how they are written, because they end, and because of what a row says of itself."""
import json
import sys

import proto_writer as proto
import truth

START_NS = 1_700_000_000_000_000_000
SECOND = 10**9
READING_PS = 1_000


class MergeDigits(truth.Case):
    def windows(self, texts, *, first=SECOND, last=11 * SECOND, more="", options=()):
        """`texts`: offsets of node 1 as they are written, a second apart. Gives the windows from the first event to the last."""
        for node in (0, 1):
            plane = proto.Plane("/host:CPU")
            plane.line("l", START_NS, [plane.event("e", at * 1000) for at in (first, last)], 1)
            self.write(f"node{node}.xplane.pb", proto.xspace([plane]))
        rows = [json.dumps({"meta": True, "nodes": [{"node_id": n, "start_walltime_ns": START_NS} for n in (0, 1)]})]
        for at, text in enumerate(texts):
            row = more[at] if isinstance(more, list) else more
            rows.append(f'{{"node_id": 1, "midpoint_sys_ns": {START_NS + at * SECOND}, "offset_ns": {text}{row}}}')
        self.write("o.jsonl", "\n".join(rows) + "\n")
        said = truth.parsed(truth.run("merge", "--traces", "node0.xplane.pb", "node1.xplane.pb", "--offsets", "o.jsonl", "-o", "out.xspace",
                                      "--json", "--normalize", "node0", *options, cwd=self.scratch))
        self.said = said["nodes"][1]
        return [(w["from_ps"], w["to_ps"], w["host_bound_ps"] - READING_PS, w["extrapolated"]) for w in self.said["bound"]["windows"]]

    def bounds(self, texts, **more):
        return sorted({bound for _, _, bound, _ in self.windows(texts, **more)})

    def test_six_digits(self):
        """A writer that prints six leaves half of the sixth open, wherever the point is; zeros at the end may be cut."""
        for text, half_ps in (("250000", 500), ("123456", 500), ("2500000", 5_000), ("2.5e+06", 5_000), ("1.23456e7", 50_000),
                              ("-250000", 500), ("25000.5", 50), ("3", 0), ("99999", 50), ("-1.5e+08", 500_000)):
            self.assertEqual(self.bounds([text] * 13), [half_ps], text)

    def test_more_digits(self):
        """A file that has longer ones was written in full: what counts is the last digit of each, zero or not."""
        for text, half_ps in (("1234567", 500), ("12345678", 500), ("1234567.5", 50), ("1234567.25", 5), ("2500000.0000001", 0)):
            self.assertEqual(self.bounds([text] * 13), [half_ps], text)

    def test_residuals_and_round_trips(self):
        """Of the rows on both sides of an instant the one that is known less well: here the fifth, so from the fourth to the sixth."""
        for said, wide_ps in ((', "residual": 70000', 70_000_000), (', "rtt_ns": 90000', 45_000_000),
                              (', "residual": 70000, "rtt_ns": 90000', 70_000_000), (', "residual": 7, "rtt_ns": 90000', 45_000_000),
                              (', "residual": -70000', 0), (', "rtt_ns": -90000', 0)):
            found = self.windows(["250000"] * 13, more=[said if at == 4 else "" for at in range(13)])
            for begin, end, bound, _ in found:
                inside = 3 * SECOND * 1000 <= begin and end <= 5 * SECOND * 1000
                self.assertEqual(bound, (wide_ps if inside else 0) + 500, (said, begin, end))
            self.assertEqual(len(found), 3 if wide_ps else 1)

    def test_beyond_the_offsets(self):
        """Where none was taken times are extrapolated, and the more so the further away."""
        found = self.windows(["250000"] * 13, first=-5 * SECOND, last=20 * SECOND)
        self.assertEqual([(begin, end, outside) for begin, end, _, outside in found], [
            (-5_000_250_000_000, 0, True), (0, 12 * SECOND * 1000, False), (12 * SECOND * 1000, 19_999_750_000_000, True)])
        self.assertEqual(found[1][2], 500)
        self.assertTrue(found[0][2] > 500 and found[2][2] > found[0][2], found)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
