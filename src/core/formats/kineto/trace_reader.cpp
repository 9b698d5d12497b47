#include <formats/kineto/trace_recorder.hpp>

#include <base/format.hpp>
#include <formats/activity_store.hpp>
#include <formats/chrome/chrome_dialect.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// One pass over the events; those that only their process explains are held until it has a name.
class trace_reader final : public chrome_sink {
 public:
  trace_reader(std::size_t file, activity_parts& parts)
      : trace_(file, parts), decoder_(parts.from->file_shift_ns(file) * ps_per_ns, trace_.tracks, *this) {
    // In this order each is asked.
    for (const auto make : {make_kineto_recorder, make_xla_recorder, make_rocprof_recorder, make_timeline_recorder})
      recorders_.push_back(make(trace_));
  }

  result<void> run() {
    const profile& p = *trace_.parts.from;
    activity_input& input = trace_.input;
    chrome_options options;
    options.bounds = p.what().bounds;
    options.host = trace_.parts.host;
    if (!is_unusable(p, input)) {
      const result<chrome_summary> read = read_chrome(p.bytes(trace_.file), decoder_, options);
      if (read) {
        note_summary(*read, input);
      } else if (read.error().code == fault_code::cancelled || read.error().code == fault_code::out_of_memory) {
        return read.error();
      } else if (!input.damage) {
        input.damage = read.error();
        input.damage->path = input.path;
      }
    }
    note_open();
    take_held();
    finish();
    return {};
  }

  bool header(std::string_view key, std::string_view json) override {
    note_header(key, json, trace_.input);
    for (const auto& r : recorders_) r->take_header(key, json);
    return true;
  }

  bool item(const chrome_item& found) override {
    const chrome_event& e = *found.event;
    trace_.at_byte = e.byte_offset;
    trace_.counts.add(found);
    switch (found.kind) {
      case chrome_item_kind::metadata:
        if (e.name == "thread_name") trace_.numbers.of(trace_.tracks.thread_of(e));
        break;
      case chrome_item_kind::begin:
        if (found.defect != chrome_defect::none)
          reject_item(trace_.input, found);
        else
          trace_.numbers.of(found.track);
        break;
      case chrome_item_kind::pair:
        if (!is_unplaced(found.defect)) trace_.numbers.of(found.track);
        if (is_unplaced(found.defect) || found.defect == chrome_defect::without_begin)
          reject_item(trace_.input, found);
        else
          take_span(found);
        break;
      case chrome_item_kind::complete: take_span(found); break;
      // XLA's exporter ends its events with an empty object.
      case chrome_item_kind::other:
        if (e.phase == 0 && e.json.find('"') != std::string_view::npos)
          reject_event(trace_.input, "no phase (\"ph\")", e.ordinal, e.byte_offset);
        break;
      default: break;
    }
    return true;
  }

 private:
  void take_span(const chrome_item& found) {
    const chrome_event& e = *found.event;
    const auto takes = [&](const auto& r) { return r->take(found); };
    if (!e.cat.empty() && std::any_of(recorders_.begin(), recorders_.end(), takes)) return;
    if (found.defect != chrome_defect::none) return reject_item(trace_.input, found);
    trace_.numbers.of(found.track);
    unplaced_span held{{found.start_ps, found.duration_ps, e.ordinal, trace_.names.intern(e.name), found.track}};
    held_facts facts;
    const auto reads = [&](const auto& r) { return r->read_arguments(e, held, facts); };
    if (std::any_of(recorders_.begin(), recorders_.end(), reads) && facts_.size() < std::numeric_limits<std::uint32_t>::max()) {
      facts_.push_back(facts);
      held.facts = static_cast<std::uint32_t>(facts_.size());
    }
    held_.push_back(held);
  }

  // No damage: a capture may end while something runs.
  void note_open() {
    note_unpaired(decoder_.unpaired(), trace_.input);
    if (decoder_.open_count() == 0) return;
    trace_.input.notes.push_back("begins without an end, which are not counted: " + std::to_string(decoder_.open_count()) +
                                 ", the first is event " + std::to_string(decoder_.first_open() + 1));
  }

  void take_held() {
    std::vector<process_role> roles(trace_.tracks.processes().size());
    for (std::uint32_t at = 0; at < roles.size(); ++at)
      for (const auto& r : recorders_) r->see_process(at, roles[at]);
    trace_.has_kernels.resize(roles.size());
    const held_facts nothing;
    for (const unplaced_span& e : held_) {
      const held_facts& said = e.facts == 0 ? nothing : facts_[e.facts - 1];
      const std::uint32_t process = trace_.tracks.track(e.track).process;
      std::optional<line_use> use;
      if (said.by != nullptr) use = said.by->take_held(e, said);
      if (!use && roles[process].device_of != nullptr) use = roles[process].device_of->take_held(e, said);
      trace_.counts.note(e.track, use ? *use : take_on_host(e, said, roles[process], trace_.has_kernels[process]));
    }
    for (const auto& r : recorders_) r->finish();
  }

  line_use take_on_host(const unplaced_span& e, const held_facts& said, const process_role& role, bool is_device) {
    if (is_device) ++unknown_on_devices_;
    if (is_device || role.is_passed_over) return line_use::not_known;
    if (trace_.take_marker(e)) {
      if (said.step >= 0) trace_.parts.markers.back().number = said.step;  // more than the number in a name, as in an XSpace
      return line_use::step;
    }
    if (said.step >= 0) {
      trace_.add_marker(e, {marker_source::step_num, said.step});
      return line_use::step;
    }
    const std::string_view name = trace_.parts.strings.text(e.name);
    const bool is_frame = !name.empty() && name.front() == '$';
    trace_.add_span(e, is_frame ? host_span_kind::frame : role.kind);
    if (role.is_host) return line_use::span;
    ++trace_.host().unplaced_spans;
    return line_use::unplaced;
  }

  // ---- the end ----

  void finish() {
    activity_parts& parts = trace_.parts;
    activity_host& host = trace_.host();
    activity_input& input = trace_.input;
    trace_.numbers.name_threads(trace_.file, trace_.tracks);
    name_devices();
    trace_.counts.list(trace_.file, trace_.tracks, parts.strings, parts.lines);
    const std::uint64_t unattributed = trace_.join_launches();
    if (trace_.host_seen) parts.host_spans[trace_.group] = std::make_unique<host_span_list>(std::move(trace_.spans));
    trace_.calls.list_unrecorded(host);
    note_unrecorded(host, input);
    const bool any_steps =
        std::any_of(trace_.devices.begin(), trace_.devices.end(), [](const gathered_device& d) { return !d.windows.empty(); });
    std::uint64_t kernels = 0, graph_launched = 0;
    for (gathered_device& d : trace_.devices) {
      kernels += d.rows.size();
      graph_launched += d.device.graph_launched;
      finish_device(d, any_steps ? d.windows : d.runs.empty() ? d.other_runs : d.runs);
    }
    const auto note_share = [&](std::uint64_t count, const char* what) {
      if (count > 0) input.notes.push_back(std::to_string(count) + " of " + std::to_string(kernels) + " kernels " + what);
    };
    if (is_cut_) input.last_ps = std::max(last_kernel_ps_, trace_.last_host_ps);
    if (kernels == 0) {
      const bool empty = input.rows == 0 && !input.damage;
      // No event with a length is passed over without a word: it may be of a device.
      input.why_empty = empty                      ? "the trace is empty: it has no event"
                        : host.unplaced_spans != 0 ? "the trace does not say whether devices or hosts ran its " +
                                                         counted(host.unplaced_spans, "event", "events") + ": `profkit ops` has them"
                                                   : "no kernel of a device was found here";
      input.notes.push_back(input.why_empty);
    }
    note_share(unattributed, "have no launch in the trace: who launched them is unattributed");
    note_share(graph_launched, "were launched by graphs: their launch is that of the whole graph");
    if (unknown_on_devices_ > 0)
      input.notes.push_back("events of unknown categories on devices, taken neither for kernels nor for hosts: " +
                            std::to_string(unknown_on_devices_));
    note_rejected(input);
    parts.inputs.push_back(std::move(input));
  }

  // Of several devices without a number each is called by its process.
  void name_devices() {
    const auto without_number = std::count_if(trace_.devices.begin(), trace_.devices.end(),
                                              [](const gathered_device& d) { return d.device.ordinal < 0; });
    for (gathered_device& d : trace_.devices) {
      std::string name = d.device.type == accelerator::gpu   ? "GPU"
                         : d.device.type == accelerator::tpu ? "TPU"
                                                             : "device";
      if (d.device.ordinal >= 0) {
        name += ' ' + std::to_string(d.device.ordinal);
      } else if (without_number > 1 && d.process != chrome_tracks::none) {
        const chrome_trace_process& of = trace_.tracks.process(d.process);
        name += ' ' + (of.name.empty() ? of.pid : of.name);
      }
      d.device.name = trace_.parts.strings.intern(name);
    }
  }

  void finish_device(gathered_device& d, std::vector<step_marker>& steps) {
    d.device.file = static_cast<std::uint32_t>(trace_.file);
    d.device.host_group = trace_.group;
    d.device.rank = trace_.host().rank;
    d.device.world_size = trace_.host().world_size;
    d.device.parallel_sizes = trace_.parallel_sizes;
    d.device.kernels = d.rows.size();
    d.device.timestamp_resolution_ps = trace_.is_coarse ? ps_per_us : ps_per_ns;
    if (d.device.type == accelerator::gpu && !d.may_overlap) {
      std::vector<std::uint64_t> launch_ids;
      launch_ids.reserve(d.links.size());
      for (const launch_link& link : d.links) launch_ids.push_back(link.correlation);
      const stream_overruns found = cut_overruns(d.rows, launch_ids, d.shared_streams);
      note_overruns(found, trace_.parts.strings, trace_.input);
      is_cut_ = is_cut_ || found.kernels > 0;
    }
    for (const kernel_row& k : d.rows) last_kernel_ps_ = std::max(last_kernel_ps_, saturating_add(k.start_ps, k.duration_ps));
    sort_kernels(d.rows);
    add_own_times(d);
    const std::int32_t index = trace_.parts.add_device(std::move(d.device), std::make_unique<kernel_list>(std::move(d.rows)));
    if (index < 0) return;
    for (step_marker& m : steps) {
      m.device = index;
      trace_.parts.markers.push_back(m);
    }
  }

  // By the clock of the device, in the order in which kernels are visited.
  static void add_own_times(gathered_device& d) {
    if (d.own.empty()) return;
    std::vector<std::uint64_t> kernels(d.device.streams.size()), starts(kernels), durations(kernels);
    for (const kernel_row& k : d.rows) {
      const auto at = d.own.find(k.source_row);
      const bool has_own = at != d.own.end();
      d.device.own_clock.push_back(has_own ? at->second : own_time());
      if ((k.flags & kernel_has_stream) == 0) continue;
      ++kernels[k.stream];
      durations[k.stream] += has_own;
      starts[k.stream] += has_own && at->second.start_ps != no_time_ps;
    }
    for (std::size_t s = 0; s < kernels.size(); ++s)
      d.device.streams[s].by_own_clock = starts[s] == kernels[s] ? own_times::all
                                         : durations[s] != 0     ? own_times::some
                                                                 : own_times::none;
  }

  gathered_trace trace_;
  chrome_decoder decoder_;
  std::vector<std::unique_ptr<trace_recorder>> recorders_;
  std::vector<unplaced_span> held_;
  std::vector<held_facts> facts_;
  std::uint64_t unknown_on_devices_ = 0;
  std::int64_t last_kernel_ps_ = no_time_ps;
  bool is_cut_ = false;
};

}  // namespace

result<void> fill_activity_from_traces(activity_parts& into) {
  const profile& p = *into.from;
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const capture_file& listed = p.what().files[file];
    if (listed.family != file_family::chrome_trace || listed.export_of >= 0) continue;
    if (chrome_dialect_of(p, file) != chrome_dialect::common) continue;
    if (auto read = trace_reader(file, into).run(); !read) return read;
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
