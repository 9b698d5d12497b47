#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// At most `most` columns, without control characters, the middle left out; plain ASCII dots, so that it fits code blocks.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
