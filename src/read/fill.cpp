// The timeline of a capture: each file by its format.
#include <formats/registry.hpp>

#include "base/contained.hpp"

#include <optional>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

namespace {

result<void> fill_from(const profile& p, std::size_t file, timeline_sink& into) {
  const auto fill = format_of(p.what().files[file].family).fill_timeline;
  return fill == nullptr ? result<void>() : fill(p, file, into);
}

}  // namespace

result<void> fill_file_timeline(const profile& p, std::size_t file, timeline_sink& into) {
  return contained([&]() -> result<void> {
    if (file >= p.file_count())
      return fault{fault_code::invalid_argument,
                   "file " + std::to_string(file) + " of " + std::to_string(p.file_count()), "", no_offset, ""};
    return fill_from(p, file, into);
  });
}

result<void> fill_timeline(const profile& p, timeline_sink& into) {
  return contained([&]() -> result<void> {
    std::optional<fault> first;
    for (std::size_t file = 0; file < p.file_count(); ++file) {
      const capture_file& listed = p.what().files[file];
      if (listed.export_of >= 0) continue;
      result<void> filled = fill_from(p, file, into);
      if (filled.ok()) continue;
      if (filled.error().code != fault_code::damaged) return filled;
      if (!first) first = std::move(filled).error();
    }
    if (first) return std::move(*first);
    return {};
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
