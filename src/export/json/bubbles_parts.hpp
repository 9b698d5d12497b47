// Parts of the bubbles document.
#pragma once
#include <export/json/document.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// What is written, and how its instants and parts are called.
struct bubbles_text {
  const activity& of;
  const bubbles_result& found;

  // Unix ns where the capture knows its origin, else ns since the capture's own zero.
  [[nodiscard]] std::int64_t absolute_ns(std::int64_t ps) const noexcept;
  // "s12" in the only device with steps, "d3.s12" among several.
  [[nodiscard]] std::string structure_id(std::int32_t step, std::uint32_t index) const;
  [[nodiscard]] std::string device_prefix(std::uint32_t device) const;
};

// To whole ns, half away from zero.
[[nodiscard]] constexpr std::int64_t in_ns(std::int64_t ps) noexcept {
  const std::int64_t rest = ps % ps_per_ns;
  return ps / ps_per_ns + (rest >= ps_per_ns / 2 ? 1 : rest <= -ps_per_ns / 2 ? -1 : 0);
}
[[nodiscard]] constexpr double ratio_of(std::int64_t part, std::int64_t whole) noexcept {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}
[[nodiscard]] constexpr std::int64_t mean_of(std::int64_t sum, std::int64_t count) noexcept {
  return count > 0 ? sum / count + (sum % count * 2 >= count ? 1 : 0) : 0;
}
inline void milliseconds(json_writer& out, std::string_view key, std::int64_t ps) {
  out.key(key);
  out.milliseconds(ps);
}
inline void microseconds(json_writer& out, std::string_view key, std::int64_t ps) {
  out.key(key);
  out.microseconds(ps);
}

[[nodiscard]] const char* marker_source_name(const bubble_step& s) noexcept;
void write_tags(json_writer& out, std::string_view key, bubble_tags tags);
void write_labels(json_writer& out, std::string_view key, bubble_labels labels);
void write_clocks(json_writer& out, std::string_view key, const four_clocks& c);
void write_clock_fields(json_writer& out, const four_clocks& c);
// `step`: where its structure is looked up; -1 for none.
void write_kernel(json_writer& out, const bubbles_text& t, std::uint32_t device, std::int32_t step,
                  const kernel_row& k);
void write_global_gaps(json_writer& out, const bubbles_text& t, std::size_t device, std::string_view key);
document_status write_bubbles(json_writer& out, const profile& p, const bubble_options& o,
                              const bubbles_report& report);
void write_time(json_writer& out, const bubbles_text& t);
// The fields of a row but for where its time lies. `whole_ps`: what its share is of.
void write_time_row(json_writer& out, const time_row& row, std::int64_t whole_ps);
void write_causes(json_writer& out, const bubbles_text& t);
void write_anomaly_discovery(json_writer& out, const bubbles_text& t, const bubble_options& o);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
