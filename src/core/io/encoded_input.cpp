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
  if (position_ < filled_) {  // only after a rewind to what was kept
    const auto at = static_cast<std::size_t>(position_ - peeked_.size());
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kept_.used() - at));
    std::memcpy(into, kept_.data() + at, count);
    position_ += count;
    return count;
  }
  auto count = fill(into, bytes);
  if (count.ok()) {
    keep(into, *count);
    filled_ += *count;
    position_ += *count;
  }
  return count;
}

void encoded_input::keep_for_rewind(std::uint64_t max_bytes) noexcept {
  max_kept_ = max_bytes;
  if (max_bytes != 0 && is_read_once() && filled_ == peeked_.size() && keeping_ == keeping::no)
    keeping_ = keeping::yes;
  if (max_bytes != 0) return;
  keeping_ = keeping::no;
  if (position_ == filled_) kept_.clear();  // else it is still to be read again
}

void encoded_input::keep(const void* from, std::size_t bytes) noexcept {
  if (keeping_ != keeping::yes) return;
  if (kept_.used() + bytes <= max_kept_ && kept_.make_room(bytes)) return kept_.append(from, bytes);
  keeping_ = keeping::too_much;
  kept_.clear();
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
  if (filled_ != peeked_.size() && keeping_ == keeping::too_much) {
    return fault{fault_code::limit,
                 "more than max_materialised_bytes (" + std::to_string(max_kept_) +
                     ") would have to be kept of what can be read only once",
                 name_, no_offset, "save it to a file and open that"};
  }
  if (filled_ != peeked_.size() && keeping_ != keeping::yes) {
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
