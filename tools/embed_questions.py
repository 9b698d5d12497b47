#!/usr/bin/env python3
"""Puts the questions of a fleet, which the Python package has as files, into a C++ header: embed_questions.py HEADER FILE.sql ..."""
import json
import pathlib
import sys


def main(header, *files):
    text = ("// Written by embed_questions.py.\n#pragma once\n\nnamespace profkit_tool {\n\n"
            "struct shipped_question {\n  const char* name;\n  const char* query;\n};\n\n"
            "inline constexpr shipped_question shipped_questions[] = {\n")
    for path in sorted(map(pathlib.Path, files)):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        literal = "\n".join("     " + json.dumps(line, ensure_ascii=False) for line in lines)
        text += f'    {{"{path.stem}",\n{literal}}},\n'
    pathlib.Path(header).write_text(text + "};\n\n}  // namespace profkit_tool\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
