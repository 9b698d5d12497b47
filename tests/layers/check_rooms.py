#!/usr/bin/env python3
"""Fails when folders of one layer include each other, be it by way of others: check_rooms.py SOURCE_ROOT."""
import collections
import pathlib
import sys

from check_includes import INCLUDE

LAYERS = ["core/analyse", "core/export", "core/formats", "wings/clusters"]


def includes_of(files):
    """{room: {room that it includes: (path, what)}} of {path below the layer: text}; rooms are folders, "." is the layer itself."""
    found = collections.defaultdict(dict)
    for path, text in files.items():
        layer, *folders, _ = path.split("/")
        for what in ("".join(names) for names in INCLUDE.findall(text)):
            if what.startswith(layer + "/"):
                rooms = ["/".join(at[:1]) or "." for at in (folders, what.split("/")[1:-1])]
                if rooms[0] != rooms[1]:
                    found[rooms[0]].setdefault(rooms[1], (path, what))
    return found


def circle(found):
    """Rooms of which each includes the next, and the last the first; empty where there are none."""
    done = set()

    def visit(room, way):
        if room in way:
            return way[way.index(room):]
        if room in done:
            return []
        for other in sorted(found.get(room, {})):
            if met := visit(other, way + [room]):
                return met
        done.add(room)
        return []

    return next((met for room in sorted(found) if (met := visit(room, []))), [])


def main(root):
    assert circle({"a": {"b": 0}, "b": {"c": 0}, "c": {"b": 0}}) == ["b", "c"] and not circle({"a": {"b": 0, "c": 0}, "b": {"c": 0}})
    failed = 0
    for layer in LAYERS:
        paths = sorted((root / "src" / layer).rglob("*.[ch]pp"))
        assert paths, layer
        found = includes_of({path.relative_to((root / "src" / layer).parent).as_posix(): path.read_text(encoding="utf-8") for path in paths})
        rooms = circle(found)
        failed += bool(rooms)
        for room, other in zip(rooms, rooms[1:] + rooms[:1]):
            print("{}: includes {}".format(*found[room][other]))
    print(f"{len(LAYERS) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
