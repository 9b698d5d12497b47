// XSpace to timeline: every event that has a place in time.
#include <formats/xspace/line_time.hpp>
#include <formats/xspace/xspace_fill.hpp>
#include <formats/xspace/xspace_index.hpp>
#include <formats/xspace/xspace_lines.hpp>

#include "base/hash_map.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// N of "Stream #N(…)"; -1 when the name has none.
std::int64_t stream_number(std::string_view line_name) noexcept {
  constexpr std::string_view prefix("Stream #");
  if (line_name.substr(0, prefix.size()) != prefix) return -1;
  std::int64_t number = -1;
  for (std::size_t at = prefix.size(); at < line_name.size() && at < prefix.size() + 18; ++at) {
    if (line_name[at] < '0' || line_name[at] > '9') break;
    number = (number < 0 ? 0 : number * 10) + (line_name[at] - '0');
  }
  return number;
}

class line_filler {
 public:
  line_filler(const profile& p, std::size_t file, timeline_sink& into) : p_(p), file_(file), into_(into) {}

  result<void> fill() {
    const xspace_index* xspace = p_.xspace(file_);
    if (xspace == nullptr)
      return p_.file_fault(file_) != nullptr ? result<void>(*p_.file_fault(file_)) : result<void>();
    const capture_file& listed = p_.what().files[file_];
    host_ = into_.intern(xspace->hostnames.empty() ? std::string_view(listed.host) : xspace->hostnames.front());
    for (std::size_t plane = 0; plane < xspace->planes.size(); ++plane) {
      names_.clear();
      for (std::size_t line = 0; line < xspace->planes[plane].lines.size(); ++line) {
        result<void> filled = fill_line(xspace->planes[plane], plane, line);
        if (!filled) return filled;
      }
    }
    if (const fault* known = p_.file_fault(file_)) return *known;
    if (damage_) return std::move(*damage_);
    return {};
  }

 private:
  result<void> fill_line(const plane_index& plane, std::size_t plane_at, std::size_t line_at) {
    const line_index& line = plane.lines[line_at];
    const auto base_ps = line_base_ps(p_, file_, line);
    if (!base_ps) return {};  // the file's fault reports it
    track t;
    t.file = static_cast<std::uint32_t>(file_);
    t.plane = static_cast<std::int32_t>(plane_at);
    t.line = static_cast<std::int32_t>(line_at);
    t.plane_type = plane.kind;
    t.line_type = line.kind;
    t.device = plane.device;
    t.stream = stream_of(line);
    t.host = host_;
    t.plane_name = into_.intern(plane.name);
    t.line_name = into_.intern(line.name());
    const track_id on = into_.add_track(t);

    event_scanner scan(line.body);
    std::uint64_t row_offset = line.offset;
    while (const std::size_t count = scan.next(rows_.data(), rows_.size())) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const event_row& row = rows_[i];
        const std::uint64_t source_row = row_offset;
        row_offset = line.offset + static_cast<std::uint64_t>(row.stats + row.stats_bytes - line.body.data());
        if ((row.flags & event_has_occurrences) != 0) continue;
        events_[kept++] = {event_start_ps(*base_ps, row.offset_ps), row.duration_ps, name_of(plane, row.metadata_id),
                           source_row};
      }
      result<void> added = into_.add_events(on, events_.data(), kept);
      if (!added) return added;
    }
    if (!scan.ok() && !damage_) damage_ = damaged_event(p_.what().files[file_].path, line.offset + scan.offset());
    return {};
  }

  string_id name_of(const plane_index& plane, std::int64_t metadata_id) {
    const auto [at, is_new] = names_.try_emplace(metadata_id, 0);
    if (is_new) {
      const std::string_view shown = plane.event_display_name(metadata_id);
      at->second = into_.intern(shown.empty() ? plane.event_name(metadata_id) : shown);
    }
    return at->second;
  }

  const profile& p_;
  const std::size_t file_;
  timeline_sink& into_;
  string_id host_ = 0;
  hash_map<std::int64_t, string_id> names_;  // of the plane being read
  std::array<event_row, 256> rows_;
  std::array<timeline_event, 256> events_;
  std::optional<fault> damage_;
};

}  // namespace

std::int64_t stream_of(const line_index& line) noexcept {
  if (line.kind == line_kind::stream) return stream_number(line.name());
  return line.kind == line_kind::thread ? line.header.id : -1;
}

result<void> fill_from_xspace(const profile& p, std::size_t file, timeline_sink& into) {
  return line_filler(p, file, into).fill();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
