"""`framework` of XSpaces, one decision after another: what is one name, what its calls have to themselves, stats, samples, order."""
import sys

import truth
import xspace as x

DERIVED = -559038737 & (1 << 64) - 1
STATS = [x.stat_metadata(1, "s"), x.stat_metadata(2, "t"), x.stat_metadata(3, "s"), x.stat_metadata(4, "word")]
ENTRIES = [x.event_metadata(1, "a"), x.event_metadata(2, "b"), x.event_metadata(3, "a"), x.event_metadata(4, "long d", "short d"), *STATS]


def line(*events, key=1, name="t", at_ns=0, **more):
    """Events are (key, start, length, stats ...) or messages."""
    return x.line(key, name, [e if isinstance(e, bytes) else x.event(*e[:3], e[3:]) for e in events], at_ns, **more)


def host(*lines, key=1, name="/host:CPU"):
    return x.plane(key, name, *lines, *ENTRIES)


class Names(truth.Case):
    def ask(self, *planes, status=0, options=("--limit", "0")):
        path = self.write("a.xplane.pb", x.space(*planes))
        return truth.loads(truth.run("framework", path, "--json", *options, status=status))

    def names(self, *planes, **more):
        """Plane, name, count, total, self, longest."""
        keys = ("plane", "name", "count", "total_ps", "self_ps", "max_ps")
        return [tuple(n[key] for key in keys) for n in self.ask(*planes, **more)["names"]]

    def samples(self, *planes, **more):
        return [(e["plane"], e["line"], e["name"], e["start_ps"], e["duration_ps"]) for e in self.ask(*planes, **more)["events"]]

    def test_one_name(self):
        """Of a plane all ids and lines that have it, of two planes of one name each for itself; without an entry the name is empty."""
        lines = line((1, 0, 10), (3, 20, 15)), line((1, 0, 7), (9, 50, 3), (8, 60, 2), key=2)
        self.assertEqual(self.names(host(*lines), host(line((1, 0, 5)), key=2)),
                         [(0, "a", 3, 32, 32, 15), (0, "", 2, 5, 5, 3), (1, "a", 1, 5, 5, 5)])
        # The name that is shown is another one: it can be asked for, and is not the one that is listed.
        for wanted in ("short", "long"):
            self.assertEqual(self.names(host(line((4, 0, 9), (1, 2, 3))), options=("--name", wanted)), [(0, "long d", 1, 9, 6, 9)])

    def test_order(self):
        """By total, then plane, then name, whatever was met first."""
        planes = host(line((2, 0, 5), (1, 10, 5), (4, 20, 6))), host(line((1, 0, 5), (2, 10, 2), (2, 20, 4)), key=2)
        self.assertEqual([row[:2] for row in self.names(*planes)], [(0, "long d"), (1, "b"), (0, "a"), (0, "b"), (1, "a")])

    def test_self_times(self):
        """Of a thread: what another one runs at that time takes nothing; in whatever order the events stand."""
        outer, inner, late = (1, 0, 100), (2, 10, 30), (4, 90, 20)
        wanted = [(0, "a", 1, 100, 60, 100), (0, "b", 1, 30, 30, 30), (0, "long d", 1, 20, 20, 20)]
        for events in ((outer, inner, late), (late, inner, outer), (inner, late, outer)):
            self.assertEqual(self.names(host(line(*events))), wanted)
        self.assertEqual(self.names(host(line(outer), line(inner, late, key=2)))[0], (0, "a", 1, 100, 100, 100))
        self.assertEqual(self.names(host(line(outer, (3, 10, 30)))), [(0, "a", 2, 130, 100, 100)])
        # What is outside of a window takes nothing inside of it, what reaches into it takes all of its time.
        for window, own in (("0ps:90ps", 70), ("0ps:91ps", 60), ("40ps:90ps", 100), ("39ps:90ps", 70), ("39ps:91ps", 60)):
            self.assertEqual(self.names(host(line(outer, inner, late)), options=("--time", window))[0][4], own, window)
        self.assertEqual(self.names(host(line(outer, inner, late)), options=("--name", "a"))[0], (0, "a", 1, 100, 60, 100))

    def test_totals_without_a_place_in_time(self):
        total, none = x.event(1, None, 70, occurrences=3), x.event(2, None, 9, occurrences=-2)
        self.assertEqual(self.names(host(line(total, (1, 0, 10)))), [(0, "a", 4, 80, 10, 10)])
        self.assertEqual(self.names(host(line(total, none))), [(0, "a", 3, 70, 70, 0), (0, "b", 0, 9, 9, 0)])
        # Alone on one thread they are all the time there is, on another they are not.
        self.assertEqual(self.names(host(line(total), line(total, (2, 0, 1), key=2))),
                         [(0, "a", 6, 140, 70, 0), (0, "b", 1, 1, 1, 1)])
        found = self.ask(host(line(total, (2, 5, 5))))
        self.assertEqual([(e["start_ps"], e["duration_ps"]) for e in found["events"]], [(None, 70), (5, 5)])
        self.assertEqual((found["matched"], self.ask(host(line(total, (2, 5, 5))), options=("--time", "0ps:9ps"))["matched"]), (2, 1))

    def test_lengths_below_zero(self):
        """Are damage, and no time."""
        found = self.ask(host(line((1, 0, 10), x.event(2, 5, -4 & (1 << 64) - 1))), status=5)
        self.assertEqual([(n["name"], n["count"], n["total_ps"], n["self_ps"]) for n in found["names"]], [("a", 1, 10, 10), ("b", 1, 0, 0)])
        self.assertEqual(([e["duration_ps"] for e in found["events"]], len(found["damage"])), ([10, 0], 1))

    def test_which_lines(self):
        """All of hosts but those that were derived, none of devices."""
        device = x.plane(5, "/device:TPU:0", line((1, 0, 9), name="XLA Ops"), *ENTRIES)
        derived = line((1, 0, 9), key=DERIVED, name="Steps")
        self.assertEqual(self.samples(device, host(derived, line((2, 3, 4), key=7, name="Steps"))), [(1, 1, "b", 3, 4)])
        for planes, why in (((device,), "no host plane"), ((device, host()), "no host recorded an event"),
                            ((host(derived),), "no host recorded an event")):
            found = self.ask(*planes)
            self.assertEqual((found["status"], found["reason"], found["names"], found["events"]), ("absent", why, [], []))

    def test_stats(self):
        """Of one name are those of all ids and planes that have it; only of the names that are asked for; each value counts."""
        planes = [host(line((1, 0, 5, x.stat(1, 7), x.stat(1, 8, "uint"), x.stat(2, "x")), (2, 9, 5, x.stat(3, 1.5)))),
                  host(line((1, 0, 5, x.stat(3, 4, "ref"), x.stat(2, b"y", "bytes"))), key=2)]

        def stats(*options):
            return [(s["name"], s["count"], s["kinds"]) for s in self.ask(*planes, options=("--limit", "0", *options))["stat_names"]]
        self.assertEqual(stats(), [("s", 4, ["double", "uint64", "int64", "ref"]), ("t", 2, ["str", "bytes"])])
        self.assertEqual(stats("--name", "b"), [("s", 1, ["double"])])
        self.assertEqual(stats("--time", "9ps:"), [("s", 1, ["double"])])
        found = self.ask(host(line((1, 0, 5, x.stat(2, "1st"), x.stat(3, 2), x.stat(1, 1), x.stat(77, 5)))))["events"][0]["stats"]
        self.assertEqual([(s["name"], s["metadata_id"], s["kind"], s["value"]) for s in found],
                         [("", "77", "int64", "5"), ("s", "3", "int64", "2"), ("s", "1", "int64", "1"), ("t", "2", "str", "1st")])

    def test_samples(self):
        """The first ones as they stand in the file, of all lines and planes, whichever began first."""
        planes = [host(line((1, 900, 5), (2, 100, 5)), line((4, 0, 5), key=2, at_ns=1)), host(line((2, 0, 1)), key=2)]
        whole = [(0, 0, "a", 900, 5), (0, 0, "b", 100, 5), (0, 1, "long d", 1000, 5), (1, 0, "b", 0, 1)]
        for limit in (0, 1, 2, 3, 4, 5):
            self.assertEqual(self.samples(*planes, options=("--limit", limit)), whole[:limit or None])
        self.assertEqual(self.samples(*planes, options=("--limit", 2, "--name", "b")), [whole[1], whole[3]])
        self.assertEqual(self.ask(*planes, options=("--limit", 1, "--name", "b"))["limited"], truth.limited(1, ("events", 1, 2)))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
