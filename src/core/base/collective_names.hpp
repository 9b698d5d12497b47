// Which operations and kernels move data between devices, by their names.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Which half of an asynchronous operation a name means.
enum class async_role : std::uint8_t { none, start, done };

// "copy-done.2" of "%copy-done.2 = f32[…] copy-done(…)"; a name without '=' is taken up to its first blank.
[[nodiscard]] std::string_view instruction_name(std::string_view event_name) noexcept;
// The role in an instruction's name or category: "all-gather-start.3", "copy-done".
[[nodiscard]] async_role role_of(std::string_view name) noexcept;
// Without number and role: "all-gather" of "all-gather-start.3".
[[nodiscard]] std::string_view operation_of(std::string_view name) noexcept;
// What follows that: ".3" of "all-gather-start.3", ".3.clone" of "all-gather-done.3.clone".
[[nodiscard]] std::string_view operation_number_of(std::string_view name) noexcept;

// The collective that an hlo_category or an instruction name means: "all-reduce", …; empty when it is none.
[[nodiscard]] std::string_view collective_of(std::string_view category_or_name) noexcept;
// With "-start" or "-done" where it is a half: "all-gather-start" of "all-gather-start.3".
[[nodiscard]] std::string_view collective_with_role(std::string_view name) noexcept;
// "vectorized_elementwise_kernel" of "void at::native::vectorized_elementwise_kernel<4, …>(int, …)", "Memcpy HtoD" of
// "Memcpy HtoD (Pageable -> Device)".
[[nodiscard]] std::string_view bare_kernel_name(std::string_view kernel_name) noexcept;
// Small letters and digits alone, up to parameters: "allreduce" of "all_reduce", "AllReduce" and "all-reduce(…)".
[[nodiscard]] std::string squeezed(std::string_view name);
// The collective that the name of a kernel or an operation spells in whatever way: "all-reduce" of
// "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "hcom_allReduce__123" and "_allreduce_base"; empty when it spells none.
[[nodiscard]] std::string_view collective_spelled_in(std::string_view name);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
