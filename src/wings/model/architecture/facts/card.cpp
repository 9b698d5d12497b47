// The names of facts in the order in which people read them, and the card that shows them.
#include <model/architecture/facts/card.hpp>

#include <profkit/core/text.hpp>

#include <algorithm>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

struct card_line {
  const char* title;
  std::vector<std::string_view> names;
};
const std::vector<card_line>& card_lines() {
  static const std::vector<card_line> lines = {
      {"what", {"model", "model_class", "family", "task", "moe", "parameters", "active_parameters", "framework"}},
      {"ran",
       {"mode", "phases", "step_phases", "training_parts", "steps", "optimizer_steps", "gradient_accumulation_steps", "micro_batches",
        "denoising_steps", "optimizer", "loss", "sampling", "sampling_method", "tokens_per_s", "samples_per_s", "mfu"}},
      {"inputs",
       {"batch", "sequence", "encoder_sequence", "decoder_sequence", "context_tokens", "query_tokens", "image_size", "patch_size",
        "latent_size"}},
      {"layers",
       {"layers", "dense_layers", "moe_layers", "attention_layers", "ssm_layers", "encoder_layers", "decoder_layers", "residual_blocks",
        "attention_blocks", "convolutions", "norm"}},
      {"widths",
       {"hidden_size", "hidden_per_rank", "ffn_size", "ffn_size_per_rank", "ffn_gated", "activation", "vocab_size", "classes", "lm_head",
        "dense_features", "embedding_dim", "interaction_features", "bottom_mlp", "top_mlp"}},
      {"attention",
       {"attention", "attention_kind", "attention_heads", "kv_heads", "attention_heads_per_rank", "kv_heads_per_rank", "gqa_ratio",
        "head_dim", "kv_lora_rank", "causal", "sliding_window_layers", "cross_attention", "qkv_bias", "qk_norm", "position",
        "max_positions", "attention_backend"}},
      {"experts", {"experts", "experts_per_rank", "experts_per_token", "shared_experts", "expert_ffn_size", "moe_backend"}},
      {"types", {"dtype", "weight_format", "kv_cache_dtype"}},
      {"spread",
       {"world_size", "rank", "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel", "context_parallel",
        "model_parallel_embeddings", "device", "devices"}},
  };
  return lines;
}

// "hidden size 480 (likely)"; what is proved has no mark. A list of many steps is for rows.
// The title is not said again.
std::string card_text(std::string_view title, const model_fact& f) {
  std::string text = f.name;
  std::replace(text.begin(), text.end(), '_', ' ');
  const bool on_off = std::holds_alternative<bool>(f.value);
  if (text == title && !on_off) text.clear();
  if (text.size() > title.size() && text.compare(0, title.size(), title) == 0 && text[title.size()] == ' ') text.erase(0, title.size() + 1);
  if (const auto* on = std::get_if<bool>(&f.value))
    text = (*on ? "" : "no ") + text;
  else
    text += (text.empty() ? "" : " ") + shown_text(f);
  if (f.sure != certainty::proved) text += std::string(" (") + certainty_name(f.sure) + ')';
  return text;
}

}  // namespace

std::size_t card_place(std::string_view name) {
  std::size_t place = 0;
  for (const card_line& line : card_lines())
    for (const std::string_view one : line.names) {
      if (one == name) return place;
      ++place;
    }
  return place;
}

}  // namespace architecture

std::string shown_text(const model_fact& f) {
  const auto* const n = std::get_if<std::int64_t>(&f.value);
  const auto* const d = std::get_if<double>(&f.value);
  std::string text = f.unit == "parameters" && n != nullptr ? si_text(static_cast<double>(*n)) : d != nullptr ? si_text(*d) : fact_text(f.value);
  if (!text.empty() && text.back() == ' ') text.pop_back();  // of no prefix
  return f.unit == "%" ? text + " %" : text;
}

std::vector<fact_line> card_of(const std::vector<model_fact>& facts) {
  std::vector<fact_line> card;
  for (const architecture::card_line& line : architecture::card_lines()) {
    std::string text;
    for (const std::string_view wanted : line.names)
      for (const model_fact& f : facts)
        if (f.name == wanted && f.name != "step_phases") text += (text.empty() ? "" : "; ") + architecture::card_text(line.title, f);
    if (!text.empty()) card.push_back({line.title, std::move(text)});
  }
  return card;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
