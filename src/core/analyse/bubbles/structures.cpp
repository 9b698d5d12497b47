#include <analyse/bubbles/clocks.hpp>
#include <analyse/bubbles/structures.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::uint32_t min_repeats = 3, max_repeats = 512;
constexpr std::size_t max_structures = 4096;  // of a step

// Families of attention kernels: CANN and vLLM-Ascend, FlashAttention, cuDNN/CUTLASS, AITER/CK, TPU Pallas.
constexpr std::string_view attention_names[] = {
    "fusedinferattentionscore",
    "sparseflashattention",
    "ringmla",
    "mlaprefill",
    "mladecode",
    "promptflashattention",
    "increflashattention",
    "pagedattention",
    "flashattentionscore",
    "flash_fwd",
    "fmha_fwd",
    "fmha_v2",
    "flash_attn",
    "flash_attention",
    "splash_attention",
    "paged_attention",
};
constexpr std::string_view backward_names[] = {"grad", "bwd", "backward"};

}  // namespace

bool is_attention(std::string_view name) noexcept {
  const auto names = [&](std::string_view wanted) { return contains_folded(name, wanted); };
  return std::any_of(std::begin(attention_names), std::end(attention_names), names) &&
         std::none_of(std::begin(backward_names), std::end(backward_names), names);
}

std::int32_t structure_at(const std::vector<step_structure>& list, std::int64_t at_ps) noexcept {
  const auto after = std::upper_bound(list.begin(), list.end(), at_ps,
                                      [](std::int64_t t, const step_structure& s) { return t < s.start_ps; });
  return static_cast<std::int32_t>(after - list.begin()) - 1;
}

bool structure_finder::is_attention_op(const kernel_row& k, std::uint32_t op) {
  if (attention_[op] < 0) attention_[op] = is_attention(of_.text(k.op_type)) || is_attention(of_.text(k.name)) ? 1 : 0;
  return attention_[op] == 1;
}

void structure_finder::count_ops(const step_rows& rows, std::size_t op_count) {
  attention_.resize(op_count, -1);
  seen_.assign(op_count, {});
  for (std::uint32_t i = 0; i < rows.rows.size(); ++i) {
    occurrence& o = seen_[rows.ops[i]];
    if (o.count++ == 0) {
      o.first = o.last = i;
      continue;
    }
    const double distance = i - o.last;
    o.distance_sum += distance;
    o.distance_squares += distance * distance;
    o.last = i;
  }
}

// The attention op that runs most often, if it runs twice.
std::int64_t structure_finder::attention_anchor(const step_rows& rows) {
  std::int64_t best = -1;
  for (std::uint32_t op = 0; op < seen_.size(); ++op) {
    if (seen_[op].count < 2 || !is_attention_op(rows.rows[seen_[op].first], op)) continue;
    if (best < 0 || seen_[op].count > seen_[static_cast<std::size_t>(best)].count) best = op;
  }
  return best;
}

// The op that comes back most evenly and spans at least half of the step.
std::int64_t structure_finder::periodic_anchor(const step_rows& rows) const {
  std::int64_t best = -1;
  double best_variation = 0;
  for (std::uint32_t op = 0; op < seen_.size(); ++op) {
    const occurrence& o = seen_[op];
    if (o.count < min_repeats || o.count > max_repeats) continue;
    const double distances = o.count - 1, mean = o.distance_sum / distances;
    if (o.distance_sum + mean < 0.5 * static_cast<double>(rows.rows.size())) continue;
    const double variation = std::max(o.distance_squares / distances / (mean * mean) - 1, 0.0);
    constexpr double same = 1e-9;
    const bool better =
        best < 0 || variation < best_variation - same ||
        (variation < best_variation + same && (o.count > seen_[static_cast<std::size_t>(best)].count ||
                                               (o.count == seen_[static_cast<std::size_t>(best)].count &&
                                                o.first < seen_[static_cast<std::size_t>(best)].first)));
    if (!better) continue;
    best = op;
    best_variation = variation;
  }
  return best_variation <= 1 ? best : -1;  // an op that comes at random marks nothing
}

std::vector<std::uint32_t> structure_finder::cut_at_op(const step_rows& rows, std::uint32_t anchor) const {
  std::vector<std::uint32_t> at;
  for (std::uint32_t i = 0; i < rows.ops.size() && at.size() < max_structures; ++i)
    if (rows.ops[i] == anchor) at.push_back(i);
  return at;
}

// The last layer goes on as long as it repeats the one before it.
std::uint32_t structure_finder::end_of_last_layer(const step_rows& rows, const std::vector<std::uint32_t>& anchors) {
  const std::uint32_t last = anchors.back(), before = anchors[anchors.size() - 2];
  std::uint32_t same = 0;
  while (before + same < last && last + same < rows.ops.size() && rows.ops[before + same] == rows.ops[last + same])
    ++same;
  return last + std::max<std::uint32_t>(same, 1);
}

// A layer begins with the first kernel that was launched in a later span than all before; `tail`: after the last one.
std::vector<std::uint32_t> structure_finder::cut_at_layers(const step_rows& rows, std::uint32_t& tail,
                                                           std::vector<string_id>& names) const {
  std::vector<std::uint32_t> at;
  std::int64_t latest = -1;
  for (std::uint32_t i = 0; i < rows.rows.size() && at.size() < max_structures; ++i) {
    const std::int64_t launch = rows.rows[i].launch_ps;
    if (launch == no_time_ps) continue;
    const auto after = std::upper_bound(layers_.begin(), layers_.end(), launch,
                                        [](std::int64_t t, const layer_span& s) { return t < s.start_ps; });
    if (after == layers_.begin() || launch >= std::prev(after)->end_ps) continue;
    const std::int64_t of = after - layers_.begin();
    tail = i + 1;
    if (of <= latest) continue;
    latest = of;
    at.push_back(i);
    names.push_back(std::prev(after)->name);
  }
  if (at.size() < 2) at.clear();
  return at;
}

std::vector<std::uint32_t> structure_finder::cut_at_gaps(const step_rows& rows) const {
  struct hole {
    std::int64_t length_ps;
    std::uint32_t row;
  };
  std::vector<hole> holes;
  clock_sweep sweep;
  for (std::uint32_t i = 0; i < rows.rows.size(); ++i)
    if (const std::int64_t gap = sweep.add(rows.rows[i]); gap > 0) holes.push_back({gap, i});
  if (holes.empty()) return {};
  std::vector<std::int64_t> lengths;
  for (const hole& h : holes) lengths.push_back(h.length_ps);
  std::sort(lengths.begin(), lengths.end());
  const wide_int least = std::max<wide_int>(
      static_cast<wide_int>(quantile(lengths, 50)) * thresholds_.structure_gap_factor, thresholds_.structure_gap_ps);
  std::vector<std::uint32_t> at{0};
  // A gap parts two structures where the pattern changes with it: it does not come between two runs of one op.
  for (const hole& h : holes)
    if (h.length_ps >= least && rows.ops[h.row - 1] != rows.ops[h.row] && at.size() < max_structures)
      at.push_back(h.row);
  if (at.size() < 2) at.clear();
  return at;
}

step_structures structure_finder::find(const step_rows& rows, std::size_t op_count) {
  step_structures found;
  const auto count = static_cast<std::uint32_t>(rows.rows.size());
  if (rows.overflow) {
    found.missing = "the step has more than 524,288 kernels, more than are held at once";
    return found;
  }
  if (count == 0) {
    found.missing = "the step has no kernel";
    return found;
  }
  count_ops(rows, op_count);
  std::vector<std::uint32_t> cuts;
  std::vector<string_id> names;  // of layers, by cut
  std::uint32_t tail = count;
  std::int64_t anchor = -1;
  if (!layers_.empty()) {
    cuts = cut_at_layers(rows, tail, names);
    found.source = "annotations";
  }
  if (cuts.empty()) {
    names.clear();
    tail = count;
    anchor = attention_anchor(rows);
    found.source = "attention";
  }
  if (cuts.empty() && anchor < 0) {
    anchor = periodic_anchor(rows);
    found.source = "periodic op";
  }
  if (!cuts.empty()) {
    // The host says where layers are.
  } else if (anchor >= 0) {
    cuts = cut_at_op(rows, static_cast<std::uint32_t>(anchor));
    tail = end_of_last_layer(rows, cuts);
  } else {
    cuts = cut_at_gaps(rows);
    found.source = "gaps";
  }
  if (cuts.empty()) {
    found.source = "";
    found.missing = "no op recurs evenly, and no gap parts the step";
    return found;
  }
  const auto add = [&](std::uint32_t first, step_structure::role role) {
    if (!found.first_row.empty() && found.first_row.back() == first) return;
    step_structure& s = found.list.emplace_back();
    s.index = static_cast<std::uint32_t>(found.list.size() - 1);
    s.type = role;
    s.anchor = type_of(rows.rows[first]);
    s.start_ps = rows.rows[first].start_ps;
    found.first_row.push_back(first);
  };
  if (cuts.front() > 0) add(0, step_structure::role::head);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    add(cuts[i], names.empty() ? step_structure::role::part : step_structure::role::layer);
    if (!names.empty()) found.list.back().name = names[i];
  }
  if (tail < count) add(tail, step_structure::role::tail);
  found.first_row.push_back(count);

  // Clocks of each, and the gaps of the whole step: inside one when both neighbours belong to it.
  clock_sweep all;
  std::size_t of_before = 0;  // structure of the kernel that reaches farthest
  for (std::size_t i = 0; i < found.list.size(); ++i) {
    step_structure& s = found.list[i];
    clock_sweep own;
    for (std::uint32_t row = found.first_row[i]; row < found.first_row[i + 1]; ++row) {
      const kernel_row& k = rows.rows[row];
      own.add(k);
      const std::int64_t reached = all.reached_ps();
      const std::int64_t gap = all.add(k);
      if (gap > 0 && of_before == i) {
        ++s.bubbles;
        s.bubble_total_ps += gap;
        s.bubble_largest_ps = std::max(s.bubble_largest_ps, gap);
      } else if (gap > 0 && s.gap_before_ps == 0) {
        s.gap_before_ps = gap;
      }
      if (k.duration_ps > 0 && end_of(k) >= reached) of_before = i;
      s.end_ps = row == found.first_row[i] ? end_of(k) : std::max(s.end_ps, end_of(k));
      if (k.kind == kernel_class::compute) s.compute_ps = saturating_add(s.compute_ps, k.duration_ps);
      if (k.kind == kernel_class::aicpu) s.aicpu_ps = saturating_add(s.aicpu_ps, k.duration_ps);
      if (k.kind == kernel_class::comm) s.comm_ps = saturating_add(s.comm_ps, k.duration_ps);
    }
    s.clocks = own.clocks();
  }
  return found;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
