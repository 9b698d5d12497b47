// Writes wire-format messages for tests, whole or with their fields in any order.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit::test {

inline void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// The fields of one message, each already encoded.
class message {
 public:
  message& number(std::uint32_t field, std::int64_t value) {
    return unsigned_number(field, static_cast<std::uint64_t>(value));
  }
  message& unsigned_number(std::uint32_t field, std::uint64_t value) {
    std::string& out = start(field, 0);
    put_varint(out, value);
    return *this;
  }
  message& fixed64(std::uint32_t field, std::uint64_t value) {
    std::string& out = start(field, 1);
    for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
    return *this;
  }
  message& fixed32(std::uint32_t field, std::uint32_t value) {
    std::string& out = start(field, 5);
    for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i));
    return *this;
  }
  message& text(std::uint32_t field, std::string_view value) {
    std::string& out = start(field, 2);
    put_varint(out, value.size());
    out += value;
    return *this;
  }
  message& group(std::uint32_t field, std::string_view content) {
    std::string& out = start(field, 3);
    out += content;
    put_varint(out, field << 3 | 4U);
    return *this;
  }
  message& sub(std::uint32_t field, const message& inner) { return text(field, inner.bytes()); }

  template <class Random>
  message& shuffle(Random& random) {
    std::shuffle(fields_.begin(), fields_.end(), random);
    return *this;
  }
  [[nodiscard]] std::string bytes() const {
    std::string all;
    for (const std::string& field : fields_) all += field;
    return all;
  }

 private:
  std::string& start(std::uint32_t field, std::uint32_t type) {
    std::string& out = fields_.emplace_back();
    put_varint(out, std::uint64_t{field} << 3 | type);
    return out;
  }
  std::vector<std::string> fields_;
};

inline message stat(std::int64_t id, std::int64_t value) { return message().number(1, id).number(4, value); }
inline message event(std::int64_t id, std::int64_t offset_ps, std::int64_t duration_ps) {
  message m;
  m.number(1, id).number(2, offset_ps);
  if (duration_ps != 0) m.number(3, duration_ps);
  return m;
}
inline message metadata_entry_of(std::int64_t id, std::string_view name) {
  return message().number(1, id).sub(2, message().number(1, id).text(2, name));
}

// A copy in a heap block of exactly this size, so that AddressSanitizer sees a read past either end.
class exact_copy {
 public:
  explicit exact_copy(std::string_view bytes) : size_(bytes.size()), block_(new char[bytes.size()]) {
    if (!bytes.empty()) std::memcpy(block_.get(), bytes.data(), bytes.size());
  }
  [[nodiscard]] std::string_view view() const { return {block_.get(), size_}; }
  [[nodiscard]] char* data() { return block_.get(); }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> block_;
};

}  // namespace profkit::test
