"""`fleet` as text and as a page: which questions, in which order, what is cut, and what cannot be read."""
import re
import sys

import truth
import xspace as x
from screens import table

S = 10**12  # ps
OPS = ["name", ">category", ">seconds", ">runs", ">captures"]
COVERAGE = ["family", ">captures", ">bytes", ">errors"]
NOTHING = "  nothing in these captures says so"


@truth.needs("sql")
class FleetScreen(truth.Case):
    def put(self, name, *ops):
        """A capture with these: (name, seconds, times)."""
        at, events = 0, []
        for key, (_, seconds, times) in enumerate(ops, 1):
            for _ in range(times):
                events.append(x.event(key, at * S, seconds * S))
                at += seconds
        return self.write(name, x.space(x.plane(1, "/device:TPU:0", x.line(3, "XLA Ops", events),
                                                *(x.event_metadata(key, name) for key, (name, _, _) in enumerate(ops, 1)))))

    def ask(self, *arguments, status=0):
        """The line above, and the lines of each answer by its title."""
        text = truth.run("fleet", *arguments, status=status)
        blocks = [block.splitlines() for block in text.split("\n\n")]
        self.assertEqual(len(blocks[0]), 1)
        return blocks[0][0], {block[0]: block[1:] for block in blocks[1:]}

    def ops(self, *rows):
        return table(OPS, *([name, "", f"{seconds}.0" if seconds % 1 else seconds, runs, captures]
                            for name, seconds, runs, captures in rows), indent=2)

    def test_order_of_questions(self):
        """That of the document; ops are asked for by name. Which are named is no order."""
        path = self.put("a.xplane.pb", ("a", 1, 1))
        _, every = self.ask(path)
        shown = [truth.loads(truth.run("fleet", path, "--json", "--question", name))["questions"][0]["title"]
                 for name in ("coverage", "uses", "causes", "waits", "stragglers", "regressions", "clocks", "links", "headroom")]
        self.assertEqual(list(every), shown)
        self.assertEqual([every[shown[3]], every[shown[4]]], [[NOTHING]] * 2)
        _, found = self.ask(path, "--question", "ops", "--question", "uses", "--question", "coverage")
        self.assertEqual(list(found), [shown[0], shown[1], "The costliest ops"])
        _, found = self.ask(path, "--question", "ops", "--question", "ops")
        self.assertEqual(list(found), ["The costliest ops"])

    def test_ops_of_several(self):
        """Summed over captures, the costliest first."""
        self.put("runs/a.xplane.pb", ("a", 1, 2), ("b", 5, 1))
        self.put("runs/b.xplane.pb", ("a", 2, 3), ("c", 1, 1))
        head, found = self.ask(self.scratch / "runs", "--question", "ops")
        self.assertEqual(head, "2 captures, all of them read to the end")
        self.assertEqual(found["The costliest ops"], self.ops(("a", 8, 5, 2), ("b", 5, 1, 1), ("c", 1, 1, 1)))

    def test_limit(self):
        """Ten rows, or as many as are asked for; of the rest the number."""
        for count in (10, 13):
            path = self.put("a.xplane.pb", *((f"op{at:02}", 100 - at, 1) for at in range(count)))
            rows = [(f"op{at:02}", 100 - at, 1, 1) for at in range(count)]
            for options, most in (((), 10), (("--limit", 3), 3), (("--limit", 0), count), (("--limit", count), count),
                                  (("--limit", count + 5), count), (("--limit", 1), 1)):
                _, found = self.ask(path, "--question", "ops", *options)
                self.assertEqual(found["The costliest ops"], self.ops(*rows)[:most + 1] + (
                    [f"  … {count - most} more (--limit 0 shows all)"] if most < count else []))

    def test_what_cannot_be_read(self):
        """It is counted above, named on standard error, and has a row of its own."""
        sound = self.put("a.xplane.pb", ("a", 1, 1))
        bad, gone = self.write("b.xplane.pb", sound.read_bytes()[:-3]), self.scratch / "gone.xplane.pb"
        head, found = self.ask(sound, "--question", "coverage")
        title, = found
        size = sound.stat().st_size
        self.assertEqual(head, "1 capture, all of them read to the end")
        self.assertEqual(found[title], table(COVERAGE, ["xspace", 1, size, 0], indent=2))
        head, found = self.ask(sound, bad, gone, "--question", "coverage", status=5)
        self.assertEqual(head, "3 captures, of which 2 cannot be read, or not to the end")
        self.assertEqual(found[title], table(COVERAGE, ["xspace", 2, 2 * size - 3, 1], ["cannot be read", 1, "", 1], indent=2))
        said = truth.run("fleet", sound, bad, gone, "--question", "coverage", status=5, stderr=True)
        self.assertIn(f"{bad}: damaged XSpace", said)
        self.assertIn(f"{gone}: cannot open", said)
        truth.run("fleet", sound, bad, "--strict", status=4)
        truth.run("fleet", self.write("none.json", "no trace"), status=4)
        truth.run("fleet", sound, "--question", "none", status=2)
        truth.run("fleet", status=2)

    def test_page(self):
        """The same rows; what is text is no markup. What cannot be read stands below."""
        sound = self.put("a.xplane.pb", ("<b>&\"x\"", 3, 1), ("plain", 1, 2))
        bad = self.write("b.xplane.pb", sound.read_bytes()[:-3])
        page = self.scratch / "page.html"
        truth.run("fleet", sound, "--question", "ops", "-o", page)
        text = page.read_text()
        self.assertIn("<p>1 capture, all of them read to the end</p>", text)
        rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", text)[1:]]
        self.assertEqual([row[0] for row in rows], ["&lt;b&gt;&amp;&quot;x&quot;", "plain"])
        self.assertEqual([float(row[2]) for row in rows], [3, 2])
        self.assertNotIn("<b>", text)
        self.assertNotIn("What cannot be read", text)
        truth.run("fleet", sound, bad, "--question", "headroom", "-o", page, status=5)
        text = page.read_text()
        self.assertIn("<p>Nothing in these captures says so.</p>", text)
        self.assertRegex(text, f"<h2 id=\"errors\">What cannot be read</h2><ul>\\s*<li>{re.escape(str(bad))}: damaged XSpace")


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
