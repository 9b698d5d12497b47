#!/usr/bin/env python3
"""`profkit collectives`: asynchronous operations by flow, collectives among the ops, kernels of libraries."""

import sys

import hlo
import pair
import truth
import xspace


def flight(
    file, line, flow, form, name, hlo_op, category, start_ps, duration_ps, stall_ps=None, stall_from=None, events=1, in_flight_ps=None
):
    return {
        "file": file,
        "plane": 0,
        "line": line,
        "flow": None if flow is None else str(flow),
        "form": form,
        "name": name,
        "hlo_op": hlo_op,
        "category": category,
        "start_ps": start_ps,
        "duration_ps": duration_ps,
        "in_flight_ps": duration_ps if in_flight_ps is None else in_flight_ps,
        "exposed_stall_ps": stall_ps,
        "exposed_from": stall_from,
        "events": events,
        "bytes": None,  # the texts of these ops have no shapes: test_transfers.py
        "from_space": None,
        "to_space": None,
    }


def op(file, plane, line, name, category, *durations_ps, count=None, on_stream=False):
    return {"file": file, "plane": plane, "line": line, "name": name, "category": category,
            "is_half": category.endswith(("-start", "-done")), "on_stream": on_stream,
            "count": len(durations_ps) if count is None else count, "total_ps": sum(durations_ps),
            "min_ps": min(durations_ps), "max_ps": max(durations_ps)}


def kernel(*given):
    return op(*given, on_stream=True)


def name_of(key):
    return pair.OPS[key].name


GATHER, COPY, SEND = name_of(pair.GATHER_START), name_of(pair.COPY_START), name_of(pair.SEND)
AWAITED = name_of(pair.REDUCE_DONE)
A, B = 2_000_000, 300_000_000  # where the two lines of asynchronous operations begin
FLIGHTS = [
    # From the start of the start to the end of the done; the device waited as long as the done event says.
    flight(0, 3, 5, "pair", GATHER, GATHER, "all-gather", A + 18_800, 2_600, 650, "done event", 2),
    # The op that ends with it on the line of ops tells by the device's clock how long it waited.
    flight(0, 3, 6, "single", COPY, "reduce-scatter-done.2", "copy", A + 21_000, 1_600, 300, "XLA Ops"),
    flight(0, 3, 8, "unmatched_start", COPY, "", "copy", A + 21_000, 900),
    flight(0, 3, pair.BIG_ID, "unmatched_done", AWAITED, "", "reduce-scatter", A + 23_000, 40, 17, "done event"),
    flight(0, 3, None, "single", SEND, "", "send", A + 100, 200),
    flight(0, 3, 9, "pair", GATHER, "", "all-gather", A + 29_000, 5_000, events=3),
    # Where no flow has two events, one event is the whole.
    flight(1, 2, 5, "single", COPY, "", "copy", B, 100),
    flight(1, 2, 6, "single", name_of(pair.REDUCE_START), "", "reduce-scatter", B + 50, 100),
]
OPS = [
    op(1, 0, 1, name_of(pair.ALL_REDUCE), "all-reduce", 4096, 0),
    op(0, 0, 2, name_of(pair.ALL_REDUCE), "all-reduce", 2048, 1024),  # of two programs
    op(0, 0, 2, name_of(pair.GATHER_DONE), "all-gather-done", 700),
    op(0, 0, 2, AWAITED, "reduce-scatter-done", 300),
    op(0, 1, 1, name_of(pair.PERMUTE), "collective-permute", 128, 128),
    op(0, 0, 2, GATHER, "all-gather-start", 50),
]
KERNEL = "void ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
KERNELS = [kernel(0, 2, 1, KERNEL, "all-reduce", 2_500, 0), kernel(0, 2, 0, KERNEL, "all-reduce", 2_000),
           kernel(0, 2, 0, "ncclDevKernel_AllGather_RING_LL", "all-gather", 900)]


class CollectivesTest(pair.PairCase):
    def document(self, flights, ops, limit=0):
        flows = len({(f["file"], f["plane"], f["flow"]) for f in flights if f["flow"] is not None})
        without = sum(f["flow"] is None for f in flights)
        shown = (flights[:limit], ops[:limit]) if limit else (flights, ops)
        return {**pair.frame("collectives"), "flows": flows, "events_without_flow": without,
                "async": shown[0], "async_left_out": len(flights) - len(shown[0]),
                "transfers": [], "transfers_left_out": 0, "ops": shown[1],
                "ops_left_out": len(ops) - len(shown[1]), "recorded": [], "recorded_left_out": 0, "files": pair.files(self.folder), "damage": []}

    def test_all(self):
        self.check(self.ask("collectives"), self.document(FLIGHTS, OPS))

    def test_limits(self):
        self.check(self.ask("collectives", "--limit", 5, limit=5), truth.with_limited(self.document(FLIGHTS, OPS, 5), 5))
        self.check(self.ask("collectives", "--limit", 6, limit=6), truth.with_limited(self.document(FLIGHTS, OPS, 6), 6))

    def test_a_host(self):
        self.check(self.ask("collectives", "--host", "beta", host="beta"), self.document(FLIGHTS[6:], OPS[:1]))

    def test_a_line(self):
        expected = self.document(FLIGHTS, [])
        self.check(self.ask("collectives", "--line", "Async", line="Async"), {**expected, "ops": [
            # A line that is asked for by name is totalled like a line of ops: by device_duration_ps where there is one.
            op(0, 0, 3, GATHER, "all-gather-start", 100, 10, 5_000),
            op(0, 0, 3, name_of(pair.GATHER_DONE), "all-gather-done", 650, 500),
            {**op(0, 0, 3, SEND, "send-start", 200), "total_ps": 260, "count": 3},
            op(1, 0, 2, name_of(pair.REDUCE_START), "reduce-scatter-start", 100),
            op(0, 0, 3, AWAITED, "reduce-scatter-done", 17)]})

    def test_a_name(self):
        self.check(self.ask("collectives", "--name", "all-gather", name="all-gather"),
                   self.document([FLIGHTS[0], FLIGHTS[5]], [OPS[2], OPS[5]]))

    def test_a_window(self):
        """Up to where the second flow begins and from the instant at which the first one's done ends."""
        # The done event that lies before the window leaves the start alone, which names no done.
        found = self.ask(
            "collectives", "--time", f"{A + 18_900}ps:{A + 21_000}ps", from_ps=A + 18_900, to_ps=A + 21_000
        )
        self.check(found, self.document(
            [flight(0, 3, 5, "unmatched_done", name_of(pair.GATHER_DONE), "", "all-gather", A + 20_000, 1_400, 650,
                    "done event")], [OPS[2]]))

    def test_kernels_of_libraries(self):
        self.check(self.ask("collectives", "--plane", "GPU", plane="GPU"), self.document([], KERNELS))

    def test_nothing_of_the_kind(self):
        reason = (
            "no event on an 'Async XLA Ops' line, no collective among the ops and no kernel of a communication library"
        )
        self.check(self.ask("collectives", "--plane", "environment".title(), plane="Environment"),
                   {**self.document([], []), "status": "absent", "reason": reason})

    def test_screen(self):
        self.check_screen("collectives", "collectives")
        self.check_screen("collectives-limited", "collectives", "--limit", 2)
        self.check_screen("collectives-kernels", "collectives", "--plane", "GPU")


class LongFlightsTest(truth.Case):
    """Sums of what is longer than int64 ps stop at its end: no total is negative."""

    def test_screen(self):
        days_50 = 50 * 86_400 * 10**12
        entries = [xspace.event_metadata(1, "copy-start.1", display_name="copy-start.1")]
        events = [xspace.event(1, n, days_50) for n in range(3)]
        path = self.write("long.xplane.pb", xspace.space(xspace.plane(
            1, "/device:TPU:0", *entries, xspace.line(1, "Async XLA Ops", events))))
        row = next(line for line in truth.run("collectives", path).splitlines() if "copy-start.1" in line)
        self.assertIn("2,562 h", row)
        self.assertNotIn("-", row.replace("copy-start.1", ""))


class FlowsTest(truth.Case):
    """Flows of more than two events, in any order, and ops of several programs."""

    def test_it(self):
        def flow(key, number, start, duration, waited=None):
            stats = [("flow", "uint", number)] + ([] if waited is None else [("device_duration_ps", "uint", waited)])
            return pair.Ev(key, start, duration, *stats)
        ops = {
            1: pair.Op("copy-start.1"),
            2: pair.Op("copy-done.1"),
            3: pair.Op("copy-start.2"),
            4: pair.Op("all-reduce.1"),
            5: pair.Op("all-reduce-scatter.2"),
            6: pair.Op("sender.1"),
            7: pair.Op("send-done.3"),
            8: pair.Op("all-gather-fusion.1"),
            9: pair.Op("all-to-all.clone"),
            10: pair.Op("ragged-all-to-all.4"),
            11: pair.Op("recv.remat"),
        }
        flights = pair.Line(4, "Async XLA Ops", 0, [
            flow(1, 1, 0, 1), flow(2, 1, 30, 4, 9), flow(2, 1, 20, 5, 7),  # the last done by time tells what was waited
            flow(3, 2, 100, 50), flow(1, 2, 100, 10), flow(2, 2, 120, 3),  # of equal starts the first in the file
            flow(1, 3, 200, 1), flow(2, 3, 210, 1, 3), flow(2, 3, 210, 1, 5),  # of equal ends the last
        ], "async")
        programs = [pair.Ev(4, 100 * i, duration, pair.program(number)) for i, (number, duration) in enumerate(
            ((7, 50), (7, 60), (7, 70), (9, 90), (8, 55)))]
        programs += [pair.Ev(key, 1000 + 10 * key, 10 - key // 2) for key in range(5, 12)]
        planes = [pair.Plane(1, "/device:TPU:0", "device", [pair.Line(3, "XLA Ops", 0, programs, "ops"), flights], ops),
                  pair.Plane(2, "/device:TPU:1", "device", [pair.Line(4, "Async XLA Ops", 0, [
                      flow(1, 1, 0, 1), flow(2, 1, 30, 4, 34),
                      # By another clock the device waited longer than all of it took: that cannot be compared.
                      flow(1, 2, 100, 1), flow(2, 2, 130, 4, 35)], "async")], ops)]
        path = self.write("a.xplane.pb", pair.Host("alpha", planes).bytes())
        found = truth.parsed(truth.run("collectives", path, "--json"))
        keys = ("plane", "flow", "name", "start_ps", "duration_ps", "exposed_stall_ps", "events")
        self.check([[f[k] for k in keys] for f in found["async"]], [
            [0, "1", "copy-start.1", 0, 34, 9, 3], [0, "2", "copy-start.2", 100, 50, None, 3],
            [0, "3", "copy-start.1", 200, 11, 5, 3], [1, "1", "copy-start.1", 0, 34, 34, 2],
            [1, "2", "copy-start.1", 100, 34, None, 2]])
        self.check(
            [[o["name"], o["category"], o["count"], o["total_ps"], o["min_ps"], o["max_ps"]] for o in found["ops"]],
            [
                ["all-reduce.1", "all-reduce", 5, 325, 50, 90],
                ["all-reduce-scatter.2", "all-reduce-scatter", 1, 8, 8, 8],
                ["send-done.3", "send-done", 1, 7, 7, 7],
                ["all-gather-fusion.1", "all-gather", 1, 6, 6, 6],
                ["all-to-all.clone", "all-to-all", 1, 6, 6, 6],
                ["ragged-all-to-all.4", "ragged-all-to-all", 1, 5, 5, 5],
                ["recv.remat", "recv", 1, 5, 5, 5],
            ],
        )
        findings = truth.parsed(truth.run("report", path, "--json"))["findings"]
        self.check(
            [
                [f["recoverable_ps"], f["evidence"][0]["plane"]]
                for f in findings
                if f["id"].startswith("collectives.exposed_stall")
            ],
            [[34, 1], [14, 0]],
        )


class KernelsTest(truth.Case):
    """Kernels of communication libraries by their names, called after the collective that these spell, else after the
    library; others only sound like them."""
    CATEGORIES = {
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)": "all-reduce",
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)": "all-reduce",
        "ncclAllReduceRingLLKernel_sum_f32(ncclColl)": "all-reduce",
        "ncclAllGatherRing": "all-gather",
        "ncclReduceScatterRing": "reduce-scatter",
        "ncclBroadcastRing": "broadcast",
        "ncclReduceRing": "reduce",
        "ncclSendRecvKernel": "send-recv",
        "ncclSymkDevKernel": "nccl",
        "rcclKernel": "rccl",
        "mscclKernel_Sum": "msccl",
        "mscclpp::allreduce<int>(int*)": "all-reduce",
        "nvshmem_put": "nvshmem",
        "void nvshmemi_transfer<1>(int)": "nvshmem",
        "rocshmem_put": "rocshmem",
        "void stream_executor::gpu::AllReduceKernelImpl<float, 2>(int)": "all-reduce",
        "RaggedAllToAllKernelImpl": "ragged-all-to-all",
        "void at::(anonymous namespace)::multimem_all_reduce<int>(int)": "all-reduce",
        "one_shot_all_reduce_kernel": "all-reduce",
        "two_shot_all_reduce_kernel": "all-reduce",
        "void vllm::cross_device_reduce_1stage<float, 2>(int)": "all-reduce",
        "gemm<ncclDevKernel>(int)": None,
        "my_nccl": None,
        "void gemm(nvshmem*)": None,
        "all-reduce.1": "all-reduce",  # an instruction, as old captures name kernels
    }

    def test_it(self):
        ops = {i + 1: pair.Op(name) for i, name in enumerate(self.CATEGORIES)}
        line = pair.Line(16, "Stream #16", 0, [pair.Ev(key, 1000 * key, 100 - key) for key in ops], "stream")
        path = self.write(
            "a.xplane.pb", pair.Host("alpha", [pair.Plane(1, "/device:GPU:0", "device", [line], ops)]).bytes()
        )
        found = truth.parsed(truth.run("collectives", path, "--json"))["ops"]
        self.check([[o["name"], o["category"]] for o in found],
                   [[name, category] for name, category in self.CATEGORIES.items() if category])


class RealTest(truth.Case):
    """In every real capture a device waits no longer for an operation than it takes."""

    def test_it(self):
        captures = sorted((truth.CORPUS / "captures").rglob("*.xplane.pb")) or sorted((truth.ROOT / "tests" / "data").rglob("*.xplane.pb"))
        told = 0
        for path in captures:
            if path.name.startswith("MUST_REJECT"):
                continue
            for row in truth.parsed(truth.run("collectives", path, "--json"))["async"]:
                if row["exposed_stall_ps"] is not None:
                    told += 1
                    self.assertLessEqual(row["exposed_stall_ps"], row["in_flight_ps"], (path, row))
                else:
                    self.assertEqual(row["in_flight_ps"], row["duration_ps"], (path, row))
        self.assertGreater(told, 0)


class PairsTest(truth.Case):
    """Pairs whose waits the line of ops tells, and halves whose category says the whole."""

    def test_it(self):
        def half(key, start, duration, number, *more):
            return pair.Ev(key, start, duration, ("flow", "uint", number), *more)
        whole = [("hlo_category", "text", "all-reduce")]
        ops = {
            1: pair.Op("%all-reduce-start.1 = f32[8] all-reduce-start(x)", "", whole),
            2: pair.Op("%all-reduce-done.1 = f32[8] all-reduce-done(x)", "", whole),
            3: pair.Op("all-reduce-done.2", "", whole),
            4: pair.Op("all-gather-done.4", "", [("hlo_category", "text", "all-reduce fusion")]),
            5: pair.Op("all-reduce.5", "", whole),
            6: pair.Op("collective-permute-start.6"),
            7: pair.Op("collective-permute-done.6"),
        }
        asynchronous = pair.Line(4, "Async XLA Ops", 0, [
            half(1, 0, 10, 1), half(2, 90, 30, 1),
            half(1, 300, 10, 2), half(2, 500, 30, 2),  # the device ran nothing that ends with it
            half(1, 600, 10, 3), half(2, 650, 50, 3, ("device_duration_ps", "uint", 7)),  # its done event knows better
            half(1, 800, 10, 4), half(2, 850, 50, 4),  # what ends with it is another done
            half(6, 1_000, 10, 5), half(7, 1_050, 50, 5)], "async")
        ran = pair.Line(3, "XLA Ops", 0, [
            pair.Ev(1, 0, 5), pair.Ev(2, 98, 22), pair.Ev(5, 200, 60), pair.Ev(2, 690, 10), pair.Ev(3, 860, 40),
            pair.Ev(4, 870, 30), pair.Ev(7, 1_200, 20)], "ops")
        path = self.write("a.xplane.pb", pair.Host("alpha", [
            pair.Plane(1, "/device:TPU:0", "device", [ran, asynchronous], ops)]).bytes())
        found = truth.parsed(truth.run("collectives", path, "--json"))
        self.check([[f["flow"], f["form"], f["duration_ps"], f["exposed_stall_ps"], f["exposed_from"]]
                    for f in found["async"]],
                   [["1", "pair", 120, 22, "XLA Ops"], ["2", "pair", 230, None, None],
                    ["3", "pair", 100, 7, "done event"], ["4", "pair", 100, None, None],
                    ["5", "pair", 100, None, None]])
        # The category of another collective is believed, not the name.
        self.check([[o["name"], o["category"], o["total_ps"]] for o in found["ops"]], [
            ["all-reduce.5", "all-reduce", 60], ["all-reduce-done.2", "all-reduce-done", 40],
            [ops[2].name, "all-reduce-done", 32], ["all-gather-done.4", "all-reduce", 30],
            ["collective-permute-done.6", "collective-permute-done", 20], [ops[1].name, "all-reduce-start", 5]])
        # What the device waited in a done counts once, with the operation.
        summary = truth.parsed(truth.run("report", path, "--json"))["summary"]["collectives"]
        self.check([[c["kind"], c["blocking"], c["count"], c["exposed_ps"]] for c in summary],
                   [["all-reduce", True, 2, 90], ["collective-permute-done", True, 1, 20],
                    ["all-reduce-start", True, 1, 5], ["all-reduce", False, 4, 29],
                    ["collective-permute", False, 1, None]])
        lines = truth.run("collectives", path).splitlines()
        titles = [line for line in lines if line and not line.startswith(" ")]
        self.check(titles, ["Synchronous collectives: nothing else runs on the stream or thread meanwhile",
                            "Asynchronous operations: 5 flows", "In order",
                            "Starts and dones of asynchronous collectives, as the device ran them"])
        tables = {title: lines[lines.index(title) + 2:] for title in (titles[0], titles[3])}
        first = {title: [line.split()[1] for line in rows[:rows.index("") if "" in rows else None]]
                 for title, rows in tables.items()}
        self.check(list(first.values()), [["all-reduce.5", "all-gather-done.4"],
                                          ["all-reduce-done.2", "all-reduce-done.1", "collective-permute-done.6",
                                           "all-reduce-start.1"]])


class EventNamesTest(truth.Case):
    """Kernels whose names do not tell are collectives where their events name the instruction of one."""

    def test_it(self):
        array = hlo.shape(hlo.F32, [4])
        step = hlo.module("jit_step", 7, hlo.computation(
            1, "main", hlo.instruction(1, "psum.7", "all-reduce", array),
            hlo.instruction(2, "all-gather.9", "fusion", array)))
        ops = {key: pair.Op(name) for key, name in enumerate((
            "all_reduce_kernel", "one_kernel", "ncclDevKernel_Generic", "MemcpyD2D", "ncclDevKernel_SendRecv(x)",
            "ragged_kernel", "loop_fusion"), 1)}

        def ran(key, start, duration, form, instruction, module="jit_step", program=7):
            stats = [] if instruction is None else [("hlo_op", form, instruction)]
            return pair.Ev(key, start, duration, *stats, ("hlo_module", "ref", module), ("program_id", "uint", program))

        events = [
            ran(1, 0, 10, "text", "all-reduce-start.5"),
            ran(1, 100, 20, "ref", "all-reduce.6"),  # the same collective in another form
            ran(2, 200, 30, "ref", "psum.7"),        # its program tells
            ran(2, 300, 40, "text", "psum.7"),
            ran(2, 400, 50, "ref", "all-gather.9"),  # its program says that it is none
            ran(2, 500, 60, "ref", "all-gather.9", "jit_gone", 99),  # of a program that is not there: by its name
            ran(2, 600, 70, "ref", "fusion.1"),
            ran(3, 700, 80, "ref", "all-reduce.6"),  # its name tells that it communicates, not what
            ran(3, 800, 90, "ref", "fusion.1"),
            ran(4, 900, 100, "ref", "all-reduce.6"),  # a copy stays a copy
            ran(5, 1_000, 60, "ref", "all-reduce.6"),  # its name tells all
            ran(6, 1_100, 70, "ref", "ragged-all-to-all-start.2"),
            ran(7, 1_200, 80, "ref", None),
        ]
        path = self.write("a.xplane.pb", pair.Host("alpha", [
            pair.Plane(1, "/device:GPU:0", "device", [pair.Line(16, "Stream #16", 0, events, "stream")], ops),
            pair.Plane(2, "/host:metadata", "metadata", [], {
                7: pair.Op("jit_step(7)", "", [("Hlo Proto", "bytes", step)])})]).bytes())
        found = truth.parsed(truth.run("collectives", path, "--json"))["ops"]
        self.check(found, [
            kernel(0, 0, 0, ops[3].name, "nccl", 90), kernel(0, 0, 0, ops[3].name, "all-reduce", 80),
            kernel(0, 0, 0, ops[2].name, "all-reduce", 30, 40), kernel(0, 0, 0, ops[6].name, "ragged-all-to-all", 70),
            kernel(0, 0, 0, ops[2].name, "all-gather", 60), kernel(0, 0, 0, ops[5].name, "send-recv", 60),
            kernel(0, 0, 0, ops[1].name, "all-reduce", 10, 20)])
        # Idle time is told by the same classes.
        step = truth.parsed(truth.run("bubbles", path, "--json"))["steps"][0]["breakdown"]
        self.check({key: step[key] for key in ("comm_exposed_ps", "compute_only_ps", "copy_ps")},
                   {"comm_exposed_ps": sum(o["total_ps"] for o in found), "compute_only_ps": 50 + 70 + 80,
                    "copy_ps": 100})


class TwoOfEachTest(truth.Case):
    """Two files and two devices each, where one number is another kernel and one program another program."""

    def test_it(self):
        array = hlo.shape(hlo.F32, [4])

        def host(name, opcodes, kernels):
            """`opcodes`: of the instruction of the program; `kernels` of each device: (name, length)."""
            program = hlo.module("jit_step", 7, hlo.computation(1, "main", hlo.instruction(1, "it.7", opcodes, array)))
            planes = [pair.Plane(2, "/host:metadata", "metadata", [], {7: pair.Op("jit_step(7)", "", [("Hlo Proto", "bytes", program)])})]
            for at, (kernel_name, length) in enumerate(kernels):
                event = pair.Ev(1, 0, length, ("hlo_op", "text", "it.7"), ("hlo_module", "ref", "jit_step"), ("program_id", "uint", 7))
                planes.insert(at, pair.Plane(10 + at, f"/device:GPU:{at}", "device", [
                    pair.Line(16, "Stream #16", 0, [event], "stream")], {1: pair.Op(kernel_name)}))
            return self.write(f"log/{name}.xplane.pb", pair.Host(name, planes).bytes())

        host("a", "all-reduce", [("ncclDevKernel_Generic", 10), ("loop_kernel", 20)])
        host("b", "fusion", [("loop_kernel", 30), ("ncclDevKernel_AllGather_RING_LL", 40)])
        host("c", "all-gather", [("loop_kernel", 50), ("ncclDevKernel_Generic", 60)])
        found = truth.parsed(truth.run("collectives", self.scratch / "log", "--json"))["ops"]
        self.check(sorted([o["file"], o["plane"], o["name"], o["category"], o["total_ps"]] for o in found), [
            [0, 0, "ncclDevKernel_Generic", "all-reduce", 10], [0, 1, "loop_kernel", "all-reduce", 20],
            [1, 1, "ncclDevKernel_AllGather_RING_LL", "all-gather", 40],
            [2, 0, "loop_kernel", "all-gather", 50], [2, 1, "ncclDevKernel_Generic", "all-gather", 60]])


class HostThreadsTest(truth.Case):
    """Without devices, ops of host threads count: what an event means its program says, not its name."""

    def test_it(self):
        array = hlo.shape(hlo.F32, [4])
        step = hlo.module("jit_step", 7, hlo.computation(
            1, "main", hlo.instruction(1, "wrapped", "all-reduce", array), hlo.instruction(2, "call.1", "call", array),
            hlo.instruction(3, "all-gather-start.2", "all-gather-start", array)))
        other = hlo.module("jit_other", 8, hlo.computation(1, "main", hlo.instruction(1, "wrapped", "fusion", array)))

        def event(key, start, duration, instruction, module, program, *more, occurrences=None):
            stats = [
                ("hlo_op", "text", instruction),
                ("hlo_module", "ref", module),
                ("program_id", "uint", program),
                *more,
            ]
            return pair.Ev(key, start, duration, *stats, occurrences=occurrences)

        events = [event(1, 0, 100, "wrapped", "jit_step", 7), event(1, 100, 300, "wrapped", "jit_step", 7),
                  event(1, 400, 50, "wrapped", "jit_other", 8),  # the same name in a program where it is a fusion
                  event(2, 500, 70, "all-gather-start.2", "jit_step", 7),
                  event(3, 600, 20, "reduce-scatter.5", "jit_gone", 99),  # of a program that is not there: by its name
                  event(4, 700, 10, "call.1", "jit_step", 7),
                  pair.Ev(5, 800, 10),  # "all-reduce" by name alone, which is no op
                  event(1, 0, 1_000, "wrapped", "jit_step", 7, occurrences=5),
                  event(3, 900, 20, "reduce-scatter.5", "jit_gone", 99, ("device_duration_ps", "uint", 9))]
        ops = {
            1: pair.Op("wrapped"),
            2: pair.Op("all-gather-start.2"),
            3: pair.Op("reduce-scatter.5"),
            4: pair.Op("call.1"),
            5: pair.Op("all-reduce.1"),
        }
        second = [event(1, 0, 4_000, "wrapped", "jit_step", 7)]
        host = pair.Host("alpha", [
            pair.Plane(1, "/host:CPU", "host", [pair.Line(1, "one", 0, events, "thread"),
                                                pair.Line(2, "two", 0, second, "thread")], ops),
            pair.Plane(2, "/host:metadata", "metadata", [], {
                7: pair.Op("jit_step(7)", "", [("Hlo Proto", "bytes", step)]),
                8: pair.Op("jit_other(8)", "", [("Hlo Proto", "bytes", other)])}),
            pair.Plane(3, "Task Environment", "environment", [], {}, [
                ("profile_start_time", "uint", pair.ORIGIN_NS["alpha"])])])
        path = self.write("a.xplane.pb", host.bytes())
        found = truth.parsed(truth.run("collectives", path, "--json"))
        self.check(
            found,
            {
                **pair.frame("collectives"),
                "flows": 0,
                "events_without_flow": 0,
                "async": [],
                "async_left_out": 0,
                "transfers": [],
                "transfers_left_out": 0,
                "ops": [
                    op(0, 0, 1, "wrapped", "all-reduce", 4_000),
                    {**op(0, 0, 0, "wrapped", "all-reduce", 100, 300), "count": 7, "total_ps": 1_400},
                    op(0, 0, 0, "all-gather-start.2", "all-gather-start", 70),
                    op(0, 0, 0, "reduce-scatter.5", "reduce-scatter", 20, 9),
                ],
                "ops_left_out": 0, "recorded": [], "recorded_left_out": 0,
                "files": [{"path": str(path), "family": "xspace", "export_of": -1}],
                "events_checked": "some",
                "damage": [],
            },
        )


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
