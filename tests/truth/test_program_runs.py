#!/usr/bin/env python3
"""Runs of programs in `report`: by the ids of runs on hosts, else the time of the ops that name a program."""
import random
import sys

import pair
import truth


class ProgramRunsTest(truth.Case):
    def modules(self, path, *filters):
        return {m["name"]: (m["runs"], m["total_ps"], m["max_ps"])
                for m in truth.loads(truth.run("report", path, "--json", *filters))["summary"]["modules"]}

    def test_hosts(self):
        for seed in range(25):
            with self.subTest(seed=seed):
                self.one(random.Random(seed))

    def one(self, rng):
        threads = rng.randrange(1, 4)
        events = {thread: [] for thread in range(threads)}
        ops = {1: pair.Op("fusion.1"), 2: pair.Op("dot.2"), 3: pair.Op("PjRtExecute")}
        begin, spans = 0, {}
        for run in range(rng.randrange(1, 12)):
            program, device = rng.choice([5, 6, 2**63 + 7]), rng.randrange(2)
            begin += rng.randrange(10, 10_000)
            for _ in range(rng.randrange(1, 5)):
                start, length = begin + rng.randrange(5_000), rng.randrange(0, 3_000)
                stats = [("hlo_op", "text", "fusion.1"), ("hlo_module", "text", f"jit_{program % 10}"), ("program_id", "uint", program),
                         ("run_id", "int", run - 5), ("device_ordinal", "int", device)]
                rng.shuffle(stats)
                events[rng.randrange(threads)].append(pair.Ev(rng.choice([1, 2]), start, length, *stats))
                spans.setdefault(program, {}).setdefault((run, device), []).append((start, start + length))
            # What launches a run names the run alone.
            events[0].append(pair.Ev(3, begin, 20_000, ("run_id", "int", run - 5)))
        lines = [pair.Line(thread + 1, f"worker {thread}", 0, sorted(es, key=lambda e: e.start_ps), "thread")
                 for thread, es in events.items()]
        path = self.write("host.xplane.pb", pair.Host("alpha", [pair.Plane(1, "/host:CPU", "host", lines, ops)]).bytes())
        expected = {}
        for program, runs in spans.items():
            lengths = [max(end for _, end in parts) - min(start for start, _ in parts) for parts in runs.values()]
            expected[f"jit_{program % 10}({program})"] = (len(lengths), sum(lengths), max(lengths))
        self.assertEqual(self.modules(path), expected)

    def test_kernels(self):
        """Kernels name a program and no run: the time is theirs."""
        def kernel(key, start, length, program):
            return pair.Ev(key, start, length, ("hlo_op", "text", "f"), ("hlo_module", "text", f"jit_{program}"), ("program_id", "uint", program))
        stream = pair.Line(1, "Stream #1(Compute)", 0, [kernel(1, 0, 100, 7), kernel(1, 200, 50, 8), kernel(2, 300, 30, 7)], "stream")
        path = self.write("gpu.xplane.pb", pair.Host("alpha", [
            pair.Plane(1, "/device:GPU:0", "device", [stream], {1: pair.Op("k1"), 2: pair.Op("k2")})]).bytes())
        self.assertEqual(self.modules(path), {"jit_7(7)": (0, 130, 0), "jit_8(8)": (0, 50, 0)})
        text = truth.run("report", path)
        self.assertIn("Modules: 2, by the time of their ops; their runs are not recorded", text)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
