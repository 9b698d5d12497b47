// Whether two serialized HloProtos say the same.
#pragma once
#include <profkit/namespace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Equal but for the order in which fields of different numbers, and entries of maps, were written: serializers
// are free in both. Fields of messages that xla does not document here must be equal byte by byte, so the
// answer may be a wrong "no" for a newer writer, never a wrong "yes". Damaged input is equal only to itself.
[[nodiscard]] bool same_hlo_content(std::string_view a, std::string_view b);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
