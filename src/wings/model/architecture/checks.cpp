#include <model/architecture/checks.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

// Of one whole pass.
struct pass_numbers {
  std::int64_t expected = 0, actual = 0;
};

class checker {
 public:
  checker(const std::vector<kind_counts>& counts, device_architecture& into) : counts_(counts), d_(into) {
    for (std::uint32_t i = 0; i < d_.passes.size(); ++i)
      if (d_.passes[i].cut == pass_cut::none) whole_.push_back(i);
  }

  void run(const layer_anchors& anchors, const pass_cuts& cuts) {
    if (whole_.empty()) return;
    // Where one pass alone, or the order of layers, says how many there are, this would hold them against themselves.
    if (whole_.size() > 1 && std::string_view(cuts.source) != "order of layers") check_anchors(cuts);
    // One fused kernel a layer.
    check("DispatchFFNCombine kernels = MoE+DFC " + word_ + "s", {op_kind::fused_experts}, {layer_kind::moe_fused}, 1, 0);
    check("grouped matmuls = k x the MoE " + word_ + "s that have them", {op_kind::grouped_gemm},
          {layer_kind::moe_grouped, layer_kind::moe_distributed, layer_kind::moe_other}, 3, 0);
    check("distributed dispatch and combine = 2 x MoE+MDD " + word_ + "s", {op_kind::distributed_experts},
          {layer_kind::moe_distributed}, 2, 0);
    check("gating kernels = MoE " + word_ + "s", {op_kind::moe_gating},
          {layer_kind::moe_fused, layer_kind::moe_grouped, layer_kind::moe_distributed, layer_kind::moe_other}, 1, 0);
    // The first layer's may come before it, and the last layer has none for a layer after it.
    check("cache writes = " + word_ + "s, give or take 1", {op_kind::kv_cache},
          {layer_kind::dense, layer_kind::moe_fused, layer_kind::moe_grouped, layer_kind::moe_distributed,
           layer_kind::moe_other},
          1, 1);
    check_backward(anchors);
    check_orders();
  }

 private:
  using kinds = std::vector<layer_kind>;

  cross_check& add(std::string name, std::int64_t expected, std::int64_t actual, check_outcome result) {
    return d_.checks.emplace_back(cross_check{std::move(name), expected, actual, result, {}});
  }

  void check_anchors(const pass_cuts& cuts) {
    std::int64_t actual = 0, odd = 0;
    for (const std::uint32_t i : whole_) {
      actual += d_.passes[i].layers();
      if (d_.passes[i].layers() != cuts.layers) ++odd;
    }
    const std::int64_t expected = static_cast<std::int64_t>(cuts.layers) * static_cast<std::int64_t>(whole_.size());
    cross_check& c = add("anchors = " + word_ + "s a pass x whole passes", expected, actual,
                         odd == 0 ? check_outcome::pass : check_outcome::fail);
    if (odd > 0) c.note = std::to_string(odd) + " of " + std::to_string(whole_.size()) + " passes differ";
  }

  // In every whole pass: ops = k x layers for one integer k up to `most`, give or take `slack` ops.
  void check(std::string name, const std::vector<op_kind>& ops, const kinds& wanted, std::int64_t most,
             std::int64_t slack) {
    std::vector<pass_numbers> numbers;
    std::int64_t expected = 0, actual = 0;
    for (const std::uint32_t i : whole_) {
      pass_numbers n;
      for (const op_kind k : ops) n.actual += static_cast<std::int64_t>(counts_[i][static_cast<std::size_t>(k)]);
      for (std::uint32_t l = d_.passes[i].first_layer; l <= d_.passes[i].last_layer; ++l)
        if (std::find(wanted.begin(), wanted.end(), d_.layers[l].kind) != wanted.end()) ++n.expected;
      expected += n.expected;
      actual += n.actual;
      numbers.push_back(n);
    }
    if (actual == 0) return;  // the model has no such op
    std::int64_t k = expected > 0 ? (actual + expected / 2) / expected : 0;
    k = std::max<std::int64_t>(k, 1);
    std::size_t off = 0, worst = 0;
    bool within = true;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::int64_t by = numbers[i].actual - k * numbers[i].expected;
      if (by == 0) continue;
      if (off++ == 0) worst = i;
      if (by > slack || by < -slack) within = false;
    }
    check_outcome result = check_outcome::pass;
    std::string note;
    if (off > 0) {
      result = within ? check_outcome::explained : check_outcome::fail;
      note = "pass " + std::to_string(whole_[worst]) + " has " + std::to_string(numbers[worst].actual) + " for " +
             std::to_string(numbers[worst].expected) + ' ' + word_ + 's';
      if (within) note += ": the first " + word_ + "'s stands before it, or the last " + word_ + " has none for a next one";
    } else if (k > most) {
      result = check_outcome::explained;
      note = std::to_string(k) + " kernels a " + word_ + ", the same in every pass";
    } else if (k > 1) {
      note = "k = " + std::to_string(k);
    }
    add(std::move(name), k * expected, actual, result).note = std::move(note);
  }

  void check_backward(const layer_anchors& anchors) {
    if (anchors.backward == 0) return;
    const auto forward = static_cast<std::int64_t>(anchors.rows.size());
    const auto backward = static_cast<std::int64_t>(anchors.backward);
    cross_check& c = add("backward attention = forward attention", forward, backward,
                         forward == backward       ? check_outcome::pass
                         : forward == 2 * backward ? check_outcome::explained
                                                   : check_outcome::fail);
    if (forward == 2 * backward) c.note = "the forward pass runs twice: activations are computed again";
    if (c.result == check_outcome::fail) c.note = "the capture may cut a step";
  }

  // Whole passes of one phase have one order of layer types.
  void check_orders() {
    if (whole_.size() < 2) return;
    std::set<model_phase> phases;
    std::set<std::uint32_t> layouts;
    for (const std::uint32_t i : whole_) {
      phases.insert(d_.passes[i].phase);
      layouts.insert(d_.passes[i].layout);
    }
    const auto expected = static_cast<std::int64_t>(phases.size()), actual = static_cast<std::int64_t>(layouts.size());
    cross_check& c = add("orders of " + word_ + " types = phases", expected, actual,
                         actual == expected ? check_outcome::pass : check_outcome::fail);
    if (actual == expected) return;
    for (const std::uint32_t i : whole_) {
      if (d_.passes[i].layout == d_.passes[whole_.front()].layout ||
          d_.passes[i].phase != d_.passes[whole_.front()].phase)
        continue;
      c.note = "the order changes at pass " + std::to_string(i);
      break;
    }
    if (c.note.empty()) c.note = "the order of types changes between passes of one phase";
  }

  const std::vector<kind_counts>& counts_;
  device_architecture& d_;
  const std::string word_ = d_.layer_word();
  std::vector<std::uint32_t> whole_;
};

}  // namespace

void cross_check_layers(const layer_anchors& anchors, const pass_cuts& cuts, const std::vector<kind_counts>& counts,
                        device_architecture& into) {
  checker(counts, into).run(anchors, cuts);
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
