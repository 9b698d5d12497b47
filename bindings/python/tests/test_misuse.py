"""What a host does wrong: closed objects, closing under a running call, NUL in text, callbacks that raise, libraries that
are older or no profkit at all."""
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import pytest

import profkit

PACKAGE = pathlib.Path(__file__).resolve().parent.parent


def test_every_closed_object_is_refused(tpu, data, tmp_path):
    closed = [tpu.memory(), tpu.bubbles(), tpu.kernels(), tpu.modules(), tpu.architecture(), profkit.CancelToken(),
              profkit.validate(tpu), profkit.XSpaceWriter(tmp_path / "x")]
    with profkit.open(data / "neutrino" / "block_sched") as profile:
        closed.append(profile.neutrino())
    with profkit.open(data / "kineto" / "h100_bert_small.pt.trace.json.gz") as profile:
        closed.append(profile.chrome_events())
    for each in closed:
        each.close()
        each.close()
    memory, bubbles, kernels, modules, architecture, token, validation, writer, probe, chrome = closed
    for use in (lambda: memory.modules, memory.live_buffers, memory.live_buffers_table, lambda: bubbles.steps,
                lambda: next(iter(bubbles)), bubbles.table, lambda: kernels.devices, kernels.rows, kernels.table,
                lambda: len(modules), lambda: architecture.summary, architecture.markdown, token.cancel,
                lambda: validation.summary, writer.finish, lambda: writer.hostname("h"), lambda: probe.launches,
                probe.launches_table, probe.document, lambda: list(chrome), lambda: chrome.summary):
        with pytest.raises(ValueError, match="closed"):
            use()
    with pytest.raises(ValueError, match="closed"):
        tpu.document("info", cancel=token)


def test_closing_while_another_thread_works(data):
    content = (data / "xspace" / "tpu_v6e_inference.xplane.pb").read_bytes() * 4
    for _ in range(3):
        profile = profkit.open_buffer(content, "a.xplane.pb")
        entered, failures = threading.Event(), []

        def work(profile=profile, entered=entered, failures=failures):
            try:
                entered.set()
                assert profile.document("ops")["lines"]
            except ValueError as why:  # closed before the call
                assert "closed" in str(why)
            except BaseException as why:  # pylint: disable=broad-except
                failures.append(why)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        entered.wait()
        profile.close()
        del profile, work
        for thread in threads:
            thread.join()
        assert not failures


def test_nul_in_paths_and_filters(tpu, gpu_path, tmp_path):
    for use in (lambda: profkit.open(f"{gpu_path}\0.old"), lambda: profkit.open(os.fsencode(gpu_path) + b"\0"),
                lambda: tpu.export(tmp_path / "a\0b", "csv"), lambda: profkit.XSpaceWriter(tmp_path / "a\0b"),
                lambda: profkit.combine_traces([f"{gpu_path}\0"], tmp_path / "out"),
                lambda: tpu.document("ops", plane="TPU\0:0")):
        with pytest.raises(ValueError, match="null byte"):
            use()


class Stop(BaseException):
    """What no `except Exception` catches."""


def test_whatever_a_callback_raises_is_raised_by_the_call(data, gpu_path):
    def raising(*_):
        raise Stop

    content = (data / "xspace" / "tpu_v6e_inference.xplane.pb").read_bytes() * 200  # enough for 50 ms to be over
    with profkit.open_buffer(content, "many.xplane.pb") as profile:
        with pytest.raises(Stop):
            profile.document("report", progress=raising)
        with pytest.raises(profkit.Cancelled):
            profile.document("report", progress=lambda done, total: True)
        with pytest.raises(Stop):
            profile.write_document("info", raising)
    with pytest.raises(Stop):
        profkit.open_callbacks(raising, 10, "a.xplane.pb")
    with pytest.raises(ValueError, match="were asked for"):
        profkit.open_callbacks(lambda offset, size: bytes(size + 1), 10, "a.xplane.pb")
    with pytest.raises(TypeError):
        profkit.open_callbacks(lambda offset, size: None, 10, "a.xplane.pb")
    with pytest.raises(Stop):
        with profkit.XSpaceWriter(write=raising) as writer:
            with writer.plane("p"):
                pass
    with pytest.raises(Stop):
        profkit.combine_traces([gpu_path, gpu_path], correction="none", keep_going=True, write=raising)


def loaded_with(library):
    environment = dict(os.environ, PYTHONPATH=str(PACKAGE / "src"), PROFKIT_LIBRARY=str(library))
    environment.pop("LD_PRELOAD", None)
    return subprocess.run([sys.executable, "-c", "import profkit"], capture_output=True, text=True, check=False,
                          env=environment)


def test_a_library_that_is_older_or_no_profkit(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    for name, code, told in (
            ("older", "unsigned pk_version_number(void) { return 9; }", "ImportError: libprofkit 0.0.9 is older than"),
            ("other", "int other(void) { return 0; }", "ImportError: what was loaded is no libprofkit")):
        library = tmp_path / f"lib{name}.so"
        (tmp_path / f"{name}.c").write_text(code, encoding="ascii")
        subprocess.run([compiler, "-shared", "-fPIC", str(tmp_path / f"{name}.c"), "-o", str(library)], check=True)
        done = loaded_with(library)
        assert done.returncode == 1 and told in done.stderr, done.stderr
    assert "could not be loaded" in loaded_with(tmp_path / "absent.so").stderr
