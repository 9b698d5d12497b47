#include <analyse/ops/roof.hpp>

#include <algorithm>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Below this share of what is attainable, Nsight Compute calls a kernel bound by neither.
constexpr double least_share_of_bound = 0.6;

double rate_for(const kernel_work& work, const device_peaks& peaks) noexcept {
  const auto of = [&](number_type t) { return peaks.flops_by_type[static_cast<std::size_t>(t)]; };
  const bool by_type = std::any_of(peaks.flops_by_type.begin(), peaks.flops_by_type.end(), [](double rate) { return rate > 0; });
  const std::optional<number_type> type = work.multiplies;
  if (!by_type || !type) return peaks.flops_per_s;
  // Whether a product of 32-bit numbers was allowed to round them is not on record: the faster of the two is the roof.
  if (*type == number_type::tf32) return std::max(of(number_type::tf32), of(number_type::f32));
  return of(*type);
}

}  // namespace

op_roof roof_of(const kernel_work& work, const memory_traffic& traffic, const device_peaks& peaks, std::int64_t self_ps) noexcept {
  if (self_ps <= 0) return {};
  bool all_known = true;
  const auto time_ps = [&](std::int64_t amount, double per_second) {
    if (amount <= 0) return 0.0;
    all_known = all_known && per_second > 0;
    return per_second > 0 ? static_cast<double>(amount) / per_second * 1e12 : 0.0;
  };
  const double compute = time_ps(work.flops, rate_for(work, peaks));
  const double hbm = time_ps(traffic.hbm_bytes, peaks.hbm_bytes_per_s);
  const double vmem = std::max(time_ps(traffic.vmem_read_bytes, peaks.vmem_read_bytes_per_s),
                               time_ps(traffic.vmem_write_bytes, peaks.vmem_write_bytes_per_s));
  const double cmem = std::max(time_ps(traffic.cmem_read_bytes, peaks.cmem_read_bytes_per_s),
                               time_ps(traffic.cmem_write_bytes, peaks.cmem_write_bytes_per_s));
  const double memory = std::max({hbm, vmem, cmem});
  const double attainable = std::max(compute, memory);
  if (!all_known || attainable <= 0) return {};
  op_roof roof;
  roof.attainable_ps = static_cast<std::int64_t>(std::min(attainable, 9.2e18));
  if (attainable < least_share_of_bound * static_cast<double>(self_ps)) {
    roof.neither_ps = self_ps;
  } else if (compute >= memory) {
    roof.compute_bound_ps = self_ps;
  } else {
    roof.memory_bound_ps = self_ps;
    if (vmem > hbm && vmem >= cmem) roof.vmem_bound_ps = self_ps;
    if (cmem > hbm && cmem > vmem) roof.cmem_bound_ps = self_ps;
  }
  return roof;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
