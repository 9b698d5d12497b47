// What the fields of the document `info` are found with.
#pragma once
#include <profkit/core/info.hpp>
#include <profkit/core/probe.hpp>

#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

[[nodiscard]] std::optional<std::int64_t> origin_of(const info_result& info, const profile& p) noexcept;
[[nodiscard]] std::optional<probe_totals> probes_of(const file_info& file, const profile& p);  // none of Neutrino traces alone

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
