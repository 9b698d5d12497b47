// Bytes that grow without ever being moved: for output whose size must be known before it is written.
#pragma once
#include <profkit/core/sink.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class chunked_bytes {
 public:
  void append(std::string_view bytes) {
    size_ += bytes.size();
    if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < bytes.size()) {
      chunks_.emplace_back();
      chunks_.back().reserve(std::max(bytes.size(), chunk_bytes(chunks_.size())));
    }
    chunks_.back().append(bytes);
  }
  // Takes over the bytes of another one and appends them.
  void append(chunked_bytes&& other) {
    size_ += other.size_;
    for (std::string& chunk : other.chunks_) chunks_.push_back(std::move(chunk));
    other.clear();
  }
  void clear() noexcept {
    chunks_.clear();
    size_ = 0;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  result<void> write_to(sink& into) const {
    for (const std::string& chunk : chunks_)
      if (result<void> written = into.write(chunk); !written) return written;
    return {};
  }

 private:
  // Small at first: a capture may have thousands of short lines.
  static std::size_t chunk_bytes(std::size_t chunks) noexcept {
    return std::size_t{256} << std::min<std::size_t>(2 * chunks, 12);
  }
  std::vector<std::string> chunks_;
  std::uint64_t size_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
