"""XSpaces of several nodes: whose calls and steps are whose; and launches of XSpaces of which no device has a record."""
import sys

import pair
import truth
import xspace as x

NS = pair.ORIGIN_NS["alpha"]
US = 1_000_000  # ps
GEMM, CALL, LAUNCH, COPY, GRAPH, SET, FIRST, SECOND = range(1, 9)
CORRELATION, NODE = 3, 5
NAMES = {GEMM: "gemm", CALL: "call", LAUNCH: "cudaLaunchKernel", COPY: "cudaMemcpyAsync", GRAPH: "cuGraphLaunch", SET: "cudaMemsetAsync",
         FIRST: "ProfilerStep#1", SECOND: "ProfilerStep#2"}
ENTRIES = [*(x.event_metadata(key, name) for key, name in NAMES.items()), x.stat_metadata(CORRELATION, "correlation_id"),
           x.stat_metadata(NODE, "node_id")]


def plane(name, line, events, stats):
    rows = [x.event(key, at * US, length * US, [] if number is None else [x.stat(CORRELATION, number)])
            for key, at, length, number in events]
    return x.plane(1, name, x.line(7, line, rows, NS), *ENTRIES, *(x.plane_stat(*stat) for stat in stats))


def device(name, *kernels, stats=()):
    """Kernels are (start in us, number of the launch)."""
    return plane(name, "Stream #7(Kernel)", [(GEMM, at, 1, number) for at, number in kernels], stats)


def host(name, *calls, stats=()):
    """Calls are (name, start and length in us, number of the launch)."""
    return plane(name, "thread", calls, stats)


class Nodes(truth.Case):
    def open(self, *planes):
        profile = truth.library().open(str(self.write("a.xplane.pb", x.space(*planes))))
        self.addCleanup(profile.close)
        return profile

    def launches(self, *planes):
        """Node, start and launch of each kernel, us."""
        return [(row["node"], row["start_ps"] // US, row["launch_ps"] and row["launch_ps"] // US)
                for row in self.open(*planes).table("kernels").to_dicts()]

    def test_numbers_are_of_a_node(self):
        """A node by the names of its planes, or by their stats, which come first; planes of none are one more."""
        zero, one = host("/node:0/host:CPU", (CALL, 10, 1, 1)), host("/node:1/host:CPU", (CALL, 20, 1, 1))
        none = host("/host:CPU", (CALL, 30, 1, 1))
        by_stat = host("/host:CPU", (CALL, 40, 1, 1), stats=[(NODE, 1)])
        both = device("/node:0/device:GPU:0", (100, 1)), device("/node:1/device:GPU:0", (200, 1))
        self.assertEqual(self.launches(*both, one, zero), [(0, 100, 10), (1, 200, 20)])
        self.assertEqual(self.launches(*both, none, by_stat), [(0, 100, None), (1, 200, 40)])
        self.assertEqual(self.launches(device("/device:GPU:0", (100, 1)), zero, none), [(None, 100, 30)])
        self.assertEqual(self.launches(device("/device:GPU:0", (100, 1), stats=[(NODE, 1, "uint")]), zero, one), [(1, 100, 20)])
        self.assertEqual(self.launches(device("/node:0/device:GPU:0", (100, 1), stats=[(NODE, 1)]), zero, one), [(1, 100, 20)])
        # What only resembles the name of a node is none.
        self.assertEqual(self.launches(device("/node:x/device:GPU:0", (100, 1)), zero), [])
        self.assertEqual(self.launches(device("/device:GPU:0", (100, 1), stats=[(NODE, "1")]), one, none), [(None, 100, 30)])

    def test_the_earliest_call_of_a_node(self):
        """Over all its host planes, not over those of another node."""
        planes = [device("/node:0/device:GPU:0", (100, 1)), host("/node:1/host:CPU", (CALL, 1, 1, 1)),
                  host("/node:0/host:CPU", (CALL, 30, 1, 1)),
                  host("/node:0/host:python", (CALL, 20, 1, 1))]
        self.assertEqual(self.launches(*planes), [(0, 100, 20)])

    def test_steps_of_a_node(self):
        """Each device has the steps that its own host marks; the second one begins on node 0 while the kernel of the first is waited for."""
        planes = [device("/node:0/device:GPU:0", (100, 1), (200, 2)), device("/node:1/device:GPU:0", (150, 1)),
                  host("/node:0/host:CPU", (FIRST, 0, 90, None), (CALL, 10, 1, 1), (SECOND, 90, 90, None), (CALL, 100, 1, 2)),
                  host("/node:1/host:CPU", (SECOND, 50, 90, None), (CALL, 60, 1, 1))]
        steps = self.open(*planes).table("steps").to_dicts()
        self.assertEqual([(row["node"], row["step_id"], row["start_ps"] // US, row["end_ps"] // US) for row in steps],
                         [(0, "1", 0, 200), (0, "2", 200, 201), (1, "2", 50, 151)])

    def reasons(self, *planes):
        return [reason.split(": ", 1)[1] for reason in self.open(*planes).document("info")["reasons"]]

    def test_launches_without_a_record(self):
        """Calls that launch something, by their names, whose number no event of any device of the host has."""
        rest = "what the device did for them, and when, is not known"
        calls = [(LAUNCH, 10, 1, 1), (LAUNCH, 20, 1, 2), (COPY, 30, 1, 3), (GRAPH, 40, 1, 4), (GRAPH, 45, 1, 9), (SET, 50, 1, 5),
                 (LAUNCH, 5, 1, None), (CALL, 60, 1, 6)]
        devices = device("/device:GPU:0", (100, 1)), device("/device:GPU:1", (100, 4))
        self.assertEqual(self.reasons(*devices, host("/host:CPU", *calls)),
                         [f"3 of 5 launches have no record of a device (1 of 2 kernels, 1 of 1 copies, 1 of 2 graphs): {rest}"])
        self.assertEqual(self.reasons(devices[0], host("/host:CPU", (LAUNCH, 10, 1, 1))), [])
        self.assertEqual(self.reasons(devices[0], host("/host:CPU", (LAUNCH, 10, 1, 1), (LAUNCH, 20, 1, 2))),
                         [f"1 of 2 launches have no record of a device (1 of 2 kernels): {rest}"])
        # Where no kernel names a launch nothing is known of them.
        self.assertEqual(self.reasons(device("/device:GPU:0", (100, None)), host("/host:CPU", (LAUNCH, 10, 1, 1))), [])
        # What another node has on record does not count.
        nodes = device("/node:0/device:GPU:0", (100, 1)), device("/node:1/device:GPU:0", (100, 2))
        self.assertEqual(self.reasons(*nodes, host("/node:0/host:CPU", (LAUNCH, 10, 1, 1), (COPY, 20, 1, 2))),
                         [f"1 of 2 launches have no record of a device (1 of 1 copies): {rest}"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
