#include <page/picture/lane.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {

std::vector<lane_item> merged(const std::vector<lane_item>& items, std::int64_t width_ps) {
  std::vector<lane_item> fewer;
  for (const lane_item& item : items) {
    if (fewer.empty() || time_between(fewer.back().start_ps, item.end_ps) > width_ps) {
      fewer.push_back(item);
      continue;
    }
    lane_item& last = fewer.back();
    last.end_ps = item.end_ps;
    last.busy_ps += item.busy_ps;
    last.runs += item.runs;
    if (item.longest_ps > last.longest_ps) {
      last.longest_ps = item.longest_ps;
      last.name = item.name;
    }
  }
  return fewer;
}

// A run that others interrupt is shown in pieces and counted with the first.
void lane::show(open_run& run, std::int64_t from_ps, std::int64_t to_ps) {
  if (to_ps <= from_ps) return;
  items_.push_back({from_ps, to_ps, to_ps - from_ps, run.end_ps - run.start_ps, run.name, run.was_shown ? 0U : 1U});
  run.was_shown = true;
  shown_until_ps_ = to_ps;
}

void lane::close_until(std::int64_t ps) {
  while (!open_.empty() && open_.back().end_ps <= ps) {
    open_run& run = open_.back();
    show(run, std::max(shown_until_ps_, run.start_ps), run.end_ps);
    open_.pop_back();
  }
}

void lane::add(std::int64_t start_ps, std::int64_t end_ps, std::uint64_t name) {
  if (end_ps <= start_ps) return;
  if (items_.empty() && open_.empty()) shown_until_ps_ = start_ps;
  close_until(start_ps);
  const open_run run{start_ps, end_ps, name, false};
  // Of two that begin together the longer one goes on when the shorter one has ended.
  auto place = open_.end();
  while (place != open_.begin() && (place - 1)->start_ps == start_ps && (place - 1)->end_ps <= end_ps) --place;
  if (place == open_.end() && !open_.empty()) show(open_.back(), std::max(shown_until_ps_, open_.back().start_ps), start_ps);
  open_.insert(place, run);
  if (items_.size() < most_) return;
  // Half of the room is for those that come before it is done again.
  std::vector<lane_item> fewer = merged(items_, width_ps_);
  const std::int64_t span_ps = time_between(fewer.front().start_ps, fewer.back().end_ps);
  while (fewer.size() > most_ / 2 && width_ps_ < span_ps) {
    width_ps_ = std::max(width_ps_ * 2, span_ps / static_cast<std::int64_t>(most_) + 1);
    fewer = merged(fewer, width_ps_);
  }
  items_ = std::move(fewer);
}

void lane::finish() { close_until(std::numeric_limits<std::int64_t>::max()); }

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
