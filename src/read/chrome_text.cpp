#include <read/chrome_text.hpp>

#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>
#include <read/chrome_scan.hpp>

#include <cstring>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr std::int32_t hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The four hex digits at text[at], -1 when they are not there.
std::int32_t hex4(std::string_view text, std::size_t at) noexcept {
  if (text.size() < at + 4) return -1;
  std::int32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int32_t digit = hex_value(text[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// A surrogate without its partner is written the same way, so that nothing is lost.
void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    put(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  } else {
    put(0xf0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3f));
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  }
}

// The escape at text[at] == '\\'; gives how many bytes it takes, 0 when JSON has no such escape.
std::size_t append_escape(std::string& out, std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return 0;
  switch (text[at + 1]) {
    case '"': out += '"'; return 2;
    case '\\': out += '\\'; return 2;
    case '/': out += '/'; return 2;
    case 'b': out += '\b'; return 2;
    case 'f': out += '\f'; return 2;
    case 'n': out += '\n'; return 2;
    case 'r': out += '\r'; return 2;
    case 't': out += '\t'; return 2;
    case 'u': break;
    default: return 0;
  }
  const std::int32_t first = hex4(text, at + 2);
  if (first < 0) return 0;
  if (first >= 0xd800 && first < 0xdc00 && text.substr(at + 6, 2) == "\\u") {
    const std::int32_t second = hex4(text, at + 8);
    if (second >= 0xdc00 && second < 0xe000) {
      append_utf8(out, 0x10000U + (static_cast<std::uint32_t>(first - 0xd800) << 10) +
                           static_cast<std::uint32_t>(second - 0xdc00));
      return 12;
    }
  }
  append_utf8(out, static_cast<std::uint32_t>(first));
  return 6;
}

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

// Number text, or a string around it (Ascend writes times so, at times with blanks after them).
bool split_decimal(std::string_view raw, decimal_text& into) noexcept {
  std::string_view text = trim_json_space(raw);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
    while (text.size() >= 2 && text.substr(text.size() - 2) == "\\t") text.remove_suffix(2);
    text = trim_json_space(text);
  }
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
bool scale_magnitude(const decimal_text& d, std::int64_t scale, scaled& into) noexcept {
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
constexpr bool eight_at_once = true;
#else
constexpr bool eight_at_once = false;
#endif

bool eight_digits(const char* at, const char* end, std::uint64_t& bytes) noexcept {
  if (!eight_at_once || end - at < 8) return false;
  std::memcpy(&bytes, at, 8);
  constexpr std::uint64_t high_halves = 0xf0f0f0f0f0f0f0f0ULL;
  return (bytes & high_halves) == 0x3030303030303030ULL &&
         ((bytes + 0x0606060606060606ULL) & high_halves) == 0x3030303030303030ULL;
}

std::uint32_t value_of_eight(std::uint64_t bytes) noexcept {
  bytes = (bytes & 0x0f0f0f0f0f0f0f0fULL) * 2561 >> 8;
  bytes = (bytes & 0x00ff00ff00ff00ffULL) * 6553601 >> 16;
  return static_cast<std::uint32_t>((bytes & 0x0000ffff0000ffffULL) * 42949672960001ULL >> 32);
}

// The usual form: up to eighteen digits, perhaps a fraction. False for any other, right or wrong.
bool parse_plain_microseconds(std::string_view text, decimal_time& into) noexcept {
  constexpr std::ptrdiff_t most_digits = 18;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto digit = [&at] { return static_cast<std::uint32_t>(static_cast<unsigned char>(*at)) - '0'; };
  std::uint64_t us = 0, eight = 0;
  const char* const whole = at;
  for (; eight_digits(at, end, eight); at += 8) {
    if (at - whole > most_digits - 8) return false;
    us = us * 100'000'000 + value_of_eight(eight);
  }
  for (; at != end && digit() < 10; ++at) us = us * 10 + digit();
  if (at == whole || at - whole > most_digits) return false;
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

}  // namespace

json_value_end end_of_string(const char* at, const char* end) noexcept {
  const char* const start = at++;
  for (;;) {
    const auto* quote =
        at == end ? nullptr : static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (quote == nullptr) return {end, json_end::more};
    const char* run = quote;
    while (run - 1 != start && run[-1] == '\\') --run;
    at = quote + 1;
    if ((quote - run) % 2 == 0) return {at, json_end::found};
  }
}

json_value_end end_of_value(const char* at, const char* end, std::uint32_t max_nesting) noexcept {
  if (at == end) return {at, json_end::more};
  if (*at == '"') return end_of_string(at, end);
  if (*at == '{' || *at == '[') {
    const scan_result r = scan_elements(at, end, 1, max_nesting);
    switch (r.why) {
      case scan_stop::enough: return {r.good_end, json_end::found};
      case scan_stop::more: return {end, json_end::more};
      case scan_stop::too_nested: return {r.at, json_end::too_nested};
      case scan_stop::array_end:
      case scan_stop::broken: break;
    }
    return {r.at, json_end::broken};
  }
  const char* const start = at;
  const auto ends_scalar = [](char c) {
    return is_json_space(c) || c == ',' || c == '}' || c == ']' || c == '{' || c == '[' || c == ':' || c == '"';
  };
  while (at != end && !ends_scalar(*at)) ++at;
  if (at == start) return {at, json_end::broken};
  return {at, at == end ? json_end::more : json_end::found};
}

bool parse_duration(std::string_view raw_value, std::int64_t& ps) noexcept {
  decimal_time t;
  return parse_microseconds(raw_value, t) && ps_since(t, 0, ps);
}

bool parse_microseconds(std::string_view raw_value, decimal_time& into) noexcept {
  const bool quoted = raw_value.size() >= 2 && raw_value.front() == '"' && raw_value.back() == '"';
  if (parse_plain_microseconds(quoted ? raw_value.substr(1, raw_value.size() - 2) : raw_value, into)) return true;
  decimal_text d;
  if (!split_decimal(raw_value, d)) return false;
  scaled whole;
  if (!scale_magnitude(d, 0, whole) || whole.value > 1'000'000'000'000'000'000ULL) return false;
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

bool ps_since(const decimal_time& t, std::int64_t zero_us, std::int64_t& ps) noexcept {
  const std::int64_t us = t.us - zero_us;  // both are at most 1e18 in magnitude
  // The least number is one below the last multiple: from there, count up.
  const bool negative = us < 0 && t.sub_ps > 0;
  const auto whole = checked_mul(negative ? us + 1 : us, ps_per_us);
  const auto sum = whole ? checked_add(*whole, negative ? t.sub_ps - ps_per_us : t.sub_ps) : std::nullopt;
  if (sum) ps = *sum;
  return sum.has_value();
}

std::optional<std::int64_t> json_scaled_integer(std::string_view raw_value, int scale) {
  decimal_text d;
  if (!split_decimal(raw_value, d)) return std::nullopt;
  scaled s;
  if (!scale_magnitude(d, scale, s)) return std::nullopt;
  if (s.next_digit >= 5) ++s.value;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (s.value > most + (d.negative ? 1 : 0)) return std::nullopt;
  return d.negative ? static_cast<std::int64_t>(std::uint64_t{0} - s.value) : static_cast<std::int64_t>(s.value);
}

std::string_view json_text(std::string_view raw_value, std::string& scratch, bool* sound) {
  if (raw_value.empty() || raw_value.front() != '"') return raw_value;
  const std::string_view inner = raw_value.substr(1, raw_value.size() < 2 ? 0 : raw_value.size() - 2);
  std::size_t at = inner.find('\\');
  if (at == std::string_view::npos) return inner;
  scratch.assign(inner.substr(0, at));
  while (at < inner.size()) {
    if (inner[at] != '\\') {
      const std::size_t next = inner.find('\\', at);
      const std::size_t stop = next == std::string_view::npos ? inner.size() : next;
      scratch.append(inner, at, stop - at);
      at = stop;
      continue;
    }
    std::size_t taken = append_escape(scratch, inner, at);
    if (taken == 0) {
      taken = at + 1 < inner.size() ? 2 : 1;
      scratch.append(inner, at, taken);
      if (sound != nullptr) *sound = false;
    }
    at += taken;
  }
  return scratch;
}

json_members::json_members(std::string_view object, std::uint32_t max_nesting) noexcept
    : at_(object.data()), end_(object.data() + object.size()), max_nesting_(max_nesting) {
  at_ = skip_json_space(at_, end_);
  if (at_ == end_ || *at_ != '{') {
    ok_ = at_ == end_ && object.empty();
    at_ = end_;
    return;
  }
  if (++at_ == end_) ok_ = false;
}

bool json_members::next() noexcept {
  if (at_ == end_) return false;
  const auto stop = [this](bool sound) {
    at_ = end_;
    ok_ = ok_ && sound;
    return false;
  };
  at_ = skip_json_space(at_, end_);
  if (at_ == end_) return stop(false);
  if (*at_ == '}') return stop(true);
  if (!first_) {
    if (*at_ != ',') return stop(false);
    at_ = skip_json_space(at_ + 1, end_);
    if (at_ != end_ && *at_ == '}') {
      trailing_comma_ = true;
      return stop(true);
    }
  }
  first_ = false;
  if (at_ == end_ || *at_ != '"') return stop(false);
  const json_value_end key = end_of_string(at_, end_);
  if (key.why != json_end::found) return stop(false);
  key_ = std::string_view(at_ + 1, static_cast<std::size_t>(key.end - at_) - 2);
  at_ = skip_json_space(key.end, end_);
  if (at_ == end_ || *at_ != ':') return stop(false);
  at_ = skip_json_space(at_ + 1, end_);
  const json_value_end value = end_of_value(at_, end_, max_nesting_);
  if (value.why != json_end::found) return stop(false);
  value_ = std::string_view(at_, static_cast<std::size_t>(value.end - at_));
  at_ = value.end;
  return true;
}

std::string_view json_member(std::string_view object, std::string_view key) {
  std::string_view found;
  std::string scratch, quoted;
  for (json_members m(object); m.next();) {
    std::string_view name = m.key();
    if (name.find('\\') != std::string_view::npos) {
      quoted.assign(1, '"').append(name).append(1, '"');
      name = json_text(quoted, scratch);
    }
    if (name == key) found = m.value();
  }
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
