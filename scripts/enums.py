"""What follows from schema/enums.toml: the enumerations of the C++ headers and of profkit.h, and the texts of their values.
schema/enums.toml says what its words mean. Run by scripts/generate."""
import json
import re
import textwrap

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

SCHEMA = "schema/enums.toml"
C_HEADER = "profkit/profkit.h"
WIDTH = 118
INITIALS = {word.lower(): word for word in ("AICPU", "CSV", "GC", "GPU", "H2D", "ID", "JSON", "NPU", "TPU")} | {"xspace": "XSpace"}  # in Go
NAMESPACE = ("namespace profkit {\ninline namespace PROFKIT_NAMESPACE {\n", "}  // namespace PROFKIT_NAMESPACE\n}  // namespace profkit\n")


class SchemaError(Exception):
    """A schema says something that has no meaning."""


def camel(name, words={}):
    """A name in one word; `words` are spelled their own way."""
    return "".join(words.get(word, word.capitalize()) for word in name.split("_"))


def sentence(text):
    """With a capital at its beginning, if that is a word, and a full stop."""
    first = text[:1].upper() if re.match(r"[a-z]+(?![\w.])", text) else text[:1]
    return first + text[1:] + ("" if text.endswith(".") else ".")


def arguments(values, end):
    """The values of a call, over as many lines as they take, each whole."""
    text = ", ".join(value.replace(" ", "\0") for value in values) + end
    return textwrap.fill(text, WIDTH - 8, break_long_words=False, break_on_hyphens=False).replace("\0", " ")


class Enum:
    """An enumeration of the schema."""

    def __init__(self, given):
        self.name, self.header, self.meaning = given["name"], given.get("header"), given.get("meaning", "")
        self.type, self.c, self.function = given.get("type", "uint8"), given.get("c"), given.get("function")
        self.other, self.is_named_elsewhere = given.get("else", ""), "texts" in given
        self.python, self.rust, self.count = given.get("python"), given.get("rust"), given.get("count")
        self.has_default, self.is_constexpr, self.is_flags = (given.get(key, False) for key in ("default", "constexpr", "flags"))
        self.go_value = given.get("go_value")
        self.go, self.go_prefix = given.get("go"), given.get("go_prefix", given.get("go"))
        self.values, number = [], 0
        for value in given["values"]:
            number = value.get("number", number)
            self.values.append({"meaning": "", "shown": value["name"], "c": value["name"].upper(),
                                "rust": camel(value["name"]), "go": camel(value["name"], INITIALS), **value,
                                "number": number, "is_given": "number" in value})
            number += 1
        unknown = set(given) - {"name", "header", "meaning", "type", "c", "function", "else", "python", "rust", "go", "go_prefix", "go_value",
                               "count", "default", "constexpr", "flags", "texts", "values"}
        unknown |= {key for value in given["values"] for key in value} - {"name", "number", "c", "shown", "meaning", "rust", "go"}
        if unknown:
            raise SchemaError(f"{self.name}: {', '.join(sorted(unknown))} has no meaning")
        for key in ("name", "number"):
            if len({value[key] for value in self.values}) != len(self.values):
                raise SchemaError(f"{self.name}: two values have one {key}")

    @property
    def is_listed(self):
        """Whether bindings have the texts of its values by their numbers."""
        return self.c and not self.is_named_elsewhere and not self.is_flags and self.values[0]["number"] >= 0

    @property
    def c_name(self):
        """The function of the C ABI that gives the text of a value; "" where it is written by hand."""
        return f"pk_{self.last_name}_name" if self.c and not self.is_named_elsewhere and self.name != "fault_code" else ""

    @property
    def last_name(self):
        return self.name.rpartition("::")[2]

    @property
    def is_nested(self):
        return "::" in self.name


def read(text):
    """All of them."""
    enums = [Enum(given) for given in tomllib.loads(text)["enum"]]
    if len({enum.name for enum in enums}) != len(enums):
        raise SchemaError("two enumerations have one name")
    return enums


def comment(text, pad, first, others, end=""):
    """A comment over one line or several; `\\since` stays with its version."""
    lines = textwrap.wrap(text.replace("\\since ", "\\since\0"), WIDTH - len(pad) - len(first) - len(end))
    return "\n".join(pad + (others if at else first) + line.replace("\0", " ") for at, line in enumerate(lines)) + end + "\n"


def members(values, texts, pad, note, end, block):
    """Lines of an enumeration, each with its comment behind it, or before it where that is too long."""
    widest = max(len(text) for text in texts)
    body = ""
    for at, (value, text) in enumerate(zip(values, texts)):
        text += "," if at + 1 < len(texts) else ""
        line = f"{pad}{text}"
        if value["meaning"]:
            behind = f"{line:<{len(pad) + widest + 2}}{note}{value['meaning']}{end}"
            line = behind if len(behind) <= WIDTH else block(value["meaning"]) + line
        body += line + "\n"
    return body


def naming(enum, declared):
    """The function that gives the text of a value."""
    text = f"{declared}const char* {enum.function}({enum.name} value) noexcept {{\n  switch (value) {{\n"
    for value in enum.values:
        text += f"    case {enum.name}::{value['name']}: return {json.dumps(value['shown'], ensure_ascii=False)};\n"
    return text + f"  }}\n  return {json.dumps(enum.other, ensure_ascii=False)};\n}}\n"


def cpp(enum):
    """The C++ enumeration, and the declaration of its names."""
    pad = "  " if enum.is_nested else ""
    name = enum.last_name
    body = comment(enum.meaning, pad, "/// ", "/// ") if enum.meaning else ""
    texts = [value["name"] + (f" = {value['number']}" if value["is_given"] else "") for value in enum.values]
    head = f"{pad}enum class {name} : std::{enum.type}_t {{"
    line = f"{head} {', '.join(texts)} }};\n"
    if len(line) <= WIDTH and not any(value["meaning"] for value in enum.values):
        body += line
    else:
        body += head + "\n" + members(enum.values, texts, pad + "  ", "///< ", "",
                                      lambda text: comment(text, pad + "  ", "/// ", "/// ")) + f"{pad}}};\n"
    if enum.count:
        body += f"inline constexpr std::size_t {enum.count} = {len(enum.values)};\n"
    if enum.is_constexpr:
        body += naming(enum, "[[nodiscard]] constexpr ")
    elif enum.function and not enum.is_nested and not enum.is_named_elsewhere:
        shown = [json.dumps(value["shown"], ensure_ascii=False) for value in enum.values][:2]
        line = f"[[nodiscard]] const char* {enum.function}({name} value) noexcept;"
        body += f"{line}  ///< {', '.join(shown)}{', …' if len(enum.values) > 2 else ''}\n"
    return body


def c(enum):
    """The constants of the C ABI, and the function that names them."""
    if not enum.c_name:
        return c_constants(enum)
    meaning = f"What documents call a value of these; \"{enum.other}\" for what is none. Ownership: static. \\since 0.1"
    return c_constants(enum) + comment(meaning, "", "/** ", " *  ", " */") + f"PK_API const char* {enum.c_name}(int32_t value) PK_NOEXCEPT;\n"


def c_names(enums):
    """capi/names.cpp"""
    text = f"// Written from {SCHEMA}.\n#include <{C_HEADER}>\n"
    for enum in enums:
        if enum.c_name:
            text += f"\nconst char* {enum.c_name}(int32_t value) noexcept {{\n  switch (value) {{\n"
            text += "".join(f"    case {enum.c}{value['c']}: return {json.dumps(value['shown'], ensure_ascii=False)};\n"
                            for value in enum.values if value["c"])
            text += f"    default: return {json.dumps(enum.other, ensure_ascii=False)};\n  }}\n}}\n"
    return text


def raii_names(enums):
    """The same of profkit.hpp."""
    return "".join(f"[[nodiscard]] inline std::string_view {enum.c_name[3:]}(std::int32_t value) noexcept {{ return {enum.c_name}(value); }}\n"
                   for enum in enums if enum.c_name)


def c_constants(enum):
    body = comment(enum.meaning + " \\since 0.1", "", "/** ", " *  ", " */")
    values = [value for value in enum.values if value["c"]]
    texts = [f"{enum.c}{value['c']} = {value['number']}" for value in values]
    line = f"enum {{ {', '.join(texts)} }};\n"
    if len(line) <= WIDTH and not any(value["meaning"] for value in values):
        return body + line
    return body + "enum {\n" + members(values, texts, "  ", "/**< ", " */",
                                       lambda text: comment(text, "  ", "/** ", "   *  ", " */")) + "};\n"


def names(enums):
    """src/core/tables/enum_names.cpp"""
    shown = [enum for enum in enums if enum.function and not enum.is_named_elsewhere and not enum.is_constexpr]
    text = f"// Written from {SCHEMA}.\n"
    text += "".join(f"#include <{header}>\n" for header in sorted({enum.header for enum in shown}))
    text += "\n" + NAMESPACE[0]
    return text + "".join("\n" + naming(enum, "") for enum in shown) + "\n" + NAMESPACE[1]


def python(enums):
    """The classes of kinds.py, and the texts of the values that have no class, by the name of the enumeration."""
    text = ""
    for enum in enums:
        if not enum.python:
            continue
        text += f'\n\nclass {enum.python}(Int{"Flag" if enum.is_flags else "Enum"}):\n' + comment(enum.meaning, "    ", '"""', "", '"""')
        text += "".join(f"    {value['c']} = {value['number']}\n" for value in enum.values if value["c"])
        other = next((value["c"] for value in enum.values if enum.other and value["shown"] == enum.other), None)
        if other:
            text += (f"\n    @classmethod\n    def _missing_(cls, value: object) -> \"{enum.python}\":\n"
                     f"        return cls.{other}\n")
    text += "\n\n# What documents call the values, by their numbers.\nNAMES: Dict[str, Dict[int, str]] = {\n"
    for enum in enums:
        if enum.is_listed and not enum.python:
            shown = ", ".join(f"{value['number']}:\0{json.dumps(value['shown'])}" for value in enum.values if value["c"])
            text += "\n".join(textwrap.wrap(f'"{enum.last_name}": {{{shown}}},', WIDTH, initial_indent="    ",
                                            subsequent_indent="        ")) + "\n"
    return text.replace("\0", " ") + "}\n"


def rust_comment(text):
    """Documentation of Rust: no tags of HTML outside of code."""
    return comment(re.sub(r"(`[^`]*`)|<", lambda found: found[1] or r"\<", sentence(text)), "    ", "/// ", "/// ")


def rust(enums):
    """The enumerations of kinds.rs."""
    text = ""
    for enum in enums:
        if not enum.rust:
            continue
        values = [value for value in enum.values if value["c"]]
        other = next((value["rust"] for value in values if value["shown"] == enum.other), values[0]["rust"])
        text += "\nworded!(\n" + rust_comment(enum.meaning)
        text += "    #[derive(Default)]\n" if enum.has_default else ""
        text += "" if all(value["meaning"] for value in values) else "    #[allow(missing_docs)]\n"
        text += f"    {enum.rust}, {other}, {{\n"
        for value in values:
            text += rust_comment(value["meaning"]) if value["meaning"] else ""
            text += "    #[default]\n" if enum.has_default and value["number"] == 0 else ""
            text += f"    {value['rust']} = sys::{enum.c}{value['c']} => {json.dumps(value['shown'])},\n"
        text += "});\n"
    return text


def go_constants(enum):
    """The lines of a block of constants as gofmt has them: names and types in columns up to the next comment."""
    lines, run = [], []

    def close():
        widest = max((len(name) for name, _ in run), default=0)
        lines.extend(f"\t{name:<{widest}} {rest}" for name, rest in run)
        run.clear()

    for value in enum.values:
        if not value["c"]:
            continue
        if value["meaning"]:
            close()
            lines.append(comment(value["meaning"], "\t", "// ", "// ").rstrip("\n"))
        run.append((enum.go_prefix + value["go"], f"{enum.go} = C.{enum.c}{value['c']}"))
    close()
    return "\n".join(lines) + "\n"


def go(enums):
    """The kinds of kinds.go, and the texts of all values by the name of the enumeration."""
    text = ""
    for enum in enums:
        if not enum.go:
            continue
        text += "\n" + comment(f"{enum.go}: {enum.meaning[:1].lower()}{enum.meaning[1:]}", "", "// ", "// ")
        text += f"type {enum.go} int32\n\n// Values of {enum.go}.\nconst (\n{go_constants(enum)})\n"
        if enum.is_listed:
            text += (f"\n// String is as documents spell it; \"unknown\" for a value of a later library.\n"
                     f"func (k {enum.go}) String() string {{ return named(\"{enum.last_name}\", int32(k), \"unknown\") }}\n"
                     f"\n// MarshalText gives what String does.\n"
                     f"func (k {enum.go}) MarshalText() ([]byte, error) {{ return []byte(k.String()), nil }}\n")
    text += "\n// What documents call the values, by their numbers.\nvar namesOf = map[string][]string{\n"
    for enum in enums:
        if enum.is_listed:
            shown = {value["number"]: value["shown"] for value in enum.values if value["c"]}
            listed = " ".join(json.dumps(shown.get(number, "")) + "," for number in range(max(shown) + 1))
            text += f"\t\"{enum.last_name}\": {{\n{textwrap.indent(textwrap.fill(listed, WIDTH), 2 * chr(9))}\n\t}},\n"
    return text + "}\n\n"


def regions(enums):
    """(path, mark, text) of every place in a file that is otherwise written by hand."""
    for enum in enums:
        if enum.header:
            yield f"include/{enum.header}", f"enum {enum.name}", cpp(enum)
        if enum.c:
            yield f"include/{C_HEADER}", f"enum {enum.name}", c(enum)
    yield "include/profkit/profkit.hpp", "names", raii_names(enums)
    yield "bindings/python/src/profkit/kinds.py", "kinds", python(enums)
    yield "bindings/rust/profkit/src/kinds.rs", "kinds", rust(enums)
    yield "bindings/go/kinds.go", "kinds", go(enums)
