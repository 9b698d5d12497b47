// The time of ops, summed by what they have in common: operators, modules, lines of code, shapes, …
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/sink.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum group_key: written by scripts/generate
/// What ops are grouped by. Of an XSpace op, module, phase and source are what the op's metadata says (`tf_op`,
/// `source`).
enum class group_key : std::uint8_t {
  kernel,         ///< the name of the kernel
  function,       ///< what that runs, without template arguments: "at::native::MulFunctor"
  instruction,    ///< of the compiled program: "fusion.3"
  op,             ///< the framework's operator that made it: "aten::addmm", "dot_general"
  outer_op,       ///< the outermost operator around that: "aten::linear"
  module,         ///< modules and scopes, one inside the other: "BertLayer_3", "Linear_0"
  kind_of_module, ///< the innermost module without its number: "Linear"
  /// ranges that the user marked (record_function, NVTX, rocTX) and that were open at the launch, one inside the
  /// other
  range,
  source,         ///< the line of code: "model.py(31): forward", "model.py:31"
  phase,          ///< forward, recomputation, backward, optimizer
  shape,          ///< of the operator's inputs
  step,           ///< "step 3", as query_filters::step counts the steps of a device; "" of what began in none
  /// what work it is: "compute", "communication", or how it moves data: "transpose", "cast", "copy to device"
  kind,
  category,       ///< compute, comm, copy; as an XSpace writes it ("convolution fusion")
  program,        ///< the compiled program
  stream,         ///< the line of the device
  device
};
inline constexpr std::size_t group_key_count = 17;
[[nodiscard]] const char* group_key_name(group_key value) noexcept;  ///< "kernel", "function", …
// end of enum group_key
/// "outer-op".
/// Keys with commas between them: "module,op". Faults: invalid_argument, which lists the names.
result<std::vector<group_key>> parse_group_keys(std::string_view text);

/// How ops stand to what their device does at most. Of an op: the time that its operations take at least at the device's rate for
/// their type, or its bytes at that of the memory that they are in, whichever is longer, is attainable. It is bound by the one that is longer,
/// if it takes no more than 1 / 0.6 of that (as Nsight Compute draws the line), else by neither: by latency, too few threads, …
struct op_roof {
  std::int64_t attainable_ps = 0;  ///< of ops whose work and whose device's peaks are known
  std::int64_t compute_bound_ps = 0, memory_bound_ps = 0, neither_ps = 0;  ///< their self times
  std::int64_t vmem_bound_ps = 0, cmem_bound_ps = 0;  ///< of memory_bound_ps, where it is not main memory
  [[nodiscard]] std::int64_t judged_ps() const noexcept { return compute_bound_ps + memory_bound_ps + neither_ps; }
};
/// Devices that do the same at most.
struct peak_group {
  device_peaks peaks;
  std::uint64_t devices = 0;
};

/// What those ops do that it is known of.
struct op_work_sums {
  std::int64_t worked_ps = 0;         ///< self time of these ops
  std::int64_t flops = 0, bytes = 0;  ///< floating-point operations, and bytes moved from and to memory
  op_roof roof;
};

/// Ops that have the same keys so far. The rows of a tree: each is followed by those inside it, and `depth` says how deep it lies.
struct op_group : op_work_sums {
  std::uint32_t depth = 0;
  group_key key = group_key::op;
  std::string name;            ///< "" where that is not recorded
  std::uint64_t count = 0;     ///< executions
  std::int64_t self_ps = 0;    ///< summed self times: of all groups of the first depth the busy time of all lines
  std::int64_t total_ps = 0;   ///< summed durations
  std::int64_t own_ps = 0;     ///< of self_ps, what lies in no row below that is there
  /// Of a range, where that is the first key: self time of the backward pass of what was called in the range, whenever it ran. It
  /// is a part of self_ps only where the range was open then.
  std::optional<std::int64_t> backward_ps;
};

struct op_groups : op_work_sums {
  std::vector<group_key> keys;
  std::vector<op_group> rows;    ///< the longest self time first, on each depth
  std::uint64_t rows_left_out = 0;
  std::uint64_t count = 0;       ///< of all ops
  std::int64_t self_ps = 0, total_ps = 0;
  std::vector<peak_group> peaks;
  std::uint64_t unlinked = 0;    ///< executions whose first key is not recorded, and their self time
  std::int64_t unlinked_ps = 0;
  std::uint64_t in_ranges = 0;   ///< of them, where the first key is a module: those that were launched in a range of the user
  std::uint64_t by_graph = 0;    ///< of them, those that a graph launched
  std::uint64_t by_order = 0;    ///< of all, those that a graph launched and whose origin the order of launches in its capture shows
  /// Where one of the keys is `kind`: self time of ops that only move data, or wait for it. No more than that can be saved by avoiding
  /// it; less, where other work runs beside it.
  std::optional<std::int64_t> moving_ps;
  std::string source, absent;    ///< as of ops_result
  std::vector<file_damage> damage;
};

/// Groups ops that were found before; where filters did not ask for their origins, only what each op's metadata says is known of
/// them. `limit` bounds the rows as below. Faults: invalid_argument (no keys).
result<op_groups> group_ops(const trace& t, const ops_result& ops, const std::vector<group_key>& keys, std::uint64_t limit = 0);

/// Groups what analyse_ops() finds under the same filters. o.limit bounds the rows: those with the longest self times stay, and
/// those that they lie in. Faults: invalid_argument (no keys), those of analyse_ops().
result<op_groups> analyse_op_groups(const trace& t, const std::vector<group_key>& keys, const query_filters& o = {},
                                    const hooks& host = {});

/// Folded stacks, a line a group: names with ';' between them and own self time in ns, as flame graph tools read them.
result<void> write_folded_stacks(const op_groups& groups, sink& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
