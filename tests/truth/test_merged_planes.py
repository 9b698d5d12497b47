#!/usr/bin/env python3
"""Planes, lines and events of a merged XSpace: their names, ids, order and stats, one decision after another."""
import sys

import proto_reader as reader
import proto_writer as proto
import truth
import wire

START_NS = 1_700_000_000_000_000_000


def plane(name, plane_id=0, events=(("e", 0, 5),), at_ns=START_NS, line="l", line_id=1):
    made = proto.Plane(name, plane_id)
    made.line(line, at_ns, [made.event(*e) for e in events], line_id)
    return made


class MergedPlanes(truth.Case):
    def merge(self, nodes, *options):
        """`nodes`: the planes and names of hosts of each, by its number. Gives what is written and the document."""
        names = []
        for node, (planes, *hosts) in nodes.items():
            names.append(f"node{node}.xplane.pb")
            self.write(names[-1], planes if isinstance(planes, bytes) else proto.xspace(planes, hosts))
        said = truth.run("merge", "--traces", *names, "--no-correction", "-o", "out.xspace", "--json", *options, cwd=self.scratch)
        return reader.xspace((self.scratch / "out.xspace").read_bytes()), truth.parsed(said)

    def names(self, nodes, *options):
        """Without the plane of each node's clock and that of time zero, which stand last."""
        found = self.merge(nodes, *options)[0]["planes"]
        self.assertEqual([p["name"] for p in found[-1 - len(nodes):]], [f"/node:{n}/clock_metadata" for n in nodes] + ["Task Environment"])
        return [(p["name"], p["id"]) for p in found[:-1 - len(nodes)]]

    def test_the_family_of_a_run(self):
        """Hosts become what the devices of the run are: TPUs only where no node has a GPU."""
        host = plane("/host:CPU", 7)
        for first, second, family in (("TPU", "TPU", "TPU"), ("TPU", "GPU", "GPU"), ("GPU", "TPU", "GPU"), ("CUSTOM", "TPU", "TPU")):
            self.assertEqual(self.names({0: [[plane(f"/device:{first}:3"), host]], 1: [[host, plane(f"/device:{second}:5")]]}), [
                (f"/device:{first}:3", 3), ("/host:CPU", 7), (f"/device:{family}:10000", 10_000), (f"/device:{second}:69", 69)])
        self.assertEqual(self.names({0: [[host]], 1: [[host]]}), [("/host:CPU", 7), ("/device:GPU:10000", 10_000)])

    def test_what_follows_the_number(self):
        self.assertEqual(self.names({2: [[plane("/device:TPU:1 SparseCore 1", 9), plane("/device:TPU:12", 8)]]}),
                         [("/device:TPU:137 SparseCore 1", 9 + 128), ("/device:TPU:140", 140)])

    def test_other_planes_are_counted(self):
        nodes = {0: [[plane("/host:metadata", 5), plane("/device:GPU:0", 4)]], 2: [[plane("#Chip/a"), plane("/host:CPU"), plane("/x")]]}
        self.assertEqual(
            self.names(nodes),
            [("/device:GPU:50000_misc_host:metadata", 50_000), ("/device:GPU:0", 0), ("/device:GPU:50201_misc_#Chip/a", 50_201),
             ("/device:GPU:20000", 20_000), ("/device:GPU:50202_misc_x", 50_202)])

    def test_an_id_that_is_taken_moves_to_the_next_that_nobody_wants(self):
        """Of three that want 64, the first keeps it; 65 and 67 belong to others, and free are 66 and 68."""
        zero = [plane(f"/device:GPU:{k}") for k in (64, 65, 67)]
        one = [plane("/device:GPU:0"), plane("/device:TPU:0")]
        _, said = self.merge({0: [zero], 1: [one]})
        self.assertEqual([(p["name"], p["id"], p["moved"]) for p in said["planes"]], [
            ("/device:GPU:64", "64", False), ("/device:GPU:65", "65", False), ("/device:GPU:67", "67", False),
            ("/device:GPU:66", "66", True), ("/device:TPU:68", "68", True)])
        self.assertEqual(len([w for w in said["warnings"] if "has the id of another plane" in w]), 2)

    def test_lines_of_hosts_carry_their_node(self):
        """Each line has a number that counts for its node; names and shown names are of lines of hosts alone."""
        host = plane("/host:CPU", line="python", line_id=4)
        host.line("", START_NS, [], line_id=6)
        host.line("", START_NS, [], line_id=0, display_name="main")
        lines = self.merge({0: [[host]], 3: [[host, plane("/device:GPU:0", line="Stream #1", line_id=9)]]})[0]["planes"]
        for node, found in ((0, lines[0]), (3, lines[1])):
            million = node * 1_000_000
            self.assertEqual([(row["id"], row["name"], row["display"]) for row in found["lines"]], [
                (million + 4, f"/node:{node}/python", f"Node {node}: python"),
                (million + 6, f"/node:{node}/line_6", f"Node {node}: line_6"), (million, f"/node:{node}/line_0", f"Node {node}: main")])
        self.assertEqual([(row["id"], row["name"], row["display"]) for row in lines[2]["lines"]], [(3_000_009, "Stream #1", "")])

    def test_stats_of_the_merge_replace_those_of_the_same_name(self):
        given = plane("/device:GPU:0")
        for name, value in (("hostname", "old"), ("node_id", 9), ("clock_skew_ns", 7.5), ("peak", 3)):
            given.own_stat(name, value)
        found = self.merge({0: [[given], "ada"], 1: [[given]]})[0]["planes"]
        self.assertEqual(sorted(found[0]["stats"]), [("clock_skew_ns", 0.0), ("hostname", "ada"), ("node_id", 0), ("peak", 3)])
        self.assertEqual(sorted(found[1]["stats"]), [("clock_skew_ns", 0.0), ("hostname", ""), ("node_id", 1), ("peak", 3)])

    def test_hosts_and_texts_of_the_nodes(self):
        """A host of two nodes is named once; an error or warning of a trace stays one, with its node."""
        texts = wire.message(2, "no disk") + wire.message(3, "2 events lost")
        found, said = self.merge({0: [[plane("/device:GPU:0")], "b", "a"], 1: [proto.xspace([plane("/device:GPU:0")], ["a", "c"]) + texts]})
        self.assertEqual(found["hostnames"], ["b", "a", "c"])
        self.assertEqual(said["hostnames"], ["b", "a", "c"])
        self.assertEqual([n["hostname"] for n in said["nodes"]], ["b", "a"])
        self.assertEqual((found["errors"], found["warnings"]), (["node 1: no disk"], ["node 1: 2 events lost"]))

    def test_events_that_begin_together(self):
        """The longer first, then as they stood; only lines of which something moves are counted."""
        events = [("a", 9, 3), ("b", 9, 4), ("c", 8, 0), ("d", 9, 4), ("e", 9, 0)]
        nodes = {0: [[plane("/device:GPU:0", events=events)]],
                 1: [[plane("/device:GPU:0", events=[("a", 1, 4), ("b", 1, 4), ("c", 1, 3), ("d", 2, 9)]),
                      plane("/device:GPU:1", events=[("a", 1, 3), ("b", 1, 4)])]]}
        for options, orders, count in (([], ["cbdae", "abcd", "ba"], [1, 1]), (["--keep-order"], ["abcde", "abcd", "ab"], [0, 0])):
            found, said = self.merge(nodes, *options)
            self.assertEqual(["".join(e["name"] for e in p["lines"][0]["events"]) for p in found["planes"][:3]], orders)
            self.check([n["sorted_lines"] for n in said["nodes"]], count)

    def test_time_zero(self):
        """The start of the first line, or what begins before it, in whole nanoseconds; at the start itself nothing moves."""
        for first, options, zero in ((0, [], 0), (-1, [], -1_000), (-1_000, [], -1_000), (-1_001, [], -2_000), (1_500, [], 0),
                                     (1_500, ["--normalize", "min"], 1_000), (-1_001, ["--normalize", "node0"], 0),
                                     (2_000, ["--normalize", "min"], 2_000), (-1, ["--normalize", "none"], 0)):
            nodes = {0: [[plane("/device:GPU:0", events=[("e", 5_000, 1_500)])]], 1: [[plane("/device:GPU:0", events=[("e", first, 9)])]]}
            found, said = self.merge(nodes, *options)
            base_ns = START_NS if "none" in options else 0
            self.assertEqual([(p["lines"][0]["timestamp"], p["lines"][0]["events"][0]["offset"]) for p in found["planes"][:2]],
                             [(base_ns, 5_000 - zero), (base_ns, first - zero)])
            self.assertEqual(said["origin_ns"], str(START_NS + zero // 1000))
            self.assertEqual(found["planes"][-1]["stats"][0], ("profile_start_time", START_NS + zero // 1000))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
