#!/usr/bin/env python3
"""The memory analysis against its peers: memory_peers.py LIBPROFKIT CORPUS [MODULE.hlo_proto.pb ...]

XProf's memory_viewer conversion of a module, where the Python package xprof is installed, against opening the same
file, pk_memory_open() and its document; the corpus's exact replay of allocator events against the same of the
capture. Processor time, best of some runs, without start and imports on either side. `memory_bench --write FILE`
makes a large module.
"""
import ctypes
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

RUNS = 5


class Options(ctypes.Structure):  # pk_memory_options up to `hooks`
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("host", ctypes.c_char_p),
                ("module", ctypes.c_char_p), ("top", ctypes.c_uint64), ("step", ctypes.c_int64),
                ("fit_bytes", ctypes.c_uint64), ("curve_points", ctypes.c_uint64), ("time_samples", ctypes.c_uint64),
                ("persistent_threshold_steps", ctypes.c_uint32), ("step_policy", ctypes.c_int32),
                ("hooks", ctypes.c_void_p)]


WRITE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
NO_RUNTIME = 1


def best_of(work):
    """Short work is repeated for a second: its first runs are those of cold caches."""
    best, spent, runs = float("inf"), 0.0, 0
    while runs < RUNS or spent < 1:
        start = time.process_time()
        work()
        took = time.process_time() - start
        best, spent, runs = min(best, took), spent + took, runs + 1
    return best


def ours(library, path, runtime):
    """Seconds to open a capture, analyse it and write the document."""
    pk = ctypes.CDLL(library)
    discard = WRITE(lambda user, data, size: 0)
    options = Options(ctypes.sizeof(Options), 0 if runtime else NO_RUNTIME, None, None, 30, 0, 0, 0,
                      200, 2, 0, None)

    def once():
        profile, memory = ctypes.c_void_p(), ctypes.c_void_p()
        assert pk.pk_profile_open(str(path).encode(), None, ctypes.byref(profile), None) == 0
        assert pk.pk_memory_open(profile, ctypes.byref(options), ctypes.byref(memory), None) == 0
        assert pk.pk_memory_write(memory, discard, None, None, None) == 0
        pk.pk_memory_free(memory)
        pk.pk_profile_free(profile)

    once()
    return best_of(once)


def xprof(path):
    """Seconds of XProf's conversion of a *.hlo_proto.pb; None when it is not installed."""
    try:
        from xprof.convert import raw_to_tool_data
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:  # the converter writes beside its input
        run = pathlib.Path(folder) / "plugins/profile/run"
        run.mkdir(parents=True)
        shutil.copy(path, run)
        capture = run / "empty.xplane.pb"  # the converter takes the module that lies beside it
        capture.write_bytes(b"")

        def once():
            data, _ = raw_to_tool_data.xspace_to_tool_data(
                [str(capture)], "memory_viewer",
                {"module_name": path.name.removesuffix(".hlo_proto.pb"), "use_saved_result": False})
            assert data

        once()
        return best_of(once)


def exact_replay(corpus, path):
    """Seconds of improved_rt.py on a capture; its second input is one that costs little."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = pathlib.Path(folder) / "replay/in"
        (inputs / "tpu2").mkdir(parents=True)
        (inputs / "gpu").mkdir()
        (pathlib.Path(folder) / "proto").symlink_to(corpus / "oracles/proto")
        (inputs / "tpu2/tpu_inference_2.xplane.pb").symlink_to(path)
        (inputs / "gpu/gpu_training.xplane.pb").symlink_to(
            corpus / "oracles/xspace-and-memory/in/tpu2/tpu_inference_2.xplane.pb")
        script = shutil.copy(corpus / "oracles/xspace-and-memory/improved_rt.py", inputs.parent)
        report = "import time, runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0]); " \
                 "print(time.process_time(), file=sys.stderr)"
        done = subprocess.run([sys.executable, "-c", report, script, f"{folder}/out.json"], capture_output=True,
                              text=True, check=True)
        return float(done.stderr.split()[-1])


def compare(name, peer, peer_s, our_s, wanted):
    if peer_s is None:
        print(f"{name}: {our_s * 1e3:.2f} ms; {peer} is not installed, so there is nothing to compare with")
        return
    verdict = "" if peer_s >= wanted * our_s else f"  LESS THAN {wanted} x"
    print(f"{name}: {our_s * 1e3:.2f} ms, {peer} {peer_s * 1e3:.1f} ms: {peer_s / our_s:.0f} x{verdict}", flush=True)


def main():
    library, corpus = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    inputs = corpus / "oracles/xspace-and-memory/in"
    modules = [pathlib.Path(name) for name in sys.argv[3:]] + [
        inputs / name for name in ("tpu2_hlo/jit_f(12190760917235803885).hlo_proto.pb",
                                   "jax_mlp_train/jit_train_step(36).hlo_proto.pb",
                                   "jax_transformer/jit_loss(36).hlo_proto.pb")]
    for path in modules:
        compare(path.name, "XProf's memory_viewer", xprof(path), ours(library, path, False), 20)
    path = next((inputs / "syn_perf20k").glob("*.xplane.pb"))
    compare("syn_perf20k", "the exact replay", exact_replay(corpus, path), ours(library, path, True), 40)


if __name__ == "__main__":
    main()
