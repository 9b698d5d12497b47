// Calls of a runtime that give work to a device, by their names.
#pragma once
#include <profkit/core/activity.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Nothing for a call after which no device need have a record. Sets of memory are among these: recorders leave out some
// (25 of 44 in two PyTorch traces of an H100), so that one without a record says nothing.
[[nodiscard]] std::optional<launched_work> work_launched_by(std::string_view call) noexcept;

// Whether a call of an unknown runtime sets or fills memory: see above.
[[nodiscard]] bool may_lack_record(std::string_view call) noexcept;
// Whether it copies, by its name.
[[nodiscard]] bool is_copy_call(std::string_view call) noexcept;

// What a call means to the capture of a graph. waits: it makes a stream wait for another, which then takes part in the capture.
enum class capture_call : std::uint8_t { none, begins, ends, waits };
[[nodiscard]] capture_call capture_call_of(std::string_view call) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
