// Decimal text to exact integers: times in microseconds to picoseconds, numbers scaled by a power of ten.
// Header-only, standard library only, no allocation, no exception; no floating point anywhere.
#pragma once
#include <profkit/namespace.hpp>
#include <profkit/time.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// A time in microseconds: us + sub_ps / 1e6, sub_ps in [0, 1e6).
struct decimal_time {
  std::int64_t us = 0;
  std::int32_t sub_ps = 0;
};

namespace decimal_detail {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// A decimal number split at its point: sign, all digits in order, and how many stand before the point.
struct decimal_text {
  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;

  // Digits before the point once the exponent is applied; can be negative or exceed the digits there are.
  [[nodiscard]] std::int64_t point() const noexcept { return static_cast<std::int64_t>(whole.size()) + exponent; }
  [[nodiscard]] std::size_t digits() const noexcept { return whole.size() + fraction.size(); }
  [[nodiscard]] std::uint32_t digit(std::size_t i) const noexcept {
    return static_cast<std::uint32_t>((i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0');
  }
};

inline bool split(std::string_view text, decimal_text& into) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at != end && (*at == '-' || *at == '+')) into.negative = *at++ == '-';
  const char* start = at;
  while (at != end && is_digit(*at)) ++at;
  into.whole = std::string_view(start, static_cast<std::size_t>(at - start));
  into.fraction = {};
  if (at != end && *at == '.') {
    start = ++at;
    while (at != end && is_digit(*at)) ++at;
    into.fraction = std::string_view(start, static_cast<std::size_t>(at - start));
  }
  if (into.digits() == 0) return false;
  into.exponent = 0;
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    bool down = false;
    if (at != end && (*at == '-' || *at == '+')) down = *at++ == '-';
    if (at == end) return false;
    for (; at != end && is_digit(*at); ++at) {
      if (into.exponent < 1'000'000'000) into.exponent = into.exponent * 10 + (*at - '0');
    }
    if (down) into.exponent = -into.exponent;
  }
  return at == end;
}

// The magnitude times 10^scale, cut to an integer, and the digit after the cut; false when it is 1e19 or more.
struct scaled {
  std::uint64_t value = 0;
  std::uint32_t next_digit = 0;
};
inline bool scale_magnitude(const decimal_text& d, std::int64_t scale, scaled& into) noexcept {
  constexpr std::uint64_t bound = 999'999'999'999'999'999ULL;
  into = {};
  const std::int64_t kept = d.point() + scale;  // digits of the result
  if (kept < 0) return true;
  std::size_t i = 0;
  for (; i < d.digits() && static_cast<std::int64_t>(i) < kept; ++i) {
    if (into.value > bound) return false;
    into.value = into.value * 10 + d.digit(i);
  }
  if (i < d.digits()) {
    into.next_digit = d.digit(i);
    return true;
  }
  if (into.value == 0) return true;
  for (auto zeros = static_cast<std::int64_t>(i); zeros < kept; ++zeros) {
    if (into.value > bound) return false;
    into.value *= 10;
  }
  return true;
}

// Reads digits eight at a time where there are as many. The machine's byte order does not matter: the first
// digit ends up highest on a little-endian one, others take the slow way.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
inline constexpr bool eight_at_once = true;
#else
inline constexpr bool eight_at_once = false;
#endif

inline bool eight_digits(const char* at, const char* end, std::uint64_t& bytes) noexcept {
  if (!eight_at_once || end - at < 8) return false;
  std::memcpy(&bytes, at, 8);
  constexpr std::uint64_t high_halves = 0xf0f0f0f0f0f0f0f0ULL;
  return (bytes & high_halves) == 0x3030303030303030ULL &&
         ((bytes + 0x0606060606060606ULL) & high_halves) == 0x3030303030303030ULL;
}

inline std::uint32_t value_of_eight(std::uint64_t bytes) noexcept {
  bytes = (bytes & 0x0f0f0f0f0f0f0f0fULL) * 2561 >> 8;
  bytes = (bytes & 0x00ff00ff00ff00ffULL) * 6553601 >> 16;
  return static_cast<std::uint32_t>((bytes & 0x0000ffff0000ffffULL) * 42949672960001ULL >> 32);
}

// The usual form: up to eighteen digits, perhaps a fraction. False for any other, right or wrong.
inline bool parse_plain_microseconds(std::string_view text, decimal_time& into) noexcept {
  constexpr std::ptrdiff_t max_digits = 18;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto digit = [&at] { return static_cast<std::uint32_t>(static_cast<unsigned char>(*at)) - '0'; };
  std::uint64_t us = 0, eight = 0;
  const char* const whole = at;
  for (; eight_digits(at, end, eight); at += 8) {
    if (at - whole > max_digits - 8) return false;
    us = us * 100'000'000 + value_of_eight(eight);
  }
  for (; at != end && digit() < 10; ++at) us = us * 10 + digit();
  if (at == whole || at - whole > max_digits) return false;
  std::uint32_t sub_ps = 0;
  if (at != end) {
    if (*at++ != '.' || at == end) return false;
    if (eight_digits(at, end, eight)) {
      sub_ps = (value_of_eight(eight) / 10 + 5) / 10;  // the seventh digit rounds
      for (at += 8; eight_digits(at, end, eight); at += 8) {}
    } else {
      std::uint32_t unit = 1'000'000;
      for (; at != end && unit > 1 && digit() < 10; ++at) {
        unit /= 10;
        sub_ps += digit() * unit;
      }
      if (at != end && digit() < 10 && digit() >= 5) ++sub_ps;
    }
    while (at != end && digit() < 10) ++at;
    if (at != end) return false;
    if (sub_ps == 1'000'000) {
      sub_ps = 0;
      ++us;
    }
  }
  into = {static_cast<std::int64_t>(us), static_cast<std::int32_t>(sub_ps)};
  return true;
}

// The usual form: up to eighteen digits and nothing else.
inline bool parse_plain_integer(std::string_view text, std::int64_t& into) noexcept {
  constexpr std::size_t max_digits = 18;
  if (text.empty() || text.size() > max_digits) return false;
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint64_t value = 0, eight = 0;
  for (; eight_digits(at, end, eight); at += 8) value = value * 100'000'000 + value_of_eight(eight);
  for (; at != end; ++at) {
    if (!is_digit(*at)) return false;
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  into = static_cast<std::int64_t>(value);
  return true;
}

}  // namespace decimal_detail

/// A decimal number of units of 10^unit_exponent µs (0 µs, -3 ns, 3 ms) as a time: exact, digits past ps rounded
/// half away from zero. False when the text is not exactly such a number or exceeds 1e18 µs.
inline bool parse_microseconds_text(std::string_view text, decimal_time& into, int unit_exponent = 0) noexcept {
  if (unit_exponent == 0 && decimal_detail::parse_plain_microseconds(text, into)) return true;
  decimal_detail::decimal_text d;
  if (!decimal_detail::split(text, d)) return false;
  d.exponent += unit_exponent;
  decimal_detail::scaled whole;
  if (!decimal_detail::scale_magnitude(d, 0, whole) || whole.value > 1'000'000'000'000'000'000ULL) return false;
  // The six digits after the point, and the seventh to round by.
  std::uint32_t sub_ps = 0;
  const std::int64_t point = d.point();
  const auto digit_at = [&](std::int64_t i) {
    return i < 0 || i >= static_cast<std::int64_t>(d.digits()) ? 0U : d.digit(static_cast<std::size_t>(i));
  };
  for (std::int64_t i = point; i < point + 6; ++i) sub_ps = sub_ps * 10 + digit_at(i);
  if (digit_at(point + 6) >= 5) ++sub_ps;
  into.us = static_cast<std::int64_t>(whole.value);
  if (sub_ps == 1'000'000) {
    ++into.us;
    sub_ps = 0;
  }
  into.sub_ps = static_cast<std::int32_t>(sub_ps);
  if (d.negative) {
    into.us = -into.us;
    if (into.sub_ps > 0) {
      --into.us;
      into.sub_ps = 1'000'000 - into.sub_ps;
    }
  }
  return true;
}

/// In ps relative to `zero_us`, which is at most 1e18 in magnitude; nothing when that does not fit 64 bits.
[[nodiscard]] inline std::optional<std::int64_t> ps_since(const decimal_time& t, std::int64_t zero_us) noexcept {
  const std::int64_t us = t.us - zero_us;
  // The least number is one below the last multiple: from there, count up.
  const bool negative = us < 0 && t.sub_ps > 0;
  const auto whole = checked_mul(negative ? us + 1 : us, ps_per_us);
  return whole ? checked_add(*whole, negative ? t.sub_ps - ps_per_us : t.sub_ps) : std::nullopt;
}

/// A decimal number times 10^scale as an integer, rounded half away from zero; nothing when the text is not a number
/// or the result does not fit.
[[nodiscard]] inline std::optional<std::int64_t> decimal_scaled_integer(std::string_view text, int scale = 0) noexcept {
  std::int64_t plain = 0;
  if (scale == 0 && decimal_detail::parse_plain_integer(text, plain)) return plain;
  decimal_detail::decimal_text d;
  if (!decimal_detail::split(text, d)) return std::nullopt;
  decimal_detail::scaled s;
  if (!decimal_detail::scale_magnitude(d, scale, s)) return std::nullopt;
  if (s.next_digit >= 5) ++s.value;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (s.value > most + (d.negative ? 1 : 0)) return std::nullopt;
  return d.negative ? static_cast<std::int64_t>(std::uint64_t{0} - s.value) : static_cast<std::int64_t>(s.value);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
