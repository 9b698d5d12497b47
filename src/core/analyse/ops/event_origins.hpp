// What the stats of an event say of its program, and of where in it the event comes from.
#pragma once
#include <analyse/ops/op_programs.hpp>
#include <formats/xspace/event_stats.hpp>

#include <cstddef>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The stats of events that change what is totalled, in the order in which stat_finder gives them.
inline constexpr std::string_view stats_of_ops[] = {"device_offset_ps", "device_duration_ps", "program_id", "hlo_module"};
enum stat_of_op : std::size_t { at_device_offset, at_device_duration, at_program_id, at_hlo_module };

// The instruction of an event, its scope and its line of code.
class event_origins {
 public:
  explicit event_origins(const plane_index& plane);
  // `readable_end`: bytes up to there may be read. The program and the step are not filled.
  [[nodiscard]] program_key of(const event_row& event, const char* readable_end) const;

 private:
  const plane_index* plane_;
  stat_finder stats_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
