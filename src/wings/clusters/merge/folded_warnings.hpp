// Warnings that say the same again and again, shown once with their number.
#pragma once
#include <profkit/core/clock.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Texts that differ in nothing but their numbers become one, in the order of the first of each: "… (12 times)".
[[nodiscard]] std::vector<std::string> folded_warnings(const std::vector<std::string>& all);
// What is odd about a clock becomes one text in that way, with the largest size: "… (12 times, up to 3.0 ms)".
[[nodiscard]] std::vector<std::string> folded_warnings(const std::vector<clock_anomaly>& all);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
