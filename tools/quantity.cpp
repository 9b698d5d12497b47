#include "quantity.hpp"

#include <profkit/core/text.hpp>

#include <array>
#include <ctime>
#include <limits>

namespace profkit_tool {
namespace {

using profkit::fault;
using profkit::fault_code;
using profkit::result;

struct time_unit {
  std::string_view name;
  std::int64_t ps;
};
constexpr std::array<time_unit, 6> time_units{{{"ps", 1},
                                               {"ns", 1000},
                                               {"us", 1000 * 1000},
                                               {"µs", 1000 * 1000},
                                               {"ms", std::int64_t{1000} * 1000 * 1000},
                                               {"s", std::int64_t{1000} * 1000 * 1000 * 1000}}};

fault bad_time(std::string_view text, const char* why) {
  fault f;
  f.code = fault_code::invalid_argument;
  f.message = "'" + std::string(text) + "' is not a time: " + why;
  f.hint = "write a number and a unit, as in 250us, 1.5ms or 2s (units: ps ns us ms s)";
  return f;
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

result<std::int64_t> parse_time_ps(std::string_view text) {
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest.front() == '-';
  if (negative) rest.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < rest.size() && (is_digit(rest[digits]) || rest[digits] == '.')) ++digits;
  const std::string_view number = rest.substr(0, digits);
  const std::string_view unit_name = rest.substr(digits);
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? std::string_view{} : number.substr(point + 1);
  if (whole.empty() && fraction.empty()) return bad_time(text, "it has no digits");
  if (fraction.find('.') != std::string_view::npos) return bad_time(text, "it has two decimal points");

  std::int64_t unit_ps = 0;
  for (const time_unit& u : time_units)
    if (u.name == unit_name) unit_ps = u.ps;
  const bool zero = number.find_first_not_of("0.") == std::string_view::npos;
  if (unit_ps == 0 && unit_name.empty() && zero) return std::int64_t{0};
  if (unit_ps == 0) return bad_time(text, unit_name.empty() ? "the unit is missing" : "the unit is unknown");

  constexpr const char* too_large = "it is beyond the range of 64-bit picoseconds (±106 days)";
  std::int64_t value = 0;
  for (const char c : whole)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
      return bad_time(text, too_large);
  if (__builtin_mul_overflow(value, unit_ps, &value)) return bad_time(text, too_large);
  std::int64_t digit_ps = unit_ps;
  for (const char c : fraction) {
    if (c != '0' && digit_ps < 10) return bad_time(text, "it has a fraction of a picosecond");
    digit_ps /= 10;
    if (__builtin_add_overflow(value, (c - '0') * digit_ps, &value)) return bad_time(text, too_large);
  }
  return negative ? -value : value;
}

result<std::uint64_t> parse_bytes(std::string_view text) {
  struct byte_unit {
    std::string_view name;
    std::uint64_t bytes;
  };
  constexpr std::array<byte_unit, 16> units{{{"", 1},
                                             {"B", 1},
                                             {"kB", 1000},
                                             {"MB", 1000000},
                                             {"GB", 1000000000},
                                             {"TB", 1000000000000},
                                             {"KiB", std::uint64_t{1} << 10},
                                             {"MiB", std::uint64_t{1} << 20},
                                             {"GiB", std::uint64_t{1} << 30},
                                             {"TiB", std::uint64_t{1} << 40},
                                             {"PiB", std::uint64_t{1} << 50},
                                             {"K", std::uint64_t{1} << 10},
                                             {"M", std::uint64_t{1} << 20},
                                             {"G", std::uint64_t{1} << 30},
                                             {"T", std::uint64_t{1} << 40},
                                             {"P", std::uint64_t{1} << 50}}};
  const auto bad = [](const char* why) {
    fault f;
    f.code = fault_code::invalid_argument;
    f.message = why;
    f.hint = "write a number and a unit, as in 32GiB, 95GB or 1073741824 (units: B kB MB GB TB KiB MiB GiB TiB PiB; K M G T P are KiB to PiB)";
    return f;
  };
  std::size_t digits = 0;
  while (digits < text.size() && (is_digit(text[digits]) || text[digits] == '.')) ++digits;
  const std::string_view number = text.substr(0, digits);
  std::uint64_t unit = 0;
  for (const byte_unit& u : units)
    if (u.name == text.substr(digits)) unit = u.bytes;
  if (unit == 0) return bad("the unit is unknown");
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? std::string_view{} : number.substr(point + 1);
  if (whole.empty() || fraction.find('.') != std::string_view::npos) return bad("not a number");
  constexpr const char* too_large = "more than 64 bits hold";
  std::uint64_t value = 0;
  for (const char c : whole)
    if (__builtin_mul_overflow(value, 10u, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value))
      return bad(too_large);
  if (__builtin_mul_overflow(value, unit, &value)) return bad(too_large);
  std::uint64_t part = 0, scale = 1;  // fraction as part / scale
  for (const char c : fraction) {
    if (scale >= 1000000000) return bad("it has too many decimals");
    part = part * 10 + static_cast<std::uint64_t>(c - '0');
    scale *= 10;
  }
  std::uint64_t scaled = 0;
  if (__builtin_mul_overflow(part, unit, &scaled)) return bad("it has too many decimals");
  if (scaled % scale != 0) return bad("it has a fraction of a byte");
  if (__builtin_add_overflow(value, scaled / scale, &value)) return bad(too_large);
  return value;
}

result<time_window> parse_time_window(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    fault f = bad_time(text, "a window needs a colon");
    f.message = "'" + std::string(text) + "' is not a time window: FROM:TO needs a colon";
    f.hint = "write for example 10ms:20ms, 10ms: or :20ms (relative to the start of the capture)";
    return f;
  }
  time_window w;
  for (const bool first : {true, false}) {
    const std::string_view side = first ? text.substr(0, colon) : text.substr(colon + 1);
    if (side.empty()) continue;
    result<std::int64_t> ps = parse_time_ps(side);
    if (!ps) return std::move(ps).error();
    (first ? w.from_ps : w.to_ps) = *ps;
  }
  if (w.from_ps && w.to_ps && *w.to_ps <= *w.from_ps) {
    fault f;
    f.code = fault_code::invalid_argument;
    f.message = "the time window '" + std::string(text) + "' is empty: it ends before it starts";
    f.hint = "write FROM:TO with FROM before TO";
    return f;
  }
  return w;
}

std::string time_window_text(std::int64_t first_ps, std::int64_t last_ps) {
  // Beyond that rounding may leave int64.
  constexpr std::int64_t reach = std::numeric_limits<std::int64_t>::max() / 4;
  if (first_ps < -reach || last_ps > reach || last_ps < first_ps) return {};
  std::int64_t rounding = 1;
  while (rounding <= (last_ps - first_ps) / 10'000) rounding *= 10;
  const time_unit* unit = &time_units.front();
  for (const time_unit& u : time_units)
    if (u.ps <= last_ps - first_ps && u.ps > unit->ps) unit = &u;
  const std::int64_t below = first_ps % rounding;
  const std::int64_t from_ps = first_ps - below - (below < 0 ? rounding : 0);
  const std::int64_t to_ps = last_ps - last_ps % rounding + rounding;
  const auto text = [&](std::int64_t ps) {
    const std::int64_t size = ps < 0 ? -ps : ps;
    std::string digits = std::to_string(size / unit->ps);
    if (rounding < unit->ps) {
      std::string fraction = std::to_string(unit->ps + size % unit->ps).substr(1);
      fraction.resize(fraction.size() - (std::to_string(rounding).size() - 1));
      digits += '.' + fraction;
    }
    return (ps < 0 ? "-" : "") + digits + std::string(unit->name);
  };
  return text(from_ps) + ':' + text(to_ps);
}

std::string count_of(std::uint64_t n, std::string_view singular, std::string_view plural) {
  std::string text = profkit::grouped(n) + ' ';
  if (n == 1) return text.append(singular);
  if (!plural.empty()) return text.append(plural);
  return text.append(singular) + 's';
}

std::string date_text(std::int64_t unix_ns) {
  std::int64_t seconds = unix_ns / 1'000'000'000;
  if (unix_ns % 1'000'000'000 < 0) --seconds;
  const auto when = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[64];
  if (gmtime_r(&when, &parts) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
    return std::to_string(unix_ns) + " ns since 1970";
  return text;
}

std::string extreme_text(std::int64_t extreme_ps, std::int64_t longest_ps, std::int64_t total_ps) {
  return longest_ps == 0 && total_ps > 0 ? std::string() : profkit::human_duration(extreme_ps);
}

}  // namespace profkit_tool
