// Which part of a capture a query looks at, and where its events lie on the capture's clock.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/tree.hpp>
#include <profkit/time.hpp>
#include <trace/line_batches.hpp>
#include <trace/line_scan.hpp>

#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <base/progress.hpp>
#include <formats/xspace/event_stats.hpp>
#include <formats/xspace/line_time.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] inline bool has_events(const line_index& line) noexcept {
  return !message_range<event_view, 4>(line.body).empty();
}

// When the events of a line were, ps relative to the capture origin.
class line_clock {
 public:
  // `header` is the line's whole header: a writer may put the timestamp after the events.
  line_clock(const profile& p, std::size_t file, const line_index& line, const line_header& header) noexcept;
  // The start of an event without offset.
  [[nodiscard]] std::optional<std::int64_t> base_ps() const noexcept { return base_ps_; }
  // Start of an event; nothing for an aggregated event, and nothing beyond the ±106 days that int64 ps reach.
  [[nodiscard]] PROFKIT_ALWAYS_INLINE std::optional<std::int64_t> start_of(const event_row& event) const noexcept {
    std::int64_t start = 0, end = 0;
    if ((event.flags & event_has_occurrences) != 0 || !base_ps_ ||
        __builtin_add_overflow(*base_ps_, event.offset_ps, &start) ||
        __builtin_add_overflow(start, event.duration_ps, &end))
      return std::nullopt;
    return start;
  }

 private:
  std::optional<std::int64_t> base_ps_;  // nothing: the line itself lies beyond, which the file's fault says
};

// Keeps events by name and by time window, on one line.
class event_filter {
 public:
  [[nodiscard]] bool keeps_all() const noexcept { return !by_name_ && windows_.empty() && !nothing_; }
  [[nodiscard]] bool keeps_none() const noexcept { return nothing_; }
  [[nodiscard]] bool keeps(const event_row& event, std::optional<std::int64_t> start_ps) const noexcept {
    return keeps_name(event.metadata_id) && keeps_time(start_ps, event.duration_ps);
  }
  // The two halves of keeps(), for callers that need the events around those of a name.
  [[nodiscard]] bool keeps_all_times() const noexcept { return windows_.empty() && !nothing_; }
  [[nodiscard]] bool keeps_time(std::optional<std::int64_t> start_ps, std::int64_t duration_ps) const noexcept;
  [[nodiscard]] bool keeps_name(std::int64_t metadata_id) const noexcept { return !by_name_ || ids_.contains(metadata_id); }

 private:
  friend class selection;
  struct window {
    std::int64_t from_ps, to_ps;  // half open
    bool by_start = false;        // what begins there, not what reaches into it
  };
  std::vector<window> windows_;  // all must hold
  hash_set<std::int64_t> ids_;   // metadata ids whose name or display name fits
  bool by_name_ = false;
  bool nothing_ = false;  // the plane has no such step
};

// The fault for a step that is not there; `steps`: the most that a device has.
[[nodiscard]] fault no_such_step(const profile& p, std::uint64_t wanted, std::uint64_t steps);

// Whether a file is of a host whose name contains `wanted`; "node:3" asks for a node of a merged trace by its number.
[[nodiscard]] bool host_fits(const profile& p, std::size_t file, std::string_view wanted);
// Whether a plane is of such a host: a merged trace has planes of several hosts.
[[nodiscard]] bool host_fits(const profile& p, std::size_t file, const plane_index& plane, std::string_view wanted);

// why_nothing(), else what the analysis itself knows.
[[nodiscard]] inline std::string why_nothing_or(const profile& p, const query_filters& o, std::string otherwise) {
  std::string why = why_nothing(p, o);
  return why.empty() ? std::move(otherwise) : why;
}

// Why the first file that is only listed is not read; null where every file is read.
[[nodiscard]] const char* why_unread(const std::vector<capture_file>& files) noexcept;

// why_nothing_or() for what ran: what was not recorded at all is said first.
[[nodiscard]] std::string why_nothing_ran_or(const trace& t, const query_filters& o, std::string otherwise);

// Whether an event begins in the time that was asked for, or reaches into it.
[[nodiscard]] inline bool time_fits(const query_filters& o, std::int64_t start_ps, std::int64_t duration_ps) noexcept {
  if (o.to_ps && start_ps >= *o.to_ps) return false;
  return !o.from_ps || start_ps >= *o.from_ps || saturating_add(start_ps, duration_ps) > *o.from_ps;
}

// Whether any filter looks at single events: at their names or times, which may come after them in the file.
[[nodiscard]] inline bool filters_events(const query_filters& o) noexcept {
  return !o.name.empty() || o.step || o.from_ps || o.to_ps;
}

// The filters of query_filters over one profile.
class selection {
 public:
  // Faults: invalid_argument when no device and no file has the step that was asked for.
  static result<selection> make(const trace& t, const query_filters& o, const hooks& host);

  [[nodiscard]] bool file(std::size_t file) const noexcept { return files_[file]; }
  // A file of the selection other than an XSpace: its activity says what is in it.
  [[nodiscard]] bool other_file(std::size_t file) const noexcept { return others_[file]; }
  [[nodiscard]] bool plane(const plane_index& plane) const noexcept {
    return contains(plane.name, options_->plane) && host(plane);
  }
  [[nodiscard]] bool host(const plane_index& plane) const noexcept { return options_->host.empty() || is_of_host(plane); }
  [[nodiscard]] bool line(const line_index& line) const noexcept { return contains(line.name(), options_->line); }
  [[nodiscard]] bool name(std::string_view name, std::string_view display_name = {}) const noexcept {
    return contains(name, options_->name) || (!options_->name.empty() && contains(display_name, options_->name));
  }
  [[nodiscard]] event_filter events_of(std::size_t file, std::size_t plane) const;
  // The filter by time and step alone, for a device without a plane (its index in the activity) or a host (-1).
  [[nodiscard]] event_filter times_of(std::size_t file, std::int32_t device) const;
  // The time that the filters leave, from the first window to the last; of a step that of devices where they have any.
  struct extent {
    std::int64_t from_ps = std::numeric_limits<std::int64_t>::min(), to_ps = std::numeric_limits<std::int64_t>::max();
  };
  [[nodiscard]] extent times() const noexcept;
  // A step on a device.
  struct step_window {
    std::uint64_t index;
    std::int64_t from_ps, to_ps;
    bool by_start = false;  // the kernels of a step are those that begin in its window
  };
  // Under split_by_step all steps of a plane (`device` -1) or of a device without one (`plane` -1), by start; else none.
  [[nodiscard]] std::vector<step_window> steps_of(std::size_t file, std::int32_t plane, std::int32_t device) const;
  [[nodiscard]] bool filters_planes() const noexcept { return !options_->plane.empty(); }

 private:
  selection(const profile& p, const query_filters& o) : profile_(&p), options_(&o) {}
  [[nodiscard]] bool is_of_host(const plane_index& plane) const noexcept;
  result<void> find_steps(const trace& t, const hooks& host);
  // A step of a host: when its marker ends, and how many of its file have the same name and come before it.
  struct host_step {
    std::uint64_t index;
    std::uint32_t file;  // of its host
    std::string_view name;
    std::int64_t end_ps;
    std::uint64_t same_before;
  };
  result<void> find_device_windows(const trace& t, const std::vector<host_step>& steps, const hooks& host);

  // A plane, or a device without one; both -1: the file, for planes and devices without steps of their own.
  struct step_place {
    std::uint32_t file;
    std::int32_t plane, device;
    friend bool operator<(const step_place& a, const step_place& b) noexcept {
      return std::tie(a.file, a.plane, a.device) < std::tie(b.file, b.plane, b.device);
    }
    friend bool operator==(const step_place& a, const step_place& b) noexcept { return !(a < b) && !(b < a); }
  };
  [[nodiscard]] event_filter times_at(const step_place& place) const;
  static const step_window* window_of(const std::vector<step_window>& windows, std::uint64_t index);  // null: none
  // Its own, else those of the file; null where there are none.
  [[nodiscard]] const std::vector<step_window>* windows_at(const step_place& place) const;
  const profile* profile_;
  const query_filters* options_;
  std::vector<bool> files_, others_;
  bool whole_files_ = false;  // a file is of that host by its own name, whatever its planes say
  std::map<step_place, std::vector<step_window>> windows_;  // those that are asked for
  std::vector<step_place> places_with_steps_;               // ascending
};

// Damage met in the course of one analysis: at most one fault a file, that of the file itself first.
class damage_list {
 public:
  // What the analysis is going to ask the profile for: xspace(), or outline() alone.
  enum class needs : std::uint8_t { events, outline };
  // With the faults of the XSpaces.
  damage_list(const profile& p, const selection& selected, needs wanted = needs::events);
  // The fault of another file, which this opens.
  void note_file(std::size_t file);
  void note_line(std::size_t file, const plane_index& plane, const line_index& line, std::uint64_t offset_in_line,
                 std::string_view what);
  // What a scan of all events of the line met.
  void note_events(std::size_t file, const plane_index& plane, const line_index& line, const line_end& end,
                   std::uint64_t negative);
  void note(std::size_t file, std::uint64_t byte_offset, std::string what);
  void note(std::size_t file, fault what);
  // What was met where traces and tables were read for kernels and spans.
  void note(const activity& read, const selection& selected);
  [[nodiscard]] bool has(std::size_t file) const noexcept { return of(file) != nullptr; }
  // Valid until the next note.
  [[nodiscard]] const fault* of(std::size_t file) const noexcept;
  [[nodiscard]] std::vector<file_damage> take() { return std::move(found_); }

 private:
  const profile& profile_;
  std::vector<file_damage> found_;
};
// The filter of events of each plane, made once for all of its lines.
class plane_filters {
 public:
  explicit plane_filters(const selection& selected) : selected_(selected) {}
  void add(const line_place& at) {
    const std::pair plane(at.file, at.plane);
    if (filters_.count(plane) == 0)
      filters_.emplace(plane, selected_.events_of(at.file, static_cast<std::size_t>(at.plane)));
  }
  // Of a plane that was added. Any thread may ask once all are.
  [[nodiscard]] const event_filter& of(const line_place& at) const { return filters_.find({at.file, at.plane})->second; }

 private:
  const selection& selected_;
  std::map<std::pair<std::uint32_t, std::int32_t>, event_filter> filters_;
};

// Everything of a file_info that needs no scan.
[[nodiscard]] file_info file_header(const profile& p, std::size_t file);


// Hands every event of a line that decodes to `use(row)`. Damage goes to `damage`, negative durations, which are handed on
// as 0, too.
template <class Use>
void for_each_event(const line_index& line, std::size_t file, const plane_index& plane, damage_list& damage, Use&& use) {
  std::uint64_t negative = 0;
  const line_end end = for_each_batch(line, [&](event_row* rows, std::size_t count, std::uint64_t) {
    for (event_row* row = rows; row != rows + count; ++row) {
      negative += row->duration_ps < 0 ? 1 : 0;
      row->duration_ps = std::max<std::int64_t>(row->duration_ps, 0);
      use(static_cast<const event_row&>(*row));
    }
    return true;
  });
  damage.note_events(file, plane, line, end, negative);
}

// Distinct keys of a plane's two tables.
[[nodiscard]] std::uint64_t count_event_metadata(const plane_index& plane) noexcept;
[[nodiscard]] std::uint64_t count_stat_metadata(const plane_index& plane) noexcept;

// What begin_plane() of the tree and of the metadata gets.
[[nodiscard]] tree_plane tree_plane_of(const profile& p, std::size_t file, std::size_t plane_at);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
