#!/usr/bin/env python3
"""trace.json.gz against its peer: export_peers.py PROFKIT [XSPACE]

XLA's own converter through jaxlib (ProfilerSession.export), where that package is installed, against the whole
command `profkit export --compat xla`, on one thread and on all. Processor and wall time, best of some runs; without
start and imports on the side of the peer. The texts must be the same below XLA's cap of a million events. `export_bench --write FILE` makes
a capture.
"""
import glob
import gzip
import os
import resource
import subprocess
import sys
import tempfile
import time

RUNS = 3


def processor_seconds(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def best_of(who, work):
    processor = wall = float("inf")
    for _ in range(RUNS):
        start, began = processor_seconds(who), time.monotonic()
        result = work()
        wall = min(wall, time.monotonic() - began)
        processor = min(processor, processor_seconds(who) - start)
    return processor, wall, result


def main():
    profkit, capture = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as scratch:
        ours = os.path.join(scratch, "ours.trace.json.gz")
        command = [profkit, "export", capture, "-o", ours, "--compat", "xla", "-q"]
        _, all_threads, _ = best_of(resource.RUSAGE_CHILDREN, lambda: subprocess.run(command, check=True))
        mine, wall, _ = best_of(resource.RUSAGE_CHILDREN, lambda: subprocess.run([*command, "-j", "1"], check=True))
        text = gzip.open(ours).read()
        print(f"profkit {mine:.3f} s, wall {wall:.3f} s ({all_threads:.3f} s on {os.cpu_count()} threads), "
              f"{os.path.getsize(ours) / 1e6:.1f} MB of {len(text) / 1e6:.1f} MB")
        try:
            from jaxlib import _profiler
        except ImportError:
            print("SKIPPED the peer: no Python package jaxlib")
            return
        content = open(capture, "rb").read()

        def convert():
            folder = tempfile.mkdtemp(dir=scratch)
            _profiler.ProfilerSession().export(content, folder)
            return glob.glob(folder + "/plugins/profile/*/*trace.json.gz")[0]
        peer, peer_wall, path = best_of(resource.RUSAGE_SELF, convert)
        same = gzip.open(path).read() == text
        print(f"jaxlib  {peer:.3f} s, wall {peer_wall:.3f} s, {os.path.getsize(path) / 1e6:.1f} MB; the texts are {'the same' if same else 'DIFFERENT'}")
        print(f"ratio   {peer / mine:.1f}, wall {peer_wall / wall:.1f} ({peer_wall / all_threads:.1f} on all threads)")


main()
