#include <profkit/core/bubbles.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "table.hpp"

struct pk_bubbles : profkit::capi::counted {
  explicit pk_bubbles(pk_profile* of) : profile(of) {}
  profkit::capi::profile_reference profile;
  profkit::bubble_options asked;
  profkit::bubbles_report report;
  std::shared_ptr<const profkit::capture_devices> devices;
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

result<bubble_options> read_bubble_options(const pk_bubbles_options& given) {
  if (given.flags != 0) return unknown_flags("pk_bubbles_options", given.flags);
  if (given.reserved != 0) return invalid_argument("pk_bubbles_options::reserved is not 0");
  if (given.window_policy < PK_WINDOW_POLICY_WHOLE || given.window_policy > PK_WINDOW_POLICY_GUIDE)
    return invalid_argument("there is no window policy " + std::to_string(given.window_policy),
                            "use a PK_WINDOW_POLICY_ constant");
  if (given.threshold_count > 0 && !given.thresholds) return null_argument("thresholds");
  result<query_filters> filters = read_filters(given.filters, by_plane | by_name | by_step | by_time);
  if (!filters) return std::move(filters).error();
  bubble_options o = bubble_options_of(*filters);
  o.only.name = std::move(filters->name);
  o.step_pattern = text_of(given.step_pattern);
  o.windows = static_cast<window_policy>(given.window_policy);
  o.limit = limit_of(given.limit, default_limit(document::bubbles));
  for (std::size_t i = 0; i < given.threshold_count; ++i) {
    const std::string_view one = given.thresholds[i] ? std::string_view(given.thresholds[i]) : std::string_view();
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos)
      return invalid_argument("threshold \"" + std::string(one) + "\" is no NAME=VALUE",
                              "write it as in idle_ratio=0.25");
    if (result<void> set = set_threshold(o.thresholds, one.substr(0, equals), one.substr(equals + 1)); !set)
      return std::move(set).error();
  }
  return o;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_bubbles_open(pk_profile* profile, const pk_bubbles_options* options, pk_bubbles** out,
                          pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!profile) return null_argument("profile");
    if (!out) return null_argument("out");
    result<pk_bubbles_options> given =
        read_sized_struct<pk_bubbles_options>(options, "pk_bubbles_options");
    if (!given) return std::move(given).error();
    result<profkit::bubble_options> asked = read_bubble_options(*given);
    if (!asked) return std::move(asked).error();
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    auto bubbles = std::make_unique<pk_bubbles>(profile);
    bubbles->asked = std::move(*asked);
    auto found = profkit::analyse_bubbles(*profile->trace, bubbles->asked, bridge.core());
    if (!found) return std::move(found).error();
    bubbles->report = std::move(*found);
    auto devices = profkit::capture_devices::list(*profile->trace, bridge.core());
    if (!devices) return std::move(devices).error();
    bubbles->devices = std::move(*devices);
    *out = bubbles.release();
    return PK_OK;
  });
}

pk_status pk_bubbles_write(const pk_bubbles* bubbles, pk_write_callback write, void* user, int32_t* status,
                           pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!bubbles) return null_argument("bubbles");
    if (!write) return null_argument("write");
    return write_to_host(write, user, status, [&](profkit::sink& into) {
      return profkit::write_bubbles_document(bubbles->profile.core(), bubbles->asked, bubbles->report, into);
    });
  });
}

pk_status pk_bubbles_table(pk_bubbles* bubbles, int32_t table, const pk_table_options* options, pk_table** out,
                           pk_error** err) noexcept {
  return open_table(options, out, err, [&](const table_request& asked, const profkit::hooks&) -> result<table_parts> {
    if (!bubbles) return null_argument("bubbles");
    if (table != PK_TABLE_STEPS && table != PK_TABLE_GAPS && table != PK_TABLE_CAUSES && table != PK_TABLE_DEVICE_TIME)
      return table_not_here(table, "PK_TABLE_STEPS, PK_TABLE_GAPS, PK_TABLE_CAUSES and PK_TABLE_DEVICE_TIME");
    if (result<void> plain = refuse_filters(asked); !plain) return std::move(plain).error();
    table_parts parts;
    parts.owner = owner_of(bubbles);
    parts.devices = bubbles->devices;
    parts.rows = profkit::rows_of(parts.devices, bubbles->report, static_cast<profkit::table_kind>(table));
    return parts;
  });
}

void pk_bubbles_free(pk_bubbles* bubbles) noexcept { release_handle(bubbles); }

profkit::capi::held_handle<pk_bubbles> profkit::capi::hold(pk_bubbles* bubbles) noexcept {
  return {retain_handle(bubbles), pk_bubbles_free};
}

size_t pk_bubbles_device_count(const pk_bubbles* bubbles) noexcept {
  return bubbles ? bubbles->devices->all().size() : 0;
}

pk_str pk_bubbles_device_name(const pk_bubbles* bubbles, size_t device) noexcept {
  if (device >= pk_bubbles_device_count(bubbles)) return borrowed({});
  return borrowed(bubbles->devices->all()[device].name);
}
