// Allocations and deallocations as host planes record them, read in the order of time without being held.
#pragma once
#include "allocator_stats.hpp"
#include "event_places.hpp"

#include <trace/filters/select.hpp>
#include <base/hash_map.hpp>
#include <base/progress.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/time.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

[[nodiscard]] constexpr std::int64_t floor_ns(std::int64_t ps) noexcept {
  return ps / ps_per_ns - (ps % ps_per_ns < 0 ? 1 : 0);
}

// Where an event lies.
struct event_place {
  std::uint32_t line = 0;    // index into collected_events::lines
  std::uint64_t offset = 0;  // in the line, where the event before it ends
};

struct allocator_event {
  std::int64_t start_ps = 0;    // relative to the capture origin
  std::int64_t raw_ns = 0;      // as the file says: line timestamp + offset, cut to ns
  std::uint32_t allocator = 0;  // index into the collected allocators
  event_place place;
  bool is_allocation = false;
  bool has_allocated = false;  // bytes_allocated is there
  std::uint64_t addr = 0;
  std::int64_t id = 0;
  std::int64_t requested_bytes = 0, allocation_bytes = 0, bytes_allocated = 0, peak_bytes_in_use = 0;
  std::int64_t bytes_reserved = 0, bytes_available = 0;
  double fragmentation = 0;
  text_stat shape, tf_op;
  text_stat data_type;
  std::int64_t data_type_number = 0;
  bool data_type_is_number = false;
};

// Where an allocator's events come from, and what it is called.
struct allocator_identity {
  std::uint32_t file = 0;
  std::int32_t plane = 0;            // the host plane
  std::optional<std::int64_t> node;  // of a merge
  std::string name;                  // allocator_name, else index_on_host, else device_ordinal, else id
  std::string host;
  std::string device;  // "/device:TPU:0"; "" for host memory
  bool is_host_memory = false;
  std::uint64_t n_events = 0;
  std::int64_t first_ps = std::numeric_limits<std::int64_t>::max(), last_ps = std::numeric_limits<std::int64_t>::min();
};

// What an event of a host plane is.
enum class event_role : std::uint8_t { other, allocation, deallocation };

// By metadata id; writers give each role one.
class event_roles {
 public:
  void add(std::int64_t id, event_role role);  // each id once
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] event_role of(std::int64_t id) const noexcept;
  // The two that there are, or one of them twice; not when empty(). few() says whether these are all.
  [[nodiscard]] std::int64_t first() const noexcept { return quick_[0].id; }
  [[nodiscard]] std::int64_t second() const noexcept { return quick_[1].id; }
  [[nodiscard]] bool few() const noexcept { return others_.empty(); }

 private:
  static constexpr std::size_t most_quick = 2;
  struct quick {
    std::int64_t id;
    event_role role;
  };
  quick quick_[most_quick] = {};  // the last one repeated
  std::size_t count_ = 0;
  hash_map<std::int64_t, event_role> others_;
};

// A host plane with allocator events.
struct allocator_plane {
  std::uint32_t file;
  std::int32_t plane;
  const plane_index* index;
  allocator_fields fields;
  event_roles roles;
};
// A stretch of a line: when its events are, relative to the line, so that a search around an instant
// may pass over it.
struct line_stretch {
  std::uint64_t from = 0;  // in the line
  std::int64_t min_start_ps = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_end_ps = std::numeric_limits<std::int64_t>::min();
};
// A line with allocator events.
struct allocator_line {
  std::uint32_t plane = 0;  // index into collected_events::planes
  std::int32_t line = 0;    // position in the plane
  std::string_view body;
  line_clock clock;
  std::int64_t timestamp_ns = 0;
  bool in_order = true;                 // by offset_ps, all its events
  std::vector<line_stretch> stretches;  // all of it
};

// What a pass over the files finds, and where the events lie.
struct collected_events {
  std::vector<allocator_identity> allocators;  // in the order of first sight
  std::vector<allocator_plane> planes;
  std::vector<allocator_line> lines;  // by file, plane, line
  event_places places;
  std::uint64_t n_events = 0;
  std::uint64_t without_time = 0;  // aggregated events, or beyond the reach of the clock
  bool host_plane_present = false;
  std::vector<file_damage> damage;
  std::optional<fault> stopped;  // why what is here is a part: the host cancelled, or memory ran out

  [[nodiscard]] const plane_index& plane_of(const event_place& at) const noexcept {
    return *planes[lines[at.line].plane].index;
  }
  // One event again, but for its allocator.
  [[nodiscard]] allocator_event event_at(const event_place& at) const noexcept;
};

// From the plane /host:CPU of every host of every file.
collected_events collect_allocator_events(const profile& p, const std::string& host_filter, const hooks& host);

// The events of one file, or of one of its allocators, in order; one event of each run is held.
class ordered_allocator_events {
 public:
  ordered_allocator_events(const collected_events& all, std::uint32_t file, std::optional<std::uint32_t> allocator,
                           const hooks& host);
  // False at the end, or when the host stops it.
  bool next(allocator_event& into);
  [[nodiscard]] const std::optional<fault>& stopped() const noexcept { return stopped_; }

 private:
  struct cursor {
    std::uint64_t at = 0, left = 0;                                // in the places
    std::uint64_t ahead_at = 0, ahead_left = 0, ahead_offset = 0;  // of an event that is asked of the memory already
    std::uint32_t ahead_allocator = 0;
    std::uint32_t allocator = 0;
    event_moment when;
    std::int64_t start_ps = 0;
    event_row row;
  };
  bool advance(cursor& c) const noexcept;
  void look_ahead(cursor& c) const noexcept;
  void sift_down() noexcept;
  void go_on() noexcept;

  const collected_events& all_;
  std::optional<std::uint32_t> allocator_;
  std::vector<cursor> cursors_;
  std::vector<std::uint32_t> heap_;  // the cursor of the next event first
  progress_meter meter_;
  std::uint64_t seen_ = 0;
  std::optional<fault> stopped_;
};

// tensorflow.DataType by number: "f32", "bf16"; "dt<n>" for others.
[[nodiscard]] std::string tensorflow_type_name(std::int64_t type);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
