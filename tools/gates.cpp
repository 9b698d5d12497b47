#include "gates.hpp"
#include "command_line/words.hpp"

#include <profkit/core/bubbles.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace profkit_tool {
namespace {

using namespace profkit;

fault bad_gate(std::string_view text, std::string why) {
  return wrong_value("--fail-on", std::string(text), std::move(why),
                     "write incomplete, idle>10%, exposed>5% or cause:data_loader>2%, with commas between several");
}

// "2.5%" -> 25 000.
std::optional<std::int64_t> parse_percent_ppm(std::string_view text) {
  if (text.empty() || text.back() != '%') return std::nullopt;
  text.remove_suffix(1);
  std::int64_t ppm = 0;
  std::size_t digits = 0;
  std::optional<std::int64_t> digit_ppm;  // after the point
  for (const char c : text) {
    if (c == '.' && !digit_ppm) {
      digit_ppm = 10'000;
      continue;
    }
    if (c < '0' || c > '9' || ++digits > 7) return std::nullopt;
    if (!digit_ppm) {
      ppm = ppm * 10 + (c - '0') * std::int64_t{10'000};
      continue;
    }
    digit_ppm = *digit_ppm / 10;
    if (*digit_ppm == 0) return std::nullopt;
    ppm += (c - '0') * *digit_ppm;
  }
  if (digits == 0 || ppm > 1'000'000) return std::nullopt;
  return ppm;
}

std::vector<std::string> names_of_causes() {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < idle_cause_count; ++i) all.emplace_back(idle_cause_name(static_cast<idle_cause>(i)));
  return all;
}

result<time_gate> parse_time_gate(std::string_view text) {
  time_gate gate;
  gate.typed = text;
  const std::size_t over = text.find('>');
  if (over == std::string_view::npos) return bad_gate(text, "there is no such condition");
  const auto limit = parse_percent_ppm(text.substr(over + 1));
  if (!limit) return bad_gate(text, "after '>' has to stand a percentage from 0% to 100%, with at most four decimals");
  gate.limit_ppm = *limit;
  const std::string_view what = text.substr(0, over);
  constexpr std::string_view of_cause = "cause:";
  if (what.substr(0, of_cause.size()) == of_cause) {
    const std::vector<std::string> names = names_of_causes();
    const auto named = std::find(names.begin(), names.end(), what.substr(of_cause.size()));
    if (named == names.end()) return bad_gate(text, "there is no such cause; the causes are " + word_list(names));
    gate.cause = static_cast<idle_cause>(named - names.begin());
    return gate;
  }
  gate.idle = what == "idle";
  if (!gate.idle && what != "exposed") return bad_gate(text, "there is no such condition");
  return gate;
}

bool counts(const time_gate& gate, const time_row& row) {
  const bool exposed = row.use == time_use::exposed_comm || row.use == time_use::exposed_copy;
  if (!gate.cause) return gate.idle ? row.use == time_use::idle : exposed;
  if (*gate.cause == idle_cause::exposed_comm) return row.use == time_use::exposed_comm;
  if (*gate.cause == idle_cause::exposed_copy) return row.use == time_use::exposed_copy;
  return row.cause == gate.cause;
}

}  // namespace

result<gates> parse_gates(std::string_view text) {
  gates all;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (one == "incomplete") {
      all.incomplete = true;
      continue;
    }
    auto gate = parse_time_gate(one);
    if (!gate) return std::move(gate).error();
    all.times.push_back(std::move(*gate));
  }
  return all;
}

std::optional<std::string> why_gate_failed(const time_gate& gate, const bubbles_result& found) {
  std::int64_t part_ps = 0;
  for (const time_row& row : found.time)
    if (row.device < 0 && row.in_steps && counts(gate, row)) part_ps += row.time_ps;
  const std::int64_t whole_ps = time_ps_of(found, -1, true);
  constexpr std::int64_t million = 1'000'000;
  const std::int64_t allowed_ps = whole_ps / million * gate.limit_ppm + whole_ps % million * gate.limit_ppm / million;
  if (part_ps <= allowed_ps) return std::nullopt;
  return gate.typed + ": it is " + share_text(part_ps, whole_ps) + " of the device time" +
         (has_only_marked_steps(found) ? " in steps, " : ", ") +
         human_duration(part_ps) + " of " + human_duration(whole_ps);
}

}  // namespace profkit_tool
