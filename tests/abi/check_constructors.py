#!/usr/bin/env python3
"""Nothing runs when the library is loaded: check_constructors.py LIBRARY

Static constructors of the library's own objects are failures. Those that <iostream> brings into each unit with GNU's library before 13,
through a header of Abseil, are not its own."""
import re
import shutil
import subprocess
import sys

# What a constructor of <iostream>, and nothing else, names.
OF_STREAMS = ("std::ios_base::Init::", "std::__ioinit", "__cxa_atexit", "__dso_handle", "__static_initialization_and_destruction_0")
INITIALIZER = re.compile(r"_GLOBAL__sub_I_|__static_initialization_and_destruction_0")


def named_by_constructors(disassembly):
    """What each constructor names beside itself."""
    found, inside = {}, None
    for line in disassembly.splitlines():
        if header := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            inside = header[1] if INITIALIZER.match(header[1]) else None
            if inside:
                found.setdefault(inside, set())
        elif inside:
            found[inside].update(name for name in re.findall(r"<([^<>]+(?:<.*>)?[^<>]*?)(?:\+0x[0-9a-f]+)?>", line)
                                 if not name.startswith(inside.split("(")[0]))
    return found


def problems_of(disassembly):
    return [f"{constructor} runs when the library is loaded: {', '.join(sorted(own)[:3])}"
            for constructor, names in named_by_constructors(disassembly).items()
            if (own := {name for name in names if not name.startswith(OF_STREAMS)})]


def main(library):
    if shutil.which("objdump") is None:
        print("SKIPPED there is no objdump\n0 passed, 0 failed, 1 skipped")
        return 77
    problems = problems_of(subprocess.run(["objdump", "-dC", "--no-show-raw-insn", library], capture_output=True, text=True, check=True).stdout)
    # The check must be able to fail.
    planted = "0000000000001000 <_GLOBAL__sub_I_a.cpp>:\n 1000: call 2000 <std::ios_base::Init::Init()@plt>\n 1005: lea 0x1(%rip),%rdi # 3000 <profkit::names>\n"
    assert problems_of(planted) and not problems_of(planted.replace("profkit::names", "std::__ioinit")), "a constructor was not seen"
    print(*problems, sep="\n")
    print(f"{0 if problems else 1} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
