"""How steps are cut into parts that repeat: at attention, at an op that comes back evenly, at long gaps."""
import json
import sys

import truth

NONE = "no op recurs evenly, and no gap parts the step"


class PartsOfSteps(truth.Case):
    def ask(self, *steps, options=()):
        """Of each step the names of its kernels, 20 µs each, with 5 µs between them; a number is a longer gap in ns instead."""
        events = []
        at, correlation = 0, 0
        for number, names in enumerate(steps):
            events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 77, "tid": 1, "ts": at / 1000,
                           "dur": 100, "args": {}})
            call, at = at + 10, at + 1_000_000
            for name in names.split() if isinstance(names, str) else names:
                if isinstance(name, int):
                    at += name - 5_000
                    continue
                correlation += 1
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 77, "tid": 1, "ts": call / 1000,
                               "dur": 0.001, "args": {"correlation": correlation}})
                events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at / 1000, "dur": 20,
                               "args": {"device": 0, "stream": 7, "correlation": correlation}})
                call, at = call + 10, at + 25_000
        path = self.write("trace.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        found = truth.parsed(truth.run("bubbles", path, "--json", "--limit", 0, "--window-policy", "guide", *options))
        said = [(s["structure_source"], s["structures_missing"]) for s in found["steps"]]
        parts = [[(p["structure_type"], p["anchor"], p["kernel_count"]) for p in found["structures"] if p["step_id"] == str(number)]
                 for number in range(len(steps))]
        return list(zip(said, parts))

    def expect(self, names, source, parts):
        """`parts`: role, op and kernels of each, in one line."""
        wanted = [tuple(part.split(":")) for part in parts.split()]
        self.assertEqual(self.ask(names), [((source, "" if source else NONE), [(role, op, int(count)) for role, op, count in wanted])])

    def test_ops_that_come_back(self):
        for names, parts in (
                # Of three as even ones with as many kernels the one that is first.
                ("x a b c a b c a b c y", "head:x:1 part:a:3 part:a:3 part:a:3 tail:y:1"),
                # Of two as even ones that with more kernels.
                ("s a d b d a d b d a d", "head:s:2 part:d:2 part:d:2 part:d:2 part:d:2 part:d:1"),
                # A less even one has more kernels.
                ("a b b u a v b b a b w b a b", "part:a:4 part:a:4 part:a:4 part:a:2"),
                # It spans half of the step: three distances of one of six kernels.
                ("a a a u v w", "part:a:1 part:a:1 part:a:1 tail:u:3"),
                # Distances of 1, 1 and 8 are even enough, those of 1, 1 and 9 are not.
                ("a a a b c d e f g h a", "part:a:1 part:a:1 part:a:8 part:a:1")):
            with self.subTest(names=names):
                self.expect(names, "periodic op", parts)

    def test_ops_that_mark_nothing(self):
        for names in ("a a a t u v w", "a b c a d e", "a a a b c d e f g h i a", "a", "a b"):
            with self.subTest(names=names):
                self.expect(names, "", "")

    def test_attention(self):
        for names, parts in (
                # The one that runs more often, though it is later; of as many the first.
                ("q flash_fwd_a m flash_attn_b m flash_fwd_a m flash_attn_b m flash_attn_b m z",
                 "head:q:3 part:flash_attn_b:4 part:flash_attn_b:2 part:flash_attn_b:2 tail:z:1"),
                ("q flash_fwd_a m flash_attn_b m flash_attn_b m flash_fwd_a m",
                 "head:q:1 part:flash_fwd_a:6 part:flash_fwd_a:2"),
                # Case does not matter; what is for the way back does not count, nor what runs once.
                ("PagedAttention flash_attn_bwd flash_attn_bwd PagedAttention flash_attn_bwd k",
                 "part:PagedAttention:3 part:PagedAttention:2 tail:k:1"),
                ("fmha_v2 flash_attn_backward flash_attn_backward x fmha_v2 FlashAttentionScoreGrad",
                 "part:fmha_v2:4 part:fmha_v2:1 tail:FlashAttentionScoreGrad:1")):
            with self.subTest(names=names):
                self.expect(names, "attention", parts)
        self.expect("flash_fwd x flash_bwd y flash_bwd z flash_bwd", "periodic op",
                    "head:flash_fwd:2 part:flash_bwd:2 part:flash_bwd:2 part:flash_bwd:1")

    def test_gaps_that_part(self):
        """Gaps of 5 µs are usual: 100 µs part, a nanosecond less does not; nor does one between two kernels of one op."""
        for gap, parts in ((100_000, "part:a:2 part:c:2 part:e:4"), (99_999, "")):
            self.expect(["a", "b", gap, "c", "d", gap, "e", "f", 400_000, "f", "g"], "gaps" if parts else "", parts)
        # Where 30 µs are usual, five times as much.
        for gap, parts in ((150_000, "part:a:4 part:e:1"), (149_999, "")):
            self.expect(["a", 30_000, "b", 30_000, "c", 30_000, "d", gap, "e"], "gaps" if parts else "", parts)
        # Of four gaps the median is the mean of those in the middle: 35 µs.
        for gap, parts in ((175_000, "part:a:4 part:e:1"), (174_999, "")):
            self.expect(["a", 30_000, "b", 30_000, "c", 40_000, "d", gap, "e"], "gaps" if parts else "", parts)

    def test_steps_after_each_other(self):
        """What was counted in one step says nothing of the next; ops of the first keep their numbers."""
        found = self.ask("a b a c a", "b c d e", "x c b c b c b", "flash_fwd a flash_fwd b")
        self.assertEqual(found, [
            (("periodic op", ""), [("part", "a", 2), ("part", "a", 2), ("part", "a", 1)]), (("", NONE), []),
            (("periodic op", ""), [("head", "x", 1), ("part", "c", 2), ("part", "c", 2), ("part", "c", 2)]),
            (("attention", ""), [("part", "flash_fwd", 2), ("part", "flash_fwd", 1), ("tail", "b", 1)])])

    def test_other_thresholds(self):
        names = ["a", 10_000, "b", 10_000, "c", 30_000, "d"]
        for us, factor, count in (("30", 3, 2), ("30.000001", 3, 0), ("30", 4, 0), ("5", 1, 4)):
            found = self.ask(names, options=("--threshold", f"structure_gap_us={us}", "--threshold", f"structure_gap_factor={factor}"))
            self.assertEqual(len(found[0][1]), count, (us, factor))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
