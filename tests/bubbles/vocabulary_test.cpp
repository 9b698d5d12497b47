// What names of host spans say of a wait, one row a name as programs write it; and how certain a cause is, one row for each
// activity and each time of the launch.
#include "memory_activity.hpp"

#include <analyse/bubbles/host_vocabulary.hpp>
#include <analyse/bubbles/layer_spans.hpp>
#include <analyse/bubbles/ops.hpp>
#include <analyse/bubbles/structures.hpp>
#include <profkit/core/bubbles.hpp>

#include <catch.hpp>

#include <algorithm>
#include <string>

using namespace profkit;
using namespace profkit::test;

namespace {

using c = idle_cause;
constexpr auto nothing = static_cast<c>(99);

struct name_row {
  const char* name;
  c cause;
};
const name_row names[] = {
    {"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", c::data_loader},
    {"torch/utils/data/dataloader.py(628): __next__", c::data_loader},
    {"IteratorGetNext:IteratorGetNext", c::data_loader},
    {"tf_data_iterator_get_next", c::data_loader},
    {"Python GC", c::gc},
    {"gc.collect", c::gc},
    {"<built-in method collect of module object at 0x7f3c>", c::gc},
    {"cudaMalloc", c::allocation},
    {"cudaMallocAsync", c::allocation},
    {"cudaFree", c::allocation},
    {"cudaFreeHost", c::allocation},
    {"cudaHostAlloc", c::allocation},
    {"cuMemAlloc_v2", c::allocation},
    {"cuMemFree_v2", c::allocation},
    {"cuMemCreate", c::allocation},
    {"cuMemRelease", c::allocation},
    {"cuMemMap", c::allocation},
    {"cuMemUnmap", c::allocation},
    {"cuMemSetAccess", c::allocation},
    {"cuMemAddressReserve", c::allocation},
    {"hipMalloc", c::allocation},
    {"hipFree", c::allocation},
    {"hipHostMalloc", c::allocation},
    {"hipMemCreate", c::allocation},
    {"hipMemMap", c::allocation},
    {"hipMemSetAccess", c::allocation},
    {"AscendCL@aclrtMallocAlign32", c::allocation},
    {"AscendCL@aclrtFree", c::allocation},
    {"cuLibraryLoadData", c::module_load},
    {"cuModuleLoadDataEx", c::module_load},
    {"cudaLibraryLoadData", c::module_load},
    {"hipModuleLoad", c::module_load},
    {"hipLibraryLoadData", c::module_load},
    {"AscendCL@aclrtBinaryLoadFromFile", c::module_load},
    {"TpuSystem::LoadProgram", c::module_load},
    {"backend_compile (dynamo_timed)", c::compile},
    {"torch/_inductor/compile_fx.py(500): inner", c::compile},
    {"torch/_inductor/async_compile.py(3): wait", c::compile},
    {"torch/_dynamo/convert_frame.py(9): _compile", c::compile},
    {"triton/compiler/compiler.py(52): compile", c::compile},
    {"backend_compile", c::compile},
    {"XlaCompileOp", c::compile},
    {"AscendCL@aclopCompileAndExecute", c::compile},
    {"AscendCL@AclOpCompileAndExecute", c::compile},
    {"GpuCompiler::Compile", c::compile},
    {"GpuCompiler::RunBackend", c::compile},
    {"PjRtStreamExecutorClient::Compile", c::compile},
    {"nvrtcCompileProgram", c::compile},
    {"hiprtcCompileProgram", c::compile},
    {"save_checkpoint", c::checkpoint},
    {"torch/serialization.py(850): save", c::checkpoint},
    {"torch/distributed/checkpoint/state_dict_saver.py: save", c::checkpoint},
    {"orbax/checkpoint.py: autosave", nothing},  // `save` has to begin a word
    {"orbax/checkpoint.py: save", c::checkpoint},
    {"checkpoint_manager.py(7): save", c::checkpoint},
    {"c10d::allreduce_", c::comm_host_wait},
    {"gloo:all_reduce", c::comm_host_wait},
    {"record_param_comms", c::comm_host_wait},
    {"Hccl@HcclAllReduce", c::comm_host_wait},
    {"hcom_allReduce__1_2_1", c::comm_host_wait},
    {"ncclAllReduce", c::comm_host_wait},
    {"GpuCliqueRendezvous", c::comm_host_wait},
    {"cudaStreamSynchronize", c::sync_wait},
    {"cuDeviceSynchronize", c::sync_wait},
    {"hipEventSynchronize", c::sync_wait},
    {"cuCtxSynchronize", c::sync_wait},
    {"AscendCL@aclrtSynchronizeStreamWithTimeout", c::sync_wait},
    {"StreamExecutor::BlockHostUntilReady", c::sync_wait},
    {"Await BlockUntilReady", c::sync_wait},
    {"jax/array.py: block_until_ready", c::sync_wait},
    {"PjRtFuture::Await", c::sync_wait},
    {"torch/cuda/__init__.py(800): synchronize", c::sync_wait},
    {"TransferFromOutfeed", c::sync_wait},
    {"CopyRawToHost", c::sync_wait},
    {"PjRtBuffer::ToLiteral", c::sync_wait},
    {"Buffer Flush", c::recording},
    {"Activity Buffer Request", c::recording},
    {"Resource", c::recording},
    {"Resource Manager", nothing},
    {"roctracer_flush_activity", c::recording},
    {"CUPTI overhead", c::recording},
    {"Lazy Function Loading", c::module_load},
    {"Driver Compiler", c::compile},
    {"Iterator::Model::Prefetch", c::data_loader},
    {"IteratorGetNextOp::DoCompute", c::data_loader},
    {"tensorflow/python/data/ops/iterator_ops.py: __next__", c::data_loader},
    {"grain/_src/python/data_loader.py(1): read", c::data_loader},
    {"SaveV2", c::checkpoint},
    {"orbax Checkpointer.save", c::checkpoint},
    {"torch.save", c::checkpoint},
    {"safetensors/torch.py: save_file", c::checkpoint},
    {"XlaCompiler::CompileFunction", c::compile},
    {"urUSMHostAlloc", c::allocation},
    {"urQueueFinish", c::sync_wait},
    {"np.asarray(jax.Array)", c::sync_wait},
    {"cudaMemcpyAsync", c::h2d_pageable},
    {"hipMemcpyWithStream", c::h2d_pageable},
    {"cuMemcpyHtoDAsync_v2", c::h2d_pageable},
    {"AscendCL@aclrtMemcpyAsync", c::h2d_pageable},
    {"BufferFromHostBuffer", c::h2d_pageable},
    {"TransferToInfeed", c::h2d_pageable},
    {"TransferLiteralToDevice", c::h2d_pageable},
    {"Optimizer.step#AdamW.step", c::optimizer_loop},
    {"<method 'acquire of' '_thread.lock' objects>", c::lock},
    {"<built-in method acquire of _thread.RLock object>", c::lock},
    {"threading.py: lock.acquire", c::lock},
    {"threading.py: Lock.acquire", c::lock},
    {"pthread_mutex_lock", c::lock},
    // None of them.
    {"aten::copy_", nothing},
    {"aten::to", nothing},
    {"cudaLaunchKernel", nothing},
    {"Optimizer.zero_grad#AdamW.zero_grad", nothing},
    {"dataloader", nothing},
    {"recollect", nothing},
    {"uhcom", nothing},                                 // a small letter begins a word
    {"xnccl", nothing},
    {"X_nccl", c::comm_host_wait},
    {"save torch/serialization.py", nothing},           // the second part comes behind the first
    {"Compile Compiler::", nothing},
    {"lock of acquire of", nothing},
    {"", nothing},
};

struct label_row {
  const char* name;
  bool sync, comm;
};
const label_row labels[] = {
    {"aten::to", true, false},
    {"aten::_to_copy", true, false},
    {"aten::copy_", true, false},
    {"aten::topk", false, false},
    {"aten::copy_from", false, false},
    {"HostToDevice7", true, false},
    {"torch_to_npu", true, false},
    {"AscendCL@aclrtMemcpy", true, false},
    {"AscendCL@aclrtSynchronizeStream", true, false},
    {"cudaStreamSynchronize", true, false},
    {"cudaDeviceSynchronize", true, false},
    {"cudaEventSynchronize", true, false},
    {"cudaMemcpyAsync", true, false},
    {"hipStreamSynchronize", true, false},
    {"hipDeviceSynchronize", true, false},
    {"hipEventSynchronize", true, false},
    {"hipMemcpyAsync", true, false},
    {"cuStreamSynchronize", true, false},
    {"cuCtxSynchronize", true, false},
    {"cuEventSynchronize", true, false},
    {"cuMemcpyDtoH", true, false},
    {"BlockHostUntilReady", true, false},
    {"BlockUntilReady", true, false},
    {"BufferFromHostBuffer", true, false},
    {"CopyRawToHost", true, false},
    {"ToLiteral", true, false},
    {"TransferToInfeed", true, false},
    {"TransferFromOutfeed", true, false},
    {"TransferLiteralToDevice", true, false},
    {"Stream Sync", true, false},
    {"Event Sync", true, false},
    {"Context Sync", true, false},
    {"Device Sync", true, false},
    {"c10d::allreduce_", false, true},
    {"Hccl@x", false, true},
    {"hcom_allReduce_", false, true},
    {"StreamWaitEvent", false, true},
    {"Notify_Wait", false, true},
    {"Notify Wait", false, true},
    {"EVENT_WAIT_SQE", false, true},
    {"ncclAllReduce", false, true},
    {"record_param_comms", false, true},
    {"msccl", false, true},
    {"aten::add", false, false},
};

}  // namespace

TEST_CASE("names of host spans and the causes that they tell") {
  for (const name_row& row : names) {
    INFO(row.name);
    const auto found = bubbles::cause_named(row.name);
    if (row.cause == nothing) {
      CHECK_FALSE(found.has_value());
    } else {
      REQUIRE(found.has_value());
      CHECK(std::string(idle_cause_name(*found)) == idle_cause_name(row.cause));
    }
  }
}

TEST_CASE("names of host spans and the labels that they give") {
  for (const label_row& row : labels) {
    INFO(row.name);
    const auto found = bubbles::meaning_of(row.name);
    CHECK(found.sync == row.sync);
    CHECK(found.comm == row.comm);
  }
}

namespace {

constexpr std::int64_t from = 5 * ms, gap = 10 * ms, to = from + gap;

// Where the call that launches the next kernel returns, in hundredths of the gap; 999: no launch on record.
struct certainty_row {
  const char* name;
  int covered;   // hundredths of the gap
  int returned;
  const char* verdict;
};
// Of a name that is known and one that only suggests; of ops without a name that says anything; of nothing.
const certainty_row certainties[] = {
    {"cudaMalloc", 90, 90, "allocation proved"},
    {"cudaMalloc", 90, 80, "allocation proved"},
    {"cudaMalloc", 89, 80, "allocation likely"},
    {"cudaMalloc", 90, 79, "allocation likely"},
    {"cudaMalloc", 50, 90, "allocation likely"},
    {"cudaMalloc", 49, 90, "allocation possible"},
    {"cudaMalloc", 20, 90, "allocation possible"},
    {"cudaMalloc", 19, 90, "unexplained unknown"},
    {"cudaMalloc", 90, 50, "allocation likely"},
    {"cudaMalloc", 90, 49, "device_dependency likely"},
    {"cudaMalloc", 90, 10, "device_dependency proved"},
    {"cudaMalloc", 90, -10, "device_dependency proved"},
    {"cudaMalloc", 90, 999, "allocation possible"},
    {"cudaMalloc", 19, 999, "unexplained unknown"},
    {"pthread_mutex_lock", 90, 90, "lock likely"},
    {"pthread_mutex_lock", 49, 90, "lock possible"},
    {"Optimizer.step#A", 90, 90, "optimizer_loop proved"},
    {"Optimizer.step#A", 49, 90, "optimizer_loop possible"},
    {"aten::add", 90, 90, "launch_bound proved"},
    {"aten::add", 89, 80, "launch_bound likely"},
    {"aten::add", 50, 80, "launch_bound likely"},
    {"aten::add", 50, 79, "launch_bound possible"},
    {"aten::add", 49, 90, "unexplained unknown"},
    {"aten::add", 5, 90, "unexplained unknown"},
    {"aten::add", 4, 90, "host_untraced proved"},
    {"aten::add", 4, 60, "host_untraced possible"},
    {"aten::add", 90, 49, "device_dependency likely"},
    {"aten::add", 90, 999, "launch_bound possible"},
    {"aten::add", 4, 999, "host_untraced possible"},
};

}  // namespace

TEST_CASE("what a cause is and how certain, by what the host did and when it launched") {
  for (const certainty_row& row : certainties) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    a.step(1, 0, 20 * ms, 0, marker_source::device_annotation);
    a.kernel(d, 0, from, "A");
    kernel_row& next = a.kernel(d, to, 5 * ms, "B");
    if (row.returned != 999) {
      next.launch_end_ps = from + gap / 100 * row.returned;
      next.launch_ps = next.launch_end_ps - us;
      next.launch_thread = 7;
    }
    // Ops come one after the other; all else is one span.
    const std::int64_t length_ps = gap / 100 * row.covered;
    const bool is_op = std::string_view(row.name) == "aten::add";
    if (!is_op) a.host(from, length_ps, row.name, 7);
    for (int i = 0; i < 20 && (is_op || std::string_view(row.name) == "Optimizer.step#A"); ++i)
      a.host(from + i * (length_ps / 20), length_ps / 20, "aten::add", 7);
    const auto r = find_bubbles(a, {});
    REQUIRE(r);
    REQUIRE(r->bubbles.size() == 1);
    INFO(row.name << ' ' << row.covered << " launched by " << row.returned);
    CHECK(std::string(idle_cause_name(r->bubbles[0].cause.id)) + ' ' + certainty_name(r->bubbles[0].sure) == row.verdict);
  }
}

TEST_CASE("the same gap at the edge of the capture and outside of the steps") {
  struct row {
    std::int64_t step_from, step_to;
    bubble_scope scope;
    bool edge;
    const char* sure;
  };
  // A gap from 5 to 15 ms between kernels that run from 0 and to 20 ms.
  for (const row& x : {row{0, 20, bubble_scope::step_internal, false, "proved"}, row{5, 20, bubble_scope::prelaunch, true, "possible"},
                       row{0, 15, bubble_scope::tail, true, "possible"}, row{20, 30, bubble_scope::global, false, "proved"}}) {
    memory_activity a;
    const auto d = a.add_device("GPU 0", accelerator::gpu);
    a.device(d).has_launches = true;
    a.step(1, x.step_from * ms, x.step_to * ms, 0, marker_source::device_annotation);
    a.kernel(d, 0, from, "A");
    kernel_row& next = a.kernel(d, to, 5 * ms, "B");
    next.launch_ps = to - 2 * us;
    next.launch_end_ps = to - us;
    next.launch_thread = 7;
    a.host(from, gap, "cudaMalloc", 7);
    bubble_options o;
    o.windows = window_policy::marker;
    const auto r = find_bubbles(a, o);
    REQUIRE(r);
    INFO(x.step_from << " to " << x.step_to);
    const auto found = std::find_if(r->bubbles.begin(), r->bubbles.end(),
                                    [](const bubble& b) { return b.start_ps == from && b.end_ps == to; });
    REQUIRE(found != r->bubbles.end());
    CHECK(found->scope == x.scope);
    CHECK(found->boundary_adjacent == x.edge);
    CHECK(std::string(certainty_name(found->sure)) == x.sure);
    // What lies at the edge weighs nothing in the causes.
    const auto allocation = std::find_if(r->causes.begin(), r->causes.end(),
                                         [](const cause_summary& s) { return s.cause == idle_cause::allocation; });
    CHECK((allocation == r->causes.end()) == x.edge);
  }
}

TEST_CASE("words of annotations that name a layer") {
  for (const char* const name : {"layer_0", "model.layers.11", "Block#3", "transformer.block7", "blocks.2", "stage1", "LAYER12"})
    CHECK(bubbles::names_a_layer(name));
  for (const char* const name : {"layer", "0", "", "layer_x", "players of 1", "layers.a1", "3layer", "norm_2", "layer__1"}) {
    INFO(name);
    CHECK_FALSE(bubbles::names_a_layer(name));
  }
}

TEST_CASE("kernels of attention, forward alone") {
  for (const char* const name :
       {"FusedInferAttentionScore", "SparseFlashAttention", "RingMLA", "MLAPrefill", "MlaDecode", "PromptFlashAttention",
        "IncreFlashAttention", "PagedAttentionMask", "FlashAttentionScore", "void flash_fwd_kernel<T>", "ck_fmha_fwd",
        "fmha_v2_flash", "flash_attn_varlen", "jit_flash_attention", "splash_attention_fwd", "paged_attention_v2"})
    CHECK(bubbles::is_attention(name));
  for (const char* const name : {"FlashAttentionScoreGrad", "flash_fwd_bwd", "flash_attention_BACKWARD", "softmax", "attention"})
    CHECK_FALSE(bubbles::is_attention(name));
}

TEST_CASE("what columns of the performance monitoring unit tell of") {
  using role = bubbles::counter_role;
  struct row {
    const char* header;
    role is;
  };
  for (const row& x : {row{"cube_utilization(%)", role::cube_percent}, row{"aic_mac_ratio", role::compute_unit},
                       row{"mac_ratio", role::compute_unit}, row{"aiv_vec_ratio", role::compute_unit},
                       row{"vec_ratio", role::compute_unit}, row{"aic_mte2_ratio", role::memory_unit},
                       row{"mte2_ratio", role::memory_unit}, row{"aic_mte1_ratio", role::none},
                       row{"aic_scalar_ratio", role::none}, row{"aic_mac_ratio_x", role::none}, row{"", role::none}}) {
    INFO(x.header);
    CHECK((bubbles::role_of_counter(x.header) == x.is));
  }
}
