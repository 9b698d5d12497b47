"""What follows from schema/documents: the JSON schemas of the documents. schema/documents/common.toml says what its words
mean. Run by scripts/generate."""
import json
import re
import tomllib

from enums import SchemaError

FOLDER = "schema/documents"
SCALARS = {"text": "string", "int": "integer", "number": "number", "boolean": "boolean", "null": "null"}
FRAME = {"status": "status", "reason": "reason", "code": "text", "message": "text", "path": "text", "byte_offset": "count?",
         "hint": "text"}


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


class Field:
    """A member of a record, or a type with a name."""
    KEYS = {"is", "meaning", "optional", "words", "const", "least", "above", "pattern", "parts"}

    def __init__(self, name, given):
        self.name, self.given = name, given if isinstance(given, dict) else {"is": given}
        if set(self.given) - self.KEYS or "is" not in self.given:
            raise SchemaError(f"{name}: {', '.join(sorted(set(self.given) - self.KEYS)) or 'is nothing'}")
        self.type, self.meaning = self.given["is"], self.given.get("meaning", "")
        self.is_optional, self.parts = self.given.get("optional", False), self.given.get("parts", [])


class Document:
    """A document, or the parts that documents share, as one file describes them."""

    def __init__(self, name, text):
        read = tomllib.loads(text)
        self.name, frame = name, read.pop("document")
        self.title, self.meaning, self.version = frame.pop("title"), frame.pop("meaning", ""), frame.pop("version", 1)
        self.version_meaning, self.is_framed = frame.pop("version_meaning", ""), frame.pop("framed", True)
        self.is_open, self.parts = frame.pop("open", True), frame.pop("parts", None)
        self.fields = [Field(key, given) for key, given in frame.pop("fields", {}).items()]
        self.types = {key: Field(key, given) for key, given in read.pop("types", {}).items()}
        self.records = {}
        for key, record in read.items():
            fields = [Field(f"{key}.{name}", given) for name, given in record.pop("fields").items()]
            self.records[key] = {"fields": fields, **record}
            if set(record) - {"meaning", "open"}:
                raise SchemaError(f"{name}: {key}: {', '.join(set(record))}")
        if frame:
            raise SchemaError(f"{name}: {', '.join(frame)}")


class Schemas:
    """All documents, and the JSON schema of each."""

    def __init__(self, texts, enums):
        self.documents = {name: Document(name, text) for name, text in texts.items()}
        self.enums = {enum.name: enum for enum in enums}

    def base(self, at, kind, field):
        """The schema of a type without brackets."""
        made = self.documents[at]
        if kind in SCALARS:
            limits = {"minimum": "least", "exclusiveMinimum": "above", "pattern": "pattern"}
            return {"type": SCALARS[kind], **{key: field.given[ours] for key, ours in limits.items() if ours in field.given}}
        if kind == "any":
            return {}
        if kind == "words":
            return {"enum": field.given["words"]}
        if kind == "const":
            return {"const": field.given["const"]}
        place, _, name = kind.partition(":") if ":" in kind else ("", "", kind)
        if place == "enum" and name in self.enums:
            return {"enum": [value["shown"] for value in self.enums[name].values if value["shown"]]}
        if place == "document" and name in self.documents:
            return {"$ref": f"urn:profkit:{name}:{self.documents[name].version}"}
        if not place:
            place = at if name in made.types or name in made.records else "common"
        there = self.documents.get(place)
        if there is None or (name not in there.types and name not in there.records):
            raise SchemaError(f"{at}: {field.name}: {kind} is described nowhere")
        return {"$ref": f"{'' if place == at else f'urn:profkit:{place}:{there.version}'}#/$defs/{name}"}

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
        if listed := re.fullmatch(r"\[(.*)\](\d*)", kind):
            count = {"minItems": int(listed[2]), "maxItems": int(listed[2])} if listed[2] else {}
            return {"type": "array", "items": self.type(at, listed[1], field), **count}
        if kind[0] == "{":
            of = self.type(at, kind[1:-1], field)
            return {"type": "object", **({"additionalProperties": of} if of else {})}
        return self.base(at, kind, field)

    def field(self, at, field):
        made = self.type(at, field.type, field)
        return {**made, "description": field.meaning} if field.meaning else made

    def object(self, at, fields, is_open=True, meaning=""):
        made = {"type": "object"}
        required = [field.name.rpartition(".")[2] for field in fields if not field.is_optional]
        if meaning:
            made["description"] = meaning
        if required:
            made["required"] = required
        made["properties"] = {field.name.rpartition(".")[2]: self.field(at, field) for field in fields}
        if not is_open:
            made["additionalProperties"] = False
        return made

    def json(self, name):
        """The JSON schema of a document."""
        made = self.documents[name]
        whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:profkit:{name}:{made.version}",
                 "title": made.title}
        if made.meaning:
            whole["description"] = made.meaning
        if made.fields and made.is_framed:
            own = {field.name for field in made.fields}
            frame = [Field("schema", {"is": "const", "const": f"profkit.{name}"}),
                     Field("version", {"is": "const", "const": made.version, "meaning": made.version_meaning})]
            frame += [Field(key, kind) for key, kind in FRAME.items() if key not in own]
            whole |= self.object(name, frame + made.fields)
            whole["required"] = ["schema", "version", "status", "reason"]
            whole["if"] = {"properties": {"status": {"const": "error"}}}
            whole["then"] = {"$ref": "urn:profkit:error:1"}
            whole["else"] = {"required": [field.name for field in made.fields if not field.is_optional and not field.parts]}
            listed = {}
            for field in made.fields:
                for part in field.parts:
                    listed.setdefault(part, []).append(field.name)
            if listed:
                whole["else"]["allOf"] = [{"if": {"properties": {made.parts: {"const": part}, "status": {"const": "ok"}}},
                                           "then": {"required": names}} for part, names in listed.items()]
        elif made.fields:
            whole |= self.object(name, made.fields, made.is_open)
        defs = {key: self.field(name, field) for key, field in made.types.items()}
        defs |= {key: self.object(name, record["fields"], record.get("open", True), record.get("meaning", ""))
                 for key, record in made.records.items()}
        if defs:
            whole["$defs"] = defs
        return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def read(root, enums):
    """All descriptions below a root."""
    return Schemas({path.stem: path.read_text(encoding="utf-8") for path in sorted((root / FOLDER).glob("*.toml"))}, enums)
