"""Which ops lie in which step: `--step` and `--by step` of XSpaces and of hosts alone, at the edges of steps and between them."""
import json
import sys

import truth
import xspace as x
from trace_events import operator

US = 1_000_000  # ps
ENTRIES = [x.event_metadata(1, "a"), x.event_metadata(2, "b"), x.event_metadata(3, "c"), x.event_metadata(7, "7")]


def line(name, *rows, key=1):
    """(name's number, start, length)."""
    return x.line(key, name, [x.event(*row) for row in rows])


def device(at, steps, *ops, name="TPU"):
    """`steps`: (start, length)."""
    lines = [line("Steps", *((7, *step) for step in steps), key=2)] if steps else []
    return x.plane(at + 1, f"/device:{name}:{at}", *lines, line("XLA Ops", *ops), *ENTRIES)


class Steps(truth.Case):
    def ask(self, path, *options, command="ops"):
        return truth.loads(truth.run(command, path, "--json", "--limit", "0", *options))

    def space(self, *planes):
        return self.write("a.xplane.pb", x.space(*planes))

    def kept(self, path, *options):
        """(device, name, count, total, self) of every op that is kept."""
        return [(line["plane"], op["name"], op["count"], op["total_ps"], op["self_ps"])
                for line in self.ask(path, *options)["lines"] for op in line["ops"]]

    def by_step(self, path, *options, by="device,step,kernel"):
        """{(device, step, name): (count, self time)}."""
        path_of, found = [], {}
        document = self.ask(path, "--by", by, *options)
        for g in document["groups"]:
            path_of[g["depth"]:] = [g["name"]]
            if len(path_of) == len(by.split(",")):
                found[tuple(path_of)] = (g["count"], g["self_ps"])
        return found, (document["unlinked"], document["unlinked_ps"])

    def test_edges(self):
        """A step that is asked for is a window: all that reaches into it counts, with its whole length. A sum by step has all once,
        where it begins."""
        ops = [(1, 0, 10), (2, 5, 15), (3, 20, 10), (1, 30, 0), (2, 30, 5), (3, 39, 11), (1, 50, 5)]
        path = self.space(device(0, [(10, 20), (30, 10)], *ops))
        self.assertEqual(self.kept(path, "--step", "0"), [(0, "b", 1, 15, 15), (0, "c", 1, 10, 10)])
        self.assertEqual(self.kept(path, "--step", "1"), [(0, "c", 1, 11, 11), (0, "b", 1, 5, 5), (0, "a", 1, 0, 0)])
        found, unlinked = self.by_step(path, by="step,kernel")
        self.assertEqual(found, {("", "a"): (2, 10), ("", "b"): (1, 15), ("step 0", "c"): (1, 10), ("step 1", "a"): (1, 0),
                                 ("step 1", "b"): (1, 5), ("step 1", "c"): (1, 11)})
        self.assertEqual(unlinked, (3, 5 + 15 + 5))

    def test_what_lies_around(self):
        """An op that others lie in has the time of its own that they leave, each in its own step."""
        path = self.space(device(0, [(0, 50), (50, 50)], (1, 0, 100), (2, 10, 20), (2, 60, 30)))
        self.assertEqual(self.by_step(path, by="step,kernel")[0],
                         {("step 0", "a"): (1, 50), ("step 0", "b"): (1, 20), ("step 1", "b"): (1, 30)})
        self.assertEqual(self.kept(path, "--step", "1"), [(0, "a", 1, 100, 70), (0, "b", 1, 30, 30)])

    def test_each_device_has_its_own(self):
        """One without any has those of the file: the first that has the position says when it is."""
        path = self.space(device(0, [(0, 10)], (1, 0, 5), (1, 20, 5)), device(1, [(20, 10), (30, 10)], (1, 0, 5), (1, 20, 5), (1, 32, 5)),
                          device(2, [], (1, 0, 5), (1, 20, 5), (1, 32, 5)))
        one, two, three = (f"/device:TPU:{n}" for n in range(3))
        self.assertEqual(self.by_step(path)[0], {
            (one, "step 0", "a"): (1, 5), (one, "", "a"): (1, 5), (two, "step 0", "a"): (1, 5), (two, "step 1", "a"): (1, 5),
            (two, "", "a"): (1, 5), (three, "step 0", "a"): (1, 5), (three, "step 1", "a"): (1, 5), (three, "", "a"): (1, 5)})
        self.assertEqual(self.kept(path, "--step", "0"), [(n, "a", 1, 5, 5) for n in (0, 1, 2)])
        # The first device has no second step: nothing of it is in one.
        self.assertEqual(self.kept(path, "--step", "1"), [(n, "a", 1, 5, 5) for n in (1, 2)])
        for options in (("--step", "2"), ("--step", "18446744073709551615")):
            truth.run("ops", path, *options, status=2)

    def test_positions_are_by_start(self):
        """Not by the order of the file, nor by the number."""
        path = self.space(device(0, [(40, 10), (0, 10), (20, 10)], (1, 0, 9), (2, 20, 9), (3, 40, 9)))
        for n, name in enumerate("abc"):
            self.assertEqual(self.kept(path, "--step", n), [(0, name, 1, 9, 9)])

    def test_steps_of_no_length(self):
        """Nothing begins in them; an instant at that time lies in none, what lasts over it does."""
        path = self.space(device(0, [(10, 0), (20, 10)], (1, 10, 0), (2, 5, 10), (3, 20, 5)))
        self.assertEqual(self.by_step(path, by="step,kernel")[0], {("", "a"): (1, 0), ("", "b"): (1, 10), ("step 1", "c"): (1, 5)})
        self.assertEqual(self.kept(path, "--step", "0"), [(0, "b", 1, 10, 10)])

    def test_with_other_filters(self):
        """A step and a time: what reaches into both. A name picks rows, a line and a plane lines."""
        ops = [(1, 0, 10), (2, 10, 10), (3, 20, 10), (1, 40, 10)]
        path = self.space(device(0, [(5, 20), (40, 10)], *ops), device(1, [], *ops))
        for window, names in ((("0ps:10ps"), "a"), ("0ps:11ps", "ab"), ("20ps:60ps", "c"), ("19ps:60ps", "bc"), ("30ps:60ps", "")):
            for n in (0, 1):
                options = ("--step", "0", "--time", window, "--plane", f"TPU:{n}")
                self.assertEqual([row[1] for row in sorted(self.kept(path, *options))], list(names), options)
        self.assertEqual(self.kept(path, "--step", "0", "--name", "a"), [(n, "a", 1, 10, 10) for n in (0, 1)])
        self.assertEqual(self.by_step(path, "--time", "20ps:", "--plane", "TPU:1", by="step,kernel")[0],
                         {("step 0", "c"): (1, 10), ("step 1", "a"): (1, 10)})
        # The steps of a device whose ops are not asked for are still those of the file.
        self.assertEqual(self.kept(path, "--step", "1", "--plane", "TPU:1"), [(1, "a", 1, 10, 10)])

    def test_two_files(self):
        """Each counts by itself, and a host's name leaves the steps of the other out."""
        self.write("run/a.xplane.pb", x.space(device(0, [(0, 10), (10, 10)], (1, 0, 5), (2, 10, 5))))
        self.write("run/b.xplane.pb", x.space(device(0, [(10, 10)], (1, 0, 5), (2, 10, 5))))
        path = self.scratch / "run"
        self.assertEqual([row[1] for row in self.kept(path, "--step", "0")], ["a", "b"])
        self.assertEqual([row[1] for row in self.kept(path, "--step", "1")], ["b"])
        self.assertEqual([row[1] for row in self.kept(path, "--step", "0", "--host", "b")], ["b"])
        truth.run("ops", path, "--step", "1", "--host", "b", status=2)
        # Devices of one name are one group.
        self.assertEqual(self.by_step(path)[0], {("/device:TPU:0", "step 0", "a"): (1, 5), ("/device:TPU:0", "step 0", "b"): (1, 5),
                                                 ("/device:TPU:0", "step 1", "b"): (1, 5), ("/device:TPU:0", "", "a"): (1, 5)})

    def test_hosts_alone(self):
        """Operators of a trace without a device, by the steps of its host, whichever thread marked them."""
        mark = {"ph": "X", "cat": "user_annotation", "pid": 50, "tid": 9, "args": {}}
        events = [{**mark, "name": f"ProfilerStep#{n}", "ts": at, "dur": size} for n, at, size in ((5, 0, 10), (6, 20, 10))]
        events += [operator("mm", 1, *place) for place in ((0, 4), (10, 4), (29, 1), (30, 4))] + [operator("add", 2, 15, 10)]
        path = self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.assertEqual(self.by_step(path, by="step,kernel"), (
            {("step 0", "mm"): (1, 4 * US), ("step 1", "mm"): (1, US), ("", "mm"): (2, 8 * US), ("", "add"): (1, 10 * US)}, (3, 18 * US)))
        self.assertEqual([row[1:3] for row in self.kept(path, "--step", "1")], [("mm", 1), ("add", 1)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
