#!/usr/bin/env python3
"""`profkit collectives`: asynchronous operations by flow, collectives among the ops, kernels of communication libraries."""
import sys

import hlo
import pair
import truth


def flight(file, line, flow, form, name, hlo_op, category, start_ps, duration_ps, stall_ps=None, stall_from=None, events=1):
    return {"file": file, "plane": 0, "line": line, "flow": None if flow is None else str(flow), "form": form, "name": name,
            "hlo_op": hlo_op, "category": category, "start_ps": start_ps, "duration_ps": duration_ps,
            "exposed_stall_ps": stall_ps, "exposed_from": stall_from, "events": events}


def op(file, plane, line, name, category, *durations_ps, count=None):
    return {"file": file, "plane": plane, "line": line, "name": name, "category": category,
            "count": len(durations_ps) if count is None else count, "total_ps": sum(durations_ps),
            "min_ps": min(durations_ps), "max_ps": max(durations_ps)}


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
KERNELS = [op(0, 2, 1, KERNEL, "nccl", 2_500, 0), op(0, 2, 0, KERNEL, "nccl", 2_000),
           op(0, 2, 0, "ncclDevKernel_AllGather_RING_LL", "nccl", 900)]


class CollectivesTest(pair.PairCase):
    def document(self, flights, ops, limit=0):
        flows = len({(f["file"], f["plane"], f["flow"]) for f in flights if f["flow"] is not None})
        without = sum(f["flow"] is None for f in flights)
        shown = (flights[:limit], ops[:limit]) if limit else (flights, ops)
        return {**pair.frame("collectives"), "flows": flows, "events_without_flow": without,
                "async": shown[0], "async_left_out": len(flights) - len(shown[0]), "ops": shown[1],
                "ops_left_out": len(ops) - len(shown[1]), "files": pair.files(self.folder), "damage": []}

    def test_all(self):
        self.check(self.ask("collectives"), self.document(FLIGHTS, OPS))

    def test_limits(self):
        self.check(self.ask("collectives", "--limit", 5, limit=5), self.document(FLIGHTS, OPS, 5))
        self.check(self.ask("collectives", "--limit", 6, limit=6), self.document(FLIGHTS, OPS, 6))

    def test_a_host(self):
        self.check(self.ask("collectives", "--host", "beta", host="beta"), self.document(FLIGHTS[6:], OPS[:1]))

    def test_a_line(self):
        expected = self.document(FLIGHTS, [])
        self.check(self.ask("collectives", "--line", "Async", line="Async"), {**expected, "ops": [
            # A line that is asked for by name is totalled like a line of ops: by device_duration_ps where there is one.
            op(0, 0, 3, GATHER, "all-gather-start", 100, 10, 5_000),
            op(0, 0, 3, name_of(pair.GATHER_DONE), "all-gather-done", 650, 500),
            {**op(0, 0, 3, SEND, "send", 200), "total_ps": 260, "count": 3},
            op(1, 0, 2, name_of(pair.REDUCE_START), "reduce-scatter-start", 100),
            op(0, 0, 3, AWAITED, "reduce-scatter-done", 17)]})

    def test_a_name(self):
        self.check(self.ask("collectives", "--name", "all-gather", name="all-gather"),
                   self.document([FLIGHTS[0], FLIGHTS[5]], [OPS[2], OPS[5]]))

    def test_a_window(self):
        """Up to where the second flow begins and from the instant at which the first one's done ends."""
        # The done event that lies before the window leaves the start alone, which names no done.
        found = self.ask("collectives", "--time", f"{A + 18_900}ps:{A + 21_000}ps", from_ps=A + 18_900, to_ps=A + 21_000)
        self.check(found, self.document(
            [flight(0, 3, 5, "unmatched_done", name_of(pair.GATHER_DONE), "", "all-gather", A + 20_000, 1_400, 650,
                    "done event")], [OPS[2]]))

    def test_kernels_of_libraries(self):
        self.check(self.ask("collectives", "--plane", "GPU", plane="GPU"), self.document([], KERNELS))

    def test_nothing_of_the_kind(self):
        reason = "no event on an 'Async XLA Ops' line, no collective among the ops and no kernel of a communication library"
        self.check(self.ask("collectives", "--plane", "environment".title(), plane="Environment"),
                   {**self.document([], []), "status": "absent", "reason": reason})

    def test_screen(self):
        self.check_screen("collectives", "collectives")
        self.check_screen("collectives-limited", "collectives", "--limit", 2)
        self.check_screen("collectives-kernels", "collectives", "--plane", "GPU")


class HostThreadsTest(truth.Case):
    """Without devices, ops of host threads count: what an event means its program says, not its name."""

    def test_it(self):
        array = hlo.shape(hlo.F32, [4])
        step = hlo.module("jit_step", 7, hlo.computation(
            1, "main", hlo.instruction(1, "wrapped", "all-reduce", array), hlo.instruction(2, "call.1", "call", array),
            hlo.instruction(3, "all-gather-start.2", "all-gather-start", array)))
        other = hlo.module("jit_other", 8, hlo.computation(1, "main", hlo.instruction(1, "wrapped", "fusion", array)))

        def event(key, start, duration, instruction, module, program, *more, occurrences=None):
            stats = [("hlo_op", "text", instruction), ("hlo_module", "ref", module), ("program_id", "uint", program), *more]
            return pair.Ev(key, start, duration, *stats, occurrences=occurrences)

        events = [event(1, 0, 100, "wrapped", "jit_step", 7), event(1, 100, 300, "wrapped", "jit_step", 7),
                  event(1, 400, 50, "wrapped", "jit_other", 8),  # the same name in a program where it is a fusion
                  event(2, 500, 70, "all-gather-start.2", "jit_step", 7),
                  event(3, 600, 20, "reduce-scatter.5", "jit_gone", 99),  # of a program that is not there: by its name
                  event(4, 700, 10, "call.1", "jit_step", 7),
                  pair.Ev(5, 800, 10),  # "all-reduce" by name alone, which is no op
                  event(1, 0, 1_000, "wrapped", "jit_step", 7, occurrences=5),
                  event(3, 900, 20, "reduce-scatter.5", "jit_gone", 99, ("device_duration_ps", "uint", 9))]
        ops = {1: pair.Op("wrapped"), 2: pair.Op("all-gather-start.2"), 3: pair.Op("reduce-scatter.5"), 4: pair.Op("call.1"),
               5: pair.Op("all-reduce.1")}
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
        self.check(found, {
            **pair.frame("collectives"), "flows": 0, "events_without_flow": 0, "async": [], "async_left_out": 0, "ops": [
                op(0, 0, 1, "wrapped", "all-reduce", 4_000),
                {**op(0, 0, 0, "wrapped", "all-reduce", 100, 300), "count": 7, "total_ps": 1_400},
                op(0, 0, 0, "all-gather-start.2", "all-gather-start", 70),
                op(0, 0, 0, "reduce-scatter.5", "reduce-scatter", 20, 9)],
            "ops_left_out": 0, "files": [{"path": str(path), "family": "xspace", "export_of": -1}], "damage": []})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
