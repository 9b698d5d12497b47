#include <model/architecture/doubts.hpp>

#include <base/affix.hpp>
#include <base/format.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

// Parts of names, in lower case. They suggest and decide nothing.
constexpr std::string_view expert_words[] = {"moe",    "expert",  "routing",  "router",     "topk",
                                             "gating", "grouped", "groupgemm", "group_gemm", "groupproblem",
                                             "_ogs"};
constexpr std::string_view training_words[] = {"backward", "bwd",   "bprop", "dgrad",     "wgrad",
                                               "grad",     "adam",  "sgd_",  "optimizer", "optimiser"};

template <std::size_t N>
bool has_word(std::string_view name, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) { return contains_folded(name, word); });
}

// Families that experts share with dense layers.
bool may_be_of_experts(op_kind k) noexcept {
  return k == op_kind::unknown || k == op_kind::matmul || k == op_kind::activation || k == op_kind::quantisation;
}

bool has_dense_layers_only(const device_architecture& d) {
  return std::all_of(d.types.begin(), d.types.end(), [](const layer_type& t) { return t.kind == layer_kind::dense; });
}

// "modules show": how a source of a fact is spoken of.
std::string source_shows(fact_source s) {
  switch (s) {
    case fact_source::annotation: return "annotations show";
    case fact_source::module: return "modules show";
    case fact_source::shape: return "shapes show";
    case fact_source::kernel: return "names of kernels show";
    case fact_source::group: return "groups of ranks show";
    case fact_source::recorder: return "the recorder notes";
    case fact_source::count: break;
  }
  return "counts show";
}

bool is_copy(const kernel& k) noexcept { return k.type == kernel_class::copy; }

}  // namespace

bool is_training(const activity& names, const device_kernels& of) {
  return std::any_of(of.ops.begin(), of.ops.end(), [&](const model_op& op) {
    return op.kind == op_kind::attention_backward || has_word(names.text(op.name), training_words) ||
           has_word(names.text(op.type), training_words);
  });
}

std::vector<std::string> find_doubts(const activity& names, const device_kernels& of, const anchor_phases& phases,
                                     device_architecture& found) {
  constexpr std::uint64_t unknown_percent = 10;  // of the time of all kernels but copies
  std::vector<std::string> doubts;
  std::uint64_t all_ps = 0, unknown_ps = 0;
  for (const kernel& k : of.rows) {
    if (is_copy(k)) continue;
    const auto length_ps = static_cast<std::uint64_t>(k.duration_ps);
    all_ps = saturating_add(all_ps, length_ps);
    const model_op& op = of.ops[k.op];
    if (op.family == nullptr && !communicates(op.kind)) unknown_ps = saturating_add(unknown_ps, length_ps);
  }
  if (unknown_ps > all_ps / 100 * unknown_percent)
    doubts.push_back("kernels of no known family take " + percent_text(unknown_ps, all_ps) +
                     " of the time: " + std::string(found.layer_word()) + "s, their types and phases are no more than possible");
  std::string experts;
  for (const model_op& op : of.ops)
    if (experts.empty() && may_be_of_experts(op.kind) && has_word(names.text(op.name), expert_words))
      experts = std::string(names.text(op.type));
  // The last layer of a pass that the capture cuts lacks some of its kernels.
  const bool other = std::any_of(found.layers.begin(), found.layers.end(), [&](const model_layer& l) {
    return l.kind == layer_kind::moe_other && found.passes[l.pass].cut == pass_cut::none;
  });
  found.experts_open = !experts.empty() && has_dense_layers_only(found);
  if (!experts.empty())
    doubts.push_back("kernels such as " + experts + " look like routing or experts, and their family does not say which: "
                     "the types of " + found.layer_word() + "s are no more than possible");
  else if (other)
    doubts.push_back("there are kernels of experts, and how tokens reach them is not known: the types of " +
                     std::string(found.layer_word()) + "s are no more than possible");
  if (phases.undecided != 0)
    doubts.push_back("inputs of attention such as [" + std::string(names.text(phases.undecided)) +
                     "] may be [S,B,H] or [B,S,H], sequence or batch first: phases are not read from them");
  if (of.trains && found.backward_anchors == 0)
    doubts.push_back("kernels of a backward pass or of an optimiser run, but attention kernels of a backward pass are "
                     "not known by name: " + std::string(found.layer_word()) + "s may be counted in both directions");
  return doubts;
}

void hold_against_facts(const std::vector<model_fact>& facts, device_architecture& found) {
  if (found.source == anchor_source::none) return;
  const auto fact_of = [&](std::string_view name) -> const model_fact* {
    const auto at = std::find_if(facts.begin(), facts.end(), [&](const model_fact& f) { return f.name == name; });
    return at == facts.end() ? nullptr : &*at;
  };
  const auto number = [](const model_fact* f) {
    const auto* n = f == nullptr ? nullptr : std::get_if<std::int64_t>(&f->value);
    return n == nullptr ? std::int64_t{0} : *n;
  };
  const auto doubt = [&](std::string why) {
    found.limitations.push_back(std::move(why));
    if (found.sure == confidence::low) return;
    found.sure = confidence::low;
    for (evidence_row& e : found.evidence)
      if (e.what == "Confidence") e = {"Confidence", confidence_name(found.sure), "the facts of the model say something else: see the limitations"};
  };
  const model_fact *layers = fact_of("layers"), *encoder = fact_of("encoder_layers"), *blocks = fact_of("attention_blocks");
  std::int64_t all = number(layers);
  std::string text = counted(static_cast<std::uint64_t>(all), "layer", "layers");
  if (const std::int64_t attending = number(fact_of("attention_layers")); attending > 0) text += ", " + std::to_string(attending) + " of them with attention";
  if (encoder != nullptr) {
    const std::int64_t decoder = number(fact_of("decoder_layers"));
    layers = encoder;
    all = number(encoder) + decoder;
    text = std::to_string(number(encoder)) + " encoder and " + std::to_string(decoder) + " decoder layers";
  } else if (layers == nullptr && blocks != nullptr) {
    layers = blocks;
    all = number(blocks);
    text = counted(static_cast<std::uint64_t>(all), "block of attention", "blocks of attention");
  }
  if (layers != nullptr && found.layers_per_pass > 0 && all != static_cast<std::int64_t>(found.layers_per_pass)) {
    found.layers_of_the_model = source_shows(layers->source) + ' ' + text;
    doubt(found.layers_of_the_model + ": the " + std::to_string(found.layers_per_pass) + ' ' + found.layer_word() +
          "s by kernels are not the layers of the model");
  }
  const model_fact* const experts = fact_of("moe");
  const bool has_experts = experts != nullptr && experts->value == fact_value(true);
  if (has_experts && !found.experts_open && !found.types.empty() && has_dense_layers_only(found)) {
    found.experts_open = true;
    doubt(source_shows(experts->source) + " experts, and no kernel in which " + found.layer_word() + "s: their types are no more than possible");
  }
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
