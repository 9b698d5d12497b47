#include <profkit/core/number_type.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

const char* number_type_name(number_type t) noexcept {
  constexpr const char* names[number_types] = {"f64", "f32", "tf32", "f16", "bf16", "f8", "f4", "i8"};
  return static_cast<std::size_t>(t) < number_types ? names[static_cast<std::size_t>(t)] : "";
}
std::optional<number_type> number_type_named(std::string_view name) noexcept {
  for (std::size_t t = 0; t < number_types; ++t)
    if (const auto type = static_cast<number_type>(t); name == number_type_name(type)) return type;
  return std::nullopt;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
