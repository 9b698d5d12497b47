"""What groups of `ops --by` are called, of XSpaces and of traces; which executions have no name; and what ops do that hold others or
only begin a transfer."""
import json
import sys

import group_rows
import truth
from proto_writer import Plane, xspace
from trace_events import run

US = 1_000_000  # ps
BOUNDS = ("compute", "memory", "neither")
RATES = {"peak_teraflops_per_second": 1.0, "peak_hbm_bw_gigabytes_per_second": 1000.0}  # of each one in a picosecond


def plane(name, *ops, line="XLA Ops", rates=(), at=1):
    """`ops`: (name, shown name, length, stats of the metadata), one after the other."""
    made, now, events = Plane(name, at), 0, []
    for op, shown, length, stats in ops:
        events.append(made.event(op, now, length))
        made.event_metadata(op, shown, stats)
        now += length
    made.line(line, 0, events)
    for rate in rates:
        made.own_stat(rate, RATES[rate])
    return made


class Keys(truth.Case):
    def ask(self, path, by, *options):
        return truth.loads(truth.run("ops", path, "--by", by, "--json", "--limit", "0", *options))

    def space(self, *planes):
        return self.write("a.xplane.pb", xspace(planes))

    def names(self, path, by, *options):
        """{name: self time} of one key."""
        return {g["name"]: g["self_ps"] for g in self.ask(path, by, *options)["groups"]}

    def test_names_of_ops(self):
        """What is shown of a kernel; an instruction is only what has a category."""
        fact = [("hlo_category", "loop fusion")]
        ops = [("%fusion.1 = f32[8]{0} fusion(%p)", "", 1, fact), ("long", "short", 2, fact), ("void f<int>(int)", "", 4, []),
               ("%dot.2 = f32[] dot(%p)", "", 8, fact), ("dot", "", 16, fact), ("", "", 32, []), ("x", "void g()", 64, []),
               ("copy.3 = f32[8]", "", 128, fact), ("%fusion.1 = f32[9]{0} fusion(%q)", "", 256, fact)]
        path = self.space(plane("/device:TPU:0", *ops))
        kernels = {"fusion.1": 257, "short": 2, "f<int>(int)": 4, "dot.2": 8, "dot": 16, "(no name)": 32, "g()": 64,
                   "copy.3 = f32[8]": 128}
        self.assertEqual(self.names(path, "kernel"), kernels)
        self.assertEqual(self.names(path, "instruction"), {**{k: v for k, v in kernels.items() if v not in (4, 32, 64)}, "": 100})
        self.assertEqual(self.names(path, "category"), {"loop fusion": 511 - 100, "": 100})

    def test_places(self):
        """Lines and devices of one name are one group, whichever device or file they are of; a key inside keeps them apart."""
        one, two = (plane(f"/device:TPU:{n}", ("a", "", length, []), at=n + 1) for n, length in ((0, 1), (1, 2)))
        self.write("run/a.xplane.pb", xspace([one, two]))
        self.write("run/b.xplane.pb", xspace([plane("/device:TPU:0", ("a", "", 4, []), ("b", "", 8, []))]))
        path = self.scratch / "run"
        self.assertEqual(self.names(path, "stream"), {"XLA Ops": 15})
        self.assertEqual(self.names(path, "device"), {"/device:TPU:0": 13, "/device:TPU:1": 2})
        found = group_rows.shown(self.ask(path, "kernel,device"), "count", "self_ps")
        self.assertEqual(found, {(("kernel", "b"),): (1, 8), (("kernel", "b"), ("device", "/device:TPU:0")): (1, 8),
                                 (("kernel", "a"),): (3, 7), (("kernel", "a"), ("device", "/device:TPU:0")): (2, 5),
                                 (("kernel", "a"), ("device", "/device:TPU:1")): (1, 2)})
        self.assertEqual(self.names(path, "device", "--name", "b"), {"/device:TPU:0": 8})
        self.assertEqual(self.names(path, "kernel", "--host", "a"), {"a": 3})

    def test_programs(self):
        """By name and number; numbers of two files that are alike are one group only where the names are."""
        for host, module, length in (("a", "f", 1), ("b", "f", 2), ("c", "g", 4)):
            stats = [("program_id", 7), ("hlo_module", module)]
            self.write(f"run/{host}.xplane.pb", xspace([plane("/device:TPU:0", ("a", "", length, stats), ("b", "", 8 * length, []))]))
        self.assertEqual(self.names(self.scratch / "run", "program"), {"f(7)": 3, "g(7)": 4, "": 56})

    def test_unlinked(self):
        """Executions without a name for the first key, whatever the others are."""
        ops = [("a", "", 1, [("tf_op", "net/x")]), ("b", "", 2, []), ("c", "", 4, [("tf_op", "x"), ("source", "f.py:1")])]
        path = self.space(plane("/device:TPU:0", *ops))
        for by, wanted in (("module", (2, 6)), ("op", (1, 2)), ("source", (2, 3)), ("kernel,module", (0, 0)), ("module,kernel", (2, 6)),
                           ("op,module", (1, 2)), ("phase", (3, 7)), ("stream,phase", (0, 0)), ("step", (3, 7)), ("shape", (3, 7))):
            found = self.ask(path, by)
            self.assertEqual((found["unlinked"], found["unlinked_ps"], found["by_graph"]), (*wanted, 0), by)
            self.assertEqual((found["by"], found["count"], found["self_ps"], found["total_ps"]), (by.split(","), 3, 7, 7))

    def test_keys(self):
        """What is no key is a mistake, and so is none; one may stand twice."""
        path = self.space(plane("/device:TPU:0", ("a", "", 5, [])))
        for by in (",", "kernel,", ",kernel", "Kernel", "kernels", "kernel, op", "name"):
            for command in ("ops", "roofline"):
                said = truth.run(command, path, "--by", by, "--json", status=2, stderr=True)
                wrong = next(key for key in by.split(",") if key not in ("kernel", "op"))
                self.assertIn(f'ops are not grouped by "{wrong}"', said, by)
        found = self.ask(path, "kernel,kernel")
        self.assertEqual([(g["depth"], g["by"], g["name"], g["self_ps"], g["own_ps"]) for g in found["groups"]],
                         [(0, "kernel", "a", 5, 0), (1, "kernel", "a", 5, 5)])

    def test_what_ops_do(self):
        """Ops that hold others and halves of transfers do nothing; 60 % of the roof is enough; a rate that is missing leaves none."""
        both = lambda flops, size, category="loop fusion": [("hlo_category", category), ("flops", flops), ("bytes_accessed", size)]
        ops = [("whole", 1000, both(600, 599), "compute", 600), ("less", 1000, both(599, 598), "neither", 599),
               ("thin", 1000, both(1, 600), "memory", 600),
               ("while.1", 1000, both(900, 9, "while"), None, 0), ("call.1", 1000, both(900, 9, "call"), None, 0),
               ("conditional.1", 1000, both(900, 9, "conditional"), None, 0), ("copy-start.1", 1000, both(0, 900, "copy-start"), None, 0),
               ("copy-done.1", 1000, both(0, 900, "copy-done"), None, 0), ("all-gather.1", 1000, both(9, 900, "all-gather"), "network", 0),
               ("idle", 1000, [("hlo_category", "custom-call")], None, 0), ("none", 1000, both(0, 0), "nothing", 0)]
        for rates in (tuple(RATES), tuple(RATES)[:1], tuple(RATES)[1:], ()):
            path = self.space(plane("/device:TPU:0", *((name, "", length, stats) for name, length, stats, _, _ in ops), rates=rates))
            found = {g["name"]: g for g in self.ask(path, "kernel")["groups"]}
            for name, length, stats, bound, attainable in ops:
                g, facts = found[name], dict(stats)
                work = (length, facts["flops"], facts["bytes_accessed"]) if bound is not None else (0, 0, 0)
                self.assertEqual((g["worked_ps"], g["flops"], g["bytes"]), work, name)
                roof = bound if len(rates) == 2 and attainable > 0 else None
                self.assertEqual({key: g[key + "_bound_ps"] for key in BOUNDS}, {key: length * (key == roof) for key in BOUNDS})
                self.assertEqual(g["attainable_ps"], attainable if roof else 0)

    def test_categories_of_traces(self):
        events = [run("gemm", 0, 5), run("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 10, 3), run("Memcpy HtoD", 20, 2, cat="gpu_memcpy"),
                  run("Memset (Device)", 30, 1, cat="gpu_memset"), run("gemm", 40, 4, device=1, stream=9)]
        path = self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.assertEqual(self.names(path, "category"), {"compute": 9 * US, "comm": 3 * US, "copy": 3 * US})
        self.assertEqual(self.names(path, "stream"), {"stream 7": 11 * US, "stream 9": 4 * US})
        for by in ("instruction", "op", "outer-op", "module", "module-kind", "source", "phase", "shape", "step", "program"):
            self.assertEqual(self.names(path, by), {"": 15 * US}, by)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
