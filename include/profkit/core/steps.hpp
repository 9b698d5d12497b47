// The steps of a capture, and where they come from.
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/row_iterator.hpp>
#include <profkit/core/trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum step_source: written by scripts/generate
/// Where steps come from. Of an XSpace the first two are tried in this order, then the best that host events have:
/// one source a file; of traces and tables the best that a host has, else the best of each device.
enum class step_source : std::uint8_t {
  steps_line,        ///< a device's line of steps
  xla_modules,       ///< every run of a program
  host_step_num,     ///< host events with the stat step_num
  profiler_step,     ///< host spans named "ProfilerStep#5"
  annotation,        ///< host spans named like a step: "Iteration#3"
  device_annotation, ///< the time in which a device worked for such a span
  step_id,           ///< a table's column
  launches           ///< the time of what the host's steps launched on a device
};
[[nodiscard]] const char* step_source_name(step_source value) noexcept;  ///< "Steps", "XLA Modules", …
// end of enum step_source
/// Whether its rows are the host's, for all devices of the file.
[[nodiscard]] bool is_host_source(step_source s) noexcept;
struct step_row {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;  ///< -1 where the capture does not say
  std::int32_t device = -1;          ///< index into activity::devices(); -1: of a plane, or a host's
  std::uint32_t host_file = 0;       ///< that of its host: activity_host::file; `file` where the host has one alone
  std::string_view plane_name;       ///< of the plane, or of the device
  step_source source = step_source::steps_line;
  std::uint64_t index = 0;  ///< among the steps of its plane, or of its host_file for host steps: what options.step takes
  std::string_view name;
  std::optional<std::int64_t> step_num;
  std::int64_t start_ps = 0, duration_ps = 0;
};
/// Steps by file, plane, start. Rows are made when they are asked for, from 40 bytes a step and 16 a name: keep a row
/// by value, not a pointer to it. A copy shares them.
class step_list {
 public:
  using iterator = row_iterator<step_list, step_row>;
  struct packed;  ///< of the core

  step_list() = default;
  explicit step_list(std::shared_ptr<const packed> of) noexcept : packed_(std::move(of)) {}
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] step_row operator[](std::size_t at) const noexcept;  ///< at < size()
  [[nodiscard]] iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {*this, size()}; }

 private:
  std::shared_ptr<const packed> packed_;
};
struct steps_result {
  step_list steps;
  std::uint64_t matched = 0;  ///< before the limit
  [[nodiscard]] std::uint64_t left_out() const noexcept { return matched - std::min<std::uint64_t>(matched, steps.size()); }
  std::string absent;         ///< why there are none; empty otherwise
  std::vector<file_damage> damage;
};
result<steps_result> analyse_steps(const trace& t, const query_filters& o = {}, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
