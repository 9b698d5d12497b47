// Decompression of one stream, whatever holds its bytes.
#pragma once
#include <profkit/core/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Room for decoded bytes; the decoder moves `at` on.
struct output_room {
  char* at = nullptr;
  std::size_t bytes = 0;
};

class decoder {
 public:
  virtual ~decoder() = default;
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;
  // Takes from the front of `in` and writes to `out` until one of them is used up or the stream is damaged.
  // What was written before a fault is intact. The fault's message says what is wrong, not where.
  virtual result<void> decode(std::string_view& in, output_room& out) = 0;
  // True when the input may end here: after a whole member or frame.
  [[nodiscard]] virtual bool complete() const noexcept = 0;
  virtual void reset() noexcept = 0;

 protected:
  decoder() = default;
};

result<std::unique_ptr<decoder>> make_gzip_decoder();
result<std::unique_ptr<decoder>> make_zstd_decoder();

// What is wrong with a stream whose input ended before complete().
[[nodiscard]] fault cut_stream(compression encoding);
// Whether so many bytes make more than limits::max_decompression_ratio allows.
[[nodiscard]] std::optional<fault> over_ratio(std::uint64_t encoded_bytes, std::uint64_t decoded_bytes, const limits& bounds);

// How many bytes compression_of() wants to see.
inline constexpr std::size_t magic_bytes = 4;
// The compression that the first bytes of a file announce.
[[nodiscard]] compression compression_of(std::string_view first_bytes) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
