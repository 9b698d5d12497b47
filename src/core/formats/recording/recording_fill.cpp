// Recordings of own formats to activity and timeline.
#include <formats/activity_input.hpp>
#include <formats/activity_parts.hpp>
#include <formats/activity_store.hpp>
#include <formats/call_origins.hpp>
#include <formats/kineto/launch_calls.hpp>
#include <formats/recording/recording_fill.hpp>
#include <formats/recording/saved.hpp>

#include <profkit/core/format.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t max_shifted_ps = max_relative_ns * ps_per_ns;

// Times of a recording on the capture's clock. Those that the shift takes out of reach are counted as passed over.
class shifted_times {
 public:
  shifted_times(std::int64_t shift_ps, activity_input& input) : shift_ps_(shift_ps), input_(input) {}

  bool place(std::int64_t& start_ps, std::int64_t duration_ps, std::uint64_t row) {
    const auto start = checked_add(start_ps, shift_ps_);
    const auto end = start ? checked_add(*start, duration_ps) : std::nullopt;
    if (!end || *end > max_shifted_ps) {
      reject_row(input_, "the time lies out of reach (106 days)", row);
      return false;
    }
    start_ps = *start;
    return true;
  }
  // A time beside a row that was placed; one out of reach is not known.
  [[nodiscard]] std::int64_t shifted(std::int64_t at_ps) const noexcept {
    return at_ps == no_time_ps ? no_time_ps : checked_add(at_ps, shift_ps_).value_or(no_time_ps);
  }

 private:
  std::int64_t shift_ps_;
  activity_input& input_;
};

// What the file's reader counted, as an input of the profile.
activity_input input_with_contents(const profile& p, std::size_t file, const recording::contents& from) {
  const auto& own = p.what().files[file].own;
  activity_input input = input_of(p, file, own ? own->name() : "recording");
  input.rows = from.input.rows;
  input.rejected = from.input.rejected;
  input.reject_reasons = from.input.reject_reasons;
  input.first_rejected_line = from.input.first_rejected_line;
  return input;
}

class recording_filler {
 public:
  recording_filler(std::size_t file, const recording::contents& from, activity_parts& into)
      : from_(from),
        into_(into),
        file_(static_cast<std::uint32_t>(file)),
        input_(input_with_contents(*into.from, file, from)),
        times_(into.from->file_shift_ns(file) * ps_per_ns, input_),
        group_(into.add_host_group(file)),
        first_origin_(static_cast<std::uint32_t>(into.origins.size())) {}

  void run() {
    activity_host& host = into_.hosts[group_];
    host.recorder = from_.recorder;
    host.rank = from_.rank;
    host.world_size = from_.world_size;
    add_threads();
    join_launches();
    for (kernel_origin o : from_.origins) {
      for (string_id* const text : {&o.op, &o.outer_op, &o.module, &o.program}) *text = text_of(*text);
      into_.origins.push_back(o);
    }
    for (const recording::contents::device& d : from_.devices) make_device(d);
    find_origins();
    std::uint64_t kernels = 0;
    for (made_device& made : devices_) {
      kernels += made.facts.kernels = made.rows.size();
      into_.add_device(std::move(made.facts), std::make_unique<kernel_list>(std::move(made.rows)));
    }
    if (!from_.threads.empty()) into_.host_spans[group_] = std::make_unique<host_span_list>(std::move(spans_));
    calls_.list_unrecorded(host);
    note_unrecorded(host, input_);
    if (kernels == 0) input_.why_empty = "no kernel of a device was found here";
    note_rejected(input_);
    into_.inputs.push_back(std::move(input_));
  }

 private:
  // Ids of the recording's texts among those of the capture.
  string_id text_of(string_id id) {
    if (texts_.size() <= id) texts_.resize(from_.texts.size(), 0);
    if (texts_[id] == 0 && id != 0) texts_[id] = into_.strings.intern(from_.texts.text(id));
    return texts_[id];
  }

  void add_threads() {
    for (const recording::contents::thread& t : from_.threads) {
      const std::int32_t plane = static_cast<std::int32_t>(from_.devices.size()) + t.plane;
      const std::uint32_t number = into_.add_thread({file_, plane, t.line, std::string(from_.texts.text(t.process)),
                                                     std::string(from_.texts.text(t.name))});
      auto call = t.calls.begin();
      for (std::size_t i = 0; i < t.spans.size(); ++i) {
        host_span s = t.spans[i];
        const auto* const launching = call != t.calls.end() && call->span == i ? &*call++ : nullptr;
        if (!times_.place(s.start_ps, s.duration_ps, s.source_row)) continue;
        s.thread = number;
        const string_id name = s.name;
        s.name = text_of(name);
        if (launching != nullptr)
          calls_.add_call({launching->correlation, no_launch_id, s.start_ps, s.start_ps + s.duration_ps, number, s.name},
                          launching->launches);
        if (!add_marker_of(s, from_.texts.text(name))) spans_.push_back(s);
      }
      for (std::size_t i = 0; i < t.steps.size(); ++i) {
        step_marker m = t.steps[i];
        const std::int64_t duration_ps = m.end_ps - m.start_ps;
        if (!times_.place(m.start_ps, duration_ps, t.step_rows[i])) continue;
        m.end_ps = m.start_ps + duration_ps;
        m.name = text_of(m.name);
        add_marker(m, number);
      }
    }
  }

  static launch_link link_of(std::uint64_t correlation) noexcept {
    return {correlation == 0 ? no_launch_id : correlation, no_launch_id};
  }

  void join_launches() {
    std::vector<std::vector<launch_link>> links;
    for (const recording::contents::stream& s : from_.streams) {
      std::vector<launch_link>& of = links.emplace_back();
      for (const std::uint64_t correlation : s.correlations) of.push_back(link_of(correlation));
    }
    std::vector<const std::vector<launch_link>*> all;
    for (const std::vector<launch_link>& of : links) all.push_back(&of);
    calls_.join(all, into_.strings);
  }

  // Of the call that launched a kernel.
  void take_launch(kernel_row& row, const launch_calls::call& by, activity_device& of) const {
    row.launch_ps = by.start_ps;
    row.launch_end_ps = by.end_ps;
    row.launch_thread = by.thread;
    of.has_launches = true;
    if (!calls_.is_graph(by)) return;
    row.flags |= kernel_by_graph;
    ++of.graph_launched;
    of.graph_launched_ps = saturating_add(of.graph_launched_ps, row.duration_ps);
  }

  // A span whose name marks a step is one, as in other traces.
  bool add_marker_of(const host_span& s, std::string_view name) {
    if (s.kind == host_span_kind::runtime) return false;
    const auto step = into_.steps.match(name);
    if (!step) return false;
    step_marker m;
    m.name = s.name;
    m.number = step->number;
    m.start_ps = s.start_ps;
    m.end_ps = s.start_ps + s.duration_ps;
    m.source = step->source;
    add_marker(m, s.thread);
    return true;
  }
  void add_marker(step_marker m, std::uint32_t thread) {
    m.host_group = group_;
    m.thread = thread;
    into_.markers.push_back(m);
  }

  void make_device(const recording::contents::device& from) {
    auto& [d, rows] = devices_.emplace_back();
    d = from.facts;
    d.file = file_;
    d.host_group = group_;
    d.rank = from_.rank;
    d.world_size = from_.world_size;
    d.name = text_of(d.name);
    d.model = text_of(d.model);
    for (activity_stream& s : d.streams) s.name = text_of(s.name);
    for (kernel_details& more : d.details)
      for (string_id* const text : {&more.input_shapes, &more.input_dtypes, &more.group, &more.group_name, &more.group_ranks})
        *text = text_of(*text);
    for (std::size_t s = 0; s < from.streams.size(); ++s) {
      const recording::contents::stream& of = from_.streams[from.streams[s]];
      for (std::size_t i = 0; i < of.kernels.size(); ++i) {
        kernel_row row = of.kernels[i];
        if (!times_.place(row.start_ps, row.duration_ps, row.source_row)) continue;
        row.stream = static_cast<std::uint16_t>(s);
        row.launch_ps = times_.shifted(row.launch_ps);
        const launch_calls::call* const by = calls_.launcher_of(link_of(of.correlations[i]));
        if (by != nullptr) take_launch(row, *by, d);
        row.name = text_of(row.name);
        row.op_type = text_of(row.op_type);
        if (row.origin != 0)
          row.origin += first_origin_;
        else if (by != nullptr)
          unplaced_.push_back({devices_.size() - 1, rows.size(), by});
        rows.push_back(row);
      }
    }
  }

  // By what lay around their launches.
  void find_origins() {
    if (unplaced_.empty()) return;
    std::vector<origin_query> queries;
    for (const unplaced_kernel& k : unplaced_) queries.push_back({k.by->thread, k.by->start_ps, queries.size()});
    call_origins(spans_, {}, into_.strings, into_.origins).find(queries);
    for (const origin_query& q : queries) devices_[unplaced_[q.kernel].device].rows[unplaced_[q.kernel].row].origin = q.origin;
  }

  struct made_device {
    activity_device facts;
    std::vector<kernel_row> rows;
  };
  // A kernel that does not say itself where it comes from.
  struct unplaced_kernel {
    std::size_t device, row;
    const launch_calls::call* by;
  };

  const recording::contents& from_;
  activity_parts& into_;
  std::uint32_t file_;
  activity_input input_;
  shifted_times times_;
  std::uint32_t group_;
  const std::uint32_t first_origin_;  // how many origins there were before those of this recording
  launch_calls calls_;
  std::vector<host_span> spans_;
  std::vector<made_device> devices_;
  std::vector<unplaced_kernel> unplaced_;
  std::vector<string_id> texts_;
};

// The rows of one line after another, in the order in which they came.
class recorded_line {
 public:
  recorded_line(const recording::contents& from, track_sink& into, shifted_times& times, const tracks_wanted& wanted)
      : from_(from), into_(into), times_(times), wanted_(wanted) {}

  // Says in `t` what the line is.
  void take(recording::contents::line line, track& t) {
    t.plane_type = plane_kind::host;
    switch (line.kind) {
      case recording::contents::row_kind::none: break;
      case recording::contents::row_kind::stream: take_stream(from_.streams[line.number], t); break;
      case recording::contents::row_kind::thread: take_thread(from_.threads[line.number], t); break;
      case recording::contents::row_kind::counter: take_counter(from_.counters[line.number], t); break;
      case recording::contents::row_kind::allocator: take_allocator(from_.allocators[line.number], t); break;
    }
  }
  result<void> give(track_id on) {
    const std::vector<track_event> given = std::exchange(events_, {});
    return given.empty() ? result<void>() : into_.add_events(on, given.data(), given.size());
  }

 private:
  void take_stream(const recording::contents::stream& of, track& t) {
    const recording::contents::device& device = from_.devices[*of.device];
    const activity_stream& stream = device.facts.streams[static_cast<std::size_t>(t.line)];
    take_device(device, t);
    t.line_type = line_kind::stream;
    t.stream = stream.id;
    t.line_name = text_of(stream.name);
    for (std::size_t i = 0; i < of.kernels.size(); ++i) {
      const kernel_row& row = of.kernels[i];
      add(row.start_ps, row.duration_ps, row.name, row.source_row, track_event_kind::span,
          [&] { return text_of_kernel(from_, device, of, i, times_.shifted(row.launch_ps)); });
    }
  }
  void take_thread(const recording::contents::thread& of, track& t) {
    t.line_type = line_kind::thread;
    t.plane_name = text_of(of.process);
    t.line_name = text_of(of.name);
    for (std::size_t i = 0; i < of.steps.size(); ++i) {
      const step_marker& m = of.steps[i];
      add(m.start_ps, m.end_ps - m.start_ps, m.name, of.step_rows[i], track_event_kind::span, [&] { return text_of_step(m); });
    }
    auto call = of.calls.begin();
    for (std::size_t i = 0; i < of.spans.size(); ++i) {
      const host_span& s = of.spans[i];
      const auto* const launching = call != of.calls.end() && call->span == i ? &*call++ : nullptr;
      add(s.start_ps, s.duration_ps, s.name, s.source_row, track_event_kind::span, [&] { return text_of_span(from_, of, i, launching); });
    }
  }
  void take_counter(const recording::contents::counter& of, track& t) {
    if (of.device) take_device(from_.devices[*of.device], t);
    t.line_type = line_kind::counter;
    t.plane_name = text_of(of.owner);
    t.line_name = text_of(of.name);
    t.unit = text_of(of.unit);
    const std::string_view key = from_.texts.text(of.unit != 0 ? of.unit : of.name);
    for (const recorded_value& v : of.values)
      add(v.at_ps, 0, of.name, v.source_row, track_event_kind::value, [&] { return text_of_value(v.value, key); });
  }
  void take_allocator(const recording::contents::allocator& of, track& t) {
    t.plane_name = into_.intern("memory");
    t.line_name = text_of(of.name);
    for (const recording::contents::allocator::row& row : of.rows)
      add(row.at_ps, 0, row.is_free ? deallocation_name : allocation_name, row.source_row, track_event_kind::instant,
          [&] { return text_of_allocation(from_, row); });
  }

  void take_device(const recording::contents::device& of, track& t) {
    t.plane_type = plane_kind::device;
    t.device = static_cast<std::int32_t>(of.facts.ordinal);
    t.plane_name = text_of(of.facts.name);
  }
  string_id text_of(string_id id) { return into_.intern(from_.texts.text(id)); }

  // `text()`: what the row says beyond its name and its time.
  template <class Text>
  void add(std::int64_t start_ps, std::int64_t duration_ps, std::string_view name, std::uint64_t row, track_event_kind kind, Text&& text) {
    if (!times_.place(start_ps, duration_ps, row)) return;
    events_.push_back({start_ps, duration_ps, into_.intern(name), kind, row, wanted_.texts ? into_.keep(text()) : std::string_view()});
  }
  template <class Text>
  void add(std::int64_t start_ps, std::int64_t duration_ps, string_id name, std::uint64_t row, track_event_kind kind, Text&& text) {
    add(start_ps, duration_ps, from_.texts.text(name), row, kind, text);
  }

  const recording::contents& from_;
  track_sink& into_;
  shifted_times& times_;
  const tracks_wanted& wanted_;
  std::vector<track_event> events_;
};

}  // namespace

result<void> fill_activity_from_recordings(activity_parts& into) {
  const profile& p = *into.from;
  for (std::size_t file = 0; file < p.file_count(); ++file)
    if (p.what().files[file].family == file_family::own)
      if (const recording* from = p.recorded(file)) recording_filler(file, from->all(), into).run();
  return {};
}

result<void> fill_from_recording(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted) {
  const recording* const recorded = p.recorded(file);
  if (recorded == nullptr) return {};
  const recording::contents& from = recorded->all();
  activity_input input = input_with_contents(p, file, from);
  shifted_times times(p.file_shift_ns(file) * ps_per_ns, input);
  recorded_line line(from, into, times, wanted);
  track of_file;
  of_file.file = static_cast<std::uint32_t>(file);
  of_file.host = into.intern(p.what().files[file].host);
  const auto lines_by_plane = from.lines_by_plane();
  for (std::size_t plane = 0; plane < lines_by_plane.size(); ++plane)
    for (std::size_t at = 0; at < lines_by_plane[plane].size(); ++at) {
      track t = of_file;
      t.plane = static_cast<std::int32_t>(plane);
      t.line = static_cast<std::int32_t>(at);
      line.take(lines_by_plane[plane][at], t);
      if (result<void> given = line.give(into.add_track(t)); !given) return given;
    }
  note_rejected(input);
  if (input.damage) return *input.damage;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
