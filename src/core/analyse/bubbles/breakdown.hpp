// Which part of a step a piece of its time is.
#pragma once
#include <analyse/bubbles/segments.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Compute counts before communication, that before copies, those before the rest, all of it before what is not on record.
inline void add_piece(step_breakdown& into, std::int64_t length_ps, unsigned bits) noexcept {
  const bool computes = (bits & compute_bits) != 0, communicates = (bits & comm_bits) != 0;
  if (bits == 0) {
    into.idle_ps += length_ps;
  } else if (computes && communicates) {
    into.comm_overlapped_ps += length_ps;
  } else if (computes) {
    into.compute_only_ps += length_ps;
  } else if (communicates) {
    into.comm_exposed_ps += length_ps;
  } else if (bits == unrecorded_bit) {
    into.not_recorded_ps += length_ps;
  } else if ((bits & class_bit(kernel_class::copy)) != 0) {
    into.copy_ps += length_ps;
  } else {
    into.other_ps += length_ps;
  }
}

inline std::int64_t computed_ps(const step_breakdown& s) noexcept {
  return saturating_add(s.compute_only_ps, s.comm_overlapped_ps);
}

inline void add_to(step_breakdown& sum, const step_breakdown& more) noexcept {
  for (const auto part : {&step_breakdown::compute_only_ps, &step_breakdown::comm_exposed_ps,
                          &step_breakdown::comm_overlapped_ps, &step_breakdown::copy_ps, &step_breakdown::other_ps,
                          &step_breakdown::idle_ps, &step_breakdown::not_recorded_ps})
    sum.*part = saturating_add(sum.*part, more.*part);
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
