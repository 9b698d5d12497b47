// Text of a capture inside HTML or SVG.
#pragma once
#include <profkit/core/text.hpp>

#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Neither markup nor a control character is left in it.
[[nodiscard]] inline std::string markup_text(std::string_view text) {
  std::string safe;
  for (const char c : escape_for_terminal(text)) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
