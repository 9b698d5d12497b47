// What processes of traces are whose exporters name no category: those of TensorFlow's timeline and of rocprof (v1).
//
// Sources: tensorflow/python/client/timeline.py and device_tracer.cc (1.x: every kernel is shown on "stream:all" and on
// its own stream, every copy on "memcpy" and on its own stream), rocprof's tblextr.py (2019 to 2024).
#pragma once
#include <profkit/core/activity.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A process of TensorFlow's timeline that is a stream of a GPU: "/device:GPU:0/stream:17 Compute", "/gpu:0/memcpy
// Compute".
struct timeline_stream {
  std::int64_t device = -1;
  std::string_view name;    // "stream:17", "stream:all", "memcpy"
  bool may_repeat = false;  // what it has may stand on other streams, too
};
[[nodiscard]] std::optional<timeline_stream> timeline_stream_of(std::string_view process) noexcept;
// The executor of TensorFlow, by device: what the host did for it.
[[nodiscard]] bool is_timeline_executor(std::string_view process) noexcept;

// What rocprof's processes without a device hold.
enum class rocprof_process : std::uint8_t { unknown, calls, ranges, copies, barriers };
[[nodiscard]] rocprof_process rocprof_process_of(std::string_view process) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
