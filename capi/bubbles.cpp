#include <base/string_table.hpp>
#include <profkit/core/bubbles.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "document.hpp"
#include "handle.hpp"
#include "options.hpp"
#include "profile.hpp"

struct pk_bubbles : profkit::capi::counted {
  explicit pk_bubbles(pk_profile* of) : profile(of) {}
  profkit::capi::profile_reference profile;
  profkit::bubble_options asked;
  profkit::bubbles_report report;
  profkit::string_table texts;  // ids of steps, which are made when a step is asked for
  std::vector<std::uint32_t> step_ids;
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

static_assert(static_cast<std::int32_t>(window_policy::guide) == PK_WINDOW_POLICY_GUIDE);
static_assert(static_cast<std::int32_t>(window_policy::marker) == PK_WINDOW_POLICY_MARKER);
static_assert(static_cast<std::int32_t>(window_policy::device) == PK_WINDOW_POLICY_DEVICE);
static_assert(static_cast<std::int32_t>(bubble_scope::global) == PK_BUBBLE_SCOPE_GLOBAL);
static_assert(static_cast<std::int32_t>(bubble_scope::step_internal) == PK_BUBBLE_SCOPE_STEP_INTERNAL);
static_assert(static_cast<std::int32_t>(bubble_scope::prelaunch) == PK_BUBBLE_SCOPE_PRELAUNCH);
static_assert(static_cast<std::int32_t>(bubble_scope::tail) == PK_BUBBLE_SCOPE_TAIL);
static_assert(static_cast<std::int32_t>(bubble_label::sync_or_h2d) == PK_BUBBLE_LABEL_SYNC_OR_H2D);
static_assert(static_cast<std::int32_t>(bubble_label::insufficient_evidence) == PK_BUBBLE_LABEL_INSUFFICIENT_EVIDENCE);
static_assert(static_cast<std::int32_t>(bubble_tag::device_idle_gap_heavy) == PK_BUBBLE_TAG_DEVICE_IDLE_GAP_HEAVY);
static_assert(static_cast<std::int32_t>(bubble_tag::variable_shape_same_template) ==
              PK_BUBBLE_TAG_VARIABLE_SHAPE_SAME_TEMPLATE);
static_assert(static_cast<std::int32_t>(confidence::low) == PK_CONFIDENCE_LOW);
static_assert(static_cast<std::int32_t>(confidence::high) == PK_CONFIDENCE_HIGH);
static_assert(no_time_ps == PK_NO_TIME_PS);

result<bubble_options> read_bubble_options(const pk_bubbles_options& given) {
  if ((given.flags & ~static_cast<std::uint32_t>(PK_BUBBLES_REFERENCE)) != 0)
    return unknown_flags("pk_bubbles_options", given.flags);
  if (given.reserved != 0) return invalid_argument("pk_bubbles_options::reserved is not 0");
  if (given.window_policy < PK_WINDOW_POLICY_GUIDE || given.window_policy > PK_WINDOW_POLICY_DEVICE)
    return invalid_argument("there is no window policy " + std::to_string(given.window_policy),
                            "use a PK_WINDOW_POLICY_ constant");
  if (given.threshold_count > 0 && !given.thresholds) return null_argument("thresholds");
  bubble_options o;
  o.device = text_of(given.device);
  o.step_pattern = text_of(given.step_pattern);
  o.windows = static_cast<window_policy>(given.window_policy);
  o.limit = given.limit;
  o.reference = (given.flags & PK_BUBBLES_REFERENCE) != 0;
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

pk_bubble row_of(const bubbles_report& r, const bubble& b) {
  pk_bubble row = {};
  row.start_ps = b.start_ps;
  row.end_ps = b.end_ps;
  row.host_ps = b.host.host_ps;
  row.sync_ps = b.host.sync_ps;
  row.comm_ps = b.host.comm_ps;
  row.threads_ps = b.host.threads_ps;
  row.launch_ps = b.launch_ps();
  if (b.before_count > 0) {
    row.before = borrowed(r.of->text(b.before[0].name));
    row.before_row = b.before[0].source_row;
  }
  if (b.after_count > 0) {
    row.after = borrowed(r.of->text(b.after[0].name));
    row.after_row = b.after[0].source_row;
  }
  row.step = b.step;
  row.device = b.device;
  row.scope = static_cast<std::int32_t>(b.scope);
  row.labels = b.labels.bits();
  row.confidence = static_cast<std::int32_t>(b.sure);
  row.flags = (b.heavy ? +PK_BUBBLE_HEAVY : 0u) | (b.boundary_adjacent ? +PK_BUBBLE_AT_EDGE : 0u) |
              (b.inter_step ? +PK_BUBBLE_INTER_STEP : 0u) | (b.host.traced ? +PK_BUBBLE_TRACED : 0u);
  return row;
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
        read_sized_struct<pk_bubbles_options>(options, PK_BUBBLES_OPTIONS_INIT, "pk_bubbles_options");
    if (!given) return std::move(given).error();
    result<profkit::bubble_options> asked = read_bubble_options(*given);
    if (!asked) return std::move(asked).error();
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    auto bubbles = std::make_unique<pk_bubbles>(profile);
    bubbles->asked = std::move(*asked);
    auto found = profkit::analyse_bubbles(profile->core, bubbles->asked, bridge.core());
    if (!found) return std::move(found).error();
    bubbles->report = std::move(*found);
    bubbles->step_ids.reserve(bubbles->report.found.steps.size());
    for (const profkit::bubble_step& s : bubbles->report.found.steps)
      bubbles->step_ids.push_back(bubbles->texts.intern(s.id));
    *out = bubbles.release();
    return PK_OK;
  });
}

size_t pk_bubbles_step_count(const pk_bubbles* bubbles) noexcept {
  return bubbles ? bubbles->report.found.steps.size() : 0;
}

pk_status pk_bubbles_step_get(const pk_bubbles* bubbles, size_t step, pk_bubble_step* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!bubbles) return null_argument("bubbles");
    if (!out) return null_argument("out");
    const auto& steps = bubbles->report.found.steps;
    if (step >= steps.size())
      return invalid_argument(
          "there is no step " + std::to_string(step) + ": the number is " + std::to_string(steps.size()), "");
    const profkit::bubble_step& s = steps[step];
    const profkit::activity& of = *bubbles->report.of;
    out->id = borrowed(bubbles->texts.text(bubbles->step_ids[step]));
    out->device = borrowed(of.text(of.devices()[s.device].name));
    out->start_ps = s.start_ps;
    out->end_ps = s.end_ps;
    out->busy_ps = s.busy_ps;
    out->prelaunch_ps = s.prelaunch_ps;
    out->internal_ps = s.internal_total_ps;
    out->tail_ps = s.tail_ps;
    out->largest_internal_ps = s.largest_internal_ps;
    out->bubble_count = s.bubble_count;
    out->compute_only_ps = s.breakdown.compute_only_ps;
    out->comm_exposed_ps = s.breakdown.comm_exposed_ps;
    out->comm_overlapped_ps = s.breakdown.comm_overlapped_ps;
    out->copy_ps = s.breakdown.copy_ps;
    out->other_ps = s.breakdown.other_ps;
    out->idle_ps = s.breakdown.idle_ps;
    out->tags = s.tags.bits();
    out->position = s.device;
    return PK_OK;
  });
}

pk_status pk_bubbles_read(const pk_bubbles* bubbles, uint64_t first, pk_bubble* rows, size_t capacity, size_t* count,
                          pk_error** err) noexcept {
  if (count) *count = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!bubbles) return null_argument("bubbles");
    if (!rows) return null_argument("rows");
    if (!count) return null_argument("count");
    const auto& all = bubbles->report.found.bubbles;
    if (first >= all.size()) return PK_END;
    const std::size_t from = static_cast<std::size_t>(first), n = std::min(capacity, all.size() - from);
    if (n == 0) return invalid_argument("capacity is 0", "give room for at least one row");
    for (std::size_t i = 0; i < n; ++i) rows[i] = row_of(bubbles->report, all[from + i]);
    *count = n;
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

void pk_bubbles_free(pk_bubbles* bubbles) noexcept { release_handle(bubbles); }

profkit::capi::held_handle<pk_bubbles> profkit::capi::hold(pk_bubbles* bubbles) noexcept {
  return {retain_handle(bubbles), pk_bubbles_free};
}

size_t pk_bubbles_device_count(const pk_bubbles* bubbles) noexcept {
  return bubbles ? bubbles->report.of->devices().size() : 0;
}

pk_str pk_bubbles_device_name(const pk_bubbles* bubbles, size_t device) noexcept {
  if (device >= pk_bubbles_device_count(bubbles)) return borrowed({});
  return borrowed(bubbles->report.of->text(bubbles->report.of->devices()[device].name));
}
