// What a recording holds: rows in the order in which they came, names interned.
#pragma once
#include <profkit/core/recording.hpp>

#include <base/string_table.hpp>

#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct recording::contents {
  struct stream {
    std::optional<std::uint32_t> device;  // empty: there is none of that number, or it has too many streams
    std::vector<kernel_row> kernels;
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
  };

  string_table texts;
  std::optional<std::int64_t> origin_unix_ns;
  std::string recorder;
  std::int32_t rank = -1, world_size = 0;
  std::vector<device> devices;
  std::vector<stream> streams;
  std::vector<thread> threads;
  std::vector<string_id> processes;
  activity_input input;  // rows, and those that were passed over
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
