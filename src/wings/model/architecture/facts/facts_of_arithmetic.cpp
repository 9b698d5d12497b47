// What follows from other facts: how many parameters a transformer of these sizes has, what it processed a second, and which part of
// the device's rate that took.
#include <model/architecture/facts/model_facts.hpp>

#include <analyse/device_peaks.hpp>
#include <base/affix.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

using count = std::optional<std::int64_t>;

count product(std::initializer_list<count> of) {
  std::int64_t all = 1;
  for (const count& one : of) {
    if (!one) return std::nullopt;
    const count next = checked_mul(all, *one);
    if (!next) return std::nullopt;
    all = *next;
  }
  return all;
}
count sum(std::initializer_list<count> of) {
  std::int64_t all = 0;
  for (const count& one : of) {
    if (!one) return std::nullopt;
    all = saturating_add(all, *one);
  }
  return all;
}

// "464 M", of evidence and cards.
std::string amount(std::int64_t n) { return si_text(static_cast<double>(n)); }

struct parameter_count {
  std::int64_t all = 0, active = 0;  // active: those that one token goes through
  certainty sure = certainty::likely;
  std::string how;
};

// Weights of its projections, feed-forward parts, norms and its embedding, which counts once: whether the output shares it is not
// on record. Nothing for models with other parts, or split over ranks.
std::optional<parameter_count> count_parameters(const fact_context& c, const fact_list& facts) {
  for (const char* other : {"ssm_layers", "encoder_layers", "decoder_layers", "residual_blocks", "convolutions", "cross_attention",
                            "kv_lora_rank", "hidden_per_rank", "ffn_size_per_rank", "image_size", "latent_size", "denoising_steps"})
    if (facts.has(other)) return std::nullopt;
  for (const char* split : {"tensor_parallel", "pipeline_parallel", "expert_parallel"})
    if (facts.number(split).value_or(1) != 1) return std::nullopt;
  if (c.recommends || c.convolves || c.denoises || c.encodes_and_decodes) return std::nullopt;
  parameter_count found;
  const auto number = [&](const char* name) -> count {
    const model_fact* const f = facts.find(name);
    if (f == nullptr) return std::nullopt;
    found.sure = std::min(found.sure, f->sure);
    return facts.number(name);
  };
  const count layers = number("layers"), hidden = number("hidden_size"), heads = number("attention_heads"), size = number("head_dim"),
              words = number("vocab_size");
  if (!layers || !hidden || !heads || !size || !words) return std::nullopt;
  const count kv_heads = facts.has("kv_heads") ? number("kv_heads") : heads;
  const count queries = product({heads, size}), keys = product({kv_heads, size});
  count attention = sum({product({2, hidden, queries}), product({2, hidden, keys})});
  if (facts.is("qkv_bias")) attention = sum({attention, queries, keys, keys});
  const count norms = product({facts.text("norm") == "LayerNorm" ? 4 : 2, hidden});
  const std::int64_t matrices = facts.is("ffn_gated") ? 3 : 2;
  const count experts = facts.number("experts"), routed = facts.number("experts_per_token");
  const std::int64_t expert_layers = experts ? facts.number("moe_layers").value_or(*layers) : 0;
  const std::int64_t dense_layers = *layers - expert_layers;
  if (dense_layers < 0 || (experts && (!routed || !facts.has("expert_ffn_size")))) return std::nullopt;
  count dense = 0, each_expert = 0, shared = 0;
  if (dense_layers > 0) dense = product({matrices, hidden, number("ffn_size")});
  if (experts) {
    each_expert = product({matrices, hidden, number("expert_ffn_size")});
    shared = product({each_expert, facts.number("shared_experts").value_or(0)});
    found.sure = certainty::possible;  // sizes of routers and of shared experts are seldom on record
  }
  const count common = sum({product({words, hidden}), product({layers, sum({attention, norms})}), product({dense_layers, dense}),
                            product({expert_layers, shared}), hidden});
  const count all = sum({common, product({expert_layers, experts.value_or(0), each_expert})});
  const count active = sum({common, product({expert_layers, routed.value_or(0), each_expert})});
  if (!all || !active) return std::nullopt;
  found.all = *all;
  found.active = *active;
  found.how = std::to_string(*layers) + " layers of " + amount(attention.value_or(0)) + " in attention";
  if (dense_layers > 0) found.how += " and " + amount(dense.value_or(0)) + " in the feed-forward part";
  if (experts) found.how += ", " + std::to_string(*experts) + " experts of " + amount(each_expert.value_or(0));
  found.how += "; an embedding of " + amount(product({words, hidden}).value_or(0)) + ", once";
  return found;
}

// "Qwen1.5-0.5B-Chat": 500000000. Not of "8x7B", which is not the sum, and not of "A3B", which counts the active ones.
count size_in_name(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_digit(name[at])) continue;
    const std::size_t begin = at;
    std::int64_t digits = 0, decimals = 1;
    bool fraction = false;
    for (; at < name.size() && at - begin < 9 && (is_digit(name[at]) || (name[at] == '.' && !fraction)); ++at) {
      if (name[at] == '.') {
        fraction = true;
        continue;
      }
      digits = 10 * digits + (name[at] - '0');
      if (fraction) decimals *= 10;
    }
    const char before = begin == 0 ? '-' : name[begin - 1], unit = at < name.size() ? folded(name[at]) : ' ';
    const char after = at + 1 < name.size() ? name[at + 1] : '-';
    const bool apart = !is_digit(after) && (folded(after) < 'a' || folded(after) > 'z');
    if ((before == '-' || before == '_' || before == '/') && apart && (unit == 'b' || unit == 'm'))
      return digits * (unit == 'b' ? 1'000'000'000 : 1'000'000) / decimals;
  }
  return std::nullopt;
}

void add_parameters(const parameter_count& found, fact_list& into) {
  certainty sure = certainty::possible;
  std::string how = found.how;
  const count named = size_in_name(into.text("model"));
  // Names round: 0.5B is said of 464 M.
  const bool agrees = named && found.all > *named - *named / 7 && found.all < *named + *named / 7;
  if (agrees) {
    sure = found.sure;
    how += "; the name says " + amount(*named);
  }
  into.add("parameters", found.all, sure, fact_source::shape, how, "parameters");
  if (named && !agrees)
    into.add("parameters", *named, certainty::possible, fact_source::recorder, "the model's name", "parameters");
  if (found.active != found.all)
    into.add("active_parameters", found.active, certainty::possible, fact_source::shape, "those that one token goes through", "parameters");
}

// ---- what it processed a second ----

struct rated_time {
  std::uint64_t steps = 0;
  std::int64_t length_ps = 0;
  const char* noun = "step";
  certainty sure = certainty::likely;
};

// Passes that layers show, where all of them are whole.
std::optional<rated_time> window_of_passes(const device_architecture& found) {
  const std::vector<model_pass>& passes = found.passes;
  if (passes.empty() || std::any_of(passes.begin(), passes.end(), [](const model_pass& p) { return p.cut != pass_cut::none || p.irregular; }))
    return std::nullopt;
  const std::optional<std::int64_t> length = checked_sub(passes.back().end_ps, passes.front().start_ps);
  if (!length || *length <= 0) return std::nullopt;
  return rated_time{passes.size(), *length, "pass", certainty::possible};
}

// From the first to the last step as the host marks them, or until the device has finished; without a host, as the device does. Of
// a host alone at least three, else what the layers show: the device may still be at work when a step ends on the host.
std::optional<rated_time> window_of(const model_record& r) {
  struct {
    std::uint64_t steps = 0;
    std::int64_t first_ps = 0, last_ps = 0;
  } host, device;
  for (const step_marker& m : r.steps) {
    auto& of = m.device >= 0 ? device : host;
    of.first_ps = of.steps == 0 ? m.start_ps : std::min(of.first_ps, m.start_ps);
    of.last_ps = of.steps == 0 ? m.end_ps : std::max(of.last_ps, m.end_ps);
    ++of.steps;
  }
  rated_time found;
  found.steps = device.steps > 0 ? device.steps : host.steps;
  const std::int64_t last_ps = device.steps > 0 && (host.steps == 0 || device.last_ps > host.last_ps) ? device.last_ps : host.last_ps;
  found.length_ps = checked_sub(last_ps, host.steps > 0 ? host.first_ps : device.first_ps).value_or(0);
  if (found.length_ps > 0 && (device.steps > 0 || found.steps >= 3)) return found;
  return r.found == nullptr ? std::nullopt : window_of_passes(*r.found);
}

// Gives the tokens a second; of steps of one pass each.
std::optional<double> add_rates(const fact_context& c, fact_list& into) {
  const std::optional<rated_time> window = window_of(c.r);
  const model_fact* const batch = into.find("batch");
  if (!window || c.passes == 0 || c.encodes_and_decodes) return std::nullopt;
  // A step of the optimizer may be made of several passes, and a marked step may be one of those.
  const bool accumulates = c.accumulates > 1 && c.passes == c.micro_steps && c.passes % window->steps == 0;
  if (c.passes != window->steps && !accumulates) return std::nullopt;
  const double seconds = static_cast<double>(window->length_ps) / 1e12 / static_cast<double>(c.passes);
  const auto rate = [&](std::int64_t each) { return static_cast<double>(each) / seconds; };
  std::string how = std::to_string(window->steps) + ' ' + window->noun;
  if (window->steps != 1) how += window->noun == std::string_view("pass") ? "es" : "s";
  how += " in " + human_duration(window->length_ps);
  const char* const noun = accumulates ? "micro-step" : window->noun;
  if (accumulates) how = std::to_string(c.accumulates) + " micro-steps a step of the optimizer, " + std::to_string(c.passes) + " in " + how;
  const auto say = [&](const char* name, std::int64_t each, const model_fact& by, const char* unit) {
    const std::string what = by.unit == "images" ? " images" : "";
    into.add(name, rate(each), std::min(by.sure, window->sure), by.source, std::to_string(each) + what + " a " + noun + ", " + how, unit);
  };
  const count sequences = into.number("batch");
  if (batch != nullptr && sequences && *sequences > 0) say("samples_per_s", *sequences, *batch, "samples/s");
  const bool only_decodes = into.has("phases") && fact_text(into.find("phases")->value) == "decode";
  const model_fact* of = into.find("query_tokens");
  count tokens = into.number("query_tokens");
  if (!tokens && only_decodes) {
    of = batch;
    tokens = sequences;
  } else if (!tokens && into.has("sequence")) {
    of = into.find("sequence");
    tokens = product({sequences, into.number("sequence")});
    if (batch != nullptr && batch->sure < of->sure) of = batch;
  }
  if (of == nullptr || !tokens || *tokens <= 0) return std::nullopt;
  say("tokens_per_s", *tokens, *of, "tokens/s");
  return rate(*tokens);
}

// Model FLOPs utilization: the operations that the model needs, not those that ran, against the device's rate for 16-bit products.
// Rule: Chowdhery et al., PaLM, appendix B: a token takes 2 operations a parameter and 4 L H Q T in attention, three times that in
// training, counted on parameters that tokens are multiplied with.
void add_utilization(const fact_context& c, const parameter_count& of, double tokens_per_s, fact_list& into) {
  if (into.text("dtype") != "bf16" && into.text("dtype") != "fp16") return;
  if (into.number("world_size").value_or(1) != into.number("data_parallel").value_or(1)) return;
  const device_peaks peaks = peaks_of_device(into.text("device"));
  const count length = into.number("sequence");
  if (peaks.flops_per_s <= 0 || !length || into.number("query_tokens")) return;
  const model_fact* const phases = into.find("phases");
  if (!c.trains && phases != nullptr && fact_text(phases->value) != "prefill") return;
  const count attention = product({4, into.number("layers"), into.number("attention_heads"), into.number("head_dim"), length});
  if (!attention) return;
  // An embedding alone is looked up: its table is multiplied with where it is the last layer, too.
  const bool has_no_head = into.has("lm_head") && !into.is("lm_head");
  const std::int64_t looked_up = has_no_head ? product({into.number("vocab_size"), into.number("hidden_size")}).value_or(0) : 0;
  const double each = (c.trains ? 3.0 : 1.0) * (2.0 * static_cast<double>(of.active - looked_up) + static_cast<double>(*attention));
  const double percent = 100.0 * tokens_per_s * each / peaks.flops_per_s;
  if (percent > 100) return;  // a wrong premise
  into.add("mfu", percent, certainty::possible, fact_source::shape,
           si_text(each) + "FLOP a token, of " + si_text(peaks.flops_per_s) + "FLOP/s (" + peaks.source + ")", "%");
}

}  // namespace

void add_arithmetic_facts(fact_context& c, fact_list& into) {
  const std::optional<parameter_count> counted = count_parameters(c, into);
  if (counted) add_parameters(*counted, into);
  const std::optional<double> tokens_per_s = add_rates(c, into);
  if (counted && tokens_per_s) add_utilization(c, *counted, *tokens_per_s, into);
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
