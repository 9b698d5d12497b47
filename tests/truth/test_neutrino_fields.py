#!/usr/bin/env python3
"""Traces of probes whose log, description or record files are odd: what their documents say then, and where their rows stand among those of
other files."""
import ctypes
import hashlib
import sys

import arrow
import test_neutrino_more as small
import truth
import xspace as x
from test_neutrino_more import Map, record_file


def launch(function="0x1", time=5, params="1 ", file="1.000000.bin"):
    return f"""\
[exec] funcmap-find {function} success
[exec] {time} param {params}
[exec] grid 1 1 1 block 32 1 1 shared 0
[exec] probe-mem 1 (bytes)
[exec] succeed 0
[exec] save ./trace/result/{file} size 9
[exec] prologue 1.000000 kernel 2.000000 epilogue 0.000000 ratio 1.000000
"""


CLOCK = [("clock", "u64")]


@truth.needs("toml")
class Fields(truth.Case):
    trace, ask = small.SmallTraces.trace, small.SmallTraces.ask

    def test_bytes_after_the_last_map(self):
        """Of the second of two record files."""
        one = Map("m", "warp", CLOCK, [[(1,)]])
        root = self.trace([one], files={"result/2.000000.bin": record_file([one]) + b"x" * 5})
        self.assertEqual([b["trailing_bytes"] for b in self.ask(root, "maps")["bins"]], [0, 5])

    def test_lanes_that_a_cut_file_lacks(self):
        """Three lanes of two records of 8 bytes each: what is left reaches into the second lane, or into the first."""
        one = Map("m", "warp", CLOCK, [[(1,), (2,)], [(3,), (4,)], [(5,), (6,)]], 2)
        whole = record_file([one], (3, 1, 1))
        for cut, missing in ((0, 0), (16, 1), (24, 1), (32, 2), (48, 3)):
            found = self.ask(self.trace([one], whole[:len(whole) - cut]), "maps", status=5 if cut else 0)
            self.assertEqual([m["missing_lanes"] for m in found["maps"]], [missing], cut)
            self.assertEqual(["truncated" in m["flags"] for m in found["maps"]], [cut > 0])

    def test_sums(self):
        """The least of a field; and a sum that ends at the end of 64 bits."""
        for values, total, over in (((5, 7, 9), 21, False), ((1 << 63, (1 << 63) - 1), (1 << 64) - 1, False),
                                    ((1 << 63, 1 << 63, 3), (1 << 64) - 1, True)):
            one = Map("sums", "warp", [("count", "u64")], [[(v,)] for v in values])
            found = self.ask(self.trace([one], record_file([one], (len(values), 1, 1))), "bytes")
            self.assertEqual((found["overflowed"], found["total"]), (over, total))
            self.assertEqual([(f["least"], f["most"]) for f in found["totals"]], [(min(values), max(values))])
        # What is doubtful about a map stands in the documents of that map, too: it is described with two records a lane.
        for cap, flags in ((2, []), (3, ["shape_mismatch"])):
            one = Map("sums", "warp", [("count", "u64")], [[(1,)]], cap, "level = \"warp\"\nsize = 8\ncap = 2\n")
            self.check(self.ask(self.trace([one]), "bytes")["flags"], flags)

    def test_names_of_kernels(self):
        """A folder is called after the SHA-1 of the kernel's name; the hook is the line after the maps of kernel.info."""
        log, files, expected = "", {}, []
        for at, (name, named_after, hook) in enumerate((("first", "first", "/opt/hooks/read.py"), ("second", "other", ""))):
            folder = f"{at}_{hashlib.sha1(named_after.encode()).hexdigest()}"
            log += (f"[mod] cuModuleGetFunction func 0x{at + 1} mod 0x1 name {name}\n[exec] funcmap-not-find 0x{at + 1}\n"
                    f"[probe] find 0x{at + 1} name {name} bin 0x7f size 496\n[probe] rename {name} {folder}\n"
                    f"[probe] finish 0x{at + 1} name {name} n_param 1\n") + launch(f"0x{at + 1}", at + 5, file=f"{at + 1}.000000.bin")
            files[f"kernel/{folder}/kernel.info"] = f"{name}\n1\n1\n1,8\n" + (hook + "\n" if hook else "")
            expected.append((name, folder, named_after != name, hook or None))
        root = self.trace([Map("m", "warp", CLOCK, [[(1,)]])], log=log, files=files)
        self.assertEqual([(k["name"], k["folder"], k["hash_differs"], k["hook"]) for k in self.ask(root, "kernels")["kernels"]], expected)

    def test_arguments_that_another_thread_wrote_into(self):
        """What stands before that is known."""
        log = launch(params="a 1f ") + launch("0x2", 6, "b [mem] cuMemAlloc_v2 0 dptr 7f bytesize 9")
        rows = self.ask(self.trace([Map("m", "warp", CLOCK, [[(1,)]])], log=log), "launches")["launches"]
        self.assertEqual([(r["params"], r["params_torn"]) for r in rows], [(["10", "31"], False), (["11"], True)])

    def test_a_log_with_launches_that_come_twice(self):
        """None, two or all of three are there once more; a benchmark says that it is one."""
        def one(time):
            return launch(f"0x{time % 2 + 1}", time, file=f"{time}.000000.bin")
        for again, repeated in (((), 0), ((5,), 1), ((5, 6), 2), ((7, 5, 6), 3)):
            log = "[benchmark] ENABLED L2 Flush Size 1024\n" * bool(again) + "".join(one(time) for time in (5, 6, 7, *again))
            root = self.trace([Map("m", "warp", CLOCK, [[(1,)]])], log=log)
            found = self.ask(root, "log")["log"]
            self.assertEqual((found["repeated_launches"], found["benchmark"]), (repeated, bool(again)))
            said = f"{'1 launch stands' if repeated == 1 else f'{repeated} launches stand'} in the log more than once (a forked child wrote them)"
            self.check(found["warnings"], [said] * bool(again))
            self.check(self.ask(root)["trace"]["warnings"], found["warnings"])
            self.assertEqual([r["time_ns"] for r in self.ask(root, "launches")["launches"]], ["5", "6", "7"])

    def test_a_broken_description(self):
        root = self.trace([Map("m", "warp", CLOCK, [[(1,)]])])
        self.assertIsNone(self.ask(root)["trace"]["description_damage"])
        (root / "probe.toml").write_text("kernel = \"a\nb = = 3\n")
        found = self.ask(root, status=5)
        damage, = (d for d in found["damage"] if d["path"].endswith("probe.toml"))
        self.assertEqual((found["trace"]["description_damage"], damage["code"]), (damage["message"], "damaged"))

    def test_the_inventory(self):
        """Two record files of two maps each, one of which is cut; one kernel that was probed and launched twice."""
        maps = [Map("m", "warp", CLOCK, [[(1,)]]), Map("n", "warp", CLOCK, [[(2,)]])]
        whole = record_file(maps)
        log = "[mod] cuModuleGetFunction func 0x1 mod 0x1 name k\n[exec] funcmap-not-find 0x1\n[probe] find 0x1 name k bin 0x7f size 4\n"
        root = self.trace(maps, log=log + launch() + launch(time=6, file="2.000000.bin"), files={"result/2.000000.bin": whole[:-5]})
        file, = truth.parsed(truth.run("info", root, "--json", status=5))["files"]
        self.check(file["probes"], {"launches": 2, "kernels": 1, "record_files": 2, "damaged_record_files": 1, "maps": 4,
                                    "record_bytes": 2 * len(whole) - 5})

    def test_rows_beside_other_files(self):
        """Of a capture of all runs the folder of the trace is the second file."""
        one = Map("m", "warp", CLOCK, [[(7,)], [(8,)]])
        root = self.trace([one], record_file([one], (2, 1, 1)), log=launch(), name="all/z/Nov14_221320_4242")
        self.write("all/a/a.xplane.pb", x.space(x.plane(1, "p")))
        with truth.library().open(str(self.scratch / "all"), run="all") as profile:
            self.assertEqual([f.path for f in profile.files], [str(self.scratch / "all/a/a.xplane.pb"), str(root)])
            probe = profile.neutrino()
            handle = arrow.Handle.__new__(arrow.Handle)
            handle.kind, handle.at = "probe", ctypes.c_void_p(probe._handle.address)  # pylint: disable=protected-access
            for at, expected in (("probe_launches", [{"file": 1, "launch": 0, "run": "Nov14_221320_4242", "bin_position": 0}]),
                                 ("probe_records", [{"file": 1, "block": block, "lane": 0, "k": 0, "clock": 7 + block, "bin_position": 0}
                                                    for block in (0, 1)])):
                rows = arrow.table(at, handle, (0, 0))[1]
                self.assertEqual([{key: row[key] for key in expected[0]} for row in rows], expected)

    def test_two_traces(self):
        """Launches of one after those of the other; the newest run is the first file."""
        one = Map("m", "warp", CLOCK, [[(7,)]])
        self.trace([one], log=launch(time=5) + launch(time=6, file="2.000000.bin"), name="all/y/Nov14_221320_4242")
        self.trace([one], log=launch(time=7), name="all/z/Nov14_221320_4243")
        rows = [row.split(",") for row in truth.run("rows", self.scratch / "all", "probe_launches", "--run", "all").splitlines()]
        at = [rows[0].index(name) for name in ("file", "launch", "time_ns")]
        self.assertEqual([tuple(row[i] for i in at) for row in rows[1:]], [("0", "0", "7"), ("1", "0", "5"), ("1", "1", "6")])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
