// The merge: look at every line once, name the planes, settle time zero, and write it all.
#include <profkit/core/merge.hpp>
#include <profkit/time.hpp>
#include <profkit/xspace.hpp>

#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/json_writer.hpp>
#include <base/progress.hpp>
#include <base/thread_pool.hpp>

#include "alignment.hpp"
#include "line_survey.hpp"
#include "merge_output.hpp"
#include "plane_names.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t most_planes = std::size_t{1} << 16;
constexpr std::size_t most_lines = std::size_t{1} << 20;
constexpr std::size_t most_windows = 512;  // in a plane's clock metadata
constexpr std::int64_t metadata_plane_ids = 900'000;
constexpr std::string_view gpu_prefix = "/device:GPU:";
constexpr std::string_view roctracer_plane = "/host:ROCTRACER", tracer_line = "Host Threads/";
constexpr std::string_view environment_plane = "Task Environment";
// What a merge adds to planes; a plane that has such a stat already loses it.
constexpr std::string_view node_stat = "node_id", host_stat = "hostname", skew_stat = "clock_skew_ns";

std::string_view name_of_plane(std::string_view body) noexcept {
  std::string_view name;
  wire_reader reader(body);
  for (wire_field field; reader.next(field);) {
    if (field.is_bytes(2)) name = field.bytes;
    if (field.number > 2 && !name.empty()) break;
  }
  return name;
}

bool starts_with(std::string_view text, std::string_view with) noexcept { return text.substr(0, with.size()) == with; }

bool is_clock_metadata(std::string_view plane) noexcept {
  constexpr std::string_view ending = "/clock_metadata";
  return plane.find("/node:") != std::string_view::npos && plane.size() >= ending.size() &&
         plane.substr(plane.size() - ending.size()) == ending;
}

struct line_plan {
  std::string_view body;
  line_clock clock;
  line_facts facts;
  std::uint64_t body_bytes = 0;  // of the line as it will be written
  std::string head, tail;        // fields around the events
};

struct plane_plan {
  std::size_t trace = 0;
  std::string_view body, name;
  std::int64_t id = 0;
  std::int64_t node = 0;
  std::size_t first_line = 0, line_count = 0;
  std::uint64_t copied_bytes = 0;
  std::int64_t most_stat_id = 0;
  // Stat metadata of the names that a merge adds; 0: there is none yet.
  std::int64_t known_ids[3] = {};
  bool device = false;
  plane_name named;
  std::string head, tail;  // fields before and after everything else
  std::uint64_t body_bytes = 0;
};

// Progress over both passes, from any thread.
class shared_progress {
 public:
  shared_progress(const hooks& host, std::uint64_t total) : meter_(host, total) {}
  result<void> add(std::uint64_t bytes) {
    const std::uint64_t done = done_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    return lock.owns_lock() ? meter_.step(done) : result<void>();
  }

 private:
  progress_meter meter_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
};

class merger {
 public:
  merger(const merge_options& o, sink& into, const hooks& host, merge_observer* observer)
      : o_(o), into_(into), host_(host), observer_(observer) {}

  result<merge_result> run() {
    auto aligned = align_traces(o_, host_);
    if (!aligned) return std::move(aligned).error();
    all_ = std::move(*aligned);
    std::uint64_t total = 0;
    for (const aligned_trace& t : all_.traces) total += t.bytes.size();
    shared_progress progress(host_, total * 2);
    progress_ = &progress;
    rules_.keep_order = o_.keep_order;
    rules_.scale_durations = o_.scale_durations;
    rules_.reference = o_.reference;
    for (std::size_t i = 0; i < all_.traces.size(); ++i)
      if (auto ok = list_planes(i); !ok) return std::move(ok).error();
    guess_zero();
    if (auto ok = survey(); !ok) return std::move(ok).error();
    if (auto ok = settle_zero(); !ok) return std::move(ok).error();
    if (observer_ != nullptr)
      if (auto ok = observe(); !ok) return std::move(ok).error();
    name_all();
    describe_nodes();
    plan_bytes();
    if (auto ok = write(); !ok) return std::move(ok).error();
    made_.run_id = all_.run_id;
    made_.reference_node = all_.reference_node;
    made_.warnings = std::move(all_.warnings);
    return std::move(made_);
  }

 private:
  const aligned_trace& trace_of(const plane_plan& p) const noexcept { return all_.traces[p.trace]; }

  fault in_trace(std::size_t trace, fault_code code, std::string what, const char* at) const {
    const aligned_trace& t = all_.traces[trace];
    fault f;
    f.code = code;
    f.path = t.input.path;
    f.byte_offset = offset_in(t.bytes, at);
    f.message = "node " + std::to_string(t.input.node_id) + ": " + std::move(what);
    return f;
  }
  result<void> tell(const fault& f) {
    if (!o_.keep_going || f.code == fault_code::cancelled) return f;
    all_.warnings.push_back(fault_text(f));
    return {};
  }

  // ---- what there is ----

  // Notes the planes and lines of a trace by hopping over lengths.
  result<void> list_planes(std::size_t trace) {
    const aligned_trace& t = all_.traces[trace];
    if (!t.usable) return {};
    wire_reader reader(t.bytes);
    for (wire_field field; reader.next(field);) {
      if (!field.is_bytes(1)) continue;
      if (planes_.size() == most_planes)
        return in_trace(trace, fault_code::limit, "more than " + std::to_string(most_planes) + " planes",
                        field.bytes.data());
      plane_plan p;
      p.trace = trace;
      p.body = field.bytes;
      p.name = name_of_plane(p.body);
      p.node = t.input.node_id;
      if (!t.before.empty() && (is_clock_metadata(p.name) || p.name == environment_plane)) continue;  // written anew
      p.device = starts_with(p.name, gpu_prefix);
      p.first_line = lines_.size();
      if (const char* damage = list_lines(p)) {
        lines_.resize(p.first_line);
        if (lines_.size() >= most_lines)
          return in_trace(trace, fault_code::limit, "more than " + std::to_string(most_lines) + " lines", damage);
        all_.traces[trace].report.status = node_status::corrupt;
        fault f = in_trace(trace, fault_code::damaged, "plane " + std::string(p.name) + " is damaged", damage);
        f.hint = "Fetch the trace again; --keep_going leaves the plane out.";
        if (auto ok = tell(f); !ok) return ok;
        if (o_.reference) {
          drop_trace(trace);
          return {};
        }
        continue;
      }
      p.line_count = lines_.size() - p.first_line;
      planes_.push_back(std::move(p));
      t.forget(field.bytes);
    }
    return {};
  }

  // The reference tool reads a trace as a whole or not at all.
  void drop_trace(std::size_t trace) {
    all_.traces[trace].usable = false;
    const auto first =
        std::find_if(planes_.begin(), planes_.end(), [&](const plane_plan& p) { return p.trace == trace; });
    if (first == planes_.end()) return;
    lines_.resize(first->first_line);
    planes_.erase(first, planes_.end());
  }

  // Null, or where the plane is damaged.
  const char* list_lines(plane_plan& p) {
    wire_reader reader(p.body);
    for (wire_field field; reader.next(field);) {
      if (field.is_bytes(3)) {
        if (lines_.size() >= most_lines) return field.bytes.data();
        line_plan& line = lines_.emplace_back();
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
        p.most_stat_id = std::max(p.most_stat_id, entry.key());
        if (entry.name() == node_stat) p.known_ids[0] = entry.key();
        if (entry.name() == host_stat) p.known_ids[1] = entry.key();
        if (entry.name() == skew_stat) p.known_ids[2] = entry.key();
      }
    }
    return reader.ok() ? nullptr : reader.position();
  }

  line_clock clock_of(const plane_plan& p, const line_facts& head) const {
    const aligned_trace& t = trace_of(p);
    line_clock c;
    c.device = p.device;
    if (t.reference) {
      c.kind = line_clock::how::reference;
      c.reference = &*t.reference;
      return c;
    }
    const bool absolute = head.timestamp_ns >= least_absolute_ns;
    const std::int64_t wall = t.start.walltime_ns.value_or(all_.base_ns);
    // Unix ns of the line's own zero, for lines of the host clock.
    const std::int64_t line_ns =
        absolute ? head.timestamp_ns : saturating_add(t.file_start_ns.value_or(all_.base_ns), head.timestamp_ns);
    const bool by_tracer =
        p.device || (o_.tracer_host_threads && p.name == roctracer_plane && starts_with(head.name, tracer_line));
    if (t.clock) {
      c.clock = &*t.clock;
      c.kind = by_tracer ? line_clock::how::tracer : line_clock::how::host;
      if (!by_tracer) c.base_ps = relative_ps(line_ns, wall).value_or(out_of_reach_ps);
      c.to_local_ps = relative_ps(wall, all_.base_ns).value_or(0);
      return c;
    }
    // Aligned before, by wall time, or not at all. Device events of a node whose start is known count from it.
    const bool from_start =
        t.before.empty() && by_tracer && t.start.walltime_ns && o_.correction != merge_correction::none;
    c.base_ps = relative_ps(from_start ? wall : line_ns, all_.base_ns).value_or(out_of_reach_ps);
    return c;
  }

  // ---- the first pass ----

  // The earliest of the first events: nearly always the earliest of all, which saves looking twice.
  void guess_zero() {
    if (o_.reference || o_.zero == merge_zero::reference || o_.zero == merge_zero::none) return;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const plane_plan& p : planes_)
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i) {
        line_plan& line = lines_[i];
        const line_facts head = read_line_head(line.body);
        const line_view view(line.body);
        const auto first = view.events().begin();
        if (first.done()) continue;
        const event_bytes e = read_event(first.bytes());
        if (e.aggregated || e.shape == event_shape::damaged) continue;
        const line_clock clock = clock_of(p, head);
        std::int64_t at_ps = 0;
        if (line_mapper(clock).map(e.offset_ps, at_ps)) least = std::min(least, at_ps);
      }
    rules_.zero_ps = zero_for(least);
  }

  [[nodiscard]] std::int64_t zero_for(std::int64_t least_ps) const noexcept {
    if (least_ps == std::numeric_limits<std::int64_t>::max()) return 0;
    if (o_.zero == merge_zero::automatic && least_ps >= 0) return 0;
    std::int64_t ns = least_ps / ps_per_ns;
    if (least_ps % ps_per_ns < 0) --ns;
    return ns * ps_per_ns;
  }

  result<void> survey() {
    // Long lines first, so that threads end together.
    std::vector<std::pair<std::size_t, std::size_t>> order;  // line, plane
    for (std::size_t p = 0; p < planes_.size(); ++p)
      for (std::size_t i = 0; i < planes_[p].line_count; ++i) order.emplace_back(planes_[p].first_line + i, p);
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      return lines_[a.first].body.size() > lines_[b.first].body.size();
    });
    auto done = for_each_item(order.size(), host_, [&](std::size_t item) -> result<void> {
      const auto [i, p] = order[item];
      line_plan& line = lines_[i];
      const plane_plan& plane = planes_[p];
      line_facts head = read_line_head(line.body);
      for (int attempt = 0; attempt < 2; ++attempt) {
        line.clock = clock_of(plane, head);
        if (auto ok = look_at(line, plane); !ok) return ok;
        // A time base behind the events counts as well; writers do not do that.
        if (line.facts.timestamp_ns == head.timestamp_ns) break;
        head = line.facts;
      }
      return {};
    });
    if (!done) return done;
    // One at a time: sorting takes memory.
    for (std::size_t p = 0; p < planes_.size(); ++p)
      for (std::size_t i = planes_[p].first_line; i < planes_[p].first_line + planes_[p].line_count; ++i) {
        line_plan& line = lines_[i];
        if (line.facts.damage || line.facts.in_order) continue;
        survey_unsorted(line.body, line.clock, rules_, line.facts);
        trace_of(planes_[p]).forget(line.body);
      }
    return check_survey();
  }

  result<void> look_at(line_plan& line, const plane_plan& plane) {
    const aligned_trace& t = trace_of(plane);
    line.facts = survey_line(line.body, line.clock, rules_, [&](std::uint64_t from, std::uint64_t to) -> result<void> {
      t.forget(line.body.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
      return progress_->add(to - from);
    });
    if (line.facts.stopped) return std::move(*line.facts.stopped);
    return {};
  }

  // Damage and times out of reach, in the order of the input whatever thread met them.
  result<void> check_survey() {
    std::vector<plane_plan> kept;
    for (plane_plan& p : planes_) {
      bool broken = false;
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i) {
        const line_facts& facts = lines_[i].facts;
        if (facts.damage) {
          fault f = in_trace(p.trace, fault_code::damaged,
                             "an event or field of plane " + std::string(p.name) + " is damaged",
                             lines_[i].body.data() + *facts.damage);
          f.hint = "Fetch the trace again; --keep_going leaves the plane out.";
          all_.traces[p.trace].report.status = node_status::corrupt;
          if (auto ok = tell(f); !ok) return ok;
          broken = true;
          break;
        }
        if (!facts.unreachable) continue;
        fault f =
            in_trace(p.trace, fault_code::unsupported,
                     std::to_string(facts.out_of_reach) + (facts.out_of_reach == 1 ? " event" : " events") +
                         " of plane " + std::string(p.name) +
                         " lie more than 53 days from the start of the timeline, which int64 picoseconds since then "
                         "cannot hold",
                     lines_[i].body.data() + *facts.unreachable);
        f.hint =
            "Check the start times in the offsets header; --keep_going puts such events at the end of the timeline.";
        if (auto ok = tell(f); !ok) return ok;
      }
      if (!broken) kept.push_back(std::move(p));
    }
    planes_ = std::move(kept);
    if (!o_.reference) return {};
    // The reference tool drops a trace that does not parse as a whole.
    for (std::size_t i = 0; i < all_.traces.size(); ++i)
      if (all_.traces[i].report.status == node_status::corrupt) {
        all_.traces[i].usable = false;
        planes_.erase(std::remove_if(planes_.begin(), planes_.end(), [&](const plane_plan& p) { return p.trace == i; }),
                      planes_.end());
      }
    return {};
  }

  result<void> settle_zero() {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const plane_plan& p : planes_)
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i)
        least = std::min(least, lines_[i].facts.least_ps);
    const bool fixed = o_.reference || o_.zero == merge_zero::reference || o_.zero == merge_zero::none;
    const std::int64_t zero = fixed ? 0 : zero_for(least);
    if (zero != rules_.zero_ps) {
      rules_.zero_ps = zero;  // an earlier event stood further back: sizes change
      if (auto ok = survey(); !ok) return ok;
    }
    made_.origin_ns = saturating_add(all_.base_ns, rules_.zero_ps / ps_per_ns);
    return {};
  }

  // ---- what is shown while at it ----

  result<void> observe() {
    for (const plane_plan& p : planes_) {
      const plane_header header = plane_view(p.body).header();
      std::vector<metadata_slot> event_slots(metadata_index::slots_needed(header.event_metadata_count));
      std::vector<metadata_slot> stat_slots(metadata_index::slots_needed(header.stat_metadata_count));
      const auto names = metadata_index::of_event_metadata(plane_view(p.body), event_slots.data(), event_slots.size());
      const auto stats = metadata_index::of_stat_metadata(plane_view(p.body), stat_slots.data(), stat_slots.size());
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i)
        if (auto ok = observe_line(p, lines_[i], names, stats); !ok) return ok;
      trace_of(p).forget(p.body);
    }
    return {};
  }

  result<void> observe_line(const plane_plan& p, const line_plan& line, const metadata_index& names,
                            const metadata_index& stats) {
    const aligned_trace& t = trace_of(p);
    line_mapper mapper(line.clock);
    reference_guard guard;
    merge_observer::event e;
    e.node = p.node;
    e.plane = p.name;
    e.line_id = line.facts.id;
    const line_view view(line.body);
    const auto events = view.events();
    for (auto at = events.begin(); !at.done(); ++at, ++e.index) {
      const event_view event = *at;
      if (event.data_case() == event_data_case::num_occurrences && !o_.reference) continue;
      if (t.reference) {
        bool clamped = false;
        const double before = t.reference->local_ns(p.device, event.offset_ps());
        set_reference(t.reference->recorded_ns(p.device, event.offset_ps()), e.recorded_ns, e.recorded_sub_ps);
        const double after = guard(t.reference->corrected_ns(p.device, event.offset_ps()), clamped);
        set_reference(before, e.before_ns, e.before_sub_ps);
        set_reference(after, e.after_ns, e.after_sub_ps);
      } else {
        std::int64_t at_ps = 0;
        if (!mapper.map(event.offset_ps(), at_ps)) continue;
        const std::int64_t correction =
            line.clock.clock == nullptr ? 0 : mapper.host_time(event.offset_ps()) - at_ps + line.clock.to_local_ps;
        set_instant(all_.base_ns, at_ps, e.after_ns, e.after_sub_ps);
        set_instant(all_.base_ns, saturating_add(at_ps, correction), e.before_ns, e.before_sub_ps);
        e.recorded_ns = e.before_ns;
        e.recorded_sub_ps = e.before_sub_ps;
        if (line.clock.kind == line_clock::how::tracer)
          set_instant(t.start.gpu_ns.value_or(0), event.offset_ps(), e.recorded_ns, e.recorded_sub_ps);
      }
      const metadata_entry entry = names.find(event.metadata_id());
      e.name = entry ? event_metadata_view(entry.bytes).name() : std::string_view();
      e.op = {};
      e.correlation_id = -1;
      for (const stat_view stat : event.stats()) {
        const resolved_stat r = resolve_stat(stat, stat_origin::event, stats);
        if (r.name == "hlo_op") e.op = r.text;
        if (r.name == "correlation_id") e.correlation_id = stat.as_int64();
      }
      if (auto ok = observer_->take(e); !ok) return ok;
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
  static void set_reference(double value, std::int64_t& ns, std::int64_t& sub_ps) noexcept {
    constexpr double most = 9e18;
    ns = std::abs(value) < most ? static_cast<std::int64_t>(std::nearbyint(value)) : 0;
    sub_ps = 0;
  }

  // ---- names ----

  void name_all() {
    std::vector<plane_to_name> to_name;
    for (const plane_plan& p : planes_) to_name.push_back({p.node, p.id, p.name, !trace_of(p).before.empty()});
    naming_rules rules;
    rules.scheme = o_.reference ? plane_scheme::rocm : !o_.plane_prefix.empty() ? plane_scheme::node : o_.scheme;
    rules.prefix = o_.plane_prefix;
    rules.reference = o_.reference;
    std::vector<plane_name> names = name_planes(to_name, rules);
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      planes_[i].named = std::move(names[i]);
      plane_name& n = planes_[i].named;
      if (n.moved)
        all_.warnings.push_back("plane " + std::string(planes_[i].name) + " of node " +
                                std::to_string(planes_[i].node) + " has the id of another plane; it is now " + n.name);
      n.name = as_utf8(n.name);
    }
  }

  // ---- what came of each node ----

  void describe_nodes() {
    for (std::size_t i = 0; i < all_.traces.size(); ++i) {
      aligned_trace& t = all_.traces[i];
      if (t.before.empty())
        describe_node(i);
      else
        describe_merged_before(i);
      for (const std::string& h : t.clocks.hostnames)
        if (t.usable && std::find(made_.hostnames.begin(), made_.hostnames.end(), h) == made_.hostnames.end())
          made_.hostnames.push_back(h);
    }
  }

  void describe_node(std::size_t trace) {
    aligned_trace& t = all_.traces[trace];
    merged_node& r = t.report;
    r.trace = t.input.path;
    r.min_correction_ps = std::numeric_limits<std::int64_t>::max();
    wide_sum sum = 0;
    std::uint64_t placed = 0;
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
    for (const plane_plan& p : planes_) {
      if (p.trace != trace) continue;
      ++r.planes;
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i) {
        const line_facts& f = lines_[i].facts;
        r.events += f.events;
        placed += f.placed_events;
        r.clamped_events += f.clamped;
        r.sorted_lines += !f.in_order;
        r.snapshot_extrapolated_events += f.snapshot_extrapolated;
        r.offset_extrapolated_events += f.offset_extrapolated;
        r.out_of_reach_events += f.out_of_reach;
        greatest = std::max(greatest, f.greatest_correction_ps);
        r.min_correction_ps = std::min(r.min_correction_ps, f.min_correction_ps);
        sum += f.correction_sum_ps;
        least = std::min(least, f.least_ps);
        most = std::max(most, f.most_ps);
      }
    }
    if (placed == 0 || greatest < r.min_correction_ps) {
      r.min_correction_ps = 0;
    } else {
      const bool ahead = magnitude(greatest) >= magnitude(r.min_correction_ps);
      r.max_correction_ps = ahead ? greatest : r.min_correction_ps;
    }
    if (placed > 0) r.mean_correction_ps = static_cast<std::int64_t>(sum / static_cast<wide_sum>(placed));
    r.bounds.node_id = r.id;
    if (least > most) least = most = rules_.zero_ps;
    if (t.clock) {
      r.bounds = t.clock->bounds(least, most);
      for (clock_window& w : r.bounds.windows) {
        w.from_ps -= rules_.zero_ps;
        w.to_ps -= rules_.zero_ps;
      }
    }
    // Snapshots that a period leads to expect.
    if (r.sampling_period_ns > 0 && (t.clock || t.reference)) {
      const std::uint64_t span_ns = distance_ps(least, most) / static_cast<std::uint64_t>(ps_per_ns);
      const std::uint64_t expected = span_ns / static_cast<std::uint64_t>(r.sampling_period_ns) + 1;
      r.missing_snapshots = expected > r.snapshots ? expected - r.snapshots : 0;
    }
    made_.events += r.events;
    made_.nodes.push_back(r);
  }

  void describe_merged_before(std::size_t trace) {
    const aligned_trace& t = all_.traces[trace];
    const std::int64_t shift_ns = saturating_add(t.before.front().origin_ns, -made_.origin_ns);
    for (const clock_metadata& m : t.before) {
      merged_node r;
      r.id = m.bounds.node_id;
      r.hostname = m.hostname;
      r.trace = t.input.path;
      r.aligned_before = true;
      r.status = m.status == "corrected"  ? node_status::corrected
                 : m.status == "walltime" ? node_status::walltime
                                          : node_status::raw;
      r.snapshots = m.snapshot_count;
      r.snapshots_from = m.snapshots;
      r.sampling_period_ns = m.sampling_period_ns;
      r.offset_windows = m.offset_window_count;
      r.offset_variance_ns2 = m.offset_variance_ns2;
      r.residual_ps = m.clock_skew_ps;
      r.bounds = m.bounds;
      const std::int64_t shift_ps = checked_mul(shift_ns, ps_per_ns).value_or(0);
      for (clock_window& w : r.bounds.windows) {
        w.from_ps = saturating_add(w.from_ps, shift_ps);
        w.to_ps = saturating_add(w.to_ps, shift_ps);
      }
      made_.nodes.push_back(std::move(r));
    }
    // Events and planes are counted with the first node: which node each belongs to stands in the planes' stats.
    merged_node& first = made_.nodes[made_.nodes.size() - t.before.size()];
    for (const plane_plan& p : planes_) {
      if (p.trace != trace) continue;
      ++first.planes;
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i) first.events += lines_[i].facts.events;
    }
    made_.events += first.events;
  }

  // ---- sizes ----

  void plan_bytes() {
    for (plane_plan& p : planes_) {
      const aligned_trace& t = trace_of(p);
      const bool tags = t.before.empty() && !o_.reference;
      p.head.clear();
      if (p.named.id != 0) append_varint_field(p.head, 1, as_wire(p.named.id));
      if (!p.named.name.empty()) append_bytes_field(p.head, 2, p.named.name);
      if (tags) p.tail = tags_of(p, t.report);
      p.copied_bytes = 0;
      static_cast<void>(each_copied_field(p, [&](std::string_view bytes) {
        p.copied_bytes += bytes.size();
        return result<void>();
      }));
      p.body_bytes = p.head.size() + p.tail.size() + p.copied_bytes;
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i) {
        plan_line(p, lines_[i]);
        p.body_bytes += delimited_field_bytes(3, lines_[i].body_bytes);
      }
      merged_plane listed{p.named.name, p.named.id, p.node, std::string(p.name), p.named.moved};
      if (!t.before.empty()) listed.node = node_stat_of(p).value_or(p.node);
      made_.planes.push_back(std::move(listed));
      t.forget(p.body);
    }
  }

  // The node that an earlier merge gave a plane.
  static std::optional<std::int64_t> node_stat_of(const plane_plan& p) {
    for (const stat_view stat : plane_view(p.body).stats())
      if (p.known_ids[0] != 0 && stat.metadata_id() == p.known_ids[0]) return stat.as_int64();
    return std::nullopt;
  }

  void plan_line(const plane_plan& p, line_plan& line) {
    const line_facts& f = line.facts;
    std::int64_t id = f.id, display_id = f.display_id;
    std::string name = as_utf8(f.name), display = as_utf8(f.display_name);
    const bool before = !trace_of(p).before.empty();
    if (!before && p.named.is_host) {
      const std::string prefix = "/node:" + std::to_string(p.node) + '/';
      const std::string numbered = "line_" + std::to_string(f.id);
      if (o_.reference)
        display = "Node " + std::to_string(p.node) + ": " + (display.empty() ? numbered : display);
      else
        display = "Node " + std::to_string(p.node) + ": " +
                  (!display.empty() ? display
                   : !name.empty()  ? name
                                    : numbered);
      name = prefix + (name.empty() ? numbered : name);
    }
    if (!before && p.named.shifts_lines) {
      const auto shifted = checked_mul(p.node, line_ids_per_node);
      id = static_cast<std::int64_t>(as_wire(id) + as_wire(shifted.value_or(0)));
    }
    if (o_.reference) display_id = id;
    line.head.clear();
    line.tail.clear();
    if (id != 0) append_varint_field(line.head, 1, as_wire(id));
    if (!name.empty()) append_bytes_field(line.head, 2, name);
    std::int64_t timestamp_ns = 0;
    if (o_.zero == merge_zero::none && !o_.reference) timestamp_ns = made_.origin_ns;
    if (o_.reference && f.events == 0) timestamp_ns = f.timestamp_ns;
    if (timestamp_ns != 0) append_varint_field(line.head, 3, as_wire(timestamp_ns));
    if (display_id != 0) append_varint_field(line.tail, 10, as_wire(display_id));
    if (!display.empty()) append_bytes_field(line.tail, 11, display);
    line.body_bytes = line.head.size() + f.event_bytes + f.other_bytes + line.tail.size();
  }

  static void append_stat_name(std::string& to, std::int64_t id, std::string_view name) {
    std::string value, entry;
    append_varint_field(value, 1, as_wire(id));
    append_bytes_field(value, 2, name);
    append_varint_field(entry, 1, as_wire(id));
    append_bytes_field(entry, 2, value);
    append_bytes_field(to, 5, entry);
  }
  static void append_stat(std::string& to, std::int64_t id, std::uint32_t kind, std::uint64_t value) {
    std::string stat;
    append_varint_field(stat, 1, as_wire(id));
    if (kind == 2)
      append_fixed64_field(stat, 2, value);
    else
      append_varint_field(stat, kind, value);
    append_bytes_field(to, 6, stat);
  }
  static void append_stat(std::string& to, std::int64_t id, std::string_view text) {
    std::string stat;
    append_varint_field(stat, 1, as_wire(id));
    append_bytes_field(stat, 5, text);
    append_bytes_field(to, 6, stat);
  }
  static std::uint64_t bits_of(double d) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &d, sizeof bits);
    return bits;
  }
  static double as_ns(std::int64_t ps) noexcept { return static_cast<double>(ps) / 1000.0; }

  // Which node a plane is of: stat names that are new to it, then the stats.
  static std::string tags_of(plane_plan& p, const merged_node& node) {
    std::string names, stats;
    std::int64_t next = p.most_stat_id;
    const std::string_view wanted[] = {node_stat, host_stat, skew_stat};
    for (std::size_t i = 0; i < std::size(wanted); ++i) {
      std::int64_t id = p.known_ids[i];
      if (id == 0) {
        id = static_cast<std::int64_t>(as_wire(++next));
        append_stat_name(names, id, wanted[i]);
      }
      if (i == 0) append_stat(stats, id, 4, as_wire(node.id));
      if (i == 1) append_stat(stats, id, as_utf8(node.hostname));
      if (i == 2) append_stat(stats, id, 2, bits_of(as_ns(node.residual_ps)));
    }
    return names + stats;
  }

  // Every field of a plane that is copied, with its tag, as long runs.
  template <class Take>
  result<void> each_copied_field(const plane_plan& p, Take&& take) const {
    const bool tags = trace_of(p).before.empty() && !o_.reference;
    wire_reader reader(p.body);
    const char* run = p.body.data();
    const char* at = run;
    for (wire_field field; reader.next(field); at = reader.position()) {
      bool copied = field.number > 3;
      if (copied && tags && field.is_bytes(6)) {
        const std::int64_t id = stat_view(field.bytes).metadata_id();
        for (const std::int64_t known : p.known_ids) copied = copied && (known == 0 || id != known);
      }
      if (copied) continue;
      if (at != run)
        if (auto ok = take(std::string_view(run, static_cast<std::size_t>(at - run))); !ok) return ok;
      run = reader.position();
    }
    at = reader.position();
    return at == run ? result<void>() : take(std::string_view(run, static_cast<std::size_t>(at - run)));
  }

  // ---- the second pass ----

  result<void> write() {
    merge_output out(into_, host_);
    for (const plane_plan& p : planes_)
      if (auto ok = write_plane(p, out); !ok) return ok;
    if (!o_.reference) {
      for (std::size_t i = 0; i < made_.nodes.size(); ++i)
        if (auto ok = out.literal(clock_plane(made_.nodes[i], static_cast<std::int64_t>(i))); !ok) return ok;
      if (auto ok = out.literal(environment()); !ok) return ok;
      if (auto ok = write_texts(out); !ok) return ok;
    }
    std::string hosts;
    for (const std::string& h : made_.hostnames) append_bytes_field(hosts, 4, as_utf8(h));
    if (auto ok = out.literal(std::move(hosts)); !ok) return ok;
    auto written = out.finish();
    if (!written) return std::move(written).error();
    made_.output_bytes = *written;
    return {};
  }

  result<void> write_plane(const plane_plan& p, merge_output& out) {
    const aligned_trace& t = trace_of(p);
    std::string head;
    append_delimited_head(head, 1, p.body_bytes);
    head += p.head;
    if (auto ok = out.literal(std::move(head)); !ok) return ok;
    for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i)
      if (auto ok = write_line(p, lines_[i], out); !ok) return ok;
    const auto copy = [&](std::string_view bytes) -> result<void> { return out.copy(bytes); };
    if (auto ok = each_copied_field(p, copy); !ok) return ok;
    if (auto ok = out.literal(p.tail); !ok) return ok;
    // What was rendered is still borrowed until it is written.
    return out.when_written([&t, body = p.body] { t.forget(body); });
  }

  result<void> write_line(const plane_plan& p, const line_plan& line, merge_output& out) {
    const aligned_trace& t = trace_of(p);
    std::string head;
    append_delimited_head(head, 3, line.body_bytes);
    head += line.head;
    if (auto ok = out.literal(std::move(head)); !ok) return ok;
    if (line.facts.in_order) {
      const auto& marks = line.facts.marks;
      for (std::size_t m = 0; m < marks.size(); ++m) {
        auto ok = out.render(written_bytes(line.facts, m), [this, &line, m](char* to) {
          write_events(line.body, line.clock, rules_, line.facts, m, to);
        });
        if (!ok) return ok;
        const std::uint64_t end = m + 1 < marks.size() ? marks[m + 1].at : line.body.size();
        const std::uint64_t bytes = end - marks[m].at;
        const std::string_view part =
            line.body.substr(static_cast<std::size_t>(marks[m].at), static_cast<std::size_t>(bytes));
        if (ok = out.when_written([&t, part] { t.forget(part); }); !ok) return ok;
        if (ok = progress_->add(bytes); !ok) return ok;
      }
    } else {
      if (auto ok = out.flush(); !ok) return ok;
      if (auto ok = write_unsorted(line.body, line.clock, rules_, line.facts.events, out); !ok) return ok;
      if (auto go_on = progress_->add(line.body.size()); !go_on) return go_on;
    }
    if (line.facts.other_bytes > 0) {
      wire_reader reader(line.body);
      const char* at = line.body.data();
      for (wire_field field; reader.next(field); at = reader.position())
        if (is_copied_line_field(field.number))
          if (auto ok = out.copy(std::string_view(at, static_cast<std::size_t>(reader.position() - at))); !ok)
            return ok;
    }
    return out.literal(line.tail);
  }

  // "[[from,to,tracer,host,flags],…]": times and bounds in ps; 1: extrapolated, 2: suspect.
  static std::string windows_text(const node_bounds& bounds) {
    std::vector<clock_window> windows = bounds.windows;
    // A long run has many windows; neighbours then share the wider bound.
    while (windows.size() > most_windows) {
      std::vector<clock_window> fewer;
      for (std::size_t i = 0; i < windows.size(); i += 2) {
        clock_window w = windows[i];
        if (i + 1 < windows.size()) {
          const clock_window& next = windows[i + 1];
          w.to_ps = next.to_ps;
          w.tracer_bound_ps = std::max(w.tracer_bound_ps, next.tracer_bound_ps);
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
      text += '[' + std::to_string(w.from_ps) + ',' + std::to_string(w.to_ps) + ',' +
              std::to_string(w.tracer_bound_ps) + ',' + std::to_string(w.host_bound_ps) + ',' +
              std::to_string((w.extrapolated ? 1 : 0) + (w.suspect ? 2 : 0)) + ']';
    }
    return text + ']';
  }

  // A plane of stats alone, as a field of the XSpace.
  class stat_plane {
   public:
    stat_plane(std::int64_t id, const std::string& name) {
      if (id != 0) append_varint_field(head_, 1, as_wire(id));
      append_bytes_field(head_, 2, name);
    }
    void number(std::string_view name, std::int64_t value) { append_stat(stats_, named(name), 4, as_wire(value)); }
    void real(std::string_view name, double value) { append_stat(stats_, named(name), 2, bits_of(value)); }
    void text(std::string_view name, std::string_view value) { append_stat(stats_, named(name), as_utf8(value)); }
    void whole(std::string_view name, std::uint64_t value) { append_stat(stats_, named(name), 3, value); }
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

  std::string clock_plane(const merged_node& n, std::int64_t index) const {
    stat_plane plane(metadata_plane_ids + index, o_.plane_prefix + "/node:" + std::to_string(n.id) + "/clock_metadata");
    plane.number("snapshot_count", static_cast<std::int64_t>(n.snapshots));
    plane.number("sampling_period_ns", n.sampling_period_ns);
    plane.number("offset_window_count", static_cast<std::int64_t>(n.offset_windows));
    plane.real("offset_variance_ns2", n.offset_variance_ns2);
    plane.real("clock_skew_ns", as_ns(n.residual_ps));
    plane.number("clock_skew_ps", n.residual_ps);
    plane.text("snapshot_source", snapshot_source_name(n.snapshots_from));
    plane.number("corrected", n.status == node_status::corrected ? 1 : 0);
    plane.text("status", node_status_name(n.status));
    plane.number("node_id", n.id);
    plane.text("hostname", n.hostname);
    plane.text("run_id", all_.run_id);
    plane.number("reference_node", all_.reference_node);
    plane.number("origin_ns", made_.origin_ns);
    if (n.bounds.known) plane.text("clock_windows", windows_text(n.bounds));
    return plane.field();
  }

  // Where time zero stands, as profilers say it.
  std::string environment() const {
    std::int64_t most = rules_.zero_ps;
    for (const plane_plan& p : planes_)
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i)
        most = std::max(most, lines_[i].facts.most_ps);
    stat_plane plane(0, std::string(environment_plane));
    plane.whole("profile_start_time", as_wire(made_.origin_ns));
    plane.whole("profile_stop_time", as_wire(made_.origin_ns + (most - rules_.zero_ps) / ps_per_ns + 1));
    return plane.field();
  }

  // Errors and warnings of the traces, each with its node.
  result<void> write_texts(merge_output& out) {
    for (const aligned_trace& t : all_.traces) {
      if (!t.usable) continue;
      wire_reader reader(t.bytes);
      for (wire_field field; reader.next(field);) {
        if (!field.is_bytes(2) && !field.is_bytes(3)) continue;
        std::string text;
        const std::string prefix = t.before.empty() ? "node " + std::to_string(t.input.node_id) + ": " : std::string();
        append_bytes_field(text, field.number, prefix + as_utf8(field.bytes));
        if (auto ok = out.literal(std::move(text)); !ok) return ok;
      }
    }
    return {};
  }

  const merge_options& o_;
  sink& into_;
  const hooks& host_;
  merge_observer* observer_;
  alignment all_;
  line_rules rules_;
  std::vector<plane_plan> planes_;
  std::vector<line_plan> lines_;
  shared_progress* progress_ = nullptr;
  merge_result made_;
};

}  // namespace

const char* node_status_name(node_status s) noexcept {
  switch (s) {
    case node_status::corrected: return "corrected";
    case node_status::walltime: return "walltime";
    case node_status::raw: return "raw";
    case node_status::missing: return "missing";
    case node_status::corrupt: return "corrupt";
  }
  return "raw";
}

result<merge_result> merge_traces(const merge_options& o, sink& into, const hooks& host, merge_observer* observer) {
  return contained([&] { return merger(o, into, host, observer).run(); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
