// Chrome trace JSON to timeline: complete, instant and counter events, and begin/end events matched by name, on one
// thread or, asynchronous ones, of one id. Flows are arrows between events and make no rows.
#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>
#include <read/chrome_pairs.hpp>
#include <read/fill.hpp>

#include <base/hash_map.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct thread_names {
  std::string name;
  std::int32_t position = 0;  // among the threads of its process, by first sight
};

struct process_names {
  std::string name;
  std::int32_t position = 0;
  hash_map<std::string, thread_names> threads;
};

// 7 and "7" are different keys.
void key_of(const chrome_ref& ref, std::string& key) { key.assign(1, ref.is_string ? '"' : ' ').append(ref.text); }

bool is_async(char phase) noexcept {
  return phase == 'b' || phase == 'e' || phase == 'n' || phase == 'S' || phase == 'F';
}

// The line within the process that an event lies on: its thread, or one for each category of asynchronous events
// and for each counter.
void line_key_of(const chrome_event& e, std::string& key) {
  if (is_async(e.phase)) {
    key.assign(1, 'b').append(e.cat);
  } else if (e.phase == 'C') {
    key.assign(1, 'C').append(e.name);
  } else {
    key_of(e.tid, key);
  }
}

// First pass: names may come after the events they belong to.
class name_collector final : public chrome_visitor {
 public:
  bool event(const chrome_event& e) override {
    if (e.pid.text.empty()) return true;
    process_names& process = process_of(e);
    if (e.phase != 'M') {
      if (is_drawn(e.phase)) thread_of(process, e);
    } else if (e.name == "process_name") {
      process.name = name_in(e);
    } else if (e.name == "thread_name") {
      thread_of(process, e).name = name_in(e);
    }
    return true;
  }

  static bool is_drawn(char phase) {
    return phase == 'X' || phase == 'i' || phase == 'I' || phase == 'B' || phase == 'E' || phase == 'C' ||
           is_async(phase);
  }

  hash_map<std::string, process_names> processes;

 private:
  process_names& process_of(const chrome_event& e) {
    key_of(e.pid, key_);
    const auto found = processes.find(key_);
    if (found != processes.end()) return found->second;
    process_names& added = processes[key_];
    added.position = static_cast<std::int32_t>(processes.size()) - 1;
    return added;
  }
  thread_names& thread_of(process_names& process, const chrome_event& e) {
    line_key_of(e, key_);
    const auto found = process.threads.find(key_);
    if (found != process.threads.end()) return found->second;
    thread_names& added = process.threads[key_];
    if (is_async(e.phase)) added.name = std::string(e.cat);
    if (e.phase == 'C') added.name = std::string(e.name);
    added.position = static_cast<std::int32_t>(process.threads.size()) - 1;
    return added;
  }
  std::string_view name_in(const chrome_event& e) { return json_text(json_member(e.args_json, "name"), scratch_); }

  std::string key_, scratch_;
};

// Second pass.
class event_filler final : public chrome_visitor {
 public:
  event_filler(const profile& p, std::size_t file, std::int64_t shift_ps,
               const hash_map<std::string, process_names>& names, timeline_sink& into)
      : names_(names),
        into_(into),
        file_(static_cast<std::uint32_t>(file)),
        shift_ps_(shift_ps),
        host_(into.intern(p.what().files[file].host)) {}

  bool event(const chrome_event& e) override {
    if (!name_collector::is_drawn(e.phase) || !e.ts_ps) return true;
    const auto start = checked_add(*e.ts_ps, shift_ps_);
    if (!start) {
      out_of_reach = true;
      return true;
    }
    per_thread& thread = thread_of(e);
    timeline_event row;
    row.start_ps = *start;
    row.source_row = e.ordinal;
    row.name = into_.intern(e.name);
    switch (e.phase) {
      case 'X': row.duration_ps = std::max<std::int64_t>(e.dur_ps.value_or(0), 0); break;
      case 'B': thread.open.push({row.start_ps, row.source_row, row.name}); return true;
      case 'b':
      case 'S': begins_of(e).push({row.start_ps, row.source_row, row.name}); return true;
      case 'E':
      case 'e':
      case 'F': {
        const auto begin = (e.phase == 'E' ? thread.open : begins_of(e)).pop(row.name);
        if (!begin) return true;
        row.duration_ps = std::max<std::int64_t>(checked_sub(row.start_ps, begin->start_ps).value_or(0), 0);
        row.start_ps = begin->start_ps;
        row.source_row = begin->ordinal;
        row.name = begin->name;
        break;
      }
      default: break;
    }
    thread.rows.push_back(row);
    if (++held_ < most_held) return true;
    flush();
    return told.ok();
  }

  void flush() {
    for (const auto& thread : threads_) {
      if (thread->rows.empty() || !told.ok()) continue;
      told = into_.add_events(thread->track, thread->rows.data(), thread->rows.size());
      thread->rows.clear();
    }
    held_ = 0;
  }

  result<void> told;
  bool out_of_reach = false;

 private:
  static constexpr std::size_t most_held = std::size_t{1} << 16;

  struct per_thread {
    track_id track = 0;
    open_begins open;
    std::vector<timeline_event> rows;
  };

  // Begins of asynchronous events wait by process, category and id.
  open_begins& begins_of(const chrome_event& e) {
    key_of(e.pid, key_);
    key_.append(1, '\0').append(e.cat).append(1, '\0').append(e.id);
    return async_[key_];
  }

  per_thread& thread_of(const chrome_event& e) {
    key_of(e.pid, key_);
    const std::size_t pid_bytes = key_.size();
    line_key_of(e, part_);
    key_.append(1, '\0').append(part_);
    if (last_ != nullptr && key_ == last_key_) return *last_;
    const auto found = by_key_.find(key_);
    last_ = found != by_key_.end() ? found->second : &add_thread(e, std::string_view(key_).substr(0, pid_bytes));
    last_key_ = key_;
    return *last_;
  }

  per_thread& add_thread(const chrome_event& e, std::string_view pid) {
    track t;
    t.file = file_;
    t.host = host_;
    std::string_view plane_name, line_name;
    if (const auto process = names_.find(std::string(pid)); process != names_.end()) {
      t.plane = process->second.position;
      plane_name = process->second.name;
      if (const auto thread = process->second.threads.find(part_); thread != process->second.threads.end()) {
        t.line = thread->second.position;
        line_name = thread->second.name;
      }
    }
    const bool on_thread = !is_async(e.phase) && e.phase != 'C';
    const auto tid = on_thread && !e.tid.is_string ? json_scaled_integer(e.tid.text) : std::nullopt;
    t.plane_type = classify_plane(plane_name);
    t.line_type = is_async(e.phase) ? line_kind::async
                  : e.phase == 'C'  ? line_kind::counter
                                    : classify_line(t.plane_type, line_name, tid.value_or(0));
    t.device = device_ordinal(plane_name);
    t.stream = tid.value_or(-1);
    t.plane_name = into_.intern(plane_name);
    t.line_name = into_.intern(line_name);
    threads_.push_back(std::make_unique<per_thread>());
    threads_.back()->track = into_.add_track(t);
    by_key_[key_] = threads_.back().get();
    return *threads_.back();
  }

  const hash_map<std::string, process_names>& names_;
  timeline_sink& into_;
  std::uint32_t file_;
  std::int64_t shift_ps_;
  string_id host_;
  std::vector<std::unique_ptr<per_thread>> threads_;  // in the order of their tracks
  hash_map<std::string, per_thread*> by_key_;
  hash_map<std::string, open_begins> async_;
  per_thread* last_ = nullptr;
  std::string last_key_, key_, part_;
  std::size_t held_ = 0;
};

// What to add to the file's times to have them on the capture's clock; 0 when the file's zero is not known.
std::optional<std::int64_t> shift_of(const profile& p, std::size_t file) {
  const auto own = p.file_origin_unix_ns(file);
  if (!own || !p.origin_unix_ns()) return 0;
  const auto ns = checked_sub(*own, *p.origin_unix_ns());
  return ns ? checked_mul(*ns, ps_per_ns) : std::nullopt;
}

fault out_of_reach_of(const std::string& path) {
  return {fault_code::damaged, "times lie more than 106 days from the origin of the capture", path, no_offset,
          "open this file alone"};
}

}  // namespace

result<void> fill_from_chrome(const profile& p, std::size_t file, timeline_sink& into) {
  const std::string& path = p.what().files[file].path;
  const std::string_view bytes = p.bytes(file);
  const fault* const known = p.file_fault(file);
  if (bytes.empty()) return known != nullptr ? result<void>(*known) : result<void>();

  chrome_options options;
  options.bounds = p.what().bounds;
  options.host = p.what().host;
  const auto shift_ps = shift_of(p, file);
  if (!shift_ps) return out_of_reach_of(path);
  const auto with_path = [&path](fault f) {
    f.path = path;
    return f;
  };
  name_collector names;
  if (result<chrome_summary> named = read_chrome(bytes, names, options); !named) return with_path(named.error());
  event_filler filler(p, file, *shift_ps, names.processes, into);
  result<chrome_summary> read = read_chrome(bytes, filler, options);
  if (!read) return with_path(read.error());
  filler.flush();
  if (!filler.told) return filler.told;
  if (known != nullptr) return *known;
  if (read->damage) return with_path(*read->damage);
  if (filler.out_of_reach) return out_of_reach_of(path);
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
