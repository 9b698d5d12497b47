// The activity of XSpace files: kernels of a device from its op and stream lines; host spans from the host's threads;
// step windows from Steps, else XLA Modules, else host events with the name of a step or a step_num.
#include <formats/activity_input.hpp>
#include <formats/activity_parts.hpp>
#include <formats/launch_names.hpp>
#include <formats/stream_overruns.hpp>
#include <formats/xspace/event_collectives.hpp>
#include <formats/xspace/event_stats.hpp>
#include <formats/xspace/line_pieces.hpp>
#include <formats/xspace/line_time.hpp>
#include <formats/xspace/plane_node.hpp>
#include <formats/xspace/stat_number.hpp>
#include <formats/xspace/xspace_index.hpp>
#include <formats/xspace/xspace_kernels.hpp>
#include <formats/xspace/xspace_lines.hpp>
#include <formats/xspace/xspace_names.hpp>
#include <formats/xspace/xspace_spans.hpp>
#include <formats/xspace/xspace_steps.hpp>

#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <base/thread_pool.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Launches that are held of a file; later ones are not held.
constexpr std::size_t max_launches = std::size_t{1} << 21;

std::int64_t stream_id_of(const line_index& line) noexcept { return stream_number_of(line.name()).value_or(line.header.id); }

// Which lines and planes are of kernels.
bool carries_kernels(const line_index& line) noexcept {
  return (line.kind == line_kind::ops || line.kind == line_kind::async || line.kind == line_kind::stream) &&
         !message_range<std::string_view, 4>(line.body).empty();
}
bool runs_kernels(const plane_index& plane) noexcept {
  return plane.kind == plane_kind::device && std::any_of(plane.lines.begin(), plane.lines.end(), carries_kernels);
}

// The planes of one node in a file: what was not merged is of one node.
struct node_planes {
  std::optional<std::int64_t> node;
  std::vector<const plane_index*> hosts;
  std::vector<std::size_t> devices;  // that run kernels
};

std::vector<node_planes> planes_by_node(const xspace_index& space) {
  std::vector<node_planes> nodes;
  hash_map<std::int64_t, std::size_t> known;
  for (std::size_t at = 0; at < space.planes.size(); ++at) {
    const plane_index& plane = space.planes[at];
    const bool device = runs_kernels(plane);
    if (!device && plane.kind != plane_kind::host) continue;
    const std::optional<std::int64_t> node = node_of(plane);
    const auto [found, is_new] = known.try_emplace(node.value_or(-1), nodes.size());
    if (is_new) nodes.push_back({node, {}, {}});
    if (device)
      nodes[found->second].devices.push_back(at);
    else
      nodes[found->second].hosts.push_back(&plane);
  }
  return nodes;
}

// Of the devices of one node, and of its host.
class node_filler {
 public:
  // What is found wrong with the file goes into `input` and `rejects`.
  node_filler(activity_parts& into, std::size_t file, const node_planes& planes, std::size_t steps_of_device,
              std::size_t& launches_left, activity_input& input, event_rejects& rejects)
      : into_(into),
        file_(file),
        space_(*into.from->xspace(file)),
        path_(into.from->what().files[file].path),
        input_(input),
        rejects_(rejects),
        steps_of_device_(steps_of_device),
        launches_left_(launches_left),
        hosts_(planes.hosts),
        devices_(planes.devices) {}

  result<void> fill() {
    group_ = into_.add_host_group(file_);
    into_.hosts[group_].writer = trace_writer::xla;
    list_host();
    const bool devices_may_have_steps = std::any_of(devices_.begin(), devices_.end(), [&](std::size_t plane) {
      return !step_lines_of_device(space_.planes[plane]).lines.empty();
    });
    if (result<void> looked = look_at_host(true, !devices_may_have_steps); !looked) return looked;
    if (result<void> looked = look_at_devices(); !looked) return looked;
    for (std::size_t i = 0; i < devices_.size(); ++i) add_device(i);
    list_unrecorded();
    if (!device_steps_ && devices_may_have_steps)
      if (result<void> looked = look_at_host(false, true); !looked) return looked;
    if (!device_steps_) add_host_steps();
    return {};
  }

 private:
  // Nothing when the line lies out of reach, which the file's fault reports.
  std::optional<line_events> events_of(const line_index& line) const {
    const auto base = line_base_ps(*into_.from, file_, line);
    if (!base) return std::nullopt;
    line_events e;
    e.body = line.body;
    e.offset = line.offset;
    e.base_ps = *base;
    e.kind = line.kind;
    return e;
  }

  void note_damage(const plane_index& plane, const line_index& line, const line_stats& facts) {
    if (input_.damage) return;
    if (facts.damage) {
      input_.damage = damaged_event(path_, line.offset + *facts.damage);
      return;
    }
    std::string what;
    if (facts.rejects.negative != 0)
      what = negative_durations(facts.rejects.negative);
    else if (facts.rejects.unplaced != 0)
      what = event_out_of_reach;
    else if (facts.duration_sum_ps == std::numeric_limits<std::int64_t>::max())
      what = sum_stops;
    else
      return;
    input_.damage = fault{fault_code::damaged,
                          "damaged at byte " + std::to_string(line.offset) + ": line '" + std::string(line.name()) +
                              "' of plane '" + std::string(plane.name) + "': " + what,
                          path_, line.offset, "Everything intact is shown. Fetch the file again if it was copied."};
  }

  // A line of a device, and what a first pass found in it.
  struct looked_at {
    const line_index* line = nullptr;
    line_events events;
    line_stats facts;
  };

  result<void> look_at_devices() {
    std::vector<looked_at*> all;
    for (const std::size_t plane : devices_) {
      std::vector<looked_at>& lines = device_lines_.emplace_back();
      for (const line_index& line : space_.planes[plane].lines) {
        if (!carries_kernels(line) || lines.size() == max_streams) continue;
        if (const auto events = events_of(line)) lines.push_back({&line, *events, {}});
      }
    }
    for (std::vector<looked_at>& lines : device_lines_)
      for (looked_at& line : lines) all.push_back(&line);
    return for_each_item(all.size(), into_.host, [&](std::size_t i) -> result<void> {
      all[i]->facts = look_at_line(all[i]->events);
      return {};
    });
  }

  void add_device(std::size_t device_at) {
    const std::size_t plane_at = devices_[device_at];
    const plane_index& plane = space_.planes[plane_at];
    auto source = std::make_unique<xspace_kernels>();
    source->from = into_.from;
    activity_device d;
    d.file = static_cast<std::uint32_t>(file_);
    d.plane = static_cast<std::int32_t>(plane_at);
    d.ordinal = plane.device;
    d.host_group = group_;
    d.name = into_.strings.intern(plane.name);
    const bool is_tpu = plane.name.find("TPU") != std::string_view::npos;
    const bool is_gpu = plane.name.find("GPU") != std::string_view::npos;
    d.type = is_tpu ? accelerator::tpu : is_gpu ? accelerator::gpu : accelerator::other;
    d.timestamp_resolution_ps = is_tpu ? 1 : 1000;
    for (looked_at& line : device_lines_[device_at]) {
      line.events.max_disorder_ps = line.facts.max_disorder_ps;
      note_damage(plane, *line.line, line.facts);
      rejects_.add(line.facts.rejects);
      input_.rows += line.facts.events;
      d.kernels += line.facts.events;
      d.streams.push_back({stream_id_of(*line.line), into_.strings.intern(line.line->name()), line.line->kind});
      source->lines.push_back(line.events);
    }
    source->names = std::make_shared<const kernel_names>(plane, into_.strings);
    source->collectives = collectives_of(plane, device_lines_[device_at]);
    source->correlation_stat = plane.stat_id("correlation_id");
    if (source->correlation_stat && launches_ != nullptr && !launches_->empty()) {
      source->launches = launches_;
      d.has_launches = true;
    }
    const auto overlaps = [&](const looked_at& line) {
      return line.events.kind == line_kind::stream && line.facts.overlap_ps > overlap_allowed_ps;
    };
    const auto& of_device = device_lines_[device_at];
    if (is_gpu && std::any_of(of_device.begin(), of_device.end(), overlaps))
      note_overruns(source->cut_too_long(), into_.strings, input_);
    if (!calls_.empty()) source->list_correlations(recorded_);
    const std::int32_t device = into_.add_device(std::move(d), std::move(source));
    if (device >= 0) into_.devices[static_cast<std::size_t>(device)].steps_truncated = add_device_steps(plane, device);
  }

  // What kernels of streams may communicate besides those whose names say so.
  event_collectives collectives_of(const plane_index& plane, const std::vector<looked_at>& lines) {
    const bool has_streams = std::any_of(lines.begin(), lines.end(), [](const looked_at& line) {
      return line.events.kind == line_kind::stream;
    });
    if (!has_streams || !event_collectives::named_in(plane)) return {};
    if (!programs_) programs_ = std::make_shared<const program_collectives>(space_);
    return {plane, programs_, end_of(into_.from->bytes(file_))};
  }

  struct step_lines {
    std::vector<std::size_t> lines;
    bool numbered = false;  // by their names
  };
  static step_lines step_lines_of_device(const plane_index& plane) {
    step_lines found{step_lines_of(plane, line_kind::steps), true};
    if (found.lines.empty()) found = {step_lines_of(plane, line_kind::modules), false};
    return found;
  }

  // True when there are more than are kept.
  bool add_device_steps(const plane_index& plane, std::int32_t device) {
    std::size_t room = steps_of_device_;
    const auto [lines, numbered] = step_lines_of_device(plane);
    const step_num_stat number_stat(plane);
    for (const std::size_t at : lines) {
      const line_index& line = plane.lines[at];
      const std::optional<line_events> events = events_of(line);
      if (!events) continue;
      raw_events rows(*events);
      for (spanned_event e; rows.next(e);) {
        if (room-- == 0) {
          input_.notes.push_back("only the first steps of " + std::string(plane.name) + " are kept: it has more of them");
          return true;
        }
        // The program's name without its fingerprint.
        const std::string_view name = plane.event_name(e.metadata_id);
        const std::string_view shown = numbered ? name : name.substr(0, name.find('('));
        const std::optional<stat_view> stat = number_stat.find(e.stats, e.stats_bytes, nullptr);
        std::optional<std::int64_t> number = stat ? integer_value(*stat) : std::nullopt;
        if (!number && numbered) number = step_number_in(shown);
        add_step(device, shown, e, marker_source::line, number);
        device_steps_ = true;
      }
      if (const auto damage = rows.damage(); damage && !input_.damage)
        input_.damage = damaged_event(path_, line.offset + *damage);
    }
    return false;
  }

  void add_step(std::int32_t device, std::string_view name, const spanned_event& e, marker_source source,
                std::optional<std::int64_t> number) {
    step_marker m;
    m.host_group = group_;
    m.device = device;
    m.name = into_.strings.intern(name);
    m.start_ps = e.start_ps;
    m.end_ps = e.end_ps;
    m.source = source;
    m.number = std::max<std::int64_t>(number.value_or(-1), -1);
    into_.markers.push_back(m);
  }

  // A host plane, and the ids of what is looked for in its events.
  struct host_plane {
    const plane_index* plane = nullptr;
    std::optional<std::int64_t> correlation;
    hash_map<std::int64_t, std::pair<launched_work, string_id>> calls;  // by metadata id: calls that launch work
    host_step_marks steps;
  };
  struct host_line {
    std::size_t plane = 0;  // in host_planes_
    line_events events;
    std::uint32_t thread = 0;
  };
  struct launch_call {
    std::uint64_t id;
    launch_event at;
    launched_work work;
    string_id name;
  };
  struct host_step {
    std::size_t plane = 0;
    spanned_event event;
    host_step_marks::mark mark;
  };

  // Both run XLA's programs; of what their executors alone record one event is enough, and JAX's counts first.
  void note_framework(std::string_view name) {
    trace_writer& writer = into_.hosts[group_].writer;
    if (starts_with(name, "PjitFunction") || starts_with(name, "$jax") || contains(name, "jax/_src/"))
      is_jax_ = true;
    else if (name == "SessionRun" || name == "FunctionRun" || name == "EagerExecute" || name == "EagerLocalExecute" ||
             name == "ExecutorState::Process" || starts_with(name, "Iterator::") || starts_with(name, "TFE_"))
      writer = trace_writer::tensorflow;
    if (is_jax_) writer = trace_writer::xla;
  }

  // Threads of the host planes.
  void list_host() {
    auto source = std::make_unique<xspace_spans>();
    source->from = into_.from;
    source->file = static_cast<std::uint32_t>(file_);
    for (const plane_index* const plane : hosts_) {
      const auto names = std::make_shared<const span_names>(*plane, into_.strings);
      host_plane& of = host_planes_.emplace_back();
      of.plane = plane;
      of.correlation = plane->stat_id("correlation_id");
      for (const std::string_view entry : plane->event_metadata_entries) {
        const event_metadata_view metadata(entry);
        note_framework(metadata.name());
        if (const auto work = work_launched_by(metadata.name()))
          of.calls[metadata.key()] = {*work, into_.strings.intern(metadata.name())};
      }
      for (const line_index& line : plane->lines) {
        if (line.kind != line_kind::thread) continue;
        const std::optional<line_events> events = events_of(line);
        if (!events) continue;
        activity_thread thread;
        thread.file = static_cast<std::uint32_t>(file_);
        thread.plane = static_cast<std::int32_t>(plane - space_.planes.data());
        thread.line = static_cast<std::int32_t>(&line - plane->lines.data());
        thread.process = std::string(plane->name);
        thread.name = std::string(line.name());
        const std::uint32_t number = into_.add_thread(std::move(thread));
        host_lines_.push_back({host_planes_.size() - 1, *events, number});
        source->lines.push_back({*events, number, names});
      }
    }
    if (!source->lines.empty()) into_.host_spans[group_] = std::move(source);
  }

  // When the host launched what; and host events with a step_num, and those with the name of a step.
  result<void> look_at_host(bool for_launches, bool for_steps) {
    struct found_part {
      std::vector<std::pair<std::uint64_t, launch_event>> launches;  // by correlation id
      std::vector<launch_call> calls;
      std::vector<host_step> steps;
      std::optional<std::uint64_t> damage;  // where in the file
    };
    std::vector<const host_line*> lines;
    std::vector<std::string_view> bodies;
    if (for_steps)
      for (host_plane& of : host_planes_) of.steps = host_step_marks(*of.plane, into_.steps);
    for (const host_line& line : host_lines_) {
      const host_plane& plane = host_planes_[line.plane];
      if (!(for_launches && plane.correlation) && !(for_steps && plane.steps.any())) continue;
      lines.push_back(&line);
      bodies.push_back(line.events.body);
    }
    auto launches = std::make_shared<launch_map>();
    std::atomic<bool> too_many{false};
    const auto read = [&](const line_piece& piece, found_part& part) -> result<bool> {
      const host_line& line = *lines[piece.line];
      const host_plane& plane = host_planes_[line.plane];
      const bool steps = for_steps && plane.steps.any();
      line_events events = line.events;
      events.body =
          events.body.substr(static_cast<std::size_t>(piece.from), static_cast<std::size_t>(piece.to - piece.from));
      bool launch = for_launches && plane.correlation;
      event_rejects rejects;
      const auto damage =
          for_each_event(events, rejects, [&](const event_row& row, std::int64_t start_ps, std::int64_t end_ps) {
            if (row.stats_bytes == 0 && !steps) return true;
            launch = launch && !too_many.load(std::memory_order_relaxed);
            if (!launch && !steps) return false;
            if (launch) {
              if (const auto id = stat_number(row.stats, row.stats_bytes, *plane.correlation)) {
                part.launches.push_back({*id, {start_ps, end_ps, line.thread}});
                if (const auto call = plane.calls.find(row.metadata_id); call != plane.calls.end())
                  part.calls.push_back({*id, {start_ps, end_ps, line.thread}, call->second.first, call->second.second});
              }
            }
            if (!steps) return true;
            const auto mark = plane.steps.of(row);
            if (!mark) return true;
            spanned_event e;
            e.start_ps = start_ps;
            e.end_ps = end_ps;
            e.metadata_id = row.metadata_id;
            part.steps.push_back({line.plane, e, *mark});
            return true;
          });
      if (damage && !part.damage) part.damage = line.events.offset + piece.from + *damage;
      return !damage;
    };
    const auto keep = [&](found_part part, std::uint64_t) -> result<void> {
      if (part.damage && !input_.damage) input_.damage = damaged_event(path_, *part.damage);
      host_steps_.insert(host_steps_.end(), part.steps.begin(), part.steps.end());
      if (too_many) return {};
      calls_.insert(calls_.end(), part.calls.begin(), part.calls.end());
      for (const auto& [id, launch] : part.launches) {
        const auto at = launches->try_emplace(id, launch).first;
        if (launch.start_ps < at->second.start_ps) at->second = launch;
        if (launches->size() < launches_left_) continue;
        too_many = true;
        break;
      }
      return {};
    };
    auto looked = read_line_parts<found_part>(
        bodies, cut_lines(bodies), into_.host, [] { return found_part{}; }, read, keep);
    if (!looked || !for_launches) return looked;
    if (too_many) {
      launches->clear();
      calls_.clear();
      input_.notes.push_back("there are more launches than are held: kernels are not connected with them");
    }
    launches_left_ -= launches->size();
    launches_ = std::move(launches);
    return {};
  }

  // Calls that launch something, whose correlation id no event of a device has.
  void list_unrecorded() {
    activity_host& host = into_.hosts[group_];
    if (recorded_.empty()) return;  // kernels name no launch
    for (const launch_call& call : calls_) {
      ++host.launches[static_cast<std::size_t>(call.work)];
      if (recorded_.find(call.id) != recorded_.end()) continue;
      host.unrecorded.push_back({call.at.start_ps, call.at.end_ps, call.name, call.at.thread, call.work});
    }
    std::stable_sort(host.unrecorded.begin(), host.unrecorded.end(),
                     [](const unrecorded_launch& a, const unrecorded_launch& b) { return a.start_ps < b.start_ps; });
    note_unrecorded(host, input_);
  }

  void add_host_steps() {
    for (const host_step& s : host_steps_) {
      const plane_index& plane = *host_planes_[s.plane].plane;
      add_step(-1, plane.event_name(s.event.metadata_id), s.event, s.mark.source, s.mark.number);
    }
  }

  static constexpr std::size_t max_streams = 65535;
  activity_parts& into_;
  const std::size_t file_;
  const xspace_index& space_;
  const std::string& path_;
  activity_input& input_;
  event_rejects& rejects_;
  const std::size_t steps_of_device_;
  std::size_t& launches_left_;  // of the file
  const std::vector<const plane_index*>& hosts_;
  const std::vector<std::size_t>& devices_;
  std::uint32_t group_ = 0;
  std::vector<std::vector<looked_at>> device_lines_;  // as devices_
  std::vector<host_plane> host_planes_;
  bool is_jax_ = false;
  std::vector<host_line> host_lines_;
  std::vector<host_step> host_steps_;
  std::vector<launch_call> calls_;
  hash_set<std::uint64_t> recorded_;  // correlation ids of events of devices
  bool device_steps_ = false;
  std::shared_ptr<const launch_map> launches_;
  std::shared_ptr<const program_collectives> programs_;  // once they are asked for
};

result<void> fill_from_file(activity_parts& into, std::size_t file) {
  constexpr std::size_t max_steps = std::size_t{1} << 16, min_steps = 1024;  // of the file, of a device
  const xspace_index& space = *into.from->xspace(file);
  activity_input input;
  input.file = static_cast<std::uint32_t>(file);
  input.path = into.from->what().files[file].path;
  input.variant = "xspace";
  if (const fault* known = into.from->file_fault(file)) input.damage = *known;
  event_rejects rejects;
  const std::vector<node_planes> nodes = planes_by_node(space);
  std::size_t devices = 0, launches_left = max_launches;
  for (const node_planes& planes : nodes) devices += planes.devices.size();
  for (const node_planes& planes : nodes) {
    if (planes.devices.empty()) continue;
    node_filler filler(into, file, planes, std::max(max_steps / devices, min_steps), launches_left, input, rejects);
    if (result<void> filled = filler.fill(); !filled) return filled;
  }
  if (devices == 0) {
    input.why_empty =
        space.planes.empty()
            ? input.path + " has no planes"
            : "no device plane of " + input.path +
                  " has ops or kernel streams; what ran on the host's own processors is shown by `profkit ops`";
    input.notes.push_back(input.why_empty);
  }
  input.rejected = rejects.aggregated + rejects.unplaced;
  const auto note = [&](const char* why, std::uint64_t count) {
    if (count > 0) input.reject_reasons.push_back({why, count});
  };
  note("aggregated: without a place in time", rejects.aggregated);
  note("more than 106 days from the origin", rejects.unplaced);
  into.inputs.push_back(std::move(input));
  return {};
}

}  // namespace

result<void> fill_activity_from_xspace(activity_parts& into) {
  for (std::size_t file = 0; file < into.from->file_count(); ++file) {
    if (into.from->what().files[file].family != file_family::xspace) continue;
    if (result<void> filled = fill_from_file(into, file); !filled) return filled;
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
