#!/usr/bin/env python3
"""Compares the ABI that profkit.h promises with the baseline of the last release.

check_abi.py SOURCE_ROOT CC...             fails when a host compiled against the baseline would break
check_abi.py --update SOURCE_ROOT CC...    writes tests/abi/profkit.abi anew (only when a release is made)

The header is compiled into a library of empty functions, so that neither the build type nor anything behind the
header matters. New functions and types are no difference, nor are new members at the end of a struct that begins with
its `struct_size`; everything else is. Needs abidw and abidiff.
"""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
DECLARATION = re.compile(r"^(PK_API\s[^;]*?\bpk_\w+\s*\([^;]*?\)\s*)(?:PK_NOEXCEPT)?;", re.MULTILINE | re.DOTALL)
SIZED = re.compile(r"typedef struct (pk_\w+) \{\s*uint32_t struct_size;")
FOR_A_SMALL_FILE = ["--exported-interfaces-only", "--drop-private-types", "--no-corpus-path", "--no-comp-dir-path",
                    "--no-show-locs", "--no-parameter-names", "--no-elf-needed"]


def run(*command, accepted=(0,), folder=None):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode not in accepted:
        sys.exit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done


def abi_of(header, folder, compiler):
    """Writes FOLDER/profkit.abi for the text of a header."""
    (folder / "profkit").mkdir(parents=True)
    (folder / "profkit" / "profkit.h").write_text(header, encoding="utf-8")
    bodies = "\n".join(declaration.strip() + " { for (;;) {} }" for declaration in DECLARATION.findall(header))
    (folder / "functions.c").write_text(f"#include <profkit/profkit.h>\n{bodies}\n", encoding="utf-8")
    library = folder / "libprofkit.so"
    # From inside, so that no path of this machine enters the baseline.
    run(*compiler, "-std=c99", "-g", "-O0", "-w", "-shared", "-fPIC", "-I.", "functions.c", "-o", str(library),
        folder=folder)
    abi = folder / "profkit.abi"
    abi.with_suffix(".suppr").write_text("".join(
        f"[suppress_type]\nname = {name}\ntype_kind = struct\nhas_data_member_inserted_at = end\n"
        for name in SIZED.findall(header)), encoding="utf-8")
    run("abidw", "--headers-dir", str(folder / "profkit"), *FOR_A_SMALL_FILE, "--out-file", str(abi), str(library))
    return abi


def difference(old, new):
    """What breaks a host of the old ABI; empty when nothing does."""
    done = run("abidiff", "--no-added-syms", "--suppressions", str(new.with_suffix(".suppr")), str(old), str(new),
               accepted=range(0, 16))
    return (done.stdout or f"abidiff gave {done.returncode}") if done.returncode else ""


def replaced(header, old, new):
    assert header.count(old) == 1, old
    return header.replace(old, new)


def self_test(header, compiler, folder):
    """The gate must see a break, and must not see an addition."""
    old = abi_of(header, folder / "old", compiler)
    assert not difference(old, abi_of(replaced(
        header, "#ifdef __cplusplus\n}", "PK_API int pk_new(void) PK_NOEXCEPT;\n#ifdef __cplusplus\n}"),
        folder / "added", compiler))
    sized_end = "  uint32_t reserved;                  /**< 0 */\n} pk_table_options;"
    assert not difference(old, abi_of(replaced(
        header, sized_end, sized_end.replace("}", "  int32_t newer[4];\n}")), folder / "grown", compiler))
    breaks = {
        "reordered": ("  uint32_t file;                      /**< with PK_TABLE_ONE_FILE */",
                      "  int32_t newer; uint32_t file;"),
        "inserted": ("  uint64_t batch_rows; ", "  uint64_t newer; uint64_t batch_rows; "),
        "frozen": ("} pk_event_cursor;", "  int64_t newer;\n} pk_event_cursor;"),
        "split": ("  int64_t timestamp_ns; /**< as written", "  int32_t timestamp_ns; int32_t timestamp_rest; /**< as written"),
        "removed": ("PK_API void pk_error_free(pk_error* error) PK_NOEXCEPT;", ""),
        "widened": ("PK_API uint32_t pk_version_number(void)", "PK_API uint64_t pk_version_number(void)"),
    }
    for name, (before, after) in breaks.items():
        assert difference(old, abi_of(replaced(header, before, after), folder / name, compiler)), name


def main(arguments):
    update = arguments[0] == "--update"
    root, *compiler = arguments[1:] if update else arguments
    missing = [tool for tool in ("abidw", "abidiff") if not shutil.which(tool)]
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        missing.append("Linux on x86-64, where the baseline was made")
    if missing:
        print(f"SKIPPED abi: this machine lacks {', '.join(missing)}\n0 passed, 0 failed, 1 skipped")
        return SKIPPED
    header = (pathlib.Path(root) / "include/profkit/profkit.h").read_text(encoding="utf-8")
    baseline = pathlib.Path(root) / "tests/abi/profkit.abi"
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        current = abi_of(header, folder / "current", compiler)
        if update:
            shutil.copyfile(current, baseline)
            return 0
        self_test(header, compiler, folder)
        problem = difference(baseline, current)
    print(problem)
    print(f"{0 if problem else 1} passed, {1 if problem else 0} failed, 0 skipped")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
