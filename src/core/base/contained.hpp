// The border of the core: nothing thrown inside leaves a public function.
#pragma once
#include <profkit/core/result.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What the exception says that is being handled.
[[nodiscard]] fault fault_of_exception();

// Calls `work`, which gives a result<T>, and turns what it throws into a fault.
template <class Work>
auto contained(Work&& work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return fault_of_exception();
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
