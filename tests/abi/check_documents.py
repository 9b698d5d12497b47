#!/usr/bin/env python3
"""Every JSON document through the C ABI, byte for byte what `profkit COMMAND --json` writes.

check_documents.py PROFKIT LIBPROFKIT.SO SOURCE_ROOT. The library is called through bindings/python, which needs nothing
but the standard library.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROFKIT, LIBRARY, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:4])
os.environ["PROFKIT_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(ROOT) / "bindings" / "python" / "src"))

import profkit  # noqa: E402  pylint: disable=wrong-import-position

DATA = pathlib.Path(ROOT) / "tests" / "data"
CAPTURES = [
    DATA / "xspace" / "tpu_v6e_inference.xplane.pb",
    DATA / "xspace" / "jax08_gemm_mi300.xplane.pb",
    DATA / "jax" / "two_process_rank0",
    DATA / "kineto" / "h100_bert_small.pt.trace.json.gz",
    DATA / "ascend" / "two_ranks",
]
LEFT_OUT = set(os.environ.get("PROFKIT_LEFT_OUT", "").split())   # options of meson_options.txt
DOCUMENTS = ["report", "info", "tree", "metadata", "steps", "ops", "modules", "framework", "collectives",
             "memory", "bubbles", "architecture", "explain"]
SLICES = ["summary", "launches", "kernels", "maps", "records", "schedule", "bytes", "density", "progress", "overhead",
          "log"]
# Commands whose documents are not of one profile, and how they are compared.
OTHERS = {"neutrino": "by its slices", "brief": "report --brief", "op_groups": "ops --by", "roofline": "the document of ops --by", "merge": "across nodes", "diff": "of two captures", "validate": "across nodes",
          "snapshot": "writes no document: tests/truth/test_diff.py", "export": "writes no document: tests/capi/test_export.cpp",
          "rows": "tables: tests/truth/test_tables.py",
          "sql": "many captures: tests/cli/test_sql.py", "fleet": "many captures: tests/cli/test_fleet.py", "dump": "a file, not a profile: dumps()"}
PROBES = [DATA / "neutrino" / "block_sched", DATA / "neutrino" / "cut"]

passed = 0
problems = []


def command(*arguments):
    done = subprocess.run([PROFKIT, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False)
    if not done.stdout:
        problems.append(f"profkit {' '.join(map(str, arguments))} wrote nothing: {done.stderr.decode()}")
    return done.stdout


def compare(what, ours, theirs):
    global passed  # pylint: disable=global-statement
    if ours == theirs and ours:
        passed += 1
        return
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    problems.append(f"{what}: {len(ours)} bytes through the ABI, {len(theirs)} of the command; they part at {at}: "
                    f"{ours[at:at + 60]!r} / {theirs[at:at + 60]!r}")


def collected(write):
    parts = []
    write(parts.append)
    return b"".join(parts)


def documents(path):
    with profkit.open(path) as profile:
        compare(f"brief report of {path.name}", profile.document_bytes("brief"), command("report", path, "--brief", "--json"))
        compare(f"ops of {path.name} by operator", profile.document_bytes("op_groups"), command("ops", path, "--by", "op", "--json"))
        by = json.loads(command("ops", path, "--by", "module,kernel", "--json"))
        compare(f"ops of {path.name} by module", profile.op_groups("module,kernel"), by)
        for found in profile.document("explain")["findings"]:
            compare(f"{found['id']} of {path.name}", profile.finding_document_bytes(found["id"]),
                    command("explain", path, found["id"], "--json"))
        for name in DOCUMENTS:
            if name == "architecture" and "model" in LEFT_OUT:
                continue
            theirs = command(name, path, "--json")
            compare(f"{name} {path.name}", profile.document_bytes(name), theirs)
            if name == "memory":
                compare(f"pk_memory {path.name}", profile.memory().document_bytes(), theirs)
            if name == "bubbles":
                compare(f"pk_bubbles {path.name}", profile.bubbles().document_bytes(), theirs)
                unlimited = command(name, path, "--json", "--limit", "0")
                compare(f"all of pk_bubbles {path.name}", profile.bubbles(limit=0).document_bytes(), unlimited)
            if name == "architecture":
                compare(f"pk_architecture {path.name}", profile.architecture().document_bytes(), theirs)
                unlimited = command(name, path, "--json", "--limit", "0")
                compare(f"all of pk_architecture {path.name}", profile.architecture(limit=0).document_bytes(), unlimited)
                compare(f"the architecture report of {path.name}", profile.architecture().markdown().encode(),
                        command(name, path, "--markdown"))


def dumps():
    for path in CAPTURES[:2]:
        for shape, arguments in (("json", ("--json",)), ("text", ())):
            compare(f"dump {path.name} as {shape}", collected(lambda write: profkit.dump(path, write, format=shape)),  # pylint: disable=cell-var-from-loop
                    command("dump", path, *arguments))
        compare(f"the fields of {path.name} by number",
                collected(lambda write: profkit.dump(path, write, type="raw", limit=2)),  # pylint: disable=cell-var-from-loop
                command("dump", path, "--type", "raw", "--limit", "2", "--json"))


def entries():
    path = CAPTURES[0]
    with profkit.open(path) as profile:
        for module in profile.modules():
            compare(f"the entry of {module.name}", profile.module_document_bytes(module.name),
                    command("modules", path, "--dump", module.name, "--json"))
        compare("the first instructions", profile.module_document_bytes("jit_f", limit=3),
                command("modules", path, "--dump", "jit_f", "--limit", "3", "--json"))


def filters():
    path = CAPTURES[0]
    with profkit.open(path) as profile:
        compare("ops with filters", profile.document_bytes("ops", plane="TPU:0", event="copy", limit=2),
                command("ops", path, "--plane", "TPU:0", "--name", "copy", "--limit", "2", "--json"))
        compare("info in a window", profile.document_bytes("info", from_ps=10**13, to_ps=2 * 10**13),
                command("info", path, "--time", "10s:20s", "--json"))
        compare("ops in a window", profile.document_bytes("ops", from_ps=10**13, to_ps=2 * 10**13),
                command("ops", path, "--time", "10s:20s", "--json"))
        compare("one step of ops", profile.document_bytes("ops", step=0), command("ops", path, "--step", "0", "--json"))


def probes():
    for path in PROBES:
        with profkit.open(path) as profile:
            compare(f"neutrino {path.name}", profile.document_bytes("neutrino"), command("neutrino", path, "--json"))
            with profile.neutrino() as probe:
                for name in SLICES:
                    arguments = ("neutrino", path, *(() if name == "summary" else (name,)), "--limit", "0", "--json")
                    compare(f"neutrino {name} {path.name}",
                            collected(lambda write, name=name: probe.write(write, name, limit=0)),  # pylint: disable=cell-var-from-loop
                            command(*arguments))
                    if name == "summary":
                        continue
                    ours = collected(lambda write, name=name: probe.write(write, name, format="csv"))  # pylint: disable=cell-var-from-loop
                    if ours:
                        compare(f"neutrino {name} {path.name} as CSV", ours,
                                command("neutrino", path, name, "--limit", "0", "--csv"))
    with tempfile.TemporaryDirectory() as scratch, profkit.open(PROBES[0]) as profile, profile.neutrino() as probe:
        picture = pathlib.Path(scratch) / "picture.svg"
        command("neutrino", PROBES[0], "schedule", "--svg", picture)
        theirs = picture.read_bytes()
        title = re.search(">([^<]*, map [^<]*)<", theirs.decode()).group(1)
        compare("the picture of a schedule",
                collected(lambda write: probe.write(write, "schedule", format="svg", title=title)),
                theirs)


def across_nodes():
    traces = CAPTURES[:2]
    with tempfile.TemporaryDirectory() as scratch:
        ours, theirs = pathlib.Path(scratch) / "ours.xspace", pathlib.Path(scratch) / "theirs.xspace"
        merge = profkit.combine_traces(traces, ours, correction="none", keep_going=True)
        document = command("merge", "--traces", *traces, "--correction", "none", "--keep-going", "-o", theirs, "--json")
        compare("the merged trace", ours.read_bytes(), theirs.read_bytes())
        compare("merge", merge.document_bytes(), document)
        os.replace(theirs, ours)  # the document names the file
        with profkit.open(ours) as merged:
            compare("validate", profkit.validate(merged).document_bytes(),
                    command("validate", ours, "--limit", "0", "--json"))


def nothing_is_missing():
    """Every document of the ABI and every command is compared here, or it is said why not."""
    global passed  # pylint: disable=global-statement
    of_the_abi = set(profkit.profile._DOCUMENTS)  # pylint: disable=protected-access
    commands = set(re.findall(r"^  ([a-z]+) {2,}\S", command("--help").decode().split("Commands:")[1].split("Examples:")[0],
                              re.MULTILINE))
    unknown = (of_the_abi | commands) ^ (set(DOCUMENTS) | set(OTHERS))
    if unknown or len(commands) < len(DOCUMENTS):
        problems.append(f"documents or commands that this test does not know, or that are gone: {sorted(unknown)}")
    else:
        passed += 1


def main():
    nothing_is_missing()
    for path in CAPTURES:
        documents(path)
    entries()
    dumps()
    filters()
    missing = {"neutrino", "toml"} & LEFT_OUT
    if missing:
        print("SKIPPED neutrino: built without " + " and ".join(sorted(missing)))
    else:
        probes()
    if "clusters" in LEFT_OUT:
        print("SKIPPED merge and validate: built without clusters")
    else:
        across_nodes()
    # The check must be able to fail.
    before = len(problems)
    compare("self-test", b"{}", b"{ }")
    assert len(problems) == before + 1
    problems.pop()
    print(*problems, sep="\n")
    print(f"{passed} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
