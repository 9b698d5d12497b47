#include <profkit/core/merge.hpp>

#include <algorithm>
#include <utility>

#include "document.hpp"
#include "options.hpp"
#include "profile.hpp"

struct pk_clock {
  profkit::node_clock clock;
};

struct pk_merge {
  profkit::merge_result found;
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {


constexpr std::uint32_t known_clock_flags = PK_CLOCK_IS_REFERENCE | PK_CLOCK_NO_DRIFT_SLOPE;
constexpr std::uint32_t known_offset_flags = PK_OFFSET_HAS_DRIFT | PK_OFFSET_HAS_RESIDUAL;
constexpr std::uint32_t known_merge_flags = PK_MERGE_KEEP_GOING | PK_MERGE_KEEP_ORDER | PK_MERGE_SCALE_DURATIONS |
                                            PK_MERGE_TRACER_HOST_THREADS | PK_MERGE_NO_DRIFT_SLOPE;

bool is_sub_ps(std::int32_t n) noexcept { return n >= 0 && n < 1000; }

result<clock_evidence> read_evidence(const pk_clock_options& given) {
  if ((given.flags & ~known_clock_flags) != 0) return unknown_flags("pk_clock_options", given.flags);
  if (!given.pairs && given.pair_count != 0) return null_argument("pairs");
  if (!given.offsets && given.offset_count != 0) return null_argument("offsets");
  clock_evidence e;
  e.node_id = given.node_id;
  e.is_reference = (given.flags & PK_CLOCK_IS_REFERENCE) != 0;
  e.tracer_base_ns = given.tracer_base_ns;
  e.host_base_ns = given.host_base_ns;
  e.reference_base_ns = given.reference_base_ns;
  for (std::size_t i = 0; i < given.pair_count; ++i) {
    const pk_clock_pair& p = given.pairs[i];
    if (!is_sub_ps(p.tracer_sub_ps) || !is_sub_ps(p.host_sub_ps))
      return invalid_argument("pair " + std::to_string(i) + ": sub_ps is not in [0, 1000)");
    e.snapshots.push_back({{p.tracer_ns, p.tracer_sub_ps}, {p.host_ns, p.host_sub_ps}});
  }
  for (std::size_t i = 0; i < given.offset_count; ++i) {
    const pk_clock_offset& o = given.offsets[i];
    if ((o.flags & ~known_offset_flags) != 0) return unknown_flags("pk_clock_offset", o.flags);
    if (!is_sub_ps(o.midpoint_sub_ps) || o.resolution_ps < 0)
      return invalid_argument("offset " + std::to_string(i) +
                              ": midpoint_sub_ps is not in [0, 1000), or resolution_ps is negative");
    offset_row row;
    row.node_id = given.node_id;
    row.midpoint = {o.midpoint_ns, o.midpoint_sub_ps};
    row.offset_ps = o.offset_ps;
    row.resolution_ps = o.resolution_ps;
    if ((o.flags & PK_OFFSET_HAS_DRIFT) != 0) row.drift_ppt = o.drift_ppt;
    if ((o.flags & PK_OFFSET_HAS_RESIDUAL) != 0) row.residual_ps = std::max<std::int64_t>(o.residual_ps, 0);
    e.offsets.push_back(row);
  }
  return e;
}

bool is_domain(std::int32_t domain) noexcept { return domain == PK_CLOCK_TRACER || domain == PK_CLOCK_HOST; }
fault no_such_domain(std::int32_t domain) {
  return invalid_argument("there is no clock domain " + std::to_string(domain), "use PK_CLOCK_TRACER or PK_CLOCK_HOST");
}

result<std::vector<std::string>> read_texts(const char* const* texts, std::size_t count, const char* name) {
  if (!texts && count != 0) return null_argument(name);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(text_of(texts[i]));
  return all;
}

result<merge_options> read_merge_options(const pk_merge_options& given) {
  if ((given.flags & ~known_merge_flags) != 0) return unknown_flags("pk_merge_options", given.flags);
  if (given.reserved != 0) return invalid_argument("pk_merge_options::reserved is not 0");
  const auto outside = [](std::int32_t n, std::int32_t most) { return n < 0 || n > most; };
  if (outside(given.correction, PK_CORRECTION_NONE) || outside(given.zero, PK_ZERO_NONE) ||
      outside(given.planes, PK_PLANES_NODE) || outside(given.io, PK_IO_MAP) || outside(given.format, PK_MERGED_TRACE_JSON))
    return invalid_argument("correction, zero, planes, io or format is out of range",
                            "use PK_CORRECTION_, PK_ZERO_, PK_PLANES_, PK_IO_ and PK_MERGED_ constants");
  merge_options o;
  auto traces = read_texts(given.traces, given.trace_count, "traces");
  if (!traces) return std::move(traces).error();
  auto snapshots = read_texts(given.snapshots, given.snapshot_count, "snapshots");
  if (!snapshots) return std::move(snapshots).error();
  if (!given.profiles && given.profile_count != 0) return null_argument("profiles");
  for (std::size_t i = 0; i < given.profile_count; ++i) {
    if (!given.profiles[i]) return null_argument(("profiles[" + std::to_string(i) + "]").c_str());
    o.opened.push_back(given.profiles[i]->core);
  }
  o.traces = std::move(*traces);
  o.snapshots = std::move(*snapshots);
  o.offsets = text_of(given.offsets);
  o.run_metadata = text_of(given.run_metadata);
  o.run_dir = text_of(given.run_dir);
  o.not_an_input = text_of(given.output);
  o.plane_prefix = text_of(given.plane_prefix);
  o.correction = static_cast<merge_correction>(given.correction);
  o.zero = static_cast<merge_zero>(given.zero);
  o.scheme = static_cast<plane_scheme>(given.planes);
  o.output = static_cast<merged_format>(given.format);
  o.io = static_cast<io_mode>(given.io);
  const auto has = [&](std::uint32_t flag) { return (given.flags & flag) != 0; };
  o.keep_going = has(PK_MERGE_KEEP_GOING);
  o.keep_order = has(PK_MERGE_KEEP_ORDER);
  o.scale_durations = has(PK_MERGE_SCALE_DURATIONS);
  o.tracer_host_threads = has(PK_MERGE_TRACER_HOST_THREADS);
  o.clocks.drift_slope = !has(PK_MERGE_NO_DRIFT_SLOPE);
  auto bounds = read_limits(given.limits);
  if (!bounds) return std::move(bounds).error();
  o.bounds = *bounds;
  return o;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_clock_build(const pk_clock_options* options, pk_clock** out, pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!options) return null_argument("options");
    if (!out) return null_argument("out");
    auto given = read_sized_struct<pk_clock_options>(options, "pk_clock_options");
    if (!given) return std::move(given).error();
    auto evidence = read_evidence(*given);
    if (!evidence) return std::move(evidence).error();
    profkit::clock_options how;
    how.drift_slope = (given->flags & PK_CLOCK_NO_DRIFT_SLOPE) == 0;
    auto built = profkit::node_clock::build(*evidence, how);
    if (!built) return std::move(built).error();
    *out = new pk_clock{std::move(*built)};
    return PK_OK;
  });
}

pk_status pk_clock_map(const pk_clock* clock, int32_t domain, const int64_t* from, int64_t* to, size_t count,
                       pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!clock) return null_argument("clock");
    if (!is_domain(domain)) return no_such_domain(domain);
    if (count == 0) return PK_OK;
    if (!from) return null_argument("from");
    if (!to) return null_argument("to");
    profkit::node_clock::cursor at;
    for (std::size_t i = 0; i < count; ++i)
      to[i] = domain == PK_CLOCK_TRACER ? clock->clock.from_tracer(from[i], at).reference_ps
                                        : clock->clock.from_host(from[i], at).reference_ps;
    return PK_OK;
  });
}

pk_status pk_clock_bound(const pk_clock* clock, int32_t domain, int64_t corrected_ps, int64_t* bound_ps,
                         pk_error** err) noexcept {
  if (bound_ps) *bound_ps = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!clock) return null_argument("clock");
    if (!is_domain(domain)) return no_such_domain(domain);
    if (!bound_ps) return null_argument("bound_ps");
    *bound_ps = clock->clock.bound_at(corrected_ps, static_cast<profkit::clock_domain>(domain)).value_or(-1);
    return PK_OK;
  });
}

void pk_clock_free(pk_clock* clock) noexcept { delete clock; }

pk_status pk_merge_run(const pk_merge_options* options, pk_write_callback write, void* user, pk_merge** out,
                       pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!options) return null_argument("options");
    auto given = read_sized_struct<pk_merge_options>(options, "pk_merge_options");
    if (!given) return std::move(given).error();
    auto asked = read_merge_options(*given);
    if (!asked) return std::move(asked).error();
    if (!write && text_of(given->output).empty())
      return invalid_argument("there is neither a callback nor an output file to write to");
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    std::unique_ptr<profkit::sink> into;
    if (write) {
      into = profkit::callback_sink(write, user);
    } else {
      for (std::size_t i = 0; i < given->profile_count; ++i)
        if (auto free = check_output(*given->profiles[i], given->output); !free) return std::move(free).error();
      auto file = profkit::atomic_file_sink(given->output);
      if (!file) return std::move(file).error();
      into = std::move(file).value();
    }
    auto merged = profkit::merge_traces(*asked, *into, bridge.core());
    if (!merged) return std::move(merged).error();
    auto made = std::make_unique<pk_merge>(pk_merge{std::move(*merged)});
    if (result<void> finished = into->finish(); !finished) return std::move(finished).error();
    if (out) *out = made.release();
    return PK_OK;
  });
}

size_t pk_merge_node_count(const pk_merge* merge) noexcept { return merge ? merge->found.nodes.size() : 0; }

pk_status pk_merge_node_get(const pk_merge* merge, size_t node, pk_merge_node* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!merge) return null_argument("merge");
    if (!out) return null_argument("out");
    const auto& nodes = merge->found.nodes;
    if (node >= nodes.size())
      return invalid_argument("there is no node at " + std::to_string(node) + ": the number is " +
                              std::to_string(nodes.size()));
    const profkit::merged_node& n = nodes[node];
    out->id = n.id;
    out->hostname = borrowed(n.hostname);
    out->trace = borrowed(n.trace);
    out->events = n.events;
    out->planes = n.planes;
    out->clamped_events = n.clamped_events;
    out->snapshots = n.snapshots;
    out->offset_windows = n.offset_windows;
    out->max_correction_ps = n.max_correction_ps;
    out->residual_ps = n.residual_ps;
    out->tracer_bound_ps = n.bounds.widest(profkit::clock_domain::tracer).value_or(-1);
    out->host_bound_ps = n.bounds.widest(profkit::clock_domain::host).value_or(-1);
    out->status = static_cast<std::int32_t>(n.status);
    out->aligned_before = n.aligned_before ? 1 : 0;
    return PK_OK;
  });
}

int64_t pk_merge_origin_ns(const pk_merge* merge) noexcept { return merge ? merge->found.origin_ns : 0; }

pk_status pk_merge_write(const pk_merge* merge, pk_write_callback write, void* user, pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!merge) return null_argument("merge");
    if (!write) return null_argument("write");
    return write_to_host(write, user, nullptr,
                         [&](profkit::sink& into) { return profkit::write_merge_metadata(merge->found, into); });
  });
}

void pk_merge_free(pk_merge* merge) noexcept { delete merge; }
