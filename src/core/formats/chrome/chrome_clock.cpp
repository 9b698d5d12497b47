// The time zero of a trace file, from its head and tail.
#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>
#include <base/unix_time.hpp>
#include <formats/chrome/chrome_text.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t tail_bytes = std::size_t{64} << 10;

// Stops at the first event with a usable time.
class head_visitor final : public chrome_visitor {
 public:
  bool event(const chrome_event& e) override { return !e.ts_ps; }
  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    if (key == base_time_key) base_ns = json_scaled_integer(json);
    return true;
  }
  std::optional<std::int64_t> base_ns;
};

// The value after the events. What follows the key has to close the outer object and then the file:
// otherwise it is a key inside something else.
std::optional<std::int64_t> base_in_tail(std::string_view bytes) {
  const std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), tail_bytes));
  const std::string quoted = '"' + std::string(base_time_key) + '"';
  const std::size_t at = tail.rfind(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string rest = "{" + std::string(tail.substr(at));
  const json_value_end whole = end_of_value(rest.data(), rest.data() + rest.size(), limits{}.max_nesting);
  const char* const end = rest.data() + rest.size();
  if (whole.why != json_end::found || skip_json_space(whole.end, end) != end) return std::nullopt;
  return json_scaled_integer(json_member(rest, base_time_key));
}

// The least time of the events in the tail, at most an hour before `zero_us`: a zero is not a time.
std::int64_t min_us_in_tail(std::string_view bytes, std::int64_t zero_us, bool nanoseconds) {
  constexpr std::string_view key = "\"ts\"";
  constexpr std::int64_t hour_us = 3'600'000'000;
  const std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), tail_bytes));
  std::int64_t min_us = zero_us;
  for (std::size_t at = tail.find(key); at != std::string_view::npos; at = tail.find(key, at + key.size())) {
    const std::size_t from = tail.find_first_not_of(" :\t\r\n", at + key.size());
    const std::size_t to = tail.find_first_of(",}] \r\n", from);
    if (from == std::string_view::npos || to == std::string_view::npos) break;
    decimal_time t;
    if (!parse_microseconds(tail.substr(from, to - from), t, nanoseconds ? -3 : 0)) continue;
    if (t.us < min_us && t.us >= zero_us - hour_us) min_us = t.us;
  }
  return min_us;
}

std::optional<std::int64_t> start_of(std::string_view bytes, const chrome_clock& clock, bool nanoseconds) {
  if (!clock.origin_unix_ns || clock.zero_us == 0) return clock.origin_unix_ns;
  constexpr std::int64_t us_per_second = 1'000'000;
  const std::int64_t before_us = clock.zero_us - min_us_in_tail(bytes, clock.zero_us, nanoseconds);
  const std::int64_t seconds = before_us / us_per_second + (before_us % us_per_second != 0 ? 1 : 0);
  return checked_sub(*clock.origin_unix_ns, seconds * us_per_second * ns_per_us);
}

}  // namespace

chrome_clock read_chrome_clock(std::string_view bytes, const chrome_options& options) {
  head_visitor head;
  chrome_options quiet = options;
  quiet.host.progress = nullptr;
  const result<chrome_summary> read = read_chrome(bytes, head, quiet);
  chrome_clock clock;
  if (!read) return clock;
  clock.zero_us = read->zero_us;
  const auto zero_ns = checked_mul(clock.zero_us, ns_per_us);
  if (!zero_ns) return clock;
  if (clock.zero_us >= min_unix_us) {
    clock.origin_unix_ns = zero_ns;
    clock.start_unix_ns = start_of(bytes, clock, read->nanoseconds);
    return clock;
  }
  auto base_ns = head.base_ns;
  if (!base_ns && !read->bare_array) base_ns = base_in_tail(bytes);
  if (base_ns && *base_ns > 0) clock.origin_unix_ns = checked_add(*base_ns, *zero_ns);
  clock.start_unix_ns = start_of(bytes, clock, read->nanoseconds);
  return clock;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
