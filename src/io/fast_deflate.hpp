// Deflate (RFC 1951) for text that repeats itself, such as trace JSON: quick rather than small.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// One probe of a hash table a position, the nearest earlier one with the same bytes, and codes made for each block.
// About three times as fast as zlib's level 1 on trace JSON, whose output is about as large. Equal input gives equal
// output. One object a thread; its memory is used again.
class fast_deflate {
 public:
  fast_deflate();

  // Appends `window.substr(from)` as one block that ends at a byte: with `last` as the end of the stream, else so that
  // another block can follow. What stands before `from`, up to 32 KiB, was compressed before.
  // window.size() is less than 2^31.
  void compress(std::string_view window, std::size_t from, bool last, std::string& out);

 private:
  struct match {
    std::uint32_t literals;  // that stand before it
    std::uint16_t length, distance;
  };
  void find_matches(std::string_view window, std::size_t from);

  std::vector<std::uint32_t> last_seen_;  // position + 1 of the bytes with a hash
  std::vector<match> matches_;
  std::size_t literals_behind_ = 0;  // the last match
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
