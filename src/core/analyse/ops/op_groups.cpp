#include <profkit/core/op_groups.hpp>

#include <analyse/ops/roof.hpp>
#include <analyse/ops/row_facts.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/split.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint32_t no_node = 0xffffffff;

struct group_node {
  op_group sums;
  std::uint32_t parent = no_node;
};

// What is added to each group that an op lies in.
struct op_sums {
  std::optional<kernel_work> work;
  op_roof roof;
};

template <class Sums>
void add_sums(Sums& into, const op_row& op, const op_sums& sums) {
  into.count += op.count;
  into.self_ps = saturating_add(into.self_ps, op.self_ps);
  into.total_ps = saturating_add(into.total_ps, op.total_ps);
  if (!sums.work) return;
  into.flops = saturating_add(into.flops, sums.work->flops);
  into.bytes = saturating_add(into.bytes, sums.work->bytes);
  into.worked_ps = saturating_add(into.worked_ps, op.self_ps);
  into.roof.attainable_ps = saturating_add(into.roof.attainable_ps, sums.roof.attainable_ps);
  into.roof.compute_bound_ps = saturating_add(into.roof.compute_bound_ps, sums.roof.compute_bound_ps);
  into.roof.memory_bound_ps = saturating_add(into.roof.memory_bound_ps, sums.roof.memory_bound_ps);
  into.roof.vmem_bound_ps = saturating_add(into.roof.vmem_bound_ps, sums.roof.vmem_bound_ps);
  into.roof.cmem_bound_ps = saturating_add(into.roof.cmem_bound_ps, sums.roof.cmem_bound_ps);
  into.roof.neither_ps = saturating_add(into.roof.neither_ps, sums.roof.neither_ps);
}

void add_peaks(std::vector<peak_group>& into, const device_peaks& peaks) {
  if (peaks.source.empty()) return;
  const auto is_same = [&](const peak_group& known) {
    return known.peaks.device_type == peaks.device_type && known.peaks.flops_per_s == peaks.flops_per_s &&
           known.peaks.hbm_bytes_per_s == peaks.hbm_bytes_per_s;
  };
  const auto found = std::find_if(into.begin(), into.end(), is_same);
  if (found == into.end())
    into.push_back({peaks, 1});
  else
    ++found->devices;
}

class group_tree {
 public:
  explicit group_tree(group_key first) : first_(first) {}

  // The node below `parent` of that name.
  std::uint32_t child(std::uint32_t parent, group_key key, const std::string& name) {
    const auto [at, is_new] = children_.try_emplace({std::uint64_t{parent} << 8 | static_cast<std::uint64_t>(key), name},
                                                    static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      group_node& node = nodes_.emplace_back();
      node.parent = parent;
      node.sums.depth = parent == no_node ? 0 : nodes_[parent].sums.depth + 1;
      node.sums.key = key;
      node.sums.name = name;
      if (key == group_key::range && first_ == key) node.sums.backward_ps = 0;
    }
    return at->second;
  }

  void add(std::uint32_t leaf, const op_row& op, const op_sums& sums) {
    for (std::uint32_t at = leaf; at != no_node; at = nodes_[at].parent) add_sums(nodes_[at].sums, op, sums);
  }

  void add_backward(std::uint32_t leaf, std::int64_t self_ps) {
    for (std::uint32_t at = leaf; at != no_node; at = nodes_[at].parent)
      nodes_[at].sums.backward_ps = saturating_add(*nodes_[at].sums.backward_ps, self_ps);
  }

  // The rows with the longest self times, and those that they lie in, which are at least as long; then as a tree.
  void take_rows(std::uint64_t limit, op_groups& into) {
    std::vector<std::uint32_t> order(nodes_.size());
    std::iota(order.begin(), order.end(), 0U);
    // A parent comes before its children, for it was made before them.
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return comes_before(a, b); });
    const std::size_t kept = limit == 0 ? order.size() : std::min<std::uint64_t>(limit, order.size());
    into.rows_left_out = order.size() - kept;
    std::vector<std::vector<std::uint32_t>> below(nodes_.size() + 1);
    for (std::size_t i = 0; i < kept; ++i) {
      group_node& node = nodes_[order[i]];
      node.sums.own_ps = node.sums.self_ps;
      if (node.parent != no_node) {
        std::int64_t& around_ps = nodes_[node.parent].sums.own_ps;
        around_ps = std::max<std::int64_t>(around_ps - node.sums.self_ps, 0);  // sums that stop at the end of int64
      }
      below[node.parent == no_node ? nodes_.size() : node.parent].push_back(order[i]);
    }
    std::vector<std::uint32_t> open(below.back().rbegin(), below.back().rend());
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      into.rows.push_back(nodes_[at].sums);
      open.insert(open.end(), below[at].rbegin(), below[at].rend());
    }
  }

 private:
  [[nodiscard]] bool comes_before(std::uint32_t a, std::uint32_t b) const {
    const op_group &x = nodes_[a].sums, &y = nodes_[b].sums;
    if (x.self_ps != y.self_ps) return x.self_ps > y.self_ps;
    if (x.depth != y.depth) return x.depth < y.depth;
    if (x.total_ps != y.total_ps) return x.total_ps > y.total_ps;
    return x.name < y.name;
  }

  group_key first_;
  std::vector<group_node> nodes_;
  hash_map<std::pair<std::uint64_t, std::string>, std::uint32_t> children_;
};

}  // namespace

result<std::vector<group_key>> parse_group_keys(std::string_view text) {
  std::vector<group_key> keys;
  for (const std::string_view name : parts_between(text, ',')) {
    const auto name_at = [](std::size_t at) { return group_key_name(static_cast<group_key>(at)); };
    std::size_t at = 0;
    while (at < group_key_count && name != name_at(at)) ++at;
    if (at == group_key_count) {
      std::string all = name_at(0);
      for (at = 1; at < group_key_count; ++at) all += std::string(", ") + name_at(at);
      return fault{fault_code::invalid_argument, "ops are not grouped by \"" + std::string(name) + "\"", "", no_offset,
                   "choose from: " + all + "; several with commas between them"};
    }
    keys.push_back(static_cast<group_key>(at));
  }
  return keys;
}

result<op_groups> group_ops(const trace& t, const ops_result& ops, const std::vector<group_key>& keys, std::uint64_t limit) {
  return contained([&]() -> result<op_groups> {
    if (keys.empty()) return fault{fault_code::invalid_argument, "no key to group ops by", "", no_offset, "name one"};
    op_groups found;
    found.keys = keys;
    found.source = ops.source;
    found.absent = ops.absent;
    found.damage = ops.damage;
    if (std::find(keys.begin(), keys.end(), group_key::kind) != keys.end()) found.moving_ps = 0;
    row_facts facts(t.files());
    group_tree tree(keys.front());
    std::vector<std::string> names;
    std::set<std::pair<std::uint32_t, std::string_view>> devices;
    for (const ops_line& line : ops.lines) {
      facts.look_at(line);
      const device_peaks peaks = peaks_of(t.files(), line);
      if (devices.insert({line.file, line.plane_name}).second) add_peaks(found.peaks, peaks);
      for (const op_row& op : line.ops) {
        facts.look_at(op);
        if (found.moving_ps && moves_data(facts.kind())) *found.moving_ps = saturating_add(*found.moving_ps, op.self_ps);
        if (op.origin.by_order) found.by_order += op.count;
        std::uint32_t at = no_node;
        for (const group_key key : keys) {
          facts.names_of(key, names);
          if (at == no_node && names.front().empty()) {
            found.unlinked += op.count;
            found.unlinked_ps = saturating_add(found.unlinked_ps, op.self_ps);
            if (key == group_key::module && !op.origin.range.empty()) found.in_ranges += op.count;
            if (op.origin.by_graph) found.by_graph += op.count;
          }
          for (const std::string& name : names) at = tree.child(at, key, name);
        }
        if (keys.front() == group_key::range && op.origin.phase == training_phase_name(training_phase::backward) &&
            !op.origin.forward_range.empty()) {
          std::uint32_t range = no_node;
          for (const std::string& name : ranges_in(op.origin.forward_range)) range = tree.child(range, group_key::range, name);
          tree.add_backward(range, op.self_ps);
        }
        op_sums sums{facts.work(), {}};
        if (sums.work && !facts.is_collective()) sums.roof = roof_of(*sums.work, facts.traffic(*sums.work), peaks, op.self_ps);
        tree.add(at, op, sums);
        add_sums(found, op, sums);
      }
    }
    tree.take_rows(limit, found);
    return found;
  });
}

result<op_groups> analyse_op_groups(const trace& t, const std::vector<group_key>& keys, const query_filters& o, const hooks& host) {
  return contained([&]() -> result<op_groups> {
    if (keys.empty()) return group_ops(t, {}, keys);  // its fault, before the events are read
    query_filters how = o;
    how.split_by_origin = true;
    how.split_by_step = std::find(keys.begin(), keys.end(), group_key::step) != keys.end();
    const result<ops_result> ops = analyse_ops(t, how, host);
    if (!ops) return ops.error();
    return group_ops(t, *ops, keys, o.limit);
  });
}

result<void> write_folded_stacks(const op_groups& groups, sink& into) {
  return contained([&]() -> result<void> {
    std::vector<std::string> stack;
    std::string text;
    for (const op_group& g : groups.rows) {
      stack.resize(g.depth);
      stack.push_back(g.name.empty() ? "(not recorded)" : g.name);
      // Characters of the format itself.
      std::replace_if(stack.back().begin(), stack.back().end(), [](char c) { return c == ';' || c == '\n' || c == '\r'; }, ',');
      const std::int64_t own_ns = (g.own_ps + ps_per_ns / 2) / ps_per_ns;
      if (own_ns <= 0) continue;
      text.clear();
      for (const std::string& name : stack) text += (text.empty() ? "" : ";") + name;
      text += ' ' + std::to_string(own_ns) + '\n';
      if (auto written = into.write(text); !written) return written;
    }
    return {};
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
