"""Which fields of the documents and tables exact tests read.

A field is read where a test compares its value, or what holds it, with what it worked out, or takes its value out by name, and that
value says something: it is not null, false, 0 or empty. Each test writes down what it read (PROFKIT_FIELDS_READ, a folder); test_fields.py compares that with the
schemas. What a schema takes from another one is one field, whichever document it is read in.
"""
import json
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = os.environ.get("PROFKIT_FIELDS_READ", "")
ITEM, ANY_KEY = "[]", "*"
_read = set()  # paths, the first word of each names the document


class Object(dict):
    """An object of a document that knows its place in it."""
    place = ()

    def __getitem__(self, key):
        value = super().__getitem__(key)
        if self.place and not isinstance(value, (dict, list)):
            _note(value, (*self.place, key))
        return value

    def get(self, key, default=None):
        return self[key] if key in self else default


class Array(list):
    place = ()


def placed(value, place=None):
    """The value, in which each part knows its place. Without a place: a document that names its schema."""
    if not FOLDER:
        return value
    if place is None and isinstance(value, dict):
        place = (value["schema"],) if str(value.get("schema", "")).startswith("profkit.") else None
    if place is None or not isinstance(value, (dict, list)):
        return value
    if isinstance(value, dict):
        made = Object((key, placed(part, (*place, key))) for key, part in value.items())
    else:
        made = Array(placed(part, (*place, ITEM)) for part in value)
    made.place = place
    return made


def is_placed(value):
    return bool(getattr(value, "place", ()))


def note(found, expected):
    """`found` was compared with `expected`, and is it."""
    if not FOLDER:
        return
    found = found if is_placed(found) else placed(found)
    if is_placed(found):
        if not is_placed(expected):
            _note(expected, found.place)
    elif isinstance(found, dict) and isinstance(expected, dict):
        for key in found.keys() & expected.keys():
            note(found[key], expected[key])
    elif isinstance(found, (list, tuple)) and isinstance(expected, (list, tuple)):
        for pair in zip(found, expected):
            note(*pair)


def _note(value, place):
    if isinstance(value, dict):
        for key, part in value.items():
            _note(part, (*place, key))
    elif isinstance(value, (list, tuple)):
        for part in value:
            _note(part, (*place, ITEM))
    if isinstance(value, (str, int, float, dict, list, tuple)) or hasattr(value, "numerator") or hasattr(value, "as_tuple"):
        if value and place not in _read:
            _read.update(place[:length] for length in range(1, len(place) + 1))


def save(name):
    if FOLDER:
        folder = pathlib.Path(FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(sorted(_read)), encoding="utf-8")


def shown(field):
    """bubbles.devices[].name"""
    text = field[0].removeprefix("profkit.")
    for word in field[1:]:
        text += word if word == ITEM else "." + word
    return text


class Schemas:
    """The fields of all schemas. A field is a path, as in the documents; below what is defined once it begins with that definition."""

    def __init__(self, folder=ROOT / "docs" / "schemas"):
        self.by_id, self.roots = {}, {}
        for path in sorted(folder.glob("*.json")):
            schema = json.loads(path.read_text(encoding="utf-8"))
            self.by_id[schema["$id"]] = schema
            named = schema.get("properties", {}).get("schema", {}).get("const")
            if named:
                self.roots[named] = schema
            if path.stem == "tables":
                for table, rows in schema["$defs"].items():
                    self.roots["table." + table] = {"items": {**rows, "$id": schema["$id"]}, "$id": schema["$id"]}

    def parts(self, node, at, home):
        """Every object of the schema that describes the same value: (object, its place, the schema that it stands in)."""
        yield node, at, home
        if "$ref" in node:
            where, _, inside = node["$ref"].partition("#")
            home = self.by_id[where] if where else home
            found, words = home, [word for word in inside.split("/") if word]
            for word in words:
                found = found[word]
            name = home["$id"].split(":")[2]
            name = "profkit." + name if "profkit." + name in self.roots else name  # a document within another
            if words[:1] == ["$defs"]:
                name, words = name + "#" + words[-1], []
            place = (name, *(ITEM if word == "items" else word for word in words if word != "properties"))
            yield from self.parts(found, place, home)
        for word in ("allOf", "anyOf", "oneOf"):
            for other in node.get(word, ()):
                yield from self.parts(other, at, home)
        for word in ("then", "else"):
            if word in node:
                yield from self.parts(node[word], at, home)

    def children(self, node, at, home):
        """(word, place, part of the schema, the schema that it stands in) of what a value of that kind holds."""
        for part, place, of in self.parts(node, at, home):
            for key, value in part.get("properties", {}).items():
                yield key, (*place, key), value, of
            for value in (part.get("additionalProperties"), *part.get("patternProperties", {}).values()):
                if isinstance(value, dict):
                    yield ANY_KEY, (*place, ANY_KEY), value, of
            for value in (part.get("items"), *part.get("prefixItems", ())):
                if isinstance(value, dict):
                    yield ITEM, (*place, ITEM), value, of

    def fields(self):
        found = set()

        def look(node, at, home):
            for word, place, part, of in self.children(node, at, home):
                if place in found:
                    continue
                found.add(place)
                look(part, place, of)
        for name, root in self.roots.items():
            look(root, (name,), root)
        return {field for field in found if field[-1] not in (ITEM, ANY_KEY)}

    def fields_at(self, path):
        """The fields that a path of a document goes through."""
        if path[0] not in self.roots:
            return set()
        here, last = [(self.roots[path[0]], (path[0],), self.roots[path[0]])], set()
        for word in path[1:]:
            below = [child for at in here for child in self.children(*at)]
            chosen = [child for child in below if child[0] == word] or [child for child in below if child[0] == ANY_KEY]
            here, last = [child[2:3] + child[1:2] + child[3:] for child in chosen], {child[1] for child in chosen}
        return last
