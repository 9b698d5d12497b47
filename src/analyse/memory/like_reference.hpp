// The blocks of the reference tool, from its own choices and sums.
#pragma once
#include "allocator_events.hpp"
#include "program.hpp"

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// Faults: damaged where the reference ends with a traceback, because it takes the pool's index for its position.
result<hlo_report> hlo_like_reference(program& p);

// Why there is no block; "" when `report` is one. `all`: in the reference's order. Faults: cancelled.
result<std::string> runtime_like_reference(const profile& p, std::size_t file, const memory_options& o,
                                           const collected_events& all, const hooks& host, runtime_report& report);

// Fixed decimals of a computed rate, never of a time.
std::string decimals(double value, int digits);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
