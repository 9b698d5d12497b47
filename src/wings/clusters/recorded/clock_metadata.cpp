// What a trace says of its own clocks: the start of the profile, and the clock metadata of a merge.
#include <profkit/core/chrome.hpp>
#include <profkit/core/clock.hpp>
#include <profkit/xspace.hpp>

#include <base/contained.hpp>
#include <base/node_sections.hpp>
#include <base/unix_time.hpp>
#include <formats/chrome/chrome_text.hpp>
#include <formats/chrome/json_elements.hpp>
#include <formats/chrome/json_fields.hpp>
#include <formats/xspace/trace_planes.hpp>

#include <charconv>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view environment_plane = "Task Environment";
constexpr std::string_view node_prefix = "/node:", metadata_suffix = "/clock_metadata";

// The id in "…/node:<id>/clock_metadata".
std::optional<std::int64_t> metadata_node(std::string_view plane_name) noexcept {
  if (plane_name.size() < metadata_suffix.size()) return std::nullopt;
  const std::size_t end = plane_name.size() - metadata_suffix.size();
  if (plane_name.substr(end) != metadata_suffix) return std::nullopt;
  const std::size_t at = plane_name.substr(0, end).rfind(node_prefix);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t id = 0;
  const char* const last = plane_name.data() + end;
  const auto [stop, error] = std::from_chars(plane_name.data() + at + node_prefix.size(), last, id);
  return error == std::errc{} && stop == last ? std::optional<std::int64_t>(id) : std::nullopt;
}

// Each stat of a plane with its name.
template <class Take>
void each_plane_stat(plane_view plane, Take&& take) {
  for (const stat_view stat : plane.stats()) {
    const metadata_entry entry = find_stat_metadata_linear(plane, stat.metadata_id());
    if (entry) take(stat_metadata_view(entry.bytes).name(), stat);
  }
}

std::optional<std::vector<clock_window>> windows_of(std::string_view text) {
  std::vector<clock_window> windows;
  json_elements rows(text);
  while (rows.next()) {
    std::int64_t numbers[5] = {};
    std::size_t count = 0;
    json_elements row(rows.value());
    while (row.next()) {
      const auto n = json_integer(row.value());
      if (!n || count == std::size(numbers)) return std::nullopt;
      numbers[count++] = *n;
    }
    if (!row.ok() || count != std::size(numbers)) return std::nullopt;
    const clock_window w{numbers[0], numbers[1], numbers[2], numbers[3], (numbers[4] & 1) != 0, (numbers[4] & 2) != 0};
    if (w.to_ps < w.from_ps || w.tracer_bound_ps < clock_window::unknown_ps || w.host_bound_ps < clock_window::unknown_ps) return std::nullopt;
    if (!windows.empty() && windows.back().to_ps != w.from_ps) return std::nullopt;
    windows.push_back(w);
  }
  if (!rows.ok()) return std::nullopt;
  return windows;
}

result<std::vector<clock_metadata>> read_clocks(std::string_view xspace) {
  std::vector<clock_metadata> found;
  trace_planes planes(xspace);
  while (planes.next()) {
    const auto node = metadata_node(planes.name());
    if (!node) continue;
    clock_metadata m;
    m.bounds.node_id = *node;
    bool sound = true;
    each_plane_stat(plane_view(planes.body()), [&](std::string_view name, const stat_view& stat) {
      const std::string_view text = stat.as_bytes();
      if (name == "origin_ns") m.origin_ns = stat.as_int64();
      if (name == "run_id") m.run_id = std::string(text);
      if (name == "hostname") m.hostname = std::string(text);
      if (name == "status") m.status = std::string(text);
      if (name == "reference_node") m.reference_node = stat.as_int64();
      if (name == "snapshot_count") m.snapshot_count = stat.as_uint64();
      if (name == "offset_window_count") m.offset_window_count = stat.as_uint64();
      if (name == "sampling_period_ns") m.sampling_period_ns = stat.as_int64();
      if (name == "clock_method") m.method = std::string(text);
      if (name == "corrected") m.corrected = stat.as_int64() != 0;
      if (name == "offset_variance_ns2") m.offset_variance_ns2 = stat.as_double();
      if (name == "clock_skew_ps") m.clock_skew_ps = stat.as_int64();
      if (name == "snapshot_source")
        m.snapshots = text == "file"       ? snapshot_source::file
                      : text == "embedded" ? snapshot_source::embedded
                                           : snapshot_source::none;
      if (name == "clock_windows") {
        auto windows = windows_of(text);
        sound = sound && windows.has_value();
        if (windows) m.bounds.windows = std::move(*windows);
      }
    });
    if (!sound) {
      fault f;
      f.code = fault_code::damaged;
      f.message = "plane " + std::string(planes.name()) + ": its clock_windows cannot be read";
      f.byte_offset = offset_in(xspace, planes.body().data());
      f.hint = "Merge the traces again.";
      return f;
    }
    m.bounds.known = m.corrected && !m.bounds.windows.empty();
    found.push_back(std::move(m));
  }
  return found;
}

// What a merge says of a node before its events in trace JSON.
std::optional<clock_metadata> clock_of_section(std::string_view section) {
  if (section.substr(0, section_head.size()) != section_head) return std::nullopt;
  const std::string_view args = section.substr(section_head.size());
  const json_value_end whole = end_of_value(args.data(), args.data() + args.size(), limits{}.max_nesting);
  if (whole.why != json_end::found) return std::nullopt;
  const std::string_view said(args.data(), static_cast<std::size_t>(whole.end - args.data()));
  const std::string_view clock = json_member(said, "clock");
  std::string scratch;
  const auto text = [&](std::string_view object, std::string_view key) { return std::string(json_text(json_member(object, key), scratch)); };
  clock_metadata m;
  m.bounds.node_id = json_integer(json_member(said, "node")).value_or(0);
  m.origin_ns = json_integer(json_member(said, base_time_key)).value_or(0);
  m.hostname = text(said, "hostname");
  m.run_id = text(clock, "run_id");
  m.status = text(clock, "status");
  m.method = text(clock, "method");
  m.reference_node = json_integer(json_member(clock, "reference_node")).value_or(0);
  m.corrected = m.status == "corrected";
  auto windows = windows_of(json_member(clock, "windows"));
  m.bounds.known = m.corrected && windows && !windows->empty();
  if (windows) m.bounds.windows = std::move(*windows);
  return m;
}

}  // namespace

trace_clocks read_trace_clocks(std::string_view xspace) {
  trace_clocks found;
  trace_planes planes(xspace);
  while (planes.next()) {
    found.merged = found.merged || metadata_node(planes.name()).has_value();
    if (planes.name() != environment_plane || found.profile_start_ns) continue;
    each_plane_stat(plane_view(planes.body()), [&](std::string_view name, const stat_view& stat) {
      const bool is_number = stat.kind() == stat_kind::uint64_value || stat.kind() == stat_kind::int64_value;
      if (name == "profile_start_time" && is_number && stat.as_int64() >= 0) found.profile_start_ns = stat.as_int64();
    });
  }
  for (const std::string_view host : xspace_view(xspace).hostnames()) found.hostnames.emplace_back(host);
  return found;
}

result<std::vector<clock_metadata>> read_clock_metadata(std::string_view xspace) {
  return contained([&]() -> result<std::vector<clock_metadata>> {
    if (auto of_node = clock_of_section(xspace)) return std::vector<clock_metadata>{std::move(*of_node)};
    return read_clocks(xspace);
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
