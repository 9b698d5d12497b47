#include <formats/xspace/stat_number.hpp>

#include <profkit/xspace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::optional<std::uint64_t> number_in(std::string_view stats, std::int64_t stat_id) noexcept {
  std::optional<std::uint64_t> found;
  for (const stat_view stat : message_range<stat_view, 4>(stats))
    if (stat.metadata_id() == stat_id &&
        (stat.kind() == stat_kind::uint64_value || stat.kind() == stat_kind::int64_value))
      found = stat.as_uint64();
  return found;
}

// Reads a stat, after its id, that is one value as writers write it, with nothing after it. False when it is not.
inline bool is_one_value(const unsigned char* at, const unsigned char* end,
                         std::optional<std::uint64_t>& number) noexcept {
  if (at == end) return true;
  const unsigned char tag = *at++;
  const std::ptrdiff_t bytes = end - at;
  switch (tag) {
    case 0x11: return bytes == 8;  // double
    case 0x18:
    case 0x20:
    case 0x38: {  // whole numbers, references
      if (bytes == 0 || bytes > 9) return false;
      std::uint64_t value = 0;
      unsigned shift = 0;
      for (; *at >= 0x80; shift += 7) {
        value |= std::uint64_t{*at & 0x7fU} << shift;
        if (++at == end) return false;
      }
      if (at + 1 != end) return false;
      if (tag != 0x38) number = value | std::uint64_t{*at} << shift;
      return true;
    }
    case 0x2a:
    case 0x32: return bytes > 0 && *at < 0x80 && bytes == 1 + *at;  // texts
    default: return false;
  }
}

// number_in() for stats in the usual form of writers; false when they have another.
bool find_usual_number(const char* stats, std::uint32_t bytes, std::int64_t stat_id,
                       std::optional<std::uint64_t>& found) noexcept {
  constexpr unsigned char stat_tag = 0x22, id_tag = 0x08;
  const auto* at = reinterpret_cast<const unsigned char*>(stats);
  const auto* const end = at + bytes;
  while (end - at >= 5) {
    const unsigned length = at[1];
    if (at[0] != stat_tag || length >= 0x80 || length < 3 || length > end - at - 2 || at[2] != id_tag) return false;
    const unsigned char* const stat_end = at + 2 + length;
    unsigned id = at[3];
    at += 4;
    if (id >= 0x80) {
      if (*at >= 0x80) return false;
      id = (id & 0x7fU) | static_cast<unsigned>(*at++) << 7;
    }
    std::optional<std::uint64_t> number;
    if (!is_one_value(at, stat_end, number)) return false;
    if (id == stat_id && number) found = number;
    at = stat_end;
  }
  return at == end;
}

}  // namespace

std::optional<std::uint64_t> find_stat_number(const char* stats, std::uint32_t bytes, std::int64_t stat_id) noexcept {
  std::optional<std::uint64_t> found;
  if (find_usual_number(stats, bytes, stat_id, found)) return found;
  return number_in(std::string_view(stats, bytes), stat_id);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
