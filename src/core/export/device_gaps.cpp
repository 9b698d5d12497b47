#include <export/device_gaps.hpp>

#include <profkit/core/named_stat.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace picture {

std::string device_name(const activity& of, std::size_t device) {
  const activity_device& d = of.devices()[device];
  std::string name(short_plane_name(of.text(d.name)));
  const auto same = [&](const activity_device& other) { return of.text(other.name) == of.text(d.name); };
  if (d.rank >= 0 && std::count_if(of.devices().begin(), of.devices().end(), same) > 1)
    name = "rank " + std::to_string(d.rank) + ", " + name;
  return name;
}

std::string cause_words(idle_cause c) {
  std::string words = idle_cause_name(c);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string wait_words(const bubble& gap) {
  return gap.boundary_adjacent ? "edge of the capture" : cause_words(gap.cause.id);
}

std::vector<idle_cause> causes_by_time(const bubbles_result& found) {
  std::map<idle_cause, std::int64_t> sums;
  for (const time_row& row : found.time)
    if (row.device < 0 && row.use == time_use::idle && row.cause && *row.cause != idle_cause::unexplained)
      sums[*row.cause] = saturating_add(sums[*row.cause], row.time_ps);
  std::vector<idle_cause> sorted;
  for (const auto& sum : sums) sorted.push_back(sum.first);
  std::stable_sort(sorted.begin(), sorted.end(), [&](idle_cause a, idle_cause b) { return sums[a] > sums[b]; });
  return sorted;
}

std::vector<const bubble*> gaps_of_devices(const bubbles_result& found, std::size_t devices) {
  std::vector<const bubble*> gaps;
  for (const bubble& b : found.bubbles)
    if (!b.inter_step && b.device < devices && b.length_ps() > 0) gaps.push_back(&b);
  return gaps;
}

}  // namespace picture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
