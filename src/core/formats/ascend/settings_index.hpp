// The members of a JSON file of settings, such as Ascend's profiler_info.json.
#pragma once
#include <profkit/core/profile.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Calls take(key, value) with the raw members of the outer object, as far as they are intact: key without quotes, escapes
// not undone. A list, as old versions write communication.json, has none. Gives what is damaged.
std::optional<fault> index_settings(const profile& p, std::size_t file,
                                    const std::function<void(std::string_view key, std::string_view value)>& take);

// Whether the recorder was asked for what devices did. False where the file does not say.
[[nodiscard]] bool settings_ask_for_device(const profile& p, std::size_t file);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
