// What links carry in collectives, and rates.
#include <profkit/core/collectives.hpp>
#include <profkit/time.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::int64_t link_bytes(const collective_op& op, std::int64_t payload_bytes) noexcept {
  const std::int64_t whole = payload_bytes / op.link_denominator, rest = payload_bytes % op.link_denominator;
  return saturating_add(saturating_mul(whole, op.link_numerator), saturating_mul(rest, op.link_numerator) / op.link_denominator);
}

double bytes_per_s(std::int64_t bytes, std::int64_t time_ps) noexcept {
  return static_cast<double>(bytes) * 1e12 / static_cast<double>(time_ps);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
