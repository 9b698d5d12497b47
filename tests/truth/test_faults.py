#!/usr/bin/env python3
"""What each document says of a path that does not exist and of a damaged file beside a sound one."""
import sys

import truth
import xspace as x

FOR_ONE_PATH = [["info"], ["tree"], ["metadata"], ["modules"], ["ops"], ["ops", "--by", "op"], ["steps"], ["framework"], ["collectives"],
                ["bubbles"], ["memory"], ["architecture"], ["report"], ["report", "--brief"], ["explain"]]
SCHEMAS = {"ops --by op": "op_groups", "report --brief": "brief"}
VERSIONS = {"memory": 2}
NOT_FOUND = {"code": "not_found", "message": "cannot open: No such file or directory", "byte_offset": None,
             "hint": "check the path; it may have been moved or removed"}


def schema_of(words):
    return "profkit." + SCHEMAS.get(" ".join(words), words[0])


def plane(name, first_ps):
    names = [x.event_metadata(1, "add"), x.event_metadata(2, "7")]
    lines = [x.line(at, kind, [x.event(key, first_ps, 1000), x.event(key, first_ps + 2000, 500)], timestamp_ns=5)
             for at, (kind, key) in enumerate([("XLA Ops", 1), ("XLA Modules", 1), ("Steps", 2)])]
    return x.plane(1, name, *names, *lines)


class Faults(truth.Case):
    def ask(self, words, path, status):
        return truth.loads(truth.run(words[0], path, *words[1:], "--json", status=status))

    def test_no_such_path(self):
        path = str(self.scratch / "absent.xplane.pb")
        for words in [*FOR_ONE_PATH, ["neutrino"]]:
            with self.subTest(words):
                self.check(self.ask(words, path, 3), {
                    "schema": schema_of(words), "version": VERSIONS.get(words[0], 1), "status": "error", "reason": NOT_FOUND["message"],
                    "path": path, **NOT_FOUND})

    def test_no_such_path_among_several(self):
        path = str(self.scratch / "absent.xplane.pb")
        for name, words, before in (("validate", ["validate", path], ""), ("validate", ["validate", path, path], ""),
                                    ("merge", ["merge", "--traces", path, "-o", str(self.scratch / "all.xspace")],
                                     "node 0: its trace cannot be opened: ")):
            with self.subTest(words):
                message = before + NOT_FOUND["message"]
                self.check(truth.loads(truth.run(*words, "--json", status=3)), {
                    "schema": f"profkit.{name}", "version": 1, "status": "error", "reason": message, "path": path,
                    **{**NOT_FOUND, "message": message}})

    def test_a_merge_of_a_damaged_trace(self):
        first = plane("/device:TPU:0", 0)
        path = str(self.write("cut.xplane.pb", x.space(first, plane("/device:TPU:1", 700))[:-4]))
        message = f"node 0: its trace is damaged or cut at byte {len(x.space(first))}: a field runs past the end"
        self.check(truth.loads(truth.run("merge", "--traces", path, "-o", self.scratch / "all.xspace", "--no-correction", "--json", status=4)), {
            "schema": "profkit.merge", "version": 1, "status": "error", "reason": message, "code": "damaged", "message": message, "path": path,
            "byte_offset": len(x.space(first)), "hint": "Fetch the trace again; --keep-going merges what is intact."})

    def test_the_second_file_is_damaged(self):
        folder = self.scratch / "run"
        first, second = plane("/device:TPU:0", 0), plane("/device:TPU:1", 700)
        self.write("run/alpha.xplane.pb", x.space(first, second, hostnames=["alpha"]))
        whole = x.space(first, second)
        path = self.write("run/beta.xplane.pb", whole[:-4])
        damage = {"code": "damaged", "path": str(path), "byte_offset": len(x.space(first)),
                  "message": f"damaged XSpace at byte {len(x.space(first))}: the file ends inside a plane",
                  "hint": "Everything intact is shown. Fetch the file again if it was copied; a profile whose writer was stopped ends like "
                          "this, too."}
        reason = "1 of 2 files is damaged: " + damage["message"]
        for words in FOR_ONE_PATH:
            with self.subTest(words):
                found = self.ask(words, folder, 5)
                self.check({key: found[key] for key in ("schema", "status", "reason")},
                           {"schema": schema_of(words), "status": "partial", "reason": reason})
                if words == ["info"]:
                    self.check([file["damage"] for file in found["files"]], [None, damage])
                else:
                    self.check(found["damage"], [{"file": 1, **damage}])
                if "complete" in found:
                    self.check([found["complete"], found["reasons"]], [False, [f"{path}: {damage['message']}"]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
