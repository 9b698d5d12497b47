"""What follows from schema: of enumerations (enums.py), of documents (documents.py, document_writers.py), and of
schema/tables.toml row structs of profkit.h, the descriptions of tables in the core and for SQL, docs/tables.md,
docs/schemas/tables.json and the rows of bindings (rows_rust.py). The schemas say what their words mean. Run by scripts/generate."""
import json
import pathlib
import re

import document_writers
import documents
import enums
import rows_go
import rows_python
import rows_rust
from enums import SchemaError, tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCHEMA = "schema/tables.toml"

INTEGERS = {"int32": ("int32_t", 4), "uint32": ("uint32_t", 4), "int64": ("int64_t", 8), "uint64": ("uint64_t", 8)}
# Of structs that are no rows of a table.
FIELDS = {"bool": ("uint32_t", 4), "char": ("int32_t", 4), "size": ("size_t", 8), "double": ("double", 8)}
TEXTS = ("text", "name", "path", "bytes")
BINDINGS = ("go", "python", "rust")
NULL_RULES = ("negative", "no_time", "empty")


def version(text):
    return tuple(int(part) for part in text.split("."))


class Column:
    """A column of a table, or a field of its rows that is none."""

    def __init__(self, table, given, schema, enumerations):
        self.table, self.name, self.type = table, given["name"], given["type"]
        self.unit, self.null = given.get("unit", ""), given.get("null", "")
        self.meaning = given.get("meaning", "")
        self.since = given.get("since", "0.1")
        self.source = given.get("from", self.name)
        self.names = {language: given.get(language, self.name) for language in BINDINGS}
        self.is_later = version(self.since) > version(schema["frozen"])
        self.base, _, self.of = self.type.partition(":")
        self.is_list = self.base in ("int64[]", "uint64[]")
        unknown = set(given) - {"name", "type", "unit", "null", "meaning", "since", "from", *BINDINGS}
        known = self.base in {**INTEGERS, **FIELDS, **dict.fromkeys(TEXTS)} or self.is_list or self.base in ("flags", "flag", "uint32[3]")
        if self.base in ("enum", "set"):
            known = self.of in enumerations
        rule = self.null.partition(":")[0]
        if unknown or not known or self.null and rule not in NULL_RULES + ("without",):
            raise SchemaError(f"{table}.{self.name}: {', '.join(unknown) or self.type if not known else self.null}")
        if not self.meaning and self.base != "flags":
            raise SchemaError(f"{table}.{self.name} has no meaning")

    @property
    def is_shown(self):
        return self.base not in ("flags", "bytes")

    @property
    def is_field(self):
        return self.base != "flag"

    def fields(self):
        """(declaration, size, alignment) of what the struct holds of it."""
        if self.base in INTEGERS or self.base in FIELDS:
            c_type, size = {**INTEGERS, **FIELDS}[self.base]
            return [(f"{c_type} {self.name}", size)]
        if self.base in TEXTS:
            return [(f"pk_str {self.name}", 16)]
        if self.is_list:
            return [(f"const {self.base[:-2]}_t* {self.name}", 8), (f"size_t {self.name}_count", 8)]
        if self.base == "uint32[3]":
            return [(f"uint32_t {self.name}[3]", 12)]
        return [(("int32_t " if self.base == "enum" else "uint32_t ") + self.name, 4)]

    def with_unit(self, text):
        """The text, with the unit where the name does not say it."""
        return text + (f"; {self.unit}" if self.unit and not self.name.endswith("_" + self.unit) else "")

    def with_null(self, none):
        """What it means, with `none` in the place of the value that C has where it is not known."""
        return re.sub(r"(?<!\w)-1\b|PK_NO_TIME_PS|\b0(?= when)", none, self.meaning) if self.null else self.meaning

    def meaning_with(self, none):
        return self.with_unit(self.with_null(none))

    def shown_meaning(self):
        """What it means where nothing is null."""
        return self.with_null("null").replace('""', "null") if self.null == "empty" else self.with_null("null")

    def comment(self, enumerations):
        if self.base == "flags":
            return f"{self.of}"
        text = self.with_unit(self.meaning)
        if self.base == "enum":
            text = f"{enumerations[self.of].c}: {text}"
        if self.base == "set":
            text = f"1 << {enumerations[self.of].c}: {text}"
        if self.null.startswith("without:PK_"):
            text += f"; with {self.null.partition(':')[2]}"
        return text

    def column_type(self):
        """As Arrow and docs/tables.md have it."""
        if self.base in INTEGERS:
            return self.base
        if self.base == "flag":
            return "boolean"
        if self.base == "uint32[3]":
            return "uint32"
        return "text" if self.base in ("text", "path") or self.is_list else "name"


class Table:
    """A table of the schema, or a struct of the C ABI that is a row of none (number None)."""

    def __init__(self, given, schema, enumerations):
        self.name, self.number, self.row = given["name"], given.get("number"), given.get("row")
        self.meaning, self.order = given["meaning"], given.get("order")
        self.source, self.header = given.get("from"), given.get("header")
        self.text_of = given.get("text_of", "table")
        self.bindings, self.given = {language: given[language] for language in BINDINGS if language in given}, given.get("given", [])
        self.is_read_over = given.get("text_of") == "read"
        self.is_base = given.get("python_base", False)
        self.join = given.get("join", [] if self.number is None else list(schema["join"]))
        self.filters = given.get("filters", [])
        self.columns = [Column(self.name, column, schema, enumerations) for column in given["columns"]]
        if self.number is not None and self.columns[0].name != "file":
            raise SchemaError(f"{self.name} does not begin with `file`")
        names = [column.name for column in self.columns if column.is_shown] + self.join
        if len(set(names)) != len(names):
            raise SchemaError(f"{self.name} has two columns of one name")

    def struct_columns(self):
        """Fields in the order of the struct: of a table file and device, what takes eight bytes, what takes four."""
        if self.number is None:
            return [c for c in self.columns if c.is_field]
        held = [c for c in self.columns if c.is_field and not c.is_later]
        lead = [c for c in held if c.name in ("file", "device")]
        rest = [c for c in held if c not in lead]
        return lead + sorted(rest, key=lambda c: c.fields()[0][1] % 8 != 0)

    def flags(self):
        """The column that `flag:` and `without:` are bits of."""
        return next(c for c in self.columns if c.base == "flags")

    def later(self):
        return [c for c in self.columns if c.is_field and c.is_later]


class Schema:
    """All of it."""

    def __init__(self, text, enumerations):
        given = tomllib.loads(text)
        self.join, self.frozen = given["join"], given["frozen"]
        self.enums = {enum.name: enum for enum in enumerations}
        self.tables = [Table(table, given, self.enums) for table in given["table"]]
        self.structs = [Table(row, given, self.enums) for row in given.get("struct", [])]
        numbers = [table.number for table in self.tables]
        if len(set(numbers)) != len(numbers):
            raise SchemaError("two tables have one number")

    def rows_in(self, language):
        """Those that have a row in a binding."""
        return [table for table in self.tables + self.structs if language in table.bindings]


# ---- the C header ----

def row_struct(table, schema):
    """typedef struct pk_op { … } pk_op;"""
    padded = position = 0
    body = ""
    for column in table.struct_columns():
        for declaration, size in column.fields():
            alignment = 8 if size % 8 == 0 else 4
            if position % alignment:
                body += f"  uint32_t reserved{padded or ''}; /**< 0 */\n"
                padded, position = padded + 1, position + 4
            comment = column.comment(schema.enums) if not declaration.endswith("_count") or not column.is_list else "of it"
            line = f"  {declaration};"
            note = f" /**< {comment} */"
            body += line + note + "\n" if len(line + note) <= 118 else enums.comment(comment, "  ", "/** ", " *  ", " */") + line + "\n"
            position += size
    if position % 8:
        body += f"  uint32_t reserved{padded or ''}; /**< 0 */\n"
    of = f" A row of PK_TABLE_{table.name.upper()}." if table.number is not None else ""
    texts = any(column.base in TEXTS for column in table.columns)
    lives = f"; text is borrowed {'until the next read' if table.is_read_over else 'from what gave the row'}" if texts else ""
    takes = f" Filters that the table takes: {', '.join(table.filters) or 'none'}." if of else ""
    text = f"{table.meaning}{of}{takes} Frozen{lives}. \\since 0.1"
    return enums.comment(text, "", "/** ", " *  ", " */") + f"typedef struct {table.row} {{\n{body}}} {table.row};\n"


def table_numbers(schema, prefix, indent="  "):
    lines = []
    for table in schema.tables:
        name = prefix + (table.name.upper() if prefix else table.name)
        row = f" A {table.row} each." if table.row else " Without a struct: by Arrow alone."
        start = "/**< " if prefix else "///< "
        end = " */" if prefix else ""
        comma = "" if prefix and table is schema.tables[-1] else ","  # C89 has none after the last
        text = table.meaning if table.name != "live_curve" else "A point of the live curve of the chosen module."
        line = f"{indent}{name} = {table.number}{comma} {start}{text.split('. ')[0].rstrip('.')}.{row if prefix else ''}{end}"
        if len(line) > 118:
            line = f"{indent}{name} = {table.number}{comma} {start}{row.strip() if prefix else text.split(':')[0].rstrip('.')}{end}"
        lines.append(line)
    return "\n".join(lines) + "\n"


# ---- the descriptions of the core ----

KINDS = {"int32": "int32", "int64": "int64", "uint32": "uint32", "uint64": "uint64", "text": "text", "name": "text", "path": "text",
         "flag": "flag", "enum": "named", "set": "set", "int64[]": "int64_list", "uint64[]": "uint64_list",
         "uint32[3]": "uint32"}


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def described(table, column, flags, name=None, shift=0):
    """The initialiser of one column."""
    struct = f"rows::{table.name}"
    kind, rule, offset, rule_offset, mask = KINDS[column.base], "never", "0", "0", "0"
    repeats = column.column_type() == "name"
    if table.row:
        field = column.name if column.base != "flag" else flags
        offset = f"offsetof({struct}, {field})" + (f" + {shift}" if shift else "")
        if column.base == "flag":
            mask = column.of
        if column.is_list:
            rule_offset = f"offsetof({struct}, {column.name}_count)"
    first, _, of = column.null.partition(":")
    if first == "without":
        rule = "without_bit" if of.startswith("PK_") else "without_text"
        rule_offset = f"offsetof({struct}, {flags if of.startswith('PK_') else of})"
        mask = of if of.startswith("PK_") else "0"
    elif first:
        rule = first
    name_of = f"name_of_{column.of}" if column.base in ("enum", "set") else "nullptr"
    return (f"    {{{quoted(name or column.name)}, {quoted(column.unit)}, {quoted(column.shown_meaning())}, cell_kind::{kind}, "
            f"{'true' if repeats else 'false'}, null_rule::{rule}, {offset}, {rule_offset}, {mask}, {name_of}}},\n")


def descriptions(schema):
    """src/core/tables/descriptions.cpp"""
    shown = [schema.enums[name] for name in sorted({c.of for t in schema.tables for c in t.columns if c.base in ("enum", "set")})]
    headers = sorted({enum.header for enum in shown})
    text = ("// Written from schema/tables.toml.\n"
            "#include <tables/rows.hpp>\n\n" + "".join(f"#include <{h}>\n" for h in headers) + "\n#include <cstddef>\n\n"
            "// A row is a C struct, with later columns after it: offsetof is sound for all of them.\n"
            "#if defined(__GNUC__)\n#pragma GCC diagnostic ignored \"-Winvalid-offsetof\"\n#endif\n\n" + enums.NAMESPACE[0] + "namespace {\n\n")
    for enum in shown:
        text += (f"const char* name_of_{enum.name}(std::uint32_t value) noexcept {{\n"
                 f"  return {enum.function}(static_cast<{enum.name}>(value));\n}}\n")
    for table in schema.tables:
        flags = next((c.name for c in table.columns if c.base == "flags"), "")
        text += f"\nconst table_column columns_of_{table.name}[] = {{\n"
        for join in table.join:
            given = schema.join[join]
            repeats = "true" if given["type"] == "name" else "false"
            text += (f"    {{{quoted(join)}, \"\", {quoted(given['meaning'])}, cell_kind::joined_{join}, {repeats}, "
                     "null_rule::never, 0, 0, 0, nullptr},\n")
        for column in table.columns:
            if not column.is_shown:
                continue
            if column.base == "uint32[3]":
                for at, axis in enumerate("xyz"):
                    text += described(table, column, flags, f"{column.name}_{axis}", 4 * at)
            else:
                text += described(table, column, flags)
        text += "};\n"
    text += "\nconst table_description tables[] = {\n"
    for table in schema.tables:
        size = f"sizeof(rows::{table.name}), sizeof({table.row})" if table.row else "0, 0"
        filters = " | ".join(f"filter_{f}" for f in table.filters) or "0"
        text += (f"    {{table_kind::{table.name}, {quoted(table.name)}, {quoted(table.meaning)}, {size}, {filters},\n"
                 f"     columns_of_{table.name}, std::size(columns_of_{table.name})}},\n")
    return text + ("};\n\n}  // namespace\n\n"
                   "table_list all_tables() noexcept { return {tables, tables + std::size(tables)}; }\n\n" + enums.NAMESPACE[1])


def rows_header(schema):
    """src/core/tables/rows.hpp"""
    text = ("// Rows of tables, as they are filled. Written from schema/tables.toml.\n#pragma once\n"
            "#include <profkit/core/table.hpp>\n#include <profkit/profkit.h>\n#include <tables/description.hpp>\n\n" + enums.NAMESPACE[0] + "namespace rows {\n\n")
    for table in schema.tables:
        if not table.row:
            continue
        later = [declaration for column in table.later() for declaration, _ in column.fields()]
        if later:
            text += f"struct {table.name} : {table.row} {{\n" + "".join(f"  {d};\n" for d in later) + "};\n"
        else:
            text += f"struct {table.name} : {table.row} {{}};\n"
    return text + "\n}  // namespace rows\n" + enums.NAMESPACE[1]


def filled(column):
    """The statements that fill a column of a row."""
    value = f"from.{column.source}"
    if column.base in INTEGERS:
        return [f"row.{column.name} = static_cast<std::{column.base}_t>({value});"]
    if column.base in TEXTS:
        return [f"row.{column.name} = borrowed({value});"]
    if column.base == "enum":
        return [f"row.{column.name} = static_cast<std::int32_t>({value});"]
    if column.base == "set":
        return [f"row.{column.name} = {value}.bits();"]
    if column.is_list:
        return [f"row.{column.name} = {value}.empty() ? nullptr : {value}.data();", f"row.{column.name}_count = {value}.size();"]
    if column.base == "flag":
        return [f"if ({value}) row.flags |= {column.of};"]
    raise SchemaError(f"{column.table}.{column.name} is not filled from a member")


def fills(schema):
    """{name: text} of fills.hpp and fills.cpp: what fills rows from what analyses give."""
    tables = [table for table in schema.tables if table.source]
    frame, end = enums.NAMESPACE
    heads = {table.name: f"void fill(const {table.source}& from, rows::{table.name}& row) noexcept" for table in tables}
    header = ("// Written from schema/tables.toml: each fills what a row has of its source.\n#pragma once\n#include <tables/rows.hpp>\n\n" + frame + "\n"
              + "".join(f"struct {name};\n" for name in sorted({table.source for table in tables})) + "\n"
              + "".join(f"{head};\n" for head in heads.values()) + "\n" + end)
    body = ""
    for table in tables:
        columns = [c for c in table.columns if c.source and c.base != "flags"]
        lines = [line for column in columns for line in filled(column)]
        body += f"\n{heads[table.name]} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
    includes = "".join(f"#include <{name}>\n" for name in sorted({table.header for table in tables}))
    return {"fills.hpp": header, "fills.cpp": f"// Written from schema/tables.toml.\n#include <tables/fills.hpp>\n#include <tables/rows_of_list.hpp>\n\n"
            + includes + "\n" + frame + body + "\n" + end}


# ---- for people ----

def shown_columns(table, schema):
    """(name, type, unit, nullable, meaning) of every column, in order."""
    for join in table.join:
        yield join, schema.join[join]["type"], "", True, schema.join[join]["meaning"]
    for column in table.columns:
        if not column.is_shown:
            continue
        names = [f"{column.name}_{axis}" for axis in "xyz"] if column.base == "uint32[3]" else [column.name]
        for name in names:
            yield name, column.column_type(), column.unit, bool(column.null), column.shown_meaning()


def document(schema, other_names):
    """docs/tables.md"""
    text = ("# Tables\n\nWritten by scripts/generate from schema/tables.toml. Every table comes as Arrow, CSV and JSON, and, where a\n"
            "struct is named, as rows of C; [arrow.md](arrow.md) says how. Times are integers; `name` is text that repeats, a\n"
            "dictionary in Arrow. A column that can be null says so with `?`; in rows of C that is -1, \"\" or PK_NO_TIME_PS, as\n"
            "profkit.h says. Positions (`file`, `device`, `step`, `gap`) are those\n"
            "of the tables of that name, whatever table they stand in. Where documents have a column under another name, it is said.\n")
    for table in schema.tables:
        text += f"\n## {table.name}\n\n{table.meaning} By {table.order}."
        text += f" `{table.row}` in C." if table.row else ""
        text += f" Filters: {', '.join(table.filters)}." if table.filters else ""
        text += "\n\n| column | type | unit | |\n|---|---|---|---|\n"
        for name, kind, unit, nullable, meaning in shown_columns(table, schema):
            others = ", ".join(f"`{other}` in {of}" for of, other in other_names.get((table.name, name), []))
            text += f"| `{name}` | {kind}{'?' if nullable else ''} | {unit} | {meaning}{others and '; ' + others} |\n"
    return text


def sql_schema(schema):
    """bindings/sqlite/schema.cpp"""
    lists = {"int64[]": "numbers", "uint64[]": "numbers", "set": "words"}
    text = ("// Written from schema/tables.toml.\n#include \"schema.hpp\"\n\n#include <iterator>\n\n"
            "namespace profkit_sqlite {\nnamespace {\n\n")
    for table in schema.tables:
        kinds = {column.name: lists[column.base] for column in table.columns if column.base in lists}
        text += f"const schema_column fields_of_{table.name}[] = {{\n"
        for name, kind, unit, _, meaning in shown_columns(table, schema):
            shown = kinds.get(name) or ("text" if kind in ("name", "text") else "integer")
            text += f"    {{{quoted(name)}, value_kind::{shown}, {quoted(unit)}, {quoted(meaning)}}},\n"
        text += "};\n\n"
    text += "const schema_table tables_of_schema[] = {\n"
    for table in schema.tables:
        filters = " | ".join(f"filter_{f}" for f in table.filters if f != "limit") or "0"
        text += (f"    {{{quoted(table.name)}, {table.number}, {quoted(table.meaning)},\n     {filters}, fields_of_{table.name}, "
                 f"std::size(fields_of_{table.name})}},\n")
    return text + ("};\n\n}  // namespace\n\nschema_tables all_schema_tables() noexcept { return {std::begin(tables_of_schema), "
                   "std::end(tables_of_schema)}; }\n\n}  // namespace profkit_sqlite\n")


def json_schema(schema):
    """docs/schemas/tables.json: what one row of each table looks like as JSON."""
    kinds = {"name": "string", "text": "string", "boolean": "boolean"}
    definitions = {}
    for table in schema.tables:
        properties = {}
        for name, kind, unit, nullable, meaning in shown_columns(table, schema):
            json_type = kinds.get(kind, "integer")
            entry = {"description": meaning + (f" ({unit})" if unit else ""), "type": [json_type, "null"] if nullable else json_type}
            properties[name] = entry
        definitions[table.name] = {"description": table.meaning, "type": "object", "properties": properties,
                                   "required": list(properties), "additionalProperties": table.name == "probe_records"}
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:profkit:tables:1", "title": "Rows of profkit's tables, one JSON object each",
             "$defs": definitions}
    return documents.as_json(whole) + "\n"


def replace_marked(whole, mark, text, path):
    """The text between `/* MARK: written by scripts/generate */` and `/* end of MARK */`; // in C++ headers, # in Python."""
    pattern = re.compile(r"(^ *(?:/\*|//|#) " + re.escape(mark) + r": written by scripts/generate(?: \*/)?\n)(.*?)(^ *(?:/\*|//|#) end of "
                         + re.escape(mark) + r"(?: \*/)?\n)", re.DOTALL | re.MULTILINE)
    found = pattern.search(whole)
    if not found:
        raise SchemaError(f"{path} has no place for {mark}")
    return whole[:found.end(1)] + text + whole[found.start(3):]


def generated(root=ROOT):
    """Every file that follows from the schema, by its path."""
    described = enums.read((root / enums.SCHEMA).read_text(encoding="utf-8"))
    schema = Schema((root / SCHEMA).read_text(encoding="utf-8"), described)
    texts = {}
    schemas = documents.read(root, described, {table.name: table for table in schema.tables})
    texts |= {f"docs/schemas/{name}.json": schemas.json(name) for name in schemas.documents}
    for path, mark, text in enums.regions(described):
        texts[path] = replace_marked(texts.get(path) or (root / path).read_text(encoding="utf-8"), mark, text, path)
    header, core = "include/profkit/profkit.h", "include/profkit/core/table.hpp"
    c_text = replace_marked(texts[header], "tables", table_numbers(schema, "PK_TABLE_"), header)
    for table in schema.tables + schema.structs:
        if table.row:
            c_text = replace_marked(c_text, f"row of {table.name}", row_struct(table, schema), header)
    core_text = replace_marked(texts[core], "tables", table_numbers(schema, ""), core)
    raii = "include/profkit/profkit.hpp"
    structs = "".join(f"template <>\nstruct table_of<{t.row}> : std::integral_constant<std::int32_t, PK_TABLE_{t.name.upper()}> {{}};\n"
                      for t in schema.tables if t.row)
    raii_text = replace_marked(texts[raii], "tables", structs, raii)
    for path, text in (("bindings/go/rows.go", rows_go.rows(schema)),
                       ("bindings/python/src/profkit/rows.py", rows_python.rows(schema))):
        texts[path] = replace_marked((root / path).read_text(encoding="utf-8"), "rows", text, path)
    return {**texts, header: c_text, raii: raii_text, core: core_text, "docs/tables.md": document(schema, schemas.other_names()),
            "docs/schemas/tables.json": json_schema(schema),
            "bindings/rust/profkit/src/rows_of_tables.rs": rows_rust.rows(schema)}


def built(folder, root=ROOT):
    """The files that the build writes for a folder, by name."""
    described = enums.read((root / enums.SCHEMA).read_text(encoding="utf-8"))
    if folder == "capi":
        return {"names.cpp": enums.c_names(described)}
    if folder == "src/core/export/json":
        return document_writers.sources(documents.read(root, described))
    schema = Schema((root / SCHEMA).read_text(encoding="utf-8"), described)
    if folder == "bindings/sqlite":
        return {"schema.cpp": sql_schema(schema)}
    return {"enum_names.cpp": enums.names(described), "rows.hpp": rows_header(schema), "descriptions.cpp": descriptions(schema),
            **fills(schema)}
