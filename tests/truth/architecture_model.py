"""What the document `architecture` must hold of a run that is described layer by layer: docs/architecture-report.md."""
import math
from fractions import Fraction

from idle_model import cover, length, union

KINDS = ["Dense", "MoE+DFC", "MoE+GMM", "MoE+MDD"]
PHASES = ["prefill", "decode", "training", "undetermined"]
ROLES = ["attention", "projection", "tp_comm", "norm", "dense_ffn", "moe_routing", "expert_dispatch", "ep_comm", "expert_ffn",
         "post_ffn_norm", "next_layer_prep", "output_head", "sampling", "other"]


def ns(ps):
    return ps // 1000


class Device:
    """`passes`: (phase, first layer, behind the last one, [(kernel, role, layer)]) by start."""

    def __init__(self, passes, layers_per_pass):
        self.layers_per_pass = layers_per_pass
        self.passes, self.layers = [], []
        self.kernels = sorted((k for *_, marked in passes for k, _, _ in marked), key=lambda k: (k.start, k.duration, k.row))
        self.lanes = []
        for k in self.kernels:
            if k.stream not in self.lanes:
                self.lanes.append(k.stream)
        for number, (phase, first, end, marked) in enumerate(passes):
            marked = sorted(marked, key=lambda m: (m[0].start, m[0].duration, m[0].row))
            self.add_pass(number, len(passes), phase, first, end, marked)
        self.find_layouts()

    def add_pass(self, number, count, phase, first, end, marked):
        kernels = [k for k, _, _ in marked]
        anchors = [i for i, k in enumerate(kernels) if k.op_type == "FusedInferAttentionScore"]
        whole = end - first == self.layers_per_pass
        p = {"index": number, "phase": phase, "first": len(self.layers), "kernels": kernels, "prologue": anchors[0],
             "cut": "none" if whole else "beginning" if number == 0 else "end"}
        for n, at in enumerate(anchors):
            behind = anchors[n + 1] if n + 1 < len(anchors) else len(kernels)
            own = kernels[at:behind]
            last = n + 1 == len(anchors)
            self.layers.append({
                "pass": number, "index": first + n, "kind": KINDS[first + n], "sampling": "sampling" in
                [r for _, r, _ in marked[at:behind]], "phase": phase, "kernels": own, "roles": [r for _, r, _ in marked[at:behind]],
                "start": own[0].start, "end": max(k.end for k in own) if last else kernels[behind].start,
                "last": last})
        p["last"] = len(self.layers) - 1
        self.passes.append(p)

    def find_layouts(self):
        self.layouts = []
        for p in self.passes:
            of = self.layers[p["first"]:p["last"] + 1]
            key = [(x["kind"], x["phase"], x["sampling"], x["index"]) for x in of]
            same = next((x for x in self.layouts if x["key"] == key), None)
            if same is None:
                same = {"key": key, "phase": p["phase"], "layers": len(of), "first_pass": p["index"], "passes": 0,
                        "cut": p["cut"] != "none", "layout": len(self.layouts)}
                self.layouts.append(same)
            same["passes"] += 1
            p["layout"] = same["layout"]

    @staticmethod
    def rule(layer):
        took = layer["kernels"][0].duration
        return "prefill" if took > 10**10 else "decode" if took < 10**9 else "undetermined"

    def pass_row(self, p):
        of = self.layers[p["first"]:p["last"] + 1]
        kernels = p["kernels"]
        return {"index": p["index"], "phase": p["phase"], "first_layer": p["first"], "last_layer": p["last"], "layers": len(of),
                "start_rel_ns": ns(min(k.start for k in kernels)), "end_rel_ns": ns(max(k.end for k in kernels)),
                "kernels": len(kernels), "prologue_kernels": p["prologue"], "cut": p["cut"], "irregular": False,
                "layout": p["layout"], "step": None, "decode_layers": sum(x["phase"] == "decode" for x in of),
                "anchor_mean_ns": ns(sum(x["kernels"][0].duration for x in of) // len(of)),
                "busy_ns": ns(length(union((k.start, k.end) for k in kernels))),
                "kernel_sum_ns": ns(sum(k.duration for k in kernels))}

    def layer_row(self, x):
        return {"pass": x["pass"], "index": x["index"], "type": x["kind"], "sampling": x["sampling"], "phase": x["phase"],
                "rule_phase": self.rule(x), "start_rel_ns": ns(x["start"]), "end_rel_ns": ns(x["end"]),
                "kernels": len(x["kernels"]), "anchor": x["kernels"][0].op_type, "anchor_ns": ns(x["kernels"][0].duration),
                "kernel_sum_ns": ns(sum(k.duration for k in x["kernels"])),
                "comm_sum_ns": ns(sum(k.duration for k in x["kernels"] if self.communicates(k)))}

    @staticmethod
    def communicates(k):
        return k.kind == "comm"

    def types(self):
        rows = []
        for layout in self.layouts:
            found = {}
            for kind, phase, sampling, index in layout["key"]:
                found.setdefault((kind, sampling, phase), []).append(index)
            for (kind, sampling, phase), indices in found.items():
                rows.append({"type": kind, "sampling": sampling, "phase": phase, "layout": layout["layout"],
                             "ranges": [{"first": i, "last": i} for i in indices], "count": len(indices),
                             "occurrences": len(indices) * layout["passes"]})
        return rows

    # ---- parts of layers ----

    @staticmethod
    def spread(values, time=True):
        values = sorted(values)
        unit = ns if time else int
        mean = sum(values) / len(values)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
        return {"min": unit(values[0]), "median": unit(values[(len(values) - 1) // 2]), "max": unit(values[-1]),
                "cv": deviation / mean if mean > 0 else 0.0}

    def anatomies(self, anomalies):
        groups = {}
        for i, x in enumerate(self.layers):
            if self.passes[x["pass"]]["cut"] == "end" and x["last"]:
                continue  # the capture ends in it
            groups.setdefault((PHASES.index(x["phase"]), KINDS.index(x["kind"]), x["sampling"]), []).append(i)
        out = []
        for key in sorted(groups):
            phase, kind, sampling = PHASES[key[0]], KINDS[key[1]], key[2]
            of = [self.layers[i] for i in groups[key]]
            wall = lambda x: x["end"] - x["start"]
            typical = sorted(of, key=wall)[(len(of) - 1) // 2]
            compute = lambda x: sum(k.duration for k in x["kernels"][1:] if k.kind == "compute" and not self.communicates(k))
            fused = lambda x: sum(k.duration for k in x["kernels"] if k.op_type == "DispatchFFNCombine")
            out.append({
                "type": kind, "sampling": sampling, "phase": phase, "layers": len(of),
                "typical": {"pass": typical["pass"], "index": typical["index"], "wall_ns": ns(wall(typical)),
                            "kernels": len(typical["kernels"])},
                "components": self.components(typical), "tree": self.tree(typical), "tree_kernels_left_out": 0,
                "variation": {"wall_ns": self.spread([wall(x) for x in of]),
                              "anchor_ns": self.spread([x["kernels"][0].duration for x in of]),
                              "dispatch_ns": self.spread([fused(x) for x in of]),
                              "compute_behind_anchor_ns": self.spread([compute(x) for x in of]),
                              "kernels": self.spread([len(x["kernels"]) for x in of], False)},
                "anomalies": anomalies.get((phase, kind), [])})
        return out

    def components(self, layer):
        wall = layer["end"] - layer["start"]
        rows = []
        for role in ROLES:
            of = [k for k, r in zip(layer["kernels"], layer["roles"]) if r == role]
            if not of:
                continue
            took = length(union((k.start, k.end) for k in of))
            rows.append({"role": role, "wall_ns": ns(took), "share": Fraction(took, wall),
                         "kernel_sum_ns": ns(sum(k.duration for k in of)), "kernels": len(of), "flops_per_s": None, "bytes_per_s": None,
                         "streams": [str(s) for s in self.lanes if s in {k.stream for k in of}]})
        return sorted(rows, key=lambda r: -r["wall_ns"])

    def tree(self, layer):
        """Runs of one role on one stream; a new run on the stream of the anchor ends those of the others."""
        main, nodes, open_nodes, main_runs = layer["kernels"][0].stream, [], {}, 0
        for k, role in zip(layer["kernels"], layer["roles"]):
            node = open_nodes.get(k.stream)
            if node is None or node["role"] != role or (k.stream != main and node["runs"] != main_runs):
                main_runs += k.stream == main
                node = {"role": role, "stream": k.stream, "kernels": [], "runs": main_runs}
                nodes.append(node)
                open_nodes[k.stream] = node
            node["kernels"].append(k)
        rows = []
        for node in nodes:
            others = [(k.start, k.end) for k in layer["kernels"] if k.stream != node["stream"]]
            took = length(union((k.start, k.end) for k in node["kernels"]))
            beside = sum(cover(others, k.start, k.end) for k in node["kernels"])
            ops = []
            for k in node["kernels"]:
                if not ops or ops[-1]["op"] != k.op_type:
                    ops.append({"op": k.op_type, "count": 0, "duration_ns": 0})
                ops[-1]["count"] += 1
                ops[-1]["duration_ns"] += ns(k.duration)
            rows.append({"role": node["role"], "stream": str(node["stream"]), "beside": node["stream"] != main,
                         "wall_ns": ns(took), "overlapped_ratio": Fraction(min(beside, took), took), "ops": ops})
        return rows

    # ---- streams ----

    def streams(self, roles):
        busy = {s: union((k.start, k.end) for k in self.kernels if k.stream == s) for s in self.lanes}
        rows = []
        for s in self.lanes:
            of = [k for k in self.kernels if k.stream == s]
            overlaps = []
            for other in self.lanes:
                both = sum(cover(busy[other], a, b) for a, b in busy[s])
                if other != s and both:
                    overlaps.append({"stream": str(other), "ns": ns(both), "ratio": Fraction(both, length(busy[s]))})
            rows.append({"stream": str(s), "role": roles[s], "kernels": len(of), "busy_ns": ns(length(busy[s])),
                         "compute_sum_ns": ns(sum(k.duration for k in of if self.computes(k))),
                         "comm_sum_ns": ns(sum(k.duration for k in of if self.communicates(k))),
                         "overlaps": sorted(overlaps, key=lambda o: -o["ns"])})
        return rows

    def computes(self, k):
        return k.kind in ("compute", "aicpu") and not self.communicates(k)

    def pipeline(self):
        of = lambda wanted: union((k.start, k.end) for k in self.kernels if wanted(k))
        compute, comm = of(self.computes), of(self.communicates)
        hidden = sum(cover(compute, a, b) for a, b in comm)
        wall = max(k.end for k in self.kernels) - min(k.start for k in self.kernels)
        busy, total = length(of(lambda k: True)), sum(k.duration for k in self.kernels)
        comm_sum = sum(k.duration for k in self.kernels if self.communicates(k))
        return {"wall_ns": ns(wall), "busy_ns": ns(busy), "kernel_sum_ns": ns(total), "compute_ns": ns(length(compute)),
                "comm_ns": ns(length(comm)), "comm_sum_ns": ns(comm_sum), "hidden_ns": ns(hidden),
                "hidden_ratio": Fraction(hidden, length(comm)), "hidden_of_comm_sum_ratio": Fraction(hidden, comm_sum),
                "kernel_sum_of_busy_ratio": Fraction(total, busy)}

    def op_counts(self):
        counts = {}
        for k in self.kernels:
            counts[k.op_type] = counts.get(k.op_type, 0) + 1
        return counts
