// Planes, lines, events and metadata as they stand in the files: streamed to a visitor, because they can be larger than memory.
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/trace.hpp>
#include <profkit/core/track.hpp>
#include <profkit/xspace.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Of traces and tables, texts live until the visitor returns.
/// A thread of a trace, as the trace names it.
struct tree_thread {
  std::int32_t line = -1;  ///< position in the process; -1: `info` shows no such line
  std::string_view tid;    ///< as written, without quotes
  std::string_view name;
  std::optional<std::int64_t> sort_index;
};
/// What a trace says of a process beside its name.
struct tree_process {
  std::string_view pid;  ///< as written, without quotes; "" for events that name no process
  std::string_view labels;
  std::optional<std::int64_t> sort_index;
  std::vector<tree_thread> threads;  ///< of the metadata alone: by position, then as the file names them; under the limit
  std::uint64_t threads_left_out = 0;
};
/// A plane of an XSpace, a process of a trace, a device of a table of kernels, or any other table.
struct tree_plane {
  std::uint32_t file = 0;
  std::int32_t plane = 0;  ///< position in the file, as of `info`; -1: it has none there
  std::int64_t id = 0;     ///< as in `info`: the position, unless the file is an XSpace
  std::string_view name;
  plane_kind kind = plane_kind::other;
  std::uint64_t lines = 0, event_metadata = 0, stat_metadata = 0;
  std::vector<named_stat> stats;
  std::optional<tree_process> process;  ///< of a trace
  std::optional<std::uint64_t> rows;    ///< of a table that is a plane: all of them but the header
};
/// A line of an XSpace; of a trace a thread, the asynchronous events of a category or a counter; a stream; a table's rows.
struct tree_line {
  std::int32_t line = 0;  ///< position in the plane, as of `info`; -1: `info` does not show it
  line_header header;
  line_kind kind = line_kind::other;
  std::uint64_t events = 0;         ///< in the file; of a trace a begin and its end are two
  std::optional<tree_thread> thread;  ///< of a trace's thread
};
struct tree_event {
  std::int64_t metadata_id = 0;
  bool has_metadata_id = true;  ///< only an XSpace has such ids
  std::string_view name, display_name;
  event_view raw;                        ///< of an XSpace: data case, offset, duration
  std::optional<std::int64_t> start_ps;  ///< on the capture's clock; empty for aggregated events, and without a usable time
  std::optional<std::int64_t> duration_ps;  ///< as written; empty where there is none that can be read
  std::string_view category, phase, id;     ///< of a trace's event, as written; phase "X": complete
  std::vector<named_stat> stats;            ///< of the event, under the limit: stats, arguments, cells
  std::uint64_t stat_count = 0;             ///< before the limit
  [[nodiscard]] std::uint64_t stats_left_out() const noexcept { return stat_count - std::min<std::uint64_t>(stat_count, stats.size()); }
};
/// Called in file order, of traces and tables plane by plane and line by line. Each end_… says how many items the limit
/// left out.
class tree_visitor {
 public:
  virtual ~tree_visitor() = default;
  virtual void begin_file(std::uint32_t file, const file_info& header) = 0;  ///< header.planes is empty
  virtual void begin_plane(const tree_plane& plane) = 0;
  virtual void begin_line(const tree_line& line) = 0;
  virtual void event(const tree_event& e) = 0;
  virtual void end_line(std::uint64_t events_left_out) = 0;
  virtual void end_plane(std::uint64_t lines_left_out) = 0;
  virtual void end_file(const fault* damage) = 0;
};
/// limit bounds lines a plane, events a line and stats an event (default 5 in the command). Traces are read in
/// one pass, and 48 bytes are kept for each event that is shown; a table takes 56 bytes a row, one of kernels 136 while it
/// is read. Events of a trace are as they stand in the file: metadata
/// events are left to walk_metadata(), arrows and what else makes no line of its own stand on the thread they name.
result<void> walk_tree(const trace& t, tree_visitor& visitor, const query_filters& o = {},
                       const hooks& host = {});

/// Why there is no tree and no metadata of a capture, where why_nothing() does not know: it holds no XSpace, no trace and
/// no table, or filters left nothing.
[[nodiscard]] std::string why_no_planes(const profile& p);

/// What is known of all events of one name: an entry of an XSpace's map, or the events of one name and category in a
/// process of a trace.
struct metadata_event_row {
  std::int64_t key = 0;
  bool has_key = true;  ///< only an XSpace has such ids
  std::string_view name, display_name;
  std::vector<std::int64_t> child_ids;
  std::vector<named_stat> stats;
  std::string_view category, phases;        ///< of a trace: all phases that were met, as "BE", in their order
  std::uint64_t count = 0;                  ///< of a trace: events; a begin and its end are two
  std::vector<std::string_view> arguments;  ///< of a trace: the keys that any of them carries, by first sight
};
/// An entry of an XSpace's map; the key of arguments in a trace; a column of a table.
struct metadata_stat_row {
  std::int64_t key = 0;
  std::string_view name, description;
  bool has_key = true;
  std::uint64_t count = 0;  ///< of a trace: events that carry it; of a table: cells that are not empty
};
/// A member of the outer object of a JSON file: what a trace says of itself, the settings of an Ascend profiler.
struct metadata_member {
  named_stat value;         ///< origin::argument; objects and arrays without blanks between their tokens
  std::uint64_t bytes = 0;  ///< of the member in the file, as JSON
  bool is_cut = false;      ///< the value was longer than 64 KiB: its text is the beginning as it is written
};
/// What a file other than an XSpace says of itself.
struct metadata_file {
  std::uint32_t file = 0;
  std::vector<metadata_member> members;  ///< in file order, without traceEvents; under the limit
  std::uint64_t members_left_out = 0;
};
/// Rows of an XSpace come by ascending signed key; of several entries with one key the last counts. Those of a trace come
/// by count, descending, then by category and name; columns as they stand in the table.
class metadata_visitor {
 public:
  virtual ~metadata_visitor() = default;
  virtual void file(const metadata_file& /*facts*/) {}  ///< before the planes of a file other than an XSpace
  virtual void begin_plane(const tree_plane& plane) = 0;
  virtual void event_metadata(const metadata_event_row& row) = 0;
  virtual void end_event_metadata(std::uint64_t left_out) = 0;
  virtual void stat_metadata(const metadata_stat_row& row) = 0;
  virtual void end_stat_metadata(std::uint64_t left_out) = 0;
  virtual void end_plane() = 0;
};
result<std::vector<file_damage>> walk_metadata(const trace& t, metadata_visitor& visitor,
                                               const query_filters& o = {}, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
