#include "observe.hpp"

#include <profkit/time.hpp>
#include <profkit/xspace.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class observation {
 public:
  observation(const merge_plan& plan, merge_observer& observer) : plan_(plan), observer_(observer) {}

  result<void> run() {
    for (const plane_plan& p : plan_.planes) {
      const plane_header header = plane_view(p.body).header();
      std::vector<metadata_slot> event_slots(metadata_index::slots_needed(header.event_metadata_count));
      std::vector<metadata_slot> stat_slots(metadata_index::slots_needed(header.stat_metadata_count));
      const auto names = metadata_index::of_event_metadata(plane_view(p.body), event_slots.data(), event_slots.size());
      const auto stats = metadata_index::of_stat_metadata(plane_view(p.body), stat_slots.data(), stat_slots.size());
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i)
        if (auto ok = observe_line(p, plan_.lines[i], names, stats); !ok) return ok;
      plan_.trace_of(p).forget(p.body);
    }
    return {};
  }

 private:
  result<void> observe_line(const plane_plan& p, const line_plan& line, const metadata_index& names,
                            const metadata_index& stats) {
    const aligned_trace& t = plan_.trace_of(p);
    line_mapper mapper(line.clock);
    merge_observer::event e;
    e.node = p.node;
    e.plane = p.name;
    e.line_id = line.facts.id;
    const line_view view(line.body);
    const auto events = view.events();
    for (auto at = events.begin(); !at.done(); ++at, ++e.index) {
      const event_view event = *at;
      if (event.data_case() == event_data_case::num_occurrences) continue;
      std::int64_t at_ps = 0;
      if (!mapper.map(event.offset_ps(), at_ps)) continue;
      const std::int64_t correction =
          line.clock.clock == nullptr ? 0 : mapper.host_time(event.offset_ps()) - at_ps + line.clock.to_local_ps;
      set_instant(plan_.all.base_ns, at_ps, e.after_ns, e.after_sub_ps);
      set_instant(plan_.all.base_ns, saturating_add(at_ps, correction), e.before_ns, e.before_sub_ps);
      e.recorded_ns = e.before_ns;
      e.recorded_sub_ps = e.before_sub_ps;
      if (line.clock.kind == line_correction::how::tracer)
        set_instant(t.start.gpu_ns.value_or(0), event.offset_ps(), e.recorded_ns, e.recorded_sub_ps);
      const metadata_entry entry = names.find(event.metadata_id());
      e.name = entry ? event_metadata_view(entry.bytes).name() : std::string_view();
      e.op = {};
      e.correlation_id = -1;
      for (const stat_view stat : event.stats()) {
        const resolved_stat r = resolve_stat(stat, stat_origin::event, stats);
        if (r.name == "hlo_op") e.op = r.text;
        if (r.name == "correlation_id") e.correlation_id = stat.as_int64();
      }
      if (auto ok = observer_.take(e); !ok) return ok;
    }
    return {};
  }
  static void set_instant(std::int64_t base_ns, std::int64_t ps, std::int64_t& ns, std::int64_t& sub_ps) noexcept {
    std::int64_t whole = ps / ps_per_ns;
    sub_ps = ps % ps_per_ns;
    if (sub_ps < 0) {
      sub_ps += ps_per_ns;
      --whole;
    }
    ns = saturating_add(base_ns, whole);
  }

  const merge_plan& plan_;
  merge_observer& observer_;
};

}  // namespace

result<void> observe_events(const merge_plan& plan, merge_observer& observer) {
  return observation(plan, observer).run();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
