#include <model/architecture/anchors.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

constexpr std::string_view first_family = "FusedInferAttentionScore";

// Attention kernels of one family, as the table of names groups them.
struct family_rows {
  std::string_view family;
  std::vector<std::size_t> rows;
};

std::vector<family_rows> families_of(const device_kernels& of) {
  std::vector<family_rows> all;
  std::vector<int> slot(of.ops.size(), -1);
  for (std::size_t op = 0; op < of.ops.size(); ++op) {
    if (of.ops[op].kind != op_kind::attention) continue;
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const family_rows& f) { return f.family == of.ops[op].family->family; });
    slot[op] = static_cast<int>(same - all.begin());
    if (same == all.end()) all.push_back({of.ops[op].family->family, {}});
  }
  if (all.empty()) return all;
  for (std::size_t row = 0; row < of.rows.size(); ++row)
    if (const int at = slot[of.rows[row].op]; at >= 0) all[static_cast<std::size_t>(at)].rows.push_back(row);
  std::stable_sort(all.begin(), all.end(), [](const family_rows& a, const family_rows& b) {
    if ((a.family == first_family) != (b.family == first_family)) return a.family == first_family;
    return a.rows.size() > b.rows.size();
  });
  return all;
}

// How often two sorted lists take turns.
std::size_t turns(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::size_t i = 0, j = 0, changes = 0;
  int last = -1;
  while (i < a.size() || j < b.size()) {
    const int now = j == b.size() || (i < a.size() && a[i] < b[j]) ? 0 : 1;
    ++(now == 0 ? i : j);
    if (last >= 0 && now != last) ++changes;
    last = now;
  }
  return changes;
}

// One model may serve its phases with kernels of different families: they follow each other in blocks. Families that
// take turns all the time share the layers, and only the first of them marks.
void take_attention(const device_kernels& of, layer_anchors& into) {
  const std::vector<family_rows> all = families_of(of);
  if (all.empty() || all.front().rows.empty()) return;
  into.source = anchor_source::attention;
  into.family = std::string(all.front().family);
  into.rows = all.front().rows;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::vector<std::size_t>& more = all[i].rows;
    if (more.empty()) continue;
    if (turns(into.rows, more) * 2 > std::min(into.rows.size(), more.size()) + 1) {
      into.other_mixers[std::string(all[i].family)] += more.size();
      continue;
    }
    std::vector<std::size_t> both;
    both.reserve(into.rows.size() + more.size());
    std::merge(into.rows.begin(), into.rows.end(), more.begin(), more.end(), std::back_inserter(both));
    into.rows = std::move(both);
    into.family += " and " + std::string(all[i].family);
  }
}

// How evenly an op comes back.
struct occurrence {
  std::uint64_t count = 0;
  std::size_t first = 0, last = 0;
  double distance_sum = 0, distance_squares = 0;
};

// The op type that comes back most often among those that come back evenly and span most of the kernels.
void take_periodic(const device_kernels& of, bool only_communication, layer_anchors& into) {
  constexpr std::uint64_t min_repeats = 4;
  constexpr double most_variation = 0.0625, min_span = 0.5;  // squared coefficient of variation; share of the rows
  std::vector<occurrence> seen(of.ops.size());
  for (std::size_t row = 0; row < of.rows.size(); ++row) {
    occurrence& o = seen[of.rows[row].op];
    if (o.count++ == 0) {
      o.first = o.last = row;
      continue;
    }
    const auto distance = static_cast<double>(row - o.last);
    o.distance_sum += distance;
    o.distance_squares += distance * distance;
    o.last = row;
  }
  std::int64_t best = -1;
  double best_variation = 0;
  for (std::size_t op = 0; op < seen.size(); ++op) {
    const occurrence& o = seen[op];
    if (o.count < min_repeats || communicates(of.ops[op].kind) != only_communication) continue;
    const double distances = static_cast<double>(o.count - 1), mean = o.distance_sum / distances;
    if (mean < 3 || o.distance_sum + mean < min_span * static_cast<double>(of.rows.size())) continue;
    const double variation = std::max(o.distance_squares / distances / (mean * mean) - 1, 0.0);
    if (variation > most_variation) continue;
    const bool better = best < 0 || o.count > seen[static_cast<std::size_t>(best)].count ||
                        (o.count == seen[static_cast<std::size_t>(best)].count && variation < best_variation);
    if (!better) continue;
    best = static_cast<std::int64_t>(op);
    best_variation = variation;
  }
  if (best < 0) return;
  into.source = only_communication ? anchor_source::communication : anchor_source::periodic_op;
  for (std::size_t row = 0; row < of.rows.size(); ++row)
    if (of.rows[row].op == static_cast<std::uint32_t>(best)) into.rows.push_back(row);
}

}  // namespace

layer_anchors find_anchors(const device_kernels& of) {
  layer_anchors found;
  for (const model_op& op : of.ops) {
    if (op.kind == op_kind::attention_backward) found.backward += op.count;
    if (op.kind == op_kind::mixer) found.other_mixers[std::string(op.family->family)] += op.count;
  }
  take_attention(of, found);
  if (found.rows.empty()) take_periodic(of, false, found);
  if (found.rows.empty()) take_periodic(of, true, found);
  std::vector<bool> marks(of.ops.size(), false);
  for (const std::size_t row : found.rows) marks[of.rows[row].op] = true;
  for (std::uint32_t op = 0; op < marks.size(); ++op)
    if (marks[op]) found.ops.push_back(op);
  return found;
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
