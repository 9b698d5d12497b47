#!/usr/bin/env python3
"""Each option of meson_options.txt is documented, and some script builds with another value than its default.

check_options.py SOURCE_ROOT
"""
import pathlib
import re
import sys

OTHER = {"auto": "disabled", "disabled": "enabled", "false": "true"}
NEED_CLANG = {"fuzzers"}  # no script asks for clang

root = pathlib.Path(sys.argv[1])
options = re.findall(r"^option\('(\w+)', type: '\w+', value: '?(\w+)", (root / "meson_options.txt").read_text(encoding="utf-8"),
                     re.MULTILINE)
documented = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
built = "".join((root / name).read_text(encoding="utf-8")
                for name in ("scripts/test", "scripts/bench", "tests/install/use_installed.py", "tests/install/use_sources.py"))
problems = [f"CONTRIBUTING.md does not name {name}" for name, _ in options if f"-D{name}" not in documented]
problems += [f"no script builds with -D{name}={OTHER[value]}" for name, value in options
             if name not in NEED_CLANG and f"-D{name}={OTHER[value]}" not in built]
if len(options) < 5:
    problems.append("meson_options.txt has changed its form")
print(*problems, sep="\n")
print(f"{len(options) * 2 - len(problems)} passed, {len(problems)} failed, 0 skipped")
sys.exit(1 if problems else 0)
