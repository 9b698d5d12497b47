#include <model/architecture/parallelism.hpp>

#include <model/architecture/totals.hpp>
#include <base/format.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

class totals_reader {
 public:
  totals_reader(const activity& of, const device_kernels& kernels, device_architecture& into)
      : of_(of), kernels_(kernels), d_(into) {
    for (const model_op& op : kernels.ops) counts_[static_cast<std::size_t>(op.kind)] += op.count;
  }

  void read(std::string_view label) {
    d_.totals_only = true;
    d_.parallelism = parallelism_of(of_, kernels_, d_.device, count(op_kind::attention) > 0, label);
    d_.limitations.emplace_back(
        "no table says when kernels ran: counts of ops are all there is. Passes, the order of layers, their parts, "
        "streams and phases are not known");
    d_.backward_anchors = count(op_kind::attention_backward);
    if (count(op_kind::attention) == 0) {
      d_.limitations.emplace_back("no attention kernel is known by name: layers cannot be counted");
      return;
    }
    take_anchors();
    take_passes();
    take_types();
    find_evidence();
  }

 private:
  [[nodiscard]] std::uint64_t count(op_kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

  void take_anchors() {
    d_.source = anchor_source::attention;
    std::set<std::string_view> families;
    for (const model_op& op : kernels_.ops) {
      if (op.kind != op_kind::attention) continue;
      d_.anchors += op.count;
      d_.anchor += (d_.anchor.empty() ? "" : ", ") + std::string(of_.text(op.type));
      if (families.insert(op.family->family).second)
        d_.anchor_family += (d_.anchor_family.empty() ? "" : " and ") + std::string(op.family->family);
    }
    if (families.size() > 1)
      d_.limitations.emplace_back("attention kernels of several families: they may share the layers");
  }

  // Kernels that choose tokens stand once in a pass, or not in all passes; so do those that look up embeddings.
  void take_passes() {
    for (const op_kind kind : {op_kind::sampling, op_kind::embedding}) {
      for (const model_op& op : kernels_.ops)
        if (op.kind == kind && op.count > d_.counted_passes && d_.anchors % op.count == 0 &&
            d_.anchors / op.count >= min_layers) {
          d_.counted_passes = op.count;
          once_a_pass_ = std::string(of_.text(op.type));
        }
      if (d_.counted_passes > 0) break;
    }
    if (d_.counted_passes == 0) {
      d_.limitations.push_back("no kernel that stands once in a pass fits the number of attention kernels: whether " +
                               counted(d_.anchors, "layer is", "layers are") +
                               " of one pass or of several is not known");
      return;
    }
    d_.layers_per_pass = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(d_.anchors / d_.counted_passes, std::numeric_limits<std::uint32_t>::max()));
    d_.limitations.push_back("the number of passes rests on one count: " + once_a_pass_ +
                             " is taken to run once in each");
  }

  void take_types() {
    const auto fused = static_cast<std::int64_t>(count(op_kind::fused_experts));
    const auto distributed = static_cast<std::int64_t>((count(op_kind::distributed_experts) + 1) / 2);
    const auto gatings = static_cast<std::int64_t>(count(op_kind::moe_gating));
    const auto matmuls = static_cast<std::int64_t>(count(op_kind::grouped_gemm));
    const bool exchanges = count(op_kind::all_to_all) > 0;
    std::int64_t rest = gatings - fused - distributed;
    if (gatings == 0 && matmuls > 0) {
      if (fused + distributed == 0) {
        d_.limitations.emplace_back(
            "there are grouped matmuls and no gating kernels: how many layers are mixtures of experts is not known");
        return;
      }
      rest = 0;
    }
    rest = gatings == 0 ? 0 : rest;
    const std::int64_t dense =
        static_cast<std::int64_t>(d_.anchors) - fused - distributed - std::max<std::int64_t>(rest, 0);
    if (rest < 0 || dense < 0) {
      d_.limitations.emplace_back("the counts of expert kernels do not fit the number of layers: types are not known");
      check("expert layers <= attention kernels", static_cast<std::int64_t>(d_.anchors),
            fused + distributed + std::max<std::int64_t>(rest, 0), check_outcome::fail);
      return;
    }
    d_.layouts.push_back({model_phase::undetermined, d_.layers_per_pass, 0, d_.counted_passes, false});
    add_type(layer_kind::dense, dense);
    add_type(layer_kind::moe_fused, fused);
    add_type(matmuls > 0 && exchanges ? layer_kind::moe_grouped : layer_kind::moe_other, rest);
    add_type(layer_kind::moe_distributed, distributed);
    check_counts(rest, matmuls);
  }

  void add_type(layer_kind kind, std::int64_t occurrences) {
    if (occurrences <= 0) return;
    layer_type& t = d_.types.emplace_back();
    t.kind = kind;
    t.occurrences = static_cast<std::uint64_t>(occurrences);
  }

  cross_check& check(std::string name, std::int64_t expected, std::int64_t actual, check_outcome result) {
    return d_.checks.emplace_back(cross_check{std::move(name), expected, actual, result, {}});
  }

  // One integer for all layers, as far as counts show.
  void check_multiple(std::string name, std::int64_t layers, std::int64_t ops, std::int64_t slack) {
    if (ops == 0 || layers == 0) return;
    const std::int64_t k = std::max<std::int64_t>((ops + layers / 2) / layers, 1);
    const std::int64_t off = ops - k * layers;
    const check_outcome result = off == 0                        ? check_outcome::pass
                                 : off <= slack && off >= -slack ? check_outcome::explained
                                                                 : check_outcome::fail;
    cross_check& c = check(std::move(name), k * layers, ops, result);
    if (k > 1) c.note = "k = " + std::to_string(k);
    if (result == check_outcome::explained) c.note = "one more or less in a pass";
  }

  void check_counts(std::int64_t grouped_layers, std::int64_t matmuls) {
    const auto layers = static_cast<std::int64_t>(d_.anchors), passes = static_cast<std::int64_t>(d_.counted_passes);
    check_multiple("grouped matmuls = k x the MoE layers that have them", grouped_layers, matmuls, 0);
    check_multiple("cache writes = k x layers, give or take 1 a pass", layers,
                   static_cast<std::int64_t>(count(op_kind::kv_cache)), passes);
    check_multiple("QKV preparations = k x layers, give or take 1 a pass", layers,
                   static_cast<std::int64_t>(count(op_kind::qkv_prep)), passes);
  }

  void find_evidence() {
    const auto add = [&](std::string what, std::string value, std::string meaning) {
      d_.evidence.push_back({std::move(what), std::move(value), std::move(meaning)});
    };
    add("Attention kernels", counted(d_.anchors, "kernel", "kernels"), "one a layer: " + d_.anchor);
    if (d_.backward_anchors > 0)
      add("Backward attention", counted(d_.backward_anchors, "kernel", "kernels"), "a training step");
    if (d_.counted_passes > 0) {
      add("Passes", counted(d_.counted_passes, "pass", "passes"), once_a_pass_ + " runs so often");
      add("Layers a pass", counted(d_.layers_per_pass, "layer", "layers"),
          grouped(d_.anchors) + " attention kernels in " + counted(d_.counted_passes, "pass", "passes"));
    }
    for (const layer_type& t : d_.types)
      add(layer_kind_name(t.kind), counted(t.occurrences, "layer", "layers"),
          "in all passes, by the counts of expert kernels");
    add("Confidence", confidence_name(d_.sure), "counts alone: nothing says in which order they ran");
  }

  static constexpr std::uint64_t min_layers = 2;  // of a pass

  const activity& of_;
  const device_kernels& kernels_;
  device_architecture& d_;
  std::array<std::uint64_t, op_kind_count> counts_{};
  std::string once_a_pass_;
};

}  // namespace

device_kernels collect_totals(const activity& of, std::size_t device) {
  device_kernels found;
  for (const op_total& total : of.devices()[device].totals) {
    model_op& op = found.ops.emplace_back();
    op.type = total.op_type;
    op.count = total.calls;
    const std::string_view type = of.text(total.op_type);
    if (total.kind == kernel_class::comm) {
      op.kind = communication_kind(type, type);
    } else {
      op.family = find_family(type);
      if (op.family) op.kind = op.family->kind;
    }
    found.counts[std::string(of.text(total.op_type))] += total.calls;
    found.all += total.calls;
  }
  return found;
}

void read_totals(const activity& of, const device_kernels& kernels, std::string_view label, device_architecture& into) {
  totals_reader(of, kernels, into).read(label);
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
