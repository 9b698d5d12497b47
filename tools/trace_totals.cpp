#include "trace_totals.hpp"

#include <profkit/core/activity.hpp>
#include <profkit/core/chrome.hpp>
#include <profkit/core/text.hpp>
#include <profkit/interval.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::chrome_event;
using profkit::json_member;
using profkit::json_text;
using profkit::result;

// What an event of a host can count as.
enum class kind : std::uint8_t { op, other };

// Categories of PyTorch's Kineto, in the spellings of its versions.
kind kind_of(std::string_view category) noexcept {
  return category == "cpu_op" || category == "Operator" ? kind::op : kind::other;
}

bool starts_with(std::string_view text, std::string_view start) noexcept {
  return text.substr(0, start.size()) == start;
}

struct row {
  std::int64_t start_ps, end_ps;
  std::uint32_t name;
  kind what;
};

struct thread {
  std::string process_id, thread_id;
  std::vector<row> rows;
};

// What the totals need of one file. Of one whose kernels are known, names and headers alone.
class collector final : public profkit::chrome_visitor {
 public:
  explicit collector(bool keep_rows) : keep_rows_(keep_rows) {}

  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    if (key == "schemaVersion") is_kineto_ = true;
    if (key == "deviceProperties") devices_of(json);
    if (key == "distributedInfo") ranks_of(json);
    return true;
  }

  bool event(const chrome_event& e) override {
    if (e.phase == 'M') {
      if (e.name == "process_name") process_names_[std::string(e.pid.text)] = text_of(json_member(e.args_json, "name"));
      if (e.name == "thread_name")
        thread_names_[{std::string(e.pid.text), std::string(e.tid.text)}] = text_of(json_member(e.args_json, "name"));
      return true;
    }
    if (!keep_rows_ || e.phase != 'X' || !e.ts_ps || !e.dur_ps || *e.dur_ps < 0) return true;
    thread_of(e).rows.push_back({*e.ts_ps, *e.ts_ps + *e.dur_ps, name_id(e.name), kind_of(e.cat)});
    return true;
  }

  [[nodiscard]] bool is_kineto() const noexcept { return is_kineto_; }
  // XLA's exporter names its planes, and only what lies on some of their lines is an op.
  [[nodiscard]] bool has_device_planes() const {
    return std::any_of(process_names_.begin(), process_names_.end(), [](const auto& named) {
      return profkit::classify_plane(named.second) == profkit::plane_kind::device;
    });
  }
  [[nodiscard]] std::string process_name(const thread& t) const {
    const auto found = process_names_.find(t.process_id);
    return found == process_names_.end() ? std::string() : found->second;
  }
  [[nodiscard]] std::string thread_name(const thread& t) const {
    const auto found = thread_names_.find({t.process_id, t.thread_id});
    return found == thread_names_.end() ? std::string() : found->second;
  }
  [[nodiscard]] const std::string& name(std::uint32_t id) const { return *names_[id]; }

  std::map<std::pair<std::string, std::string>, thread> threads;
  std::vector<std::string> hardware;
  std::string process;

 private:
  std::string text_of(std::string_view raw) { return std::string(json_text(raw, scratch_)); }

  std::uint32_t name_id(std::string_view name) {
    key_.assign(name);
    const auto [at, added] = ids_.try_emplace(key_, static_cast<std::uint32_t>(ids_.size()));
    if (added) names_.push_back(&at->first);
    return at->second;
  }

  thread& thread_of(const chrome_event& e) {
    if (last_ != nullptr && last_->process_id == e.pid.text && last_->thread_id == e.tid.text) return *last_;
    thread& t = threads[{std::string(e.pid.text), std::string(e.tid.text)}];
    if (t.rows.empty()) {
      t.process_id = e.pid.text;
      t.thread_id = e.tid.text;
    }
    return *(last_ = &t);
  }

  // [{"name": "NVIDIA H100 80GB HBM3", …}, …]: equal ones together.
  void devices_of(std::string_view json) {
    std::map<std::string, std::size_t> counts;
    for (std::size_t at = json.find('{'); at != std::string_view::npos; at = json.find('{', at + 1))
      if (std::string name = text_of(json_member(json.substr(at), "name")); !name.empty()) ++counts[std::move(name)];
    for (const auto& [name, count] : counts)
      hardware.push_back((count > 1 ? profkit::grouped(std::uint64_t{count}) + " × " : std::string()) +
                         profkit::escape_for_terminal(name));
  }

  // {"backend": "nccl", "rank": 0, "world_size": 8, …}
  void ranks_of(std::string_view json) {
    const std::string rank = text_of(json_member(json, "rank")), size = text_of(json_member(json, "world_size"));
    if (rank.empty() || size.empty()) return;
    const std::string backend = text_of(json_member(json, "backend"));
    process =
        profkit::escape_for_terminal("rank " + rank + " of " + size + (backend.empty() ? "" : " (" + backend + ')'));
  }

  bool keep_rows_, is_kineto_ = false;
  std::map<std::string, std::string> process_names_;
  std::map<std::pair<std::string, std::string>, std::string> thread_names_;
  std::map<std::string, std::uint32_t> ids_;  // no hash: the names are those of the file
  std::vector<const std::string*> names_;
  std::string scratch_, key_;
  thread* last_ = nullptr;
};

trace_basis basis_of(const collector& file) {
  bool has_device_ops = false, has_operators = false, has_events = false;
  for (const auto& [key, t] : file.threads) {
    const bool on_device = profkit::classify_plane(file.process_name(t)) == profkit::plane_kind::device;
    for (const row& r : t.rows) {
      has_operators = has_operators || r.what == kind::op;
      has_events = true;
    }
    has_device_ops = has_device_ops || (on_device && !t.rows.empty());
  }
  return has_device_ops  ? trace_basis::device_ops
         : has_operators ? trace_basis::host_operators
         : has_events    ? trace_basis::host_events
                         : trace_basis::none;
}

bool counts(const collector& file, const thread& t, const row& r, trace_basis basis) {
  switch (basis) {
    case trace_basis::none:
    case trace_basis::device_kernels: return false;
    case trace_basis::host_operators: return r.what == kind::op;
    case trace_basis::host_events: return true;
    case trace_basis::device_ops: {
      if (profkit::classify_plane(file.process_name(t)) != profkit::plane_kind::device) return false;
      const auto line = profkit::classify_line(profkit::plane_kind::device, file.thread_name(t), 0);
      return line == profkit::line_kind::ops || line == profkit::line_kind::stream;
    }
  }
  return false;
}

// The device or thread that a row counts for: streams of one device are one track.
std::string track_name(const collector& file, const thread& t, trace_basis basis) {
  const std::string process = file.process_name(t), line = file.thread_name(t);
  std::string name = process.empty() ? "process " + t.process_id : process;
  if (basis != trace_basis::device_ops && process.find(t.process_id) == std::string::npos && !process.empty())
    name += ' ' + t.process_id;
  return name + ", " + (line.empty() ? "thread " + t.thread_id : line);
}

std::int64_t covered(std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
  std::sort(spans.begin(), spans.end());
  std::int64_t covered_ps = 0, end = std::numeric_limits<std::int64_t>::min();
  for (const auto& [from, to] : spans) {
    const std::int64_t start = std::max(from, end);
    if (to > start) covered_ps += to - start;
    end = std::max(end, to);
  }
  return covered_ps;
}

// Adds the rows of one thread: each one's self time is what nested rows leave of it.
void add_names(std::vector<row>& rows, std::unordered_map<std::uint32_t, trace_name>& names) {
  std::stable_sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
    return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.end_ps > b.end_ps;
  });
  std::vector<const row*> open;
  std::int64_t told_until = std::numeric_limits<std::int64_t>::min();  // time given to some row already
  const auto give_until = [&](std::int64_t until) {
    const row& top = *open.back();
    const std::int64_t from = std::max(told_until, top.start_ps), to = std::min(until, top.end_ps);
    if (to > from) names[top.name].self_ps += to - from;
    told_until = std::max(told_until, to);
  };
  for (const row& r : rows) {
    while (!open.empty() && open.back()->end_ps <= r.start_ps) {
      give_until(open.back()->end_ps);
      open.pop_back();
    }
    if (!open.empty()) give_until(r.start_ps);
    open.push_back(&r);
    trace_name& name = names[r.name];
    ++name.count;
    name.total_ps += r.end_ps - r.start_ps;
    name.max_ps = std::max(name.max_ps, r.end_ps - r.start_ps);
  }
  while (!open.empty()) {
    give_until(open.back()->end_ps);
    open.pop_back();
  }
}

class totals_builder {
 public:
  explicit totals_builder(trace_totals so_far) : all(std::move(so_far)) {}

  void add_file(std::uint32_t index, collector& file, trace_basis basis) {
    std::map<std::string, std::pair<trace_track, std::vector<std::pair<std::int64_t, std::int64_t>>>> tracks;
    std::unordered_map<std::uint32_t, trace_name> names;
    for (auto& [key, t] : file.threads) {
      std::vector<row> rows;
      for (const row& r : t.rows)
        if (counts(file, t, r, basis)) rows.push_back(r);
      if (rows.empty()) continue;
      auto& [track, spans] = tracks[track_name(file, t, basis)];
      track.events += rows.size();
      for (const row& r : rows) spans.emplace_back(r.start_ps, r.end_ps);
      add_names(rows, names);
    }
    for (auto& [name, entry] : tracks) {
      entry.first.file = index;
      entry.first.name = name;
      entry.first.busy_ps = covered(entry.second);
      all.tracks.push_back(std::move(entry.first));
    }
    for (const auto& [id, sums] : names) add(names_[file.name(id)], sums);
    add_header(file);
  }

  void add_header(collector& file) {
    for (std::string& model : file.hardware)
      if (std::find(all.hardware.begin(), all.hardware.end(), model) == all.hardware.end())
        all.hardware.push_back(std::move(model));
    if (!file.process.empty()) all.processes.push_back(std::move(file.process));
    if (file.is_kineto()) all.producer = "PyTorch (Kineto)";
  }

  trace_totals finish() {
    for (auto& [name, sums] : names_) {
      sums.name = name;
      all.self_ps += sums.self_ps;
      all.names.push_back(std::move(sums));
    }
    std::stable_sort(all.names.begin(), all.names.end(),
                     [](const trace_name& a, const trace_name& b) { return a.self_ps > b.self_ps; });
    std::stable_sort(all.tracks.begin(), all.tracks.end(),
                     [](const trace_track& a, const trace_track& b) { return a.busy_ps > b.busy_ps; });
    return std::move(all);
  }

  trace_totals all;

 private:
  static void add(trace_name& into, const trace_name& sums) {
    into.count += sums.count;
    into.total_ps += sums.total_ps;
    into.self_ps += sums.self_ps;
    into.max_ps = std::max(into.max_ps, sums.max_ps);
  }
  std::map<std::string, trace_name> names_;
};

// Whether a device's kernels are of a trace or table: those of an XSpace are told by its own slices.
bool is_traced(const profkit::profile& capture, const profkit::activity_device& d) {
  return capture.what().files[d.file].family != profkit::file_family::xspace && (d.kernels > 0 || !d.totals.empty());
}

// The kernels of one device.
class device_totals final : public profkit::kernel_visitor {
 public:
  device_totals(const profkit::activity& a, const profkit::activity_device& d, trace_track& track,
                std::map<std::string, trace_name>& names, trace_name& collectives)
      : activity_(a),
        by_type_(d.type == profkit::accelerator::npu),
        track_(track),
        names_(names),
        collectives_(collectives) {}

  result<void> rows(const profkit::kernel_row* first, std::size_t count) override {
    for (const profkit::kernel_row* r = first; r != first + count; ++r) {
      if ((r->flags & profkit::kernel_duplicate) != 0) continue;
      ++track_.events;
      spans_.push_back({r->start_ps, r->start_ps + r->duration_ps});
      add(names_[name_of(*r)], *r);
      if (r->kind == profkit::kernel_class::comm) add(collectives_, *r);
    }
    return {};
  }
  void finish() {
    profkit::normalise(spans_);
    track_.busy_ps = static_cast<std::int64_t>(profkit::covered_ps(spans_));
  }

 private:
  // An Ascend kernel's own name counts its calls through; other kernels without the "void " of their C++ signature.
  [[nodiscard]] std::string name_of(const profkit::kernel_row& r) const {
    constexpr std::string_view no_result = "void ";
    std::string_view name = activity_.text(by_type_ ? r.op_type : r.name);
    if (starts_with(name, no_result)) name.remove_prefix(no_result.size());
    return std::string(name);
  }
  // Kernels of a stream do not nest: all of a kernel's time is its own.
  static void add(trace_name& into, const profkit::kernel_row& r) {
    ++into.count;
    into.total_ps = profkit::saturating_add(into.total_ps, r.duration_ps);
    into.self_ps = profkit::saturating_add(into.self_ps, r.duration_ps);
    into.max_ps = std::max(into.max_ps, r.duration_ps);
  }
  const profkit::activity& activity_;
  bool by_type_;
  trace_track& track_;
  std::map<std::string, trace_name>& names_;
  trace_name& collectives_;
  std::vector<profkit::interval> spans_;
};

// Kernels, as every analysis of them has them.
result<void> add_kernels(const profkit::profile& capture, const profkit::activity& a, const profkit::hooks& host,
                         trace_totals& all) {
  std::map<std::string, trace_name> names;
  for (std::size_t i = 0; i < a.devices().size(); ++i) {
    const profkit::activity_device& d = a.devices()[i];
    if (!is_traced(capture, d)) continue;
    trace_track& track = all.tracks.emplace_back();
    track.file = d.file;
    track.name = std::string(a.text(d.name));
    device_totals totals(a, d, track, names, all.collectives);
    if (auto visited = a.visit_kernels(i, totals, host); !visited) return visited;
    totals.finish();
    all.basis = trace_basis::device_kernels;
    if (d.type == profkit::accelerator::npu) all.producer = "torch_npu or msprof (Ascend)";
  }
  for (auto& [name, sums] : names) {
    sums.name = name;
    all.self_ps = profkit::saturating_add(all.self_ps, sums.self_ps);
    all.names.push_back(std::move(sums));
  }
  std::stable_sort(all.names.begin(), all.names.end(),
                   [](const trace_name& x, const trace_name& y) { return x.self_ps > y.self_ps; });
  std::stable_sort(all.tracks.begin(), all.tracks.end(),
                   [](const trace_track& x, const trace_track& y) { return x.busy_ps > y.busy_ps; });
  return {};
}

// Steps that the trace itself marks on its hosts.
void add_steps(const profkit::activity& a, trace_totals& all) {
  std::vector<std::int64_t> steps;
  for (const profkit::step_marker& m : a.markers()) {
    if (m.source != profkit::marker_source::profiler_step && m.source != profkit::marker_source::numbered_step) continue;
    if (steps.empty()) all.steps_named = a.text(m.name).substr(0, a.text(m.name).find('#'));
    steps.push_back(m.end_ps - m.start_ps);
  }
  all.steps = statistics_of(std::move(steps));
}

bool is_lone_trace(const profkit::capture_file& f) noexcept {
  return f.family == profkit::file_family::chrome_trace && f.export_of < 0;
}
bool is_ascend(const profkit::capture_file& f) noexcept { return f.family == profkit::file_family::ascend_kernels; }

}  // namespace

result<trace_totals> total_traces(const profkit::profile& capture, const profkit::hooks& host) {
  const auto& listed = capture.what().files;
  profkit::activity_options what;
  what.details = false;
  // Borrowed: the profile outlives the activity.
  const std::shared_ptr<const profkit::profile> borrowed(std::shared_ptr<const profkit::profile>(), &capture);
  const auto read = profkit::read_activity(borrowed, what, host);
  if (!read) return read.error();
  const profkit::activity& a = **read;
  trace_totals all;
  const bool tables = std::any_of(listed.begin(), listed.end(), is_ascend);
  const bool kernels = tables || std::any_of(a.devices().begin(), a.devices().end(),
                                             [&](const auto& d) { return is_traced(capture, d); });
  profkit::chrome_options how;
  how.bounds = capture.what().bounds;
  how.host = host;
  std::vector<std::pair<std::uint32_t, collector>> files;
  const auto collect = [&](bool keep_rows) -> result<void> {
    files.clear();
    files.reserve(capture.file_count());  // collectors must not move: their names are pointed to
    for (std::size_t i = 0; i < capture.file_count(); ++i) {
      if (!is_lone_trace(listed[i])) continue;
      auto& [index, file] = files.emplace_back(static_cast<std::uint32_t>(i), collector(keep_rows));
      const auto passed = profkit::read_chrome(capture.bytes(i), file, how);
      if (!passed && passed.error().code == profkit::fault_code::cancelled) return passed.error();
    }
    return {};
  };
  if (tables) {
    all.producer = "torch_npu or msprof (Ascend)";
  } else if (auto collected = collect(!kernels); !collected) {
    return std::move(collected).error();
  }
  const bool planes =
      std::any_of(files.begin(), files.end(), [](const auto& file) { return file.second.has_device_planes(); });
  if (kernels && planes)
    if (auto collected = collect(true); !collected) return std::move(collected).error();
  totals_builder builder(std::move(all));
  if (kernels && !planes) {
    for (auto& [index, file] : files) builder.add_header(file);
    if (auto added = add_kernels(capture, a, host, builder.all); !added) return std::move(added).error();
    add_steps(a, builder.all);
    return std::move(builder.all);
  }
  bool any = false;
  for (const auto& [index, file] : files) {
    const trace_basis basis = basis_of(file);
    if (basis == trace_basis::none) continue;
    builder.all.basis = any ? std::min(builder.all.basis, basis) : basis;  // one for all files, so that they compare
    any = true;
  }
  for (auto& [index, file] : files) builder.add_file(index, file, builder.all.basis);
  trace_totals found = builder.finish();
  add_steps(a, found);
  return found;
}

}  // namespace profkit_tool
