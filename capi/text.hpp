// Text as C has it.
#pragma once
#include <profkit/profkit.h>
#include <profkit/namespace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

[[nodiscard]] inline pk_str borrowed(std::string_view text) noexcept { return {text.data(), text.size()}; }
[[nodiscard]] inline std::string_view text_in(const pk_str& text) noexcept {
  return text.data ? std::string_view(text.data, text.size) : std::string_view();
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
