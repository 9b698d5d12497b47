// What a recording holds: rows in the order in which they came, names interned.
#pragma once
#include <profkit/core/recording.hpp>

#include <base/hash_map.hpp>
#include <base/string_table.hpp>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct recording::contents {
  struct stream {
    std::optional<std::uint32_t> device;  // empty: there is none of that number, or it has too many streams
    std::vector<kernel_row> kernels;  // details and origin: 1 + positions in those of the device and of the recording
    std::vector<std::uint64_t> correlations;  // of those
    std::vector<string_id> arguments;         // of those; empty while none has any
  };
  struct device {
    activity_device facts;  // names in `texts`
    std::vector<std::uint32_t> streams;
  };
  struct thread {
    std::int32_t plane = -1, line = -1;  // the process, counted after the devices, and the thread within it
    string_id process = 0, name = 0;
    std::vector<host_span> spans;
    std::vector<step_marker> steps;
    std::vector<std::uint64_t> step_rows;  // the source rows of those
    struct call {
      std::size_t span;  // its position, which grows from one to the next
      std::uint64_t correlation;
      std::optional<launched_work> launches;
    };
    std::vector<call> calls;  // the spans with a correlation
    std::vector<string_id> arguments;  // of the spans; empty while none has any
  };
  struct counter {
    std::optional<std::uint32_t> device;  // empty: of a process
    std::int32_t plane = -1;  // the device; the process, counted after the devices
    std::int32_t line = -1;
    string_id owner = 0, name = 0, unit = 0;
    std::vector<recorded_value> values;
    bool known = true;  // its device was added
  };
  struct allocator {
    std::optional<std::uint32_t> device;  // empty: memory of the host
    string_id name = 0;                   // no other has it
    bool known = true;                    // its device was added
    struct row {
      std::int64_t at_ps;
      std::uint64_t address;
      std::int64_t bytes, held_bytes;
      string_id op;
      bool is_free;
      std::uint64_t source_row;
    };
    std::vector<row> rows;
  };

  string_table texts;
  std::optional<std::int64_t> origin_unix_ns;
  std::string recorder;
  std::int32_t rank = -1, world_size = 0;
  std::vector<device> devices;
  std::vector<kernel_origin> origins;
  hash_map<std::tuple<string_id, string_id, string_id>, std::uint32_t> origin_numbers;  // of op, module and program: 1 + its position
  std::vector<stream> streams;
  std::vector<thread> threads;
  std::vector<string_id> processes;
  std::vector<counter> counters;
  std::vector<allocator> allocators;
  std::uint64_t row_bytes = 0, text_bytes = 0;  // of what is held
  activity_input input;  // rows, and those that were passed over

  string_id intern(std::string_view text) {
    const std::uint32_t before = texts.size();
    const string_id id = texts.intern(text);
    if (texts.size() > before) text_bytes += text.size() + bytes_of_text;
    return id;
  }

  // What a line is, and its number among those of its kind.
  enum class row_kind : std::uint8_t { none, stream, thread, counter, allocator };
  struct line {
    row_kind kind = row_kind::none;
    std::uint32_t number = 0;
  };
  // The lines of every plane in their order: of devices, of processes, and of memory where there are allocators.
  [[nodiscard]] std::vector<std::vector<line>> lines_by_plane() const;

  static constexpr std::uint64_t bytes_of_text = 64;  // what a table has of each, about
};

// What its allocators did as an XSpace: a line of "/host:CPU" each, in the order of time. "" when they did nothing.
result<std::string> write_allocations(const recording::contents& from);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
