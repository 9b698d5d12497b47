"""Groups of ops that are equal in what orders them, at the limit, in halves of a nanosecond; devices of one model and of several."""
import json
import sys

import truth
from trace_events import run, x

US = 1_000_000  # ps


def span(cat, name, ts, dur, tid=11, **args):
    return x(cat, name, 900, tid, ts, dur, **args)


class Groups(truth.Case):
    number = 0

    def trace(self, events, **head):
        Groups.number += 1
        return self.write(f"{Groups.number}/rank.json", json.dumps({"schemaVersion": 1, **head, "traceEvents": events}))

    def groups(self, path, keys, *options):
        found = truth.parsed(truth.run("ops", path, "--by", keys, "--json", *options))
        return found, [(g["depth"], g["name"], g["count"], g["self_ps"], g["own_ps"]) for g in found["groups"]]

    def launched(self, parts, device=0):
        """(module, operator, kernel, length): one after another."""
        events, at = [], 0
        for n, (module, op, name, length) in enumerate(parts):
            events += [
                span("python_function", "nn.Module: " + module, at, 9),
                span("cpu_op", op, at + 1, 7, **{"External id": n}),
                span("cuda_runtime", "cudaLaunchKernel", at + 2, 2, correlation=n, **{"External id": n}),
                run(name, 1000 + at, length, device, correlation=n)
            ]
            at += 10
        return events


class Order(Groups):

    def test_equal_times(self):
        """The longest first; of equal ones those that lie around others, then by name, whatever came first."""
        path = self.trace(
            self.launched([("B_0", "aten::y", "k2", 3), ("A_0", "aten::x", "k1", 1), ("A_0", "aten::w", "k3", 2),
                           ("C_0", "aten::z", "k9", 4), ("A_0", "aten::x", "k0", 1)]))
        _, rows = self.groups(path, "module,op,kernel")
        u = US
        self.check(rows, [(0, "A_0", 3, 4 * u, 0), (1, "aten::w", 1, 2 * u, 0), (2, "k3", 1, 2 * u, 2 * u), (1, "aten::x", 2, 2 * u, 0),
                          (2, "k0", 1, u, u), (2, "k1", 1, u, u), (0, "C_0", 1, 4 * u, 0), (1, "aten::z", 1, 4 * u, 0),
                          (2, "k9", 1, 4 * u, 4 * u), (0, "B_0", 1, 3 * u, 0), (1, "aten::y", 1, 3 * u, 0), (2, "k2", 1, 3 * u, 3 * u)])
        for limit, kept in ((1, rows[:1]), (2, [rows[0], rows[6]]), (3, [rows[0], rows[6],
                                                                         rows[7]]), (4, [rows[0], *rows[6:9]]), (12, rows), (13, rows)):
            found, cut = self.groups(path, "module,op,kernel", "--limit", limit)
            below = {name for _, name, *_ in kept}
            own = {"A_0": 4 * u if limit < 12 else 0, "C_0": 0 if "aten::z" in below else 4 * u, "aten::z": 0 if "k9" in below else 4 * u}
            self.check(cut, [(*row[:4], own.get(row[1], row[4])) for row in kept])
            self.assertEqual(
                found.get("limited", {"lists": []})["lists"], [{"list": "groups", "written": len(kept), "total": 12}] if limit < 12 else [])

    def test_instances_of_modules(self):
        path = self.trace(
            self.launched([("Linear_12", "aten::a", "k", 1), ("Linear_3", "aten::a", "k", 2), ("Linear12", "aten::a", "k", 3),
                           ("_4", "aten::a", "k", 4), ("Net_", "aten::a", "k", 5), ("X_5_6", "aten::a", "k", 6)]))
        self.check([(name, count, self_ps) for _, name, count, self_ps, _ in self.groups(path, "module-kind")[1]],
                   [("X_5", 1, 6 * US), ("Net_", 1, 5 * US), ("_4", 1, 4 * US), ("Linear", 2, 3 * US), ("Linear12", 1, 3 * US)])

    def test_halves_of_a_nanosecond(self):
        """Stacks are in whole nanoseconds; half a one counts as one, less is left out."""
        path = self.trace(
            self.launched([("M_0", "aten::a", "half", 0.0005), ("M_0", "aten::a", "less", 0.0004), ("M_0", "aten::a", "more", 0.0015),
                           ("M_0", "aten::a", "semi;colon", 0.002)]))
        out = self.scratch / "stacks.folded"
        truth.run("ops", path, "--by", "module,kernel", "-o", out)
        self.assertEqual(out.read_text(encoding="utf-8"), "M_0;semi,colon 2\nM_0;more 2\nM_0;half 1\n")


class Devices(Groups):

    def peaks(self, *names):
        """One trace each; its device is device 0."""
        Groups.number += 1
        for n, name in enumerate(names):
            head = {
                "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": name}], "distributedInfo": {"rank": n, "world_size": len(names)}
            }
            path = self.write(f"{Groups.number}/rank{n}.pt.trace.json", json.dumps({**head, "traceEvents": [run("k", 1, 2)]}))
        found = truth.parsed(truth.run("ops", path.parent, "--by", "kernel", "--json"))
        return [(p["device_type"], p["devices"], p["hbm_bytes_per_s"]) for p in found["peaks"]]

    def test_devices_of_a_model_are_counted_together(self):
        h100, a100, a10 = "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "NVIDIA A10"
        self.check([row[:2] for row in self.peaks(h100, a100, h100, a10, a100, h100)], [(h100, 3), (a100, 2), (a10, 1)])
        self.check(self.peaks("NVIDIA Unheard 9"), [])
        self.check([row[:2] for row in self.peaks("NVIDIA Unheard 9", a10)], [(a10, 1)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
