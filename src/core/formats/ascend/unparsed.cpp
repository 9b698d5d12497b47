#include <formats/ascend/unparsed.hpp>

#include <base/affix.hpp>
#include <base/paths.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view torch_output = "ASCEND_PROFILER_OUTPUT", msprof_output = "mindstudio_profiler_output";

bool is_output(std::string_view name) noexcept {
  // Before CANN 7, msprof exported into folders of these names.
  return name == torch_output || name == msprof_output || name == "summary" || name == "timeline";
}

bool has_file(const found_folder& folder, std::string_view prefix, std::string_view ending) noexcept {
  return std::any_of(folder.files.begin(), folder.files.end(), [&](const found_file& file) {
    return starts_with(file.name, prefix) && ends_with(file.name, ending);
  });
}

// What lies in a folder and below it, as far as it separates raw data from parsed data.
struct folder_shape {
  bool has_framework = false;   // what the framework recorded
  bool has_prof = false;        // what the driver recorded
  bool has_device_data = false;
  bool has_output_folder = false;
  bool has_output = false;
};

// "device_0/data" and "host/data" of a PROF folder.
bool is_device_data(std::string_view below) noexcept {
  const auto slash = below.find('/');
  return slash != std::string_view::npos && below.substr(slash + 1) == "data" &&
         (starts_with(below, "device_") || below.substr(0, slash) == "host");
}

folder_shape folder_shape_of(const found_folder* at, const found_folder* past) {
  folder_shape shape;
  const std::string& root = at->path;
  shape.has_output = has_file(*at, "msprof_", ".db");
  for (const found_folder* folder = at + 1; folder != past; ++folder) {
    const std::string_view below = std::string_view(folder->path).substr(root.size() + (root.back() == '/' ? 0 : 1));
    shape.has_framework = shape.has_framework || below == "FRAMEWORK";
    shape.has_prof = shape.has_prof || (starts_with(below, "PROF_") && !contains(below, "/"));
    shape.has_device_data = shape.has_device_data || is_device_data(below);
    if (!is_output(last_part_of(below))) continue;
    shape.has_output_folder = shape.has_output_folder || below == torch_output || below == msprof_output;
    shape.has_output = shape.has_output || !folder->files.empty();
  }
  return shape;
}

std::string quoted(std::string_view path) {
  std::string text = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

fault not_parsed(std::string_view whose, std::string_view done, std::string_view output, bool output_is_empty,
                 const std::string& path, std::string hint) {
  fault why;
  why.code = fault_code::not_found;
  why.path = path;
  why.message = "raw data of " + std::string(whose) + " that was not " + std::string(done) +
                (output_is_empty ? " (" + std::string(output) + " is empty)" : " (no " + std::string(output) + ")");
  why.hint = std::move(hint);
  return why;
}

}  // namespace

bool is_at_or_below(std::string_view path, std::string_view folder) noexcept {
  if (path.substr(0, folder.size()) != folder) return false;
  return path.size() == folder.size() || folder.back() == '/' || path[folder.size()] == '/';
}

std::vector<unparsed_folder> find_unparsed_ascend(const discovery& found, std::string_view root_name) {
  std::vector<unparsed_folder> all;
  const found_folder* const end = found.folders.data() + found.folders.size();
  for (const found_folder* at = found.folders.data(); at != end;) {
    const std::string_view name = at == found.folders.data() ? root_name : last_part_of(at->path);
    const bool of_mindspore = ends_with(name, "_ascend_ms");
    const bool is_prof = starts_with(name, "PROF_");
    const bool is_named = of_mindspore || is_prof || ends_with(name, "_ascend_pt");
    if (!is_named && !has_file(*at, "profiler_info", ".json")) {
      ++at;
      continue;
    }
    // Folders come depth first.
    const found_folder* const past =
        std::find_if(at + 1, end, [at](const found_folder& f) { return !is_at_or_below(f.path, at->path); });
    const folder_shape shape = folder_shape_of(at, past);
    const bool is_rank = !is_prof && (shape.has_framework || shape.has_prof);
    if (!is_named && !is_rank) {
      ++at;
      continue;
    }
    const bool is_empty = shape.has_output_folder;
    if (is_rank && !shape.has_output) {
      // MindSpore's function takes the folder above.
      const std::string path = of_mindspore ? std::string(folder_of(at->path)) : at->path;
      const std::string package = of_mindspore ? "mindspore" : "torch_npu";
      all.push_back({at, not_parsed(of_mindspore ? "MindSpore" : "torch_npu", "parsed", torch_output, is_empty, at->path,
                                    "parse it in Python: from " + package +
                                        ".profiler.profiler import analyse; analyse(" + quoted(path) + ")")});
    } else if (is_prof && shape.has_device_data && !shape.has_output) {
      all.push_back({at, not_parsed("msprof", "exported", msprof_output, is_empty, at->path,
                                    "export it: msprof --export=on --output=" + at->path)});
    }
    at = past;
  }
  return all;
}

fault unparsed_together(const std::vector<fault>& all, const std::string& path) {
  if (all.size() == 1) return all.front();
  constexpr std::size_t max_named = 5;
  fault f = all.front();
  f.path = path;
  f.message.clear();
  std::vector<std::string> listed;
  for (const fault& each : all) {
    if (std::find(listed.begin(), listed.end(), each.message) != listed.end()) continue;
    listed.push_back(each.message);
    std::size_t count = 0;
    std::string names;
    for (const fault& other : all) {
      if (other.message != each.message) continue;
      if (++count <= max_named) names += (count == 1 ? "" : ", ") + other.path;
    }
    f.message += (f.message.empty() ? "" : "; ") + each.message;
    if (count != 1) f.message += ", in " + std::to_string(count) + " folders";
    f.message += ": " + names + (count > max_named ? ", …" : "");
  }
  f.hint = "for each of them, as of the first: " + f.hint;
  return f;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
