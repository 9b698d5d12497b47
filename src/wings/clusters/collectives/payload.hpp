// How much a call of a collective moves, counted as NCCL's tests count it.
#pragma once
#include <profkit/hlo.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What one member gives and gets.
struct collective_message {
  std::int64_t in_bytes = -1, out_bytes = -1;  // -1: not on record
};

// Of an instruction of the name `collective` ("all-gather"), by its shape: what it gets.
[[nodiscard]] collective_message message_of(const instruction_view& instruction, std::string_view collective);
// The size of an element, by the name that PyTorch gives to its type: "BFloat16"; 0 when the name is not known.
[[nodiscard]] std::int64_t bytes_of_type(std::string_view name) noexcept;

// The size of a call among `members` devices: what each of them has in the end, or had at first. Nothing for collectives that
// have no such size.
[[nodiscard]] std::optional<std::int64_t> payload_of(std::string_view collective, std::int64_t members,
                                                     const collective_message& message) noexcept;

// The share of a call's size that each link carries at least.
struct link_share {
  std::int64_t numerator = 1, denominator = 1;
};
[[nodiscard]] link_share link_share_of(std::string_view collective, std::int64_t members) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
