#include "profile.hpp"

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

uint32_t pk_plane_count(const pk_profile* profile, uint32_t file) noexcept {
  const profkit::xspace_index* xspace = find_xspace(profile, file);
  return xspace ? static_cast<std::uint32_t>(xspace->planes.size()) : 0;
}

pk_status pk_plane_get(const pk_profile* profile, uint32_t file, uint32_t plane, pk_plane_info* out,
                       pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::plane_index*> found = require_plane(profile, file, plane);
    if (!found) return std::move(found).error();
    if (!out) return null_argument("out");
    const profkit::plane_index& known = **found;
    out->id = known.id;
    out->name = borrowed(known.name);
    out->kind = static_cast<std::int32_t>(known.kind);
    out->device_ordinal = known.device;
    out->line_count = static_cast<std::uint32_t>(known.lines.size());
    out->stat_count = static_cast<std::uint32_t>(known.stats.size());
    out->event_metadata_count = known.event_metadata_entries.size();
    out->stat_metadata_count = known.stat_metadata_entries.size();
    return PK_OK;
  });
}
