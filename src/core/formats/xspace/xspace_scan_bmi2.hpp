// Entry of the BMI2 walker; see xspace_scan.hpp for when it may be called.
#pragma once
#include <profkit/core/event_row.hpp>

#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::size_t scan_usual_events_bmi2(const char** at, const char* end, event_row* rows, std::size_t capacity) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
