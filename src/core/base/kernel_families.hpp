// What the name of a kernel says about its place in a model. The names are data: kernel_families.inc.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

enum class op_kind : std::uint8_t {
  unknown,
  attention,
  attention_backward,
  mixer,
  fused_experts,
  distributed_experts,
  moe_gating,
  moe_routing,
  grouped_gemm,
  all_to_all,
  point_to_point,
  collective,
  sampling,
  embedding,
  qkv_prep,
  kv_cache,
  norm,
  activation,
  quantisation,
  matmul,
};
inline constexpr std::size_t op_kind_count = 20;

[[nodiscard]] constexpr bool communicates(op_kind k) noexcept {
  return k == op_kind::all_to_all || k == op_kind::point_to_point || k == op_kind::collective;
}

// What a family's name says about the phase it serves.
enum class phase_hint : std::uint8_t { none, prefill, decode };

// A text of the table of families, by number.
struct family_text {
  std::uint16_t number = 0;
  operator std::string_view() const noexcept;
};

struct kernel_family {
  op_kind kind = op_kind::unknown;
  phase_hint hint = phase_hint::none;
  family_text pattern, unless;  // lower case
  family_text family;
};

// The first line whose pattern stands in the text, in any case; nullptr when there is none.
[[nodiscard]] const kernel_family* find_family(std::string_view text);
// Of a kernel or an op that the activity classes as communication.
[[nodiscard]] op_kind communication_kind(std::string_view op_type, std::string_view name);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
