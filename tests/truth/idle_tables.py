"""What tests of `bubbles` share: its Arrow tables, value by value."""
import arrow
from idle_model import Idle


class IdleTables:
    """For a truth.Case with the `capture` that is described and the `folder` in which it lies."""

    def test_tables(self):
        idle = Idle(self.capture)
        with arrow.Handle("profile", self.folder, None) as profile, arrow.Handle("bubbles", profile, None) as bubbles, \
                arrow.Handle("activity", profile, None) as activity:
            self.check(arrow.table("pk_arrow_steps", bubbles)[1], idle.arrow_steps())
            self.check(arrow.table("pk_arrow_bubbles", bubbles)[1], idle.arrow_gaps())
            self.check(arrow.table("pk_arrow_kernels", activity)[1], idle.arrow_kernels())
