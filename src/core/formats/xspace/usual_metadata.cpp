#include <formats/xspace/usual_metadata.hpp>

#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Tags of one byte: the number of the field, and 0 for a varint or 2 for bytes of a length.
constexpr unsigned char varint_tag(unsigned field) noexcept { return static_cast<unsigned char>(field << 3); }
constexpr unsigned char bytes_tag(unsigned field) noexcept { return static_cast<unsigned char>(field << 3 | 2U); }

constexpr unsigned byte_at(const char* p) noexcept { return static_cast<unsigned char>(*p); }

// A varint of up to eight bytes; null when it is longer or cut.
const char* read_short_varint(const char* p, const char* end, std::uint64_t& value) noexcept {
  value = 0;
  for (unsigned shift = 0; shift < 56 && p != end; shift += 7) {
    const std::uint64_t byte = byte_at(p++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return p;
  }
  return nullptr;
}

// Bytes of a length; null when they are cut.
const char* read_bytes(const char* p, const char* end, std::string_view& bytes) noexcept {
  std::uint64_t size = 0;
  p = read_short_varint(p, end, size);
  if (p == nullptr || size > static_cast<std::uint64_t>(end - p)) return nullptr;
  bytes = std::string_view(p, static_cast<std::size_t>(size));
  return p + size;
}

// The key, then the value to the end of the entry.
bool split_entry(std::string_view entry, std::int64_t& key, std::string_view& value) noexcept {
  const char* p = entry.data();
  const char* const end = p + entry.size();
  std::uint64_t number = 0;
  if (p == end || byte_at(p) != varint_tag(1)) return false;
  p = read_short_varint(p + 1, end, number);
  if (p == nullptr || p == end || byte_at(p) != bytes_tag(2)) return false;
  p = read_bytes(p + 1, end, value);
  key = static_cast<std::int64_t>(number);
  return p == end;
}

}  // namespace

bool read_usual_key(std::string_view entry, std::int64_t& key) noexcept {
  std::string_view value;
  return split_entry(entry, key, value);
}

bool read_usual_metadata(std::string_view entry, usual_metadata& found) noexcept {
  std::string_view value;
  if (!split_entry(entry, found.key, value)) return false;
  found.name = found.display_name = {};
  const char* p = value.data();
  const char* const end = p + value.size();
  while (p != end) {
    const unsigned tag = byte_at(p++);
    std::uint64_t number = 0;
    std::string_view bytes;
    switch (tag) {
      case varint_tag(1):
      case varint_tag(6): p = read_short_varint(p, end, number); break;
      case bytes_tag(2):
        p = read_bytes(p, end, bytes);
        found.name = bytes;
        break;
      case bytes_tag(4):
        p = read_bytes(p, end, bytes);
        found.display_name = bytes;
        break;
      case bytes_tag(3):
      case bytes_tag(5): p = read_bytes(p, end, bytes); break;
      default: return false;
    }
    if (p == nullptr) return false;
  }
  return true;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
