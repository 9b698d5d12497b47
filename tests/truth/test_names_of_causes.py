"""What names of host spans say about gaps and layers, and which spans are listed of a gap that many cover."""
import decimal
import json
import sys

import truth

GAP, KERNEL = 100, 20  # µs
WAITS = ["aclrtMemcpy", "hipMemcpy", "cuMemcpy", "cudaMemcpy", "TransferToInfeed", "TransferLiteral", "BufferFromHostBuffer"]
# name -> cause. A copy is a wait where it is not known to be from pageable memory.
NAMED = {
    "data_loader": ["enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "torch/utils/data/dataloader.py(701): __next__",
                    "IteratorGetNext", "x iterator_get_next"],
    "gc": ["Python GC (gen2)", "gc.collect", "<built-in method collect of module object>"],
    "allocation": ["cudaMalloc", "cudaFreeAsync", "cudaHostAlloc", "cuMemAlloc_v2", "cuMemFree", "cuMemCreate", "cuMemRelease", "cuMemMap",
                   "cuMemUnmap", "cuMemSetAccess", "cuMemAddressReserve", "hipMalloc", "hipFree", "hipHostMalloc", "hipMemCreate",
                   "hipMemMap", "hipMemSetAccess", "aclrtMalloc", "aclrtFree", "aclrtMapMem", "aclrtUnmapMem", "aclrtReserveMemAddress",
                   "aclrtReleaseMemAddress", "nccl cudaMalloc", "cudaFree cudaMemcpy"],
    "module_load": ["cuLibraryLoadData", "cuModuleLoad", "cudaLibraryLoad", "hipModuleLoad", "hipLibraryLoad", "aclrtBinaryLoad",
                    "LoadProgram", "cudaFuncGetAttributes", "cudaFuncSetAttribute", "cuModuleGetFunction", "cuLibraryGetKernel",
                    "cuKernelGetFunction"],
    "compile": ["dynamo_timed", "compile_fx", "async_compile", "torch/_dynamo/convert_frame.py(1): f", "triton/compiler/code.py(1): f",
                "backend_compile", "XlaCompile", "aclopCompileAndExecute", "AclOpCompile", "Compiler::Compile", "HloCompiler::RunBackend",
                "PjRtClient::Compile", "nvrtcCompileProgram", "hiprtcCompileProgram"],
    "checkpoint": ["save_checkpoint", "torch/serialization.py(9): save", "torch/distributed/checkpoint/x.py(3): save", "orbax save",
                   "checkpoint_manager.py:save"],
    "comm_host_wait": ["c10d::allreduce_", "gloo:all_reduce", "record_param_comms", "xHccl", "hcom_x", "_hcom", "9nccl", "ncclGroupEnd",
                       "xRendezvous", "nccl StreamSynchronize"],
    "sync_wait": ["hipStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cuCtxSynchronize", "aclrtSynchronizeStream",
                  "BlockHostUntilReady", "BlockUntilReady", "block_until_ready", "PjRtFuture::Await",
                  "torch/cuda/__init__.py(8): synchronize", "TransferFromOutfeed", "CopyRawToHost", "Literal ToLiteral"] + WAITS,
    "optimizer_loop": ["Optimizer.step#SGD.step"],
    "lock": ["acquire of x lock", "acquire of RLock", "lock.acquire", "xLock.acquire", "pthread_mutex_lock"],
    "host_call": ["aten::topk", "xnccl", "xhcom", "hccl", "cudamalloc", "Optimizer.step", "Optimizer.zero_grad#x", "Compiler::Run",
                     "RunBackend Compiler::", "torch/serialization.py(9): load", "save torch/serialization.py", "orbax restore",
                     "checkpoint_manager.py:unsave", "acquire of padlock", "lock acquire of", "xc10d::", "mygc.collect", "xgloo:",
                     "DataLoader", "aten::to", "aten::_to_copy", "aten::copy_", "aten::to.dtype", "HostToDevice", "torch_to_npu",
                     "Stream Sync", "msccl",
                     "Notify Wait", "Notify_Wait", "EVENT_WAIT", "StreamWaitEvent", "blocklock.acquired", "mylock.acquire"],
}
SYNC = ["aten::to", "aten::_to_copy", "aten::copy_", "HostToDevice", "torch_to_npu", "Stream Sync", "hipStreamSynchronize",
        "cudaDeviceSynchronize", "cudaEventSynchronize", "cuCtxSynchronize", "aclrtSynchronizeStream", "BlockHostUntilReady",
        "BlockUntilReady", "TransferFromOutfeed", "CopyRawToHost", "Literal ToLiteral", "cudaFree cudaMemcpy"] + WAITS
COMM = ["c10d::allreduce_", "record_param_comms", "xHccl", "hcom_x", "_hcom", "9nccl", "ncclGroupEnd", "nccl StreamSynchronize", "xnccl",
        "xhcom", "nccl cudaMalloc", "xc10d::", "msccl", "Notify Wait", "Notify_Wait", "EVENT_WAIT", "StreamWaitEvent"]


class Gaps:
    """One step of one GPU; a gap of 100 µs before every kernel."""

    def __init__(self):
        self.events, self.at, self.count = [], 0, 0
        self.add("user_annotation", "ProfilerStep#0", 0, 10 ** 6)
        self.kernel(None)

    def add(self, category, name, start, size, tid=1):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 77, "tid": tid, "ts": start, "dur": size, "args": {}})

    def kernel(self, launch):
        """`launch`: when the call begins and how long it takes."""
        self.count += 1
        self.add("cuda_runtime", "cudaLaunchKernel", *(launch or (self.at + 10, 5)))
        self.events[-1]["args"] = {"correlation": self.count}
        self.at += 100
        self.events.append({"ph": "X", "cat": "kernel", "name": f"k{self.count % 3}", "pid": 0, "tid": 7, "ts": self.at, "dur": KERNEL,
                            "args": {"device": 0, "stream": 7, "correlation": self.count}})
        self.at += KERNEL

    def ask(self, case):
        path = case.write("trace.json", json.dumps({"schemaVersion": 1, "traceEvents": self.events}))
        found = truth.parsed(truth.run("bubbles", path, "--json", "--limit", 0))
        return found["anomaly_discovery"]["bubble_windows"], found


class NamesOfCauses(truth.Case):
    def test_names(self):
        """The thread that launches is in a span of the name for nine tenths of a gap, and launches then. What a call does that has no
        name of these, and what an optimizer does meanwhile, is not known."""
        trace, wanted = Gaps(), []
        for cause, names in NAMED.items():
            for name in names:
                trace.add("cpu_op", name, trace.at, 90)
                trace.kernel((trace.at + 92, 5))
                sure = "likely" if cause in ("lock", "optimizer_loop", "host_call") else "proved"
                wanted.append([name, cause, name, sure,
                               decimal.Decimal("0.9") if name in SYNC else 0, decimal.Decimal("0.9") if name in COMM else 0])
        gaps, _ = trace.ask(self)
        gaps = [g for g in gaps if g["scope"] == "step_internal"]
        self.assertEqual([[name, g["cause"]["id"], g["cause"]["span"], g["cause"]["certainty"], g["sync_marker_overlap_ratio"],
                           g["comm_marker_overlap_ratio"]] for (name, *_), g in zip(wanted, gaps)], wanted)
        self.assertEqual(len(gaps), len(wanted))

    def test_ten_names_of_a_gap(self):
        """Twelve names of a gap: those with most time, of as much time the one that was written first, frames last. In µs."""
        trace = Gaps()
        sizes = [("m", 5), ("a", 9), ("z", 9), ("b", 20), ("c", 3), ("d", 4), ("e", 5), ("f", 6), ("g", 7), ("h", 2), ("i", 3), ("j", 1)]
        for number, (name, size) in enumerate(sizes):
            trace.add("cpu_op", name, trace.at + 5 * (number % 3), size, tid=20 + number)
        trace.add("cpu_op", "a", trace.at + 50, 1, tid=20)
        trace.add("python_function", "frame.py(1): f", trace.at, 100, tid=60)
        trace.kernel((trace.at + 95, 3))
        # The same, but fewer names, and one that is a frame and an op.
        for name, size in (("q", 10), ("frame.py(1): f", 30)):
            trace.add("cpu_op", name, trace.at + 10, size, tid=70)
        trace.add("python_function", "frame.py(1): f", trace.at, 60, tid=60)
        trace.add("python_function", "zero.py(1): g", trace.at, 60, tid=61)
        trace.kernel((trace.at + 95, 3))
        gaps, _ = trace.ask(self)
        gaps = [list(zip(g["evidence_ops"], g["evidence_op_overlaps_us"])) for g in gaps if g["scope"] == "step_internal"]
        self.assertEqual(gaps[0], [("b", 20), ("a", 10), ("z", 9), ("g", 7), ("f", 6), ("m", 5), ("e", 5), ("d", 4),
                                   ("cudaLaunchKernel", 3), ("c", 3)])
        self.assertEqual(gaps[1], [("frame.py(1): f", 30), ("q", 10), ("cudaLaunchKernel", 3), ("frame.py(1): f", 60),
                                   ("zero.py(1): g", 60)])

    def test_many_spans_over_many_gaps(self):
        """More than four thousand spans, each over several of 40 gaps: as much of every gap as lies in it."""
        trace, spans = Gaps(), []
        for number in range(4_500):
            start = (number * 37) % 4_300
            spans.append((f"op{number % 9}", start + 105, 130 + 40 * (number % 17), 100 + number))
        for _ in range(40):
            trace.kernel((trace.at + 95, 3))
        for name, start, size, tid in spans:
            trace.add("cpu_op", name, start, size, tid=tid)
        gaps, _ = trace.ask(self)
        gaps = [g for g in gaps if g["scope"] == "step_internal"]
        self.assertEqual(len(gaps), 40)
        for at, g in enumerate(gaps):
            start, end = 120 * (at + 1), 120 * (at + 1) + 100
            sums = {"cudaLaunchKernel": 3}
            for name, begin, size, _ in spans:
                sums[name] = sums.get(name, 0) + max(min(begin + size, end) - max(begin, start), 0)
            # What covers all of a gap counts once.
            self.assertEqual(dict(zip(g["evidence_ops"], g["evidence_op_overlaps_us"])),
                             {name: min(us, 100) for name, us in sums.items() if us}, at)

    def test_layers(self):
        """Names that end in a word for a layer and a number; of nested ones the outer one, and none of a device."""
        trace = Gaps()
        layers = ["block_0", "model.layers.1", "nn.Module: DecoderLayer_2", "Stage#3", "myBlocks4"]
        others = ["layer", "player_x", "layer_1_", "laye.5", "7", "layers..8"]
        first = trace.at
        for name in layers:
            trace.add("user_annotation", name, trace.at, 80)
            trace.add("user_annotation", "layer_77", trace.at + 10, 20)
            trace.kernel((trace.at + 10, 2))
            trace.add("user_annotation", others[len(trace.events) % len(others)], trace.at, 3)
            trace.kernel((trace.at + 1, 1))
        for name in others:
            trace.add("user_annotation", name, trace.at, 50)
            trace.kernel((trace.at + 10, 5))
        trace.add("user_annotation", "layer_9", trace.at, 50)
        trace.kernel((trace.at + 50, 5))  # launched when the layer has ended
        _, found = trace.ask(self)
        self.assertEqual(first, 120)
        self.assertEqual([[s["structure_type"], s["name"], s["kernel_count"]] for s in found["structures"]],
                         [["head", "", 1]] + [["layer", name, 2] for name in layers[:-1]] + [["layer", layers[-1], 1], ["tail", "", 8]])
        self.assertEqual({s["source"] for s in found["structures"]}, {"annotations"})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
