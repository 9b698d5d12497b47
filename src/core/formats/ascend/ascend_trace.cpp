#include <formats/ascend/ascend_trace.hpp>

#include <profkit/core/chrome.hpp>
#include <profkit/interval.hpp>
#include <profkit/time.hpp>
#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <formats/ascend/ascend_names.hpp>
#include <formats/call_origins.hpp>
#include <formats/chrome/chrome_args.hpp>
#include <formats/chrome/chrome_decoder.hpp>
#include <formats/chrome/chrome_tracks.hpp>
#include <formats/chrome/line_counts.hpp>
#include <formats/chrome/thread_numbers.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

enum class process_kind : std::uint8_t { host, garbage_collector, runtime, device, collectives, derived, unknown };

struct process_rule {
  std::string_view name;
  process_kind kind;
};
// process_name in traces of torch_npu and msprof.
constexpr process_rule process_rules[] = {
    {"Python", process_kind::host},
    {"Python GC", process_kind::garbage_collector},
    {"CANN", process_kind::runtime},
    {"Ascend Hardware", process_kind::device},
    {"HCCL", process_kind::collectives},
    {"Communication", process_kind::collectives},
    {"Overlap Analysis", process_kind::derived},
};

struct category_rule {
  std::string_view category;
  host_span_kind kind;
};
// Only events of the framework have a category.
constexpr category_rule host_categories[] = {
    {"cpu_op", host_span_kind::op},
    {"python_function", host_span_kind::frame},
    {"user_annotation", host_span_kind::annotation},
    {"enqueue", host_span_kind::runtime},
    {"dequeue", host_span_kind::runtime},
};

// What stands before '@' in the names of the runtime, whose process has no name at Level0.
constexpr std::string_view runtime_layers[] = {"AscendCL@", "Runtime@", "Node@", "Hccl@", "Model@"};

// What identifies a process, beside its name and labels.
struct process_marks {
  bool has_host_category = false, has_runtime_names = false;
  process_kind known = process_kind::unknown;  // by the name, as soon as it is read

  [[nodiscard]] process_kind kind(std::string_view labels) const {
    if (known != process_kind::unknown) return known;
    if (has_host_category) return process_kind::host;
    if (contains(labels, "NPU")) return process_kind::device;
    if (has_runtime_names) return process_kind::runtime;
    return contains(labels, "CPU") ? process_kind::host : process_kind::unknown;
  }
};

// An event with a length, until all processes are known by name.
struct held_event {
  std::int64_t start_ps, duration_ps;
  std::uint64_t ordinal;
  string_id name, task_type;
  std::uint32_t track;
  host_span_kind kind;
  std::uint32_t facts = 0;  // 1 + index of what its record says of the operator; 0: nothing
};

// The arguments of operators, by position in `operator_arguments`.
enum operator_argument : std::size_t { operator_sequence, operator_dims, operator_types, operator_stack, operator_argument_count };
constexpr std::string_view operator_arguments[operator_argument_count] = {"Sequence number", "Input Dims", "Input type", "Call stack"};

struct arrow_end {
  std::uint64_t id;
  std::int64_t at_ps;
  std::int64_t stream;
  std::uint32_t track;
};

// Communication, on whatever track it lies.
bool names_collective(std::string_view name) noexcept {
  return contains(name, "hcom") || contains(name, "Hccl") || contains(name, "c10d");
}

class trace_collector final : public chrome_sink {
 public:
  trace_collector(chrome_tracks& tracks, activity_parts& parts, activity_input& input)
      : numbers(parts), tracks_(tracks), parts_(parts), input_(input) {}

  bool header(std::string_view key, std::string_view json) override {
    note_header(key, json, input_);
    return true;
  }

  bool item(const chrome_item& found) override {
    counts.add(found);
    switch (found.kind) {
      case chrome_item_kind::metadata: take_name(*found.event); break;
      case chrome_item_kind::complete:
      case chrome_item_kind::begin:
      case chrome_item_kind::pair: take_span(found); break;
      case chrome_item_kind::flow: take_flow(found); break;
      default: break;
    }
    return true;
  }

  // The arrows of the framework whose ends are known. `threads`: by track.
  [[nodiscard]] std::vector<issue_arrow> issues(const hash_map<std::uint32_t, std::uint32_t>& threads,
                                                const std::vector<process_kind>& kinds) const {
    std::vector<issue_arrow> found;
    for (const arrow_end& end : framework_.ends) {
      const auto start = framework_.starts.find(end.id);
      if (start == framework_.starts.end() || start->second.is_ambiguous) continue;
      const auto thread = threads.find(start->second.track);
      if (thread == threads.end()) continue;
      const bool to_collective = kinds[tracks_.track(end.track).process] == process_kind::collectives;
      found.push_back({end.at_ps, end.stream, start->second.at_ps, thread->second, to_collective});
    }
    return found;
  }

  std::vector<held_event> events;
  std::vector<ascend_operator> operators;  // of held_event::facts
  thread_numbers numbers;
  line_counts counts;

  // Of every process, now that all names are known.
  [[nodiscard]] std::vector<process_kind> kinds() {
    marks_.resize(tracks_.processes().size());
    std::vector<process_kind> all;
    for (std::size_t i = 0; i < marks_.size(); ++i) all.push_back(marks_[i].kind(tracks_.processes()[i].labels));
    return all;
  }

  // Arrows that begin: those of the runtime, else those of the framework. The thread is that which the framework names
  // where it does: another one may only pass the work on. `threads`: by number in the system.
  [[nodiscard]] std::vector<launch_arrow> arrows(const hash_map<std::int64_t, std::uint32_t>& threads) {
    std::vector<launch_arrow> issued = joined(framework_, threads), found = joined(runtime_, threads);
    if (!issued.empty() && std::none_of(found.begin(), found.end(), has_end)) return issued;
    hash_map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> issuers;  // by where the arrow ends
    for (const launch_arrow& a : issued)
      if (a.thread != no_thread && has_end(a)) issuers.emplace(std::pair(a.kernel_start_ps, a.stream), a.thread);
    for (launch_arrow& a : found)
      if (const auto by = issuers.find({a.kernel_start_ps, a.stream}); by != issuers.end()) a.thread = by->second;
    return found;
  }

 private:
  struct arrow_start {
    std::int64_t at_ps;
    std::int64_t system_thread;
    std::uint32_t track;
    bool has_end = false, is_ambiguous = false;
  };
  struct flows {
    hash_map<std::uint64_t, arrow_start> starts;
    std::vector<arrow_end> ends;
  };

  static bool has_end(const launch_arrow& a) { return a.kernel_start_ps != no_time_ps; }

  static std::vector<launch_arrow> joined(flows& f, const hash_map<std::int64_t, std::uint32_t>& threads) {
    std::vector<launch_arrow> arrows;
    const auto add = [&](const arrow_start& from, std::int64_t end_ps, std::int64_t stream) {
      const auto thread = threads.find(from.system_thread);
      arrows.push_back({end_ps, from.at_ps, stream, thread == threads.end() ? no_thread : thread->second, no_time_ps,
                        from.system_thread});
    };
    for (const arrow_end& end : f.ends) {
      const auto start = f.starts.find(end.id);
      if (start == f.starts.end()) continue;
      start->second.has_end = true;
      add(start->second, end.at_ps, end.stream);
    }
    for (const auto& [id, start] : f.starts)
      if (!start.has_end) add(start, no_time_ps, -1);
    return arrows;
  }

  void reject(const chrome_item& found) { reject_item(input_, found); }

  void take_name(const chrome_event& e) {
    if (e.name == "process_name") {
      const std::uint32_t process = tracks_.process_of(e);
      const std::string& name = tracks_.process(process).name;
      const auto* const rule = std::find_if(std::begin(process_rules), std::end(process_rules),
                                            [&name](const process_rule& r) { return r.name == name; });
      if (rule != std::end(process_rules)) marks_of(process).known = rule->kind;
    } else if (e.name == "thread_name") {
      numbers.of(tracks_.thread_of(e));
    }
  }

  void take_span(const chrome_item& found) {
    if (is_unplaced(found.defect)) return reject(found);
    numbers.of(found.track);
    if (found.kind == chrome_item_kind::begin || found.defect == chrome_defect::without_begin) return;
    if (found.defect != chrome_defect::none) return reject(found);
    const chrome_event& e = *found.event;
    held_event held{found.start_ps, found.duration_ps, e.ordinal, parts_.strings.intern(e.name), 0, found.track,
                    host_span_kind::other};
    process_marks& p = marks_of(tracks_.track(found.track).process);
    if (!e.cat.empty()) {
      for (const category_rule& rule : host_categories) {
        if (rule.category != e.cat) continue;
        held.kind = rule.kind;
        p.has_host_category = true;
      }
      if (held.kind == host_span_kind::op) held.facts = facts_of(e);
    } else if (p.known == process_kind::unknown || p.known == process_kind::device ||
               p.known == process_kind::collectives) {
      const bool layer = std::any_of(std::begin(runtime_layers), std::end(runtime_layers),
                                     [&e](std::string_view l) { return starts_with(e.name, l); });
      p.has_runtime_names = p.has_runtime_names || layer;
      if (!layer) held.task_type = task_type_of(e.args_json);
    }
    events.push_back(held);
  }

  std::uint32_t facts_of(const chrome_event& e) {
    std::array<std::string_view, operator_argument_count> given;
    operator_arguments_.pick(e, given.data());
    ascend_operator of;
    of.number = given[operator_sequence].empty() ? -1 : json_scaled_integer(given[operator_sequence]).value_or(-1);
    of.shapes = list_of(given[operator_dims]);
    of.types = list_of(given[operator_types]);
    of.line = user_line_of(given[operator_stack]);
    operators.push_back(of);
    return static_cast<std::uint32_t>(operators.size());
  }

  // "32,64;\r\n64" without its ends of lines.
  string_id list_of(std::string_view raw) {
    if (raw.empty()) return 0;
    const std::string_view text = json_text(raw, scratch_);
    std::string list;
    std::copy_if(text.begin(), text.end(), std::back_inserter(list), [](char c) { return c != '\r' && c != '\n'; });
    return parts_.strings.intern(list);
  }

  // Of the lines of a stack, the innermost first, with ";" between them.
  string_id user_line_of(std::string_view raw) {
    if (raw.empty()) return 0;
    std::string_view stack = json_text(raw, scratch_);
    while (!stack.empty()) {
      const std::size_t end = std::min(stack.find(";\r\n"), stack.size());
      if (is_source_line(stack.substr(0, end))) return parts_.strings.intern(stack.substr(0, end));
      stack.remove_prefix(std::min(end + 3, stack.size()));
    }
    return 0;
  }

  string_id task_type_of(std::string_view args) {
    std::string_view raw = json_member(args, "Task Type");
    if (raw.empty()) raw = json_member(args, "task type");
    return raw.empty() ? 0 : parts_.strings.intern(json_text(raw, scratch_));
  }

  void take_flow(const chrome_item& found) {
    const chrome_event& e = *found.event;
    const bool runtime = e.cat == "HostToDevice" || starts_with(e.name, "HostToDevice");
    if (e.phase == 't' || (!runtime && e.name != "torch_to_npu")) return;
    if (found.defect != chrome_defect::none) return reject(found);
    flows& f = runtime ? runtime_ : framework_;
    const std::uint64_t id = std::hash<std::string_view>()(e.id);
    const std::int64_t number = e.tid.is_string ? -1 : json_scaled_integer(e.tid.text).value_or(-1);
    const std::uint32_t track = runtime ? chrome_tracks::none : tracks_.thread_beside(e);
    if (e.phase == 's') {
      const auto [at, is_new] = f.starts.try_emplace(id, arrow_start{found.start_ps, number, track});
      if (!is_new && (at->second.at_ps != found.start_ps || at->second.track != track)) at->second.is_ambiguous = true;
    } else {
      f.ends.push_back({id, found.start_ps, number, track});
    }
  }

  process_marks& marks_of(std::uint32_t process) {
    if (process >= marks_.size()) marks_.resize(tracks_.processes().size());
    return marks_[process];
  }

  chrome_tracks& tracks_;
  activity_parts& parts_;
  activity_input& input_;
  flows runtime_, framework_;
  std::vector<process_marks> marks_;  // by process of the trace
  std::string scratch_;
  argument_picker operator_arguments_{operator_arguments, operator_argument_count};
};

// Puts what was collected where it belongs, now that every process has its name.
class trace_sorter {
 public:
  trace_sorter(const chrome_tracks& tracks, trace_collector& from, std::uint32_t host_group, activity_parts& parts,
               ascend_trace& into, ascend_devices* kernels)
      : tracks_(tracks),
        from_(from),
        host_group_(host_group),
        parts_(parts),
        into_(into),
        kernels_(kernels),
        kinds_(from.kinds()) {}

  void run() {
    for (const held_event& e : from_.events) {
      from_.counts.note(e.track, take(e, kinds_[tracks_.track(e.track).process]));
    }
    std::vector<launch_arrow> arrows = from_.arrows(system_threads());
    find_calls(arrows);
    find_recorded(arrows);
    into_.launches.insert(into_.launches.end(), arrows.begin(), arrows.end());
    const std::vector<issue_arrow> issues = from_.issues(threads_of_the_framework(), kinds_);
    into_.issues.insert(into_.issues.end(), issues.begin(), issues.end());
  }

 private:
  // By track.
  hash_map<std::uint32_t, std::uint32_t> threads_of_the_framework() {
    hash_map<std::uint32_t, std::uint32_t> found;
    for (const held_event& e : from_.events)
      if (kinds_[tracks_.track(e.track).process] == process_kind::host) found.try_emplace(e.track, from_.numbers.of(e.track));
    return found;
  }

  // The threads of hosts, each by the first of the processes that show it.
  hash_map<std::int64_t, std::uint32_t> system_threads() {
    hash_map<std::int64_t, std::uint32_t> found;
    for (const held_event& e : from_.events) {
      const chrome_track& on = tracks_.track(e.track);
      const process_kind kind = kinds_[on.process];
      if (!on.number || (kind != process_kind::host && kind != process_kind::runtime &&
                         kind != process_kind::garbage_collector))
        continue;
      const std::uint32_t number = from_.numbers.of(e.track);
      parts_.threads[number].system_thread = *on.number;
      const auto [at, is_new] = found.try_emplace(*on.number, number);
      if (!is_new) at->second = std::min(at->second, number);
    }
    return found;
  }

  // An arrow without an end, or to a moment at which no event of a device begins, is a launch without a record. Where a
  // trace shows no device, a table may still have the kernel.
  void find_recorded(std::vector<launch_arrow>& arrows) const {
    if (arrows.empty()) return;
    hash_map<std::int64_t, bool> begins;  // where arrows end: whether an event begins there
    for (const launch_arrow& a : arrows) begins.emplace(a.kernel_start_ps, false);
    bool shows_device = false;
    for (const held_event& e : from_.events) {
      const process_kind kind = kinds_[tracks_.track(e.track).process];
      if (kind != process_kind::device && kind != process_kind::collectives) continue;
      shows_device = true;
      if (const auto at = begins.find(e.start_ps); at != begins.end()) at->second = true;
    }
    for (launch_arrow& a : arrows)
      a.recorded = a.kernel_start_ps != no_time_ps && (!shows_device || begins.find(a.kernel_start_ps)->second);
  }

  // The call is the innermost one of the runtime, on the thread where the arrow begins, that lasts at that moment.
  void find_calls(std::vector<launch_arrow>& arrows) const {
    if (arrows.empty()) return;
    struct call {
      std::int64_t start_ps, end_ps;
      string_id name;
    };
    hash_map<std::int64_t, std::vector<call>> calls;  // by number in the system
    for (const held_event& e : from_.events) {
      const chrome_track& on = tracks_.track(e.track);
      if (on.number && kinds_[on.process] == process_kind::runtime)
        calls[*on.number].push_back({e.start_ps, saturating_add(e.start_ps, e.duration_ps), e.name});
    }
    hash_map<std::int64_t, std::vector<launch_arrow*>> begun;
    for (launch_arrow& a : arrows) begun[a.calling_thread].push_back(&a);
    for (auto& [thread, all] : begun) {
      const auto own = calls.find(thread);
      if (own == calls.end()) continue;
      std::vector<call>& spans = own->second;
      std::sort(spans.begin(), spans.end(), [](const call& a, const call& b) {
        return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.end_ps > b.end_ps;
      });
      std::sort(all.begin(), all.end(),
                [](const launch_arrow* a, const launch_arrow* b) { return a->launch_ps < b->launch_ps; });
      std::vector<call> open;  // the calls that last, the innermost last
      auto next = spans.begin();
      for (launch_arrow* const a : all) {
        for (; next != spans.end() && next->start_ps <= a->launch_ps; ++next) {
          while (!open.empty() && open.back().end_ps <= next->start_ps) open.pop_back();
          open.push_back(*next);
        }
        while (!open.empty() && open.back().end_ps < a->launch_ps) open.pop_back();
        if (open.empty()) continue;
        a->launch_end_ps = open.back().end_ps;
        a->call = open.back().name;
      }
    }
  }

  line_use take(const held_event& e, process_kind kind) {
    switch (kind) {
      case process_kind::host:
      case process_kind::garbage_collector:
      case process_kind::runtime: return take_host(e, kind);
      case process_kind::device:
      case process_kind::collectives: return take_device(e, kind);
      case process_kind::derived: return line_use::repeated;
      case process_kind::unknown:
        if (take_marker(e)) return line_use::step;
        if (!names_collective(parts_.strings.text(e.name))) break;
        add_device_marker(e);
        return line_use::device_wait;
    }
    return line_use::not_known;
  }

  bool take_marker(const held_event& e) {
    const auto step = parts_.steps.match(parts_.strings.text(e.name));
    if (!step) return false;
    step_marker m;
    m.host_group = host_group_;
    m.thread = from_.numbers.of(e.track);
    m.name = e.name;
    m.number = step->number;
    m.start_ps = e.start_ps;
    m.end_ps = e.start_ps + e.duration_ps;
    m.source = step->source;
    into_.markers.push_back(m);
    return true;
  }

  line_use take_host(const held_event& e, process_kind kind) {
    into_.host_seen = true;
    if (take_marker(e)) return line_use::step;
    const host_span_kind as = kind == process_kind::runtime             ? host_span_kind::runtime
                              : kind == process_kind::garbage_collector ? host_span_kind::gc
                                                                        : e.kind;
    add_span(e, as);
    return as == host_span_kind::op ? line_use::op : line_use::span;
  }

  void add_device_marker(const held_event& e) { add_span(e, host_span_kind::device_marker); }

  void add_span(const held_event& e, host_span_kind kind) {
    host_span s;
    s.start_ps = e.start_ps;
    s.duration_ps = e.duration_ps;
    s.source_row = e.ordinal;
    s.name = e.name;
    s.thread = from_.numbers.of(e.track);
    s.kind = kind;
    if (e.facts != 0) {
      ascend_operator of = from_.operators[e.facts - 1];
      of.span = into_.spans.size();
      into_.operators.push_back(of);
    }
    into_.spans.push_back(s);
  }

  line_use take_device(const held_event& e, process_kind kind) {
    const std::string_view name = parts_.strings.text(e.name);
    const std::string_view task = parts_.strings.text(e.task_type);
    const bool waits = contains(name, "Notify_Wait") || contains(name, "StreamWaitEvent") || task == "Notify Wait" ||
                       task == "Notify_Wait" || task == "NOTIFY_WAIT_SQE";
    if (kind == process_kind::collectives || waits || names_collective(name)) add_device_marker(e);
    if (waits) return line_use::device_wait;
    return kernels_ != nullptr ? take_kernel(e, kind, name, task) : line_use::elsewhere;
  }

  line_use take_kernel(const held_event& e, process_kind kind, std::string_view name, std::string_view task) {
    const chrome_track& on = tracks_.track(e.track);
    const chrome_trace_process& process = tracks_.process(on.process);
    if (kind == process_kind::collectives) {
      // One line a group has whole operations; the planes below show their parts.
      const bool whole = on.name.empty() ? starts_with(name, "hcom_") : contains(on.name, "Communication");
      if (!whole) return line_use::repeated;
    } else if (is_no_kernel(task)) {
      return line_use::device_wait;
    }
    // pid is <host pid> << 10 | <index> << 5 | <device>.
    device_kernels& into = kernels_->of(process.number ? *process.number & 31 : -1, parts_.strings);
    kernel_row row;
    row.start_ps = e.start_ps;
    row.duration_ps = e.duration_ps;
    row.source_row = e.ordinal;
    row.name = e.name;
    row.op_type = parts_.strings.intern(std::string(ascend_op_type(name)));
    row.core = kind == process_kind::collectives ? parts_.strings.intern("HCCL") : e.task_type;
    const auto [known, is_new] = classes_.try_emplace({row.name, row.core});
    if (is_new) known->second = classify_ascend(parts_.strings.text(row.core), parts_.strings.text(row.op_type), name);
    const ascend_class c = known->second;
    row.kind = c.kind;
    if (c.on_aicpu) row.flags = static_cast<std::uint8_t>(row.flags | kernel_on_aicpu);
    if (kind == process_kind::device && on.number) {
      if (const auto index = into.stream_of(*on.number, parts_.strings)) {
        activity_stream& stream = into.device.streams[*index];
        if (stream.line < 0) {
          stream.plane = process.position;
          stream.line = on.position;
        }
        row.stream = *index;
        row.flags = static_cast<std::uint8_t>(row.flags | kernel_has_stream);
      }
    }
    into.any_core = into.any_core || (!c.from_name && row.kind != kernel_class::comm);
    into.rows.push_back(row);
    return line_use::kernel;
  }

  const chrome_tracks& tracks_;
  trace_collector& from_;
  std::uint32_t host_group_;
  activity_parts& parts_;
  ascend_trace& into_;
  ascend_devices* kernels_;
  std::vector<process_kind> kinds_;
  hash_map<std::pair<string_id, string_id>, ascend_class> classes_;  // by name and core
};

}  // namespace

result<void> read_ascend_trace(std::string_view bytes, std::int64_t shift_ps, std::uint32_t host_group,
                               activity_parts& parts, ascend_trace& into, ascend_devices* kernels,
                               activity_input& input) {
  chrome_options options;
  options.bounds = parts.from->what().bounds;
  options.host = parts.host;
  chrome_tracks tracks;
  trace_collector collector(tracks, parts, input);
  chrome_decoder decoder(shift_ps, tracks, collector);
  const result<chrome_summary> read = read_chrome(bytes, decoder, options);
  if (!read) return read.error();
  note_summary(*read, input);
  note_unpaired(decoder.unpaired(), input);
  trace_sorter(tracks, collector, host_group, parts, into, kernels).run();
  collector.numbers.name_threads(input.file, tracks);
  collector.counts.list(input.file, tracks, parts.strings, parts.lines);
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
