// Kernels, the calls that launched them and the operators around these.
#include <formats/kineto/gathered_trace.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class launched_kernels {
 public:
  explicit launched_kernels(gathered_trace& of) : of_(of), calls_(of.calls), devices_(of.devices) {
    std::vector<const std::vector<launch_link>*> links;
    for (const gathered_device& d : devices_) links.push_back(&d.links);
    calls_.join(links, of.parts.strings);
    of.captures.settle(calls_);
    for (const gathered_device& d : devices_) operations_.emplace_back(d.rows.size());
  }

  // While the rows and their links are in the same order.
  void find_origins() {
    struct asked_kernel {
      std::size_t device, row;
      bool for_ranges;
    };
    std::vector<asked_kernel> kernels;  // by query
    std::vector<origin_query> queries;
    const auto ask = [&](std::size_t device, std::size_t row, const launch_calls::call& by, bool for_ranges = false) {
      queries.push_back({by.thread, by.start_ps, kernels.size()});
      kernels.push_back({device, row, for_ranges});
    };
    const std::vector<graph_captures::order_link> by_order = links_by_order();
    for (const graph_captures::order_link& link : by_order) {
      devices_[link.device].rows[link.row].flags |= kernel_by_order;
      ask(link.device, link.row, calls_.at(link.call));
      ask(link.device, link.row, calls_.at(link.replay), true);  // ranges were open when the graph ran, not when it was captured
    }
    for_each([&](std::size_t d, std::size_t row) {
      if (!is_by_order(d, row))
        if (const launch_calls::call* const by = launcher_of(d, row)) ask(d, row, *by);
    });
    call_origins origins(of_.spans, {std::move(of_.autograd), {}, false}, of_.parts.strings, of_.parts.origins);
    origins.find(queries);
    std::stable_partition(queries.begin(), queries.end(), [&](const origin_query& q) { return !kernels[q.kernel].for_ranges; });
    for (const origin_query& q : queries) {
      const auto [device, row, for_ranges] = kernels[q.kernel];
      std::uint32_t& origin = devices_[device].rows[row].origin;
      if (for_ranges) {
        origin = origins.with_ranges_of(origin, q.origin);
        continue;
      }
      origin = q.origin;
      // The operator around the launch of a graph is not that of its kernels.
      if (q.operation != 0 && (is_by_order(device, row) || !is_of_graph(device, row)))
        operations_[device][row].by = calls_.operation_at(q.operation - 1);
    }
    find_operations(by_order);
  }

  // Gives the number of kernels without a launch where launches are recorded.
  std::uint64_t set_launches() {
    std::uint64_t unattributed = 0;
    for (std::size_t at = 0; at < devices_.size(); ++at) {
      gathered_device& d = devices_[at];
      std::uint64_t joined = 0;
      for (std::size_t i = 0; i < d.rows.size(); ++i) {
        kernel_row& row = d.rows[i];
        if (const launch_calls::call* const by = launcher_of(at, i)) {
          row.launch_ps = by->start_ps;
          row.launch_end_ps = by->end_ps;
          row.launch_thread = by->thread;
          ++joined;
          if (calls_.is_graph(*by)) {
            row.flags |= kernel_by_graph;
            ++d.device.graph_launched;
            d.device.graph_launched_ps = saturating_add(d.device.graph_launched_ps, row.duration_ps);
          }
        }
        take_shapes(at, row, operations_[at][i]);
      }
      d.device.has_launches = joined > 0;
      const bool linked = std::any_of(d.links.begin(), d.links.end(), [](const launch_link& l) {
        return l.correlation != no_launch_id || l.external != no_launch_id;
      });
      if (linked || of_.host_seen) unattributed += d.rows.size() - joined;
    }
    return unattributed;
  }

 private:
  // The operator that launched a kernel. Of its kernels the longest stands for what it did.
  struct row_operation {
    const launch_calls::operation* by = nullptr;
    bool does_work = false;
  };
  struct kernel_place {
    std::int64_t duration_ps;
    std::size_t device, row;
  };

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t d = 0; d < devices_.size(); ++d)
      for (std::size_t row = 0; row < devices_[d].rows.size(); ++row) visit(d, row);
  }
  [[nodiscard]] const launch_calls::call* launcher_of(std::size_t device, std::size_t row) const {
    return calls_.launcher_of(devices_[device].links[row]);
  }
  [[nodiscard]] bool is_by_order(std::size_t device, std::size_t row) const {
    return (devices_[device].rows[row].flags & kernel_by_order) != 0;
  }
  [[nodiscard]] bool is_of_graph(std::size_t device, std::size_t row) const {
    const launch_calls::call* const by = launcher_of(device, row);
    return by != nullptr && calls_.is_graph(*by);
  }

  // The number that the recorder gave operator and kernel says more than the place of the launch; some number kernels anew.
  void find_operations(const std::vector<graph_captures::order_link>& by_order) {
    calls_.join_captured();
    hash_map<std::pair<std::size_t, const launch_calls::operation*>, kernel_place> longest;  // 1 + the launch of a graph; 0: of none
    const auto note = [&](std::size_t replay, const kernel_place& here) {
      const auto at = longest.try_emplace({replay, operations_[here.device][here.row].by}, here).first;
      if (here.duration_ps > at->second.duration_ps) at->second = here;
    };
    const auto take = [&](std::size_t device, std::size_t row, const launch_link& tie) -> kernel_place {
      if (const launch_calls::operation* const numbered = calls_.operation_of(tie)) operations_[device][row].by = numbered;
      return {devices_[device].rows[row].duration_ps, device, row};
    };
    for (const graph_captures::order_link& link : by_order)
      note(1 + link.replay, take(link.device, link.row, {no_launch_id, calls_.at(link.call).external}));
    for_each([&](std::size_t d, std::size_t row) {
      if (is_by_order(d, row)) return;
      const kernel_place here = take(d, row, devices_[d].links[row]);
      if (!is_of_graph(d, row)) note(0, here);
    });
    for (const auto& [operation, place] : longest) operations_[place.device][place.row].does_work = operation.second != nullptr;
  }

  // Copies are nodes, too, but not every call that copies makes one.
  [[nodiscard]] std::vector<graph_captures::order_link> links_by_order() const {
    if (of_.captures.empty()) return {};
    std::map<std::size_t, std::vector<replayed_kernel>> replays;
    for_each([&](std::size_t d, std::size_t at) {
      const kernel_row& row = devices_[d].rows[at];
      if (!is_of_graph(d, at) || row.kind == kernel_class::copy) return;
      const auto node = of_.nodes.find(row.source_row);
      const gathered_trace::graph_node of = node == of_.nodes.end() ? gathered_trace::graph_node() : node->second;
      replays[calls_.number_of(*launcher_of(d, at))].push_back({d, at, row.start_ps, row.name, row.stream, of.graph, of.node});
    });
    return of_.captures.link(replays, calls_);
  }

  void take_shapes(std::size_t device, kernel_row& row, const row_operation& of) {
    if (row.details != 0 || of.by == nullptr) return;
    activity_device& into = devices_[device].device;
    const std::uint32_t work = of.does_work ? of.by->work : 0;
    const auto [at, added] = details_of_shapes_.try_emplace({device, of.by->dims, of.by->types, work}, 0);
    if (added) {
      kernel_details details;
      if (work != 0) details.work = of_.works[work - 1];
      details.input_shapes = of.by->dims;
      details.input_dtypes = of.by->types;
      into.details.push_back(std::move(details));
      at->second = static_cast<std::uint32_t>(into.details.size());
    }
    row.details = at->second;
    into.has_shapes = true;
  }

  gathered_trace& of_;
  launch_calls& calls_;
  std::vector<gathered_device>& devices_;
  std::vector<std::vector<row_operation>> operations_;  // by device and row
  hash_map<std::tuple<std::size_t, string_id, string_id, std::uint32_t>, std::uint32_t> details_of_shapes_;  // by device, shapes, types, work
};

}  // namespace

std::uint64_t gathered_trace::join_launches() {
  launched_kernels launched(*this);
  launched.find_origins();
  return launched.set_launches();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
