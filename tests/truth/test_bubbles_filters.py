"""`bubbles` of chosen steps says of them what it says of all steps."""
import decimal
import json
import random
import sys

import truth
from test_missing_work import Trace

US = 1_000_000  # ps


def ask(path, *options):
    return truth.parsed(truth.run("bubbles", path, "--json", "--limit", 0, "--window-policy", "guide", *options))


class ChosenSteps(truth.Case):
    def trace(self, r, marked=True):
        """Steps of two GPUs, each of some kernels of two kinds with long and short gaps, and idle time between steps."""
        trace, at = Trace(), 1_000
        for number in range(r.randrange(3, 7)):
            start = at
            trace.step(number + 10, start, 4_000)
            if not marked:
                trace.events.pop()
            for device in (0, 1):
                ps = start + 20
                for kernel in range(r.randrange(4, 9)):
                    correlation = trace.call("cudaLaunchKernel", ps, 3)
                    trace.kernel(r.choice(["gemm", "relu"]), ps + 10, r.randrange(5, 90), correlation)
                    trace.events[-1]["pid"] = trace.events[-1]["args"]["device"] = device
                    ps += r.choice([100, 130, 420])
            at += 4_000 + r.choice([0, 900])
        return trace.save(self.scratch / f"{r.random()}.json")

    def expect_steps(self, path, chosen, *options):
        """`chosen`: whether a step of the whole document is asked for, by its position among its device's and by itself."""
        whole, found = ask(path), ask(path, *options)
        steps, position, rank = [], {}, {}
        for at, step in enumerate(whole["steps"]):
            rank[step["device"]] = rank.get(step["device"], -1) + 1
            if chosen(rank[step["device"]], step):
                position[at] = len(steps)
                steps.append(step)
        self.assertTrue(steps)
        self.assertEqual([s["step_id"] for s in found["steps"]], [s["step_id"] for s in steps])
        for ours, theirs in zip(found["steps"], steps):
            for key in ("device", "exact_ps", "breakdown", "bubble_count", "reportable_count", "wait_sum_ns"):
                self.assertEqual(ours[key], theirs[key], key)
            # Whether the capture cuts a step is only known beside its neighbours.
            self.assertLessEqual(*("PARTIAL_CAPTURE_BOUNDARY" in s["anomaly_tags"] for s in (ours, theirs)))
        windows = lambda document: document["anomaly_discovery"]["bubble_windows"]
        gaps = [g for g in windows(whole) if any(g["device"] == s["device"] and g["step_id"] == s["step_id"] for s in steps)]
        facts = lambda g: {key: g[key] for key in ("device", "scope", "step_id", "start_ns", "end_ns", "boundary_adjacent", "cause",
                                                   "kernels_before", "launch")}
        self.assertEqual([facts(g) for g in windows(found)], [facts(g) for g in gaps])
        self.assertEqual({row["in_steps"] for row in found["time"]}, {True})
        self.assertEqual(sum(row["time_ps"] for row in found["time"] if row["device"] is None),
                         sum(s["exact_ps"]["end"] - s["exact_ps"]["start"] for s in steps))
        self.assertEqual(found["devices"], whole["devices"])
        return found, steps

    def test_chosen(self):
        for seed in range(1, 13):
            r = random.Random(seed)
            path = self.trace(r)
            with self.subTest(seed=seed):
                at = r.randrange(3)
                self.expect_steps(path, lambda rank, step: rank == at, "--step", at)
                self.expect_steps(path, lambda rank, step: "1" in step["step_id"][1:], "--name", "Step#11")
                third = [s for s in ask(path)["steps"] if s["step_id"] == "12"]
                first_ps, last_ps = (min(s["exact_ps"]["start"] for s in third), max(s["exact_ps"]["end"] for s in third))
                self.expect_steps(path, lambda rank, step: step["exact_ps"]["end"] > first_ps + 5 and
                                  step["exact_ps"]["start"] < last_ps - 5, "--time", f"{first_ps + 5}ps:{last_ps - 5}ps")

    def test_ops_and_short_gaps_of_a_step(self):
        """Ops count the kernels of the step; short gaps go to the op before them."""
        trace = Trace()
        for number, kernels in enumerate(([("a", 0, 10), ("b", 15, 10), ("a", 100, 5)], [("b", 0, 20), ("a", 50, 10), ("b", 63, 4)])):
            trace.step(number, number * 1_000, 900)
            for name, at, size in kernels:
                trace.kernel(name, number * 1_000 + 100 + at, size, trace.call("cudaLaunchKernel", number * 1_000 + at, 1))
        path = trace.save(self.scratch / "ops.json")
        ops = {op["op_type"]: op for op in ask(path, "--step", 1)["ops"]["by_total_cost"]}
        self.assertEqual({name: (op["calls"], op["short_gaps_after"], op["short_gap_after_us_total"]) for name, op in ops.items()},
                         {"a": (1, 1, 3), "b": (2, 1, 30)})
        ops = {op["op_type"]: op for op in ask(path)["ops"]["by_total_cost"]}
        self.assertEqual({name: (op["calls"], op["short_gaps_after"], op["short_gap_after_us_total"]) for name, op in ops.items()},
                         {"a": (3, 2, 5 + 3), "b": (3, 1, 30)})

    def test_short_gap_after_what_ended_last(self):
        trace = Trace()
        trace.step(0, 0, 900)
        for name, at, size, stream in (("long", 100, 60, 7), ("brief", 120, 10, 8), ("last", 170, 10, 7)):
            trace.kernel(name, at, size, trace.call("cudaLaunchKernel", at - 50, 1), stream)
        ops = {op["op_type"]: op for op in ask(trace.save(self.scratch / "streams.json"))["ops"]["by_total_cost"]}
        self.assertEqual({name: op["short_gap_after_us_total"] for name, op in ops.items()}, {"long": 10, "brief": 0, "last": 0})

    def test_a_small_step_in_the_middle_is_not_cut(self):
        """The first of the chosen steps has less to do than the others, but the capture does not begin in it."""
        trace = Trace()
        for number in range(6):
            trace.step(number, number * 1_000, 900)
            for kernel in range(1 if number == 2 else 8):
                at = number * 1_000 + 50 + kernel * 60
                trace.kernel("gemm", at, 55, trace.call("cudaLaunchKernel", at - 40, 1))
        path = trace.save(self.scratch / "small.json")
        for options in ((), ("--time", "2100us:")):
            for step in ask(path, *options)["steps"]:
                self.assertNotIn("PARTIAL_CAPTURE_BOUNDARY", step["anomaly_tags"], (options, step["step_id"]))

    def test_what_compute_waits_for_beside_exposed_communication(self):
        """In µs: 20 before the launch and 60 after it on the same stream; 50 on another, of which two collectives share 30; 15
        beside compute; 40 at the end of the step."""
        trace = Trace()
        trace.step(0, 0, 900)
        kernels = (("ncclDevKernel_AllReduce", 100, 80, 7, 10), ("gemm", 180, 20, 7, 120),
                   ("ncclDevKernel_AllReduce", 200, 50, 8, 11), ("ncclDevKernel_AllGather", 210, 30, 9, 12), ("gemm", 250, 30, 7, 20),
                   ("ncclDevKernel_AllReduce", 265, 55, 8, 13))
        for name, at, size, stream, launch in kernels:
            trace.kernel(name, at, size, trace.call("cudaLaunchKernel", launch, 1), stream)
        found, = [c for c in ask(trace.save(self.scratch / "exposed.json"))["causes"] if c["cause"] == "exposed_comm"]
        self.assertEqual(found["evidence"][-1], "the next compute kernel: for 11.8 % not launched yet, 35.3 % queued on the same "
                                                "stream, 29.4 % queued on another stream")

    def test_collectives_that_overlap_count_once(self):
        """In µs: one from 200 to 250, one from 240 to 270, and a kernel at 270 that is launched at 245."""
        trace = Trace()
        trace.step(0, 0, 900)
        for name, at, size, stream, launch in (("gemm", 180, 20, 7, 120), ("ncclDevKernel_AllReduce", 200, 50, 8, 11),
                                               ("ncclDevKernel_AllGather", 240, 30, 9, 12), ("gemm", 270, 30, 7, 245)):
            trace.kernel(name, at, size, trace.call("cudaLaunchKernel", launch, 1), stream)
        found, = [c for c in ask(trace.save(self.scratch / "overlap.json"))["causes"] if c["cause"] == "exposed_comm"]
        self.assertEqual(found["evidence"][-1],
                         "the next compute kernel: for 64.3 % not launched yet, 35.7 % queued on another stream")

    def save_ranks(self, kernels, world=(), arguments=()):
        """By rank: name, start, duration and stream of each kernel, in µs. `world`: by rank, of how many it says that it is one;
        `arguments`: by rank, what its collectives have on record."""
        for rank, of_rank in kernels.items():
            trace = Trace()
            trace.step(0, 0, 900)
            for name, at, size, stream in of_rank:
                trace.kernel(name, at, size, trace.call("cudaLaunchKernel", at - 40, 1), stream)
                trace.events[-1]["pid"] = trace.events[-1]["args"]["device"] = rank
                if arguments and name.startswith("nccl"):
                    trace.events[-1]["args"].update(arguments[rank])
            said = {"backend": "nccl", "rank": rank}
            if not world or world[rank]:
                said["world_size"] = world[rank] if world else 2
            self.write(f"ranks/rank{rank}.json",
                       json.dumps({"schemaVersion": 1, "traceEvents": trace.events, "distributedInfo": said}).encode())

    def straggler_evidence(self):
        return [line for cause in ask(self.scratch / "ranks")["causes"] if cause["cause"] == "straggler_wait" for line in cause["evidence"]]

    def test_two_ranks_that_are_late_alike(self):
        """In µs: each waits 20 for the other. Nobody is named as the late one; the longest wait is the first of its length."""
        reduce = "ncclDevKernel_AllReduce_Sum"
        self.save_ranks({0: [(reduce, 100, 60, 8), (reduce, 320, 40, 8)], 1: [(reduce, 120, 40, 8), (reduce, 300, 60, 8)]})
        self.assertEqual(self.straggler_evidence(), ["nobody is waited for most in 2 collectives: rank 0 and rank 1 for 20.000 us each",
                                                     f"the longest, 20.000 us: rank 0 in {reduce}"])

    def test_a_rank_that_does_not_know_how_many_there_are(self):
        """One of the ranks has it on record, whichever: without the size of a group all of that many take part."""
        reduce = "ncclDevKernel_AllReduce_Sum"
        for world in ((2, 0), (0, 2)):
            self.save_ranks({0: [(reduce, 100, 60, 8)], 1: [(reduce, 120, 40, 8)]}, world)
            self.assertEqual(self.straggler_evidence(), ["rank 1 comes last in 1 of 1 collective; the others wait 20.000 us for it",
                                                         f"the longest, 20.000 us: rank 0 in {reduce}"])

    def test_groups_of_one_name_and_other_ranks(self):
        """Ranks 0 and 1, 2 and 3: each pair is a group of two, although all call it the same. In µs: 20 and 40 are waited."""
        reduce = "ncclDevKernel_AllReduce_Sum"
        pairs = [{"Process Group Name": "tp", "Process Group Ranks": ranks, "Group size": 2, "Collective name": "allreduce"}
                 for ranks in ("[0, 1]", "[0, 1]", "[2, 3]", "[2, 3]")]
        self.save_ranks({0: [(reduce, 100, 60, 8)], 1: [(reduce, 120, 40, 8)], 2: [(reduce, 140, 30, 8)], 3: [(reduce, 100, 70, 8)]},
                        (4, 4, 4, 4), pairs)
        self.assertEqual(self.straggler_evidence(), ["rank 2 comes last in 1 of 2 collectives; the others wait 40.000 us for it",
                                                     f"the longest, 40.000 us: rank 3 in {reduce}"])

    def test_exposed_communication_waits_for_ranks(self):
        """In µs, of the first rank: it waits 60 in the first all-reduce, 25 of them beside compute, and none in the second."""
        kernels = {0: (("gemm", 90, 35, 7), ("ncclDevKernel_AllReduce_Sum", 100, 100, 8), ("ncclDevKernel_AllReduce_Sum", 300, 20, 8)),
                   1: (("gemm", 50, 100, 7), ("ncclDevKernel_AllReduce_Sum", 160, 40, 8), ("ncclDevKernel_AllReduce_Sum", 290, 30, 8))}
        self.save_ranks(kernels)
        found = ask(self.scratch / "ranks")
        rows = {(r["device"], r["cause"]): r["time_ps"] for r in found["time"] if r["use"] == "exposed_communication"}
        self.assertEqual(rows, {(None, "straggler_wait"): 45 * US, (None, None): 40 * US + 20 * US + 40 * US + 20 * US,
                                (0, "straggler_wait"): 35 * US, (0, None): 40 * US + 20 * US,
                                (1, "straggler_wait"): 10 * US, (1, None): 40 * US + 20 * US})
        self.assertEqual(sum(r["time_ps"] for r in found["time"] if r["device"] is None and r["in_steps"]),
                         sum(s["exact_ps"]["end"] - s["exact_ps"]["start"] for s in found["steps"]))
        self.assertRegex(truth.run("report", self.scratch / "ranks"),
                         r"\n  ranks     2\.5 % of the steps is communication that waits for other ranks; rank 1 waits least\n")

    def test_the_rank_that_waits_least(self):
        """In µs: rank 0 waits 20 in the first all-reduce. Then rank 1 waits 20 in the second; or its own, which nothing hides
        while that of rank 0 is hidden, takes as long."""
        compute, reduce = "gemm", "ncclDevKernel_AllReduce_Sum"
        first = {0: [(compute, 50, 40, 7), (reduce, 100, 60, 8)], 1: [(compute, 50, 40, 7), (reduce, 120, 40, 8)]}
        for second, said in (({0: [(reduce, 300, 40, 8)], 1: [(reduce, 280, 60, 8)]}, "ranks"),
                             ({0: [(compute, 300, 100, 7), (reduce, 300, 100, 8)], 1: [(reduce, 300, 100, 8)]},
                              "ranks; rank 1 waits least")):
            self.save_ranks({rank: first[rank] + second[rank] for rank in first})
            self.assertIn(f"is communication that waits for other {said}\n", truth.run("report", self.scratch / "ranks"))

    def test_time_of_a_capture_without_steps(self):
        for seed in range(1, 9):
            r = random.Random(seed)
            path = self.trace(r, marked=False)
            whole = ask(path)
            step = whole["steps"][0]["exact_ps"]
            from_ps = step["start"] + (step["end"] - step["start"]) * r.randrange(10, 50) // 100
            to_ps = from_ps + (step["end"] - from_ps) * r.randrange(10, 90) // 100
            found = ask(path, "--time", f"{from_ps}ps:{to_ps}ps")
            with self.subTest(seed=seed):
                self.assertEqual({(s["exact_ps"]["start"], s["exact_ps"]["end"]) for s in found["steps"]}, {(from_ps, to_ps)})
                for device in found["steps"]:
                    inside = 0
                    for event in json.loads(path.read_text())["traceEvents"]:
                        if event["cat"] == "kernel" and event["pid"] == device["device"]:
                            start, end = event["ts"] * US, (event["ts"] + event["dur"]) * US
                            shift = step["start"] - self.first_ps(path)
                            inside += max(0, min(end + shift, to_ps) - max(start + shift, from_ps))
                    self.assertEqual(sum(device["breakdown"].values()) - device["breakdown"]["idle_ps"], inside)
                for option in (("--step", 0), ("--name", "x")):
                    self.assertIn("none is marked", truth.run("bubbles", path, *option, status=2, stderr=True))

    def first_ps(self, path):
        return min(e["ts"] for e in json.loads(path.read_text())["traceEvents"] if e["cat"] == "kernel" and e["pid"] == 0) * US

    def test_tables_and_gates_keep_to_a_step(self):
        path = self.trace(random.Random(5))
        found = truth.parsed(truth.run("bubbles", path, "--json", "--limit", 0, "--step", 1))
        rows = lambda table: [json.loads(line) for line in truth.run("rows", path, table, "--step", 1, "--format", "json").splitlines()]
        self.assertEqual([(row["device"], row["start_ps"]) for row in rows("steps")],
                         [(s["device"], s["exact_ps"]["start"]) for s in found["steps"]])
        self.assertEqual([row["time_ps"] for row in rows("device_time")], [r["time_ps"] for r in found["time"] if r["device"] is not None])
        self.assertEqual(len(rows("gaps")), len(found["anomaly_discovery"]["bubble_windows"]))
        idle = 100 * sum(r["time_ps"] for r in found["time"] if r["device"] is None and r["use"] == "idle") \
            / sum(r["time_ps"] for r in found["time"] if r["device"] is None)
        for command in ("bubbles", "report", "ops"):
            for limit, status in ((idle - 0.01, 1), (idle + 0.01, 0)):
                truth.run(command, path, "--step", 1, "--fail-on", f"idle>{limit:.3f}%", "-q", status=status)

    def test_nothing_fits(self):
        path = self.trace(random.Random(3))
        for option in (("--step", 99), ("--name", "nope"), ("--time", "10s:11s")):
            self.assertIn("no step fits: devices have up to ", truth.run("bubbles", path, *option, status=2, stderr=True))

    def test_report_keeps_to_a_step(self):
        path = self.trace(random.Random(4))
        whole = ask(path)
        step = truth.parsed(truth.run("report", path, "--step", 1, "--json"))["summary"]["idle"]
        chosen = [s for s in whole["steps"] if s["step_id"] == "11"]
        self.assertEqual(step["idle_ps"], sum(s["breakdown"]["idle_ps"] for s in chosen))
        self.assertEqual(sum(row["time_ps"] for row in step["time"]), step["service_ps"])



class Groups(truth.Case):
    """Steps of the same work: their most frequent op is the same, their numbers of kernels differ by 5 % at most, and nine tenths of
    the kernels of the larger one are in the other, too."""

    def ask(self, *steps):
        """Each step has so many kernels of each name, of 55 µs, one every 60 µs."""
        trace = Trace()
        for number, kernels in enumerate(steps):
            at = number * 100_000
            trace.step(number, at, 90_000)
            for place, name in enumerate(name for name, count in kernels for _ in range(count)):
                start = at + 50 + place * 60
                trace.kernel(name, start, 55, trace.call("cudaLaunchKernel", start - 40, 1))
        return ask(trace.save(self.scratch / "steps.json"))

    def test_nine_tenths_of_the_larger_step(self):
        for shared, together in ((88, False), (89, False), (90, True)):
            found = self.ask((("gemm", shared), ("relu", 100 - shared)), (("gemm", shared), ("tanh", 95 - shared)))
            self.assertEqual(len({step["group_id"] for step in found["steps"]}) == 1, together, shared)
        for fewer, together in ((95, True), (94, False)):
            found = self.ask((("gemm", 90), ("relu", 10)), (("relu", 10), ("gemm", fewer - 10)))
            self.assertEqual(len({step["group_id"] for step in found["steps"]}) == 1, together, fewer)

    def test_only_the_first_and_the_last_step_can_be_cut(self):
        whole, part = (("gemm", 8),), (("gemm", 2),)
        for steps, cut in (((whole,) * 4 + (part,), [4]), ((whole, whole, part, whole, whole), []), ((part,) + (whole,) * 4, [0])):
            tagged = [at for at, step in enumerate(self.ask(*steps)["steps"]) if "PARTIAL_CAPTURE_BOUNDARY" in step["anomaly_tags"]]
            self.assertEqual(tagged, cut)

    def test_a_cut_step_is_measured_by_the_others_of_its_group(self):
        """Sizes of which each differs from the next by 5 % at most are one group. Of the others the median is 107: 85 is less than
        four fifths of it, 86 is more. With itself the median would be 102, and 85 more, too."""
        for first, cut in ((85, [0]), (86, [])):
            found = self.ask(*((("gemm", size),) for size in (first, 89, 93, 97, 102, 107, 112, 117, 123, 129)))
            self.assertEqual(len({step["group_id"] for step in found["steps"]}), 1)
            tagged = [at for at, step in enumerate(found["steps"]) if "PARTIAL_CAPTURE_BOUNDARY" in step["anomaly_tags"]]
            self.assertEqual(tagged, cut)

    def test_a_group_of_few_complete_steps_is_measured_with_its_cut_one(self):
        """Of 8, 8 and 2 kernels: 440, 440 and 110 µs; with a third complete step the cut one does not count."""
        whole, part = (("gemm", 8),), (("gemm", 2),)
        for steps, busy_ms, complete in (((whole, whole, part), "0.33", 2), ((whole, whole, whole, part), "0.44", 3)):
            groups = self.ask(*steps)["anomaly_discovery"]["step_group_anomalies"]
            of, = [group for group in groups if group["complete_steps"] == complete]
            self.assertEqual((of["device_busy_union_ms_avg"], of["group_size"]), (decimal.Decimal(busy_ms), len(steps)))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
