// What serving frameworks write around their steps: which phase, how many sequences, how many tokens.
// Source of names: vLLM's gpu_model_runner.py ("execute_context_1(888)_generation_0(0)"), AITER's variant of it, SGLang's
// scheduler ("step[DECODE bs=32]"), TensorRT-LLM's py_executor.py ("[Executor] _forward_step 3: 1 ctx reqs, 8 gen reqs").
#include <model/architecture/facts/model_facts.hpp>

#include <base/affix.hpp>
#include <base/split.hpp>

#include <algorithm>
#include <optional>
#include <set>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

struct served_step {
  std::int64_t prompts = -1, generating = -1;  // sequences; -1: not known
  std::int64_t prompt_tokens = -1, key_tokens = -1, query_tokens = -1;
  std::int64_t batch = -1;
  const char* phase = "";
  std::string_view name;
};

// The number that begins there; -1: none.
std::int64_t leading_number(std::string_view text) {
  std::int64_t n = -1;
  constexpr std::int64_t most = std::int64_t{1} << 50;
  for (std::size_t i = 0; i < text.size() && is_digit(text[i]); ++i) n = n > most ? n : (n < 0 ? 0 : 10 * n) + (text[i] - '0');
  return n;
}
const char* phase_of_counts(std::int64_t prompts, std::int64_t generating) {
  return prompts > 0 && generating > 0 ? "mixed" : prompts > 0 ? "prefill" : generating > 0 ? "decode" : "";
}

std::optional<served_step> vllm_step(std::string_view name) {
  if (!starts_with(name, "execute_")) return std::nullopt;
  const std::string_view context = text_after(name, "context_"), generation = text_after(name, "generation_");
  served_step s;
  s.name = name;
  s.prompts = leading_number(context);
  s.generating = leading_number(generation);
  if (s.prompts < 0 || s.generating < 0) return std::nullopt;
  s.phase = phase_of_counts(s.prompts, s.generating);
  const auto tokens_of = [](std::string_view part) {
    std::string_view inside = text_after(part, "(");
    if (starts_with(inside, "sq")) inside.remove_prefix(2);
    return leading_number(inside);
  };
  s.prompt_tokens = tokens_of(context);
  const std::int64_t generated = tokens_of(generation);
  if (s.prompt_tokens >= 0 && generated >= 0) s.query_tokens = s.prompt_tokens + generated;
  const std::string_view keys = text_after(text_after(generation, "("), "sk"),
                         prompt_keys = text_after(text_after(context.substr(0, context.find(")")), "("), "sk");
  if (!keys.empty())
    s.key_tokens = std::max<std::int64_t>(leading_number(keys), 0) + std::max<std::int64_t>(leading_number(prompt_keys), 0);
  s.batch = s.prompts + s.generating;
  return s;
}

std::optional<served_step> sglang_step(std::string_view name) {
  if (!starts_with(name, "step[")) return std::nullopt;
  const std::string_view mode = name.substr(5, name.find_first_of(" ]", 5) - 5);
  served_step s;
  s.name = name;
  s.batch = leading_number(text_after(name, "bs="));
  if (mode == "DECODE" || mode == "TARGET_VERIFY")
    s.phase = "decode";
  else if (mode == "EXTEND" || mode == "PREFILL" || mode == "SPLIT_PREFILL")
    s.phase = "prefill";
  else if (mode == "MIXED")
    s.phase = "mixed";
  if (s.phase == std::string_view("prefill")) {
    s.prompts = s.batch;
    s.prompt_tokens = leading_number(text_after(name, "toks="));
  }
  return s.phase[0] == '\0' ? std::nullopt : std::make_optional(s);
}

std::optional<served_step> tensorrt_step(std::string_view name) {
  if (!contains(name, "_forward_step ")) return std::nullopt;
  const std::string_view counts = text_after(text_after(name, "_forward_step "), ": ");
  const std::string_view generating = text_after(counts, " ctx reqs, ");
  served_step s;
  s.name = name;
  s.prompts = leading_number(counts);
  s.generating = leading_number(generating);
  if (s.prompts < 0 || s.generating < 0 || !contains(generating, "gen reqs")) return std::nullopt;
  s.phase = phase_of_counts(s.prompts, s.generating);
  s.batch = s.prompts + s.generating;
  return s.phase[0] == '\0' ? std::nullopt : std::make_optional(s);
}

// The same in all steps, and known; -1 otherwise.
template <class Get>
std::int64_t same_in_all(const std::vector<served_step>& steps, Get&& get) {
  for (const served_step& s : steps)
    if (get(s) != get(steps.front())) return -1;
  return get(steps.front());
}

std::string steps_evidence(const std::vector<served_step>& steps) {
  std::string text = std::to_string(steps.size()) + " x annotation " + std::string(steps.front().name.substr(0, 100));
  return text;
}

// `main`: steps of this kind count the passes; `in_order`: they are in the order of time.
void add_steps(const std::vector<served_step>& steps, bool main, bool in_order, fact_context& c, fact_list& into) {
  if (steps.empty()) return;
  const std::string evidence = steps_evidence(steps);
  std::set<std::string> phases;
  std::vector<std::string> each;
  for (const served_step& s : steps) {
    if (s.phase[0] == '\0') continue;
    phases.insert(s.phase);
    each.emplace_back(s.phase);
  }
  if (!phases.empty()) {
    into.add("mode", std::string("inference"), certainty::proved, fact_source::annotation, evidence);
    into.add("phases", std::vector<std::string>(phases.begin(), phases.end()), certainty::proved, fact_source::annotation, evidence);
  }
  if (main && in_order && phases.size() > 1) into.add("step_phases", each, certainty::proved, fact_source::annotation, evidence);
  if (const std::int64_t batch = same_in_all(steps, [](const served_step& s) { return s.batch; }); batch > 0 && phases.size() == 1)
    into.add("batch", batch, certainty::proved, fact_source::annotation, evidence, "sequences");
  const std::int64_t prompts = same_in_all(steps, [](const served_step& s) { return s.prompts; });
  const std::int64_t tokens = same_in_all(steps, [](const served_step& s) { return s.prompt_tokens; });
  if (prompts == 1 && tokens > 0 && phases.size() == 1 && *phases.begin() == "prefill")
    into.add("sequence", tokens, certainty::proved, fact_source::annotation, evidence, "tokens");
  const std::int64_t keys = same_in_all(steps, [](const served_step& s) { return s.key_tokens; });
  if (keys > 0) into.add("context_tokens", keys, certainty::proved, fact_source::annotation, evidence, "tokens");
  const std::int64_t queries = same_in_all(steps, [](const served_step& s) { return s.query_tokens; });
  if (queries > 0) into.add("query_tokens", queries, certainty::proved, fact_source::annotation, evidence, "tokens");
  c.passes = std::max<std::uint64_t>(c.passes, main ? steps.size() : 0);
}

}  // namespace

void add_step_facts(fact_context& c, fact_list& into) {
  const bool of_host = std::any_of(c.r.steps.begin(), c.r.steps.end(), [](const step_marker& m) { return m.device < 0; });
  std::vector<served_step> vllm, sglang, tensorrt;
  std::set<std::pair<std::int64_t, string_id>> seen;
  for (const step_marker& m : c.r.steps) {
    if ((m.device < 0) != of_host || !seen.emplace(m.start_ps, m.name).second) continue;
    const std::string_view name = c.r.of->text(m.name);
    if (auto s = vllm_step(name)) vllm.push_back(*s);
    if (auto s = sglang_step(name)) sglang.push_back(*s);
  }
  for (const span_use& s : c.r.spans)
    if (auto found = tensorrt_step(s.name))
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(s.calls, 1000); ++i) tensorrt.push_back(*found);
  add_steps(sglang, !sglang.empty(), true, c, into);
  add_steps(vllm, sglang.empty(), true, c, into);
  add_steps(tensorrt, sglang.empty() && vllm.empty(), false, c, into);
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
