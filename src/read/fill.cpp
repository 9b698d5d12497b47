#include "fill.hpp"

#include "base/contained.hpp"

#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<void> fill_timeline(const profile& p, timeline_sink& into) {
  return contained([&]() -> result<void> {
    std::optional<fault> first;
    for (std::size_t file = 0; file < p.file_count(); ++file) {
      const capture_file& listed = p.what().files[file];
      if (listed.export_of >= 0) continue;
      result<void> filled;
      if (listed.family == file_family::xspace) filled = fill_from_xspace(p, file, into);
      if (listed.family == file_family::chrome_trace) filled = fill_from_chrome(p, file, into);
      if (listed.family == file_family::ascend_kernels) filled = fill_from_ascend(p, file, into);
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
