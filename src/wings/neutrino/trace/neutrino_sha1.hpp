// SHA-1, by which the driver names a kernel's folder.
#pragma once
#include <profkit/namespace.hpp>

#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// 40 lower-case digits.
[[nodiscard]] std::string sha1_hex(std::string_view bytes);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
