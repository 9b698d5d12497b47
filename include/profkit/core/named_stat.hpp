// Stats with their names resolved, and short names of planes and ops.
#pragma once
#include <profkit/xspace.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// A stat with its name resolved. `text` holds str and bytes values, and for ref values the referred name.
///
/// An argument of a trace's event and a cell of a table are stats, too (origin::argument), without a metadata id: an
/// integer of 64 bits is int64 or uint64, a text is str, and anything else JSON knows is `none` with its JSON text,
/// decimal numbers as they are written.
struct named_stat {
  std::string_view name;  ///< "" when the id has no entry
  std::int64_t metadata_id = 0;
  stat_kind kind = stat_kind::none;
  enum class origin : std::uint8_t { event, metadata, plane, argument } from = origin::event;
  std::uint64_t bits = 0;  ///< raw value of double, uint64, int64 and ref
  std::string_view text;
};

/// The name of its kind, and "json" of an argument that is neither an integer nor a text.
[[nodiscard]] const char* stat_kind_name(const named_stat& stat) noexcept;
/// The last stat of that name; nullptr where there is none.
[[nodiscard]] const named_stat* find_named_stat(const std::vector<named_stat>& stats, std::string_view name) noexcept;
/// The number of a stat of any numeric kind, else 0, as of nullptr: for rates and sizes, never for times.
[[nodiscard]] double stat_number_of(const named_stat* stat) noexcept;
/// The value as a person reads it: the number, the text, "<1.0 KiB>" for bytes, "(none)".
[[nodiscard]] std::string stat_text_of(const named_stat& stat);

/// "/device:TPU:0" as "TPU:0", other names of planes as they are; "(no name)" for none.
[[nodiscard]] std::string_view short_plane_name(std::string_view name) noexcept;
/// The short name of an op: the display name, else the left side of an HLO text ("%fusion.3 = f32[8] fusion(...)" gives
/// "fusion.3"), else the name without the "void " of a kernel; "(no name)" for none.
[[nodiscard]] std::string_view short_op_name(std::string_view name, std::string_view display_name) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
