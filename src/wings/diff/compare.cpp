// What is the same on both sides of a change, and how far its time moved.
#include <profkit/core/diff.hpp>

#include <base/list_text.hpp>
#include <diff/op_names.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Parts of a sum over n steps, of one step each: what is added up before a part, divided, is taken from what is added up after it. So
// they add up to the sum divided by n, and none is a picosecond off.
class per_step {
 public:
  explicit per_step(std::uint64_t steps) : steps_(std::max<std::int64_t>(static_cast<std::int64_t>(steps), 1)) {}
  std::int64_t next(std::int64_t part_ps) {
    const std::int64_t before = sum_ps_ / steps_;
    sum_ps_ = saturating_add(sum_ps_, part_ps);
    return sum_ps_ / steps_ - before;
  }

 private:
  std::int64_t steps_, sum_ps_ = 0;
};

std::int64_t size_of_change(const time_delta& t) noexcept { return t.change_ps() < 0 ? -t.change_ps() : t.change_ps(); }

// Those that changed most first; of those that changed alike the longest.
template <class Row>
void sort_by_change(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return size_of_change(a.time) != size_of_change(b.time) ? size_of_change(a.time) > size_of_change(b.time)
                                              : std::max(a.time.before_ps, a.time.after_ps) > std::max(b.time.before_ps, b.time.after_ps);
  });
}

// ---- ops ----

// Pairs ops of both sides by less and less of what they have in common; each is in one row.
class op_matcher {
 public:
  op_matcher(const run_snapshot& before, const run_snapshot& after)
      : before_(before.ops), after_(after.ops), free_before_(before.ops.size(), true), free_after_(after.ops.size(), true) {}

  std::vector<op_delta> match() {
    using view = std::string_view;
    by(op_change::same, certainty::proved, identity_of);
    by(op_change::other_shapes, certainty::likely,
       [](const run_op& o) { return std::tuple(view(o.name), view(o.framework_op), view(o.module), view(), o.kind); });
    by(op_change::replaced, certainty::likely,
       [](const run_op& o) { return std::tuple(view(), view(o.framework_op), view(o.module), view(o.shapes), o.kind); }, has_place);
    by(op_change::replaced, certainty::likely,
       [](const run_op& o) { return std::tuple(view(), view(o.framework_op), view(o.module), view(), o.kind); }, has_place);
    by(op_change::moved, certainty::likely,
       [](const run_op& o) { return std::tuple(view(o.name), view(), view(), view(o.shapes), o.kind); }, has_name_and_shapes);
    by(op_change::moved, certainty::possible,
       [](const run_op& o) { return std::tuple(view(o.name), view(), view(), view(), o.kind); }, has_name);
    add_unmatched();
    return std::move(rows_);
  }

 private:
  static bool has_place(const run_op& o) noexcept { return !o.framework_op.empty() || !o.module.empty(); }
  static bool has_name_and_shapes(const run_op& o) noexcept { return !o.name.empty() && !o.shapes.empty(); }
  static bool has_name(const run_op& o) noexcept { return !o.name.empty(); }
  static bool any(const run_op&) noexcept { return true; }

  template <class Key>
  void by(op_change change, certainty sure, Key key, bool (*takes)(const run_op&) noexcept = any) {
    std::map<decltype(key(before_.front())), op_delta> found;
    for (std::uint32_t i = 0; i < before_.size(); ++i)
      if (free_before_[i] && takes(before_[i])) found[key(before_[i])].before.push_back(i);
    for (std::uint32_t i = 0; i < after_.size(); ++i)
      if (free_after_[i] && takes(after_[i])) found[key(after_[i])].after.push_back(i);
    for (auto& [of, row] : found) {
      if (row.before.empty() || row.after.empty()) continue;
      for (const std::uint32_t i : row.before) free_before_[i] = false;
      for (const std::uint32_t i : row.after) free_after_[i] = false;
      row.change = change == op_change::replaced ? how_replaced(row) : change;
      row.sure = sure;
      rows_.push_back(std::move(row));
    }
  }

  static op_change how_replaced(const op_delta& row) noexcept {
    if (row.before.size() == 1) return row.after.size() == 1 ? op_change::renamed : op_change::split;
    return row.after.size() == 1 ? op_change::joined : op_change::replaced;
  }

  // What one side has alone. Where the other has more of its kind, too, it may be another name for that; where ops are summed up as the
  // rest, it may be among those.
  void add_unmatched() {
    const auto is_rest = [](const run_op& o) { return o.rest > 0; };
    const bool has_rest = std::any_of(before_.begin(), before_.end(), is_rest) || std::any_of(after_.begin(), after_.end(), is_rest);
    std::set<kernel_class> kinds_before, kinds_after;
    for (std::size_t i = 0; i < before_.size(); ++i)
      if (free_before_[i]) kinds_before.insert(before_[i].kind);
    for (std::size_t i = 0; i < after_.size(); ++i)
      if (free_after_[i]) kinds_after.insert(after_[i].kind);
    for (std::uint32_t i = 0; i < before_.size(); ++i)
      if (free_before_[i]) add_alone(op_change::gone, has_rest || kinds_after.count(before_[i].kind) > 0).before.push_back(i);
    for (std::uint32_t i = 0; i < after_.size(); ++i)
      if (free_after_[i]) add_alone(op_change::appeared, has_rest || kinds_before.count(after_[i].kind) > 0).after.push_back(i);
  }

  op_delta& add_alone(op_change change, bool may_be_another) {
    op_delta& row = rows_.emplace_back();
    row.change = change;
    row.sure = may_be_another ? certainty::possible : certainty::proved;
    return row;
  }

  const std::vector<run_op>&before_, &after_;
  std::vector<bool> free_before_, free_after_;
  std::vector<op_delta> rows_;
};

void compare_ops(const run_snapshot& before, const run_snapshot& after, run_diff& into) {
  if (before.ops.empty() && after.ops.empty()) return;
  into.ops = op_matcher(before, after).match();
  per_step of_before(before.step_count()), of_after(after.step_count());
  for (op_delta& row : into.ops) {
    std::int64_t before_ps = 0, after_ps = 0;
    for (const std::uint32_t i : row.before) {
      before_ps = saturating_add(before_ps, before.ops[i].time_ps);
      row.before_count += before.ops[i].count;
    }
    for (const std::uint32_t i : row.after) {
      after_ps = saturating_add(after_ps, after.ops[i].time_ps);
      row.after_count += after.ops[i].count;
    }
    row.time = {of_before.next(before_ps), of_after.next(after_ps)};
    into.op_time.before_ps = saturating_add(into.op_time.before_ps, row.time.before_ps);
    into.op_time.after_ps = saturating_add(into.op_time.after_ps, row.time.after_ps);
  }
  sort_by_change(into.ops);
}

// ---- the step, devices, settings ----

void compare_time(const run_snapshot& before, const run_snapshot& after, run_diff& into) {
  using key = std::pair<time_use, std::optional<idle_cause>>;
  std::map<key, std::pair<std::int64_t, std::int64_t>> sums;
  for (const time_use_sum& part : before.time) sums[{part.use, part.cause}].first = part.time_ps;
  for (const time_use_sum& part : after.time) sums[{part.use, part.cause}].second = part.time_ps;
  per_step of_before(before.step_count()), of_after(after.step_count());
  for (const auto& [of, sum] : sums) {
    into.time.push_back({of.first, of.second, {of_before.next(sum.first), of_after.next(sum.second)}});
    into.step.before_ps = saturating_add(into.step.before_ps, into.time.back().time.before_ps);
    into.step.after_ps = saturating_add(into.step.after_ps, into.time.back().time.after_ps);
  }
  sort_by_change(into.time);
}

std::int64_t mean_of(const run_device& d) {
  std::int64_t sum = 0;
  for (const std::int64_t ps : d.step_ps) sum = saturating_add(sum, ps);
  return d.step_ps.empty() ? 0 : sum / static_cast<std::int64_t>(d.step_ps.size());
}

// By rank and name, or where no device of both sides has one name by their order.
void add_devices(const run_snapshot& before, const run_snapshot& after, run_diff& into) {
  const auto is_same = [](const run_device& x, const run_device& y) {
    return x.name == y.name && (x.rank < 0 || y.rank < 0 || x.rank == y.rank);
  };
  const bool any_same = std::any_of(before.devices.begin(), before.devices.end(), [&](const run_device& x) {
    return std::any_of(after.devices.begin(), after.devices.end(), [&](const run_device& y) { return is_same(x, y); });
  });
  std::vector<bool> taken(after.devices.size());
  for (std::size_t b = 0; b < before.devices.size(); ++b) {
    device_delta row;
    row.before = static_cast<std::int32_t>(b);
    row.time.before_ps = mean_of(before.devices[b]);
    for (std::size_t a = 0; a < after.devices.size(); ++a) {
      if (taken[a] || (any_same ? !is_same(before.devices[b], after.devices[a]) : a != b)) continue;
      taken[a] = true;
      row.after = static_cast<std::int32_t>(a);
      row.time.after_ps = mean_of(after.devices[a]);
      break;
    }
    into.devices.push_back(row);
  }
  for (std::size_t a = 0; a < after.devices.size(); ++a)
    if (!taken[a]) {
      device_delta& row = into.devices.emplace_back();
      row.after = static_cast<std::int32_t>(a);
      row.time.after_ps = mean_of(after.devices[a]);
    }
  sort_by_change(into.devices);
}

std::string models_of(const run_snapshot& s) {
  std::vector<std::string> all;
  for (const device_model& m : s.models) all.push_back(m.devices > 1 ? std::to_string(m.devices) + " x " + m.name : m.name);
  return list_text(all);
}

void add_settings(const run_snapshot& before, const run_snapshot& after, run_diff& into) {
  const auto add = [&](std::string what, std::string was, std::string is) {
    if (was != is) into.settings.push_back({std::move(what), std::move(was), std::move(is)});
  };
  add("device", models_of(before), models_of(after));
  add("devices with steps", std::to_string(before.devices.size()), std::to_string(after.devices.size()));
  add("software", list_text(before.software), list_text(after.software));
  add("kind of step", before.step_name, after.step_name);
  add("steps", before.marked ? "marked" : "not marked", after.marked ? "marked" : "not marked");
  std::map<std::string, std::pair<std::string, std::string>> facts;
  for (const auto& [name, value] : before.facts) facts[name].first = value;
  for (const auto& [name, value] : after.facts) facts[name].second = value;
  for (auto& [name, value] : facts)
    if (!value.first.empty() && !value.second.empty()) add(name, value.first, value.second);
}

}  // namespace

std::string shown_name(const run_op& op) {
  return op.rest > 0 ? "(" + std::to_string(op.rest) + (op.rest == 1 ? " other op)" : " other ops)") : op.name;
}

run_diff compare_runs(const run_snapshot& before, const run_snapshot& after) {
  run_diff found;
  for (const run_snapshot* const side : {&before, &after})
    if (found.absent.empty() && !side->absent.empty()) found.absent = side->path + ": " + side->absent;
  add_settings(before, after, found);
  compare_time(before, after, found);
  compare_ops(before, after, found);
  add_devices(before, after, found);
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
