#include <model/architecture/facts/record.hpp>

#include <base/affix.hpp>
#include <base/hash_map.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

constexpr std::int64_t all_times = std::numeric_limits<std::int64_t>::max();

constexpr std::string_view engine_call = "autograd::engine::evaluate_function";
bool is_backward_name(std::string_view name) noexcept { return starts_with(name, engine_call) || contains(name, "Backward"); }

// Of operators and annotations that run forward, and again where activations are recomputed.
constexpr std::string_view forward_names[] = {"aten::linear",     "aten::conv1d",        "aten::conv2d",    "aten::conv3d",
                                              "aten::embedding",  "aten::embedding_bag", "aten::layer_norm", "aten::batch_norm",
                                              "CompiledFunction", "## forward ##"};
bool is_forward_name(std::string_view name) noexcept {
  return std::find(std::begin(forward_names), std::end(forward_names), name) != std::end(forward_names) ||
         starts_with(name, "Torch-Compiled Region");
}

// Parts of names of kernels, in lower case.
constexpr std::string_view optimizer_words[] = {"fusedadam",     "applyadam",      "adam_",         "fusedsgd",
                                                "fused_sgd",     "applymomentum",  "fusedoptimizer", "lamb_"};

// Counts names of host spans; keeps where modules, the parts of training and calls of autograd lie.
class span_counter final : public host_span_visitor {
 public:
  explicit span_counter(const activity& of) : of_(of) {}
  struct placed {
    std::int64_t start_ps, end_ps;
    std::uint32_t thread, of_class;  // of_class: of modules, else one of those below
  };
  static constexpr std::uint32_t backward_class = 0xFFFFFFFFU, forward_class = 0xFFFFFFFCU, optimizer_class = 0xFFFFFFFBU,
                                 engine_class = 0xFFFFFFFAU, gradient_class = 0xFFFFFFF9U;

  result<void> spans(const host_span* spans, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) add(spans[i]);
    return {};
  }

  std::vector<placed> scopes;
  std::vector<module_class> classes;

  std::vector<span_use> uses() const {
    std::vector<span_use> all;
    for (string_id id = 0; id < names_.size(); ++id)
      if (names_[id].calls != 0) all.push_back({of_.text(id), names_[id].kind, names_[id].calls});
    return all;
  }

 private:
  static constexpr std::uint32_t no_class = 0xFFFFFFFEU, not_looked_at = 0xFFFFFFFDU;
  struct known_span {
    std::uint64_t calls = 0;
    host_span_kind kind = host_span_kind::other;
    std::uint32_t of_class = not_looked_at;
  };

  void add(const host_span& s) {
    if (s.kind == host_span_kind::device_marker) return;
    if (s.name >= names_.size()) names_.resize(std::max<std::size_t>(2 * names_.size(), s.name + 1));
    known_span& known = names_[s.name];
    ++known.calls;
    known.kind = s.kind;
    if (known.of_class == not_looked_at) known.of_class = look_at(of_.text(s.name));
    if (known.of_class == no_class) return;
    scopes.push_back({s.start_ps, saturating_add(s.start_ps, s.duration_ps), s.thread, known.of_class});
  }

  std::uint32_t look_at(std::string_view name) {
    const std::string_view of_class = class_of_module(name);
    if (of_class.empty())
      return starts_with(name, engine_call)
                 ? (ends_with(name, "AccumulateGrad") ? gradient_class : engine_class)
             : is_backward_name(name)           ? backward_class
             : !optimizer_of_span(name).empty() ? optimizer_class
             : is_forward_name(name)            ? forward_class
                                                : no_class;
    const auto [at, is_new] = by_class_.emplace(std::string(of_class), static_cast<std::uint32_t>(classes.size()));
    if (is_new) classes.push_back({std::string(of_class), part_of_class(of_class), 0});
    return at->second;
  }

  const activity& of_;
  std::vector<known_span> names_;  // by id
  hash_map<std::string, std::uint32_t> by_class_;
};

// Counts kernels by name and shapes.
class kernel_counter final : public kernel_visitor {
 public:
  kernel_counter(const activity& of, const activity_device& on, std::vector<kernel_use>& into, std::vector<std::int64_t>& optimizers)
      : of_(of), on_(on), into_(into), optimizers_(optimizers) {}
  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) add(rows[i]);
    return {};
  }

 private:
  void add(const kernel_row& k) {
    if (!k.makes_interval()) return;
    string_id shapes = 0, outputs = 0, types = 0;
    // What operators record belongs to the operator, not to each of its kernels.
    if (k.details != 0 && k.details <= on_.details.size() && on_.type == accelerator::npu) {
      const kernel_details& d = on_.details[k.details - 1];
      shapes = d.input_shapes;
      outputs = d.output_shapes;
      types = d.input_dtypes;
    }
    const auto [at, is_new] = known_.emplace(std::array<string_id, 5>{k.name, k.op_type, shapes, outputs, types}, into_.size());
    if (is_new) {
      kernel_use& use = into_.emplace_back();
      use.name = of_.text(k.name);
      use.type = of_.text(k.op_type);
      use.shapes_text = of_.text(shapes);
      use.inputs = shapes_in(use.shapes_text);
      use.outputs = shapes_in(of_.text(outputs));
      use.dtypes = of_.text(types);
      use.communicates = k.kind == kernel_class::comm;
      use.first_ps = k.start_ps;
      use.optimizes = is_optimizer_kernel(use.name) || is_optimizer_kernel(use.type);
    }
    kernel_use& use = into_[at->second];
    ++use.calls;
    if (use.optimizes) optimizers_.push_back(k.start_ps);
  }

  const activity& of_;
  const activity_device& on_;
  std::vector<kernel_use>& into_;
  std::vector<std::int64_t>& optimizers_;
  hash_map<std::array<string_id, 5>, std::size_t> known_;
};

// Elements of a list as PyTorch writes it: ["c10::BFloat16","",…].
std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) break;
    all.push_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return all;
}

// The last part of a name: "linear" of "aten::linear".
std::string_view last_part(std::string_view name) noexcept {
  const std::size_t at = name.rfind(':');
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

// Operators that call others which do the same: the outermost one counts.
enum class operator_group : std::uint8_t { none, product, attention, norm, convolution, loss };
operator_group group_of(std::string_view name) noexcept {
  const std::string_view last = last_part(name);
  for (const std::string_view word : {"attention", "attn"})
    if (contains_folded(name, word)) return operator_group::attention;
  for (const std::string_view word : {"linear", "addmm", "mm", "matmul", "bmm", "baddbmm"})
    if (last == word) return operator_group::product;
  if (contains_folded(last, "linear")) return operator_group::product;
  if (contains_folded(last, "norm")) return operator_group::norm;
  if (contains_folded(last, "conv")) return operator_group::convolution;
  if (contains_folded(last, "loss") || contains_folded(last, "log_softmax") || contains_folded(last, "cross_entropy"))
    return operator_group::loss;
  return operator_group::none;
}

class gatherer {
 public:
  gatherer(const activity& of, const architecture_result& found, const hooks& host) : of_(of), found_(found), host_(host) {}

  result<model_record> run() {
    r_.of = &of_;
    choose();
    if (r_.device != nullptr) {
      kernel_counter into(of_, *r_.device, r_.kernels, r_.optimizer_kernels);
      if (auto seen = of_.visit_kernels(r_.found->device, into, host_); !seen) return std::move(seen).error();
      std::sort(r_.optimizer_kernels.begin(), r_.optimizer_kernels.end());
      if (r_.kernels.empty()) take_totals();
    }
    if (r_.host != nullptr && of_.has_host_spans(r_.host_group)) {
      span_counter spans(of_);
      if (auto seen = of_.visit_host_spans(r_.host_group, -all_times, all_times, spans, host_); !seen) return std::move(seen).error();
      r_.spans = spans.uses();
      take_modules(spans);
    }
    take_operators();
    for (const step_marker& m : of_.markers())
      if (m.host_group == r_.host_group &&
          (m.device < 0 || (r_.found != nullptr && m.device == static_cast<std::int32_t>(r_.found->device))))
        r_.steps.push_back(m);
    std::stable_sort(r_.steps.begin(), r_.steps.end(), [](const step_marker& a, const step_marker& b) { return a.start_ps < b.start_ps; });
    return std::move(r_);
  }

 private:
  void choose() {
    if (!found_.devices.empty()) {
      r_.found = &found_.devices[found_.reported];
      r_.device = &of_.devices()[r_.found->device];
      r_.host_group = r_.device->host_group;
    } else {
      // The host that called most operators.
      std::vector<std::uint64_t> calls(of_.hosts().size());
      for (const operator_call& c : of_.operator_calls())
        if (c.host_group < calls.size()) ++calls[c.host_group];
      if (!calls.empty()) r_.host_group = static_cast<std::uint32_t>(std::max_element(calls.begin(), calls.end()) - calls.begin());
    }
    if (r_.host_group < of_.hosts().size()) r_.host = &of_.hosts()[r_.host_group];
  }

  void take_totals() {
    for (const op_total& t : r_.device->totals) {
      kernel_use& use = r_.kernels.emplace_back();
      use.name = of_.text(t.full_name != 0 ? t.full_name : t.op_type);
      use.type = of_.text(t.op_type);
      use.communicates = t.kind == kernel_class::comm;
      use.optimizes = is_optimizer_kernel(use.name) || is_optimizer_kernel(use.type);
      use.calls = t.calls;
    }
  }

  void take_modules(span_counter& from) {
    r_.modules.classes = std::move(from.classes);
    std::vector<span_counter::placed>& all = from.scopes;
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::tie(a.thread, a.start_ps, b.end_ps, a.of_class) < std::tie(b.thread, b.start_ps, a.end_ps, b.of_class);
    });
    for (const span_counter::placed& s : all) {
      const training_part part = s.of_class == span_counter::engine_class      ? training_part::backward
                                 : s.of_class == span_counter::gradient_class  ? training_part::gradient
                                 : s.of_class == span_counter::optimizer_class ? training_part::optimizer
                                                                               : training_part::forward;
      const bool other_backward = s.of_class == span_counter::backward_class;
      if (!other_backward) r_.training.push_back({s.start_ps, s.end_ps, part});
      if (other_backward || part == training_part::backward || part == training_part::gradient) backward_.push_back(s);
      if (other_backward || part != training_part::forward || s.of_class == span_counter::forward_class) continue;
      module_call call{s.start_ps, s.end_ps, s.thread, s.of_class, -1};
      std::int32_t around = r_.modules.calls.empty() ? -1 : static_cast<std::int32_t>(r_.modules.calls.size() - 1);
      while (around >= 0) {
        const module_call& outer = r_.modules.calls[static_cast<std::size_t>(around)];
        if (outer.thread == s.thread && outer.end_ps >= s.end_ps) break;
        around = outer.parent;
      }
      call.parent = around;
      ++r_.modules.classes[s.of_class].calls;
      r_.modules.calls.push_back(call);
    }
    if (std::none_of(r_.training.begin(), r_.training.end(), [](const training_mark& m) { return m.part == training_part::optimizer; }))
      r_.training = {};
    std::sort(r_.training.begin(), r_.training.end(),
              [](const training_mark& a, const training_mark& b) { return std::tie(a.start_ps, a.part) < std::tie(b.start_ps, b.part); });
  }

  void take_operators() {
    std::vector<const operator_call*> calls;
    for (const operator_call& c : of_.operator_calls())
      if (c.host_group == r_.host_group) calls.push_back(&c);
    std::sort(calls.begin(), calls.end(), [](const operator_call* a, const operator_call* b) {
      return std::tie(a->thread, a->start_ps, b->duration_ps) < std::tie(b->thread, b->start_ps, a->duration_ps);
    });
    struct open_operator {
      std::int64_t end_ps;
      operator_group group;
    };
    std::vector<open_operator> open;
    std::size_t module = 0, back = 0;
    std::int32_t inside = -1;
    std::int64_t backward_end = std::numeric_limits<std::int64_t>::min();
    std::uint32_t thread = no_thread;
    std::vector<std::int64_t> first;
    for (const operator_call* c : calls) {
      if (c->thread != thread) {
        thread = c->thread;
        open.clear();
        inside = -1;
        backward_end = std::numeric_limits<std::int64_t>::min();
        module = static_cast<std::size_t>(std::lower_bound(r_.modules.calls.begin(), r_.modules.calls.end(), thread,
                                                           [](const module_call& m, std::uint32_t t) { return m.thread < t; }) -
                                          r_.modules.calls.begin());
        back = static_cast<std::size_t>(
            std::lower_bound(backward_.begin(), backward_.end(), thread, [](const auto& m, std::uint32_t t) { return m.thread < t; }) -
            backward_.begin());
      }
      const std::int64_t end_ps = saturating_add(c->start_ps, c->duration_ps);
      for (; module < r_.modules.calls.size() && r_.modules.calls[module].thread == thread &&
             r_.modules.calls[module].start_ps <= c->start_ps;
           ++module)
        inside = static_cast<std::int32_t>(module);
      while (inside >= 0 && r_.modules.calls[static_cast<std::size_t>(inside)].end_ps < end_ps)
        inside = r_.modules.calls[static_cast<std::size_t>(inside)].parent;
      for (; back < backward_.size() && backward_[back].thread == thread && backward_[back].start_ps <= c->start_ps; ++back)
        backward_end = std::max(backward_end, backward_[back].end_ps);
      while (!open.empty() && open.back().end_ps < end_ps) open.pop_back();
      const std::string_view name = of_.text(c->name);
      const operator_group group = group_of(name);
      const bool nested = std::any_of(open.begin(), open.end(), [&](const open_operator& o) {
        return group != operator_group::none && (o.group == group || o.group == operator_group::attention);
      });
      open.push_back({end_ps, group});
      const module_part part = part_at(inside);
      const bool backward = end_ps <= backward_end || is_backward_name(name);
      const auto key = std::tuple(c->name, c->shapes, c->types, c->values, static_cast<std::uint8_t>(part), backward, nested);
      const auto [at, is_new] = known_.emplace(key, r_.operators.size());
      if (is_new) {
        add_operator(*c, part, backward, nested);
        first.push_back(c->start_ps);
      }
      ++r_.operators[at->second].calls;
      first[at->second] = std::min(first[at->second], c->start_ps);
      if (!backward && !nested && inside >= 0) note_mixing(inside, name, group);
    }
    std::vector<std::size_t> order(r_.operators.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
    std::vector<operator_use> sorted;
    sorted.reserve(order.size());
    for (const std::size_t i : order) sorted.push_back(std::move(r_.operators[i]));
    r_.operators = std::move(sorted);
  }

  void add_operator(const operator_call& c, module_part part, bool backward, bool nested) {
    operator_use& use = r_.operators.emplace_back();
    use.name = of_.text(c.name);
    use.shapes_text = of_.text(c.shapes);
    use.inputs = shapes_in(use.shapes_text);
    use.types = words_in(of_.text(c.types));
    use.values = words_in(of_.text(c.values));
    use.part = part;
    use.backward = backward;
    use.nested = nested;
  }

  module_part part_at(std::int32_t call) const {
    for (; call >= 0; call = r_.modules.calls[static_cast<std::size_t>(call)].parent) {
      const module_part part = r_.modules.classes[r_.modules.calls[static_cast<std::size_t>(call)].of_class].part;
      if (part != module_part::none) return part;
    }
    return module_part::none;
  }

  // Attention, or what stands for it, in the module of that call and all around it.
  void note_mixing(std::int32_t call, std::string_view name, operator_group group) {
    const bool attends = group == operator_group::attention && !contains_folded(name, "quant");
    const bool state =
        part_of_class(name) == module_part::state_space || contains_folded(name, "selective_scan") || contains_folded(name, "delta_rule");
    const bool experts = !attends && !state && part_of_class(name) == module_part::experts;
    if (!attends && !state && !experts) return;
    for (; call >= 0; call = r_.modules.calls[static_cast<std::size_t>(call)].parent) {
      module_call& m = r_.modules.calls[static_cast<std::size_t>(call)];
      ++(state ? m.state_spaces : experts ? m.experts : m.attentions);
    }
  }

  const activity& of_;
  const architecture_result& found_;
  const hooks& host_;
  model_record r_;
  std::vector<span_counter::placed> backward_;
  hash_map<std::tuple<string_id, string_id, string_id, string_id, std::uint8_t, bool, bool>, std::size_t> known_;
};

}  // namespace

bool is_optimizer_kernel(std::string_view name) noexcept {
  return std::any_of(std::begin(optimizer_words), std::end(optimizer_words), [&](std::string_view w) { return contains_folded(name, w); });
}

std::string_view optimizer_of_span(std::string_view span) noexcept {
  constexpr std::string_view step = "Optimizer.step#", ending = ".step";
  const std::size_t at = span.find(step);
  if (at == std::string_view::npos || !ends_with(span, ending) || span.size() < at + step.size() + ending.size()) return {};
  return span.substr(at + step.size(), span.size() - at - step.size() - ending.size());
}

const tensor_shape& operator_use::input(std::size_t i) const {
  static const tensor_shape none;
  return i < inputs.size() ? inputs[i] : none;
}

std::uint64_t model_record::calls_of(std::string_view span) const {
  for (const span_use& s : spans)
    if (s.name == span) return s.calls;
  return 0;
}

std::vector<tensor_shape> shapes_in(std::string_view text) {
  std::vector<tensor_shape> all;
  const bool nested = !text.empty() && text.front() == '[';
  if (text.empty() || text == "N/A") return all;
  std::size_t depth = 0;
  std::int64_t number = -1;
  if (!nested) all.emplace_back();
  const auto end_number = [&] {
    if (number >= 0 && !all.empty()) all.back().push_back(number);
    number = -1;
  };
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
  for (const char c : text) {
    if (is_digit(c)) {
      number = number < 0 ? c - '0' : number > most ? number : 10 * number + (c - '0');
      continue;
    }
    end_number();
    if (c == '[' && ++depth == 2) all.emplace_back();
    if (c == ']' && depth > 0) --depth;
    if (c == ';' && !nested) all.emplace_back();
  }
  end_number();
  return all;
}

result<model_record> gather_record(const activity& of, const architecture_result& found, const hooks& host) {
  return gatherer(of, found, host).run();
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
