// The bytes as they lie outside (on disk, in memory, or given by a callback), before any decompression.
#pragma once
#include <base/growing_bytes.hpp>
#include <profkit/core/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// One sequential reader. The first bytes can be looked at before they are read, also where going back is
// impossible (pipes), so that compression can be recognised by its magic bytes.
class encoded_input {
 public:
  virtual ~encoded_input() = default;
  encoded_input(const encoded_input&) = delete;
  encoded_input& operator=(const encoded_input&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // The size known when it was opened; no_offset when not known.
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  // All bytes, when they lie in memory.
  [[nodiscard]] virtual std::optional<std::string_view> span() const noexcept { return std::nullopt; }
  virtual void forget(std::string_view /*part_of_span*/) const noexcept {}  // see source::forget()
  // Bytes given out by read() since the start.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

  // Up to `bytes` bytes (at least one, unless this is the end: 0).
  result<std::size_t> read(void* into, std::size_t bytes);
  // The first bytes, without reading them: fewer than `bytes` only when there are no more. Call it before read().
  result<std::string_view> peek(std::size_t bytes);
  result<void> rewind();
  // See source::keep_for_rewind().
  void keep_for_rewind(std::uint64_t max_bytes) noexcept;
  // See source::ask().
  void ask(const hooks* host) noexcept { asked_ = host; }

 protected:
  encoded_input(std::string name, std::uint64_t size_bytes) : name_(std::move(name)), size_bytes_(size_bytes) {}
  // As read(), at the input's own position.
  virtual result<std::size_t> fill(void* into, std::size_t bytes) = 0;
  virtual result<void> seek_to_start() = 0;
  [[nodiscard]] virtual bool is_read_once() const noexcept { return false; }
  [[nodiscard]] const hooks* asked() const noexcept { return asked_; }

 private:
  void keep(const void* from, std::size_t bytes) noexcept;

  enum class keeping : std::uint8_t { no, yes, too_much };

  std::string name_;
  std::uint64_t size_bytes_;
  const hooks* asked_ = nullptr;
  std::uint64_t position_ = 0;
  std::uint64_t filled_ = 0;  // bytes that fill() gave since the start
  std::string peeked_;        // the first of them
  growing_bytes kept_;        // those after them, while keeping_ is yes
  keeping keeping_ = keeping::no;
  std::uint64_t max_kept_ = 0;
};

// The input ended before the size it had when it was opened.
fault shrunk_input(const std::string& name, std::uint64_t size_at_open, std::uint64_t size_now);

using input_result = result<std::unique_ptr<encoded_input>>;
input_result open_file_input(const std::string& path, io_mode mode);
input_result open_buffer_input(std::string_view bytes, std::string label);
input_result open_callback_input(const read_at_callbacks& callbacks, std::string label);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
