"""Profiles through readers that they own: functions, file objects, fsspec's URIs."""
import gc
import gzip
import http.server
import io
import re
import threading

import pytest

import profkit


class Counting:
    """Bytes behind read_at, and what was asked of them."""

    def __init__(self, content):
        self.content, self.reads, self.read_bytes, self.closed, self.failing = content, 0, 0, 0, None

    def read_at(self, offset, size):
        assert not self.closed
        if self.failing is not None:
            raise self.failing
        found = self.content[offset:offset + size]
        self.reads, self.read_bytes = self.reads + 1, self.read_bytes + len(found)
        return found

    def close(self):
        self.closed += 1


@pytest.fixture
def source(gpu_path):
    return Counting(gpu_path.read_bytes())


def opened(source, **given):
    return profkit.open_callbacks(source.read_at, len(source.content), "gemm.xplane.pb", close=source.close, **given)


def test_a_reader_of_one_pass_lives_as_long_as_it_is_needed(source, gpu_path):
    with profkit.open(gpu_path) as by_path:
        expected, kernels = by_path.document("ops"), len(list(by_path.kernels().rows()))
    profile = opened(source, one_pass=True)
    for times in (1, 2):
        reads = source.reads
        assert profile.document("ops")["lines"] == expected["lines"]
        assert source.reads > reads, f"the document reads, for the {times}. time, too"
    table = profile.table("kernels")
    profile.close()
    del profile
    gc.collect()
    assert source.closed == 0
    assert len(list(table)) == kernels > 0
    stream = table.__arrow_c_stream__()
    del table
    gc.collect()
    assert source.closed == 0
    del stream
    gc.collect()
    assert source.closed == 1


def test_a_reader_of_one_call_ends_with_it(source):
    with opened(source) as profile:
        assert source.closed == 1
        assert profile.document("info")["status"] == "ok"
    source = Counting(b"\0\1\2" * 100)
    source.failing = ConnectionResetError("the peer is gone")
    with pytest.raises(ConnectionResetError):
        opened(source, one_pass=True)
    assert source.closed == 1
    source = Counting(b"")
    with pytest.raises(ValueError, match="null byte"):
        profkit.open_callbacks(source.read_at, 0, "a\0b", close=source.close)
    assert source.closed == 1


def test_what_a_reader_raises_is_raised_by_the_call_that_reads(source):
    profile = opened(source, one_pass=True)
    source.failing = ConnectionResetError("the peer is gone")
    for _ in range(2):
        with pytest.raises(ConnectionResetError, match="peer is gone"):
            profile.document("ops")
    source.failing = None
    assert profile.document("ops")["status"] == "ok"
    source.read_at = None
    with pytest.raises(profkit.OutputFailed):
        profile.export("/no/such/folder/a.csv", "csv")
    assert source.closed == 0
    profile.close()
    gc.collect()
    assert source.closed == 1


@pytest.mark.parametrize("ask", [
    lambda profile: profile.kernels(), lambda profile: list(profile.table("devices")), lambda profile: profile.planes,
    lambda profile: profile.bubbles(), lambda profile: profile.report(), lambda profile: profile.files[0].hostnames,
    lambda profile: profile.export("/dev/null", "csv"), lambda profile: profile.info()])
def test_no_answer_hides_that_a_reader_failed(source, ask):
    """The library takes what it can read; a call that made it read says that this was not all."""
    profile = opened(source, one_pass=True)
    source.failing = ConnectionResetError("the peer is gone")
    with pytest.raises(ConnectionResetError, match="peer is gone"):
        ask(profile)
    with profkit.open_buffer(source.content, "gemm.xplane.pb") as other:
        assert other.planes
    profile.close()
    source.failing = None  # its traceback knows the profile
    del profile
    gc.collect()
    assert source.closed == 1


def test_eight_threads_ask_one_reader(source):
    profile, found = opened(source, one_pass=True), []
    expected = profile.document_bytes("ops")
    threads = [threading.Thread(target=lambda: found.append(profile.document_bytes("ops"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


@pytest.mark.parametrize("one_pass", [False, True])
def test_file_objects(gpu_path, one_pass):
    with profkit.open(gpu_path) as by_path:
        expected = by_path.document("ops")["lines"]
    content = gpu_path.read_bytes()
    for file in (open(gpu_path, "rb"), open(gpu_path, "rb", buffering=0), io.BytesIO(content), io.BytesIO(gzip.compress(content))):
        with profkit.open(file, one_pass=one_pass) as profile:
            assert profile.document("ops")["lines"] == expected
            name = getattr(file, "name", "")
            assert profile.path == str(name)
        del profile
        assert not file.closed
        file.close()


class OnlyForward(io.RawIOBase):
    def __init__(self, content):
        super().__init__()
        self._inside = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, into):
        return self._inside.readinto(into)


def test_a_file_that_cannot_seek_is_held(gpu_path):
    for one_pass in (False, True):
        with profkit.open(OnlyForward(gpu_path.read_bytes()), one_pass=one_pass) as profile:
            for _ in range(2):
                assert profile.document("ops")["status"] == "ok"


def test_files_of_text_and_options_of_paths_are_refused(gpu_path):
    with pytest.raises(TypeError, match="gave str, not bytes"), open(gpu_path, encoding="latin-1") as file:
        profkit.open(file)
    with pytest.raises(ValueError, match="local paths"):
        profkit.open(io.BytesIO(b""), run="all")


def test_memory_of_fsspec(gpu_path):
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.pipe("/captures/gemm.xplane.pb", gpu_path.read_bytes())
    with profkit.open(gpu_path) as by_path:
        expected = by_path.document("ops")["lines"]
    for one_pass in (False, True):
        with profkit.open("memory://captures/gemm.xplane.pb", one_pass=one_pass) as profile:
            assert profile.path == "memory://captures/gemm.xplane.pb"
            assert profile.document("ops")["lines"] == expected
    with pytest.raises(profkit.NotFound, match="memory://captures/absent.pb"):
        profkit.open("memory://captures/absent.pb")
    with profkit.open(gpu_path.as_uri()) as profile:
        assert profile.path == str(gpu_path)


class Ranges(http.server.BaseHTTPRequestHandler):
    """Serves one content, with ranges as RFC 9110 has them, or whole."""
    content, ranges, sent_bytes = b"", True, 0

    def do_HEAD(self):
        self.answer(b"", len(self.content), 200)

    def do_GET(self):
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted and self.ranges:
            first, last = int(wanted.group(1)), min(int(wanted.group(2)), len(self.content) - 1)
            part = self.content[first:last + 1]
            self.answer(part, len(part), 206, f"bytes {first}-{last}/{len(self.content)}")
        else:
            self.answer(self.content, len(self.content), 200)

    def answer(self, part, length, status, content_range=None):
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        if self.ranges:
            self.send_header("Accept-Ranges", "bytes")
        if content_range:
            self.send_header("Content-Range", content_range)
        self.end_headers()
        self.wfile.write(part)
        type(self).sent_bytes += len(part)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("ranges", [True, False])
def test_http_of_fsspec(gpu_path, ranges):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    handler = type("Handler", (Ranges,), {"content": gpu_path.read_bytes(), "ranges": ranges})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            uri = f"http://127.0.0.1:{server.server_port}/gemm.xplane.pb"
            with profkit.open(gpu_path) as by_path:
                expected = by_path.document("ops")["lines"]
            for one_pass in (False, True):
                with profkit.open(uri, one_pass=one_pass) as profile:
                    assert profile.path == uri
                    assert profile.document("ops")["lines"] == expected
                    if one_pass:
                        assert profile.document("ops")["lines"] == expected
            assert handler.sent_bytes >= len(handler.content)
        finally:
            server.shutdown()


def test_a_uri_needs_fsspec(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(ImportError, match="pip install fsspec"):
        profkit.open("memory://captures/gemm.xplane.pb")
