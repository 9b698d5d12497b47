// Sizes of a model by the shapes of what it computes: widths that fit together, not single numbers.
#include <model/architecture/facts/model_facts.hpp>

#include <base/affix.hpp>
#include <base/format.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

const char* norm_name(norm_kind k) noexcept {
  switch (k) {
    case norm_kind::rms: return "RMSNorm";
    case norm_kind::layer: return "LayerNorm";
    case norm_kind::group: return "GroupNorm";
    case norm_kind::batch: break;
  }
  return "BatchNorm";
}
const char* activation_name(activation_kind k) noexcept {
  switch (k) {
    case activation_kind::silu: return "silu";
    case activation_kind::gelu: return "gelu";
    case activation_kind::relu: return "relu";
    case activation_kind::swiglu: return "swiglu";
    case activation_kind::geglu: return "geglu";
    case activation_kind::tanh: return "tanh";
    case activation_kind::sigmoid: break;
  }
  return "sigmoid";
}

class shape_reader {
 public:
  shape_reader(fact_context& c, fact_list& into) : c_(c), s_(c.shapes), into_(into) {}

  void run() {
    find_attention();
    find_hidden();
    find_convolutions();
    add_heads();
    add_experts();
    add_feed_forward();
    add_norms();
    add_layers();
    add_positions();
    add_vocabulary();
    add_types();
    add_lengths();
    add_recommendation();
  }

 private:
  void say(const char* name, fact_value value, certainty sure, const std::string& evidence, const char* unit = "") {
    into_.add(name, std::move(value), sure, fact_source::shape, evidence, unit);
  }
  std::int64_t ranks_of_tensors() const { return into_.number("tensor_parallel").value_or(1); }
  // Sums over ranks about as often as attention: tensors are spread, and over how many ranks is not on record.
  bool may_be_spread() const {
    if (into_.has("tensor_parallel") || into_.has("data_parallel") || into_.number("world_size").value_or(2) == 1) return false;
    std::uint64_t sums = 0;
    for (const kernel_use& k : c_.r.kernels)
      if (k.communicates &&
          (contains_folded(k.name, "allreduce") || contains_folded(k.name, "all_reduce") || contains_folded(k.name, "all-reduce")))
        sums += k.calls;
    return sums > 0 && sums >= attention_calls() / 2;
  }

  // ---- what attention works on ----

  void find_attention() {
    // Of self-attention, the shape with most calls.
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint64_t> calls;
    for (const attention_use& a : s_.attentions) {
      calls[{a.heads, a.kv_heads, a.head_dim}] += a.calls;
      if (a.latent && (latent_ == nullptr || a.calls > latent_->calls)) latent_ = &a;
      if (a.queries > 0 && a.keys > 0 && a.queries != a.keys) crosses_ = crosses_ || (!a.latent && a.heads == a.kv_heads && a.queries > 1);
    }
    if (calls.empty()) return;
    const auto most = std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::uint64_t all = 0;
    for (const auto& [key, n] : calls) all += n;
    // Heads that change with the depth, as in a U-Net, are not a fact of the model.
    several_heads_ = most->second * 3 < all * 2;
    for (const attention_use& a : s_.attentions)
      if (std::tuple(a.heads, a.kv_heads, a.head_dim) == most->first && (main_ == nullptr || a.calls > main_->calls)) main_ = &a;
  }

  // ---- hidden size ----

  void find_hidden() {
    std::map<std::int64_t, std::uint64_t> by_norm, by_linear;
    std::uint64_t norms = 0;
    for (const norm_use& n : s_.norms) {
      if (n.width <= 0 || n.heads > 0 || n.kind == norm_kind::batch || n.kind == norm_kind::group) continue;
      if (main_ != nullptr && n.width == main_->head_dim) continue;
      by_norm[n.width] += n.calls;
      norms += n.calls;
    }
    for (const linear_use& l : s_.linears) {
      by_linear[l.in] += l.calls;
      by_linear[l.out] += l.calls;
    }
    const embedding_use* words = nullptr;
    for (const embedding_use& e : s_.embeddings)
      if (words == nullptr || e.rows > words->rows) words = &e;
    if (words != nullptr && by_linear.count(words->width) != 0) {
      hidden_ = words->width;
      say("hidden_size", hidden_, by_norm.count(hidden_) != 0 || by_linear[hidden_] > 1 ? certainty::proved : certainty::likely,
          words->evidence);
      words_ = words;
      return;
    }
    if (words != nullptr && by_norm.count(words->width) != 0) {
      hidden_ = words->width;
      words_ = words;
      say("hidden_size", hidden_, certainty::likely, words->evidence);
      return;
    }
    if (by_norm.empty() || main_ == nullptr) return find_hidden_by_products();
    // The width of most norms, if products begin and end there, too.
    const auto most = std::max_element(by_norm.begin(), by_norm.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most->second * 3 < norms * 2) return;
    bool begins = false, ends = false;
    for (const linear_use& l : s_.linears) {
      begins = begins || l.in == most->first;
      ends = ends || l.out == most->first;
    }
    if (!begins || !ends) return;
    hidden_ = most->first;
    std::string evidence;
    for (const norm_use& n : s_.norms)
      if (n.width == hidden_ && evidence.empty()) evidence = n.evidence;
    say("hidden_size", hidden_, certainty::proved, evidence);
  }

  // A width that products keep, widen and narrow again, all of them over the same rows.
  void find_hidden_by_products() {
    std::set<std::int64_t> fitting;
    std::string evidence;
    for (const linear_use& keep : s_.linears) {
      if (keep.in != keep.out) continue;
      bool widened = false;
      for (const linear_use& up : s_.linears)
        for (const linear_use& down : s_.linears)
          widened = widened || (up.in == keep.in && up.out > up.in && down.in == up.out && down.out == keep.in && up.rows == keep.rows &&
                                down.rows == keep.rows);
      if (!widened && (main_ == nullptr || main_->heads * main_->head_dim != keep.in)) continue;
      fitting.insert(keep.in);
      evidence = keep.evidence;
    }
    if (fitting.empty() && main_ != nullptr) {
      // What attention makes is what the next product begins with.
      for (const linear_use& l : s_.linears)
        if (l.in == main_->heads * main_->head_dim || l.rows * l.in == main_->batch * main_->queries * main_->heads * main_->head_dim) {
          fitting.insert(main_->heads * main_->head_dim);
          evidence = main_->evidence;
        }
    }
    if (fitting.empty() && main_ != nullptr)
      for (const auto& [weight, what] : s_.weights)
        if (weight[0] == main_->heads * main_->head_dim && weight[1] != weight[0]) {
          fitting.insert(weight[0]);
          evidence = what + " after attention";
        }
    if (fitting.size() != 1) return;
    hidden_ = *fitting.begin();
    say("hidden_size", hidden_, certainty::possible, evidence);
  }

  // ---- attention ----

  // Products of the hidden state with `out` columns, a call of attention each; by how many there are.
  std::uint64_t linears_to(std::int64_t out) const {
    std::uint64_t n = 0;
    for (const linear_use& l : s_.linears)
      if (l.in == hidden_ && l.out == out) n += l.calls;
    return n;
  }

  std::uint64_t attention_calls() const {
    std::uint64_t n = 0;
    for (const attention_use& a : s_.attentions) n += a.calls;
    return n;
  }

  void add_heads() {
    std::int64_t heads = 0, kv = 0, size = 0;
    std::string evidence, kv_evidence;
    if (main_ != nullptr && !several_heads_) {
      heads = main_->heads;
      kv = main_->kv_heads;
      size = main_->head_dim;
      evidence = kv_evidence = main_->evidence;
    }
    if (latent_ != nullptr) return add_latent();
    for (const rotary_use& u : s_.rotaries) {
      if (u.head_dim == 0) continue;
      if (heads == 0 || (size == 0 && u.heads > 0)) {
        heads = std::max(heads, u.heads);
        size = u.head_dim;
        evidence = u.evidence;
      }
      if (kv == 0 && u.kv_heads > 0) {
        kv = u.kv_heads;
        kv_evidence = u.evidence;
      }
      if (kv == 0 && u.heads < heads) {
        kv = u.heads;
        kv_evidence = u.evidence;
      }
    }
    if (size == 0 && main_ != nullptr && main_->width > 0 && !several_heads_) {
      // A norm over heads, or the sums of attention, say how many there are.
      for (const norm_use& n : s_.norms)
        if (n.heads > 0 && n.width > 0 && n.heads * n.width == main_->width) {
          heads = n.heads;
          size = n.width;
          evidence = n.evidence;
        }
      if (heads == 0) say("hidden_per_rank", main_->width, certainty::likely, main_->evidence);
    }
    if (kv == 0 && main_ != nullptr && main_->kv_width > 0 && size > 0 && main_->kv_width % size == 0) {
      kv = main_->kv_width / size;
      kv_evidence = main_->evidence;
    }
    if (heads <= 0 || size <= 0) return;
    // Keys that were repeated for each head: the products that make them are narrower.
    if (kv == heads && hidden_ > 0 && main_ != nullptr) {
      const std::uint64_t calls = attention_calls();
      for (const linear_use& l : s_.linears)
        if (l.in == hidden_ && l.out < heads * size && l.out % size == 0 && linears_to(l.out) == 2 * calls && heads % (l.out / size) == 0) {
          kv = l.out / size;
          kv_evidence = l.evidence;
        }
    }
    const std::int64_t ranks = ranks_of_tensors();
    const certainty sure = certainty::proved;
    say("head_dim", size, sure, evidence);
    if (may_be_spread()) {
      say("attention_heads_per_rank", heads, sure, evidence);
      if (kv > 0) say("kv_heads_per_rank", kv, sure, kv_evidence);
      if (kv > 1 && kv < heads) say("attention_kind", std::string("GQA"), certainty::likely, kv_evidence);
      return;
    }
    if (ranks > 1) {
      say("attention_heads_per_rank", heads, sure, evidence);
      say("attention_heads", heads * ranks, certainty::likely, evidence + ", on each of " + std::to_string(ranks) + " ranks");
      if (kv > 0) {
        say("kv_heads_per_rank", kv, sure, kv_evidence);
        // One may be shared by several ranks.
        say("kv_heads", kv * ranks, kv > 1 ? certainty::likely : certainty::possible,
            kv_evidence + ", on each of " + std::to_string(ranks) + " ranks");
        say("attention_kind", std::string(kv == heads ? "MHA" : "GQA"), kv == heads && kv > 1 ? certainty::likely : certainty::possible,
            evidence + ": " + std::to_string(heads) + " query heads to " + std::to_string(kv) + " of keys");
      }
      return;
    }
    say("attention_heads", heads, sure, evidence);
    if (kv <= 0 || heads % kv != 0) return;
    say("kv_heads", kv, sure, kv_evidence);
    const char* kind = kv == heads ? "MHA" : kv == 1 ? "MQA" : "GQA";
    if (heads > 1)
      say("attention_kind", std::string(kind), sure,
          kv_evidence + ": " + std::to_string(heads) + " query heads to " + std::to_string(kv) + " of keys");
    if (kv < heads) say("gqa_ratio", heads / kv, sure, kv_evidence);
    add_causal();
    add_biases(heads * size, kv * size);
  }

  void add_latent() {
    say("attention_kind", std::string("MLA"), certainty::proved, latent_->evidence);
    say("attention_heads", latent_->heads * ranks_of_tensors(), ranks_of_tensors() > 1 ? certainty::likely : certainty::proved,
        latent_->evidence);
    if (latent_->kv_rank > 0) say("kv_lora_rank", latent_->kv_rank, certainty::proved, latent_->evidence);
  }

  void add_causal() {
    std::optional<bool> causal;
    std::string evidence;
    for (const attention_use& a : s_.attentions) {
      if (a.queries != a.keys) continue;
      if (!a.causal || (causal && *causal != *a.causal)) return;
      causal = a.causal;
      evidence = a.evidence;
    }
    if (causal) say("causal", *causal, certainty::proved, evidence + (*causal ? ", is_causal" : ", not is_causal and without a mask"));
  }

  // Whether the products that make queries and keys have a bias.
  void add_biases(std::int64_t query_width, std::int64_t key_width) {
    if (hidden_ == 0 || query_width == 0) return;
    std::uint64_t with = 0, without = 0;
    std::string evidence;
    for (const linear_use& l : s_.linears) {
      const bool fused = l.out == query_width + 2 * key_width;
      if (l.in != hidden_ || (!fused && l.out != query_width && l.out != key_width)) continue;
      (l.bias ? with : without) += l.calls;
      if (l.bias) evidence = l.evidence;
    }
    // The product after attention may be of the same size: one call in four.
    if (with > 0 && with >= 3 * without) say("qkv_bias", true, certainty::likely, evidence);
  }

  // ---- experts ----

  void add_experts() {
    for (const expert_use& e : s_.experts) {
      say("moe", true, certainty::proved, e.evidence);
      if (e.experts > 0) say("experts", e.experts, certainty::proved, e.evidence);
      if (e.top_k > 0) say("experts_per_token", e.top_k, certainty::proved, e.evidence);
    }
    if (s_.grouped.empty()) return;
    say("moe", true, certainty::proved, s_.grouped.front().evidence);
    const auto down = std::find_if(s_.grouped.begin(), s_.grouped.end(),
                                   [&](const grouped_use& g) { return hidden_ > 0 && g.out == hidden_ && g.in != hidden_; });
    const auto up =
        std::find_if(s_.grouped.begin(), s_.grouped.end(), [&](const grouped_use& g) { return hidden_ > 0 && g.in == hidden_; });
    const activation_use* between = nullptr;
    for (const activation_use& a : s_.activations)
      if (a.width > 0 &&
          std::any_of(s_.grouped.begin(), s_.grouped.end(), [&](const grouped_use& g) { return g.rows == a.rows && g.in == a.width; }))
        between = &a;
    if (between != nullptr)
      say("expert_ffn_size", between->width, certainty::proved, between->evidence);
    else if (down != s_.grouped.end())
      say("expert_ffn_size", down->in, certainty::proved, down->evidence);
    const grouped_use& one = up != s_.grouped.end() ? *up : s_.grouped.front();
    const std::int64_t parts = into_.number("expert_parallel").value_or(0);
    say("experts_per_rank", one.rank_experts, certainty::proved, one.evidence);
    if (parts > 0)
      say("experts", one.rank_experts * parts, certainty::likely,
          one.evidence + (parts == 1 ? "" : ", on each of " + std::to_string(parts) + " ranks"));
    // The product that scores experts: the hidden state to one column each.
    for (const linear_use& l : s_.linears) {
      if (l.in != hidden_ || l.out % one.rank_experts != 0 || l.out == hidden_ || l.rows <= 0) continue;
      if (parts > 0 ? l.out == one.rank_experts * parts : l.out == one.rank_experts) {
        say("experts", l.out, certainty::likely, l.evidence);
        if (one.rows % l.rows == 0 && one.rows / l.rows <= l.out && parts <= 1)
          say("experts_per_token", one.rows / l.rows, certainty::likely, one.evidence + " of " + std::to_string(l.rows) + " tokens");
      }
    }
  }

  // ---- feed forward ----

  void add_feed_forward() {
    if (several_heads_ || hidden_ == 0) return add_activation_alone();
    const activation_use* best = nullptr;
    for (const activation_use& a : s_.activations) {
      if (a.width <= 0 || a.part == module_part::experts) continue;
      // What it makes is what a product turns back into the hidden state.
      const bool returns =
          std::any_of(s_.linears.begin(), s_.linears.end(), [&](const linear_use& l) { return l.in == a.width && l.out == hidden_; });
      const bool comes = std::any_of(s_.linears.begin(), s_.linears.end(), [&](const linear_use& l) {
        return l.in == hidden_ && (l.out == a.width || (a.gated && l.out == 2 * a.width));
      });
      if (!returns || !comes || (a.width == hidden_ && a.part != module_part::mlp)) continue;
      if (best == nullptr || a.calls > best->calls) best = &a;
    }
    if (best == nullptr) {
      add_scoped_feed_forward();
      return add_activation_alone();
    }
    std::uint64_t up = 0, down = 0, fused = 0;
    for (const linear_use& l : s_.linears) {
      if (l.in == hidden_ && l.out == best->width) up += l.calls;
      if (l.in == hidden_ && l.out == 2 * best->width) fused += l.calls;
      if (l.in == best->width && l.out == hidden_) down += l.calls;
    }
    say("activation", std::string(activation_name(best->kind)), certainty::proved, best->evidence);
    const bool dense = !into_.is("moe");
    if (dense)
      say(ranks_of_tensors() > 1 || may_be_spread() ? "ffn_size_per_rank" : "ffn_size", best->width, certainty::proved, best->evidence);
    if (best->gated)
      say("ffn_gated", true, certainty::proved, best->evidence);
    else if (down > 0 && up == 2 * down)
      say("ffn_gated", true, certainty::proved, best->evidence + ", two products before it");
    else if (down > 0 && up == down && fused == 0)
      say("ffn_gated", false, certainty::proved, best->evidence + ", one product before it");
  }

  // Products of a scope that is called a feed forward, where nothing says which function lies between them.
  void add_scoped_feed_forward() {
    std::set<std::int64_t> widths;
    std::uint64_t up = 0, down = 0;
    std::string evidence;
    for (const linear_use& l : s_.linears) {
      if (l.part != module_part::mlp) continue;
      if (l.in == hidden_ && l.out != hidden_) up += l.calls;
      if (l.out != hidden_ || l.in == hidden_) continue;
      widths.insert(l.in);
      down += l.calls;
      evidence = l.evidence;
    }
    if (widths.empty()) return add_unnamed_feed_forward();
    if (widths.size() != 1 || into_.is("moe")) return;
    say("ffn_size", *widths.begin(), certainty::likely, evidence);
    if (up == down || up == 2 * down) say("ffn_gated", up == 2 * down, certainty::likely, evidence);
  }

  // Beside attention the one width to which products widen the hidden state and from which others narrow it: what lies between them
  // may be part of a compiled kernel.
  void add_unnamed_feed_forward() {
    if (main_ == nullptr || into_.is("moe")) return;
    std::set<std::int64_t> widths;
    std::uint64_t up = 0, down = 0;
    std::string evidence;
    for (const linear_use& narrow : s_.linears) {
      if (narrow.out != hidden_ || narrow.in <= hidden_ || narrow.in == main_->heads * main_->head_dim) continue;
      const bool widened = std::any_of(s_.linears.begin(), s_.linears.end(), [&](const linear_use& l) {
        return l.in == hidden_ && l.out == narrow.in && l.rows == narrow.rows;
      });
      if (!widened) continue;
      widths.insert(narrow.in);
      evidence = narrow.evidence;
    }
    if (widths.size() != 1) return;
    for (const linear_use& l : s_.linears) {
      if (l.in == hidden_ && l.out == *widths.begin()) up += l.calls;
      if (l.out == hidden_ && l.in == *widths.begin()) down += l.calls;
    }
    say(ranks_of_tensors() > 1 || may_be_spread() ? "ffn_size_per_rank" : "ffn_size", *widths.begin(), certainty::possible, evidence);
    if (up == 2 * down) say("ffn_gated", true, certainty::possible, evidence + ", two products before it");
  }

  void add_activation_alone() {
    std::map<activation_kind, std::uint64_t> calls;
    for (const activation_use& a : s_.activations) calls[a.kind] += a.calls;
    if (calls.empty()) return;
    const auto most = std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto of =
        std::find_if(s_.activations.begin(), s_.activations.end(), [&](const activation_use& a) { return a.kind == most->first; });
    const bool alone = calls.size() == 1;
    say("activation", std::string(activation_name(most->first)), alone ? certainty::likely : certainty::possible, of->evidence);
    if (of->gated) say("ffn_gated", true, certainty::likely, of->evidence);
    if (of->gated && hidden_ == 0 && of->width > 0 && alone && !into_.is("moe")) {
      const bool returns = std::any_of(s_.linears.begin(), s_.linears.end(), [&](const linear_use& l) { return l.in == of->width; });
      if (returns) say(may_be_spread() ? "ffn_size_per_rank" : "ffn_size", of->width, certainty::likely, of->evidence);
    }
  }

  // ---- the rest ----

  // Attention in a pass, where each pass looks up its tokens once.
  void add_layers() {
    if (s_.stacked_layers > 0) say("layers", s_.stacked_layers, certainty::likely, s_.stacked_evidence);
    if (into_.has("layers") || into_.has("encoder_layers") || into_.has("attention_blocks") || several_heads_ || c_.denoises ||
        words_ == nullptr)
      return;
    std::uint64_t lookups = 0, calls = 0;
    for (const embedding_use& e : s_.embeddings)
      if (e.rows == words_->rows && e.width == words_->width) lookups += e.calls;
    for (const attention_use& a : s_.attentions) {
      calls += a.calls;
      if (a.queries != a.keys && a.queries > 1 && a.keys > 0) return;  // it may look at an encoder
    }
    if (lookups == 0 || calls <= lookups || calls % lookups != 0) return;
    say("layers", static_cast<std::int64_t>(calls / lookups), certainty::likely,
        std::to_string(calls) + " calls of attention, " + counted(lookups, "look-up", "look-ups") + " of tokens");
  }

  void add_norms() {
    std::map<norm_kind, std::uint64_t> calls;
    for (const norm_use& n : s_.norms) calls[n.kind] += n.calls;
    if (!calls.empty()) {
      const norm_kind most =
          c_.convolves && calls.count(norm_kind::group) != 0
              ? norm_kind::group
              : std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
      const auto of = std::find_if(s_.norms.begin(), s_.norms.end(), [&](const norm_use& n) { return n.kind == most; });
      if (!into_.has("norm") || calls.size() == 1 || c_.convolves)
        say("norm", std::string(norm_name(most)), calls.size() == 1 ? certainty::proved : certainty::likely, of->evidence);
    }
    for (const norm_use& n : s_.norms)
      if (n.heads > 0 && main_ != nullptr && n.heads == main_->heads) say("qk_norm", true, certainty::proved, n.evidence);
  }

  void add_positions() {
    for (const rotary_use& u : s_.rotaries) {
      say("position", std::string("rope"), certainty::proved, u.evidence);
      if (u.positions > 0) say("max_positions", u.positions, certainty::proved, u.evidence);
    }
    if (words_ == nullptr || words_->sequence <= 1 || into_.has("position")) return;
    // A second table that is looked up for the same tokens and is as long as they can be.
    const embedding_use* positions = nullptr;
    for (const embedding_use& e : s_.embeddings)
      if (&e != words_ && e.width == words_->width && e.sequence == words_->sequence && e.rows >= e.sequence && e.rows < words_->rows &&
          (positions == nullptr || e.rows > positions->rows))
        positions = &e;
    if (positions == nullptr) return;
    say("position", std::string("learned"), certainty::likely, positions->evidence);
    say("max_positions", positions->rows, certainty::likely, positions->evidence);
  }

  void add_vocabulary() {
    if (c_.recommends) return;
    constexpr std::int64_t min_words = 256;
    // Chosen from, or lost on: all of the vocabulary.
    std::int64_t chosen = 0;
    std::string chosen_evidence;
    const class_use* classes = nullptr;
    for (const class_use& k : s_.classes) {
      if (!k.loss && k.classes > chosen) {
        chosen = k.classes;
        chosen_evidence = k.evidence;
      }
      if (k.loss && (classes == nullptr || k.classes > classes->classes)) classes = &k;
    }
    const std::int64_t ranks = ranks_of_tensors();
    if (words_ != nullptr && words_->rows >= min_words && !c_.denoises) {
      const linear_use* head = nullptr;
      for (const linear_use& l : s_.linears)
        if (l.in == hidden_ && l.out == words_->rows) head = &l;
      const std::int64_t rows = words_->rows;
      const std::int64_t all = chosen > 0 ? chosen : classes != nullptr ? classes->classes : 0;
      if (ranks == 1)
        say("vocab_size", rows, head != nullptr || all == rows ? certainty::proved : certainty::likely, words_->evidence);
      else if (all == rows || all == rows * ranks)
        say("vocab_size", all, certainty::likely, chosen > 0 ? chosen_evidence : classes->evidence);
      else if (gathers(rows))
        say("vocab_size", rows * ranks, certainty::possible, words_->evidence + ", gathered from " + std::to_string(ranks) + " ranks");
      say("lm_head", head != nullptr, head != nullptr ? certainty::proved : certainty::likely,
          head != nullptr ? head->evidence : "no product with " + std::to_string(rows) + " columns");
    } else if (chosen >= min_words && !c_.trains && !c_.convolves && !c_.denoises) {
      say("vocab_size", chosen, certainty::likely, chosen_evidence);
    } else if (hidden_ > 0 && main_ != nullptr && classes != nullptr && classes->classes >= min_words * 64) {
      say("vocab_size", classes->classes, certainty::likely, classes->evidence);
    }
    // A class for each token may be a word.
    if (classes != nullptr && !into_.has("vocab_size"))
      say("classes", classes->classes, main_ == nullptr || classes->rows == main_->batch ? certainty::likely : certainty::possible,
          classes->evidence);
    // A head that makes one row of a sequence: classes of a picture.
    if (classes == nullptr && !into_.has("vocab_size") && main_ != nullptr && main_->batch > 0 && !c_.denoises)
      for (const linear_use& l : s_.linears)
        if (l.in == hidden_ && l.rows == main_->batch && l.rows != main_->batch * main_->queries && l.out != hidden_ &&
            !s_.convolutions.empty())
          say("classes", l.out, certainty::likely, l.evidence);
  }

  // Whether rows of that many columns are gathered from all ranks.
  bool gathers(std::int64_t columns) const {
    return std::any_of(c_.r.operators.begin(), c_.r.operators.end(), [&](const operator_use& o) {
      return contains_folded(o.name, "all_gather") && !o.input(0).empty() && o.input(0).back() == columns;
    });
  }

  void add_types() {
    std::map<std::string, std::uint64_t> calls;
    std::map<std::string, std::string> evidence;
    const auto note = [&](const std::string& type, std::uint64_t n, const std::string& from) {
      if (type.empty()) return;
      calls[type] += n;
      evidence.emplace(type, from);
    };
    for (const linear_use& l : s_.linears) note(l.dtype, l.calls, l.evidence);
    for (const attention_use& a : s_.attentions) note(a.dtype, a.calls, a.evidence);
    for (const convolution_use& v : s_.convolutions) note(v.dtype, v.calls, v.evidence);
    if (calls.empty()) return;
    std::uint64_t all = 0;
    for (const auto& [type, n] : calls) all += n;
    const auto most = std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    say("dtype", most->first, most->second == all ? certainty::proved : certainty::likely, evidence[most->first]);
  }

  void add_lengths() {
    if (c_.recommends) return;
    if (words_ != nullptr && words_->batch > 0 && !c_.encodes_and_decodes) {
      if (same_lengths()) {
        say("batch", words_->batch, certainty::proved, words_->evidence, "sequences");
        say("sequence", words_->sequence, certainty::proved, words_->evidence, "tokens");
      }
      return;
    }
    if (c_.encodes_and_decodes) return add_two_lengths();
    const std::optional<sample_count> samples = samples_of_pictures();
    // Attention over parts of a picture, or over one frame or one place of a clip, has a batch of its own.
    if (samples && (c_.convolves || (main_ != nullptr && main_->batch != samples->count)))
      return say("batch", samples->count, certainty::likely, samples->evidence, samples->unit);
    if (c_.convolves) return;
    if (main_ != nullptr && main_->batch > 0 && main_->queries > 0 && !several_heads_) {
      const certainty sure = main_->either_order ? certainty::possible : certainty::proved;
      say("batch", main_->batch, sure, main_->evidence, "sequences");
      if (main_->queries > 1) say("sequence", main_->queries, sure, main_->evidence, "tokens");
      return;
    }
    // Products that all begin with as many rows of the same number of sequences.
    const linear_use* first = nullptr;
    bool same = true;
    for (const linear_use& l : s_.linears) {
      if (l.batch <= 1) continue;
      if (first == nullptr) first = &l;
      same = same && l.batch == first->batch && l.rows == first->rows;
    }
    if (first != nullptr && same && hidden_ > 0 && main_ == nullptr && first->rows % first->batch == 0) {
      say("batch", first->batch, certainty::possible, first->evidence, "sequences");
      return say("sequence", first->rows / first->batch, certainty::possible, first->evidence, "tokens");
    }
    if (!s_.classes.empty() && s_.classes.front().loss && main_ == nullptr)
      say("batch", s_.classes.front().rows, certainty::likely, s_.classes.front().evidence);
  }

  struct sample_count {
    std::int64_t count = 0;
    const char* unit = "";
    std::string evidence;
  };
  // By the first convolution of pictures or of more dimensions. Frames of a clip may be folded into the batch of pictures: a loss with
  // fewer rows says how many samples they are of, and without one they are images.
  std::optional<sample_count> samples_of_pictures() const {
    for (const convolution_use& v : s_.convolutions) {
      if (v.input.size() != 4 && v.input.size() != 5) continue;
      sample_count found{v.input[0], v.input.size() == 4 && !c_.denoises ? "images" : "samples", v.evidence};
      for (const class_use& k : s_.classes)
        if (k.loss && v.input.size() == 4 && k.rows > 0 && k.rows < found.count && v.input[0] % k.rows == 0)
          found = {k.rows, "samples", v.evidence + ", a row of the loss for " + std::to_string(v.input[0] / k.rows) + " of them: " + k.evidence};
      return found.count > 0 ? std::make_optional(found) : std::nullopt;
    }
    return std::nullopt;
  }

  bool same_lengths() const {
    return std::all_of(s_.embeddings.begin(), s_.embeddings.end(), [&](const embedding_use& e) {
      return e.rows != words_->rows || (e.batch == words_->batch && e.sequence == words_->sequence);
    });
  }

  // The encoder's tokens come first; those of the decoder look at as many keys.
  void add_two_lengths() {
    std::vector<const embedding_use*> in_order;
    for (const embedding_use& e : s_.embeddings)
      if (words_ != nullptr && e.rows == words_->rows) in_order.push_back(&e);
    if (in_order.size() != 2 || in_order[0]->batch != in_order[1]->batch || in_order[0]->batch == 0) return;
    const bool crossed = std::any_of(s_.attentions.begin(), s_.attentions.end(), [&](const attention_use& a) {
      return a.queries == in_order[1]->sequence && a.keys == in_order[0]->sequence;
    });
    if (!crossed) return;
    say("batch", in_order[0]->batch, certainty::proved, in_order[0]->evidence, "sequences");
    say("encoder_sequence", in_order[0]->sequence, certainty::proved, in_order[0]->evidence, "tokens");
    say("decoder_sequence", in_order[1]->sequence, certainty::proved, in_order[1]->evidence, "tokens");
  }

  // ---- convolutions ----

  void find_convolutions() {
    if (s_.convolutions.empty()) return;
    const convolution_use& first = s_.convolutions.front();
    if (main_ == nullptr && s_.convolutions.size() > 1) c_.convolves = true;
    if (first.input.size() != 4 || first.weight.size() != 4) return;
    const std::int64_t channels = first.input[1], side = first.input[2], kernel = first.weight[2];
    if (c_.denoises) {
      if (channels == 4 && side == first.input[3] && c_.convolves) say("latent_size", side, certainty::likely, first.evidence);
    } else if (channels == 3 && side == first.input[3]) {
      say("image_size", side, certainty::proved, first.evidence);
      // Patches: as many tokens as fit, give or take one for the class.
      if (main_ != nullptr && kernel > 1 && main_->queries > 0) {
        const std::int64_t patches = (side / kernel) * (side / kernel);
        if (main_->queries >= patches && main_->queries <= patches + 2) say("patch_size", kernel, certainty::proved, first.evidence);
      }
    }
    if (crosses_ && c_.denoises) say("cross_attention", true, certainty::likely, "attention with other keys than queries");
  }

  // ---- recommendation: two chains of products around an interaction of features ----

  void add_recommendation() {
    if (!c_.recommends) return;
    // Chains of products, each going on with what the last one made, in the order of their calls.
    std::vector<std::vector<std::int64_t>> chains;
    std::int64_t rows = 0;
    std::string evidence;
    for (const linear_use& l : s_.linears) {
      if (rows == 0) {
        rows = l.rows;
        evidence = l.evidence;
      }
      if (l.rows != rows) continue;
      if (chains.empty() || chains.back().back() != l.in) chains.push_back({l.in});
      chains.back().push_back(l.out);
    }
    if (chains.size() != 2) return;
    say("batch", rows, certainty::proved, evidence);
    say("bottom_mlp", chains[0], certainty::likely, evidence + " and those after it");
    say("top_mlp", chains[1], certainty::likely, "products after the interaction");
    say("dense_features", chains[0].front(), certainty::likely, evidence);
    say("embedding_dim", chains[0].back(), certainty::likely, "the width that the bottom ends with");
    // The interaction: every feature with every other one.
    for (const operator_use& o : c_.r.operators) {
      if (o.backward || o.name != "aten::bmm" || o.input(0).size() != 3 || o.input(1).size() != 3) continue;
      if (o.input(0)[1] == o.input(1)[2] && o.input(0)[2] == o.input(1)[1] && o.input(0)[2] == chains[0].back())
        say("interaction_features", o.input(0)[1], certainty::proved, std::string(o.name) + ' ' + std::string(o.shapes_text));
    }
  }

  fact_context& c_;
  const model_shapes& s_;
  fact_list& into_;
  const attention_use* main_ = nullptr;
  const attention_use* latent_ = nullptr;
  const embedding_use* words_ = nullptr;
  bool several_heads_ = false, crosses_ = false;
  std::int64_t hidden_ = 0;
};

}  // namespace

void add_shape_facts(fact_context& c, fact_list& into) { shape_reader(c, into).run(); }

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
