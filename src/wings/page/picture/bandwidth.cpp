// What collectives move a second, by their size.
#include <profkit/core/picture.hpp>

#include <base/contained.hpp>
#include <page/picture/log_scale.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {
namespace {

constexpr plot bandwidth_plot{940, 480, 90, 700, 60, 430};
constexpr std::size_t max_calls = 2000;

struct sized_call {
  const collective_group* of;
  double bus_per_second;
};

// Those whose size and time are known, the longest first.
std::vector<sized_call> sized_calls(const validation_result& found) {
  std::vector<sized_call> calls;
  for (const collective_group& g : found.groups) {
    if (g.payload_bytes <= 0 || g.moving_ps <= 0) continue;
    const std::int64_t carried = link_bytes(found.ops[g.op], g.payload_bytes);
    if (carried > 0) calls.push_back({&g, bytes_per_s(carried, g.moving_ps)});
  }
  std::stable_sort(calls.begin(), calls.end(), [](const sized_call& a, const sized_call& b) { return a.of->moving_ps > b.of->moving_ps; });
  return calls;
}

std::string collective_named(const collective_op& op) { return op.collective.empty() ? "other" : op.collective; }

// The kind with the most time first.
std::vector<std::pair<std::string, std::int64_t>> kinds_of(const validation_result& found, const std::vector<sized_call>& calls) {
  std::map<std::string, std::int64_t> time;
  for (const sized_call& call : calls) {
    std::int64_t& sum = time[collective_named(found.ops[call.of->op])];
    sum = saturating_add(sum, call.of->moving_ps);
  }
  std::vector<std::pair<std::string, std::int64_t>> kinds(time.begin(), time.end());
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return kinds;
}

std::string rate_of(double per_second) { return si_text(per_second) + "B/s"; }

std::string call_tip(const validation_result& found, const sized_call& call) {
  const collective_op& op = found.ops[call.of->op];
  std::string tip(short_op_name(op.name, ""));
  if (!op.group.empty()) tip += ' ' + op.group;
  return tip + ", call " + std::to_string(call.of->occurrence) + ": " + human_bytes(static_cast<std::uint64_t>(call.of->payload_bytes)) +
         " in " + human_duration(call.of->moving_ps) + ", bus " + rate_of(call.bus_per_second);
}

result<void> draw_bandwidth(const validation_result& found, sink& into, picture_form form) {
  std::vector<sized_call> calls = sized_calls(found);
  if (calls.empty())
    return fault{fault_code::not_found, "of no collective the size and the time are known", "", no_offset,
                 "sizes come from shapes in the HLO and from the arguments of PyTorch; times need several members of a group"};
  const std::size_t known = calls.size();
  const auto kinds = kinds_of(found, calls);
  if (calls.size() > max_calls) calls.resize(max_calls);
  double least = calls.front().bus_per_second, most = least;
  std::int64_t smallest = calls.front().of->payload_bytes, largest = smallest;
  for (const sized_call& call : calls) {
    least = std::min(least, call.bus_per_second);
    most = std::max(most, call.bus_per_second);
    smallest = std::min(smallest, call.of->payload_bytes);
    largest = std::max(largest, call.of->payload_bytes);
  }
  std::string says = counted(known, "call") + " of known size";
  if (known > calls.size()) says += ", the " + counted(calls.size(), "longest call") + " shown";
  drawing out(into, bandwidth_plot.width, bandwidth_plot.height, "Bus bandwidth of collectives", says + ".", form);
  const log_scale across =
      log_scale_over(static_cast<double>(smallest), static_cast<double>(largest), bandwidth_plot.left, bandwidth_plot.right);
  const log_scale up = log_scale_over(least, most, bandwidth_plot.bottom, bandwidth_plot.top);
  draw_log_across(out, bandwidth_plot, across, [](double bytes) { return si_text(bytes) + "B"; });
  out.text(bandwidth_plot.right, bandwidth_plot.bottom + 38, "bytes a call", drawing::anchor::end, "soft");
  draw_log_up(out, bandwidth_plot, up, rate_of);
  const auto class_of = [&](const std::string& kind) {
    const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == kind; });
    // Those beyond the last share it.
    return distinct_kinds[std::min(static_cast<std::size_t>(at - kinds.begin()), std::size(distinct_kinds) - 1)];
  };
  for (const sized_call& call : calls)
    out.dot(across.at(static_cast<double>(call.of->payload_bytes)), up.at(call.bus_per_second), 3.5,
            class_of(collective_named(found.ops[call.of->op])), call_tip(found, call));
  double y = bandwidth_plot.top + 8;
  for (const auto& [kind, time_ps] : kinds) {
    out.dot(bandwidth_plot.right + 20, y - 4, 5, class_of(kind));
    out.text(bandwidth_plot.right + 32, y, kind + ", " + human_duration(time_ps));
    y += 20;
    if (y > bandwidth_plot.bottom) break;
  }
  return out.finish();
}

}  // namespace
}  // namespace picture

result<void> write_bandwidth_picture(const validation_result& found, sink& into, picture_form form) {
  return contained([&] { return picture::draw_bandwidth(found, into, form); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
