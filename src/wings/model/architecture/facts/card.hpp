// The order of facts on a card.
#pragma once
#include <profkit/core/facts.hpp>

#include <cstddef>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// The place of a fact among all; unknown names come last.
[[nodiscard]] std::size_t card_place(std::string_view name);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
