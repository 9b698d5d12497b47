#!/usr/bin/env python3
"""`profkit modules`: the programs of a capture, files beside it that repeat them, and the entry computation of one."""
import sys

import hlo
import pair
import truth
import wire
import xspace as x

STEP, EVAL = hlo.proto("jit_step", 7), hlo.proto("jit_eval", 9, extra=True)


def row(file, plane, metadata_id, name, module_name, module_id, computations, instructions, size, sibling="none",
        sibling_path=None, damage=None):
    return {"file": file, "plane": plane, "metadata_id": str(metadata_id), "name": name, "module_name": module_name,
            "module_id": str(module_id), "computations": computations, "instructions": instructions, "bytes": size,
            "sibling": sibling, "sibling_path": sibling_path, "damage": damage}


ROWS = [
    row(0, 4, 9, "jit_eval(9)", "jit_eval", 9, 2, 4, len(EVAL)),
    row(0, 4, 7, "jit_step(7)", "jit_step", 7, 2, 3, len(STEP)),
    row(1, 3, 7, "jit_step(7)", "jit_step", 7, 2, 3, len(STEP)),
]


class ModulesTest(pair.PairCase):
    def document(self, rows, matched=None, **more):
        return {**pair.frame("modules"), "modules": rows, "matched": len(rows) if matched is None else matched,
                "files": pair.files(self.folder), "damage": [], **more}

    def test_all(self):
        self.check(self.ask("modules"), self.document(ROWS))

    def test_filters(self):
        self.check(self.ask("modules", "--limit", 2, limit=2), {
            **self.document(ROWS[:2], 3), "limited": truth.limited(2, ("modules", 2, 3))})
        self.check(self.ask("modules", "--limit", 3, limit=3), self.document(ROWS))
        self.check(self.ask("modules", "--name", "step", name="step"), self.document(ROWS[1:]))
        self.check(self.ask("modules", "--host", "beta", host="beta"), self.document(ROWS[2:]))
        self.check(self.ask("modules", "--step", 1, step=1), self.document(ROWS))  # a module has no place in time

    def test_nothing_fits(self):
        self.check(self.ask("modules", "--plane", "TPU", plane="TPU"), self.document(
            [], status="absent", reason="no /host:metadata plane carries an 'Hlo Proto' stat, and there is no "
                                        "*.hlo_proto.pb file"))
        self.check(self.ask("modules", "--name", "fusion", name="fusion"), self.document(
            [], status="absent", reason="nothing in the capture matches the filters"))

    def test_screen(self):
        self.check_screen("modules", "modules")
        self.check_screen("modules-limited", "modules", "--limit", 1)


class SiblingsTest(truth.Case):
    """Files beside an XSpace: the same module by name and id, by its bytes, by what it holds, or another."""

    def capture(self, standalone, run="r", modules=None):
        ops = modules or {7: ("jit_step(7)", STEP), 9: ("jit_eval(9)", EVAL)}
        plane = x.plane(
            1,
            "/host:metadata",
            x.stat_metadata(1, "Hlo Proto"),
            *(x.event_metadata(key, name, "", [x.stat(1, blob, "bytes")]) for key, (name, blob) in ops.items()),
        )
        self.write(f"plugins/profile/{run}/a.xplane.pb", x.space(plane))
        for name, blob in standalone.items():
            self.write(f"plugins/profile/{run}/{name}", blob)
        return self.scratch / f"plugins/profile/{run}"

    def ask_for(self, folder, *options, status=0):
        return truth.parsed(truth.run("modules", folder, "--json", *options, status=status))

    def rows(self, found):
        return [[r["name"], r["plane"], r["sibling"], r["sibling_path"] and r["sibling_path"].rsplit("/", 1)[1]]
                for r in found["modules"]]

    def test_the_same_bytes(self):
        folder = self.capture({"jit_step(7).hlo_proto.pb": STEP})
        found = self.ask_for(folder)
        self.check(self.rows(found), [["jit_eval(9)", 0, "none", None],
                                      ["jit_step(7)", 0, "same_bytes", "jit_step(7).hlo_proto.pb"]])

    def test_the_same_content_in_another_order(self):
        """The closest counts, wherever it stands."""
        body = wire.first(STEP, 1)
        fields = [(wire.varint(n << 3 | (0 if isinstance(v, int) else 2)) +
                   (wire.varint(v) if isinstance(v, int) else wire.varint(len(v)) + v)) for n, v in wire.fields(body)]
        other_order = wire.message(1, *(fields[1:] + fields[:1]))
        self.assertEqual(len(other_order), len(STEP))
        self.assertNotEqual(other_order, STEP)
        larger = hlo.proto("jit_step", 7, extra=True)
        for names in (("x1", "x2"), ("x2", "x1")):
            folder = self.capture(
                {f"{names[0]}.hlo_proto.pb": other_order, f"{names[1]}.hlo_proto.pb": larger}, "".join(names)
            )
            self.check(self.rows(self.ask_for(folder)), [
                ["jit_eval(9)", 0, "none", None], [names[1], -1, "none", None],
                ["jit_step(7)", 0, "same_content", f"{names[0]}.hlo_proto.pb"]])

    def test_of_two_that_are_alike_the_first_is_named(self):
        folder = self.capture({"x1.hlo_proto.pb": STEP, "x2.hlo_proto.pb": STEP})
        found = next(r for r in self.ask_for(folder)["modules"] if r["name"] == "jit_step(7)")
        self.check([found["sibling"], found["sibling_path"]], ["same_bytes", str(folder / "x1.hlo_proto.pb")])

    def test_another_content_and_others(self):
        """One that differs is named, and stands for itself as well; so do those of another id or name."""
        changed = hlo.proto("jit_step", 7, extra=True)
        folder = self.capture({"changed.hlo_proto.pb": changed, "of id 8.hlo_proto.pb": hlo.proto("jit_step", 8),
                               "named.hlo_proto.pb": hlo.proto("jit_other", 7)})
        found = self.ask_for(folder)
        sizes = [r["bytes"] for r in found["modules"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.check(sorted(self.rows(found)), sorted([
            ["jit_eval(9)", 0, "none", None], ["changed", -1, "none", None], ["named", -1, "none", None],
            ["jit_step(7)", 0, "differs", "changed.hlo_proto.pb"], ["of id 8", -1, "none", None]]))
        self.check([r["metadata_id"] for r in found["modules"] if r["plane"] == -1], ["0", "0", "0"])
        text = truth.run("report", folder)
        self.assertIn("Module 'jit_step(7)' is not the one in ", text)

    def test_only_within_a_run(self):
        self.capture({}, "one")
        second = self.capture({"jit_step(7).hlo_proto.pb": STEP}, "two", {1: ("other(1)", hlo.proto("other", 1))})
        found = self.ask_for(second.parents[2], "--run", "all")
        self.check(sorted(self.rows(found), key=str), sorted([
            ["jit_eval(9)", 0, "none", None], ["jit_step(7)", 0, "none", None], ["other(1)", 0, "none", None],
            ["jit_step(7)", -1, "none", None]], key=str))

    def test_a_broken_module(self):
        folder = self.capture({}, modules={7: ("jit_step(7)", STEP), 9: ("jit_eval(9)", EVAL[:-3])})
        found = self.ask_for(folder, status=5)
        damage = found["modules"][0]["damage"]
        self.check([damage["code"], damage["path"], found["status"], len(found["damage"])],
                   ["damaged", str(folder / "a.xplane.pb"), "partial", 1])
        self.assertIn("module 'jit_eval(9)' is no whole HloProto", damage["message"])
        self.check(found["modules"][1]["damage"], None)


class EntryTest(truth.Case):
    """--dump: instructions as they are stored and as they run, shapes as XLA writes them, and source places."""
    S32, BF16, TUPLE, TOKEN = 4, 16, 13, 17
    SHAPES = [
        (hlo.shape(hlo.F32, [8, 128], hlo.layout([1, 0])), "f32[8,128]{1,0}"),
        (hlo.shape(hlo.F32, []), "f32[]"),
        (hlo.shape(BF16, [8, 128], hlo.layout([1, 0], [hlo.tile(8, 128), hlo.tile(2, 1)], space=1)),
         "bf16[8,128]{1,0:T(8,128)(2,1)S(1)}"),
        (hlo.shape(S32, [3, 4], hlo.layout([0, 1], [], bits=4), dynamic=[True, False]), "s32[<=3,4]{0,1:E(4)}"),
        (hlo.shape(TUPLE, elements=[hlo.shape(hlo.F32, [2]), hlo.shape(TUPLE, elements=[hlo.shape(TOKEN)])]),
         "(f32[2], (token[]))"),
        (hlo.shape(hlo.F32, [5], hlo.layout([0], tail=2)), "f32[5]{0:L(2)}"),
        (hlo.shape(hlo.F32, [5], hlo.layout([0], tail=1)), "f32[5]{0}"),
        (hlo.shape(33, [1]), "f8e8m0fnu[1]"),
        (hlo.shape(99, [1]), "type99[1]"),
        (hlo.shape(TUPLE), "()"),
    ]
    ELEMENTS = {
        1: "pred",
        2: "s8",
        3: "s16",
        4: "s32",
        5: "s64",
        6: "u8",
        7: "u16",
        8: "u32",
        9: "u64",
        10: "f16",
        11: "f32",
        12: "f64",
        14: "opaque",
        15: "c64",
        16: "bf16",
        17: "token",
        18: "c128",
        19: "f8e5m2",
        20: "f8e4m3fn",
        21: "s4",
        22: "u4",
        23: "f8e4m3b11fnuz",
        24: "f8e5m2fnuz",
        25: "f8e4m3fnuz",
        26: "s2",
        27: "u2",
        28: "f8e4m3",
        29: "f8e3m4",
        30: "s1",
        31: "u1",
        32: "f4e2m1fn",
        33: "f8e8m0fnu",
    }

    def entry_of(self, module, *options):
        plane = x.plane(1, "/host:metadata", x.stat_metadata(1, "Hlo Proto"),
                        x.event_metadata(7, "jit_step(7)", "", [x.stat(1, module, "bytes")]))
        self.path = self.write("a.xplane.pb", x.space(plane))
        text = truth.run("modules", self.path, "--dump", "step", "--json", *options)
        if not truth.is_sanitized():
            with truth.library().open(str(self.path)) as profile:
                limit = {"limit": int(options[1])} if options else {}
                self.assertEqual(profile.module_document_bytes("step", **limit).rstrip(), text.encode().rstrip())
        return truth.parsed(text)["entry"]

    def module(self):
        table = [
            hlo.message(1, "a/b.py"),
            hlo.message(1, "c.py"),
            hlo.message(3, hlo.number(1, 2), hlo.number(3, 70)),
            hlo.message(3, hlo.number(1, 1), hlo.number(3, 12)),
            hlo.message(4, hlo.number(1, 2)),
            hlo.message(4, hlo.number(1, 1), hlo.number(2, 1)),
            hlo.message(4, hlo.number(1, 9)),
        ]
        metadata = [
            hlo.op_metadata("jit(f)/add, \"x\"", "dir/m.py", 5),
            hlo.op_metadata("", "", 0, 1),
            hlo.op_metadata("", "", 0, 2),
            hlo.op_metadata("", "", 0, 3),
            hlo.op_metadata("", "own.py", 1, 1),
            hlo.op_metadata("", "", 0, 4),
            b"",
        ]
        body = [hlo.instruction(10 + i, f"op.{i}", ("add", "parameter")[i % 2], shape,
                                metadata[i] if i < len(metadata) else b"") for i, (shape, _) in enumerate(self.SHAPES)]
        other = hlo.computation(5, "first", hlo.instruction(1, "p", "parameter", self.SHAPES[0][0]))
        last = hlo.computation(9, "last", hlo.instruction(2, "q", "parameter", self.SHAPES[0][0]))
        order = [12, 10, 11, 99, 13, 14, 15, 16, 17, 18, 19]  # 99 is none of them
        return hlo.module("jit_step", 7, other, hlo.computation(6, "main", *body), last,
                          hlo.schedule({5: [1], 6: order}), hlo.message(17, *table), entry=6)

    def test_instructions(self):
        places = [("dir/m.py", 5), ("a/b.py", 12), ("c.py", 70), ("", 0), ("own.py", 1), ("", 0)]
        rows = []
        for i, (_, shape) in enumerate(self.SHAPES):
            file, line = places[i] if i < len(places) else ("", 0)
            rows.append({"id": str(10 + i), "name": f"op.{i}", "opcode": ("add", "parameter")[i % 2], "shape": shape,
                         "op_name": 'jit(f)/add, "x"' if i == 0 else "", "source_file": file, "source_line": line})
        expected = {"computation": "main", "instructions": rows, "matched": len(rows),
                    "schedule": [2, 0, 1, *range(3, 10)]}
        self.check(self.entry_of(self.module()), expected)
        self.check(self.entry_of(self.module(), "--limit", "2"), {**expected, "instructions": rows[:2], "schedule": [2, 0]})
        self.check_text(truth.run("modules", self.path, "--dump", "step").replace(str(self.path), "PATH"),
                        (pair.SCREENS / "modules-dump.txt").read_text(encoding="utf-8"))

    def test_every_type_of_element(self):
        body = [hlo.instruction(i, f"op.{i}", "add", hlo.shape(i, [2])) for i in self.ELEMENTS]
        entry = self.entry_of(hlo.module("jit_step", 7, hlo.computation(1, "main", *body)))
        self.check({int(r["id"]): r["shape"] for r in entry["instructions"]},
                   {i: f"{name}[2]" for i, name in self.ELEMENTS.items()})

    def test_without_an_entry_the_first_computation_and_without_a_schedule_none(self):
        body = [hlo.computation(key, name, hlo.instruction(1, "p", "parameter", hlo.shape(hlo.F32))) for key, name in
                ((3, "one"), (4, "two"))]
        entry = self.entry_of(hlo.module("jit_step", 7, *body, entry=8))
        self.check([entry["computation"], entry["schedule"]], ["one", []])
        self.assertTrue(truth.run("modules", self.path, "--dump", "step").endswith("the module carries no schedule\n"))

    def test_a_schedule_that_is_the_order_of_the_file(self):
        body = [hlo.instruction(i, f"op.{i}", "add", hlo.shape(hlo.F32)) for i in (1, 2)]
        self.entry_of(hlo.module("jit_step", 7, hlo.computation(1, "main", *body), hlo.schedule({1: [1, 2]})))
        self.assertTrue(
            truth.run("modules", self.path, "--dump", "step").endswith("The schedule has the same order.\n")
        )

    def test_a_name_that_no_module_has(self):
        self.entry_of(self.module())
        done = truth.subprocess.run(
            [truth.PROFKIT, "modules", self.path, "--dump", "jit_none"],
            check=False,
            timeout=60,
            stdout=truth.subprocess.PIPE,
            stderr=truth.subprocess.PIPE,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn(
            "no module's name contains 'jit_none'\n  hint: The modules are: jit_step(7)\n", done.stderr.decode()
        )


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
