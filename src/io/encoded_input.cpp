#include "encoded_input.hpp"

#include <algorithm>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<std::size_t> encoded_input::read(void* into, std::size_t bytes) {
  if (bytes == 0) return std::size_t{0};
  if (position_ < peeked_.size()) {
    const auto at = static_cast<std::size_t>(position_);
    const std::size_t count = std::min(bytes, peeked_.size() - at);
    std::memcpy(into, peeked_.data() + at, count);
    position_ += count;
    return count;
  }
  auto count = fill(into, bytes);
  if (count.ok()) {
    filled_ += *count;
    position_ += *count;
  }
  return count;
}

result<std::string_view> encoded_input::peek(std::size_t bytes) {
  while (peeked_.size() < bytes) {
    const std::size_t had = peeked_.size();
    peeked_.resize(bytes);
    auto count = fill(peeked_.data() + had, bytes - had);
    peeked_.resize(had + (count.ok() ? *count : 0));
    if (!count.ok()) return std::move(count).error();
    filled_ += *count;
    if (*count == 0) break;
  }
  return std::string_view(peeked_).substr(0, bytes);
}

result<void> encoded_input::rewind() {
  if (filled_ != peeked_.size()) {
    if (auto back = seek_to_start(); !back.ok()) return back;
    filled_ = 0;
    peeked_.clear();
  }
  position_ = 0;
  return {};
}

fault shrunk_input(const std::string& name, std::uint64_t size_at_open, std::uint64_t size_now) {
  return fault{fault_code::input_changed,
               "the input had " + std::to_string(size_at_open) + " bytes when it was opened and ends at byte " +
                   std::to_string(size_now) + " now",
               name, no_offset, "wait until the program that writes it has ended, then try again"};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
