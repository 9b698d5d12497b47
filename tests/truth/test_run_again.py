"""Activation checkpointing: what runs forward again within the backward pass, and which modules its backward belongs to; µs."""
import sys

import idle_trace
import truth

US = 1_000_000  # ps


class RunAgain(idle_trace.Case):
    def rows(self, trace, key):
        path = self.write("t.json", trace.text())
        found = truth.parsed(truth.run("ops", path, "--by", key, "--json", "--limit", 0))
        return {row["name"]: row["self_ps"] // US for row in found["groups"]}

    def forward(self, trace, at, tid=1):
        """Model > Block (checkpointed) > Linear, GELU; a linear of 1000 and a gelu of 200."""
        trace.span("nn.Module: Model_0", at, 400, tid, "python_function")
        trace.span("CheckpointFunction", at + 10, 300, tid, **{"Sequence number": 2})
        self.block(trace, at + 20, tid)

    def block(self, trace, at, tid=1, numbers=(None, None)):
        trace.span("nn.Module: Block_0", at, 280, tid, "python_function")
        for module, op, number, start in (("Linear_0", "aten::linear", numbers[0], at + 10), ("GELU_0", "aten::gelu", numbers[1], at + 110)):
            trace.span("nn.Module: " + module, start, 80, tid, "python_function")
            trace.span(op, start + 5, 70, tid, **({} if number is None else {"Sequence number": number}))
            trace.kernel(op, self.next, 1_000 if module == "Linear_0" else 200, (start + 20, 5, tid))
            self.next += 2_000

    def node(self, trace, name, number, at, size, tid=1, kernel=0):
        trace.span("autograd::engine::evaluate_function: " + name, at, size, tid, **{"Sequence number": number, "Fwd thread id": 1})
        trace.span(name, at + 1, size - 2, tid, **{"Sequence number": number, "Fwd thread id": 1})
        if kernel:
            trace.kernel(name, self.next, kernel, (at + 10, 5, tid))
            self.next += 3_000

    def reentrant(self, tid):
        """The node of the checkpoint runs the block again, then backward."""
        trace, self.next = idle_trace.Rank(), 10_000
        self.forward(trace, 100)
        self.node(trace, "CheckpointFunctionBackward", 2, 2_000, 1_000, tid)
        self.block(trace, 2_020, tid, (5, 6))
        self.node(trace, "GeluBackward0", 6, 2_400, 100, tid, 250)
        self.node(trace, "AddmmBackward0", 5, 2_600, 100, tid, 2_000)
        return trace

    def test_the_node_runs_the_block_again(self):
        for tid in (1, 2):
            trace = self.reentrant(tid)
            self.assertEqual(self.rows(trace, "module"), {"Model_0": 4_650, "Block_0": 4_650, "Linear_0": 4_000, "GELU_0": 650})
            self.assertEqual(self.rows(trace, "phase"), {"forward": 1_200, "recomputation": 1_200, "backward": 2_250})

    def test_what_runs_again_was_called_in_its_first_range(self):
        """The block is called in "fwd", and runs again in "bwd": its backward is that of "fwd", and what runs again is no backward."""
        for tid in (1, 2):
            trace = self.reentrant(tid)
            trace.span("fwd", 50, 500, 1, "user_annotation")
            trace.span("bwd", 1_900, 1_200, 1, "user_annotation")
            path = self.write("t.json", trace.text())
            rows = truth.parsed(truth.run("ops", path, "--by", "range", "--json"))["groups"]
            self.assertEqual({r["name"]: (r["self_ps"] // US, r["backward_ps"] // US) for r in rows}, {"fwd": (1_200, 2_250), "bwd": (3_450, 0)})

    def test_a_hook_runs_the_block_again(self):
        """The first node that needs an activation runs the block; its own path has nothing to do with that."""
        trace, self.next = idle_trace.Rank(), 10_000
        trace.span("nn.Module: Model_0", 100, 600, 1, "python_function")
        self.block(trace, 120, 1, (5, 6))
        self.node(trace, "GeluBackward0", 6, 2_000, 600, 2, 250)
        self.block(trace, 2_100, 2)
        self.node(trace, "AddmmBackward0", 5, 2_700, 100, 2, 2_000)
        self.assertEqual(self.rows(trace, "module"), {"Model_0": 4_650, "Block_0": 4_650, "Linear_0": 4_000, "GELU_0": 650})
        self.assertEqual(self.rows(trace, "phase"), {"forward": 1_200, "recomputation": 1_200, "backward": 2_250})

    def test_operators_alone(self):
        """Without modules: an operator with a number that is not its node's, and that something runs backward."""
        trace, self.next = idle_trace.Rank(), 10_000
        trace.span("CheckpointFunction", 100, 100, 1, **{"Sequence number": 2})
        self.node(trace, "CheckpointFunctionBackward", 2, 2_000, 900, 1)
        for name, number, start, size in (("aten::gelu", 6, 2_100, 200), ("aten::mul", None, 2_200, 30)):
            trace.span(name, start, 50, **({} if number is None else {"Sequence number": number}))
            trace.kernel(name, self.next, size, (start + 10, 5))
            self.next += 2_000
        self.node(trace, "GeluBackward0", 6, 2_400, 100, 1, 250)
        self.assertEqual(self.rows(trace, "phase"), {"recomputation": 200, "backward": 280})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
