"""Whether it fits, and into how much; which modules are one; which allocator is the fullest."""
import sys

import proto_writer as proto
import truth
import xspace as x
from test_memory_hlo import PARAMETER, Allocation, Buffer, Op, Program

ZERO_NS = 1_700_000_000_000_000_000
UNITS = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
         "PiB": 2**50}


def program(name, size, key=1, color=0, op="p"):
    return Program(name, key, {1: ("main", [Op(1, op, "parameter")], 1)}, 1, {}, [Buffer(1, size, 1, color)],
                   [Allocation(0, size, PARAMETER, color, [(1, 0, size)])], [])


def embedded(*programs):
    """A plane that holds programs; each is given with its name there."""
    entries = [x.event_metadata(at, name, "", [x.stat(1, of.bytes(), "bytes")]) for at, (name, of) in enumerate(programs, 1)]
    return x.plane(1, "/host:metadata", x.stat_metadata(1, "Hlo Proto"), *entries)


def threads(*allocations):
    """A host of whose allocators each allocates once: name, bytes, how much is free then."""
    host = proto.Plane("/host:CPU", 9)
    host.line("t", ZERO_NS, [host.event("MemoryAllocation", 1_000 * at, 0, [
        ("allocator_name", name), ("addr", at), ("allocation_bytes", size), ("bytes_available", free)])
        for at, (name, size, free) in enumerate(allocations, 1)])
    return host


class Limits(truth.Case):
    def ask(self, *arguments, status=0):
        return truth.parsed(truth.run("memory", self.scratch, "--json", *arguments, status=status))

    def put(self, of, name=None):
        return self.write(f"{name or of.name}.hlo_proto.pb", of.bytes())

    def fit(self, text, *more, status=0):
        found = self.ask("--fit", text, *more, status=status)["fit"]
        return tuple(found[key] for key in ("limit_bytes", "needed_bytes", "needed_by", "fits", "spare_bytes"))

    def test_units(self):
        self.put(program("jit_a", 1))
        for unit, size in UNITS.items():
            self.assertEqual(self.fit("3" + unit)[0], 3 * size)
            if size > 1:
                self.assertEqual(self.fit("2.5" + unit)[0], 5 * size // 2)
        self.assertEqual(self.fit("0.001kB")[0], 1)
        self.assertEqual(self.fit("1.0")[0], 1)
        self.assertEqual(self.fit(str(2**64 - 1))[0], 2**64 - 1)
        for wrong in (str(2**64), "16384PiB", "1.5", "0.0001kB", "1gib", "1Kib", "1 GiB", "-1", "1.2.3GiB", "GiB", ".5kB", "1e3", "x",
                      "1KiB "):
            truth.run("memory", self.scratch, f"--fit={wrong}", status=2)

    def test_the_largest_of_all_modules(self):
        """Unless one is asked for; a space is that of the question."""
        self.put(program("jit_a", 2000))
        self.put(program("jit_b", 3000, 2))
        self.put(program("jit_c", 9000, 3, 1))
        self.assertEqual(self.fit("3000"), (3000, 3000, "jit_b(2)", True, 0))
        self.assertEqual(self.fit("2999", status=1), (2999, 3000, "jit_b(2)", False, -1))
        self.assertEqual(self.fit("2500", "--module", "jit_a"), (2500, 2000, "jit_a(1)", True, 500))
        self.assertEqual(self.fit("8999", "--space", "1", status=1), (8999, 9000, "jit_c(3)", False, -1))

    def test_what_was_filled_at_run_time(self):
        """Devices fill space 0; memory of the host is no device's. Of the same size the program is named."""
        self.put(program("jit_a", 2000))
        self.write("a.xplane.pb", proto.xspace([proto.Plane("/device:TPU:0", 1), proto.Plane("/device:TPU:1", 2), threads(
            ("TPU_0_bfc", 1_000, 0), ("TPU_1_bfc", 2_500, 0), ("pinned_host", 9_000, 0))]))
        self.assertEqual(self.fit("2500"), (2500, 2500, "/device:TPU:1 at run time", True, 0))
        self.assertEqual(self.fit("2499", status=1)[3:], (False, -1))
        self.assertEqual(self.fit("2000", "--no-runtime"), (2000, 2000, "jit_a(1)", True, 0))
        self.assertEqual(self.fit("2499", "--module", "jit_a")[1:3], (2000, "jit_a(1)"))
        self.put(program("jit_a", 2500))
        self.assertEqual(self.fit("2500")[1:3], (2500, "jit_a(1)"))

    def modules(self):
        return [(m["label"], m["program_id"], m["differs_from"] is not None, [s["same_bytes"] for s in m["sources"]])
                for m in self.ask()["modules"]]

    def test_modules_that_are_one(self):
        """Of the same bytes, or of the same name, id and memory."""
        self.put(program("jit_a", 2000, 7), "first")
        self.put(program("jit_a", 2000, 7), "second")
        self.assertEqual(self.modules(), [("jit_a(7)", "7", False, [True, True])])
        self.put(program("jit_a", 2000, 7, op="other"), "second")
        self.assertEqual(self.modules(), [("jit_a(7)", "7", False, [True, False])])
        self.put(program("jit_a", 2000, 8), "second")
        self.assertEqual(self.modules(), [("jit_a(7)", "7", False, [True]), ("jit_a(8)", "8", False, [True])])
        self.put(program("jit_b", 2000, 7), "second")
        self.assertEqual([m[0] for m in self.modules()], ["jit_a(7)", "jit_b(7)"])
        self.put(program("jit_a", 2001, 7), "second")
        self.assertEqual(self.modules(), [("jit_a(7)", "7", True, [True]), ("jit_a(7)", "7", False, [True])])

    def test_ids_that_names_end_in(self):
        """A number in parentheses at the end is the program's id; else the module has its own."""
        for entry, expected in (("jit_a(12)", "12"), ("jit_a(-12)", "-12"), ("jit_a(1)(2)", "2"), ("jit_a(x)", "7"), ("jit_a()", "7"),
                                ("jit_a(-)", "7"), ("jit_a(1) ", "7"), ("jit_a", "7"), ("jit_a(1-2)", "7")):
            self.write("a.xplane.pb", x.space(embedded((entry, program("jit_a", 2000, 7)))))
            module, = self.ask()["modules"]
            self.assertEqual((module["program_id"], module["label"]), (expected, entry if expected != "7" else "jit_a(7)"), entry)

    def test_two_programs_of_one_name_and_number(self):
        """Each program of a process has an id; two ids are two programs, with other memory or not."""
        for size in (2000, 2001):
            self.write("a.xplane.pb", x.space(embedded(
                ("jit_a(1)", program("jit_a", 2000, 7)), ("jit_a(2)", program("jit_a", size, 7, op="q")))))
            self.assertEqual(sorted(m[:3] for m in self.modules()), [("jit_a(1)", "1", False), ("jit_a(2)", "2", False)])

    def test_a_program_without_buffers(self):
        """One that has them wins; where none has, the document says so."""
        self.write("a.hlo_proto.pb", proto.text(1, proto.text(1, "jit_a") + proto.number(5, 7)))
        found = self.ask()
        self.assertEqual((found["hlo"], found["hlo_absent_reason"]), (None, "no_buffer_assignment"))
        self.assertEqual([(m["label"], m["has_buffer_assignment"]) for m in found["modules"]], [("jit_a(7)", False)])
        self.put(program("jit_a", 2000, 7), "b")
        found = self.ask()
        self.assertEqual([(m["label"], m["has_buffer_assignment"], len(m["sources"])) for m in found["modules"]], [("jit_a(7)", True, 2)])
        self.assertEqual(found["hlo"]["static_peak_bytes"], 2000)

    def test_why_nothing_is_known_of_run_time(self):
        device = proto.Plane("/device:TPU:0", 1)
        other = proto.Plane("/host:CPU", 2)
        other.line("t", ZERO_NS, [other.event("MemoryAllocations", 5)])
        for planes, reason in (([device], "host_plane_absent"), ([device, other], "no_memory_events")):
            self.write("a.xplane.pb", proto.xspace(planes))
            found = self.ask()
            self.assertEqual((found["runtime"], found["runtime_absent_reason"], found["hlo_absent_reason"]),
                             (None, reason, "no_hlo_proto_pb"))
        self.write("a.xplane.pb", proto.xspace([device, threads(("TPU_0_bfc", 5, 0))]))
        self.assertEqual(self.ask()["runtime"]["peak"]["bytes_total"], 5)

    def test_the_fullest(self):
        """By what is reserved and allocated, not by what is free; of equal ones the first, a device before the host's memory."""
        planes = [proto.Plane("/device:TPU:0", 1), proto.Plane("/device:TPU:1", 2)]
        for allocations, name in (((("TPU_0_bfc", 5, 900), ("TPU_1_bfc", 6, 0)), "TPU_1_bfc"),
                                  ((("TPU_1_bfc", 6, 0), ("TPU_0_bfc", 6, 900)), "TPU_1_bfc"),
                                  ((("host_pool", 9, 0), ("TPU_1_bfc", 6, 0), ("TPU_0_bfc", 5, 0)), "TPU_1_bfc"),
                                  ((("host_pool", 6, 0), ("cpu_pool", 7, 0)), "cpu_pool"),
                                  ((("other", 9, 0), ("TPU_1_bfc", 6, 0)), "other")):
            self.write("a.xplane.pb", proto.xspace([*planes, threads(*allocations)]))
            self.assertEqual(self.ask()["runtime"]["pool"]["allocator"], name, allocations)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
