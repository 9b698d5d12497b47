#include <formats/recording/recording.hpp>

#include <profkit/time.hpp>
#include <base/kernel_names.hpp>
#include <formats/activity_input.hpp>
#include <formats/launch_names.hpp>
#include <formats/xspace/xspace_names.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t furthest_ps = max_relative_ns * ps_per_ns;

const char* why_not_placed(std::int64_t start_ps, std::int64_t duration_ps) noexcept {
  if (duration_ps < 0) return "the duration is negative";
  const auto end_ps = checked_add(start_ps, duration_ps);
  return start_ps < -furthest_ps || !end_ps || *end_ps > furthest_ps ? "the time lies out of reach (106 days)" : nullptr;
}

bool may_be_arguments(std::string_view json) noexcept {
  const std::size_t first = json.find_first_not_of(" \t\r\n");
  return json.empty() || (first != std::string_view::npos && json[first] == '{');
}

std::size_t numbered_once(std::vector<string_id>& names, string_id name) {
  const auto at = std::find(names.begin(), names.end(), name);
  const auto position = static_cast<std::size_t>(at - names.begin());
  if (at == names.end()) names.push_back(name);
  return position;
}

// Threads and counters of a process stand in one list.
std::ptrdiff_t lines_of_process(const recording::contents& of, string_id process) {
  return std::count_if(of.threads.begin(), of.threads.end(),
                       [&](const recording::contents::thread& t) { return t.process == process; }) +
         std::count_if(of.counters.begin(), of.counters.end(),
                       [&](const recording::contents::counter& c) { return !c.device && c.owner == process; });
}

// Of the row that comes next, which is at `position`.
void keep_arguments(recording::contents& of, std::vector<string_id>& kept, std::size_t position, std::string_view arguments) {
  if (kept.empty() && arguments.empty()) return;
  kept.resize(position, 0);
  kept.push_back(of.intern(arguments));
  of.row_bytes += sizeof(string_id);
}

// 1 + their position among those of the device; 0: it has none.
std::uint32_t details_of(recording::contents& of, activity_device& device, const recorded_kernel& kernel) {
  if (!kernel.work && kernel.input_shapes.empty() && kernel.input_types.empty() && kernel.group.empty() && kernel.group_ranks.empty() &&
      kernel.sent_bytes < 0 && kernel.received_bytes < 0)
    return 0;
  kernel_details d;
  d.work = kernel.work;
  d.input_shapes = of.intern(kernel.input_shapes);
  d.input_dtypes = of.intern(kernel.input_types);
  d.group = d.group_name = of.intern(kernel.group);
  d.group_ranks = of.intern(kernel.group_ranks);
  if (!kernel.group_ranks.empty())
    d.group_size = 1 + static_cast<std::int32_t>(std::count(kernel.group_ranks.begin(), kernel.group_ranks.end(), ','));
  d.group_sequence = kernel.group_sequence;
  d.sent_bytes = kernel.sent_bytes;
  d.received_bytes = kernel.received_bytes;
  device.has_shapes = device.has_shapes || !kernel.input_shapes.empty();
  device.details.push_back(std::move(d));
  of.row_bytes += sizeof(kernel_details);
  return static_cast<std::uint32_t>(device.details.size());
}

// 1 + its position; 0: it has none.
std::uint32_t origin_of(recording::contents& of, const recorded_kernel& kernel) {
  if (kernel.op.empty() && kernel.module.empty() && kernel.program.empty()) return 0;
  kernel_origin o;
  o.op = o.outer_op = of.intern(kernel.op);
  o.module = of.intern(kernel.module);
  o.program = of.intern(kernel.program);
  const auto [at, is_new] = of.origin_numbers.try_emplace({o.op, o.module, o.program}, static_cast<std::uint32_t>(of.origins.size() + 1));
  if (is_new) {
    of.origins.push_back(o);
    of.row_bytes += sizeof o;
  }
  return at->second;
}

}  // namespace

std::vector<std::vector<recording::contents::line>> recording::contents::lines_by_plane() const {
  std::vector<std::vector<line>> planes(devices.size() + processes.size());
  for (std::size_t d = 0; d < devices.size(); ++d) {
    for (const std::uint32_t stream : devices[d].streams) planes[d].push_back({row_kind::stream, stream});
    for (std::uint32_t at = 0; at < counters.size(); ++at)
      if (counters[at].device == d) planes[d].push_back({row_kind::counter, at});
  }
  const auto put = [&](std::int32_t process, std::int32_t position, line added) {
    std::vector<line>& of = planes[devices.size() + static_cast<std::size_t>(process)];
    if (of.size() <= static_cast<std::size_t>(position)) of.resize(static_cast<std::size_t>(position) + 1);
    of[static_cast<std::size_t>(position)] = added;
  };
  for (std::uint32_t at = 0; at < threads.size(); ++at) put(threads[at].plane, threads[at].line, {row_kind::thread, at});
  for (std::uint32_t at = 0; at < counters.size(); ++at)
    if (!counters[at].device) put(counters[at].plane, counters[at].line, {row_kind::counter, at});
  if (allocators.empty()) return planes;
  std::vector<line>& memory = planes.emplace_back();
  for (std::uint32_t at = 0; at < allocators.size(); ++at) memory.push_back({row_kind::allocator, at});
  return planes;
}

recording::recording() : contents_(std::make_unique<contents>()) {}
recording::~recording() = default;
recording::recording(recording&&) noexcept = default;
recording& recording::operator=(recording&&) noexcept = default;

void recording::set_origin_unix_ns(std::int64_t ns) {
  if (ns >= 0) contents_->origin_unix_ns = ns;
}
void recording::set_recorder(std::string_view name) { contents_->recorder = name; }
void recording::set_rank(std::int32_t rank, std::int32_t world_size) {
  contents_->rank = rank;
  contents_->world_size = world_size;
}

std::uint32_t recording::add_device(std::string_view name, accelerator type, std::int64_t ordinal, std::string_view model) {
  activity_device& added = contents_->devices.emplace_back().facts;
  added.name = contents_->intern(name);
  added.model = contents_->intern(model);
  added.type = type;
  added.ordinal = ordinal;
  added.timestamp_resolution_ps = 1;
  return static_cast<std::uint32_t>(contents_->devices.size() - 1);
}

std::uint32_t recording::add_stream(std::uint32_t device, std::int64_t id, std::string_view name) {
  const auto number = static_cast<std::uint32_t>(contents_->streams.size());
  constexpr std::size_t max_streams = std::numeric_limits<std::uint16_t>::max();  // of a device: see kernel_row
  contents::stream& made = contents_->streams.emplace_back();
  if (device >= contents_->devices.size() || contents_->devices[device].streams.size() >= max_streams) return number;
  made.device = device;
  contents_->devices[device].streams.push_back(number);
  std::vector<activity_stream>& of = contents_->devices[device].facts.streams;
  activity_stream& added = of.emplace_back();
  added.id = id;
  added.name = contents_->intern(name.empty() ? "stream " + std::to_string(id) : std::string(name));
  added.plane = static_cast<std::int32_t>(device);
  added.line = static_cast<std::int32_t>(of.size() - 1);
  return number;
}

std::uint32_t recording::add_thread(std::string_view process, std::string_view name) {
  contents::thread added;
  added.process = contents_->intern(process);
  added.name = contents_->intern(name);
  added.plane = static_cast<std::int32_t>(numbered_once(contents_->processes, added.process));
  added.line = static_cast<std::int32_t>(lines_of_process(*contents_, added.process));
  contents_->threads.push_back(std::move(added));
  return static_cast<std::uint32_t>(contents_->threads.size() - 1);
}

std::uint32_t recording::add_counter(std::uint32_t device, std::string_view name, std::string_view unit) {
  contents::counter added;
  added.device = device;
  added.known = device < contents_->devices.size();
  added.name = contents_->intern(name);
  added.unit = contents_->intern(unit);
  if (added.known) {
    added.owner = contents_->devices[device].facts.name;
    added.plane = static_cast<std::int32_t>(device);
    added.line = static_cast<std::int32_t>(std::count_if(
        contents_->counters.begin(), contents_->counters.end(), [&](const contents::counter& c) { return c.device == added.device; }));
  }
  contents_->counters.push_back(std::move(added));
  return static_cast<std::uint32_t>(contents_->counters.size() - 1);
}

std::uint32_t recording::add_process_counter(std::string_view process, std::string_view name, std::string_view unit) {
  contents::counter added;
  added.owner = contents_->intern(process);
  added.name = contents_->intern(name);
  added.unit = contents_->intern(unit);
  added.plane = static_cast<std::int32_t>(numbered_once(contents_->processes, added.owner));
  added.line = static_cast<std::int32_t>(lines_of_process(*contents_, added.owner));
  contents_->counters.push_back(std::move(added));
  return static_cast<std::uint32_t>(contents_->counters.size() - 1);
}

std::uint32_t recording::add_allocator(std::optional<std::uint32_t> device, std::string_view name) {
  contents::allocator added;
  added.device = device;
  added.known = !device || *device < contents_->devices.size();
  const auto is_taken = [&](string_id id) {
    return std::any_of(contents_->allocators.begin(), contents_->allocators.end(),
                       [&](const contents::allocator& a) { return a.name == id; });
  };
  if (name.empty()) name = "allocator";
  added.name = contents_->intern(name);
  for (std::size_t number = 2; is_taken(added.name); ++number)
    added.name = contents_->intern(std::string(name) + " " + std::to_string(number));
  contents_->allocators.push_back(std::move(added));
  return static_cast<std::uint32_t>(contents_->allocators.size() - 1);
}

const char* recording::why_not(std::uint32_t stream, const recorded_kernel& kernel) const noexcept {
  if (stream >= contents_->streams.size() || !contents_->streams[stream].device) return "of a stream that was not added";
  if (kernel.work && (kernel.work->flops < 0 || kernel.work->bytes < 0)) return "what it computes or moves is negative";
  if (!may_be_arguments(kernel.arguments)) return "its arguments are no JSON object";
  return why_not_placed(kernel.start_ps, kernel.duration_ps);
}
const char* recording::why_not(std::uint32_t thread, const recorded_span& span) const noexcept {
  if (thread >= contents_->threads.size()) return "of a thread that was not added";
  if (!may_be_arguments(span.arguments)) return "its arguments are no JSON object";
  return why_not_placed(span.start_ps, span.duration_ps);
}
const char* recording::why_not(std::uint32_t thread, const recorded_step& step) const noexcept {
  if (thread >= contents_->threads.size()) return "of a thread that was not added";
  return why_not_placed(step.start_ps, step.duration_ps);
}
const char* recording::why_not(std::uint32_t counter, const recorded_value& value) const noexcept {
  if (counter >= contents_->counters.size() || !contents_->counters[counter].known) return "of a counter that was not added";
  if (!std::isfinite(value.value)) return "the value is no number";
  return why_not_placed(value.at_ps, 0);
}
const char* recording::why_not(std::uint32_t allocator, const recorded_allocation& allocation) const noexcept {
  if (allocator >= contents_->allocators.size() || !contents_->allocators[allocator].known)
    return "of an allocator that was not added";
  if (allocation.bytes < 0 || allocation.held_bytes < 0) return "the size is negative";
  return why_not_placed(allocation.at_ps, 0);
}

void recording::add_kernel(std::uint32_t stream, const recorded_kernel& kernel) {
  if (const char* why = why_not(stream, kernel)) return pass_over(why, kernel.source_row);
  contents::stream& on = contents_->streams[stream];
  activity_device& of = contents_->devices[*on.device].facts;
  kernel_row row;
  row.start_ps = kernel.start_ps;
  row.duration_ps = kernel.duration_ps;
  row.launch_ps = kernel.launch_ps;
  row.source_row = kernel.source_row;
  row.name = contents_->intern(kernel.name);
  row.op_type = contents_->intern(type_of_kernel(kernel.name));
  row.kind = kernel.kind ? *kernel.kind : classify_kernel(kernel.name, {});
  row.flags = kernel_has_stream;
  row.details = details_of(*contents_, of, kernel);
  row.origin = origin_of(*contents_, kernel);
  keep_arguments(*contents_, on.arguments, on.kernels.size(), kernel.arguments);
  of.has_launches = of.has_launches || kernel.launch_ps != no_time_ps;
  on.kernels.push_back(row);
  on.correlations.push_back(kernel.correlation);
  contents_->row_bytes += sizeof row + sizeof kernel.correlation;
  ++contents_->input.rows;
}

void recording::add_span(std::uint32_t thread, const recorded_span& span) {
  if (const char* why = why_not(thread, span)) return pass_over(why, span.source_row);
  host_span s;
  s.start_ps = span.start_ps;
  s.duration_ps = span.duration_ps;
  s.source_row = span.source_row;
  s.name = contents_->intern(span.name);
  s.thread = thread;
  s.kind = span.kind;
  contents::thread& on = contents_->threads[thread];
  if (span.correlation != 0) {
    on.calls.push_back({on.spans.size(), span.correlation, span.launches ? span.launches : work_launched_by(span.name)});
    contents_->row_bytes += sizeof(contents::thread::call);
  }
  keep_arguments(*contents_, on.arguments, on.spans.size(), span.arguments);
  on.spans.push_back(s);
  contents_->row_bytes += sizeof s;
  ++contents_->input.rows;
}

void recording::add_step(std::uint32_t thread, const recorded_step& step) {
  if (const char* why = why_not(thread, step)) return pass_over(why, step.source_row);
  step_marker m;
  m.thread = thread;
  m.name = contents_->intern(step.name);
  m.number = step.number;
  m.start_ps = step.start_ps;
  m.end_ps = step.start_ps + step.duration_ps;
  m.source = marker_source::numbered_step;
  m.ends_itself = step.duration_ps > 0;
  contents_->threads[thread].steps.push_back(m);
  contents_->threads[thread].step_rows.push_back(step.source_row);
  contents_->row_bytes += sizeof m + sizeof step.source_row;
  ++contents_->input.rows;
}

void recording::add_value(std::uint32_t counter, const recorded_value& value) {
  if (const char* why = why_not(counter, value)) return pass_over(why, value.source_row);
  contents_->counters[counter].values.push_back(value);
  contents_->row_bytes += sizeof value;
  ++contents_->input.rows;
}

void recording::add_allocation(std::uint32_t allocator, const recorded_allocation& allocation) {
  if (const char* why = why_not(allocator, allocation)) return pass_over(why, allocation.source_row);
  contents::allocator::row row{};
  row.at_ps = allocation.at_ps;
  row.address = allocation.address;
  row.bytes = allocation.bytes;
  row.held_bytes = allocation.held_bytes == 0 ? allocation.bytes : allocation.held_bytes;
  row.op = contents_->intern(allocation.op);
  row.is_free = allocation.is_free;
  row.source_row = allocation.source_row;
  contents_->allocators[allocator].rows.push_back(row);
  contents_->row_bytes += sizeof row;
  ++contents_->input.rows;
}

std::uint64_t recording::held_bytes() const noexcept { return contents_->row_bytes + contents_->text_bytes; }

std::string_view recording::device_of_allocator(std::string_view name) const noexcept {
  for (const contents::allocator& a : contents_->allocators)
    if (a.device && a.known && contents_->texts.text(a.name) == name)
      return contents_->texts.text(contents_->devices[*a.device].facts.name);
  return {};
}

void recording::pass_over(std::string_view reason, std::uint64_t source_row) {
  ++contents_->input.rows;
  reject_row(contents_->input, std::string(reason).c_str(), source_row);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
