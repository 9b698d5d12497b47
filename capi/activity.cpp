#include <profkit/core/activity.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "table.hpp"

struct pk_activity : profkit::capi::counted {
  explicit pk_activity(pk_profile* of) : profile(of) {}
  profkit::capi::profile_reference profile;
  std::shared_ptr<const profkit::activity> found;
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

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
        read_sized_struct<pk_activity_options>(options, "pk_activity_options");
    if (!given) return std::move(given).error();
    if ((given->flags & ~known_activity_flags) != 0) return unknown_flags("pk_activity_options", given->flags);
    profkit::activity_options asked;
    result<profkit::query_filters> filters = read_filters(given->filters, by_plane);
    if (!filters) return std::move(filters).error();
    asked.device = std::move(filters->plane);
    asked.step_pattern = text_of(given->step_pattern);
    asked.details = (given->flags & PK_ACTIVITY_NO_DETAILS) == 0;
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    auto made = std::make_unique<pk_activity>(profile);
    auto found = profile->trace->some_activity(asked, bridge.core());
    if (!found) return std::move(found).error();
    made->found = std::move(*found);
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

pk_status pk_activity_table(pk_activity* activity, const pk_table_options* options, pk_table** out,
                            pk_error** err) noexcept {
  return open_table(options, out, err, [&](const table_request& asked, const profkit::hooks& host) -> result<table_parts> {
    if (!activity) return null_argument("activity");
    if (result<void> plain = refuse_filters(asked); !plain) return std::move(plain).error();
    table_parts parts;
    parts.owner = owner_of(activity);
    auto devices = profkit::capture_devices::list(activity->profile.capture(), host);
    if (!devices) return std::move(devices).error();
    parts.devices = std::move(*devices);
    parts.rows = profkit::rows_of(parts.devices, *activity->found, activity->profile.core());
    return parts;
  });
}

void pk_activity_free(pk_activity* activity) noexcept { release_handle(activity); }

profkit::capi::held_handle<pk_activity> profkit::capi::hold(pk_activity* activity) noexcept {
  return {retain_handle(activity), pk_activity_free};
}
