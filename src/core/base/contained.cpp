#include <base/contained.hpp>

#include <exception>
#include <new>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

fault fault_of_exception() {
  try {
    throw;
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
