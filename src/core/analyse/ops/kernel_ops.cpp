#include <analyse/ops/kernel_ops.hpp>

#include <analyse/ops/device_clock.hpp>
#include <analyse/ops/op_rows.hpp>
#include <analyse/ops/op_totals.hpp>
#include <analyse/ops/step_numbers.hpp>
#include <base/affix.hpp>
#include <base/hash_map.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Whether a graph launched a kernel, and then whether its capture says by what.
enum class graph_launch : std::uint8_t { no, yes, by_order };
graph_launch graph_launch_of(const kernel_row& k) noexcept {
  if ((k.flags & kernel_by_order) != 0) return graph_launch::by_order;
  return (k.flags & kernel_by_graph) != 0 ? graph_launch::yes : graph_launch::no;
}

// What makes kernels one op: their name; on NPUs, whose names count calls through, their type and core. A collective's
// type may say more than its name.
// And, where they are asked for: the origin, shapes and types, whether a graph launched it, operations, bytes and their type; the step.
using op_identity = std::tuple<string_id, string_id, kernel_class, std::uint32_t, string_id, string_id, graph_launch, std::int64_t,
                               std::int64_t, std::optional<number_type>, std::uint32_t>;

// Whether products of 32-bit numbers may be rounded is not on record, but these kernels of cuBLAS and CUTLASS have no unit that could:
// those of tensor cores are called s1688gemm, tensorop or tf32.
bool is_without_tensor_cores(std::string_view kernel) noexcept {
  return contains(kernel, "_sgemm_") && !contains(kernel, "tensorop") && !contains(kernel, "tf32");
}

// Numbers the ops of a device.
class op_numbers {
 public:
  op_numbers(const activity& of, const activity_device& device, bool by_origin)
      : of_(of), device_(device), by_type_(device.type == accelerator::npu), by_origin_(by_origin) {}

  // `step`: 1 + its index; 0: none.
  std::int64_t number_of(const kernel_row& k, std::uint32_t step) {
    const bool is_collective = k.kind == kernel_class::comm;
    const kernel_details* const details = k.details == 0 || !by_origin_ ? nullptr : &device_.details[k.details - 1];
    const graph_launch by_graph = by_origin_ ? graph_launch_of(k) : graph_launch::no;
    const kernel_work work = details != nullptr && details->work ? *details->work : kernel_work();
    return number_of({by_type_ ? k.op_type : k.name, by_type_ ? k.core : is_collective ? k.op_type : 0, k.kind,
                      by_origin_ ? k.origin : 0, details == nullptr ? 0 : details->input_shapes,
                      details == nullptr ? 0 : details->input_dtypes, by_graph, work.flops, work.bytes, work.multiplies, step});
  }
  [[nodiscard]] std::shared_ptr<const std::vector<kernel_op>> take() {
    return std::make_shared<const std::vector<kernel_op>>(std::move(ops_));
  }

 private:
  std::int64_t number_of(const op_identity& identity) {
    const auto [at, is_new] = numbers_.try_emplace(identity, static_cast<std::int64_t>(ops_.size()));
    if (is_new) {
      const auto [name, other, kind, origin, shapes, types, by_graph, flops, bytes, multiplies, step] = identity;
      kernel_op op;
      op.flops = static_cast<std::uint64_t>(flops);
      op.bytes = static_cast<std::uint64_t>(bytes);
      op.name = of_.text(name);
      op.multiplies = multiplies == number_type::tf32 && is_without_tensor_cores(op.name) ? number_type::f32 : multiplies;
      op.category = kernel_class_name(kind);
      (by_type_ ? op.core : op.type) = of_.text(other);
      op.origin = origin_of(origin, by_graph);
      op.origin.shapes = of_.text(shapes);
      op.origin.types = of_.text(types);
      op.origin.step = std::int64_t{step} - 1;
      ops_.push_back(op);
    }
    return at->second;
  }

  [[nodiscard]] op_origin origin_of(std::uint32_t number, graph_launch by_graph) const {
    op_origin found;
    found.by_graph = by_graph == graph_launch::yes;
    found.by_order = by_graph == graph_launch::by_order;
    if (number == 0) return found;
    const kernel_origin& o = of_.origins()[number - 1];
    // The operators around the launch of a graph are not those that its kernels belong to.
    if (!found.by_graph) {
      found.op = of_.text(o.op);
      found.outer_op = of_.text(o.outer_op);
    }
    found.module = of_.text(o.module);
    found.range = of_.text(o.range);
    found.forward_range = of_.text(o.forward_range);
    found.source = of_.text(o.source);
    found.program = of_.text(o.program);
    found.phase = training_phase_name(o.phase);
    return found;
  }

  const activity& of_;
  const activity_device& device_;
  const bool by_type_, by_origin_;
  hash_map<op_identity, std::int64_t> numbers_;
  std::vector<kernel_op> ops_;
};

// Totals of the kernels of one device, a line a stream.
class device_ops final : public kernel_visitor {
 public:
  device_ops(const activity& of, std::size_t device, const selection& selected, const query_filters& o)
      : of_(of),
        device_(of.devices()[device]),
        times_(selected.times_of(device_.file, static_cast<std::int32_t>(device))),
        options_(o),
        steps_(selected.steps_of(device_.file, -1, static_cast<std::int32_t>(device))),
        numbers_(of, device_, o.split_by_origin),
        streams_(device_.streams.size() + 2) {}

  result<void> rows(const kernel_row* first, std::size_t count) override {
    for (const kernel_row* k = first; k != first + count; ++k) {
      const std::size_t at = met_++;
      if ((k->flags & kernel_duplicate) != 0) continue;
      if (!times_.keeps_time(k->start_ps, k->duration_ps)) continue;
      event_row event{};
      event.offset_ps = k->start_ps;
      event.duration_ps = k->duration_ps;
      event.metadata_id = numbers_.number_of(*k, steps_.number_at(k->start_ps));
      const own_times own = own_times_of(*k);
      if (own != own_times::none) {
        const own_time& by_device = device_.own_clock[at];
        if (by_device.duration_ps != no_time_ps) event.duration_ps = by_device.duration_ps;
        if (own == own_times::all) event.offset_ps = by_device.start_ps;
      }
      stream_totals& stream = stream_of(*k);
      stream.cut += (k->flags & kernel_cut) != 0 ? 1 : 0;
      add(stream, event, own);
    }
    return {};
  }

  void finish(ops_result& into) {
    const auto kernels = numbers_.take();
    for (std::size_t at = 0; at < streams_.size(); ++at) {
      stream_totals& s = streams_[at];
      if (!s.totals) continue;
      if (!has_ops(at)) continue;
      ops_line line = line_of(at);
      if (!contains(line.line_name, options_.line)) continue;
      s.finish();
      line.events_cut = s.cut;
      fill_line(line, *s.totals, kernels, options_.name);
      into.lines.push_back(std::move(line));
    }
    if (!device_.totals.empty() && times_.keeps_all()) add_totals(into);
  }

 private:
  // Ops of a table without times. Each stands for several executions.
  void add_totals(ops_result& into) const {
    ops_line line = line_of(without_stream());
    if (!contains(line.line_name, options_.line)) return;
    auto kernels = std::make_shared<std::vector<kernel_op>>();
    op_rows::sums sums;
    sums.key = op_key::kernel;
    sums.by_slot.emplace_back();
    std::uint64_t busy_ps = 0;
    for (const op_total& t : device_.totals) {
      sums.others.push_back(static_cast<std::int64_t>(kernels->size()));
      kernels->push_back(op_of(t));
      op_sum& sum = sums.by_slot.emplace_back();
      sum.count = t.calls;
      sum.total_ps = t.duration_ps;
      sum.self_ps = static_cast<std::uint64_t>(t.self_ps >= 0 ? t.self_ps : t.duration_ps);
      sum.max_ps = op_sum::not_placed;
      busy_ps += std::min<std::uint64_t>(sum.self_ps, std::numeric_limits<std::int64_t>::max() - busy_ps);
      line.duration_sum_ps = saturating_add(line.duration_sum_ps, t.duration_ps);
    }
    sums.kernels = std::move(kernels);
    line.events = device_.totals.size();
    line.busy_ps = clamp_ps(busy_ps);
    line.ops = make_op_rows(std::move(sums), options_.name);
    into.lines.push_back(std::move(line));
  }

  [[nodiscard]] kernel_op op_of(const op_total& t) const {
    kernel_op op;
    op.name = of_.text(t.full_name != 0 ? t.full_name : t.op_type);
    if (t.full_name != 0) op.display_name = of_.text(t.op_type);
    op.category = t.category != 0 ? of_.text(t.category) : kernel_class_name(t.kind);
    (device_.type == accelerator::npu ? op.core : op.type) = of_.text(t.core);
    op.framework_op = of_.text(t.framework_op);
    op.program = of_.text(t.program);
    op.program_id = t.program_id;
    op.flops = (t.flops + t.calls / 2) / std::max<std::uint64_t>(t.calls, 1);
    op.bytes = (t.bytes + t.calls / 2) / std::max<std::uint64_t>(t.calls, 1);
    return op;
  }

  struct stream_totals {
    std::unique_ptr<op_totals> totals;
    std::vector<event_row> waiting;  // added a batch at a time
    std::optional<start_order> order;  // where starts are those of the device
    std::uint64_t cut = 0;             // events whose duration was
    void flush() {
      const auto take = [this](const event_row* ready, std::size_t n) { totals->add(ready, n); };
      if (order)
        order->add(waiting.data(), waiting.size(), take);
      else
        take(waiting.data(), waiting.size());
      waiting.clear();
    }
    void finish() {
      flush();
      if (order) order->finish([this](const event_row* ready, std::size_t n) { totals->add(ready, n); });
      totals->finish();
    }
  };

  [[nodiscard]] std::size_t without_stream() const noexcept { return device_.streams.size(); }
  stream_totals& stream_of(const kernel_row& k) {
    if ((k.flags & kernel_has_stream) != 0 && k.stream < device_.streams.size()) return streams_[k.stream];
    return streams_[without_stream() + (k.kind == kernel_class::comm ? 1 : 0)];
  }
  [[nodiscard]] own_times own_times_of(const kernel_row& k) const {
    const bool placed = (k.flags & kernel_has_stream) != 0 && k.stream < device_.streams.size();
    return placed && !device_.own_clock.empty() ? device_.streams[k.stream].by_own_clock : own_times::none;
  }
  static void add(stream_totals& to, const event_row& event, own_times own) {
    constexpr std::size_t batch = 256;
    if (!to.totals) {
      if (own == own_times::all) to.order.emplace();
      to.totals = std::make_unique<op_totals>(0);
      to.waiting.reserve(batch);
    }
    to.waiting.push_back(event);
    if (to.waiting.size() == batch) to.flush();
  }

  // Where a device has a line of ops, other lines repeat it.
  [[nodiscard]] bool has_ops(std::size_t stream) const {
    const auto& all = device_.streams;
    const bool any_ops =
        std::any_of(all.begin(), all.end(), [](const activity_stream& s) { return s.kind == line_kind::ops; });
    if (stream >= all.size()) return !any_ops;
    return all[stream].kind == (any_ops ? line_kind::ops : line_kind::stream);
  }

  // As the recorder lists the devices of the machine; for others, the name that all listed ones share.
  [[nodiscard]] std::string_view model() const {
    if (device_.model != 0) return of_.text(device_.model);
    for (const activity_host& host : of_.hosts()) {
      if (host.devices.empty() || (host.file != device_.file && of_.hosts().size() > 1)) continue;
      const auto at = static_cast<std::size_t>(device_.ordinal);
      if (device_.ordinal >= 0 && at < host.devices.size() && !host.devices[at].empty()) return host.devices[at];
      const std::string& last = host.devices.back();  // the list ends with one that has a name
      const auto fits = [&](const std::string& name) { return name.empty() || name == last; };
      const bool all_same = std::all_of(host.devices.begin(), host.devices.end(), fits);
      return all_same ? std::string_view(last) : std::string_view();
    }
    return {};
  }

  [[nodiscard]] ops_line line_of(std::size_t stream) const {
    ops_line line;
    line.file = device_.file;
    line.device_model = model();
    line.plane = line.line = -1;
    line.plane_name = of_.text(device_.name);
    line.kind = line_kind::stream;
    if (stream < device_.streams.size()) {
      const activity_stream& on = device_.streams[stream];
      line.plane = on.plane;
      line.line = on.line;
      line.line_name = of_.text(on.name);
      line.kind = on.kind;
      line.clock = on.by_own_clock == own_times::all    ? ops_clock::device
                   : on.by_own_clock == own_times::some ? ops_clock::mixed
                                                        : ops_clock::aligned;
    } else {
      line.line_name = stream != without_stream() ? "communication, no stream"
                       : device_.totals.empty()  ? "no stream"
                                                 : "totals of a table";
    }
    return line;
  }

  const activity& of_;
  const activity_device& device_;
  const event_filter times_;
  const query_filters& options_;
  const step_numbers steps_;
  op_numbers numbers_;
  std::size_t met_ = 0;  // kernels of the device so far
  std::vector<stream_totals> streams_;  // the last two: of kernels without a stream, which run beside communication without one
};

}  // namespace

result<void> add_kernel_ops(const profile& p, const std::shared_ptr<const activity>& of, const selection& selected,
                            const query_filters& o, const hooks& host, ops_result& into) {
  const std::vector<activity_device>& devices = of->devices();
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (!selected.other_file(devices[d].file)) continue;
    if (!contains(of->text(devices[d].name), o.plane)) continue;
    device_ops ops(*of, d, selected, o);
    if (result<void> visited = of->visit_kernels(d, ops, host); !visited) return visited;
    ops.finish(into);
  }
  into.texts = of;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
