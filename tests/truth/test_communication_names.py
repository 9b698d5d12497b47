"""Which kernels communicate: every command says the same of every capture, and of kernels that are known by their names
what their sources say."""
import collections
import json
import sys

import truth

DATA = truth.ROOT / "tests" / "data"
PS_PER_MS = 10**9

# Names as profilers write them, from the sources that src/core/base/communication_kernels.inc names.
COMMUNICATE = [
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
    "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
    "ncclAllReduceRingLLKernel_sum_f32(ncclColl)",
    "ncclSymDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16(ncclSymkDevWorkArgs)",
    "ncclSymkDevKernel_AllGather_STMC(ncclSymkDevWorkArgs4K)",
    "rccl_main_kernel(ncclDevComm*)",
    "mscclKernel_Sum_half_Simple_false(mscclDevComm*)",
    "void mscclpp::executionKernel<__half, mscclpp::LL16Packet>(int, __half*)",
    "void sglang::allreduce_LL_1node<__nv_bfloat16>(mscclpp::MemoryChannelDeviceHandle*, __nv_bfloat16*)",
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals)",
    "void aiter::cross_device_reduce_2stage_write_mode<__hip_bfloat16, 8>(aiter::RankData*)",
    "void aiter::reduce_scatter_cross_device_store<__hip_bfloat16, 8>(aiter::RankData*)",
    "void aiter::allgather_lastdim<__hip_bfloat16, 8>(aiter::RankData*)",
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<"
    "(flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 8, true>(params)",
    "void flashinfer::trtllm_moe_allreduce_fusion::moefinalize_allreduce_fusion_kernel_oneshot_lamport<half, 8>(params)",
    "void flashinfer::mixed_comm::fused_reducescatter_allreduce_kernel<__nv_bfloat16>(params)",
    "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8, true, true>(tensorrt_llm::kernels::AllReduceParams)",
    "void tensorrt_llm::kernels::mnnvl::rmsNormLamport<__nv_bfloat16, 4>(__nv_bfloat16*)",
    "void tensorrt_llm::kernels::moe_alltoall::moeA2ADispatchKernel<8, 1>(params)",
    "void (anonymous namespace)::one_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(c10::BFloat16**)",
    "void (anonymous namespace)::multimem_one_shot_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
    "c10d::symmetric_memory::barrier_kernel(unsigned int**, unsigned long, unsigned long, unsigned long)",
    "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*)",
    "void deep_ep::intranode::notify_dispatch<8>(int const*, int*)",
    "void deep_ep::intranode::cached_notify_combine<8>(void**, int*)",
    "void deep_ep::internode::combine<false, 4, __nv_bfloat16, 24>(int4*)",
    "void deep_ep::internode_ll::combine<true, 7168, 9>(void*, void*, int*)",
    "_ZN7deep_ep12internode_ll8dispatchILb1ELb0ELi7168EEEvPvS1_Pi",
    "void deep_ep::elastic::dispatch_impl<false, 148>(void*)",
    "void uccl::internode_ll::dispatch<true, false, 7168>(void*)",
    "void mori::moe::EpDispatchIntraNodeKernel<hip_bfloat16>(args)",
    "void dispatchKernel<10, true>(unsigned long)",
    "void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<half, 8> >(half const*)",
    "nvshmemi_transfer_rma_kernel",
    "void alltoall_on_stream_kernel<char>(int)",
    "void userbuffers_fp16_sum_inplace_gpu_rr_ag<4>(int, int)",
    "kuserbuffers_pushsendrecv(int, int, int*)",
    "AllreduceLargeKernel_GlobalSync<sycl::_V1::ext::oneapi::bfloat16>",
    "void stream_executor::gpu::RaggedAllToAllKernelImpl<float>(float*)",
    "void helixAllToAllKernel<true>(HelixAllToAllParams)",
]
COMPUTE = [
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
    "void moe_align_block_size_kernel<int>(int*)",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::sum_functor<float> > >(float)",
    "void at::native::unrolled_elementwise_kernel<broadcast_to>(int)",
    "void at::native::(anonymous namespace)::vectorized_gather_kernel<16, long>(char*)",
    "void at::native::_scatter_gather_elementwise_kernel<128, 8>(int)",
    "_fused_moe_gather_kernel",
    "_fwd_kernel_ep_scatter_1",
    "scatter_gather",
    "void splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams<float>)",
    "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*, int> >(long*)",
    "void vllm::rms_norm_kernel<all_reduce>(all_reduce*)",
    "void layer_norm_reduce_kernel<float>(float*)",
    "block_all_reduce_layer_norm",
    "dispatch_tokens_to_queue",
    "void sampler::dispatch<8>(int)",
    "void flash_fwd_splitkv_combine_kernel<4>(int)",
    "void deep_ep::layout::get_dispatch_layout<256, 4, 8>(int const*)",
    "void mscclpp::ep::intranode::get_dispatch_layout<256, 4, 8>(long const*)",
    "void deep_ep::elastic::combine_reduce_epilogue_impl<148>(void*)",
    "void tensorrt_llm::kernels::moe_alltoall::moeA2APrepareDispatchKernel(int*)",
    "void flashinfer::trtllm_allreduce::lamport_initialize_kernel<half>(half*)",
    "void flashinfer::trtllm_allreduce::rms_norm_kernel<half>(half*)",
    "void flashinfer::trtllm_alltoall::computeSendRecvRankCountKernel<8>(int*)",
    "void c10d::checkForNaN<float>(float*, unsigned long)",
    "nvshmemi_init_array_kernel(void*)",
    "triton_red_fused_all_reduce_mean_0",
    "loop_all_reduce_fusion_3",
    "matmul_all_reduce_kernel",
    "__amd_rocclr_copyBufferAligned",
]
STEPS = 3


def event(name, ts, dur, category="kernel", **more):
    return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur, **more}



def union(spans, begin, end):
    """Length of what spans cover between two instants."""
    covered, behind = 0, begin
    for start, stop in sorted(spans):
        covered += max(0, min(stop, end) - max(start, behind))
        behind = max(behind, min(stop, end))
    return covered


class Agreement(truth.Case):
    """What five commands say of the communication of a capture, against its kernels one by one."""

    def run_on(self, *arguments):
        """Also where a capture is damaged: what is left is answered."""
        try:
            return truth.run(*arguments)
        except AssertionError:
            return truth.run(*arguments, status=5)

    def ask(self, command, path):
        options = ("--limit", "0") if command in ("ops", "collectives") else ()
        return truth.loads(self.run_on(command, path, "--json", *options))

    def kernels_of(self, path):
        """(file, device): rows of kernels that are no repetition of another."""
        found = collections.defaultdict(list)
        for line in self.run_on("rows", path, "kernels", "--format", "json", "--columns",
                                "device,name,kind,start_ps,duration_ps,duplicate").splitlines():
            row = json.loads(line)
            if not row["duplicate"]:
                found[row["device"]].append(row)
        return found

    @staticmethod
    def communication(rows):
        return [row for row in rows if row["kind"] == "comm"]

    def check_capture(self, path):
        """The kernels by device, when there are any."""
        kernels = self.kernels_of(path)
        if not kernels:
            return kernels
        every = [row for rows in kernels.values() for row in self.communication(rows)]
        listed = self.ask("collectives", path)
        ops = self.ask("ops", path)
        self.check_collectives(ops, listed, every)
        self.check_report(path, listed)
        self.check_bubbles(path, kernels)
        self.check_architecture(path, kernels)
        return kernels

    def check_collectives(self, ops, listed, every):
        if ops["source"] == "kernels of traces and tables":
            rows = sorted((op["name"], op["count"], op["total_ps"]) for line in ops["lines"] for op in line["ops"]
                          if op["stats"]["category"] == "comm")
            self.assertEqual(rows, sorted((op["name"], op["count"], op["total_ps"]) for op in listed["ops"]))
            self.assertEqual((sum(row[1] for row in rows), sum(row[2] for row in rows)),
                             (len(every), sum(row["duration_ps"] for row in every)))
        elif any(op["on_stream"] for op in listed["ops"]):
            self.assertEqual(sum(op["count"] for op in listed["ops"] if op["on_stream"]), len(every))

    def check_report(self, path, listed):
        blocking = [row for row in self.ask("report", path)["summary"]["collectives"] if row["blocking"]]
        waited = [op for op in listed["ops"] if not op["is_half"] or not listed["async"]]
        if len(waited) == len(listed["ops"]):
            self.assertEqual((sum(row["count"] for row in blocking), sum(row["total_ps"] for row in blocking)),
                             (sum(op["count"] for op in waited), sum(op["total_ps"] for op in waited)))

    def check_bubbles(self, path, kernels):
        for step in self.ask("bubbles", path)["steps"]:
            begin, end = step["exact_ps"]["start"], step["exact_ps"]["end"]
            spans = [(row["start_ps"], row["start_ps"] + row["duration_ps"])
                     for row in self.communication(kernels[step["device"]])]
            parts = step["breakdown"]
            self.assertEqual(parts["comm_exposed_ps"] + parts["comm_overlapped_ps"], union(spans, begin, end), step["step_id"])

    def check_architecture(self, path, kernels):
        found = self.ask("architecture", path)
        if found["status"] != "ok":
            return
        rows = self.communication(kernels[found["device"]])
        spans = [(row["start_ps"], row["start_ps"] + row["duration_ps"]) for row in rows]
        whole = union(spans, min((s for s, _ in spans), default=0), max((e for _, e in spans), default=0))
        for name, expected_ps in (("comm_sum_ns", sum(row["duration_ps"] for row in rows)), ("comm_ns", whole)):
            self.assertLessEqual(abs(1000 * found["pipeline"][name] - expected_ps), 1000, name)


class OfNames(Agreement):
    def write_trace(self, names, category="kernel"):
        """Steps of a kernel of 1 ms for each name, one behind the other, on one stream."""
        events = []
        for step in range(STEPS):
            begin = 1000 * step * (len(names) + 2)
            events.append(event(f"ProfilerStep#{step}", begin, 1000 * (len(names) + 1), "user_annotation", tid=1))
            for i, name in enumerate(names):
                number = step * len(names) + i + 1
                events.append(event("cudaLaunchKernel", begin + 1 + i, 1, "cuda_runtime", tid=1,
                                    args={"correlation": number}))
                events.append(event(name, begin + 500 + 1000 * i, 1000, category,
                                    args={"device": 0, "stream": 7, "correlation": number}))
        return self.write("trace.pt.trace.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))

    def test_each_name(self):
        path = self.write_trace(COMMUNICATE + COMPUTE)
        found = {op["name"]: op["stats"]["category"] for line in self.ask("ops", path)["lines"] for op in line["ops"]}
        wanted = {**dict.fromkeys(COMMUNICATE, "comm"), **dict.fromkeys(COMPUTE, "compute")}
        self.check(found, wanted)

    def test_all_commands(self):
        path = self.write_trace(COMMUNICATE + COMPUTE)
        communication_ps = STEPS * len(COMMUNICATE) * PS_PER_MS
        compute_ps = STEPS * len(COMPUTE) * PS_PER_MS
        kernels = self.check_capture(path)
        self.assertEqual(sum(row["duration_ps"] for row in self.communication(kernels[0])), communication_ps)

        listed = self.ask("collectives", path)["ops"]
        self.assertEqual(sorted(op["name"] for op in listed), sorted(COMMUNICATE))
        self.assertEqual({(op["count"], op["total_ps"]) for op in listed}, {(STEPS, STEPS * PS_PER_MS)})

        steps = [step["breakdown"] for step in self.ask("bubbles", path)["steps"]]
        self.assertEqual(sum(step["comm_exposed_ps"] for step in steps), communication_ps)
        self.assertEqual(sum(step["comm_overlapped_ps"] for step in steps), 0)
        self.assertEqual(sum(step["compute_only_ps"] for step in steps), compute_ps)

        summary = self.ask("report", path)["summary"]["collectives"]
        self.assertEqual(sum(row["total_ps"] for row in summary), communication_ps)

        pipeline = self.ask("architecture", path)["pipeline"]
        self.assertEqual((pipeline["comm_ns"], pipeline["comm_sum_ns"], pipeline["hidden_ns"], pipeline["compute_ns"]),
                         (communication_ps // 1000, communication_ps // 1000, 0, compute_ps // 1000))

    def test_waits_of_mtia(self):
        """Waits of one stream for another and marks for them are neither compute nor communication."""
        path = self.write_trace(["event_wait", "event_record", "merge"], "mtia_ccp_events")
        found = {op["name"]: op["stats"]["category"] for line in self.ask("ops", path)["lines"] for op in line["ops"]}
        self.check(found, {"event_wait": "other", "event_record": "other", "merge": "compute"})
        steps = [step["breakdown"] for step in self.ask("bubbles", path)["steps"]]
        self.assertEqual([(step["compute_only_ps"], step["other_ps"]) for step in steps], [(PS_PER_MS, 2 * PS_PER_MS)] * STEPS)
        path = self.write_trace(["event_wait"])
        found = [op["stats"]["category"] for line in self.ask("ops", path)["lines"] for op in line["ops"]]
        self.assertEqual(found, ["compute"])  # a kernel of another device that is called so

    def test_kernels_of_ascend(self):
        """The unit that a table names says it, or the name does, also on an AI CPU; fused kernels are compute."""
        rows = [("hcom_allReduce__1_0_1", "hcom_allReduce_", "COMMUNICATION", "comm"),
                ("allgatherAicpuKernel", "allgatherAicpuKernel", "AI_CPU", "comm"),
                ("hcom_send__1_1_1", "hcom_send_", "N/A", "comm"),
                ("aclnnMatmulAllReduce_MatmulAllReduce", "MatmulAllReduce", "MIX_AIC", "compute"),
                ("BroadcastTo_1", "BroadcastTo", "AI_CPU", "aicpu"),
                ("ScatterElements_1", "ScatterElements", "AI_CPU", "aicpu"),
                ("Gather_1", "GatherV2", "AI_VECTOR_CORE", "compute"),
                ("ReduceSum_1", "ReduceSum", "AI_VECTOR_CORE", "compute")]
        table = "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n" + "".join(
            f"{name},{kind},{core},{1700000000000000 + 100 * i}.000,50.000\n" for i, (name, kind, core, _) in enumerate(rows))
        path = self.write("r_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", table).parent.parent
        kernels = self.check_capture(path)
        self.check({row["name"]: row["kind"] for row in kernels[0]}, {name: kind for name, _, _, kind in rows})


class OfCaptures(Agreement):
    def captures(self, *roots):
        for root in roots:
            for path in sorted(root.rglob("*")):
                if path.is_file() and "MUST_REJECT" not in path.name and path.name.endswith((".xplane.pb", ".trace.json.gz", "trace_view.json", ".json.gz",
                                                          ".pt.trace.json", "kernel_details.csv")):
                    yield path

    def check_all(self, *roots):
        seen = 0
        for path in self.captures(*roots):
            with self.subTest(str(path)):
                seen += bool(self.check_capture(path))
        return seen

    def test_the_captures_of_the_repository(self):
        self.assertGreaterEqual(self.check_all(DATA), 4)

    def test_the_corpus(self):
        captures = truth.corpus("captures")
        roots = [captures / name for name in ("kineto", "kineto_devices", "xspace", "ascend", "jax")]
        self.assertTrue(self.check_all(*roots, truth.CORPUS / "oracles" / "contradictions"))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
