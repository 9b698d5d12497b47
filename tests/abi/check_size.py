#!/usr/bin/env python3
"""How large libprofkit.so is when it is stripped: check_size.py LIBPROFKIT.SO BYTES STRIP"""
import os
import subprocess
import sys
import tempfile


def main(library, most, strip):
    with tempfile.TemporaryDirectory() as scratch:
        stripped = os.path.join(scratch, "stripped.so")
        subprocess.run([strip, "-o", stripped, library], check=True)
        size = os.path.getsize(stripped)
    print(f"{size} bytes stripped, {most} at most")
    print(f"{int(size <= int(most))} passed, {int(size > int(most))} failed, 0 skipped")
    return 0 if size <= int(most) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
