// Element types of HLO arrays: their names and sizes.
#pragma once
#include <profkit/core/number_type.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct element_type {
  std::string_view name;
  std::uint32_t bits;                   // 0: not an array of numbers
  std::optional<number_type> multiplied;  // as what devices multiply it; numbers of 32 bits may be rounded to TF32
};

// xla.PrimitiveType by value (xla_data.proto of openxla/xla).
inline constexpr element_type element_types[] = {
    {"invalid", 0, {}},
    {"pred", 8, {}},
    {"s8", 8, number_type::i8},
    {"s16", 16, {}},
    {"s32", 32, {}},
    {"s64", 64, {}},
    {"u8", 8, number_type::i8},
    {"u16", 16, {}},
    {"u32", 32, {}},
    {"u64", 64, {}},
    {"f16", 16, number_type::f16},
    {"f32", 32, number_type::tf32},
    {"f64", 64, number_type::f64},
    {"tuple", 0, {}},
    {"opaque", 0, {}},
    {"c64", 64, number_type::tf32},
    {"bf16", 16, number_type::bf16},
    {"token", 0, {}},
    {"c128", 128, number_type::f64},
    {"f8e5m2", 8, number_type::f8},
    {"f8e4m3fn", 8, number_type::f8},
    {"s4", 4, number_type::i8},
    {"u4", 4, number_type::i8},
    {"f8e4m3b11fnuz", 8, number_type::f8},
    {"f8e5m2fnuz", 8, number_type::f8},
    {"f8e4m3fnuz", 8, number_type::f8},
    {"s2", 2, {}},
    {"u2", 2, {}},
    {"f8e4m3", 8, number_type::f8},
    {"f8e3m4", 8, number_type::f8},
    {"s1", 1, {}},
    {"u1", 1, {}},
    {"f4e2m1fn", 4, number_type::f4},
    {"f8e8m0fnu", 8, number_type::f8},
};
inline constexpr std::int32_t tuple_element_type = 13;

// Null where newer compilers have types that this list lacks.
[[nodiscard]] constexpr const element_type* find_element_type(std::int32_t type) noexcept {
  return type >= 0 && static_cast<std::size_t>(type) < std::size(element_types) ? &element_types[type] : nullptr;
}
[[nodiscard]] constexpr const element_type* find_element_type_by_name(std::string_view name) noexcept {
  for (const element_type& type : element_types)
    if (type.name == name) return &type;
  return nullptr;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
