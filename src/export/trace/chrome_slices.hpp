// The slices of a Chrome trace file by thread, for exporters: times on the capture's clock, texts left in the file.
#pragma once
#include <profkit/core/chrome.hpp>
#include <profkit/core/profile.hpp>

#include "base/hash_map.hpp"
#include "base/sound_json.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct chrome_slice {
  std::int64_t start_ps = 0;
  std::int64_t duration_ps = 0;
  std::uint64_t at = 0;     // where the event's text is in the file's bytes
  std::uint32_t size = 0;   // of that text
  std::uint32_t ordinal = 0;  // of the slice within its thread, in file order
  bool instant = false;
};

struct chrome_thread {
  std::size_t process = 0;
  std::string tid, name;  // tid as written
  std::string tid_json;   // with its quotes when it is a string
  std::optional<std::int64_t> sort_index;
  std::vector<chrome_slice> slices;  // by (start, longer first)
};

struct chrome_process_entry {
  std::string pid, name, labels;
  std::string pid_json;
  std::optional<std::int64_t> sort_index;
};

// A counter value or the end of a flow.
struct chrome_mark {
  std::int64_t at_ps = 0;
  std::uint64_t at = 0;
  std::uint32_t size = 0;
  char phase = 0;  // C s t f
  std::size_t process = 0, thread = 0;
};

struct chrome_slices {
  std::deque<chrome_process_entry> processes;
  std::deque<chrome_thread> threads;
  std::vector<chrome_mark> marks;  // in file order
  std::uint64_t out_of_reach = 0, unpaired = 0, other_phases = 0;
  std::optional<fault> damage;
};

struct chrome_filters {
  std::string plane, line, name;  // substrings of process, thread and event names
  std::optional<std::int64_t> from_ps, to_ps;
};

// Reads the file twice: names may come after what they name. Faults: cancelled, out_of_memory, and what makes the
// file no trace at all.
result<chrome_slices> read_chrome_slices(const profile& p, std::size_t file, const chrome_filters& filters,
                                         const hooks& host);

// Fields of an event from its text.
struct chrome_event_text {
  std::string_view cat, args;  // raw JSON; "" when absent
  std::string_view id;         // raw
};
chrome_event_text fields_of(std::string_view event_json);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
