#!/usr/bin/env python3
"""What documents say of what they do not have: rows and texts that are cut, gaps that are not kept, rows and columns of tables that are
not read."""
import json
import sys

import ascend
import pair
import truth
import xspace as x

UNIX_NS = 1_764_246_900_000_000_000


def ask(command, path, *options, status=0):
    return truth.parsed(truth.run(command, path, "--json", *options, status=status))


class Limits(truth.Case):
    def test_texts(self):
        """Of more than 64 KiB: each that is cut ends with a mark, and is no longer; also where the cut would fall into a letter."""
        whole, odd, long = "w" * 65_536, "é" * 40_000, "l" * 70_000
        names = [whole, odd, long, "short"]
        path = self.write("a.xplane.pb", x.space(x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", [
            x.event(at, 100 * at, 10 * at) for at in range(1, 5)]), *(x.event_metadata(at, name) for at, name in enumerate(names, 1)))))
        found = ask("ops", path)
        shown = {op["total_ps"] // 10: op["name"] for op in found["lines"][0]["ops"]}
        self.assertEqual((shown[1], shown[4]), (whole, "short"))
        for at, name in ((2, odd), (3, long)):
            self.assertTrue(shown[at].endswith("…") and name.startswith(shown[at][:-1]))
            self.assertTrue(65_530 <= len(shown[at].encode()) <= 65_536 + 3, len(shown[at].encode()))
        self.check(found["limited"], {"limit": 100, "lists": [], "texts": 2})
        self.assertNotIn("limited", ask("ops", path, "--limit", "0"))

    def test_threads_and_members(self):
        """Of a trace with three threads and four members, in a folder with a table and another trace."""
        def trace(threads, members):
            tids = range(1, threads + 1)
            events = [{"ph": "X", "pid": 1, "tid": tid, "ts": 10 * tid, "dur": 5, "name": "a"} for tid in tids]
            events += [{"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": f"t{tid}"}} for tid in tids]
            return json.dumps({**{f"member{at}": at for at in range(members)}, "traceEvents": events})
        self.write("run/a.pt.trace.json", trace(1, 0))
        self.write("run/b.pt.trace.json", trace(3, 4))
        for limit, threads, members in (("1", 2, 3), ("2", 1, 2), ("0", 0, 0)):
            found = ask("metadata", self.scratch / "run", "--limit", limit)
            self.assertEqual([(p["file"], p["process"]["threads_left_out"], len(p["process"]["threads"])) for p in found["planes"]],
                             [(0, 0, 1), (1, threads, 3 - threads)])
            self.assertEqual([(f["file"], [m["name"] for m in f["members"]], f["members_left_out"]) for f in found["file_facts"]],
                             [(0, [], 0), (1, [f"member{at}" for at in range(4 - members)], members)])
        self.assertNotIn("limited", found)

    def test_rows_of_tables(self):
        """All but the header, whether they can be read or not."""
        path = self.write("op_statistic_1.csv", "Device_id,OP Type,Core Type,Count,Total Time(us)\n0,A,AI_CORE,5,1\n0,B,AI_CORE,soon,1\n"
                          "0,C,AI_CORE,7,1\n")
        plane, = ask("metadata", path)["planes"]
        self.assertEqual((plane["name"], plane["rows"], plane["stat_metadata"]), ("op_statistic_1.csv", 3, 5))

    def test_files_that_are_explained(self):
        for at in range(3):
            self.write(f"run/{at}.txt", b"hello\n")
        for limit in (1, 2, 3):
            found = ask("info", self.scratch / "run", "--why", "--limit", limit, status=3)
            self.assertEqual([f["path"] for f in found["files"]], [f"{self.scratch}/run/{at}.txt" for at in range(limit)])
            self.assertEqual("limited" in found, limit < 3)
            if limit < 3:
                self.check(found["limited"], truth.limited(limit, ("files", limit, 3)))

    def test_copies_between_memories(self):
        """Of the second plane of two files: rows by file and plane, then by the memories; one is left out or none."""
        def text(number, source, target):
            memories = {"HBM": "", "Host": "S(5)", "VMEM": "S(1)"}
            array = lambda space: "f32[100]{0" + (":" + memories[space] if memories[space] else "") + "}"  # noqa: E731
            return f"%copy-start.{number} = ({array(target)}, {array(source)}, u32[]{{:S(2)}}) copy-start({array(source)} %p)"
        ops = {1: pair.Op(text(1, "Host", "HBM")), 2: pair.Op(text(2, "HBM", "VMEM"))}
        for host, keys in (("alpha", (1,)), ("beta", (1, 2, 2))):
            line = pair.Line(4, "Async XLA Ops", 0, [
                pair.Ev(key, 1000 * at, 500, ("flow", "uint", at + 1)) for at, key in enumerate(keys)], "async")
            planes = [pair.Plane(2, "/device:TPU:0", "device", [], ops), pair.Plane(3, "/device:TPU:1", "device", [line], ops)]
            self.write(f"run/{host}.xplane.pb", pair.Host(host, planes).bytes())
        rows = [{"file": file, "plane": 1, "from_space": source, "to_space": target, "count": count, "bytes": 400 * count,
                 "in_flight_ps": 500 * count, "exposed_stall_ps": None}
                for file, source, target, count in ((0, "Host", "HBM", 1), (1, "HBM", "VMEM", 2), (1, "Host", "HBM", 1))]
        for limit, left_out in ((1, 2), (2, 1), (3, 0)):
            found = ask("collectives", self.scratch / "run", "--limit", limit)
            self.check(found["transfers"], rows[:limit])
            self.assertEqual(found["transfers_left_out"], left_out)


class Gaps(truth.Case):
    def test_more_than_are_kept(self):
        """32,768 gaps are kept, the longest; of the others there is the sum. Each is 1 ns longer than the next one."""
        for count, left_out in ((32_771, 3), (32_768, 0)):
            gaps = [50_000 + at for at in range(count)]  # ns
            events, at = [x.event(1, 0, 1000)], 1000
            for gap in reversed(gaps):
                at += 1000 * gap
                events.append(x.event(1, at, 1000))
                at += 1000
            path = self.write("a.xplane.pb", x.space(x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", events), x.event_metadata(1, "add"))))
            device, = ask("bubbles", path)["devices"]
            self.assertEqual((device["bubbles_left_out"], device["bubbles_left_out_ns"]), (left_out, sum(gaps[:left_out])))


class Tables(truth.Case):
    def table(self, name, without=(), bad=()):
        rank = ascend.Rank(UNIX_NS)
        for at in range(4):
            rank.kernel(0, "aclnn_Add", "Add", "AI_VECTOR_CORE", UNIX_NS + 100_000 * at, 5_000)
        rows = [line.split(",") for line in rank.table().splitlines()]
        kept = [at for at, column in enumerate(rows[0]) if column not in without]
        for at, row in enumerate(rows):
            if at:
                row[:] = [row[i].replace("5.000", "-5.000") if at in bad and rows[0][i] == "Duration(us)" else row[i] for i in kept]
        rows[0] = [rows[0][i] for i in kept]
        lines = [",".join([*row, "Odd(us)" if at == 0 else "7"]) for at, row in enumerate(rows)]
        return self.write(f"run/{name}_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", "\n".join(lines) + "\n")

    def test_rows_and_columns(self):
        """Of each table what is its own: lines are counted from the header, which is the first."""
        for name, without, bad in (("a", (), (3, 4)), ("b", ("Wait Time(us)", "Stream ID"), ()), ("c", (), (2,))):
            self.table(name, without, bad)
        found = ask("bubbles", self.scratch / "run", status=5)
        self.assertEqual([(i["rows"], i["rejected"], i["first_rejected_line"]) for i in found["inputs"]], [(4, 2, 4), (4, 0, 0), (4, 1, 3)])
        self.check([i["unknown_columns"] for i in found["inputs"]], [["Odd(us)"]] * 3)
        self.check([i["missing_columns"] for i in found["inputs"]], [[], ["Stream ID", "Wait Time(us)"], []])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
