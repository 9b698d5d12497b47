// What the events of a trace come to: devices with their kernels, spans and steps of the host.
#pragma once
#include <base/hash_map.hpp>
#include <base/recent_strings.hpp>
#include <formats/activity_input.hpp>
#include <formats/call_origins.hpp>
#include <formats/chrome/line_counts.hpp>
#include <formats/chrome/thread_numbers.hpp>
#include <formats/kineto/graph_captures.hpp>
#include <formats/kineto/grow.hpp>
#include <formats/kineto/known_names.hpp>
#include <profkit/time.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A span of the trace, on its track.
struct placed_span {
  std::int64_t start_ps, duration_ps;
  std::uint64_t ordinal;
  string_id name;
  std::uint32_t track;

  [[nodiscard]] std::int64_t end_ps() const noexcept { return saturating_add(start_ps, duration_ps); }
};

struct gathered_device {
  activity_device device;
  std::uint32_t process = chrome_tracks::none;  // of one whose number is not recorded
  std::vector<kernel_row> rows;
  std::vector<launch_link> links;  // of the rows
  hash_map<std::pair<bool, std::int64_t>, std::uint16_t> streams;  // by number, where there is one, else by track
  std::vector<std::uint32_t> tracks;     // by stream: that of its first kernel
  std::vector<std::uint64_t> contexts;   // likewise
  std::vector<bool> shared_streams;      // by stream: several contexts have one of that number
  bool may_overlap = false;              // kernels of one stream
  std::vector<step_marker> windows;
  std::vector<step_marker> runs, other_runs;  // of programs: those of its own line, those of other cores
  hash_map<std::uint64_t, own_time> own;      // by ordinal of the kernel
};

struct gathered_trace {
  gathered_trace(std::size_t number, activity_parts& into);
  gathered_trace(const gathered_trace&) = delete;
  gathered_trace& operator=(const gathered_trace&) = delete;

  [[nodiscard]] activity_host& host() { return parts.hosts[group]; }

  // A device without a number is identified by the process that it is shown as, where that is one.
  gathered_device& device_of(std::int64_t ordinal, accelerator type, std::uint32_t track);
  [[nodiscard]] static kernel_row row_of(const placed_span& s);
  // What the name of a kernel says of it.
  void set_kind(kernel_row& row);
  // Streams without a number are as many as the tracks that they lie on. One is shown where its first kernel lies.
  void set_stream(kernel_row& row, gathered_device& into, std::uint32_t track, std::optional<std::int64_t> number = {},
                  std::string_view name = {}, line_kind kind = line_kind::stream);
  // The process has kernels that say so by themselves.
  void note_kernels(std::uint32_t track) {
    const std::uint32_t process = tracks.track(track).process;
    if (process >= has_kernels.size()) has_kernels.resize(tracks.processes().size());
    has_kernels[process] = true;
  }
  void add_kernel(gathered_device& into, const kernel_row& row, const launch_link& tie = {});

  [[nodiscard]] step_marker marker_of(const placed_span& s, const named_step& step) const;
  // A step of the host.
  void add_marker(const placed_span& s, const named_step& step);
  // Whether the name marks a step of the host; then it is added.
  bool take_marker(const placed_span& s);
  void add_span(const placed_span& s, host_span_kind kind);
  // Room for one more. An event with a time and a length has no less text.
  template <class Row>
  void make_room_in(std::vector<Row>& rows) const {
    make_room(rows, at_byte, bytes, 24);
  }

  // Ties kernels to their calls and to what made these. Gives the number of those without a launch, where launches are recorded.
  std::uint64_t join_launches();

  activity_parts& parts;
  const std::size_t file;
  const std::uint32_t group;
  activity_input input;
  chrome_tracks tracks;
  thread_numbers numbers;
  line_counts counts;
  recent_strings names;
  std::uint64_t at_byte = 0, bytes = 0;
  bool is_coarse = true, host_seen = false;
  std::int64_t last_host_ps = no_time_ps;
  std::vector<gathered_device> devices;
  std::vector<bool> has_kernels;  // by process of the trace
  std::vector<host_span> spans;
  std::vector<std::pair<std::string, std::int64_t>> parallel_sizes;
  // For join_launches():
  launch_calls calls;
  graph_captures captures;
  struct graph_node {
    std::uint64_t graph = no_launch_id, node = no_launch_id;
  };
  hash_map<std::uint64_t, graph_node> nodes;  // by ordinal of the kernel
  std::vector<autograd_number> autograd;
  std::vector<kernel_work> works;  // of operations

 private:
  struct kernel_name {
    string_id type;
    kernel_class kind;
  };
  known_names<kernel_name> kernel_names_;
  known_names<std::optional<named_step>> steps_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
