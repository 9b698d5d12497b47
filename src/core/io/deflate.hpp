// Deflate in both directions: by isa-l, or by zlib where isa-l was not found when profkit was built. Nothing else knows
// which of them it is.
#pragma once
#include <profkit/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "decoder.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Reads one gzip member (RFC 1952): header, deflate stream, checksum and length.
class member_inflater {
 public:
  // Faults: out_of_memory.
  static result<std::unique_ptr<member_inflater>> make();
  virtual ~member_inflater() = default;
  member_inflater(const member_inflater&) = delete;
  member_inflater& operator=(const member_inflater&) = delete;

  // Takes from the front of `in` and writes to `out`. True at the end of the member, all taken from `in`;
  // false when there is no more room or input. What was written before a fault is intact. The fault's message is the
  // reason alone. Faults: damaged, out_of_memory.
  virtual result<bool> inflate(std::string_view& in, output_room& out) = 0;
  // What comes next is the start of a member.
  virtual void reset() noexcept = 0;

 protected:
  member_inflater() = default;
};

// Compresses blocks quickly rather than small. One object a thread; its memory is used again.
class block_deflater {
 public:
  static std::unique_ptr<block_deflater> make();
  virtual ~block_deflater() = default;
  block_deflater(const block_deflater&) = delete;
  block_deflater& operator=(const block_deflater&) = delete;

  // Appends `window.substr(from)` to `out` as deflate that ends at a byte: with `last` as the end of the stream, else so
  // that another block can follow. What is before `from`, up to 32 KiB, was compressed before. window.size() is less
  // than 2^31. Faults: out_of_memory.
  virtual result<void> deflate(std::string_view window, std::size_t from, bool last, std::string& out) = 0;

 protected:
  block_deflater() = default;
};

// The checksum of a gzip member goes on over `bytes`; it begins as 0.
[[nodiscard]] std::uint32_t gzip_checksum(std::uint32_t before, std::string_view bytes) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
