#include <analyse/bubbles/breakdown.hpp>
#include <analyse/bubbles/summary.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

// The time of one device that is in steps, or that is not.
struct part_of_time {
  struct gap_sum {
    std::uint64_t gaps = 0;
    std::int64_t time_ps = 0;
    void add(std::uint64_t more, std::int64_t ps) noexcept {
      gaps += more;
      time_ps = saturating_add(time_ps, ps);
    }
  };
  step_breakdown spent;
  std::int64_t waiting_ps = 0;  // for other ranks, of the exposed communication
  std::map<std::pair<idle_cause, certainty>, gap_sum> causes;

  void add(const part_of_time& more) {
    add_to(spent, more.spent);
    waiting_ps = saturating_add(waiting_ps, more.waiting_ps);
    for (const auto& [cause, sum] : more.causes) causes[cause].add(sum.gaps, sum.time_ps);
  }

  void write(std::int32_t device, bool in_steps, std::vector<time_row>& into) const {
    const auto add = [&](time_use use, std::int64_t ps) {
      if (ps <= 0) return;
      time_row& row = into.emplace_back();
      row.device = device;
      row.in_steps = in_steps;
      row.use = use;
      row.time_ps = ps;
    };
    add(time_use::compute, computed_ps(spent));
    add(time_use::exposed_comm, waiting_ps);
    if (waiting_ps > 0) into.back().cause = idle_cause::straggler_wait;
    add(time_use::exposed_comm, spent.comm_exposed_ps - waiting_ps);
    add(time_use::exposed_copy, spent.copy_ps);
    add(time_use::other_work, spent.other_ps);
    const std::size_t first_cause = into.size();
    std::int64_t left_ps = spent.idle_ps;
    for (const auto& [cause, sum] : causes) {
      add(time_use::idle, sum.time_ps);
      into.back().cause = cause.first;
      into.back().sure = cause.second;
      into.back().gaps = sum.gaps;
      left_ps -= sum.time_ps;
    }
    std::stable_sort(into.begin() + static_cast<std::ptrdiff_t>(first_cause), into.end(),
                     [](const time_row& a, const time_row& b) { return a.time_ps > b.time_ps; });
    const std::size_t without_cause = into.size();
    add(time_use::idle, left_ps);
    if (into.size() > without_cause) into.back().sure = certainty::unknown;
    add(time_use::not_recorded, spent.not_recorded_ps);
  }
};

}  // namespace

void list_time(bubbles_result& into, const std::vector<step_facts>& facts) {
  std::vector<std::array<part_of_time, 2>> devices(into.devices.size());
  constexpr std::size_t steps = 0, outside = 1;
  for (std::size_t d = 0; d < devices.size(); ++d) devices[d][outside].spent = into.devices[d].outside;
  std::size_t at = 0;
  for (const bubble_step& s : into.steps) {
    part_of_time& part = devices[s.device][steps];
    add_to(part.spent, s.breakdown);
    // A kernel of the step before may compute in this one: then less of it is exposed.
    part.waiting_ps = saturating_add(part.waiting_ps, std::min(facts[at++].exposed.waiting_ps, s.breakdown.comm_exposed_ps));
  }
  for (const bubble& b : into.bubbles)
    if (!b.boundary_adjacent && !b.inter_step)
      devices[b.device][b.step >= 0 ? steps : outside].causes[{b.cause.id, b.sure}].add(1, b.length_ps());
  std::array<part_of_time, 2> all;
  for (const auto& device : devices)
    for (const std::size_t part : {steps, outside}) all[part].add(device[part]);
  for (const std::size_t part : {steps, outside}) all[part].write(-1, part == steps, into.time);
  for (std::size_t d = 0; d < devices.size(); ++d)
    for (const std::size_t part : {steps, outside})
      devices[d][part].write(static_cast<std::int32_t>(d), part == steps, into.time);
}

}  // namespace bubbles

bool has_marked_steps(const bubbles_result& r) noexcept {
  return std::any_of(r.steps.begin(), r.steps.end(), [](const bubble_step& s) { return !s.pseudo; });
}

bool has_only_marked_steps(const bubbles_result& r) noexcept {
  return !r.steps.empty() && std::none_of(r.steps.begin(), r.steps.end(), [](const bubble_step& s) { return s.pseudo; });
}

bool explains(idle_cause c) noexcept {
  return c != idle_cause::unexplained && c != idle_cause::host_untraced && c != idle_cause::device_dependency;
}

std::optional<leading_cause> find_leading_cause(const std::vector<time_row>& time, bool only_waiting) {
  struct sum {
    std::int64_t all_ps = 0, likely_ps = 0, proved_ps = 0;
  };
  std::map<idle_cause, sum> sums;
  std::int64_t service_ps = 0;
  const auto add = [](std::int64_t& to, std::int64_t ps) { to = saturating_add(to, ps); };
  for (const time_row& row : time) {
    if (row.device >= 0 || !row.in_steps) continue;
    add(service_ps, row.time_ps);
    std::optional<idle_cause> cause = row.cause;
    if (!cause && row.use == time_use::exposed_comm) cause = idle_cause::exposed_comm;
    if (!cause && row.use == time_use::exposed_copy) cause = idle_cause::exposed_copy;
    if (!cause || !explains(*cause) || (only_waiting && row.use != time_use::idle)) continue;
    sum& of = sums[*cause];
    add(of.all_ps, row.time_ps);
    if (row.sure >= certainty::likely) add(of.likely_ps, row.time_ps);
    if (row.sure == certainty::proved) add(of.proved_ps, row.time_ps);
  }
  std::optional<leading_cause> most;
  for (const auto& [cause, of] : sums) {
    const std::int64_t half_ps = of.all_ps - of.all_ps / 2;
    if (of.likely_ps < half_ps || of.all_ps < service_ps / bubbles::least_part_named || (most && most->time_ps >= of.all_ps)) continue;
    most = {cause, of.proved_ps >= half_ps ? certainty::proved : certainty::likely, of.all_ps, service_ps};
  }
  return most;
}

std::int64_t time_ps_of(const bubbles_result& r, std::int32_t device, bool in_steps) noexcept {
  std::int64_t sum_ps = 0;
  for (const time_row& row : r.time)
    if (row.device == device && row.in_steps == in_steps) sum_ps = saturating_add(sum_ps, row.time_ps);
  return sum_ps;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
