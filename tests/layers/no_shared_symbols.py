#!/usr/bin/env python3
"""Fails when an object built for a newer processor holds a symbol that the linker may share with other objects.

no_shared_symbols.py NM ARCHIVE: weak, unique and common symbols of such an object could replace the baseline's
copy of the same inline function, and code that never asked the processor would then run the newer instructions.
"""
import subprocess
import sys

nm, archive = sys.argv[1:]
listing = subprocess.run([nm, "--defined-only", "--demangle", archive], check=True, capture_output=True, text=True).stdout
symbols = [line.split(None, 2) for line in listing.splitlines() if len(line.split(None, 2)) == 3]
# DW.ref.* is a pointer to the exception personality routine: data, and the same for every processor.
shared = [name for _, kind, name in symbols if kind in "WwVvuC" and not name.startswith("DW.ref.")]
for name in shared:
    print(f"{archive}: {name} may be shared with other objects: put it into an unnamed namespace or avoid it")
if not symbols:
    sys.exit(f"{archive}: no symbols found")
sys.exit(1 if shared else 0)
