// What marks steps in an XSpace: lines of a device, else events of a host.
#pragma once
#include <base/hash_map.hpp>
#include <formats/step_names.hpp>
#include <formats/xspace/xspace_index.hpp>
#include <profkit/core/event_row.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Lines of a device plane with its steps (line_kind::steps) or runs of its programs (line_kind::modules): their positions,
// of those that have events. "Sparse Core Steps" and the like only where the core's own line is missing: they repeat it.
[[nodiscard]] std::vector<std::size_t> step_lines_of(const plane_index& plane, line_kind kind);

// The number that the name of an event of a line of steps is; nothing when it is not a number.
[[nodiscard]] std::optional<std::int64_t> step_number_in(std::string_view name) noexcept;

// The stat `step_num` of the events of a plane.
class step_num_stat {
 public:
  step_num_stat() = default;  // finds nothing
  explicit step_num_stat(const plane_index& plane);
  [[nodiscard]] bool known() const noexcept { return !ids_.empty(); }
  // Of several the last. `readable_end`: bytes up to there may be read (never used); null: unknown.
  [[nodiscard]] std::optional<stat_view> find(const char* stats, std::uint32_t bytes, const char* readable_end) const noexcept;

 private:
  std::vector<std::int64_t> ids_;
};

// What marks a step among the events of a host plane: its name, else a stat `step_num`.
class host_step_marks {
 public:
  host_step_marks() = default;  // no event marks one
  host_step_marks(const plane_index& plane, const step_names& names);
  [[nodiscard]] bool any() const noexcept { return number_.known() || !names_.empty(); }
  // The number is that of the stat, else that of the name; nothing: neither has one.
  struct mark {
    marker_source source = marker_source::step_num;
    std::optional<std::int64_t> number;
  };
  [[nodiscard]] std::optional<mark> of(const event_row& event, const char* readable_end = nullptr) const noexcept;

 private:
  step_num_stat number_;
  hash_map<std::int64_t, named_step> names_;  // by metadata id
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
