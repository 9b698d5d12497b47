#!/usr/bin/env python3
"""`profkit framework`: what hosts did, by name, the stats they carry, and samples."""
import collections
import sys

import ops_model
import pair
import truth

BITS = ["none", "double", "uint64", "int64", "str", "bytes", "ref"]


class FrameworkTest(pair.PairCase):
    def document(self, limit=20, keeps=lambda host, plane, line, event: True, name=""):
        """`keeps`: of those that take time of others; `name`: of those that are listed."""
        samples, names, stats, matched = [], [], collections.defaultdict(lambda: [0, set()]), 0
        for file, p, n, host, plane, line in pair.lines({"thread"}):
            there = [e for e in line.events if keeps(host, plane, line, e)]
            own = ops_model.own_times([(e.start_ps, e.start_ps + e.duration_ps) for e in there if e.occurrences is None])
            for e in there:
                self_ps = own.pop(0) if e.occurrences is None else 0
                if name not in pair.name_of(plane, e.op):
                    continue
                matched += 1
                for s in e.stats:
                    stats[s[0]][0] += 1
                    stats[s[0]][1].add(pair.KINDS[s[1]])
                row = next(
                    (r for r in names if (r["file"], r["plane"], r["name"]) == (file, p, pair.name_of(plane, e.op))),
                    None,
                )
                if row is None:
                    row = {
                        "file": file,
                        "plane": p,
                        "name": pair.name_of(plane, e.op),
                        "count": 0,
                        "total_ps": 0,
                        "self_ps": 0,
                        "max_ps": 0,
                    }
                    names.append(row)
                row["count"] += 1 if e.occurrences is None else e.occurrences
                row["total_ps"] += e.duration_ps
                row["self_ps"] += self_ps
                if e.occurrences is None:  # the length of no single call
                    row["max_ps"] = max(row["max_ps"], e.duration_ps)
                if not limit or len(samples) < limit:
                    listed = pair.stat_list(plane, e.stats)
                    samples.append({"file": file, "plane": p, "line": n, "line_name": line.title,
                                    "name": pair.name_of(plane, e.op), "start_ps": pair.placed(line, e),
                                    "duration_ps": e.duration_ps, "stats": sorted(listed, key=lambda s: s["name"])})
        names.sort(key=lambda r: (-r["total_ps"], r["file"], r["plane"], r["name"].encode()))
        left_out = {} if len(samples) == matched else {"limited": truth.limited(limit, ("events", len(samples), matched))}
        return {**pair.frame("framework"), **left_out, "matched": matched, "events": samples, "names": names, "stat_names": [
            {"name": name, "count": count, "kinds": [k for k in BITS if k in kinds]}
            for name, (count, kinds) in sorted(stats.items())], "files": pair.files(self.folder), "damage": []}

    def test_all(self):
        self.check(self.ask("framework"), self.document())

    def test_the_limit_is_that_of_the_samples(self):
        self.check(self.ask("framework", "--limit", 0, limit=0), self.document(0))
        self.check(self.ask("framework", "--limit", 3, limit=3), self.document(3))

    def test_filters(self):
        self.check(
            self.ask("framework", "--host", "beta", host="beta"),
            self.document(keeps=lambda host, *_: host.name == "beta"),
        )
        self.check(self.ask("framework", "--line", "worker", line="worker"),
                   self.document(keeps=lambda host, plane, line, e: "worker" in line.title))
        self.check(self.ask("framework", "--name", "infeed", name="infeed"),
                   self.document(name="infeed"))
        window = (1_000_600, 1_501_200)
        self.check(
            self.ask("framework", "--time", f"{window[0]}ps:{window[1]}ps", from_ps=window[0], to_ps=window[1]),
            self.document(
                keeps=lambda host, plane, line, e: pair.in_window(pair.placed(line, e), e.duration_ps, *window)
            ),
        )

    def test_nothing_there(self):
        self.check(self.ask("framework", "--plane", "TPU", plane="TPU"), {
            **self.document(keeps=lambda *_: False), "status": "absent", "reason": "no host recorded an event"})

    def test_screen(self):
        self.check_screen("framework", "framework")
        self.check_screen("framework-limited", "framework", "--limit", 2, "--host", "alpha")


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
