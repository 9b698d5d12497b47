// The reference tool's way of finding collectives, for numbers that can be compared with its own: words in names, no
// references looked up, times in doubles.
#include "instances.hpp"

#include "analyse/anatomy/stats.hpp"
#include "base/hash_map.hpp"
#include "base/progress.hpp"
#include "formats/xspace/xspace_index.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) noexcept {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return text.find(w) != text.npos; });
}
bool is_collective_name(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return contains_any(lower, {"rccl", "nccl", "all-reduce", "all-gather"});
}
bool is_collective_op(std::string_view op) {
  return contains_any(op, {"reduce", "gather", "scatter", "all-to-all", "send", "recv", "nccl", "rccl"});
}

constexpr std::string_view reference_prefix = "/device:GPU:";

// The node of a plane; empty: not looked at.
std::optional<std::int64_t> node_by_id(const plane_index& plane) {
  if (plane.name.substr(0, reference_prefix.size()) != reference_prefix || plane.id >= 10000) return std::nullopt;
  return plane.id >= 100 ? (plane.id - 100) / 64 : 0;
}

class reference_finder {
 public:
  reference_finder(const trace_list& traces, const hooks& host) : traces_(traces), host_(host) {}

  result<collective_instances> find() {
    for (std::uint32_t t = 0; t < traces_.size(); ++t) {
      if (traces_[t] == nullptr) continue;
      const profile& p = traces_[t]->files();
      const std::size_t before = found_.all.size();
      for (std::size_t file = 0; file < p.file_count(); ++file) {
        if (const fault* why = p.file_fault(file)) {
          found_.damage.push_back({t, *why});
          continue;  // it takes a file whole or not at all
        }
        if (const xspace_index* space = p.xspace(file))
          for (const plane_index& plane : space->planes)
            if (const auto node = node_by_id(plane))
              if (result<void> read = read_plane(plane, *node); !read) return std::move(read).error();
      }
      // Several traces of one node each are told apart by their places.
      const bool one_node = std::all_of(found_.all.begin() + static_cast<std::ptrdiff_t>(before), found_.all.end(),
                                        [](const collective_instance& e) { return e.node == 0; });
      if (traces_.size() > 1 && one_node)
        for (std::size_t i = before; i < found_.all.size(); ++i) found_.all[i].node = t;
    }
    return number_nodes();
  }

 private:
  result<void> read_plane(const plane_index& plane, std::int64_t node) {
    progress_meter progress(host_);
    const std::optional<std::int64_t> op_id = plane.stat_id("hlo_op"), correlation = plane.stat_id("correlation_id");
    hash_map<std::int64_t, std::pair<std::string_view, bool>> names;
    constexpr std::size_t batch = 256;
    event_row rows[batch];
    for (const line_index& line : plane.lines) {
      const auto base = static_cast<double>(complete_header(line).timestamp_ns);
      event_scanner scanner(line.body);
      while (const std::size_t n = scanner.next(rows, batch)) {
        if (result<void> step = progress.step(line.offset + scanner.offset()); !step) return step;
        for (std::size_t i = 0; i < n; ++i) {
          const event_row& row = rows[i];
          const auto [at, is_new] = names.try_emplace(row.metadata_id);
          if (is_new) {
            const std::string_view name = plane.event_name(row.metadata_id);
            at->second = {name, is_collective_name(name)};
          }
          std::string_view op;
          collective_instance e;
          for (const stat_view stat : stats_of(row)) {
            if (op_id && stat.metadata_id() == *op_id && stat.kind() == stat_kind::str_value) op = stat.as_bytes();
            if (correlation && stat.metadata_id() == *correlation) e.correlation_id = integer_value(stat).value_or(-1);
          }
          if (!at->second.second && !is_collective_op(op)) continue;
          e.node = static_cast<std::uint32_t>(node);
          e.name = found_.texts.intern(op.empty() ? at->second.first : op);
          e.reference_start_ns = base + static_cast<double>(row.offset_ps) / 1000.0;
          e.reference_end_ns = e.reference_start_ns + static_cast<double>(row.duration_ps) / 1000.0;
          found_.all.push_back(std::move(e));
        }
      }
    }
    return {};
  }

  // Nodes are ids so far; only those with a collective are compared.
  collective_instances number_nodes() {
    std::vector<std::uint32_t> ids;
    for (const collective_instance& e : found_.all) ids.push_back(e.node);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const std::uint32_t id : ids) {
      collective_node& node = found_.nodes.emplace_back();
      node.id = id;
      node.clock = found_.clocks++;
    }
    for (collective_instance& e : found_.all) {
      e.node = static_cast<std::uint32_t>(std::lower_bound(ids.begin(), ids.end(), e.node) - ids.begin());
      ++found_.nodes[e.node].collectives;
    }
    return std::move(found_);
  }

  const trace_list& traces_;
  const hooks& host_;
  collective_instances found_;
};

}  // namespace

result<collective_instances> find_collectives_like_reference(const trace_list& traces, const hooks& host) {
  return reference_finder(traces, host).find();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
