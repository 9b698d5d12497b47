#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace profkit_tool {

std::string terminal::paint(std::string_view text, style s) const {
  const char* code = nullptr;
  switch (s) {
    case style::plain: break;
    case style::heading: code = "\033[1m"; break;
    case style::dim: code = "\033[2m"; break;
    case style::good: code = "\033[32m"; break;
    case style::warning: code = "\033[33m"; break;
    case style::error: code = "\033[1;31m"; break;
  }
  if (!color || code == nullptr || text.empty()) return std::string(text);
  return std::string(code).append(text).append("\033[0m");
}

namespace {

// The variable COLUMNS; 0 where it is no number.
std::size_t columns_asked_for() noexcept {
  const char* const asked = std::getenv("COLUMNS");
  char* end = nullptr;
  const unsigned long columns = asked == nullptr ? 0 : std::strtoul(asked, &end, 10);
  return asked != nullptr && end != asked && *end == '\0' ? columns : 0;
}

}  // namespace

terminal look_at_terminal(int descriptor, color_mode mode) {
  terminal t;
  t.is_terminal = isatty(descriptor) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool wanted =
      (no_color == nullptr || *no_color == '\0') && (term == nullptr || std::string_view(term) != "dumb");
  t.color = mode == color_mode::always || (mode == color_mode::automatic && t.is_terminal && wanted);
  winsize size{};
  std::size_t columns = columns_asked_for();
  if (columns == 0 && t.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  t.has_width = columns != 0;
  if (t.has_width) t.columns = std::clamp<std::size_t>(columns, 60, 200);
  return t;
}

}  // namespace profkit_tool
