#!/usr/bin/env python3
"""The C ABI row by row: files, planes, lines, events, stats and metadata of two hosts, and modules."""

import gzip
import sys

import hlo
import pair
import truth
import xspace as x


def raw(name):
    """A function or a type of profkit.h."""
    from profkit import _declarations, _library  # pylint: disable=import-outside-toplevel
    return getattr(_declarations, name, None) or getattr(_library.lib, name)


def got(function, kind, *arguments):
    from profkit import _library  # pylint: disable=import-outside-toplevel
    return _library.got(raw(function), raw(kind), *arguments)


def values(stats):
    return [[s.name, s.kind, s.value, s.metadata_id, int(s.origin)] for s in stats]


def expected_stats(plane, stats, origin):
    names = {"text": str, "ref": str}
    return [[s[0], pair.KINDS[s[1]], names.get(s[1], lambda v: v)(s[2]), plane.stat_ids[s[0]], origin] for s in stats]


class HandlesTest(pair.PairCase):
    EVENT, METADATA, PLANE = 1, 2, 4

    def setUp(self):
        super().setUp()
        self.profile = truth.library().open(str(self.folder))
        self.addCleanup(self.profile.close)
        self.handle = self.profile._handle.address  # pylint: disable=protected-access

    def test_the_profile(self):
        info = got("pk_profile_get", "pk_profile_info", self.handle)
        run = got("pk_run_get", "pk_run_info", self.handle, 0)
        self.check([info.origin_unix_ns, info.file_count, info.run_count, info.flags, info.ignored_count],
                   [pair.ORIGIN_NS["alpha"], 2, 1, 1, 0])
        self.assertEqual(run.chosen, 1)

    def test_files(self):
        for host, file in zip(pair.HOSTS, self.profile.files):
            self.check(
                [
                    file.path,
                    file.host,
                    file.run,
                    file.encoded_bytes,
                    file.family.name.lower(),
                    file.compression,
                    file.origin_unix_ns,
                    file.shift_ns,
                    file.export_of,
                    bytes(file.bytes),
                    file.damage,
                    file.hostnames,
                    file.errors,
                    file.warnings,
                    len(file.planes),
                ],
                [
                    pair.path_of(self.folder, host),
                    host.name,
                    "run1",
                    len(host.bytes()),
                    "xspace",
                    "none",
                    pair.ORIGIN_NS[host.name],
                    pair.ORIGIN_NS[host.name] - pair.ORIGIN_NS["alpha"],
                    None,
                    host.bytes(),
                    None,
                    [host.name],
                    list(host.errors),
                    list(host.warnings),
                    len(host.planes),
                ],
            )

    def planes(self):
        for host, file in zip(pair.HOSTS, self.profile.files):
            for plane, found in zip(host.planes, file.planes):
                yield host, plane, found

    def test_planes(self):
        for _, plane, found in self.planes():
            info = got("pk_plane_get", "pk_plane_info", *found._at)  # pylint: disable=protected-access
            number = plane.name.rsplit(":", 1)[1] if plane.kind == "device" else None
            self.check(
                [
                    found.id,
                    found.name,
                    found.kind.name.lower(),
                    found.device_ordinal,
                    info.line_count,
                    info.stat_count,
                    info.event_metadata_count,
                    info.stat_metadata_count,
                ],
                [
                    plane.key,
                    plane.name,
                    plane.kind,
                    None if number is None else int(number),
                    len(plane.lines),
                    len(plane.stats),
                    len(plane.ops),
                    len(plane.stat_ids),
                ],
            )
            self.check(values(found.stats()), expected_stats(plane, plane.stats, self.PLANE))

    def test_lines(self):
        for host, plane, found in self.planes():
            for line, row in zip(plane.lines, found.lines):
                summary = row.summary()
                self.check(
                    [
                        row.id,
                        row.name,
                        row.kind.name.lower(),
                        row.timestamp_ns,
                        row.start_ps,
                        summary.event_count,
                        summary.display_id,
                        summary.display_name,
                        summary.duration_ps,
                    ],
                    [
                        line.key,
                        line.title,
                        line.kind,
                        host.timestamp_ns(line),
                        line.base_ps,
                        len(line.events),
                        line.display_id,
                        line.display_name,
                        0,
                    ],
                )

    def test_events(self):
        """In batches of every size."""
        for batch in (1, 3, 1024):
            for _, plane, found in self.planes():
                for line, row in zip(plane.lines, found.lines):
                    self.check(
                        [
                            [e.metadata_id, e.start_ps, e.offset_ps, e.duration_ps, e.num_occurrences, e.name]
                            for e in row.events(batch)
                        ],
                        [
                            [
                                e.op,
                                pair.placed(line, e),
                                None if e.occurrences is not None else e.start_ps,
                                e.duration_ps,
                                e.occurrences,
                                pair.name_of(plane, e.op),
                            ]
                            for e in line.events
                        ],
                    )

    def test_stats_of_events(self):
        """Of the event, of what its id stands for, and of the plane: as far as they are asked for."""
        for origins in range(1, 8):
            for _, plane, found in self.planes():
                for line, row in zip(plane.lines, found.lines):
                    for e, event in zip(line.events, row):
                        op = plane.ops.get(e.op, pair.Op(""))
                        expected = [s for origin, stats in ((self.EVENT, e.stats), (self.METADATA, op.stats),
                                                            (self.PLANE, plane.stats)) if origins & origin
                                    for s in expected_stats(plane, stats, origin)]
                        self.check(values(event.stats(origins)), expected)

    def test_metadata(self):
        for _, plane, found in self.planes():
            rows = [[pair.as_int64(key % (1 << 64)), op.name, op.display_name, op.own, len(op.children)]
                    for key, op in plane.ops.items()]
            self.check([list(m) for m in found.event_metadata()], rows)
            self.check([list(found.find_event_metadata(row[0])) for row in rows], rows)
            for key, op in plane.ops.items():
                key = pair.as_int64(key % (1 << 64))
                self.check(values(found.metadata_stats(key)), expected_stats(plane, op.stats, self.METADATA))
            self.check(
                [list(m) for m in found.stat_metadata()], [[key, name, ""] for name, key in plane.stat_ids.items()]
            )
            self.check([found.stat_id(name) for name in plane.stat_ids], list(plane.stat_ids.values()))
            self.assertIsNone(found.stat_id("none of them"))
            self.assertIsNone(found.find_event_metadata(12345))


class FewTest(truth.Case):
    """What few files have."""

    def open(self, name, content):
        profile = truth.library().open(str(self.write(name, content)))
        self.addCleanup(profile.close)
        return profile

    def test_metadata_that_is_written_twice(self):
        plane = x.plane(
            1,
            "p",
            x.event_metadata(5, "old"),
            x.event_metadata(6, "six", "shown", [], [5, 7, -1], b"\x01own"),
            x.event_metadata(5, "new"),
            x.stat_metadata(2, "b", "says b"),
            x.stat_metadata(1, "old"),
            x.stat_metadata(1, "a"),
        )
        found = self.open("a.xplane.pb", x.space(plane)).files[0].planes[0]
        self.check(
            [list(m) for m in found.event_metadata()], [[6, "six", "shown", b"\x01own", 3], [5, "new", "", b"", 0]]
        )
        self.check(found.event_metadata_children(6), [5, 7, -1])
        self.check([list(m) for m in found.stat_metadata()], [[2, "b", "says b"], [1, "a", ""]])

    def test_numbers_of_devices(self):
        numbers = {
            "/device:TPU:0": 0,
            "/device:TPU:12": 12,
            "/device:GPU:307 (A)": 307,
            "/device:TPU:3 SparseCore 1": 3,
            "/device:TPU": None,
            "/device:TPU:": None,
            "/device:TPU:x": None,
            "/host:CPU:5": None,
            "/device:TPU:2147483647": 2147483647,
            "/device:TPU:2147483648": None,
        }
        profile = self.open("a.xplane.pb", x.space(*(x.plane(i, name) for i, name in enumerate(numbers))))
        self.check({p.name: p.device_ordinal for p in profile.files[0].planes}, numbers)

    def test_room_for_some_children(self):
        """As many as there is room for are written; their number is told."""
        plane = (
            self.open("a.xplane.pb", x.space(x.plane(1, "p", x.event_metadata(6, "six", "", [], [5, 7, -1]))))
            .files[0]
            .planes[0]
        )
        from profkit import _library  # pylint: disable=import-outside-toplevel
        for room in range(5):
            ids, count = (raw("c").c_int64 * 5)(*[99] * 5), raw("c").c_size_t()
            _library.check(
                raw("pk_event_metadata_children"),
                *plane._at,
                6,
                ids,
                room,  # pylint: disable=protected-access
                raw("c").byref(count),
            )
            self.check([list(ids), count.value], [([5, 7, -1][:room] + [99] * 5)[:5], 3])

    def test_errors_warnings_and_compression(self):
        data = x.space(x.plane(1, "p"), errors=["e1", "e2"], warnings=["w"])
        packed = gzip.compress(data)
        file = self.open("a.xplane.pb.gz", packed).files[0]
        self.check([file.errors, file.warnings, file.hostnames, file.encoded_bytes, bytes(file.bytes), file.compression,
                    file.origin_unix_ns], [["e1", "e2"], ["w"], [], len(packed), data, "gzip", None])

    def test_runs(self):
        for run in ("one", "two", "three"):
            self.write(f"plugins/profile/{run}/a.xplane.pb", x.space(x.plane(1, "p")))
        with truth.library().open(str(self.scratch), run="two") as profile:
            found = [[r.name, r.path, r.chosen] for r in profile.runs]
            self.check(sorted(found), sorted([[run, str(self.scratch / "plugins/profile" / run), run == "two"]
                                              for run in ("one", "two", "three")]))
            self.check([f.run for f in profile.files], ["two"])

    def test_modules(self):
        step, other = hlo.proto("jit_step", 7), hlo.proto("jit_eval", 9, extra=True)
        changed = hlo.proto("jit_eval", 9)
        plane = x.plane(1, "/host:metadata", x.stat_metadata(1, "Hlo Proto"), *(
            x.event_metadata(key, f"{name}({key})", "", [x.stat(1, blob, "bytes")])
            for key, name, blob in ((7, "jit_step", step), (9, "jit_eval", other), (11, "jit_cut", step[:-2]))))
        self.write("r/a.xplane.pb", x.space(plane))
        same, differs = (
            self.write(f"r/{name}.hlo_proto.pb", blob) for name, blob in (("same", step), ("differs", changed))
        )
        with truth.library().open(str(self.scratch / "r")) as profile, profile.modules() as modules:
            # pylint: disable-next=protected-access
            damaged = [got("pk_module_get", "pk_module_info", modules._h, i).flags & 1 for i in range(len(modules))]
            self.check(sorted(damaged), [0, 0, 0, 1])
            rows = [
                [
                    m.plane,
                    m.metadata_id,
                    m.name,
                    m.module_name,
                    m.module_id,
                    m.computation_count,
                    m.instruction_count,
                    bytes(m.hlo_proto),
                    m.sibling_path,
                    m.sibling,
                    m.damage is not None,
                ]
                for m in modules
            ]
        self.check(
            sorted(rows, key=str),
            sorted(
                [
                    [0, 7, "jit_step(7)", "jit_step", 7, 2, 3, step, str(same), "same_bytes", False],
                    [0, 9, "jit_eval(9)", "jit_eval", 9, 2, 4, other, str(differs), "differs", False],
                    [None, 0, "differs", "jit_eval", 9, 2, 3, changed, "", "none", False],
                    [
                        0,
                        11,
                        "jit_cut(11)",
                        rows[-1][3],
                        rows[-1][4],
                        rows[-1][5],
                        rows[-1][6],
                        step[:-2],
                        "",
                        "none",
                        True,
                    ],
                ],
                key=str,
            ),
        )

    def test_limits(self):
        """A limit is one of its own kind, and a nesting that is deeper than anyone reads is cut to a thousand."""
        library = truth.library()
        for name in ("a", "b", "c"):
            self.write(f"r/{name}.xplane.pb", x.space(x.plane(1, "p")))
        folder = str(self.scratch / "r")
        with library.open(folder, limits=library.Limits(max_files=3)) as profile:
            self.assertEqual(len(profile.files), 3)
        with self.assertRaises(library.LimitExceeded):
            library.open(folder, limits=library.Limits(max_files=2)).close()
        data = x.space(x.plane(1, "p" * 5000))
        path = str(self.write("a.xplane.pb.gz", gzip.compress(data)))
        with library.open(
            path, limits=library.Limits(max_materialised_bytes=1 << 20, ratio_free_bytes=1 << 16)
        ) as profile:
            self.assertEqual(bytes(profile.files[0].bytes), data)
        with self.assertRaises(library.LimitExceeded):
            library.open(path, limits=library.Limits(max_materialised_bytes=1000, ratio_free_bytes=1 << 20)).files[
                0
            ].planes

    def test_a_long_line_and_stats_at_the_very_end(self):
        events = [x.event(1, 10 * i, i, [x.stat(1, i)]) for i in range(300)]
        plane = x.plane(1, "p", x.event_metadata(1, "e"), x.stat_metadata(1, "s"), x.line(1, "t", events))
        line = self.open("a.xplane.pb", x.space(plane)).files[0].planes[0].lines[0]
        self.check([[e.offset_ps, e.duration_ps, [s.value for s in e.stats(1)]] for e in line.events(1024)],
                   [[10 * i, i, [i]] for i in range(300)])

    def test_an_export_beside_its_xspace(self):
        self.write("plugins/profile/r/a.xplane.pb", x.space(x.plane(1, "p")))
        self.write("plugins/profile/r/a.trace.json", '{"traceEvents": [{"ph": "i", "ts": 1}]}')
        with truth.library().open(str(self.scratch)) as profile:
            files = {f.path.rsplit("/", 1)[1]: f for f in profile.files}
        self.check(
            [files["a.xplane.pb"].export_of, files["a.trace.json"].export_of], [None, files["a.xplane.pb"].position]
        )


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
