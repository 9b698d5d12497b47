// The threads of a trace, numbered among those of a capture.
#pragma once
#include <formats/activity_parts.hpp>
#include <formats/chrome/chrome_tracks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Numbers come as they are needed.
class thread_numbers {
 public:
  explicit thread_numbers(activity_parts& parts) noexcept : parts_(parts) {}
  // Of a track of the trace.
  std::uint32_t of(std::uint32_t track) {
    if (track >= numbers_.size())
      numbers_.resize(std::max<std::size_t>(track + std::size_t{1}, 2 * numbers_.size()), no_thread);
    if (numbers_[track] == no_thread) numbers_[track] = parts_.add_thread({});
    return numbers_[track];
  }
  // Names them, now that all names are known. A pid stands for a process without a name and separates equal names.
  void name_threads(std::size_t file, const chrome_tracks& tracks);

 private:
  activity_parts& parts_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
