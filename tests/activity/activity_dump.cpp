// Prints all that read_activity() gives for a path, as JSON: what is not known (no_time_ps, no_thread, -1) is null, a text is a text.
// A file NAME.calls is a format of its own: each of its lines is a call of a recording, with its arguments.
//   activity_dump [--threads N] [--step-pattern PATTERN] [--no-details] [--timeline] PATH
#include "../fill_all.hpp"

#include <profkit/core/activity.hpp>
#include <profkit/core/format.hpp>
#include <profkit/core/recording.hpp>
#include <profkit/core/sink.hpp>

#include <base/json_writer.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace profkit;

struct dumped_rows final : kernel_visitor {
  result<void> rows(const kernel_row* first, std::size_t count) override {
    all.insert(all.end(), first, first + count);
    return {};
  }
  std::vector<kernel_row> all;
};
struct dumped_spans final : host_span_visitor {
  result<void> spans(const host_span* first, std::size_t count) override {
    all.insert(all.end(), first, first + count);
    return {};
  }
  std::vector<host_span> all;
};

const char* own_times_name(own_times t) { return t == own_times::all ? "all" : t == own_times::some ? "some" : "none"; }

const char* writer_name(trace_writer w) {
  static constexpr const char* names[] = {"unknown", "pytorch", "xla", "tensorflow", "rocprof", "ascend"};
  return names[static_cast<std::size_t>(w)];
}

const char* source_name(marker_source s) {
  static constexpr const char* names[] = {"profiler_step", "numbered_step", "step_num",          "pattern", "scheduler_step",
                                          "execute_step",  "device_annotation", "step_id", "line",    "run"};
  return names[static_cast<std::size_t>(s)];
}

const char* use_name(std::size_t use) {
  static constexpr const char* names[line_uses] = {"kernel",      "op",          "span",     "unplaced",    "device_wait",
                                                   "asynchronous", "step",        "program_run", "repeated", "bookkeeping",
                                                   "no_length",   "overlapping", "unusable", "not_known",   "elsewhere"};
  return names[use];
}

// "device GPU 3", "stream 0 16 name", "kernel 0 START DURATION LAUNCH ROW KIND name"; times are ps, "-" is not known.
class calls_format final : public format {
 public:
  const char* name() const noexcept override { return "calls"; }
  bool may_be_named(std::string_view name) const noexcept override { return name.find(".calls") != std::string_view::npos; }
  bool recognises(std::string_view head) const noexcept override { return head.substr(0, 6) == "calls\n"; }
  result<void> read(std::string_view bytes, recording& into, const hooks&) const override {
    std::istringstream lines{std::string(bytes)};
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) call(line, into);
    return {};
  }

 private:
  static std::int64_t time_in(std::istringstream& words) {
    std::string word;
    words >> word;
    return word == "-" ? no_time_ps : std::stoll(word);
  }
  static std::string rest_of(std::istringstream& words) {
    std::string text;
    std::getline(words >> std::ws, text);
    return text;
  }
  static void call(const std::string& line, recording& into) {
    std::istringstream words(line);
    std::string what, kind;
    std::uint32_t on = 0;
    std::int64_t number = 0;
    words >> what;
    if (what == "origin") {
      into.set_origin_unix_ns(time_in(words));
    } else if (what == "recorder") {
      into.set_recorder(rest_of(words));
    } else if (what == "rank") {
      words >> number;
      into.set_rank(static_cast<std::int32_t>(number), static_cast<std::int32_t>(time_in(words)));
    } else if (what == "device") {
      words >> number;
      into.add_device(rest_of(words), accelerator::gpu, number);
    } else if (what == "stream") {
      words >> on >> number;
      into.add_stream(on, number, rest_of(words));
    } else if (what == "thread") {
      std::string process;
      words >> process;
      into.add_thread(process, rest_of(words));
    } else if (what == "kernel") {
      recorded_kernel k;
      words >> on;
      k.start_ps = time_in(words);
      k.duration_ps = time_in(words);
      k.launch_ps = time_in(words);
      words >> k.source_row >> kind;
      for (const kernel_class c : {kernel_class::compute, kernel_class::comm, kernel_class::copy})
        if (kind == kernel_class_name(c)) k.kind = c;
      const std::string name = rest_of(words);
      k.name = name;
      into.add_kernel(on, k);
    } else if (what == "span" || what == "step") {
      words >> on;
      const std::int64_t start = time_in(words), duration = time_in(words);
      std::uint64_t row = 0;
      words >> row >> kind;
      const std::string name = rest_of(words);
      if (what == "step") {
        recorded_step s;
        s.start_ps = start;
        s.duration_ps = duration;
        s.source_row = row;
        s.number = std::stoll(kind);
        s.name = name;
        into.add_step(on, s);
      } else {
        recorded_span s;
        s.start_ps = start;
        s.duration_ps = duration;
        s.source_row = row;
        s.kind = kind == "runtime" ? host_span_kind::runtime : host_span_kind::op;
        s.name = name;
        into.add_span(on, s);
      }
    }
  }
};

class dump {
 public:
  // `events`: of every line; null: they are not asked for.
  dump(const activity& of, const track_list* events, json_writer& out) : a_(of), events_(events), out_(out) {}

  void write() {
    out_.begin_object();
    if (const auto origin = a_.origin_unix_ns()) out_.field_id("origin_unix_ns", *origin);
    list("devices", a_.devices().size(), [&](std::size_t i) { device(i); });
    list("hosts", a_.hosts().size(), [&](std::size_t i) { host(static_cast<std::uint32_t>(i)); });
    list("threads", a_.threads().size(), [&](std::size_t i) { thread(a_.threads()[i]); });
    list("markers", a_.markers().size(), [&](std::size_t i) { marker(a_.markers()[i]); });
    list("communication", a_.communication().size(), [&](std::size_t i) { communication(a_.communication()[i]); });
    list("step_trace", a_.step_trace().size(), [&](std::size_t i) { step_trace(a_.step_trace()[i]); });
    list("lines", a_.lines().size(), [&](std::size_t i) { line(a_.lines()[i]); });
    list("operator_calls", a_.operator_calls().size(), [&](std::size_t i) { operator_of(a_.operator_calls()[i]); });
    list("inputs", a_.inputs().size(), [&](std::size_t i) { input(a_.inputs()[i]); });
    if (events_ != nullptr) list("tracks", events_->tracks().size(), [&](std::size_t i) { track_of(static_cast<track_id>(i)); });
    out_.end_object();
  }

 private:
  void track_of(track_id at) {
    const track& t = events_->tracks()[at];
    out_.begin_object();
    out_.field("file", t.file);
    known("plane", t.plane);
    known("line", t.line);
    out_.field("plane_type", plane_kind_name(t.plane_type));
    out_.field("line_type", line_kind_name(t.line_type));
    known("device", t.device);
    known("stream", t.stream);
    out_.field("host", events_->text(t.host));
    out_.field("plane_name", events_->text(t.plane_name));
    out_.field("line_name", events_->text(t.line_name));
    const std::vector<track_event>& events = events_->events(at);
    list("events", events.size(), [&](std::size_t i) {
      out_.begin_array();
      out_.value(events[i].start_ps);
      out_.value(events[i].duration_ps);
      out_.value(events_->text(events[i].name));
      out_.value(events[i].source_row);
      out_.end_array();
    });
    out_.end_object();
  }

  template <class Write>
  void list(const char* name, std::size_t count, Write&& write) {
    out_.key(name);
    out_.begin_array();
    for (std::size_t i = 0; i < count; ++i) write(i);
    out_.end_array();
  }
  void texts(const char* name, const std::vector<std::string>& all) {
    list(name, all.size(), [&](std::size_t i) { out_.value(std::string_view(all[i])); });
  }
  void nothing(const char* name) {
    out_.key(name);
    out_.null();
  }
  void text(const char* name, string_id id) { out_.field(name, a_.text(id)); }
  void time(const char* name, std::int64_t ps) { ps == no_time_ps ? nothing(name) : out_.field(name, ps); }
  void known(const char* name, std::int64_t number) { number < 0 ? nothing(name) : out_.field(name, number); }

  void device(std::size_t index) {
    const activity_device& d = a_.devices()[index];
    out_.begin_object();
    text("name", d.name);
    out_.field("type", accelerator_name(d.type));
    out_.field("file", d.file);
    known("plane", d.plane);
    known("ordinal", d.ordinal);
    known("rank", d.rank);
    out_.field("world_size", d.world_size);
    out_.field("host_group", d.host_group);
    out_.field("graph_launched", d.graph_launched);
    out_.field("graph_launched_ps", d.graph_launched_ps);
    out_.field("timestamp_resolution_ps", d.timestamp_resolution_ps);
    out_.field("has_waits", d.has_waits);
    out_.field("has_shapes", d.has_shapes);
    out_.field("has_classes", d.has_classes);
    out_.field("has_launches", d.has_launches);
    out_.field("steps_truncated", d.steps_truncated);
    flag("recorded_stacks", d.recorded_stacks);
    flag("recorded_shapes", d.recorded_shapes);
    list("parallel_sizes", d.parallel_sizes.size(), [&](std::size_t i) {
      out_.begin_array();
      out_.value(std::string_view(d.parallel_sizes[i].first));
      out_.value(d.parallel_sizes[i].second);
      out_.end_array();
    });
    list("streams", d.streams.size(), [&](std::size_t i) {
      const activity_stream& s = d.streams[i];
      out_.begin_object();
      out_.field("id", s.id);
      text("name", s.name);
      out_.field("kind", line_kind_name(s.kind));
      known("plane", s.plane);
      known("line", s.line);
      out_.field("by_own_clock", own_times_name(s.by_own_clock));
      out_.end_object();
    });
    list("totals", d.totals.size(), [&](std::size_t i) { total(d.totals[i]); });
    dumped_rows rows;
    if (!a_.visit_kernels(index, rows)) std::abort();
    out_.field("kernels", d.kernels);
    list("rows", rows.all.size(), [&](std::size_t i) { row(d, rows.all[i], i); });
    out_.end_object();
  }

  void total(const op_total& t) {
    out_.begin_object();
    text("op_type", t.op_type);
    text("core", t.core);
    out_.field("kind", kernel_class_name(t.kind));
    out_.field("calls", t.calls);
    out_.field("duration_ps", t.duration_ps);
    known("self_ps", t.self_ps);
    text("full_name", t.full_name);
    text("category", t.category);
    text("framework_op", t.framework_op);
    text("program", t.program);
    out_.field("program_id", t.program_id);
    out_.field("flops", t.flops);
    out_.field("bytes", t.bytes);
    out_.end_object();
  }

  void row(const activity_device& d, const kernel_row& r, std::size_t at) {
    out_.begin_object();
    text("name", r.name);
    text("op_type", r.op_type);
    out_.field("kind", kernel_class_name(r.kind));
    text("core", r.core);
    text("step", r.step);
    out_.field("start_ps", r.start_ps);
    out_.field("duration_ps", r.duration_ps);
    time("wait_ps", r.wait_ps);
    time("launch_ps", r.launch_ps);
    time("launch_end_ps", r.launch_end_ps);
    r.launch_thread == no_thread ? nothing("launch_thread") : out_.field("launch_thread", r.launch_thread);
    out_.field("source_row", r.source_row);
    (r.flags & kernel_has_stream) == 0 ? nothing("stream") : out_.field("stream", d.streams[r.stream].id);
    list("flags", 8, [&](std::size_t bit) {
      static constexpr const char* names[] = {"on_aicpu", "has_stream", "duplicate", "cut", "by_graph", "by_order", "in_flight", "?"};
      if ((r.flags >> bit & 1U) != 0 && bit != 1) out_.value(names[bit]);
    });
    if (at < d.own_clock.size()) {
      time("own_start_ps", d.own_clock[at].start_ps);
      time("own_duration_ps", d.own_clock[at].duration_ps);
    }
    origin(r.origin == 0 ? kernel_origin() : a_.origins()[r.origin - 1]);
    if (r.details > d.details.size()) {
      out_.field("details", "out of reach");  // which is a defect
    } else if (r.details != 0) {
      out_.key("details");
      details(d.details[r.details - 1]);
    }
    out_.end_object();
  }

  void origin(const kernel_origin& o) {
    text("op", o.op);
    text("outer_op", o.outer_op);
    text("module", o.module);
    text("source", o.source);
    out_.field("phase", training_phase_name(o.phase));
  }

  void details(const kernel_details& d) {
    out_.begin_object();
    if (d.work) {
      out_.field("flops", d.work->flops);
      out_.field("bytes", d.work->bytes);
    }
    text("input_shapes", d.input_shapes);
    text("output_shapes", d.output_shapes);
    text("input_dtypes", d.input_dtypes);
    text("group", d.group);
    text("group_name", d.group_name);
    text("group_ranks", d.group_ranks);
    out_.field("group_size", d.group_size);
    known("group_sequence", d.group_sequence);
    known("root_rank", d.root_rank);
    known("source_rank", d.source_rank);
    known("target_rank", d.target_rank);
    known("block_dim", d.block_dim);
    out_.key("counters");
    out_.begin_object();
    for (const auto& [name, value] : d.counters) {
      out_.key(a_.text(name));
      out_.number(value);
    }
    out_.end_object();
    out_.end_object();
  }

  void host(std::uint32_t group) {
    const activity_host& h = a_.hosts()[group];
    out_.begin_object();
    out_.field("file", h.file);
    out_.field("writer", writer_name(h.writer));
    out_.field("unplaced_spans", h.unplaced_spans);
    out_.field("recorder", std::string_view(h.recorder));
    out_.field("hostname", std::string_view(h.hostname));
    texts("devices", h.devices);
    known("rank", h.rank);
    out_.field("world_size", h.world_size);
    out_.field("backend", std::string_view(h.backend));
    list("notes_of_model", h.notes_of_model.size(), [&](std::size_t i) {
      out_.value(std::string_view(h.notes_of_model[i].first + " = " + h.notes_of_model[i].second));
    });
    list("launches", h.launches.size(), [&](std::size_t i) { out_.value(h.launches[i]); });
    list("unrecorded", h.unrecorded.size(), [&](std::size_t i) {
      const unrecorded_launch& l = h.unrecorded[i];
      out_.begin_object();
      text("name", l.name);
      out_.field("work", launched_work_name(l.work));
      out_.field("start_ps", l.start_ps);
      out_.field("end_ps", l.end_ps);
      l.thread == no_thread ? nothing("thread") : out_.field("thread", l.thread);
      out_.end_object();
    });
    dumped_spans spans;
    constexpr std::int64_t all_times = INT64_MAX;
    if (a_.has_host_spans(group) && !a_.visit_host_spans(group, -all_times, all_times, spans)) std::abort();
    list("spans", spans.all.size(), [&](std::size_t i) {
      const host_span& s = spans.all[i];
      out_.begin_object();
      text("name", s.name);
      out_.field("kind", host_span_kind_name(s.kind));
      out_.field("start_ps", s.start_ps);
      out_.field("duration_ps", s.duration_ps);
      out_.field("source_row", s.source_row);
      out_.field("thread", s.thread);
      out_.end_object();
    });
    out_.end_object();
  }

  void thread(const activity_thread& t) {
    out_.begin_object();
    out_.field("file", t.file);
    known("plane", t.plane);
    known("line", t.line);
    out_.field("process", std::string_view(t.process));
    out_.field("name", std::string_view(t.name));
    known("system_thread", t.system_thread);
    out_.end_object();
  }

  void marker(const step_marker& m) {
    out_.begin_object();
    out_.field("host_group", m.host_group);
    known("device", m.device);
    m.thread == no_thread ? nothing("thread") : out_.field("thread", m.thread);
    text("name", m.name);
    text("whole_name", m.whole_name);
    known("number", m.number);
    out_.field("start_ps", m.start_ps);
    out_.field("end_ps", m.end_ps);
    out_.field("source", source_name(m.source));
    out_.end_object();
  }

  void communication(const communication_row& c) {
    out_.begin_object();
    text("step", c.step);
    text("op", c.op);
    text("group", c.group);
    time("start_ps", c.start_ps);
    out_.field("elapsed_ps", c.elapsed_ps);
    out_.field("transit_ps", c.transit_ps);
    out_.field("wait_ps", c.wait_ps);
    out_.field("device", c.device);
    out_.field("collective", c.collective);
    out_.end_object();
  }

  void step_trace(const step_trace_row& s) {
    out_.begin_object();
    out_.field("device", s.device);
    text("step", s.step);
    out_.field("computing_ps", s.computing_ps);
    out_.field("exposed_ps", s.exposed_ps);
    out_.field("overlapped_ps", s.overlapped_ps);
    out_.field("communication_ps", s.communication_ps);
    out_.field("free_ps", s.free_ps);
    out_.field("stage_ps", s.stage_ps);
    time("preparing_ps", s.preparing_ps);
    out_.end_object();
  }

  void line(const line_count& l) {
    out_.begin_object();
    out_.field("file", l.file);
    known("plane", l.plane);
    known("line", l.line);
    text("plane_name", l.plane_name);
    text("line_name", l.line_name);
    out_.field("plane_type", plane_kind_name(l.plane_type));
    out_.field("line_type", line_kind_name(l.line_type));
    out_.field("id", l.id);
    for (std::size_t use = 0; use < line_uses; ++use)
      if (l.events[use] != 0) out_.field(use_name(use), l.events[use]);
    out_.field("duration_sum_ps", l.duration_sum_ps);
    time("first_ps", l.first_ps);
    time("last_ps", l.last_ps);
    out_.end_object();
  }

  void operator_of(const operator_call& c) {
    out_.begin_object();
    text("name", c.name);
    text("shapes", c.shapes);
    text("types", c.types);
    text("values", c.values);
    out_.field("start_ps", c.start_ps);
    out_.field("duration_ps", c.duration_ps);
    out_.field("thread", c.thread);
    out_.field("host_group", c.host_group);
    out_.end_object();
  }

  void input(const activity_input& in) {
    out_.begin_object();
    out_.field("file", in.file);
    out_.field("variant", std::string_view(in.variant));
    out_.field("rows", in.rows);
    out_.field("rejected", in.rejected);
    out_.key("reject_reasons");
    out_.begin_object();
    for (const auto& [reason, count] : in.reject_reasons) out_.field(reason, count);
    out_.end_object();
    out_.field("first_rejected_line", in.first_rejected_line);
    in.first_rejected_byte == no_offset ? nothing("first_rejected_byte")
                                        : out_.field("first_rejected_byte", in.first_rejected_byte);
    texts("unknown_columns", in.unknown_columns);
    texts("missing_columns", in.missing_columns);
    texts("notes", in.notes);
    texts("incomplete", in.incomplete);
    time("last_ps", in.last_ps);
    out_.field("why_empty", std::string_view(in.why_empty));
    out_.field("is_fallback", in.is_fallback);
    in.damage ? out_.field("damage", std::string_view(in.damage->message)) : nothing("damage");
    out_.end_object();
  }

  void flag(const char* name, std::optional<bool> value) { value ? out_.field(name, *value) : nothing(name); }

  const activity& a_;
  const track_list* events_;
  json_writer& out_;
};

int print_all(const std::string& path, const activity_options& options, std::uint32_t threads, bool with_timeline) {
  open_options how;
  how.host.threads = threads;
  how.formats.push_back(std::make_shared<calls_format>());
  auto opened = profile::open(path, how);
  hooks host;
  host.threads = threads;
  auto read = opened ? read_activity(*opened, options, host) : result<std::shared_ptr<const activity>>(opened.error());
  if (!read) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), read.error().message.c_str());
    return 1;
  }
  std::string all;
  const auto to_text = memory_sink(all);
  json_writer out(*to_text, json_writer::style::compact);
  track_list events;
  if (with_timeline)
    if (const result<void> filled = profkit_tests::fill_all(**opened, events); !filled) std::fprintf(stderr, "%s\n", filled.error().message.c_str());
  dump(**read, with_timeline ? &events : nullptr, out).write();
  if (!out.finish()) return 1;
  std::fwrite(all.data(), 1, all.size(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  activity_options options;
  options.operators = true;
  std::uint32_t threads = 1;
  bool with_timeline = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
      threads = static_cast<std::uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    } else if (std::strcmp(argv[i], "--step-pattern") == 0 && i + 1 < argc) {
      options.step_pattern = argv[++i];
    } else if (std::strcmp(argv[i], "--no-details") == 0) {
      options.details = false;
    } else if (std::strcmp(argv[i], "--timeline") == 0) {
      with_timeline = true;
    } else {
      return print_all(argv[i], options, threads, with_timeline);
    }
  }
  return 1;
}
