// What files, planes and lines are called in a viewer: with host or node where that has to be said.
#pragma once
#include <profkit/core/profile.hpp>

#include "trace/filters/select.hpp"
#include "base/affix.hpp"
#include "export/node_title.hpp"
#include "formats/xspace/plane_node.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The XSpace files that a selection keeps, except those that cannot be read at all.
[[nodiscard]] inline std::vector<std::size_t> xspace_files(const profile& p, const selection& selected) {
  std::vector<std::size_t> files;
  for (std::size_t file = 0; file < p.file_count(); ++file)
    if (selected.file(file) && !selected.other_file(file) && (p.file_fault(file) == nullptr || !p.xspace(file)->planes.empty()))
      files.push_back(file);
  return files;
}

// A host's name for people: the file's own, else the first the XSpace lists.
[[nodiscard]] inline std::string host_of(const profile& p, std::size_t file) {
  const capture_file& listed = p.what().files[file];
  if (!listed.host.empty()) return listed.host;
  const std::vector<std::string_view>& names = p.xspace(file)->hostnames;
  return names.empty() ? std::string() : std::string(names.front());
}
// The host of a plane, which a merge may have from another host.
[[nodiscard]] inline std::string host_of(const profile& p, std::size_t file, const plane_index& plane) {
  const auto node = node_of_host(plane);
  if (!node) return host_of(p, file);
  const std::string_view hostname = hostname_of(plane);
  return hostname.empty() ? name_of_node(*node) : std::string(hostname);
}

// The node of what a file says, of a plane of it where one is given; negative where no merge wrote it.
[[nodiscard]] inline std::int64_t node_of_place(const profile& p, std::size_t file, const plane_index* plane) {
  const auto node = plane == nullptr ? std::nullopt : node_of_host(*plane);
  return node.value_or(p.what().files[file].node);
}

// What stands before the names of a file's processes, where it has to be said: its node, or its host.
[[nodiscard]] inline std::string place_title(const profile& p, std::size_t file, bool with_host) {
  const capture_file& listed = p.what().files[file];
  if (listed.node >= 0) return node_title(listed.node, listed.host);
  return with_host ? host_of(p, file) : std::string();
}

// A plane as a process of a viewer: with its host where there are several files, with its node where a merge says it.
[[nodiscard]] inline std::string process_name(const profile& p, std::size_t file, std::string_view plane, bool with_host) {
  const std::string place = place_title(p, file, with_host);
  return place.empty() ? std::string(plane) : place + ": " + std::string(plane);
}
[[nodiscard]] inline std::string process_name(const profile& p, std::size_t file, const plane_index& plane, bool with_host) {
  const auto node = node_of_host(plane);
  if (!node) return process_name(p, file, plane.name, with_host);
  const bool is_shown_as_device = plane.kind == plane_kind::host && starts_with(plane.name, "/device:");
  return node_title(*node, hostname_of(plane)) + ": " + (is_shown_as_device ? "/host:CPU" : std::string(plane.name));
}

[[nodiscard]] inline std::string line_title(const line_header& header) {
  if (!header.display_name.empty()) return std::string(header.display_name);
  if (!header.name.empty()) return std::string(header.name);
  return "line " + std::to_string(header.id);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
