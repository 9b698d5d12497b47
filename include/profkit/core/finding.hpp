// What every analysis says in the end: a short summary and findings that carry their evidence.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum certainty: written by scripts/generate
/// How sure a statement is. proved: arithmetic on the capture, or evidence that allows nothing else; what each cause
/// needs is in docs/bubbles.md. likely: most of the evidence points there. possible: it fits, and so may others.
/// unknown: nothing on record says.
enum class certainty : std::uint8_t {
  unknown,  ///< nothing on record says why
  possible, ///< it fits, and so may others
  likely,   ///< most of the evidence points there
  proved    ///< the evidence allows nothing else
};
[[nodiscard]] const char* certainty_name(certainty value) noexcept;  ///< "unknown", "possible", …
// end of enum certainty

/// A place in the capture that a reader can look up: file index, plane and line position in the file
/// (-1 when not applicable), a span relative to the capture origin, a row or byte offset.
struct evidence {
  std::uint32_t file = 0;
  std::int32_t plane = -1;
  std::int32_t line = -1;
  std::int32_t device = -1;  ///< of evidence of idle time, index into the devices of its activity
  std::optional<std::int64_t> start_ps, end_ps;
  std::optional<std::uint64_t> row, byte_offset;
  std::string note;
};

/// One statement about the capture.
struct finding {
  std::string id;  ///< stable across versions: "incomplete.cap_1m"; the next of its kind is "incomplete.cap_1m.2"
  certainty sure = certainty::proved;
  std::optional<std::int64_t> recoverable_ps;     ///< time that could be won back, when the finding is about time
  std::optional<std::int64_t> recoverable_bytes;  ///< memory that could be won back
  std::string what;                               ///< one sentence
  std::string where;                              ///< human-readable place
  std::vector<evidence> proof;
  std::string next;  ///< what to do or look at next
};

/// Gives each finding an id of its own: of those with one id the second gets ".2", and so on. Pure.
void number_findings(std::vector<finding>& all);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
