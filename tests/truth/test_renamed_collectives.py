"""Instructions whose names do not say what they do: the opcode in the program counts, of whichever program it is."""
import sys

import hlo
import pair
import truth
import xspace as x

NS = pair.ORIGIN_NS["alpha"]
HLO_OP, MODULE, PROGRAM, PROTO, TEXT = 1, 2, 3, 4, 5
STATS = [x.stat_metadata(HLO_OP, "hlo_op"), x.stat_metadata(MODULE, "hlo_module"), x.stat_metadata(PROGRAM, "program_id"),
         x.stat_metadata(PROTO, "Hlo Proto"), x.stat_metadata(TEXT, "fusion.3")]
ARRAY = hlo.shape(hlo.F32, [8])


def program(name, key, **opcodes):
    """A program of these instructions, by names with _ for - and __ for a dot."""
    rows = [hlo.instruction(at, of.replace("__", ".").replace("_", "-"), opcode, ARRAY) for at, (of, opcode) in enumerate(opcodes.items())]
    return hlo.module(name, key, hlo.computation(1, "main", *rows))


def programs(*entries, kind="bytes", plane="/host:metadata"):
    """Entries are (number, name, program)."""
    return x.plane(9, plane, *(x.event_metadata(key, name, "", [x.stat(PROTO, blob, kind)]) for key, name, blob in entries), *STATS)


class Renamed(truth.Case):
    def kinds(self, events, *planes, line="Stream #1(Kernel)", device="/device:GPU:0"):
        """Of events with these stats: which communicate, of what `collectives` has."""
        rows = [x.event(1, at * 1000, 10 + at, stats) for at, stats in enumerate(events)]
        plane = x.plane(1, device, x.line(1, line, rows, NS), x.event_metadata(1, "kernel"), *STATS)
        path = self.write("a.xplane.pb", x.space(plane, *planes))
        found = truth.loads(truth.run("collectives", path, "--json", "--limit", "0"))["ops"]
        by_length = {op["total_ps"]: op["category"] for op in found if op["count"] == 1}
        if device.startswith("/device"):
            with truth.library().open(str(path)) as profile:
                kinds = [row["kind"] for row in profile.table("kernels").to_dicts()]
            # One row for each collective: what communicates adds up to the same time.
            self.assertEqual(sum(op["total_ps"] for op in found), sum(10 + at for at, kind in enumerate(kinds) if kind == "comm"))
            return kinds
        return [by_length.get(10 + at, "") for at in range(len(events))]

    def one(self, stats, *planes):
        """The category of one event of a thread of a host; a kernel of a stream communicates where that is one."""
        host = self.kinds([stats], *planes, line="worker", device="/host:CPU")
        self.assertEqual(self.kinds([stats], *planes), ["comm" if host[0] else "compute"])
        return host[0]

    def test_opcodes(self):
        """An instruction of any name may be a collective, and one of the name of a collective something else."""
        known = programs((7, "jit_f(7)", program("jit_f", 7, fusion__3="all-reduce", all_gather__1="fusion", add__2="add",
                                                 wrapped="all-gather-start", all_reduce__4="reduce-scatter")))
        for instruction, wanted in (("fusion.3", "all-reduce"), ("all-gather.1", ""), ("add.2", ""), ("wrapped", "all-gather-start"),
                                    ("all-reduce.4", "reduce-scatter"), ("all-to-all.9", "all-to-all"), ("other", "")):
            self.assertEqual(self.one([x.stat(HLO_OP, instruction), x.stat(PROGRAM, 7)], known), wanted, instruction)
            self.assertEqual(self.one([x.stat(HLO_OP, instruction), x.stat(MODULE, "jit_f")], known), wanted, instruction)
        self.assertEqual(self.one([x.stat(HLO_OP, TEXT, "ref"), x.stat(PROGRAM, 7)], known), "all-reduce")
        self.assertEqual(self.one([x.stat(PROGRAM, 7)], known), "")

    def test_which_program(self):
        """By its number, which is that of its entry or its own; else by the name of the module; else nothing is known of it."""
        known = programs((7, "jit_f(7)", program("jit_f", 70, x="all-reduce")), (8, "jit_g(8)", program("jit_g", 8, x="all-gather")))
        op = x.stat(HLO_OP, "x")
        for stats, wanted in (([x.stat(PROGRAM, 7)], "all-reduce"), ([x.stat(PROGRAM, 70)], "all-reduce"),
                              ([x.stat(PROGRAM, 8)], "all-gather"),
                              ([x.stat(PROGRAM, 9)], ""), ([x.stat(MODULE, "jit_g")], "all-gather"),
                              ([x.stat(MODULE, "jit_h")], ""), ([], ""),
                              ([x.stat(PROGRAM, 7), x.stat(MODULE, "jit_g")], "all-reduce"),
                              ([x.stat(PROGRAM, "7"), x.stat(MODULE, "jit_g")], "all-gather"),
                              ([x.stat(PROGRAM, 9), x.stat(MODULE, "jit_g")], "all-gather"), ([x.stat(PROGRAM, 8, "uint")], "all-gather")):
            self.assertEqual(self.one([op, *stats], known), wanted)

    def test_programs_that_disagree(self):
        """Of one name or number: then the name of the instruction counts."""
        known = programs((7, "a", program("jit_f", 7, x="all-reduce", same="all-gather", all_reduce__1="all-gather")),
                         (8, "b", program("jit_f", 8, x="add", same="all-gather", all_reduce__1="fusion")))
        named = x.stat(MODULE, "jit_f")
        for instruction, wanted in (("x", ""), ("same", "all-gather"), ("all-reduce.1", "all-reduce")):
            self.assertEqual(self.one([x.stat(HLO_OP, instruction), named], known), wanted)
        self.assertEqual(self.one([x.stat(HLO_OP, "x"), named, x.stat(PROGRAM, 7)], known), "all-reduce")
        self.assertEqual(self.one([x.stat(HLO_OP, "x"), named, x.stat(PROGRAM, 8)], known), "")

    def test_all_computations(self):
        """An instruction may stand in any computation of its program."""
        inner = hlo.computation(2, "inner", hlo.instruction(1, "x", "all-reduce", ARRAY))
        blob = hlo.module("jit_f", 7, hlo.computation(1, "main", hlo.instruction(2, "y", "add", ARRAY)), inner)
        self.assertEqual(self.one([x.stat(HLO_OP, "x"), x.stat(PROGRAM, 7)], programs((7, "a", blob))), "all-reduce")

    def test_what_is_no_program(self):
        """Bytes of another stat, or on a plane that is not that of programs; of two entries of one number the last counts."""
        blob = program("jit_f", 7, x="all-reduce")
        stats = [x.stat(HLO_OP, "x"), x.stat(PROGRAM, 7)]
        self.assertEqual(self.one(stats, programs((7, "a", blob), plane="/host:other")), "")
        other = x.plane(9, "/host:metadata", x.event_metadata(7, "a", "", [x.stat(TEXT, blob, "bytes")]), *STATS)
        self.assertEqual(self.one(stats, other), "")
        self.assertEqual(self.one(stats, programs((7, "a", blob), (7, "b", program("jit_g", 7, x="add")))), "")

    def test_several_at_once(self):
        """Kernels of one name run for instructions of several programs."""
        known = programs((7, "a", program("jit_f", 7, x="all-reduce")), (8, "b", program("jit_g", 8, x="add")))
        events = [[x.stat(HLO_OP, "x"), x.stat(PROGRAM, at)] for at in (7, 8, 7, 9)] + [[]]
        self.assertEqual(self.kinds(events, known), ["comm", "compute", "comm", "compute", "compute"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
