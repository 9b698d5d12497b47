"""What follows from schema/tables.toml for bindings/go/rows.go: a struct for each row, with what fills it from the row of C.
Run by scripts/generate."""
import textwrap

import enums

KEYWORDS = ("map", "range", "type")
PLAIN = {"int32": "int", "uint32": "int", "int64": "int64", "uint64": "uint64", "size": "uint64", "double": "float64"}


def camel(name):
    return enums.camel(name, enums.INITIALS)


def field_name(column):
    return camel(column.name) if column.names["go"] == column.name else column.names["go"]


def presence(table, column):
    """(name, condition) of the boolean that says whether a value is known; None where the value itself says it."""
    rule, _, of = column.null.partition(":")
    if rule == "no_time":
        return "Has" + camel(column.name.removesuffix("_" + column.unit)), f"row.{column.name} != C.PK_NO_TIME_PS"
    if rule != "without" or not of.startswith("PK_"):
        return None
    flags = table.flags()
    _, has, name = of.partition("_HAS_")
    return ("Has" if has else "") + camel((name or of[len(flags.of):]).lower()), f"row.{flags.name}&C.{of} != 0"


def value(table, column, schema):
    """(type, expression) of a field."""
    raw = "row." + ("_" if column.name in KEYWORDS else "") + column.name
    if column.base == "enum":
        enum = schema.enums[column.of]
        if enum.go_value:
            return enum.go_value.partition("(")[0], enum.go_value.format(raw)
        if enum.is_named_elsewhere and not enum.go:
            return "string", f"C.GoString(C.pk_{enum.function}({raw}))"
        return (enum.go, f"{enum.go}({raw})") if enum.go else ("string", f'named("{column.of}", int32({raw}), "unknown")')
    if column.base == "set":
        return "[]string", f'bits(namesOf["{column.of}"], {raw})'
    if column.base == "flag":
        return "bool", f"row.{table.flags().name}&C.{column.of} != 0"
    if column.base == "uint32[3]":
        return "[3]uint32", f"three({raw})"
    if column.is_list:
        kind = column.base[:-2]
        return "[]" + kind, f"listOf[{kind}](unsafe.Pointer({raw}), {raw}_count)"
    if column.null == "no_time":
        return "int64", f"timeOf({raw})"
    return {"bool": ("bool", f"{raw} != 0"), "char": ("rune", f"rune({raw})"), "bytes": ("[]byte", f"[]byte(text({raw}))")}.get(
        column.base, (PLAIN[column.base], f"{PLAIN[column.base]}({raw})") if column.base in PLAIN else ("string", f"text({raw})"))


def fields(table, schema):
    """(name, type, expression, meaning) of the struct: columns, after the last that needs it what says whether it is known."""
    shown = [c for c in table.columns if c.base != "flags" and not c.is_later and c.names["go"]]
    for at, column in enumerate(shown):
        meaning = column.with_unit(column.meaning.partition("; PK_NO_TIME_PS")[0])
        known = presence(table, column)
        yield field_name(column), *value(table, column, schema), meaning + (f"; see {known[0]}" if known else "")
        if known and known not in [presence(table, c) for c in shown[at + 1:]]:
            names = [field_name(c) for c in shown if presence(table, c) == known]
            yield known[0], "bool", known[1], f"{' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))} {'are' if names[1:] else 'is'} known"
    for given in table.given:
        if "go" in given:
            name = camel(given["name"])
            yield name, given["go"], name[0].lower() + name[1:], given["meaning"]


def rows(schema):
    """The tables and rows of rows.go."""
    text = ("// TableKind is a table of a profile; docs/tables.md describes the columns of each.\ntype TableKind int\n\n"
            "// The tables. Records of a Neutrino map are ProbeTrace.RecordsTable.\nconst (\n")
    for table in schema.tables:
        if table.number is not None and table.name != "probe_records":
            text += (enums.comment(table.meaning, "\t", "// ", "// ")
                     + f"\tTable{camel(table.name)} TableKind = C.PK_TABLE_{table.name.upper()}\n")
    text += ")\n"
    for table in schema.rows_in("go"):
        name, made = table.bindings["go"], list(fields(table, schema))
        text += "\n" + enums.comment(f"{name}: {table.meaning[:1].lower()}{table.meaning[1:]}", "", "// ", "// ")
        text += f"type {name} struct {{\n"
        for field, kind, _, meaning in made:
            text += enums.comment(enums.sentence(meaning), "\t", "// ", "// ") + f"\t{field} {kind}\n"
        function = name[0].lower() + name[1:] + "Of"
        given = "".join(f", {value} {kind}" for _, kind, value, _ in made if value.isidentifier())
        text += f"}}\n\nfunc {function}(row *C.{table.row}{given}) {name} {{\n\treturn {name}{{\n"
        text += textwrap.indent(enums.arguments([value for _, _, value, _ in made], ","), "\t\t") + "\n\t}\n}\n"
        if table.number is not None and not given:
            text += (f"\nfunc ({name}) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[{name}] {{\n"
                     f"\ttable, err := open(C.PK_TABLE_{table.name.upper()}, TableOptions{{}})\n\treturn rowsOf(table, err, {function})\n}}\n")
    return text + "\n"
