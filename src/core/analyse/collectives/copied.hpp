// What an asynchronous copy moves, by the text of its instruction.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct copied_array {
  std::int64_t bytes = 0;                  // of its numbers, without the padding of tiles
  std::int64_t from_space = 0, to_space = 0;  // memory spaces of XLA: 0 the device's main memory, 5 the host's
};

// Of the start of a copy or of a slice: "%copy-start = (f32[8]{0:S(5)}, f32[8]{0}, u32[]) copy-start(…)". Nothing for other
// instructions, and where the text is cut short or has a type that is not known. Source: HLO text as XLA prints it
// (xla/hlo/ir, xla/shape_util); the order of the parts of a start is that of hlo_instructions.h.
[[nodiscard]] std::optional<copied_array> copied_by(std::string_view hlo_text) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
