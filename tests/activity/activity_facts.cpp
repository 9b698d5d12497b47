// Prints what read_activity() gives for a path, as JSON that the Python tests compare with their own arithmetic.
//   activity_facts [--rows] [--spans] [--no-details] PATH…
#include <profkit/core/activity.hpp>
#include <profkit/core/sink.hpp>
#include <profkit/interval.hpp>

#include <base/json_writer.hpp>

#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace profkit;

struct row_collector final : kernel_visitor {
  result<void> rows(const kernel_row* first, std::size_t count) override {
    all.insert(all.end(), first, first + count);
    return {};
  }
  std::vector<kernel_row> all;
};
struct span_collector final : host_span_visitor {
  result<void> spans(const host_span* first, std::size_t count) override {
    all.insert(all.end(), first, first + count);
    return {};
  }
  std::vector<host_span> all;
};

const char* span_kind_name(host_span_kind k) {
  switch (k) {
    case host_span_kind::op: return "op";
    case host_span_kind::runtime: return "runtime";
    case host_span_kind::frame: return "frame";
    case host_span_kind::annotation: return "annotation";
    case host_span_kind::gc: return "gc";
    case host_span_kind::device_marker: return "device_marker";
    default: return "other";
  }
}

void write_device(json_writer& out, const activity& a, std::size_t index, bool with_rows) {
  const activity_device& d = a.devices()[index];
  row_collector rows;
  if (!a.visit_kernels(index, rows)) std::abort();
  std::vector<interval> busy;
  std::int64_t wait = 0, sum = 0, first = std::numeric_limits<std::int64_t>::max(), last = 0;
  std::map<std::string, std::int64_t> classes;
  std::int64_t duplicates = 0, launched = 0, aicpu = 0, with_stream = 0;
  for (const kernel_row& r : rows.all) {
    ++classes[kernel_class_name(r.kind)];
    launched += r.launch_ps != no_time_ps;
    aicpu += (r.flags & kernel_on_aicpu) != 0;
    with_stream += (r.flags & kernel_has_stream) != 0;
    if (r.wait_ps != no_time_ps) wait += r.wait_ps;
    sum += r.duration_ps;
    if ((r.flags & kernel_duplicate) != 0) {
      ++duplicates;
      continue;
    }
    first = std::min(first, r.start_ps);
    last = std::max(last, r.start_ps + r.duration_ps);
    if (r.duration_ps > 0) busy.push_back({r.start_ps, r.start_ps + r.duration_ps});
  }
  normalise(busy);
  out.begin_object();
  out.field("name", a.text(d.name));
  out.field("ordinal", d.ordinal);
  out.field("rank", d.rank);
  out.field("host_group", d.host_group);
  out.field("kernels", d.kernels);
  out.field("start_ps", first);
  out.field("end_ps", last);
  out.field("busy_ps", covered_ps(busy));
  out.field("segments", static_cast<std::uint64_t>(busy.size()));
  out.field("wait_ps", wait);
  out.field("sum_ps", sum);
  out.field("duplicates", duplicates);
  out.field("launched", launched);
  out.field("aicpu", aicpu);
  out.field("with_stream", with_stream);
  out.field("streams", static_cast<std::uint64_t>(d.streams.size()));
  out.field("resolution_ps", d.timestamp_resolution_ps);
  out.field("has_waits", d.has_waits);
  out.field("has_shapes", d.has_shapes);
  out.field("has_classes", d.has_classes);
  out.field("has_launches", d.has_launches);
  out.key("classes");
  out.begin_object();
  for (const auto& [name, count] : classes) out.field(name, count);
  out.end_object();
  if (with_rows) {
    out.key("rows");
    out.begin_array();
    for (const kernel_row& r : rows.all) {
      out.begin_array();
      out.value(r.start_ps);
      out.value(r.duration_ps);
      out.value(a.text(r.name));
      out.value(a.text(r.op_type));
      out.value(a.text(r.core));
      out.value(a.text(r.step));
      out.value((r.flags & kernel_has_stream) != 0 ? d.streams[r.stream].id : std::int64_t{-1});
      out.value(kernel_class_name(r.kind));
      out.value(r.launch_ps == no_time_ps ? std::int64_t{-1} : r.launch_ps);
      out.value(r.details == 0 ? std::string_view() : a.text(d.details[r.details - 1].input_shapes));
      out.value(static_cast<std::uint32_t>(r.flags));
      out.value(r.wait_ps == no_time_ps ? std::int64_t{-1} : r.wait_ps);
      out.value(r.source_row);
      out.end_array();
    }
    out.end_array();
  }
  out.end_object();
}

void write_host(json_writer& out, const activity& a, std::uint32_t group, bool with_spans) {
  span_collector spans;
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  if (!a.visit_host_spans(group, least, most, spans)) std::abort();
  std::map<std::string, std::int64_t> kinds;
  for (const host_span& s : spans.all) ++kinds[span_kind_name(s.kind)];
  out.begin_object();
  out.field("group", group);
  for (const auto& [name, count] : kinds) out.field(name, count);
  if (with_spans) {
    out.key("spans");
    out.begin_array();
    for (const host_span& s : spans.all) {
      out.begin_array();
      out.value(s.start_ps);
      out.value(s.duration_ps);
      out.value(a.text(s.name));
      out.value(span_kind_name(s.kind));
      out.value(s.thread);
      out.end_array();
    }
    out.end_array();
  }
  out.end_object();
}

void write_input(json_writer& out, const activity_input& in) {
  out.begin_object();
  out.field("path", std::string_view(in.path));
  out.field("variant", std::string_view(in.variant));
  out.field("rows", in.rows);
  out.field("rejected", in.rejected);
  out.field("first_rejected_line", in.first_rejected_line);
  out.key("reasons");
  out.begin_object();
  for (const auto& [reason, count] : in.reject_reasons) out.field(reason, count);
  out.end_object();
  const auto list = [&out](const char* name, const std::vector<std::string>& texts) {
    out.key(name);
    out.begin_array();
    for (const std::string& t : texts) out.value(std::string_view(t));
    out.end_array();
  };
  list("unknown_columns", in.unknown_columns);
  list("missing_columns", in.missing_columns);
  list("notes", in.notes);
  if (in.damage) out.field("damage", std::string_view(in.damage->message));
  out.end_object();
}

int run(const std::string& path, bool rows, bool spans, bool details) {
  auto opened = profile::open(path);
  if (!opened) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), opened.error().message.c_str());
    return 1;
  }
  activity_options options;
  options.details = details;
  auto read = read_activity(*opened, options);
  if (!read) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), read.error().message.c_str());
    return 1;
  }
  const activity& a = **read;
  std::string all;
  const auto to_text = memory_sink(all);
  json_writer out(*to_text, json_writer::style::compact);
  out.begin_object();
  if (const auto origin = a.origin_unix_ns()) out.field_id("origin_ns", *origin);
  out.key("devices");
  out.begin_array();
  std::set<std::uint32_t> groups;
  for (std::size_t i = 0; i < a.devices().size(); ++i) {
    write_device(out, a, i, rows);
    groups.insert(a.devices()[i].host_group);
  }
  out.end_array();
  for (const step_marker& m : a.markers()) groups.insert(m.host_group);
  out.key("hosts");
  out.begin_array();
  for (const std::uint32_t g : groups) {
    if (a.has_host_spans(g)) write_host(out, a, g, spans);
  }
  out.end_array();
  out.key("markers");
  out.begin_array();
  for (const step_marker& m : a.markers()) {
    out.begin_array();
    out.value(m.host_group);
    out.value(m.device);
    out.value(a.text(m.name));
    out.value(m.number);
    out.value(m.start_ps);
    out.value(m.end_ps);
    out.value(static_cast<std::uint32_t>(m.source));
    out.end_array();
  }
  out.end_array();
  out.key("communication");
  out.begin_array();
  for (const communication_row& c : a.communication()) {
    out.begin_array();
    out.value(a.text(c.step));
    out.value(a.text(c.op));
    out.value(a.text(c.group));
    out.value(c.start_ps);
    out.value(c.elapsed_ps);
    out.value(c.wait_ps);
    out.end_array();
  }
  out.end_array();
  out.key("step_trace");
  out.begin_array();
  for (const step_trace_row& s : a.step_trace()) {
    out.begin_array();
    out.value(s.device);
    out.value(a.text(s.step));
    out.value(s.free_ps);
    out.value(s.stage_ps);
    out.value(s.preparing_ps);
    out.end_array();
  }
  out.end_array();
  out.key("inputs");
  out.begin_array();
  for (const activity_input& in : a.inputs()) write_input(out, in);
  out.end_array();
  out.end_object();
  if (!out.finish()) return 1;
  std::fwrite(all.data(), 1, all.size(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool rows = false, spans = false, details = true;
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rows") == 0) {
      rows = true;
    } else if (std::strcmp(argv[i], "--spans") == 0) {
      spans = true;
    } else if (std::strcmp(argv[i], "--no-details") == 0) {
      details = false;
    } else {
      status |= run(argv[i], rows, spans, details);
    }
  }
  return status;
}
