// Allocations and deallocations as host planes record them.
#pragma once
#include <profkit/core/memory.hpp>
#include <profkit/time.hpp>

#include <read/xspace_index.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// A text stat: str as it is, ref looked up.
struct text_stat {
  std::string_view text;
  std::uint64_t ref = 0;
  bool is_ref = false;
  [[nodiscard]] bool present() const noexcept { return is_ref || !text.empty(); }
};

struct allocator_event {
  std::int64_t start_ps = 0;    // relative to the capture origin
  std::int64_t raw_ns = 0;      // as the file says: line timestamp + offset, cut to ns
  std::uint32_t allocator = 0;  // index into the collected allocators
  std::int32_t line = 0;        // position in the plane
  std::uint32_t event = 0;      // position in the line
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
  std::int32_t plane = 0;  // the host plane
  std::string name;        // allocator_name, else index_on_host, else device_ordinal, else id
  std::string host;
  std::string device;  // "/device:TPU:0"; "" for host memory
  bool is_host_memory = false;
};

struct collected_events {
  std::vector<allocator_identity> allocators;  // in the order of first sight
  std::vector<allocator_event> events;         // by file, plane, line, as they lie in the file
  std::uint64_t without_time = 0;              // aggregated events, or beyond the reach of the clock
  bool host_plane_present = false;
  std::vector<file_damage> damage;
  std::optional<fault> stopped;  // the host cancelled: what is here is a part
};

// From every plane named /host:CPU of every file, or of one file's first such plane (`only_file`, as the reference).
collected_events collect_allocator_events(const profile& p, const std::string& host_filter,
                                          std::optional<std::size_t> only_file, const hooks& host);

// Names of the events on a line that enclose an event, outermost first, for several events of one line.
std::vector<std::vector<std::string_view>> enclosing_events(const plane_index& plane, const line_index& line,
                                                            const std::vector<std::uint32_t>& events);

[[nodiscard]] constexpr std::int64_t floor_ns(std::int64_t ps) noexcept {
  return ps / ps_per_ns - (ps % ps_per_ns < 0 ? 1 : 0);
}

// tensorflow.DataType by number: "f32", "bf16"; "dt<n>" for others.
[[nodiscard]] std::string tensorflow_type_name(std::int64_t type);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
