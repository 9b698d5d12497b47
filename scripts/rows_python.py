"""What follows from schema/tables.toml for bindings/python/src/profkit/rows.py: a NamedTuple for each row, with what makes it from
the row of C. Run by scripts/generate."""
import re
import textwrap

import enums

PLAIN = {"int32": "int", "uint32": "int", "int64": "int", "uint64": "int", "size": "int", "double": "float"}


def value(table, column, schema):
    """(type, expression) of a field, were it always known."""
    raw = f"row.{column.name}"
    if column.base == "enum":
        kind = schema.enums[column.of].python
        return (kind, f"{kind}({raw})") if kind else ("str", f'name_of("{column.of}", {raw})')
    if column.base == "set":
        return "Tuple[str, ...]", f'_bits("{column.of}", {raw})'
    if column.base == "flag":
        return "bool", f"bool(row.{table.flags().name} & d.{column.of})"
    if column.base == "uint32[3]":
        return "Tuple[int, int, int]", f"tuple({raw})"
    if column.is_list:
        return "Tuple[int, ...]", f"tuple({raw}[:{raw}_count]) if {raw}_count else ()"
    if column.base in PLAIN:
        return PLAIN[column.base], raw
    return {"bool": ("bool", f"bool({raw})"), "char": ("str", f"chr({raw})"), "bytes": ("bytes", f"raw_of({raw})"),
            "path": ("str", f"path_text({raw})")}.get(column.base, ("str", f"text({raw})"))


def condition(table, column):
    """What says that a value is known; "" where the value itself is empty when it is not."""
    rule, _, of = column.null.partition(":")
    if rule == "without":
        other = next((c for c in table.columns if c.name == of), None)
        return f"row.{table.flags().name} & d.{of}" if not other else f"row.{of}.size" if other.base in ("name", "text", "path") else f"row.{of}"
    return {"negative": f"row.{column.name} >= 0", "no_time": f"row.{column.name} != d.PK_NO_TIME_PS"}.get(rule, "")


def fields(table, schema):
    """(name, type, expression, meaning) of the tuple."""
    for column in table.columns:
        if column.base == "flags" or column.is_later or not column.names["python"]:
            continue
        kind, expression = value(table, column, schema)
        known = condition(table, column)
        if known:
            kind, expression = f"Optional[{kind}]", f"{expression} if {known} else None"
        yield column.names["python"], kind, expression, column.meaning_with("None") if known else column.with_unit(column.meaning)
    for given in table.given:
        if "python" in given:
            yield given["name"], given["python"], given["name"], given["meaning"]


def rows(schema):
    """The rows of rows.py, and of each that is a row of a table how it is read."""
    text, read = "", ""
    for table in schema.rows_in("python"):
        name, made = table.bindings["python"], list(fields(table, schema))
        text += f"\n\nclass {name}{'' if table.is_base else '(NamedTuple)'}:\n" + enums.comment(table.meaning, "    ", '"""', "", '"""')
        for field, kind, _, meaning in made:
            text += enums.comment(enums.sentence(meaning), "    ", "#: ", "#: ") + f"    {field}: {kind}\n"
        if {("start_ps", "int"), ("end_ps", "int")} <= {(field, kind) for field, kind, *_ in made}:
            text += "\n    @property\n    def duration_ps(self) -> int:\n        return self.end_ps - self.start_ps\n"
        if table.is_base:
            slots = "__slots__ = (" + ", ".join(f'"{field}"' for field, *_ in made) + ")"
            text += "\n" + textwrap.fill(slots, enums.WIDTH, initial_indent="    ", subsequent_indent=" " * 17)
            text += "\n\n    def __init__(self, row: Any) -> None:\n"
            text += "".join(f"        self.{field} = {value}\n" for field, _, value, _ in made)
            function = name
        else:
            function = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() + "_of"
            arguments = "".join(f", {value}: {kind}" for _, kind, value, _ in made if value.isidentifier())
            values = textwrap.indent(enums.arguments([value for _, _, value, _ in made], ")"), " " * 8)
            text += f"\n\ndef {function}(row: Any{arguments}) -> {name}:\n    return {name}(\n{values}\n"
        if not any("python" in given for given in table.given):
            read += f'    {name}: ("{table.name if table.number is not None else ""}", d.{table.row}, {function}),\n'
    return text + "\n\n#: The table (\"\": of none), the row of C, and what makes the row of it, by row.\nREAD: Dict[Any, Any] = {\n" + read + "}\n"
