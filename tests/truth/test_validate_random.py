#!/usr/bin/env python3
"""Random collectives of several nodes, devices, programs and clocks: whole documents, worked out by test_validate."""
import random
import sys

import truth
from test_validate import Answer, Call, Clock, US, trace

SEEDS = range(1, 41)
OPS = ["all-reduce.1", "all-reduce.2", "all-gather.7", "reduce-scatter.3", "collective-broadcast.2"]


def clocks_of(r):
    """Errors that change in the middle of the trace; node ids with gaps."""
    nodes = sorted(r.sample(range(12), r.randrange(2, 5)))
    return [Clock(node, f"host{node}", [(-5 * US, 50 * US, r.choice([0, 500, 2_000]), 3, 0),
                                        (50 * US, 900 * US, r.choice([0, 1_000, 60_000]), 3, r.choice([0, 0, 2]))])
            for node in nodes]


def calls_of(r, nodes):
    """Every execution has the id of its run. Starts and ends often meet, to the picosecond."""
    # One of all nodes to begin with: something is judged.
    found = [Call("all-reduce.0", "jit_a", 0, node, 0, 0, US, node, 1) for node in nodes]
    correlation = 100
    for module in ("jit_a", "jit_b"):
        for device in (0, 1):
            for op in r.sample(OPS, r.randrange(1, 4)):
                at_ps = r.randrange(0, 20) * US
                for number in range(r.randrange(1, 5)):
                    members = sorted(r.sample(nodes, r.choice([1, len(nodes), r.randrange(1, len(nodes) + 1)])))
                    for node in members:
                        correlation += 1
                        start_ps = at_ps + r.choice([0, 0, 1_000, 2_500, 3_000, 400_000, 12 * US])
                        end_ps = start_ps + r.choice([0, 1_000, 2_500, 300_000])
                        which = number if len(members) > 1 else None
                        found.append(Call(op, module, device, node, which, start_ps, end_ps, correlation, number + 1))
                    at_ps += r.randrange(13, 25) * US
    return found


class RandomCollectives(truth.Case):
    def test_documents(self):
        for seed in SEEDS:
            r = random.Random(seed)
            clocks = clocks_of(r)
            calls = calls_of(r, [c.node for c in clocks])
            path = self.write(f"{seed}.xplane.pb", trace(calls, clocks))
            for given, arguments in ((None, []), (2_500, ["--bound", "2500ps"])):
                with self.subTest(seed=seed, arguments=arguments):
                    answer = Answer(path, calls, clocks, given=given)
                    found = truth.run("validate", path, "--json", "--limit", "0", *arguments)
                    self.check(truth.parsed(found), answer.document())
                    self.check_text(truth.run("validate", path, "--csv", "-", *arguments), answer.csv())


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
