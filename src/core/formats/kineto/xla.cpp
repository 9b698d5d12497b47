// XLA's own exporter, in trace.json of JAX and TensorFlow: processes are planes, threads are lines, as in an XSpace.
#include <formats/kineto/trace_recorder.hpp>

#include <base/affix.hpp>
#include <base/collective_names.hpp>
#include <formats/chrome/chrome_args.hpp>

#include <algorithm>
#include <array>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

enum xla_argument : std::size_t { xla_start, xla_duration, xla_step, xla_arguments };
constexpr std::string_view xla_names[xla_arguments] = {"device_offset_ps", "device_duration_ps", "step_num"};

line_kind line_of_device(const chrome_track& t) noexcept { return classify_line(plane_kind::device, t.name, t.number.value_or(0)); }
bool has_kernels(line_kind kind) noexcept {
  return kind == line_kind::ops || kind == line_kind::stream || kind == line_kind::async;
}

class xla_recorder final : public trace_recorder {
 public:
  using trace_recorder::trace_recorder;

  bool read_arguments(const chrome_event& e, unplaced_span& /*held*/, held_facts& into) override {
    std::array<std::string_view, xla_arguments> given;
    arguments_.pick(e, given.data());
    if (const auto own_ps = json_scaled_integer(given[xla_duration]); own_ps && *own_ps >= 0)
      into.own = {json_scaled_integer(given[xla_start]).value_or(no_time_ps), *own_ps};
    else
      into.step = std::max<std::int64_t>(json_scaled_integer(given[xla_step]).value_or(-1), -1);
    return into.step >= 0 || into.own.duration_ps != no_time_ps;
  }

  void see_process(std::uint32_t number, process_role& role) override {
    const plane_kind kind = classify_plane(into_.tracks.process(number).name);
    if (kind == plane_kind::other) return;
    if (kind == plane_kind::host) role.is_host = true;
    else if (kind != plane_kind::device) role.is_passed_over = true;
    else if (role.device_of == nullptr) role.device_of = this;
    trace_writer& writer = into_.host().writer;
    if (writer == trace_writer::unknown) writer = trace_writer::xla;
  }

  std::optional<line_use> take_held(const unplaced_span& e, const held_facts& said) override {
    const chrome_track& on = into_.tracks.track(e.track);
    const std::string_view plane = process_of(e).name;
    const accelerator type = contains(plane, "GPU") ? accelerator::gpu : contains(plane, "TPU") ? accelerator::tpu : accelerator::other;
    const auto device = [&]() -> gathered_device& { return into_.device_of(device_ordinal(plane), type, e.track); };
    const std::string_view name = into_.parts.strings.text(e.name);
    line_kind kind = line_of_device(on);
    if (kind == line_kind::steps) {
      const named_step step{marker_source::line, said.step >= 0 ? said.step : trailing_number(name)};
      device().windows.push_back(into_.marker_of(e, step));
      return line_use::step;
    }
    if (kind == line_kind::modules) {
      // The program's name without its fingerprint.
      step_marker m = into_.marker_of(e, {marker_source::run, -1});
      m.thread = into_.numbers.of(e.track);
      m.name = into_.parts.strings.intern(name.substr(0, name.find('(')));
      m.whole_name = e.name;
      gathered_device& of_device = device();
      (on.name == "XLA Modules" ? of_device.runs : of_device.other_runs).push_back(m);
      return line_use::program_run;
    }
    if (kind == line_kind::derived) return line_use::repeated;
    if (kind == line_kind::other && !has_known_lines(on.process)) kind = line_kind::stream;
    if (!has_kernels(kind)) return line_use::not_known;
    gathered_device& into = device();
    kernel_row row = into_.row_of(e);
    if (type == accelerator::gpu) {
      into_.set_kind(row);
    } else {
      const std::string_view operation = operation_of(instruction_name(name));
      row.op_type = into_.parts.strings.intern(operation);
      const bool communicates = !collective_of(instruction_name(name)).empty();
      row.kind = communicates ? kernel_class::comm : operation == "copy" ? kernel_class::copy : kernel_class::compute;
    }
    into_.set_stream(row, into, e.track, {}, on.name, kind);
    if (said.own.duration_ps != no_time_ps) into.own.try_emplace(e.ordinal, said.own);
    into_.add_kernel(into, row);
    into_.is_coarse = false;
    return kind == line_kind::async ? line_use::asynchronous : line_use::kernel;
  }

  // Where a device has lines of ops, its streams repeat them.
  void finish() override {
    for (const gathered_device& d : into_.devices) {
      const auto& streams = d.device.streams;
      const auto is_of_ops = [](const activity_stream& s) { return s.kind == line_kind::ops; };
      if (std::none_of(streams.begin(), streams.end(), is_of_ops)) continue;
      for (std::size_t at = 0; at < streams.size(); ++at)
        if (streams[at].kind == line_kind::stream) into_.counts.change(d.tracks[at], line_use::kernel, line_use::repeated);
    }
  }

 private:
  // Whether names say what the lines of a device are. Where none does, each is a stream.
  [[nodiscard]] bool has_known_lines(std::uint32_t process) {
    if (known_lines_.empty()) {
      known_lines_.resize(into_.tracks.processes().size());
      for (const chrome_track& t : into_.tracks.tracks())
        if (has_kernels(line_of_device(t))) known_lines_[t.process] = true;
    }
    return known_lines_[process];
  }

  std::vector<bool> known_lines_;  // by process
  argument_picker arguments_{xla_names, xla_arguments};
};

}  // namespace

std::unique_ptr<trace_recorder> make_xla_recorder(gathered_trace& into) { return std::make_unique<xla_recorder>(into); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
