#include <formats/recording/recording.hpp>

#include <profkit/time.hpp>
#include <base/collective_names.hpp>
#include <formats/activity_input.hpp>
#include <formats/xspace/xspace_names.hpp>

#include <algorithm>
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

std::size_t numbered_once(std::vector<string_id>& names, string_id name) {
  const auto at = std::find(names.begin(), names.end(), name);
  const auto position = static_cast<std::size_t>(at - names.begin());
  if (at == names.end()) names.push_back(name);
  return position;
}

}  // namespace

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

std::uint32_t recording::add_device(std::string_view name, accelerator type, std::int64_t ordinal) {
  activity_device& added = contents_->devices.emplace_back().facts;
  added.name = contents_->texts.intern(name);
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
  added.name = contents_->texts.intern(name.empty() ? "stream " + std::to_string(id) : std::string(name));
  added.plane = static_cast<std::int32_t>(device);
  added.line = static_cast<std::int32_t>(of.size() - 1);
  return number;
}

std::uint32_t recording::add_thread(std::string_view process, std::string_view name) {
  contents::thread added;
  added.process = contents_->texts.intern(process);
  added.name = contents_->texts.intern(name);
  added.plane = static_cast<std::int32_t>(numbered_once(contents_->processes, added.process));
  added.line = static_cast<std::int32_t>(
      std::count_if(contents_->threads.begin(), contents_->threads.end(),
                    [&](const contents::thread& t) { return t.process == added.process; }));
  contents_->threads.push_back(std::move(added));
  return static_cast<std::uint32_t>(contents_->threads.size() - 1);
}

void recording::add_kernel(std::uint32_t stream, const recorded_kernel& kernel) {
  if (stream >= contents_->streams.size() || !contents_->streams[stream].device)
    return pass_over("of a stream that was not added", kernel.source_row);
  if (const char* why = why_not_placed(kernel.start_ps, kernel.duration_ps)) return pass_over(why, kernel.source_row);
  contents::stream& on = contents_->streams[stream];
  activity_device& of = contents_->devices[*on.device].facts;
  kernel_row row;
  row.start_ps = kernel.start_ps;
  row.duration_ps = kernel.duration_ps;
  row.launch_ps = kernel.launch_ps;
  row.source_row = kernel.source_row;
  row.name = contents_->texts.intern(kernel.name);
  row.op_type = contents_->texts.intern(bare_kernel_name(kernel.name));
  row.kind = kernel.kind ? *kernel.kind : classify_kernel(kernel.name, {});
  row.flags = kernel_has_stream;
  of.has_launches = of.has_launches || kernel.launch_ps != no_time_ps;
  on.kernels.push_back(row);
  ++contents_->input.rows;
}

void recording::add_span(std::uint32_t thread, const recorded_span& span) {
  if (thread >= contents_->threads.size()) return pass_over("of a thread that was not added", span.source_row);
  if (const char* why = why_not_placed(span.start_ps, span.duration_ps)) return pass_over(why, span.source_row);
  host_span s;
  s.start_ps = span.start_ps;
  s.duration_ps = span.duration_ps;
  s.source_row = span.source_row;
  s.name = contents_->texts.intern(span.name);
  s.thread = thread;
  s.kind = span.kind;
  contents_->threads[thread].spans.push_back(s);
  ++contents_->input.rows;
}

void recording::add_step(std::uint32_t thread, const recorded_step& step) {
  if (thread >= contents_->threads.size()) return pass_over("of a thread that was not added", step.source_row);
  if (const char* why = why_not_placed(step.start_ps, step.duration_ps)) return pass_over(why, step.source_row);
  step_marker m;
  m.thread = thread;
  m.name = contents_->texts.intern(step.name);
  m.number = step.number;
  m.start_ps = step.start_ps;
  m.end_ps = step.start_ps + step.duration_ps;
  m.source = marker_source::numbered_step;
  contents_->threads[thread].steps.push_back(m);
  contents_->threads[thread].step_rows.push_back(step.source_row);
  ++contents_->input.rows;
}

void recording::pass_over(std::string_view reason, std::uint64_t source_row) {
  ++contents_->input.rows;
  reject_row(contents_->input, std::string(reason).c_str(), source_row);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
