// The time zero of a trace file, from its head and tail.
#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>
#include <base/unix_time.hpp>
#include <formats/chrome/chrome_text.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view base_key = "baseTimeNanoseconds";
constexpr std::size_t tail_bytes = std::size_t{64} << 10;

// Stops at the first event with a usable time.
class head_visitor final : public chrome_visitor {
 public:
  bool event(const chrome_event& e) override { return !e.ts_ps; }
  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    if (key == base_key) base_ns = json_scaled_integer(json);
    return true;
  }
  std::optional<std::int64_t> base_ns;
};

// The value after the events. What follows the key has to close the outer object and then the file:
// otherwise it is a key inside something else.
std::optional<std::int64_t> base_in_tail(std::string_view bytes) {
  const std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), tail_bytes));
  const std::string quoted = '"' + std::string(base_key) + '"';
  const std::size_t at = tail.rfind(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string rest = "{" + std::string(tail.substr(at));
  const json_value_end whole = end_of_value(rest.data(), rest.data() + rest.size(), limits{}.max_nesting);
  const char* const end = rest.data() + rest.size();
  if (whole.why != json_end::found || skip_json_space(whole.end, end) != end) return std::nullopt;
  return json_scaled_integer(json_member(rest, base_key));
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
  if (clock.zero_us >= least_unix_us) {
    clock.origin_unix_ns = zero_ns;
    return clock;
  }
  auto base_ns = head.base_ns;
  if (!base_ns && !read->bare_array) base_ns = base_in_tail(bytes);
  if (base_ns && *base_ns > 0) clock.origin_unix_ns = checked_add(*base_ns, *zero_ns);
  return clock;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
