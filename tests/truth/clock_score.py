"""Scores a merge of a cluster whose clocks are known: is every event within the bound that the merge gives for it?

A case is a folder with what `merge --run-dir` takes and a truth.json: `events`, rows of uid, node, clock ("device" or
"host"), true ps, and the reference node's wall clock at that time in ps; `must`, `sick`, `told`, `reference`.
"""
import bisect
import json
import pathlib
import subprocess

import proto_reader
import truth

COVERAGE = 0.9995       # of the events of each node
HEALTHY_TIMES = 1.2     # how much wider the bound of a healthy node may be than without the fault


class Score:
    """What came of one case. `rows`: (node, clock) -> list of (uid, error ps, bound ps or None)."""

    def __init__(self, folder):
        self.truth = json.loads((pathlib.Path(folder) / "truth.json").read_text())
        self.rows, self.document, self.problems, self.refused = {}, None, [], False
        self.run(pathlib.Path(folder))

    def run(self, folder):
        where = folder / "merged.xspace"
        arguments = ["merge", "--run-dir", str(folder), "--output", str(where), "--keep-going", "--quiet"]
        done = subprocess.run([truth.PROFKIT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        self.refused = not where.exists()
        if self.refused:
            if done.returncode not in (2, 4):
                self.problems.append(f"ended with {done.returncode}: {done.stderr.decode()}")
            return
        self.document = json.loads((folder / "merged.metadata.json").read_text())
        self.compare(proto_reader.xspace(where.read_bytes()))

    def compare(self, merged):
        origin_ps = int(self.document["origin_ns"]) * 1000
        nodes = {n["id"]: n for n in self.document["nodes"]}
        windows = {k: (n["bound"] or {}).get("windows", []) for k, n in nodes.items()}
        begins = {k: [w["from_ps"] for w in of] for k, of in windows.items()}
        wanted = {row[0]: row for row in self.truth["events"]}
        for plane in merged["planes"]:
            for line in plane["lines"]:
                for event in line["events"]:
                    uid = dict(event["stats"]).get("uid")
                    if uid is None:
                        continue
                    _, node, clock, _, right_ps = wanted.pop(uid)[:5]
                    at_ps = line["timestamp"] * 1000 + event["offset"] - origin_ps
                    if line["timestamp"] == 0:
                        at_ps += origin_ps
                    bound = None
                    if windows[node]:
                        place = max(bisect.bisect_right(begins[node], at_ps) - 1, 0)
                        bound = windows[node][place]["tracer_bound_ps" if clock == "device" else "host_bound_ps"]
                    self.rows.setdefault((node, clock), []).append((uid, at_ps + origin_ps - int(right_ps), bound))
        if wanted:
            self.problems.append(f"{len(wanted)} events are not in the merge")

    def nodes(self):
        return sorted({node for node, _ in self.rows})

    def of_node(self, node):
        return [row for (k, _), rows in self.rows.items() if k == node for row in rows]

    def outside(self, node):
        """Events beyond their bound; those without one are not."""
        return [row for row in self.of_node(node) if row[2] is not None and abs(row[1]) > row[2]]

    def covers(self, node):
        rows = self.of_node(node)
        return bool(rows) and all(r[2] is not None for r in rows) and len(self.outside(node)) <= (1 - COVERAGE) * len(rows)

    def warned(self, node):
        """Whether something is said of the node's clock, or it was not corrected."""
        of = next(n for n in self.document["nodes"] if n["id"] == node)
        return bool(of["anomalies"]) or of["status"] != "corrected"

    def has_no_bound(self, node):
        return all(row[2] is None for row in self.of_node(node))

    def assumes_symmetry(self):
        return any("path" in a for a in self.document["assumptions"])

    def silent(self):
        """Events beyond the bound of a node of which nothing is said."""
        if self.refused or self.truth["must"] == "assumption" and self.assumes_symmetry():
            return 0
        return sum(len(self.outside(k)) for k in self.nodes() if not self.warned(k))

    def widths(self, node, clock):
        """Median half-width of the bound, and the least one that would have held all events of the node."""
        rows = [r for r in self.rows.get((node, clock), []) if r[2] is not None]
        if not rows:
            return None
        bounds = sorted(r[2] for r in rows)
        return bounds[len(bounds) // 2], max(abs(r[1]) for r in rows)

    def judge(self, healthy=None):
        """Everything that is not as it must be, as sentences. `healthy`: the same run without the fault."""
        found = list(self.problems)
        must, sick = self.truth["must"], set(self.truth["sick"])
        if self.refused:
            return found + ([] if must == "refuse_or_null" else ["refused"])
        if must == "assumption":
            if not self.assumes_symmetry():
                found += [f"node {k} is not covered and no assumption is stated" for k in sick if not self.covers(k)]
        for node in self.nodes():
            if must == "assumption" and node in sick:
                continue
            if self.covers(node) or (node in sick and must == "refuse_or_null" and self.has_no_bound(node)):
                continue
            if node in sick and must == "cover_or_warn" and self.warned(node):
                continue
            if must == "cover_or_warn" and not sick and self.warned(node):
                continue
            found.append(f"node {node}: {len(self.outside(node))} of {len(self.of_node(node))} events are beyond the bound")
        if self.truth.get("told") == "tracer":
            for node in sick:
                texts = [a["text"] for n in self.document["nodes"] if n["id"] == node for a in n["anomalies"]]
                if not any("tracer clock" in w for w in texts) or any("the wall clock steps" in w for w in texts):
                    found.append(f"node {node}: a reset of its tracer clock is not called one")
        if healthy is not None:
            for node in self.nodes():
                if node not in sick and self.widening(healthy, node) > HEALTHY_TIMES:
                    found.append(f"node {node} is healthy, and its bound {self.widening(healthy, node):.2f} times as wide")
        return found

    def widening(self, healthy, node):
        """Median over the events of a node of how much wider their bound is than without the fault."""
        before = {row[0]: row[2] for row in healthy.of_node(node)}
        ratios = sorted(row[2] / before[row[0]] for row in self.of_node(node) if row[2] and before.get(row[0]))
        return ratios[len(ratios) // 2] if ratios else 0
