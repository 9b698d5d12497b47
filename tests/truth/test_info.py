#!/usr/bin/env python3
"""`profkit info`: every file, plane and line of two hosts, counted; whether the capture is complete."""
import gzip
import json
import sys

import pair
import truth
import xspace as x


def line_document(host, plane, line, keeps):
    kept = [e for e in line.events if keeps(plane, line, e)]
    spans = [(pair.placed(line, e), pair.placed(line, e) + e.duration_ps) for e in kept if e.occurrences is None]
    return {"id": str(line.key), "name": line.title, "kind": line.kind, "timestamp_ns": str(host.timestamp_ns(line)),
            "events": len(kept), "event_stats": sum(len(e.stats) for e in kept),
            "duration_sum_ps": sum(e.duration_ps for e in kept), "first_ps": min((s[0] for s in spans), default=None),
            "last_ps": max((s[1] for s in spans), default=None)}


def span_of(lines):
    firsts = [line["first_ps"] for line in lines if line["first_ps"] is not None]
    lasts = [line["last_ps"] for line in lines if line["last_ps"] is not None]
    return min(firsts, default=None), max(lasts, default=None)


def document(
    folder, hosts=None, planes=lambda plane: True, lines=lambda line: True, keeps=lambda plane, line, event: True
):
    files, everything = [], []
    for file, host in enumerate(pair.HOSTS):
        if hosts and host.name not in hosts:
            continue
        shown = []
        for plane in filter(planes, host.planes):
            shown.append(
                {
                    "id": str(plane.key),
                    "name": plane.name,
                    "kind": plane.kind,
                    "stats": pair.stat_map(plane.stats),
                    "event_metadata": len(plane.ops),
                    "stat_metadata": len(plane.stat_ids),
                    "lines": [line_document(host, plane, line, keeps) for line in filter(lines, plane.lines)],
                }
            )
        own = [line for plane in shown for line in plane["lines"]]
        first, last = span_of(own)
        everything += own
        files.append(
            {
                "file": file,
                "path": pair.path_of(folder, host),
                "family": "xspace",
                "export_of": -1,
                "bytes": len(host.bytes()),
                "hosts": [host.name],
                "errors": list(host.errors),
                "warnings": list(host.warnings),
                "origin_unix_ns": str(pair.ORIGIN_NS[host.name]),
                "aligned": True,
                "first_ps": first,
                "last_ps": last,
                "planes": shown,
                "damage": None,
            }
        )
    return {**pair.frame("info"), "origin_unix_ns": str(pair.ORIGIN_NS["alpha"]), "files": files, "totals": {
        "files": len(files), "planes": sum(len(f["planes"]) for f in files), "lines": len(everything),
        "events": sum(line["events"] for line in everything),
        "event_stats": sum(line["event_stats"] for line in everything)}, "complete": True, "reasons": []}


class InfoTest(pair.PairCase):
    def test_all(self):
        self.check(self.ask("info"), document(self.folder))

    def test_filters(self):
        self.check(
            self.ask("info", "--plane", "TPU", plane="TPU"), document(self.folder, planes=lambda p: "TPU" in p.name)
        )
        self.check(self.ask("info", "--line", "Steps", line="Steps"),
                   document(self.folder, lines=lambda n: "Steps" in n.title))
        self.check(self.ask("info", "--host", "beta", host="beta"), document(self.folder, hosts=["beta"]))

    def test_a_name(self):
        """Of events that are named so; also by the name that is shown."""
        for wanted in ("copy", "fusion.1", "infeed"):
            def keeps(plane, _, event, wanted=wanted):
                op = plane.ops.get(event.op)
                return op is not None and (wanted in op.name or wanted in op.display_name)
            self.check(self.ask("info", "--name", wanted, name=wanted), document(self.folder, keeps=keeps))

    def test_windows(self):
        for from_ps, to_ps in [
            (2_008_192, 2_020_192),
            (2_008_193, 2_020_193),
            (None, 2_000_001),
            (1_501_200, 1_501_201),
        ]:
            def keeps(_, line, event, window=(from_ps, to_ps)):
                return pair.in_window(pair.placed(line, event), event.duration_ps, *window)
            options = f"{'' if from_ps is None else f'{from_ps}ps'}:{'' if to_ps is None else f'{to_ps}ps'}"
            filters = {k: v for k, v in (("from_ps", from_ps), ("to_ps", to_ps)) if v is not None}
            self.check(self.ask("info", "--time", options, **filters), document(self.folder, keeps=keeps))

    def test_a_step(self):
        """A step is a window on its device; planes without steps of their own have that of the file's first device."""
        windows = {(0, "/device:TPU:1"): (5_001_500, 5_004_100), (0, None): (2_008_192, 2_020_192),
                   (1, None): (300_010_000, 300_040_000)}

        def keeps(plane, line, event):
            file = next(i for i, host in enumerate(pair.HOSTS) if plane in host.planes)
            if (file, plane.name) == (1, "/device:TPU:1"):
                return False  # it has one step only
            return pair.in_window(
                pair.placed(line, event), event.duration_ps, *windows.get((file, plane.name), windows[file, None])
            )
        self.check(self.ask("info", "--step", 1, step=1), document(self.folder, keeps=keeps))

    def test_screen(self):
        self.check_screen("info", "info")
        self.check_screen("info-limited", "info", "--plane", "TPU:0", "--limit", 2)


class CompleteTest(truth.Case):
    """What makes a capture incomplete, and what is told of files that are not like the others."""

    def line(self, events, key=1, timestamp_ns=0, **more):
        return x.line(key, "main", events, timestamp_ns, **more)

    def ask_for(self, *paths, status=0):
        done = truth.parsed(truth.run("info", *paths, "--json", status=status))
        return done

    def test_an_error_of_the_recorder(self):
        path = self.write(
            "a.xplane.pb", x.space(x.plane(1, "/host:CPU"), errors=["lost", "the \"end\""], warnings=["slow"])
        )
        found = self.ask_for(path)
        self.check({k: found[k] for k in ("status", "complete", "reasons", "origin_unix_ns")}, {
            "status": "ok", "complete": False, "origin_unix_ns": None, "reasons": [
                f"{path}: the recorder reported an error: {text}" for text in ("lost", 'the "end"')]})
        self.check([found["files"][0][k] for k in ("errors", "warnings", "hosts", "aligned")],
                   [["lost", 'the "end"'], ["slow"], ["a"], False])
        truth.run("info", path, "--fail-on", "incomplete", status=1)

    def test_files_that_are_not_read(self):
        """They are counted, and up to 100 are named."""
        self.write("run/a.xplane.pb", x.space(x.plane(1, "/host:CPU")))
        self.assertNotIn("not_read", self.ask_for(self.scratch / "run"))
        for n in range(103):
            path = self.write(f"run/b{n:03}.txt", "what")
            paths = [str(path.parent / f"b{k:03}.txt") for k in range(min(n + 1, 100))]
            if n in (0, 99, 102):
                self.check(self.ask_for(self.scratch / "run")["not_read"], {"files": n + 1, "paths": paths})

    def test_names_and_ids(self):
        """A line without a name is called by the name that is shown; of entries with one id the last counts."""
        plane = x.plane(
            1,
            "/host:CPU",
            self.line([x.event(3, 5, 7)], 4),
            x.line(5, "", [], 9, "shown"),
            x.event_metadata(3, "first"),
            x.event_metadata(3, "second"),
            x.event_metadata(4, "other"),
            x.stat_metadata(1, "a"),
            x.stat_metadata(1, "b"),
            x.plane_stat(1, 5),
            x.plane_stat(1, 6, "uint"),
            x.plane_stat(9, 1.5),
        )
        path = self.write("a.xplane.pb", x.space(plane))
        found = self.ask_for(path)["files"][0]["planes"][0]
        self.check(
            found,
            {
                "id": "1",
                "name": "/host:CPU",
                "kind": "host",
                "stats": {"b": "6", "#9": 1.5},
                "event_metadata": 2,
                "stat_metadata": 1,
                "lines": [
                    {
                        "id": "4",
                        "name": "main",
                        "kind": "thread",
                        "timestamp_ns": "0",
                        "events": 1,
                        "event_stats": 0,
                        "duration_sum_ps": 7,
                        "first_ps": 5,
                        "last_ps": 12,
                    },
                    {
                        "id": "5",
                        "name": "shown",
                        "kind": "thread",
                        "timestamp_ns": "9",
                        "events": 0,
                        "event_stats": 0,
                        "duration_sum_ps": 0,
                        "first_ps": None,
                        "last_ps": None,
                    },
                ],
            },
        )

    def test_many_shapes_of_stats(self):
        """Every kind of value, ids of one byte and of more, long texts, and values of ten bytes."""
        values = [x.stat(1, 0), x.stat(1, -1), x.stat(200, (1 << 64) - 1, "uint"), x.stat(1, 2.5), x.stat(1, "x" * 200),
                  x.stat(20_000, "x"), x.stat(3_000_000, 1), x.stat(1, b"\x00" * 60, "bytes"), x.stat(1, 5, "ref"),
                  x.stat(1, ""), x.number(1, 7), b""]
        events = [x.event(1, 10 * i, 1, values[:i]) for i in range(len(values) + 1)]
        path = self.write("a.xplane.pb", x.space(x.plane(1, "/host:CPU", self.line(events), x.event_metadata(1, "e"))))
        found = self.ask_for(path)
        self.check(found["totals"], {"files": 1, "planes": 1, "lines": 1, "events": 13, "event_stats": 12 * 13 // 2})
        self.check([found["status"], found["complete"]], ["ok", True])

    def test_kinds(self):
        """What planes and lines are, by their names."""
        kinds = {
            "/device:TPU:0": "device",
            "/device:TPU:0 SparseCore 1": "device",
            "/device:CUSTOM:Megascale Trace": "custom",
            "/host:metadata": "metadata",
            "/host:metadata2": "host",
            "/host:CPU": "host",
            "Task Environment": "environment",
            "Task Environment 2": "other",
            "Host CPUs": "host",
            "Syscalls": "host",
            "#Chip TPU": "other",
        }
        names = {
            "Steps": "steps",
            "Sparse Core Steps": "steps",
            "XLA Modules": "modules",
            "Sparse Core Modules": "modules",
            "XLA Ops": "ops",
            "Sparse Core Ops": "ops",
            "Async XLA Ops": "async",
            "Stream #3(Kernel)": "stream",
            "Framework Ops": "derived",
            "Framework Name Scope": "derived",
            "TensorFlow Ops": "derived",
            "TensorFlow Name Scope": "derived",
            "Source code": "derived",
            "Source Code": "derived",
            "Overlay": "derived",
            "TC Overlay": "derived",
            "Launch Stats": "derived",
            "_counters_": "counter",
            "counters_0": "counter",
            "xla ops": "other",
            "XLA Ops 2": "other",
            "Steps 2": "other",
        }
        lines = [x.line(i, name, []) for i, name in enumerate(names)] + [
            x.line(-1, "XLA Ops", []),
            x.line(-1, "Steps", []),
            x.line(0, "XLA Ops", []),
        ]
        first_derived = -559038737
        threads = [x.line(first_derived + i, "t", []) for i in (-1, 0, 1023, 1024)]
        planes = [x.plane(i + 1, name, *(lines if name == "/device:TPU:0" else threads if name == "/host:CPU" else [
            x.line(1, "XLA Ops", []), x.line(2, "_counters_", [])])) for i, name in enumerate(kinds)]
        found = self.ask_for(self.write("a.xplane.pb", x.space(*planes)))["files"][0]["planes"]
        self.check({p["name"]: p["kind"] for p in found}, kinds)
        lines_of = {p["name"]: [line["kind"] for line in p["lines"]] for p in found}
        self.check(lines_of["/device:TPU:0"], [*names.values(), "derived", "steps", "ops"])
        self.check(lines_of["/host:CPU"], ["thread", "derived", "derived", "thread"])
        self.check(lines_of["/device:TPU:0 SparseCore 1"], ["ops", "counter"])
        self.check(lines_of["Syscalls"], ["thread", "thread"])
        self.check(lines_of["#Chip TPU"], ["other", "counter"])

    def test_the_own_name_of_a_line_comes_first(self):
        path = self.write("a.xplane.pb", x.space(x.plane(1, "/host:CPU", x.line(5, "own", [], 0, "shown"))))
        self.check(self.ask_for(path)["files"][0]["planes"][0]["lines"][0]["name"], "own")

    def test_a_line_of_which_some_lies_beyond_what_can_be_told(self):
        path = self.write("a.xplane.pb", x.space(x.plane(1, "/host:CPU", self.line(
            [x.event(1, 100, 7), x.event(1, (1 << 63) - 5, 9), x.event(1, 50, 3)]), x.event_metadata(1, "e"))))
        found = self.ask_for(path, status=5)
        line = found["files"][0]["planes"][0]["lines"][0]
        self.check([line["events"], line["first_ps"], line["last_ps"], found["complete"]], [3, 50, 107, False])

    def test_traces_of_hosts_whose_clocks_begin_at_other_times(self):
        """And an export beside its XSpace, whose events are not counted again."""
        for rank, base in ((0, 1_700_000_000_000_000_000), (1, 1_700_000_000_000_002_000)):
            self.write(f"ranks/rank{rank}.pt.trace.json", json.dumps({"baseTimeNanoseconds": base, "traceEvents": [
                {"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "name": "a", "cat": "kernel"}]}))
        found = self.ask_for(self.scratch / "ranks")
        self.check([[f["origin_unix_ns"], f["aligned"], f["first_ps"], f["last_ps"]] for f in found["files"]], [
            ["1700000000000000000", True, 5_000_000, 7_000_000], ["1700000000000002000", True, 7_000_000, 9_000_000]])
        self.write("run/plugins/profile/r/a.xplane.pb", x.space(x.plane(1, "/host:CPU", self.line([x.event(1, 0, 5)]),
                                                                        x.event_metadata(1, "e"))))
        self.write("run/plugins/profile/r/a.trace.json", json.dumps({"traceEvents": [
            {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 2, "name": "a"}]}))
        found = self.ask_for(self.scratch / "run")
        self.check(
            [
                [f["family"], f["export_of"], len(f["planes"])]
                for f in sorted(found["files"], key=lambda f: f["family"])
            ],
            [
                ["chrome_trace", next(f["file"] for f in found["files"] if f["family"] == "xspace"), 0],
                ["xspace", -1, 1],
            ],
        )
        self.check(found["totals"]["events"], 1)
        self.assertIn(", not counted\n", truth.run("info", self.scratch / "run"))

    def test_a_compressed_file(self):
        data = x.space(x.plane(1, "/host:CPU", self.line([x.event(1, 0, 5)]), x.event_metadata(1, "e")))
        packed = gzip.compress(data)
        found = self.ask_for(self.write("a.xplane.pb.gz", packed))
        self.check([found["files"][0]["bytes"], found["totals"]["events"]], [len(packed), 1])

    def test_hosts_without_a_start_time_stand_on_no_common_clock(self):
        for name, timestamp in (("a", 5), ("b", 7)):
            self.write(f"plugins/profile/r/{name}.xplane.pb", x.space(x.plane(1, "/host:CPU", self.line(
                [x.event(1, 1000, 5)], timestamp_ns=timestamp), x.event_metadata(1, "e"))))
        found = self.ask_for(self.scratch)
        self.check([[f["aligned"], f["first_ps"], f["last_ps"]] for f in found["files"]],
                   [[False, 6_000, 6_005], [False, 8_000, 8_005]])
        text = truth.run("info", self.scratch)
        self.assertIn("events    from 6.000 ns to 6.005 ns (on this file's own clock)\n", text)

    def test_a_cut_file(self):
        data = x.space(
            x.plane(1, "/host:CPU", self.line([x.event(1, 0, 5), x.event(1, 7, 5)]), x.event_metadata(1, "e")),
            x.plane(2, "/host:other", self.line([x.event(1, 0, 5)])),
        )
        path = self.write("a.xplane.pb", data[:-3])
        found = self.ask_for(path, status=5)
        damage = found["files"][0]["damage"]
        self.check([found["status"], found["complete"], found["reasons"], damage["code"], damage["path"]], [
            "partial", False, [f"{path}: {damage['message']}"], "damaged", str(path)])
        self.check(found["reason"], f"the file is damaged: {damage['message']}")
        truth.run("info", path, "--strict", status=4)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
