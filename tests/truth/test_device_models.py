"""Which model a device of a trace is, by the list that its recorder kept; what that says of rates; and its place in sums."""
import json
import sys

import truth
from trace_events import launch, operator, run

H100, A100, V100 = "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-16GB"
FLOPS = {H100: 989.4e12, A100: 312e12, V100: 125e12}  # of products of 16 bits
BYTES = {H100: 3352e9, A100: 2039e9, V100: 900e9}
US = 1_000_000  # ps


class Models(truth.Case):
    def save(self, name, models, events, **head):
        listed = {} if models is None else {"deviceProperties": [{"id": n, "name": model} for n, model in enumerate(models)]}
        return self.write(name, json.dumps({"schemaVersion": 1, **listed, **head, "traceEvents": events}))

    def lines(self, path, *options):
        return truth.loads(truth.run("ops", path, "--json", *options))["lines"]

    def models(self, listed, *devices, **head):
        path = self.save("a.json", listed, [run("k", 10 * n, 5, device) for n, device in enumerate(devices)], **head)
        found = {int(line["plane_name"].split()[1]): (line["device_type"], line["peak_flops_per_s"], line["peak_hbm_bytes_per_s"])
                 for line in self.lines(path)}
        for model, flops, size in found.values():
            self.assertEqual((flops, size), (FLOPS.get(model), BYTES.get(model)))
        return {device: model for device, (model, _, _) in found.items()}

    def test_by_number(self):
        """One that the list lacks is of the model that all others are, or of none that is known."""
        for listed, wanted in (([H100, A100], {0: H100, 1: A100}), ([H100, A100], {1: A100}), ([H100, A100], {0: H100, 2: ""}),
                               ([H100, H100], {0: H100, 5: H100}), ([V100], {3: V100}), ([H100, H100, A100], {1: H100, 2: A100, 3: ""}),
                               ([], {0: ""}), (None, {0: ""}), (["Unheard 9", A100], {0: "Unheard 9", 1: A100})):
            self.assertEqual(self.models(listed, *wanted), wanted, listed)

    def test_numbers_of_the_list(self):
        """They count, not the places; who has none stands at its place. One without a name is what all others are, else not known."""
        for listed, wanted in (([(1, H100), (0, A100)], {0: A100, 1: H100}), ([(3, H100), (5, A100)], {3: H100, 5: A100, 0: "", 4: ""}),
                               ([(0, A100), (1, None), (2, V100)], {0: A100, 1: "", 2: V100}), ([(0, A100), (1, None)], {0: A100, 1: A100}),
                               ([(3, H100), (5, H100)], {3: H100, 4: H100, 9: H100}), ([(None, H100), (None, A100)], {0: H100, 1: A100}),
                               ([(-1, H100), (4095, A100)], {0: A100})):
            properties = [{key: value for key, value in (("id", n), ("name", model)) if value is not None} for n, model in listed]
            self.assertEqual(self.models(None, *wanted, deviceProperties=properties), wanted, listed)
        self.save("b.json", None, [run("k", 0, 5, 0)], deviceProperties=[{"id": 1, "name": A100}, {"id": 7, "name": A100}])
        (named,) = truth.loads(truth.run("report", self.scratch / "b.json", "--json"))["summary"]["devices"]
        self.assertEqual((named["model"], named["devices"]), (A100, 2))

    def test_each_file_has_its_list(self):
        """A rank that has none is of no known model, whatever the others are."""
        for rank, listed in enumerate(([H100], [A100], None, [V100, A100])):
            self.save(f"run/rank{rank}.json", listed, [run("k", 10, 5, rank % 2)], distributedInfo={"rank": rank, "world_size": 4})
        found = self.lines(self.scratch / "run")
        self.assertEqual([line["device_type"] for line in found], [H100, A100, "", A100])
        document = truth.loads(truth.run("ops", self.scratch / "run", "--by", "device", "--json"))
        self.assertEqual([(p["device_type"], p["devices"]) for p in document["peaks"]], [(H100, 1), (A100, 2)])
        (only,) = truth.loads(truth.run("ops", self.scratch / "run", "--by", "device", "--host", "rank3", "--json"))["peaks"]
        self.assertEqual((only["device_type"], only["devices"], only["flops_per_s_by_type"]["tf32"]), (A100, 1, 156e12))

    def product(self, n, device, at, length, dims, kind="c10::BFloat16", kernel="gemm"):
        """An operator and the kernel that it launched."""
        start = 100 * n
        return [operator("aten::mm", 1, start, 50, n, dims, [kind] * 2), launch(1, start + 10, correlation=n, External_id=n),
                run(kernel, at, length, device, correlation=n, External_id=n)]

    def roofs(self, path, by, *options):
        """(name, operations, longest time that is attainable, compute, memory, neither) of each group, times in us."""
        document = truth.loads(truth.run("ops", path, "--by", by, "--json", "--limit", "0", *options))
        return [(g["name"], g["flops"], g["attainable_ps"] // US, *(g[key + "_bound_ps"] // US for key in ("compute", "memory", "neither")))
                for g in document["groups"]]

    def test_roofs(self):
        """Of one product on three devices: each has the rate of its own model and of the type; without a model there is no roof.
        All runs of an op of a device are one op."""
        n, flops = 4096, 2 * 4096**3
        dims = [[n, n], [n, n]]
        needs = {model: int(flops / rate * 1e6) for model, rate in FLOPS.items()}  # us
        events = []
        for device, length in ((0, 139), (1, 735), (2, 500), (0, 1000)):
            number = len(events) // 3 + 1
            events += self.product(number, device, 1000 * number, length, dims)
        path = self.save("b.json", [H100, A100], events)
        self.assertEqual((needs[H100], needs[A100]), (138, 440))
        self.assertEqual(self.roofs(path, "device"), [("GPU 0", 2 * flops, int(2 * flops / FLOPS[H100] * 1e6), 0, 0, 1139),
                                                      ("GPU 1", flops, needs[A100], 0, 0, 735), ("GPU 2", flops, 0, 0, 0, 0)])
        self.assertEqual(self.roofs(path, "op"), [("aten::mm", 4 * flops, int((2 * flops / FLOPS[H100] + flops / FLOPS[A100]) * 1e6),
                                                   0, 0, 1874)])
        self.assertEqual(self.roofs(path, "op", "--plane", "GPU 1"), [("aten::mm", flops, needs[A100], 0, 0, 735)])
        self.assertEqual(self.roofs(path, "op", "--time", ":2000us"), [("aten::mm", flops, needs[H100], 139, 0, 0)])
        self.assertEqual(self.roofs(path, "op", "--time", "4000us:"), [("aten::mm", flops, needs[H100], 0, 0, 1000)])

    def test_types_of_products(self):
        """Of V100 products of BF16 have no rate; of 32 bits TF32's counts where there is one, else that of 32 bits."""
        n, flops = 4096, 2 * 4096**3
        for model, kind, rate in ((V100, "c10::Half", 125e12), (V100, "c10::BFloat16", None), (V100, "float", 15.7e12),
                                  (V100, "double", 7.8e12), (A100, "float", 156e12), (A100, "double", 19.5e12),
                                  (A100, "c10::BFloat16", 312e12)):
            path = self.save("c.json", [model], self.product(1, 0, 1000, 50_000, [[n, n], [n, n]], kind))
            ((_, _, attainable, *_),) = self.roofs(path, "op")
            self.assertEqual(attainable, 0 if rate is None else int(flops / rate * 1e6), (model, kind))

    def test_kernels_without_tensor_cores(self):
        """Their names say that nothing rounds to TF32: then 19.5 TFLOP/s of an A100 are all."""
        n, flops = 4096, 2 * 4096**3
        for kernel, rate in (("ampere_sgemm_128x64_tn", 19.5e12), ("cutlass_80_simt_sgemm_128x128_8x4_nt_align1", 19.5e12),
                             ("cutlass_80_tensorop_s1688gemm_128x256_16x3_nt_align4", 156e12),
                             ("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128", 156e12), ("gemm", 156e12)):
            path = self.save("c.json", [A100], self.product(1, 0, 1000, 50_000, [[n, n], [n, n]], "float", kernel))
            ((_, _, attainable, *_),) = self.roofs(path, "op")
            self.assertEqual(attainable, int(flops / rate * 1e6), kernel)

    def test_memory_bounds(self):
        """A thin product takes longer for its bytes than for its operations; at 60 % of its roof it is bound, below not."""
        n = 4096
        size = 2 * (n + n * n + n)
        best = size / BYTES[V100] * 1e6
        for length, bound in ((int(best / 0.6), True), (int(best / 0.6) + 1, False)):
            path = self.save("d.json", [V100], self.product(1, 0, 1000, length, [[1, n], [n, n]], "c10::Half"))
            self.assertEqual(self.roofs(path, "op"), [("aten::mm", 2 * n * n, int(best), 0, *((length, 0) if bound else (0, length)))])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
