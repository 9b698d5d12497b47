// The border of the core: nothing thrown inside leaves a public function.
#pragma once
#include <profkit/core/result.hpp>

#include <exception>
#include <new>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Calls `work`, which gives a result<T>, and turns what it throws into a fault.
template <class Work>
auto contained(Work&& work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fault{fault_code::out_of_memory, "out of memory", "", no_offset, ""};
  } catch (const std::exception& e) {
    return fault{fault_code::internal, e.what(), "", no_offset, ""};
  } catch (...) {
    return fault{fault_code::internal, "unknown error", "", no_offset, ""};
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
