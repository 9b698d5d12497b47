#!/usr/bin/env python3
"""Tables of Ascend as `tree` and `metadata` show them: lines of streams, rows without times, columns and how many rows fill them."""
import sys

import truth

HEAD = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Device_id,Stream ID,Step Id\n"


class Rows(truth.Case):
    number = 0

    def folder(self, **files):
        Rows.number += 1
        root = f"{Rows.number}/q_ascend_pt"
        files.setdefault("kernel_details__csv", HEAD + "a,A,AI_CORE,3,1,0,7,5,1\n")  # a table alone of another kind is no capture
        for name, text in files.items():
            self.write(f"{root}/ASCEND_PROFILER_OUTPUT/{name.replace('__', '.')}", text)
        return self.scratch / root

    @staticmethod
    def lines(found, file=0):
        """(plane, line, name, events: (name, start us, length us, number of cells))"""
        of = found["files"][file]
        us = lambda ps: None if ps is None else ps / 1e6
        return [(p["name"], line["id"], line["name"], [(e["name"], us(e["start_ps"]), us(e["duration_ps"]), e["stat_count"])
                                                       for e in line["events"]]) for p in of["planes"] for line in p["lines"]]

    def test_kernels(self):
        """By device and stream as they are met; those without a stream come first. Rows that a lost quote swallows are given back."""
        table = (HEAD + 'a,A,AI_CORE,3,1,0,7,5,1\nb,"B,AI_CORE,2,1,0,0,0,1\nc,C,AI_CORE,1,1,0,7,5,1\nd,D,AI_CORE,4,2,,7,,1\n'
                 "e,E,AI_CORE,5,1,0,0,0,1\nf,F,AI_CORE,6,1,0,7,0,\n")
        path = self.folder(kernel_details__csv=table)
        found = truth.loads(truth.run("tree", path, "--json", status=5))
        self.assertEqual(self.lines(found), [
            ("NPU 7", "0", "no stream", [("d", 4, 2, 7)]), ("NPU 7", "5", "Stream 5", [("a", 3, 1, 9), ("c", 1, 1, 9)]),
            ("NPU 7", "0", "Stream 0", [("f", 6, 1, 8)]), ("NPU 0", "0", "Stream 0", [("e", 5, 1, 9)])])
        event = found["files"][0]["planes"][0]["lines"][2]["events"][0]
        self.assertEqual([(s["name"], s["value"]) for s in event["stats"]], list(zip(HEAD.split(",")[:5], ("f", "F", "AI_CORE", "6", "1"))))
        plane, = truth.loads(truth.run("metadata", path, "--json", status=5))["planes"]
        self.assertEqual((plane["rows"], {s["name"]: s["count"] for s in plane["stat_entries"]}), (6, {
            "Name": 5, "Type": 5, "Accelerator Core": 5, "Start Time(us)": 5, "Duration(us)": 5, "Wait Time(us)": 4, "Device_id": 5,
            "Stream ID": 4, "Step Id": 4}))

    def test_rows_without_times(self):
        """They have the name of their column of names, else of types, else of steps, else the first cell."""
        for head, names in (("Host,Name,Type", ["n0", "n1", ""]), ("Host,Type,X", ["n0", "n1", ""]), ("Host,Step,X", ["n0", "n1", ""]),
                            ("Host,X,Y", ["h0", "", "h2"]), ("Host,OP Type,Count", ["n0", "n1", ""])):
            path = self.folder(operator_details__csv=head + "\nh0,n0,t0\n,n1,\nh2,,t2\n")
            found = truth.loads(truth.run("tree", path, "--json"))
            (plane, _, line, events), = self.lines(found, 1)
            self.assertEqual((plane, line, [e[0] for e in events], [e[1:] for e in events]), (
                "operator_details.csv", "rows", names, [(None, None, 3), (None, None, 1), (None, None, 2)]), head)
            counts = truth.loads(truth.run("metadata", path, "--json"))["planes"][1]
            self.assertEqual((counts["rows"], [s["count"] for s in counts["stat_entries"]]), (3, [2, 2, 2]))

    def test_damaged_rows(self):
        """Rows of another number of cells are passed over, and the others keep their place."""
        path = self.folder(operator_details__csv="Name,Host\na,1\nb\nc,3,4\nd,5\n")
        found = truth.loads(truth.run("tree", path, "--json", status=5))
        self.assertEqual([e[0] for e in self.lines(found, 1)[0][3]], ["a", "d"])
        self.assertEqual(found["files"][1]["planes"][0]["lines"][0]["events"][1]["stats"][1]["value"], "5")
        self.assertEqual(truth.loads(truth.run("metadata", path, "--json", status=5))["planes"][1]["rows"], 4)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
