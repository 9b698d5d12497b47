// rocprof (v1): tblextr.py, 2019 to 2024. Kernels name their device in their arguments.
#include <formats/kineto/trace_recorder.hpp>

#include <base/affix.hpp>
#include <formats/chrome/chrome_args.hpp>
#include <profkit/time.hpp>

#include <array>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

enum rocprof_argument : std::size_t { rocprof_device, rocprof_gpu, rocprof_begin, rocprof_end, rocprof_arguments };
constexpr std::string_view rocprof_names[rocprof_arguments] = {"dev-id", "gpu-id", "BeginNs", "EndNs"};

bool is_of_copies(std::string_view process) noexcept { return process == "COPY"; }
bool is_of_barriers(std::string_view process) noexcept { return starts_with(process, "GPU Barriers"); }

class rocprof_recorder final : public trace_recorder {
 public:
  using trace_recorder::trace_recorder;

  // Times in ns stand beside those of the event, which are whole µs.
  bool read_arguments(const chrome_event& e, unplaced_span& held, held_facts& into) override {
    std::array<std::string_view, rocprof_arguments> given;
    arguments_.pick(e, given.data());
    const auto begin_ns = json_scaled_integer(given[rocprof_begin]), end_ns = json_scaled_integer(given[rocprof_end]);
    if (!begin_ns || !end_ns) return false;
    const auto device = json_scaled_integer(given[given[rocprof_device].empty() ? rocprof_gpu : rocprof_device]);
    into.by = this;
    if (device && *device >= 0 && *device <= std::numeric_limits<std::int32_t>::max()) into.device = *device;
    const auto length_ns = checked_sub(*end_ns, *begin_ns);
    const std::int64_t more_ns = length_ns.value_or(-1) - held.duration_ps / ps_per_ns;
    if (*begin_ns >= 0 && held.duration_ps % ps_per_us == 0 && more_ns >= 0 && more_ns <= ps_per_us / ps_per_ns)
      held.duration_ps += more_ns * ps_per_ns;
    return true;
  }

  void see_process(std::uint32_t number, process_role& role) override {
    const std::string_view name = into_.tracks.process(number).name;
    const bool calls = name == "CPU HIP API" || name == "CPU HSA API" || name == "CPU KFD API", ranges = name == "Markers and Ranges";
    role.is_host = role.is_host || calls || ranges || is_of_copies(name) || is_of_barriers(name);
    if (calls) role.kind = host_span_kind::runtime;
    if (ranges) role.kind = host_span_kind::annotation;
  }

  std::optional<line_use> take_held(const unplaced_span& e, const held_facts& said) override {
    const std::string_view process = process_of(e).name;
    if (said.device < 0 && is_of_copies(process)) {
      copies_.push_back(e);
      return line_use::kernel;
    }
    into_.host().writer = trace_writer::rocprof;
    if (said.device < 0) return std::nullopt;
    add_kernel(e, said.device, process);
    return line_use::kernel;
  }

  // Copies without a device belong to the only device, if there is just one.
  void finish() override {
    const std::int64_t device = into_.devices.size() == 1 ? into_.devices.front().device.ordinal : -1;
    for (const placed_span& e : copies_) add_kernel(e, device, process_of(e).name);
  }

 private:
  void add_kernel(const placed_span& e, std::int64_t device, std::string_view process) {
    gathered_device& into = into_.device_of(device, accelerator::gpu, e.track);
    into.may_overlap = true;  // in a queue
    kernel_row row = into_.row_of(e);
    into_.set_kind(row);
    const bool copies = is_of_copies(process), waits = is_of_barriers(process);
    if (copies || waits) row.kind = copies ? kernel_class::copy : kernel_class::other;
    const std::string stream = "stream " + into_.tracks.track(e.track).tid;
    into_.set_stream(row, into, e.track, {}, (copies ? "COPY " : waits ? "barriers " : "") + stream);
    into_.add_kernel(into, row);
  }

  std::vector<placed_span> copies_;
  argument_picker arguments_{rocprof_names, rocprof_arguments};
};

}  // namespace

std::unique_ptr<trace_recorder> make_rocprof_recorder(gathered_trace& into) { return std::make_unique<rocprof_recorder>(into); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
