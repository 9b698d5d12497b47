// What the fields of the document `info` are found with.
#pragma once
#include <profkit/core/info.hpp>
#include <profkit/core/probe.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

struct not_read_files {
  std::uint64_t files = 0, missing = 0;  // missing: of the paths
  std::vector<std::string> paths;
};
[[nodiscard]] std::optional<not_read_files> not_read_of(const info_result& info, const profile& p);  // none: every file is read
[[nodiscard]] std::optional<std::int64_t> origin_of(const info_result& info, const profile& p) noexcept;
[[nodiscard]] std::optional<probe_totals> probes_of(const file_info& file, const profile& p);  // none of Neutrino traces alone

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
