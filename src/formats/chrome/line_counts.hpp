// What the events of a trace were taken for, line by line as `info` counts them.
#pragma once
#include <formats/activity_parts.hpp>
#include <formats/chrome/chrome_decoder.hpp>
#include <formats/chrome/chrome_tracks.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class line_counts {
 public:
  // Counts what `info` counts and no reader takes. False for a span without a defect: whoever takes it counts it.
  bool note_if_no_span(const chrome_item& found) {
    if (found.track == chrome_tracks::none || is_unplaced(found.defect)) return true;
    of(found.track);  // a line of begins alone is one
    if (found.defect == chrome_defect::without_begin) return true;
    switch (found.kind) {
      case chrome_item_kind::complete:
      case chrome_item_kind::pair:
        if (found.defect == chrome_defect::none) return false;
        note(found.track, line_use::unusable);
        return true;
      case chrome_item_kind::async_pair:
      case chrome_item_kind::async_instant: note(found.track, line_use::overlapping); return true;
      case chrome_item_kind::instant:
      case chrome_item_kind::counter: note(found.track, line_use::no_length); return true;
      default: return true;
    }
  }
  void note(std::uint32_t track, line_use use) { ++of(track)[static_cast<std::size_t>(use)]; }
  // All of one use are of another.
  void change(std::uint32_t track, line_use from, line_use to) {
    counts& c = of(track);
    c[static_cast<std::size_t>(to)] += c[static_cast<std::size_t>(from)];
    c[static_cast<std::size_t>(from)] = 0;
  }
  void list(std::size_t file, const chrome_tracks& tracks, std::vector<line_count>& into) const {
    for (std::uint32_t track = 0; track < by_track_.size(); ++track) {
      if (!by_track_[track]) continue;
      line_count line;
      line.file = static_cast<std::uint32_t>(file);
      line.plane = tracks.process_of_track(track).position;
      line.line = tracks.track(track).position;
      line.events = *by_track_[track];
      into.push_back(line);
    }
  }

 private:
  using counts = std::array<std::uint64_t, line_uses>;
  counts& of(std::uint32_t track) {
    if (track >= by_track_.size())
      by_track_.resize(std::max<std::size_t>(track + std::size_t{1}, 2 * by_track_.size()));
    if (!by_track_[track]) by_track_[track].emplace();
    return *by_track_[track];
  }
  std::vector<std::optional<counts>> by_track_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
