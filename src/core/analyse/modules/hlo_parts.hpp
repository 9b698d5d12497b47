// What a serialized HloProto holds, and whether it is whole.
#pragma once
#include <profkit/hlo.hpp>

#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct hlo_parts {
  std::string_view module_name;
  std::int64_t module_id = 0;
  std::uint64_t computations = 0, instructions = 0;
  const char* damage = nullptr;  // where the first damaged field starts; null: whole
};
[[nodiscard]] hlo_parts count_hlo_parts(std::string_view blob) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
