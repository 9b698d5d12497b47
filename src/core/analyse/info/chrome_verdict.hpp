// What is wrong with a Chrome trace, in the same words for all that read one event by event.
#pragma once
#include <profkit/core/chrome.hpp>

#include <cstdint>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class chrome_verdict {
 public:
  // Every event of the file.
  void look(const chrome_event& e) noexcept {
    if (e.phase == 'X' && (!e.has_time || !e.dur_ps) && lacking_++ == 0) first_lacking_ = e.byte_offset;
  }
  // The gravest: what is known of the file, what the reader met, times that cannot be used, complete events without a time
  // or a length.
  [[nodiscard]] std::optional<fault> of(const fault* known, const chrome_summary& read) const;

 private:
  std::uint64_t lacking_ = 0, first_lacking_ = no_offset;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
