#include <analyse/anatomy/device_clock.hpp>
#include <analyse/anatomy/stats.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::optional<std::int64_t> number_in(std::string_view stat) noexcept {
  return stat.empty() ? std::nullopt : integer_value(stat_view(stat));
}

}  // namespace

const char* ops_clock_name(ops_clock c) noexcept {
  switch (c) {
    case ops_clock::aligned: return "aligned";
    case ops_clock::device: return "device";
    case ops_clock::mixed: return "mixed";
  }
  return "aligned";
}

void device_clock::apply(event_row& row, std::string_view offset, std::string_view duration) noexcept {
  const std::optional<std::int64_t> length = number_in(duration);
  if (length) row.duration_ps = *length;
  any_duration_ = any_duration_ || length;
  all_durations_ = all_durations_ && length;
  if ((row.flags & event_has_occurrences) != 0) return;
  const std::optional<std::int64_t> start = length ? number_in(offset) : std::nullopt;
  if (starts_ == starts::unknown) starts_ = start ? starts::device : starts::aligned;
  if (starts_ != starts::device) return;
  if (start)
    row.offset_ps = *start;
  else
    contradicted_ = true;
}

void start_order::insert(const event_row& row) {
  std::size_t at = held_.size();
  held_.push_back(row);
  for (; at > 0 && held_[at - 1].offset_ps > row.offset_ps; --at) held_[at] = held_[at - 1];
  held_[at] = row;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
