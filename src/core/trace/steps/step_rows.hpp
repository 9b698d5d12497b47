// The steps of a capture, packed: captures with millions of steps exist, nearly all of few names.
#pragma once
#include <profkit/core/steps.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct step_list::packed {
  // What the steps of a line, of a host or of a device have in common.
  struct origin {
    std::uint32_t file = 0, host_file = 0;
    std::int32_t plane = 0, line = 0;
    step_source source = step_source::steps_line;
    std::int32_t device = -1;
    bool wanted = true;  // by the filters of planes and lines
    std::string_view plane_name;
  };
  struct step {
    std::int64_t start_ps = 0, duration_ps = 0, number = 0;
    std::uint64_t index = 0;
    std::uint32_t name = 0;
    std::uint32_t origin : 31, has_number : 1;
  };
  std::vector<origin> origins;
  std::vector<std::string_view> names;
  std::vector<step> steps;
  std::shared_ptr<const void> texts;  // owns the names that do not lie in a file
};

// Whether two rows are of one list, which is numbered through: a device's steps, or a file's host steps.
[[nodiscard]] inline bool is_same_list(const step_list::packed::origin& a, const step_list::packed::origin& b) noexcept {
  if (a.host_file != b.host_file || is_host_source(a.source) != is_host_source(b.source)) return false;
  return is_host_source(a.source) || (a.file == b.file && a.plane == b.plane && a.device == b.device);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
