"""Clusters whose calls are known: nodes of devices run a program of collectives in process groups, and some do something wrong.

A rank is a device: node * devices per node + local number. Every case is written as one XSpace a node, with the program as HLO, and as one
Kineto trace a rank, and says in truth.json what happened. Times are whole ns; no clock is wrong by more than BOUND_PS.
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "truth"))
import proto_writer as proto  # noqa: E402
from wire import message, number, varint  # noqa: E402

US = 1_000_000  # ps
BOUND_PS = 1 * US
BASE_NS = 1_765_400_000_000_000_000
JOINS = ("all-reduce", "all-gather", "reduce-scatter")
KERNELS = {"all-reduce": "AllReduce_Sum_f32_RING_LL", "all-gather": "AllGather_RING_LL", "reduce-scatter": "ReduceScatter_Sum_f32_RING_LL",
           "all-to-all": "SendRecv", "collective-broadcast": "Broadcast_RING_LL", "collective-permute": "SendRecv", "send": "SendRecv",
           "recv": "SendRecv"}
TORCH = {"all-reduce": "allreduce", "all-gather": "_allgather_base", "reduce-scatter": "_reduce_scatter_base", "all-to-all": "all_to_all",
         "collective-broadcast": "broadcast"}
TYPES = (("Float", 11, 4), ("BFloat16", 16, 2), ("Half", 10, 2), ("Double", 12, 8), ("Char", 2, 1))  # torch, XLA, bytes
FAULTS = ("none", "cross", "inside", "missing", "late", "stopped", "size", "order", "straggler", "slow node", "pairs",
          "drift", "clocks")


def packed(field, ids):
    return message(field, b"".join(varint(i) for i in ids))


def kernel_of(op):
    return f"ncclDevKernel_{KERNELS[op['kind']]}(ncclDevKernelArgsStorage<4096ul>)"


class Cluster:
    def __init__(self, seed, fault):
        self.r = r = random.Random(f"{seed} {fault}")
        self.fault, self.seed = fault, seed
        alone = [1] if fault in ("none", "inside", "missing", "straggler") else []
        self.nodes = 2 if fault in ("pairs", "drift") else r.choice([*alone, 2, 2, 3, 4])
        self.gpus = r.choice([2, 4]) if self.nodes < 4 else 2
        if self.nodes == 1:
            self.gpus = r.choice([4, 8])
        self.world, self.steps = self.nodes * self.gpus, r.randrange(8, 13)
        self.ops = self.program()
        self.error = [r.randrange(-BOUND_PS * 9 // 10, BOUND_PS * 9 // 10) // 1000 * 1000 for _ in range(self.nodes)]
        self.calls, self.orders, self.straggler = [], [], None
        self.clocks = [{"base_ps": BASE_NS * 1000, "ppb": 0} for _ in range(self.nodes)]
        self.simulate()
        self.plant()
        if fault == "clocks":
            self.show_other_clocks()

    # ---- the program ----

    def layout(self, name):
        n, g = self.nodes, self.gpus
        couples = lambda first: [list(range(max(k, 0) * g, min(k + 2, n) * g)) for k in range(first, n, 2)]
        return {"world": [list(range(n * g))], "even": couples(0), "odd": couples(-1), "inside": [list(range(k * g, k * g + g)) for k in range(n)],
                "across": [list(range(k, n * g, g)) for k in range(g)]}[name]

    def program(self):
        layouts = ["world", "inside"] + (["across", "across"] if self.nodes > 1 else [])
        ops = []
        for k in range(self.r.randrange(2, 5)):
            kind = self.r.choice(["all-reduce"] * 3 + ["all-gather", "reduce-scatter", "all-to-all", "collective-broadcast"])
            if self.fault in ("order", "straggler", "slow node", "size") and k < 2:
                kind = self.r.choice(JOINS)
            ops.append({"kind": kind, "name": f"{kind}.{k + 1}", "layout": self.r.choice(layouts), "pairs": None})
        if self.fault in ("order", "missing") and self.nodes > 1:
            ops[0]["layout"], ops[1]["layout"] = "inside", "across"
        if self.fault in ("late", "stopped"):
            ops[0]["layout"] = self.r.choice(["world", "across"])
        if self.fault == "straggler":  # of one kind there is one: traces of ranks do not name operations
            ops[1:] = [op for op in ops[1:] if op["kind"] != ops[0]["kind"]]
        if self.fault == "slow node":
            for op in ops:
                op["layout"] = self.r.choice(["world", "across"])
        if self.fault == "drift":  # nobody waits for the second device of each node but its like
            ops = [{"kind": "all-reduce", "name": "all-reduce.1", "layout": "across", "pairs": None},
                   {"kind": "collective-broadcast", "name": "collective-broadcast.2", "layout": "inside", "pairs": None}]
        if self.fault == "clocks":
            return self.program_for_clocks()
        if self.fault == "pairs":
            pairs = [[k, k + self.gpus] for k in range(self.gpus)]
            ops = [op for op in ops if op["kind"] in JOINS]
            if self.r.random() < 0.5:
                ops.insert(0, {"kind": "collective-permute", "name": "collective-permute.7", "layout": "pairs", "pairs": pairs})
            else:
                ops[:0] = [{"kind": kind, "name": name, "layout": "pairs", "pairs": pairs}
                           for kind, name in (("send", "send.7"), ("recv", "recv.8"))]
        return self.completed(ops)

    def program_for_clocks(self):
        """Who meets whom says which clocks can be compared: everybody, neighbours, a ring of senders, or a chain of them."""
        n, g, r = self.nodes, self.gpus, self.r
        ring = [[k * g + i, (k + 1) % n * g + i] for k in range(n) for i in range(g)]
        meets = r.choice(["all", "neighbours", "ring", "chain", "nobody"])
        layouts = {"all": ["world"], "neighbours": ["even", "odd"], "nobody": ["inside"]}.get(meets, [])
        ops = [{"kind": "all-reduce", "name": f"all-reduce.{k + 1}", "layout": layout, "pairs": None} for k, layout in enumerate(layouts)]
        if meets in ("ring", "chain"):
            pairs = ring if meets == "ring" else [p for p in ring if p[0] < p[1]]
            ops.append({"kind": "collective-permute", "name": "collective-permute.5", "layout": "pairs", "pairs": pairs})
        ops.append({"kind": "reduce-scatter", "name": "reduce-scatter.9", "layout": "inside", "pairs": None})
        return self.completed(ops)

    def completed(self, ops):
        for channel, op in enumerate(ops):
            op["groups"] = [list(g) for g in self.layout(op["layout"])] if op["pairs"] is None else None
            op["channel"] = 1 + channel if op["kind"] != "recv" else channel
            op["elements"] = self.world * self.r.choice([1 << 10, 1 << 16])
            op["duration"] = self.r.randrange(40, 200) * US
            own = random.Random(f"{self.seed} {op['name']}")  # draws nothing of the rest
            op["type"] = own.choice(TYPES)
            if op["kind"] == "recv":
                op.update({key: ops[channel - 1][key] for key in ("elements", "type")})
            op["starts"] = op["kind"] in ("all-reduce", "all-gather", "collective-permute") and own.random() < 0.5
            if op["kind"] == "collective-broadcast":
                for group in op["groups"]:
                    root = group[0] if self.fault == "drift" else self.r.choice(group)  # stands first
                    group.remove(root)
                    group.insert(0, root)
        return ops

    def comparable(self):
        """Nodes whose clocks are bounded against the first one's from both sides: each is reached from it, and it from each."""
        after = {(k, k) for k in range(self.nodes)}  # one begins before the other ends
        node = lambda rank: rank // self.gpus
        for op in self.ops:
            if op["pairs"]:
                after |= {(node(a), node(b)) for a, b in op["pairs"]}
            for group in op["groups"] or []:
                after |= {(node(a), node(b)) for a in group for b in group}
        for k in range(self.nodes):
            after |= {(a, b) for a, x in after for y, b in after if x == k == y}
        return [k for k in range(self.nodes) if (0, k) in after and (k, 0) in after]

    # ---- what happened ----

    @staticmethod
    def waits(op, group, root):
        """Who has to begin before who ends."""
        if op["pairs"]:
            return [tuple(p) for p in op["pairs"]] if op["kind"] != "send" else []
        if root is not None:
            return [(root, b) for b in group if b != root]
        return [(a, b) for a in group for b in group if a != b]

    def simulate(self):
        r, free = self.r, {rank: 20_000 * US for rank in range(self.world)}
        slow_rank, slow_node = r.randrange(self.world), r.randrange(self.nodes)
        if self.fault == "straggler":
            op = next(o for o in self.ops if o["kind"] in JOINS)
            group = next(g for g in op["groups"] if slow_rank in g)
            self.straggler = {"rank": slow_rank, "node": slow_rank // self.gpus, "op": op["name"], "group": sorted(group)}
        if self.fault == "slow node":
            self.straggler = {"node": slow_node}
        sent = {}
        for step in range(self.steps):
            for op in self.ops:
                begin = {rank: free[rank] + (400 * 1000 + r.randrange(0, 20_000)) * 1000 for rank in free}
                if self.fault == "straggler" and op["name"] == self.straggler["op"]:
                    begin[slow_rank] += 500 * US
                if self.fault == "slow node":
                    for rank in begin:
                        begin[rank] += 400 * US if rank // self.gpus == slow_node else 0
                if self.fault == "drift":
                    for rank in begin:
                        begin[rank] += 300 * US if rank % self.gpus == 1 else 0
                units = op["groups"] or [sorted({x for p in op["pairs"] for x in p})]
                for group in units:
                    members = group
                    if op["kind"] in ("send", "recv"):
                        members = sorted(p[op["kind"] == "recv"] for p in op["pairs"])
                    root = group[0] if op["kind"] == "collective-broadcast" else None
                    seen = {}
                    for rank in members:
                        need = [(sent if op["kind"] == "recv" else begin)[a] for a, b in self.waits(op, group, root) if b == rank]
                        end = max([begin[rank], *need]) + op["duration"] + r.randrange(0, 3000) * 1000
                        free[rank] = end
                        seen[rank] = [begin[rank] + self.error[rank // self.gpus], end + self.error[rank // self.gpus]]
                    if op["kind"] == "send":
                        sent.update({rank: begin[rank] for rank in members})
                    self.calls.append({"id": len(self.calls), "op": op, "step": step, "group": sorted(group), "root": root, "seen": seen,
                                       "absent": {}, "sizes": {}, "misordered": False})

    def show_other_clocks(self):
        for clock in self.clocks[1:]:
            clock["base_ps"] += self.r.randrange(-5_000, 5_000) * US
            clock["ppb"] = self.r.randrange(-20_000, 20_000)
        self.error = [0] * self.nodes
        for call in self.calls:
            for rank, times in call["seen"].items():
                clock = self.clocks[rank // self.gpus]
                shown = lambda t: (clock["base_ps"] - BASE_NS * 1000 + t + t * clock["ppb"] // 10**9) // 1000 * 1000
                call["seen"][rank] = [shown(t) for t in times]

    def plant(self):
        r, node = self.r, lambda rank: rank // self.gpus
        free = [c for c in self.calls if 1 <= c["step"] < self.steps - 1 and len(c["group"]) > 1]
        r.shuffle(free)
        if self.fault in ("cross", "inside", "pairs"):
            self.move_ends(free)
        if self.fault == "missing":
            for call, rank in r.choice([self.lost_anywhere, self.lost_by_two, self.lost_by_one])(free):
                call["absent"][rank] = "missing"
        if self.fault in ("late", "stopped"):
            who, step = r.randrange(self.nodes), r.randrange(2, self.steps - 2)
            for call in self.calls:
                if call["step"] < step if self.fault == "late" else call["step"] >= step:
                    call["absent"] = {rank: self.fault for rank in call["seen"] if node(rank) == who}
        if self.fault == "size":
            for call in [c for c in free if c["op"]["kind"] in JOINS][:3]:
                call["sizes"][r.choice(call["group"])] = True
        if self.fault == "order":
            for _ in range(2):
                self.swap(free)

    def lost_anywhere(self, free):
        return [(call, self.r.choice(call["group"])) for call in [c for c in free if c["op"]["pairs"] is None][:3]]

    def lost_by_two(self, free):
        """Two members of a group lack a call each, one after the other: both have as many as before."""
        call = self.r.choice([c for c in free if c["step"] + 2 < self.steps])
        after = next(c for c in self.calls if c["op"] is call["op"] and c["group"] == call["group"] and c["step"] == call["step"] + 1)
        return list(zip((call, after), self.r.sample(call["group"], 2)))

    def lost_by_one(self, free):
        """One device lacks the last call of a step, and the first of the step after the next: what it calls between seems swapped."""
        rank, step = self.r.randrange(self.world), self.r.randrange(1, self.steps - 3)
        at = [(step, self.ops[-1]), (step + 2, self.ops[0])]
        return [(c, rank) for c in self.calls if rank in c["group"] and (c["step"], c["op"]) in at and len(c["group"]) > 1]

    def move_ends(self, free):
        """Ends a call on one device before those that it waits for have begun."""
        for gap in [self.r.choice([3, 5, 20, 60, 120]) * US for _ in range(3)] + [BOUND_PS * 3 // 2]:
            for call in list(free):
                starts = {rank: t[0] for rank, t in call["seen"].items()}
                if call["op"]["kind"] == "recv":
                    starts = {rank: t[0] for rank, t in self.send_of(call)["seen"].items()}
                pairs = [(a, b) for a, b in self.waits(call["op"], call["group"], call["root"]) if b in call["seen"]]
                pairs = [p for p in pairs if (p[0] // self.gpus == p[1] // self.gpus) == (self.fault == "inside")]
                if not pairs or (self.fault == "inside" and gap < 3 * US):
                    continue
                victim = self.r.choice(pairs)[1]
                own = [a for a, b in self.waits(call["op"], call["group"], call["root"]) if b == victim]
                first = max(starts[a] for a, b in pairs if b == victim)
                # Of its own node nobody is out of order by less than two clocks may be wrong.
                if any(0 < starts[a] - (first - gap) <= 2 * BOUND_PS for a in own if a // self.gpus == victim // self.gpus):
                    continue
                start, end = call["seen"][victim]
                start = first - gap - min(end - start, call["op"]["duration"])
                # A device makes its calls in their order.
                if any(c["op"] is call["op"] and c["step"] < call["step"] and c["seen"].get(victim, [start - 1])[0] >= start for c in self.calls):
                    continue
                call["seen"][victim] = [start, first - gap]
                free.remove(call)
                break

    def send_of(self, call):
        return next(c for c in self.calls if c["op"]["kind"] == "send" and c["step"] == call["step"])

    def swap(self, free):
        """One device, the same each time, makes two calls of a step that follow one another the other way round."""
        while free:
            one = free.pop()
            following = self.ops[self.ops.index(one["op"]) + 1:][:1]
            others = [c for c in self.calls if c["step"] == one["step"] and c["op"] in following and set(c["group"]) & set(one["group"])]
            if not others or any(abs(o["step"] - one["step"]) < 2 for o in self.orders):
                continue
            other = self.r.choice(others)
            both = set(one["group"]) & set(other["group"])
            rank = self.orders[0]["rank"] if self.orders else self.r.choice(sorted(both))
            # Calls of one kind in one group differ by nothing but their number.
            if rank not in both or (one["group"] == other["group"] and one["op"]["kind"] == other["op"]["kind"]):
                continue
            a, b = one["seen"][rank], other["seen"][rank]
            one["seen"][rank], other["seen"][rank] = [b[0], b[0] + a[1] - a[0]], [a[0], a[0] + b[1] - b[0]]
            one["misordered"] = other["misordered"] = True
            self.orders.append({"rank": rank, "step": one["step"]})
            return

    # ---- what is so ----

    def verdict(self, call):
        found = "none"
        for a, b in self.waits(call["op"], call["group"], call["root"]):
            source = self.send_of(call) if call["op"]["kind"] == "recv" else call
            if a in source["absent"] or b in call["absent"] or b not in call["seen"]:
                continue
            gap = source["seen"][a][0] - call["seen"][b][1]
            if gap > 2 * BOUND_PS:
                return "violation"
            if gap > 0:
                found = "fine" if a // self.gpus == b // self.gpus else "within_bound"
        return found

    def truth(self):
        rows = [{"id": c["id"], "op": c["op"]["name"], "kind": c["op"]["kind"], "step": c["step"], "group": c["group"],
                 "members": [[rank, str(BASE_NS * 1000 + t[0]), str(BASE_NS * 1000 + t[1])] for rank, t in sorted(c["seen"].items())
                             if rank not in c["absent"]],
                 "misordered": c["misordered"], "verdict": self.verdict(c), "moves": self.moves(c)} for c in self.calls]
        absent = [(c["id"], rank, why) for c in self.calls for rank, why in c["absent"].items()]
        return {"claim": "align" if self.fault == "clocks" else "bound", "comparable": self.comparable(), "bound_ps": BOUND_PS, "gpus": self.gpus, "nodes": self.nodes, "calls": rows,
                "clocks": [{"base_ps": str(c["base_ps"]), "ppb": c["ppb"]} for c in self.clocks],
                "violations": [r["id"] for r in rows if r["verdict"] == "violation" and not r["misordered"]],
                "missing": [[i, rank] for i, rank, why in absent if why == "missing"],
                "late_or_stopped": sorted({rank // self.gpus for _, rank, why in absent if why != "missing"}),
                "size_differences": [[c["id"], rank] for c in self.calls for rank in c["sizes"]],
                "order_differences": self.orders, "straggler": self.straggler}

    @staticmethod
    def moves(call):
        """Bytes of a call, of these over each link, and the time since all were there; as NCCL's tests count them."""
        op, n = call["op"], len(call["group"])
        seen = [t for rank, t in call["seen"].items() if rank not in call["absent"]]
        if len(seen) < 2 or call["misordered"]:
            return None
        if call["sizes"]:
            return {"bytes": None}
        size = op["elements"] * op["type"][2]
        shares = {"all-reduce": 2 * (n - 1), "all-gather": n - 1, "reduce-scatter": n - 1, "all-to-all": n - 1}
        return {"bytes": size, "link_bytes": size * shares.get(op["kind"], n) // n,
                "ps": max(t[1] for t in seen) - max(t[0] for t in seen)}

    # ---- as XSpace ----

    def choose_ids(self):
        """How the program counts devices: (replicas, partitions, device of each logical id or nothing)."""
        self.counts = self.r.choice(["partitions", "replicas", "grid"])
        order = list(range(self.world))
        # What is left to be inferred is believed less: there are no faults of order then.
        whole = all(op["pairs"] is None for op in self.ops) and self.fault not in ("cross", "inside")
        self.assigned = self.counts == "grid" or not whole or self.r.random() < 0.7
        if self.counts != "grid" and self.assigned and self.r.random() < 0.5:
            self.r.shuffle(order)
        # Numbers of devices need not follow one another; that they ascend with their places is all there is.
        step, first = self.r.choice([(1, 0), (1, 0), (3, 5)])
        self.logical = {rank: at for at, rank in enumerate(order)}
        self.device_ids = [first + step * rank for rank in order]

    def list_of(self, op, groups):
        """The field of an instruction with these groups, in one of the forms that XLA writes."""
        flat, size, count = [i for g in groups for i in g], len(groups[0]), len(groups)
        forms = ["groups", "list"]
        runs, strides = list(range(count * size)), [i * count + j for j in range(count) for i in range(size)]
        if flat in (runs, strides):
            forms += ["iota", "iota alone", "mesh"]
        form = self.r.choice(forms)
        if form == "groups":
            return b"".join(message(49, packed(1, g)) for g in groups)
        if form == "list":
            return message(87, b"".join(message(1, packed(1, g)) for g in groups))
        if form == "mesh":
            sizes, axes = ([count, size], [1]) if flat == runs else ([size, count], [0])
            mesh = b"".join(message(1, message(1, f"axis{k}") + number(2, s)) for k, s in enumerate(sizes))
            return message(93, message(1, mesh) + b"".join(message(2, number(1, a)) for a in axes))
        iota = number(1, count) + number(2, size)
        iota += packed(3, [count * size]) + packed(4, [0]) if flat == runs else packed(3, [size, count]) + packed(4, [1, 0])
        return message(87, message(2, iota)) if form == "iota" else message(92, iota)

    @staticmethod
    def shape(op, elements):
        return number(2, op["type"][1]) + packed(3, [elements // 8, 8])

    def result(self, op):
        """The shape of an instruction: what it gets; of one that starts a transfer what it was given, too."""
        size = len(op["groups"][0]) if op["groups"] else 2
        whole, share = self.shape(op, op["elements"]), self.shape(op, op["elements"] // size)
        token, count = number(2, 17), number(2, 8)
        tuple_of = lambda *parts: number(2, 13) + b"".join(message(4, part) for part in parts)
        if op["kind"] in ("send", "recv"):
            return tuple_of(whole, count, token)
        if op["starts"] and op["kind"] == "all-gather":
            return tuple_of(share, whole)
        if op["starts"] and op["kind"] == "collective-permute":
            return tuple_of(whole, whole, count, count)
        if op["starts"]:  # of two arrays together
            return tuple_of(self.shape(op, op["elements"] // 4), self.shape(op, op["elements"] - op["elements"] // 4))
        return share if op["kind"] == "reduce-scatter" else whole

    def instruction(self, op, key):
        body = message(1, op["name"]) + message(2, op["kind"] + ("-start" if op["starts"] else "")) + number(35, key)
        body += message(3, self.result(op))
        logical = self.logical
        if op["pairs"]:
            channel = self.counts == "partitions" or op["kind"] != "collective-permute"
            pairs = [(logical[a], logical[b]) for a, b in op["pairs"]]
            if op["kind"] != "collective-permute":
                text = "{" + ",".join(f"{{{a},{b}}}" for a, b in pairs) + "}"
                body += message(68, message(1, message(1, "_xla_send_recv_source_target_pairs") + message(2, text)))
            else:
                body += b"".join(message(52, number(1, a) + number(2, b)) for a, b in pairs)
            return message(2, body + (number(26, op["channel"]) if channel else b""))
        groups = [[logical[i] for i in g] for g in op["groups"]]
        joins, world = op["kind"] in JOINS, op["layout"] == "world"
        rooted = op["kind"] == "collective-broadcast"
        channel, use_global = self.counts == "partitions", self.counts == "partitions" and joins
        if self.counts == "grid":
            if world and joins:  # replicas, all partitions of each
                groups, channel = [list(range(self.nodes))], True
            elif op["layout"] == "across" and not rooted:  # replicas, in every partition
                groups = [list(range(self.nodes))]
            elif op["layout"] == "inside" and not joins and not rooted:  # partitions, in every replica
                groups, channel = [list(range(self.gpus))], True
            elif joins:
                channel = use_global = True
        empty = not rooted and len(groups) == 1 and self.assigned and self.r.random() < 0.3
        body += b"" if empty else self.list_of(op, groups)
        return message(2, body + (number(26, op["channel"]) if channel else b"") + (number(71, 1) if use_global else b""))

    def module(self):
        main = message(1, "main") + b"".join(self.instruction(op, k + 1) for k, op in enumerate(self.ops)) + number(5, 1)
        body = message(1, "jit_step") + message(3, main) + number(5, 11) + number(6, 1)
        if self.assigned:
            if self.counts == "partitions":
                rows = [[i] for i in self.device_ids]
            elif self.counts == "replicas":
                rows = [self.device_ids]
            else:
                rows = [[self.device_ids[r * self.gpus + p] for r in range(self.nodes)] for p in range(self.gpus)]
            body += message(15, number(1, len(rows[0])) + number(2, len(rows)) + b"".join(message(3, packed(1, row)) for row in rows))
        return message(1, body)

    def write_xspace(self, folder):
        self.choose_ids()
        runs = self.r.choice(["none", "none", "shared", "own"])  # ids of runs: none, the same on all nodes, of each node
        # What counts no ids of one kind for both cannot be written in a grid.
        if self.counts == "grid" and any(op["pairs"] or (op["kind"] not in JOINS and op["layout"] == "world") or
                                         op["kind"] == "collective-broadcast" or (op["kind"] == "all-to-all" and op["layout"] == "world")
                                         for op in self.ops):
            self.counts = "partitions"
        folder.mkdir(parents=True)
        program = self.module()
        for node in range(self.nodes):
            planes = []
            for device in range(self.gpus):
                rank, plane, events = node * self.gpus + device, proto.Plane(f"/device:GPU:{device}", device), []
                for call in self.calls:
                    if rank not in call["seen"] or rank in call["absent"]:
                        continue
                    start, end = call["seen"][rank]
                    size = call["op"]["type"][2] * call["op"]["elements"] // (2 if rank in call["sizes"] else 1)
                    stats = [("hlo_op", proto.Ref(call["op"]["name"])), ("program_id", 11), ("hlo_module", proto.Ref("jit_step")),
                             ("bytes_transferred", size)]
                    if runs != "none" and self.fault != "order":
                        stats.append(("run_id", 1000 + call["step"] + (1000 * node if runs == "own" else 0)))
                    events.append((start, plane.event(kernel_of(call["op"]), start, end - start, stats)))
                plane.line("Stream #7(NCCL)", BASE_NS, [e for _, e in sorted(events)], line_id=7)
                planes.append(plane)
            metadata = proto.Plane("/host:metadata", first_event_id=11)
            metadata.event_metadata("jit_step(11)", stats=[("Hlo Proto", program)])
            start = proto.Plane("Task Environment")
            start.own_stat("profile_start_time", proto.Uint(BASE_NS))
            (folder / f"node{node}.xplane.pb").write_bytes(proto.xspace([*planes, metadata, start], [f"host-{node}"]))

    # ---- as Kineto ----

    def write_kineto(self, folder):
        folder.mkdir(parents=True)
        numbered = self.fault == "order" or self.r.random() < 0.75  # recorders of earlier releases do not number calls
        names = {tuple(range(self.world)): "0"}
        for op in self.ops:
            for group in op["groups"] or op["pairs"]:
                names.setdefault(tuple(sorted(group)), str(len(names)))
        for rank in range(self.world):
            events, sequence = [], {}
            for call in sorted((c for c in self.calls if rank in c["seen"]), key=lambda c: c["seen"][rank][0]):
                op, start, end = call["op"], *call["seen"][rank]
                # Of a permute each rank has what it sends and what it receives.
                for pair in [p for p in op["pairs"] or [None] if p is None or rank in p]:
                    args, group, sends = {"Collective name": TORCH.get(op["kind"])}, tuple(call["group"]), False
                    if pair is not None:
                        group, sends = tuple(sorted(pair)), rank == pair[0]
                        args = {"Collective name": "send", "Dst Rank": pair[1]} if sends else {"Collective name": "recv", "Src Rank": pair[0]}
                    elif call["root"] is not None:
                        args["Root"] = call["root"]
                    sequence[group] = sequence.get(group, 0) + 1
                    if rank in call["absent"]:
                        continue
                    count = op["elements"] // (2 if rank in call["sizes"] else 1)
                    share = count // len(call["group"])
                    cut = [str(i) for i in group[:3]] + (["..."] if len(group) > 3 else [])
                    args.update({"In msg nelems": share if op["kind"] == "all-gather" else count,
                                 "Out msg nelems": share if op["kind"] == "reduce-scatter" else count,
                                 "Group size": len(group), "dtype": op["type"][0],
                                 **({"Seq": sequence[group]} if numbered else {}), "Process Group Name": names[group],
                                 "Process Group Description": op["layout"], "Process Group Ranks": f"[{', '.join(cut)}]",
                                 "device": rank % self.gpus, "stream": 8 if sends else 7})
                    events.append({"ph": "X", "cat": "kernel", "name": kernel_of(op), "pid": rank % self.gpus, "tid": 8 if sends else 7,
                                   "ts": start / US, "dur": (end - start) / US, "args": args})
            document = {"schemaVersion": 1, "distributedInfo": {
                "backend": "nccl", "rank": rank, "world_size": self.world,
                "pg_config": [{"pg_name": n, "pg_size": len(g), "ranks": list(g)} for g, n in names.items() if rank in g]},
                "baseTimeNanoseconds": BASE_NS, "traceEvents": events,
                **({"host_name": f"host-{rank // self.gpus}"} if self.fault == "clocks" else {})}
            (folder / f"rank{rank}.json").write_text(json.dumps(document), encoding="utf-8")


def build_all(folder, seed):
    for fault in FAULTS:
        for number_of_case in range(4):
            cluster = Cluster(f"{seed}.{number_of_case}", fault)
            into = pathlib.Path(folder) / f"{fault.replace(' ', '_')}_{seed}_{number_of_case}"
            cluster.write_xspace(into / "xspace")
            cluster.write_kineto(into / "kineto")
            (into / "truth.json").write_text(json.dumps(cluster.truth()), encoding="utf-8")
