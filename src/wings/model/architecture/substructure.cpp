#include <model/architecture/substructure.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

// Where in the layer a kernel is: after attention, in the FFN or the experts, or after those.
enum class section : std::uint8_t { attention, ffn, next };

constexpr layer_role matmul_role(section s, layer_kind kind) noexcept {
  if (s == section::attention) return layer_role::projection;
  if (s == section::next) return layer_role::next_layer_prep;
  return kind == layer_kind::dense ? layer_role::dense_ffn : layer_role::expert_ffn;
}

// Whether a router begins here: a cast and a matmul directly before the kernel that decides on experts.
bool leads_to_gating(const device_kernels& of, std::size_t row, std::size_t last) {
  bool multiplied = of.kind_of(of.rows[row]) == op_kind::matmul;
  for (std::size_t i = row + 1; i < last && i <= row + 4; ++i) {
    const op_kind kind = of.kind_of(of.rows[i]);
    if (kind == op_kind::moe_gating || kind == op_kind::moe_routing) return true;
    const bool routes =
        kind == op_kind::unknown || kind == op_kind::activation || (kind == op_kind::matmul && !multiplied);
    if (!routes) return false;
    multiplied = multiplied || kind == op_kind::matmul;
  }
  return false;
}

// A norm of several kernels: what stands between two of them is part of it.
bool parts_of_norm(const device_kernels& of, std::size_t row, std::size_t last, layer_role before) {
  if (before != layer_role::norm && before != layer_role::post_ffn_norm) return false;
  for (std::size_t i = row + 1; i < last && i <= row + 2; ++i)
    if (of.kind_of(of.rows[i]) == op_kind::norm) return true;
  return false;
}

// The union of intervals that come by start.
class running_union {
 public:
  void add(std::int64_t from, std::int64_t to) noexcept {
    if (to <= from) return;
    if (!any_ || from > end_) {
      total_ += to - from;
      end_ = to;
      any_ = true;
    } else if (to > end_) {
      total_ += to - end_;
      end_ = to;
    }
  }
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

 private:
  std::int64_t total_ = 0, end_ = 0;
  bool any_ = false;
};

// Disjoint spans, ascending, of the kernels that `wanted` takes.
using span_list = std::vector<std::pair<std::int64_t, std::int64_t>>;
template <class Wanted>
span_list spans_of(const device_kernels& of, std::size_t first, std::size_t last, Wanted&& wanted) {
  span_list spans;
  for (std::size_t row = first; row < last; ++row) {
    const kernel& k = of.rows[row];
    if (k.duration_ps == 0 || !wanted(k)) continue;
    if (!spans.empty() && k.start_ps <= spans.back().second)
      spans.back().second = std::max(spans.back().second, k.end_ps());
    else
      spans.emplace_back(k.start_ps, k.end_ps());
  }
  return spans;
}
std::int64_t covered(const span_list& by, std::int64_t from, std::int64_t to) {
  auto at = std::upper_bound(by.begin(), by.end(), from, [](std::int64_t t, const auto& s) { return t < s.second; });
  std::int64_t sum = 0;
  for (; at != by.end() && at->first < to; ++at) sum += std::min(to, at->second) - std::max(from, at->first);
  return sum;
}

std::size_t last_row_of(const device_kernels& of, const device_architecture& d, std::uint32_t layer) {
  return std::min<std::size_t>(d.layers[layer].first_row + d.layers[layer].kernels, of.rows.size());
}

value_spread spread_of(std::vector<std::int64_t>& values) {
  value_spread s;
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  s.least = values.front();
  s.median = values[(values.size() - 1) / 2];
  s.most = values.back();
  double sum = 0, squares = 0;
  for (const std::int64_t v : values) sum += static_cast<double>(v);
  const double n = static_cast<double>(values.size()), mean = sum / n;
  for (const std::int64_t v : values) squares += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
  if (mean > 0) s.variation = std::sqrt(squares / n) / mean;
  return s;
}

class anatomist {
 public:
  anatomist(const activity& names, const device_kernels& of, device_architecture& into)
      : names_(names), of_(of), d_(into) {}

  void run() {
    using key = std::tuple<model_phase, layer_kind, bool>;
    std::map<key, std::vector<std::uint32_t>> groups;
    for (std::uint32_t i = 0; i < d_.layers.size(); ++i) {
      const model_layer& l = d_.layers[i];
      // The capture ends in the last layer of a pass that it cuts.
      if (d_.passes[l.pass].cut == pass_cut::end && i == d_.passes[l.pass].last_layer) continue;
      groups[{l.phase, l.kind, l.sampling}].push_back(i);
    }
    if (groups.empty())
      for (std::uint32_t i = 0; i < d_.layers.size(); ++i)
        groups[{d_.layers[i].phase, d_.layers[i].kind, d_.layers[i].sampling}].push_back(i);
    for (auto& [of_type, layers] : groups) {
      layer_anatomy& a = d_.anatomies.emplace_back();
      std::tie(a.phase, a.kind, a.sampling) = of_type;
      describe(layers, a);
    }
  }

 private:
  void describe(std::vector<std::uint32_t>& layers, layer_anatomy& a) {
    a.layers = layers.size();
    const auto spread = [&](auto&& value) {
      std::vector<std::int64_t> values;
      values.reserve(layers.size());
      for (const std::uint32_t l : layers) values.push_back(value(d_.layers[l]));
      return spread_of(values);
    };
    a.wall_ps = spread([](const model_layer& l) { return l.wall_ps(); });
    a.anchor_ps = spread([](const model_layer& l) { return l.anchor_ps; });
    a.dispatch_ps = spread([](const model_layer& l) { return l.dispatch_ps; });
    a.compute_ps = spread([](const model_layer& l) { return l.compute_ps; });
    a.kernel_count = spread([](const model_layer& l) { return static_cast<std::int64_t>(l.kernels); });
    const auto shorter = [&](std::uint32_t x, std::uint32_t y) {
      return std::make_pair(d_.layers[x].wall_ps(), x) < std::make_pair(d_.layers[y].wall_ps(), y);
    };
    std::vector<std::uint32_t> by_wall = layers;
    const auto middle = by_wall.begin() + static_cast<std::ptrdiff_t>((by_wall.size() - 1) / 2);
    std::nth_element(by_wall.begin(), middle, by_wall.end(), shorter);
    a.typical = *middle;
    a.kernels = d_.layers[a.typical].kernels;
    take_apart(a);
    find_anomalies(layers, a);
  }

  // Null where it is not known.
  [[nodiscard]] const kernel_work* work_of(const kernel& k) const {
    const std::vector<kernel_details>& details = names_.devices()[d_.device].details;
    if (k.details == 0 || k.details > details.size()) return nullptr;
    const std::optional<kernel_work>& work = details[k.details - 1].work;
    return work ? &*work : nullptr;
  }

  void take_apart(layer_anatomy& a) {
    const model_layer& l = d_.layers[a.typical];
    const std::size_t first = l.first_row, last = last_row_of(of_, d_, a.typical);
    const std::vector<layer_role> roles = roles_of(of_, first, last, l.kind, d_.passes[l.pass].last_layer == a.typical);
    const std::uint16_t main = of_.rows[first].lane;
    std::map<layer_role, std::pair<layer_component, running_union>> parts;
    for (std::size_t row = first; row < last; ++row) {
      const kernel& k = of_.rows[row];
      auto& [part, wall] = parts[roles[row - first]];
      part.role = roles[row - first];
      ++part.kernels;
      part.kernel_sum_ps = saturating_add(part.kernel_sum_ps, k.duration_ps);
      if (const kernel_work* const work = work_of(k)) {
        part.flops = saturating_add(part.flops, work->flops);
        part.bytes = saturating_add(part.bytes, work->bytes);
        part.worked_ps = saturating_add(part.worked_ps, k.duration_ps);
      }
      wall.add(k.start_ps, k.end_ps());
      if (std::find(part.lanes.begin(), part.lanes.end(), k.lane) == part.lanes.end()) part.lanes.push_back(k.lane);
    }
    for (auto& [role, both] : parts) {
      both.first.wall_ps = both.second.total();
      std::sort(both.first.lanes.begin(), both.first.lanes.end());
      a.components.push_back(std::move(both.first));
    }
    std::stable_sort(a.components.begin(), a.components.end(),
                 [](const layer_component& x, const layer_component& y) { return x.wall_ps > y.wall_ps; });
    grow_tree(first, last, roles, main, a);
  }

  // Runs of one role and stream become one node. Other streams do not break a run of the main one, which breaks theirs.
  void grow_tree(std::size_t first, std::size_t last, const std::vector<layer_role>& roles, std::uint16_t main,
                 layer_anatomy& a) {
    constexpr std::size_t max_nodes = 96;
    struct open_node {
      std::size_t index;
      std::size_t main_nodes;  // of the main stream when it began
      running_union wall;
    };
    std::size_t main_nodes = 0;
    std::map<std::uint16_t, open_node> open;  // by lane
    std::map<std::uint16_t, span_list> beside;
    for (std::size_t row = first; row < last; ++row) {
      const kernel& k = of_.rows[row];
      const layer_role role = roles[row - first];
      auto at = open.find(k.lane);
      const bool is_main = k.lane == main;
      if (at == open.end() || a.tree[at->second.index].role != role ||
          (!is_main && at->second.main_nodes != main_nodes)) {
        if (a.tree.size() == max_nodes) {
          ++a.tree_left_out;
          continue;
        }
        tree_node& n = a.tree.emplace_back();
        n.role = role;
        n.lane = k.lane;
        n.side = !is_main;
        if (is_main) ++main_nodes;
        at = open.insert_or_assign(k.lane, open_node{a.tree.size() - 1, main_nodes, {}}).first;
      }
      tree_node& n = a.tree[at->second.index];
      at->second.wall.add(k.start_ps, k.end_ps());
      n.wall_ps = at->second.wall.total();
      auto spans = beside.find(k.lane);
      if (spans == beside.end())
        spans =
            beside
                .emplace(k.lane, spans_of(of_, first, last, [&](const kernel& other) { return other.lane != k.lane; }))
                .first;
      n.overlapped_ps += covered(spans->second, k.start_ps, k.end_ps());
      const string_id op = of_.ops[k.op].row;
      if (n.ops.empty() || n.ops.back().op != op) n.ops.push_back({op, 0, 0});
      ++n.ops.back().count;
      n.ops.back().duration_ps = saturating_add(n.ops.back().duration_ps, k.duration_ps);
    }
  }

  void find_anomalies(const std::vector<std::uint32_t>& layers, layer_anatomy& a) {
    std::uint64_t slow_first = 0, firsts = 0, extra = 0, aicpu = 0;
    for (const std::uint32_t i : layers) {
      const model_layer& l = d_.layers[i];
      if (l.index == 0) {
        ++firsts;
        if (l.wall_ps() / 6 > a.wall_ps.median / 5) ++slow_first;
      }
      if (static_cast<std::int64_t>(l.kernels) != a.kernel_count.median) ++extra;
      aicpu += l.aicpu_kernels;
    }
    if (slow_first > 0 && layers.size() > firsts)
      a.anomalies.push_back(std::string(d_.layer_word()) + " 0 takes more than 1.2 x the median of its type in " + std::to_string(slow_first) +
                            " of " + std::to_string(firsts) + " passes: warm-up");
    if (extra > 0)
      a.anomalies.push_back(std::to_string(extra) + " of " + std::to_string(layers.size()) +
                            ' ' + d_.layer_word() + (extra == 1 ? "s does" : "s do") + " not have the usual " +
                            std::to_string(a.kernel_count.median) + " kernels (" +
                            std::to_string(a.kernel_count.least) + " to " + std::to_string(a.kernel_count.most) + ")");
    if (aicpu > 0) name_aicpu(layers, aicpu, a);
  }

  void name_aicpu(const std::vector<std::uint32_t>& layers, std::uint64_t all, layer_anatomy& a) const {
    constexpr std::size_t most = 4;
    std::map<string_id, std::uint64_t> counts;
    for (const std::uint32_t i : layers) {
      if (d_.layers[i].aicpu_kernels == 0) continue;
      for (std::size_t row = d_.layers[i].first_row; row < last_row_of(of_, d_, i); ++row)
        if (of_.rows[row].on_aicpu) ++counts[of_.ops[of_.rows[row].op].row];
    }
    std::vector<std::pair<std::string, std::uint64_t>> ops;
    for (const auto& [op, count] : counts) ops.emplace_back(names_.text(op), count);
    std::sort(ops.begin(), ops.end(), [](const auto& x, const auto& y) {
      return x.second != y.second ? x.second > y.second : x.first < y.first;
    });
    std::string text = grouped(all) + (all == 1 ? " kernel" : " kernels") + " of these " + d_.layer_word() +
                       (all == 1 ? "s runs on the AI CPU: " : "s run on the AI CPU: ");
    for (std::size_t i = 0; i < ops.size() && i < most; ++i)
      text += (i == 0 ? "" : ", ") + ops[i].first + " x" + std::to_string(ops[i].second);
    if (ops.size() > most) text += ", and " + std::to_string(ops.size() - most) + " more";
    a.anomalies.push_back(std::move(text));
  }

  const activity& names_;
  const device_kernels& of_;
  device_architecture& d_;
};

}  // namespace

std::vector<layer_role> roles_of(const device_kernels& of, std::size_t first, std::size_t last, layer_kind kind,
                                 bool is_last) {
  std::vector<layer_role> roles(last - first, layer_role::other);
  const std::uint16_t main = of.rows[first].lane;
  section at = section::attention;
  bool seen_ffn = false, seen_next = false;
  std::size_t after_cache = last;  // after the last cache write or rotation
  if (is_last)
    for (std::size_t row = first; row < last; ++row) {
      const op_kind k = of.kind_of(of.rows[row]);
      if (k == op_kind::qkv_prep || k == op_kind::kv_cache || after_cache == last) after_cache = row;
    }
  // Where something else stands in for attention, nothing is known about what comes after what.
  const bool known = of.kind_of(of.rows[first]) == op_kind::attention;
  for (std::size_t row = first; row < last; ++row) {
    layer_role& role = roles[row - first];
    const kernel& k = of.rows[row];
    const op_kind what = of.kind_of(k);
    if (row == first && known) {
      role = layer_role::attention;
      continue;
    }
    if (!known && !communicates(what) && what != op_kind::norm && what != op_kind::sampling) continue;
    switch (what) {
      case op_kind::attention:
      case op_kind::mixer: role = layer_role::attention; break;
      case op_kind::sampling: role = layer_role::sampling; break;
      case op_kind::all_to_all:
      case op_kind::distributed_experts:
        role = layer_role::ep_comm;
        seen_ffn = true;
        break;
      case op_kind::collective:
      case op_kind::point_to_point:
        role = layer_role::tp_comm;
        if (k.on_aicpu) break;  // it runs beside the layer, wherever that is
        if (at == section::attention)
          at = section::ffn;
        else if (seen_ffn)
          at = section::next;
        break;
      case op_kind::norm:
        if (at == section::attention) at = section::ffn;
        if (at == section::ffn && seen_ffn) {
          role = layer_role::post_ffn_norm;
          at = section::next;
        } else {
          // Norms after the projections of the next layer are those of its queries and keys.
          role = at != section::next ? layer_role::norm
                 : seen_next         ? layer_role::next_layer_prep
                                     : layer_role::post_ffn_norm;
        }
        break;
      case op_kind::moe_gating:
      case op_kind::moe_routing:
        role = layer_role::moe_routing;
        at = section::ffn;
        break;
      case op_kind::fused_experts:
      case op_kind::grouped_gemm:
        role = layer_role::expert_dispatch;
        at = section::ffn;
        seen_ffn = true;
        break;
      case op_kind::qkv_prep:
      case op_kind::kv_cache:
        role = layer_role::next_layer_prep;
        at = section::next;
        seen_next = true;
        break;
      case op_kind::matmul:
        if (kind != layer_kind::dense && at != section::next && leads_to_gating(of, row, last)) {
          role = layer_role::moe_routing;
          at = section::ffn;
          break;
        }
        role = matmul_role(at, kind);
        if (at == section::ffn) seen_ffn = true;
        if (at == section::next) seen_next = true;
        if (is_last && at == section::next && row > after_cache) role = layer_role::output_head;
        break;
      case op_kind::activation:
        role = kind == layer_kind::dense ? layer_role::dense_ffn : layer_role::expert_ffn;
        if (at == section::attention) at = section::ffn;
        seen_ffn = true;
        break;
      case op_kind::quantisation: role = matmul_role(at, kind); break;
      case op_kind::unknown:
        // Small work of the main stream belongs to what it stands in.
        if (k.type == kernel_class::comm || k.on_aicpu || k.lane != main) break;
        if (parts_of_norm(of, row, last, roles[row - first - 1]))
          role = roles[row - first - 1];
        else if (kind != layer_kind::dense && at == section::ffn && leads_to_gating(of, row, last))
          role = layer_role::moe_routing;
        else if (!is_last || at != section::next || row <= after_cache)
          role = matmul_role(at, kind);
        break;
      case op_kind::attention_backward:
      case op_kind::embedding: break;
    }
  }
  return roles;
}

void find_anatomies(const activity& names, const device_kernels& of, device_architecture& into) {
  anatomist(names, of, into).run();
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
