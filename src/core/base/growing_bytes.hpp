// Bytes that grow in place: realloc() moves the pages of a large block instead of copying them, and, unlike a
// vector, leaves new memory untouched until something is written to it.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class growing_bytes {
 public:
  growing_bytes() noexcept = default;
  growing_bytes(const growing_bytes&) = delete;
  growing_bytes& operator=(const growing_bytes&) = delete;
  growing_bytes(growing_bytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        used_(std::exchange(other.used_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  growing_bytes& operator=(growing_bytes&&) = delete;
  ~growing_bytes() { std::free(data_); }
  void clear() noexcept {
    std::free(std::exchange(data_, nullptr));
    used_ = capacity_ = 0;
  }

  // False when there is no memory; nothing is lost then.
  [[nodiscard]] bool resize_capacity(std::uint64_t bytes) noexcept {
    if (bytes > SIZE_MAX / 2) return false;
    void* moved = std::realloc(data_, std::max<std::size_t>(static_cast<std::size_t>(bytes), 1));
    if (moved == nullptr) return false;
    data_ = static_cast<char*>(moved);
    capacity_ = bytes;
    return true;
  }
  // Half as much again as there was, and at least room for `bytes` more.
  [[nodiscard]] bool make_room(std::uint64_t bytes) noexcept {
    return bytes <= room() || resize_capacity(std::max(used_ + bytes, capacity_ + capacity_ / 2));
  }
  // There must be room.
  void append(const void* from, std::size_t bytes) noexcept {
    if (bytes != 0) std::memcpy(end(), from, bytes);
    add(bytes);
  }
  void drop_front(std::size_t bytes) noexcept {
    if (bytes == 0) return;
    std::memmove(data_, data_ + bytes, static_cast<std::size_t>(used_) - bytes);
    used_ -= bytes;
  }
  [[nodiscard]] char* data() noexcept { return data_; }
  [[nodiscard]] char* end() noexcept { return data_ + used_; }
  void add(std::size_t bytes) noexcept { used_ += bytes; }
  [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
  [[nodiscard]] std::uint64_t room() const noexcept { return capacity_ - used_; }
  [[nodiscard]] std::string_view view() const noexcept { return {data_, static_cast<std::size_t>(used_)}; }

  // Gives the bytes away; they stay at view() of before while the owner lives.
  [[nodiscard]] std::shared_ptr<const void> share() {
    char* const data = std::exchange(data_, nullptr);  // the pointer frees it also when it cannot be made
    used_ = capacity_ = 0;
    return {data, [](const void* p) { std::free(const_cast<void*>(p)); }};
  }

 private:
  char* data_ = nullptr;
  std::uint64_t used_ = 0;
  std::uint64_t capacity_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
