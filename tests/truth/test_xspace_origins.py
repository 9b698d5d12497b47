"""Time zero of XSpaces: which number is it, when line times count from it, and how files are put on one clock."""
import sys

import pair
import truth
import xspace as x

NS = pair.ORIGIN_NS["alpha"]
UNIX = 10**17  # from here on a line's time counts since 1970
FAR_NS = ((1 << 63) - 1) // 1000  # 106 days
KEY, OTHER = 1, 2
NAMES = [x.stat_metadata(KEY, "profile_start_time"), x.stat_metadata(OTHER, "profile_stop_time")]


def lines(*starts, name="/host:CPU"):
    """A line with an event at 7 ps for each of the times."""
    return x.plane(1, name, *(x.line(1 + at, f"t{at}", [x.event(1, 7, 5)], ns) for at, ns in enumerate(starts)), x.event_metadata(1, "a"))


def environment(*stats, name="Task Environment"):
    return x.plane(5, name, *(x.plane_stat(*stat) for stat in stats), *NAMES)


class Origins(truth.Case):
    def info(self, *planes, status=0):
        return truth.loads(truth.run("info", self.write("a.xplane.pb", x.space(*planes)), "--json", status=status))

    def zero(self, *planes):
        found = self.info(*planes)
        self.assertEqual(found["origin_unix_ns"], found["files"][0]["origin_unix_ns"])
        self.assertEqual(found["files"][0]["aligned"], found["origin_unix_ns"] is not None)
        return None if found["origin_unix_ns"] is None else int(found["origin_unix_ns"])

    def firsts(self, *planes):
        return [line["first_ps"] for plane in self.info(*planes)["files"][0]["planes"] for line in plane["lines"]]

    def test_the_start_of_the_profile(self):
        """A whole number that is not negative; of two the last; else what lines say."""
        for stats, wanted in ((((KEY, NS, "uint"),), NS), (((KEY, NS),), NS), (((KEY, NS), (KEY, NS + 5)), NS + 5),
                              (((OTHER, NS),), NS + 90),
                              (((KEY, str(NS)),), NS + 90), (((KEY, float(NS)),), NS + 90),
                              (((KEY, -1),), NS + 90), (((KEY, NS), (OTHER, NS + 7)), NS), ((), NS + 90)):
            self.assertEqual(self.zero(lines(NS + 90), environment(*stats)), wanted, stats)

    def test_which_environment(self):
        """The first plane that has it; that of a node of a merged capture holds the start of that node alone."""
        first, second = environment((KEY, NS + 1)), environment((KEY, NS + 2))
        self.assertEqual(self.zero(lines(NS + 90), first, second), NS + 1)
        self.assertEqual(self.zero(lines(NS + 90), environment((OTHER, 5)), second, first), NS + 2)
        self.assertEqual(self.zero(lines(NS + 90), environment((KEY, NS + 1), name="/node:3/Task Environment")), NS + 90)
        self.assertEqual(self.zero(environment((KEY, NS + 1), name="Task Environment 2"), lines(NS + 90)), NS + 90)

    def test_the_least_time_of_a_line(self):
        """Of all planes, of those that count since 1970; an empty line counts."""
        self.assertEqual(self.zero(lines(NS + 5, NS + 2, NS + 9), lines(NS + 3, name="/device:TPU:0")), NS + 2)
        self.assertEqual(self.zero(lines(NS + 5, 3, FAR_NS)), NS + 5)
        self.assertEqual(self.zero(lines(0, 3, -3)), None)
        self.assertEqual(self.zero(lines(UNIX)), UNIX)
        self.assertEqual(self.zero(lines(NS + 5), x.plane(2, "x", x.line(1, "empty", [], NS + 1))), NS + 1)

    def test_times_of_lines(self):
        """Since 1970, less the origin; smaller ones count from the origin as they are."""
        self.assertEqual(self.firsts(lines(NS + 5, NS + 2, 3, 0, -3), environment((KEY, NS))), [5007, 2007, 3007, 7, -2993])
        self.assertEqual(self.firsts(lines(NS + 5, 3)), [7, 3007])
        self.assertEqual(self.firsts(lines(3, -3)), [3007, -2993])
        self.assertEqual(self.firsts(lines(NS - 5), environment((KEY, NS))), [-4993])

    def test_106_days(self):
        """A line farther off is not placed, and said to be damaged; its neighbours stand where they are."""
        near = lines(NS + FAR_NS - 1, NS - FAR_NS, NS, FAR_NS, -FAR_NS)
        self.assertEqual(self.firsts(near, environment((KEY, NS))), [(FAR_NS - 1) * 1000 + 7, -FAR_NS * 1000 + 7, 7,
                                                                   FAR_NS * 1000 + 7, -FAR_NS * 1000 + 7])
        for far in (NS + FAR_NS + 1, NS - FAR_NS - 1, FAR_NS + 1, UNIX - 1, -FAR_NS - 1):
            (file,) = self.info(lines(far, NS), environment((KEY, NS)), status=5)["files"]
            self.assertEqual([line["first_ps"] for line in file["planes"][0]["lines"]], [None, 7])
            self.assertIn('the time of line "t0" lies more than 106 days from the origin of the capture', file["damage"]["message"])

    def test_several_files(self):
        """The earliest origin is that of the capture; times of every line of a file move with the file; one without an origin stays."""
        for name, planes in (("a", (lines(NS + 9, 4), environment((KEY, NS + 8)))), ("b", (lines(NS + 9, 4), environment((KEY, NS)))),
                             ("c", (lines(4),)), ("d", (lines(NS + 30, 4),))):
            self.write(f"run/{name}.xplane.pb", x.space(*planes))
        found = truth.loads(truth.run("info", self.scratch / "run", "--json"))
        self.assertEqual(found["origin_unix_ns"], str(NS))
        self.assertEqual([(file["origin_unix_ns"], file["aligned"], file["first_ps"],
                           [line["first_ps"] for line in file["planes"][0]["lines"]]) for file in found["files"]],
                         [(str(NS + 8), True, 9007, [9007, 12_007]), (str(NS), True, 4007, [9007, 4007]), (None, False, 4007, [4007]),
                          (str(NS + 30), True, 30_007, [30_007, 34_007])])

    def test_a_file_too_far_from_the_others(self):
        """It stays where it is by itself, and is said to be damaged."""
        for name, start in (("a", NS), ("b", NS + FAR_NS), ("c", NS + FAR_NS + 1)):
            self.write(f"run/{name}.xplane.pb", x.space(lines(0), environment((KEY, start))))
        found = truth.loads(truth.run("info", self.scratch / "run", "--json", status=5))
        said = ["the start of this file lies more than 106 days" in (file["damage"] or {}).get("message", "") for file in found["files"]]
        self.assertEqual(said, [False, False, True])
        self.assertEqual([file["first_ps"] for file in found["files"]], [7, FAR_NS * 1000 + 7, 7])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
