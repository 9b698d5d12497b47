#include "profile.hpp"
#include "formats/xspace/line_time.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {


}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

uint32_t pk_line_count(const pk_profile* profile, uint32_t file, uint32_t plane) noexcept {
  const profkit::plane_index* found = find_plane(profile, file, plane);
  return found ? static_cast<std::uint32_t>(found->lines.size()) : 0;
}

pk_status pk_line_get(const pk_profile* profile, uint32_t file, uint32_t plane, uint32_t line, pk_line_info* out,
                      pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::line_index*> found = require_line(profile, file, plane, line);
    if (!found) return std::move(found).error();
    if (!out) return null_argument("out");
    const profkit::line_index& known = **found;
    out->id = known.header.id;
    out->name = borrowed(known.name());
    out->timestamp_ns = known.header.timestamp_ns;
    out->kind = static_cast<std::int32_t>(known.kind);
    if (const auto start_ps = profkit::line_base_ps(*profile->core, file, known)) {
      out->start_ps = *start_ps;
      out->flags |= PK_LINE_HAS_START;
    }
    return PK_OK;
  });
}

pk_status pk_line_summarise(const pk_profile* profile, uint32_t file, uint32_t plane, uint32_t line,
                            pk_line_summary* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::line_index*> found = require_line(profile, file, plane, line);
    if (!found) return std::move(found).error();
    if (!out) return null_argument("out");
    const profkit::line_header whole = profkit::complete_header(**found);
    out->event_count = whole.event_count;
    out->display_id = whole.display_id;
    out->display_name = borrowed(whole.display_name);
    out->duration_ps = whole.duration_ps;
    return PK_OK;
  });
}
