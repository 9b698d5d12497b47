#!/usr/bin/env python3
"""Makes src/core/formats/protobuf/proto_names.cpp, the names with which `profkit dump` prints messages, from proto/*.proto.

    field_names.py PROTOC OUTPUT FILE.proto...

Needs protoc, but no protobuf for Python: descriptors are read off the wire here. A user's build takes the
result from the source tree; a test makes it again where protoc is there and compares.
"""
import pathlib
import subprocess
import sys
import tempfile

TYPE_MESSAGE, TYPE_ENUM, LABEL_REPEATED = 11, 14, 3


def fields_of(data):
    """Yields (number, value) of a message: int for varints, bytes for length-delimited fields."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 2:
            length = varint()
            yield tag >> 3, data[at:at + length]
            at += length
        else:
            raise ValueError(f"wire type {tag & 7} in a descriptor")


def one(data, number, default=None):
    value = default
    for n, v in fields_of(data):
        if n == number:
            value = v
    return value


def every(data, number):
    return [v for n, v in fields_of(data) if n == number]


def signed32(value):
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


class Schema:
    def __init__(self, descriptor_set):
        self.messages = []   # (full name, descriptor)
        self.enums = []
        for file in every(descriptor_set, 1):
            prefix = "." + one(file, 2, b"").decode()
            for message in every(file, 4):
                self.add_message(prefix, message)
            for enum in every(file, 5):
                self.enums.append((prefix + "." + one(enum, 1).decode(), enum))
        self.message_index = {name: i for i, (name, _) in enumerate(self.messages)}
        self.enum_index = {name: i for i, (name, _) in enumerate(self.enums)}
        self.packages = {"." + one(file, 2, b"").decode() for file in every(descriptor_set, 1)}

    def add_message(self, prefix, message):
        name = prefix + "." + one(message, 1).decode()
        self.messages.append((name, message))
        for nested in every(message, 3):
            self.add_message(name, nested)
        for enum in every(message, 4):
            self.enums.append((name + "." + one(enum, 1).decode(), enum))

    def short(self, name):
        package = max((p for p in self.packages if name.startswith(p + ".")), key=len)
        return name[len(package) + 1:]

    def field_row(self, field):
        kind = one(field, 5)
        type_name = one(field, 6, b"").decode()
        index = {TYPE_MESSAGE: self.message_index, TYPE_ENUM: self.enum_index}.get(kind, {}).get(type_name, -1)
        proto3_optional = one(field, 17, 0)
        oneof = -1 if proto3_optional else one(field, 9, -1)
        repeated = one(field, 4) == LABEL_REPEATED
        return one(field, 3), kind, repeated, index, oneof, one(field, 1).decode()

    def write(self, out, sources):
        def say(text=""):
            out.write(text + "\n")

        say(f"// Made by proto/field_names.py from {', '.join(sources)}: do not edit.")
        say("#include <formats/protobuf/proto_names.hpp>")
        say()
        say("namespace profkit {\ninline namespace PROFKIT_NAMESPACE {\nnamespace {\n")
        fields, messages = [], []
        for name, message in self.messages:
            rows = sorted(self.field_row(f) for f in every(message, 2))
            map_entry = bool(one(one(message, 7, b""), 7, 0))
            messages.append((self.short(name), len(fields), len(rows), map_entry))
            fields += rows
        names = [m[0] for m in messages]
        if len(set(names)) != len(names):
            raise SystemExit(f"messages of one name: {sorted(n for n in names if names.count(n) > 1)}")
        values, enums = [], []
        for name, enum in self.enums:
            rows = [(signed32(one(v, 2, 0)), one(v, 1).decode()) for v in every(enum, 2)]
            enums.append((self.short(name), len(values), len(rows)))
            values += sorted(rows, key=lambda row: row[0])
        boolean = {True: "true", False: "false"}
        # All names in one text, where a name is a position: no pointer for the loader to relocate.
        places, size = {}, 0
        for name in [*(row[-1] for row in fields), *(row[0] for row in messages), *(row[1] for row in values),
                     *(row[0] for row in enums)]:
            if name not in places:
                places[name] = size
                size += len(name.encode()) + 1
        assert size < 1 << 16
        say("constexpr char proto_texts[] =")
        line = ""
        for name in places:
            if len(line) + len(name) > 100:
                say(f'    "{line}"')
                line = ""
            line += name + "\\0"
        say(f'    "{line}";\n')
        say("// number, type, repeated, message or enum, oneof, name")
        say("constexpr proto_field_name proto_fields[] = {")
        for number, kind, repeated, index, oneof, name in fields:
            say(f'    {{{number}, {kind}, {boolean[repeated]}, {index}, {oneof}, {{{places[name]}}}}},  // {name}')
        say("};\n\n// name, first field, number of fields, entry of a map")
        say("constexpr proto_message_name proto_messages[] = {")
        for name, first, count, map_entry in messages:
            say(f'    {{{{{places[name]}}}, {first}, {count}, {boolean[map_entry]}}},  // {name}')
        say("};\n\nconstexpr proto_enum_value proto_values[] = {")
        for number, name in values:
            say(f'    {{{number}, {{{places[name]}}}}},  // {name}')
        say("};\n\n// name, first value, number of values")
        say("constexpr proto_enum_name proto_enums[] = {")
        for name, first, count in enums:
            say(f'    {{{{{places[name]}}}, {first}, {count}}},  // {name}')
        say("};\n\n}  // namespace\n")
        say("const char *proto_name::text() const noexcept { return proto_texts + at; }\n")
        say("const proto_names &known_proto_names() noexcept {")
        say("  static constexpr proto_names names{")
        for array in ("proto_fields", "proto_messages", "proto_values", "proto_enums"):
            say(f"      {array}, sizeof {array} / sizeof *{array},")
        say("  };\n  return names;\n}\n")
        say("}  // namespace PROFKIT_NAMESPACE\n}  // namespace profkit")


def main():
    protoc, output, *sources = sys.argv[1:]
    folders = sorted({str(pathlib.Path(s).parent) for s in sources})
    with tempfile.TemporaryDirectory() as scratch:
        descriptor_set = pathlib.Path(scratch) / "set"
        subprocess.run([protoc, f"--descriptor_set_out={descriptor_set}", *(f"-I{f}" for f in folders), *sources],
                       check=True)
        schema = Schema(descriptor_set.read_bytes())
    with open(output, "w", encoding="utf-8") as out:
        schema.write(out, [pathlib.Path(s).name for s in sources])


main()
