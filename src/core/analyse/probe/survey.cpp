#include <profkit/core/probe.hpp>
#include <profkit/time.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

probe_survey survey_map(const probe_bin_map& map, std::string_view file) noexcept {
  const probe_records records = records_of(map, file);
  probe_survey found;
  found.flags = map.place.flags;
  found.capacity = records.capacity();
  found.lanes = records.present_lanes();
  found.missing_lanes = records.lane_count() - found.lanes;
  if (records.capacity() == 1) {
    records.each_record([&](const probe_record&) noexcept { ++found.records; });
    found.used_lanes = found.full_lanes = found.records;
    return found;
  }
  records.each_lane([&](const probe_lane& lane) noexcept {
    const std::uint64_t used = lane.used();
    found.records += used;
    found.used_lanes += used != 0;
    found.full_lanes += used == records.capacity();
  });
  // The lane of a map whose size was found at run time is full by the way it was found.
  if (found.full_lanes != 0 && found.capacity > 1) found.flags |= probe_possible_overflow;
  return found;
}

probe_totals totals_of(const probe_trace& trace) noexcept {
  probe_totals found;
  found.launches = trace.launches.size();
  found.kernels = trace.kernels.size();
  found.bins = trace.bins.size();
  for (const probe_bin& bin : trace.bins) {
    found.damaged_bins += bin.damage.has_value();
    found.maps += bin.maps.size();
    found.record_bytes = saturating_add(found.record_bytes, bin.bytes);
  }
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
