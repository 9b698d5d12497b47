"""Small programs, each for one question about compiled memory: which wins of two, what counts, what is left alone."""
import sys

import proto_writer as proto
import truth
import xspace as x
from test_memory_hlo import ALIASED, PARAMETER, RESULT, Allocation, Buffer, Op, Program


def program(name, ops, buffers, allocations, traces=(), key=1):
    return Program(name, key, {1: ("main", ops, ops[-1].key)}, 1, {1: [o.key for o in ops]}, buffers, allocations,
                   list(traces))


def plain(name, kept, temp, peak, key=1):
    """`kept` bytes for parameters, a pool of `temp` bytes of which `peak` are used at once."""
    return program(name, [Op(1, "p", "parameter"), Op(2, "dot", "dot", (1,))], [Buffer(1, kept, 1), Buffer(2, peak, 2)],
                   [Allocation(0, kept, PARAMETER, 0, [(1, 0, kept)]), Allocation(1, temp, 0, 0, [(2, 0, peak)])],
                   [[("a", 2, 0, "dot"), ("f", 2, 0, "dot")]], key)


class Questions(truth.Case):
    def ask(self, *arguments, status=0):
        return truth.parsed(truth.run("memory", self.scratch, "--json", *arguments, status=status))

    def put(self, of):
        self.write(f"{of.name}.hlo_proto.pb", of.bytes())

    def test_the_module_with_the_highest_peak_comes_first(self):
        """The peak decides, then what is assigned, then the name."""
        self.put(plain("jit_a", 100, 900, 100))
        self.put(plain("jit_b", 100, 500, 300))
        self.put(plain("jit_d", 100, 600, 300, 4))
        self.put(plain("jit_c", 100, 600, 300, 3))
        found = self.ask()
        self.assertEqual([m["name"] for m in found["modules"]], ["jit_c", "jit_d", "jit_b", "jit_a"])

    def test_modules_are_named_by_their_number_too(self):
        self.put(plain("jit_a", 100, 900, 100, 17))
        self.put(plain("jit_b", 100, 500, 300, 23))
        for wanted, name in (("17", "jit_a"), ("23", "jit_b"), ("jit_a", "jit_a"), ("t_a", "jit_a")):
            self.assertTrue(self.ask("--module", wanted)["hlo"]["module"].startswith(name), wanted)

    def test_of_modules_that_need_the_same_the_first_is_named(self):
        self.put(plain("jit_a", 100, 500, 300))
        self.put(plain("jit_b", 100, 500, 300, 2))
        self.put(plain("jit_c", 100, 400, 300, 3))
        found = self.ask("--fit", "600")
        self.assertEqual((found["fit"]["needed_bytes"], found["fit"]["fits"]), (600, True))
        self.assertTrue(found["fit"]["needed_by"].startswith("jit_a"), found["fit"]["needed_by"])

    def test_a_peak_at_the_first_event(self):
        self.put(program("jit_a", [Op(1, "iota", "iota"), Op(2, "dot", "dot", (1,))],
                         [Buffer(1, 50, 1), Buffer(2, 20, 2)], [Allocation(0, 70, 0, 0, [(1, 0, 50), (2, 50, 20)])],
                         [[("a", 1, 0, "iota"), ("f", 1, 0, "dot"), ("a", 2, 0, "dot"), ("f", 2, 0, "dot")]]))
        space = self.ask()["modules"][0]["spaces"][0]
        self.assertEqual((space["peak_event"], space["peak_bytes"], space["peak_instruction"]), (0, 50, "iota"))

    def test_what_stays_all_the_way_is_the_floor(self):
        """From the schedule: one buffer lives from the first instruction to the result, which reads it."""
        self.put(program("jit_a", [Op(1, "iota", "iota"), Op(2, "dot", "dot", (1,)), Op(3, "add", "add", (1, 2))],
                         [Buffer(1, 50, 1), Buffer(2, 20, 2)], [Allocation(0, 70, 0, 0, [(1, 0, 50), (2, 50, 20)])]))
        space = self.ask()["modules"][0]["spaces"][0]
        self.assertEqual((space["method"], space["temp_floor_bytes"], space["temp_peak_bytes"]),
                         ("schedule_sweep", 50, 70))

    def test_donations(self):
        """The greatest first; what is aliased already, or has no result of its size, is no candidate."""
        ops = [Op(1, "small", "parameter", size=25), Op(2, "big", "parameter"), Op(3, "given", "parameter", size=50),
               Op(4, "odd", "parameter", size=7), Op(5, "out.25", "copy", (1,), size=25),
               Op(6, "out.100", "copy", (2,)), Op(7, "out.50", "copy", (3,), size=50), Op(8, "out", "tuple", (5, 6, 7))]
        buffers = [Buffer(k, 4 * ops[k - 1].size, k) for k in range(1, 8)]
        flags = [PARAMETER, PARAMETER, PARAMETER | ALIASED, PARAMETER, RESULT, RESULT, RESULT]
        allocations = [Allocation(k - 1, 4 * ops[k - 1].size, flags[k - 1], 0, [(k, 0, 4 * ops[k - 1].size)], k - 1)
                       for k in range(1, 8)]
        self.put(program("jit_a", ops, buffers, allocations))
        rows = self.ask()["hlo"]["donation_candidates"]["parameters"]
        self.assertEqual([(r["parameter_number"], r["parameter"], r["output"], r["saved_bytes"]) for r in rows],
                         [(1, "big", "out.100", 400), (0, "small", "out.25", 100)])

    def test_donations_of_parts(self):
        """A parameter of two arrays, of which each has the size of another part of the result."""
        class Arguments(Op):
            def bytes(self):
                elements = b"".join(proto.text(4, proto.number(2, 11) + proto.packed(3, [n]) + proto.text(5, proto.packed(1, [0])))
                                    for n in (25, 100))
                shape = proto.text(3, proto.number(2, 13) + elements)
                return proto.text(1, self.name) + proto.text(2, self.opcode) + shape + proto.number(35, self.key)

        ops = [Arguments(1, "args", "parameter"), Op(2, "first", "get-tuple-element", (1,), size=25, index=0),
               Op(3, "second", "get-tuple-element", (1,), index=1), Op(4, "out.100", "copy", (3,)), Op(5, "out.25", "copy", (2,), size=25),
               Op(6, "out", "tuple", (4, 5))]
        self.put(program("jit_a", ops, [Buffer(1, 100, 1, 0, (0,)), Buffer(2, 400, 1, 0, (1,)), Buffer(3, 400, 4), Buffer(4, 100, 5)], [
            Allocation(0, 100, PARAMETER, 0, [(1, 0, 100)], 0, (0,)), Allocation(1, 400, PARAMETER, 0, [(2, 0, 400)], 0, (1,)),
            Allocation(2, 400, RESULT, 0, [(3, 0, 400)]), Allocation(3, 100, RESULT, 0, [(4, 0, 100)])]))
        self.check(self.ask()["hlo"]["donation_candidates"], {"n_parameters": 2, "saved_bytes": 500, "parameters": [
            {"parameter_number": 0, "parameter_shape_index": [1], "parameter": "args", "output": "out.100", "output_shape_index": [0],
             "shape": "f32[100]{0}", "saved_bytes": 400},
            {"parameter_number": 0, "parameter_shape_index": [0], "parameter": "args", "output": "out.25", "output_shape_index": [1],
             "shape": "f32[25]{0}", "saved_bytes": 100}]})

    def test_events_of_buffers_without_a_place(self):
        """They count nothing: neither of a buffer that no allocation has, nor of one that is not there."""
        buffers = [Buffer(1, 100, 1), Buffer(2, 30, 2), Buffer(3, 500, 2)]
        self.put(program("jit_a", [Op(1, "p", "parameter"), Op(2, "dot", "dot", (1,))], buffers, [
            Allocation(0, 100, PARAMETER, 0, [(1, 0, 100)]), Allocation(1, 50, 0, 0, [(2, 0, 30)])], [
                [("a", 3, 0, "dot"), ("a", 2, 0, "dot"), ("a", 77, 0, "dot"), ("f", 2, 0, "dot"), ("f", 3, 0, "dot")]]))
        space, = self.ask()["modules"][0]["spaces"]
        self.assertEqual((space["trace_events"], space["trace_events_ignored"], space["peak_event"], space["peak_bytes"]), (5, 3, 1, 130))

    def capture(self, host, of, more=b""):
        space = x.space(x.plane(1, "/host:metadata", x.stat_metadata(1, "Hlo Proto"), x.event_metadata(
            of.key, f"{of.name}({of.key})", "", [x.stat(1, of.bytes() + more, "bytes")])))
        return self.write(f"{host}.xplane.pb", space), space.index(of.bytes())

    def test_one_program_with_other_memory(self):
        """The one that is met later differs from the first, whichever needs more. Of a host that has the same there is one module."""
        first, second = plain("jit_a", 100, 500, 300, 7), plain("jit_a", 100, 600, 300, 7)
        for small, large in (("a", "b"), ("b", "a")):
            paths = {host: str(self.capture(host, of)[0]) for host, of in ((small, first), (large, second))}
            self.capture("c", first if small == "a" else second)
            modules = [(m["source"], m["differs_from"], len(m["sources"])) for m in self.ask()["modules"]]
            self.assertEqual(modules, sorted([  # what needs more comes first
                (paths["a"], None, 2), (paths["b"], f"jit_a(7) in {paths['a']}", 1)], key=lambda m: m[0] != paths[large]))

    def test_a_program_that_breaks_off(self):
        """After all that it has, a field that says it is longer than what is left: what is intact counts."""
        of = plain("jit_a", 100, 500, 300, 7)
        path, start = self.capture("a", of, b"\x1a\x7f")
        found = self.ask(status=5)
        module, = found["modules"]
        size = len(of.bytes())
        message = f"the HloProto is damaged: a top-level field breaks off at byte {size}, a whole protobuf field was expected"
        hint = "what is intact was analysed; capture or dump the module again for the rest"
        self.assertEqual(tuple(module["damage"][key] for key in ("code", "message", "byte_offset", "hint", "path")),
                         ("damaged", message, size, hint, str(path)))
        self.check(found["damage"], [{"file": 0, "code": "damaged", "path": str(path), "message": f"jit_a(7): {message}",
                                      "byte_offset": start + size, "hint": hint}])
        self.assertEqual(found["hlo"]["static_peak_bytes"], 600)

    def test_the_source_that_an_instruction_names_itself(self):
        """A stack frame is looked up only where it names none."""
        class Framed(Op):
            def bytes(self):
                about = proto.text(2, self.op_name) + proto.text(3, "own.py") + proto.number(4, 31)
                about += proto.number(15, 1)
                return super().bytes() + proto.text(7, about)

        self.put(program("jit_a", [Framed(1, "iota", "iota"), Op(2, "dot", "dot", (1,))], [Buffer(1, 50, 1)],
                         [Allocation(0, 50, 0, 0, [(1, 0, 50)])], [[("a", 1, 0, "iota"), ("f", 1, 0, "dot")]]))
        row = self.ask()["hlo"]["alive_at_peak"]["buffers"][0]
        self.assertEqual((row["source_file"], row["source_line"]), ("own.py", 31))

    def test_equal_buffers_alive_at_the_peak(self):
        """The greatest first, however they are listed."""
        sizes = [10, 40, 20, 40]
        ops = [Op(1 + k, f"op.{k}", "iota") for k in range(4)]
        self.put(program("jit_a", ops, [Buffer(1 + k, s, 1 + k) for k, s in enumerate(sizes)],
                         [Allocation(0, 110, 0, 0, [(1 + k, sum(sizes[:k]), s) for k, s in enumerate(sizes)])],
                         [[("a", 1 + k, 0, f"op.{k}") for k in range(4)]]))
        rows = self.ask()["hlo"]["alive_at_peak"]["buffers"]
        self.assertEqual([(r["size_bytes"], r["logical_buffer_id"]) for r in rows],
                         [(40, 2), (40, 4), (20, 3), (10, 1)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
