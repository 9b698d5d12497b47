#include <formats/registry.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// One line a format; each stands in the format.cpp of its folder.
extern const known_format xspace_format;
extern const known_format chrome_format;
extern const known_format ascend_json_format, ascend_kernels_format, ascend_table_format, ascend_database_format;
extern const known_format hlo_format;
extern const known_format op_stats_format;
extern const known_format neutrino_format;
extern const known_format recording_format;

namespace {

constexpr const known_format* every_format[] = {
    &xspace_format,
    &chrome_format,
    &ascend_json_format,
    &ascend_kernels_format,
    &ascend_table_format,
    &ascend_database_format,
    &hlo_format,
    &op_stats_format,
    &neutrino_format,
    &recording_format,
};
constexpr known_format no_format = [] {
  known_format none;
  none.name = none.title = "unknown";
  return none;
}();

}  // namespace

static_list<const known_format*> known_formats() noexcept { return every_format; }

const known_format& format_of(file_family family) noexcept {
  for (const known_format* const format : every_format)
    if (format->family == family) return *format;
  return no_format;
}

const char* family_name(file_family f) noexcept { return format_of(f).name; }
const char* family_title(file_family f) noexcept { return format_of(f).title; }
const char* why_not_read(file_family f) noexcept { return format_of(f).why_not_read; }
file_content content_of(file_family f) noexcept { return format_of(f).content; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
