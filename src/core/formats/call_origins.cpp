#include <formats/call_origins.hpp>

#include <base/affix.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// How PyTorch names what it records (torch/profiler, torch/csrc/autograd).
constexpr std::string_view module_prefix = "nn.Module: ";
constexpr std::string_view backward_prefix = "autograd::engine::evaluate_function: ";
constexpr std::string_view optimizer_prefix = "Optimizer.";

// How autograd names what it runs backward: "AddmmBackward0", "torch::autograd::AccumulateGrad". Early recorders have no span around.
bool is_backward_node(std::string_view name) noexcept {
  if (starts_with(name, "torch::autograd::")) name.remove_prefix(std::string_view("torch::autograd::").size());
  if (name == "AccumulateGrad") return true;
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return ends_with(name, "Backward") && !contains(name, "::");
}

std::int64_t span_end_ps(const host_span& s) noexcept { return saturating_add(s.start_ps, s.duration_ps); }

}  // namespace

bool is_source_line(std::string_view name) noexcept {
  constexpr std::string_view of_the_framework[] = {"torch/", "torch_npu/", "<", "threading.py(", "contextlib.py(", "typing.py("};
  if (name.find(".py(") == std::string_view::npos) return false;
  if (contains(name, "site-packages/torch/") || contains(name, "site-packages/torch_npu/")) return false;
  return std::none_of(std::begin(of_the_framework), std::end(of_the_framework),
                      [&](std::string_view start) { return starts_with(name, start); });
}

call_origins::call_origins(const std::vector<host_span>& spans, const origin_evidence& evidence, string_table& strings,
                           std::vector<kernel_origin>& origins)
    : spans_(spans), strings_(strings), origins_(origins), order_(spans.size()), has_library_calls_(evidence.has_library_calls) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    const host_span &x = spans_[a], &y = spans_[b];
    if (x.thread != y.thread) return x.thread < y.thread;
    if (x.start_ps != y.start_ps) return x.start_ps < y.start_ps;
    if (x.duration_ps != y.duration_ps) return x.duration_ps > y.duration_ps;
    return x.source_row < y.source_row;
  });
  if (!evidence.numbers.empty()) numbers_.assign(spans.size(), -1);
  for (const autograd_number& n : evidence.numbers) {
    numbers_[n.span] = n.number;
    if (meaning_of(spans[n.span]).what == meaning::backward) backward_.insert(n.number);
  }
  if (!evidence.lines.empty()) lines_.assign(spans.size(), 0);
  for (const calling_line& l : evidence.lines) lines_[l.span] = l.line;
}

template <class Before, class After, class End>
void call_origins::sweep(Before&& before, After&& after, End&& end) {
  for (std::size_t at = 0; at < order_.size(); ++at) {
    const host_span& s = spans_[order_[at]];
    if (at == 0 || spans_[order_[at - 1]].thread != s.thread) open_.clear();
    before(s);
    open_.close_until(s.start_ps);
    leave_frames(s);
    const holding around = open_.innermost() == nullptr ? holding() : *open_.innermost();
    const meaning what = meaning_of(s).what;
    const bool is_operator = what == meaning::op || what == meaning::backward;
    const holding within{inside(around, order_[at]), is_operator ? order_[at] + 1 : around.operation, s.kind == host_span_kind::frame,
                         what != meaning::backward ? around.node : numbers_.empty() ? -1 : numbers_[order_[at]]};
    open_.open(span_end_ps(s), within);
    after(order_[at], within.origin);
    if (at + 1 == order_.size() || spans_[order_[at + 1]].thread != s.thread) end(s.thread);
  }
}

void call_origins::find(std::vector<origin_query>& queries) {
  std::sort(queries.begin(), queries.end(), [](const origin_query& a, const origin_query& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.at_ps < b.at_ps;
  });
  const auto nothing = [](auto&&...) {};
  if (!numbers_.empty()) sweep(nothing, [&](std::size_t span, std::uint32_t origin) { note_forward(span, origin); }, nothing);
  auto query = queries.begin();
  const auto answer_before = [&](std::uint32_t thread, std::int64_t at_ps) {
    while (query != queries.end() && query->thread < thread) ++query;
    for (; query != queries.end() && query->thread == thread && query->at_ps < at_ps; ++query) {
      answer(*query);
    }
  };
  const auto note_range = [&](std::size_t span, std::uint32_t origin) {
    const host_span& s = spans_[span];
    if (s.kind == host_span_kind::annotation) ranges_.push_back({s.start_ps, span_end_ps(s), s.thread, origin});
  };
  sweep([&](const host_span& s) { answer_before(s.thread, s.start_ps); }, note_range,
        [&](std::uint32_t thread) { answer_before(thread, std::numeric_limits<std::int64_t>::max()); });
  if (!ranges_.empty()) find_ranges_of_callers(queries);
}

// Autograd runs backward on threads of its own while the thread that asked for it waits in its ranges. Where several threads
// are in ranges at that time, it is not known which one asked.
void call_origins::find_ranges_of_callers(std::vector<origin_query>& queries) {
  std::vector<origin_query*> left;
  for (origin_query& q : queries) {
    if (q.origin == 0) continue;
    const kernel_origin& o = origins_[q.origin - 1];
    const bool in_backward = o.phase == training_phase::backward || o.phase == training_phase::recomputation;
    if (o.range == 0 && in_backward) left.push_back(&q);
  }
  std::sort(left.begin(), left.end(), [](const origin_query* a, const origin_query* b) { return a->at_ps < b->at_ps; });
  // Of a thread, those around others begin first, and were noted first.
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const open_range& a, const open_range& b) { return a.start_ps < b.start_ps; });
  std::vector<open_range> open;
  auto next = ranges_.begin();
  for (origin_query* const q : left) {
    for (; next != ranges_.end() && next->start_ps <= q->at_ps; ++next) open.push_back(*next);
    open.erase(std::remove_if(open.begin(), open.end(), [&](const open_range& r) { return r.end_ps <= q->at_ps; }), open.end());
    const auto is_of_other_thread = [&](const open_range& r) { return r.thread != open.front().thread; };
    if (open.empty() || std::any_of(open.begin(), open.end(), is_of_other_thread)) continue;
    kernel_origin o = origins_[q->origin - 1];
    o.range = origins_[open.back().origin - 1].range;
    q->origin = number_of(o);
  }
}

// A range begins in the function that begins it and lasts longer.
void call_origins::leave_frames(const host_span& s) {
  if (s.kind != host_span_kind::op && s.kind != host_span_kind::annotation) return;
  open_.close_ending_before(saturating_add(s.start_ps, s.duration_ps / 2), [](const holding& h) { return h.is_frame; });
}

void call_origins::answer(origin_query& query) {
  open_.close_until(query.at_ps);
  const holding* const around = open_.innermost();
  if (around == nullptr || around->origin == 0) return;
  query.operation = around->operation;
  query.origin = around->origin;
  kernel_origin o = origins_[around->origin - 1];
  if (o.op == 0 || o.outer_op != 0) return;
  o.outer_op = o.op;  // of a call of the library that no operator makes
  query.origin = number_of(o);
}

const call_origins::known_name& call_origins::meaning_of(const host_span& s) {
  if (s.name >= names_.size()) names_.resize(std::max<std::size_t>(strings_.size(), s.name + std::size_t{1}));
  known_name& known = names_[s.name];
  if (known.is_known) return known;
  known.is_known = true;
  const std::string name(strings_.text(s.name));
  known.shown = s.name;
  if (starts_with(name, module_prefix)) {
    known.what = meaning::module;
    known.shown = strings_.intern(name.substr(module_prefix.size()));
  } else if (starts_with(name, backward_prefix)) {
    known.what = meaning::backward;
    known.shown = strings_.intern(name.substr(backward_prefix.size()));
  } else if (starts_with(name, optimizer_prefix)) {
    known.what = meaning::optimizer;
  } else if (s.kind == host_span_kind::op) {
    known.what = meaning_of_operator(name);
  } else if (s.kind == host_span_kind::annotation) {
    known.what = meaning::range;
  } else if (s.kind == host_span_kind::frame && is_source_line(name)) {
    known.what = meaning::frame;
  }
  return known;
}

call_origins::meaning call_origins::meaning_of_operator(std::string_view name) const {
  // Libraries name their own calls alike, without the number: "aclnnThresholdBackward".
  const bool may_be_node = !has_library_calls_ || contains(name, "::") || (!name.empty() && is_digit(name.back()));
  if (may_be_node && is_backward_node(name)) return meaning::backward;
  return has_library_calls_ && !contains(name, "::") ? meaning::library_call : meaning::op;
}

// Whether something runs forward within what runs backward: a module, or an operator that has a backward of its own.
bool call_origins::begins_again(const holding& around, std::size_t span) const {
  if (around.origin == 0 || origins_[around.origin - 1].phase != training_phase::backward) return false;
  const known_name& known = names_[spans_[span].name];
  if (known.what == meaning::module) return true;
  return known.what == meaning::op && !numbers_.empty() && numbers_[span] >= 0 && numbers_[span] != around.node &&
         backward_.contains(numbers_[span]);
}

string_id call_origins::within(string_id around, std::string_view separator, string_id name) {
  if (around == 0) return name;
  std::string path(strings_.text(around));
  return strings_.intern(path.append(separator).append(strings_.text(name)));
}

// A module that runs again hangs where it hung before, not below the node that runs it.
string_id call_origins::module_within(string_id around, string_id name) {
  const std::string own(strings_.text(name));
  std::string path(strings_.text(around));
  for (;;) {
    const string_id whole = strings_.intern(path + '/' + own);
    if (forward_modules_.contains(whole)) return whole;
    const std::size_t last = path.rfind('/');
    if (last == std::string::npos) return name;
    path.resize(last);
  }
}

// The origin of what is inside a span; `outside` holds around it.
std::uint32_t call_origins::inside(const holding& outside, std::size_t span) {
  const host_span& s = spans_[span];
  const known_name known = meaning_of(s);
  const std::uint32_t around = outside.origin;
  if (known.what == meaning::nothing) return around;
  kernel_origin o = around == 0 ? kernel_origin() : origins_[around - 1];
  const bool again = begins_again(outside, span);
  if (again) {
    o.op = o.outer_op = 0;
    o.phase = training_phase::recomputation;
  }
  switch (known.what) {
    case meaning::op:
      o.op = known.shown;
      if (o.outer_op == 0) o.outer_op = known.shown;
      if (const string_id line = line_of(span)) o.source = line;
      break;
    case meaning::library_call:
      if (o.outer_op == 0) o.op = known.shown;
      if (const string_id line = line_of(span)) o.source = line;
      break;
    case meaning::module:
      o.module = again && o.module != 0 ? module_within(o.module, known.shown) : within(o.module, "/", known.shown);
      break;
    case meaning::range: o.range = within(o.range, range_separator, known.shown); break;
    case meaning::frame: o.source = known.shown; break;
    case meaning::optimizer:
      o.phase = training_phase::optimizer;
      if (s.kind == host_span_kind::annotation) o.range = within(o.range, range_separator, known.shown);
      break;
    case meaning::backward: {
      o.op = o.outer_op = known.shown;
      o.phase = training_phase::backward;
      const auto forward = numbers_.empty() ? forward_.end() : forward_.find(numbers_[span]);
      if (forward != forward_.end() && !forward->second.is_ambiguous && forward->second.origin != 0) {
        const kernel_origin& of = origins_[forward->second.origin - 1];
        o.module = of.module;
        o.source = of.source;
        // What runs again was called where it ran first.
        o.forward_range = of.phase == training_phase::recomputation ? of.forward_range : of.range;
      }
      break;
    }
    case meaning::nothing: break;
  }
  if (o.phase == training_phase::unknown && (o.op != 0 || o.module != 0)) o.phase = training_phase::forward;
  if (known.what == meaning::module && o.phase == training_phase::forward) forward_modules_.insert(o.module);
  return number_of(o);
}

std::uint32_t call_origins::with_ranges_of(std::uint32_t origin, std::uint32_t other) {
  kernel_origin o = origin == 0 ? kernel_origin() : origins_[origin - 1];
  const kernel_origin of = other == 0 ? kernel_origin() : origins_[other - 1];
  o.range = of.range;
  o.forward_range = of.forward_range;
  const bool is_empty = o.op == 0 && o.module == 0 && o.source == 0 && o.range == 0 && o.phase == training_phase::unknown;
  return is_empty ? 0 : number_of(o);
}

std::uint32_t call_origins::number_of(const kernel_origin& o) {
  const auto [at, is_new] = known_.try_emplace({o.op, o.outer_op, o.module, o.range, o.forward_range, o.source, static_cast<std::uint32_t>(o.phase)}, 0);
  if (is_new) {
    origins_.push_back(o);
    at->second = static_cast<std::uint32_t>(origins_.size());
  }
  return at->second;
}

// What comes before an operator that runs backward may have its number, too: of several the last has it for itself.
void call_origins::note_forward(std::size_t span, std::uint32_t origin) {
  if (numbers_[span] < 0 || origin == 0) return;
  const training_phase phase = origins_[origin - 1].phase;
  if (phase != training_phase::forward && phase != training_phase::recomputation) return;
  const auto [at, is_new] = forward_.try_emplace(numbers_[span], forward_op{spans_[span].thread, origin, false});
  if (is_new) return;
  if (at->second.thread != spans_[span].thread) at->second.is_ambiguous = true;
  at->second.origin = origin;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
