#!/usr/bin/env python3
"""`profkit fleet --json`, whole: the answers over captures of which one is damaged and one is not there, and SQL over the same."""
import sys

import proto_writer as proto
import truth
import xspace as x

QUARTER = 250_000_000_000  # ps: of a second
TITLES = {"coverage": "What captures there are, and how many of them cannot be read, or not to the end",
          "uses": "Where the time of devices went", "ops": "The costliest ops",
          "headroom": "How much of its memory each device used at most"}


def device(number, name, *events):
    """events: (start, length) in quarters of a second"""
    return x.plane(number + 1, f"/device:TPU:{number}", x.line(3, "XLA Ops", [
        x.event(1, start * QUARTER, length * QUARTER) for start, length in events]), x.event_metadata(1, name))


class Fleet(truth.Case):
    def setUp(self):
        super().setUp()
        host = proto.Plane("/host:CPU", 9)
        host.line("t", 0, [host.event("MemoryAllocation", 1000, 0, [
            ("allocator_name", "TPU_0_bfc"), ("addr", 8), ("allocation_bytes", 300), ("bytes_allocated", 300), ("bytes_available", 100)])])
        sound = x.space(device(0, "add", (0, 1), (3, 1)), x.message(1, host.bytes()))
        first = device(0, "mul", (0, 2))
        damaged = first + device(1, "sub", (0, 1))[:12]
        self.sound, self.damaged = (str(self.write(f"runs/{name}.xplane.pb", data)) for name, data in (("a", sound), ("b", damaged)))
        self.gone, self.bytes = str(self.scratch / "gone.xplane.pb"), len(sound) + len(damaged)
        self.why = f"{self.damaged}: damaged XSpace at byte {len(first)}: the file ends inside a plane"
        self.missing = {"uri": self.gone, "table_name": None, "message": f"{self.gone}: cannot open: No such file or directory"}

    def ask(self, *paths, questions, status=0):
        try:
            found = truth.run("fleet", *paths, *(word for name in questions for word in ("--question", name)), "--json", status=status)
        except AssertionError as why:
            if "was built without SQL" in str(why):
                self.skipTest("profkit was built without SQL")
            raise
        return truth.parsed(found)

    @staticmethod
    def document(questions, **more):
        return {"schema": "profkit.fleet", "version": 1, **more, "questions": [
            {"name": name, "title": TITLES[name], "columns": columns, "rows": rows} for name, columns, rows in questions]}

    USES, OPS = ["use", "seconds", "percent", "captures"], ["name", "category", "seconds", "runs", "captures"]
    COVERAGE = ["family", "captures", "bytes", "errors"]
    HEADROOM = ["run", "host", "name", "peak_bytes", "capacity_bytes", "used_percent", "captures"]

    def test_a_sound_capture(self):
        """Half of a second an op, and as long nothing."""
        found = self.ask(self.sound, questions=("uses", "headroom", "ops"))
        found["questions"].sort(key=lambda question: question["name"])
        self.check(found, self.document([
            ("headroom", self.HEADROOM, [[None, "a", "TPU_0_bfc", 300, 400, 75.0, 1]]), ("ops", self.OPS, [["add", None, 0.5, 2, 1]]),
            ("uses", self.USES, [["compute", 0.5, 50.0, 1], ["idle", 0.5, 50.0, 1]])],
            captures=1, errors=[], status="ok", reason=None))

    def test_one_that_is_damaged_and_one_that_is_not_there(self):
        """What comes before the damage counts; of each it is said once, by their paths, with the first table that ends early."""
        found = self.ask(self.scratch / "runs", self.gone, questions=("coverage", "uses"), status=5)
        self.check(found, self.document([
            ("coverage", self.COVERAGE, [["xspace", 2, self.bytes, 1], ["cannot be read", 1, None, 1]]),
            ("uses", self.USES, [["compute", 1.0, 200 / 3, 2], ["idle", 0.5, 100 / 3, 1]])],
            captures=3, status="partial", reason="2 captures or tables cannot be read, or not to the end",
            errors=[self.missing, {"uri": self.damaged, "table_name": "files", "message": self.why}]))
        found = self.ask(self.damaged, questions=("ops",), status=5)
        self.check(found, self.document([("ops", self.OPS, [["mul", None, 0.5, 1, 1]])], captures=1, status="partial",
                                        reason="1 capture or table cannot be read, or not to the end",
                                        errors=[{"uri": self.damaged, "table_name": "ops", "message": self.why}]))

    def test_sql_of_the_same(self):
        query = "select name, total_ps from ops order by name"
        self.ask(self.sound, questions=("coverage",))
        self.check(truth.parsed(truth.run("sql", self.sound, self.damaged, self.gone, query, "--json", status=5)), {
            "schema": "profkit.sql", "version": 1, "query": query, "columns": ["name", "total_ps"],
            "rows": [["add", 2 * QUARTER], ["mul", 2 * QUARTER]], "captures": 3, "status": "partial",
            "errors": [self.missing, {"uri": self.damaged, "table_name": "ops", "message": self.why}],
            "reason": "2 captures or tables cannot be read, or not to the end"})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
