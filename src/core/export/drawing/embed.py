#!/usr/bin/env python3
"""Puts a style and a script into a C++ header: embed.py HEADER NAMESPACE PREFIX FILE.css ... FILE.js ...

PREFIX_style and PREFIX_script have the texts, PREFIX_style_hash and PREFIX_script_hash what a page's policy names them by, so
that a browser runs nothing else.
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


def main(header, namespace, prefix, *files):
    style = "".join(pathlib.Path(name).read_text(encoding="utf-8") for name in files if name.endswith(".css"))
    script = "".join(pathlib.Path(name).read_text(encoding="utf-8") for name in files if name.endswith(".js"))
    # One scope for all files, none for the browser's own.
    script = script and '"use strict";\n(() => {\n' + script + "})();\n"
    for text in (style, script):
        if "</s" in text.lower() or "<!--" in text:
            sys.exit("the files may hold neither </s nor <!--")
    parts = ["// Written by embed.py.\n#pragma once\n#include <string_view>\n\n"
             f"namespace profkit {{\ninline namespace PROFKIT_NAMESPACE {{\nnamespace {namespace} {{\n"]
    for name, text in (("style", style), ("script", script)):
        if not text:
            continue
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        parts.append(f"\ninline constexpr std::string_view {prefix}_{name} =\n{literal(text)};\n"
                     f'inline constexpr std::string_view {prefix}_{name}_hash = "sha256-{digest}";\n')
    parts.append(f"\n}}  // namespace {namespace}\n}}  // namespace PROFKIT_NAMESPACE\n}}  // namespace profkit\n")
    pathlib.Path(header).write_text("".join(parts), encoding="utf-8")


main(*sys.argv[1:])
