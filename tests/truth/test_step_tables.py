#!/usr/bin/env python3
"""What lies beside a table of kernels: steps as the recorder measured them, its collectives, counters, work, settings."""
import json
import sys

import truth
from ascend import Rank

BASE = 1_764_246_900_000_000  # us
HEAD = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Device_id,Stream ID,Step Id\n"
STEPS = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage"


def kernels(steps=3, devices=(0, 1), first=0):
    """In each step 1 ms: compute of 100 us, a pause of 100, a collective of 300, a pause of 100, compute of 100."""
    rows = ""
    for s in range(first, first + steps):
        for d in devices:
            at = BASE + 1000 * s
            rows += (f"a,A,AI_CORE,{at}.111,99.889,0,{d},2,{s}\nhcom_x__{s}@7,hcom_x_,HCCL,{at + 200}.0,300,0,{d},5,{s}\n"
                     f"b,B,AI_CORE,{at + 600}.0,100,0,{d},2,{s}\n")
    return HEAD + rows


class Beside(truth.Case):
    number = 0

    def ask(self, table=None, command="bubbles", status=0, **files):
        """`files`: by name, with "__" for the point before its ending; settings lie in the folder of the rank."""
        Beside.number += 1
        root = f"{Beside.number}/one_ascend_pt"
        self.write(f"{root}/ASCEND_PROFILER_OUTPUT/kernel_details.csv", table or kernels())
        for name, text in files.items():
            below = "" if name.startswith("profiler_") else "ASCEND_PROFILER_OUTPUT/"
            self.write(f"{root}/{below}{name.replace('__', '.')}", text if isinstance(text, str) else json.dumps(text))
        return truth.loads(truth.run(command, self.scratch / root, "--json", status=status))


class Steps(Beside):
    def checks(self, text, table=None, status=0):
        found = self.ask(table, step_trace_time__csv=text, status=status)
        return [(c["device"], c["step_id"], c["what"], c["ours_us"], c["theirs_us"], c["agrees"])
                for c in found["self_check"]["step_trace_time"]], {i["variant"]: i for i in found["inputs"]}

    def test_differences_up_to_a_quarter(self):
        """A step lasts 699.889 us, of which 200 are idle. Rows of devices or steps that are not known say nothing."""
        rows = "".join(f"{d},{s},1,2,3,4,{free},{stage}\n" for d, s, free, stage in (
            (1, "2", 200.25, 699.639), (0, "0.0", 200.251, 699.638), (1, "0", 199.75, 700.139), (0, "1", 199.749, 700.14), (9, "0", 1, 1),
            (0, "7", 1, 1)))
        found, inputs = self.checks(STEPS + "\n" + rows)
        self.assertEqual(found, [
            (1, "2", "Free", 200, 200.25, True), (1, "2", "Stage", 699.889, 699.639, True),
            (0, "0", "Free", 200, 200.251, False), (0, "0", "Stage", 699.889, 699.638, False),
            (1, "0", "Free", 200, 199.75, True), (1, "0", "Stage", 699.889, 700.139, True),
            (0, "1", "Free", 200, 199.749, False), (0, "1", "Stage", 699.889, 700.14, False)])
        self.assertEqual((inputs["step_trace_time"]["rows"], inputs["step_trace_time"]["rejected"]), (6, 0))

    def test_tables_without_a_column_of_devices(self):
        """Are of the first one."""
        head = STEPS.replace("Device_id,", "")
        found, _ = self.checks(head + "\n1,1,2,3,4,200,699.889\n", kernels(devices=(3, 1)))
        self.assertEqual(found, [(0, "1", "Free", 200, 200, True), (0, "1", "Stage", 699.889, 699.889, True)])
        # A device without a number is that of any row.
        found, _ = self.checks(STEPS + "\n5,1,1,2,3,4,200,699.889\n", kernels(devices=("N/A",)))
        self.assertEqual([row[1:3] for row in found], [("1", "Free"), ("1", "Stage")])
        found, _ = self.checks(STEPS + "\n5,1,1,2,3,4,200,699.889\n", kernels(devices=(3,)))
        self.assertEqual(found, [])

    def test_rows_that_are_skipped(self):
        found, inputs = self.checks(STEPS + ",Preparing\n0,0,1,2,3,4,x,5,0\n0,1,1,2,3,4,200,699.889,N/A\n0,2,1,2,3,4,200,,0\n", status=5)
        self.assertEqual([row[1:4] for row in found], [("1", "Free", 200), ("1", "Stage", 699.889)])
        self.assertEqual((inputs["step_trace_time"]["rows"], inputs["step_trace_time"]["rejected"],
                          inputs["step_trace_time"]["first_rejected_line"]), (3, 2, 2))
        # Without a column that is needed they are counted, and looked at, as well.
        found, inputs = self.checks(STEPS.replace(",Free", "") + "\n0,0,1,2,3,4,x\n0,1,1,2,3\n", status=5)
        self.assertEqual((found, *(inputs["step_trace_time"][key] for key in ("missing_columns", "rows", "rejected"))), ([], ["Free"], 2, 1))

    def test_times_of_doubles(self):
        """Starts with two decimals or fewer are a quarter of a microsecond exact, and as much is allowed for every gap."""
        for start, resolution, agrees in ((".25", 250_000, True), (".250", 1000, False)):
            table = HEAD + (f"a,A,AI_CORE,{BASE}{start},100,0,0,2,0\nb,B,AI_CORE,{BASE + 200}.5,100,0,0,2,0\n"
                            f"c,C,AI_CORE,{BASE + 400}.0,1,0,0,2,0\n")
            found = self.ask(table, step_trace_time__csv=STEPS + "\n0,0,1,2,3,4,200,400\n")
            self.assertEqual(found["devices"][0]["timestamp_resolution_ps"], resolution)
            self.assertEqual([(c["ours_us"], c["agrees"]) for c in found["self_check"]["step_trace_time"]],
                             [(199.75, True), (400.75, agrees)])


class Collectives(Beside):
    @staticmethod
    def operation(start, elapsed, transit, wait):
        return {"Communication Time Info": {"Start Timestamp(us)": start, "Elapse Time(ms)": elapsed, "Transit Time(ms)": transit,
                                            "Wait Time(ms)": wait, "Idle Time(ms)": 7}}

    def said(self, document, status=0):
        # A float has too few digits for such times.
        found = self.ask(communication__json=json.dumps(document).replace('"=', "").replace('="', ""), status=status)
        return [text for cause in found["causes"] if cause["cause"] == "exposed_comm" for text in cause["evidence"]
                if text.startswith("its collectives")], {i["variant"]: i for i in found["inputs"]}

    def test_what_collectives_wait_for(self):
        """Of those that begin in a step of the first device; sums, sends and those between steps do not count."""
        one = self.operation
        document = {f"step{s}": {
            "p2p": {f"hcom_send__{s}@9": one(BASE + 1000 * s + 200, 9, 9, 9)},
            "collective": {f"hcom_x__{s}@7": one(BASE + 1000 * s + 200, 0.3, 0.075, 0.21), "Total Op Info": one(BASE + 10, 5, 5, 5)},
        } for s in range(3)}
        text = "its collectives last {} us, of which {} % wait for other ranks and {} % move bytes"
        self.assertEqual(self.said(document)[0], [text.format("900.000", "70.0", "25.0")])
        for start, counts in ((0, False), (0.111, True), (699.999, True), (700, False)):
            more = {**document, "step9": {"collective": {"hcom_y__1@7": one(f"={BASE + 1000 + int(start)}.{round(start % 1 * 1000):03}=",
                                                                            0.6, 0, 0.03)}}}
            self.assertEqual(self.said(more)[0], [text.replace("{} us", "1.500 ms").format("44.0", "15.0") if counts
                                                  else text.format("900.000", "70.0", "25.0")],
                             start)

    def test_operations_without_times(self):
        """What one lacks is not taken from the one before."""
        one = self.operation
        bare = {"Communication Time Info": {"Start Timestamp(us)": BASE + 210, "Elapse Time(ms)": 0.1}}
        document = {"step0": {"collective": {"hcom_x__0@7": one(BASE + 200, 0.3, 0.1, 0.2), "hcom_x__1@7": bare,
                                             "hcom_x__2@7": {"Communication Time Info": {"Wait Time(ms)": 4}}, "hcom_x__3@7": {}}}}
        texts, inputs = self.said(document, status=5)
        self.assertEqual(texts, ["its collectives last 400.000 us, of which 50.0 % wait for other ranks and 25.0 % move bytes"])
        self.assertEqual((inputs["communication.json"]["rows"], inputs["communication.json"]["rejected"]), (4, 2))

    def test_lists(self):
        """Have us instead of ms."""
        rows = [{"collective_name": "hcom_x", "start_timestamp_us": BASE + 200, "elapse_time_us": 300, "wait_time_us": 150,
                 "transit_time_us": 75}, {"collective_name": "hcom_x", "start_timestamp_us": BASE + 1200, "elapse_time_us": 100}]
        self.assertEqual(self.said(rows)[0],
                         ["its collectives last 400.000 us, of which 37.5 % wait for other ranks and 18.8 % move bytes"])


class Details(Beside):
    HEAD = HEAD[:-1] + ",Input Shapes,Input Data Types,Output Shapes,aic_mac_ratio,aic_mte2_ratio,cube_utilization(%),aic_time(us)\n"

    def op(self, *rows):
        """`rows`: (length, shapes, mac, mte2, cube) of kernels of one name."""
        line = 'a,MatMulV3,AI_CORE,{}.111,{},0,0,2,0,"{}",FLOAT16,"8,8",{},{},{},5\n'
        table = self.HEAD + "".join(line.format(BASE + 100 * n, length, shapes, mac, mte, cube)
                                    for n, (length, shapes, mac, mte, cube) in enumerate(rows))
        return self.ask(table)["ops"]["by_total_cost"][0]

    def test_means_of_counters(self):
        """Weighted by length over all kernels that have the counter; of shapes the first are shown."""
        found = self.op((1, "8,16;16,8", 0.5, "N/A", 10), (2, "8,16;16,8", 0.2, "0.0", 40), (3, "8,32;32,8", 0.1, 0.25, 70))
        # A row takes no part in the mean of what it does not say; what is 0 does.
        self.assertEqual(found["pmu"], {"bound": "low_utilisation", "cube_utilization": 0.5, "compute_unit_ratio": 0.2,
                                        "memory_unit_ratio": 0.15})
        self.assertEqual(found["input_shapes"], "8,16;16,8")

    def test_what_was_not_measured(self):
        """Of a row whose counters are all 0 nothing is known; where any is not, 0 is a value, whatever the shapes."""
        ratios = lambda *rows: tuple(self.op(*rows)["pmu"][key] for key in ("compute_unit_ratio", "memory_unit_ratio", "cube_utilization"))
        for shapes in ("8,16;16,8", "8,32;32,8"):
            self.assertEqual(ratios((1, "8,16;16,8", 0.5, 0.25, 10), (3, shapes, "0.0", "0", "0.000")), (0.5, 0.25, 0.1))
            self.assertEqual(ratios((1, "8,16;16,8", 0.5, 0.25, 10), (3, shapes, "0.0", "0.5", "0")), (0.125, 0.4375, 0.025))

    def test_what_bounds_an_op(self):
        """Units that work at least half of the time."""
        for mac, mte, bound in ((0.5, 0.1, "compute"), (0.499, 0.1, "low_utilisation"), (0.1, 0.5, "memory"),
                                (0.1, 0.499, "low_utilisation"), (0.6, 0.7, "balanced"),
                                (0.5, 0.5, "balanced")):
            self.assertEqual(self.op((1, "8,16;16,8", mac, mte, 10))["pmu"]["bound"], bound, (mac, mte))

    def test_work_of_products(self):
        """2 n k m operations, each number read or written once, whichever way the matrices lie."""
        def rate(kind, shapes, types, out):
            rank, at = Rank(BASE * 1000), BASE * 1000
            for _ in range(4):
                for name, of, data, result, op_type in (("A", "", "", "", "FusedInferAttentionScore"), ("m", shapes, types, out, kind)):
                    rank.kernel(0, name, op_type, "AI_CORE", at, 20_000, shapes=of, out_shapes=result, types=data)
                    at += 21_000
            part, = self.ask(rank.table(), "architecture")["substructures"]
            return [(c["flops_per_s"], c["bytes_per_s"]) for c in part["components"] if c["role"] == "projection"]
        flops, numbers = 2 * 8 * 16 * 4, 8 * 16 + 16 * 4 + 8 * 4
        for kind, shapes, types, out, times in (
                ("MatMulV3", "8,16;16,4", "FLOAT16;FLOAT16", "8,4", (1, 2)), ("MatMulV2", "16,8;4,16", "DT_BF16;DT_BF16", "8,4", (1, 2)),
                ("MatMul", "8,16;4,16", "FLOAT;FLOAT", "8,4", (1, 4)), ("BatchMatMulV2", "3,8,16;3,16,4", "BF16;BF16", "3,8,4", (3, 6)),
                ("BatchMatMul", "3,8,16;2,16,4", "FLOAT16;FLOAT16", "3,8,4", None), ("MatMulV3", "8,16;16,4", "FLOAT16;DT_BF16", "8,4",
                                                                                     None),
                ("MatMulV3", "8,16;15,4", "FLOAT16;FLOAT16", "8,4", None), ("MatMulV3", "8,16;16,4", "INT8;INT8", "8,4", None),
                ("MatMulV3", "8,16;16,4", "FLOAT16;FLOAT16", "8,5", None), ("MatMulV3", "1,8,16;16,4", "FLOAT16;FLOAT16", "8,4", None)):
            expected = [(None, None)] if times is None else [(flops * times[0] * 50_000, numbers * times[1] * 50_000)]
            self.assertEqual(rate(kind, shapes, types, out), expected)


class Settings(Beside):
    def test_what_was_recorded(self):
        """Notes of settings, and what is known to be missing."""
        info = {"rank_id": 0, "config": {"common_config": {"with_stack": True, "record_shapes": False},
                                         "experimental_config": {"_profiler_level": "Level1"}}}
        metadata = {"distributed_args": {"tp_size": 2, "sequence_parallel": True, "rank": 1},
                    "parallel_group_info": {"x": {"group_name": "dp", "global_ranks": [0, 1, 3]}}}
        found = self.ask(profiler_info_4__json=info, profiler_metadata__json=metadata)
        inputs = {i["variant"]: i for i in found["inputs"]}
        self.assertEqual((inputs["profiler_info"]["notes"], inputs["profiler_metadata"]["notes"]), (
            ["profiler_level=Level1"], ["tp_size=2", "sequence_parallel=true", "rank=1", "group dp=[0, 1, 3]"]))
        self.assertEqual([d["rank"] for d in found["devices"]], [0, 0])
        self.assertEqual((inputs["profiler_info"]["rows"], inputs["profiler_metadata"]["rows"]), (2, 2))

    def test_tables_that_are_only_counted(self):
        found = self.ask(operator_details__csv="Name,Host\na,1\nb,2\n", op_statistic_1__csv="OP Type,Count,Total Time(us)\nAdd,1,2\n")
        self.assertEqual({i["path"].rsplit("/", 1)[1]: (i["variant"], i["rows"]) for i in found["inputs"]}, {
            "kernel_details.csv": ("kernel_details 2025", 18), "operator_details.csv": ("operator_details", 2),
            "op_statistic_1.csv": ("op_statistic", 1)})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
