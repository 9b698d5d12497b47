#include <formats/neutrino/neutrino_detect.hpp>

#include <profkit/core/source.hpp>
#include <profkit/neutrino.hpp>

#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <base/paths.hpp>

#include <formats/neutrino/neutrino_log.hpp>
#include <formats/neutrino/neutrino_parts.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::string first_bytes(const std::string& path, std::size_t most) {
  // What lies beside a file is not opened when it is a pipe.
  if (const auto facts = look_at_path(path); !facts || facts->kind != path_kind::file) return {};
  auto opened = open_plain_file_source(path, io_mode::read);
  if (!opened) return {};
  std::string head(most, '\0');
  std::size_t have = 0;
  while (have < head.size()) {
    auto count = (*opened)->read(head.data() + have, head.size() - have);
    if (!count || *count == 0) break;
    have += *count;
  }
  head.resize(have);
  return head;
}

// The first line is one of the driver's.
bool is_driver_log(const std::string& path) {
  const std::string head = first_bytes(path, 4096);
  std::string_view line = std::string_view(head).substr(0, head.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return read_log_line(line).kind != log_kind::unknown;
}

const found_file* find_file(const found_folder& folder, std::string_view name) noexcept {
  const auto at =
      std::find_if(folder.files.begin(), folder.files.end(), [&](const found_file& file) { return file.name == name; });
  return at == folder.files.end() ? nullptr : &*at;
}

}  // namespace

std::vector<found_trace> find_probe_traces(const discovery& found) {
  hash_map<std::string_view, const found_folder*> by_path;
  for (const found_folder& folder : found.folders) by_path[folder.path] = &folder;
  const auto below = [&](const found_folder& folder, const char* name) -> const found_folder* {
    const auto at = by_path.find(joined_path(folder.path, name));
    return at == by_path.end() ? nullptr : at->second;
  };
  std::vector<found_trace> traces;
  for (const found_folder& folder : found.folders) {
    if (is_inside_trace(traces, folder.path)) continue;
    const found_folder* const results = below(folder, "result");
    const found_file* const log = find_file(folder, "event.log");
    found_trace trace{&folder, 0, 0};
    bool has_records = false;
    if (results != nullptr) {
      for (const found_file& file : results->files) {
        if (!ends_with(file.name, ".bin")) continue;
        has_records = has_records || elapsed_us_of(file.name).has_value();
        trace.bytes += file.bytes;
        trace.newest_ns = std::max(trace.newest_ns, file.modified_ns);
      }
    }
    if (log != nullptr) {
      trace.bytes += log->bytes;
      trace.newest_ns = std::max(trace.newest_ns, log->modified_ns);
    }
    const bool is_one = log != nullptr ? results != nullptr || below(folder, "kernel") != nullptr ||
                                             find_file(folder, "probe.toml") != nullptr ||
                                             is_driver_log(joined_path(folder.path, "event.log"))
                                       : has_records;
    if (is_one) traces.push_back(trace);
  }
  return traces;
}

bool is_inside_trace(const std::vector<found_trace>& traces, std::string_view folder) noexcept {
  // Folders come depth first: only the last trace can hold this one.
  if (traces.empty()) return false;
  const std::string& root = traces.back().folder->path;
  return folder.size() > root.size() && folder.substr(0, root.size()) == root &&
         (folder[root.size()] == '/' || root.back() == '/');
}

std::optional<std::string> trace_folder_around(const std::string& path, const path_facts& facts) {
  const bool is_part = facts.kind == path_kind::file     ? facts.name == "event.log" || facts.name == "probe.toml"
                       : facts.kind == path_kind::folder ? facts.name == "result" || facts.name == "kernel"
                                                         : false;
  if (!is_part) return std::nullopt;
  const std::string_view plain = std::string_view(path).substr(0, path.find_last_not_of('/') + 1);
  std::string around = last_part_of(plain) == facts.name ? std::string(folder_of(plain)) : joined_path(path, "..");
  if (!is_driver_log(joined_path(around, "event.log"))) return std::nullopt;
  return around;
}

bool is_probe_log(const std::string& path, std::string_view name) {
  return ends_with(name, ".log") && is_driver_log(path);
}

bool is_probe_bin(const std::string& path, std::string_view name, std::uint64_t bytes) {
  if (!ends_with(name, ".bin")) return false;
  if (elapsed_us_of(name)) return true;
  const std::string head = first_bytes(path, 4096);
  const probe_file file(head, bytes);
  constexpr std::uint32_t max_threads = 1024, max_maps = 250;
  const probe_header header = file.header();
  return file.has_header() && header.maps != 0 && header.maps <= max_maps && file.section_count() == header.maps &&
         header.threads() != 0 && header.threads() <= max_threads && header.blocks() != 0;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
