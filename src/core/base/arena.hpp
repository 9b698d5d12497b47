// Bytes that stay where they are until the arena goes; nothing is freed one by one.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Not thread-safe. Movable: the bytes keep their addresses.
class arena {
 public:
  // A copy of `text` that lives as long as the arena.
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* at = allocate(text.size());
    std::memcpy(at, text.data(), text.size());
    return {at, text.size()};
  }

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

  char* allocate(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(end_ - next_)) {
      // A long string gets a block of its own, so that the rest of the current chunk is not lost.
      if (bytes > chunk_bytes / 4) return new_block(bytes);
      next_ = new_block(chunk_bytes);
      end_ = next_ + chunk_bytes;
    }
    char* at = next_;
    next_ += bytes;
    return at;
  }

  char* new_block(std::size_t bytes) {
    blocks_.emplace_back(new char[bytes]);
    return blocks_.back().get();
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
