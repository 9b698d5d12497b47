// FIPS 180-4, section 6.1.
#include <neutrino/trace/neutrino_sha1.hpp>

#include <array>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint32_t rotated(std::uint32_t word, unsigned by) noexcept { return word << by | word >> (32 - by); }

void digest_block(std::array<std::uint32_t, 5>& hash, const unsigned char* block) noexcept {
  std::array<std::uint32_t, 80> w{};
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | block[4 * i + 3];
  for (std::size_t i = 16; i < 80; ++i) w[i] = rotated(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  std::uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4];
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t f = b ^ c ^ d, k = 0xca62c1d6;
    if (i < 20) {
      f = (b & c) | (~b & d);
      k = 0x5a827999;
    } else if (i < 40) {
      k = 0x6ed9eba1;
    } else if (i < 60) {
      f = (b & c) | (b & d) | (c & d);
      k = 0x8f1bbcdc;
    }
    const std::uint32_t next = rotated(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = rotated(b, 30);
    b = a;
    a = next;
  }
  hash[0] += a;
  hash[1] += b;
  hash[2] += c;
  hash[3] += d;
  hash[4] += e;
}

}  // namespace

std::string sha1_hex(std::string_view bytes) {
  std::string padded(bytes);
  padded += '\x80';
  padded.append((120 - padded.size() % 64) % 64, '\0');
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (unsigned shift = 64; shift != 0; shift -= 8) padded += static_cast<char>(bits >> (shift - 8));
  std::array<std::uint32_t, 5> hash{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const auto* data = reinterpret_cast<const unsigned char*>(padded.data());
  for (std::size_t at = 0; at < padded.size(); at += 64) digest_block(hash, data + at);
  std::string text;
  for (const std::uint32_t word : hash)
    for (unsigned shift = 32; shift != 0; shift -= 4) text += "0123456789abcdef"[word >> (shift - 4) & 15];
  return text;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
