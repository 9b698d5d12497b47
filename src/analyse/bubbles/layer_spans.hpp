// Layers as the host names them: "block_3", "layers.12", "nn.Module: DecoderLayer_0".
#pragma once
#include <profkit/core/bubbles.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// The last word ends in block, layer or stage, and a number follows it.
[[nodiscard]] bool names_a_layer(std::string_view name) noexcept;

struct layer_span {
  std::int64_t start_ps = 0, end_ps = 0;
  string_id name = 0;
};
// By start, and apart from each other: of nested ones the outermost counts. Empty where the group has none.
[[nodiscard]] result<std::vector<layer_span>> find_layer_spans(const activity& of, std::uint32_t group,
                                                               const hooks& host);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
