#!/usr/bin/env python3
"""Random allocator events of several hosts, devices and origins: whole documents, worked out by test_memory_runtime."""
import random
import sys

import truth
from test_memory_runtime import Allocator, Answer, Event, Host, with_parents, with_rest

SEEDS = range(1, 61)


def events_of(r, lines):
    """Allocations and frees that often fall on one instant, of few addresses; some frees belong to no allocation.

    The first event takes something: where nothing is ever held there is no peak to speak of.
    """
    found, live = [], {}
    counted = r.choice([None, r.randrange(10_000, 20_000)])  # what the allocator itself says it holds
    at_ps = r.randrange(-2_000, 2_000)
    for _ in range(r.randrange(1, 25)):
        at_ps += r.choice([0, 0, 1, 500, 1_000, 1_500])
        more = {"pool": r.randrange(3), "available": r.randrange(5_000), "reserved": r.choice([0, 64]),
                "fragmentation": r.choice([0.0, 0.25, 0.5]), "op": r.choice(["", "jit_f/dot", "jit_f/add"]),
                "shape": r.choice(["", "f32[8]", "bf16[2,2]"])}
        addr = 0x100 * r.randrange(1, 7)
        if not found:
            size = live[addr] = 64
            kind, change = "alloc", size
        elif addr in live and r.random() < 0.7:
            size = live.pop(addr)
            kind, change = "free", -size
        elif addr in live or r.random() < 0.1:
            size = r.choice([0, 64, 100, 4_096])
            kind, change = ("alloc", size) if addr in live else ("free", -size)
            live.pop(addr, None)
            if kind == "alloc":
                live[addr] = size
        else:
            size = r.choice([0, 64, 100, 4_096])
            live[addr] = size
            kind, change = "alloc", size
        if counted is not None:
            counted += change
        found.append(Event(r.randrange(lines), at_ps, kind, addr, size, counted, peak=r.randrange(30_000), **more))
    return found


def steps_of(r):
    """Windows that touch, leave room between them or overlap."""
    found, at_ps = [], r.randrange(0, 2_000)
    for i in range(r.randrange(1, 5)):
        length_ps = r.choice([500, 1_000, 3_000])
        found.append((f"s{i}", at_ps, at_ps + length_ps))
        at_ps += length_ps + r.choice([0, 0, 250, -250])
    return found


def hosts_of(seed):
    r = random.Random(seed)
    hosts = []
    for name in ["alpha", "beta"][:r.randrange(1, 3)]:
        devices = [f"/device:TPU:{i}" for i in range(r.randrange(1, 4))]
        allocators = []
        for i, device in enumerate(devices):
            key = [("allocator_name", f"TPU_{i}_bfc"), ("index_on_host", i)]
            allocators.append(Allocator(name, f"TPU_{i}_bfc", key, device, events_of(r, 2)))
        allocators.sort(key=lambda a: min(e.line for e in a.events))  # in the order in which the file names them
        shift_ns = 0 if not hosts else r.randrange(0, 10)
        hosts.append(Host(name, f"{name}.xplane.pb", shift_ns, {d: steps_of(r) for d in devices}, allocators))
    return hosts


class RandomAllocators(truth.Case):
    def test_documents(self):
        for seed in SEEDS:
            hosts = with_parents(hosts_of(seed))
            paths = [self.write(f"{seed}/{h.file}", h.bytes()) for h in hosts]
            folder = self.scratch / str(seed)
            for arguments, options in (([], {}), (["--all-trace"], {"all_trace": True}), (["--top", "2"], {"top": 2})):
                with self.subTest(seed=seed, arguments=arguments):
                    found = truth.parsed(truth.run("memory", folder, "--json", *arguments))
                    self.check(found, with_rest(Answer(hosts, paths, folder, **options).document(), options))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
