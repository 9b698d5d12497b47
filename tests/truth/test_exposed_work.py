"""Communication and copies that nothing hides: how much, in which steps, and what the next compute kernel waited for meanwhile."""
import fractions
import random
import sys

import idle_trace
import truth

US = idle_trace.US
REDUCE, GATHER = "ncclDevKernel_AllReduce_Sum", "ncclDevKernel_AllGather"
COPY = "Memcpy HtoD (Pinned -> Device)"
COPIES = {"category": "gpu_memcpy", "stream": 9}


def share(part, whole):
    """As it is written: a percentage with one decimal."""
    tenths = fractions.Fraction(1000 * part, whole)
    return f"{int(tenths + fractions.Fraction(1, 2)) / 10:.1f} %"


def exposed(document, cause="exposed_comm"):
    return [(c["target_id"], c["time_ns"] // 1000, c["evidence"]) for c in document["causes"] if c["cause"] == cause]


class Shares(idle_trace.Case):
    def test_a_twentieth_of_a_group(self):
        """In µs: three steps in which 50, 50 and 20 are exposed, of 2400 and of 2401; copies of 60, 0 and 60 beside them."""
        for last, found in ((2_420, True), (2_421, False)):
            trace = idle_trace.Rank()
            for number, (size, launch, stream, copy) in enumerate(((50, 155, 7, 60), (50, 1_140, 8, 60), (20, 2_020, 7, 0))):
                at = 1_000 * number
                trace.step(number, at, 990)
                trace.kernel("gemm", at + 20, 100, (at + 1, 1))
                trace.kernel(REDUCE, at + 120, size, (at + 3, 1), 8)
                trace.kernel("relu", at + 120 + size, 80, (launch, 1), stream)
                trace.kernel(COPY, at + 330 - copy, 60, (at + 5, 1), **COPIES)
                trace.kernel("gemm", at + 330, (last if number == 2 else at + 360) - at - 330, (at + 200, 1))
            document = self.bubbles(trace)
            comm, copies = exposed(document), exposed(document, "exposed_copy")
            # In the last step the copy lies beside compute.
            self.assertEqual(copies, [("g0", 120, ["120.000 us, 5.0 % of the time in 3 steps", "the most, 60.000 us: step 0"])] * found)
            self.assertEqual(comm, [("g0", 120, [
                "120.000 us, 5.0 % of the time in 3 steps", "the most, 50.000 us: step 0",
                "the next compute kernel: for 45.8 % not launched yet, 25.0 % queued on the same stream, 29.2 % queued on another stream",
                ])] * found)
            self.assertEqual([s["breakdown"]["comm_exposed_ps"] // US for s in document["steps"]], [50, 50, 20])
            self.assertEqual([s["breakdown"]["copy_ps"] // US for s in document["steps"]], [60, 60, 0])

    def test_groups_have_shares_of_their_own(self):
        """Steps of two kinds in turn: of one kind 100 of 1000 µs is exposed, most in its second step, of the other 40."""
        trace = idle_trace.Rank()
        for number in range(6):
            at, odd = 1_000 * number, number % 2
            trace.step(number, at, 990)
            trace.kernel("gemm", at, 500, (at + 1, 1))
            trace.kernel(REDUCE if odd else GATHER, at + 500, (40, (80, 120, 100)[number // 2])[odd], (at + 2, 1), 8)
            for n in range(9 if odd else 1):
                trace.kernel("relu" if odd else "tanh", at + 900 + 11 * n, 11 if odd else 100)
        document = self.bubbles(trace)
        of = {s["step_id"]: s["group_id"] for s in document["steps"]}
        self.assertEqual([of[str(n)] == of["1"] for n in range(6)], [False, True] * 3)
        time = sum(s["exact_ps"]["end"] - s["exact_ps"]["start"] for s in document["steps"] if s["group_id"] == of["1"]) // US
        self.assertEqual(exposed(document), [(of["1"], 300, [f"300.000 us, {share(300, time)} of the time in 3 steps",
                                                            "the most, 120.000 us: step 3"])])


class Split(idle_trace.Case):
    """Each microsecond by itself, of random kernels: what runs then, and what the next compute kernel waits for."""

    def rank(self, r, number, runs):
        """One step of three streams; kernels as (kind, name, start, end, launch, stream), by start. `runs`: the names of collectives."""
        rank, kernels, at = idle_trace.Rank(number, 2), [], 200
        rank.step(0, 0, 3_000)
        for place in range(18):
            kind = "comm" if place in runs else r.choice(["compute", "compute", "copy", "none"])
            name = runs.get(place, {"compute": "gemm", "copy": COPY, "none": "relu"}.get(kind))
            at += 5 * any(k[0] == kind == "comm" and k[2] == at for k in kernels)
            size = 0 if kind == "none" else r.choice([10, 25, 40, 90])
            launch = r.choice([None, at - 150, at - 30, at - 5, at - 1])
            stream = r.choice([7, 8])
            kernels.append((kind, name, at, at + size, launch, stream))
            rank.kernel(name, at, size, launch and (launch, 1), stream, category="gpu_memcpy" if kind == "copy" else "kernel",
                        device=number)
            at += r.choice([0, 5, 12, 30, 60])
        rank.kernel("last", at + 200, 10, (10, 1), device=number)
        kernels.append(("compute", "last", at + 200, at + 210, 10, 7))
        return rank, kernels, at + 210

    def split(self, kernels, end, waited):
        """In µs: all, not launched, same stream, another stream, waiting; and by class. `waited`: of each collective, by its order."""
        sums, spent = dict.fromkeys(("all", "late", "same", "other", "waiting"), 0), {}
        comm, reach = [], 0
        for place, k in enumerate(k for k in kernels if k[0] == "comm"):
            if k[3] > reach:  # one within an earlier one is never alone
                comm.append((k, waited[place]))
                reach = k[3]
        for at in range(end):
            running = {k[0] for k in kernels if k[2] <= at < k[3]}
            kind = next((kind for kind in ("compute", "comm", "copy") if kind in running), "idle")
            spent[kind] = spent.get(kind, 0) + 1
            if kind != "comm":
                continue
            (_, _, start, _, _, stream), wait = next((k, w) for k, w in comm if k[2] <= at < k[3])
            sums["all"] += 1
            sums["waiting"] += at < start + wait
            following = next((k for k in kernels if k[0] == "compute" and k[2] > at), None)
            if following is None or following[4] is None:
                continue
            sums["late" if at < following[4] else "same" if stream == following[5] else "other"] += 1
        return sums, spent

    def test_split(self):
        waits = 0
        for seed in range(1, 25):
            r = random.Random(seed)
            places = sorted(r.sample(range(18), 6))
            names = [r.choice([REDUCE, GATHER]) for _ in places]
            runs = [dict(zip(places if number == 0 else sorted(r.sample(range(18), 6)), names)) for number in (0, 1)]
            ranks = [self.rank(r, number, runs[number]) for number in (0, 1)]
            took = [[k[3] - k[2] for k in kernels if k[0] == "comm"] for _, kernels, _ in ranks]
            waited = [[own - min(both) for own, *both in zip(took[number], *took)] for number in (0, 1)]
            document = self.bubbles(ranks[0][0], ranks[1][0])
            with self.subTest(seed=seed):
                self.assertEqual(len(document["steps"]), 2)
                sums = []
                for number, step in enumerate(document["steps"]):
                    start = step["exact_ps"]["start"] // US
                    # Kernels before the step's first one that was launched in it are not in it.
                    end = step["exact_ps"]["end"] // US
                    mine = [k for k in ranks[number][1] if k[2] >= start]
                    parts, spent = self.split(mine, end, waited[number][len(waited[number]) - sum(k[0] == "comm" for k in mine):])
                    if len(mine) < len(ranks[number][1]):
                        sums = None
                        break
                    sums.append(parts)
                    self.assertEqual(step["breakdown"]["comm_exposed_ps"], spent.get("comm", 0) * US)
                    self.assertEqual(step["breakdown"]["copy_ps"], spent.get("copy", 0) * US)
                if sums is None:
                    continue
                rows = {(row["device"], row["cause"]): row["time_ps"] // US for row in document["time"]
                        if row["use"] == "exposed_communication" and row["in_steps"]}
                for number in (0, 1):
                    self.assertEqual(rows.get((number, "straggler_wait"), 0), sums[number]["waiting"], number)
                    self.assertEqual(rows.get((number, None), 0), sums[number]["all"] - sums[number]["waiting"], number)
                waits += sum(part["waiting"] > 0 for part in sums)
                self.expect_text(document, sums)
        self.assertGreater(waits, 8)

    def expect_text(self, document, sums):
        of_group = {}
        for step, parts in zip(document["steps"], sums):
            of_group.setdefault(step["group_id"], []).append(parts)
        for group, time, evidence in exposed(document):
            together = {key: sum(parts[key] for parts in of_group[group]) for key in sums[0]}
            said = {"late": " not launched yet", "same": " queued on the same stream", "other": " queued on another stream"}
            words = [share(together[key], together["all"]) + text for key, text in said.items() if together[key]]
            # What ranks wait for each other is another cause's, where that is named.
            named = any(cause["cause"] == "straggler_wait" for cause in document["causes"])
            waiting = together["waiting"] if named else 0
            self.assertEqual(time, together["all"] - waiting)
            self.assertEqual(evidence[2:], ["the next compute kernel: for " + ", ".join(words)] * bool(words)
                             + [f"{waiting}.000 us of it waits for other ranks"] * (waiting > 0))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
