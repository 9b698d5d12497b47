// Finds where whole events end in JSON text, many bytes at a time, without parsing them.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class scan_stop : std::uint8_t {
  enough,      // as many bytes of whole elements as asked for
  more,        // the text ended; `at` is the start of the element it cuts, or the end
  array_end,   // `at` is the ']' that closes the array around the elements
  broken,      // `at` is the start of an element that is not well-formed, or of stray text between elements
  too_nested,  // as broken: brackets deeper than max_nesting
};

// Which instructions look at the bytes; the result is the same. One the machine or the build lacks becomes
// the fastest there is.
enum class json_scan_variant : std::uint8_t { fastest, avx2, sse2, bytewise };

struct scan_result {
  const char* good_end;  // past the last whole element; where the scan began when there is none
  const char* at;
  scan_stop why;
};

// Where a scan puts what it finds on its way (json_marks, with places from where it began). When the room is used up
// it stops to tell, at a whole block.
struct scan_marks {
  std::uint32_t* places;
  std::uint32_t* partners;
  std::uint32_t capacity;
  std::uint32_t count = 0;
  bool escapes = false;
};

// Scans elements (objects or arrays) from `from`, which lies between two of them, until whole ones of
// `enough_bytes` are found. Checked: brackets match by type, a bracket opens only where a value may stand,
// and strings have nothing but separators around them, so that a lost quote is seen at once. Not
// checked: scalars and commas.
scan_result scan_elements(const char* from, const char* end, std::size_t enough_bytes, std::uint32_t max_nesting,
                          json_scan_variant variant = json_scan_variant::fastest, scan_marks* marks = nullptr) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
