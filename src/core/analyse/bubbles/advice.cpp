#include <analyse/bubbles/advice.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// In the order of idle_cause.
constexpr advice_text advice_texts[] = {
    {idle_cause::launch_bound,
     "The host may launch too late: fuse small ops, capture graphs, or take work off the launching thread.", ""},
    {idle_cause::optimizer_loop, "The parameters are updated one by one: use a fused or foreach optimizer.", ""},
    {idle_cause::sync_wait,
     "Look at what the host waits for: wait later, for one event instead of the whole device, or copy asynchronously.",
     ""},
    {idle_cause::sync_drain,
     "A wait before these gaps empties the queue: read scalars less often or a step later, and keep conditions on the "
     "device.",
     ""},
    {idle_cause::h2d_pageable,
     "Copy from pinned memory, without blocking, and ahead of use on a stream of its own.", ""},
    {idle_cause::data_loader, "Have the next batch ready: more workers, prefetching, or less work on each sample.", ""},
    {idle_cause::gc, "Freeze objects that live long, or collect garbage between steps at a time of your choice.", ""},
    {idle_cause::allocation,
     "Keep memory instead of asking the driver: warm up, use fewer sizes, and empty the cache less often.", ""},
    {idle_cause::compile, "Compile before it counts: warm up, cache, and pad or mark dynamic shapes.", ""},
    {idle_cause::module_load, "Load code before it counts: warm up, or load modules eagerly.", ""},
    {idle_cause::checkpoint, "Save asynchronously, less often, or from fewer ranks.", ""},
    {idle_cause::comm_host_wait,
     "Look at the collective that the host waits for, at barriers in the loop, and at ranks that arrive late.", ""},
    {idle_cause::device_dependency,
     "The work was launched early: look at what its stream waited for, such as events of other streams or devices.",
     "waits of streams"},
    {idle_cause::lock, "Another thread may hold a lock: sample the threads of the host.", "thread view"},
    {idle_cause::host_untraced, "Almost nothing of the host was recorded during the gaps: sample it (threads, scheduler, I/O).",
     "host events during the gaps"},
    {idle_cause::unexplained, "Too little is on record to say why: record stacks, or sample the host.", "stacks"},
    {idle_cause::exposed_comm,
     "Hide communication: start it earlier, in more pieces, beside compute. Look for ranks that arrive late.", ""},
    {idle_cause::exposed_copy, "Hide copies: pinned memory, a stream of their own, ahead of use.", ""},
    {idle_cause::graph_launch_late,
     "The graph is launched late: prepare its inputs ahead, in static buffers, on a stream of their own.", ""},
    {idle_cause::straggler_wait, "Look at the rank that comes last: its gaps, its compute, its share of the data.", ""},
    {idle_cause::recording, "The recording costs this time: record fewer steps or fewer kinds of events; the program without it is faster.",
     ""},
    {idle_cause::host_call, "Look at what this call does, and whether it can be done ahead or on another thread.", ""},
};
constexpr bool are_in_order() {
  for (std::size_t i = 0; i < std::size(advice_texts); ++i)
    if (advice_texts[i].cause != static_cast<idle_cause>(i)) return false;
  return std::size(advice_texts) == idle_cause_count;
}
static_assert(are_in_order());
constexpr advice_text unexplained_beside_stacks{
    idle_cause::unexplained, "The recorded stacks do not say why: sample the host (threads, scheduler, I/O).",
    "host events during the gaps"};

// A program of a TPU has one stream, and its transfers know no pinned memory.
constexpr advice_text tpu_texts[] = {
    {idle_cause::h2d_pageable, "Transfer ahead of use: while the step before runs.", ""},
    {idle_cause::exposed_copy, "Hide copies: transfer ahead of use, and let the compiler move copies beside compute.", ""},
    {idle_cause::launch_bound, "The host may launch too late: put more of the work into one program.", ""},
    {idle_cause::device_dependency,
     "The work was launched early: look at what it waited for, such as transfers, infeed or other devices.", "waits of programs"},
    {idle_cause::graph_launch_late, "The program is launched late: prepare its inputs ahead.", ""},
};

constexpr unsigned bit_of(trace_writer w) noexcept { return 1U << static_cast<unsigned>(w); }
constexpr unsigned of_pytorch = bit_of(trace_writer::pytorch), of_xla = bit_of(trace_writer::xla),
                   of_tensorflow = bit_of(trace_writer::tensorflow), of_ascend = bit_of(trace_writer::ascend);
struct framework_text {
  idle_cause cause;
  unsigned writers;  // of_…
  const char* text;
};
// Options and functions by the names that the documentation of PyTorch 2, JAX, TensorFlow 2 and torch_npu has for them.
constexpr framework_text framework_texts[] = {
    {idle_cause::launch_bound, of_pytorch, "PyTorch: torch.compile(mode=\"reduce-overhead\") or torch.cuda.graph."},
    {idle_cause::optimizer_loop, of_pytorch, "PyTorch: fused=True or foreach=True of the optimizer."},
    {idle_cause::sync_wait, of_pytorch,
     "PyTorch: event.synchronize() in place of torch.cuda.synchronize(), non_blocking=True."},
    {idle_cause::sync_drain, of_pytorch | of_ascend,
     "PyTorch: item(), cpu(), nonzero() and printing a tensor wait for the device."},
    {idle_cause::h2d_pageable, of_pytorch | of_ascend,
     "PyTorch: DataLoader(pin_memory=True), then to(device, non_blocking=True)."},
    {idle_cause::data_loader, of_pytorch | of_ascend,
     "PyTorch: num_workers, prefetch_factor and persistent_workers of the DataLoader."},
    {idle_cause::gc, of_pytorch | of_xla | of_ascend,
     "Python: gc.freeze() after set-up; gc.disable() and gc.collect() between steps."},
    {idle_cause::allocation, of_pytorch,
     "PyTorch: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; no empty_cache() in the loop."},
    {idle_cause::compile, of_pytorch,
     "PyTorch: torch._dynamo.mark_dynamic() for sizes that change; keep the cache of Inductor."},
    {idle_cause::module_load, of_pytorch, "NVIDIA: CUDA_MODULE_LOADING=EAGER loads all kernels at the start."},
    {idle_cause::checkpoint, of_pytorch | of_ascend, "PyTorch: torch.distributed.checkpoint.async_save()."},
    {idle_cause::exposed_comm, of_pytorch | of_ascend,
     "PyTorch: bucket_cap_mb of DDP; forward_prefetch and backward_prefetch of FSDP."},
    {idle_cause::exposed_copy, of_pytorch,
     "PyTorch: pin_memory=True, non_blocking=True, and a torch.cuda.Stream for copies."},
    {idle_cause::launch_bound, of_xla, "JAX: more of the step in one jax.jit, loops as lax.scan."},
    {idle_cause::sync_drain, of_xla,
     "JAX: float(), numpy.asarray() and block_until_ready() of a result wait for the device."},
    {idle_cause::sync_wait, of_xla, "JAX: call block_until_ready() once, on the last result."},
    {idle_cause::data_loader, of_xla, "JAX: jax.device_put() the next batch before the step that uses this one."},
    {idle_cause::compile, of_xla, "JAX: jax_compilation_cache_dir keeps compiled programs; one shape compiles once."},
    {idle_cause::checkpoint, of_xla, "JAX: AsyncCheckpointer of Orbax."},
    {idle_cause::exposed_comm, of_xla,
     "JAX: the latency-hiding scheduler of XLA (XLA_FLAGS) moves collectives beside compute."},
    {idle_cause::launch_bound, of_tensorflow, "TensorFlow: the whole step in one tf.function, with jit_compile=True."},
    {idle_cause::sync_drain, of_tensorflow, "TensorFlow: numpy() and printing a tensor wait for the device."},
    {idle_cause::data_loader, of_tensorflow,
     "TensorFlow: prefetch(tf.data.AUTOTUNE), num_parallel_calls of map(), cache()."},
    {idle_cause::compile, of_tensorflow, "TensorFlow: an input_signature keeps a tf.function from tracing again."},
    {idle_cause::allocation, of_tensorflow, "TensorFlow: TF_GPU_ALLOCATOR=cuda_malloc_async."},
    {idle_cause::launch_bound, of_ascend, "torch_npu: TASK_QUEUE_ENABLE=2, CPU_AFFINITY_CONF=1."},
    {idle_cause::optimizer_loop, of_ascend, "torch_npu: the fused optimizers of torch_npu.optim."},
    {idle_cause::allocation, of_ascend,
     "torch_npu: PYTORCH_NPU_ALLOC_CONF=expandable_segments:True; no empty_cache() in the loop."},
};

}  // namespace

const advice_text& advice_of(idle_cause c, bool has_stacks, bool on_tpu) noexcept {
  if (on_tpu) {
    const auto* const found = std::find_if(std::begin(tpu_texts), std::end(tpu_texts), [c](const advice_text& t) { return t.cause == c; });
    if (found != std::end(tpu_texts)) return *found;
  }
  const bool is_beside_stacks = c == idle_cause::unexplained && has_stacks;
  return is_beside_stacks ? unexplained_beside_stacks : advice_texts[static_cast<std::size_t>(c)];
}

const char* advice_of_framework(idle_cause c, trace_writer w) noexcept {
  const auto* const found = std::find_if(std::begin(framework_texts), std::end(framework_texts),
                                         [&](const framework_text& t) { return t.cause == c && (t.writers & bit_of(w)) != 0; });
  return found == std::end(framework_texts) ? "" : found->text;
}

trace_writer writer_of(const activity& of) {
  if (of.hosts().empty()) return trace_writer::unknown;
  const trace_writer first = of.hosts().front().writer;
  const bool same =
      std::all_of(of.hosts().begin(), of.hosts().end(), [&](const activity_host& h) { return h.writer == first; });
  return same ? first : trace_writer::unknown;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
