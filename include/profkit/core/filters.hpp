// Which part of a capture to look at, and what is said where an answer is empty.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/trace.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Which part of a capture to look at. Text filters are substrings, case-sensitive; empty matches all.
struct query_filters {
  std::string host, plane, line, name;
  std::optional<std::uint64_t> step;           ///< index into steps() of the event's device, or of the file
  std::optional<std::int64_t> from_ps, to_ps;  ///< half-open window, relative to the capture origin
  std::uint64_t limit = 20;                    ///< rows of a list that a person reads; 0: all
  /// The most that a JSON document takes: lists end early for it, and texts of 300 bytes. What stands around the lists takes
  /// up to 20,000, of the report more: its small form is the brief one. 0: the document's own bound.
  std::uint64_t max_bytes = 0;
  /// Of ops: kernels of one name that come from different places of the program, or work on other shapes, are ops of their own.
  bool split_by_origin = false;
  bool split_by_step = false;  ///< likewise: those of different steps, see op_origin::step
};

// enum events_checked: written by scripts/generate
/// How many events were decoded.
enum class events_checked : std::uint8_t { none, some, all };
[[nodiscard]] const char* events_checked_name(events_checked value) noexcept;  ///< "none", "some", …
// end of enum events_checked

/// What was wrong with the input, carried by every slice: file index and fault; empty when sound.
struct file_damage {
  std::uint32_t file = 0;
  fault what;
};
/// Adds the first damage of a file; what comes after it is left out.
void add_damage(std::vector<file_damage>& all, std::uint32_t file, const fault& what);

/// Whether anything at all could be read: an XSpace with planes, or a sound file of another family. False
/// makes damage an error of the whole; with no file at all it is true.
[[nodiscard]] bool anything_intact(const profile& p) noexcept;

/// The name of a plane by its position, as rows of all slices give it; "" when there is no such plane.
[[nodiscard]] std::string_view plane_name_at(const profile& p, std::uint32_t file, std::int32_t plane) noexcept;

/// Why an answer is empty although nothing is wrong with the question: a filter that nothing matches, a file without
/// content, a capture of another family. "" when it is none of these.
[[nodiscard]] std::string why_nothing(const profile& p, const query_filters& o);

/// Whether each of the filters, but for the step, fits something in the capture. Else the fault (invalid_argument) names
/// what there is. Of a damaged capture nothing is said, for what was asked may have been lost; of a stream that has gone
/// by names and times are not looked at.
result<void> check_filters(const trace& t, const query_filters& o, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
