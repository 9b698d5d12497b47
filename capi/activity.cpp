#include <profkit/core/activity.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "handle.hpp"
#include "options.hpp"
#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// The kernels of a device, held from the first read on.
struct held_kernels {
  std::once_flag once;
  std::vector<kernel_row> rows;
  std::optional<fault> broken;
};

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

struct pk_activity : profkit::capi::counted {
  explicit pk_activity(pk_profile* of) : profile(of) {}
  profkit::capi::profile_reference profile;
  std::shared_ptr<const profkit::activity> found;
  std::unique_ptr<profkit::capi::held_kernels[]> kernels;  // one a device
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

static_assert(static_cast<std::int32_t>(kernel_class::compute) == PK_KERNEL_COMPUTE);
static_assert(static_cast<std::int32_t>(kernel_class::aicpu) == PK_KERNEL_AICPU);
static_assert(static_cast<std::int32_t>(kernel_class::comm) == PK_KERNEL_COMM);
static_assert(static_cast<std::int32_t>(kernel_class::copy) == PK_KERNEL_COPY);
static_assert(static_cast<std::int32_t>(kernel_class::other) == PK_KERNEL_OTHER);
static_assert(static_cast<std::int32_t>(accelerator::other) == PK_ACCELERATOR_OTHER);
static_assert(static_cast<std::int32_t>(accelerator::tpu) == PK_ACCELERATOR_TPU);
static_assert(static_cast<std::int32_t>(accelerator::gpu) == PK_ACCELERATOR_GPU);
static_assert(static_cast<std::int32_t>(accelerator::npu) == PK_ACCELERATOR_NPU);
static_assert(static_cast<std::int32_t>(kernel_on_aicpu) == PK_KERNEL_ON_AICPU);
static_assert(static_cast<std::int32_t>(kernel_has_stream) == PK_KERNEL_HAS_STREAM);
static_assert(static_cast<std::int32_t>(kernel_duplicate) == PK_KERNEL_DUPLICATE);

class kernel_collector final : public kernel_visitor {
 public:
  kernel_collector(std::vector<kernel_row>& into, std::uint64_t most_bytes) : into_(into), most_bytes_(most_bytes) {}
  result<void> rows(const kernel_row* first, std::size_t count) override {
    if ((into_.size() + count) * sizeof(kernel_row) > most_bytes_) {
      return fault{fault_code::limit, "the kernels of this device take more than limits::max_materialised_bytes", "",
                   no_offset, "raise max_materialised_bytes"};
    }
    into_.insert(into_.end(), first, first + count);
    return {};
  }

 private:
  std::vector<kernel_row>& into_;
  std::uint64_t most_bytes_;
};

result<const held_kernels*> kernels_of(const pk_activity& activity, std::uint32_t device) {
  if (device >= activity.found->devices().size()) {
    return invalid_argument("there is no device " + std::to_string(device) + ": the number is " +
                            std::to_string(activity.found->devices().size()));
  }
  held_kernels& held = activity.kernels[device];
  std::call_once(held.once, [&] {
    kernel_collector collector(held.rows, activity.profile.core().what().bounds.max_materialised_bytes);
    result<void> read = activity.found->visit_kernels(device, collector);
    if (!read) held.broken = std::move(read).error();
  });
  if (held.broken) return *held.broken;
  return &held;
}

pk_kernel_row to_row(const activity& a, const activity_device& d, const kernel_row& row) {
  pk_kernel_row out = {};
  out.start_ps = row.start_ps;
  out.duration_ps = row.duration_ps;
  out.source_row = row.source_row;
  out.name = borrowed(a.text(row.name));
  out.op_type = borrowed(a.text(row.op_type));
  out.core = borrowed(a.text(row.core));
  out.step = borrowed(a.text(row.step));
  out.kind = static_cast<std::int32_t>(row.kind);
  out.flags = row.flags;
  out.stream = (row.flags & kernel_has_stream) != 0 ? d.streams[row.stream].id : -1;
  if (row.wait_ps != no_time_ps) {
    out.wait_ps = row.wait_ps;
    out.flags |= PK_KERNEL_HAS_WAIT;
  }
  if (row.launch_ps != no_time_ps) {
    out.launch_ps = row.launch_ps;
    out.flags |= PK_KERNEL_HAS_LAUNCH;
  }
  if (row.details != 0) {
    const kernel_details& details = d.details[row.details - 1];
    out.input_shapes = borrowed(a.text(details.input_shapes));
    out.output_shapes = borrowed(a.text(details.output_shapes));
    out.input_types = borrowed(a.text(details.input_dtypes));
  }
  return out;
}

pk_activity_device to_device(const activity& a, const activity_device& d) {
  pk_activity_device out = {};
  out.name = borrowed(a.text(d.name));
  out.ordinal = d.ordinal;
  out.kernel_count = d.kernels;
  out.timestamp_resolution_ps = d.timestamp_resolution_ps;
  out.file = d.file;
  out.plane = d.plane;
  out.rank = d.rank;
  out.host_group = d.host_group;
  out.accelerator = static_cast<std::int32_t>(d.type);
  out.flags = (d.has_waits ? +PK_DEVICE_HAS_WAITS : 0U) | (d.has_shapes ? +PK_DEVICE_HAS_SHAPES : 0U) |
              (d.has_classes ? +PK_DEVICE_HAS_CLASSES : 0U) | (d.has_launches ? +PK_DEVICE_HAS_LAUNCHES : 0U);
  return out;
}

constexpr std::uint32_t known_activity_flags = PK_ACTIVITY_NO_DETAILS;

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_activity_open(pk_profile* profile, const pk_activity_options* options, pk_activity** out,
                           pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!profile) return null_argument("profile");
    if (!out) return null_argument("out");
    result<pk_activity_options> given =
        read_sized_struct<pk_activity_options>(options, PK_ACTIVITY_OPTIONS_INIT, "pk_activity_options");
    if (!given) return std::move(given).error();
    if ((given->flags & ~known_activity_flags) != 0) return unknown_flags("pk_activity_options", given->flags);
    profkit::activity_options asked;
    asked.device = text_of(given->device);
    asked.step_pattern = text_of(given->step_pattern);
    asked.details = (given->flags & PK_ACTIVITY_NO_DETAILS) == 0;
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    auto made = std::make_unique<pk_activity>(profile);
    auto found = profkit::read_activity(profile->core, asked, bridge.core());
    if (!found) return std::move(found).error();
    made->found = std::move(*found);
    made->kernels = std::make_unique<held_kernels[]>(made->found->devices().size());
    *out = made.release();
    return PK_OK;
  });
}

uint32_t pk_activity_device_count(const pk_activity* activity) noexcept {
  return activity ? static_cast<uint32_t>(activity->found->devices().size()) : 0;
}

pk_status pk_activity_device_get(const pk_activity* activity, uint32_t device, pk_activity_device* out,
                                 pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!activity) return null_argument("activity");
    if (!out) return null_argument("out");
    const auto& devices = activity->found->devices();
    if (device >= devices.size()) {
      return invalid_argument("there is no device " + std::to_string(device) + ": the number is " +
                              std::to_string(devices.size()));
    }
    *out = to_device(*activity->found, devices[device]);
    return PK_OK;
  });
}

pk_status pk_kernel_rows_read(const pk_activity* activity, uint32_t device, uint64_t first, pk_kernel_row* rows,
                              size_t capacity, size_t* count, pk_error** err) noexcept {
  if (count) *count = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!activity) return null_argument("activity");
    if (!rows) return null_argument("rows");
    if (!count) return null_argument("count");
    if (capacity == 0) return invalid_argument("capacity is 0", "give room for at least one row");
    const result<const held_kernels*> held = kernels_of(*activity, device);
    if (!held) return held.error();
    const std::vector<profkit::kernel_row>& all = (*held)->rows;
    if (first >= all.size()) return PK_END;
    const std::size_t from = static_cast<std::size_t>(first);
    *count = std::min(capacity, all.size() - from);
    const profkit::activity_device& of = activity->found->devices()[device];
    for (std::size_t i = 0; i < *count; ++i) rows[i] = to_row(*activity->found, of, all[from + i]);
    return PK_OK;
  });
}

void pk_activity_free(pk_activity* activity) noexcept { release_handle(activity); }

profkit::capi::held_handle<pk_activity> profkit::capi::hold(pk_activity* activity) noexcept {
  return {retain_handle(activity), pk_activity_free};
}
