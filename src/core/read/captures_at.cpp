// Which captures lie below a folder.
#include <profkit/core/detection.hpp>
#include <profkit/core/discover.hpp>

#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/paths.hpp>
#include <formats/ascend_folders.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Whether a profiler of Ascend wrote the folder: then it is one capture, whatever lies in it.
bool is_one_capture(std::string_view folder) noexcept {
  const std::string_view name = last_part_of(folder);
  return ascend_rank_folder(folder) == folder && (is_ascend_folder(folder) || starts_with(name, "PROF_"));
}

// The outermost folder from `root` down to `path` that is one capture; "" where none is.
std::string_view capture_around(std::string_view path, std::string_view root) {
  for (std::size_t slash = path.find('/', root.size()); slash != std::string_view::npos; slash = path.find('/', slash + 1))
    if (is_one_capture(path.substr(0, slash))) return path.substr(0, slash);
  return {};
}

// "x" of x.xplane.pb, x.xplane.pb.gz, x.trace.json, …: both are of one recording.
std::string_view stem_of(std::string_view path, std::string_view ending) noexcept {
  const std::size_t at = path.rfind(ending);
  return at == std::string_view::npos ? std::string_view() : path.substr(0, at);
}

std::vector<std::string> captures_among(const std::vector<detection_report>& files, std::string_view root) {
  std::set<std::string_view> found, spaces;
  for (const detection_report& file : files)
    if (has_planes(file.family)) spaces.insert(stem_of(file.path, ".xplane.pb"));
  for (const detection_report& file : files) {
    const std::string_view around = capture_around(file.path, root);
    if (file.unread || (!around.empty() && is_recognised(file.family))) {
      found.insert(around.empty() ? std::string_view(file.path) : around);
      continue;
    }
    switch (content_of(file.family)) {
      case file_content::planes:
      case file_content::probe_records:
      case file_content::recording: found.insert(file.path); break;
      case file_content::trace_events:
        if (const std::string_view stem = stem_of(file.path, ".trace.json"); stem.empty() || spaces.count(stem) == 0)
          found.insert(file.path);
        break;
      case file_content::kernel_table: found.insert(folder_of(file.path)); break;  // its other tables lie beside it
      default: break;
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace

result<std::vector<std::string>> captures_at(const std::string& path, const limits& bounds, const hooks& host) {
  return contained([&]() -> result<std::vector<std::string>> {
    std::vector<std::string> found{path};
    const auto facts = look_at_path(path);
    std::string_view folder = path;
    while (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
    if (!facts || facts->kind != path_kind::folder || is_one_capture(folder)) return found;
    const auto files = explain_path(path, bounds, host);
    const auto walked = files ? discover(path, bounds, host) : result<discovery>(files.error());
    if (!walked) return walked.error().code == fault_code::cancelled ? result<std::vector<std::string>>(walked.error()) : found;
    std::vector<std::string> inside = captures_among(*files, path);
    inside.insert(inside.end(), walked->unreadable.begin(), walked->unreadable.end());
    std::sort(inside.begin(), inside.end());
    return inside.empty() ? found : inside;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
