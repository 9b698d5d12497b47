// How it ran: training or inference, in which parts, spread over which ranks, by which framework, on what.
#include <model/architecture/facts/model_facts.hpp>

#include <base/affix.hpp>
#include <base/format.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

// Parts of names of kernels, in lower case.
constexpr std::string_view backward_words[] = {"backward", "bwd", "bprop", "wgrad", "grad"};

template <std::size_t N>
bool has_word_of(std::string_view name, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view w) { return contains_folded(name, w); });
}

std::string use_evidence(const kernel_use& k) {
  constexpr std::size_t most = 160;
  const std::string_view name = k.type.empty() || k.name.size() <= most ? k.name : k.type;
  return std::to_string(k.calls) + " x " + std::string(name.substr(0, most));
}
std::string span_evidence(const span_use& s) { return std::to_string(s.calls) + " x " + std::string(s.name.substr(0, 120)); }

// ---- framework ----

struct framework_rule {
  std::string_view part, name;
  enum where : std::uint8_t { frame, op, kernel } in;
  certainty sure;
};
// The first one that is met counts. `frame`: lines of Python and annotations; parts are as they are written.
constexpr framework_rule framework_rules[] = {
    {"sglang/", "SGLang", framework_rule::frame, certainty::proved},
    {"tensorrt_llm/", "TensorRT-LLM", framework_rule::frame, certainty::proved},
    {"_forward_step ", "TensorRT-LLM", framework_rule::frame, certainty::likely},
    {"vllm/", "vLLM", framework_rule::frame, certainty::proved},
    {"vllm::", "vLLM", framework_rule::op, certainty::proved},
    {"mindspeed/", "MindSpeed", framework_rule::frame, certainty::proved},
    {"megatron/", "Megatron", framework_rule::frame, certainty::proved},
    {"torchtitan/", "torchtitan", framework_rule::frame, certainty::proved},
    {"diffusers/", "diffusers", framework_rule::frame, certainty::proved},
    {"transformers/", "transformers", framework_rule::frame, certainty::proved},
    {"EmbeddingBagCollectionAwaitable", "TorchRec", framework_rule::frame, certainty::likely},
    {"KJTListAwaitable", "TorchRec", framework_rule::frame, certainty::likely},
    {"torchrec/", "TorchRec", framework_rule::frame, certainty::proved},
    {"execute_context_", "vLLM", framework_rule::frame, certainty::likely},
    {"fbgemm::", "PyTorch with FBGEMM", framework_rule::op, certainty::proved},
    {"aten::", "PyTorch", framework_rule::op, certainty::proved},
    {"tensorflow::", "TensorFlow", framework_rule::kernel, certainty::proved},
    {"sgl_hip::", "SGLang", framework_rule::kernel, certainty::possible},
    {"at::native::", "PyTorch", framework_rule::kernel, certainty::likely},
};

void add_framework(fact_context& c, fact_list& into) {
  for (const framework_rule& rule : framework_rules) {
    if (rule.in == framework_rule::kernel) {
      for (const kernel_use& k : c.r.kernels)
        if (contains(k.name, rule.part))
          return into.add("framework", std::string(rule.name), rule.sure, fact_source::kernel, use_evidence(k));
      continue;
    }
    for (const span_use& s : c.r.spans) {
      if (rule.in == framework_rule::op ? !starts_with(s.name, rule.part) : !contains(s.name, rule.part)) continue;
      return into.add("framework", std::string(rule.name), rule.sure,
                      rule.in == framework_rule::op ? fact_source::shape : fact_source::module, span_evidence(s));
    }
    if (rule.name == "vLLM" && rule.part == "execute_context_")
      for (const step_marker& m : c.r.steps)
        if (starts_with(c.r.of->text(m.name), rule.part))
          return into.add("framework", std::string(rule.name), rule.sure, fact_source::annotation,
                          std::string(c.r.of->text(m.name).substr(0, 120)));
  }
  if (!c.r.program.empty() && (starts_with(c.r.program, "jit_") || starts_with(c.r.program, "pjit_")))
    return into.add("framework", std::string("JAX"), certainty::likely, fact_source::module, "program " + c.r.program);
  for (const step_marker& m : c.r.steps) {
    const std::string_view name = c.r.of->text(m.name);
    if (starts_with(name, "jit_") || starts_with(name, "pjit_") || starts_with(name, "pmap_"))
      return into.add("framework", std::string("JAX"), certainty::likely, fact_source::annotation,
                      "program " + std::string(name.substr(0, 100)));
  }
  for (const span_use& s : c.r.spans)
    if (contains(s.name, "PjitFunction(") || contains(s.name, "jax/_src/"))
      return into.add("framework", std::string("JAX"), certainty::likely, fact_source::module, span_evidence(s));
}

// ---- optimizer and loss ----

void add_optimizer(fact_context& c, fact_list& into) {
  for (const span_use& s : c.r.spans) {
    const std::string_view name = optimizer_of_span(s.name);
    if (!name.empty()) into.add("optimizer", std::string(name), certainty::proved, fact_source::annotation, span_evidence(s));
  }
  if (into.has("optimizer")) return;
  struct rule {
    std::string_view part, name;
    certainty sure;
  };
  static constexpr rule rules[] = {
      {"adam_mode)1", "AdamW", certainty::likely},
      {"applyadamw", "AdamW", certainty::proved},
      {"fusedadam", "Adam", certainty::likely},
      {"applyadam", "Adam", certainty::proved},
      {"fusedsgd", "SGD", certainty::likely},
      {"applymomentum", "SGD", certainty::likely},
      {"codegen_adagrad", "Adagrad", certainty::possible},
  };
  for (const rule& one : rules)
    for (const kernel_use& k : c.r.kernels)
      if (contains_folded(k.name, one.part) || contains_folded(k.type, one.part))
        return into.add("optimizer", std::string(one.name), one.sure, fact_source::kernel, use_evidence(k));
}

void add_loss(fact_context& c, fact_list& into) {
  struct rule {
    std::string_view op, type, name;
  };
  static constexpr rule rules[] = {
      {"aten::binary_cross_entropy_with_logits", "", "binary cross entropy"},
      {"aten::binary_cross_entropy", "", "binary cross entropy"},
      {"aten::cross_entropy_loss", "softmaxcrossentropy", "cross entropy"},
      {"aten::nll_loss_nd", "nllloss", "negative log likelihood"},
      {"aten::mse_loss", "mseloss", "mean squared error"},
  };
  for (const rule& one : rules) {
    for (const span_use& s : c.r.spans)
      if (s.name == one.op) return into.add("loss", std::string(one.name), certainty::proved, fact_source::shape, span_evidence(s));
    for (const kernel_use& k : c.r.kernels)
      if (!one.type.empty() && starts_with_folded(k.type, one.type))
        return into.add("loss", std::string(one.name), certainty::likely, fact_source::kernel, use_evidence(k));
  }
}

std::int64_t steps_of(const fact_context& c) {
  // Windows of the profiler, else runs of a program.
  std::array<std::set<std::int64_t>, 16> starts;
  for (const step_marker& m : c.r.steps)
    if (m.device < 0 || m.source == marker_source::run || m.source == marker_source::step_id)
      starts[static_cast<std::size_t>(m.source)].insert(m.start_ps);
  std::set<std::int64_t> runs;
  for (const step_marker& m : c.r.steps)
    if (m.source == marker_source::run && !c.r.program.empty() && c.r.of->text(m.name) == c.r.program) runs.insert(m.start_ps);
  if (!runs.empty()) return static_cast<std::int64_t>(runs.size());
  // As XLA names what it executes (gpu_executable.cc).
  if (!c.r.program.empty())
    if (const std::uint64_t calls = c.r.calls_of(c.r.program + ":XLA GPU module"); calls > 0) return static_cast<std::int64_t>(calls);
  for (const marker_source s : {marker_source::profiler_step, marker_source::numbered_step, marker_source::step_num, marker_source::pattern,
                                marker_source::step_id})
    if (!starts[static_cast<std::size_t>(s)].empty()) return static_cast<std::int64_t>(starts[static_cast<std::size_t>(s)].size());
  return 0;
}

}  // namespace

void add_mode_facts(fact_context& c, fact_list& into) {
  std::string forward, backward, optimizer;
  for (const span_use& s : c.r.spans) {
    if (backward.empty() &&
        (starts_with(s.name, "autograd::engine::evaluate_function") || s.name == "## backward ##" || ends_with(s.name, "Backward0")))
      backward = span_evidence(s);
    if (optimizer.empty() && starts_with(s.name, "Optimizer.step#")) optimizer = span_evidence(s);
    static constexpr std::string_view forwards[] = {"## forward ##", "aten::linear", "aten::conv2d", "aten::batch_norm", "aten::embedding"};
    if (forward.empty() && std::find(std::begin(forwards), std::end(forwards), s.name) != std::end(forwards)) forward = span_evidence(s);
    if (starts_with(s.name, "fbgemm::") || contains(s.name, "EmbeddingBagCollection")) c.recommends = true;
    if (contains(s.name, "aten::conv2d") || contains(s.name, "aten::conv3d")) c.convolves = c.convolves || c.shapes.attentions.empty();
  }
  bool attends = !c.shapes.attentions.empty(), works = false;
  for (const kernel_use& k : c.r.kernels) {
    // A convolution that enlarges runs the kernels of a gradient of its input.
    const bool enlarges = contains_folded(k.name, "dgrad") && !contains_folded(k.name, "wgrad");
    const bool back = !enlarges && (has_word_of(k.name, backward_words) || has_word_of(k.type, backward_words));
    if (backward.empty() && back) backward = use_evidence(k);
    // A list that is added to another may be gradients, too: enough to know that something trains.
    if (optimizer.empty() && (k.optimizes || contains_folded(k.name, "foreachaddlist") || contains_folded(k.type, "foreachaddlist")))
      optimizer = use_evidence(k);
    const bool product = contains_folded(k.name, "gemm") || contains_folded(k.type, "matmul") || contains_folded(k.name, "nvjet") ||
                         contains_folded(k.name, "cijk_") || contains_folded(k.type, "conv2d") || contains_folded(k.name, "cudnn");
    const bool attention = contains_folded(k.name, "attention") || contains_folded(k.name, "flash") || contains_folded(k.name, "fmha") ||
                           contains_folded(k.name, "sdpa");
    if (!back && (product || attention)) {
      works = true;
      if (forward.empty()) forward = use_evidence(k);
    }
    attends = attends || attention;
    if (contains_folded(k.type, "conv2d") && !attends) c.convolves = true;
  }
  // A few convolutions before attention make patches.
  std::uint64_t convolutions = 0, attentions = 0;
  for (const convolution_use& v : c.shapes.convolutions) convolutions += v.calls;
  for (const attention_use& a : c.shapes.attentions) attentions += a.calls;
  if (attends) c.convolves = attentions > 0 && convolutions >= attentions;
  // Four or sixteen channels are latents of pictures (Stable Diffusion, Flux); pictures have three.
  if (attentions > 0 && backward.empty() && c.shapes.embeddings.empty() && !c.shapes.convolutions.empty()) {
    const tensor_shape& latents = c.shapes.convolutions.front().input;
    if (latents.size() == 4 && latents[2] == latents[3] && (latents[1] == 4 || latents[1] == 16)) {
      c.denoises = true;
      into.add("task", std::string("diffusion"), certainty::possible, fact_source::shape, c.shapes.convolutions.front().evidence);
    }
  }
  const bool by_scope = backward.empty() && c.shapes.backward && !c.r.program.empty();
  if (by_scope) backward = "scopes of a gradient in the program " + c.r.program;
  if (by_scope && forward.empty() && !c.shapes.linears.empty()) forward = c.shapes.linears.front().evidence;
  if (!backward.empty() || !optimizer.empty()) {
    c.trains = true;
    const std::string& evidence = backward.empty() ? optimizer : backward;
    const certainty sure = backward.empty() || by_scope ? certainty::likely : certainty::proved;
    into.add("mode", std::string("training"), sure, fact_source::kernel, evidence);
    into.add("phases", std::vector<std::string>{"training"}, sure, fact_source::kernel, evidence);
    std::vector<std::string> parts;
    if (!forward.empty()) parts.emplace_back("forward");
    if (!backward.empty()) parts.emplace_back("backward");
    if (!optimizer.empty()) parts.emplace_back("optimizer");
    into.add("training_parts", parts, certainty::likely, fact_source::kernel, forward + "; " + backward + "; " + optimizer);
    into.add("sampling", false, certainty::likely, fact_source::kernel, "training: what has a highest value is a metric");
    add_optimizer(c, into);
    add_loss(c, into);
  } else if (!into.has("mode") && (attends || works)) {
    // An excerpt of kernels may be the forward half of a step; operators of hosts, a cache or a choice of tokens say more.
    const bool more = std::any_of(c.r.spans.begin(), c.r.spans.end(), [](const span_use& s) { return starts_with(s.name, "aten::"); }) ||
                      std::any_of(c.r.kernels.begin(), c.r.kernels.end(), [](const kernel_use& k) {
                        return contains_folded(k.name, "cache") || contains_folded(k.name, "argmax") || contains_folded(k.type, "argmax") ||
                               contains_folded(k.type, "fusedinfer") || contains_folded(k.name, "paged");
                      });
    into.add("mode", std::string("inference"), attends && more ? certainty::likely : certainty::possible, fact_source::count,
             "nothing of a backward pass or of an optimizer");
  }
  if (const std::int64_t steps = steps_of(c); steps > 0)
    into.add("steps", steps, certainty::proved, fact_source::annotation, "marked steps");
}

void add_group_facts(fact_context& c, fact_list& into) {
  const auto say = [&](const char* name, std::int64_t value, certainty sure, const std::string& evidence) {
    into.add(name, value, sure, fact_source::group, evidence);
  };
  std::int64_t world = c.r.host != nullptr ? c.r.host->world_size : 0;
  std::int64_t rank = c.r.host != nullptr ? c.r.host->rank : -1;
  if (c.r.device != nullptr) {
    if (c.r.device->world_size > 0) world = c.r.device->world_size;
    if (c.r.device->rank >= 0) rank = c.r.device->rank;
  }
  struct spelling {
    const char* name;
    std::array<std::string_view, 6> settings;
  };
  static constexpr spelling known[] = {
      {"tensor_parallel",
       {"tensor_model_parallel_size", "tensor_parallel_size", "tp_size", "group tp", "group tensor_model_parallel_group", ""}},
      {"pipeline_parallel",
       {"pipeline_model_parallel_size", "pipeline_parallel_size", "pp_size", "group pp", "group pipeline_model_parallel_group", ""}},
      {"data_parallel", {"data_parallel_size", "dp_size", "group dp", "group data_parallel_group", "", ""}},
      {"expert_parallel",
       {"expert_model_parallel_size", "expert_parallel_size", "ep_size", "group ep", "group exp", "group expert_model_parallel_group"}},
      {"context_parallel", {"context_parallel_size", "cp_size", "group cp", "group context_parallel_group", "", ""}},
  };
  std::int64_t product = 1;
  if (c.r.device != nullptr) {
    const auto& sizes = c.r.device->parallel_sizes;
    for (const spelling& s : known)
      for (const std::string_view setting : s.settings) {
        if (setting.empty()) continue;
        const auto at = std::find_if(sizes.begin(), sizes.end(), [&](const auto& one) { return one.first == setting; });
        if (at == sizes.end()) continue;
        say(s.name, at->second, certainty::proved, at->first + " = " + std::to_string(at->second));
        product *= at->second;
        break;
      }
    for (const auto& [name, size] : sizes)
      if (name == "world_size" && world == 0) world = size;
    if (c.r.device->parallel_sizes.empty()) product = 0;
  }
  if (world > 0) say("world_size", world, certainty::proved, "world_size of the run");
  if (rank >= 0 && world > 0 && c.r.of->hosts().size() == 1) say("rank", rank, certainty::proved, "rank of this process");
  if (world == 1)
    for (const char* name : {"tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel"})
      if (!into.has(name)) say(name, 1, certainty::proved, "one rank");
  if (world <= 1) return;
  // Where the groups that are named make up the whole, there is nothing else.
  if (product == world)
    for (const char* name : {"tensor_parallel", "pipeline_parallel", "expert_parallel"})
      if (!into.has(name) && !(std::string_view(name) == "tensor_parallel" && into.number("expert_parallel").value_or(1) > 2))
        say(name, 1, certainty::possible, "the named groups make up all " + std::to_string(world) + " ranks");
  const bool replicated = c.r.calls_of("DistributedDataParallel.forward") > 0;
  if (replicated && !into.has("data_parallel") && !into.has("tensor_parallel"))
    say("data_parallel", world, certainty::likely, "DistributedDataParallel.forward on " + std::to_string(world) + " ranks");
  if (into.has("tensor_parallel") || replicated) return;
  // Sums over all ranks after attention and after the rest of each layer, and a vocabulary split over the ranks.
  std::uint64_t sums = 0, gathers = 0;
  for (const span_use& s : c.r.spans) {
    if (contains(s.name, "all_reduce") && contains(s.name, "::") && !contains(s.name, "nccl:")) sums += s.calls;
    if (contains(s.name, "all_gather") && contains(s.name, "::")) gathers += s.calls;
  }
  const std::int64_t layers = into.number("layers").value_or(0);
  const auto passes = static_cast<std::int64_t>(std::max<std::uint64_t>(c.passes, 1));
  const bool parts = std::any_of(c.r.modules.classes.begin(), c.r.modules.classes.end(), [](const module_class& m) {
    return contains_folded(m.name, "parallellinear") || contains_folded(m.name, "vocabparallel");
  });
  if (!c.trains && layers > 0 && static_cast<std::int64_t>(sums) >= 2 * layers * passes && (parts || gathers > 0))
    say("tensor_parallel", world, certainty::likely,
        std::to_string(sums) + " sums over ranks in " + std::to_string(layers) + " layers, " + std::to_string(world) + " ranks");
}

void add_count_facts(fact_context& c, fact_list& into) {
  const auto say = [&](const char* name, fact_value value, certainty sure, const std::string& evidence) {
    into.add(name, std::move(value), sure, fact_source::count, evidence);
  };
  const std::int64_t steps = into.number("steps").value_or(0);
  // Convolutions of a pass.
  std::uint64_t convolutions = c.r.calls_of("aten::conv2d") + c.r.calls_of("aten::conv3d"), norms = c.r.calls_of("aten::batch_norm");
  std::uint64_t linears = c.r.calls_of("aten::linear");
  for (const kernel_use& k : c.r.kernels)
    if (c.r.device->type == accelerator::npu && k.type == "Conv2D" && c.r.calls_of("aten::conv2d") == 0) convolutions += k.calls;
  const bool attends = !c.shapes.attentions.empty() || into.has("attention_backend");
  // Attention that is made of products and a softmax has no operator of its own: its module is all that names it.
  const auto attending =
      std::find_if(c.r.modules.classes.begin(), c.r.modules.classes.end(), [](const module_class& m) { return m.part == module_part::attention; });
  const bool named = attending != c.r.modules.classes.end();
  const auto say_no_attention = [&] {
    if (!named) say("attention", false, certainty::likely, "no kernel, no operator and no module of attention");
  };
  if (c.convolves && !attends && convolutions > 0 && !c.denoises) {
    const auto passes = static_cast<std::uint64_t>(std::max<std::int64_t>(steps, 1));
    if (convolutions % passes == 0) {
      const std::uint64_t each = convolutions / passes;
      const std::string evidence = std::to_string(convolutions) + " convolutions in " + std::to_string(passes) + " steps";
      if (c.passes == 0 && steps > 0 && linears == passes) c.passes = passes;
      say("convolutions", static_cast<std::int64_t>(each), steps > 0 ? certainty::proved : certainty::likely, evidence);
      // Numbers of convolutions of published networks: torchvision's resnet.py.
      static constexpr std::pair<std::uint64_t, const char*> residual[] = {
          {20, "ResNet-18"}, {36, "ResNet-34"}, {53, "ResNet-50"}, {104, "ResNet-101"}, {155, "ResNet-152"}};
      if (norms == convolutions && linears == passes)
        for (const auto& [n, name] : residual)
          if (n == each) {
            const std::string why = evidence + ", as many batch norms, one product a step";
            say("model", std::string(name), certainty::possible, why);
            say("family", std::string("resnet"), certainty::possible, why);
          }
    }
    if (!into.has("family"))
      say("family", std::string("convolutional"), named ? certainty::possible : certainty::likely,
          std::to_string(convolutions) + " convolutions, " + (named ? "and nn.Module: " + attending->name : "no attention"));
    say_no_attention();
  }
  if (c.recommends) {
    const std::string evidence = "look-ups of fbgemm in embedding tables";
    if (!attends) say_no_attention();
    if (!into.has("family"))
      say("family", std::string("dlrm (recommendation)"), into.has("interaction_features") ? certainty::likely : certainty::possible,
          evidence);
    for (const span_use& s : c.r.spans)
      if (contains(s.name, "all_to_all") || contains(s.name, "alltoall")) {
        say("model_parallel_embeddings", true, certainty::likely, span_evidence(s));
        break;
      }
  }
  // Tokens are chosen by their highest value.
  if (!c.trains && !c.convolves && !c.denoises) {
    std::string greedy, drawn;
    for (const kernel_use& k : c.r.kernels) {
      if (contains_folded(k.name, "maxpool")) continue;
      if (greedy.empty() && (contains_folded(k.name, "argmax") || contains_folded(k.type, "argmax"))) greedy = use_evidence(k);
      if (drawn.empty() && (contains_folded(k.name, "multinomial") || contains_folded(k.name, "samplingfromprob") ||
                            contains_folded(k.name, "topktoppsampl")))
        drawn = use_evidence(k);
    }
    if (!drawn.empty() || (!greedy.empty() && attends)) {
      const std::string& evidence = drawn.empty() ? greedy : drawn;
      say("sampling", true, certainty::likely, evidence);
      say("sampling_method", std::string(drawn.empty() ? "greedy" : "random"), certainty::likely, evidence);
    } else if (attends && c.r.device != nullptr && c.r.device->type == accelerator::npu) {
      say("sampling", false, certainty::possible, "no kernel chooses a token");
    }
  }
  // Prompts where causal attention has many queries and no step says more.
  if (!into.has("phases") && !c.trains && !c.denoises && !c.encodes_and_decodes && !c.convolves) {
    for (const attention_use& a : c.shapes.attentions) {
      constexpr std::int64_t few = 8;
      const bool reads_cache = a.queries > 0 && a.queries <= few && (a.keys == 0 || a.keys > few);
      if (reads_cache) {
        say("phases", std::vector<std::string>{"decode"}, certainty::likely, a.evidence);
        break;
      }
      if (a.queries > few && into.find("causal") != nullptr && into.is("causal")) {
        say("phases", std::vector<std::string>{"prefill"}, certainty::likely, a.evidence);
        break;
      }
      if (std::max(a.queries, a.tokens) > few && contains_folded(a.evidence, "flashattentionscore")) {
        say("phases", std::vector<std::string>{"prefill"}, certainty::possible, a.evidence);
        break;
      }
    }
  }
  if (into.text("attention_kind") != "MLA" && !into.has("phases") && c.r.found != nullptr && !c.trains && !c.denoises && !c.convolves &&
      !c.encodes_and_decodes && attends) {
    std::set<std::string> phases;
    for (const model_pass& p : c.r.found->passes)
      if (p.phase == model_phase::prefill || p.phase == model_phase::decode) phases.insert(model_phase_name(p.phase));
    const std::string_view by = c.r.found->phase_source;
    if (!phases.empty() && (by == "names" || by == "shapes") && c.r.modules.calls.empty())
      say("phases", std::vector<std::string>(phases.begin(), phases.end()), certainty::possible,
          "by the " + std::string(by) + " of attention kernels");
  }
  // No experts where every name is of a known kind and none is of them.
  const bool model = attends || c.convolves || c.recommends || !c.shapes.linears.empty() || into.has("layers");
  if (!into.has("moe") && model) {
    static constexpr std::string_view words[] = {"moe", "expert", "routing", "router", "gating", "grouped", "_ogs", "groupproblem"};
    std::string like;
    for (const kernel_use& k : c.r.kernels)
      if (!k.communicates && like.empty() && (has_word_of(k.name, words) || has_word_of(k.type, words))) like = use_evidence(k);
    for (const module_class& m : c.r.modules.classes)
      if (m.part == module_part::experts) like = m.name;
    if (c.r.found != nullptr)
      for (const layer_type& t : c.r.found->types)
        if (t.kind != layer_kind::dense) like = layer_kind_name(t.kind);
    if (like.empty() && (attends || c.convolves || c.recommends))
      say("moe", false, certainty::likely, "nothing that routes tokens or multiplies by groups");
  }
  // Micro batches: each looks up its tokens once.
  if (c.trains && steps > 0 && c.r.device != nullptr && c.r.device->type == accelerator::npu && c.shapes.embeddings.size() == 1) {
    const auto lookups = static_cast<std::int64_t>(c.shapes.embeddings.front().calls);
    if (lookups % steps == 0)
      say("micro_batches", lookups / steps, certainty::likely,
          c.shapes.embeddings.front().evidence + " in " + std::to_string(steps) + " steps");
  }
  if (into.number("world_size").value_or(1) > 1 && !into.has("pipeline_parallel") && into.is("lm_head") && into.has("vocab_size") &&
      !c.trains)
    into.add("pipeline_parallel", std::int64_t{1}, certainty::likely, fact_source::shape, "the embedding and the head are on this rank");
}

void add_recorder_facts(fact_context& c, fact_list& into) {
  add_framework(c, into);
  if (c.r.host != nullptr) {
    std::vector<std::string> names = c.r.host->devices;
    names.erase(std::remove(names.begin(), names.end(), ""), names.end());  // of numbers that are not listed
    if (!names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& n) { return n == names.front(); }))
      into.add("device", names.front(), certainty::proved, fact_source::recorder,
               counted(names.size(), "such device", "such devices") + " in the machine");
    // What a script notes of its model may be wrong: the classes that ran must bear it out.
    const std::string family = into.text("family");
    for (const auto& [key, value] : c.r.host->notes_of_model) {
      const std::string evidence = key + " = " + value;
      if (key == "repo_id" || key == "model_id" || key == "model_name") {
        std::string letters;
        for (const char f : family)
          if ((f >= 'a' && f <= 'z')) letters += f;
        const bool fits = !letters.empty() && contains_folded(value, letters);
        if (!into.has("model")) into.add("model", value, fits ? certainty::likely : certainty::possible, fact_source::recorder, evidence);
      } else if (key == "pipeline_tag" && !into.has("task")) {
        into.add("task", value, certainty::possible, fact_source::recorder, evidence);
      } else if (key == "grad_mode" && value == "inference_mode" && into.text("mode") == "inference") {
        into.add("mode", std::string("inference"), certainty::proved, fact_source::recorder, evidence);
      }
    }
  }
  std::int64_t devices = 0;
  for (const activity_device& d : c.r.of->devices()) devices += d.kernels > 0 || !d.totals.empty();
  if (devices > 0) into.add("devices", devices, certainty::proved, fact_source::recorder, "devices with kernels in the capture");
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
