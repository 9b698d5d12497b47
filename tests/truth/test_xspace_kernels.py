"""Kernels of XSpaces: what they are called, what they count as, their order, and which events are none."""
import sys

import pair
import truth
import xspace as x

NS = pair.ORIGIN_NS["alpha"]
FAR = (1 << 63) - 1
CATEGORY, REFERRED = 1, 9
STATS = [x.stat_metadata(CATEGORY, "hlo_category"), x.stat_metadata(REFERRED, "convolution"), x.stat_metadata(2, "long_name")]


def entry(key, name, display_name="", *stats):
    return x.event_metadata(key, name, display_name, stats)


def category(value, kind=None, key=CATEGORY):
    return x.stat(key, value, kind)


class Kernels(truth.Case):
    def open(self, *planes):
        profile = truth.library().open(str(self.write("a.xplane.pb", x.space(*planes))))
        self.addCleanup(profile.close)
        return profile

    def kernels(self, *entries, line="XLA Ops", plane="/device:TPU:0"):
        """Name, type and kind of one kernel of each of the entries (key, name, …)."""
        events = [x.event(given[0], at * 1000, 10) for at, given in enumerate(entries)]
        rows = self.open(x.plane(1, plane, x.line(1, line, events, NS), *(entry(*given) for given in entries), *STATS)).table("kernels")
        return [(row["name"], row["op_type"], row["kind"]) for row in rows.to_dicts()]

    def test_names(self):
        """The short name, where there is one; of the text of an instruction its name. The type is the category, else the name without
        the number of the instance."""
        self.assertEqual(self.kernels((1, "%fusion.12 = f32[8] fusion(%p)"), (2, "long", "short.1"), (3, "%a.1", "%b.2 = b()"), (4, ""),
                                      (5, "dot.7", "", category("convolution")), (6, "dot.8", "", category(REFERRED, "ref"))),
                         [("fusion.12", "fusion", "compute"), ("short.1", "short", "compute"), ("b.2", "b", "compute"),
                          ("", None, "other"),
                          ("dot.7", "convolution", "compute"), ("dot.8", "convolution", "compute")])

    def test_what_has_no_name_is_not_called_compute(self):
        """An entry that is empty, and events without one, as in a file that is cut: time of no known kind."""
        events = [x.event(1, 0, 10), x.event(2, 1000, 20), x.event(3, 2000, 40), x.event(4, 3000, 80)]
        plane = x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", events, NS), entry(1, "add.1"), entry(2, ""),
                        entry(4, "", "", category("convolution")), *STATS)
        profile = self.open(plane)
        self.assertEqual([(row["name"], row["kind"]) for row in profile.table("kernels").to_dicts()],
                         [("add.1", "compute"), ("", "other"), ("", "other"), ("", "compute")])
        uses = {}
        for row in profile.table("device_time").to_dicts():
            uses[row["use"]] = uses.get(row["use"], 0) + row["time_ps"]
        self.assertEqual((uses["compute"], uses["other_work"]), (90, 60))

    def test_the_last_entry_of_a_key_counts(self):
        rows = [x.event(1, 0, 10)]
        plane = x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", rows, NS), entry(1, "all-reduce.1", "", category("all-reduce")),
                        entry(1, "add.2"), *STATS)
        self.assertEqual([(row["name"], row["op_type"], row["kind"]) for row in self.open(plane).table("kernels").to_dicts()],
                         [("add.2", "add", "compute")])

    def test_categories(self):
        """Of two the last; a number is none; the stat of another name is none; that of an entry counts, not that of an event."""
        self.assertEqual(self.kernels((1, "a", "", category("x"), category("all-gather fusion")), (2, "b", "", category(5)),
                                      (3, "c", "", category("all-reduce", key=2)), (4, "d", "", category("all-gather"), category("x"))),
                         [("a", "all-gather fusion", "comm"), ("b", "b", "compute"), ("c", "c", "compute"), ("d", "x", "compute")])
        events = [x.event(1, 0, 10, [category("all-reduce")])]
        rows = self.open(x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", events, NS), entry(1, "a"), *STATS)).table("kernels").to_dicts()
        self.assertEqual([(row["op_type"], row["kind"]) for row in rows], [("a", "compute")])

    def test_kinds(self):
        """By the name or the category, whichever communicates; else whichever copies."""
        given = [("all-reduce.5", None, "comm"), ("add", "all-reduce", "comm"), ("all-gather.1", "loop fusion", "comm"),
                 ("fusion", "send", "comm"),
                 ("copy-start.3", None, "copy"), ("copy-done.3", None, "copy"), ("f", "copy-start", "copy"),
                 ("copy-start.1", "all-gather", "comm"),
                 ("add.1", "loop fusion", "compute"), ("copy.4", "copy", "compute")]
        found = self.kernels(*((1 + at, name, "", *([category(of)] if of else [])) for at, (name, of, _) in enumerate(given)))
        self.assertEqual([kind for _, _, kind in found], [kind for _, _, kind in given])

    def test_transfers_beside_the_core(self):
        """What is on the line of asynchronous ops copies, unless it communicates."""
        found = self.kernels((1, "add.1"), (2, "all-gather-start.1"), (3, "x", "", category("all-reduce-start")), line="Async XLA Ops")
        self.assertEqual([kind for _, _, kind in found], ["copy", "comm", "comm"])

    def test_streams(self):
        """What a kernel of a stream runs for may communicate; one that copies does not for that."""
        names = [x.stat_metadata(3, "hlo_op"), x.stat_metadata(4, "all-reduce.7"), *STATS]
        ops = [entry(1, "gemm"), entry(2, "Memcpy DtoD"), entry(3, "ncclDevKernel_AllReduce_Sum_f32_RING_LL")]
        for stat, kinds in ((x.stat(3, "all-reduce.7"), ["comm", "copy", "comm"]), (x.stat(3, 4, "ref"), ["comm", "copy", "comm"]),
                            (x.stat(3, "add.7"), ["compute", "copy", "comm"]), (x.stat(2, "all-reduce.7"), ["compute", "copy", "comm"])):
            events = [x.event(key, key * 1000, 10, [stat]) for key in (1, 2, 3)]
            for line, wanted in (("Stream #1(Kernel)", kinds), ("XLA Ops", ["compute", "copy", "comm"])):
                plane = x.plane(1, "/device:GPU:0", x.line(1, line, events, NS), *ops, *names)
                self.assertEqual([row["kind"] for row in self.open(plane).table("kernels").to_dicts()], wanted)

    def places(self, *planes):
        """Where the kernels come from."""
        rows = self.open(*planes).table("kernels").to_dicts()
        return [tuple(row[c] for c in ("framework_op", "outer_op", "module", "source", "phase", "program", "input_shapes")) for row in rows]

    def test_places_by_entries(self):
        """Of a TPU the entry of an op says where it comes from."""
        names = [x.stat_metadata(key, name) for key, name in enumerate(("tf_op", "source", "program_id"), 3)]
        ops = [entry(1, "fusion.1", "", x.stat(3, "jit(step)/transpose(jvp(Net))/layer_0/attn/dot_general"), x.stat(4, "net.py:31"),
                     x.stat(5, 7, "uint")),
               entry(2, "fusion.2", "", x.stat(3, "jit(step)/jvp(Net)/tanh"), x.stat(5, 8, "uint")), entry(3, "copy.1")]
        events = [x.event(key, at * 1000, 10) for at, key in enumerate((1, 2, 3, 1))]
        programs = x.plane(2, "/host:metadata", x.event_metadata(1, "jit_step(7)"))
        plane = x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", events, NS), *ops, *names)
        first = ("dot_general", "dot_general", "Net/layer_0/attn", "net.py:31", "backward", "jit_step(7)", None)
        self.assertEqual(self.places(plane, programs),
                         [first, ("tanh", "tanh", "Net", None, "forward", "8", None), (None,) * 7, first])

    def test_places_by_events(self):
        """On a stream the event says it, which counts more than the entry; two lines take turns."""
        names = [x.stat_metadata(key, name) for key, name in enumerate(("tf_op", "source", "program_id", "hlo_module"), 3)]
        ops = [entry(1, "gemm", "", x.stat(3, "jit(g)/sub")), entry(2, "add")]
        at = 0

        def event(key, *stats):
            nonlocal at
            at += 1000
            return x.event(key, at, 10, stats)

        events = [event(1, x.stat(3, "jit(f)/jvp(Net)/dot_general"), x.stat(5, 7), x.stat(6, "jit_f")),
                  event(1, x.stat(3, "jit(f)/mul"), x.stat(4, "f.py:2"), x.stat(5, 7), x.stat(6, "jit_f")), event(1),
                  event(2, x.stat(6, "jit_g")), event(2, x.stat(3, "Net/layer/MatMul:MatMul"))]
        lines = [x.line(1, "Stream #1", events[0::2], NS), x.line(2, "Stream #2", events[1::2], NS)]
        self.assertEqual(self.places(x.plane(1, "/device:GPU:0", *lines, *ops, *names)),
                         [("dot_general", "dot_general", "Net", None, "forward", "jit_f(7)", None),
                          ("mul", "mul", None, "f.py:2", None, "jit_f(7)", None), ("sub", "sub", None, None, None, None, None),
                          (None, None, None, None, None, "jit_g", None), ("MatMul", "MatMul", "Net/layer", None, None, None, None)])

    def test_order(self):
        """Of a device by start, over all its lines and however they are written; each says its stream."""
        lines = [x.line(7, "Stream #7", [x.event(1, at, 5) for at in (300, 100, 500)], NS), x.line(8, "Stream #8", [
            x.event(1, at, 5) for at in (200, 400)], NS), x.line(9, "Stream #9", [x.event(1, 50, 5)], NS + 1)]
        rows = self.open(x.plane(1, "/device:GPU:0", *lines, entry(1, "gemm"))).table("kernels").to_dicts()
        self.assertEqual([(row["start_ps"], row["stream"]) for row in rows], [(100, 7), (200, 8), (300, 7), (400, 8), (500, 7), (1050, 9)])
        alone = [row["start_ps"] for row in self.open(x.plane(1, "/device:GPU:0", lines[0], entry(1, "gemm"))).table("kernels").to_dicts()]
        self.assertEqual(alone, [100, 300, 500])

    def test_what_is_no_kernel(self):
        """Totals without a place in time, and what lies out of reach: they are counted. A negative duration counts as none."""
        events = [x.event(1, 100, 10), x.event(1, None, 90, occurrences=3), x.event(1, 200, 10), x.event(1, None, 1, occurrences=1)]
        total = ("aggregated: without a place in time", 2)
        for more, rejected, reasons, kept, status in (
                ((), 2, [total], 2, 0), ((x.event(1, 300, -5),), 2, [total], 3, 5),
                ((x.event(1, FAR, 5),), 3, [total, ("more than 106 days from the origin", 1)], 2, 5)):
            line = x.line(1, "XLA Ops", [*events, *more], NS)
            path = self.write("a.xplane.pb", x.space(x.plane(1, "/device:TPU:0", line, entry(1, "add"))))
            found = truth.loads(truth.run("bubbles", path, "--json", status=status))
            (given,) = found["inputs"]
            self.assertEqual((given["rows"], given["rejected"], [(r["reason"], r["count"]) for r in given["reject_reasons"]],
                              found["devices"][0]["kernels"]), (kept, rejected, reasons, kept))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
