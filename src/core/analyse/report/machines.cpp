// Where a capture was recorded: devices, hosts, processes, and what wrote it.
#include <analyse/report/parts.hpp>

#include <analyse/device_peaks.hpp>
#include <base/affix.hpp>
#include <profkit/core/activity.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace report {
namespace {

std::string text_of(const std::vector<named_stat>& stats, std::string_view name) {
  const named_stat* stat = find_named_stat(stats, name);
  return stat == nullptr ? std::string() : stat_text_of(*stat);
}

// "TPU v6 Lite, 918 TFLOP/s, 1.64 TB/s", as far as it is known.
std::string model_of(const plane_info& plane) {
  const device_peaks peaks = peaks_of(plane.stats);
  std::string text = text_of(plane.stats, "device_type_string");
  const double memory = stat_number_of(find_named_stat(plane.stats, "memory_size"));
  const std::string vendor = text_of(plane.stats, "device_vendor");
  const std::string cores = text_of(plane.stats, "core_count");
  const std::string major = text_of(plane.stats, "compute_cap_major");
  const auto more = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (text.empty() && contains(plane.name, "GPU")) more(vendor.empty() ? "GPU" : vendor + " GPU");
  if (!major.empty() && vendor != "AMD")
    more("compute capability " + major + '.' + text_of(plane.stats, "compute_cap_minor"));
  if (!cores.empty()) more(cores + (vendor == "AMD" ? " CUs" : " SMs"));
  if (memory > 0) more(human_bytes(static_cast<std::uint64_t>(memory)));
  if (peaks.flops_per_s > 0) more(si_text(peaks.flops_per_s) + "FLOP/s");
  if (peaks.hbm_bytes_per_s > 0) more(si_text(peaks.hbm_bytes_per_s) + "B/s");
  return text.empty() ? std::string(short_plane_name(plane.name.substr(0, plane.name.rfind(':')))) : text;
}

bool has_events(const plane_info& plane) noexcept {
  return std::any_of(plane.lines.begin(), plane.lines.end(), [](const line_info& line) { return line.events > 0; });
}

// Files that are XSpaces.
std::vector<const file_info*> spaces_of(const report_parts& parts) {
  std::vector<const file_info*> spaces;
  for (const file_info& file : parts.info.files)
    if (has_planes(file.family)) spaces.push_back(&file);
  return spaces;
}

}  // namespace

std::vector<device_model> devices_of(const report_parts& parts) {
  std::vector<device_model> models;
  for (const file_info* const file : spaces_of(parts))
    for (const plane_info& plane : file->planes) {
      if (plane.kind != plane_kind::device || device_ordinal(plane.name) < 0) continue;
      // Parts of a chip (SparseCores) have planes of their own and carry the chip's number.
      if (contains(plane.name, "SparseCore")) continue;
      std::string name = model_of(plane);
      auto known = std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.name == name; });
      if (known == models.end()) known = models.insert(models.end(), {std::move(name), 0, 0});
      ++known->devices;
      if (has_events(plane)) ++*known->with_events;
    }
  if (parts.traces == nullptr) return models;
  std::map<std::string, std::uint64_t> named;  // machines of one run have the same: the most that one of them lists
  for (const activity_host& host : parts.traces->hosts()) {
    std::map<std::string, std::uint64_t> own;
    for (const std::string& model : host.devices)
      if (!model.empty()) ++own[model];
    for (const auto& [model, count] : own) named[model] = std::max(named[model], count);
  }
  for (const auto& [model, count] : named) models.push_back({model, count, std::nullopt});
  return models;
}

std::vector<std::string> software_of(const report_parts& parts) {
  std::set<std::string> versions;
  for (const file_info& file : parts.info.files)
    for (const plane_info& plane : file.planes) {
      const std::string jax = text_of(plane.stats, "jax_version"), jaxlib = text_of(plane.stats, "jaxlib_version");
      if (!jax.empty()) versions.insert("JAX " + jax + (jaxlib.empty() || jaxlib == jax ? "" : ", jaxlib " + jaxlib));
    }
  if (parts.traces != nullptr)
    for (const activity_host& host : parts.traces->hosts())
      if (!host.recorder.empty()) versions.insert(host.recorder);
  return {versions.begin(), versions.end()};
}

std::vector<recorded_host> hosts_of(const capture& found, const report_parts& parts) {
  std::map<std::string, bool> hosts;  // whether a name is from the file name alone
  for (const file_info* const file : spaces_of(parts)) {  // names of traces have ranks and dates rather than hosts
    const capture_file& listed = found.files[file->file];
    for (const std::string& host : file->hosts) {
      const bool from_name = listed.run.empty() && host == listed.host;
      const auto known = hosts.emplace(host, from_name).first;
      known->second = known->second && from_name;
    }
  }
  if (parts.traces != nullptr)
    for (const activity_host& host : parts.traces->hosts())
      if (!host.hostname.empty()) hosts[host.hostname] = false;
  std::vector<recorded_host> list;
  for (const auto& [name, from_name] : hosts) list.push_back({name, from_name});
  return list;
}

std::vector<process_rank> ranks_of(const report_parts& parts) {
  std::vector<process_rank> ranks;
  if (parts.traces == nullptr) return ranks;
  for (const activity_host& host : parts.traces->hosts())
    if (host.rank >= 0 && host.world_size > 0) ranks.push_back({host.rank, host.world_size, host.backend});
  return ranks;
}

}  // namespace report
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
