"""`*.op_stats_v2.pb`: totals of ops as XProf works them out, from a description, and of a real capture beside its XSpace."""
import collections
import dataclasses
import math
import random
import shutil
import sys

import truth
from wire import message, number

DATA = truth.ROOT / "tests" / "data"
REAL = DATA / "op_stats" / "tpu_v6e_inference.ALL_HOSTS.op_stats_v2.pb"
XSPACE = DATA / "xspace" / "tpu_v6e_inference.xplane.pb"
MOST = (1 << 63) - 1
HALVES = ("copy-start", "copy-done", "all-gather-start", "all-gather-done")


@dataclasses.dataclass
class Op:
    name: str
    category: str
    calls: int
    total: int
    self_ps: int
    flops: int = 0
    bytes_: int = 0
    program: int = 0
    long_name: str = ""
    provenance: str = ""

    @property
    def counts(self):
        return self.calls and self.category != "IDLE"

    def encoded(self):
        return message(10, number(1, self.self_ps), number(2, self.flops), number(3, self.calls), number(5, self.bytes_),
                       message(6, self.name), number(7, self.total), message(11, self.category),
                       message(12, self.provenance), number(13, self.program), message(20, self.long_name))


def encoded(ops, programs=(), device_type="TPU v9", cores=4, hardware=3):
    return b"".join((message(1, Op("host", "x", 1, 5, 5).encoded()),
                     message(2, *(op.encoded() for op in ops), number(11, 77)),
                     message(5, message(4, device_type), number(5, cores), number(16, hardware)),
                     *(message(12, number(1, key), message(2, name)) for key, name in programs)))


def described(ops, programs=()):
    """The rows that `ops` must give, by total, then as they stand in the file."""
    rows = []
    for op in sorted((op for op in ops if op.counts), key=lambda op: -min(op.total, MOST)):
        flops, bytes_ = (0, 0) if op.category in HALVES else ((n + op.calls // 2) // op.calls for n in (op.flops, op.bytes_))
        total = min(op.total, MOST)
        stats = {"category": op.category or "compute", "tf_op": op.provenance, "flops": str(flops), "bytes_accessed": str(bytes_)}
        called = dict(programs).get(op.program, "")
        rows.append({
            "metadata_id": None, "name": op.long_name or op.name, "display_name": op.name if op.long_name else "",
            "program": f"{called}({op.program})" if called and op.program else called or (str(op.program) if op.program else ""),
            "count": op.calls, "total_ps": total, "self_ps": min(op.self_ps, MOST), "min_ps": 0, "max_ps": 0,
            "flops_per_s": flops * op.calls / total * 1e12 if flops and total else None, "flops_share": None,
            "bytes_per_s": bytes_ * op.calls / total * 1e12 if bytes_ and total else None, "bytes_share": None,
            "stats": {key: value for key, value in stats.items() if value and value != "0"}})
    return rows


class OpStats(truth.Case):
    def ops(self, path, *arguments, status=0):
        return truth.parsed(truth.run("ops", path, "--json", "--limit", 0, *arguments, status=status))

    def check_ops(self, found, expected):
        """Rates are quotients: whichever way they are rounded."""
        for row, of in zip(found, expected):
            for rate in ("flops_per_s", "bytes_per_s"):
                if of[rate] is not None and row[rate] is not None and math.isclose(row[rate], of[rate], rel_tol=1e-14):
                    of[rate] = row[rate]
        self.check(found, expected)

    def check_rows(self, found, ops, programs=(), plane="TPU v9, 4 cores"):
        (line,) = found["lines"]
        kept = [op for op in ops if op.counts]
        self.check_ops(line["ops"], described(ops, programs))
        self.assertEqual((line["plane_name"], line["line_name"], line["plane"], line["line"], line["events"]),
                         (plane, "totals of a table", -1, -1, len(kept)))
        self.assertEqual((line["duration_sum_ps"], line["busy_ps"]),
                         tuple(min(sum(min(n, MOST) for n in of), MOST)
                               for of in ([op.total for op in kept], [op.self_ps for op in kept])))

    def test_rows(self):
        ops = [Op("IDLE", "IDLE", 3, 90, 90), Op("dummy", "", 0, 0, 0),
               Op("while.1", "while", 2, 10_000, 100, program=7, long_name="%while.1 = while()"),
               Op("fusion.2", "loop fusion", 3, 9_900, 9_900, flops=300, bytes_=1000, program=7,
                  long_name="%fusion.2 = f32[] fusion()", provenance="jit(f)/add"),
               Op("fusion.2", "loop fusion", 1, 40, 40, flops=5, program=8),
               Op("all-gather-done.1", "all-gather-done", 4, 8_000, 8_000, bytes_=64, program=7),
               Op("all-reduce.3", "all-reduce", 4, 700, 700, bytes_=64, program=7), Op("MatMul", "", 2, 30, 30)]
        programs = [(7, "jit_f"), (9, "jit_g")]
        path = self.write("ALL_HOSTS.op_stats_v2.pb", encoded(ops, programs))
        found = self.ops(path)
        self.assertEqual((found["status"], found["source"]), ("ok", "kernels of traces and tables"))
        self.check_rows(found, ops, programs)
        collectives = truth.parsed(truth.run("collectives", path, "--json"))["ops"]
        self.assertEqual([(c["name"], c["category"], c["is_half"], c["count"], c["total_ps"]) for c in collectives],
                         [("all-gather-done.1", "all-gather-done", True, 4, 8_000), ("all-reduce.3", "all-reduce", False, 4, 700)])
        self.check_ops(self.ops(path, "--name", "fusion")["lines"][0]["ops"],
                       [row for row in described(ops, programs) if "fusion" in row["name"]])
        text = truth.run("ops", path, "--wide")
        self.assertNotIn(" 0 ps", text)  # the least and the longest are not on record

    def test_random(self):
        rng = random.Random(5)
        for _ in range(20):
            programs = [(rng.randrange(1, 1 << 63), f"jit_{i}") for i in range(rng.randrange(3))]
            ops = [Op(f"op.{i}", rng.choice(("loop fusion", "convolution", "copy-start", "IDLE", "")), rng.randrange(0, 9),
                      rng.choice((0, rng.randrange(1 << 40), (1 << 64) - 1)), rng.randrange(1 << 62), rng.randrange(1 << 50),
                      rng.randrange(1 << 50), rng.choice((0, *(key for key, _ in programs))), rng.choice(("", f"%op.{i} = x")),
                      rng.choice(("", "a/b"))) for i in range(rng.randrange(1, 30))]
            if any(op.counts for op in ops):
                self.check_rows(self.ops(self.write("x.op_stats_v2.pb", encoded(ops, programs))), ops, programs)

    def test_devices(self):
        for hardware, cores, called, expected in ((3, 1, "TPU v4", "TPU v4"), (2, 8, "Nvidia GPU", "Nvidia GPU, 8 cores"),
                                                  (0, 0, "", "all devices")):
            path = self.write("x.op_stats_v2.pb", encoded([Op("a", "b", 1, 1, 1)], (), called, cores, hardware))
            self.assertEqual(self.ops(path)["lines"][0]["plane_name"], expected)

    def test_real(self):
        """XProf's totals are those of the XSpace that it made them of, op by op."""
        sums = collections.defaultdict(lambda: [0, 0, 0])
        rates = {}
        for line in truth.parsed(truth.run("ops", XSPACE, "--json", "--limit", 0))["lines"]:
            for op in line["ops"]:
                key = (op["name"], op["display_name"], op["program"], op["stats"]["hlo_category"])
                for i, field in enumerate(("count", "total_ps", "self_ps")):
                    sums[key][i] += op[field]
                if op["flops_per_s"]:
                    rates[key] = op["stats"]["flops"], op["stats"]["bytes_accessed"]
        found = self.ops(REAL)
        (line,) = found["lines"]
        self.assertEqual(line["plane_name"], "TPU v6 Lite, 4 cores")
        told = {(op["name"], op["display_name"], op["program"], op["stats"]["category"]):
                [op["count"], op["total_ps"], op["self_ps"]] for op in line["ops"]}
        self.assertEqual(told, dict(sums))
        self.assertEqual(line["busy_ps"], sum(self_ps for _, _, self_ps in sums.values()))
        self.assertEqual({(op["name"], op["display_name"], op["program"], op["stats"]["category"]):
                          (op["stats"]["flops"], op["stats"]["bytes_accessed"])
                          for op in line["ops"] if op["flops_per_s"]}, rates)

    def test_beside_its_xspace(self):
        """Totals that were worked out of an XSpace are not counted again."""
        shutil.copy(XSPACE, self.scratch / "host.xplane.pb")
        alone = self.ops(self.scratch)
        shutil.copy(REAL, self.scratch / REAL.name)
        both = self.ops(self.scratch)
        self.assertEqual({**both, "files": 0}, {**alone, "files": 0})
        bubbles = truth.parsed(truth.run("bubbles", self.scratch, "--json"))
        self.assertEqual([d["type"] for d in bubbles["devices"]], ["tpu"] * 4)
        files = truth.parsed(truth.run("info", self.scratch, "--json"))["files"]
        self.assertEqual(sorted((f["family"], f["export_of"] >= 0) for f in files), [("op_stats", True), ("xspace", False)])

    def test_no_op_of_a_device(self):
        path = self.write("x.op_stats_v2.pb", encoded([Op("IDLE", "IDLE", 1, 5, 5)]))
        found = self.ops(path)
        self.assertEqual((found["status"], found["lines"]), ("absent", []))
        bubbles = truth.parsed(truth.run("bubbles", path, "--json"))
        self.assertEqual((bubbles["status"], bubbles["reason"]), ("absent", "no op of a device was found here"))
        flat = self.write("y.op_stats_v2.pb", message(16, message(1, message(7, "a"))))
        bubbles = truth.parsed(truth.run("bubbles", flat, "--json"))
        self.assertEqual(bubbles["reason"], "its totals are in flat_device_op_metrics_db, which is not read")

    def test_cut_at_every_byte(self):
        """Ops that are whole before the cut stay, and the cut is told."""
        ops = [Op(f"op.{i}", "fusion", i + 1, 100 - i, 50, program=7) for i in range(3)]
        parts = [message(5, message(4, "TPU"), number(16, 3)), message(2, *(op.encoded() for op in ops)),
                 message(12, number(1, 7), message(2, "jit_f"))]
        whole = b"".join(parts)
        sizes = [len(op.encoded()) for op in ops]
        first = len(parts[0]) + len(parts[1]) - sum(sizes)  # where the first op begins
        boundaries = {len(b"".join(parts[:i])) for i in range(4)}
        for size in range(1, len(whole)):
            path = self.write("cut.op_stats_v2.pb", whole[:size])
            intact = sum(1 for i in range(3) if first + sum(sizes[:i + 1]) <= size)
            found = self.ops(path, status=0 if size in boundaries else 5)
            rows = [op["count"] for line in found["lines"] for op in line["ops"]]
            self.assertEqual(rows, [op.calls for op in ops[:intact]], size)
            if size not in boundaries:
                self.assertEqual(found["status"], "partial")


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
