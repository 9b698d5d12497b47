// How many times gradients are added up before the optimizer uses them: forward and backward passes to one step of it.
#include <model/architecture/facts/model_facts.hpp>

#include <base/kernel_families.hpp>
#include <base/affix.hpp>
#include <base/format.hpp>

#include <algorithm>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {
namespace {

// Micro-steps and steps of the optimizer as they follow each other. Several optimizers that step after one another are one step.
class accumulation_counter {
 public:
  void micro_step(std::int64_t at_ps) {
    if (since_ == 0) first_ps_ = at_ps;
    ++since_;
  }
  void optimizer_step(std::int64_t at_ps) {
    if (since_ == 0 && !before_.empty()) return;
    before_.push_back(since_);
    step_ps_ = at_ps;
    since_ = 0;
  }

  [[nodiscard]] std::uint64_t optimizer_steps() const { return before_.size(); }
  [[nodiscard]] std::uint64_t micro_steps() const {
    std::uint64_t all = since_;
    for (const std::uint64_t n : before_) all += n;
    return all;
  }
  // The number between two steps of the optimizer, the same between all of them; what the capture cuts has no more. Of one step alone
  // it is known where a single marked step holds all of it.
  [[nodiscard]] std::optional<std::uint64_t> each(const std::vector<step_marker>& marked) const {
    if (before_.empty()) return std::nullopt;
    const std::uint64_t n = before_.back();
    if (before_.size() > 1) {
      const bool same = std::all_of(before_.begin() + 1, before_.end(), [&](std::uint64_t one) { return one == n; });
      return same && before_.front() <= n && since_ <= n ? std::make_optional(n) : std::nullopt;
    }
    const bool of_host = std::any_of(marked.begin(), marked.end(), [](const step_marker& m) { return m.device < 0; });
    const step_marker* only = nullptr;
    for (const step_marker& m : marked) {
      if (of_host != (m.device < 0)) continue;
      if (only != nullptr && m.start_ps != only->start_ps) return std::nullopt;
      only = &m;
    }
    if (only == nullptr || n == 0 || since_ > 0 || only->start_ps > first_ps_ || only->end_ps <= step_ps_) return std::nullopt;
    return n;
  }

 private:
  std::vector<std::uint64_t> before_;  // micro-steps before each step of the optimizer
  std::uint64_t since_ = 0;
  std::int64_t first_ps_ = 0, step_ps_ = 0;
};

// By the host: it goes forward, then autograd adds to the gradients; what autograd computes again does not count. Where gradients are
// not on record, all that autograd calls counts.
accumulation_counter count_on_host(const std::vector<training_mark>& marks) {
  const auto has = [&](training_part part) {
    return std::any_of(marks.begin(), marks.end(), [part](const training_mark& m) { return m.part == part; });
  };
  const training_part ends = has(training_part::gradient) ? training_part::gradient : training_part::backward;
  accumulation_counter count;
  bool forward = false;
  std::int64_t forward_ps = 0, backward_end_ps = no_time_ps;
  for (const training_mark& m : marks) {
    if (m.part == training_part::optimizer) {
      count.optimizer_step(m.start_ps);
      forward = false;
      continue;
    }
    if (m.part == training_part::forward) {
      if (backward_end_ps != no_time_ps && m.start_ps < backward_end_ps) continue;
      if (!forward) forward_ps = m.start_ps;
      forward = true;
      continue;
    }
    backward_end_ps = backward_end_ps == no_time_ps ? m.end_ps : std::max(backward_end_ps, m.end_ps);
    if (!forward || m.part != ends) continue;
    count.micro_step(forward_ps);
    forward = false;
  }
  return count;
}

// By the device: passes that something else than steps parts, and kernels of the optimizer.
accumulation_counter count_on_device(const device_architecture& d, const std::vector<std::int64_t>& optimizer_kernels) {
  accumulation_counter count;
  std::size_t next = 0;
  for (const model_pass& p : d.passes) {
    for (; next < optimizer_kernels.size() && optimizer_kernels[next] < p.start_ps; ++next) count.optimizer_step(optimizer_kernels[next]);
    count.micro_step(p.start_ps);
  }
  for (; next < optimizer_kernels.size(); ++next) count.optimizer_step(optimizer_kernels[next]);
  return count;
}

}  // namespace

void add_accumulation_facts(fact_context& c, fact_list& into) {
  if (!c.trains) return;
  const device_architecture* const d = c.r.found;
  // Stages of a pipeline go forward several times before they go back: only look-ups of tokens part their passes. NCCL runs
  // all-to-alls by the kernels of sends and receives, too: those leave it open.
  const bool pipelined = into.number("pipeline_parallel").value_or(1) > 1 ||
                         std::any_of(c.r.kernels.begin(), c.r.kernels.end(), [](const kernel_use& k) {
                           return k.communicates && (contains_folded(k.name, "sendrecv") || communication_kind(k.type, k.name) == op_kind::point_to_point);
                         });
  accumulation_counter count;
  std::string_view by;
  if (!pipelined && !c.r.training.empty()) {
    count = count_on_host(c.r.training);
    by = "passes forward and back on the host";
  } else if (d != nullptr && !c.r.optimizer_kernels.empty()) {
    const std::string_view source = d->pass_source;
    const bool parted = ends_with(source, "embedding") || (!pipelined && ends_with(source, "backward attention"));
    const bool whole = std::none_of(d->passes.begin(), d->passes.end(), [](const model_pass& p) { return p.irregular || p.cut != pass_cut::none; });
    if (!parted || !whole) return;
    count = count_on_device(*d, c.r.optimizer_kernels);
    by = "passes of the device";
  }
  const std::optional<std::uint64_t> each = count.each(c.r.steps);
  if (!each) return;
  const std::string evidence = std::to_string(count.micro_steps()) + ' ' + std::string(by) + ", " +
                               counted(count.optimizer_steps(), "step", "steps") + " of the optimizer";
  into.add("optimizer_steps", static_cast<std::int64_t>(count.optimizer_steps()), certainty::likely, fact_source::count, evidence);
  into.add("gradient_accumulation_steps", static_cast<std::int64_t>(*each), certainty::likely, fact_source::count, evidence, "micro-steps");
  if (c.passes == 0) c.passes = count.micro_steps();
  c.micro_steps = count.micro_steps();
  c.accumulates = *each;
}

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
