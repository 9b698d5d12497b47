"""The tables in Rust, the rows, and how each is made of its C struct: bindings/rust/profkit/src/rows_of_tables.rs."""
import enums

TYPES = {"int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "uint32[3]": "[u32; 3]", "size": "usize", "double": "f64"}
LISTS = {"int64[]": "i64", "uint64[]": "u64"}
BORROWED = {"text": "Cow<'a, str>", "name": "Cow<'a, str>", "path": "&'a Path", "bytes": "&'a [u8]"}
OWNED = {"text": "String", "name": "String", "path": "std::path::PathBuf", "bytes": "Vec<u8>"}
KEYWORDS = {"type", "match", "ref", "move", "fn", "in", "where", "use"}  # names that profkit-sys has with _ behind them
MADE = {"text": "text", "name": "text", "path": "path", "bytes": "bytes"}


def spelled(name):
    return name + "_" if name in KEYWORDS else name


def is_borrowed(table, column):
    """Whether the row holds something that lives longer than what it is read from. Rows of tables own what they say, bytes and what is
    the profile's apart: a table that was opened by its name keeps the analysis, which ends with it."""
    if table.number is not None and table.text_of != "profile":
        return column.base == "bytes"
    return table.text_of not in ("table", "read") and (column.base in BORROWED or column.is_list)


def held(table, column, schema):
    """(type, expression) of a field, without what the null rule says."""
    name = spelled(column.name)
    if column.base == "flag":
        return "bool", f"has(row.flags, sys::{column.of})"
    if column.base == "bool":
        return "bool", f"row.{name} != 0"
    if column.base == "char":
        return "char", f"char::from_u32(row.{name} as u32).unwrap_or_default()"
    if column.base in ("enum", "set"):
        kind = schema.enums[column.of].rust
        if not kind:
            raise enums.SchemaError(f"{table.name}.{column.name}: {column.of} has no name in Rust")
        kind = "kinds::" + kind
        return (kind, f"{kind}::of(row.{name})") if column.base == "enum" else (f"{kind}s", f"{kind}s(row.{name})")
    if column.base in BORROWED:
        made = f"{MADE[column.base]}(row.{name})"
        return (BORROWED[column.base], made) if is_borrowed(table, column) else (OWNED[column.base], made + ".into()")
    if column.is_list:
        made, kind = f"slice(row.{name}, row.{name}_count)", LISTS[column.base]
        return (f"&'a [{kind}]", made) if is_borrowed(table, column) else (f"Vec<{kind}>", made + ".into()")
    return TYPES[column.base], f"row.{name}"


def nullable(table, column, kind, made):
    """The same with the null rule; text and lists are empty where there is none."""
    rule, _, of = column.null.partition(":")
    if not rule or rule == "empty" and column.base != "path":
        return kind, made
    name = spelled(column.name)
    is_text = any(other.name == of and other.base in BORROWED for other in table.columns)
    test = {"negative": f"(row.{name} >= 0)", "no_time": f"(row.{name} != sys::PK_NO_TIME_PS)",
            "empty": f"(row.{name}.size != 0)",
            "without": f"has(row.flags, sys::{of})" if of.startswith("PK_") else f"(row.{of}{'.size' * is_text} != 0)"}[rule]
    return f"Option<{kind}>", f"{test}.then_some({made})"


def named(table):
    """The struct, with a lifetime where it borrows."""
    return table.bindings["rust"] + ("<'a>" if any(is_borrowed(table, c) for c in table.columns) else "")


def row(table, schema):
    """row!(BubbleStep: pk_bubble_step = |row| { … });"""
    text = "\nrow!(\n" + enums.comment(table.meaning, "    ", "/// ", "/// ")
    text += "" if any(column.base == "double" for column in table.columns) else "    #[derive(Eq)]\n"
    text += f"    {named(table)}: {table.row} = |row| {{\n"
    for column in table.columns:
        if column.base == "flags" or column.is_later or not column.names["rust"]:
            continue
        kind, made = nullable(table, column, *held(table, column, schema))
        name = spelled(column.names["rust"])
        text += enums.rust_comment(column.meaning_with("`None`"))
        text += f'    #[cfg_attr(feature = "serde", serde(rename = "{column.name}"))]\n' if name != column.name else ""
        text += f"    {name}: {kind} = {made},\n"
    for given in [given for given in table.given if "rust" in given]:
        text += enums.rust_comment(given["meaning"]) + f"    {given['name']}: {given['rust']} = Default::default(),\n"
    return text + "});\n"


def kinds(schema):
    """worded!(TableKind, …);"""
    text = "\nworded!(\n    /// The tables of a profile; docs/tables.md describes their columns.\n    TableKind, Files, {\n"
    for table in schema.tables:
        text += enums.comment(table.meaning, "    ", "/// ", "/// ")
        text += f'    {enums.camel(table.name)} = sys::PK_TABLE_{table.name.upper()} => "{table.name}",\n'
    return text + "});\n"


def rows(schema):
    """The whole file."""
    described = schema.rows_in("rust")
    text = ("//! Tables, their rows, and the other structs that carry what the library says. Written by scripts/generate from\n"
            "//! schema/tables.toml.\n\n"
            "use crate::hooks::slice;\nuse crate::kinds::{self, worded};\n"
            "use crate::rows::{bytes, has, of_table, path, row, text};\n"
            "use profkit_sys as sys;\nuse std::borrow::Cow;\nuse std::path::Path;\n" + kinds(schema))
    text += "".join(row(table, schema) for table in described) + "\nof_table!(\n"
    # Rows with bytes of an analysis are read from it alone.
    return text + "".join(f"    {named(t)}: PK_TABLE_{t.name.upper()},\n" for t in described
                          if t.number is not None and (t.text_of == "profile" or "<" not in named(t))) + ");\n"
