"""Parameters that could be given for results: one of each of 400 bytes, and what keeps them apart."""
import sys

import truth
from test_memory_hlo import ALIASED, CONSTANT, PARAMETER, RESULT, THREAD_LOCAL, Allocation, Buffer, Op, Program


class Donations(truth.Case):
    def given(self, parameter=PARAMETER, result=RESULT, sizes=(100, 100), colors=(0, 0), more=()):
        """(parameter, result) of each candidate; more: (flags, name) of further ones."""
        ops = [Op(1, "p", "parameter", size=sizes[0]), Op(2, "out", "copy", (1,), size=sizes[1])]
        buffers = [Buffer(1, 400, 1, colors[0]), Buffer(2, 400, 2, colors[1])]
        allocations = [Allocation(0, 400, parameter, colors[0], [(1, 0, 400)]), Allocation(1, 400, result, colors[1], [(2, 0, 400)])]
        for key, (flags, name) in enumerate(more, 3):
            ops.append(Op(key, name, "parameter" if flags & PARAMETER else "copy"))
            buffers.append(Buffer(key, 400, key))
            allocations.append(Allocation(key - 1, 400, flags, 0, [(key, 0, 400)], key))
        path = self.write("a.hlo_proto.pb", Program("jit_a", 1, {1: ("main", ops, 2)}, 1, {}, buffers, allocations, []).bytes())
        rows = truth.parsed(truth.run("memory", path, "--json"))["hlo"]["donation_candidates"]["parameters"]
        return [(row["parameter"], row["output"]) for row in rows]

    def test_what_can_be_given_for_what(self):
        self.assertEqual(self.given(), [("p", "out")])
        for why, how in (("another shape", {"sizes": (100, 50)}), ("another memory", {"colors": (0, 1)}), ("no result", {"result": 0}),
                         ("aliased", {"parameter": PARAMETER | ALIASED}), ("a result itself", {"parameter": PARAMETER | RESULT}),
                         ("a constant", {"result": RESULT | CONSTANT}), ("of a thread", {"result": RESULT | THREAD_LOCAL})):
            self.assertEqual(self.given(**how), [], why)

    def test_each_result_once(self):
        """Of more parameters than results the first have one."""
        self.assertEqual(self.given(more=[(PARAMETER, "q"), (PARAMETER, "r"), (RESULT, "second")]), [("p", "out"), ("q", "second")])
        self.assertEqual(self.given(more=[(RESULT, "second")]), [("p", "out")])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
