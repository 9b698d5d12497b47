"""Steps that hosts recorded themselves, on several threads of several hosts: order, numbers, places, and what filters keep."""
import sys

import truth

US = 1_000_000  # ps
# Of host a; (process, thread, name, start, length, number), us, in the order in which they are added.
STEPS = [("p", "main", "train", 200, 50, 2), ("p", "aux", "eval", 100, 30, None), ("q", "main", "train", 0, 90, 0),
         ("p", "main", "train", 100, 60, 1),
         ("p", "aux", "flush", 300, 0, 7)]
ORDER = [2, 1, 3, 0, 4]  # by start; of equal starts as they were added, thread by thread


class Steps(truth.Case):
    def setUp(self):
        super().setUp()
        self.lib = truth.library()
        self.made = self.lib.TraceBuilder("lab")
        self.addCleanup(self.made.close)

    def host(self, name, steps, device):
        host, threads = self.made.host(name), {}
        self.made.device(host, device)
        for process, thread, *_ in sorted({row[:2] for row in steps}, reverse=True):
            threads[process, thread] = self.made.thread(host, process, thread)
        self.made.steps([self.lib.TraceStep(threads[process, thread], step, at * US, length * US, number)
                         for process, thread, step, at, length, number in steps])
        return threads

    def profile(self):
        profile = self.made.finish()
        self.addCleanup(profile.close)
        return profile

    @staticmethod
    def rows(profile, **filters):
        return [(s["file"], s["index"], s["name"], s["step_num"], s["start_ps"] // US) for s in
                profile.document("steps", limit=0, **filters)["steps"]]

    def test_order(self):
        """Of a host by start, whichever thread marked them; each host counts by itself."""
        self.host("a", STEPS, "GPU A")
        self.host("b", [("p", "main", "other", 50, 10, 5)], "GPU B")
        found = self.rows(self.profile())
        self.assertEqual([row[:2] for row in found], [(0, at) for at in range(5)] + [(1, 0)])
        self.assertEqual([row[4] for row in found], [0, 100, 100, 200, 300, 50])
        wanted = [(STEPS[at][2], None if STEPS[at][5] is None else str(STEPS[at][5])) for at in ORDER]
        self.assertEqual(sorted(row[2:4] for row in found[1:3]), sorted(wanted[1:3], key=str))
        self.assertEqual([row[2:4] for row in (found[0], *found[3:])], [wanted[0], *wanted[3:], ("other", "5")])

    def test_places(self):
        """The plane and the line of the thread that marked it, as `tree` numbers them."""
        self.host("a", STEPS, "GPU A")
        profile = self.profile()
        places = {(p["plane"], n["line"]): (p["name"], n["name"]) for p in profile.document("tree", limit=0)["files"][0]["planes"]
                  for n in p["lines"]}
        found = profile.document("steps", limit=0)["steps"]
        self.assertEqual(sorted((*places[s["plane"], s["line"]], s["name"], s["start_ps"] // US, s["duration_ps"] // US) for s in found),
                         sorted(row[:5] for row in STEPS))
        self.assertEqual({s["source"] for s in found}, {"annotation"})

    def test_filters(self):
        """Of a step what a plane, a line, a name or a time keeps has the number that it has without; a device has the steps of its host."""
        self.host("a", STEPS, "GPU A")
        self.host("b", [("p", "main", "other", 50, 10, 5)], "GPU B")
        profile = self.profile()
        every = self.rows(profile)

        def starts(**filters):
            return [row[4] for row in self.rows(profile, **filters)]
        self.assertEqual(starts(line="aux"), [100, 300])
        self.assertEqual(starts(plane="q"), [0])
        self.assertEqual(starts(plane="GPU A"), [row[4] for row in every if row[0] == 0])
        self.assertEqual(starts(plane="GPU B"), [50])
        self.assertEqual(starts(plane="p", line="main"), [100, 200, 50])
        self.assertEqual(starts(host="b"), [50])
        self.assertEqual(starts(event="ev"), [100])
        self.assertEqual(starts(event="tr"), [0, 100, 200])
        self.assertEqual(starts(from_ps=90 * US, to_ps=200 * US), [100, 100])
        self.assertEqual(starts(from_ps=89 * US, to_ps=201 * US), [0, 100, 100, 200])
        self.assertEqual(starts(from_ps=300 * US, to_ps=301 * US), [300])
        self.assertEqual(self.rows(profile, step=3), [row for row in every if row[1] == 3])
        self.assertEqual(self.rows(profile, event="train", from_ps=200 * US), [row for row in every if row[4] == 200])

    def test_the_best_of_a_host(self):
        """A name of the profiler of PyTorch comes first, in each host for itself."""
        threads = self.host("a", STEPS[:1], "GPU A")
        self.host("b", STEPS[:1], "GPU B")
        self.made.spans([self.lib.TraceSpan(threads["p", "main"], "ProfilerStep#9", 10 * US, 20 * US)])
        profile = self.profile()
        self.assertEqual(self.rows(profile), [(0, 0, "ProfilerStep#9", "9", 10), (1, 0, "train", "2", 200)])
        self.assertEqual([s["source"] for s in profile.document("steps")["steps"]], ["ProfilerStep", "annotation"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
