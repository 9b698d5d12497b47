// Which operators say something of a model by the shapes of their inputs: all but those that name, move, make or count what is there.
#pragma once
#include <profkit/namespace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Of a name such as "aten::linear".
[[nodiscard]] bool keeps_operator(std::string_view name) noexcept;
// Whether its scalar inputs say something, too: whether attention looks ahead.
[[nodiscard]] bool keeps_operator_values(std::string_view name) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
