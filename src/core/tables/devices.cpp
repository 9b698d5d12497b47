// The devices of a capture, and the places that rows are joined with.
#include <base/hash_map.hpp>
#include <formats/xspace/plane_node.hpp>
#include <formats/xspace/xspace_index.hpp>
#include <profkit/core/table.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct capture_devices::parts {
  std::shared_ptr<const activity> read;                         // of traces: owns names
  std::vector<std::optional<std::int32_t>> file_ranks;          // one a file
  hash_map<std::uint64_t, plane_place> planes;                  // of XSpace, by file and plane
  hash_map<std::uint64_t, std::vector<std::int32_t>> of_trace;  // by file: its devices
  hash_map<std::uint64_t, std::vector<std::pair<std::int32_t, std::int32_t>>> lines;  // by file and process: thread, device
};

namespace {

std::uint64_t plane_key(std::uint32_t file, std::int32_t plane) noexcept {
  return std::uint64_t{file} << 32 | static_cast<std::uint32_t>(plane);
}

accelerator accelerator_of(std::string_view plane_name) noexcept {
  if (plane_name.find("TPU") != std::string_view::npos) return accelerator::tpu;
  return plane_name.find("GPU") != std::string_view::npos ? accelerator::gpu : accelerator::other;
}

}  // namespace

capture_devices::capture_devices(const profile& p) : profile_(p), parts_(std::make_unique<parts>()) {}
capture_devices::~capture_devices() = default;

result<std::shared_ptr<const capture_devices>> capture_devices::list(const trace& t, const hooks& host) {
  if (!t.has_traces()) return of_planes(t.files());
  auto read = t.all_activity(host);
  if (!read) return std::move(read).error();
  return make(t.files(), std::move(*read));
}

result<std::shared_ptr<const capture_devices>> capture_devices::of_planes(const profile& p) { return make(p, nullptr); }

std::shared_ptr<const capture_devices> capture_devices::make(const profile& p, std::shared_ptr<const activity> read) {
  std::shared_ptr<capture_devices> found(new capture_devices(p));
  parts& of = *found->parts_;
  of.read = std::move(read);
  of.file_ranks.resize(p.file_count());
  for (std::size_t file = 0; file < p.file_count(); ++file)
    if (p.what().files[file].given_rank >= 0) of.file_ranks[file] = p.what().files[file].given_rank;
  if (of.read != nullptr)
    for (const activity_host& h : of.read->hosts())
      if (h.rank >= 0 && h.file < of.file_ranks.size() && !of.file_ranks[h.file]) of.file_ranks[h.file] = h.rank;
  for (std::uint32_t file = 0; file < p.file_count(); ++file) {
    found->add_planes(file, *p.outline(file));
    if (of.read != nullptr) found->add_devices(file, *of.read);
  }
  return found;
}

void capture_devices::add_planes(std::uint32_t file, const xspace_index& space) {
  for (std::size_t at = 0; at < space.planes.size(); ++at) {
    const plane_index& plane = space.planes[at];
    const auto position = static_cast<std::int32_t>(at);
    plane_place place;
    place.node = node_of(plane);
    place.host = place.node ? hostname_of(plane) : std::string_view();
    if (place.host.empty()) place.host = host_of_file(profile_, file);
    if (plane.kind == plane_kind::device) {
      place.device = static_cast<std::int32_t>(devices_.size());
      devices_.push_back({file, position, plane.device, -1, accelerator_of(plane.name), plane.name});
    }
    parts_->planes.emplace(plane_key(file, position), place);
  }
}

void capture_devices::add_devices(std::uint32_t file, const activity& from) {
  for (const activity_device& d : from.devices()) {
    if (d.file != file || d.plane >= 0) continue;
    const auto at = static_cast<std::int32_t>(devices_.size());
    parts_->of_trace[file].push_back(at);
    for (const activity_stream& stream : d.streams)
      if (stream.plane >= 0) parts_->lines[plane_key(file, stream.plane)].emplace_back(stream.line, at);
    devices_.push_back({file, -1, d.ordinal, d.rank, d.type, from.text(d.name)});
  }
}

std::string_view host_of_file(const profile& p, std::size_t file) noexcept {
  if (file >= p.what().files.size()) return {};
  const std::vector<std::string_view>& names = p.outline(file)->hostnames;
  return names.empty() ? std::string_view(p.what().files[file].host) : names.front();
}

plane_place capture_devices::of_plane(std::uint32_t file, std::int32_t plane) const noexcept {
  const auto at = parts_->planes.find(plane_key(file, plane));
  return at == parts_->planes.end() ? plane_place{-1, std::nullopt, host_of_file(profile_, file)} : at->second;
}

std::int32_t capture_devices::of_line(std::uint32_t file, std::int32_t plane, std::int32_t line) const noexcept {
  const auto at = parts_->lines.find(plane_key(file, plane));
  if (at == parts_->lines.end()) return -1;
  for (const auto& [known, device] : at->second)
    if (known == line) return device;
  return -1;
}

std::int32_t capture_devices::of(const activity& from, const activity_device& device) const {
  if (device.plane >= 0)
    if (const std::int32_t at = of_plane(device.file, device.plane).device; at >= 0) return at;
  const auto in_file = parts_->of_trace.find(device.file);
  if (in_file == parts_->of_trace.end()) return -1;
  const std::string_view name = from.text(device.name);
  for (const std::int32_t at : in_file->second) {
    const capture_device& known = devices_[static_cast<std::size_t>(at)];
    if (std::tie(known.ordinal, known.rank, known.name) == std::tie(device.ordinal, device.rank, name)) return at;
  }
  return -1;
}

std::string_view capture_devices::run(std::uint32_t file) const noexcept {
  return file < profile_.what().files.size() ? std::string_view(profile_.what().files[file].run) : std::string_view();
}

std::string_view capture_devices::host(std::uint32_t file, std::int32_t device) const noexcept {
  const capture_device* const known = find(device);
  return known != nullptr && known->plane >= 0 ? of_plane(file, known->plane).host : host_of_file(profile_, file);
}

const capture_device* capture_devices::find(std::int32_t device) const noexcept {
  return device < 0 || static_cast<std::size_t>(device) >= devices_.size() ? nullptr
                                                                         : &devices_[static_cast<std::size_t>(device)];
}

std::optional<std::int32_t> capture_devices::rank(std::uint32_t file, std::int32_t device) const noexcept {
  if (const capture_device* const known = find(device); known != nullptr && known->rank >= 0) return known->rank;
  return file < parts_->file_ranks.size() ? parts_->file_ranks[file] : std::nullopt;
}

std::optional<std::int64_t> capture_devices::node(std::int32_t device) const noexcept {
  const capture_device* const known = find(device);
  if (known == nullptr) return std::nullopt;
  if (known->plane >= 0) return of_plane(known->file, known->plane).node;
  const std::int64_t node = profile_.what().files[known->file].node;
  return node < 0 ? std::nullopt : std::optional(node);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
