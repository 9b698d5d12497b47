// The rules between the numbers, evaluated on every run.
#pragma once
#include <profkit/core/memory.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// H1–H5, R1, R2, R2b, R3, R4 and C1 of a result, in this order.
std::vector<memory_invariant> check_invariants(const memory_result& r);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
