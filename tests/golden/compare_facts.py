#!/usr/bin/env python3
"""Holds the documents of every real capture against tables that an independent reader made (make_facts.py).

compare_facts.py WRITE_DOCUMENT

Reads the vendored captures under tests/data, and with the large corpus (PROFKIT_CORPUS, else ../shared beside the
source tree) all of them; tables whose capture is not here are skipped. Needs no protobuf.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77


def document(writer, name, path):
    done = subprocess.run([writer, name, str(path), "0"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def number(cell):
    return int(cell) if cell else None


def capture_path(relative, root, corpus):
    """The vendored copy of a capture, else the corpus's own."""
    inside = relative.removeprefix("captures/").replace("two_process/rank0", "two_process_rank0")
    vendored = root / "tests" / "data" / inside
    return vendored if vendored.exists() else corpus / relative


class Table:
    def __init__(self, writer, path):
        info = document(writer, "info", path)
        self.file = info["files"][0]
        self.ops = {(line["plane"], line["line"]): line for line in document(writer, "ops", path)["lines"]}
        self.totals = info["totals"]
        self.begin()

    def begin(self):
        self.events = self.event_stats = self.lines = self.ops_lines = 0

    def expect_file(self, row):
        return [json.loads(row[0]) or self.file["hosts"], json.loads(row[1]), json.loads(row[2]), number(row[3]),
                number(row[4])], [self.file[k] for k in ("hosts", "errors", "warnings", "first_ps", "last_ps")]

    def expect_plane(self, row):
        plane = self.file["planes"][int(row[0])]
        # stats are a map by name here: the count is that of distinct names
        return [row[1], json.loads(row[2]), int(row[3]), int(row[4])], \
            [plane[k] for k in ("id", "name", "event_metadata", "stat_metadata")]

    def expect_line(self, row):
        line = self.file["planes"][int(row[0])]["lines"][int(row[1])]
        self.lines += 1
        self.events += int(row[5])
        self.event_stats += int(row[6])
        return [row[2], json.loads(row[3]), row[4], *map(number, row[5:])], \
            [line[k] for k in ("id", "name", "timestamp_ns", "events", "event_stats", "duration_sum_ps", "first_ps",
                               "last_ps")]

    def expect_ops(self, row):
        self.ops_lines += 1
        line = self.ops[int(row[0]), int(row[1])]
        ops = line["ops"]
        keys = ("count", "total_ps", "self_ps", "min_ps", "max_ps")
        rows = sorted([int(op["metadata_id"]), *(op[k] for k in keys)] for op in ops)
        text = "".join(" ".join(map(str, row)) + "\n" for row in rows)
        return [*map(int, row[2:6]), row[6]], \
            [len(ops), *(sum(op[k] for op in ops) for k in keys[:3]), hashlib.sha256(text.encode()).hexdigest()[:16]]

    def expect_totals(self):
        return [self.lines, self.events, self.event_stats, self.ops_lines], \
            [self.totals["lines"], self.totals["events"], self.totals["event_stats"], len(self.ops)]


def compare(table, rows):
    """The differences, as text."""
    table.begin()
    checks = [(row[0], *getattr(table, "expect_" + row[0])(row[1:])) for row in rows]
    checks.append(("totals", *table.expect_totals()))
    return [f"{kind}: the table has {wanted}, we have {found}" for kind, wanted, found in checks if wanted != found]


def overlooked(table, rows):
    """Cells of the first row of each kind that may change unnoticed. The first cells tell which row it is."""
    keys = {"file": 0, "plane": 1, "line": 2, "ops": 2}
    not_compared = {("plane", 5)}  # stats: the document has a map by name
    found = []
    for kind, own in keys.items():
        at = next((i for i, row in enumerate(rows) if row[0] == kind), None)
        for cell in range(own, len(rows[at]) - 1) if at is not None else ():
            if (kind, cell) in not_compared or (kind, cell) == ("file", 0):  # hosts: the file's name stands in for none
                continue
            changed = [list(row) for row in rows]
            was = changed[at][cell + 1]
            changed[at][cell + 1] = (
                '["other"]' if was.startswith("[") else '"other"' if was.startswith('"') else "1" + was
            )
            if not compare(table, changed):
                found.append((kind, cell))
    return found


def main():
    writer = sys.argv[1]
    here = pathlib.Path(__file__).resolve().parent
    given = os.environ.get("PROFKIT_CORPUS")
    root = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", here.parents[1]))
    corpus = pathlib.Path(given) if given else root / ".." / "shared"
    passed = failed = skipped = compared = 0
    for facts in sorted((here / "facts").glob("*.tsv")):
        lines = facts.read_text().splitlines()
        path = capture_path(lines[0][2:], root, corpus)
        if not path.exists():
            print(f"SKIPPED {facts.stem}: needs PROFKIT_CORPUS: {path}")
            skipped += 1
            continue
        rows = [line.split("\t") for line in lines[1:]]
        table = Table(writer, path)
        differences = compare(table, rows)
        compared += len(rows) + 1
        differences += [f"a changed {kind} passed: {cell}" for kind, cell in overlooked(table, rows)]
        print("\n".join(f"FAILED {facts.stem}: {d}" for d in differences[:20]), end="\n" if differences else "")
        passed += not differences
        failed += bool(differences)
    print(f"{compared} rows compared")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if failed:
        return 1
    return 0 if passed else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
