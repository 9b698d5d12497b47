// Who wrote a trace: Ascend's exporters name processes and events in their own way; all others are read alike.
#pragma once
#include <profkit/core/profile.hpp>

#include <cstddef>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class chrome_dialect : std::uint8_t { common, ascend };

// By the folder the file lies in, else by its first and last bytes.
[[nodiscard]] chrome_dialect chrome_dialect_of(const profile& p, std::size_t file);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
