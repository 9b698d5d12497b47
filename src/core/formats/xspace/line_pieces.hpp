// Lines cut into pieces that are read at the same time. Where an event begins is known only after all events before it
// were read, so cuts are guesses: one is right when the piece before it ends there without damage.
#pragma once
#include <base/ordered_items.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct line_piece {
  std::size_t line = 0;            // of those that were cut
  std::uint64_t from = 0, to = 0;  // in its body
  bool ends_line = true;
};

// Pieces that are read by one thread: of one line, or several lines as a whole.
using line_part = std::vector<line_piece>;

// In the order of the lines. Depends on nothing but the bytes.
[[nodiscard]] std::vector<line_part> cut_lines(const std::vector<std::string_view>& bodies);
[[nodiscard]] std::vector<line_part> cut_lines(const std::vector<std::string_view>& bodies, std::uint64_t part_bytes);

// read(piece, found) reads a piece and says whether its last event ended where the piece ends; Found{} by make(). What
// was found is handed to keep(found, bytes) in the order of the lines, on one thread at a time.
template <class Found, class Make, class Read, class Keep>
result<void> read_line_parts(const std::vector<std::string_view>& bodies, const std::vector<line_part>& parts,
                             const hooks& host, Make&& make, Read&& read, Keep&& keep) {
  struct outcome {
    Found found;
    bool whole = true;
  };
  const auto read_part = [&](const line_part& part) -> result<outcome> {
    outcome o{make(), true};
    for (const line_piece& piece : part) {
      result<bool> whole = read(piece, o.found);
      if (!whole) return std::move(whole).error();
      o.whole = *whole;
    }
    return o;
  };
  std::size_t read_to_its_end = bodies.size();  // a line whose other pieces count no more
  const auto take = [&](std::size_t at, outcome o) -> result<void> {
    const line_part& part = parts[at];
    const line_piece& last = part.back();
    if (part.front().line == read_to_its_end) return {};
    std::uint64_t bytes = 0;
    for (const line_piece& piece : part) bytes += piece.to - piece.from;
    if (!last.ends_line && !o.whole) {  // the guess was wrong, or an event is damaged
      read_to_its_end = last.line;
      result<outcome> again = read_part({{last.line, last.from, bodies[last.line].size(), true}});
      if (!again) return std::move(again).error();
      o = std::move(*again);
    }
    return keep(std::move(o.found), bytes);
  };
  return for_each_in_order<outcome>(
      parts.size(), host, [&](std::size_t at) { return read_part(parts[at]); }, take);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
