#!/usr/bin/env python3
"""Which damage makes what of which command: exit status, status of the document, whether the capture is complete.

A command tells the damage of the file itself, and of the lines whose events it reads.
"""
import sys

import truth
import xspace as x

COMMANDS = ("report", "info", "tree", "metadata", "steps", "ops", "modules", "framework", "collectives")
ABSENT = {"steps", "modules", "collectives"}  # the small capture has none of these
EVERYTHING, FILE = {"report", "info", "tree"}, set(COMMANDS)
OF_DEVICES, OF_HOSTS = EVERYTHING | {"ops", "collectives"}, EVERYTHING | {"framework"}
SOUND = [x.event(1, 0, 5)]
CUT_EVENT = x.message(4, b"\x08")  # the number of its name is missing
FAR = (1 << 63) - 3
DEVICE, HOST = "line 'XLA Ops' of plane '/device:TPU:0': ", "line 'main' of plane '/host:CPU': "


def capture(device=(), host=()):
    """Events of an op line of a device and of a thread, behind sound ones."""
    return x.space(
        x.plane(
            1,
            "/device:TPU:0",
            x.line(3, "XLA Ops", [*SOUND, *device]),
            x.event_metadata(1, "op"),
            x.stat_metadata(1, "s"),
        ),
        x.plane(2, "/host:CPU", x.line(1, "main", [*SOUND, *host]), x.event_metadata(1, "e"), x.stat_metadata(1, "s")),
    )


def line_at(data, name):
    """Where a line's fields begin: its number comes first."""
    return data.index(b"\x12" + bytes([len(name)]) + name) - 2


NEGATIVE = "1 event has a negative duration, which counts as 0"
BEYOND = "an event lies more than 106 days from the capture's origin"
BROKEN = "an event breaks the protobuf format"
OPS, MAIN = b"XLA Ops", b"main"
# (bytes, commands that tell, message, where)
ROWS = {
    "sound": (capture(), set(), None, None),
    "negative on a device": (capture([x.event(1, 9, -5)]), OF_DEVICES, DEVICE + NEGATIVE, lambda d: line_at(d, OPS)),
    "two negative on a host": (
        capture((), [x.event(1, 9, -5), x.event(1, 9, -1)]),
        OF_HOSTS,
        None,
        lambda d: line_at(d, MAIN),
    ),
    "cut event on a device": (capture([CUT_EVENT]), OF_DEVICES, DEVICE + BROKEN, lambda d: d.index(CUT_EVENT) + 2),
    "cut event on a host": (capture((), [CUT_EVENT]), OF_HOSTS, HOST + BROKEN, lambda d: d.index(CUT_EVENT) + 2),
    "cut stat on a device": (
        capture([x.event(1, 9, 5, [b"\x08"])]),
        EVERYTHING,
        DEVICE + "a stat of an event is damaged",
        None,
    ),
    "beyond on a device": (capture([x.event(1, FAR, 9)]), OF_DEVICES, DEVICE + BEYOND, lambda d: line_at(d, OPS)),
    "just within on a device": (capture([x.event(1, FAR, 1)]), set(), None, None),
    "beyond on a host": (capture((), [x.event(1, FAR, 9)]), EVERYTHING, HOST + BEYOND, lambda d: line_at(d, MAIN)),
    "a cut file": (capture() + b"\x0a\x05\x08", FILE, None, None),
}


class DamageTest(truth.Case):
    def test_every_cell(self):
        for kind, (data, tell, message, where) in ROWS.items():
            path = self.write("a.xplane.pb", data)
            for command in COMMANDS:
                told = command in tell
                with self.subTest(kind=kind, command=command):
                    found = truth.parsed(truth.run(command, path, "--json", status=5 if told else 0))
                    self.check(found["status"], "partial" if told else "absent" if command in ABSENT else "ok")
                    truth.run(command, path, "--strict", status=4 if told else 0)
                    truth.run(command, path, status=5 if told else 0)
                    if command != "info":
                        self.check(len(found["damage"]), 1 if told else 0)
                    damage = found["files"][0]["damage"] if command == "info" else (found["damage"] or [None])[0]
                    if not told:
                        self.assertIsNone(damage)
                        if tell and command != "info":  # what is damaged was not looked at, and the document says so
                            self.assertIn(found["events_checked"], ("none", "some"))
                        continue
                    self.check([damage["code"], damage["path"]], ["damaged", str(path)])
                    if message and not (command == "tree" and BROKEN in message):  # which says it in other words
                        self.check(damage["message"], f"damaged at byte {damage['byte_offset']}: {message}")
                    self.check(found["reason"], f"the file is damaged: {damage['message']}")
                    if where and command != "tree":
                        self.check(damage["byte_offset"], where(data))

    def test_what_was_not_checked(self):
        """A sound answer from lines that are sound says that others were not read."""
        path = self.write("a.xplane.pb", ROWS["cut event on a host"][0])
        note = "events not checked: `profkit info` reads all of them"
        for command, word in (("metadata", "none"), ("modules", "none"), ("steps", "some"), ("ops", "some")):
            found = truth.parsed(truth.run(command, path, "--json"))
            self.check([found["damage"], found["events_checked"]], [[], word])
            text = truth.run(command, path)
            self.assertEqual(text.endswith(f"\n\n{note}\n"), word == "none" and "[absent]" not in text, command)
        whole = truth.parsed(truth.run("report", path, "--json", status=5))
        self.check([len(whole["damage"]), whole["events_checked"]], [1, "all"])
        self.assertNotIn(note, truth.run("metadata", self.write("b.xplane.pb", ROWS["a cut file"][0]), status=5))

    def test_hosts_that_were_not_asked_for(self):
        """Damage of another host's file is none of the answer, as text and as a document."""
        for host, data in (("a", capture()), ("b", ROWS["a cut file"][0])):
            self.write(f"run/{host}.xplane.pb", data)
        for command in (*COMMANDS, "memory"):
            for form in ((), ("--json", )):
                for options, status in ((("--host", "b"), 5), (("--host", "a"), 0), ((), 5)):
                    truth.run(command, self.scratch / "run", *options, *form, status=status)

    def test_whether_a_capture_is_complete(self):
        for kind, (data, tell, _, _) in ROWS.items():
            path = self.write("a.xplane.pb", data)
            with self.subTest(kind=kind):
                found = truth.parsed(truth.run("info", path, "--json", status=5 if tell else 0))
                self.check([found["complete"], len(found["reasons"])], [not tell, 1 if tell else 0])
                truth.run("info", path, "--fail-on", "incomplete", status=5 if tell else 0)

    def test_what_is_damaged_counts_for_nothing(self):
        """Events before the damage count; what lasts less than no time lasts none."""
        for kind, events, busy in (("negative on a device", 2, 5), ("cut event on a device", 1, 5)):
            path = self.write("a.xplane.pb", ROWS[kind][0])
            line = truth.parsed(truth.run("ops", path, "--json", status=5))["lines"][0]
            self.check([line["events"], line["busy_ps"], line["duration_sum_ps"]], [events, busy, busy])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
