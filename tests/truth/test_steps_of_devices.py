"""A step of the host on a device: the kernels that it launched, in every command that is asked for one step."""
import json
import random
import sys

import truth

US = 1_000_000  # ps
SEEDS = range(1, 13)


class StepsOfDevices(truth.Case):
    def capture(self, r):
        """One stream that lags behind its host; by step the kernels that it launched: name, start, length."""
        events, launched, correlation = [], [], 0
        busy_until = 0
        for number in range(r.randrange(2, 6)):
            start = 10_000 * number
            events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 5, "tid": 1, "ts": start,
                           "dur": 9_500, "args": {}})
            kernels = []
            for i in range(r.randrange(1, 9)):
                correlation += 1
                at, size = start + 100 + 1_000 * i, r.randrange(100, 2_500)
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 1, "ts": at, "dur": 5,
                               "args": {"correlation": correlation}})
                begins = max(busy_until, at + r.randrange(10, 3_000))
                busy_until = begins + size
                name = r.choice(["gemm", "norm", "ncclDevKernel_AllReduce_Sum_f32"])
                kernels.append((name, begins * US, size * US))
                events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": begins, "dur": size,
                               "args": {"device": 0, "stream": 7, "correlation": correlation}})
            launched.append(kernels)
        return events, launched

    @staticmethod
    def begin(launched, number):
        """With its mark, or with its first kernel where what was launched before still runs."""
        mark = 10_000 * number * US
        busy = max((start + size for kernels in launched[:number] for _, start, size in kernels), default=0)
        return mark if busy <= mark else launched[number][0][1]

    def test_every_command_means_the_same_kernels(self):
        for seed in SEEDS:
            events, launched = self.capture(random.Random(seed))
            path = self.scratch / f"{seed}.json"
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
            bubbles = truth.parsed(truth.run("bubbles", path, "--json"))["steps"]
            for number, kernels in enumerate(launched):
                with self.subTest(seed=seed, step=number):
                    by_name = {}
                    for name, _, size in kernels:
                        by_name.setdefault(name, []).append(size)
                    ops = truth.parsed(truth.run("ops", path, "--step", number, "--json", "--limit", 0))["lines"]
                    self.assertEqual({op["name"]: (op["count"], op["total_ps"]) for line in ops for op in line["ops"]},
                                     {name: (len(sizes), sum(sizes)) for name, sizes in by_name.items()})
                    counts = bubbles[number]["kernels"]
                    self.assertEqual(counts["compute"] + counts["comm"], len(kernels))
                    collectives = truth.parsed(truth.run("collectives", path, "--step", number, "--json", "--limit", 0))["ops"]
                    comm = by_name.get("ncclDevKernel_AllReduce_Sum_f32", [])
                    self.assertEqual([(op["count"], op["total_ps"]) for op in collectives], [(len(comm), sum(comm))] if comm else [])
                    # The span is that of the step on the device, from where it begins to where the next one does.
                    summary = truth.parsed(truth.run("report", path, "--step", number, "--json"))["summary"]
                    first = self.begin(launched, number)
                    last = self.begin(launched, number + 1) if number + 1 < len(launched) else max(
                        kernels[-1][1] + kernels[-1][2], (10_000 * number + 9_500) * US)
                    self.assertEqual((summary["first_ps"], summary["last_ps"]), (first, last))

    def test_report_lists_them(self):
        events, launched = self.capture(random.Random(99))
        path = self.scratch / "report.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        groups = truth.parsed(truth.run("report", path, "--json"))["summary"]["steps"]
        of_device = [g for g in groups if g["source"] == "launches"]
        self.assertEqual([(g["plane_name"], g["count"]) for g in of_device], [("GPU 0", len(launched))])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
