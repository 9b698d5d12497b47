// Which captures lie below a folder.
#include <profkit/core/detection.hpp>
#include <profkit/core/discover.hpp>

#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/paths.hpp>
#include <formats/ascend_folders.hpp>
#include <read/detect.hpp>

#include <algorithm>
#include <map>
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

// The hosts of the XSpaces of each folder.
using spaces_of_folders = std::map<std::string_view, std::multiset<std::string>>;

// Whether JSON repeats an XSpace of its folder, by the names, as link_exports() of a capture has it.
bool is_export(std::string_view path, const spaces_of_folders& spaces) {
  const auto beside = spaces.find(folder_of(path));
  const detection named = detect_by_name(last_part_of(path));
  return beside != spaces.end() && named.is_export_name &&
         (named.host.empty() || beside->second.size() == 1 || beside->second.count(named.host) != 0);
}

std::vector<std::string> captures_among(const std::vector<detection_report>& files, std::string_view root) {
  std::set<std::string_view> found, with_tables;
  spaces_of_folders spaces;
  for (const detection_report& file : files) {
    if (content_of(file.family) == file_content::kernel_table && capture_around(file.path, root).empty())
      with_tables.insert(folder_of(file.path));
    if (has_planes(file.family)) spaces[folder_of(file.path)].insert(detect_by_name(last_part_of(file.path)).host);
  }
  found = with_tables;  // what else lies in such a folder is of the same capture
  for (const detection_report& file : files) {
    const std::string_view around = capture_around(file.path, root);
    if (with_tables.count(folder_of(file.path)) != 0) continue;
    if (file.unread || (!around.empty() && is_recognised(file.family))) {
      found.insert(around.empty() ? std::string_view(file.path) : around);
      continue;
    }
    switch (content_of(file.family)) {
      case file_content::planes:
      case file_content::probe_records:
      case file_content::recording: found.insert(file.path); break;
      case file_content::trace_events:
        if (!is_export(file.path, spaces)) found.insert(file.path);
        break;
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
