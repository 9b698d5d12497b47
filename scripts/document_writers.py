"""The C++ that follows from schema/documents: for each record with a `row`, the function that writes its fields."""
import json
import re

import documents
import enums
from enums import SchemaError

MEMBER = re.compile(r"[a-z]\w*(\(\)|\[\d+\])?(\.[a-z]\w*(\(\)|\[\d+\])?)*")
VALUES = {"text": "out.value({})", "words": "out.value({})", "boolean": "out.value({})", "number": "out.number({})", "id": "out.id({})",
          "count": "out.value(static_cast<std::uint64_t>({}))", "int": "out.value(static_cast<std::int64_t>({}))",
          "ps": "out.value(static_cast<std::int64_t>({}))", "ns": "out.value(in_ns({}))",
          "whole_ns": "out.value(whole_ns({}))", "text_id": "out.value(with.text({}))", "whole": "out.whole({})",
          "ms": "out.milliseconds({})", "us": "out.microseconds({})", "us_of_ns": "out.microseconds_of_ns({})", "exact_ns": "out.microseconds_of_ns({})",
          "ppm": "out.number(static_cast<double>({}) / 1e6)"}
IS_THERE = {"none": "{}", "negative": "{} >= 0", "empty": "!is_empty({})", "no_time": "{} != no_time_ps", "zero": "{} != 0", "false": "{}"}
LEAST = {"notes": ", min_notes", "inputs": ", min_inputs"}
FRAME = ("files", "events_checked", "damage", "limited")  # types of fields that the frame of a document writes
FRAME_OPEN, FRAME_CLOSE = enums.NAMESPACE


def name_of(record):
    """The function of a record."""
    place = "" if record.document == "common" else f"_{record.document}"
    return f"fields_of{place}" + ("" if record.name == "document" else f"_{record.name}")


def indented(lines):
    return ["  " + line for line in lines]


class Writer:
    """The functions of one document."""

    def __init__(self, schemas, document):
        self.schemas, self.document = schemas, document

    def signature(self, record):
        context = f", const {record.context}& with" if record.context else ""
        return f"void {name_of(record)}(json_writer& out, const {record.row}& row{context})"

    def value_of(self, field, record):
        """The C++ expression of a field's value."""
        by, at = field.given.get("by"), field.given.get("from")
        if by and not at:
            return f"{by}(row{', with' if record.context else ''})"
        name = field.name.lstrip("+")
        at = at or (f"{record.prefix}.{name}" if record.prefix else name)
        if not MEMBER.fullmatch(at):
            raise SchemaError(f"{field.full_name}: {at} is no member; `by` names a function")
        value = "row" if field.given.get("from") == "row" else f"row.{at}"
        return f"{by}({value})" if by else value

    def call(self, there, found, value, record):
        if not found.row:
            raise SchemaError(f"{there.name}.{found.name} has no row, which {record.document}.{record.name} needs")
        return f"{name_of(found)}(out, {value}{', with' if found.context else ''});"

    def written(self, kind, field, value, record, at):
        """Lines that write a value, without null."""
        if "writer" in field.given and kind == field.type.rstrip("?"):
            return [f"{field.given['writer']}(out, {value}{', with' if record.context else ''});"]
        if enum := self.schemas.enum_of(kind):
            return [f"out.value({enum.function}({value}));"]
        if kind == "const":
            return [f"out.value({json.dumps(field.given['const'])});"]
        if kind in VALUES:
            return [VALUES[kind].format(value) + ";"]
        if documents.list_of(kind):
            raise SchemaError(f"{field.full_name}: a list of lists, or one that can be null, needs a writer")
        if kind[0] == "{":
            raise SchemaError(f"{field.full_name}: an object with free keys needs a writer")
        there, found = self.schemas.find(at, kind, field)
        if isinstance(found, documents.Record):
            return ["out.begin_object();", self.call(there, found, value, record), "out.end_object();"]
        if writer := found.given.get("writer"):
            return [f"{writer}(out, {value});"]
        return self.written(found.type, found, value, record, there.name)

    @staticmethod
    def there(rule, value):
        """(the condition under which there is a value, the value then)"""
        condition = IS_THERE[rule].format(f"({value})" if value[0] == "*" else value)
        return condition, f"*{value}" if rule == "none" else value

    def field(self, field, record):
        value, kind = self.value_of(field, record), field.type
        if kind.startswith("left_out:"):
            return [f'out.key("{field.name}");', f"out.value(left_out_{kind[9:]});"]
        listed = documents.list_of(kind)
        if listed and "writer" not in field.given:
            return self.listed(field, listed[0], value, record)
        can_be_null = kind.endswith("?")
        is_bound = (field.is_optional or can_be_null) and not re.fullmatch(r"[\w.]+", value)
        inner = "value" if is_bound else value
        if field.is_optional:
            condition, inner = self.there(field.given.get("absent", "none"), inner)
        if field.name[0] == "+":
            there, found = self.schemas.find(self.document.name, kind, field)
            made = [self.call(there, found, inner, record)]
        else:
            made = [f'out.key("{field.name}");']
            if can_be_null:
                has_value, inner = self.there(field.given.get("null", "none"), inner)
                made += [f"if ({has_value}) {{", *indented(self.written(kind[:-1], field, inner, record, self.document.name)), "} else {",
                         "  out.null();", "}"]
            else:
                made += self.written(kind, field, inner, record, self.document.name)
        if field.is_optional:
            made = [f"if ({condition}) {{", *indented(made), "}"]
        return ["{", f"  const auto& value = {value};", *indented(made), "}"] if is_bound else made

    def listed(self, field, kind, value, record):
        room, element = field.given.get("room", ""), "each"
        if each := field.given.get("each"):
            element = f"each{each}" if each[0] == "." else f"{each}(each, row{', with' if record.context else ''})"
        each = self.written(kind, field, element, record, self.document.name)
        if room == "whole":
            made = [f'out.key("{field.name}");', "out.begin_tuple();", f"for (const auto& each : {value}) {{",
                    *indented(each), "}", "out.end_array();"]
        else:
            missing = field.given.get("missing")
            least = LEAST.get(room, ", 0" if missing else "")
            if room == "every":
                least = f", {value}.size()"
            missing = f", row.{missing}" if missing else ""
            is_needed = any(other.type == f"left_out:{field.name}" for other in record.fields)
            made = [f"{f'const std::uint64_t left_out_{field.name} = ' if is_needed else ''}write_rows(out, \"{field.name}\", {value}, "
                    "[&](const auto& each) {", *indented(each), f"}}{least}{missing});"]
        if field.is_optional:
            condition = IS_THERE[field.given.get("absent", "empty")].format(value)
            made = [f"if ({condition}) {{", *indented(made), "}"]
        return made

    def function(self, record):
        lines = [line for field in record.fields if not field.given.get("apart") and
                 not (record.name == "document" and field.type == field.name in FRAME) for line in self.field(field, record)]
        return f"{self.signature(record)} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def records_of(document):
    return [record for record in [document.root, *document.records.values()] if record.row]


def sources(schemas):
    """fields.hpp, and fields_DOCUMENT.cpp of each document"""
    made, declared, rows = {}, "", set()
    for document in schemas.documents.values():
        records = records_of(document)
        writer = Writer(schemas, document)
        rows |= {row for record in records for row in (record.row, record.context) if row}
        declared += "".join(writer.signature(r) + ";\n" for r in records)
        includes = "".join(f"#include <{name}>\n" for name in ["export/json/document.hpp", *document.includes])
        made[f"fields_{document.name}.cpp"] = (f"// Written from schema/documents/{document.name}.toml.\n{includes}\n{FRAME_OPEN}namespace json {{\n\n"
                                               + "\n".join(writer.function(r) for r in records)
                                               + f"\n}}  // namespace json\n{FRAME_CLOSE}")
    made["fields.hpp"] = ("// Written from schema/documents: each writes the fields of a record into an object that is open.\n#pragma once\n"
                          "#include <profkit/namespace.hpp>\n\n" + FRAME_OPEN + "".join(f"struct {row};\n" for row in sorted(rows - {"profile"}) if "::" not in row)
                          + "class json_writer;\nclass profile;\n\nnamespace json {\n"
                          + "".join(f"struct {row[6:]};\n" for row in sorted(rows) if row.startswith("json::")) + "\n" + declared + "\n}  // namespace json\n" + FRAME_CLOSE)
    return made
