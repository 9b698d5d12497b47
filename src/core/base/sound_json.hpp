// JSON that no strict reader takes as JSON that each takes.
#pragma once
#include <profkit/namespace.hpp>

#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// JSON text that may be irregular (control characters, unknown escapes, stray commas) as sound JSON.
void append_sound_json(std::string& out, std::string_view raw);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
