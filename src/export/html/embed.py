#!/usr/bin/env python3
"""Puts the style and the script of the page into a C++ header: embed.py HEADER FILE.css ... FILE.js ...

The page's policy names both by their hashes, so that a browser runs nothing else.
"""
import base64
import hashlib
import pathlib
import sys


def literal(text):
    """The text as adjacent string literals, a line each."""
    lines = []
    for line in text.splitlines(keepends=True):
        safe = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'    "{safe}"')
    return "\n".join(lines)


def main(header, *files):
    style = "".join(pathlib.Path(name).read_text(encoding="utf-8") for name in files if name.endswith(".css"))
    script = "".join(pathlib.Path(name).read_text(encoding="utf-8") for name in files if name.endswith(".js"))
    # One scope for all files, none for the browser's own.
    script = '"use strict";\n(() => {\n' + script + "})();\n"
    for text in (style, script):
        if "</s" in text.lower() or "<!--" in text:
            sys.exit("the page's files may hold neither </s nor <!--")
    parts = ["// Written by embed.py from the files in page/.\n#pragma once\n#include <string_view>\n\n"
             "namespace profkit {\ninline namespace PROFKIT_NAMESPACE {\nnamespace html {\n"]
    for name, text in (("style", style), ("script", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        parts.append(f"\ninline constexpr std::string_view page_{name} =\n{literal(text)};\n"
                     f'inline constexpr std::string_view page_{name}_hash = "sha256-{digest}";\n')
    parts.append("\n}  // namespace html\n}  // namespace PROFKIT_NAMESPACE\n}  // namespace profkit\n")
    pathlib.Path(header).write_text("".join(parts), encoding="utf-8")


main(*sys.argv[1:])
