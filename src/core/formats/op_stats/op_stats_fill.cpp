#include <formats/op_stats/op_stats_fill.hpp>

#include <base/collective_names.hpp>
#include <base/communication_kernels.hpp>
#include <formats/activity_input.hpp>
#include <formats/activity_parts.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>
#include <profkit/wire.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Numbers of fields: tensorflow.profiler.OpStats, xprof's plugin/xprof/protobuf/{op_stats,op_metrics}.proto.
enum op_stats_field : std::uint32_t {
  device_op_metrics = 2,
  run_environment = 5,
  program_names = 12,
  flat_device_op_metrics = 16,
};
enum run_environment_field : std::uint32_t { device_type = 4, device_core_count = 5, hardware_type = 16 };
enum metrics_field : std::uint32_t {
  self_time_ps = 1,
  flops = 2,
  occurrences = 3,
  bytes_accessed = 5,
  name = 6,
  time_ps = 7,
  category = 11,
  provenance = 12,
  hlo_module_id = 13,
  long_name = 20,
};
constexpr std::uint32_t metrics_db = 10, map_key = 1, map_value = 2;
constexpr char idle[] = "IDLE";

struct op_metrics {
  std::string_view name, long_name, category, provenance;
  std::uint64_t self_ps = 0, total_ps = 0, calls = 0, flops = 0, bytes = 0, program = 0;
};

op_metrics metrics_of(std::string_view message, bool& sound) {
  op_metrics m;
  wire_reader reader(message);
  for (wire_field f; reader.next(f);) {
    if (f.type == wire_type::varint) {
      switch (f.number) {
        case metrics_field::self_time_ps: m.self_ps = f.value; break;
        case metrics_field::flops: m.flops = f.value; break;
        case metrics_field::occurrences: m.calls = f.value; break;
        case metrics_field::bytes_accessed: m.bytes = f.value; break;
        case metrics_field::time_ps: m.total_ps = f.value; break;
        case metrics_field::hlo_module_id: m.program = f.value; break;
        default: break;
      }
    } else if (f.type == wire_type::length_delimited) {
      switch (f.number) {
        case metrics_field::name: m.name = f.bytes; break;
        case metrics_field::category: m.category = f.bytes; break;
        case metrics_field::provenance: m.provenance = f.bytes; break;
        case metrics_field::long_name: m.long_name = f.bytes; break;
        default: break;
      }
    }
  }
  sound = reader.ok();
  return m;
}

// One file: its device's ops over all cores, with what programs are called.
class op_stats_reader {
 public:
  op_stats_reader(std::size_t file, activity_parts& into)
      : into_(into), bytes_(into.from->bytes(file)), file_(static_cast<std::uint32_t>(file)),
        input_(input_of(*into.from, file, "op_stats")) {}

  void run() {
    if (!is_unusable(*into_.from, input_)) {
      read();
      add_device();
    }
    note_rejected(input_);
    into_.inputs.push_back(std::move(input_));
  }

 private:
  void read() {
    wire_reader reader(bytes_);
    wire_field f;
    while (reader.next(f)) take(f);
    if (reader.ok()) return;
    // What is there of a message that was cut.
    if (reader.clipped()) take(f);
    damaged_at(reader.position());
  }
  void take(const wire_field& f) {
    if (f.type != wire_type::length_delimited) return;
    switch (f.number) {
      case op_stats_field::device_op_metrics: read_ops(f.bytes); break;
      case op_stats_field::run_environment: read_environment(f.bytes); break;
      case op_stats_field::program_names: read_program(f.bytes); break;
      case op_stats_field::flat_device_op_metrics: has_flat_ = has_flat_ || !f.bytes.empty(); break;
      default: break;
    }
  }

  // Ops whose message is whole.
  void read_ops(std::string_view message) {
    wire_reader reader(message);
    for (wire_field f; reader.next(f);) {
      if (f.number != metrics_db || f.type != wire_type::length_delimited) continue;
      bool sound = true;
      const op_metrics m = metrics_of(f.bytes, sound);
      if (!sound)
        damaged_at(f.bytes.data());
      else if (m.calls != 0 && m.category != idle)
        ops_.push_back(m);
    }
    if (!reader.ok()) damaged_at(reader.position());
  }
  void read_environment(std::string_view message) {
    wire_reader reader(message);
    for (wire_field f; reader.next(f);) {
      if (f.number == run_environment_field::device_type && f.type == wire_type::length_delimited) device_type_ = f.bytes;
      if (f.type != wire_type::varint) continue;
      if (f.number == run_environment_field::device_core_count) cores_ = f.value;
      if (f.number == run_environment_field::hardware_type) hardware_ = f.value;
    }
    if (!reader.ok()) damaged_at(reader.position());
  }
  void read_program(std::string_view entry) {
    std::uint64_t id = 0;
    std::string_view called;
    wire_reader reader(entry);
    for (wire_field f; reader.next(f);) {
      if (f.number == map_key && f.type == wire_type::varint) id = f.value;
      if (f.number == map_value && f.type == wire_type::length_delimited) called = f.bytes;
    }
    if (reader.ok())
      programs_.emplace_back(id, called);
    else
      damaged_at(reader.position());
  }

  void damaged_at(const char* at) {
    if (input_.damage) return;
    input_.damage = fault{fault_code::damaged, "a message is damaged", input_.path,
                          static_cast<std::uint64_t>(at - bytes_.data()), "Copy the file again, or record again."};
  }

  void add_device() {
    if (ops_.empty()) {
      input_.why_empty = has_flat_ ? "its totals are in flat_device_op_metrics_db, which is not read"
                                   : "no op of a device was found here";
      return;
    }
    activity_device d;
    d.file = file_;
    d.host_group = into_.add_host_group(file_);
    constexpr std::uint64_t gpu = 2, tpu = 3;
    d.type = hardware_ == tpu ? accelerator::tpu : hardware_ == gpu ? accelerator::gpu : accelerator::other;
    std::string called = device_type_.empty() ? std::string("all devices") : std::string(device_type_);
    if (cores_ > 1) called += ", " + std::to_string(cores_) + " cores";
    d.name = into_.strings.intern(called);
    d.has_classes = false;
    for (const op_metrics& m : ops_) d.totals.push_back(total_of(m));
    into_.add_device(std::move(d), std::make_unique<no_kernels>());
  }

  struct no_kernels final : kernel_source {
    result<void> visit(kernel_visitor&, const hooks&) const override { return {}; }
  };

  static std::int64_t as_ps(std::uint64_t ps) noexcept {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(ps, std::numeric_limits<std::int64_t>::max()));
  }

  op_total total_of(const op_metrics& m) {
    ++input_.rows;
    op_total t;
    t.op_type = into_.strings.intern(m.name);
    t.full_name = into_.strings.intern(m.long_name);
    t.category = into_.strings.intern(m.category);
    t.framework_op = into_.strings.intern(m.provenance);
    t.program = into_.strings.intern(program_named(m.program));
    t.program_id = m.program;
    const bool communicates = !collective_of(m.category).empty() || is_communication(m.name);
    t.kind = communicates ? kernel_class::comm : kernel_class::compute;
    t.calls = m.calls;
    t.duration_ps = as_ps(m.total_ps);
    t.self_ps = as_ps(m.self_ps);
    // The start and the done of a transfer are not as long as the transfer.
    if (role_of(m.category) == async_role::none) {
      t.flops = m.flops;
      t.bytes = m.bytes;
    }
    return t;
  }
  [[nodiscard]] std::string_view program_named(std::uint64_t id) const noexcept {
    const auto at = std::find_if(programs_.rbegin(), programs_.rend(), [id](const auto& p) { return p.first == id; });
    return at == programs_.rend() ? std::string_view() : at->second;
  }

  activity_parts& into_;
  std::string_view bytes_;
  std::uint32_t file_;
  activity_input input_;
  std::vector<op_metrics> ops_;
  std::vector<std::pair<std::uint64_t, std::string_view>> programs_;
  std::string_view device_type_;
  std::uint64_t cores_ = 0, hardware_ = 0;
  bool has_flat_ = false;
};

}  // namespace

result<void> fill_activity_from_op_stats(activity_parts& into) {
  for (std::size_t file = 0; file < into.from->file_count(); ++file) {
    const capture_file& listed = into.from->what().files[file];
    if (listed.family == file_family::op_stats && listed.export_of < 0) op_stats_reader(file, into).run();
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
