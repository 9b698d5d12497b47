// What scopes of modules say: which class ran, how many blocks lie in it, and their kinds.
#include <model/architecture/facts/model_facts.hpp>

#include <base/affix.hpp>
#include <base/format.hpp>

#include <algorithm>
#include <iterator>
#include <map>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

struct model_family {
  std::string_view prefix, family, kind;
};
constexpr model_family model_families[] = {
#define PROFKIT_MODEL_FAMILY(prefix, family, kind) {prefix, family, kind},
#include <model/architecture/facts/model_families.inc>
};

const model_family* family_of_class(std::string_view name) {
  const model_family* best = nullptr;
  for (const model_family& f : model_families) {
    if (name.size() < f.prefix.size() || (best != nullptr && f.prefix.size() <= best->prefix.size())) continue;
    const bool begins = std::equal(f.prefix.begin(), f.prefix.end(), name.begin(), [](char a, char b) { return folded(a) == folded(b); });
    if (!begins) continue;
    // "Optimizer" is not OPT.
    const char next = name.size() == f.prefix.size() ? '\0' : name[f.prefix.size()];
    if (next >= 'a' && next <= 'z') continue;
    best = &f;
  }
  return best;
}

struct task_rule {
  std::string_view ending, task;
};
constexpr task_rule task_rules[] = {
    {"ForCausalLM", "text generation"},
    {"LMHeadModel", "language model"},
    {"ForMaskedLM", "fill-mask"},
    {"ForSequenceClassification", "text classification"},
    {"ForTokenClassification", "token classification"},
    {"ForQuestionAnswering", "question answering"},
    {"ForImageClassification", "image classification"},
    {"ForVideoClassification", "video classification"},
    {"ForConditionalGeneration", "conditional generation"},
    {"ForSemanticSegmentation", "semantic segmentation"},
    {"ForObjectDetection", "object detection"},
};

constexpr std::string_view shared_words[] = {"sharedmlp", "sharedexpert", "shared_expert", "sharedmoe"};

class module_reader {
 public:
  module_reader(fact_context& c, fact_list& into) : c_(c), m_(c.r.modules), into_(into) {}

  void run() {
    if (m_.calls.empty()) return;
    children_.resize(m_.calls.size());
    for (std::size_t i = 0; i < m_.calls.size(); ++i)
      if (m_.calls[i].parent >= 0) children_[static_cast<std::size_t>(m_.calls[i].parent)].push_back(i);
    note_mixing_modules();
    find_root();
    if (root_class_ >= 0) {
      add_class();
      c_.passes = c_.passes == 0 ? roots_.size() : c_.passes;
    }
    add_blocks();
    add_norm();
    add_rest();
  }

 private:
  const std::string& name_of(std::size_t call) const { return m_.class_of(m_.calls[call]); }
  std::string calls_text(std::size_t n, std::string_view of_class) const {
    return std::to_string(n) + " x nn.Module: " + std::string(of_class);
  }

  // Where operators are not on record, modules that are called as attention stand for them.
  void note_mixing_modules() {
    for (auto* sums : {&attends_, &state_, &attends_sum_, &state_sum_}) sums->resize(m_.calls.size());
    for (std::size_t i = m_.calls.size(); i-- > 0;) {
      const module_call& call = m_.calls[i];
      attends_[i] = std::max<std::uint64_t>(attends_[i], call.attentions);
      state_[i] = std::max<std::uint64_t>(state_[i], call.state_spaces);
      const module_part part = m_.classes[call.of_class].part;
      // The innermost of nested ones counts.
      if (attends_[i] == 0 && part == module_part::attention && !is_block_class(name_of(i))) attends_[i] = 1;
      if (state_[i] == 0 && part == module_part::state_space && !is_block_class(name_of(i))) state_[i] = 1;
      if (call.parent >= 0) {
        const auto parent = static_cast<std::size_t>(call.parent);
        attends_sum_[parent] += attends_[i];
        state_sum_[parent] += state_[i];
        attends_[parent] = std::max(attends_[parent], attends_sum_[parent]);
        state_[parent] = std::max(state_[parent], state_sum_[parent]);
      }
    }
  }

  // The outermost class with most in it.
  void find_root() {
    std::map<std::uint32_t, std::size_t> inside;
    std::vector<std::uint32_t> top(m_.calls.size());
    for (std::size_t i = 0; i < m_.calls.size(); ++i) {
      top[i] = m_.calls[i].parent < 0 ? m_.calls[i].of_class : top[static_cast<std::size_t>(m_.calls[i].parent)];
      ++inside[top[i]];
    }
    std::size_t most = 0;
    for (const auto& [of_class, n] : inside) {
      if (n <= most) continue;
      most = n;
      root_class_ = static_cast<std::int32_t>(of_class);
    }
    for (std::size_t i = 0; i < m_.calls.size(); ++i)
      if (m_.calls[i].parent < 0 && m_.calls[i].of_class == static_cast<std::uint32_t>(root_class_)) roots_.push_back(i);
  }

  void add_class() {
    // A container or a lone layer is not a model.
    static constexpr std::string_view containers[] = {"Sequential",   "ModuleList", "DistributedDataParallel",
                                                      "DataParallel", "Linear",     "Sampler"};
    std::size_t root = roots_.front();
    while (std::find(std::begin(containers), std::end(containers), name_of(root)) != std::end(containers) && children_[root].size() == 1)
      root = children_[root].front();
    const std::string& model = name_of(root);
    if (std::find(std::begin(containers), std::end(containers), model) != std::end(containers)) return;
    const std::string evidence = calls_text(roots_.size(), model) + ", the outermost";
    if (!children_[root].empty()) into_.add("model_class", model, certainty::proved, fact_source::module, evidence);
    const model_family* family = family_of_class(model);
    if (family != nullptr) {
      into_.add("family", std::string(family->family), certainty::likely, fact_source::module, evidence);
      if (family->kind == "diffusion") {
        c_.denoises = true;
        into_.add("task", std::string("diffusion"), certainty::likely, fact_source::module, evidence);
        into_.add("denoising_steps", static_cast<std::int64_t>(roots_.size()), certainty::likely, fact_source::module, evidence);
      }
      if (family->kind == "convolutional") {
        c_.convolves = true;
        if (model == family->prefix) into_.add("model", model, certainty::likely, fact_source::module, evidence);
      }
    } else if (c_.denoises) {
      into_.add("denoising_steps", static_cast<std::int64_t>(roots_.size()), certainty::possible, fact_source::module, evidence);
    } else if (contains(model, "TransformerEncoder")) {
      into_.add("family", std::string("transformer encoder"), certainty::likely, fact_source::module, evidence);
    }
    for (const task_rule& rule : task_rules)
      if (ends_with(model, rule.ending) && !into_.has("task"))
        into_.add("task",
                  std::string(family != nullptr && family->family == "bert" && rule.task == "language model" ? "fill-mask" : rule.task),
                  certainty::likely, fact_source::module, evidence);
  }

  bool mixes(std::size_t call) const { return attends_[call] != 0 || state_[call] != 0; }

  struct block_counts {
    std::size_t blocks = 0, attending = 0, state = 0, experts = 0, doubly = 0;  // doubly: with two attentions
    std::map<std::string, std::size_t> classes;
    bool operator==(const block_counts& o) const {
      return blocks == o.blocks && attending == o.attending && state == o.state && experts == o.experts;
    }
  };

  bool has_part(std::size_t call, module_part part) const {
    if (part == module_part::experts && m_.calls[call].experts != 0) return true;
    if (m_.classes[m_.calls[call].of_class].part == part) return true;
    return std::any_of(children_[call].begin(), children_[call].end(), [&](std::size_t child) { return has_part(child, part); });
  }

  block_counts count_blocks(std::size_t parent) const {
    block_counts n;
    for (const std::size_t child : children_[parent]) {
      if (!mixes(child) || children_[child].empty()) continue;
      ++n.blocks;
      ++n.classes[name_of(child)];
      n.attending += attends_[child] != 0 && state_[child] == 0;
      n.state += state_[child] != 0;
      n.experts += has_part(child, module_part::experts);
      n.doubly += attends_[child] == 2;
    }
    return n;
  }

  void add_blocks() {
    // Calls of one parent that hold blocks, the one with most of them.
    std::size_t best = m_.calls.size();
    block_counts most;
    std::vector<std::pair<std::size_t, block_counts>> stacks;
    for (std::size_t i = 0; i < m_.calls.size(); ++i) {
      const block_counts n = count_blocks(i);
      if (n.blocks < 2 || n.classes.size() > 4) continue;
      stacks.emplace_back(i, n);
      if (n.blocks > most.blocks) {
        most = n;
        best = i;
      }
    }
    if (best == m_.calls.size()) return add_lone_block();
    // In a U-Net the blocks of attention stand among others.
    const std::uint32_t holder = m_.calls[best].of_class;
    std::size_t residual = 0;
    for (const std::size_t child : children_[best])
      residual += contains_folded(name_of(child), "resnet") || contains_folded(name_of(child), "resblock");
    if (residual > 0) {
      const std::string evidence = "in one call of " + m_.classes[holder].name;
      into_.add("residual_blocks", static_cast<std::int64_t>(residual), certainty::proved, fact_source::module, evidence);
      into_.add("attention_blocks", static_cast<std::int64_t>(most.blocks), certainty::proved, fact_source::module, evidence);
      c_.convolves = true;
      return;
    }
    if (add_encoder_and_decoder(stacks, holder)) return;
    // Passes that the capture cuts hold fewer; others must agree.
    std::size_t whole = 0, other = 0;
    for (const auto& [call, n] : stacks) {
      if (m_.calls[call].of_class != holder) continue;
      ++(n == most ? whole : other);
    }
    // Stages of several sizes, as in a U-Net or a Swin, have no one number.
    if (other > 1) return;
    std::string evidence;
    for (const auto& [of_class, n] : most.classes) evidence += (evidence.empty() ? "" : ", ") + calls_text(n, of_class);
    evidence += " in one call of " + m_.classes[holder].name;
    const certainty sure = other == 0 || whole > 1 ? certainty::proved : certainty::likely;
    into_.add("layers", static_cast<std::int64_t>(most.blocks), sure, fact_source::module, evidence);
    if (most.state > 0) {
      into_.add("ssm_layers", static_cast<std::int64_t>(most.state), sure, fact_source::module, evidence);
      into_.add("attention_layers", static_cast<std::int64_t>(most.attending), sure, fact_source::module, evidence);
    }
    if (most.experts > 0) {
      into_.add("moe", true, sure, fact_source::module, evidence);
      into_.add("moe_layers", static_cast<std::int64_t>(most.experts), sure, fact_source::module, evidence);
      if (most.blocks != most.experts)
        into_.add("dense_layers", static_cast<std::int64_t>(most.blocks - most.experts), sure, fact_source::module, evidence);
    }
    if (const std::size_t calls = static_cast<std::size_t>(
            std::count_if(stacks.begin(), stacks.end(), [&](const auto& s) { return m_.calls[s.first].of_class == holder; }));
        calls > 0)
      c_.passes = calls;
  }

  // "nn.Module: TransformerEncoderLayer_0" alone.
  void add_lone_block() {
    std::map<std::string, std::uint64_t> calls, instances;
    for (const module_class& m : m_.classes) {
      if (!is_block_class(m.name)) continue;
      for (std::size_t i = 0; i < m_.calls.size(); ++i)
        if (m_.calls[i].of_class == static_cast<std::uint32_t>(&m - m_.classes.data()) && mixes(i)) ++calls[m.name];
      for (const span_use& s : c_.r.spans)
        if (class_of_module(s.name) == m.name) ++instances[m.name];
    }
    if (calls.size() != 1 || instances[calls.begin()->first] != 1) return;
    const std::string& name = calls.begin()->first;
    const std::string evidence = calls_text(calls.begin()->second, name) + "_0";
    into_.add("layers", std::int64_t{1}, certainty::likely, fact_source::module, evidence);
    if (contains(name, "Encoder") && !into_.has("family"))
      into_.add("family", std::string("transformer encoder"), certainty::likely, fact_source::module, evidence);
    c_.passes = calls.begin()->second;
  }

  // Two stacks of one class after each other, and only the blocks of the second look at the first.
  bool add_encoder_and_decoder(const std::vector<std::pair<std::size_t, block_counts>>& stacks, std::uint32_t holder) {
    std::vector<const std::pair<std::size_t, block_counts>*> encoders, decoders;
    for (const auto& s : stacks) {
      const bool same = m_.calls[s.first].of_class == holder || contains_folded(name_of(s.first), "encoder") ||
                        contains_folded(name_of(s.first), "decoder") || contains_folded(name_of(s.first), "stack");
      if (same) (s.second.doubly == s.second.blocks ? decoders : encoders).push_back(&s);
    }
    if (encoders.empty() || decoders.empty()) return false;
    const auto alike = [](const auto& all) {
      return std::all_of(all.begin(), all.end(), [&](const auto* s) { return s->second.blocks == all.front()->second.blocks; });
    };
    if (!alike(encoders) || !alike(decoders)) return false;
    const std::string evidence = "stacks of blocks with one attention and with two, in calls of " + name_of(encoders.front()->first);
    into_.add("encoder_layers", static_cast<std::int64_t>(encoders.front()->second.blocks), certainty::likely, fact_source::module,
              evidence);
    into_.add("decoder_layers", static_cast<std::int64_t>(decoders.front()->second.blocks), certainty::likely, fact_source::module,
              evidence);
    into_.add("cross_attention", true, certainty::likely, fact_source::module, evidence);
    c_.encodes_and_decodes = true;
    return true;
  }

  void add_norm() {
    static constexpr std::pair<std::string_view, const char*> kinds[] = {{"t5layernorm", "RMSNorm"},
                                                                         {"rmsnorm", "RMSNorm"},
                                                                         {"layernorm", "LayerNorm"},
                                                                         {"groupnorm", "GroupNorm"},
                                                                         {"batchnorm", "BatchNorm"}};
    std::map<std::string, std::uint64_t> calls;
    for (const module_class& m : m_.classes)
      for (const auto& [word, kind] : kinds)
        if (contains_folded(m.name, word)) {
          calls[kind] += m.calls;
          break;
        }
    if (calls.empty()) return;
    const auto most = std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (c_.convolves && most->first == "LayerNorm") return;
    // Norms that no module calls: their operators decide.
    const bool others = std::any_of(c_.shapes.norms.begin(), c_.shapes.norms.end(), [&](const norm_use& n) {
      return n.kind == norm_kind::group || n.kind == norm_kind::batch ? most->first != "GroupNorm" && most->first != "BatchNorm" : false;
    });
    if (others) return;
    into_.add("norm", most->first, calls.size() == 1 ? certainty::proved : certainty::likely, fact_source::module,
              std::to_string(most->second) + " calls of such modules");
  }

  void add_rest() {
    for (const module_class& m : m_.classes) {
      const std::string evidence = calls_text(m.calls, m.name);
      if (contains_folded(m.name, "rotary") || contains_folded(m.name, "rope"))
        into_.add("position", std::string("rope"), certainty::proved, fact_source::module, evidence);
      if (m.part == module_part::experts && !is_block_class(m.name))
        into_.add("moe", true, certainty::proved, fact_source::module, evidence);
      if (m.name == "SiLU" || m.name == "SiLUActivation")
        into_.add("activation", std::string("silu"), certainty::likely, fact_source::module, evidence);
      if (std::any_of(std::begin(shared_words), std::end(shared_words), [&](std::string_view w) { return contains_folded(m.name, w); }))
        into_.add("shared_experts", true, certainty::likely, fact_source::module, evidence);
    }
  }

  fact_context& c_;
  const module_scopes& m_;
  fact_list& into_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::uint64_t> attends_, state_, attends_sum_, state_sum_;  // by call
  std::int32_t root_class_ = -1;
  std::vector<std::size_t> roots_;
};

}  // namespace

void add_module_facts(fact_context& c, fact_list& into) {
  module_reader(c, into).run();
  const program_scopes& named = c.shapes.scopes;
  if (!named.model().empty())
    into.add("model_class", named.model(), certainty::likely, fact_source::module, "the outermost named scope of " + c.r.program);
  if (const auto layers = named.layers())
    into.add("layers", layers->count, certainty::likely, fact_source::module, layers->evidence + " in " + c.r.program);
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
