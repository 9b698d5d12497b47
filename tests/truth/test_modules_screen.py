"""`modules` as text: the list, what stands beside a module, and the instructions of one in both orders."""
import sys

import hlo
import truth
from proto_writer import Plane, xspace
from screens import table

LIST = [">file", "module", ">id", ">computations", ">instructions", ">size", "file beside it", ""]
INSTRUCTIONS = [">", "opcode", "name", "shape", "op_name", "source"]
STEP, EVAL = hlo.proto("jit_step", 7), hlo.proto("jit_eval", 9, extra=True)
UNCHECKED = ["", "events not checked: `profkit info` reads all of them"]


def space(*modules, host="a"):
    plane = Plane("/host:metadata", 12)
    for name, blob in modules:
        plane.event_metadata(name, stats=[("Hlo Proto", blob)])
    return xspace([plane], [host])


def row(name, number, computations, instructions, blob, file="", beside="", damage=""):
    return [file, name, number, computations, instructions, f"{len(blob)} B", beside, damage]


class ModulesScreen(truth.Case):
    def ask(self, path, *options, status=0):
        return truth.run("modules", path, *options, status=status).splitlines()

    def test_order_and_limit(self):
        """The largest first, of one size the first of the file; as many as are asked for."""
        other = hlo.proto("jit_stop", 8)
        path = self.write("a.xplane.pb", space(("jit_step(7)", STEP), ("jit_eval(9)", EVAL), ("jit_stop(8)", other)))
        self.assertEqual(len(other), len(STEP))
        rows = [row("jit_eval(9)", 9, 2, 4, EVAL), row("jit_step(7)", 7, 2, 3, STEP), row("jit_stop(8)", 8, 2, 3, other)]
        for options, shown in (((), 3), (("--limit", 1), 1), (("--limit", 2), 2), (("--limit", 3), 3), (("--limit", 0), 3)):
            self.assertEqual(self.ask(path, *options), [
                "3 HLO modules, largest first", *table(LIST, *rows[:shown], indent=2),
                *([f"  … {3 - shown} more (--limit 0 shows all)"] if shown < 3 else []), *UNCHECKED])

    def test_one(self):
        path = self.write("a.xplane.pb", space(("jit_step(7)", STEP)))
        rows = [row("jit_step(7)", 7, 2, 3, STEP)]
        self.assertEqual(self.ask(path), ["1 HLO module, largest first", *table(LIST, *rows, indent=2), *UNCHECKED])

    def test_a_damaged_one_among_sound_ones(self):
        """It is listed with its size, the others as ever; one that is asked for alone is all that there is."""
        broken = EVAL[:-3]
        path = self.write("a.xplane.pb", space(("jit_eval(9)", broken), ("jit_step(7)", STEP)))
        rows = [row("jit_eval(9)", 0, 0, 0, broken, damage="damaged"), row("jit_step(7)", 7, 2, 3, STEP)]
        expected = ["2 HLO modules, largest first", *table(LIST, *rows, indent=2)]
        self.assertEqual(self.ask(path, status=5), expected)
        self.assertEqual(self.ask(path, "--limit", 1, status=5),
                         [expected[0], *table(LIST, rows[0], indent=2), "  … 1 more (--limit 0 shows all)"])
        self.assertEqual(self.ask(path, "--strict", status=4), expected)
        self.assertEqual(self.ask(path, "--dump", "jit_eval", status=4), [])
        self.assertEqual(self.ask(path, "--dump", "jit_step", status=5)[0], "jit_step(7)  entry computation main, 2 instructions")
        said = truth.run("modules", path, status=5, stderr=True)
        self.assertEqual(said.count("module 'jit_eval(9)' is no whole HloProto"), 1)

    def test_files_beside(self):
        """The word stands at the module that has one; another program is a row of its own, of another file."""
        changed = hlo.proto("jit_eval", 9)
        self.write("run/a.xplane.pb", space(("jit_step(7)", STEP), ("jit_eval(9)", EVAL)))
        self.write("run/one.hlo_proto.pb", STEP)
        self.write("run/two.hlo_proto.pb", changed)
        rows = [row("jit_eval(9)", 9, 2, 4, EVAL, 0, "differs"), row("jit_step(7)", 7, 2, 3, STEP, 0, "same_bytes"),
                row("two", 9, 2, 3, changed, 2)]
        self.assertEqual(self.ask(self.scratch / "run"), ["3 HLO modules, largest first", *table(LIST, *rows, indent=2), *UNCHECKED])

    def test_two_files(self):
        for name, blob in (("a", STEP), ("b", EVAL)):
            self.write(f"run/{name}.xplane.pb", space((f"jit_{name}", blob), host=name))
        rows = [row("jit_b", 9, 2, 4, EVAL, 1), row("jit_a", 7, 2, 3, STEP, 0)]
        self.assertEqual(self.ask(self.scratch / "run"), ["2 HLO modules, largest first", *table(LIST, *rows, indent=2), *UNCHECKED])
        self.assertEqual(self.ask(self.scratch / "run", "--host", "a"),
                         ["1 HLO module, largest first", *table(LIST, rows[1], indent=2), *UNCHECKED])


class EntryScreen(truth.Case):
    ARRAY = hlo.shape(hlo.F32, [4], hlo.layout([0]))

    def dump(self, order, *options):
        """Of a program of three instructions, which run in that order."""
        ops = [hlo.instruction(10, "p", "parameter", self.ARRAY), hlo.instruction(
            11, "add.1", "add", self.ARRAY, hlo.op_metadata("jit/add", "/src/model.py", 12), [10]),
               hlo.instruction(12, "neg.2", "negate", self.ARRAY, hlo.op_metadata("", "bare.py"), [11])]
        blob = hlo.module("jit_f", 3, hlo.computation(1, "main", *ops), hlo.schedule({1: order}) if order else b"")
        path = self.write("a.xplane.pb", space(("jit_f(3)", blob)))
        return truth.run("modules", path, "--dump", "jit_f", *options).splitlines()

    def rows(self, *order, shown=3):
        named = {10: ["parameter", "p", "f32[4]{0}", "", ""], 11: ["add", "add.1", "f32[4]{0}", "jit/add", "model.py:12"],
                 12: ["negate", "neg.2", "f32[4]{0}", "", "bare.py"]}
        lines = table(INSTRUCTIONS, *([at, *named[key]] for at, key in enumerate(order[:shown])), indent=2)
        return lines + ([f"  … {len(order) - shown} more (--limit 0 shows all)"] if shown < len(order) else [])

    def test_orders(self):
        head = ["jit_f(3)  entry computation main, 3 instructions", "", "In proto order"]
        proto = self.rows(10, 11, 12)
        self.assertEqual(self.dump([10, 11, 12]), [*head, *proto, "The schedule has the same order."])
        self.assertEqual(self.dump([11, 10, 12]), [*head, *proto, "", "In schedule order", *self.rows(11, 10, 12)])
        self.assertEqual(self.dump([10, 11]), [*head, *proto, "", "In schedule order", *self.rows(10, 11)])
        self.assertEqual(self.dump([]), [*head, *proto, "[absent] the module carries no schedule"])

    def test_limit(self):
        """Of each order by itself."""
        head = ["jit_f(3)  entry computation main, 3 instructions", "", "In proto order"]
        for limit in (1, 2):
            self.assertEqual(self.dump([12, 11], "--limit", limit), [*head, *self.rows(10, 11, 12, shown=limit), "", "In schedule order",
                                                                     *self.rows(12, 11, shown=limit)])
        self.assertEqual(self.dump([12, 11], "--limit", 3), self.dump([12, 11]))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
