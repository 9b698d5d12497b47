#!/usr/bin/env python3
"""Checks that profkit.h, capi/symbols.txt, the C99 test and the frozen layout agree.

check_ledger.py PROFKIT.H SYMBOLS.TXT C99.C... LAYOUT.CPP SIZES.CPP: every declared function is listed and the other way round,
the list is sorted, every function and type says since when it exists, the C99 tests call every function, and the layout
test knows every struct and field, and every struct with a `struct_size` is tried with other sizes and compared with zeroes.
"""
import re
import sys

COMMENT = r"/\*\*(?:(?!\*/).)*\*/"
FUNCTION = re.compile(rf"({COMMENT})?\s*^PK_API\s[^;]*?\b(pk_\w+)\s*\([^;]*?\)\s*(PK_NOEXCEPT)?;",
                      re.DOTALL | re.MULTILINE)
# A definition that stands at the start of a line, with the comment before it.
DOCUMENTED = re.compile(r"/\*\*((?:(?!\*/).)*?)\*/\n(PK_API [^;]*;)", re.DOTALL)
DEFINITION = re.compile(rf"({COMMENT})?\n(typedef|enum|#define)\b[^\n]*?(\w+)", re.DOTALL)
STRUCT = re.compile(r"^typedef struct (\w+) \{(.*?)^\} \1;", re.DOTALL | re.MULTILINE)
ENUM = re.compile(r"^enum \{(.*?)\};", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"(?:\(\*(\w+)\)\([^;]*\)|\b(\w+)(\[\d+\])?);")
NOT_API = {"PROFKIT_PROFKIT_H", "PK_API", "PK_NOEXCEPT", "PK_VERSION_MINOR", "PK_VERSION_PATCH"}
OF_OTHERS = "ARROW_"  # published names that the header only repeats


def since_of(comment):
    match = re.search(r"\\since (\d+\.\d+)", comment or "")
    return match.group(1) if match else None


def functions_in(header):
    """{name: (since, is noexcept)}"""
    return {name: (since_of(comment), bool(noexcept)) for comment, name, noexcept in FUNCTION.findall(header)}


def without_comments(code):
    return re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)


def layout_problems(header, layout):
    for struct, body in STRUCT.findall(header):
        if f"SIZE({struct}, " not in layout:
            yield f"the layout test does not know {struct}"
        for callback, field, array in FIELD.findall(without_comments(body)):
            if not array and f"AT({struct}, {callback or field}, " not in layout:
                yield f"the layout test does not know {struct}::{callback or field}"
    for body in ENUM.findall(header):
        for constant in re.findall(r"\bPK_\w+", without_comments(body)):
            if f"VALUE({constant}, " not in layout:
                yield f"the layout test does not know {constant}"


def size_problems(header, sizes, test):
    for struct, body in STRUCT.findall(header):
        if "struct_size;" not in without_comments(body):
            continue
        if not re.search(rf"(check_sizes|other_release)<{struct}>", sizes):
            yield f"no test tries {struct} with an older and a newer struct_size"
        if f"SAME_AS_ZEROED({struct}, " not in test:
            yield f"no C99 test compares {struct} with zeroes"


def problems_in(header, symbols, test, layout=""):
    listed = [line.split("#", 1)[0].split() for line in symbols.splitlines() if line.split("#", 1)[0].strip()]
    names = [name for name, _ in listed]
    declared = functions_in(header)
    problems = [f"symbols.txt is not sorted at {b}" for a, b in zip(names, names[1:]) if a >= b]
    problems += [f"{name} is declared, but not in symbols.txt" for name in sorted(set(declared) - set(names))]
    problems += [f"{name} is in symbols.txt, but not declared" for name in sorted(set(names) - set(declared))]
    for name, release in listed:
        since, noexcept = declared.get(name, (None, True))
        if name in declared and since != ".".join(release.split(".")[:2]):
            problems.append(f"{name}: \\since {since} in the header, {release} in symbols.txt")
        if not noexcept:
            problems.append(f"{name} lacks PK_NOEXCEPT")
        if not re.search(rf"\b{name}\(", test):
            problems.append(f"{name} is not called by a C99 test")
    for comment, declaration in DOCUMENTED.findall(header):
        name = re.search(r"\b(pk_\w+)\s*\(", declaration)[1]
        if not comment.replace("*", "").split("\\since")[0].strip():
            problems.append(f"{name} does not say what it does")
        if "pk_error** err" in declaration and "Errors:" not in comment:
            problems.append(f"{name} does not say its errors")
    for comment, kind, name in DEFINITION.findall(header):
        if name not in NOT_API and not name.startswith(OF_OTHERS) and not since_of(comment):
            line = header[:header.index(f"\n{kind} {name}")].count("\n") + 2 if f"\n{kind} {name}" in header else 0
            problems.append(f"line {line}: {kind} {name} does not say \\since")
    problems += layout_problems(header, layout)
    return problems, len(declared)


def self_test():
    header = "/** A. \\since 0.1 */\nPK_API int pk_a(void) PK_NOEXCEPT;\n"
    assert problems_in(header, "pk_a 0.1.0\n", "pk_a();") == ([], 1)
    assert problems_in(header, "pk_a 0.2.0\n", "pk_a();")[0]
    assert problems_in(header, "", "pk_a();")[0]
    assert problems_in(header, "pk_a 0.1.0\npk_b 0.1.0\n", "pk_a(); pk_b();")[0]
    assert problems_in(header, "pk_a 0.1.0\n", "pk_ab();")[0]
    assert problems_in(header.replace(" PK_NOEXCEPT", ""), "pk_a 0.1.0\n", "pk_a();")[0]
    assert problems_in(header + "\ntypedef int pk_t;\n", "pk_a 0.1.0\n", "pk_a();")[0]
    assert problems_in(header.replace("A. ", ""), "pk_a 0.1.0\n", "pk_a();")[0]
    failing = header.replace("(void)", "(pk_error** err)")
    assert problems_in(failing, "pk_a 0.1.0\n", "pk_a();")[0]
    assert not problems_in(failing.replace("A. ", "A. Errors: none. "), "pk_a 0.1.0\n", "pk_a();")[0]
    struct = "typedef struct pk_s {\n  int a; /**< a; b; */\n  void (*call)(int x);\n} pk_s;\n"
    assert len(list(layout_problems(struct, ""))) == 3
    assert len(list(layout_problems("enum { PK_A = 1, /* PK_C */ PK_B };", "VALUE(PK_A, 1);"))) == 1
    sized = "typedef struct pk_s {\n  uint32_t struct_size;\n} pk_s;\n"
    zeroed = "SAME_AS_ZEROED(pk_s, PK_S_INIT);"
    assert len(list(size_problems(sized, "", zeroed))) == 1
    assert len(list(size_problems(sized, "check_sizes<pk_s>(PK_S_INIT, run);", ""))) == 1
    assert not list(size_problems(sized, "check_sizes<pk_s>(PK_S_INIT, run);", zeroed))
    assert not list(layout_problems(struct, "SIZE(pk_s, 16); AT(pk_s, a, 0); AT(pk_s, call, 8);"))


def main(*paths):
    self_test()
    header, symbols, *tests, layout, sizes = (open(path, encoding="utf-8").read() for path in paths)
    problems, functions = problems_in(header, symbols, "\n".join(tests), layout)
    problems += size_problems(header, sizes, "\n".join(tests))
    if functions == 0:
        problems.append("no function was found in the header")
    print(*problems, sep="\n")
    print(f"{functions} functions")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
