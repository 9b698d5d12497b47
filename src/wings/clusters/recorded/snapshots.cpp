// Clock snapshots of a node: as a message of their own, and as the plane that a trace carries.
#include <profkit/core/clock.hpp>
#include <profkit/time.hpp>
#include <profkit/xspace.hpp>

#include <base/contained.hpp>
#include <formats/xspace/trace_planes.hpp>

#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view snapshot_plane = "/host:snapshots";
constexpr std::string_view tracer_stat = "rocm_ns";
constexpr std::int64_t day_ns = 86'400 * ns_per_s;
constexpr std::uint64_t max_ns = std::uint64_t{1} << 63;

fault bad_snapshots(const std::string& path, std::string what, std::uint64_t at) {
  fault f;
  f.code = fault_code::damaged;
  f.path = path;
  f.message = std::move(what);
  f.byte_offset = at;
  f.hint = "Expected a message SnapshotPairs {1: {1: sys_clock_ns, 2: tracer_clock_ns}, 2: sampling_period_ns}.";
  return f;
}

result<snapshot_set> read_pairs(std::string_view bytes, const std::string& path) {
  snapshot_set found;
  found.source = snapshot_source::file;
  wire_reader reader(bytes);
  for (wire_field field; reader.next(field);) {
    const std::uint64_t at = field.bytes.empty() ? no_offset : offset_in(bytes, field.bytes.data());
    if (field.is_varint(2)) {
      found.sampling_period_ns = field.value < max_ns ? static_cast<std::int64_t>(field.value) : 0;
    } else if (field.is_bytes(1)) {
      std::uint64_t host = 0, tracer = 0;
      wire_reader inner(field.bytes);
      for (wire_field part; inner.next(part);) {
        if (part.is_varint(1))
          host = part.value;
        else if (part.is_varint(2))
          tracer = part.value;
        else
          return bad_snapshots(path, "this is no snapshot file: a pair has a field " + std::to_string(part.number), at);
      }
      if (!inner.ok()) return bad_snapshots(path, "a snapshot pair is damaged", offset_in(bytes, inner.position()));
      if (host >= max_ns || tracer >= max_ns)
        return bad_snapshots(path, "a snapshot lies past the year 2262, which int64 ns cannot hold", at);
      found.pairs.push_back({{static_cast<std::int64_t>(tracer), 0}, {static_cast<std::int64_t>(host), 0}});
    } else {
      return bad_snapshots(path, "this is no snapshot file: it has a field " + std::to_string(field.number), at);
    }
  }
  if (!reader.ok())
    return bad_snapshots(path, "the snapshot file ends inside a pair or is damaged",
                         offset_in(bytes, reader.position()));
  return found;
}

// ns and the rest of a time given as ns and ps; nothing when it does not fit.
std::optional<clock_instant> instant_of(std::int64_t ns, std::int64_t ps) noexcept {
  std::int64_t whole = ps / ps_per_ns, rest = ps % ps_per_ns;
  if (rest < 0) {
    rest += ps_per_ns;
    --whole;
  }
  const auto sum = checked_add(ns, whole);
  if (!sum) return std::nullopt;
  return clock_instant{*sum, static_cast<std::int32_t>(rest)};
}

class embedded_reader {
 public:
  embedded_reader(std::string_view xspace, std::string path) : xspace_(xspace), path_(std::move(path)) {}

  result<snapshot_set> run(const snapshot_read_options& o) {
    trace_planes planes(xspace_);
    while (planes.next()) {
      if (planes.name() != snapshot_plane) continue;
      if (auto ok = read_plane(planes.body()); !ok) return std::move(ok).error();
      break;  // only the first one counts
    }
    if (!found_.pairs.empty()) found_.source = snapshot_source::embedded;
    if (is_relative(o)) {
      const std::int64_t base = o.relative_to_ns.value_or(o.start_walltime_ns);
      for (clock_pair& p : found_.pairs) {
        const auto sum = checked_add(p.host.ns, base);
        if (!sum) return damaged("a snapshot's time does not fit int64 ns", xspace_.data());
        p.host.ns = *sum;
      }
      found_.host_is_relative = true;
    }
    return std::move(found_);
  }

 private:
  fault damaged(std::string what, const char* at) const {
    fault f;
    f.code = fault_code::damaged;
    f.path = path_;
    f.message = "plane /host:snapshots: " + std::move(what);
    f.byte_offset = offset_in(xspace_, at);
    f.hint = "Fetch the trace again, or give the snapshots as a file with --snapshots.";
    return f;
  }

  [[nodiscard]] bool is_relative(const snapshot_read_options& o) const noexcept {
    if (found_.pairs.empty() || o.start_walltime_ns <= 0) return false;
    const clock_pair& first = found_.pairs.front();
    return first.host.ns < o.start_walltime_ns && o.start_walltime_ns - day_ns > first.host.ns;
  }

  result<void> read_plane(std::string_view body) {
    const plane_view plane(body);
    std::vector<std::int64_t> ids;  // normally one
    for (const stat_metadata_view entry : plane.stat_metadata())
      if (entry.name() == tracer_stat) ids.push_back(entry.key());
    for (const line_view line : plane.lines()) {
      const std::int64_t at_ns = line.header().timestamp_ns;
      const auto events = line.events();
      for (auto event = events.begin(); !event.done(); ++event)
        if (auto ok = take(*event, at_ns, ids); !ok) return ok;
    }
    if (!plane.ok()) return damaged("it is cut or damaged", plane.damage());
    return {};
  }

  result<void> take(const event_view& event, std::int64_t line_ns, const std::vector<std::int64_t>& ids) {
    if (!event.ok()) return damaged("an event is damaged", event.bytes().data());
    for (const stat_view stat : event.stats()) {
      bool is_tracer = false;
      for (const std::int64_t id : ids) is_tracer = is_tracer || stat.metadata_id() == id;
      if (!is_tracer) continue;
      if (stat.kind() != stat_kind::uint64_value && stat.kind() != stat_kind::int64_value) continue;
      const auto host = instant_of(line_ns, event.offset_ps());
      if (!host || stat.as_uint64() >= max_ns) return damaged("a time does not fit int64 ns", event.bytes().data());
      found_.pairs.push_back({{stat.as_int64(), 0}, *host});
      break;
    }
    return {};
  }

  std::string_view xspace_;
  std::string path_;
  snapshot_set found_;
};

}  // namespace

result<snapshot_set> read_snapshot_pairs(std::string_view bytes, std::string path) {
  return contained([&] { return read_pairs(bytes, path); });
}

result<snapshot_set> read_embedded_snapshots(std::string_view xspace, const snapshot_read_options& o,
                                             std::string path) {
  return contained([&] { return embedded_reader(xspace, std::move(path)).run(o); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
