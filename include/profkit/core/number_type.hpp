// Types of numbers that devices multiply.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class number_type : std::uint8_t { f64, f32, tf32, f16, bf16, f8, f4, i8 };
inline constexpr std::size_t number_types = 8;
[[nodiscard]] const char* number_type_name(number_type t) noexcept;  ///< "bf16"
[[nodiscard]] std::optional<number_type> number_type_named(std::string_view name) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
