"""Rows of the document op_groups by the path of keys and names that leads to them."""


def shown(document, *fields):
    rows, path = {}, []
    for g in document["groups"]:
        path[g["depth"]:] = [(g["by"], g["name"])]
        rows[tuple(path)] = tuple(g[f] for f in fields)
    return rows


def tree(items, keys, names_of, sums_of):
    """The rows that are expected: `names_of(item, key)`, one inside the other, and what `sums_of(item)` adds to each."""
    rows = {}
    for item in items:
        path = ()
        for key in keys:
            for name in names_of(item, key):
                path += ((key, name),)
                rows[path] = tuple(map(sum, zip(rows[path], sums_of(item)))) if path in rows else sums_of(item)
    return rows
