// What the events of a trace were taken for, line by line as `info` counts them.
#pragma once
#include <profkit/time.hpp>

#include <formats/activity_parts.hpp>
#include <formats/chrome/chrome_decoder.hpp>
#include <formats/chrome/chrome_tracks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class line_counts {
 public:
  // Adds an event to the totals of its line, and counts its use unless it is a span without a defect: then its taker
  // counts it.
  void add(const chrome_item& found) {
    if (found.track == chrome_tracks::none || is_unplaced(found.defect)) return;
    line_count& line = of(found.track);  // a line of begins alone is one
    if (found.defect == chrome_defect::without_begin) return;
    switch (found.kind) {
      case chrome_item_kind::complete:
      case chrome_item_kind::pair:
        if (found.defect != chrome_defect::none) note(found.track, line_use::unusable);
        break;
      case chrome_item_kind::async_pair:
      case chrome_item_kind::async_instant: note(found.track, line_use::overlapping); break;
      case chrome_item_kind::instant:
      case chrome_item_kind::counter: note(found.track, line_use::no_length); break;
      default: return;
    }
    const std::int64_t duration_ps = std::max<std::int64_t>(found.duration_ps, 0);
    const std::int64_t end_ps = saturating_add(found.start_ps, duration_ps);
    line.duration_sum_ps = saturating_add(line.duration_sum_ps, duration_ps);
    line.first_ps = line.first_ps == no_time_ps ? found.start_ps : std::min(line.first_ps, found.start_ps);
    line.last_ps = line.last_ps == no_time_ps ? end_ps : std::max(line.last_ps, end_ps);
  }
  void note(std::uint32_t track, line_use use) { ++of(track).events[static_cast<std::size_t>(use)]; }
  // All of one use are of another.
  void change(std::uint32_t track, line_use from, line_use to) {
    line_count& line = of(track);
    line.events[static_cast<std::size_t>(to)] += line.events[static_cast<std::size_t>(from)];
    line.events[static_cast<std::size_t>(from)] = 0;
  }
  // At the end of the file, when all names are known.
  void list(std::size_t file, const chrome_tracks& tracks, string_table& strings, std::vector<line_count>& into) const {
    for (const auto& [track, counted] : lines_) {
      const chrome_place place = tracks.place_of(track);
      line_count& line = into.emplace_back(counted);
      line.file = static_cast<std::uint32_t>(file);
      line.plane = place.plane;
      line.line = place.line;
      line.plane_name = strings.intern(place.plane_name);
      line.line_name = strings.intern(place.line_name);
      line.plane_type = place.plane_type;
      line.line_type = place.line_type;
      const std::int64_t number = tracks.track(track).number.value_or(-1);
      line.id = number >= 0 ? number : place.line;
    }
  }

 private:
  static constexpr std::uint32_t no_line = std::numeric_limits<std::uint32_t>::max();
  line_count& of(std::uint32_t track) {
    if (track >= line_of_.size())
      line_of_.resize(std::max<std::size_t>(track + std::size_t{1}, 2 * line_of_.size()), no_line);
    if (line_of_[track] == no_line) {
      line_of_[track] = static_cast<std::uint32_t>(lines_.size());
      lines_.emplace_back(track, line_count{});
    }
    return lines_[line_of_[track]].second;
  }
  std::vector<std::uint32_t> line_of_;                         // by track
  std::vector<std::pair<std::uint32_t, line_count>> lines_;  // with their tracks
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
