#!/usr/bin/env python3
"""Small traces of probes, one question each: clocks, descriptions that do not fit, cut files, what is sorted by what."""
import os
import re
import struct
import sys

import arrow
import truth
import wire

WARP = 32
WIDTH = {"u64": 8, "u32": 4}


class Map:
    """`rows`: of each lane the values of its records, in the order in which they are stored."""

    def __init__(self, name, level, fields, rows, cap=1, described=None):
        self.name, self.level, self.fields, self.rows, self.cap = name, level, fields, rows, cap
        self.described = described or f"level = \"{level}\"\nsize = {self.record_bytes}\ncap = {cap}\n"

    @property
    def record_bytes(self):
        return sum(WIDTH[t] for _, t in self.fields)

    @property
    def lane_bytes(self):
        return self.record_bytes * self.cap

    def body(self):
        form = "<" + "".join("Q" if t == "u64" else "I" for _, t in self.fields)
        return b"".join(b"".join(struct.pack(form, *r) for r in lane).ljust(self.lane_bytes, b"\0")
                        for lane in self.rows)

    def toml(self):
        return f"[map.{self.name}]\n{self.described}[map.{self.name}.regs]\n" + "".join(
            f"{f} = [\"{t}\"]\n" for f, t in self.fields)


def record_file(maps, grid=(1, 1, 1), block=(32, 1, 1), offsets=None):
    table, body = b"", b""
    for i, m in enumerate(maps):
        at = 32 + 16 * len(maps) + len(body)
        table += struct.pack("<IIQ", m.lane_bytes, WARP if m.level == "warp" else 1, offsets[i] if offsets else at)
        body += m.body()
    return struct.pack("<8I", *grid, *block, 0, len(maps)) + table + body


PROBES = {
    "cycles": "[probe.c]\nlevel = \"warp\"\npos = \"kernel\"\nbefore = \"mov.u64 %NR0, %clock64;\"\n",
    "global": "[probe.g]\nlevel = \"warp\"\npos = \"kernel\"\nbefore = \"mov.u64 %NR0, %globaltimer;\"\n",
}


@truth.needs("toml")
class SmallTraces(truth.Case):
    def trace(self, maps, content=None, probes=PROBES["cycles"], log="", name="Nov14_221320_4242", files=None):
        root = self.scratch / name
        for at, held in {"event.log": log, "result/1.000000.bin": content or record_file(maps),
                         "probe.toml": probes + "".join(m.toml() for m in maps), **(files or {})}.items():
            (root / at).parent.mkdir(parents=True, exist_ok=True)
            (root / at).write_bytes(held.encode() if isinstance(held, str) else held)
        return root

    def ask(self, root, *arguments, status=0):
        return truth.parsed(truth.run("neutrino", root, *arguments, "--json", status=status))

    # ---- schedules ----

    def test_a_schedule_by_start_and_end(self):
        """Two warps a block, of a global clock; one warp ends before it begins."""
        fields = [("gstart", "u64"), ("gend", "u64"), ("smid", "u32")]
        times = [[(5000, 5600, 3), (5100, 5900, 3)], [(7000, 7100, 1), (6900, 6400, 1)]]
        maps = [Map("when", "warp", fields, [[row] for block in times for row in block])]
        maps[0].described += "note = \"x\"\n"
        other = Map("cyc", "warp", [("clock", "u64")], [[(1,)]] * 4)
        probes = PROBES["global"] + "after = \"SAVE [when] { %NR0 }\"\n" + PROBES["cycles"] + \
            "after = \"SAVE [ cyc ] { %NR0 }\"\n"
        root = self.trace(maps + [other], record_file(maps + [other], (2, 1, 1), (64, 1, 1)), probes)
        found = self.ask(root, "schedule", "--map", "when")
        self.assertEqual(found["clock"], "global_ns")
        self.assertEqual([(s["sm"], s["first_start"], s["last_end"], s["busy"], s["blocks"]) for s in found["sms"]],
                         [(1, 6900, 7100, 200, [[1, 6900, 7100]]), (3, 5000, 5900, 900, [[0, 5000, 5900]])])
        # Of the lengths 600 and 800, and of 100 and nothing.
        self.check(found["skew"], [{"block": 0, "start_skew": 100, "end_skew": 300, "imbalance": 800 / 700},
                                   {"block": 1, "start_skew": 100, "end_skew": 200, "imbalance": 2.0}])
        self.assertEqual(self.ask(root, "progress", "--map", "cyc")["clock"], "sm_cycles")
        # On the timeline what lies between the multiprocessors stays.
        self.assertEqual(self.slices(root), [("SM 3 slot 0", "block 0", 0, 900), ("SM 1 slot 0", "block 1", 1900, 200)])

    def slices(self, root):
        """Of a Perfetto trace: track, name, start after the first and length in ns, by start."""
        truth.run("export", root, "-o", self.scratch / "a.pftrace", "--quiet")
        names, tracks, open_at, out = {}, {}, {}, []
        for _, packet in wire.fields((self.scratch / "a.pftrace").read_bytes()):
            for kind, table in wire.fields(wire.first(packet, 12, b"")):
                names[kind, wire.first(table, 1)] = wire.first(table, 2).decode()
            descriptor, event, at = wire.first(packet, 60), wire.first(packet, 11), wire.first(packet, 8)
            if descriptor is not None:
                tracks[wire.first(descriptor, 1)] = wire.first(descriptor, 2, b"").decode()
            elif wire.first(event, 9) == 1:
                name = wire.first(event, 23)
                open_at[wire.first(event, 11)] = (at, name.decode() if name else names[2, wire.first(event, 10)])
            elif wire.first(event, 9) == 2:
                track = wire.first(event, 11)
                start, name = open_at.pop(track)
                out.append((start, at - start, tracks[track], name))
        first = min(row[0] for row in out)
        return [(track, name, start - first, length) for start, length, track, name in sorted(out)]

    def test_rows_of_events(self):
        """In a table of events a block is told by its number."""
        fields = [("start", "u64"), ("elapsed", "u32"), ("cuid", "u32")]
        maps = [Map("one", "warp", fields, [[(500, 10, 7)], [(510, 10, 7)], [(100, 10, 7)]])]
        root = self.trace(maps, record_file(maps, (3, 1, 1)))
        with arrow.Handle("profile", root, None) as profile:
            rows = arrow.table("events", profile)[1]
        self.assertEqual([(r["name"], r["start_ps"], r["duration_ps"], r["source_row"]) for r in rows],
                         [("block 2", 0, 10_000, 2), ("block 0", 400_000, 10_000, 0), ("block 1", 410_000, 10_000, 1)])

    def test_a_schedule_that_has_lengths_and_ends(self):
        fields = [("start", "u64"), ("end", "u64"), ("elapsed", "u32"), ("cuid", "u32")]
        maps = [Map("both", "warp", fields, [[(100, 900, 50, 0)], [(120, 130, 0, 0)], [(160, 170, 30, 0)]])]
        root = self.trace(maps, record_file(maps, (3, 1, 1)))
        found = self.ask(root, "schedule")
        self.assertEqual(found["sms"][0]["blocks"], [[0, 100, 150], [1, 120, 120], [2, 160, 190]])
        # A block of one warp is even, but for one that took no time.
        self.assertEqual([s["imbalance"] for s in found["skew"]], [1.0, 0.0, 1.0])
        self.check(found["mean"]["imbalance"], truth.fractions.Fraction(2, 3))

    def test_the_mean_gap_on_the_screen(self):
        """One multiprocessor, two slots, one gap of 40 cycles."""
        fields = [("start", "u64"), ("elapsed", "u32"), ("cuid", "u32")]
        maps = [Map("one", "warp", fields, [[(100, 100, 7)], [(110, 200, 7)], [(240, 10, 7)]])]
        shown = truth.run("neutrino", self.trace(maps, record_file(maps, (3, 1, 1))), "schedule")
        self.assertRegex(shown, r"(?m)^ +7 +3 +2 +310 +40 +40 +73\.8 %$")

    def test_labels_of_the_axis_of_time(self):
        """Round numbers, eight at most, with the unit at the last."""
        fields = [("start", "u64"), ("elapsed", "u32"), ("cuid", "u32")]
        for length, labels in ((7, ["0", "2", "4", "6 cycles"]), (10, ["0", "2", "4", "6", "8", "10 cycles"]),
                               (1003, ["0", "200", "400", "600", "800", "1,000 cycles"])):
            self.check_labels([[(1000, length, 0)]], fields, labels)
        # At the end of int64 they are no longer round, and none lies beyond.
        longest = 2**63 - 1
        at = [f"{n * (longest // 7 + 1):,}" for n in range(7)]
        self.check_labels([[(0, longest, 0)]], [("start", "u64"), ("elapsed", "u64"), ("cuid", "u32")], [*at[:-1], at[-1] + " cycles"])

    def check_labels(self, records, fields, labels):
        truth.run("neutrino", self.trace([Map("one", "warp", fields, records)]), "schedule", "--svg", self.scratch / "a.svg")
        told = re.findall(r">(-?[\d,]+(?: cycles)?)</text>", (self.scratch / "a.svg").read_text())
        self.assertEqual(told, labels)

    # ---- descriptions and what is in the file ----

    def flags_of(self, root):
        return [m["flags"] for m in self.ask(root, "maps")["maps"]]

    def test_a_description_that_does_not_fit(self):
        fields = [("clock", "u64")]
        for told, cap, fits in (("cap = 2\n", 2, True), ("cap = 2\n", 3, False), ("cap = 2\n", 4, False),
                                ("cap = 2\n", 1, False), ("", 1, True), ("", 2, False), ("cap = \"count\"\n", 5, True)):
            with self.subTest(told=told, cap=cap):
                described = f"level = \"warp\"\nsize = 8\n{told}"
                maps = [Map("m", "warp", fields, [[(5,)]], cap, described)]
                flags, = self.flags_of(self.trace(maps))
                self.assertEqual("shape_mismatch" in flags, not fits)

    def test_old_descriptions(self):
        """Three registers of 32 bits are stored without the first, of five the last is the one before; of 64 bits none."""
        def fields(kind, names):
            text = "position = \"kernel\"\ndatamodel = \"warp:{}\"\nbefore = \"SAVE.{} {{ {} }};\"\n"
            stored = names[1:] if kind == "u32" and len(names) == 3 else names
            if kind == "u32" and len(names) == 5:
                stored = names[:4] + names[3:4]
            text = "[p]\n" + text.format(len(stored) * WIDTH[kind], kind, ", ".join("%" + n for n in names))
            m = Map("p", "warp", [(n, kind) for n in stored], [[tuple(range(1, len(stored) + 1))]])
            root = self.trace([], record_file([m]), text)
            row, = self.ask(root, "maps")["maps"]
            return row["fields"], stored
        for kind in ("u32", "u64"):
            for count in range(1, 6):
                with self.subTest(kind=kind, count=count):
                    found, expected = fields(kind, [f"r{i}" for i in range(count)])
                    self.assertEqual(found, expected)

    def test_offsets_that_are_wrong(self):
        maps = [Map("a", "warp", [("clock", "u64")], [[(1,)]]), Map("b", "warp", [("clock", "u64")], [[(2,)]])]
        rows = self.ask(self.trace(maps, record_file(maps, offsets=(999, 72))), "maps")["maps"]
        self.assertEqual([(m["offset"], m["recorded_offset"]) for m in rows], [(64, 999), (72, 72)])

    def test_offsets_that_touch_in_another_order(self):
        """The second lies before the first, and ends where that begins; one byte further, they share one."""
        maps = [Map("a", "warp", [("clock", "u64")], [[(1,)]]), Map("b", "warp", [("clock", "u64")], [[(2,)]])]
        for offsets, shared in (((72, 64), []), ((72, 65), ["a", "b"]), ((71, 64), ["a", "b"])):
            rows = self.ask(self.trace(maps, record_file(maps, offsets=offsets) + b"\0" * 8), "maps")["maps"]
            self.assertEqual([m["map"] for m in rows if "overlap" in m["flags"]], shared, offsets)

    def test_maps_of_unknown_size(self):
        """What others leave of a file is the one map's; of two such maps nothing is known without the log."""
        for dynamic, sections in ((1, "dynamic_lane_bytes"), (2, "unknown")):
            told = "level = \"warp\"\nsize = 8\ncap = \"count\"\n"
            maps = [Map(n, "warp", [("clock", "u64")], [[(1,), (2,)]], 2, told) for n in "abc"]
            content = bytearray(record_file(maps))
            for i in range(3):
                entry = (2 ** 64 - 1, 0) if i < dynamic else (16, 0)
                struct.pack_into("<QQ", content, 32 + 16 * i, entry[0], 80 + 16 * i)
            found = self.ask(self.trace(maps, bytes(content)), "maps", status=0 if dynamic == 1 else 5)
            self.assertEqual([b["sections"] for b in found["bins"]], [sections])
            self.assertEqual([m["lane_bytes"] for m in found["maps"]], [16] * 3 if dynamic == 1 else [])

    def test_the_map_that_fits_a_question_best(self):
        """Where one map counts and another might, the one that counts is summed up."""
        maps = [Map("other", "warp", [("value", "u64")], [[(1,)]]), Map("sums", "warp", [("count", "u64")], [[(5,)]])]
        found = self.ask(self.trace(maps), "bytes")
        self.assertEqual((found["map"], found["matches"], found["total"]), ("sums", 1, 5))

    def test_a_file_that_is_cut(self):
        """Lanes of two records each, cut after the first record of the second lane."""
        m = Map("m", "warp", [("clock", "u64"), ("value", "u32")], [[(1, 2), (3, 4)], [(5, 6), (7, 8)]], 2)
        whole = record_file([m], (2, 1, 1))
        for kept, present in ((24 + 12, [(0, 0), (0, 1), (1, 0)]), (24 + 11, [(0, 0), (0, 1)]), (12, [(0, 0)]), (11, [])):
            with self.subTest(kept=kept):
                root = self.trace([m], whole[:32 + 16 + kept])
                found = self.ask(root, "records", status=5)
                self.assertEqual([(r["block"], r["k"]) for r in found["rows"]], present)
                self.assertEqual([d["message"] for d in found["damage"]],
                                 [f"the file ends inside map m: {48 - kept} bytes of it are missing"])

    def test_bytes_after_the_last_map(self):
        m = Map("m", "warp", [("clock", "u64")], [[(1,)]])
        for more, told in ((0, []), (1, ["1.000000.bin: 1 byte follows the last map"])):
            self.assertEqual(self.ask(self.trace([m], record_file([m]) + b"x" * more))["trace"]["warnings"], told)

    def test_which_records_of_a_lane_are_summed_up(self):
        """Where one fits, that one; of several, those that are not zeros at the end."""
        for rows, total, lanes in (([[(5,)], [(0,)]], 5, (1, 2)), ([[(5,), (6,)], [(7,), (0,)]], 18, (0, 2)),
                                   ([[(0,), (6,)], [(0,), (0,)]], 6, (1, 2))):
            m = Map("sums", "warp", [("count", "u64")], rows, len(rows[0]))
            found = self.ask(self.trace([m], record_file([m], (2, 1, 1))), "bytes")
            self.assertEqual((found["total"], (found["zero_lanes"], found["lanes"])), (total, lanes), rows)

    def test_levels_that_kernels_agree_on(self):
        """A file whose launch the log lost: its map is of the level that all kernels with so many maps tell of."""
        # 64 bytes: two lanes of warps of 32 bytes, or 64 threads of one.
        content = struct.pack("<8I", 1, 1, 1, 64, 1, 1, 0, 1) + struct.pack("<QQ", 512, 48) + b"\1" * 512

        def level(*kernels):
            files = {f"kernel/{i}_k/kernel.info": f"k{i}\n1\n{len(k)}\n" + "".join(f"{way},8\n" for way in k)
                     for i, k in enumerate(kernels)}
            row, = self.ask(self.trace([], content, "", files=files), "maps")["maps"]
            return row["level"]
        warp, thread = ("1", "0")
        for kernels, expected in (((), "thread"), ((warp,), "warp"), ((thread,), "thread"), ((warp, warp), "warp"),
                                  ((warp, thread), "thread"), ((thread, warp), "thread"), ((thread, thread), "thread"),
                                  ((warp, thread + warp), "warp"), ((warp + thread, thread), "thread")):
            self.assertEqual(level(*kernels), expected, kernels)

    # ---- records ----

    def test_references_of_a_lane(self):
        """One at the last byte of an allocation, one just after it; one of address 0 and one at time 0 count."""
        base = 0x7f0000000000
        rows = [[(5, base + 99), (6, base + 100)], [(0, base), (7, 0)], [(0, 0), (0, 0)]]
        m = Map("refs", "warp", [("clock", "u64"), ("addr", "u64")], rows, 3)
        tensors = f"[call]  9  [10]  100  {base}  t  f  a.py:1\n"
        root = self.trace([m], record_file([m], (3, 1, 1)), files={"tensor.trace": tensors})
        found = self.ask(root, "density")
        self.assertEqual((found["references"], found["unwritten"]), (4, 5))
        self.assertEqual([t["references"] for t in found["tensors"]], [2])
        self.assertEqual(found["unattributed"], 2)

    def test_columns_of_great_times(self):
        """Exact, though time and columns multiplied fit no number of 64 bits."""
        for times in ((2 ** 62, 2 ** 63 - 1), (2 ** 62 - 1, 2 ** 63 - 1), (3 * 2 ** 61, 2 ** 63 - 1)):
            m = Map("refs", "warp", [("clock", "u64"), ("addr", "u64")], [[(t, 4096) for t in times]], 2)
            row = self.ask(self.trace([m]), "density")["density"][0]
            self.assertEqual([i for i, n in enumerate(row) if n], [t * len(row) // 2 ** 63 for t in times])

    def test_one_sample_before_the_last(self):
        m = Map("ticks", "warp", [("clock", "u64")], [[(10,), (20,), (15,)]], 3)
        root = self.trace([m])
        self.assertEqual(self.ask(root, "progress")["backward"], 1)
        self.assertRegex(truth.run("neutrino", root, "progress"), r"\b1 sample goes back in time\b")

    def test_samples_at_the_same_time(self):
        m = Map("ticks", "warp", [("clock", "u64")], [[(10,), (10,), (13,)]], 3)
        found = self.ask(self.trace([m]), "progress")
        self.check({name: found[name] for name in ("deltas", "backward", "least_delta", "most_delta", "mean_delta")},
                   {"deltas": 2, "backward": 0, "least_delta": 0, "most_delta": 3,
                    "mean_delta": truth.fractions.Fraction(3, 2)})

    # ---- the log ----

    def test_a_launch_that_could_not_be_saved_is_over(self):
        """What follows, if its own first lines are lost, is of another launch."""
        m = Map("m", "warp", [("clock", "u64")], [[(1,)]])
        log = """\
[exec] funcmap-find 0x1 success
[exec] 5 param 1\u0020
[exec] grid 1 1 1 block 32 1 1 shared 0
[exec] can't-save ./trace/result/1.000000.bin
[exec] prologue 1.000000 kernel 2.000000 epilogue 0.000000 ratio 1.000000
"""
        rows = self.ask(self.trace([m], log=log), "launches")["launches"]
        self.assertEqual([(r["outcome"], r["kernel_ms"]) for r in rows], [("cant-save", None), ("unfinished", 2)])

    def test_the_newest_of_several(self):
        """By the newest file of each, be it the log or one of its records."""
        m = Map("m", "warp", [("clock", "u64")], [[(1,)]])
        for log_a, bin_a, newest in ((100, 300, "a"), (300, 100, "a"), (100, 150, "b"), (150, 100, "b")):
            for name, times in (("a", (log_a, bin_a)), ("b", (200, 200))):
                root = self.trace([m], name=f"runs/{name}")
                for at, time in zip(("event.log", "result/1.000000.bin"), times):
                    os.utime(root / at, (time, time))
            found = self.ask(self.scratch / "runs")
            self.assertEqual(found["trace"]["path"], str(self.scratch / "runs" / newest))

    def test_the_process(self):
        """As the log says; where it does not, as the folder's name says."""
        for log, pid in (("[init] pid 77\n", "77"), ("[init] success\n", "4242")):
            root = self.trace([Map("m", "warp", [("clock", "u64")], [[(1,)]])], log=log)
            self.assertEqual(self.ask(root)["trace"]["pid"], pid)

    def test_what_a_launch_took(self):
        """Kernels come by the time of the kernel itself, not of its probe; a clock that was set back gives a time below 0."""
        text = ""
        for i, (name, before, kernel) in enumerate((("slow_probe", "90.000000", "1.000000"),
                                                    ("slow_kernel", "-1.500000", "2.000000"))):
            text += f"""\
[mod] cuModuleGetFunction func 0x{i} mod 0x1 name {name}
[exec] funcmap-find 0x{i} success
[exec] {i + 1} param 1\u0020
[exec] grid 1 1 1 block 32 1 1 shared 0
[exec] probe-mem 1 (bytes)
[exec] succeed 0
[exec] save ./trace/result/{i + 1}.000000.bin size 9
[exec] prologue {before} kernel {kernel} epilogue 0.000000 ratio 1.000000
"""
        root = self.scratch / "Nov14_221320_4242"
        root.mkdir()
        (root / "event.log").write_text(text)
        rows = self.ask(root, "overhead")["overhead"]
        self.check([(r["func"], r["total_kernel_ms"], r["total_ms"]) for r in rows], [("0x1", 2, 0.5), ("0x0", 1, 91)])
        self.check([r["prologue_ms"] for r in self.ask(root, "launches")["launches"]],
                   [truth.fractions.Fraction(90), truth.fractions.Fraction(-3, 2)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
