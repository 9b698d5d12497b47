#include <base/format.hpp>

#include <profkit/time.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

template <class Integer>
void append_decimal(std::string& out, Integer n) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  out.append(digits, end);
}

// The number with leading zeros to `width` digits (at most 20).
void append_padded(std::string& out, std::uint64_t n, std::size_t width) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  const auto length = static_cast<std::size_t>(end - digits);
  if (length < width) out.append(width - length, '0');
  out.append(digits, end);
}

// Exponent and digits are constants, so that dividing by them is multiplying.
template <unsigned unit_exponent, unsigned digits>
void append_fixed(std::string& out, std::int64_t ps) {
  const time_parts parts = split_ps(ps, unit_exponent, digits);
  if (parts.negative) out += '-';
  append_decimal(out, parts.whole);
  char decimals[digits + 1] = {'.'};
  std::uint64_t rest = parts.fraction;
  for (unsigned i = digits; i > 0; --i) {
    decimals[i] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  out.append(decimals, sizeof decimals);
}

// n / step, rounded half up, without overflow.
constexpr std::uint64_t rounded_quotient(std::uint64_t n, std::uint64_t step) noexcept {
  const std::uint64_t rest = n % step;
  return n / step + (rest >= step - rest ? 1 : 0);
}

}  // namespace

std::string counted(std::uint64_t n, const char* singular, const char* plural) {
  return grouped(n) + ' ' + (n == 1 ? singular : plural);
}

void append_integer(std::string& out, std::int64_t n) { append_decimal(out, n); }
void append_integer(std::string& out, std::uint64_t n) { append_decimal(out, n); }
void append_shortest(std::string& out, double n) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
}

void append_microseconds(std::string& out, std::int64_t ps) { append_fixed<6, 3>(out, ps); }
void append_milliseconds(std::string& out, std::int64_t ps) { append_fixed<9, 6>(out, ps); }

std::string microseconds_text(std::int64_t ps) {
  std::string out;
  append_microseconds(out, ps);
  return out;
}

std::string milliseconds_text(std::int64_t ps) {
  std::string out;
  append_milliseconds(out, ps);
  return out;
}

std::string human_duration_unsigned(std::uint64_t ps) {
  std::string out;
  if (ps < 1000) {
    append_decimal(out, ps);
    return out += " ps";
  }
  struct unit {
    const char* name;
    std::uint64_t step_ps;  // a thousandth of the unit
  };
  static constexpr unit units[] = {{" ns", 1}, {" us", 1'000}, {" ms", 1'000'000}, {" s", 1'000'000'000}};
  for (const unit& u : units) {
    const std::uint64_t thousandths = rounded_quotient(ps, u.step_ps);
    const bool seconds = u.step_ps == units[3].step_ps;
    if (thousandths >= (seconds ? 60'000 : 1'000'000)) continue;
    append_decimal(out, thousandths / 1000);
    out += '.';
    append_padded(out, thousandths % 1000, 3);
    return out += u.name;
  }
  const std::uint64_t ms = rounded_quotient(ps, 1'000'000'000);
  if (ms < 3'600'000) {
    append_decimal(out, ms / 60'000);
    out += " min ";
    append_padded(out, ms / 1000 % 60, 2);
    out += '.';
    append_padded(out, ms % 1000, 3);
    return out += " s";
  }
  const std::uint64_t minutes = rounded_quotient(ms, 60'000);
  out += grouped(minutes / 60);
  out += " h ";
  append_padded(out, minutes % 60, 2);
  return out += " min";
}

std::string human_duration(std::int64_t ps) {
  const std::string size = human_duration_unsigned(magnitude(ps));
  return ps < 0 ? "-" + size : size;
}

std::string human_bytes(std::uint64_t bytes) {
  std::string out;
  if (bytes < 1024) {
    append_decimal(out, bytes);
    return out += " B";
  }
  static constexpr const char* names[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  for (unsigned i = 0;; ++i) {
    // Tenths of the unit, rounded half up; bytes above the unit are split off so that nothing overflows.
    const unsigned shift = 10 * (i + 1);
    const std::uint64_t whole = bytes >> shift;
    const std::uint64_t rest = bytes & ((std::uint64_t{1} << shift) - 1);
    // rest * 10 may need 64 bits or more for the largest unit: drop low bits that cannot show.
    const unsigned drop = shift > 50 ? shift - 50 : 0;
    const std::uint64_t unit = std::uint64_t{1} << (shift - drop);
    const std::uint64_t tenths = whole * 10 + ((rest >> drop) * 10 + unit / 2) / unit;
    if (tenths >= 10240 && i + 1 < sizeof names / sizeof *names) continue;
    append_decimal(out, tenths / 10);
    out += '.';
    append_decimal(out, tenths % 10);
    return out += names[i];
  }
}

std::string grouped(std::uint64_t n) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  std::string out;
  for (const char* at = digits; at != end; ++at) {
    if (at != digits && (end - at) % 3 == 0) out += ',';
    out += *at;
  }
  return out;
}

std::string grouped(std::int64_t n) { return n < 0 ? "-" + grouped(magnitude(n)) : grouped(magnitude(n)); }

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  // part * 1000 / whole in two halves, so that it stays within 64 bits for every realistic part.
  while (part > ~std::uint64_t{0} / 2000 || whole > ~std::uint64_t{0} / 2) {
    part /= 2;
    whole = whole / 2 == 0 ? 1 : whole / 2;
  }
  const std::uint64_t tenths = rounded_quotient(part * 1000, whole);
  std::string out;
  append_decimal(out, tenths / 10);
  out += '.';
  append_decimal(out, tenths % 10);
  return out += " %";
}

std::string share_text(std::int64_t part, std::int64_t whole) {
  if (whole <= 0 || part < 0) return {};
  std::string text = percent_text(static_cast<std::uint64_t>(part), static_cast<std::uint64_t>(whole));
  return part > 0 && text == "0.0 %" ? "<0.1 %" : text;
}

std::string si_text(double value) {
  if (!std::isfinite(value)) return "-";
  static constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  double size = std::fabs(value);
  // 999.5 would print as 1000: it belongs to the next prefix.
  while (size >= 999.5 && prefix + 1 < sizeof prefixes / sizeof *prefixes) {
    size /= 1000;
    ++prefix;
  }
  const int decimals = size >= 99.95 || (prefix == 0 && size == std::floor(size)) ? 0 : size >= 9.995 ? 1 : 2;
  char text[64];
  const auto written = std::to_chars(text, text + sizeof text, size, std::chars_format::fixed, decimals);
  std::string out = value < 0 ? "-" : "";
  if (written.ec != std::errc()) return "-";
  out.append(text, written.ptr);
  out += ' ';
  return out += prefixes[prefix];
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
