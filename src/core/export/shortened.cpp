#include <export/shortened.hpp>

#include <base/utf8.hpp>
#include <profkit/core/text.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::string shortened(std::string_view text, std::size_t most) {
  std::string safe = escape_for_terminal(text);
  if (terminal_width(safe) <= most || most < 8) return safe;
  const std::size_t kept = most - 2;
  // Whole characters from either end, a wide one only where both of its columns fit.
  const auto end_of_front = [&](std::size_t columns) {
    std::size_t at = 0;
    for (std::size_t taken = 0; at < safe.size();) {
      const std::size_t bytes = decode_utf8(safe, at).bytes;
      taken += terminal_width(std::string_view(safe).substr(at, bytes));
      if (taken > columns) break;
      at += bytes;
    }
    return at;
  };
  const std::size_t front = end_of_front(kept / 2 + kept % 2);
  std::size_t back = front;
  while (back < safe.size() && terminal_width(std::string_view(safe).substr(back)) > kept / 2)
    back += decode_utf8(safe, back).bytes;
  return safe.substr(0, front) + ".." + safe.substr(back);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
