#include "fill.hpp"

#include "base/contained.hpp"

#include <optional>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

namespace {

result<void> fill_from(const profile& p, std::size_t file, timeline_sink& into) {
  switch (p.what().files[file].family) {
    case file_family::xspace: return fill_from_xspace(p, file, into);
    case file_family::chrome_trace: return fill_from_chrome(p, file, into);
    case file_family::ascend_kernels: return fill_from_ascend(p, file, into);
    case file_family::neutrino: return fill_from_neutrino(p, file, into);
    case file_family::own: return fill_from_recording(p, file, into);
    default: return {};
  }
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
