// Which names mark a training or inference step: ProfilerStep#N, Iteration#N, Step#N, and the user's own pattern.
#pragma once
#include <base/name_pattern.hpp>
#include <profkit/core/activity.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct named_step {
  marker_source source = marker_source::profiler_step;
  std::int64_t number = -1;  // the digits at the end of the name; -1: none
};

class step_names {
 public:
  // `pattern` (name_pattern.hpp) has to match whole names; "" for none. Fault: invalid_argument.
  static result<step_names> make(const std::string& pattern);
  // What a name marks, by the whole name whatever its category; nothing when it marks no step.
  [[nodiscard]] std::optional<named_step> match(std::string_view name) const;
  // Whether the pattern, if there is one, matches it.
  [[nodiscard]] bool fits_pattern(std::string_view name) const;

 private:
  std::optional<name_pattern> pattern_;
};

// The number that a name ends in; -1 when there is none or it does not fit.
[[nodiscard]] std::int64_t trailing_number(std::string_view name) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
