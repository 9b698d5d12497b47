#include "event_places.hpp"

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

void event_places::add(const event_moment& when, std::uint32_t allocator) {
  if (when.line != line_) finish();
  line_ = when.line;
  const held_event e{when.time, when.offset, allocator};
  in_order_ = in_order_ && (held_.empty() || held_.back() < e);
  held_.push_back(e);
  if (held_.size() == max_held) write(max_held / 2);
}

void event_places::finish() {
  if (!held_.empty()) write(held_.size());
}

// The first `count` in the order of time.
void event_places::write(std::size_t count) {
  if (!in_order_) std::sort(held_.begin(), held_.end());
  in_order_ = true;
  const bool goes_on = !runs_.empty() && runs_.back().line == line_ && last_ < held_.front();
  if (!goes_on) {
    runs_.push_back({line_, packed_.end(), 0});
    last_ = {};
  }
  for (std::size_t i = 0; i < count; ++i) {
    const held_event& e = held_[i];
    const bool back = e.offset < last_.offset;
    const std::uint64_t distance = back ? last_.offset - e.offset : e.offset - last_.offset;
    const bool other = e.allocator != last_.allocator;
    packed_.append(distance << flag_bits | (back ? backwards : 0) | (other ? other_allocator : 0));
    if (other) packed_.append(e.allocator);
    last_ = e;
  }
  runs_.back().events += count;
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
