"""Builds the wheel: this package and libprofkit, nothing else. Needs no package beside the standard library.

The library is taken from $PROFKIT_LIBRARY; else, in a checkout, from build/release, which is made when it is not there;
else from what pkg-config knows as profkit.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
SONAME = "libprofkit.so.0"


def project():
    """Name, version, summary and the rest of pyproject.toml that goes into a wheel."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    value = lambda key: re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE).group(1)
    return {key: value(key) for key in ("name", "version", "description", "requires-python")}


def metadata():
    known = project()
    return (f"Metadata-Version: 2.1\nName: {known['name']}\nVersion: {known['version']}\n"
            f"Summary: {known['description']}\nLicense: Apache-2.0\nRequires-Python: {known['requires-python']}\n"
            "Provides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n"
            "Provides-Extra: arrow\nRequires-Dist: pyarrow; extra == 'arrow'\n"
            "Provides-Extra: mcp\nRequires-Dist: mcp>=2; extra == 'mcp'\n"
            "Provides-Extra: plot\nRequires-Dist: matplotlib; extra == 'plot'\n"
            "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text(encoding="utf-8"))


def library():
    named = os.environ.get("PROFKIT_LIBRARY")
    if named:
        return pathlib.Path(named)
    if (CHECKOUT / "meson.build").exists() and (CHECKOUT / "capi" / "symbols.txt").exists():
        return built_library(CHECKOUT / "build" / "release")
    found = subprocess.run(["pkg-config", "--variable=libdir", "profkit"], capture_output=True, text=True, check=False)
    if found.returncode == 0 and (pathlib.Path(found.stdout.strip()) / SONAME).exists():
        return pathlib.Path(found.stdout.strip()) / SONAME
    raise SystemExit(f"no {SONAME}: name it in PROFKIT_LIBRARY, install profkit, or build from a checkout")


def built_library(folder):
    if not (folder / SONAME).exists():
        if not (folder / "build.ninja").exists():
            subprocess.run(["meson", "setup", str(folder), str(CHECKOUT), "--buildtype=release", "-Dtests=disabled",
                            "-Dexamples=disabled"], check=True)
        subprocess.run(["ninja", "-C", str(folder), target_of(folder)], check=True)
    return folder / SONAME


def target_of(folder):
    """The file that ninja makes, behind the link of that name."""
    listed = subprocess.run(["ninja", "-C", str(folder), "-t", "targets", "all"], capture_output=True, text=True,
                            check=True).stdout
    return re.search(rf"^({re.escape(SONAME)}[\d.]*): ", listed, re.MULTILINE).group(1)


def wheel_tag():
    return f"py3-none-{re.sub(r'[-.]', '_', sysconfig.get_platform())}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    known = project()
    name = f"{known['name']}-{known['version']}-{wheel_tag()}.whl"
    info = f"{known['name']}-{known['version']}.dist-info"
    records = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        def store(path, content, mode=0o644):
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))  # the same bytes whenever it is built
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)

        def add(path, content, mode=0o644):
            store(path, content, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records.append(f"{path},sha256={digest},{len(content)}")

        for source in sorted((HERE / "src" / "profkit").glob("*")):
            if source.suffix == ".py" or source.name == "py.typed":
                add(f"profkit/{source.name}", source.read_bytes())
        for source in sorted((HERE / "src" / "profkit" / "questions").glob("*.sql")):
            add(f"profkit/questions/{source.name}", source.read_bytes())
        add(f"profkit/{SONAME}", library().read_bytes(), 0o755)
        add(f"{info}/METADATA", metadata().encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: profkit\nRoot-Is-Purelib: false\nTag: {wheel_tag()}\n"
            .encode())
        record = f"{info}/RECORD"
        store(record, "\n".join([*records, f"{record},,", ""]))
    return name


def build_sdist(sdist_directory, config_settings=None):
    known = project()
    stem = f"{known['name']}-{known['version']}"
    staged = pathlib.Path(sdist_directory) / stem
    shutil.copytree(HERE, staged, ignore=shutil.ignore_patterns("__pycache__", "*.so*", "build", "dist", ".*"))
    (staged / "PKG-INFO").write_text(metadata(), encoding="utf-8")
    with tarfile.open(pathlib.Path(sdist_directory) / f"{stem}.tar.gz", "w:gz") as archive:
        archive.add(staged, stem)
    shutil.rmtree(staged)
    return f"{stem}.tar.gz"
