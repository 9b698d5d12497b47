"""What devices do at most: what their planes say, which numbers of them count, and which devices are of a kind."""
import sys

import truth
from proto_writer import Plane, Ref, Uint, xspace

PEAKS = {"flops": "peak_teraflops_per_second", "hbm": "peak_hbm_bw_gigabytes_per_second"}
BY_CYCLES = "the plane's multiprocessors, clock and compute capability"
# Operations that a multiprocessor does in a cycle by its architecture: those of the makers' white papers.
CYCLE = {
    ("Nvidia", 7, 0): {"f64": 64, "f32": 128, "f16": 1024},
    ("Nvidia", 7, 5): {"f64": 4, "f32": 128, "f16": 1024, "i8": 2048},
    ("Nvidia", 8, 0): {"f64": 128, "f32": 128, "tf32": 1024, "f16": 2048, "bf16": 2048, "i8": 4096},
    ("Nvidia", 8, 6): {"f64": 4, "f32": 256, "tf32": 512, "f16": 1024, "bf16": 1024, "i8": 2048},
    ("Nvidia", 8, 9): {"f64": 4, "f32": 256, "tf32": 512, "f16": 1024, "bf16": 1024, "f8": 2048, "i8": 2048},
    ("Nvidia", 9, 0): {"f64": 256, "f32": 256, "tf32": 2048, "f16": 4096, "bf16": 4096, "f8": 8192, "i8": 8192},
    ("AMD", 9, 4): {"f64": 256, "f32": 256, "tf32": 1024, "f16": 2048, "bf16": 2048, "f8": 4096, "i8": 4096},
    ("AMD", 9, 5): {"f64": 128, "f32": 256, "f16": 4096, "bf16": 4096, "f8": 8192, "f4": 16384, "i8": 8192}}


def gpu(vendor, major, minor, cores=100, clock_khz=1_500_000, memory=2_000_000_000_000, at=0, **more):
    stats = {"device_vendor": vendor, "compute_cap_major": major, "compute_cap_minor": minor, "core_count": cores,
             "clock_rate": clock_khz, "memory_bandwidth": memory, **more}
    return plane(f"/device:GPU:{at}", "Stream #1(Compute)", stats)


def tpu(at=0, **stats):
    return plane(f"/device:TPU:{at}", "XLA Ops", stats)


def plane(name, line, stats, lines=1):
    made = Plane(name)
    for n in range(lines):
        made.line(line, 0, [made.event("fusion.1", 1000 * n, 100)], line_id=n + 1)
    made.event_metadata("fusion.1", stats=[("flops", 1000), ("bytes_accessed", 100)])
    for key, value in stats.items():
        if value is not None:
            made.own_stat(key, value)
    return made


class Peaks(truth.Case):
    def groups(self, *planes, options=()):
        path = self.write("a.xplane.pb", xspace(planes))
        return truth.loads(truth.run("ops", path, "--by", "device", "--json", *options))

    def peaks(self, *planes, options=()):
        return self.groups(*planes, options=options)["peaks"]

    def rates(self, *planes):
        return [(p["source"], p["flops_per_s"], p["hbm_bytes_per_s"]) for p in self.peaks(*planes)]

    def test_by_capability(self):
        """Operations of a cycle, times multiprocessors, times cycles; of AMD's HBM3 the memory does twice what the plane says."""
        for (vendor, major, minor), cycle in CYCLE.items():
            by_type = {kind: float(n * 100 * 1_500_000_000) for kind, n in cycle.items()}
            self.check(self.peaks(gpu(vendor, major, minor)), [
                {"device_type": vendor, "devices": 1, "source": BY_CYCLES, "flops_per_s": by_type["f16"],
                 "hbm_bytes_per_s": 4e12 if vendor == "AMD" else 2e12, "flops_per_s_by_type": by_type}])

    def test_a_capability_is_of_its_maker(self):
        """9.0 of AMD is not 9.0 of NVIDIA, nor is 9.4; any maker but AMD counts as NVIDIA. Memory alone is known still."""
        for vendor, major, minor in (("AMD", 9, 0), ("AMD", 8, 0), ("Nvidia", 9, 4), ("Nvidia", 9, 5), ("Nvidia", 6, 0), ("Nvidia", 0, 9)):
            self.check(self.peaks(gpu(vendor, major, minor)), [
                {"device_type": vendor, "devices": 1, "source": "the plane", "flops_per_s": None, "hbm_bytes_per_s": 2e12,
                 "flops_per_s_by_type": {}}])
        for vendor in ("NVIDIA", "", None):
            self.assertEqual(self.rates(gpu(vendor, 8, 0)), [(BY_CYCLES, 2048 * 1.5e11, 2e12)])

    def test_what_a_plane_lacks(self):
        """Without a clock or a count there is no rate; with neither rate the device is not listed."""
        for lack in ("core_count", "clock_rate"):
            for value in (None, 0, -5):
                self.assertEqual(self.rates(gpu("Nvidia", 8, 0, **{lack: value})), [("the plane", None, 2e12)])
                self.assertEqual(self.rates(gpu("Nvidia", 8, 0, memory=0, **{lack: value})), [])
        for none in (None, 0, -1):
            self.assertEqual(self.rates(gpu("Nvidia", 8, 0, memory=none)), [(BY_CYCLES, 2048 * 1.5e11, None)])

    def test_how_numbers_are_written(self):
        """As whole numbers with and without a sign, and as doubles; a text is no number."""
        for count in (100, Uint(100), 100.0):
            self.assertEqual(self.rates(gpu("Nvidia", 8, 0, cores=count)), [(BY_CYCLES, 2048 * 1.5e11, 2e12)])
        for count in ("100", b"100", Ref("100")):
            self.assertEqual(self.rates(gpu("Nvidia", 8, 0, cores=count)), [("the plane", None, 2e12)])
        self.assertEqual(self.rates(tpu(**{PEAKS["flops"]: 3, PEAKS["hbm"]: Uint(70)})), [("the plane", 3e12, 7e10)])

    def test_what_the_plane_says_comes_first(self):
        """Of each rate for itself; what it does not say is that of the model."""
        sheet = "Google Cloud, TPU v4 documentation"
        for flops, hbm, wanted in ((None, None, (sheet, 275e12, 1228e9)), (1.5, None, ("the plane", 1.5e12, 1228e9)),
                                   (None, 70.0, ("the plane", 275e12, 7e10)), (1.5, 70.0, ("the plane", 1.5e12, 7e10)),
                                   (0.0, 0, (sheet, 275e12, 1228e9)), (-2.0, -1, (sheet, 275e12, 1228e9))):
            self.assertEqual(self.rates(tpu(device_type_string="TPU v4", **{PEAKS["flops"]: flops, PEAKS["hbm"]: hbm})), [wanted])
        given = {PEAKS["flops"]: 7.0, PEAKS["hbm"]: 9.0}
        self.assertEqual(self.rates(gpu("AMD", 9, 4, **given)), [("the plane", 7e12, 9e9)])
        self.assertEqual(self.peaks(gpu("AMD", 9, 4, **given))[0]["flops_per_s_by_type"], {})

    def test_names_of_tpus(self):
        """In any case, each word as a whole."""
        for name, wanted in (("TPU v2", (23e12, 300e9)), ("tpu V3", (61.5e12, 450e9)), ("TPU v4 Lite", (138e12, 614e9)),
                             ("TPU v4", (275e12, 1228e9)), ("TPU v5 lite", (197e12, 819e9)), ("TPU v5e", (197e12, 819e9)),
                             ("TPU v5", (459e12, 2765e9)), ("TPU v5p", (459e12, 2765e9)), ("TPU v6e", (918e12, 1638e9)),
                             ("TPU v7x", (1153.5e12, 3690e9)), ("TPU v6 lite", (918e12, 1638e9)), ("TPU7x", (1153.5e12, 3690e9)),
                             ("TPU v7", (1153.5e12, 3690e9)), ("Google-TPU-v4.", (275e12, 1228e9)), ("TPU v41", None), ("xTPU v4", None),
                             ("v4 TPU", None), ("TPU", None), ("", None)):
            found = [(p["flops_per_s"], p["hbm_bytes_per_s"]) for p in self.peaks(tpu(device_type_string=name))]
            self.assertEqual(found, [] if wanted is None else [wanted], name)

    def test_devices_of_a_kind(self):
        """Equal name and rates; several lines of a device are one; planes without any rate are left out."""
        one, other = {PEAKS["flops"]: 1.0, PEAKS["hbm"]: 10.0}, {PEAKS["flops"]: 1.0, PEAKS["hbm"]: 11.0}
        two_lines = plane("/device:TPU:1", "XLA Ops", one, lines=2)
        found = self.peaks(tpu(0, **other), two_lines, tpu(2), tpu(3, **other), tpu(4, **one, device_type_string="X"))
        self.assertEqual([(p["device_type"], p["devices"], p["hbm_bytes_per_s"]) for p in found],
                         [("", 2, 1.1e10), ("", 1, 1e10), ("X", 1, 1e10)])
        planes = (tpu(0, **other), tpu(1, **one), tpu(2, **one))
        self.assertEqual([p["devices"] for p in self.peaks(*planes, options=("--plane", "TPU:2"))], [1])

    def test_shares(self):
        """Of one op of 1000 operations and 100 bytes in 100 ps, as `ops` has them; null where the rate is not known."""
        def shares(*planes):
            found = truth.parsed(truth.run("ops", self.write("b.xplane.pb", xspace(planes)), "--json"))["lines"]
            return [[line["device_type"], line["ops"][0]["flops_share"], line["ops"][0]["bytes_share"]] for line in found]
        self.check(shares(tpu(0, **{PEAKS["flops"]: 20.0}), tpu(1, **{PEAKS["hbm"]: 500.0}), tpu(2, device_type_string="TPU v2")),
                   [["", 0.5, None], ["", None, 2.0], ["TPU v2", 10 / 23, 1000 / 300]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
