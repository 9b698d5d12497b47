// The part of a file's text that the Chrome reader looks at: slides forward, grows for a long event.
#pragma once
#include <profkit/core/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Holds the bytes [offset of at(), …) of a span, where they lie, or of a source. Pointers are good until more().
class text_window {
 public:
  text_window(std::string_view bytes, std::size_t chunk_bytes)
      : text_(bytes.data()), span_bytes_(bytes.size()), chunk_bytes_(chunk_bytes) {}
  text_window(source& from, std::size_t chunk_bytes) : source_(&from), chunk_bytes_(chunk_bytes) {}

  [[nodiscard]] const char* at() const noexcept { return text_ + begin_; }
  [[nodiscard]] const char* end() const noexcept { return text_ + end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }  // in the file, of at()
  [[nodiscard]] std::uint64_t offset_of(const char* p) const noexcept {
    return offset_ + static_cast<std::uint64_t>(p - at());
  }
  [[nodiscard]] const std::optional<fault>& source_fault() const noexcept { return source_fault_; }

  // Moves at() forward.
  void skip_to(const char* p) noexcept {
    const auto bytes = static_cast<std::size_t>(p - at());
    begin_ += bytes;
    offset_ += bytes;
  }

  // Reads at least one more byte, about a chunk or as much as is held. False: there is none.
  bool more();

 private:
  void make_room(std::size_t bytes);
  std::size_t read(char* into, std::size_t bytes);

  const char* text_ = nullptr;  // the span, or the buffer
  std::size_t span_bytes_ = 0;
  source* source_ = nullptr;
  std::size_t chunk_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t offset_ = 0;
  bool end_of_file_ = false;
  std::optional<fault> source_fault_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
