#include <read/probe.hpp>

#include <profkit/csv.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

probe_result probe_ascend_kernels(std::string_view head) noexcept {
  const auto starts_with = [](std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
  };
  csv_reader reader(head.substr(0, head.find('\n')));
  std::array<std::string_view, 128> fields;
  if (!reader.next(fields.data(), fields.size())) return {};
  bool name = false, duration = false, unit = false;
  for (std::size_t i = 0; i < std::min(reader.fields(), fields.size()); ++i) {
    const std::string_view field = csv_trimmed(fields[i]);
    name |= field == "Name" || field == "Op Name" || field == "kernel_name";
    duration |=
        starts_with(field, "Duration(") || starts_with(field, "Task Duration(") || starts_with(field, "task_time(");
    unit |= field == "Accelerator Core" || field == "Task Type" || field == "Stream ID" || field == "kernel_type";
  }
  if (!name || !duration || !unit) return {};
  return {detection_confidence::certain, "columns Name, Duration, Accelerator Core or Task Type"};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
