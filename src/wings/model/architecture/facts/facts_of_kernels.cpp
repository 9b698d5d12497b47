// What names of kernels and their template arguments say where shapes are not on record.
#include <model/architecture/facts/model_facts.hpp>

#include <base/kernel_families.hpp>
#include <base/affix.hpp>
#include <base/split.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

enum class backend_of : std::uint8_t { attention, experts };
struct backend_rule {
  backend_of what;
  std::string_view part, unless, name;
};
constexpr backend_rule backend_rules[] = {
#define PROFKIT_BACKEND(what, part, unless, name) {backend_of::what, part, unless, name},
#include <model/architecture/facts/backends.inc>
};

std::string kernel_evidence(const kernel_use& k) {
  constexpr std::size_t most = 160;
  std::string text = std::to_string(k.calls) + " x " + std::string(k.name.substr(0, most));
  return text + (k.name.size() > most ? "…" : "");
}

// The whole numbers in a text, in order; those that are part of a word do not count.
std::vector<std::int64_t> numbers_in(std::string_view text, std::size_t most) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < text.size() && all.size() < most; ++i) {
    if (!is_digit(text[i])) continue;
    const char before = i == 0 ? ' ' : text[i - 1];
    const bool in_word = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') || before == '_' || before == '.';
    std::int64_t n = 0;
    for (; i < text.size() && is_digit(text[i]); ++i) n = n > (std::int64_t{1} << 40) ? n : 10 * n + (text[i] - '0');
    if (!in_word) all.push_back(n);
  }
  return all;
}

// The arguments of the template that opens right before `text`, each without what lies in its own brackets.
std::vector<std::string_view> template_arguments(std::string_view text) {
  std::vector<std::string_view> all;
  std::size_t depth = 0, from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    const bool closes = c == '>' || c == ')' || c == '}';
    if ((c == ',' && depth == 0) || (closes && depth == 0)) {
      std::string_view one = text.substr(from, i - from);
      while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
      while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
      all.push_back(one);
      from = i + 1;
    }
    if (closes) {
      if (depth == 0) return all;
      --depth;
    }
  }
  return {};
}

std::int64_t whole_number(std::string_view text) {
  std::int64_t n = 0;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) n = n > (std::int64_t{1} << 40) ? n : 10 * n + (text[i] - '0');
  const bool ends = i == text.size() || text.substr(i) == "u" || text.substr(i) == "l" || text.substr(i) == "ul";
  return i > 0 && ends ? n : -1;
}

class kernel_reader {
 public:
  kernel_reader(fact_context& c, fact_list& into) : c_(c), into_(into) {}

  void run() {
    count_kinds();
    add_backends();
    for (const kernel_use& k : c_.r.kernels) {
      read_experts(k);
      if (k.communicates) continue;
      read_attention(k);
      read_formats(k);
    }
    settle_head_dim();
    settle_causal();
    add_experts();
    add_norm();
    add_activation();
    add_types();
    add_layers();
    add_state_spaces();
  }

 private:
  void say(const char* name, fact_value value, certainty sure, const std::string& evidence) {
    into_.add(name, std::move(value), sure, fact_source::kernel, evidence);
  }
  // What shapes say is not asked again.
  void say_new(const char* name, fact_value value, certainty sure, const std::string& evidence) {
    if (!into_.has(name)) say(name, std::move(value), sure, evidence);
  }

  void count_kinds() {
    for (const kernel_use& k : c_.r.kernels) {
      if (k.communicates) {
        kinds_.push_back(op_kind::collective);
        continue;
      }
      const kernel_family* f = find_family(k.type);
      if (f == nullptr && k.name != k.type) f = find_family(k.name);
      kinds_.push_back(f == nullptr ? op_kind::unknown : f->kind);
      attends_ = attends_ || kinds_.back() == op_kind::attention;
    }
  }

  void add_backends() {
    for (const backend_of what : {backend_of::attention, backend_of::experts}) {
      std::map<std::string_view, std::pair<std::uint64_t, const kernel_use*>> calls;
      for (const kernel_use& k : c_.r.kernels) {
        for (const backend_rule& rule : backend_rules) {
          if (rule.what != what || !(contains_folded(k.name, rule.part) || contains_folded(k.type, rule.part))) continue;
          if (!rule.unless.empty() && contains_folded(k.name, rule.unless)) continue;
          auto& of = calls[rule.name];
          of.first += k.calls;
          if (of.second == nullptr) of.second = &k;
          break;
        }
      }
      if (calls.empty()) continue;
      const auto most =
          std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
      if (what == backend_of::experts && calls.count("DeepEP + DeepGEMM") != 0) {
        say("moe_backend", std::string("DeepEP + DeepGEMM"), certainty::likely, kernel_evidence(*calls["DeepEP + DeepGEMM"].second));
        continue;
      }
      const bool alone = what == backend_of::attention || calls.size() == 1;
      say(what == backend_of::attention ? "attention_backend" : "moe_backend", std::string(most->first),
          alone ? certainty::likely : certainty::possible, kernel_evidence(*most->second.second));
    }
  }

  // ---- attention ----

  // Kernels are made for sizes up to the one in their name.
  void note_size(std::int64_t size, const kernel_use& k) {
    constexpr std::int64_t least = 16, most = 512;
    if (size < least || size > most) return;
    sizes_[size] += k.calls;
    size_evidence_.emplace(size, kernel_evidence(k));
  }
  void note_causal(bool causal, const kernel_use& k) {
    causal_.insert(causal);
    if (causal_evidence_.empty()) causal_evidence_ = kernel_evidence(k);
  }

  void read_attention(const kernel_use& k) {
    const std::string_view name = k.name;
    if (contains(name, "traits_mla<")) {
      say_new("attention_kind", std::string("MLA"), certainty::likely, kernel_evidence(k));
      const std::vector<std::int64_t> n = numbers_in(text_after(name, "traits_mla<"), 8);
      if (n.size() >= 5 && n.back() < n.front() && !into_.has("kv_lora_rank")) {
        const std::int64_t values = n.size() > 4 ? n[4] : 0;  // <576, 64, 64, 8, type, 512>
        if (values > 0 && values < n[0]) say("kv_lora_rank", values, certainty::likely, kernel_evidence(k));
      }
      return;
    }
    for (const std::string_view traits : {"Flash_fwd_kernel_traits<", "Flash_bwd_kernel_traits<"})
      if (const std::string_view rest = text_after(name, traits); !rest.empty()) note_size(whole_number(rest.substr(0, rest.find(','))), k);
    if (const std::string_view rest = text_after(name, "flash_fwd_kernel<"); !rest.empty()) {
      // traits, dropout, causal, local, …
      const std::vector<std::string_view> a = template_arguments(rest);
      if (a.size() >= 4 && a[2] == "true") note_causal(true, k);
      if (a.size() >= 4 && a[2] == "false" && a[3] == "false") note_causal(false, k);
    }
    if (const std::string_view rest = text_after(name, "CollectiveMainloopFwdSm90<"); !rest.empty()) {
      const std::vector<std::int64_t> n = sizes_of_tiles(rest);  // cluster, then rows, columns and size of a head
      if (n.size() >= 6) note_size(n[5], k);
    }
    if (const std::string_view rest = text_after(name, "fmha_cutlassF_"); !rest.empty()) note_size(number_after_x(rest), k);
    if (contains(name, "sdpa_sm") && contains(name, "fprop")) note_size(third_of_tile(text_after(name, "knob_")), k);
    if (const std::string_view rest = text_after(name, "TileFmhaShape<ck_tile::sequence<"); !rest.empty()) {
      const std::vector<std::int64_t> n = numbers_in(rest.substr(0, rest.find('>')), 8);
      if (n.size() >= 6 && n[3] == n[5]) note_size(n[3], k);
    }
    if (const std::string_view rest = text_after(name, "BlockFmhaBwdOGradDotOPipelineProblem<"); !rest.empty()) {
      const std::vector<std::string_view> a = template_arguments(rest);
      for (std::size_t i = 0; i + 1 < a.size(); ++i)
        if (whole_number(a[i]) > 0 && whole_number(a[i + 1]) > 0) note_size(whole_number(a[i + 1]), k);
    }
    if (contains(name, "SimplifiedGenericAttentionMask<true>")) note_causal(true, k);
    if (starts_with(name, "fmhaSm")) read_trtllm(k);
    if (const std::string_view rest = text_after(name, "paged_attention_ll4mi_QKV"); !rest.empty()) read_mfma(k, rest);
    for (const std::string_view vllm : {"paged_attention_v1_kernel<", "paged_attention_v2_kernel<"})
      if (const std::string_view rest = text_after(name, vllm); !rest.empty())
        for (const std::string_view a : template_arguments(rest))
          if (whole_number(a) > 0) {
            note_size(whole_number(a), k);
            break;
          }
    if (contains_folded(name, "rotary") || contains_folded(k.type, "rotary") || contains_folded(name, "fused_rope"))
      say_new("position", std::string("rope"), certainty::likely, kernel_evidence(k));
    if (contains(name, "Fp8KVCacheDataType)1") && contains_folded(name, "cache"))
      say("kv_cache_dtype", std::string("fp8 (e4m3)"), certainty::likely, kernel_evidence(k));
    if (contains(name, "Fp8KVCacheDataType)2") && contains_folded(name, "cache"))
      say("kv_cache_dtype", std::string("fp8 (e5m2)"), certainty::likely, kernel_evidence(k));
  }

  // "cute::C<1>, cute::C<1>, …": the numbers of compile time.
  static std::vector<std::int64_t> sizes_of_tiles(std::string_view text) {
    std::vector<std::int64_t> all;
    for (std::string_view rest = text_after(text, "cute::C<"); !rest.empty() && all.size() < 6; rest = text_after(rest, "cute::C<"))
      all.push_back(whole_number(rest.substr(0, rest.find('>'))));
    return all;
  }
  // "bf16_aligned_64x128_rf": 128.
  static std::int64_t number_after_x(std::string_view text) {
    for (std::size_t i = 1; i + 1 < text.size(); ++i)
      if (text[i] == 'x' && is_digit(text[i - 1]) && is_digit(text[i + 1])) {
        std::size_t end = i + 1;
        while (end < text.size() && is_digit(text[end])) ++end;
        return whole_number(text.substr(i + 1, end - i - 1));
      }
    return -1;
  }
  // "7_64x128x64_4x1x1": 64.
  static std::int64_t third_of_tile(std::string_view text) {
    const std::size_t tile = text.find('_');
    if (tile == std::string_view::npos) return -1;
    std::string_view rest = text.substr(tile + 1);
    for (int i = 0; i < 2; ++i) {
      const std::size_t x = rest.find('x');
      if (x == std::string_view::npos) return -1;
      rest.remove_prefix(x + 1);
    }
    std::size_t end = 0;
    while (end < rest.size() && is_digit(rest[end])) ++end;
    return whole_number(rest.substr(0, end));
  }

  // fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvSlidingOrChunkedCausalP16…
  void read_trtllm(const kernel_use& k) {
    const std::string_view name = k.name;
    for (std::size_t i = 1; i + 1 < name.size(); ++i)
      if (name[i] == 'H' && is_digit(name[i + 1]) && is_digit(name[i - 1])) {
        std::size_t end = i + 1;
        while (end < name.size() && is_digit(name[end])) ++end;
        note_size(whole_number(name.substr(i + 1, end - i - 1)), k);
        break;
      }
    if (contains(name, "Causal")) note_causal(true, k);
    if (contains(name, "SlidingOrChunked")) sliding_ += k.calls;
    trtllm_ += k.calls;
    if (contains(name, "QkvE4m3")) say_new("kv_cache_dtype", std::string("fp8 (e4m3)"), certainty::likely, kernel_evidence(k));
  }

  // <…, block size, head size, 256 threads, alibi, query heads to one of keys, …>
  void read_mfma(const kernel_use& k, std::string_view rest) {
    rest = text_after(rest, "<");
    const std::vector<std::string_view> a = template_arguments(rest);
    for (std::size_t i = 2; i + 2 < a.size(); ++i) {
      if (a[i] != "256" || (a[i + 1] != "false" && a[i + 1] != "true") || whole_number(a[i - 1]) <= 0) continue;
      note_size(whole_number(a[i - 1]), k);
      const std::int64_t ratio = whole_number(a[i + 2]);
      if (ratio > 0) {
        say_new("gqa_ratio", ratio, certainty::likely, kernel_evidence(k));
        say_new("attention_kind", std::string(ratio == 1 ? "MHA" : "GQA"), ratio == 1 ? certainty::likely : certainty::possible,
                kernel_evidence(k));
      }
      return;
    }
  }

  void settle_head_dim() {
    if (into_.has("head_dim") || into_.text("attention_kind") == "MLA" || !c_.shapes.attentions.empty()) return;
    if (sizes_.size() == 1)
      say("head_dim", sizes_.begin()->first, certainty::possible, size_evidence_.begin()->second + ": or somewhat less");
  }
  void settle_causal() {
    if (causal_.size() == 1 && !into_.has("causal")) say("causal", *causal_.begin(), certainty::likely, causal_evidence_);
    if (sliding_ > 0 && sliding_ < trtllm_) {
      const std::uint64_t passes = c_.passes > 0 ? c_.passes : 1;
      if (sliding_ % passes == 0)
        say("sliding_window_layers", static_cast<std::int64_t>(sliding_ / passes), certainty::likely,
            std::to_string(sliding_) + " x SlidingOrChunkedCausal of " + std::to_string(trtllm_));
    }
  }

  // ---- experts ----

  void read_experts(const kernel_use& k) {
    const std::string_view name = k.name;
    for (const std::string_view gating : {"topkGating<", "topkGatingSoftmax<"})
      if (const std::string_view rest = text_after(name, gating); !rest.empty()) {
        const std::vector<std::string_view> a = template_arguments(rest);
        if (a.size() >= 2 && whole_number(a[1]) > 1) note_experts(whole_number(a[1]), k);
      }
    if (contains(name, "routingIndices") || contains(name, "routing::")) {
      if (const std::string_view rest = text_after(name, "KernelParams<"); !rest.empty())
        for (const std::string_view a : template_arguments(rest))
          if (whole_number(a) > 1) {
            note_experts(whole_number(a), k);
            break;
          }
    }
    if (const std::string_view rest = text_after(name, "moe_sum_kernel<"); !rest.empty()) {
      const std::vector<std::string_view> a = template_arguments(rest);
      if (a.size() == 2 && whole_number(a[1]) > 0) say_new("experts_per_token", whole_number(a[1]), certainty::likely, kernel_evidence(k));
    }
    // type, type of weights, tokens' experts
    for (const std::string_view permute : {"moe_permute_kernel<", "moe_unpermute_kernel<"})
      if (const std::string_view rest = text_after(name, permute); !rest.empty()) {
        const std::vector<std::string_view> a = template_arguments(rest);
        if (a.size() >= 3 && whole_number(a[2]) > 0)
          say_new("experts_per_token", whole_number(a[2]), certainty::likely, kernel_evidence(k));
      }
    if (contains(name, "deep_ep::")) {
      for (const std::string_view part : {"dispatch<", "combine<"})
        if (const std::string_view rest = text_after(name, part); !rest.empty())
          for (const std::string_view a : template_arguments(rest))
            if (whole_number(a) >= 256) dispatched_.insert(whole_number(a));
      if (dispatch_evidence_.empty()) dispatch_evidence_ = kernel_evidence(k);
    }
    if (contains(name, "deep_gemm::") && contains(name, "_gemm_")) {
      const std::vector<std::string_view> a = template_arguments(text_after(name.substr(name.find("_gemm_")), "<"));
      // major, m, n, k, groups, …; of grouped products the groups are the experts of this rank.
      std::vector<std::int64_t> n;
      for (const std::string_view one : a)
        if (whole_number(one) >= 0) n.push_back(whole_number(one));
      const bool grouped = contains(name, "GemmType)1") || contains(name, "GemmType)2");
      if (grouped && n.size() >= 4 && n[1] > 0 && n[2] > 0 && n[3] > 1) products_.push_back({n[1], n[2], n[3], &k});
    }
  }

  void note_experts(std::int64_t n, const kernel_use& k) {
    experts_.insert(n);
    if (experts_evidence_.empty()) experts_evidence_ = kernel_evidence(k);
  }

  void add_experts() {
    if (experts_.size() == 1) say_new("experts", *experts_.begin(), certainty::likely, experts_evidence_);
    if (dispatched_.size() == 1 && !into_.has("hidden_size"))
      say("hidden_size", *dispatched_.begin(), certainty::likely, dispatch_evidence_);
    const std::int64_t hidden = into_.number("hidden_size").value_or(0);
    for (const product& p : products_) {
      // The product that turns what an expert makes back: another one, twice as wide, stands before it.
      const bool widened =
          std::any_of(products_.begin(), products_.end(), [&](const product& up) { return up.k == hidden && up.n == 2 * p.k; });
      if (hidden == 0 || p.n != hidden || (p.k == hidden && !widened)) continue;
      say_new("expert_ffn_size", p.k, certainty::likely, kernel_evidence(*p.of));
      say_new("experts_per_rank", p.groups, certainty::likely, kernel_evidence(*p.of));
    }
    for (std::size_t i = 0; i < c_.r.kernels.size(); ++i) {
      const op_kind kind = kinds_[i];
      const bool expert = kind == op_kind::moe_gating || kind == op_kind::moe_routing || kind == op_kind::fused_experts ||
                          kind == op_kind::distributed_experts;
      const bool recommends = c_.recommends || c_.convolves;
      if (expert && !recommends) {
        say("moe", true, kind == op_kind::moe_routing && !into_.has("experts") ? certainty::likely : certainty::proved,
            kernel_evidence(c_.r.kernels[i]));
        break;
      }
    }
    if (!into_.has("moe") && into_.has("moe_backend")) say("moe", true, certainty::likely, into_.find("moe_backend")->evidence);
    if (into_.is("moe")) into_.remove("ffn_size");
    if (!into_.is("moe")) into_.remove("moe_backend");
  }

  void read_formats(const kernel_use& k) {
    const std::string_view name = k.name;
    if (contains(name, "_MxE2m1") || contains(name, "xmxfp4"))
      say("weight_format", std::string("mxfp4"), certainty::likely, kernel_evidence(k));
    if (contains(name, "deep_gemm::") && contains(name, "fp8_gemm"))
      say("weight_format", std::string("fp8"), certainty::likely, kernel_evidence(k));
    if (contains(name, "_E2m1") && starts_with(name, "bmm_E2m1"))
      say("weight_format", std::string("nvfp4"), certainty::possible, kernel_evidence(k));
  }

  // ---- what names alone say ----

  void add_norm() {
    if (into_.has("norm")) return;
    std::map<std::string, std::pair<std::uint64_t, std::string>> calls;
    std::uint64_t squares = 0, means = 0, roots = 0;
    std::string square_evidence;
    for (const kernel_use& k : c_.r.kernels) {
      const auto stands = [&](std::string_view word) { return contains_folded(k.name, word) || contains_folded(k.type, word); };
      // Of kernels that a compiler fused: "triton_red_fused_add_mean_mul_pow_rsqrt_0".
      const bool squares_fused = stands("triton") && stands("mean") && stands("pow") && stands("rsqrt");
      const char* kind = squares_fused || stands("rmsnorm") || stands("rms_norm")                                 ? "RMSNorm"
                         : stands("layer_norm") || stands("layernorm")                                            ? "LayerNorm"
                         : stands("group_norm") || stands("groupnorm")                                            ? "GroupNorm"
                         : stands("bn_fw") || stands("batch_norm") || stands("batchnorm") || stands("bntraining") ? "BatchNorm"
                                                                                                                  : nullptr;
      if (kind != nullptr) {
        auto& of = calls[kind];
        of.first += k.calls;
        if (of.second.empty()) of.second = kernel_evidence(k);
      }
      if (stands("pow_tensor_scalar")) {
        squares += k.calls;
        square_evidence = kernel_evidence(k);
      }
      if (stands("meanops")) means += k.calls;
      if (stands("rsqrt")) roots += k.calls;
    }
    if (!calls.empty()) {
      const auto most =
          std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
      return say("norm", most->first, calls.size() == 1 ? certainty::likely : certainty::possible, most->second.second);
    }
    if (squares > 0 && means > 0 && roots > 0 && attends_)
      say("norm", std::string("RMSNorm"), certainty::likely, square_evidence + ", mean and rsqrt");
  }

  void add_activation() {
    std::map<std::string, std::pair<std::uint64_t, std::string>> calls;
    std::uint64_t products = 0;
    for (const kernel_use& k : c_.r.kernels) {
      const auto stands = [&](std::string_view word) { return contains_folded(k.name, word) || contains_folded(k.type, word); };
      if (stands("backward") || stands("grad")) continue;
      if (stands("mulfunctor")) products += k.calls;
      const bool gated = stands("act_and_mul") || stands("swiglu") || stands("silu_mul") || stands("silu_and_mul") ||
                         stands("gluadaptor") || stands("geglu");
      const char* kind = stands("swiglu") ? "swiglu" : stands("silu") ? "silu" : stands("gelu") || stands("geglu") ? "gelu" : nullptr;
      if (kind == nullptr && (stands("relu") || stands("launch_clamp_scalar")) && !stands("gemm") && !stands("cudnn") && !stands("conv"))
        kind = "relu";
      if (kind == nullptr) continue;
      auto& of = calls[kind];
      of.first += k.calls;
      if (of.second.empty()) of.second = kernel_evidence(k);
      if (gated && (attends_ || into_.is("moe"))) say_new("ffn_gated", true, certainty::likely, kernel_evidence(k));
    }
    if (calls.empty()) return;
    const auto most =
        std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
    if (most->first == "relu" && !c_.convolves) return;
    say_new("activation", most->first, calls.size() == 1 ? certainty::likely : certainty::possible, most->second.second);
    if (most->first == "silu" && attends_ && products >= most->second.first && !into_.is("moe"))
      say_new("ffn_gated", true, certainty::possible, most->second.second + ", each with a product of its size");
  }

  void add_types() {
    if (into_.has("dtype")) return;
    std::map<std::string, std::pair<std::uint64_t, std::string>> calls;
    for (std::size_t i = 0; i < c_.r.kernels.size(); ++i) {
      const kernel_use& k = c_.r.kernels[i];
      if (kinds_[i] != op_kind::attention && kinds_[i] != op_kind::matmul && kinds_[i] != op_kind::norm &&
          kinds_[i] != op_kind::attention_backward && kinds_[i] != op_kind::activation && !(c_.convolves && !k.communicates))
        continue;
      std::string type;
      if (!k.dtypes.empty()) {
        type = first_type(k);
      } else {
        const auto stands = [&](std::string_view word) { return contains_folded(k.name, word); };
        type = stands("bfloat16") || stands("bf16") || stands("_BBS_BH_")                  ? "bf16"
               : stands("half") || stands("fp16") || stands("_HHS_BH_")                    ? "fp16"
               : stands("<float") || stands("sgemm") || stands("tf32") || stands("float,") ? "fp32"
                                                                                           : "";
      }
      if (type.empty()) continue;
      auto& of = calls[type];
      of.first += k.calls;
      if (of.second.empty()) of.second = kernel_evidence(k);
    }
    if (calls.empty()) return;
    // fp32 beside a shorter type is where sums are made.
    if (calls.size() == 2 && calls.count("fp32") != 0) calls.erase("fp32");
    const auto most =
        std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
    say("dtype", most->first, calls.size() == 1 ? certainty::likely : certainty::possible, most->second.second);
  }

  void add_layers() {
    const device_architecture* d = c_.r.found;
    if (d == nullptr || d->source != anchor_source::attention || d->layers_per_pass == 0 || into_.has("layers") ||
        into_.has("encoder_layers") || into_.has("attention_blocks") || c_.convolves)
      return;
    if (d->anchors < 2) return;
    const certainty sure = d->sure == confidence::high ? certainty::likely : certainty::possible;
    say("layers", static_cast<std::int64_t>(d->layers_per_pass), sure, std::to_string(d->anchors) + " x " + d->anchor);
    // Kinds of the layers of a whole pass.
    std::uint64_t dense = 0, moe = 0;
    for (const layer_type& t : d->types)
      if (t.layout < d->layouts.size() && !d->layouts[t.layout].cut && t.layout == 0)
        (t.kind == layer_kind::dense ? dense : moe) += t.count;
    if (moe > 0 && dense + moe == d->layers_per_pass && into_.is("moe")) {
      say_new("moe_layers", static_cast<std::int64_t>(moe), certainty::possible, "kernels of experts in these layers");
      if (dense > 0)
        say_new("dense_layers", static_cast<std::int64_t>(dense), certainty::possible, "no kernels of experts in these layers");
    }
    // Norms of queries and keys are a kernel of their own size, twice a layer, as are those of the layer itself.
    std::vector<const kernel_use*> norms;
    for (std::size_t i = 0; i < c_.r.kernels.size(); ++i)
      if (kinds_[i] == op_kind::norm && contains_folded(c_.r.kernels[i].name, "norm") && c_.r.kernels[i].calls == 2 * d->anchors)
        norms.push_back(&c_.r.kernels[i]);
    if (norms.size() == 2 && !into_.has("qk_norm"))
      say("qk_norm", true, certainty::possible, kernel_evidence(*norms[0]) + " beside another such kernel");
  }

  void add_state_spaces() {
    std::uint64_t scans = 0, attention = 0;
    std::string evidence;
    for (std::size_t i = 0; i < c_.r.kernels.size(); ++i) {
      if (kinds_[i] == op_kind::mixer) {
        scans += c_.r.kernels[i].calls;
        evidence = kernel_evidence(c_.r.kernels[i]);
      }
      if (kinds_[i] == op_kind::attention) attention += c_.r.kernels[i].calls;
    }
    if (scans == 0 || c_.trains || into_.has("ssm_layers")) return;
    const std::uint64_t passes = std::max<std::uint64_t>(c_.passes, 1);
    if (scans % passes != 0 || attention % passes != 0) return;
    into_.remove("layers");
    say("ssm_layers", static_cast<std::int64_t>(scans / passes), certainty::possible, evidence);
    say("attention_layers", static_cast<std::int64_t>(attention / passes), certainty::possible, evidence);
    say("layers", static_cast<std::int64_t>((scans + attention) / passes), certainty::possible, evidence);
  }

  struct product {
    std::int64_t n, k, groups;
    const kernel_use* of;
  };

  fact_context& c_;
  fact_list& into_;
  std::vector<op_kind> kinds_;  // of the kernels
  bool attends_ = false;
  std::map<std::int64_t, std::uint64_t> sizes_;
  std::map<std::int64_t, std::string> size_evidence_;
  std::set<bool> causal_;
  std::string causal_evidence_;
  std::uint64_t sliding_ = 0, trtllm_ = 0;
  std::set<std::int64_t> experts_, dispatched_;
  std::string experts_evidence_, dispatch_evidence_;
  std::vector<product> products_;
};

}  // namespace

void add_kernel_facts(fact_context& c, fact_list& into) { kernel_reader(c, into).run(); }

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
