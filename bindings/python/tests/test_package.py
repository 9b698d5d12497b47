"""The README's first lines, the wheel, and what another library than expected does."""
import inspect
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

import profkit

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent
ROOT = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", HERE.parents[2]))


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, **options)


def test_the_five_lines_of_the_readme():
    code = re.search(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.DOTALL).group(1)
    assert len(code.splitlines()) == 5
    environment = dict(os.environ, PYTHONPATH=str(PACKAGE / "src"))
    shown = run(sys.executable, "-c", code, cwd=ROOT, env=environment).stdout
    assert "/device:TPU:0 XLA Modules 78809571544558 ps" in shown


def test_pip_installs_a_wheel_that_carries_the_library(tmp_path):
    try:
        run(sys.executable, "-m", "pip", "--version")
    except subprocess.CalledProcessError:
        pytest.skip("this Python has no pip")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", tmp_path / "site",
        PACKAGE, env=dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1"))
    assert (tmp_path / "site" / "profkit" / "libprofkit.so.0").exists()
    assert (tmp_path / "site" / "profkit" / "py.typed").exists()
    assert (tmp_path / "site" / "profkit" / "questions" / "causes.sql").exists()
    environment = {key: value for key, value in os.environ.items() if key not in ("PROFKIT_LIBRARY", "PYTHONPATH")}
    code = ("import profkit, profkit._library as l; print(profkit.version()); "
            "print(any('site/profkit/libprofkit' in line for line in open('/proc/self/maps')))")
    shown = run(sys.executable, "-c", code, cwd=tmp_path, env=dict(environment, PYTHONPATH=str(tmp_path / "site")))
    assert shown.stdout.split() == [profkit.version(), "True"]


def test_the_wheel_is_reproducible(tmp_path):
    sys.path.insert(0, str(PACKAGE))
    import build_backend  # pylint: disable=import-outside-toplevel

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    name = build_backend.build_wheel(tmp_path / "a")
    build_backend.build_wheel(tmp_path / "b")
    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    listed = zipfile.ZipFile(tmp_path / "a" / name).namelist()
    assert "profkit/libprofkit.so.0" in listed and any(entry.endswith("RECORD") for entry in listed)
    assert build_backend.build_sdist(tmp_path / "a").endswith(".tar.gz")


def test_an_older_library_refuses_what_it_lacks(tmp_path):
    """A library without a function is loaded; calling the function says what to do."""
    code = ("import ctypes, profkit._declarations as d\n"
            "d.FUNCTIONS['pk_not_yet'] = (ctypes.c_int32, ())\n"
            "import profkit._library as l, profkit\n"
            "try:\n    l.lib.pk_not_yet()\nexcept profkit.Unsupported as why:\n    print(why)\n")
    # The declarations are read before the library: what is added to them stands for a newer header.
    script = tmp_path / "older.py"
    script.write_text(code.replace("import ctypes, profkit._declarations as d\n",
                                   "import ctypes, importlib.util, sys\n"
                                   f"sys.path.insert(0, {str(PACKAGE / 'src')!r})\n"
                                   "spec = importlib.util.spec_from_file_location('profkit._declarations', "
                                   f"{str(PACKAGE / 'src' / 'profkit' / '_declarations.py')!r})\n"
                                   "d = importlib.util.module_from_spec(spec); spec.loader.exec_module(d)\n"
                                   "sys.modules['profkit._declarations'] = d\n"), encoding="utf-8")
    shown = run(sys.executable, script).stdout
    assert "has no pk_not_yet" in shown and "update libprofkit" in shown


def checked(*paths):
    """What mypy says of files, and its status."""
    mypy = pytest.importorskip("mypy.api")
    cache = os.environ.get("PROFKIT_MYPY_CACHE", os.devnull)
    out, wrong, status = mypy.run(["--config-file", str(PACKAGE / "pyproject.toml"), "--cache-dir", cache,
                                   *[str(path) for path in paths]])
    assert not wrong
    return out, status


def test_types_are_sound(monkeypatch):
    monkeypatch.setenv("MYPYPATH", str(PACKAGE / "src"))
    out, status = checked(PACKAGE / "src" / "profkit", HERE / "typing" / "right.py")
    assert status == 0, out


def test_a_wrong_keyword_is_found_by_mypy(monkeypatch):
    monkeypatch.setenv("MYPYPATH", str(PACKAGE / "src"))
    wrong = HERE / "typing" / "wrong.py"
    expected = {number: word for number, line in enumerate(wrong.read_text(encoding="utf-8").splitlines(), 1)
                for word in re.findall(r"# error: (\w+)$", line)}
    out, status = checked(wrong)
    found = {int(number): why for number, why in re.findall(r"wrong\.py:(\d+): error: (.*)", out)}
    assert status == 1 and found.keys() == expected.keys() and len(found) > 15, out
    assert all(word in found[number] for number, word in expected.items()), out


def parameters(function):
    """Names of the keywords that a function takes itself."""
    return {name for name, given in inspect.signature(function).parameters.items()
            if given.kind is inspect.Parameter.KEYWORD_ONLY}


def test_keywords_are_those_of_the_functions_that_they_end_in():
    from profkit import dumping, keywords, profile, tables  # pylint: disable=import-outside-toplevel
    ends = {
        "FilteredDocument": (profkit.Profile.write_document, ()),
        "FilteredTable": (profkit.Profile.table, ()),
        "TableOptions": (tables.Table.__init__, ("file", "limit", "filters")),
        "EventsTable": (tables.Table.__init__, ("file", "filters")),
        "MemoryOptions": (profkit.Memory.__init__, ()),
        "BubblesOptions": (profkit.Bubbles.__init__, ()),
        "ArchitectureOptions": (profkit.Architecture.__init__, ()),
        "KernelsOptions": (profkit.Kernels.__init__, ()),
        "ExportOptions": (profile._trace_options, ()),
        "DumpOptions": (dumping.dump, ()),
        "ProbeOptions": (profkit.Neutrino.write, ()),
        "ValidationOptions": (profkit.Validation.__init__, ()),
        "Hooks": (profkit.Modules.__init__, ()),
    }
    for name, (function, left_out) in ends.items():
        assert set(getattr(keywords, name).__annotations__) == parameters(function) - set(left_out), name
    others = {name for name, kind in vars(keywords).items() if isinstance(kind, type) and kind.__module__ == keywords.__name__}
    assert others - ends.keys() == {"Filters"}
