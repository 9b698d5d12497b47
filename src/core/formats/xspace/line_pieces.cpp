#include <formats/xspace/line_pieces.hpp>

#include <profkit/wire.hpp>

#include <algorithm>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Small enough that what was found of a part is small, too, and that a file of some MB has several.
constexpr std::uint64_t min_part_bytes = std::uint64_t{1} << 19, max_part_bytes = std::uint64_t{1} << 21;
constexpr std::uint64_t parts_of_a_file = 64;

// Where an event is likely to begin, some hundred bytes after `from`. Stats of an event look like events and end where
// an event ends, so a reader that starts at one of them soon steps from event to event.
std::optional<std::uint64_t> likely_event_at(std::string_view body, std::uint64_t from) noexcept {
  constexpr int hops = 64, tries = 4096;
  constexpr std::uint64_t far = std::uint64_t{1} << 16;  // no usual event is so long
  const auto is_event = [](const wire_field& f) {
    return f.is_bytes(4) && !f.bytes.empty() && f.bytes.front() == 0x08 && f.bytes.size() < far;
  };
  for (std::uint64_t at = from; at < std::min<std::uint64_t>(body.size(), from + tries); ++at) {
    if (body[static_cast<std::size_t>(at)] != 0x22) continue;
    wire_reader reader(body.substr(static_cast<std::size_t>(at)));
    int hop = 0;
    for (wire_field f; hop < hops && reader.next(f) && is_event(f); ++hop) {}
    if (hop == hops) return static_cast<std::uint64_t>(reader.position() - body.data());
  }
  return std::nullopt;
}

}  // namespace

std::vector<line_part> cut_lines(const std::vector<std::string_view>& bodies, std::uint64_t part_bytes) {
  std::vector<line_part> parts;
  std::uint64_t in_part = 0;  // of a part that may take more lines
  for (std::size_t line = 0; line < bodies.size(); ++line) {
    const std::uint64_t size = bodies[line].size();
    if (size <= part_bytes && in_part > 0 && in_part + size <= part_bytes) {
      parts.back().push_back({line, 0, size, true});
      in_part += size;
      continue;
    }
    std::uint64_t from = 0;
    while (size - from > part_bytes + part_bytes / 2) {
      const auto to = likely_event_at(bodies[line], from + part_bytes);
      if (!to || *to >= size) break;
      parts.push_back({{line, from, *to, false}});
      from = *to;
    }
    parts.push_back({{line, from, size, true}});
    in_part = from == 0 ? size : 0;
  }
  return parts;
}

std::vector<line_part> cut_lines(const std::vector<std::string_view>& bodies) {
  std::uint64_t all = 0;
  for (const std::string_view body : bodies) all += body.size();
  return cut_lines(bodies, std::clamp(all / parts_of_a_file, min_part_bytes, max_part_bytes));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
