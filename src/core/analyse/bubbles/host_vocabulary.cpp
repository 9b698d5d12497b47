#include <analyse/bubbles/host_vocabulary.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// A part of a name, and one that has to follow it. A part that begins with a small letter begins a word.
struct known_name {
  std::string_view part, then;
  idle_cause cause;
};

// Whole names: kinds of overhead as libkineto names those of CUPTI.
constexpr known_name whole_names[] = {
    {"Buffer Flush", "", idle_cause::recording},
    {"Activity Buffer Request", "", idle_cause::recording},
    {"Instrumentation", "", idle_cause::recording},
    {"Resource", "", idle_cause::recording},
    {"UVM Activity Init", "", idle_cause::recording},
    {"Lazy Function Loading", "", idle_cause::module_load},
    {"Runtime Triggered Module Loading", "", idle_cause::module_load},
    {"Driver Compiler", "", idle_cause::compile},
};

// The first row that fits counts.
constexpr known_name known_names[] = {
    {"CUPTI", "", idle_cause::recording},
    {"cupti", "", idle_cause::recording},
    {"roctracer_flush", "", idle_cause::recording},
    {"rocprofiler_flush", "", idle_cause::recording},
    {"Roctracer", "Flush", idle_cause::recording},
    {"DataLoaderIter.__next__", "", idle_cause::data_loader},
    {"dataloader.py", "", idle_cause::data_loader},
    {"data_loader.py", "", idle_cause::data_loader},
    // tf.data (tensorflow/core/data, tensorflow/python/data/ops), Grain, DALI.
    {"Iterator::", "", idle_cause::data_loader},
    {"IteratorGetNext", "", idle_cause::data_loader},
    {"iterator_get_next", "", idle_cause::data_loader},
    {"iterator_ops.py", "next", idle_cause::data_loader},
    {"GetNextFromShard", "", idle_cause::data_loader},
    {"prefetch_to_device", "", idle_cause::data_loader},
    {"DatasetIterator", "next", idle_cause::data_loader},
    {"dataset_iterator.py", "", idle_cause::data_loader},
    {"grain/_src", "", idle_cause::data_loader},
    {"DALIGenericIterator", "", idle_cause::data_loader},
    {"Python GC", "", idle_cause::gc},
    {"gc.collect", "", idle_cause::gc},
    {"built-in method collect of module", "", idle_cause::gc},
    // Before the copies: cudaFree waits for the device as well, but what it is there for is memory.
    {"cudaMalloc", "", idle_cause::allocation},
    {"cudaFree", "", idle_cause::allocation},
    {"cudaHostAlloc", "", idle_cause::allocation},
    {"cuMemAlloc", "", idle_cause::allocation},
    {"cuMemFree", "", idle_cause::allocation},
    {"cuMemCreate", "", idle_cause::allocation},
    {"cuMemRelease", "", idle_cause::allocation},
    {"cuMemMap", "", idle_cause::allocation},
    {"cuMemUnmap", "", idle_cause::allocation},
    {"cuMemSetAccess", "", idle_cause::allocation},
    {"cuMemAddressReserve", "", idle_cause::allocation},
    {"hipMalloc", "", idle_cause::allocation},
    {"hipFree", "", idle_cause::allocation},
    {"hipHostMalloc", "", idle_cause::allocation},
    {"hipMemCreate", "", idle_cause::allocation},
    {"hipMemMap", "", idle_cause::allocation},
    {"hipMemSetAccess", "", idle_cause::allocation},
    {"cuMemHostAlloc", "", idle_cause::allocation},
    {"zeMemAlloc", "", idle_cause::allocation},
    {"zeMemFree", "", idle_cause::allocation},
    {"urUSM", "Alloc", idle_cause::allocation},
    {"urUSMFree", "", idle_cause::allocation},
    {"musaMalloc", "", idle_cause::allocation},
    {"musaFree", "", idle_cause::allocation},
    {"aclrtMalloc", "", idle_cause::allocation},
    {"aclrtFree", "", idle_cause::allocation},
    {"aclrtMapMem", "", idle_cause::allocation},
    {"aclrtUnmapMem", "", idle_cause::allocation},
    {"aclrtReserveMemAddress", "", idle_cause::allocation},
    {"aclrtReleaseMemAddress", "", idle_cause::allocation},
    {"cuLibraryLoad", "", idle_cause::module_load},
    {"cuModuleLoad", "", idle_cause::module_load},
    {"cudaLibraryLoad", "", idle_cause::module_load},
    {"hipModuleLoad", "", idle_cause::module_load},
    {"hipLibraryLoad", "", idle_cause::module_load},
    {"aclrtBinaryLoad", "", idle_cause::module_load},
    {"LoadProgram", "", idle_cause::module_load},
    // With lazy loading the first question about a function loads its code (CUDA Programming Guide, "Lazy Loading").
    {"cudaFuncGetAttributes", "", idle_cause::module_load},
    {"cudaFuncSetAttribute", "", idle_cause::module_load},
    {"cuModuleGetFunction", "", idle_cause::module_load},
    {"cuLibraryGetKernel", "", idle_cause::module_load},
    {"cuKernelGetFunction", "", idle_cause::module_load},
    {"dynamo_timed", "", idle_cause::compile},
    {"compile_fx", "", idle_cause::compile},
    {"async_compile", "", idle_cause::compile},
    {"_dynamo/convert_frame.py", "", idle_cause::compile},
    {"triton/compiler", "", idle_cause::compile},
    {"backend_compile", "", idle_cause::compile},
    {"XlaCompil", "", idle_cause::compile},
    {"trace_to_jaxpr", "", idle_cause::compile},
    {"lower_jaxpr", "", idle_cause::compile},
    {"aclopCompile", "", idle_cause::compile},
    {"AclOpCompile", "", idle_cause::compile},
    {"Compiler::", "Compile", idle_cause::compile},
    {"Compiler::", "RunBackend", idle_cause::compile},
    {"Client::Compile", "", idle_cause::compile},
    {"nvrtcCompileProgram", "", idle_cause::compile},
    {"hiprtcCompileProgram", "", idle_cause::compile},
    {"save_checkpoint", "", idle_cause::checkpoint},
    {"write_checkpoint", "", idle_cause::checkpoint},
    {"save_state_dict", "", idle_cause::checkpoint},
    {"save_pretrained", "", idle_cause::checkpoint},
    {"torch.save", "", idle_cause::checkpoint},
    {"safetensors", "save", idle_cause::checkpoint},
    {"async_save", "", idle_cause::checkpoint},
    // TensorFlow's ops and Python, Orbax, Flax.
    {"SaveV2", "", idle_cause::checkpoint},
    {"MergeV2Checkpoints", "", idle_cause::checkpoint},
    {"Checkpointer", "save", idle_cause::checkpoint},
    {"CheckpointManager", "save", idle_cause::checkpoint},
    {"checkpoint.py", "save", idle_cause::checkpoint},
    {"checkpoints.py", "save", idle_cause::checkpoint},
    {"checkpointer.py", "save", idle_cause::checkpoint},
    {"torch/serialization.py", "save", idle_cause::checkpoint},
    {"distributed/checkpoint", "save", idle_cause::checkpoint},
    {"orbax", "save", idle_cause::checkpoint},
    {"checkpoint_manager.py", "save", idle_cause::checkpoint},
    {"c10d::", "", idle_cause::comm_host_wait},
    {"gloo:", "", idle_cause::comm_host_wait},
    {"record_param_comms", "", idle_cause::comm_host_wait},
    {"Hccl", "", idle_cause::comm_host_wait},
    {"hcom", "", idle_cause::comm_host_wait},
    {"nccl", "", idle_cause::comm_host_wait},
    {"Rendezvous", "", idle_cause::comm_host_wait},
    {"StreamSynchronize", "", idle_cause::sync_wait},
    {"DeviceSynchronize", "", idle_cause::sync_wait},
    {"EventSynchronize", "", idle_cause::sync_wait},
    {"CtxSynchronize", "", idle_cause::sync_wait},
    {"aclrtSynchronize", "", idle_cause::sync_wait},
    {"BlockHostUntilReady", "", idle_cause::sync_wait},
    {"BlockUntilReady", "", idle_cause::sync_wait},
    {"block_until_ready", "", idle_cause::sync_wait},
    {"np.asarray(jax.Array)", "", idle_cause::sync_wait},
    {"zeEventHostSynchronize", "", idle_cause::sync_wait},
    {"zeCommandQueueSynchronize", "", idle_cause::sync_wait},
    {"zeFenceHostSynchronize", "", idle_cause::sync_wait},
    {"urQueueFinish", "", idle_cause::sync_wait},
    {"urEventWait", "", idle_cause::sync_wait},
    {"PjRtFuture::Await", "", idle_cause::sync_wait},
    {"torch/cuda/__init__.py", "synchronize", idle_cause::sync_wait},
    {"TransferFromOutfeed", "", idle_cause::sync_wait},
    {"CopyRawToHost", "", idle_cause::sync_wait},
    {"ToLiteral", "", idle_cause::sync_wait},
    // A wait only, unless the copy is known to be from pageable memory: causes.cpp.
    {"cudaMemcpy", "", idle_cause::h2d_pageable},
    {"hipMemcpy", "", idle_cause::h2d_pageable},
    {"cuMemcpy", "", idle_cause::h2d_pageable},
    {"aclrtMemcpy", "", idle_cause::h2d_pageable},
    {"BufferFromHostBuffer", "", idle_cause::h2d_pageable},
    {"TransferToInfeed", "", idle_cause::h2d_pageable},
    {"TransferLiteral", "", idle_cause::h2d_pageable},
    {"Optimizer.step#", "", idle_cause::optimizer_loop},
    {"acquire of", "lock", idle_cause::lock},
    {"acquire of", "Lock", idle_cause::lock},
    {"lock.acquire", "", idle_cause::lock},
    {"Lock.acquire", "", idle_cause::lock},
    {"pthread_mutex_lock", "", idle_cause::lock},
};

// Whole names: aten::topk is not a copy.
constexpr std::string_view sync_names[] = {"aten::to", "aten::_to_copy", "aten::copy_"};
// Parts of names. First torch_npu and CANN; then CUDA and HIP runtimes, PjRt and TSL.
constexpr std::string_view sync_parts[] = {
    "HostToDevice",
    "torch_to_npu",
    "aclrtMemcpy",
    "aclrtSynchronize",
    "cudaStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaEventSynchronize",
    "cudaMemcpy",
    "hipStreamSynchronize",
    "hipDeviceSynchronize",
    "hipEventSynchronize",
    "hipMemcpy",
    "cuStreamSynchronize",
    "cuCtxSynchronize",
    "cuEventSynchronize",
    "cuMemcpy",
    "BlockHostUntilReady",
    "BlockUntilReady",
    "BufferFromHostBuffer",
    "CopyRawToHost",
    "ToLiteral",
    "TransferToInfeed",
    "TransferFromOutfeed",
    "TransferLiteral",
    "Stream Sync",
    "Event Sync",
    "Context Sync",
    "Device Sync",
};
constexpr std::string_view comm_parts[] = {"c10d",        "Hccl",       "hcom", "StreamWaitEvent",    "Notify_Wait",
                                           "Notify Wait", "EVENT_WAIT", "nccl", "record_param_comms", "msccl"};

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::size_t find_part(std::string_view name, std::string_view part, std::size_t from) noexcept {
  std::size_t at = name.find(part, from);
  while (at != std::string_view::npos && at > 0 && !part.empty() && part.front() >= 'a' && part.front() <= 'z' &&
         is_letter(name[at - 1]))
    at = name.find(part, at + 1);
  return at;
}

template <std::size_t N>
bool has_part(std::string_view name, const std::string_view (&parts)[N]) noexcept {
  return std::any_of(std::begin(parts), std::end(parts), [&](std::string_view part) { return contains(name, part); });
}

}  // namespace

std::optional<idle_cause> cause_named(std::string_view name) noexcept {
  const auto* const whole =
      std::find_if(std::begin(whole_names), std::end(whole_names), [&](const known_name& known) { return known.part == name; });
  if (whole != std::end(whole_names)) return whole->cause;
  for (const known_name& known : known_names) {
    const std::size_t at = find_part(name, known.part, 0);
    if (at == std::string_view::npos) continue;
    if (find_part(name, known.then, at + known.part.size()) != std::string_view::npos) return known.cause;
  }
  return std::nullopt;
}

span_meaning meaning_of(std::string_view name) noexcept {
  span_meaning m;
  m.sync = std::find(std::begin(sync_names), std::end(sync_names), name) != std::end(sync_names) ||
           has_part(name, sync_parts);
  m.comm = has_part(name, comm_parts);
  return m;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
