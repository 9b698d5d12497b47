// The processes of a Chrome trace and the tracks that its events lie on: threads, one for each category of
// asynchronous events, one for each counter. What they are called, and where `info` shows them.
#pragma once
#include <profkit/core/chrome.hpp>
#include <profkit/core/track.hpp>

#include <base/hash_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct chrome_trace_process {
  std::string pid;  // as written, without quotes; 7 and "7" are two processes
  bool pid_is_string = false;
  std::optional<std::int64_t> number;  // of a pid that is one
  std::int32_t position = -1;          // among the processes with a pid, by first sight
  std::string name, labels;            // as the last metadata event says
  std::optional<std::int64_t> sort_index;
  std::int32_t tracks = 0;
};

enum class chrome_track_kind : std::uint8_t { thread, async, counter };

struct chrome_track {
  chrome_track_kind kind = chrome_track_kind::thread;
  std::uint32_t process = 0;
  std::string tid;  // of a thread, as written, without quotes
  bool tid_is_string = false;
  std::optional<std::int64_t> number;  // of a tid that is one
  std::int32_t position = -1;          // among the tracks of a process with a pid, as shown first
  std::string name;                    // of a thread as the last metadata event says; the category; the counter
  std::optional<std::int64_t> sort_index;
};

// What a track is called and what it is, as `info` shows it.
struct chrome_place {
  std::int32_t plane = -1, line = -1;
  std::string_view plane_name, line_name;  // "" where the process has no pid: then there is nothing a name could be of
  plane_kind plane_type = plane_kind::other;
  line_kind line_type = line_kind::other;
};

// Why a file is not wholly shown when its clock is too far from the capture's.
[[nodiscard]] fault chrome_out_of_reach(const std::string& path);

// Processes and tracks are numbered from 0 in the order in which they were asked for.
class chrome_tracks {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  // Notes what an event says of processes and tracks. Every event of a file, seen in file order, makes the positions
  // of `info`. Gives the track that the event lies on; none for metadata, flows and whatever else makes no row.
  std::uint32_t see(const chrome_event& e);

  std::uint32_t process_of(const chrome_event& e);
  std::uint32_t thread_of(const chrome_event& e);
  // The thread of an event that see() gives none for: `info` does not show a thread only because an arrow names it.
  std::uint32_t thread_beside(const chrome_event& e) { return find_track(chrome_track_kind::thread, e.pid, e.tid, false); }
  [[nodiscard]] chrome_place place_of(std::uint32_t track) const;
  // What a metadata event says of its process or thread: the last one counts.
  void take_name(const chrome_event& e);

  [[nodiscard]] const chrome_trace_process& process(std::uint32_t at) const noexcept { return processes_[at]; }
  [[nodiscard]] const chrome_track& track(std::uint32_t at) const noexcept { return tracks_[at]; }
  [[nodiscard]] const chrome_trace_process& process_of_track(std::uint32_t at) const noexcept {
    return processes_[tracks_[at].process];
  }
  [[nodiscard]] const std::vector<chrome_trace_process>& processes() const noexcept { return processes_; }
  [[nodiscard]] const std::vector<chrome_track>& tracks() const noexcept { return tracks_; }

 private:
  // What was looked for last: events of few tracks follow one another.
  struct recent {
    std::string pid, line;
    char what = 0;  // a letter for processes and each kind of track; 0: nothing
    bool pid_is_string = false, line_is_string = false;
    std::uint32_t found = none;
  };

  using recent_ones = std::array<recent, 64>;

  static recent& recent_of(recent_ones& among, char what, const chrome_ref& pid, const chrome_ref& line, bool& known);
  std::uint32_t find_process(const chrome_ref& pid);
  // A sort index alone does not make `info` show a track.
  std::uint32_t find_track(chrome_track_kind kind, const chrome_ref& pid, const chrome_ref& line, bool is_shown);
  void add_track(chrome_track_kind kind, std::uint32_t process, const chrome_ref& line);

  std::vector<chrome_trace_process> processes_;
  std::vector<chrome_track> tracks_;
  hash_map<std::string, std::uint32_t> process_by_key_, track_by_key_;
  recent_ones recent_processes_, recent_tracks_;
  std::string key_, scratch_;
  std::int32_t with_pid_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
