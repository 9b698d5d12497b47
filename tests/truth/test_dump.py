#!/usr/bin/env python3
"""`profkit dump`: every field of a message, as text and as JSON, with names and without."""
import base64
import struct
import sys

import hlo
import truth
import wire
import xspace as x


def fixed32(field, value):
    return wire.varint(field << 3 | 5) + struct.pack("<I", value)


def fixed64(field, value):
    return wire.varint(field << 3 | 1) + struct.pack("<Q", value)


def group(field, *parts):
    return wire.varint(field << 3 | 3) + b"".join(parts) + wire.varint(field << 3 | 4)


RAW = b"".join(
    [
        wire.number(1, 150),
        wire.number(1, -1),
        fixed64(2, 0x1234),
        fixed32(3, 0xABCDEF),
        wire.message(4, "text \"ö\"\n"),
        wire.message(5, b"\x00\xff\x80"),
        wire.message(6, wire.number(1, 7), wire.message(2, "in")),
        group(7, wire.number(1, 5)),
        wire.number(9, 1),
        wire.number(9, 2),
        wire.number(9, 3),
        wire.number(8, 4),
        wire.number(9, 5),
    ]
)
RAW_TEXT = """\
1: 150
1: 18446744073709551615
2: 0x0000000000001234
3: 0x00abcdef
4: "text \\"ö\\"\\n"
5: "\\000\\377\\200"
6 {
  1: 7
  2: "in"
}
7 {
  1: 5
}
9: 1
9: 2
9: 3
8: 4
9: 5
"""


def scalar(number, kind, value):
    return {"number": number, "type": kind, "value": str(value)}


def text(number, value):
    return {"number": number, "type": "string", "value": value}


RAW_JSON = [
    scalar(1, "varint", 150),
    scalar(1, "varint", (1 << 64) - 1),
    scalar(2, "fixed64", 0x1234),
    scalar(3, "fixed32", 0xABCDEF),
    text(4, 'text "ö"\n'),
    {"number": 5, "type": "bytes", "value": base64.b64encode(b"\x00\xff\x80").decode()},
    {"number": 6, "type": "message", "fields": [scalar(1, "varint", 7), text(2, "in")]},
    {"number": 7, "type": "group", "fields": [scalar(1, "varint", 5)]},
    *(scalar(9, "varint", i) for i in (1, 2, 3)),
    scalar(8, "varint", 4),
    scalar(9, "varint", 5),
]

SPACE = x.space(
    x.plane(
        -3,
        "/host:CPU \\ \x1b",
        x.line(
            1,
            "main",
            [
                x.event(
                    1,
                    5,
                    7,
                    [
                        x.stat(1, -2),
                        x.stat(2, 1.5),
                        x.stat(3, float("nan")),
                        x.stat(3, float("-inf")),
                        x.stat(3, float("inf")),
                        x.stat(4, b"\x01", "bytes"),
                        x.stat(4, b"\x01\x02", "bytes"),
                        x.stat(4, b"\x01\x02\x03", "bytes"),
                        x.stat(5, (1 << 64) - 1, "uint"),
                        x.stat(6, 2, "ref"),
                        x.stat(7, "a"),
                    ],
                ),
                x.event(2, None, 9, occurrences=3),
            ],
            12,
        ),
        x.event_metadata(1, "op", "", [x.stat(1, 8)], [4, -5]),
        wire.number(99, 6),
    ),
    errors=["bad"],
    warnings=["w1", "w2"],
    hostnames=["h"],
)


class DumpTest(truth.Case):
    def dump(self, data, *options, status=0, type_name=None):
        path = self.write("m.xplane.pb", data)
        return truth.run("dump", path, *(["--type", type_name] if type_name else []), *options, status=status)

    def as_json(self, data, *options, status=0, type_name=None):
        return truth.parsed(self.dump(data, "--json", *options, status=status, type_name=type_name))

    def frame(self, type_name, message):
        return {
            "schema": "profkit.dump",
            "version": 1,
            "type": type_name,
            "message": message,
            "status": "ok",
            "reason": None,
            "damage": [],
        }

    def test_without_names(self):
        self.check_text(self.dump(RAW, type_name="raw"), RAW_TEXT)
        found = self.as_json(RAW, type_name="raw")
        self.check(found, self.frame("raw", {"unknown_fields": RAW_JSON}))

    def test_a_limit_without_names_is_that_of_runs_of_one_number(self):
        lines = RAW_TEXT.splitlines(keepends=True)
        self.check_text(self.dump(RAW, "--limit", 2, type_name="raw"),
                        "".join(lines[:15] + lines[16:]) + "# 1 more fields without a name\n")
        self.check_text(self.dump(RAW, "--limit", 1, type_name="raw"),
                        "".join(lines[:1] + lines[2:14] + lines[16:]) + "# 3 more fields without a name\n")
        found = self.as_json(RAW, "--limit", 2, type_name="raw")
        self.check(
            found["message"], {"unknown_fields": RAW_JSON[:10] + RAW_JSON[11:], "left_out": {"unknown_fields": 1}}
        )

    def test_an_xspace(self):
        for name in ("XSpace", None):
            self.check_text(
                self.dump(SPACE, type_name=name), (truth.ROOT / "tests/truth/expected/dump-xspace.txt").read_text()
            )

    def test_an_xspace_as_json(self):
        stats = [{"metadata_id": "1", "int64_value": "-2"}, {"metadata_id": "2", "double_value": 1.5},
                 {"metadata_id": "3", "double_value": "NaN"}, {"metadata_id": "3", "double_value": "-Infinity"},
                 {"metadata_id": "3", "double_value": "Infinity"}, {"metadata_id": "4", "bytes_value": "AQ=="},
                 {"metadata_id": "4", "bytes_value": "AQI="}, {"metadata_id": "4", "bytes_value": "AQID"},
                 {"metadata_id": "5", "uint64_value": str((1 << 64) - 1)}, {"metadata_id": "6", "ref_value": "2"},
                 {"metadata_id": "7", "str_value": "a"}]
        events = [{"metadata_id": "1", "offset_ps": "5", "duration_ps": "7", "stats": stats},
                  {"metadata_id": "2", "num_occurrences": "3", "duration_ps": "9"}]
        entry = {"id": "1", "name": "op", "stats": [{"metadata_id": "1", "int64_value": "8"}], "child_id": ["4", "-5"]}
        plane = {"id": "-3", "name": "/host:CPU \\ \x1b", "lines": [
            {"id": "1", "name": "main", "timestamp_ns": "12", "events": events}], "event_metadata": {"1": entry},
            "unknown_fields": [scalar(99, "varint", 6)]}
        message = {"planes": [plane], "errors": ["bad"], "warnings": ["w1", "w2"], "hostnames": ["h"]}
        self.check(self.as_json(SPACE), self.frame("XSpace", message))
        limited = self.as_json(SPACE, "--limit", 1)["message"]
        self.check([limited["warnings"], limited["left_out"]], [["w1"], {"warnings": 1}])
        self.check(limited["planes"][0]["lines"][0]["left_out"], {"events": 1})

    def test_a_module(self):
        array = hlo.shape(hlo.F32, [8, 128], hlo.layout([1, 0]), dynamic=[False, True])
        data = hlo.module(
            "jit_f", 7, hlo.computation(1, "main", hlo.instruction(10, "p", "parameter", array, operands=[3, 4, 5]))
        )
        instruction = {"name": "p", "opcode": "parameter", "shape": {
            "element_type": "F32", "dimensions": ["8", "128"], "layout": {"minor_to_major": ["1", "0"]},
            "is_dynamic_dimension": [False, True]}, "metadata": {}, "id": "10", "operand_ids": ["3", "4", "5"]}
        expected = {
            "hlo_module": {
                "name": "jit_f",
                "computations": [{"name": "main", "instructions": [instruction], "id": "1"}],
                "id": "7",
                "entry_computation_id": "1",
            }
        }
        found = self.as_json(data, type_name="HloProto")
        self.check(found, self.frame("HloProto", expected))
        self.assertIn("operand_ids: [3, 4]\n", self.dump(data, "--limit", 2, type_name="HloProto"))
        self.assertIn("# 1 more operand_ids\n", self.dump(data, "--limit", 2, type_name="HloProto"))

    def test_bytes_and_texts_are_escaped_each_in_their_way(self):
        """Of bytes only ASCII stays as it is."""
        data = x.space(x.plane(1, 'a"\\ö', x.plane_stat(1, b'a"\\\xc3\xb6\n\x7f', "bytes")))
        shown = self.dump(data)
        self.assertIn('  name: "a\\"\\\\ö"\n', shown)
        self.assertIn('    bytes_value: "a\\"\\\\\\303\\266\\n\\177"\n', shown)

    def test_everything_is_shown_unless_a_limit_is_asked_for(self):
        data = x.space(warnings=[f"w{i}" for i in range(120)])
        self.check_text(self.dump(data), "".join(f'warnings: "w{i}"\n' for i in range(120)))
        self.check(len(self.as_json(data)["message"]["warnings"]), 120)

    def test_a_cut_message(self):
        cut = SPACE[:-2]  # in the name of the host
        place = len(SPACE) - 3
        text_of_cut = self.dump(cut, status=5)
        self.assertTrue(text_of_cut.endswith(f"# damaged at byte {place}\n"), text_of_cut[-80:])
        found = self.as_json(cut, status=5)
        why = "no protobuf field starts here, or it is cut"
        self.check({key: value for key, value in found.items() if key != "message"}, {
            "schema": "profkit.dump", "version": 1, "type": "XSpace", "status": "partial", "reason": why,
            "damage": [{"code": "damaged", "message": why, "byte_offset": place,
                        "hint": "the file is cut or no protobuf; everything before was written"}]})
        self.assertNotIn("hostnames", found["message"])
        target = self.scratch / "kept.txt"
        truth.run("dump", self.scratch / "m.xplane.pb", "-o", target, status=5)
        self.check_text(target.read_text(), text_of_cut)

    def test_what_holds_nothing_replaces_no_file(self):
        target = self.write("kept.txt", "kept")
        self.write("m.xplane.pb", b"\x0a")
        truth.run("dump", self.scratch / "m.xplane.pb", "--type", "XSpace", "-o", target, status=4)
        self.check_text(target.read_text(), "kept")

    def test_the_library_writes_the_same(self):
        library = truth.library()
        for form, options in (("text", []), ("json", ["--json"])):
            for limit in (0, 1):
                ours = self.dump(SPACE, "--limit", limit, *options)
                parts = []
                library.dump(self.scratch / "m.xplane.pb", parts.append, format=form, limit=limit)
                self.assertEqual(b"".join(parts).decode().rstrip(), ours.rstrip())


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
