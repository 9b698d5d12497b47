// The rows and the layout of a recording as JSON.
#include <formats/recording/saved.hpp>

#include <base/format.hpp>
#include <base/json_writer.hpp>
#include <base/kernel_names.hpp>
#include <base/sound_json.hpp>
#include <formats/launch_names.hpp>
#include <formats/xspace/xspace_names.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using contents = recording::contents;

// An object that is built member by member; what is not known is left out.
class object_text {
 public:
  explicit object_text(std::string head = "{") : text_(std::move(head)), empty_(text_.size()) {}

  void add(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    begin(key);
    append_json_string(text_, value);
  }
  void add_always(std::string_view key, std::string_view value) {
    begin(key);
    append_json_string(text_, value);
  }
  template <class Integer>
  void add_number(std::string_view key, Integer value) {
    begin(key);
    append_integer(text_, static_cast<std::conditional_t<std::is_signed_v<Integer>, std::int64_t, std::uint64_t>>(value));
  }
  // From 0 on.
  void add_known(std::string_view key, std::int64_t value) {
    if (value >= 0) add_number(key, value);
  }
  void add_json(std::string_view key, std::string_view json) {
    begin(key);
    text_ += json;
  }
  void add_value(std::string_view key, double value) {
    begin(key);
    append_shortest(text_, value);
  }
  void add_sound_json(std::string_view key, std::string_view json) {
    begin(key);
    append_sound_json(text_, json);
  }
  [[nodiscard]] std::string take(std::string_view tail = "}") { return std::move(text_.append(tail)); }

 private:
  void begin(std::string_view key) {
    if (text_.size() != empty_) text_ += ',';
    append_json_string(text_, key);
    text_ += ':';
  }
  std::string text_;
  std::size_t empty_;
};

constexpr const char* event_head = "{\"args\":{";
constexpr const char* event_tail = "}}";

void add_arguments(object_text& into, const contents& from, const std::vector<string_id>& arguments, std::size_t at) {
  if (at < arguments.size() && arguments[at] != 0) into.add_sound_json(arguments_key, from.texts.text(arguments[at]));
}

std::string text_of_line(const contents& from, contents::line at) {
  object_text line;
  switch (at.kind) {
    case contents::row_kind::none: break;
    case contents::row_kind::stream: {
      const contents::stream& stream = from.streams[at.number];
      const contents::device& device = from.devices[*stream.device];
      const auto position = std::find(device.streams.begin(), device.streams.end(), at.number) - device.streams.begin();
      const activity_stream& facts = device.facts.streams[static_cast<std::size_t>(position)];
      line.add_number("stream", facts.id);
      line.add("name", from.texts.text(facts.name));
      break;
    }
    case contents::row_kind::thread: line.add_always("thread", from.texts.text(from.threads[at.number].name)); break;
    case contents::row_kind::counter:
      line.add_always("counter", from.texts.text(from.counters[at.number].name));
      line.add("unit", from.texts.text(from.counters[at.number].unit));
      break;
    case contents::row_kind::allocator: {
      const contents::allocator& allocator = from.allocators[at.number];
      line.add_always("allocator", from.texts.text(allocator.name));
      if (allocator.device && allocator.known) line.add_number("device", *allocator.device);
      break;
    }
  }
  return line.take();
}

// Of the plane at a position; of memory there is nothing to say.
object_text begin_plane(const contents& from, std::size_t at) {
  object_text plane;
  if (at < from.devices.size()) {
    const activity_device& facts = from.devices[at].facts;
    plane.add_always("device", from.texts.text(facts.name));
    plane.add("accelerator", accelerator_name(facts.type));
    plane.add_known("ordinal", facts.ordinal);
    plane.add("model", from.texts.text(facts.model));
  } else if (at - from.devices.size() < from.processes.size()) {
    plane.add_always("process", from.texts.text(from.processes[at - from.devices.size()]));
  }
  return plane;
}

}  // namespace

std::string layout_of(const contents& from, std::string_view host, std::optional<std::int64_t> origin_unix_ns) {
  std::string planes = "[";
  const std::vector<std::vector<contents::line>> lines_by_plane = from.lines_by_plane();
  for (std::size_t at = 0; at < lines_by_plane.size(); ++at) {
    std::string lines = "[";
    for (const contents::line& line : lines_by_plane[at]) lines.append(lines.size() == 1 ? "" : ",").append(text_of_line(from, line));
    object_text plane = begin_plane(from, at);
    plane.add_json("lines", lines += "]");
    planes.append(planes.size() == 1 ? "" : ",").append(plane.take());
  }
  object_text all;
  all.add_number("version", 1);
  all.add("host", host);
  all.add("recorder", from.recorder);
  all.add_known("rank", from.rank);
  if (from.world_size > 0) all.add_number("world_size", from.world_size);
  if (origin_unix_ns) all.add_number("origin_unix_ns", *origin_unix_ns);
  all.add_json("planes", planes += "]");
  return all.take();
}

std::string text_of_kernel(const contents& from, const contents::device& device, const contents::stream& stream, std::size_t at,
                           std::int64_t launch_ps) {
  const kernel_row& row = stream.kernels[at];
  object_text args(event_head);
  if (row.kind != classify_kernel(from.texts.text(row.name), {})) args.add("kind", kernel_class_name(row.kind));
  if (stream.correlations[at] != 0) args.add_number("correlation", stream.correlations[at]);
  if (launch_ps != no_time_ps) args.add_number("launch_ps", launch_ps);
  if (row.origin != 0) {
    const kernel_origin& origin = from.origins[row.origin - 1];
    args.add("op", from.texts.text(origin.op));
    args.add("module", from.texts.text(origin.module));
    args.add("program", from.texts.text(origin.program));
  }
  if (row.details != 0) {
    const kernel_details& details = device.facts.details[row.details - 1];
    args.add("input_shapes", from.texts.text(details.input_shapes));
    args.add("input_types", from.texts.text(details.input_dtypes));
    if (details.work) {
      args.add_number("flops", details.work->flops);
      args.add_number("bytes", details.work->bytes);
      if (details.work->multiplies) args.add("number_type", number_type_name(*details.work->multiplies));
    }
    args.add("group", from.texts.text(details.group));
    args.add("group_ranks", from.texts.text(details.group_ranks));
    args.add_known("group_sequence", details.group_sequence);
    args.add_known("sent_bytes", details.sent_bytes);
    args.add_known("received_bytes", details.received_bytes);
  }
  add_arguments(args, from, stream.arguments, at);
  return args.take(event_tail);
}

std::string text_of_span(const contents& from, const contents::thread& thread, std::size_t at, const contents::thread::call* call) {
  const host_span& span = thread.spans[at];
  object_text args(event_head);
  args.add("kind", host_span_kind_name(span.kind));
  if (call != nullptr) {
    args.add_number("correlation", call->correlation);
    if (call->launches && call->launches != work_launched_by(from.texts.text(span.name)))
      args.add("launches", launched_work_name(*call->launches));
  }
  add_arguments(args, from, thread.arguments, at);
  return args.take(event_tail);
}

std::string text_of_step(const step_marker& step) {
  object_text args(event_head);
  args.add("kind", "step");
  args.add_known("number", step.number);
  return args.take(event_tail);
}

std::string text_of_value(double value, std::string_view key) {
  object_text args(event_head);
  args.add_value(key, value);
  return args.take(event_tail);
}

std::string text_of_allocation(const contents& from, const contents::allocator::row& row) {
  object_text args(event_head);
  args.add_number("address", row.address);
  args.add_number("bytes", row.bytes);
  args.add_number("held_bytes", row.held_bytes);
  args.add("op", from.texts.text(row.op));
  return args.take(event_tail);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
