#!/usr/bin/env python3
"""`profkit validate` of ranks of Ascend: which group an operation ran in, by the end of its name or by communication.json."""
import json
import sys

import ascend
import truth

US, UNIX = 1_000_000, 1_764_246_877_000_000_000


class Groups(truth.Case):
    def ranks(self, rows, named=()):
        """`rows`: (rank, device, name, start, end) in us; `named`: (rank, name, group), as communication.json has them."""
        for rank in sorted({row[0] for row in rows}):
            of = ascend.Rank(0)
            for device in sorted({row[1] for row in rows if row[0] == rank}):
                of.kernel(device, "aclnnAdd", "Add", "AI_VECTOR_CORE", UNIX, 5_000)
            for _, device, name, start, end in (row for row in rows if row[0] == rank):
                of.kernel(device, name, name.partition("_")[0] + "_" + name.split("_")[1] + "_", "HCCL", UNIX + start * 1_000,
                          (end - start) * 1_000, stream=None)
            root = f"rank_{rank}_ascend_pt/ASCEND_PROFILER_OUTPUT"
            self.write(f"{root}/kernel_details.csv", of.table())
            times = {"Communication Time Info": {"Start Timestamp(us)": UNIX // 1_000, "Elapse Time(ms)": 0.1}}
            of_rank = {f"{name}@{group}": times for which, name, group in named if which == rank}
            if of_rank:
                self.write(f"{root}/communication.json", json.dumps({"step": {"p2p": {}, "collective": of_rank}}))
        return truth.parsed(truth.run("validate", self.scratch, "--bound", "0ps", "--limit", 0, "--json"))

    @staticmethod
    def ops(found):
        keys = ("name", "process_group", "device", "groups", "violations", "most_arrival_skew_ps")
        return [[op[key] for key in keys] for op in found["ops"]]

    def test_ends_of_names(self):
        """Between the two blanks and the next: 0 and 00 are groups, and so are others; what lacks it is of everyone. Each operation of a
        group has its own calls."""
        rows = []
        for rank in (0, 1, 2):
            rows += [(rank, 0, "hcom_allReduce__0_1_1", 100 + rank, 150), (rank, 0, "hcom_allReduce__00_1_1", 200 + 2 * rank, 250),
                     (rank, 0, "hcom_allGather__0_2_1", 300 + 3 * rank, 350)]
        rows += [(rank, 0, "hcom_allReduce__777_3_1", 400 + 4 * rank, 450) for rank in (1, 2)]
        found = self.ranks(rows)
        self.check(self.ops(found), [
            ["hcom_allGather_", "0", 0, 1, 0, 6 * US], ["hcom_allReduce_", "0", 0, 1, 0, 2 * US],
            ["hcom_allReduce_", "00", 0, 1, 0, 4 * US], ["hcom_allReduce_", "777", 0, 1, 0, 4 * US]])
        self.check([[n["hostname"], n["devices"], n["collectives"]] for n in found["nodes"]],
                   [["rank_0_ascend_pt", 1, 3], ["rank_1_ascend_pt", 1, 4], ["rank_2_ascend_pt", 1, 4]])
        self.assertTrue(any("the same group number" in text for text in found["assumptions"]))

    def test_names_on_record(self):
        """They count before the ends of names, for the operation that they are of: another of that group has its end alone."""
        rows = [(rank, 0, name, at + rank, at + 50) for rank in (0, 1)
                for at, name in ((100, "hcom_allReduce__123_1_1"), (200, "hcom_allReduce__123_2_1"), (300, "hcom_allReduce__123_3_1"))]
        found = self.ranks(rows, [(rank, f"hcom_allReduce__123_{number}_1", group) for rank in (0, 1)
                                  for number, group in ((1, "5550123"), (3, "6660123"))])
        self.check(self.ops(found), [["hcom_allReduce_", group, 0, 1, 0, US] for group in ("123", "5550123", "6660123")])
        self.assertTrue(any("the same group number" in text for text in found["assumptions"]))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
