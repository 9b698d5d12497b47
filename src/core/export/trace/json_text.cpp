#include "json_text.hpp"

#include "base/format.hpp"
#include "base/utf8.hpp"

#include <profkit/time.hpp>

#include <charconv>
#include <cmath>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

__extension__ typedef unsigned __int128 wide;

constexpr unsigned significant = 17;

constexpr wide power_of_ten(unsigned exponent) noexcept {
  wide p = 1;
  for (unsigned i = 0; i < exponent; ++i) p *= 10;
  return p;
}

struct powers_table {
  wide of[21] = {};
  constexpr powers_table() {
    for (unsigned i = 0; i < 21; ++i) of[i] = power_of_ten(i);
  }
};
constexpr powers_table powers;

// ".", `zeros` zeros and n with leading zeros to `width` digits, without the zeros at the end; nothing when n is 0.
void append_fraction(std::string& out, std::uint64_t n, unsigned width, unsigned zeros = 0) {
  if (n == 0) return;
  char digits[24];
  for (unsigned i = width; i > 0; --i) {
    digits[i - 1] = static_cast<char>('0' + n % 10);
    n /= 10;
  }
  while (digits[width - 1] == '0') --width;
  out += '.';
  out.append(zeros, '0');
  out.append(digits, width);
}

// m * 10^decimals / 2^shift, rounded half to even; 0 < shift.
wide rounded(std::uint64_t m, unsigned decimals, unsigned shift) noexcept {
  const wide scaled = wide{m} * powers.of[decimals];
  wide digits = scaled >> shift;
  const wide rest = scaled - (digits << shift), half = wide{1} << (shift - 1);
  if (rest > half || (rest == half && (digits & 1) != 0)) ++digits;
  return digits;
}

void append_g17_slowly(std::string& out, double value) {
  char text[40];
  out.append(text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, significant).ptr);
}

}  // namespace

void append_g17(std::string& out, double value) {
  if (!(value >= 1e-4 && value < 9007199254740992.0)) return append_g17_slowly(out, value);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  // value = mantissa / 2^shift, exactly
  const std::uint64_t mantissa = (bits & 0xfffffffffffffULL) | (std::uint64_t{1} << 52);
  const auto shift = static_cast<unsigned>(1075 - static_cast<int>(bits >> 52));  // 0 to 66
  if (value < 1) {
    const unsigned zeros = value >= 0.1 ? 0 : value >= 0.01 ? 1 : value >= 0.001 ? 2 : 3;  // after the point
    const wide digits = rounded(mantissa, significant + zeros, shift);
    if (digits >= powers.of[significant]) return append_g17_slowly(out, value);  // rounded up to the next digit
    out += '0';
    append_fraction(out, static_cast<std::uint64_t>(digits), significant, zeros);
    return;
  }
  // The digits before the point decide how many follow it.
  const std::uint64_t whole = mantissa >> shift;
  unsigned before = 1;
  for (std::uint64_t w = whole; w >= 10; w /= 10) ++before;
  const unsigned decimals = significant - before;
  const std::uint64_t fraction = mantissa - (whole << shift);
  const wide digits = fraction == 0 ? 0 : rounded(fraction, decimals, shift);
  if (digits == powers.of[decimals]) return append_integer(out, whole + 1);
  append_integer(out, whole);
  append_fraction(out, static_cast<std::uint64_t>(digits), decimals);
}

void append_g6(std::string& out, double value) {
  char text[40];
  out.append(text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr);
}

void append_xla_microseconds(std::string& out, std::uint64_t ps) { append_g17(out, static_cast<double>(ps) / 1e6); }

void append_xla_string(std::string& out, std::string_view text) {
  text = text.substr(0, text.find('\0'));
  const auto append_unit = [&out](std::uint32_t unit) {
    constexpr char hex[] = "0123456789abcdef";
    const char escape[6] = {'\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15], hex[unit & 15]};
    out.append(escape, sizeof escape);
  };
  out += '"';
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') {
      ++at;
      continue;
    }
    out.append(text, plain, at - plain);
    const utf8_step step = decode_utf8(text, at);
    const char* const shorts = "\"\"\\\\\bb\ff\nn\rr\tt";
    const char* found = nullptr;
    for (const char* s = shorts; *s != 0; s += 2)
      if (static_cast<unsigned char>(*s) == byte) found = s;
    if (found != nullptr) {
      out += '\\';
      out += found[1];
    } else if (!step.valid) {
      append_unit(0xfffd);
    } else if (step.code_point < 0x10000) {
      append_unit(step.code_point);
    } else {
      append_unit(0xd800 + ((step.code_point - 0x10000) >> 10));
      append_unit(0xdc00 + ((step.code_point - 0x10000) & 0x3ff));
    }
    at += step.bytes;
    plain = at;
  }
  out.append(text, plain, text.size() - plain);
  out += '"';
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
