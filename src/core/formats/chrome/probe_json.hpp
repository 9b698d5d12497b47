// Whether some first bytes are Chrome trace-event JSON.
#pragma once
#include <formats/known_format.hpp>

#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// An object with the key traceEvents, or an array of objects with the key ph; `possible` where an object of keys goes on
// after the head and had neither so far.
[[nodiscard]] probe_result probe_chrome_trace(std::string_view head) noexcept;
[[nodiscard]] std::string why_no_trace(std::string_view head);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
