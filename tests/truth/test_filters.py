#!/usr/bin/env python3
"""Filters that fit nothing are told as a mistake, by every command alike, from both sides of each border."""
import sys

import hlo
import pair
import truth
import xspace as x

COMMANDS = ("info", "tree", "metadata", "steps", "ops", "modules", "framework", "collectives")
HINT = "`profkit info` lists hosts, planes, lines and their times; text filters are case-sensitive."
FIRST_PS, LAST_PS = 0, 310_000_896 + 128  # of both hosts
NAMES = "'/device:TPU:0', '/device:TPU:1', '/device:GPU:3', '/host:CPU', '/host:metadata', 'Task Environment'"


class FiltersTest(pair.PairCase):
    def ask_all(self, *options):
        """(exit status, message) of every command; a message is the first line of standard error."""
        found = {}
        for command in COMMANDS:
            done = truth.subprocess.run(
                [truth.PROFKIT, command, "log", "-q", *options],
                cwd=self.scratch,
                check=False,
                timeout=60,
                stdin=truth.subprocess.DEVNULL,
                stdout=truth.subprocess.PIPE,
                stderr=truth.subprocess.PIPE,
            )
            lines = done.stderr.decode().splitlines()
            found[command] = (done.returncode, lines[0] if lines else "", lines[1] if len(lines) > 1 else "")
        return found

    def expect_mistake(self, message, *options, meant=None):
        hint = (f"did you mean '{meant}'? " if meant else "") + HINT
        self.check(
            self.ask_all(*options), {c: (2, f"profkit: error: log: {message}", f"  hint: {hint}") for c in COMMANDS}
        )

    def expect_none(self, *options):
        self.check({c: r[0] for c, r in self.ask_all(*options).items()}, {c: 0 for c in COMMANDS})

    def test_hosts(self):
        self.expect_mistake("no host's name contains 'gamma'; there are 'alpha', 'beta'", "--host", "gamma")
        self.expect_mistake("no host's name contains 'Alpha'; there are 'alpha', 'beta'", "--host", "Alpha", meant="alpha")
        # The path tells the host only of a file that names none.
        self.expect_mistake("no host's name contains 'run1'; there are 'alpha', 'beta'", "--host", "run1")
        self.expect_none("--host", "lph")

    def test_planes(self):
        self.expect_mistake(f"no plane's name contains 'TPU:9'; there are {NAMES}", "--plane", "TPU:9", meant="/device:TPU:0")
        self.expect_mistake("no plane's name contains 'GPU'; there are '/device:TPU:0', '/device:TPU:1', '/host:CPU', "
                            "'/host:metadata', 'Task Environment'", "--plane", "GPU", "--host", "beta")
        self.expect_none("--plane", "TPU:1")

    def test_lines(self):
        self.expect_mistake(
            "no line's name contains 'XLA Opps'; there are 'Steps', 'XLA Modules', 'XLA Ops', 'Async XLA Ops', "
            "'Stream #16(Kernel)', 'Stream #17(Kernel)', …",
            "--line",
            "XLA Opps",
            meant="XLA Ops",
        )
        self.expect_mistake("no line's name contains 'Stream'; there are 'python', 'worker, 1', 'Steps of the host'",
                            "--line", "Stream", "--plane", "host:CPU", "--host", "alpha")
        self.expect_none("--line", "worker")  # the name that is shown

    def test_names(self):
        self.expect_mistake("no event, op or module has a name that contains 'none of them'", "--name", "none of them")
        for name in ("fusion.1", "f32[8]", "jit_eval(9)", "step_num"):
            self.expect_none("--name", name)

    def test_times(self):
        there_are = "no event is in the time window; there are events from 0 ps to 310.001 us"
        self.expect_none("--time", f"{LAST_PS}ps:")
        self.expect_mistake(there_are, "--time", f"{LAST_PS + 1}ps:")
        self.expect_none("--time", f":{FIRST_PS + 1}ps")
        self.expect_mistake(there_are, "--time", f":{FIRST_PS}ps")

    def test_how_times_are_written(self):
        """(text, exit status): a window of one picosecond is one, of none it is not; below a picosecond is nothing."""
        for window, status in (
            ("5ps:6ps", 0),
            ("5ps:5ps", 2),
            ("6ps:5ps", 2),
            ("1.000ps:5.0ps", 0),
            ("1.5ps:9ps", 2),
            ("0.0015ns:9ps", 2),
            ("0.0010ns:9ps", 0),
            ("0:1us", 0),
            ("0:1", 2),
            ("-1ns:1us", 0),
            ("1.2.3us:", 2),
            ("5:", 2),
            ("5xs:", 2),
            (":", 0),
            ("5ps", 2),
            ("9223372036s:", 2),
            ("1µs:2us", 0),
            (".5us:1us", 0),
        ):
            truth.run("info", self.folder, "--time", window, status=status)

    def test_what_has_no_planes(self):
        module = self.write("jit_f.hlo_proto.pb", hlo.proto("jit_f", 1))
        for command in ("tree", "metadata"):
            self.assertEqual("[absent] planes, lines and events are in an XSpace, a trace or Ascend tables; there are "
                             "none here\n", truth.run(command, module))
        self.write("only/plugins/profile/r/jit_f.hlo_proto.pb", hlo.proto("jit_f", 1))
        folder = self.scratch / "only"
        self.assertIn("there are none here\n", truth.run("tree", folder))

    def test_the_last_host_need_not_end_last(self):
        for name, offset in (("a", 5_000), ("b", 10)):
            self.write(f"two/{name}.xplane.pb", x.space(x.plane(1, "/host:CPU", x.line(1, "t", [x.event(1, offset, 5)]),
                                                                x.event_metadata(1, "e"))))
        for at, status in ((5_005, 0), (5_006, 2)):
            truth.run("info", self.scratch / "two", "--time", f"{at}ps:", status=status)
        for at, status in ((10, 2), (11, 0)):
            truth.run("info", self.scratch / "two", "--time", f":{at}ps", status=status)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
