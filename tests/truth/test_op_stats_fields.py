"""`*.op_stats_v2.pb`, one decision after another: which of two fields counts, which ops are counted, what is damaged."""
import sys

import truth
from test_op_stats import MOST, Op, encoded
from wire import message, number

TPU = message(5, message(4, "TPU v9"), number(16, 3))


def metrics(*fields):
    return message(2, message(10, *fields))


class Fields(truth.Case):
    def ask(self, command, *parts, status=0, options=()):
        path = self.write("a.op_stats_v2.pb", b"".join(parts))
        return truth.loads(truth.run(command, path, "--json", "--limit", "0", *options, status=status))

    def rows(self, *parts, status=0, options=()):
        return [row for line in self.ask("ops", *parts, status=status, options=options)["lines"] for row in line["ops"]]

    def names(self, *parts, **more):
        return [row["name"] for row in self.rows(*parts, **more)]

    def test_the_last_of_two_counts(self):
        """As protobuf has it: of two values of one field the last, of two messages that are lists both."""
        twice = metrics(number(1, 9), number(1, 4), number(3, 5), number(3, 2), number(2, 8), number(2, 6), number(5, 8), number(5, 10),
                        message(6, "old"), message(6, "new"), number(7, 90), number(7, 40), message(11, "a"), message(11, "b"),
                        message(12, "p"), message(12, "q"), number(13, 1), number(13, 3), message(20, "l"), message(20, "long"))
        (row,) = self.rows(twice, TPU)
        self.assertEqual((row["name"], row["display_name"], row["count"], row["total_ps"], row["self_ps"], row["program"], row["stats"]),
                         ("long", "new", 2, 40, 4, "3", {"category": "b", "tf_op": "q", "flops": "3", "bytes_accessed": "5"}))
        both = metrics(message(6, "one"), number(3, 1), number(7, 5)) + metrics(message(6, "two"), number(3, 1), number(7, 9))
        self.assertEqual(self.names(both, TPU), ["two", "one"])

    def test_names_of_programs(self):
        """Before the ops or after them; of two for one number the last; a number without a name stays a number."""
        ops = message(2, *(Op(f"op.{at}", "fusion", 1, 100 - at, 1, program=program).encoded() for at, program in enumerate((7, 8, 0, 9))))
        names = [message(12, number(1, 7), message(2, "first")), message(12, number(1, 8), message(2, "eight")),
                 message(12, number(1, 7), message(2, "last")), message(12, message(2, "of none")), message(12, number(1, 9))]
        wanted = ["last(7)", "eight(8)", "of none", "9"]
        for parts in ((TPU, ops, *names), (TPU, *names, ops), (*names[:2], ops, *names[2:], TPU)):
            self.assertEqual([row["program"] for row in self.rows(*parts)], wanted)

    def test_which_ops_count(self):
        """Not those of the host, those that never ran, and those of the category IDLE; the name of an op says nothing of that."""
        ops = [Op("IDLE", "fusion", 1, 50, 50), Op("rest", "IDLE", 1, 40, 40), Op("idle", "idle", 1, 30, 30),
               Op("none", "fusion", 0, 20, 20),
               Op("at once", "fusion", 1, 0, 0), Op("", "fusion", 1, 5, 5)]
        self.assertEqual(self.names(encoded(ops)), ["IDLE", "idle", "", "at once"])
        self.assertEqual(self.ask("ops", encoded(ops))["lines"][0]["events"], 4)

    def test_ties(self):
        """Ops of equal totals stand as they stand in the file."""
        ops = [Op(name, "fusion", 1, total, 1) for name, total in (("b", 7), ("a", 9), ("c", 7), ("a", 7))]
        self.assertEqual([(row["name"], row["total_ps"]) for row in self.rows(encoded(ops))], [("a", 9), ("b", 7), ("c", 7), ("a", 7)])

    def test_times_beyond_int64(self):
        """They stop at its end, each by itself, and so does their sum."""
        ops = [Op("a", "fusion", 1, MOST, MOST - 1), Op("b", "fusion", 1, MOST + 1, MOST + 5), Op("c", "fusion", 1, 3, 3)]
        found = self.ask("ops", encoded(ops))["lines"][0]
        self.assertEqual([(row["total_ps"], row["self_ps"]) for row in found["ops"]], [(MOST, MOST - 1), (MOST, MOST), (3, 3)])
        self.assertEqual((found["duration_sum_ps"], found["busy_ps"]), (MOST, MOST))

    def test_work_of_one_execution(self):
        """Rounded to the nearest whole; of what only starts or ends a transfer it is not known."""
        for calls, flops, each in ((3, 4, "1"), (3, 5, "2"), (2, 3, "2"), (4, 1, None), (1, 1, "1"), (1 << 40, 1 << 41, "2")):
            (row,) = self.rows(encoded([Op("a", "fusion", calls, 1000, 1000, flops=flops, bytes_=flops)]))
            self.assertEqual((row["stats"].get("flops"), row["stats"].get("bytes_accessed")), (each, each))
        for category, known in (("copy-start", False), ("copy-done", False), ("all-reduce-start", False), ("async-done", False),
                                ("start", True), ("copy", True), ("copy-start fusion", True), ("started", True)):
            (row,) = self.rows(encoded([Op("a-start", category, 1, 10, 10, flops=5)]))
            self.assertEqual("flops" in row["stats"], known, category)

    def test_devices(self):
        """Of two environments each field is the last that was written. One core, or none, is not worth a word."""
        op = metrics(message(6, "a"), number(3, 1), number(7, 1))
        for hardware, wanted in ((0, "other"), (1, "other"), (2, "gpu"), (3, "tpu"), (4, "other")):
            found = self.ask("bubbles", op, message(5, message(4, "chip"), number(5, 2), number(16, hardware)))["devices"]
            self.assertEqual([(d["name"], d["type"], d["kernels"]) for d in found], [("chip, 2 cores", wanted, 0)])
        parts = (message(5, message(4, "old"), number(5, 8), number(16, 2)), op, message(5, number(5, 1)), message(5, message(4, "new")))
        self.assertEqual([(d["name"], d["type"]) for d in self.ask("bubbles", *parts)["devices"]], [("new", "gpu")])

    def test_totals_in_the_flat_form(self):
        """They are not read; where others stand beside them nothing is amiss, and where they are empty they are not there."""
        op, flat = metrics(message(6, "a"), number(3, 1), number(7, 1)), message(16, message(10, message(6, "b"), number(3, 1)))
        for parts in ((op, flat), (flat, op)):
            self.assertEqual(self.names(*parts), ["a"])
        reason = "its totals are in flat_device_op_metrics_db, which is not read"
        for parts, wanted in (((flat,), reason), ((flat, message(16)), reason), ((message(16), TPU), "no op of a device was found here")):
            self.assertEqual(self.ask("bubbles", *parts)["reason"], wanted)

    def test_damage(self):
        """An op that is damaged is left out, the others stay, and of two damages the first is named by its place."""
        good, bad = Op("good", "fusion", 1, 5, 5).encoded(), message(10, message(6, "bad"), number(3, 1), b"\x3a\x7f")
        head = message(2, good, bad, good, bad)
        found = self.ask("ops", head, TPU, status=5)
        self.assertEqual(found["status"], "partial")
        self.assertEqual([row["name"] for row in found["lines"][0]["ops"]], ["good", "good"])
        self.assertEqual([d["byte_offset"] for d in found["damage"]], [len(head) - 2 * len(bad) - len(good) + 2])
        name = message(12, number(1, 7), b"\x12\x7f")
        found = self.ask("ops", message(2, Op("a", "fusion", 1, 5, 5, program=7).encoded()), name,
                         message(12, number(1, 7), message(2, "f")), status=5)
        self.assertEqual([row["program"] for row in found["lines"][0]["ops"]], ["f(7)"])

    def test_parts(self):
        """Of a device by its name, of ops by theirs; totals have no place in time and lie in no step."""
        ops = encoded([Op("a", "all-reduce", 1, 9, 9, program=7), Op("b", "fusion", 1, 5, 5, program=7, long_name="%b = all()")])
        for options, wanted in ((("--plane", "TPU v9"), ["a", "%b = all()"]), (("--name", "a"), ["a", "%b = all()"]),
                                (("--name", "b"), ["%b = all()"]), (("--time", ":1ns"), []), (("--time", "0:"), [])):
            self.assertEqual(self.names(ops, options=options), wanted, options)
        for options in (("--plane", "GPU"), ("--line", "nope"), ("--host", "nope"), ("--name", "x"), ("--step", "0")):
            truth.run("ops", self.write("a.op_stats_v2.pb", ops), *options, status=2)
        found = self.ask("collectives", ops, options=("--name", "a"))["ops"]
        self.assertEqual([(op["name"], op["category"], op["is_half"]) for op in found], [("a", "all-reduce", False)])

    def test_collectives(self):
        """By the category, else by the name of the instruction or of the library's kernel, whether the program is known or not."""
        kernel = "ncclDevKernel_AllGather_RING"
        ops = encoded([Op(name, category, 1, 90 - at, 9, program=program) for at, (name, category, program) in enumerate((
            ("a", "all-reduce", 7), ("b", "all-reduce", 0), (kernel, "", 7), (kernel, "", 0), ("c", "fusion", 7), ("d", "fusion", 0)))])
        self.assertEqual([(op["name"], op["category"]) for op in self.ask("collectives", ops)["ops"]], [
            ("a", "all-reduce"), ("b", "all-reduce"), (kernel, "all-gather"), (kernel, "all-gather")])

    def test_two_hosts(self):
        """Each file is a device of its own, with programs of its own."""
        for host, (program, name) in (("a", ("f", "x")), ("b", ("g", "y"))):
            self.write(f"run/{host}.op_stats_v2.pb", encoded([Op(name, "fusion", 1, 9, 9, program=7)], [(7, program)], host, 1))
        found = truth.loads(truth.run("ops", self.scratch / "run", "--json"))["lines"]
        self.assertEqual([(line["file"], line["plane_name"], line["ops"][0]["name"], line["ops"][0]["program"]) for line in found],
                         [(0, "a", "x", "f(7)"), (1, "b", "y", "g(7)")])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
