// Which format a file is in, by its name and its first bytes. What formats say of theirs: src/core/formats.
#pragma once
#include <profkit/core/capture.hpp>

#include <formats/known_format.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct detection {
  file_family family = file_family::unknown;
  detection_confidence sure = detection_confidence::none;
  std::string why;   // "name *.xplane.pb", "probe: traceEvents"
  std::string host;  // from the name; empty when it says none
  // An exporter writes files of this name beside the XSpace that they show.
  bool is_export_name = false;
  std::shared_ptr<const format> own;  // of the family `own`
};

// What was recognised as a Neutrino trace, or a file of one, by something that only such traces have.
[[nodiscard]] detection detected_probe_trace(detection_confidence sure, const char* why);

// Formats of a host's own, in the order in which they are asked.
using own_formats = std::vector<std::shared_ptr<const format>>;

// By the file name alone (no folder in it). `possible` means that only the contents can decide.
[[nodiscard]] detection detect_by_name(std::string_view file_name);

// The first decoded bytes, as many as the probes want: probe_bytes, and more of a JSON object (up to
// max_probe_bytes) whose first values are longer, unless the name says what it is. Of a source: what comes before a
// fault is enough.
[[nodiscard]] std::string_view head_of(std::string_view bytes, std::string_view file_name);
[[nodiscard]] std::string read_head(source& from, std::string_view file_name);

// By the first decoded bytes, those of a head or all there are.
[[nodiscard]] detection detect_by_content(std::string_view head);

// By both. A name with a known pattern is believed unless the contents are certainly something else, so that a damaged
// file still reaches the reader that can say what is wrong with it.
[[nodiscard]] detection detect(std::string_view file_name, std::string_view head);
// The same where the host has formats of its own: the first that recognises the head has the file.
[[nodiscard]] detection detect(std::string_view file_name, std::string_view head, const own_formats& own);
// Whether one of them may have a file of this name, so that it is worth a look.
[[nodiscard]] bool may_be_own(std::string_view file_name, const own_formats& own) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
