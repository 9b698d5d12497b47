#include <formats/kineto/gathered_trace.hpp>

#include <base/collective_names.hpp>
#include <base/communication_kernels.hpp>
#include <base/kernel_names.hpp>

#include <algorithm>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

gathered_trace::gathered_trace(std::size_t number, activity_parts& into)
    : parts(into),
      file(number),
      group(into.add_host_group(number)),
      input(input_of(*into.from, number, "trace.json")),
      numbers(into),
      names(into.strings),
      bytes(into.from->bytes(number).size()),
      kernel_names_(into.strings),
      steps_(into.strings) {}

gathered_device& gathered_trace::device_of(std::int64_t ordinal, accelerator type, std::uint32_t track) {
  const bool is_process = ordinal < 0 && !tracks.process_of_track(track).pid.empty();
  const std::uint32_t process = is_process ? tracks.track(track).process : chrome_tracks::none;
  const auto may_be = [type](accelerator known) { return known == type || known == accelerator::other || type == accelerator::other; };
  for (gathered_device& d : devices) {
    if (d.device.ordinal == ordinal && d.process == process && may_be(d.device.type)) return d;
  }
  gathered_device& added = devices.emplace_back();
  added.device.ordinal = ordinal;
  added.device.type = type;
  added.process = process;
  return added;
}

kernel_row gathered_trace::row_of(const placed_span& s) {
  kernel_row row;
  row.start_ps = s.start_ps;
  row.duration_ps = s.duration_ps;
  row.source_row = s.ordinal;
  row.name = s.name;
  return row;
}

void gathered_trace::set_kind(kernel_row& row) {
  const kernel_name& known = kernel_names_.of(row.name, [this](std::string_view text) {
    const bool copies = text.compare(0, 6, "Memcpy") == 0 || text.compare(0, 6, "Memset") == 0;
    return kernel_name{parts.strings.intern(type_of_kernel(text)), is_communication(text) ? kernel_class::comm
                                                                   : copies               ? kernel_class::copy
                                                                   : text.empty()         ? kernel_class::other
                                                                                          : kernel_class::compute};
  });
  row.op_type = known.type;
  row.kind = known.kind;
}

void gathered_trace::set_stream(kernel_row& row, gathered_device& into, std::uint32_t track, std::optional<std::int64_t> number,
                                std::string_view name, line_kind kind) {
  const std::pair key(number.has_value(), number.value_or(track));
  auto found = into.streams.find(key);
  if (found == into.streams.end()) {
    if (into.tracks.size() >= std::numeric_limits<std::uint16_t>::max()) return;
    found = into.streams.try_emplace(key, static_cast<std::uint16_t>(into.tracks.size())).first;
    into.tracks.push_back(track);
    const chrome_track& on = tracks.track(track);
    activity_stream& added = into.device.streams.emplace_back();
    added.id = number.value_or(on.number.value_or(on.position));
    added.name = parts.strings.intern(name.empty() ? "stream " + (number ? std::to_string(*number) : on.tid) : std::string(name));
    added.kind = kind;
    added.plane = tracks.process_of_track(track).position;
    added.line = on.position;
  }
  row.stream = found->second;
  row.flags = static_cast<std::uint8_t>(row.flags | kernel_has_stream);
}

void gathered_trace::add_kernel(gathered_device& into, const kernel_row& row, const launch_link& tie) {
  make_room_in(into.rows);
  make_room_in(into.links);
  into.rows.push_back(row);
  into.links.push_back(tie);
  is_coarse = is_coarse && row.start_ps % ps_per_us == 0 && row.duration_ps % ps_per_us == 0;
}

step_marker gathered_trace::marker_of(const placed_span& s, const named_step& step) const {
  return {group, -1, no_thread, s.name, 0, step.number, s.start_ps, s.start_ps + s.duration_ps, step.source};
}

void gathered_trace::add_marker(const placed_span& s, const named_step& step) {
  parts.markers.push_back(marker_of(s, step));
  parts.markers.back().thread = numbers.of(s.track);
  host_seen = true;
  last_host_ps = std::max(last_host_ps, s.end_ps());
}

bool gathered_trace::take_marker(const placed_span& s) {
  const auto& step = steps_.of(s.name, [this](std::string_view text) { return parts.steps.match(text); });
  if (step) add_marker(s, *step);
  return step.has_value();
}

void gathered_trace::add_span(const placed_span& s, host_span_kind kind) {
  make_room_in(spans);
  spans.push_back({s.start_ps, s.duration_ps, s.ordinal, s.name, numbers.of(s.track), kind});
  host_seen = host_seen || kind != host_span_kind::device_marker;
  last_host_ps = std::max(last_host_ps, s.end_ps());
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
