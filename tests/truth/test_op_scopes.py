"""Where ops of XSpaces come from: parts of scopes as JAX and TensorFlow write them, and which of several sources says it."""
import sys

import hlo
import truth
from proto_writer import Plane, xspace

KEYS = "instruction,phase,module,op,shape,source"


def program(key, module, *instructions, name=None):
    """A metadata plane with one program; `instructions`: name, scope, file, line."""
    made = [hlo.instruction(n, called, "add", b"", hlo.op_metadata(scope, file, line))
            for n, (called, scope, file, line) in enumerate(instructions, 1)]
    plane = Plane("/host:metadata", first_event_id=key)
    name = f"{module}({key})" if name is None else name
    plane.event_metadata(name, stats=[("Hlo Proto", hlo.module(module, key, hlo.computation(1, "main", *made)))])
    return plane


class Scopes(truth.Case):
    def places(self, *planes, by=KEYS):
        """{last name of each path: the others by key}, modules as a list."""
        found = truth.loads(truth.run("ops", self.write("a.xplane.pb", xspace(planes)), "--by", by, "--json", "--limit", "0"))
        path, leaves = [], []
        for at, g in enumerate(found["groups"]):
            path[g["depth"]:] = [(g["by"], g["name"])]
            if at + 1 == len(found["groups"]) or found["groups"][at + 1]["depth"] <= g["depth"]:
                leaves.append([[name for key, name in path if key == wanted] for wanted in by.split(",")])
        return leaves

    def of_tpu(self, *scopes, stat="tf_op"):
        """Phase, modules, op and shapes of an op of each of the scopes."""
        plane, found = Plane("/device:TPU:0"), {}
        plane.line("XLA Ops", 0, [plane.event(f"fusion.{n}", 100 * n, 50) for n in range(len(scopes))])
        for n, scope in enumerate(scopes):
            plane.event_metadata(f"fusion.{n}", stats=[(stat, scope), ("hlo_category", "loop fusion")])
        for (name,), (phase,), modules, (op,), (shape,), _ in self.places(plane):
            found[int(name.split(".")[1])] = (phase, modules, op, shape)
        return [found[n] for n in range(len(scopes))]

    def test_parts(self):
        none, forward, backward = "", "forward", "backward"
        cases = {
            "jit(f)/jit(main)/Net/dot_general": (none, ["Net"], "dot_general"),
            "jit(f)/pjit(g)/Net/add": (none, ["Net"], "add"),
            "jit(f)/jvp(Net)/add": (forward, ["Net"], "add"),
            "jit(f)/transpose(jvp(Net))/add": (backward, ["Net"], "add"),
            "jit(f)/vmap(jvp(remat(Net)))/add": (none, ["Net"], "add"),  # what is differentiated lies in another transformation
            "jit(f)/jvp(vmap(checkpoint(Net)))/add": (forward, ["Net"], "add"),
            "jit(f)/jvp(A)/transpose(jvp(B))/add": (backward, ["A", "B"], "add"),
            "jit(f)/transpose(jvp(B))/jvp(A)/add": (backward, ["B", "A"], "add"),
            "jit(f)/jvp()/A/add": (forward, ["A"], "add"),
            "jit(f)/transpose(jvp())/A/add": (backward, ["A"], "add"),
            "jit(f)/vmap()/A/transpose": (none, ["A"], "transpose"),
            "jit(f)/while/body/A/while/cond/lt": (none, ["A"], "lt"),
            "jit(f)/closed_call/A/checkpoint/remat/rematted_computation/B/core_call/xla_call/exp": (none, ["A", "B"], "exp"),
            "jit(f)/shard_map/custom_jvp_call/A/custom_vjp_call/custom_vjp_call_jaxpr/scan/pjit/max": (none, ["A"], "max"),
            "jit(f)/while_loop/bodywork/add": (none, ["while_loop", "bodywork"], "add"),
            "jit(f)/a//b/add": (none, ["a", "b"], "add"),
            "/a/add": (none, ["a"], "add"),
            "jvp(a/b/c)/add": (forward, ["a/b/c"], "add"),
            "add": (none, [""], "add"),
            "jit(f)": (none, [""], "jit(f)"),
            "": (none, [""], "")}
        self.assertEqual(self.of_tpu(*cases), [(*wanted, "") for wanted in cases.values()])

    def test_types_and_shapes_of_tensorflow(self):
        cases = {
            "model/dense/MatMul:MatMul": (["model", "dense"], "MatMul", ""),
            "model/dense/product:MatMul": (["model", "dense"], "MatMul", ""),
            "model/dense/add:": (["model", "dense"], "add", ""),
            "a:b/dense/add": (["a:b", "dense"], "add", ""),
            "a/b:c:Relu": (["a"], "Relu", ""),
            "model/product:MatMul#shape=(float[4,8])#": (["model"], "MatMul", "(float[4,8])"),
            "model/product:MatMul#id=7,shape=(float[4])#": (["model"], "MatMul", ""),
            "model/product:MatMul#shape=(float[4,8])": (["model"], "MatMul", "(float[4,8])"),
            "product:MatMul#shape=()#": ([""], "MatMul", "()")}
        self.assertEqual(self.of_tpu(*cases), [("", *wanted) for wanted in cases.values()])

    def gpu(self, *events):
        """`events`: (name, stats, stats of its metadata); each stands in a kernel of its own."""
        plane = Plane("/device:GPU:0")
        plane.line("Stream #1(Compute)", 0, [plane.event(name, 100 * n, 99 - n, stats) for n, (name, stats, _) in enumerate(events)])
        for name, _, own in events:
            plane.event_metadata(name, stats=own)
        return plane

    def test_who_says_the_scope(self):
        """The event, by its name before its tf_op; else the metadata of the op; else the program. XlaModule: is no scope."""
        programs = program(7, "jit_f", ("add.1", "P/x/add", "p.py", 3), ("add.2", "", "", 0))
        ids = [("hlo_op", "add.1"), ("program_id", 7)]
        cases = [([("name", "N/n"), ("tf_op", "T/t")], [("tf_op", "M/m")], (["N"], "n")),
                 ([("tf_op", "T/t")], [("tf_op", "M/m")], (["T"], "t")), ([], [("tf_op", "M/m")], (["M"], "m")),
                 ([("tf_op", "XlaModule:")], [("tf_op", "M/m")], (["M"], "m")), ([("name", ""), ("tf_op", "T/t")], [], (["T"], "t")),
                 ([("name", "P/y"), *ids], [], (["P"], "y")), ([("name", "P/x"), *ids], [], (["P", "x"], "add")),
                 ([("name", "P"), *ids], [], (["P", "x"], "add")), (ids, [], (["P", "x"], "add")),
                 ([("tf_op", "XlaModule:"), *ids], [], (["P", "x"], "add")), ([("name", "Q"), *ids], [], ([""], "Q")),
                 ([("hlo_op", "add.2"), ("program_id", 7)], [], ([""], ""))]
        events = [(f"k{n}", stats, own) for n, (stats, own, _) in enumerate(cases)]
        found = {kernel[0]: (modules, op) for kernel, modules, (op,) in self.places(self.gpu(*events), programs, by="kernel,module,op")}
        self.assertEqual(found, {f"k{n}": wanted for n, (_, _, wanted) in enumerate(cases)})

    def test_who_says_the_line(self):
        programs = program(7, "jit_f", ("add.1", "a", "p.py", 3), ("add.2", "a", "", 4))
        ids = [("hlo_op", "add.1"), ("program_id", 7)]
        cases = [([("source", "e.py:1"), *ids], [("source", "m.py:2")], "e.py:1"), (ids, [("source", "m.py:2")], "m.py:2"),
                 (ids, [], "p.py:3"), ([("hlo_op", "add.2"), ("program_id", 7)], [], ""), ([], [("source", "m.py:2")], "m.py:2"),
                 ([("hlo_op", "gone"), ("program_id", 7)], [], "")]
        events = [(f"k{n}", stats, own) for n, (stats, own, _) in enumerate(cases)]
        found = {kernel: source for (kernel,), (source,) in self.places(self.gpu(*events), programs, by="kernel,source")}
        self.assertEqual(found, {f"k{n}": wanted for n, (_, _, wanted) in enumerate(cases)})

    def test_which_program(self):
        """That of the number; without one, or where there is none of it, that of the name, unless two are called so."""
        one = ("add.1", "One/add", "", 0)
        planes = [program(7, "jit_f", one), program(8, "jit_g", ("add.1", "Eight/add", "", 0)),
                  program(3, "jit_h", ("add.1", "Named/add", "", 0), name="jit_h(9)"),
                  program(10, "jit_two", one), program(11, "jit_two", ("add.1", "Eleven/add", "", 0))]
        cases = [([("program_id", 7)], "One"), ([("program_id", 8), ("hlo_module", "jit_f")], "Eight"), ([("hlo_module", "jit_f")], "One"),
                 ([("program_id", 5), ("hlo_module", "jit_g")], "Eight"), ([("program_id", 9)], "Named"), ([("program_id", 3)], ""),
                 ([("hlo_module", "jit_two")], ""), ([("program_id", 10), ("hlo_module", "jit_two")], "One"),
                 ([("program_id", 11), ("hlo_module", "jit_two")], "Eleven"), ([("program_id", 6)], ""), ([], "")]
        events = [(f"k{n}", [("hlo_op", "add.1"), *stats], []) for n, (stats, _) in enumerate(cases)]
        found = {kernel: module for (kernel,), (module,) in self.places(self.gpu(*events), *planes, by="kernel,module")}
        self.assertEqual(found, {f"k{n}": wanted for n, (_, wanted) in enumerate(cases)})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
