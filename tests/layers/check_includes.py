#!/usr/bin/env python3
"""Fails when a source file includes what its layer may not (docs/architecture.md, "Who may include whom").

check_includes.py SOURCE_ROOT checks the tree; --self-test shows that each kind of breach is seen.
"""
import pathlib
import re
import sys

# What an #include can name. The first pattern that matches decides.
KINDS = [
    ("c_abi", r"profkit/profkit\.h"),
    ("raii", r"profkit/profkit\.hpp"),
    ("core", r"profkit/core/\w+\.hpp"),
    ("view", r"profkit/\w+\.hpp"),
    ("base", r"base/.*"),
    ("io", r"io/.*"),
    ("format_index", r"formats/\w+/(\w*index\w*|chrome_tracks|embedded_modules|event_\w+|program_collectives|line_pieces|line_time|plane_node|usual_metadata|saved|xspace_names|xspace_steps|xspace_stream)\.hpp"),
    ("formats", r"formats/.*"),
    ("read", r"read/.*"),
    ("trace", r"trace/.*"),
    ("analyse", r"analyse/.*"),
    ("tables", r"tables/.*"),
    ("export", r"export/.*"),
    ("clusters", r"clusters/.*"),
    ("diff", r"diff/.*"),
    ("model", r"model/.*"),
    ("neutrino", r"neutrino/.*"),
    ("page", r"page/.*"),
    ("redact", r"redact/.*"),
    ("fleet_tables", r"sqlite/\w+\.hpp"),
    ("command_line", r"command_line/.*"),
    ("sqlite", r"sqlite3(ext)?\.h"),
    ("gzip", r"zlib\.h|isa-l/.*"),
    ("zstd", r"zstd\w*\.h"),
    ("abseil", r"absl/.*"),
    ("re2", r"re2/.*"),
    ("toml", r"toml\+\+/.*"),
    ("simdjson", r"simdjson.*"),
    ("cli11", r"CLI/.*"),
    ("protobuf", r"google/.*|.*\.pb\.h"),
    ("std_io", r"fstream|iostream|istream|ostream|sstream|filesystem|cstdio|stdio\.h"),
    ("posix", r"sys/.*|linux/.*|unistd\.h|fcntl\.h|poll\.h|dirent\.h|pthread\.h|signal\.h|termios\.h|dlfcn\.h|windows\.h|io\.h"),
    ("intrinsics", r"\w*intrin\.h|cpuid\.h|arm_neon\.h"),
    ("std", r"[a-z0-9_]+(\.h)?"),   # <vector>, <stdint.h>
]

VIEWS = {"std", "view"}
CORE = VIEWS | {"core"}
PURE = CORE | {"base"}
INNER = {"formats", "format_index", "read", "trace", "analyse", "tables", "export"}  # what wings stand on
SYSTEM = {"std_io", "posix", "intrinsics"}

# Folder (or file) prefix, most specific first, the layers of src from below to above; what it may include. A file beside it is always allowed.
LAYERS = [
    ("include/profkit/profkit.h", {"std"}),
    ("include/profkit/profkit.hpp", {"std", "c_abi", "view"}),
    ("include/profkit/core/", CORE),
    ("include/profkit/", VIEWS),
    ("src/core/base/toml_tree.cpp", PURE | {"toml"}),
    ("src/core/base/name_pattern.cpp", PURE | {"re2"}),
    ("src/core/base/hash_map.hpp", PURE | {"abseil"} | SYSTEM),
    ("src/core/base/", PURE | SYSTEM),
    ("src/core/io/", PURE | {"io", "gzip", "zstd"} | SYSTEM),
    ("src/core/formats/chrome/json_splitter.cpp", PURE | {"formats", "simdjson"}),
    ("src/core/formats/", PURE | {"formats", "format_index", "intrinsics"}),
    ("src/core/read/", PURE | {"formats", "format_index", "read"}),
    ("src/core/trace/", PURE | {"formats", "format_index", "trace"}),
    ("src/core/analyse/", PURE | {"analyse", "format_index", "trace"}),
    ("src/core/tables/", PURE | {"tables", "c_abi", "format_index"}),
    ("src/core/export/", PURE | {"export", "analyse", "format_index", "trace"}),
    ("src/wings/clusters/", PURE | INNER | {"clusters"}),
    ("src/wings/diff/", PURE | INNER | {"diff"}),
    ("src/wings/model/", PURE | INNER | {"model"}),
    ("src/wings/neutrino/", PURE | INNER | {"neutrino"}),
    ("src/wings/page/", PURE | INNER | {"page"}),
    ("src/wings/redact/", PURE | INNER | {"redact"}),
    ("capi/", CORE | {"c_abi", "base", "format_index", "tables"}),
    ("tools/command_line/parser.cpp", CORE | {"command_line", "cli11"} | SYSTEM),
    ("tools/sql_database.cpp", CORE | {"command_line", "fleet_tables"} | SYSTEM),
    ("tools/", CORE | {"command_line"} | SYSTEM),
    ("bindings/sqlite/", {"std", "c_abi", "sqlite"} | SYSTEM),
    ("bindings/", {"std", "c_abi"} | SYSTEM),
    ("examples/c/", {"std", "c_abi"} | SYSTEM),
    ("examples/cpp-views/", VIEWS | SYSTEM),
    ("examples/cpp-raii/", {"std", "raii"} | SYSTEM),
    ("examples/inhouse-profiler/", {"std", "raii"} | SYSTEM),
    ("examples/tour/tour.cpp", {"std", "raii"} | SYSTEM),
    ("examples/tour/tour.c", {"std", "c_abi"} | SYSTEM),
    ("examples/own-format/", CORE | SYSTEM),
    ("examples/own-trace/own_trace.cpp", {"std", "raii"} | SYSTEM),
    ("examples/own-trace/own_trace.c", {"std", "c_abi"} | SYSTEM),
]
CHECKED_FOLDERS = ["include", "src", "capi", "tools", "bindings", "examples"]

# Names that may stand in the code (comments left out) of files under these folders only.
NAMES = [
    (r"\babsl\s*::", ("src/",)),
    (r"\bgoogle\s*::\s*protobuf\b", ()),
    # Who walks events of an XSpace: cursors of hosts, the scan, and allocator events, which read pieces of a line again.
    # Others take batches of it (trace/line_batches.hpp, line_scan.hpp).
    (r"\bevent_scanner\b", ("include/profkit/", "src/core/formats/", "src/core/trace/", "src/core/analyse/memory/", "capi/")),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
COMMENT_OR_LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".cc", ".inc"}


def without_comments(text):
    """Blanks comments, keeps line numbers and literals."""
    def blank(match):
        piece = match.group()
        return piece if piece.startswith('"') else re.sub(r"[^\n]", " ", piece)
    return COMMENT_OR_LITERAL.sub(blank, text)


def kind_of(included):
    return next((kind for kind, pattern in KINDS if re.fullmatch(pattern, included)), None)


def is_beside(quoted):
    """A quoted name without a folder is a file beside the includer, unless a library's header has that name."""
    return "/" not in quoted and kind_of(quoted) in (None, "std")


def breaches_in(path, text):
    """Returns the breaches of one file as lines `path:line: what`."""
    allowed = next((kinds for prefix, kinds in LAYERS if path == prefix or
                    (prefix.endswith("/") and path.startswith(prefix))), None)
    if allowed is None:
        return [f"{path}: no layer of this test covers it"]
    code = without_comments(text)
    found = []

    def report(position, what):
        found.append(f"{path}:{code.count(chr(10), 0, position) + 1}: {what}")

    for match in INCLUDE.finditer(code):
        angled, quoted = match.groups()
        if quoted and is_beside(quoted):
            continue
        included = angled or quoted
        kind = kind_of(included)
        if kind is None:
            report(match.start(), f"includes {included}, which no layer knows")
        elif kind not in allowed:
            report(match.start(), f"includes {included} ({kind}), which its layer may not")
    for pattern, home in NAMES:
        if path.startswith(home):
            continue
        for match in re.finditer(pattern, code):
            report(match.start(), f"names {match.group()}" + (f", which only {' '.join(home)} may" if home else ""))
    return found


def check_tree(root):
    breaches = []
    count = 0
    for folder in CHECKED_FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in SUFFIXES and file.is_file() and "target" not in file.parts:
                count += 1
                breaches += breaches_in(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
    if count == 0:
        breaches.append(f"{root}: no source file found")
    return count, breaches


SELF_TEST = [
    # path, text, part of the expected breach ("" = none)
    ("include/profkit/wire.hpp", "#include <cstdint>\n#include <profkit/namespace.hpp>\n", ""),
    ("include/profkit/wire.hpp", "#include <zlib.h>\n", "zlib.h (gzip)"),
    ("include/profkit/wire.hpp", "#include <profkit/core/result.hpp>\n", "core/result.hpp (core)"),
    ("include/profkit/wire.hpp", "#include <fstream>\n", "fstream (std_io)"),
    ("include/profkit/profkit.h", '#include "profkit/xspace.hpp"\n', "(view)"),
    ("include/profkit/core/capture.hpp", "#include <base/arena.hpp>\n", "(base)"),
    ("include/profkit/core/capture.hpp", "absl::flat_hash_map<int, int> ids;\n", "names absl::"),
    ("include/profkit/core/capture.hpp", "// like absl::flat_hash_map\n", ""),
    ("include/profkit/proto_bridge.hpp", "google::protobuf::Message *m;\n", "names google::protobuf"),
    ("src/core/base/arena.hpp", '#include "io/mapped_source.hpp"\n', "(io)"),
    ("src/core/base/string_table.hpp", "\n\n#include <absl/container/flat_hash_map.h>\n", "string_table.hpp:3: includes absl/"),
    ("src/core/io/gzip.cpp", '#include <zlib.h>\n#include "base/arena.hpp"\n', ""),
    ("src/core/io/gzip.cpp", '#include "decoder.hpp"\n', ""),
    ("src/core/io/discover.cpp", '#include "read/xspace.hpp"\n', "(read)"),
    ("src/core/io/discover.cpp", '#include "../read/xspace.hpp"\n', "which no layer knows"),
    ("src/core/analyse/ops/ops.cpp", '#include "zlib.h"\n', "(gzip)"),
    ("src/core/formats/chrome/chrome.cpp", '#include "io/gzip.hpp"\n', "(io)"),
    ("src/core/formats/chrome/chrome.cpp", "#include <unistd.h>\n", "(posix)"),
    ("src/core/formats/hlo/format.cpp", "#include <google/protobuf/message.h>\n", "(protobuf)"),
    ("src/core/formats/hlo/format.cpp", '#include "analyse/ops/op_totals.hpp"\n', "(analyse)"),
    ("src/core/formats/hlo/format.cpp", "#include <read/detect.hpp>\n", "(read)"),
    ("src/core/analyse/ops/ops.cpp", '#include "formats/xspace/xspace_index.hpp"\n', ""),
    ("src/core/formats/chrome/chrome.cpp", "#include <simdjson.h>\n", "(simdjson)"),
    ("src/core/analyse/ops/ops.cpp", '#include "io/mapped_source.hpp"\n', "(io)"),
    ("src/core/analyse/ops/ops.cpp", "#include <filesystem>\n", "(std_io)"),
    ("src/core/analyse/ops/ops.cpp", '#include "export/json.hpp"\n', "(export)"),
    ("src/core/export/json.cpp", '#include "trace/filters/select.hpp"\n', ""),
    ("src/core/export/json.cpp", '#include "read/profile.hpp"\n', "(read)"),
    ("src/core/export/json.cpp", "event_scanner scan(line.body);\n", "names event_scanner"),
    ("src/core/trace/line_scan.cpp", "event_scanner scan(line.body);\n", ""),
    ("capi/capture.cpp", '#include "handles.hpp"\n#include "base/json_writer.hpp"\n#include <profkit/profkit.h>\n', ""),
    ("capi/capture.cpp", '#include "read/xspace.hpp"\n', "(read)"),
    ("tools/command_line/parser.cpp", '#include "command_line/commands.hpp"\n#include <CLI/CLI.hpp>\n', ""),
    ("tools/main.cpp", "#include <CLI/CLI.hpp>\n#include <profkit/core/capture.hpp>\n", "(cli11)"),
    ("tools/main.cpp", '#include "base/json_writer.hpp"\n', "(base)"),
    ("examples/c/list.c", "#include <profkit/xspace.hpp>\n", "(view)"),
    ("src/core/export/json/brief.cpp", "#include <page/html/names.hpp>\n", "(page)"),
    ("src/wings/model/export/markdown.cpp", "#include <page/html/names.hpp>\n", "(page)"),
    ("src/wings/model/export/markdown.cpp", "#include <model/export/drawings.hpp>\n#include <export/json/document.hpp>\n", ""),
    ("src/odd/x.cpp", "int x;\n", "no layer"),
    ("src/core/read/x.cpp", "#include <boost/hana.hpp>\n", "which no layer knows"),
    ("src/core/read/x.cpp", "/*\n#include <unistd.h>\n*/\n", ""),
]


def self_test():
    wrong = 0
    for path, text, expected in SELF_TEST:
        found = breaches_in(path, text)
        right = len(found) == 1 and expected in found[0] if expected else not found
        if not right:
            wrong += 1
            print(f"self-test: {path} with {text!r}: expected {expected or 'no breach'!r}, found {found}")
    print(f"{len(SELF_TEST) - wrong} passed, {wrong} failed, 0 skipped")
    return 1 if wrong else 0


def main(argument):
    if argument == "--self-test":
        return self_test()
    count, breaches = check_tree(pathlib.Path(argument))
    print(*breaches, sep="\n")
    print(f"{count} files checked, {len(breaches)} breaches of the layers")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
