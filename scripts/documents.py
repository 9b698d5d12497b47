"""The descriptions in schema/documents, and the JSON schemas that follow from them. schema/documents/common.toml says what
their words mean. Run by scripts/generate."""
import copy
import json
import re

from enums import SchemaError, sentence, tomllib

FOLDER = "schema/documents"
SCALARS = {"text": "string", "int": "integer", "number": "number", "boolean": "boolean", "null": "null",
           "ns": "integer", "whole_ns": "integer", "text_id": "string", "whole": "string",
           "ms": "number", "us": "number", "us_of_ns": "number", "exact_ns": "number", "ppm": "number"}
FRAME = {"status": "status", "reason": "reason"}  # and the fields of a fault
NULLS = ("none", "negative", "empty", "no_time", "zero", "false")


def alternatives(kind):
    """What stands between the `|` outside of brackets."""
    parts, depth = [""], 0
    for letter in kind:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def list_of(kind):
    """(type of the elements, how many or "") of a list, or None."""
    found = re.fullmatch(r"\[(.*)\](\d*)", kind) if len(alternatives(kind)) == 1 else None
    return (found[1], found[2]) if found else None


def as_json(value, pad=""):
    """A schema with a line for each property."""
    if not isinstance(value, dict) or not {"properties", "$defs"} & set(value):
        return json.dumps(value, ensure_ascii=False)
    lines = []
    for key, below in value.items():
        if key in ("properties", "$defs") and below:
            inner = ",\n".join(f"{pad}  {json.dumps(name)}: {as_json(one, pad + '  ')}" for name, one in below.items())
            lines.append(f'{pad} "{key}": {{\n{inner}\n{pad} }}')
        else:
            lines.append(f"{pad} {json.dumps(key)}: {as_json(below, pad + ' ')}")
    return "{\n" + ",\n".join(lines) + f"\n{pad}}}"


def without_unit(name):
    return re.sub("_(ps|ns|us|ms)$", "", name)


class Field:
    """A field of a record, or a type with a name."""
    KEYS = {"is", "meaning", "optional", "words", "const", "least", "above", "pattern", "parts",  # of the schema
            "from", "by", "each", "writer", "null", "absent", "room", "missing", "apart"}         # of what writes it

    def __init__(self, record, name, given):
        self.name, self.full_name = name, f"{record}.{name}"
        self.given = given if isinstance(given, dict) else {"is": given}
        if set(self.given) - self.KEYS or "is" not in self.given:
            raise SchemaError(f"{self.full_name}: {', '.join(sorted(set(self.given) - self.KEYS)) or 'is nothing'}")
        self.type, self.meaning, self.parts = self.given["is"], self.given.get("meaning", ""), self.given.get("parts", [])
        self.is_optional = self.given.get("optional", False)
        self.column = None  # (table, column of a table) that has the same value
        for key in ("null", "absent"):
            if self.given.get(key, "none") not in NULLS:
                raise SchemaError(f"{self.full_name}: {key} is one of {', '.join(NULLS)}")

    @property
    def is_renamed(self):
        """Whether the column that has the same value is called otherwise, units apart."""
        return self.column is not None and without_unit(self.name) != without_unit(self.column[1].name)

    def within(self, group):
        """The field, where the fields of its record stand in place of `group`."""
        made = copy.copy(self)
        made.is_optional, made.parts = self.is_optional or group.is_optional, self.parts or group.parts
        return made


def terms(equation):
    """[(sign, path)] of `whole = part + part - part`, which add up to 0; a path: words, `[]` behind a list, `*` for all fields."""
    whole, _, parts = equation.partition(" = ")
    found = [(-1 if sign == "-" else 1, path.split("."))
             for sign, path in re.findall(r"([+-]?) ?([a-z][\w.\[\]*]*)", whole)]
    return found + [(1 if sign == "-" else -1, path.split(".")) for sign, path in re.findall(r"([+-]?) ?([a-z][\w.\[\]*]*)", parts)]


class Record:
    """The fields of an object. `row` is the C++ type that they are of, `prefix` the part of it, `context` what else it takes."""

    def __init__(self, document, name, given):
        self.document, self.name, self.meaning = document, name, given.pop("meaning", "")
        self.is_open, self.row, self.context = given.pop("open", True), given.pop("row", None), given.pop("with", None)
        self.prefix, self.sums, self.table = given.pop("of", None), given.pop("sums", []), given.pop("table", None)
        self.fields = [Field(f"{document}.{name}", key, value) for key, value in given.pop("fields", {}).items()]
        if given:
            raise SchemaError(f"{document}.{name}: {', '.join(given)} has no meaning")

    def find_columns(self, tables):
        """The column of each field that has the value of one: both are of the same member."""
        table, _, part = self.table.partition(".")
        columns = {column.source: column for column in tables[table].columns}
        for field in self.fields:
            if set(field.given) & {"by", "each", "writer", "apart"} or field.name[0] == "+":
                continue
            source = field.given.get("from", field.name).removeprefix(f"{self.prefix}.")
            column = columns.get(f"{part}.{source}" if part else source)
            # Beside a name, an id or a position is another value of the same member.
            if column and not (field.type.rstrip("?") in ("int", "count", "id") and column.column_type() == "name"):
                field.column = table, column
        if not any(field.column for field in self.fields):
            raise SchemaError(f"{self.document}.{self.name} has no column of {self.table}")

class Document:
    """A document, or the parts that documents share, as one file describes them."""

    def __init__(self, name, text):
        given = tomllib.loads(text)
        self.name, frame = name, given.pop("document")
        self.title, self.meaning, self.version = frame.pop("title"), frame.pop("meaning", ""), frame.pop("version", 1)
        self.version_meaning, self.is_framed = frame.pop("version_meaning", ""), frame.pop("framed", True)
        self.parts, self.includes = frame.pop("parts", None), frame.pop("includes", [])
        self.root = Record(name, "document", frame)
        self.types = {key: Field(name, key, value) for key, value in given.pop("types", {}).items()}
        self.records = {key: Record(name, key, record) for key, record in given.items()}


class Schemas:
    """All documents, and the JSON schema of each."""

    def __init__(self, texts, enums, tables=None):
        self.documents = {name: Document(name, text) for name, text in texts.items()}
        self.enums = {enum.name: enum for enum in enums}
        for record in self.records():
            if tables and record.table:
                record.find_columns(tables)

    def records(self):
        return [record for document in self.documents.values() for record in (document.root, *document.records.values())]

    def other_names(self):
        """{(table, column): [(document, name)]} of the columns that documents have under another name."""
        found = {}
        for record in self.records():
            for field in record.fields:
                if field.is_renamed:
                    found.setdefault((field.column[0], field.column[1].name), []).append((record.document, field.name))
        return found

    def find(self, at, kind, field):
        """(document, type or record) that the name of a type stands for."""
        place, _, name = kind.rpartition(":")
        if not place:
            place = at if name in self.documents[at].types or name in self.documents[at].records else "common"
        there = self.documents.get(place)
        found = there and (there.types.get(name) or there.records.get(name))
        if not found:
            raise SchemaError(f"{field.full_name}: {kind} is described nowhere")
        return there, found

    def enum_of(self, kind):
        return self.enums.get(kind[5:]) if kind.startswith("enum:") else None

    def base(self, at, kind, field):
        """The schema of a type without brackets."""
        if kind in SCALARS:
            limits = {"minimum": "least", "exclusiveMinimum": "above", "pattern": "pattern"}
            return {"type": SCALARS[kind], **{key: field.given[ours] for key, ours in limits.items() if ours in field.given}}
        if kind == "any":
            return {}
        if kind == "words":
            return {"enum": field.given["words"]}
        if kind == "const":
            return {"const": field.given["const"]}
        if kind.startswith("left_out:"):
            kind = "count"
        if enum := self.enum_of(kind):
            return {"enum": [value["shown"] for value in enum.values if value["shown"]]}
        if kind.startswith("document:") and kind[9:] in self.documents:
            return {"$ref": f"urn:profkit:{kind[9:]}:{self.documents[kind[9:]].version}"}
        there, found = self.find(at, kind, field)
        # Whole addresses: jsonschema before 4.18, which Debian 12 has, looks for "#/$defs" of another document in the first one.
        return {"$ref": f"urn:profkit:{there.name}:{there.version}#/$defs/{found.name}"}

    def type(self, at, kind, field):
        """The schema of a type."""
        if kind.endswith("?"):
            made = self.type(at, kind[:-1], field)
            if "enum" in made:
                return {"enum": made["enum"] + [None]}
            if "type" in made and set(made) <= {"type", "minimum", "pattern"}:
                types = made["type"] if isinstance(made["type"], list) else [made["type"]]
                return {**made, "type": types + ["null"]}
            return {"anyOf": [made, {"type": "null"}]}
        if len(parts := alternatives(kind)) > 1:
            parts = [self.type(at, part, field) for part in parts]
            if all(set(part) == {"type"} and isinstance(part["type"], str) for part in parts):
                return {"type": [part["type"] for part in parts]}
            return {"anyOf": parts}
        if listed := list_of(kind):
            count = {"minItems": int(listed[1]), "maxItems": int(listed[1])} if listed[1] else {}
            return {"type": "array", "items": self.type(at, listed[0], field), **count}
        if kind[0] == "{":
            of = self.type(at, kind[1:-1], field)
            return {"type": "object", **({"additionalProperties": of} if of else {})}
        return self.base(at, kind, field)

    def field(self, at, field):
        made, meaning = self.type(at, field.type, field), field.meaning
        if field.column:
            table, column = field.column
            meaning = meaning or sentence(column.meaning)
            if field.is_renamed:
                meaning += f"{'' if meaning[-1] in '.;' else '.'} Column {column.name} of {table}."
        return {**made, "description": meaning} if meaning else made

    def flat(self, at, fields):
        """The fields, and in place of `+name` those of the record that it is: with its `parts`, and optional where it is."""
        for field in fields:
            if field.name[0] == "+":
                there, record = self.find(at, field.type, field)
                for place, part in self.flat(there.name, record.fields):
                    yield place, part.within(field)
            else:
                yield at, field

    def object(self, at, record, before=()):
        meaning = " ".join([record.meaning] * bool(record.meaning) + [f"{equation}." for equation in record.sums])
        made = {"type": "object", **({"description": meaning} if meaning else {})}
        fields = list(self.flat(at, list(before) + record.fields))
        if required := [field.name for _, field in fields if not field.is_optional]:
            made["required"] = required
        made["properties"] = {field.name: self.field(place, field) for place, field in fields}
        for path in [path for equation in record.sums for _, path in terms(equation)]:
            self.check_path(at, record, path)
        if not record.is_open:
            made["additionalProperties"] = False
        return made

    def record_of(self, at, field):
        """(document, record) of what a field holds, or holds a list of; None where that is no record."""
        kind = field.type.rstrip("?")
        if listed := list_of(kind):
            kind = listed[0].rstrip("?")
        if not re.fullmatch(r"(\w+:)?\w+", kind) or kind in SCALARS or kind in ("any", "words", "const"):
            return None
        if kind.startswith("document:"):
            return self.documents[kind[9:]].name, self.documents[kind[9:]].root
        if kind.startswith(("enum:", "left_out:")):
            return None
        there, found = self.find(at, kind, field)
        return (there.name, found) if isinstance(found, Record) else self.record_of(there.name, found)

    def check_path(self, at, record, path):
        """What a sum names must be there."""
        for word in path:
            fields = {field.name: (place, field) for place, field in self.flat(at, record.fields)}
            if word == "*":
                return
            place, field = fields.get(word.removesuffix("[]")) or (None, None)
            if field is None or word.endswith("[]") != bool(list_of(field.type.rstrip("?"))):
                raise SchemaError(f"{record.document}.{record.name}: {'.'.join(path)} is no field that can be added")
            at, record = self.record_of(place, field) or (at, None)
            if record is None:
                return

    def json(self, name):
        """The JSON schema of a document."""
        made = self.documents[name]
        whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:profkit:{name}:{made.version}",
                 "title": made.title}
        if made.meaning:
            whole["description"] = made.meaning
        if made.root.fields and made.is_framed:
            own = {field.name for field in made.root.fields}
            frame = [Field(name, "schema", {"is": "const", "const": f"profkit.{name}", "meaning": "Which document it is."}),
                     Field(name, "version", {"is": "const", "const": made.version, "meaning": made.version_meaning})]
            frame += [Field(name, key, kind) for key, kind in FRAME.items() if key not in own]
            frame += [field for field in self.documents["common"].records["fault"].fields if field.name not in own]
            whole |= self.object(name, made.root, frame)
            fields = [field for _, field in self.flat(name, made.root.fields)]
            whole["required"] = ["schema", "version", "status", "reason"]
            whole["if"] = {"properties": {"status": {"const": "error"}}}
            whole["then"] = {"$ref": "urn:profkit:error:1"}
            whole["else"] = {"required": [field.name for field in fields if not field.is_optional and not field.parts]}
            listed = {}
            for field in fields:
                for part in field.parts if not field.is_optional else ():
                    listed.setdefault(part, []).append(field.name)
            if listed:
                whole["else"]["allOf"] = [{"if": {"properties": {made.parts: {"const": part}, "status": {"const": "ok"}}},
                                           "then": {"required": names}} for part, names in listed.items()]
        elif made.root.fields:
            whole |= self.object(name, made.root)
        defs = {key: self.field(name, field) for key, field in made.types.items()}
        defs |= {key: self.object(name, record) for key, record in made.records.items()}
        if defs:
            whole["$defs"] = defs
        return as_json(whole) + "\n"


def read(root, enums, tables=None):
    """All descriptions below a root."""
    return Schemas({path.stem: path.read_text(encoding="utf-8") for path in sorted((root / FOLDER).glob("*.toml"))}, enums, tables)
