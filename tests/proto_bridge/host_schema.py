#!/usr/bin/env python3
"""A schema of proto/ as a host would have it: host_schema.py IN OUT PACKAGE [LINE ...] puts it into another package."""
import pathlib
import re
import sys

source, target, package, *lines = sys.argv[1:]
text = pathlib.Path(source).read_text(encoding="utf-8")
text, count = re.subn(r"^package .*;$", "\n".join([f"package {package};", *lines]), text, flags=re.MULTILINE)
assert count == 1
pathlib.Path(target).write_text(text, encoding="utf-8")
