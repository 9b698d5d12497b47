"""The answers and recommendations of `bubbles` for traces of PyTorch with steps, hosts and stacks, from the numbers."""
import json
import pathlib
from fractions import Fraction

from idle_model import CAUSE_MEANINGS, CAUSES, certainty
from idle_sentences import counted, human, percent

ADVICE = json.loads((pathlib.Path(__file__).parent / "expected" / "advice_pytorch.json").read_text(encoding="utf-8"))
SLOW = ("launch_bound", "graph_launch_late")


def listed(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def sums(of, steps):
    """What some steps spent."""
    of_them = [of.measures[i] for i in steps]
    out = {key: sum(m[key] for m in of_them) for key in ("service", "idle", "prelaunch", "internal", "tail")}
    out["longest"] = max(max(m["prelaunch"], m["largest"], m["tail"]) for m in of_them)
    for part in of_them[0]["parts"]:
        out[part] = sum(m["parts"][part] for m in of_them)
    return out


def answers(of):
    every = sums(of, range(len(of.steps)))
    group, _ = of.idlest()
    own, facts = sums(of, of.group_facts[group]["steps"]), of.group_facts[group]
    compute = every["compute_only"] + every["comm_overlapped"]
    busy = of.at_least(compute, every["service"], "compute_bound")
    waiting = [f"g{g} ({counted(len(f['steps']), 'step')}, "
               f"{percent(sums(of, f['steps'])['idle'], sums(of, f['steps'])['service'])} idle)"
               for g, f in enumerate(of.group_facts) if f["issue"]]
    spent = [(what, every[part]) for what, part in (("exposed communication", "comm_exposed"), ("exposed copies", "copy"),
                                                    ("other work", "other")) if every[part]]
    q1 = ("Yes. " if waiting else "No. " if busy else "Little. ") + f"Device time in steps, {human(every['service'])}: " \
        f"compute {percent(compute, every['service'])}, " + "".join(f"{what} {percent(ps, every['service'])}, " for what, ps in spent) + \
        f"idle {percent(every['idle'], every['service'])} ({human(every['idle'])}). The longest gap in a step is {human(every['longest'])}"
    between = max((g.length for g in of.gaps if g.step is None), default=0)
    q1 += f"; one of {human(between)} is outside of steps or crosses the edge of one." \
        if between > every["longest"] and human(between) != human(every["longest"]) else "."
    if len(waiting) > 4:
        waiting = waiting[:4] + [f"{len(waiting) - 4} more"]
    kinds = f"{percent(own['internal'], own['idle'])} between kernels, {percent(own['prelaunch'], own['idle'])} before a step's " \
        f"first kernel, {percent(own['tail'], own['idle'])} after its last"
    pattern = facts["pattern"]
    q3 = f"No kind dominates in g{group} ({kinds})." if pattern == "none" else f"{pattern} in g{group}: {kinds}."
    q4 = f"{facts['risk']} in g{group}" + (
        ": host activity overlaps the gaps." if "HOST_ORIGINATED_RISK" in facts["tags"] else
        ": no host event overlaps the gaps." if "UNTRACED_HOST_BLOCKING_RISK" in facts["tags"] else ".")
    return {"q1": q1, "q2": f"In {listed(waiting)}." if waiting else "Nowhere: no group of steps waits long enough to matter.",
            "q3": q3, "q4": q4, "q5": last_answer(of, group, facts, bool(waiting), busy)}


def last_answer(of, group, facts, waits, busy):
    if not waits:
        return "Nothing needs an explanation." if busy else \
            "Idle time needs none. Exposed communication and copies are not judged here."
    if all(host is None for host in of.c.hosts):
        return "No: the host was not traced."
    if of.sure() == "high" and not any("UNTRACED_HOST_BLOCKING_RISK" in f["tags"] for f in of.group_facts):
        idle = [row for row in of.time_rows() if row["device"] is None and row["in_steps"] and row["use"] == "idle"]
        whole = sum(row["time_ps"] for row in idle)
        known = [row for row in idle if row["cause"] not in (None, "unexplained", "host_untraced")]
        proved = sum(row["time_ps"] for row in known if row["certainty"] == "proved")
        if not known:
            return "No: no cause of the idle time is known."
        return ("Yes" if of.at_least(proved, whole, "high_confidence") else "In part") + \
            f": causes are known for {percent(sum(row['time_ps'] for row in known), whole)} of the idle time, proved for " \
            f"{percent(proved, whole)}."
    if of.sure() == "high":
        return "No: the host's events point to no single cause."
    if facts["complete"] == 0:
        return f"No: no whole step of g{group} was recorded."
    if facts["complete"] < 3:
        one = facts["complete"] == 1
        return f"No: only {counted(facts['complete'], 'whole step')} of g{group} {'was' if one else 'were'} recorded; " \
            f"{'it' if one else 'they'} may not be typical."
    return f"No: most waiting of g{group} is at the edge of the capture."


def longest(gaps):
    """The first of those with most time."""
    return max(gaps, key=lambda g: g.length, default=None)


class Advice:
    def __init__(self, of):
        self.of, self.rows = of, []

    def add(self, text, scope, target, ps=0, evidence=(), how=None, followup=False, gap=None):
        self.rows.append({"text": text, "how": how, "scope": scope, "target_id": target, "ps": ps,
                          "followup_required": followup, "evidence_gap": gap, "evidence": list(evidence)})

    def idle_fact(self, group):
        f = self.of.group_facts[group]
        return f"idle {percent(f['idle_ppm'][0], 1_000_000)} of a step on average, pattern {f['pattern']}" + \
            (", at the same places in most steps" if "RECURRING_BUBBLE_PATTERN" in f["tags"] else "")

    def gap_fact(self, g):
        return f"the longest gap, {human(g.length)}: {self.of.where(g)}" + (f", in {g.span}" if g.span else "")

    def causes(self):
        """(group or -1, cause, gaps), those with most time first; then what was exposed."""
        found = {}
        for g in self.of.gaps:
            if not g.edge and not g.inter_step:
                found.setdefault((-1 if g.step is None else self.of.group_of[g.step], CAUSES.index(g.cause)), []).append(g)
        rows = [(group, CAUSES[cause], gaps, sum(g.length for g in gaps)) for (group, cause), gaps in sorted(found.items())]
        for group, f in enumerate(self.of.group_facts):
            for cause, part in (("exposed_comm", "comm_exposed"), ("exposed_copy", "copy")):
                ps = sum(self.of.measures[i]["parts"][part] for i in f["steps"])
                if ps and self.of.at_least(ps, sum(self.of.measures[i]["service"] for i in f["steps"]), "exposed_ratio"):
                    rows.append((group, cause, None, ps))
        return sorted(rows, key=lambda row: -row[3])

    def says(self, cause):
        if cause == "unexplained" and not self.of.c.stacks:
            return {"text": "Too little is on record to say why: record stacks, or sample the host.", "how": None, "missing": "stacks"}
        return ADVICE[cause]

    def of_causes(self):
        evidence = [c["evidence"] for c in self.of.cause_sums()]
        for (group, cause, gaps, ps), proof in zip(self.causes(), evidence):
            if gaps is not None and (not self.of.group_facts[group]["issue"] if group >= 0 else ps < self.of.ps("heavy_gap_us")):
                continue
            says = self.says(cause)
            if gaps is not None:
                proof = ([self.idle_fact(group)] if group >= 0 else []) + [self.gap_fact(longest(gaps))]
            self.add(says["text"], *(("step_group", f"g{group}") if group >= 0 else ("global", None)), ps, proof,
                     says["how"], says["missing"] is not None or (group >= 0 and self.of.group_facts[group]["followup"]), says["missing"])

    def of_groups(self):
        for group, f in enumerate(self.of.group_facts):
            between = [g for g in self.of.gaps if g.step is not None and self.of.group_of[g.step] == group and not g.edge and g.heavy
                       and g.scope == "step_internal" and g.part_before != g.part_after and g.cause in SLOW]
            own = [g for g in self.of.gaps if g.step is not None and self.of.group_of[g.step] == group]
            if f["issue"] and not self.of.c.stacks:
                self.add("Record again with with_stack=true to see which code runs before the gaps.", "step_group", f"g{group}",
                         evidence=[self.idle_fact(group)] + ([self.gap_fact(longest(own))] if own else []), followup=True, gap="stacks")
            if between:
                self.add("The host launches late between the parts of a step that repeat: look at how it dispatches one after another.",
                         "structure", f"g{group}", sum(g.length for g in between),
                         [self.of.where(longest(between))])
            if group == 0 and len(self.of.group_facts) > max(len(f["steps"]), 2):
                self.add("Steps fall into many groups: record with record_shapes=true to see whether shapes change.", "global", None,
                         gap="shapes")

    def of_ops(self):
        named = 0
        for op in sorted(self.of.ops, key=lambda o: (o["device"], o["rank_cost"])):
            late = [g for g in self.of.gaps if g.device == op["device"] and not g.inter_step and g.after
                    and g.after[0].type == op["op_type"] and g.cause in SLOW]
            if not op["inefficient"] or len(op["kernels"]) < 2 or not late or named == 5:
                continue
            named += 1
            ps = sum(g.length for g in late)
            self.add("Short kernels launched late, one by one: fusing them, or a graph, may help.", "op", op["op_type"], ps, [
                f"{counted(len(op['kernels']), 'call')}, {human(op['duration'])} of kernels and {human(ps)} of gaps with a late "
                f"launch right before them on {self.of.c.devices[op['device']].name}", self.gap_fact(longest(late))])

    def all(self):
        self.of_causes()
        self.of_groups()
        self.of_ops()
        rows = [r for r in self.of.time_rows() if r["device"] is None]
        in_steps, whole = sum(r["time_ps"] for r in rows if r["in_steps"]), sum(r["time_ps"] for r in rows)
        for row in self.rows:
            share = Fraction(row["ps"], in_steps if row["scope"] in ("step_group", "structure") else whole)
            row["priority"] = 3 if not row["ps"] else 0 if share >= Fraction(1, 20) else 1 if share >= Fraction(1, 100) else 2
        ordered = sorted(self.rows, key=lambda row: -row["ps"])
        return [{key: value for key, value in row.items() if key not in ("ps", "priority")} |
                {"priority": f"P{row['priority']}", "recoverable_ms": Fraction(row["ps"], 10 ** 9)}
                for row in ordered]


class TablesAdvice(Advice):
    """Of tables of Ascend without a trace of the host."""

    def of_causes(self):
        evidence = [c["evidence"] for c in self.of.cause_sums()]
        for (group, cause, gaps, ps), proof in zip(self.causes(), evidence):
            where = ("step_group", f"g{group}") if group >= 0 else ("global", None)
            if gaps is None:
                how = ADVICE[cause]["how"] if cause == "exposed_comm" else None
                self.add(ADVICE[cause]["text"], *where, ps, proof, how, self.of.group_facts[group]["followup"])
            elif self.of.group_facts[group]["issue"] if group >= 0 else ps >= self.of.ps("heavy_gap_us"):
                proof = ([self.idle_fact(group)] if group >= 0 else []) + [self.gap_fact(longest(gaps))]
                self.add(ADVICE[cause]["text"], *where, ps, proof, None, True, "host trace")

    def of_groups(self):
        for group, f in enumerate(self.of.group_facts):
            own = [g for g in self.of.gaps if g.step is not None and self.of.group_of[g.step] == group]
            if f["issue"]:
                self.add("Record again with with_stack=true to see which code runs before the gaps.", "step_group", f"g{group}",
                         evidence=[self.idle_fact(group)] + ([self.gap_fact(longest(own))] if own else []), followup=True, gap="stacks")
            if any("WAIT_POLLUTION_RISK" in self.of.measures[i]["tags"] for i in f["steps"]):
                self.add("Waits before kernels overlap collectives: take them as communication time, not as a cause, and look at the "
                         "communication and synchronisation paths.", "step_group", f"g{group}", followup=True)
            aligned, varying = self.of.c.shape_variation[group]
            if "VARIABLE_SHAPE_SAME_TEMPLATE" in f["tags"]:
                self.add("Input shapes change between steps of one template: pad or bucket them if they cause new compilations.",
                         "step_group", f"g{group}", evidence=[f"{varying:,} of {aligned:,} aligned kernels change their shapes"])

    def of_ops(self):
        on = lambda op: self.of.c.devices[op["device"]].name
        verdict = lambda a: self.of.aicpu_verdict(a["masked"], a["duration"])
        for a in [a for a in self.of.aicpu if verdict(a) not in (None, "AICPU_MASKED_BUT_UNDESIRABLE")][:5]:
            left = a["duration"] - a["masked"]
            self.add("Move this op from the AI CPU to an AI core: change its data type or replace it.", "op", a["op_type"],
                     left, [f"{counted(a['calls'], 'call')}, {human(left)} not hidden by compute on {on(a)}"])
        ranked = sorted(self.of.ops, key=lambda o: (o["device"], o["rank_cost"]))
        for op in [op for op in ranked if op["false_hotspot"]][:5]:
            gap = longest([g for g in self.of.gaps if g.device == op["device"] and not g.inter_step and g.after
                           and g.after[0].type == op["op_type"]])
            self.add("Not a hotspot: nearly all of its cost is waiting." if gap is None else
                     "Not a hotspot: its cost is the idle time before it. Look at that gap instead.", "op", op["op_type"], evidence=[
                         f"waits {human(op['wait'])}, runs {human(op['duration'])} in {counted(len(op['kernels']), 'call')}"]
                     + ([self.gap_fact(gap)] if gap else []))
        self.add("Record the host as well: without it no gap can be explained.", "global", None, followup=True, gap="host trace")


def sentences(of, found):
    """What is said in words; `found`: a document, of which only what is not known is not worked out."""
    advice = TablesAdvice if all(host is None for host in of.c.hosts) else Advice
    return {"answers": answers(of), "recommendations": advice(of).all(), "evidence_gaps": found["evidence_gaps"]}


def findings(of):
    """By id what a report says: of each group that waits too long, of its largest known cause, and of what is exposed."""
    rows, advice = [], Advice(of)
    causes = list(zip(advice.causes(), of.cause_sums()))

    def add(name, **said):
        count = sum(1 for row in rows if row[0] == name)
        rows.append((name, f"{name}.{count + 1}" if count else name, said))

    def proof(g):
        place = of.where(g).split(", ")[2 if g.step is not None else 1:]
        return {"file": of.c.devices[g.device].file, "plane": -1, "line": -1, "start_ps": g.start, "end_ps": g.end, "row": None,
                "byte_offset": None, "note": f"{human(g.length)} {', '.join(place)}".rstrip()}

    def proof_of_step(at, note):
        device, step = of.steps[at]
        return {"file": of.c.devices[device].file, "plane": -1, "line": -1, "start_ps": step.start, "end_ps": step.end, "row": None,
                "byte_offset": None, "note": note}

    def add_cause(group, cause, gaps, summary):
        sure = certainty(cause, summary["sure"])
        says = ADVICE[cause]
        add(f"bubbles.cause.{cause}", certainty=sure, recoverable_ps=summary["time"], recoverable_bytes=None,
            what={"proved": "", "likely": "Likely cause: "}.get(sure, "Possible cause: ") + CAUSE_MEANINGS[cause]
            + f", in {counted(len(of.group_facts[group]['steps']), 'step')} (g{group}): {summary['evidence'][0]}",
            where=summary["evidence"][1], evidence=[proof(longest(gaps)) if gaps else proof_of_step(summary["most_in"], summary["evidence"][1])],
            next=says["text"] + (f" {says['how']}" if says["how"] else ""))

    for group, f in enumerate(of.group_facts):
        if not f["issue"] or len(rows) >= 6:
            continue
        own = sorted((g for g in of.gaps if g.step is not None and of.group_of[g.step] == group), key=lambda g: (-g.length, g.start))
        spent = sums(of, f["steps"])
        add("bubbles.idle", certainty="proved", recoverable_ps=None, recoverable_bytes=None,
            what=f"the device waits {percent(spent['idle'], spent['service'])} of the time in "
            f"{counted(len(f['steps']), 'step')} (g{group}), "
            + ("spread over many gaps" if f["pattern"] == "none" else f"mostly {f['pattern']} gaps"),
            where=of.where(own[0]) if own else "", evidence=[proof(g) for g in own[:3]], next="profkit bubbles PATH")
        found = next((c for c in causes if c[0][0] == group and c[0][2] is not None
                      and c[0][1] not in ("unexplained", "host_untraced", "device_dependency")
                      and (certainty(c[0][1], c[1]["sure"]) in ("proved", "likely") or c[1]["span"])), None)
        if found and found[1]["time"] >= spent["service"] // 50:
            add_cause(group, found[0][1], found[0][2], found[1])
            rows[-1][2]["what"] += f", {percent(found[1]['time'], spent['idle'])} of the idle time"
    for (group, cause, gaps, _), summary in causes:
        if gaps is None:
            add_cause(group, cause, None, summary)
    return {name: said for _, name, said in rows}
