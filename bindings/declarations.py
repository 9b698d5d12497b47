#!/usr/bin/env python3
"""Writes what the Python and Rust bindings declare of the C ABI, from include/profkit/profkit.h.

declarations.py            writes both files anew
declarations.py --check    fails when a file is not what the header gives, when a function does not say what it does, its errors
                           or who owns what, and when a binding has no way to a function or to a field of a struct; compiles the header (with $CC, else cc) and compares size
                           and offset of every struct with those of the Python declarations

The header keeps to a small subset of C (one declaration a statement, fixed-width types, explicit enum values), which is
all that is understood here; anything else is an error.
"""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "profkit" / "profkit.h"
TABLES = ROOT / "schema" / "tables.toml"
ENUMS = ROOT / "schema" / "enums.toml"
sys.path.insert(0, str(ROOT / "scripts"))
import enums  # pylint: disable=wrong-import-position
OUTPUTS = {
    "python": ROOT / "bindings" / "python" / "src" / "profkit" / "_declarations.py",
    "rust": ROOT / "bindings" / "rust" / "profkit-sys" / "src" / "lib.rs",
}

SCALARS = {  # C: (ctypes, Rust)
    "int32_t": ("c_int32", "i32"), "uint32_t": ("c_uint32", "u32"), "int64_t": ("c_int64", "i64"),
    "uint64_t": ("c_uint64", "u64"), "size_t": ("c_size_t", "usize"), "double": ("c_double", "f64"),
    "int": ("c_int", "c_int"), "pk_status": ("c_int32", "pk_status"),
}
COMMENT = r"/\*\*(?P<comment>(?:(?!\*/).)*)\*/"
MACROS = {"UINT64_MAX": 2**64 - 1, "INT64_MIN": -2**63, "INT64_MAX": 2**63 - 1, "UINT32_MAX": 2**32 - 1}
# What a binding is made of beside the declarations, below the root. The C++ layer hands out the structs themselves.
SOURCES = {"python": ("bindings/python/src/profkit", "*.py"), "rust": ("bindings/rust/profkit/src", "*.rs"),
           "go": ("bindings/go", "*.go"), "cpp": ("include/profkit", "profkit.hpp")}
HAS_STRUCTS = {"cpp"}
# What no binding, or one of them, leaves out, and why.
LEFT_OUT = {
    "pk_event_next": "events are read in batches",
    "pk_xspace_writer_status": "finish tells the first failure",
    "python pk_family_name": "names of enumerations are Python's",
    "python pk_table_name": "names of enumerations are Python's",
    "python pk_table_values": "rows are dicts of all columns",
    "rust pk_document_name": "names of enumerations are Rust's",
    "rust pk_family_name": "names of enumerations are Rust's",
    "rust pk_table_name": "names of enumerations are Rust's",
    "pk_hooks.user": "callbacks carry their own",
    "pk_read_callbacks.user": "callbacks carry their own",
    "pk_profile_info.file_count": "lists tell their lengths",
    "go pk_event.num_occurrences": "Go's Event has the layout of pk_event",
    "pk_push_callbacks.user": "callbacks carry their own",
}
# The structs of the Arrow C interfaces are not ours: bindings hand their addresses on.
ARROW = ("ArrowSchema", "ArrowArray", "ArrowArrayStream")


class Unreadable(Exception):
    pass


def words_of(comment):
    """The text of a doc comment as lines."""
    lines = [re.sub(r"^\s*\*( |$)", "", line).strip() for line in (comment or "").strip("*< \n").splitlines()]
    return [re.sub(r"\\since (\S+)", r"Since \1.", line) for line in lines if line]


def without_comments(code):
    return re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)


class Declaration:
    """A name with a type: base ("pk_str", "void", "callback"), constness of each pointer, array length."""

    def __init__(self, text, comment=""):
        text = " ".join(text.replace("*", " * ").split())
        self.comment = comment
        self.array = 0
        self.parameters = None
        callback = re.fullmatch(r"(.+?) ?\( ?\* ?(\w+) ?\) ?\((.*)\)", text)
        if callback:
            self.base, self.name, self.pointers = "callback", callback.group(2), []
            self.result = Declaration(callback.group(1) + " result")
            self.parameters = parameters_of(callback.group(3))
            return
        array = re.fullmatch(r"(.*)\[(\d+)\]", text)
        if array:
            text, self.array = array.group(1).strip(), int(array.group(2))
        words = [word for word in text.split() if word != "struct"]
        if words[-1] in ("*", "const") or len([w for w in words if w not in ("*", "const")]) < 2:
            raise Unreadable(f"a declaration without a name: {text}")
        self.name = words.pop()
        constant = "const" in words[:words.index("*")] if "*" in words else "const" in words
        self.base = next(word for word in words if word not in ("const", "*"))
        self.pointers = []  # True for each pointer to const, innermost first
        for at, word in enumerate(words):
            if word == "*":
                self.pointers.append(constant)
                constant = at + 1 < len(words) and words[at + 1] == "const"


def parameters_of(text):
    text = text.strip()
    return [] if text in ("", "void") else [Declaration(part) for part in text.split(",")]


class Header:
    def __init__(self, text):
        self.constants = []  # (name, value, comment lines); 64-bit ones are macros
        self.macros = []
        self.opaque = []
        self.structs = []    # (name, fields, comment lines)
        self.callbacks = []  # Declaration
        self.functions = []  # (Declaration, parameters, comment lines)
        self.initial = {}    # struct: values
        self.values = dict(MACROS)
        body = text[text.index("/* ---- version"):]
        self.read_macros(body)
        statements = re.compile(
            rf"(?:{COMMENT}\s*)?^(?P<code>typedef struct (?P<struct>\w+) \{{(?P<fields>.*?)^\}} (?P=struct);"
            r"|typedef struct (?P<opaque>\w+) (?P=opaque);|typedef (?P<callback>[^;{]*\(\*\w+\)\([^;]*\));"
            r"|typedef int32_t pk_status;|enum \{(?P<enum>.*?)\};|PK_API (?P<function>[^;]*?)(?:PK_NOEXCEPT)?;)",
            re.DOTALL | re.MULTILINE)
        for match in statements.finditer(body):
            self.read_statement(match)

    def read_macros(self, body):
        for name, value in re.findall(r"^#define (PK_\w+)[ \t]+((?:[^\n]*\\\n)*[^\n]*)$", body, re.MULTILINE):
            value = " ".join(value.replace("\\\n", " ").split())
            if name in ("PK_API", "PK_NOEXCEPT"):
                continue
            if name.endswith("_INIT"):
                value = value.replace("{NULL, 0}", "NULL")  # an empty pk_str
                self.initial[name] = [part.strip() for part in value.strip("{} ").split(",")]
            elif name != "PK_VERSION_NUMBER":
                self.values[name] = self.value_of(value)
                self.macros.append((name, self.values[name]))

    def value_of(self, text):
        text = text.strip()
        if text in self.values:
            return self.values[text]
        try:
            value = int(text.rstrip("uU"), 0)
        except ValueError:
            shift = re.fullmatch(r"(\d+)u? << (\d+)", text)
            if not shift:
                raise Unreadable(f"not a constant: {text}") from None
            value = int(shift.group(1)) << int(shift.group(2))
        return value

    def read_statement(self, match):
        comment = words_of(match["comment"])
        if match["struct"]:
            self.structs.append((match["struct"], self.fields_of(match["fields"]), comment))
        elif match["opaque"]:
            self.opaque.append((match["opaque"], comment))
        elif match["callback"]:
            self.callbacks.append(Declaration(match["callback"], comment))
        elif match["enum"]:
            self.read_enum(match["enum"])
        elif match["function"]:
            code = " ".join(match["function"].split())
            head, parameters = re.fullmatch(r"(.*?)\((.*)\)", code).groups()
            self.functions.append((Declaration(head), parameters_of(parameters), comment))

    def read_enum(self, text):
        value = -1
        for part in re.split(r",", without_comments(text)):
            part = part.strip()
            if not part:
                continue
            name, _, given = part.partition("=")
            value = self.value_of(given) if given else value + 1
            name = name.strip()
            self.values[name] = value
            comment = re.search(rf"\b{name}\b[^,\n]*,?\s*/\*\*<(.*?)\*/", text, re.DOTALL)
            self.constants.append((name, value, words_of(comment.group(1)) if comment else []))

    @staticmethod
    def fields_of(text):
        fields = []
        # A comment stands before its field, or behind it.
        for part in re.finditer(r"(?:/\*\*(?!<)((?:(?!\*/).)*)\*/)?\s*([^;/]+);[ \t]*(?:/\*\*<((?:(?!\*/).)*)\*/)?",
                                text, re.DOTALL):
            fields.append(Declaration(part.group(2), words_of(part.group(1) or part.group(3))))
        return fields

    def options(self):
        """Structs that have an _INIT macro."""
        found = []
        for name, fields, _ in self.structs:
            values = self.initial.get(name.upper() + "_INIT")
            if values is None:
                continue
            if len(values) != len(fields):
                raise Unreadable(f"{name}: {len(values)} initial values for {len(fields)} fields")
            if values[0] != f"sizeof({name})":
                raise Unreadable(f"{name} does not begin with its size")
            for field, value in list(zip(fields, values))[1:]:
                if value != "NULL" and self.value_of(value) != 0:
                    raise Unreadable(f"{name}_INIT sets {field.name}, but zero is the default of every option")
            found.append(name)
        return found


# ---- Python ----

def python_type(header, declaration):
    structs = {name for name, _, _ in header.structs}
    callbacks = {callback.name for callback in header.callbacks}
    if declaration.base == "callback":
        return python_callback(header, declaration)
    base, pointers = declaration.base, declaration.pointers
    if base in callbacks and not pointers:
        result = base
    elif not pointers:
        result = base if base in structs else f"c.{SCALARS[base][0]}"
    elif base == "char":
        result = "c.c_char_p" if len(pointers) == 1 else "c.POINTER(c.c_char_p)"
    elif base in structs:
        result = f"c.POINTER({base})"
    elif base in SCALARS:
        result = f"c.POINTER(c.{SCALARS[base][0]})"
    else:  # opaque, void, Arrow
        result = "c.c_void_p" if len(pointers) == 1 else "c.POINTER(c.c_void_p)"
    return f"{result} * {declaration.array}" if declaration.array else result


def python_result(header, declaration):
    return "None" if declaration.base == "void" and not declaration.pointers else python_type(header, declaration)


def python_callback(header, declaration):
    parts = [python_result(header, declaration.result)]
    parts += [python_type(header, parameter) for parameter in declaration.parameters]
    return f"c.CFUNCTYPE({', '.join(parts)})"


def wrapped(head, parts, tail, indent="    ", width=120):
    """head + parts + tail, in one line or in lines that fit."""
    line = head + ", ".join(parts) + tail
    if len(line) <= width:
        return line
    lines, current = [head], indent
    for at, part in enumerate(parts):
        piece = part + (", " if at + 1 < len(parts) else tail)
        if len(current + piece) > width:
            lines.append(current)
            current = indent
        current += piece
    return "\n".join(line.rstrip() for line in [*lines, current])


def python_module(header):
    lines = ['"""The C ABI as ctypes sees it. Written by bindings/declarations.py from profkit.h: do not edit."""',
             "import ctypes as c", "from typing import Any, Dict, Tuple", ""]
    for name, value in header.macros:
        lines.append(f"{name} = {value}")
    for name, value, _ in header.constants:
        lines.append(f"{name} = {value}")
    lines.append("")
    lines += [f"{callback.name} = {python_callback(header, callback)}" for callback in header.callbacks]
    for name, fields, _ in header.structs:
        lines += ["", "", f"class {name}(c.Structure):", "    _fields_ = ["]
        for field in fields:
            kind = "c.c_void_p" if name == "pk_str" and field.name == "data" else python_type(header, field)
            lines.append(f'        ("{field.name}", {kind}),')
        lines.append("    ]")
    lines += ["", "", "# name: (result, parameters)", "FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {"]
    for function, parameters, _ in header.functions:
        kinds = [python_type(header, parameter) for parameter in parameters]
        head = f'    "{function.name}": ({python_result(header, function)}, ('
        lines.append(wrapped(head, kinds, ("," if len(kinds) == 1 else "") + ")),", " " * 8))
    return "\n".join([*lines, "}", ""])


# ---- Rust ----

RUST_HEAD = """//! The C ABI of libprofkit, declared for Rust. Written by bindings/declarations.py from profkit.h: do not edit.
//!
//! The header's conventions hold: see the top of `profkit.h`. The crate `profkit` is the safe way in.
#![allow(non_camel_case_types)]

use std::marker::{PhantomData, PhantomPinned};
use std::mem::size_of;
use std::os::raw::{c_char, c_void};
"""
RUST_ARROW = """/// A stream of record batches of the Arrow C stream interface.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArrayStream {
    pub get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut c_void) -> i32>,
    pub get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut c_void) -> i32>,
    pub get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub private_data: *mut c_void,
}
"""
RUST_KEYWORDS = {"type", "match", "ref", "move", "fn", "in", "where", "use", "priv", "final"}


def rust_name(name):
    return name + "_" if name in RUST_KEYWORDS else name


def rust_type(declaration):
    if declaration.base == "callback":
        return rust_callback(declaration)
    base = {"char": "c_char", "void": "c_void"}.get(declaration.base)
    base = base or (SCALARS[declaration.base][1] if declaration.base in SCALARS else declaration.base)
    for constant in declaration.pointers:
        base = f"*{'const' if constant else 'mut'} {base}"
    return f"[{base}; {declaration.array}]" if declaration.array else base


def rust_result(declaration):
    nothing = declaration.base == "void" and not declaration.pointers
    return "" if nothing else f" -> {rust_type(declaration)}"


def rust_callback(declaration):
    parameters = ", ".join(f"{rust_name(p.name)}: {rust_type(p)}" for p in declaration.parameters)
    return f"Option<unsafe extern \"C\" fn({parameters}){rust_result(declaration.result)}>"


def rust_docs(lines, indent=""):
    return [f"{indent}/// {re.sub(r'[<>[]', lambda bad: chr(92) + bad.group(0), line)}" for line in lines]


def rust_initial(name):
    return ["", f"impl Default for {name} {{", "    /// The values of the header's _INIT macro.",
            "    fn default() -> Self {",
            "        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.",
            "        let zero: Self = unsafe { std::mem::zeroed() };",
            "        Self {", "            struct_size: size_of::<Self>() as u32,", "            ..zero", "        }", "    }", "}"]


def rust_module(header, sizes):
    lines = [RUST_HEAD]
    for name, value in header.macros:
        kind = "i64" if value < 0 else "u64" if value > 2**31 else "u32"
        shown = f"{'i64::MIN' if value == -2**63 else 'u64::MAX' if value == 2**64 - 1 else value}"
        lines.append(f"pub const {name}: {kind} = {shown};")
    lines += ["", "/// 0, `PK_END`, or a negative `PK_E_`.", "pub type pk_status = i32;"]
    for name, value, comment in header.constants:
        kind = "u32" if value > 2**31 - 1 else "i32"
        lines += [*rust_docs(comment), f"pub const {name}: {kind} = {value};"]
    for name, comment in header.opaque:
        lines += ["", *rust_docs(comment), "#[repr(C)]", "#[derive(Debug)]", f"pub struct {name} {{",
                  "    _private: [u8; 0],", "    _marker: PhantomData<(*mut u8, PhantomPinned)>,", "}"]
    for callback in header.callbacks:
        lines += ["", *rust_docs(callback.comment), f"pub type {callback.name} = {rust_callback(callback)};"]
    options = header.options()
    for name, fields, comment in header.structs:
        lines += ["", *rust_docs(comment), "#[repr(C)]", "#[derive(Clone, Copy, Debug)]", f"pub struct {name} {{"]
        for field in fields:
            lines += [*rust_docs(field.comment, "    "), f"    pub {rust_name(field.name)}: {rust_type(field)},"]
        lines.append("}")
        if name in options:
            lines += rust_initial(name)
        else:
            lines += ["", f"impl Default for {name} {{", "    fn default() -> Self {",
                      "        // SAFETY: integers and pointers, all of which may be zero.",
                      "        unsafe { std::mem::zeroed() }", "    }", "}"]
    used = {d.base for function, parameters, _ in header.functions for d in parameters}
    if "ArrowArrayStream" in used:
        lines += ["", RUST_ARROW.rstrip()]
    lines += ["", "#[cfg(all(target_pointer_width = \"64\", not(windows)))]", "const _: () = {"]
    lines += [f"    assert!(size_of::<{name}>() == {sizes[name]});" for name, _, _ in header.structs]
    lines += ["};", "", "extern \"C\" {"]
    for function, parameters, comment in header.functions:
        given = [f"{rust_name(p.name)}: {rust_type(p)}" for p in parameters]
        lines += [*rust_docs(comment, "    "), f"    pub fn {function.name}("]
        lines += [f"        {parameter}," for parameter in given]
        lines.append(f"    ){rust_result(function)};")
    lines.append("}")
    return formatted("\n".join(lines) + "\n", header)


def formatted(text, header):
    """One line for what fits in one, as rustfmt has it."""
    def joined(match):
        parameters = [part.strip() for part in match.group(2).strip().rstrip(",").split(",\n")]
        line = f"{match.group(1)}({', '.join(p for p in parameters if p)}){match.group(3)}"
        return line if len(line) <= 100 else match.group(0)

    return re.sub(r"(    pub fn \w+)\(\n(.*?)    \)([^;\n]*;)", joined, text, flags=re.DOTALL) if header else text


# ---- checks ----

def loaded(module_text):
    module = types.ModuleType("declarations")
    exec(compile(module_text, "_declarations.py", "exec"), module.__dict__)  # pylint: disable=exec-used
    return module


def c_layout(header):
    """{struct or struct.field: number} as a C compiler lays them out."""
    prints = []
    for name, fields, _ in header.structs:
        prints.append(f'printf("{name} %zu\\n", sizeof({name}));')
        prints += [f'printf("{name}.{field.name} %zu\\n", offsetof({name}, {field.name}));' for field in fields]
    code = "#include <profkit/profkit.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(prints) + "\n}\n"
    with tempfile.TemporaryDirectory() as scratch:
        source, program = pathlib.Path(scratch) / "layout.c", pathlib.Path(scratch) / "layout"
        source.write_text(code, encoding="ascii")
        subprocess.run([*os.environ.get("CC", "cc").split(), "-std=c99", f"-I{ROOT / 'include'}", str(source), "-o",
                        str(program)], check=True)
        out = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return {name: int(number) for name, number in (line.split() for line in out.splitlines())}


def python_layout(header, module):
    found = {}
    for name, fields, _ in header.structs:
        struct = getattr(module, name)
        found[name] = ctypes.sizeof(struct)
        found.update({f"{name}.{field.name}": getattr(struct, field.name).offset for field in fields})
    return found


def completeness(header, text):
    """Names that the header has and this file did not understand."""
    known = {name for name, _ in header.macros} | {name for name, _, _ in header.constants} | set(header.initial)
    known |= {name for name, _ in header.opaque} | {name for name, _, _ in header.structs}
    known |= {callback.name for callback in header.callbacks} | {f.name for f, _, _ in header.functions}
    known |= {"PK_API", "PK_NOEXCEPT", "PK_VERSION_NUMBER", "PK_BUILDING", "PK_STATIC", "pk_status"}
    code = re.sub(r"#if.*|#elif.*", "", without_comments(text))
    return sorted(set(re.findall(r"\b(?:pk|PK)_\w+", code)) - known)


def hands_over(header, function, parameters):
    """Whether a function hands out, or takes, a handle or memory, so that it has to say who owns what."""
    opaque = {name: " ".join(comment) for name, comment in header.opaque if name != "pk_error"}
    borrowing = {name for name, fields, _ in header.structs if name == "pk_str" or name.endswith("_cursor") or
                 any(field.base == "pk_str" or field.pointers for field in fields)}
    if function.name.endswith("_free"):  # the top of the header says what that is
        return False
    if function.pointers or function.base == "pk_str":
        return True
    for parameter in parameters:
        if parameter.pointers == [False, False] and parameter.base in opaque:
            return True
        written = parameter.pointers == [False]
        if written and parameter.base in opaque and "Ownership:" not in opaque[parameter.base]:
            return True  # a call on a handle may be covered by what its type says
        if written and (parameter.base in borrowing and parameter.name != "cursor" or parameter.base.startswith("Arrow")):
            return True
    return False


def unsaid(header):
    """What the comments of the header leave open."""
    constants = set(header.values) | set(header.initial) | {"PK_VERSION_NUMBER"}
    names = {function.name for function, _, _ in header.functions}
    for name, comment in header.opaque:
        if not re.search(r"thread|[Ii]mmutable", " ".join(comment)):
            yield f"{name} does not say which threads may use it"
    for function, parameters, comment in header.functions:
        text = " ".join(comment)
        said = re.match(r"(.*?)(?:Ownership: (.*?))?(?:Errors: (.*?))?(?:Since \S+)?$", text)
        does, ownership, errors = (part or "" for part in said.groups())
        if len(does.split()) < 3:
            yield f"{function.name} does not say what it does"
        if hands_over(header, function, parameters) and not ownership:
            yield f"{function.name} does not say who owns what: no \"Ownership:\""
        fails = bool(parameters) and parameters[-1].base == "pk_error" and len(parameters[-1].pointers) == 2
        if fails and not re.search(r"PK_E_|\bas pk_\w+\(\)", errors):
            yield f"{function.name} does not say its errors: no \"Errors:\" with a status or another function"
        for name in re.findall(r"\b(pk_\w+)\(\)", text):
            if name not in names:
                yield f"{function.name} refers to {name}(), which is not there"
        for name in re.findall(r"\bPK_\w*[A-Z0-9]\b", text):
            if name not in constants and not any(known.startswith(name + "_") for known in constants):
                yield f"{function.name} refers to {name}, which is not there"


# A header of what unsaid() has to find, and of what it has to let pass.
SAYING = """/* ---- version */
/** Holds one thing. Immutable. */
typedef struct pk_a pk_a;
/** Opens the thing. Ownership: the caller ends `*out` with pk_a_free(). Errors: PK_E_IO (no luck). \\since 0.1 */
PK_API pk_status pk_a_open(pk_a** out, pk_error** err) PK_NOEXCEPT;
/** The name of it. Ownership: static. \\since 0.1 */
PK_API const char* pk_a_name(void) PK_NOEXCEPT;
/** Frees the thing. \\since 0.1 */
PK_API void pk_a_free(pk_a* a) PK_NOEXCEPT;
/** Says a text. Ownership: borrowed from `a`. Errors: as pk_a_open(). \\since 0.1 */
PK_API pk_status pk_a_text(const pk_a* a, pk_str* out, pk_error** err) PK_NOEXCEPT;
typedef struct pk_str {
  const char* data;
  size_t size;
} pk_str;
enum { PK_E_IO = -12 };
"""
FORGETTING = [  # what is taken out of it, what stands there instead, what has to be found
    ("Immutable.", "", "pk_a does not say which threads may use it"),
    ("Opens the thing. ", "", "pk_a_open does not say what it does"),
    ("Ownership: the caller ends `*out` with pk_a_free(). ", "", 'pk_a_open does not say who owns what: no "Ownership:"'),
    (" Ownership: static.", "", 'pk_a_name does not say who owns what: no "Ownership:"'),
    ("Ownership: borrowed from `a`. ", "", 'pk_a_text does not say who owns what: no "Ownership:"'),
    (" Errors: PK_E_IO (no luck).", "", 'pk_a_open does not say its errors: no "Errors:" with a status or another function'),
    ("as pk_a_open().", "many.", 'pk_a_text does not say its errors: no "Errors:" with a status or another function'),
    ("as pk_a_open().", "as pk_b_open().", "pk_a_text refers to pk_b_open(), which is not there"),
    ("PK_E_IO (no luck)", "PK_E_OI (no luck)", "pk_a_open refers to PK_E_OI, which is not there"),
]


def source_of(language):
    folder, pattern = SOURCES[language]
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).glob(pattern))
                     if path != OUTPUTS.get(language) and not path.name.endswith("_test.go"))


def out_of_reach(header, sources):
    """Functions and fields that the source of a binding does not name; exceptions that are none."""
    wanted = [function.name for function, _, _ in header.functions]
    wanted += [f"{name}.{field.name}" for name, fields, _ in header.structs for field in fields
               if not name.endswith("_cursor") and field.name not in ("struct_size", "flags") and not field.name.startswith("reserved")]
    used = set()
    # Names of values are those of the binding, from the same description.
    named_values = {enum.c_name for enum in enums.read(ENUMS.read_text(encoding="utf-8"))}
    rows = {table["row"] for table in tomllib.loads(TABLES.read_text(encoding="utf-8"))["table"] if "row" in table}
    for language, text in sources.items():
        words = set(re.findall(r"\w+", text))
        words |= {word.lstrip("_") for word in words}  # Go's `_map` for C's `map`
        for name in wanted:
            if language in HAS_STRUCTS and "." in name:
                continue
            reason = next((key for key in (name, f"{language} {name}") if key in LEFT_OUT), None)
            if name in named_values and language not in HAS_STRUCTS:
                continue
            reached = rust_name(name.split(".")[-1]) in words or name.split(".")[-1] in words
            # What is in the row of a table is reached by the name of its column, which the library tells.
            reached = reached or name.split(".")[0] in rows and bool({"pk_table_values", "pk_table_write_json"} & words)
            if not reached and not reason:
                yield f"{language} has no way to {name}"
            if not reached and reason:
                used.add(reason)
    yield from (f"{name} is left out by no binding" for name in sorted(set(LEFT_OUT) - used))


def main(arguments):
    check = arguments == ["--check"]
    if arguments and not check:
        sys.exit(__doc__)
    text = HEADER.read_text(encoding="utf-8")
    header = Header(text)
    python = python_module(header)
    module = loaded(python)
    ours = python_layout(header, module)
    contents = {"python": python, "rust": rust_module(header, ours)}
    problems = [f"not understood in the header: {name}" for name in completeness(header, text)]
    problems += unsaid(header)
    if not check:
        for language, content in contents.items():
            OUTPUTS[language].parent.mkdir(parents=True, exist_ok=True)
            OUTPUTS[language].write_text(content, encoding="utf-8")
        print(*problems, sep="\n")
        return 1 if problems else 0
    for language, content in contents.items():
        if not OUTPUTS[language].exists() or OUTPUTS[language].read_text(encoding="utf-8") != content:
            problems.append(f"{OUTPUTS[language].relative_to(ROOT)} is not what the header gives: "
                            "run `python3 bindings/declarations.py`")
    sources = {language: source_of(language) for language in SOURCES}
    problems += out_of_reach(header, sources)
    theirs = c_layout(header)
    problems += [f"{name}: {theirs.get(name)} in C, {ours.get(name)} in Python"
                 for name in sorted(set(theirs) | set(ours)) if theirs.get(name) != ours.get(name)]
    # The check must be able to fail.
    assert completeness(header, text + "\nPK_API int pk_unknown_thing(void);"), "an unknown name was not seen"
    hidden = dict(sources, go=sources["go"].replace("pk_clock_map", "").replace("step_policy", ""))
    assert list(out_of_reach(header, hidden)) == ["go has no way to pk_clock_map",
                                                  "go has no way to pk_memory_options.step_policy"], "a gap was not seen"
    assert not list(unsaid(Header(SAYING))), "a header that says everything was refused"
    for words, instead, found in FORGETTING:
        assert list(unsaid(Header(SAYING.replace(words, instead, 1)))) == [found], f"not found: {found}"
    needy = re.sub(r"(sizeof\(pk_limits\)), 0,", r"\1, 7,", text)
    try:
        Header(needy).options()
        raise AssertionError("an option whose default is not zero was not seen")
    except Unreadable as why:
        assert "pk_limits_INIT sets max_nesting" in str(why), why
    wrong = dict(ours, pk_event=1)
    assert any(theirs[name] != wrong[name] for name in theirs), "a wrong layout was not seen"
    print(*problems, sep="\n")
    print(f"{len(header.functions)} functions, {len(header.structs)} structs, {len(header.constants)} constants")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
