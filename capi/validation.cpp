#include <profkit/core/collectives.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "document.hpp"
#include "options.hpp"
#include "profile.hpp"

struct pk_validation {
  profkit::validation_result found;
  std::optional<profkit::alignment_result> aligned;
  std::uint64_t limit = 0;
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

constexpr std::uint32_t known_validation_flags =
    PK_VALIDATION_ALIGN | PK_VALIDATION_HAS_BOUND;

std::int32_t document_status_of(const validation_result& found) noexcept {
  if (!found.damage.empty()) {
    const bool nothing = found.groups.empty() && found.damage.size() == found.traces.size();
    return nothing ? PK_DOCUMENT_STATUS_ERROR : PK_DOCUMENT_STATUS_PARTIAL;
  }
  return found.absent.empty() ? PK_DOCUMENT_STATUS_OK : PK_DOCUMENT_STATUS_ABSENT;
}

pk_clock_interval interval_of(const aligned_node& node) noexcept {
  pk_clock_interval out{};
  const clock_relation& r = node.to_reference;
  out.node_id = node.id;
  out.pivot_ps = r.pivot_ps;
  out.least_offset_ps = r.least_offset_ps;
  out.most_offset_ps = r.most_offset_ps;
  out.point_offset_ps = std::llround(node.offset_ps);
  out.least_drift_ppm = r.least_drift_ppm;
  out.most_drift_ppm = r.most_drift_ppm;
  out.point_drift_ppm = node.drift_ppm;
  out.constraints = r.constraints;
  out.decidable = r.decidable ? 1 : 0;
  out.feasible = node.reached && r.feasible ? 1 : 0;
  return out;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_validation_open(const pk_profile* const* profiles, size_t count, const pk_validation_options* options,
                             pk_validation** out, pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!out) return null_argument("out");
    if (!profiles) return null_argument("profiles");
    result<pk_validation_options> given =
        read_sized_struct<pk_validation_options>(options, "pk_validation_options");
    if (!given) return std::move(given).error();
    if ((given->flags & ~known_validation_flags) != 0) return unknown_flags("pk_validation_options", given->flags);
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    profkit::validation_options asked;
    if ((given->flags & PK_VALIDATION_HAS_BOUND) != 0) asked.bound_ps = given->bound_ps;
    asked.host = bridge.core();
    std::vector<std::shared_ptr<const profkit::trace>> traces;
    for (size_t i = 0; i < count; ++i) traces.push_back(profiles[i] ? profiles[i]->trace : nullptr);
    result<profkit::validation_result> found = profkit::validate_collectives(traces, asked);
    if (!found) return std::move(found).error();
    auto made = std::make_unique<pk_validation>();
    made->found = std::move(*found);
    made->limit = limit_of(given->limit, profkit::default_document_limit);
    if ((given->flags & PK_VALIDATION_ALIGN) != 0) {
      profkit::alignment_options how;
      if (given->max_bound_ps != 0) how.max_bound_ps = given->max_bound_ps;
      if (!made->found.nodes.empty()) how.reference_node = made->found.nodes.front().id;
      made->aligned = profkit::align_by_collectives(made->found, how);
    }
    *out = made.release();
    return PK_OK;
  });
}

pk_status pk_validation_get(const pk_validation* validation, pk_validation_summary* out, pk_error** err) noexcept {
  if (out) *out = pk_validation_summary{};
  return guard(err, [&]() -> result<pk_status> {
    if (!validation) return null_argument("validation");
    if (!out) return null_argument("out");
    const profkit::validation_result& found = validation->found;
    out->status = document_status_of(found);
    out->node_count = static_cast<uint32_t>(found.nodes.size());
    out->group_count = found.groups.size();
    out->violations = found.violations;
    out->violations_raw = found.violations_raw;
    out->pair_violations = found.pair_violations;
    out->overlaps = found.overlaps;
    out->unjudged = found.unjudged;
    out->warnings = found.warnings;
    out->undecidable = validation->aligned ? validation->aligned->undecidable : 0;
    out->clocks_corrected = found.corrected ? 1 : 0;
    out->bounds_known = found.bounds_known ? 1 : 0;
    return PK_OK;
  });
}

pk_status pk_clock_intervals_read(const pk_validation* validation, uint64_t first, pk_clock_interval* intervals,
                                  size_t capacity, size_t* count, pk_error** err) noexcept {
  if (count) *count = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!validation) return null_argument("validation");
    if (!count) return null_argument("count");
    if (!intervals && capacity > 0) return null_argument("intervals");
    const std::size_t there = validation->aligned ? validation->aligned->nodes.size() : 0;
    if (first >= there) return PK_END;
    const std::size_t taken = std::min<std::size_t>(capacity, there - static_cast<std::size_t>(first));
    for (std::size_t i = 0; i < taken; ++i)
      intervals[i] = interval_of(validation->aligned->nodes[static_cast<std::size_t>(first) + i]);
    *count = taken;
    return PK_OK;
  });
}

pk_status pk_validation_write(const pk_validation* validation, pk_write_callback write, void* user, int32_t* status,
                              pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!validation) return null_argument("validation");
    if (!write) return null_argument("write");
    const profkit::alignment_result* const aligned = validation->aligned ? &*validation->aligned : nullptr;
    return write_to_host(write, user, status, [&](profkit::sink& into) {
      return profkit::write_validation(validation->found, aligned, into, validation->limit);
    });
  });
}

pk_status pk_validation_write_csv(const pk_validation* validation, pk_write_callback write, void* user,
                                  pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!validation) return null_argument("validation");
    if (!write) return null_argument("write");
    return write_to_host(write, user, nullptr,
                         [&](profkit::sink& into) { return profkit::write_validation_csv(validation->found, into); });
  });
}

void pk_validation_free(pk_validation* validation) noexcept { delete validation; }
