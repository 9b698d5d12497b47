#include <model/architecture/layers.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

constexpr std::uint32_t bit(op_kind k) noexcept { return std::uint32_t{1} << static_cast<unsigned>(k); }
static_assert(op_kind_count <= 32);

// The first rule that fits.
layer_kind kind_of(std::uint32_t holds) noexcept {
  const auto has = [holds](op_kind k) { return (holds & bit(k)) != 0; };
  if (has(op_kind::fused_experts)) return layer_kind::moe_fused;
  if (has(op_kind::grouped_gemm) && has(op_kind::all_to_all)) return layer_kind::moe_grouped;
  if (has(op_kind::distributed_experts)) return layer_kind::moe_distributed;
  if (has(op_kind::grouped_gemm) || has(op_kind::moe_gating)) return layer_kind::moe_other;
  return layer_kind::dense;
}

model_layer layer_of(const device_kernels& of, std::size_t first, std::size_t last, kind_counts& counts) {
  model_layer l;
  std::uint32_t holds = 0;
  std::int64_t reached = of.rows[first].end_ps();
  for (std::size_t row = first; row < last; ++row) {
    const kernel& k = of.rows[row];
    const op_kind kind = of.kind_of(k);
    holds |= bit(kind);
    ++counts[static_cast<std::size_t>(kind)];
    l.kernel_sum_ps = saturating_add(l.kernel_sum_ps, k.duration_ps);
    if (kind == op_kind::fused_experts) l.dispatch_ps = saturating_add(l.dispatch_ps, k.duration_ps);
    if (k.type == kernel_class::comm) l.comm_ps = saturating_add(l.comm_ps, k.duration_ps);
    if (k.type == kernel_class::compute && row != first) l.compute_ps = saturating_add(l.compute_ps, k.duration_ps);
    if (k.on_aicpu) ++l.aicpu_kernels;
    reached = std::max(reached, k.end_ps());
  }
  l.kind = kind_of(holds);
  l.sampling = (holds & bit(op_kind::sampling)) != 0;
  l.anchor = of.ops[of.rows[first].op].type;
  l.anchor_ps = of.rows[first].duration_ps;
  l.start_ps = of.rows[first].start_ps;
  l.end_ps = reached;
  l.kernels = last - first;
  l.first_row = first;
  return l;
}

// The union of the kernels of a pass, which come by start.
std::int64_t busy_of(const device_kernels& of, std::size_t first, std::size_t last) {
  std::int64_t busy = 0, reached = of.rows[first].start_ps;
  for (std::size_t row = first; row < last; ++row) {
    const std::int64_t from = std::max(of.rows[row].start_ps, reached), to = of.rows[row].end_ps();
    if (to <= from) continue;
    busy += to - from;
    reached = to;
  }
  return busy;
}

// The phase of most layers; of as many, that of the first.
model_phase phase_of(const std::vector<model_layer>& layers, const model_pass& p) {
  std::array<std::uint32_t, 4> counts{};
  for (std::uint32_t i = p.first_layer; i <= p.last_layer; ++i) ++counts[static_cast<std::size_t>(layers[i].phase)];
  model_phase best = layers[p.first_layer].phase;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > counts[static_cast<std::size_t>(best)]) best = static_cast<model_phase>(i);
  return best;
}

void describe_pass(const device_kernels& of, const pass_span& span, device_architecture& into, model_pass& p) {
  p.start_ps = of.rows[span.first_row].start_ps;
  p.end_ps = p.start_ps;
  for (std::size_t row = span.first_row; row < span.last_row; ++row) {
    p.kernel_sum_ps = saturating_add(p.kernel_sum_ps, of.rows[row].duration_ps);
    p.end_ps = std::max(p.end_ps, of.rows[row].end_ps());
  }
  p.kernels = span.last_row - span.first_row;
  p.busy_ps = busy_of(of, span.first_row, span.last_row);
  p.phase = phase_of(into.layers, p);
  std::int64_t sum = 0, n = 0;
  for (std::uint32_t i = p.first_layer; i <= p.last_layer; ++i)
    if (into.layers[i].phase == p.phase) {
      sum = saturating_add(sum, into.layers[i].anchor_ps);
      ++n;
    }
  p.anchor_ps = n > 0 ? sum / n : 0;
}

// Which passes the capture cuts, and where their layers are counted from.
void find_cuts(const pass_cuts& cuts, device_architecture& into) {
  if (into.passes.size() < 2) return;
  for (std::size_t i = 0; i < into.passes.size(); ++i) {
    model_pass& p = into.passes[i];
    if (p.layers() == cuts.layers) continue;
    const bool shorter = p.layers() < cuts.layers;
    if (shorter && i == 0)
      p.cut = pass_cut::beginning;
    else if (shorter && i + 1 == into.passes.size())
      p.cut = pass_cut::end;
    else
      p.irregular = true;
    if (p.cut != pass_cut::beginning) continue;
    const std::uint32_t missing = cuts.layers - p.layers();
    for (std::uint32_t l = p.first_layer; l <= p.last_layer; ++l) into.layers[l].index += missing;
  }
}

// Passes with the same types in the same order share a layout.
void find_layouts(device_architecture& into) {
  constexpr std::size_t max_layouts = 256;
  using key = std::pair<std::uint64_t, std::uint64_t>;
  std::map<key, std::uint32_t> known;
  for (std::uint32_t i = 0; i < into.passes.size(); ++i) {
    model_pass& p = into.passes[i];
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (std::uint32_t l = p.first_layer; l <= p.last_layer; ++l) {
      const model_layer& layer = into.layers[l];
      hash = (hash ^ (static_cast<std::uint64_t>(layer.kind) << 8 | static_cast<std::uint64_t>(layer.phase) << 4 |
                      (layer.sampling ? 1U : 0U))) *
             0x100000001b3U;
    }
    const key of_pass{hash, std::uint64_t{p.layers()} << 32 | into.layers[p.first_layer].index};
    const auto [at, is_new] = known.emplace(of_pass, static_cast<std::uint32_t>(into.layouts.size()));
    if (is_new && into.layouts.size() == max_layouts) {
      at->second = max_layouts - 1;  // they are not listed apart any more
    } else if (is_new) {
      layer_layout& layout = into.layouts.emplace_back();
      layout.phase = p.phase;
      layout.layers = p.layers();
      layout.first_pass = i;
      layout.cut = p.cut != pass_cut::none;
    }
    p.layout = at->second;
    ++into.layouts[p.layout].passes;
  }
}

// The types of each layout with the ranges of layers that have them.
void find_types(device_architecture& into) {
  for (std::uint32_t at = 0; at < into.layouts.size(); ++at) {
    const layer_layout& layout = into.layouts[at];
    const model_pass& p = into.passes[layout.first_pass];
    const std::size_t first_type = into.types.size();
    for (std::uint32_t l = p.first_layer; l <= p.last_layer; ++l) {
      const model_layer& layer = into.layers[l];
      const auto same = std::find_if(
          into.types.begin() + static_cast<std::ptrdiff_t>(first_type), into.types.end(), [&](const layer_type& t) {
            return t.kind == layer.kind && t.sampling == layer.sampling && t.phase == layer.phase;
          });
      if (same == into.types.end()) {
        layer_type& t = into.types.emplace_back();
        t.kind = layer.kind;
        t.sampling = layer.sampling;
        t.phase = layer.phase;
        t.layout = at;
        t.ranges.push_back({layer.index, layer.index});
        t.count = 1;
        continue;
      }
      ++same->count;
      if (same->ranges.back().last + 1 == layer.index)
        same->ranges.back().last = layer.index;
      else
        same->ranges.push_back({layer.index, layer.index});
    }
    for (std::size_t t = first_type; t < into.types.size(); ++t)
      into.types[t].occurrences = into.types[t].count * layout.passes;
  }
}

}  // namespace

std::vector<kind_counts> fill_layers(const device_kernels& of, const layer_anchors& anchors,
                                     const anchor_phases& phases, const pass_cuts& cuts, device_architecture& into) {
  std::vector<kind_counts> counts(cuts.passes.size(), kind_counts{});
  into.layers.reserve(anchors.rows.size());
  into.passes.reserve(cuts.passes.size());
  for (std::size_t i = 0; i < cuts.passes.size(); ++i) {
    const pass_span& span = cuts.passes[i];
    model_pass& p = into.passes.emplace_back();
    p.first_layer = static_cast<std::uint32_t>(into.layers.size());
    const std::size_t before_layers = anchors.rows[span.first_anchor];
    p.prologue_kernels = before_layers - span.first_row;
    for (std::size_t row = span.first_row; row < before_layers; ++row)
      ++counts[i][static_cast<std::size_t>(of.kind_of(of.rows[row]))];
    for (std::size_t a = span.first_anchor; a < span.last_anchor; ++a) {
      const bool is_last = a + 1 == span.last_anchor;
      model_layer layer = layer_of(of, anchors.rows[a], is_last ? span.last_row : anchors.rows[a + 1], counts[i]);
      if (!is_last) layer.end_ps = of.rows[anchors.rows[a + 1]].start_ps;
      layer.pass = static_cast<std::uint32_t>(i);
      layer.index = static_cast<std::uint32_t>(a - span.first_anchor);
      layer.phase = phases.phases[a];
      layer.rule_phase = phases.rule[a];
      into.layers.push_back(layer);
    }
    p.last_layer = static_cast<std::uint32_t>(into.layers.size() - 1);
    describe_pass(of, span, into, p);
  }
  find_cuts(cuts, into);
  find_layouts(into);
  find_types(into);
  return counts;
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
