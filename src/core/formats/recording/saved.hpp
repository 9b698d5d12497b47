// A recording in a file: an XSpace or trace JSON that says which device, stream, thread, counter or allocator each of its lines is,
// and of each row what a viewer has no place for. It is read as the recording that it was.
#pragma once
#include <profkit/core/format.hpp>

#include <formats/recording/recording.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// In an XSpace the layout is a stat of this name, of a plane of its own that comes first; in trace JSON a member of its "metadata".
inline constexpr std::string_view layout_key = "profkit_recording";
// In trace JSON, of the arguments that name a process and a thread: the positions of the plane and of the line in the layout. In an
// XSpace these are the ids of planes and lines.
inline constexpr std::string_view position_key = "position";
// The argument that has those of a host's own.
inline constexpr std::string_view arguments_key = "arguments";
inline constexpr std::string_view allocation_name = "MemoryAllocation", deallocation_name = "MemoryDeallocation";

// What such a file is, for people.
inline constexpr const char* saved_recording = "a host's own trace, as export writes it";
// The format of such files, which profkit knows.
[[nodiscard]] std::shared_ptr<const format> saved_recordings();
// The host that the beginning of such a file says; "" where it says none.
[[nodiscard]] std::string host_of_saved(std::string_view head);

// The planes of a recording with their lines, as a JSON object. `origin_unix_ns`: of the times that are written.
[[nodiscard]] std::string layout_of(const recording::contents& from, std::string_view host, std::optional<std::int64_t> origin_unix_ns);

// What a row says beyond its name and its time, as a JSON object of an event: {"args":{…}}. `launch_ps`: on the clock that is written.
[[nodiscard]] std::string text_of_kernel(const recording::contents& from, const recording::contents::device& device,
                                         const recording::contents::stream& stream, std::size_t at, std::int64_t launch_ps);
[[nodiscard]] std::string text_of_span(const recording::contents& from, const recording::contents::thread& thread, std::size_t at,
                                       const recording::contents::thread::call* call);
[[nodiscard]] std::string text_of_step(const step_marker& step);
[[nodiscard]] std::string text_of_value(double value, std::string_view key);
[[nodiscard]] std::string text_of_allocation(const recording::contents& from, const recording::contents::allocator::row& row);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
