// Quantities as people write them, beside how they are printed (profkit/core/text.hpp).
#pragma once
#include <profkit/core/result.hpp>
#include <profkit/core/text.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profkit_tool {

// "1.5ms" -> 1 500 000 000 ps. Units ps, ns, us, µs, ms, s; a fraction must come out as whole picoseconds.
profkit::result<std::int64_t> parse_time_ps(std::string_view text);

// "32GiB" -> 34 359 738 368. Units B, KiB, MiB, GiB, TiB and kB, MB, GB, TB; a fraction must come out whole.
profkit::result<std::uint64_t> parse_bytes(std::string_view text);

// "FROM:TO", either side may be left out.
struct time_window {
  std::optional<std::int64_t> from_ps, to_ps;
};
profkit::result<time_window> parse_time_window(std::string_view text);
// A window that holds both instants, to type after --time: "0.148s:1.322s". Rounded outwards to about a thousandth of its
// length; "" for times that are out of reach.
std::string time_window_text(std::int64_t first_ps, std::int64_t last_ps);

// "1,504 events", "1 event"; `plural` where it is not made with an s.
std::string count_of(std::uint64_t n, std::string_view singular, std::string_view plural = {});
using profkit::share_text;
// The least or the longest of some executions; nothing where only their total was recorded.
std::string extreme_text(std::int64_t extreme_ps, std::int64_t longest_ps, std::int64_t total_ps);
// "2025-03-11 19:41:39 UTC"
std::string date_text(std::int64_t unix_ns);

}  // namespace profkit_tool
