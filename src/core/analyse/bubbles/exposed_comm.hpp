// What compute waited for while communication was exposed.
#pragma once
#include <analyse/bubbles/kernels.hpp>
#include <analyse/bubbles/stragglers.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Exposed communication, by the compute kernel that begins next in its step.
struct exposed_split {
  std::int64_t all_ps = 0;
  std::int64_t not_launched_ps = 0;  // before the host launched it
  std::int64_t same_stream_ps = 0;   // launched, on the stream of the communication
  std::int64_t queued_ps = 0;        // launched, on another stream
  std::int64_t waiting_ps = 0;       // for other ranks; a part of all, beside the others
  void add(const exposed_split& more) noexcept;
};

// Of the kernels of one step, up to its end. What is after the last compute kernel, or before one without a launch or a
// stream on record, is in no part.
// `waits`: of the device's collectives.
[[nodiscard]] exposed_split split_exposed(const step_rows& step, std::int64_t end_ps,
                                          const std::vector<collective_wait>& waits);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
