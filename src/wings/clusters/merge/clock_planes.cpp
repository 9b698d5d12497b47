#include "clock_planes.hpp"

#include <profkit/time.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "trace_survey.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_windows = 512;  // of one node
constexpr std::int64_t metadata_plane_ids = 900'000;

bool is_given_method(std::string_view method) noexcept { return !method.empty() && method != measured_method; }

void append_stat_name(std::string& to, std::int64_t id, std::string_view name) {
  std::string value, entry;
  append_varint_field(value, 1, as_wire(id));
  append_bytes_field(value, 2, name);
  append_varint_field(entry, 1, as_wire(id));
  append_bytes_field(entry, 2, value);
  append_bytes_field(to, 5, entry);
}
void append_plane_stat(std::string& to, std::int64_t id, std::uint32_t kind, std::uint64_t value) {
  std::string stat;
  append_varint_field(stat, 1, as_wire(id));
  if (kind == 2)
    append_fixed64_field(stat, 2, value);
  else
    append_varint_field(stat, kind, value);
  append_bytes_field(to, 6, stat);
}
void append_plane_stat(std::string& to, std::int64_t id, std::string_view text) {
  std::string stat;
  append_varint_field(stat, 1, as_wire(id));
  append_bytes_field(stat, 5, text);
  append_bytes_field(to, 6, stat);
}
std::uint64_t bits_of(double d) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &d, sizeof bits);
  return bits;
}
double as_ns(std::int64_t ps) noexcept { return static_cast<double>(ps) / 1000.0; }

// A plane of stats alone, as a field of the XSpace.
class stat_plane {
 public:
  stat_plane(std::int64_t id, const std::string& name) {
    if (id != 0) append_varint_field(head_, 1, as_wire(id));
    append_bytes_field(head_, 2, name);
  }
  void number(std::string_view name, std::int64_t value) { append_plane_stat(stats_, named(name), 4, as_wire(value)); }
  void real(std::string_view name, double value) { append_plane_stat(stats_, named(name), 2, bits_of(value)); }
  void text(std::string_view name, std::string_view value) { append_plane_stat(stats_, named(name), as_utf8(value)); }
  void whole(std::string_view name, std::uint64_t value) { append_plane_stat(stats_, named(name), 3, value); }
  [[nodiscard]] std::string field() const {
    std::string all;
    append_bytes_field(all, 1, head_ + names_ + stats_);
    return all;
  }

 private:
  std::int64_t named(std::string_view name) {
    append_stat_name(names_, ++last_id_, name);
    return last_id_;
  }
  std::string head_, names_, stats_;
  std::int64_t last_id_ = 0;
};

}  // namespace

std::string windows_text(const node_bounds& bounds) {
  std::vector<clock_window> windows = bounds.windows;
  // A long run has many windows; neighbours then share the wider bound.
  while (windows.size() > max_windows) {
    std::vector<clock_window> fewer;
    for (std::size_t i = 0; i < windows.size(); i += 2) {
      clock_window w = windows[i];
      if (i + 1 < windows.size()) {
        const clock_window& next = windows[i + 1];
        w.to_ps = next.to_ps;
        w.tracer_bound_ps = std::min(w.tracer_bound_ps, next.tracer_bound_ps) < 0 ? clock_window::unknown_ps
                                                                                  : std::max(w.tracer_bound_ps, next.tracer_bound_ps);
        w.host_bound_ps = std::max(w.host_bound_ps, next.host_bound_ps);
        w.extrapolated = w.extrapolated || next.extrapolated;
        w.suspect = w.suspect || next.suspect;
      }
      fewer.push_back(w);
    }
    windows = std::move(fewer);
  }
  std::string text = "[";
  for (const clock_window& w : windows) {
    if (text.size() > 1) text += ',';
    text += '[' + std::to_string(w.from_ps) + ',' + std::to_string(w.to_ps) + ',' + std::to_string(w.tracer_bound_ps) +
            ',' + std::to_string(w.host_bound_ps) + ',' +
            std::to_string((w.extrapolated ? 1 : 0) + (w.suspect ? 2 : 0)) + ']';
  }
  return text + ']';
}

// Which node a plane is of: stat names that are new to it, then the stats.
std::string tags_of(const plane_plan& p, const merged_node& node) {
  std::string names, stats;
  std::int64_t next = p.max_stat_id;
  for (std::size_t i = 0; i < std::size(tag_names); ++i) {
    std::int64_t id = p.tag_ids[i];
    if (id == 0) {
      id = static_cast<std::int64_t>(as_wire(++next));
      append_stat_name(names, id, tag_names[i]);
    }
    if (i == 0) append_plane_stat(stats, id, 4, as_wire(node.id));
    if (i == 1) append_plane_stat(stats, id, as_utf8(node.hostname));
    if (i == 2) append_plane_stat(stats, id, 2, bits_of(as_ns(node.residual_ps)));
  }
  return names + stats;
}

std::string clock_plane_field(const merged_node& n, std::int64_t index, const merge_result& made,
                              const std::string& prefix) {
  stat_plane plane(metadata_plane_ids + index, prefix + "/node:" + std::to_string(n.id) + "/clock_metadata");
  plane.number("snapshot_count", static_cast<std::int64_t>(n.snapshots));
  plane.number("sampling_period_ns", n.sampling_period_ns);
  plane.number("offset_window_count", static_cast<std::int64_t>(n.offset_windows));
  plane.real("offset_variance_ns2", n.offset_variance_ns2);
  plane.real("clock_skew_ns", as_ns(n.residual_ps));
  plane.number("clock_skew_ps", n.residual_ps);
  plane.text("snapshot_source", snapshot_source_name(n.snapshots_from));
  plane.number("corrected", n.status == node_status::corrected ? 1 : 0);
  plane.text("status", node_status_name(n.status));
  if (is_given_method(n.method)) plane.text("clock_method", n.method);
  plane.number("node_id", n.id);
  plane.text("hostname", n.hostname);
  plane.text("run_id", made.run_id);
  plane.number("reference_node", made.reference_node);
  plane.number("origin_ns", made.origin_ns);
  if (n.bounds.known) plane.text("clock_windows", windows_text(n.bounds));
  return plane.field();
}

// Where time zero stands, as profilers say it.
std::string environment_field(const merge_plan& plan, std::int64_t origin_ns) {
  std::int64_t most = plan.rules.zero_ps;
  for (const plane_plan& p : plan.planes)
    for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i)
      most = std::max(most, plan.lines[i].facts.most_ps);
  stat_plane plane(0, std::string(environment_plane_name));
  plane.whole("profile_start_time", as_wire(origin_ns));
  plane.whole("profile_stop_time", as_wire(origin_ns + (most - plan.rules.zero_ps) / ps_per_ns + 1));
  return plane.field();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
