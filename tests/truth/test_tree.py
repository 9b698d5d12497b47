#!/usr/bin/env python3
"""`profkit tree` and `profkit metadata`: what a file holds, as it holds it."""
import sys

import pair
import truth
import xspace as x
from wire import message, number


def event_document(plane, line, event, limit):
    op = plane.ops.get(event.op)
    aggregated = event.occurrences is not None
    stats = pair.stat_list(plane, event.stats)
    return {"metadata_id": str(event.op), "name": op.name if op else "", "display_name": op.display_name if op else "",
            "start_ps": pair.placed(line, event), "offset_ps": None if aggregated else event.start_ps,
            "num_occurrences": event.occurrences, "duration_ps": event.duration_ps, "stat_count": len(stats),
            "stats": stats[:limit] if limit else stats}


class TreeTest(pair.PairCase):

    def document(
        self, limit=5, planes=lambda plane: True, lines=lambda line: True, keeps=lambda plane, line, event: True
    ):
        files = []
        for file, host in enumerate(pair.HOSTS):
            shown_planes = []
            for p, plane in enumerate(host.planes):
                if not planes(plane):
                    continue
                fitting = [(n, line) for n, line in enumerate(plane.lines) if lines(line)]
                shown = fitting[:limit] if limit else fitting
                shown_planes.append(
                    {
                        "plane": p,
                        "id": str(plane.key),
                        "name": plane.name,
                        "kind": plane.kind,
                        "line_count": len(plane.lines),
                        "event_metadata": len(plane.ops),
                        "stat_metadata": len(plane.stat_ids),
                        "stats": pair.stat_list(plane, plane.stats),
                        "lines": [],
                        "lines_left_out": len(fitting) - len(shown),
                    }
                )
                for n, line in shown:
                    kept = [e for e in line.events if keeps(plane, line, e)]
                    events = kept[:limit] if limit else kept
                    shown_planes[-1]["lines"].append(
                        {
                            "line": n,
                            "id": str(line.key),
                            "display_id": str(line.display_id),
                            "name": line.name,
                            "display_name": line.display_name,
                            "kind": line.kind,
                            "timestamp_ns": str(host.timestamp_ns(line)),
                            "duration_ps": 0,
                            "event_count": len(line.events),
                            "events": [event_document(plane, line, e, limit) for e in events],
                            "events_left_out": len(kept) - len(events),
                        }
                    )
            files.append({"file": file, "path": pair.path_of(self.folder, host), "hosts": [host.name],
                          "errors": list(host.errors), "warnings": list(host.warnings),
                          "origin_unix_ns": str(pair.ORIGIN_NS[host.name]), "planes": shown_planes})
        return truth.with_limited({**pair.frame("tree"), "files": files, "damage": []}, limit)

    def test_all(self):
        self.check(self.ask("tree", "--limit", 0, limit=0), self.document(0))

    def test_five_of_each_unless_told_otherwise(self):
        self.check(self.ask("tree"), self.document())
        for limit in (1, 2, 3):
            self.check(self.ask("tree", "--limit", limit, limit=limit), self.document(limit))

    def test_filters(self):
        self.check(
            self.ask("tree", "--plane", "TPU:1", plane="TPU:1"), self.document(planes=lambda p: "TPU:1" in p.name)
        )
        self.check(
            self.ask("tree", "--line", "worker", line="worker"), self.document(lines=lambda n: "worker" in n.title)
        )

        def named(plane, _, event):
            op = plane.ops.get(event.op)
            return op is not None and ("copy" in op.name or "copy" in op.display_name)
        self.check(
            self.ask("tree", "--name", "copy", "--limit", 2, name="copy", limit=2), self.document(2, keeps=named)
        )

        def inside(_, line, event):
            return pair.in_window(pair.placed(line, event), event.duration_ps, 2_008_192, 2_020_192)
        self.check(self.ask("tree", "--time", "2008192ps:2020192ps", from_ps=2_008_192, to_ps=2_020_192),
                   self.document(keeps=inside))

    def test_screen(self):
        self.check_screen("tree", "tree", "--host", "alpha", "--limit", 3)
        self.check_screen("tree-name", "tree", "--plane", "host:CPU", "--name", "infeed", "--limit", 0)


class LineTest(truth.Case):
    def test_what_few_files_have(self):
        """A second name and number of a line, and an event that tells neither its place nor how often it ran."""
        line = x.line(
            7, "main", [x.event(1, None, 5), x.event(2, 0, 0), x.event(2, 9, 4, occurrences=2)], 3, "shown", 12
        )
        same = x.line(8, "same", [], 0, "same")
        nameless = x.line(9, "", [], 0, "only shown")
        path = self.write(
            "a.xplane.pb", x.space(x.plane(1, "", line, same, nameless, x.event_metadata(1, "", "display")))
        )
        found = truth.parsed(truth.run("tree", path, "--json"))["files"][0]["planes"][0]
        self.check([found["name"], found["kind"]], ["", "other"])
        self.check(
            [{k: line[k] for k in ("line", "id", "display_id", "name", "display_name")} for line in found["lines"]],
            [
                {"line": 0, "id": "7", "display_id": "12", "name": "main", "display_name": "shown"},
                {"line": 1, "id": "8", "display_id": "0", "name": "same", "display_name": "same"},
                {"line": 2, "id": "9", "display_id": "0", "name": "", "display_name": "only shown"},
            ],
        )
        keys = ("metadata_id", "name", "display_name", "start_ps", "offset_ps", "num_occurrences", "duration_ps")
        self.check(
            [[e[k] for k in keys] for e in found["lines"][0]["events"]],
            [
                ["1", "", "display", 3_000, None, None, 5],
                ["2", "", "", 3_000, 0, None, 0],
                ["2", "", "", None, None, 2, 4],
            ],
        )
        text = truth.run("tree", path)
        self.check_text(text, f"{path}\n  host a\n\n"
                              "  plane 0 (no name)  id 1, other, 3 lines, 1 event name, 0 stat names\n"
                              "    line 0 main  id 7, other, at 3 ns, 3 events, display id 12, display name shown\n"
                              "      display  at 3.000 ns, for 5 ps\n"
                              "      #2  at 3.000 ns\n"
                              "      #2  2 times, for 4 ps\n"
                              "    line 1 same  id 8, other, at 0 ns, 0 events\n"
                              "    line 2 (no name)  id 9, other, at 0 ns, 0 events, display name only shown\n")

    def test_how_often(self):
        line = x.line(7, "main", [x.event(2, 0, 4, occurrences=n) for n in (0, 1, 2, 1000)])
        text = truth.run("tree", self.write("a.xplane.pb", x.space(x.plane(1, "", line))))
        self.assertEqual([row.split()[1:3] for row in text.split("\n") if " time" in row],
                         [["0", "times,"], ["1", "time,"], ["2", "times,"], ["1000", "times,"]])


class MetadataTest(pair.PairCase):
    def document(self, limit=20, planes=lambda plane: True, name=""):
        rows = []
        for file, host in enumerate(pair.HOSTS):
            for p, plane in enumerate(host.planes):
                if not planes(plane):
                    continue
                events = [{"metadata_id": str(key), "name": op.name, "display_name": op.display_name,
                           "child_ids": [str(c) for c in op.children], "stats": pair.stat_list(plane, op.stats)}
                          for key, op in sorted((pair.as_int64(k % (1 << 64)), op) for k, op in plane.ops.items())
                          if name in op.name or name in op.display_name]
                stats = [{"metadata_id": str(key), "name": stat, "description": ""}
                         for stat, key in sorted(plane.stat_ids.items(), key=lambda i: i[1]) if name in stat]
                shown = (events[:limit], stats[:limit]) if limit else (events, stats)
                rows.append({"file": file, "plane": p, "id": str(plane.key), "name": plane.name, "kind": plane.kind,
                             "event_metadata": len(plane.ops), "stat_metadata": len(plane.stat_ids),
                             "event_entries": shown[0], "event_entries_left_out": len(events) - len(shown[0]),
                             "stat_entries": shown[1], "stat_entries_left_out": len(stats) - len(shown[1])})
        return truth.with_limited(
            {**pair.frame("metadata"), "planes": rows, "files": pair.files(self.folder), "damage": []}, limit)

    def test_all(self):
        self.check(self.ask("metadata", "--limit", 0, limit=0), self.document(0))
        self.check(self.ask("metadata"), self.document())

    def test_limits_and_filters(self):
        self.check(self.ask("metadata", "--limit", 3, limit=3), self.document(3))
        self.check(
            self.ask("metadata", "--plane", "TPU:0", plane="TPU:0"), self.document(planes=lambda p: "TPU:0" in p.name)
        )
        self.check(self.ask("metadata", "--name", "op", name="op"), self.document(name="op"))
        self.check(self.ask("metadata", "--step", 1, step=1), self.document())  # what ids stand for has no time
        self.check(self.ask("metadata", "--step", 99, step=99), self.document())

    def test_screen(self):
        self.check_screen("metadata", "metadata", "--plane", "TPU:1", "--limit", 4)
        self.check_screen("metadata-host", "metadata", "--host", "alpha", "--plane", "host:CPU")

    def test_what_few_files_have(self):
        """Children, descriptions, ids below zero, and of entries with one id the last."""
        plane = x.plane(
            1,
            "p",
            x.event_metadata(5, "old"),
            x.event_metadata(-2, "", "shown", [x.stat(1, -7)], [5, -2, 1 << 40]),
            x.event_metadata(5, "new", "new"),
            x.stat_metadata(2, "b", 'says "b"'),
            x.stat_metadata(1, "a", "says a"),
            x.stat_metadata(-1, ""),
        )
        path = self.write("a.xplane.pb", x.space(plane))
        found = truth.parsed(truth.run("metadata", path, "--json"))["planes"][0]
        stat = {"name": "a", "metadata_id": "1", "kind": "int64", "value": "-7"}
        self.check(
            found["event_entries"],
            [
                {
                    "metadata_id": "-2",
                    "name": "",
                    "display_name": "shown",
                    "child_ids": ["5", "-2", str(1 << 40)],
                    "stats": [stat],
                },
                {"metadata_id": "5", "name": "new", "display_name": "new", "child_ids": [], "stats": []},
            ],
        )
        self.check(
            found["stat_entries"],
            [
                {"metadata_id": "-1", "name": "", "description": ""},
                {"metadata_id": "1", "name": "a", "description": "says a"},
                {"metadata_id": "2", "name": "b", "description": 'says "b"'},
            ],
        )
        self.check([found["event_metadata"], found["stat_metadata"]], [2, 3])
        self.check_text(
            truth.run("metadata", path),
            "p\n  2 event names\n    [-2] (no name)\n        display name shown\n"
            f"        children 5 -2 {1 << 40}\n        a=-7  int64\n    [5] new\n  3 stat names\n"
            "    [-1] (no name)\n    [1] a  says a\n    [2] b  says \"b\"\n"
            "\nevents not checked: `profkit info` reads all of them\n",
        )
        # A description is not searched.
        self.check([len(truth.parsed(truth.run("metadata", path, "--json", "--name", "a"))["planes"][0][k])
                    for k in ("event_entries", "stat_entries")], [0, 1])


class FewTest(truth.Case):
    def test_what_a_line_and_a_file_say_of_themselves(self):
        """How long a line says it lasts is shown as it is, whatever its events do; errors are those of the file that has them."""
        def plane(*lasts):
            return x.plane(1, "p", *(message(3, number(1, at), message(2, f"line {at}"), number(9, ps), x.event(1, 0, 5))
                                     for at, ps in enumerate(lasts, 1)), x.event_metadata(1, "e"))
        for name, lasts, errors in (("a", (0, 7_000), ()), ("b", (1 << 40,), ("lost", "größe, lost"))):
            self.write(f"run/{name}.xplane.pb", x.space(plane(*lasts), errors=errors))
        files = truth.parsed(truth.run("tree", self.scratch / "run", "--json"))["files"]
        self.check([[line["duration_ps"] for line in file["planes"][0]["lines"]] for file in files], [[0, 7_000], [1 << 40]])
        self.check([file["errors"] for file in files], [[], ["lost", "größe, lost"]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
