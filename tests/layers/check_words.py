#!/usr/bin/env python3
"""Sources and documents use plain words: check_words.py SOURCE_ROOT. Lines with a word of INSTEAD, alone or as a part of a
name, are faults in src, include, capi, tools and docs.
"""
import pathlib
import re
import sys

TELL = "says, reports, gives, shows, records or knows"
INSTEAD = {"tell": TELL, "tells": TELL, "told": TELL, "telling": TELL, "behind": "after, past or following",
           "in front of": "before or preceding"}
WORD = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(INSTEAD)})(?![A-Za-z])", re.IGNORECASE)
FIXED_NAMES = re.compile("compute_behind_anchor_ns")  # a field of the document `architecture`


def words_in(text):
    """Yields line number and word, the first one of each line."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := WORD.search(FIXED_NAMES.sub("", line)):
            yield number, found.group().lower()


def main(root):
    assert list(words_in("untold\ntells_it\nBehind or in front of\ncompute_behind_anchor_ns\nin front of")) == [
        (2, "tells"), (3, "behind"), (5, "in front of")]
    found, files = [], 0
    for top in ("src", "include", "capi", "tools", "docs"):
        for path in sorted((pathlib.Path(root) / top).rglob("*")):
            if not path.is_file() or path.suffix == ".pyc":
                continue
            files += 1
            name = path.relative_to(root).as_posix()
            found += [f'{name}:{number} has "{word}": write {INSTEAD[word]}'
                      for number, word in words_in(path.read_text(encoding="utf-8", errors="replace"))]
    assert files > 500, "the sources were not found"
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{0 if found else 1} passed, {1 if found else 0} failed, 0 skipped")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
