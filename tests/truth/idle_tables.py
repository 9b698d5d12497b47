"""What tests of `bubbles` share: its Arrow tables, value by value."""
import arrow
from idle_model import Idle


class IdleTables:
    """For a truth.Case with the `capture` that is described and the `folder` in which it lies, "run"."""

    hosts = {}  # by file, where its name or the file itself says

    def test_tables(self):
        idle = Idle(self.capture)
        with arrow.Handle("profile", self.folder, None) as profile, arrow.Handle("bubbles", profile, arrow.guided()) as bubbles, \
                arrow.Handle("activity", profile, None) as activity:
            self.check(arrow.table("steps", bubbles)[1], idle.arrow_steps(self.hosts))
            self.check(arrow.table("device_time", bubbles)[1], idle.arrow_time(self.hosts))
            self.check(arrow.table("gaps", bubbles)[1], idle.arrow_gaps(self.hosts))
            self.check(arrow.table("causes", bubbles)[1], idle.arrow_causes(self.hosts))
            self.check(arrow.table("kernels", activity)[1], idle.arrow_kernels(self.hosts))
