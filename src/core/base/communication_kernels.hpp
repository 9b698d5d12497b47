// Which kernels communicate, by their names, for every format and command. The names are data: communication_kernels.inc.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class kernel_communication : std::uint8_t { none, collective, all_to_all, point_to_point };

struct communication_family {
  kernel_communication what = kernel_communication::none;
  std::string_view library;  // the kernel's library: "nccl", …; "custom" when its name does not say
};

// What the name of a device kernel says, as a runtime, a compiler or a table of ops writes it. Not of HLO instructions:
// collective_of() in collective_names.hpp knows those.
[[nodiscard]] communication_family communication_of(std::string_view kernel_name) noexcept;
[[nodiscard]] inline bool is_communication(std::string_view kernel_name) noexcept {
  return communication_of(kernel_name).what != kernel_communication::none;
}
// The library that a kernel belongs to; empty when it is not a communication kernel.
[[nodiscard]] inline std::string_view collective_library_of(std::string_view kernel_name) noexcept {
  return communication_of(kernel_name).library;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
