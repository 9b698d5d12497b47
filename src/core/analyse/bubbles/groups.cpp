#include <analyse/bubbles/groups.hpp>
#include <analyse/bubbles/ratio.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::size_t max_comparisons = 200'000;

std::uint64_t total_of(const step_template& t) noexcept {
  std::uint64_t sum = 0;
  for (const auto& [type, count] : t.types) sum += count;
  return sum;
}

// Kernels of both templates that have the same op type.
std::uint64_t shared_kernels(const step_template& a, const step_template& b) noexcept {
  std::uint64_t sum = 0;
  for (auto i = a.types.begin(), j = b.types.begin(); i != a.types.end() && j != b.types.end();) {
    if (i->first == j->first) {
      sum += std::min(i->second, j->second);
      ++i;
      ++j;
    } else if (i->first < j->first) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

std::int64_t as_int(std::uint64_t n) noexcept { return static_cast<std::int64_t>(n); }

bool same_work(const step_template& a, const step_template& b, const bubble_thresholds& t) noexcept {
  if (a.dominant != b.dominant) return false;
  const std::uint64_t most = std::max(a.kernels, b.kernels), least = std::min(a.kernels, b.kernels);
  if (above(as_int(most - least), as_int(most), t.group_count_ppm)) return false;
  return at_least(as_int(shared_kernels(a, b)), as_int(std::max(total_of(a), total_of(b))), t.group_overlap_ppm);
}

class union_find {
 public:
  explicit union_find(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[std::max(root(a), root(b))] = std::min(root(a), root(b)); }

 private:
  std::vector<std::size_t> parent_;
};

// All templates of all devices in a row.
struct template_row {
  const step_template* form;
  std::size_t at;
};

spread spread_of(std::vector<std::int64_t> values) {
  spread s;
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  wide_int sum = 0;
  for (const std::int64_t v : values) sum += v;
  s.mean = divided(sum, as_int(values.size()));
  s.median = quantile(values, 50);
  s.p90 = quantile(values, 90);
  s.p95 = quantile(values, 95);
  return s;
}

struct group_measure {
  spread bubble_group::*into;
  std::int64_t (*of)(const bubble_step& s);
};
constexpr group_measure measures[][4] = {
    {{&bubble_group::service_ps, [](const bubble_step& s) { return s.service_ps(); }},
     {&bubble_group::busy_ps, [](const bubble_step& s) { return s.busy_ps; }},
     {&bubble_group::prelaunch_ps, [](const bubble_step& s) { return s.prelaunch_ps; }},
     {&bubble_group::tail_ps, [](const bubble_step& s) { return s.tail_ps; }}},
    {{&bubble_group::internal_ps, [](const bubble_step& s) { return s.internal_total_ps; }},
     {&bubble_group::largest_ps, [](const bubble_step& s) { return s.largest_internal_ps; }},
     {&bubble_group::underfeed_ppm, [](const bubble_step& s) { return ppm_of(s.underfeed_ps(), s.service_ps()); }},
     {&bubble_group::bubbles, [](const bubble_step& s) { return as_int(s.bubble_count); }}}};

// Four measures at a time: there may be a million steps.
void measure_group(bubble_group& g, const bubble_steps& steps, const std::vector<std::uint32_t>& of,
                   const bubble_thresholds& t) {
  std::int64_t with = 0;
  for (const auto& some : measures) {
    std::array<std::vector<std::int64_t>, 4> values;
    for (auto& v : values) v.reserve(of.size());
    with = 0;
    for (const std::uint32_t i : of) {
      const bubble_step& s = steps[i];
      for (std::size_t m = 0; m < values.size(); ++m) values[m].push_back(some[m].of(s));
      with += s.bubble_count > 0 ? 1 : 0;
    }
    for (std::size_t m = 0; m < values.size(); ++m) g.*some[m].into = spread_of(std::move(values[m]));
  }
  g.recurring = at_least(with, as_int(of.size()), t.recurring_share_ppm);
}

// Of each group, how long devices were between its steps and the next ones, and how many those were.
std::vector<std::pair<wide_int, std::int64_t>> time_between(const bubbles_result& of) {
  std::vector<std::pair<wide_int, std::int64_t>> sums(of.groups.size());
  std::uint32_t device = 0;
  std::int32_t group = -1;
  std::int64_t end_ps = 0;
  for (const bubble_step& s : of.steps) {
    if (group >= 0 && device == s.device) {
      auto& [sum, pairs] = sums[static_cast<std::size_t>(group)];
      sum += std::max<std::int64_t>(s.start_ps - end_ps, 0);
      ++pairs;
    }
    device = s.device;
    group = s.group;
    end_ps = s.end_ps;
  }
  return sums;
}

idle_pattern pattern_by_script(const bubble_group& g) noexcept {
  idle_pattern best = idle_pattern::none;
  std::int64_t most = 0;
  for (const auto& [pattern, mean] :
       {std::pair{idle_pattern::prelaunch, g.prelaunch_ps.mean}, std::pair{idle_pattern::tail, g.tail_ps.mean},
        std::pair{idle_pattern::internal_bubble, g.internal_ps.mean}}) {
    if (mean <= most) continue;
    best = pattern;
    most = mean;
  }
  return best;
}

idle_pattern pattern_of(const bubble_group& g, const bubble_thresholds& t) noexcept {
  std::int64_t means[] = {g.prelaunch_ps.mean, g.tail_ps.mean, g.internal_ps.mean};
  std::sort(std::begin(means), std::end(means), std::greater<>());
  if (g.inter_step_ps > 0 &&
      static_cast<wide_int>(g.inter_step_ps) >= static_cast<wide_int>(means[0]) * t.inter_step_factor)
    return idle_pattern::inter_step;
  const wide_int share = static_cast<wide_int>(g.service_ps.mean) * t.pattern_share_ppm / millionths;
  if (means[0] < t.pattern_gap_ps || means[0] < share || means[0] == 0) return idle_pattern::none;
  if (at_least(means[1], means[0], t.mixed_pattern_ppm)) return idle_pattern::mixed;
  return g.pattern_by_script;
}

}  // namespace

bubble_place place_of(const bubble& b, const bubble_steps& steps) noexcept {
  const auto group = static_cast<std::uint64_t>(steps.verdict(static_cast<std::size_t>(b.step)).group);
  const auto place = [&](std::int32_t structure, string_id before) {
    return bubble_place{group << 32 | static_cast<std::uint32_t>(structure), before};
  };
  if (b.scope == bubble_scope::prelaunch) return place(-2, 0);
  const string_id before = b.before_count == 0 ? 0 : type_of(b.before[0]);
  return place(b.scope == bubble_scope::tail ? -3 : b.structure_before, before);
}

void make_groups(bubbles_result& into, const std::vector<std::vector<step_template>>& templates,
                 const std::vector<step_facts>& facts, const activity& of, const bubble_thresholds& t) {
  std::vector<std::size_t> base;  // of each device's templates in the row
  std::vector<template_row> row;
  for (const auto& of_device : templates) {
    base.push_back(row.size());
    for (const step_template& form : of_device) row.push_back({&form, row.size()});
  }
  union_find same(row.size() + 2);  // and one for empty steps, one for steps that were not compared
  const std::size_t empty = row.size(), not_compared = row.size() + 1;
  std::vector<template_row> by_size = row;
  std::stable_sort(by_size.begin(), by_size.end(),
               [](const template_row& a, const template_row& b) { return a.form->kernels < b.form->kernels; });
  std::size_t comparisons = 0;
  for (std::size_t i = 0; i < by_size.size(); ++i)
    for (std::size_t j = i + 1; j < by_size.size() && comparisons < max_comparisons; ++j) {
      const step_template &a = *by_size[i].form, &b = *by_size[j].form;
      if (above(as_int(b.kernels - a.kernels), as_int(b.kernels), t.group_count_ppm)) break;
      ++comparisons;
      if (same_work(a, b, t)) same.join(by_size[i].at, by_size[j].at);
    }

  hash_map<std::size_t, std::size_t> group_at;
  std::vector<std::int64_t> service;
  std::uint32_t at_step = 0;
  for (const bubble_step& s : into.steps) {
    const std::uint32_t i = at_step++;
    const std::size_t form = facts[i].form >= 0      ? base[s.device] + static_cast<std::size_t>(facts[i].form)
                             : s.kernel_count() == 0 ? empty
                                                     : not_compared;
    const auto [at, is_new] = group_at.try_emplace(same.root(form), into.groups.size());
    if (is_new) {
      into.groups.emplace_back();
      service.push_back(0);
    }
    into.groups[at->second].steps.push_back(i);
    service[at->second] = saturating_add(service[at->second], s.service_ps());
  }
  std::vector<std::size_t> order(into.groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return service[a] > service[b]; });
  std::vector<bubble_group> sorted;
  for (const std::size_t g : order) {
    into.groups[g].id = "g" + std::to_string(sorted.size());
    for (const std::uint32_t s : into.groups[g].steps)
      into.steps.verdict(s).group = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(std::move(into.groups[g]));
  }
  into.groups = std::move(sorted);
  into.dominant_group = into.groups.empty() ? -1 : 0;

  // Shapes are compared within a template, so each counts where its steps went.
  std::vector<bool> counted(row.size(), false);
  for (std::size_t i = 0; i < into.steps.size(); ++i) {
    if (facts[i].form < 0) continue;
    const std::uint32_t device = into.steps[i].device;
    const std::size_t at = base[device] + static_cast<std::size_t>(facts[i].form);
    const step_template& form = *row[at].form;
    bubble_group& g = into.groups[static_cast<std::size_t>(into.steps.verdict(i).group)];
    if (of.devices()[device].has_shapes) g.shapes_compared = true;
    if (counted[at] || form.compared == 0) continue;
    counted[at] = true;
    g.aligned_positions += form.varies.size();
    g.varying_positions += static_cast<std::uint64_t>(std::count(form.varies.begin(), form.varies.end(), true));
  }
}

void find_cut_steps(bubbles_result& into, const std::vector<std::vector<step_template>>& templates,
                    const std::vector<step_facts>& facts, const std::vector<step_edges>& edges,
                    const bubble_thresholds& t) {
  // Of each group, when needed: there may be as many edges as steps.
  std::vector<std::vector<std::int64_t>> sorted(into.groups.size());
  const auto counts_of = [&](std::size_t group) -> const std::vector<std::int64_t>& {
    std::vector<std::int64_t>& counts = sorted[group];
    if (!counts.empty()) return counts;
    for (const std::uint32_t i : into.groups[group].steps) counts.push_back(as_int(into.steps[i].kernel_count()));
    std::sort(counts.begin(), counts.end());
    return counts;
  };
  // The edge of the capture cuts the first or the last step when that is a smaller part of what its neighbour did.
  const auto look = [&](std::size_t edge, std::size_t neighbour) {
    if (facts[edge].form < 0 || facts[neighbour].form < 0) return;
    const bubble_step& s = into.steps[edge];
    const std::int32_t group = into.steps.verdict(neighbour).group;
    const std::int64_t own = as_int(s.kernel_count());
    const std::vector<std::int64_t>& counts = counts_of(static_cast<std::size_t>(group));
    const std::int64_t usual = s.group == group ? median_without(counts, own) : quantile(counts, 50);
    if (at_least(own, std::max<std::int64_t>(usual, 1), t.cut_step_ppm)) return;
    const step_template& small = templates[s.device][static_cast<std::size_t>(facts[edge].form)];
    const step_template& whole = templates[s.device][static_cast<std::size_t>(facts[neighbour].form)];
    into.steps.verdict(edge).cut =
        at_least(as_int(shared_kernels(small, whole)), as_int(total_of(small)), t.group_overlap_ppm);
  };
  std::size_t first = 0, at = 0;
  std::uint32_t device = 0;
  const auto look_at_edges = [&] {
    if (at - first >= 3) {
      const step_edges& edge = edges[into.steps[first].device];
      if (into.steps[first].start_ps == edge.first_ps) look(first, first + 1);
      if (into.steps[at - 1].end_ps == edge.last_ps) look(at - 1, at - 2);
    }
    first = at;
  };
  for (const bubble_step& s : into.steps) {
    if (std::exchange(device, s.device) != s.device) look_at_edges();
    ++at;
  }
  look_at_edges();
}

void describe_groups(bubbles_result& into, const bubble_thresholds& t) {
  const auto between = time_between(into);
  for (std::size_t i = 0; i < into.groups.size(); ++i) {
    bubble_group& g = into.groups[i];
    std::vector<std::uint32_t> of, ended;
    for (const std::uint32_t s : g.steps) {
      if (!into.steps[s].tail_known) continue;
      ended.push_back(s);
      if (!into.steps.verdict(s).cut) of.push_back(s);
    }
    g.complete = of.size();
    if (of.size() < 3) of = std::move(ended);
    measure_group(g, into.steps, of.empty() ? g.steps : of, t);
    g.inter_step_ps = divided(between[i].first, between[i].second);
    g.pattern_by_script = pattern_by_script(g);
    g.pattern = pattern_of(g, t);
  }

  // A place recurs when enough steps of its group have a reportable bubble there.
  hash_map<bubble_place, std::pair<std::int64_t, std::int32_t>> seen;  // steps, and the last of them
  for (const bubble& b : into.bubbles) {
    if (b.step < 0) continue;
    auto& [steps, last] = seen.try_emplace(place_of(b, into.steps), std::int64_t{0}, std::int32_t{-1}).first->second;
    if (last == b.step) continue;
    ++steps;
    last = b.step;
  }
  for (const auto& [place, found] : seen) {
    bubble_group& g = into.groups[group_of(place)];
    if (g.steps.size() < 2 || !at_least(found.first, as_int(g.steps.size()), t.recurring_share_ppm)) continue;
    ++g.recurring_places;
    g.steps_with_recurring = std::max(g.steps_with_recurring, static_cast<std::uint64_t>(found.first));
  }
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
