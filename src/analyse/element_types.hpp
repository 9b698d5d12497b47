// Element types of HLO arrays: their names and sizes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct element_type {
  std::string_view name;
  std::uint32_t bits;  // 0: not an array of numbers
};

// xla.PrimitiveType by value (xla_data.proto of openxla/xla).
inline constexpr element_type element_types[] = {
    {"invalid", 0}, {"pred", 8},     {"s8", 8},         {"s16", 16},        {"s32", 32},       {"s64", 64},       {"u8", 8},
    {"u16", 16},    {"u32", 32},     {"u64", 64},       {"f16", 16},        {"f32", 32},       {"f64", 64},       {"tuple", 0},
    {"opaque", 0},  {"c64", 64},     {"bf16", 16},      {"token", 0},       {"c128", 128},     {"f8e5m2", 8},     {"f8e4m3fn", 8},
    {"s4", 4},      {"u4", 4},       {"f8e4m3b11fnuz", 8}, {"f8e5m2fnuz", 8}, {"f8e4m3fnuz", 8}, {"s2", 2},       {"u2", 2},
    {"f8e4m3", 8},  {"f8e3m4", 8},   {"s1", 1},         {"u1", 1},          {"f4e2m1fn", 4},   {"f8e8m0fnu", 8},
};
inline constexpr std::int32_t tuple_element_type = 13;

// Null where newer compilers have types that this list lacks.
[[nodiscard]] constexpr const element_type* find_element_type(std::int32_t type) noexcept {
  return type >= 0 && static_cast<std::size_t>(type) < std::size(element_types) ? &element_types[type] : nullptr;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
