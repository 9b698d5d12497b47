// Which format a file is in, told by its name and its first bytes. The table lives in detect.cpp.
#pragma once
#include <profkit/core/capture.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class detection_confidence { none, possible, likely, certain };

struct detection {
  file_family family = file_family::unknown;
  detection_confidence sure = detection_confidence::none;
  std::string why;   // "name *.xplane.pb", "probe: traceEvents"
  std::string host;  // from the name; empty when it says none
  // An exporter writes files of this name beside the XSpace that they show.
  bool is_export_name = false;
};

// How many decoded bytes the probes want to see. Kineto may put tens of KB of metadata before its events.
inline constexpr std::size_t probe_bytes = std::size_t{64} << 10;

// By the file name alone (no folder in it). `possible` means that only the contents can tell.
[[nodiscard]] detection detect_by_name(std::string_view file_name);

// The first decoded bytes of a source, as many as the probes want; what comes before a fault is enough.
[[nodiscard]] std::string read_head(source& from);

// By the first decoded bytes, probe_bytes of them or all there are.
[[nodiscard]] detection detect_by_content(std::string_view head);

// By both. A telling name is believed unless the contents are certainly something else, so that a damaged file
// still reaches the reader that can say what is wrong with it.
[[nodiscard]] detection detect(std::string_view file_name, std::string_view head);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
