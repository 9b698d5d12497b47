// What --fail-on asks for: conditions that end a command with status 1.
#pragma once
#include <profkit/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
enum class idle_cause : std::uint8_t;
struct bubbles_result;
}
}  // namespace profkit

namespace profkit_tool {

// "idle>10%", "exposed>5%", "cause:data_loader>2%": a share of the time of all devices in steps.
struct time_gate {
  std::string typed;
  bool idle = false;                          // of any cause; else communication and copies that nothing hides
  std::optional<profkit::idle_cause> cause;   // this one alone
  std::int64_t limit_ppm = 0;
};
struct gates {
  bool incomplete = false;
  std::vector<time_gate> times;
};

// Conditions with commas between them; "" is none.
profkit::result<gates> parse_gates(std::string_view text);
// "idle is 39.4 % of the device time in steps, more than 10 %"; nothing while the gate holds.
std::optional<std::string> why_gate_failed(const time_gate& gate, const profkit::bubbles_result& found);

}  // namespace profkit_tool
