// Which folders and files are Neutrino traces.
#pragma once
#include <profkit/core/discover.hpp>
#include <profkit/namespace.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct found_trace {
  const found_folder* folder = nullptr;
  std::uint64_t bytes = 0;  // of the log and the record files
  std::int64_t newest_ns = 0;
};

// The trace folders, in the order of the folders. O(folders).
[[nodiscard]] std::vector<found_trace> find_probe_traces(const discovery& found);

// Whether the folder lies inside a trace, whose files are not looked at one by one.
[[nodiscard]] bool is_inside_trace(const std::vector<found_trace>& traces, std::string_view folder) noexcept;

// The trace folder that one of its own parts stands for: event.log, probe.toml, result/ and kernel/ are nothing without
// the rest. Nothing when `path` is no such part.
[[nodiscard]] std::optional<std::string> trace_folder_around(const std::string& path, const path_facts& facts);

// A log of the driver on its own: by the name ("copied_event.log") and the first line.
[[nodiscard]] bool is_probe_log(const std::string& path, std::string_view name);

// By the name ("0.012345.bin") or by a header that makes sense. Reads the first bytes at most.
[[nodiscard]] bool is_probe_bin(const std::string& path, std::string_view name, std::uint64_t bytes);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
