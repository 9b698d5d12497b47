#include <formats/ascend/ascend_origins.hpp>

#include <base/hash_map.hpp>
#include <formats/ascend/ascend_work.hpp>
#include <formats/call_origins.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class origin_finder {
 public:
  origin_finder(const ascend_trace& trace, std::vector<device_kernels>& devices, activity_parts& parts)
      : trace_(trace), devices_(devices), parts_(parts), issues_(trace.issues) {}

  void run() {
    std::sort(issues_.begin(), issues_.end(), is_earlier);
    list_kernels();
    origin_evidence evidence;
    evidence.has_library_calls = true;
    for (const ascend_operator& o : trace_.operators) {
      if (o.number >= 0) evidence.numbers.push_back({o.span, o.number});
      if (o.line != 0) evidence.lines.push_back({o.span, o.line});
    }
    std::vector<origin_query> queries;
    for (std::size_t at = 0; at < kernels_.size(); ++at)
      if (const issue_arrow* const by = issue_of(kernels_[at])) queries.push_back({by->thread, by->issue_ps, at});
    call_origins(trace_.spans, evidence, parts_.strings, parts_.origins).find(queries);
    for (const origin_query& q : queries) {
      row_of(kernels_[q.kernel]).origin = q.origin;
      kernels_[q.kernel].operation = q.operation;
    }
    if (parts_.options.details) find_work();
  }

 private:
  struct listed_kernel {
    std::size_t device, row;
    std::int64_t start_ps, stream;  // -1: none
    bool is_collective;
    std::size_t operation = 0;  // 1 + the span of the operator
  };
  using kernel_key = std::tuple<std::int64_t, std::int64_t, bool>;

  static bool is_earlier(const issue_arrow& a, const issue_arrow& b) { return a.kernel_start_ps < b.kernel_start_ps; }
  kernel_row& row_of(const listed_kernel& k) { return devices_[k.device].rows[k.row]; }

  void list_kernels() {
    for (std::size_t d = 0; d < devices_.size(); ++d)
      for (std::size_t at = 0; at < devices_[d].rows.size(); ++at) {
        const kernel_row& row = devices_[d].rows[at];
        if ((row.flags & kernel_duplicate) != 0) continue;
        const bool has_stream = (row.flags & kernel_has_stream) != 0;
        const std::int64_t stream = has_stream ? devices_[d].device.streams[row.stream].id : -1;
        kernels_.push_back({d, at, row.start_ps, stream, !has_stream && row.kind == kernel_class::comm});
        ++count_[key_of(kernels_.back())];
      }
  }
  static kernel_key key_of(const listed_kernel& k) { return {k.start_ps, k.stream, k.is_collective}; }

  // The one arrow that ends where the kernel begins. Null where none does, several disagree, or several kernels begin there.
  [[nodiscard]] const issue_arrow* issue_of(const listed_kernel& k) {
    if (count_[key_of(k)] > 1) return nullptr;
    // Starts of collectives are cut to ns in the table and rounded in the trace.
    const std::int64_t reach_ps = k.is_collective ? ps_per_ns : 0;
    issue_arrow first;
    first.kernel_start_ps = saturating_add(k.start_ps, -reach_ps);
    const std::int64_t last_ps = saturating_add(k.start_ps, reach_ps);
    const issue_arrow* found = nullptr;
    for (auto at = std::lower_bound(issues_.begin(), issues_.end(), first, is_earlier);
         at != issues_.end() && at->kernel_start_ps <= last_ps; ++at) {
      if (at->to_collective != k.is_collective || (k.stream >= 0 && at->stream != k.stream)) continue;
      if (found != nullptr && (found->issue_ps != at->issue_ps || found->thread != at->thread)) return nullptr;
      found = &*at;
    }
    return found;
  }

  // The shapes of a product say what its kernel did; else the longest kernel stands for what its operator did.
  void find_work() {
    std::vector<const ascend_operator*> by_span(trace_.spans.size());
    for (const ascend_operator& o : trace_.operators) by_span[o.span] = &o;
    std::vector<std::optional<kernel_work>> own(kernels_.size());
    hash_map<std::size_t, std::size_t> longest;  // by operation: a kernel
    hash_set<std::size_t> counted;               // operations with a kernel that says what it did
    for (std::size_t at = 0; at < kernels_.size(); ++at) {
      const listed_kernel& k = kernels_[at];
      own[at] = own_work(k);
      if (k.operation == 0) continue;
      if (own[at]) counted.insert(k.operation);
      const auto [best, is_new] = longest.try_emplace(k.operation, at);
      if (!is_new && row_of(k).duration_ps > row_of(kernels_[best->second]).duration_ps) best->second = at;
    }
    for (std::size_t at = 0; at < kernels_.size(); ++at) {
      const listed_kernel& k = kernels_[at];
      const ascend_operator* const by = k.operation == 0 ? nullptr : by_span[k.operation - 1];
      std::optional<kernel_work> work = own[at];
      if (by != nullptr && longest.find(k.operation)->second == at && counted.find(k.operation) == counted.end())
        work = work_of(*by);
      note(k, work, by);
    }
  }

  std::optional<kernel_work> own_work(const listed_kernel& k) {
    const kernel_row& row = row_of(k);
    if (row.details == 0) return std::nullopt;
    const kernel_details& of = devices_[k.device].device.details[row.details - 1];
    const std::array<string_id, 4> call{row.op_type, of.input_shapes, of.input_dtypes, of.output_shapes};
    const auto [at, is_new] = work_of_kernels_.try_emplace(call);
    if (is_new) at->second = work_of_ascend_kernel(text(call[0]), text(call[1]), text(call[2]), text(call[3]));
    return at->second;
  }

  std::optional<kernel_work> work_of(const ascend_operator& o) {
    if (o.shapes == 0) return std::nullopt;
    const string_id name = trace_.spans[o.span].name;
    const auto [at, is_new] = work_of_operators_.try_emplace({name, o.shapes, o.types});
    if (is_new) at->second = work_of_ascend_operator(text(name), text(o.shapes), text(o.types));
    return at->second;
  }

  // Where the table has no shapes, those of the operator are the best that is known.
  void note(const listed_kernel& k, const std::optional<kernel_work>& work, const ascend_operator* by) {
    activity_device& device = devices_[k.device].device;
    const bool takes_shapes = !device.has_shapes && by != nullptr && by->shapes != 0;
    if (!work && !takes_shapes) return;
    std::uint32_t& of_row = row_of(k).details;
    const kernel_work known = work.value_or(kernel_work());
    const auto [at, is_new] = details_.try_emplace({k.device, of_row, takes_shapes ? by->shapes : 0, takes_shapes ? by->types : 0,
                                                    work.has_value(), known.flops, known.bytes, known.multiplies}, 0);
    if (is_new) {
      kernel_details more = of_row == 0 ? kernel_details() : device.details[of_row - 1];
      more.work = work;
      if (takes_shapes) {
        more.input_shapes = by->shapes;
        more.input_dtypes = by->types;
      }
      device.details.push_back(std::move(more));
      at->second = static_cast<std::uint32_t>(device.details.size());
    }
    of_row = at->second;
  }

  [[nodiscard]] std::string_view text(string_id id) const { return parts_.strings.text(id); }

  const ascend_trace& trace_;
  std::vector<device_kernels>& devices_;
  activity_parts& parts_;
  std::vector<issue_arrow> issues_;  // by where they end
  std::vector<listed_kernel> kernels_;
  hash_map<kernel_key, std::size_t> count_;
  hash_map<std::array<string_id, 4>, std::optional<kernel_work>> work_of_kernels_;
  hash_map<std::array<string_id, 3>, std::optional<kernel_work>> work_of_operators_;
  hash_map<std::tuple<std::size_t, std::uint32_t, string_id, string_id, bool, std::int64_t, std::int64_t, std::optional<number_type>>,
           std::uint32_t>
      details_;
};

}  // namespace

void find_ascend_origins(const ascend_trace& trace, std::vector<device_kernels>& devices, activity_parts& parts) {
  origin_finder(trace, devices, parts).run();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
