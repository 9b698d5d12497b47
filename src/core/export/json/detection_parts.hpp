// What the fields of the document `detection` are found with.
#pragma once
#include <profkit/core/detection.hpp>

#include <optional>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

[[nodiscard]] std::string first_bytes_of(const detection_report& report);
[[nodiscard]] std::optional<file_family> family_of(const detection_report& report) noexcept;

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
