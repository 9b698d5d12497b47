// Ascend captures: one rank a folder, its kernels from the best source there is, its hosts from the trace.
#include <formats/activity_parts.hpp>

#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>
#include <formats/activity_input.hpp>
#include <formats/activity_store.hpp>
#include <formats/stream_overruns.hpp>
#include <formats/ascend/ascend_columns.hpp>
#include <formats/ascend/ascend_kernels.hpp>
#include <formats/ascend/ascend_names.hpp>
#include <formats/ascend/ascend_origins.hpp>
#include <formats/ascend/ascend_rank.hpp>
#include <formats/ascend_folders.hpp>
#include <formats/ascend/ascend_trace.hpp>
#include <formats/chrome/chrome_dialect.hpp>

#include <base/affix.hpp>
#include <base/paths.hpp>
#include <base/thread_pool.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::string_view folder_or_none(std::string_view path) noexcept {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}
// Files of one rank by what they are, in the order of the capture.
struct rank_files {
  std::string folder;
  std::vector<std::size_t> kernel_details, op_summaries, task_times, traces, tables, settings, databases;
};

// Where a file's times lie: zero of its own, and what to add to be on the capture's clock.
struct file_clock {
  std::int64_t zero_us = 0;
  std::int64_t shift_ps = 0;
};

class rank_reader {
 public:
  rank_reader(const rank_files& files, activity_parts& parts) : files_(files), parts_(parts), p_(*parts.from) {}

  result<void> run() {
    group_ = parts_.add_host_group(first_file());
    parts_.hosts[group_].recorder = "torch_npu or msprof (Ascend)";
    parts_.hosts[group_].writer = trace_writer::ascend;
    read_settings();
    auto both = read_side_by_side();
    if (!both) return both.error();
    if (!*both) {
      if (auto read = read_tables(); !read) return read;
      if (auto read = read_traces(); !read) return read;
    }
    if (auto read = read_task_times(); !read) return read;
    if (auto read = read_statistics(); !read) return read;
    add_devices();
    read_rest();
    if (nothing_ran_ && !inputs_.empty()) say_why_empty(inputs_.front());
    for (activity_input& input : inputs_) {
      note_rejected(input);
      parts_.inputs.push_back(std::move(input));
    }
    return {};
  }

 private:
  activity_input& add_input(std::size_t file, const char* variant) {
    inputs_.push_back(input_of(p_, file, variant));
    return inputs_.back();
  }

  // Files without an origin in Unix time are put on the clock of the first of them.
  file_clock placed(std::size_t file, std::int64_t zero_us) {
    if (p_.file_origin_unix_ns(file)) return {zero_us, p_.file_shift_ns(file) * ps_per_ns};
    if (!base_zero_us_) base_zero_us_ = zero_us;
    const auto shift = checked_mul(zero_us - *base_zero_us_, ps_per_us);
    return {zero_us, shift.value_or(0)};
  }

  void read_settings() {
    bool has_info = false;
    for (const std::size_t file : files_.settings) {
      const std::string_view name = last_part_of(p_.what().files[file].path);
      if (name == "communication.json") continue;
      const bool info = starts_with(name, "profiler_info");
      activity_input& input = add_input(file, info ? "profiler_info" : "profiler_metadata");
      if (info) {
        has_info = true;
        if (settings_.rank < 0) settings_.rank = ascend_rank_number(name);
        read_ascend_info(p_.bytes(file), settings_, input);
      } else {
        read_ascend_metadata(p_.bytes(file), settings_, input);
      }
    }
    if (settings_.rank < 0) settings_.rank = ascend_rank_number(last_part_of(files_.folder));
    unfinished_ = !has_info && is_ascend_folder(files_.folder) && !files_.kernel_details.empty();
  }

  [[nodiscard]] std::uint32_t first_file() const {
    for (const auto* const list :
         {&files_.kernel_details, &files_.op_summaries, &files_.traces, &files_.task_times, &files_.tables}) {
      if (!list->empty()) return static_cast<std::uint32_t>(list->front());
    }
    return 0;
  }

  // kernel_details.csv, else op_summary*.csv, which msprof may have cut into several.
  result<void> read_tables() {
    devices_ = std::make_unique<ascend_devices>(first_file());
    if (auto read = read_kernels(files_.kernel_details); !read) return read;
    if (!has_kernels()) {
      if (auto read = read_kernels(files_.op_summaries); !read) return read;
    } else {
      for (const std::size_t file : files_.op_summaries) {
        add_input(file, "op_summary").notes.emplace_back("not read: kernel_details.csv lists the same kernels");
      }
    }
    return {};
  }

  result<void> read_kernels(const std::vector<std::size_t>& tables) {
    for (const std::size_t file : tables) {
      activity_input& input = add_input(file, "kernel table");
      const std::string_view bytes = p_.bytes(file);
      if (is_unusable(p_, input)) continue;
      const ascend_clock clock = read_ascend_clock(bytes);
      const file_clock place = placed(file, clock.zero_us);
      table_clock_ = table_clock_ ? table_clock_ : place;
      const bool is_first = devices_->all().empty();
      if (auto read = read_ascend_kernels(bytes, clock, place.shift_ps, parts_.options.details, parts_.strings,
                                          *devices_, input, parts_.host);
          !read) {
        return read;
      }
      if (is_first) place_streams();
    }
    return {};
  }

  // As fill_ascend.cpp numbers them, each file for itself. Streams that only further files have are left out.
  void place_streams() {
    std::int32_t plane = 0;
    for (device_kernels& d : devices_->all()) {
      std::int32_t line = 1;  // 0: kernels without a stream
      for (activity_stream& s : d.device.streams) {
        s.plane = plane;
        s.line = line++;
      }
      ++plane;
    }
  }

  [[nodiscard]] bool has_kernels() const {
    return std::any_of(devices_->all().begin(), devices_->all().end(),
                       [](const device_kernels& d) { return !d.rows.empty(); });
  }

  // The table on one thread and the traces on another, with the same outcome as one after the other. False when that
  // cannot be: the kernels may have to come from the traces.
  result<bool> read_side_by_side() {
    if (parts_.host.threads < 2 || files_.kernel_details.empty() || files_.traces.empty()) return false;
    const std::size_t inputs_before = inputs_.size();
    for (const std::size_t file : files_.kernel_details) {
      if (!is_unusable(p_, input_of(p_, file, ""))) placed(file, read_ascend_clock(p_.bytes(file)).zero_us);
    }
    hooks quiet = parts_.host;  // the table reports progress
    quiet.progress = nullptr;
    activity_parts beside(parts_.from, parts_.options, quiet, parts_.steps);
    beside.threads = parts_.threads;
    std::vector<trace_file> traces = trace_files();
    auto done = for_each_item(2, parts_.host, [&](std::size_t item) {
      return item == 0 ? read_tables() : read_traces(traces, beside, nullptr);
    });
    if (!done) return done.error();
    if (!has_kernels()) {
      inputs_.resize(inputs_before);
      base_zero_us_.reset();
      table_clock_.reset();
      trace_ = {};
      return false;
    }
    adopt_names(beside);
    parts_.threads = std::move(beside.threads);
    parts_.lines.insert(parts_.lines.end(), beside.lines.begin(), beside.lines.end());
    take_inputs_of(traces);
    return true;
  }

  // What the traces read beside the table call things, by the ids of the whole.
  void adopt_names(activity_parts& beside) {
    std::vector<string_id> ours(beside.strings.size());
    for (string_id id = 0; id < ours.size(); ++id) ours[id] = parts_.strings.intern(beside.strings.text(id));
    for (line_count& line : beside.lines) {
      line.plane_name = ours[line.plane_name];
      line.line_name = ours[line.line_name];
    }
    for (host_span& s : trace_.spans) s.name = ours[s.name];
    for (step_marker& m : trace_.markers) m.name = ours[m.name];
    for (launch_arrow& a : trace_.launches) a.call = ours[a.call];
    for (ascend_operator& o : trace_.operators) {
      o.shapes = ours[o.shapes];
      o.types = ours[o.types];
      o.line = ours[o.line];
    }
  }

  struct trace_file {
    activity_input input;
    file_clock place;
    bool usable = false;
  };

  std::vector<trace_file> trace_files() {
    std::vector<trace_file> traces;
    chrome_options options;
    options.bounds = p_.what().bounds;
    for (const std::size_t file : files_.traces) {
      trace_file& trace = traces.emplace_back();
      trace.input = input_of(p_, file, "trace_view.json");
      trace.usable = !is_unusable(p_, trace.input);
      if (trace.usable) trace.place = placed(file, read_chrome_clock(p_.bytes(file), options).zero_us);
    }
    return traces;
  }

  result<void> read_traces() {
    const bool needs_kernels = !has_kernels();
    std::vector<trace_file> traces = trace_files();
    if (auto read = read_traces(traces, parts_, needs_kernels ? devices_.get() : nullptr); !read) return read;
    take_inputs_of(traces);
    if (needs_kernels && has_kernels()) {
      inputs_.back().notes.emplace_back("kernels are taken from this trace");
      inputs_.back().is_fallback = !(files_.kernel_details.empty() && files_.op_summaries.empty());
    }
    return {};
  }

  result<void> read_traces(std::vector<trace_file>& traces, activity_parts& parts, ascend_devices* kernels) {
    for (trace_file& trace : traces) {
      if (!trace.usable) continue;
      activity_input& input = trace.input;
      const auto read =
          read_ascend_trace(p_.bytes(input.file), trace.place.shift_ps, group_, parts, trace_, kernels, input);
      if (read) continue;
      if (read.error().code == fault_code::cancelled || read.error().code == fault_code::out_of_memory) return read;
      input.damage = read.error();
      input.damage->path = input.path;
    }
    return {};
  }

  void take_inputs_of(std::vector<trace_file>& traces) {
    for (trace_file& trace : traces) {
      if (trace.usable) table_clock_ = table_clock_ ? table_clock_ : trace.place;
      inputs_.push_back(std::move(trace.input));
    }
  }

  // All tasks of the hardware with neither types nor shapes: where no other file has kernels.
  result<void> read_task_times() {
    if (files_.task_times.empty()) return {};
    if (has_kernels()) {
      for (const std::size_t file : files_.task_times) {
        add_input(file, "task_time")
            .notes.emplace_back("not read: the kernels of these tasks are known from another file");
      }
      return {};
    }
    if (auto read = read_kernels(files_.task_times); !read) return read;
    if (has_kernels()) {
      inputs_.back().notes.emplace_back(
          "kernels are the tasks of this table: op_summary*.csv has their types, shapes and waits (msprof "
          "--export=on)");
    }
    return {};
  }

  // Totals of ops: where no file has single kernels.
  result<void> read_statistics() {
    const auto& all = devices_->all();
    statistics_count_ = !has_kernels() && std::all_of(all.begin(), all.end(),
                                                      [](const device_kernels& d) { return d.device.totals.empty(); });
    if (!statistics_count_) return {};
    std::vector<std::size_t> statistics;
    for (const std::size_t file : files_.tables) {
      if (is_statistic(file)) statistics.push_back(file);
    }
    return read_kernels(statistics);
  }
  [[nodiscard]] bool is_statistic(std::size_t file) const {
    return starts_with(last_part_of(p_.what().files[file].path), "op_statistic");
  }

  void add_devices() {
    parts_.markers.insert(parts_.markers.end(), trace_.markers.begin(), trace_.markers.end());
    for (device_kernels& d : devices_->all()) settle_device(d, parts_.strings);
    find_ascend_origins(trace_, devices_->all(), parts_);
    if (trace_.host_seen) parts_.host_spans[group_] = std::make_unique<host_span_list>(std::move(trace_.spans));
    std::uint64_t kernels = 0, launched = 0;
    const bool only_totals = !has_kernels();
    for (device_kernels& d : devices_->all()) {
      d.device.host_group = group_;
      d.device.rank = settings_.rank;
      d.device.recorded_shapes = settings_.shapes;
      d.device.recorded_stacks = settings_.stacks;
      d.device.parallel_sizes = settings_.parallel_sizes;
      if (d.device.ordinal < 0 && settings_.rank >= 0) {
        d.device.name = parts_.strings.intern("NPU of rank " + std::to_string(settings_.rank));
      }
      if (!only_totals) d.device.totals.clear();
      nothing_ran_ = nothing_ran_ && d.rows.empty() && d.device.totals.empty();
      const std::uint64_t joined = join_launches(d.device, d.rows, trace_.launches);
      d.device.has_launches = joined > 0;
      kernels += d.rows.size();
      launched += joined;
      note_overruns(cut_overruns(d.rows, {}, {}), parts_.strings, inputs_.front());
      std::vector<step_marker> spans = step_id_spans(d.rows);
      const std::int64_t ordinal = d.device.ordinal;
      const std::int32_t index =
          parts_.add_device(std::move(d.device), std::make_unique<kernel_list>(std::move(d.rows)));
      if (index < 0) continue;
      indices_.emplace_back(ordinal, static_cast<std::uint32_t>(index));
      for (step_marker& m : spans) {
        m.device = index;
        parts_.markers.push_back(m);
      }
    }
    if (inputs_.empty()) return;
    note_unrecorded_launches();
    std::vector<std::string>& notes = inputs_.front().notes;
    if (launched > 0 && launched < kernels) {
      notes.push_back(std::to_string(kernels - launched) + " of " + std::to_string(kernels) +
                      " kernels have no launch in the trace: who launched them is unattributed");
    }
    if (unfinished_) {
      notes.emplace_back("there is no profiler_info*.json: the collection was not stopped properly");
    }
  }

  void note_unrecorded_launches() {
    const auto trace = std::find_if(inputs_.begin(), inputs_.end(),
                                    [](const activity_input& i) { return i.variant == "trace_view.json"; });
    if (trace == inputs_.end()) return;
    activity_host& host = parts_.hosts[group_];
    list_unrecorded(trace_.launches, parts_.strings, host);
    note_unrecorded(host, *trace);
  }

  void say_why_empty(activity_input& input) const {
    const bool is_database = !files_.databases.empty() && files_.kernel_details.empty() && files_.op_summaries.empty();
    input.why_empty = is_database ? why_no_database : "no kernel was found here";
    for (const activity_input& table : inputs_)
      if (table.rows > 0 && table.rejected == table.rows)
        input.why_empty += ": all " + std::to_string(table.rows) + " rows of " + table.variant + " were skipped (" +
                           table.reject_reasons.front().first + ')';
    input.notes.push_back(input.why_empty);
  }

  // From the first kernel of each step to the end of its last, as the table assigns them.
  std::vector<step_marker> step_id_spans(const std::vector<kernel_row>& rows) const {
    hash_map<string_id, std::size_t> known;
    std::vector<step_marker> spans;
    for (const kernel_row& row : rows) {
      if (row.step == 0) continue;
      const auto found = known.find(row.step);
      if (found == known.end()) {
        known.emplace(row.step, spans.size());
        step_marker& m = spans.emplace_back();
        m.host_group = group_;
        m.name = row.step;
        const std::string_view id = parts_.strings.text(row.step);
        m.number = id.find_first_of("-.") == std::string_view::npos ? trailing_number(id) : -1;
        m.start_ps = row.start_ps;
        m.end_ps = row.start_ps + row.duration_ps;
        m.source = marker_source::step_id;
      } else {
        step_marker& m = spans[found->second];
        m.end_ps = std::max(m.end_ps, row.start_ps + row.duration_ps);
      }
    }
    return spans;
  }

  void read_rest() {
    const file_clock clock = table_clock_.value_or(file_clock{});
    for (const std::size_t file : files_.settings) {
      if (last_part_of(p_.what().files[file].path) != "communication.json") continue;
      activity_input& input = add_input(file, "communication.json");
      if (indices_.empty()) continue;
      read_ascend_communication(p_.bytes(file), clock.zero_us, clock.shift_ps, indices_.front().second, parts_, input);
    }
    for (const std::size_t file : files_.tables) {
      const std::string_view name = last_part_of(p_.what().files[file].path);
      const bool steps = starts_with(name, "step_trace_time");
      if (statistics_count_ && is_statistic(file)) continue;
      activity_input& input = add_input(file, steps ? "step_trace_time" : "");
      if (steps) {
        read_ascend_step_trace(p_.bytes(file), indices_, parts_, input);
      } else {
        count_ascend_rows(p_.bytes(file), starts_with(name, "operator_details") ? "operator_details" : "op_statistic",
                          input);
      }
    }
    for (const std::size_t file : files_.databases) {
      add_input(file, "database").notes.emplace_back("not read: SQLite export (export_type=Text writes tables)");
    }
  }

  const rank_files& files_;
  activity_parts& parts_;
  const profile& p_;
  std::uint32_t group_ = 0;
  ascend_settings settings_;
  bool unfinished_ = false, statistics_count_ = false;
  std::unique_ptr<ascend_devices> devices_;
  ascend_trace trace_;
  std::optional<std::int64_t> base_zero_us_;
  std::optional<file_clock> table_clock_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> indices_;  // ordinals of devices and where they are
  std::vector<activity_input> inputs_;
  bool nothing_ran_ = true;
};

// The files of Ascend captures, by rank. A trace belongs to one when it lies in its folder or speaks its dialect.
std::vector<rank_files> ranks_of(const profile& p) {
  std::vector<rank_files> ranks;
  const auto rank_at = [&ranks](std::string_view folder) -> rank_files& {
    const auto found =
        std::find_if(ranks.begin(), ranks.end(), [folder](const rank_files& r) { return r.folder == folder; });
    if (found != ranks.end()) return *found;
    ranks.emplace_back().folder = std::string(folder);
    return ranks.back();
  };
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const capture_file& listed = p.what().files[file];
    std::string folder(ascend_rank_folder(folder_or_none(listed.path)));
    if (listed.node >= 0) folder += "/node:" + std::to_string(listed.node);  // of a merged trace, which holds several ranks
    switch (listed.family) {
      case file_family::ascend_kernels: {
        rank_files& rank = rank_at(folder);
        const std::string_view name = last_part_of(listed.path);
        (starts_with(name, "op_summary")  ? rank.op_summaries
         : starts_with(name, "task_time") ? rank.task_times
                                          : rank.kernel_details)
            .push_back(file);
        break;
      }
      case file_family::ascend_table: rank_at(folder).tables.push_back(file); break;
      case file_family::ascend_json: rank_at(folder).settings.push_back(file); break;
      case file_family::ascend_database: rank_at(folder).databases.push_back(file); break;
      case file_family::chrome_trace:
        if (listed.export_of < 0 && chrome_dialect_of(p, file) == chrome_dialect::ascend) {
          rank_at(folder).traces.push_back(file);
        }
        break;
      default: break;
    }
  }
  return ranks;
}

}  // namespace

result<void> fill_activity_from_ascend(activity_parts& into) {
  for (const rank_files& files : ranks_of(*into.from)) {
    if (auto read = rank_reader(files, into).run(); !read) return read;
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
