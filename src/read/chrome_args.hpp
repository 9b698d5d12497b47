// Some members of an event's "args", all in one pass.
#pragma once
#include <profkit/core/chrome.hpp>

#include <cstddef>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// values[i] becomes the raw value of names[i] in e's arguments (the last one of that name), "" when it is not there.
void pick_arguments(const chrome_event& e, const std::string_view* names, std::size_t count, std::string_view* values);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
