// Small numbers in few bytes, seven bits a byte, in pieces that never move.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

class packed_numbers {
 public:
  void append(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) append_byte(static_cast<unsigned char>(value | 0x80));
    append_byte(static_cast<unsigned char>(value));
  }
  // Where the next number will lie.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  // The number at `at`, which is moved past it. Only where a number lies.
  [[nodiscard]] std::uint64_t take(std::uint64_t& at) const noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned byte = pieces_[at / piece_bytes][at % piece_bytes];
      ++at;
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }

 private:
  static constexpr std::size_t piece_bytes = std::size_t{1} << 16;
  void append_byte(unsigned char byte) {
    // Not make_unique(), which would write zeros first.
    if (end_ % piece_bytes == 0) pieces_.emplace_back(new unsigned char[piece_bytes]);
    pieces_[end_ / piece_bytes][end_ % piece_bytes] = byte;
    ++end_;
  }
  std::vector<std::unique_ptr<unsigned char[]>> pieces_;
  std::uint64_t end_ = 0;
};

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
