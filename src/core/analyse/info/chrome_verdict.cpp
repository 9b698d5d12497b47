#include <analyse/info/chrome_verdict.hpp>

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::optional<fault> chrome_verdict::of(const fault* known, const chrome_summary& read) const {
  if (known != nullptr) return *known;
  if (read.damage) return read.damage;
  if (!read.has_events_key) {
    return fault{fault_code::damaged, "the object has no \"traceEvents\"", "", 0,
                 "the file may be some other JSON, or cut by the program that wrote it"};
  }
  if (std::optional<fault> times = damage_of_times(read)) return times;
  if (lacking_ == 0) return std::nullopt;
  return fault{fault_code::damaged,
               std::to_string(lacking_) + (lacking_ == 1 ? " event has" : " events have") + " no usable time or duration",
               "", first_lacking_, "their other fields were read"};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
