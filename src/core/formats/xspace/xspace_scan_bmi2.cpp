// The event walker for processors with a fast PEXT. Compiled with -mbmi2 and called only after a run-time check.
#include <immintrin.h>

#define PROFKIT_SCAN_VARINT(word, mask) _pext_u64((word) & (mask), 0x7f7f7f7f7f7f7f7fU)
#include <formats/xspace/xspace_scan_bmi2.hpp>
#include <formats/xspace/xspace_scan_fast.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::size_t scan_usual_events_bmi2(const char** at, const char* end, event_row* rows, std::size_t capacity) noexcept {
  return scan_usual_events(*at, end, rows, capacity);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
