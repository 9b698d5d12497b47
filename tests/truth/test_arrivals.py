"""Who comes last to calls of all kinds, and of how many that is not known: `validate`, `report`, `bubbles` and `fleet` say the same."""
import gzip
import json
import sys

import hlo
import proto_writer as proto
import truth
from ranks import ZERO_NS, RanksCase, call

APART = "their members need not wait for all others, and did not end together"
CLOCKS = "their members need not wait for all others, and clocks do not say whether they ended together"
ALONE = "not every member recorded them"


class Arrivals(RanksCase):
    def arrivals(self, ranks, *options, **more):
        return self.ask(ranks, *options, **more)["arrivals"]

    def check_devices(self, found, *expected):
        """`expected`: rank, calls, times last, µs waited for it, µs that it waited."""
        self.assertEqual([(int(d["rank"]), d["calls"], d["times_last"], d["waited_for_ps"] / 1e6, d["waited_ps"] / 1e6) for d in found["devices"]],
                         list(expected))

    def check_unjudged(self, found, *expected):
        self.assertEqual([(u["reason"], u["calls"], u["executions"]) for u in found["unjudged"]], list(expected))

    def test_all_to_alls_of_unequal_shares(self):
        """In µs, three ranks: 40, 20 and 0 waited for rank 2, then 0, 30 and 10 for rank 0. All end within 1."""
        spans = [((0, 60), (20, 60.5), (40.5, 61)), ((130, 150), (100, 150), (120, 150))]
        events = {r: [call("all_to_allv", *spans[k][r], ranks=(0, 1, 2), Seq=k + 1, kernel="ncclDevKernel_SendRecv") for k in (0, 1)]
                  for r in range(3)}
        found = self.arrivals(events)
        self.assertEqual((found["judged"], found["tied"], found["waited_ps"]), (2, 0, 99_500_000))
        self.check_devices(found, (0, 2, 1, 40, 39.5), (1, 2, 0, 0, 50), (2, 2, 1, 59.5, 10))
        self.assertEqual((found["latest_rank"], found["text"]),
                         ("2", "rank 2 comes last in 1 of 2 collectives; the others wait 59.500 us for it, of 99.500 us in all"))
        self.check_unjudged(found)

    def test_kernels_that_only_name_a_send_and_recv(self):
        """Nothing else is on record: that they end together says that they are one call of all."""
        events = {r: [{"ph": "X", "cat": "kernel", "name": "ncclKernel_SendRecv_RING", "pid": 0, "tid": 7, "ts": start, "dur": end - start,
                       "args": {"device": 0, "stream": 7}}] for r, (start, end) in enumerate(((0, 500), (300, 502), (450, 507)))}
        self.assertEqual(self.arrivals(events)["text"], "rank 2 comes last in 1 of 1 collective; the others wait 588.000 us for it")
        events[0][0]["dur"] = 462  # ends are 45 apart, starts 450
        self.assertEqual(self.arrivals(events)["latest_rank"], "2")
        events[0][0]["dur"] = 461.999
        found = self.arrivals(events)
        self.assertEqual((found["judged"], found["latest_rank"]), (0, None))
        self.check_unjudged(found, (CLOCKS, 1, 0))
        self.check_unjudged(self.arrivals(events, hosts=["a"] * 3), (APART, 1, 0))

    def test_sends_and_receives(self):
        """Rank 1 waits 300 for the send of rank 0; then rank 0 sends and goes on, and nobody waits for rank 1, which comes later."""
        def events(**more):
            pair = {"ranks": (0, 1), "kernel": "ncclDevKernel_SendRecv", **more}
            return {0: [call("send", 300, 340, Dst_Rank=1, **pair), call("send", 1_000, 1_020, Dst_Rank=1, **pair)],
                    1: [call("recv", 0, 341, Src_Rank=0, **pair), call("recv", 1_500, 1_530, Src_Rank=0, **pair)]}
        found = self.arrivals(events(), hosts=["a", "a"])
        self.check_devices(found, (0, 2, 1, 301, 0), (1, 2, 1, 0, 301))
        self.assertEqual(found["text"], "rank 0 comes last in 1 of 2 collectives; the others wait 301.000 us for it")
        self.check_unjudged(self.arrivals(events(), hosts=["a", "b"]), (CLOCKS, 1, 0))
        # The list of ranks is not needed: source and target are on record.
        bare = events()
        for of_rank in bare.values():
            for each in of_rank:
                del each["args"]["Process Group Ranks"], each["args"]["Group size"]
        self.check_devices(self.arrivals(bare, hosts=["a", "a"], world=8), (0, 2, 1, 301, 0), (1, 2, 1, 0, 301))

    def test_sends_whose_clocks_may_be_wrong(self):
        """By 1 us each. Whoever ends 60 apart is judged where one is later by more than 2: the recv waits until the send begins, and no
        longer than it lasts."""
        pair = {"ranks": (0, 1), "kernel": "ncclDevKernel_SendRecv"}
        for send, recv, last, wait in (((2, 40), (0, 100), None, None), ((2.001, 40), (0, 100), 0, 2.001), ((0, 40), (42, 100), None, None),
                                       ((0, 40), (42.001, 100), 1, 0), ((300, 340), (0, 100), 0, 100)):
            found = self.arrivals({0: [call("send", *send, Dst_Rank=1, **pair)], 1: [call("recv", *recv, Src_Rank=0, **pair)]},
                                  "--bound", "1us")
            with self.subTest(send=send, recv=recv):
                if last is None:
                    self.check_unjudged(found, (APART, 1, 0))
                else:
                    self.check_devices(found, (0, 1, 1 - last, wait, 0), (1, 1, last, 0, wait))

    def test_permutes(self):
        """In µs, two devices each of two nodes. Of a ring each waits for its own source. Where nobody sends and receives each pair is a
        call: device 2 came 20 after device 0, 1 and 3 came at once."""
        spans = {0: (0, 50), 1: (0, 60), 2: (20, 50), 3: (0, 60)}
        for pairs, counts, unjudged in ((((0, 1), (1, 2), (2, 3), (3, 0)), (0, 0, 0), (("each member waits for its own source alone", 1, 0),)),
                                        (((0, 2), (1, 3)), (2, 1, 20_000_000), ())):
            program = hlo.module("jit_step", 11, hlo.replicas_on(0, 1, 2, 3), hlo.computation(1, "main", hlo.instruction(
                1, "collective-permute.1", "collective-permute", hlo.shape(hlo.F32, [25]), more=hlo.source_target_pairs(*pairs))))
            paths = []
            for node in (0, 1):
                planes = []
                for device in (0, 1):
                    start, end = spans[2 * node + device]
                    planes.append(proto.Plane(f"/device:GPU:{device}", device))
                    planes[-1].line("Stream #7(NCCL)", ZERO_NS, [planes[-1].event("ncclDevKernel_SendRecv", start * 10**6, (end - start) * 10**6, [
                        ("hlo_op", proto.Ref("collective-permute.1")), ("program_id", 11), ("hlo_module", proto.Ref("jit_step"))])], line_id=7)
                metadata = proto.Plane("/host:metadata", first_event_id=11)
                metadata.event_metadata("jit_step(11)", stats=[("Hlo Proto", program)])
                zero = proto.Plane("Task Environment")
                zero.own_stat("profile_start_time", proto.Uint(ZERO_NS))
                paths.append(self.write(f"t{node}.xplane.pb", proto.xspace([*planes, metadata, zero], [f"host-{node}"])))
            found = truth.parsed(truth.run("validate", *paths, "--json", "--bound", "1ns"))["arrivals"]
            self.assertEqual((found["judged"], found["tied"], found["waited_ps"]), counts)
            self.check_unjudged(found, *unjudged)
            if not unjudged:
                self.check_devices(found, (0, 1, 0, 0, 20), (1, 1, 0, 0, 0), (2, 1, 1, 20, 0), (3, 1, 0, 0, 0))

    def test_clocks_that_collectives_say(self):
        """Rank 1 is 1,000 us ahead by the ends of two all-reduces: then it is known that the broadcasts ended within 10 us, and then not."""
        for end, unjudged in ((1_310, ()), (1_310.001, ((APART, 1, 0),))):
            events = {0: [call("allreduce", 0, 100, Seq=1), call("allreduce", 600, 700, Seq=3), call("broadcast", 200, 300, Seq=2)],
                      1: [call("allreduce", 1_050, 1_100, Seq=1), call("allreduce", 1_600, 1_700, Seq=3),
                          call("broadcast", 1_240, end, Seq=2)]}
            found = self.arrivals(events, hosts=["a", "b"])
            self.check_unjudged(found, *unjudged)
            self.check_devices(found, *(((0, 2, 0, 0, 50), (1, 2, 1, 50, 0)) if unjudged else ((0, 3, 0, 0, 80), (1, 3, 2, 80, 0))))

    def test_ties(self):
        """Of two that come together nobody is the last, and of ranks that are waited for as long nobody is named."""
        durations = [(60, 20, 20), (30, 30, 30)]
        events = {r: [call("allreduce", 100 * k, 100 * k + durations[k][r], ranks=(0, 1, 2)) for k in (0, 1)] for r in range(3)}
        found = self.arrivals(events)
        self.assertEqual((found["judged"], found["tied"], found["waited_ps"], found["latest_rank"]), (2, 2, 40_000_000, None))
        self.assertEqual(found["text"], "no one comes last alone in 2 collectives; all together wait 40.000 us; to 2 of them several come "
                                        "last at once")
        durations = [(60, 20, 60), (20, 60, 60)]
        events = {r: [call("allreduce", 100 * k, 100 * k + durations[k][r], ranks=(0, 1, 2)) for k in (0, 1)] for r in range(3)}
        found = self.arrivals(events)
        self.assertEqual((found["tied"], found["latest_rank"]), (0, None))
        self.assertEqual(found["text"], "nobody is waited for most in 2 collectives: rank 0 and rank 1 for 80.000 us each")

    def test_what_cannot_be_judged(self):
        """A call that one rank lacks, a broadcast whose root goes on, and ranks that are not here."""
        world = (0, 1, 2)
        events = {r: [call("allreduce", 0, 30 + 10 * r, ranks=world, Seq=1)] for r in world}
        for r in world:
            events[r].append(call("broadcast", 200, 210 + 100 * r, ranks=world, Seq=2))
        for r in (0, 1):
            events[r].append(call("allreduce", 600, 630, ranks=world, Seq=3))
        for r in world:
            events[r].append(call("allreduce", 900, 930, ranks=world, Seq=4))
        found = self.arrivals(events, hosts=["a"] * 3)
        self.assertEqual((found["judged"], found["tied"], found["latest_rank"]), (2, 1, "0"))
        self.check_unjudged(found, (ALONE, 1, 0), (APART, 1, 0))
        self.assertEqual(found["text"], "rank 0 comes last in 1 of 2 collectives; the others wait 30.000 us for it; to 1 of them several "
                                        f"come last at once; not judged: 1 collective ({ALONE}); 1 collective ({APART})")
        (self.scratch / "rank2.pt.trace.json").unlink()
        found = self.arrivals({r: events[r] for r in (0, 1)}, world=3)
        self.check_unjudged(found, ("only 2 ranks of 3 are here", 4, 0))
        self.assertEqual(found["judged"], 0)

    def test_groups_on_record_whose_other_ranks_are_not_here(self):
        """It is on record who takes part: then that is not what is said to lack."""
        events = {r: [call("all_to_allv", 0, 100, ranks=(r, r + 4), group=str(r), Seq=1, kernel="ncclDevKernel_SendRecv")] for r in (0, 1)}
        found = self.ask(events, world=8)
        self.check_unjudged(found["arrivals"], ("sub-groups: the other ranks of its process groups are not here", 0, 2))


class Dlrm(truth.Case):
    """Eight ranks of a recommendation model: five all-to-alls, of which the kernels say no more than SendRecv, and three all-reduces."""

    def setUp(self):
        super().setUp()
        self.folder = truth.corpus("captures/kineto/dlrm_8_ranks")

    def lengths(self):
        """By rank the lengths of its collectives, in order, in µs."""
        found = {}
        for path in self.folder.glob("*.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as stream:
                trace = json.load(stream)
            kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel" and "nccl" in e["name"].lower()]
            found[trace["distributedInfo"]["rank"]] = [e["dur"] for e in sorted(kernels, key=lambda e: e["ts"])]
        return found

    def test_who_is_waited_for(self):
        lengths = self.lengths()
        last, caused, waited = {r: 0 for r in lengths}, {r: 0 for r in lengths}, {r: 0 for r in lengths}
        for k in range(8):
            shortest = min(lengths[r][k] for r in lengths)
            who, = (r for r in lengths if lengths[r][k] == shortest)
            last[who] += 1
            for r in lengths:
                waited[r] += lengths[r][k] - shortest
                caused[who] += lengths[r][k] - shortest
        self.assertEqual((last[7], caused[7], sum(caused.values()), min(waited, key=waited.get)), (5, 35_543, 46_806, 7))
        found = truth.parsed(truth.run("validate", self.folder, "--json", "--limit", 0))["arrivals"]
        self.assertEqual([(int(d["rank"]), d["calls"], d["times_last"], d["waited_for_ps"], d["waited_ps"]) for d in found["devices"]],
                         [(r, 8, last[r], caused[r] * 10**6, waited[r] * 10**6) for r in sorted(lengths)])
        self.assertEqual((found["judged"], found["unjudged"], found["latest_rank"]), (8, [], "7"))

    def test_one_rank_everywhere(self):
        said = "rank 7 comes last in 5 of 8 collectives; the others wait 35.543 ms for it"
        for command in ("validate", "report"):
            self.assertIn(f"  {said}, of 46.806 ms in all\n", truth.run(command, self.folder))
        self.assertIn("waits for other ranks; rank 7 waits least\n", truth.run("report", self.folder))
        bubbles = truth.parsed(truth.run("bubbles", self.folder, "--json"))
        self.assertEqual([(c["evidence"][0], c["time_ns"]) for c in bubbles["causes"] if c["cause"] == "straggler_wait"], [(said, 46_806_000)])

    @truth.needs("sql")
    def test_fleet(self):
        found = truth.parsed(truth.run("fleet", self.folder, "--json", "--question", "waits"))["questions"][0]
        self.assertEqual((found["columns"], [[*row[:5], *map(float, row[5:])] for row in found["rows"]]),
                         (["run", "last", "times_last", "of_calls", "not_judged", "waited_for_ms", "all_waited_ms"],
                          [[str(self.folder), "rank 7", 5, 8, 0, 35.543, 46.806]]))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
