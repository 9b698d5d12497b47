#include "trace_survey.hpp"

#include <profkit/core/capture.hpp>
#include <profkit/time.hpp>
#include <profkit/xspace.hpp>

#include <base/affix.hpp>
#include <base/thread_pool.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_trace_planes = std::size_t{1} << 16;
constexpr std::size_t max_trace_lines = std::size_t{1} << 20;
constexpr std::string_view device_prefix = "/device:GPU:";
constexpr std::string_view roctracer_plane = "/host:ROCTRACER", tracer_line = "Host Threads/";

std::string_view name_of_plane(std::string_view body) noexcept {
  std::string_view name;
  wire_reader reader(body);
  for (wire_field field; reader.next(field);) {
    if (field.is_bytes(2)) name = field.bytes;
    if (field.number > 2 && !name.empty()) break;
  }
  return name;
}

bool is_clock_metadata(std::string_view plane) noexcept {
  constexpr std::string_view ending = "/clock_metadata";
  return plane.find("/node:") != std::string_view::npos && plane.size() >= ending.size() &&
         plane.substr(plane.size() - ending.size()) == ending;
}

class surveyor {
 public:
  surveyor(const merge_options& o, const hooks& host, shared_progress& progress, merge_plan& plan)
      : o_(o), host_(host), progress_(progress), plan_(plan) {}

  result<void> run() {
    plan_.rules.keep_order = o_.keep_order;
    plan_.rules.scale_durations = o_.scale_durations;
    for (std::size_t i = 0; i < plan_.all.traces.size(); ++i)
      if (auto ok = list_planes(i); !ok) return ok;
    guess_zero();
    if (auto ok = survey(); !ok) return ok;
    return settle_zero();
  }

 private:
  fault in_trace(std::size_t trace, fault_code code, std::string what, const char* at) const {
    const aligned_trace& t = plan_.all.traces[trace];
    fault f;
    f.code = code;
    f.path = t.input.path;
    f.byte_offset = offset_in(t.bytes, at);
    f.message = "node " + std::to_string(t.input.node_id) + ": " + std::move(what);
    return f;
  }
  result<void> fail_or_warn(const fault& f) {
    if (!o_.keep_going || f.code == fault_code::cancelled) return f;
    plan_.all.warnings.push_back(fault_text(f));
    return {};
  }

  // Notes the planes and lines of a trace by hopping over lengths.
  result<void> list_planes(std::size_t trace) {
    const aligned_trace& t = plan_.all.traces[trace];
    if (!t.usable) return {};
    if (auto why = why_not_xspace(t.bytes)) {
      plan_.all.traces[trace].report.status = node_status::corrupt;
      fault f = in_trace(trace, why->code, why->message, t.bytes.data());
      f.hint = why->hint;
      plan_.all.traces[trace].usable = false;
      plan_.all.traces[trace].lose(f);
      return fail_or_warn(f);
    }
    wire_reader reader(t.bytes);
    for (wire_field field; reader.next(field);) {
      if (!field.is_bytes(1)) continue;
      if (plan_.planes.size() == max_trace_planes)
        return in_trace(trace, fault_code::limit, "more than " + std::to_string(max_trace_planes) + " planes",
                        field.bytes.data());
      plane_plan p;
      p.trace = trace;
      p.body = field.bytes;
      p.name = name_of_plane(p.body);
      p.node = t.input.node_id;
      if (!t.before.empty() && (is_clock_metadata(p.name) || p.name == environment_plane_name))
        continue;  // written anew
      p.device = starts_with(p.name, device_prefix);
      p.first_line = plan_.lines.size();
      if (const char* damage = list_lines(p)) {
        plan_.lines.resize(p.first_line);
        if (plan_.lines.size() >= max_trace_lines)
          return in_trace(trace, fault_code::limit, "more than " + std::to_string(max_trace_lines) + " lines", damage);
        plan_.all.traces[trace].report.status = node_status::corrupt;
        fault f = in_trace(trace, fault_code::damaged, "plane " + std::string(p.name) + " is damaged", damage);
        f.hint = "Fetch the trace again; --keep-going leaves the plane out.";
        plan_.all.traces[trace].lose(f);
        if (auto ok = fail_or_warn(f); !ok) return ok;
        continue;
      }
      p.line_count = plan_.lines.size() - p.first_line;
      plan_.planes.push_back(std::move(p));
      t.forget(field.bytes);
    }
    return {};
  }

  // Null, or where the plane is damaged.
  const char* list_lines(plane_plan& p) {
    wire_reader reader(p.body);
    for (wire_field field; reader.next(field);) {
      if (field.is_bytes(3)) {
        if (plan_.lines.size() >= max_trace_lines) return field.bytes.data();
        line_plan& line = plan_.lines.emplace_back();
        line.body = field.bytes;
        continue;
      }
      if (field.is_varint(1)) {
        p.id = static_cast<std::int64_t>(field.value);
        continue;
      }
      if (field.number == 1 || field.number == 2) continue;
      if (field.is_bytes(5)) {
        const stat_metadata_view entry(field.bytes);
        if (!entry.ok()) return field.bytes.data();
        p.max_stat_id = std::max(p.max_stat_id, entry.key());
        if (entry.name() == tag_names[0]) p.tag_ids[0] = entry.key();
        if (entry.name() == tag_names[1]) p.tag_ids[1] = entry.key();
        if (entry.name() == tag_names[2]) p.tag_ids[2] = entry.key();
      }
    }
    return reader.ok() ? nullptr : reader.position();
  }

  line_correction clock_of(const plane_plan& p, const line_facts& head) const {
    const aligned_trace& t = plan_.trace_of(p);
    line_correction c;
    const bool absolute = head.timestamp_ns >= min_absolute_ns;
    const std::int64_t wall = t.start.walltime_ns.value_or(plan_.all.base_ns);
    // Unix ns of the line's own zero, for lines of the host clock.
    const std::int64_t line_ns =
        absolute ? head.timestamp_ns : saturating_add(t.file_start_ns.value_or(plan_.all.base_ns), head.timestamp_ns);
    const bool by_tracer =
        t.given == nullptr && !t.has_one_clock && (p.device || (o_.tracer_host_threads && p.name == roctracer_plane && starts_with(head.name, tracer_line)));
    if (t.clock) {
      c.clock = &*t.clock;
      c.kind = by_tracer ? line_correction::how::tracer : line_correction::how::host;
      if (!by_tracer) c.base_ps = relative_ps(line_ns, wall).value_or(out_of_reach_ps);
      c.to_local_ps = relative_ps(wall, plan_.all.base_ns).value_or(0);
      return c;
    }
    // Aligned before, by wall time, or not at all. Device events of a node whose start is known count from it.
    const bool from_start =
        t.before.empty() && by_tracer && t.start.walltime_ns && o_.correction != merge_correction::none;
    c.base_ps = relative_ps(from_start ? wall : line_ns, plan_.all.base_ns).value_or(out_of_reach_ps);
    return c;
  }

  // The earliest of the first events: nearly always the earliest of all, which saves looking twice.
  void guess_zero() {
    if (o_.zero == merge_zero::reference || o_.zero == merge_zero::none) return;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const plane_plan& p : plan_.planes)
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i) {
        line_plan& line = plan_.lines[i];
        const line_facts head = read_line_head(line.body);
        const line_view view(line.body);
        const auto first = view.events().begin();
        if (first.done()) continue;
        const event_bytes e = read_event(first.bytes());
        if (e.aggregated || e.shape == event_shape::damaged) continue;
        const line_correction clock = clock_of(p, head);
        std::int64_t at_ps = 0;
        if (line_mapper(clock).map(e.offset_ps, at_ps)) least = std::min(least, at_ps);
      }
    plan_.rules.zero_ps = zero_before(o_.zero, least);
  }

  result<void> survey() {
    // Long lines first, so that threads end together.
    std::vector<std::pair<std::size_t, std::size_t>> order;  // line, plane
    for (std::size_t p = 0; p < plan_.planes.size(); ++p)
      for (std::size_t i = 0; i < plan_.planes[p].line_count; ++i)
        order.emplace_back(plan_.planes[p].first_line + i, p);
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      return plan_.lines[a.first].body.size() > plan_.lines[b.first].body.size();
    });
    auto done = for_each_item(order.size(), host_, [&](std::size_t item) -> result<void> {
      const auto [i, p] = order[item];
      line_plan& line = plan_.lines[i];
      const plane_plan& plane = plan_.planes[p];
      line_facts head = read_line_head(line.body);
      for (int attempt = 0; attempt < 2; ++attempt) {
        line.clock = clock_of(plane, head);
        if (auto ok = look_at(line, plane); !ok) return ok;
        // A time base after the events counts as well; writers do not do that.
        if (line.facts.timestamp_ns == head.timestamp_ns) break;
        head = line.facts;
      }
      return {};
    });
    if (!done) return done;
    // One at a time: sorting takes memory.
    for (std::size_t p = 0; p < plan_.planes.size(); ++p)
      for (std::size_t i = plan_.planes[p].first_line; i < plan_.planes[p].first_line + plan_.planes[p].line_count;
           ++i) {
        line_plan& line = plan_.lines[i];
        if (line.facts.damage || line.facts.in_order) continue;
        survey_unsorted(line.body, line.clock, plan_.rules, line.facts);
        plan_.trace_of(plan_.planes[p]).forget(line.body);
      }
    return check_survey();
  }

  result<void> look_at(line_plan& line, const plane_plan& plane) {
    const aligned_trace& t = plan_.trace_of(plane);
    line.facts =
        survey_line(line.body, line.clock, plan_.rules, [&](std::uint64_t from, std::uint64_t to) -> result<void> {
          t.forget(line.body.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
          return progress_.add(to - from);
        });
    if (line.facts.stopped) return std::move(*line.facts.stopped);
    return {};
  }

  // Damage and times out of reach, in the order of the input whatever thread met them.
  result<void> check_survey() {
    std::vector<plane_plan> kept;
    for (plane_plan& p : plan_.planes) {
      bool broken = false;
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i) {
        const line_facts& facts = plan_.lines[i].facts;
        if (facts.damage) {
          fault f = in_trace(p.trace, fault_code::damaged,
                             "an event or field of plane " + std::string(p.name) + " is damaged",
                             plan_.lines[i].body.data() + *facts.damage);
          f.hint = "Fetch the trace again; --keep-going leaves the plane out.";
          plan_.all.traces[p.trace].report.status = node_status::corrupt;
          plan_.all.traces[p.trace].lose(f);
          if (auto ok = fail_or_warn(f); !ok) return ok;
          broken = true;
          break;
        }
        if (!facts.unreachable) continue;
        fault f =
            in_trace(p.trace, fault_code::unsupported,
                     std::to_string(facts.out_of_reach) + (facts.out_of_reach == 1 ? " event" : " events") +
                         " of plane " + std::string(p.name) +
                         (facts.out_of_reach == 1 ? " lies" : " lie") +
                         " more than 53 days from the start of the timeline, which int64 picoseconds since then "
                         "cannot hold",
                     plan_.lines[i].body.data() + *facts.unreachable);
        f.hint =
            "Check the start times in the offsets header; --keep-going puts such events at the end of the timeline.";
        if (auto ok = fail_or_warn(f); !ok) return ok;
      }
      if (!broken) kept.push_back(std::move(p));
    }
    plan_.planes = std::move(kept);
    return {};
  }

  result<void> settle_zero() {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const plane_plan& p : plan_.planes)
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i)
        least = std::min(least, plan_.lines[i].facts.least_ps);
    const std::int64_t zero = zero_before(o_.zero, least);
    if (zero != plan_.rules.zero_ps) {
      plan_.rules.zero_ps = zero;  // an earlier event stood further back: sizes change
      if (auto ok = survey(); !ok) return ok;
    }
    return {};
  }

  const merge_options& o_;
  const hooks& host_;
  shared_progress& progress_;
  merge_plan& plan_;
};

}  // namespace

std::int64_t zero_before(merge_zero which, std::int64_t least_ps) noexcept {
  if (which == merge_zero::reference || which == merge_zero::none || least_ps == std::numeric_limits<std::int64_t>::max()) return 0;
  if (which == merge_zero::automatic && least_ps >= 0) return 0;
  std::int64_t ns = least_ps / ps_per_ns;
  if (least_ps % ps_per_ns < 0) --ns;
  return ns * ps_per_ns;
}

result<void> survey_traces(const merge_options& o, const hooks& host, shared_progress& progress, merge_plan& plan) {
  return surveyor(o, host, progress, plan).run();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
