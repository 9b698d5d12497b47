#include <read/ascend_trace.hpp>

#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>
#include <read/ascend_names.hpp>
#include <read/chrome_pairs.hpp>

#include <algorithm>
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

struct process {
  std::string name, labels;
  std::optional<std::int64_t> pid;
  bool has_host_category = false, has_runtime_names = false;
  process_kind known = process_kind::unknown;  // by the name, as soon as it is read

  [[nodiscard]] process_kind kind() const {
    if (known != process_kind::unknown) return known;
    if (has_host_category) return process_kind::host;
    if (contains(labels, "NPU")) return process_kind::device;
    if (has_runtime_names) return process_kind::runtime;
    return contains(labels, "CPU") ? process_kind::host : process_kind::unknown;
  }
};

struct thread {
  std::size_t process = 0;
  std::optional<std::int64_t> tid;
  std::string name;
  std::uint32_t number = 0;
  open_begins open;
};

// An event with a length, until all processes are known by name.
struct held_event {
  std::int64_t start_ps, duration_ps;
  std::uint64_t ordinal;
  string_id name, task_type;
  std::uint32_t thread;
  host_span_kind kind;
};

struct flow_end {
  std::uint64_t id;
  std::int64_t at_ps;
  std::int64_t stream;
};

// Tells of communication wherever it lies.
bool names_collective(std::string_view name) noexcept {
  return contains(name, "hcom") || contains(name, "Hccl") || contains(name, "c10d");
}

class trace_collector final : public chrome_visitor {
 public:
  trace_collector(std::int64_t shift_ps, activity_parts& parts, activity_input& input)
      : shift_ps_(shift_ps), parts_(parts), input_(input) {}

  bool event(const chrome_event& e) override {
    switch (e.phase) {
      case 'M': take_name(e); break;
      case 'X':
      case 'B':
      case 'E': take_span(e); break;
      case 's':
      case 'f': take_flow(e); break;
      default: break;
    }
    return true;
  }

  std::vector<process> processes;
  std::vector<std::unique_ptr<thread>> threads;
  std::vector<held_event> events;

  // Arrows whose two ends are there: those of the runtime, else those of the framework.
  [[nodiscard]] std::vector<launch_arrow> arrows() const {
    std::vector<launch_arrow> found = joined(runtime_);
    return found.empty() ? joined(framework_) : found;
  }

 private:
  struct flows {
    hash_map<std::uint64_t, std::int64_t> starts;
    std::vector<flow_end> ends;
  };

  static std::vector<launch_arrow> joined(const flows& f) {
    std::vector<launch_arrow> arrows;
    for (const flow_end& end : f.ends) {
      const auto start = f.starts.find(end.id);
      if (start != f.starts.end()) arrows.push_back({end.at_ps, start->second, end.stream});
    }
    return arrows;
  }

  std::optional<std::int64_t> time_of(const chrome_event& e) {
    const auto at = e.ts_ps ? checked_add(*e.ts_ps, shift_ps_) : std::nullopt;
    if (!at) reject(e, "no usable time");
    return at;
  }
  void reject(const chrome_event& e, const char* reason) { reject_event(input_, reason, e.ordinal, e.byte_offset); }

  void take_name(const chrome_event& e) {
    if (e.name == "process_name") {
      process& p = processes[process_of(e)];
      p.name = std::string(json_text(json_member(e.args_json, "name"), scratch_));
      const auto* const rule = std::find_if(std::begin(process_rules), std::end(process_rules),
                                            [&p](const process_rule& r) { return r.name == p.name; });
      if (rule != std::end(process_rules)) p.known = rule->kind;
    } else if (e.name == "process_labels") {
      processes[process_of(e)].labels = std::string(json_text(json_member(e.args_json, "labels"), scratch_));
    } else if (e.name == "thread_name") {
      thread_of(e).name = std::string(json_text(json_member(e.args_json, "name"), scratch_));
    }
  }

  void take_span(const chrome_event& e) {
    const auto start = time_of(e);
    if (!start) return;
    thread& on = thread_of(e);
    held_event held{*start, 0, e.ordinal, parts_.strings.intern(e.name), 0, thread_index_, host_span_kind::other};
    if (e.phase == 'B') {
      on.open.push({held.start_ps, held.ordinal, held.name});
      return;
    }
    if (e.phase == 'E') {
      const auto begin = on.open.pop(held.name);
      if (!begin) return;
      held.duration_ps = checked_sub(held.start_ps, begin->start_ps).value_or(-1);
      held.start_ps = begin->start_ps;
      held.ordinal = begin->ordinal;
      held.name = begin->name;
    } else {
      if (!e.dur_ps) {
        reject(e, "no usable duration");
        return;
      }
      held.duration_ps = *e.dur_ps;
    }
    if (held.duration_ps < 0) {
      reject(e, "the duration is negative");
      return;
    }
    if (!checked_add(held.start_ps, held.duration_ps)) {
      reject(e, "the time lies out of reach (106 days)");
      return;
    }
    process& p = processes[on.process];
    if (!e.cat.empty()) {
      for (const category_rule& rule : host_categories) {
        if (rule.category != e.cat) continue;
        held.kind = rule.kind;
        p.has_host_category = true;
      }
    } else if (p.known == process_kind::unknown || p.known == process_kind::device ||
               p.known == process_kind::collectives) {
      const bool layer = std::any_of(std::begin(runtime_layers), std::end(runtime_layers),
                                     [&e](std::string_view l) { return starts_with(e.name, l); });
      p.has_runtime_names = p.has_runtime_names || layer;
      if (!layer) held.task_type = task_type_of(e.args_json);
    }
    events.push_back(held);
  }

  string_id task_type_of(std::string_view args) {
    std::string_view raw = json_member(args, "Task Type");
    if (raw.empty()) raw = json_member(args, "task type");
    return raw.empty() ? 0 : parts_.strings.intern(json_text(raw, scratch_));
  }

  void take_flow(const chrome_event& e) {
    const bool runtime = e.cat == "HostToDevice" || starts_with(e.name, "HostToDevice");
    if (!runtime && e.name != "torch_to_npu") return;
    const auto at = time_of(e);
    if (!at) return;
    flows& f = runtime ? runtime_ : framework_;
    const std::uint64_t id = std::hash<std::string_view>()(e.id);
    if (e.phase == 's') {
      f.starts.emplace(id, *at);
    } else {
      f.ends.push_back({id, *at, e.tid.is_string ? -1 : json_scaled_integer(e.tid.text).value_or(-1)});
    }
  }

  static void append_key(const chrome_ref& ref, std::string& key) {
    key.append(1, ref.is_string ? '"' : ' ').append(ref.text);
  }

  std::size_t process_of(const chrome_event& e) {
    key_.clear();
    append_key(e.pid, key_);
    const auto found = process_of_key_.find(key_);
    if (found != process_of_key_.end()) return found->second;
    process& added = processes.emplace_back();
    if (!e.pid.is_string) added.pid = json_scaled_integer(e.pid.text);
    process_of_key_.emplace(key_, processes.size() - 1);
    return processes.size() - 1;
  }

  thread& thread_of(const chrome_event& e) {
    key_.clear();
    append_key(e.pid, key_);
    key_.append(1, '\0');
    append_key(e.tid, key_);
    if (key_ == last_key_) return *threads[thread_index_];
    last_key_ = key_;
    const auto found = thread_of_key_.find(key_);
    if (found != thread_of_key_.end()) {
      thread_index_ = found->second;
      return *threads[thread_index_];
    }
    thread_index_ = static_cast<std::uint32_t>(threads.size());
    thread_of_key_.emplace(key_, thread_index_);
    threads.push_back(std::make_unique<thread>());
    thread& added = *threads.back();
    added.process = process_of(e);
    if (!e.tid.is_string) added.tid = json_scaled_integer(e.tid.text);
    added.number = parts_.threads++;
    return added;
  }

  std::int64_t shift_ps_;
  activity_parts& parts_;
  activity_input& input_;
  flows runtime_, framework_;
  hash_map<std::string, std::size_t> process_of_key_;
  hash_map<std::string, std::uint32_t> thread_of_key_;
  std::string key_, last_key_, scratch_;
  std::uint32_t thread_index_ = 0;
};

// Puts what was collected where it belongs, now that every process has its name.
class trace_sorter {
 public:
  trace_sorter(trace_collector& from, std::uint32_t host_group, activity_parts& parts, ascend_trace& into,
               ascend_devices* kernels)
      : from_(from), host_group_(host_group), parts_(parts), into_(into), kernels_(kernels) {
    for (const process& p : from.processes) kinds_.push_back(p.kind());
  }

  void run() {
    for (const held_event& e : from_.events) {
      const thread& on = *from_.threads[e.thread];
      switch (kinds_[on.process]) {
        case process_kind::host:
        case process_kind::garbage_collector:
        case process_kind::runtime: take_host(e, kinds_[on.process], on); break;
        case process_kind::device:
        case process_kind::collectives: take_device(e, kinds_[on.process], on); break;
        case process_kind::derived: break;
        case process_kind::unknown:
          if (!take_marker(e) && names_collective(parts_.strings.text(e.name))) add_device_marker(e, on);
          break;
      }
    }
    into_.launches = from_.arrows();
  }

 private:
  bool take_marker(const held_event& e) {
    const auto step = parts_.steps.match(parts_.strings.text(e.name));
    if (!step) return false;
    step_marker m;
    m.host_group = host_group_;
    m.name = e.name;
    m.number = step->number;
    m.start_ps = e.start_ps;
    m.end_ps = e.start_ps + e.duration_ps;
    m.source = step->source;
    into_.markers.push_back(m);
    return true;
  }

  void take_host(const held_event& e, process_kind kind, const thread& on) {
    into_.host_seen = true;
    if (take_marker(e)) return;
    add_span(e, on,
             kind == process_kind::runtime             ? host_span_kind::runtime
             : kind == process_kind::garbage_collector ? host_span_kind::gc
                                                       : e.kind);
  }

  void add_device_marker(const held_event& e, const thread& on) { add_span(e, on, host_span_kind::device_marker); }

  void add_span(const held_event& e, const thread& on, host_span_kind kind) {
    host_span s;
    s.start_ps = e.start_ps;
    s.duration_ps = e.duration_ps;
    s.source_row = e.ordinal;
    s.name = e.name;
    s.thread = on.number;
    s.kind = kind;
    into_.spans.push_back(s);
  }

  void take_device(const held_event& e, process_kind kind, const thread& on) {
    const std::string_view name = parts_.strings.text(e.name);
    const std::string_view task = parts_.strings.text(e.task_type);
    const bool waits = contains(name, "Notify_Wait") || contains(name, "StreamWaitEvent") || task == "Notify Wait" ||
                       task == "Notify_Wait" || task == "NOTIFY_WAIT_SQE";
    if (kind == process_kind::collectives || waits || names_collective(name)) add_device_marker(e, on);
    if (kernels_ != nullptr && !waits) take_kernel(e, kind, on, name, task);
  }

  void take_kernel(const held_event& e, process_kind kind, const thread& on, std::string_view name,
                   std::string_view task) {
    if (kind == process_kind::collectives) {
      // One line a group has whole operations; the planes below show their parts.
      const bool whole = on.name.empty() ? starts_with(name, "hcom_") : contains(on.name, "Communication");
      if (!whole) return;
    } else if (is_no_kernel(task)) {
      return;
    }
    const auto pid = from_.processes[on.process].pid;
    // pid is <host pid> << 10 | <index> << 5 | <device>.
    device_kernels& into = kernels_->of(pid ? *pid & 31 : -1, parts_.strings);
    kernel_row row;
    row.start_ps = e.start_ps;
    row.duration_ps = e.duration_ps;
    row.source_row = e.ordinal;
    row.name = e.name;
    row.op_type = parts_.strings.intern(std::string(ascend_op_type(name)));
    row.core = kind == process_kind::collectives ? parts_.strings.intern("HCCL") : e.task_type;
    const ascend_class c = classify_ascend(parts_.strings.text(row.core), parts_.strings.text(row.op_type), name);
    row.kind = c.kind;
    if (c.on_aicpu) row.flags = static_cast<std::uint8_t>(row.flags | kernel_on_aicpu);
    if (kind == process_kind::device && on.tid) {
      if (const auto index = into.stream_of(*on.tid, parts_.strings)) {
        row.stream = *index;
        row.flags = static_cast<std::uint8_t>(row.flags | kernel_has_stream);
      }
    }
    into.any_core = into.any_core || (!c.from_name && row.kind != kernel_class::comm);
    into.rows.push_back(row);
  }

  trace_collector& from_;
  std::uint32_t host_group_;
  activity_parts& parts_;
  ascend_trace& into_;
  ascend_devices* kernels_;
  std::vector<process_kind> kinds_;
};

}  // namespace

result<void> read_ascend_trace(std::string_view bytes, std::int64_t shift_ps, std::uint32_t host_group,
                               activity_parts& parts, ascend_trace& into, ascend_devices* kernels,
                               activity_input& input) {
  chrome_options options;
  options.bounds = parts.from->what().bounds;
  options.host = parts.host;
  trace_collector collector(shift_ps, parts, input);
  const result<chrome_summary> read = read_chrome(bytes, collector, options);
  if (!read) return read.error();
  note_summary(*read, input);
  trace_sorter(collector, host_group, parts, into, kernels).run();
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
