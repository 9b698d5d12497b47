#!/usr/bin/env python3
"""No file below tests/ holds a credential, packed or not: check_credentials.py SOURCE_ROOT. A real capture may carry the
environment of the process that wrote it. Only the place is told, never what stands there.
"""
import gzip
import pathlib
import re
import sys

KINDS = [
    ("an access token", rb"\b(?:hf_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-)[A-Za-z0-9_-]{20,}"),
    ("an access key", rb"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{30,}"),
    ("a bearer token", rb"\bBearer +[\w.-]{16,}|\beyJ[\w-]{20,}\.[\w-]{20,}\."),
    ("a private key", rb"-----BEGIN [A-Z ]*PRIVATE KEY"),
    ("a secret variable", rb"\b[A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|API_?KEY|ACCESS_KEY|TOKEN)\"?\s*[:=]\s*\"?[^\s\",}]{8,}"),
]
OVERWRITTEN = re.compile(rb"x{16,}")


def found_in(content):
    for kind, pattern in KINDS:
        if any(not OVERWRITTEN.search(hit[0]) for hit in re.finditer(pattern, content)):
            yield kind


def main(root):
    assert list(found_in(b'"HF_TOKEN": "hf_' + b"aB3" * 11 + b'"')) == ["an access token", "a secret variable"]
    assert list(found_in(b'"HF_TOKEN": "hf_' + b"x" * 34 + b'"')) == []
    problems, count = [], 0
    for path in sorted((pathlib.Path(root) / "tests").rglob("*")):
        if not path.is_file() or path.suffix == ".pyc" or path == pathlib.Path(__file__).resolve():
            continue
        count += 1
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        problems += [f"{path.relative_to(root).as_posix()} holds {kind}" for kind in found_in(content)]
    assert count > 200, "the tests were not found"
    print(*problems, sep="\n")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
