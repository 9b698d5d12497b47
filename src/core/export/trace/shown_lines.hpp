// The lines of a file as exporters write them, whatever its format: its processes, their lines, and on each line what
// the filters keep, in the order of time.
#pragma once
#include <profkit/core/track.hpp>
#include <profkit/xspace.hpp>

#include "formats/xspace/xspace_index.hpp"
#include "parts.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// One event that has a place in time.
struct placed_event {
  std::int64_t start_ps;     // on the capture's clock
  std::int64_t duration_ps;  // not negative
  std::int64_t name;         // of an XSpace the id of its metadata, else a text of the line
  const char* text;          // of an XSpace its stats on the wire, else a JSON object as in track_event
  std::uint32_t text_bytes;
  track_event_kind kind;

  [[nodiscard]] std::int64_t end_ps() const noexcept { return start_ps + duration_ps; }  // fits: the walk saw to it
  [[nodiscard]] std::string_view json() const noexcept { return text_bytes == 0 ? std::string_view() : std::string_view(text, text_bytes); }
  [[nodiscard]] message_range<stat_view, 4> stats() const noexcept { return message_range<stat_view, 4>(json()); }
};

struct shown_process {
  std::size_t file;
  const plane_index* plane;  // of an XSpace; else null: the texts of events are JSON
  std::string title;         // for viewers: with its host or node where that has to be said
  std::string name;          // as the file has it; its pid where it has none
  std::string host;
  std::uint32_t lines;  // of any kind, shown or not
  std::int32_t position;  // of the plane in its file; -1: of an XSpace, or there is no such level
  std::shared_ptr<const track_list> texts;  // of names and events, while it is held; null for an XSpace

  [[nodiscard]] std::string_view name_of(const placed_event& e) const noexcept {
    return texts->text(static_cast<string_id>(e.name));
  }
};

struct shown_line {
  std::string title, name;   // for viewers; as the file has it
  std::string id;            // as written
  std::uint32_t number = 0;  // among those of its process, from 1
  std::uint64_t order = 0;   // where viewers put it
  std::int32_t position = -1;  // in its plane; -1: the format has no such level
  bool is_counter = false;
  std::string_view unit;  // of a counter's values
  std::vector<placed_event> arrows;  // by time
};

class line_visitor {
 public:
  virtual ~line_visitor() = default;
  // Only of what has an event that is kept.
  virtual result<void> begin_process(const shown_process& process) = 0;
  virtual result<void> begin_line(const shown_line& line) = 0;
  // By start, of equal starts the longer one first: parents before their children. All at once where there are arrows.
  virtual result<void> take(const placed_event* events, std::size_t count) = 0;
  virtual result<void> end_line() = 0;
};

// Walks all files of the job that have events. Damage goes to the job, what has no place in time to its outcome. Faults:
// cancelled, out_of_memory, those of the visitor.
result<void> walk_lines(const trace_job& job, line_visitor& visitor);

[[nodiscard]] inline std::string lane_title(const std::string& line, std::size_t lane) {
  return lane == 0 ? line : line + " #" + std::to_string(lane + 1);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
