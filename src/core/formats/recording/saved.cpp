// Files that hold a recording: recognised, and read as the recording again.
#include <formats/recording/saved.hpp>

#include <base/format.hpp>
#include <base/hash_map.hpp>
#include <base/json_writer.hpp>
#include <base/progress.hpp>
#include <formats/chrome/json_elements.hpp>
#include <formats/xspace/event_stats.hpp>
#include <formats/xspace/xspace_index.hpp>
#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using known_line = recording::contents::line;
using row_kind = recording::contents::row_kind;

template <class Integer>
std::optional<Integer> integer_in(std::string_view raw) noexcept {
  Integer value = 0;
  const auto read = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  return read.ec == std::errc() && read.ptr == raw.data() + raw.size() ? std::optional(value) : std::nullopt;
}

template <class Enum, class Name>
std::optional<Enum> named(std::string_view text, Enum last, Name&& name) noexcept {
  for (std::size_t at = 0; at <= static_cast<std::size_t>(last); ++at)
    if (const auto value = static_cast<Enum>(at); text == name(value)) return value;
  return std::nullopt;
}

// The values of an object, one after another; each text lives as long as this.
class object_reader {
 public:
  explicit object_reader(std::string_view json) : members_(json) {}
  bool next() { return members_.next(); }
  [[nodiscard]] std::string_view key() const noexcept { return members_.key(); }
  [[nodiscard]] std::string_view raw() const noexcept { return members_.value(); }
  [[nodiscard]] std::string_view text() {
    std::string& scratch = *texts_.emplace_back(std::make_unique<std::string>());
    return json_text(raw(), scratch);
  }
  void integer(std::int64_t& into) const noexcept { into = integer_in<std::int64_t>(raw()).value_or(into); }

 private:
  json_members members_;
  std::vector<std::unique_ptr<std::string>> texts_;
};

// Adds the parts that a layout lists to a recording, then rows on their lines.
class saved_reader {
 public:
  explicit saved_reader(recording& into) : into_(into) {}

  void take_layout(std::string_view json) {
    std::string recorder;
    std::int64_t rank = -1, world_size = 0;
    std::string_view planes;
    object_reader layout(json);
    while (layout.next()) {
      if (layout.key() == "recorder") recorder = layout.text();
      if (layout.key() == "rank") layout.integer(rank);
      if (layout.key() == "world_size") layout.integer(world_size);
      if (layout.key() == "origin_unix_ns")
        if (const auto origin = integer_in<std::int64_t>(layout.raw())) into_.set_origin_unix_ns(*origin);
      if (layout.key() == "planes") planes = layout.raw();
    }
    into_.set_recorder(recorder);
    into_.set_rank(static_cast<std::int32_t>(rank), static_cast<std::int32_t>(world_size));
    for (json_elements all(planes); all.next();) take_plane(all.value());
  }

  // `args`: a JSON object.
  void take_row(std::int64_t plane, std::int64_t line, std::string_view name, std::int64_t start_ps, std::int64_t duration_ps,
                std::string_view args, std::uint64_t source_row) {
    const known_line on = line_at(plane, line);
    switch (on.kind) {
      case row_kind::none: into_.pass_over("of a line that the layout does not list", source_row); break;
      case row_kind::stream: take_kernel(on.number, name, start_ps, duration_ps, args, source_row); break;
      case row_kind::thread: take_span(on.number, name, start_ps, duration_ps, args, source_row); break;
      case row_kind::counter: take_value(on.number, start_ps, args, source_row); break;
      case row_kind::allocator: take_allocation(on.number, name, start_ps, args, source_row); break;
    }
  }

 private:
  [[nodiscard]] known_line line_at(std::int64_t plane, std::int64_t line) const noexcept {
    if (plane < 0 || static_cast<std::size_t>(plane) >= planes_.size()) return {};
    const std::vector<known_line>& lines = planes_[static_cast<std::size_t>(plane)];
    return line < 0 || static_cast<std::size_t>(line) >= lines.size() ? known_line() : lines[static_cast<std::size_t>(line)];
  }

  void take_plane(std::string_view json) {
    std::string_view lines, name, type, model, process;
    std::int64_t ordinal = -1;
    bool is_device = false;
    object_reader plane(json);
    while (plane.next()) {
      if (plane.key() == "lines") lines = plane.raw();
      if (plane.key() == "accelerator") type = plane.text();
      if (plane.key() == "model") model = plane.text();
      if (plane.key() == "ordinal") plane.integer(ordinal);
      if (plane.key() == "process") process = plane.text();
      if (plane.key() != "device") continue;
      is_device = true;
      name = plane.text();
    }
    std::optional<std::uint32_t> device;
    if (is_device)
      device = into_.add_device(name, named(type, accelerator::npu, accelerator_name).value_or(accelerator::other), ordinal, model);
    std::vector<known_line>& into = planes_.emplace_back();
    for (json_elements all(lines); all.next();) into.push_back(line_of(all.value(), device, process));
  }

  known_line line_of(std::string_view json, std::optional<std::uint32_t> device, std::string_view process) {
    known_line made;
    std::string_view name, unit;
    std::int64_t id = 0, of_device = -1;
    object_reader line(json);
    while (line.next()) {
      if (line.key() == "stream") made.kind = row_kind::stream, line.integer(id);
      if (line.key() == "name") name = line.text();
      if (line.key() == "thread") made.kind = row_kind::thread, name = line.text();
      if (line.key() == "counter") made.kind = row_kind::counter, name = line.text();
      if (line.key() == "unit") unit = line.text();
      if (line.key() == "allocator") made.kind = row_kind::allocator, name = line.text();
      if (line.key() == "device") line.integer(of_device);
    }
    switch (made.kind) {
      case row_kind::none: break;
      case row_kind::stream:
        if (device) made.number = into_.add_stream(*device, id, name);
        else made.kind = row_kind::none;
        break;
      case row_kind::thread: made.number = into_.add_thread(process, name); break;
      case row_kind::counter:
        made.number = device ? into_.add_counter(*device, name, unit) : into_.add_process_counter(process, name, unit);
        break;
      case row_kind::allocator:
        made.number = into_.add_allocator(
            of_device < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(std::min<std::int64_t>(of_device, ~std::uint32_t{0}))), name);
        break;
    }
    return made;
  }

  void take_kernel(std::uint32_t stream, std::string_view name, std::int64_t start_ps, std::int64_t duration_ps, std::string_view json,
                   std::uint64_t source_row) {
    recorded_kernel row;
    row.name = name;
    row.start_ps = start_ps;
    row.duration_ps = duration_ps;
    row.source_row = source_row;
    kernel_work work;
    bool has_work = false;
    object_reader args(json);
    while (args.next()) {
      const std::string_view key = args.key();
      if (key == "kind") row.kind = named(args.text(), kernel_class::other, kernel_class_name);
      else if (key == "correlation") row.correlation = integer_in<std::uint64_t>(args.raw()).value_or(0);
      else if (key == "launch_ps") args.integer(row.launch_ps);
      else if (key == "op") row.op = args.text();
      else if (key == "module") row.module = args.text();
      else if (key == "program") row.program = args.text();
      else if (key == "input_shapes") row.input_shapes = args.text();
      else if (key == "input_types") row.input_types = args.text();
      else if (key == "flops") has_work = true, args.integer(work.flops);
      else if (key == "bytes") has_work = true, args.integer(work.bytes);
      else if (key == "number_type") work.multiplies = number_type_named(args.text());
      else if (key == "group") row.group = args.text();
      else if (key == "group_ranks") row.group_ranks = args.text();
      else if (key == "group_sequence") args.integer(row.group_sequence);
      else if (key == "sent_bytes") args.integer(row.sent_bytes);
      else if (key == "received_bytes") args.integer(row.received_bytes);
      else if (key == arguments_key) row.arguments = args.raw();
    }
    if (has_work) row.work = work;
    into_.add_kernel(stream, row);
  }

  void take_span(std::uint32_t thread, std::string_view name, std::int64_t start_ps, std::int64_t duration_ps, std::string_view json,
                 std::uint64_t source_row) {
    recorded_span row;
    row.name = name;
    row.start_ps = start_ps;
    row.duration_ps = duration_ps;
    row.source_row = source_row;
    bool is_step = false;
    std::int64_t number = -1;
    object_reader args(json);
    while (args.next()) {
      const std::string_view key = args.key();
      if (key == "kind") {
        const std::string_view kind = args.text();
        is_step = kind == "step";
        row.kind = named(kind, host_span_kind::other, host_span_kind_name).value_or(host_span_kind::other);
      } else if (key == "correlation") row.correlation = integer_in<std::uint64_t>(args.raw()).value_or(0);
      else if (key == "launches") row.launches = named(args.text(), launched_work::graph, launched_work_name);
      else if (key == "number" && is_step) args.integer(number);
      else if (key == arguments_key) row.arguments = args.raw();
    }
    if (is_step) return into_.add_step(thread, {name, number, start_ps, duration_ps, source_row});
    into_.add_span(thread, row);
  }

  void take_value(std::uint32_t counter, std::int64_t at_ps, std::string_view json, std::uint64_t source_row) {
    recorded_value row{at_ps, std::numeric_limits<double>::quiet_NaN(), source_row};
    json_members args(json);
    if (args.next()) {
      double value = 0;
      const std::string_view raw = args.value();
      if (std::from_chars(raw.data(), raw.data() + raw.size(), value).ec == std::errc()) row.value = value;
    }
    into_.add_value(counter, row);
  }

  void take_allocation(std::uint32_t allocator, std::string_view name, std::int64_t at_ps, std::string_view json,
                       std::uint64_t source_row) {
    recorded_allocation row;
    row.at_ps = at_ps;
    row.is_free = name == deallocation_name;
    row.source_row = source_row;
    object_reader args(json);
    while (args.next()) {
      if (args.key() == "address") row.address = integer_in<std::uint64_t>(args.raw()).value_or(0);
      if (args.key() == "bytes") args.integer(row.bytes);
      if (args.key() == "held_bytes") args.integer(row.held_bytes);
      if (args.key() == "op") row.op = args.text();
    }
    into_.add_allocation(allocator, row);
  }

  recording& into_;
  std::vector<std::vector<known_line>> planes_;
};

// ---- trace JSON ----

class saved_events final : public chrome_visitor {
 public:
  explicit saved_events(recording& into) : reader_(into) {}

  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    if (key == "metadata") reader_.take_layout(json_member(json, layout_key));
    return true;
  }
  bool event(const chrome_event& e) override {
    const auto pid = integer_in<std::int64_t>(e.pid.text), tid = integer_in<std::int64_t>(e.tid.text);
    if (!pid) return true;
    if (e.phase == 'M') {
      const auto position = integer_in<std::int64_t>(json_member(e.args_json, position_key));
      if (!position) return true;
      (e.name == "process_name" ? planes_[{*pid, -1}] : lines_[{*pid, tid.value_or(-1)}]) = *position;
      return true;
    }
    if (!e.ts_ps) return true;
    const auto plane = planes_.find({*pid, -1}), line = lines_.find({*pid, tid.value_or(-1)});
    reader_.take_row(plane == planes_.end() ? -1 : plane->second, line == lines_.end() ? -1 : line->second, e.name, *e.ts_ps,
                     e.dur_ps.value_or(0), e.args_json, e.ordinal + 1);
    return true;
  }

 private:
  saved_reader reader_;
  hash_map<std::pair<std::int64_t, std::int64_t>, std::int64_t> planes_, lines_;  // by pid and tid
};

result<void> read_json(std::string_view bytes, recording& into, const hooks& host) {
  saved_events events(into);
  chrome_options how;
  how.host = host;
  result<chrome_summary> read = read_chrome(bytes, events, how);
  if (!read) return std::move(read).error();
  if (read->damage) return std::move(*read->damage);
  if (auto bad = damage_of_times(*read)) return std::move(*bad);
  return {};
}

// ---- XSpace ----

// The stats of an event as the object of arguments that they were.
void append_arguments(std::string& into, const plane_index& plane, const event_row& row) {
  into = "{";
  for (const stat_view stat : stats_of(row)) {
    if (into.size() > 1) into += ',';
    const std::string_view key = plane.stat_name(stat.metadata_id());
    append_json_string(into, key);
    into += ':';
    if (key == arguments_key) {
      into += stat.as_bytes();
      continue;
    }
    switch (stat.kind()) {
      case stat_kind::double_value: append_shortest(into, stat.as_double()); break;
      case stat_kind::uint64_value: append_integer(into, stat.as_uint64()); break;
      case stat_kind::int64_value: append_integer(into, stat.as_int64()); break;
      case stat_kind::str_value:
      case stat_kind::bytes_value: append_json_string(into, stat.as_bytes()); break;
      case stat_kind::ref_value: append_json_string(into, plane.stat_name(stat.as_ref())); break;
      case stat_kind::none: into += "null"; break;
    }
  }
  into += '}';
}

std::string_view layout_in(const plane_index& plane) {
  for (const std::string_view bytes : plane.stats)
    if (const stat_view stat(bytes); plane.stat_name(stat.metadata_id()) == layout_key) return stat.as_bytes();
  return {};
}

result<void> read_xspace(std::string_view bytes, recording& into, const hooks& host) {
  const xspace_index space = index_xspace(bytes);
  saved_reader reader(into);
  std::string args;
  std::uint64_t rows_read = 0;
  std::optional<fault> damage = space.damage;
  progress_meter progress(host, bytes.size());
  for (const plane_index& plane : space.planes) {
    if (const std::string_view layout = layout_in(plane); !layout.empty()) reader.take_layout(layout);
    for (const line_index& line : plane.lines) {
      if (result<void> step = progress.step(line.offset); !step) return step;
      const line_header header = complete_header(line);
      // Offsets count from the origin; a file that was put on another clock says so by its lines.
      const auto base_ns = checked_add(header.timestamp_ns, -into.all().origin_unix_ns.value_or(0));
      const auto base_ps = base_ns ? checked_mul(*base_ns, ps_per_ns) : std::nullopt;
      event_row rows[256];
      event_scanner scanner(line.body);
      while (const std::size_t count = scanner.next(rows, std::size(rows)))
        for (const event_row* row = rows; row != rows + count; ++row) {
          ++rows_read;
          const auto start_ps = base_ps ? checked_add(row->offset_ps, *base_ps) : std::nullopt;
          if (!start_ps) {
            into.pass_over("the time lies out of reach (106 days)", rows_read);
            continue;
          }
          append_arguments(args, plane, *row);
          reader.take_row(plane.id, header.id, plane.event_name(row->metadata_id), *start_ps, row->duration_ps, args, rows_read);
        }
      if (!scanner.ok() && !damage)
        damage = fault{fault_code::damaged, "an event cannot be read", "", line.offset + scanner.offset(), "The events before it are kept."};
    }
  }
  if (damage) return std::move(*damage);
  return {};
}

// ---- the format ----

bool is_json(std::string_view bytes) noexcept {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

class saved_format final : public format {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "recording"; }
  [[nodiscard]] bool may_be_named(std::string_view) const noexcept override { return false; }  // as XSpaces and traces are
  [[nodiscard]] bool recognises(std::string_view head) const noexcept override {
    if (is_json(head)) {
      return head.substr(0, head.find("\"traceEvents\"")).find(layout_key) != std::string_view::npos;
    }
    // The first plane begins with its name.
    constexpr std::size_t reach_bytes = 64;
    return !head.empty() && head.front() == '\n' && head.substr(0, reach_bytes).find(layout_key) != std::string_view::npos;
  }
  result<void> read(std::string_view bytes, recording& into, const hooks& host) const override {
    return is_json(bytes) ? read_json(bytes, into, host) : read_xspace(bytes, into, host);
  }
};

}  // namespace

std::shared_ptr<const format> saved_recordings() { return std::make_shared<saved_format>(); }

std::string host_of_saved(std::string_view head) {
  constexpr std::string_view before = "{\"version\":1,\"host\":";
  const std::size_t at = head.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = head.substr(at + before.size());
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
  std::string scratch;
  return end < rest.size() ? std::string(json_text(rest.substr(0, end + 1), scratch)) : std::string();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
