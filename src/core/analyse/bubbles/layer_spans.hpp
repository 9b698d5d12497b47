// Layers as the host names them: "block_3", "layers.12", "nn.Module: DecoderLayer_0".
#pragma once
#include <base/hash_map.hpp>
#include <profkit/core/bubbles.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
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
// By start, and apart from each other: of nested ones the outermost counts.
using layer_list = std::shared_ptr<const std::vector<layer_span>>;

// The layers of the hosts. The spans of a host are looked through once for all of its devices, and what was found goes
// with the last of them.
class host_layers {
 public:
  explicit host_layers(const activity& of);
  // Of a device, once, from any thread. Empty where no launch leads from its kernels to the host, or it has no layers.
  [[nodiscard]] result<layer_list> take(std::size_t device, const hooks& host);

 private:
  struct group_layers {
    std::once_flag once;
    layer_list found;
    std::optional<fault> why_not;
    std::atomic<std::size_t> waiting{0};  // devices that have not taken theirs
  };
  [[nodiscard]] bool asks(std::size_t device) const noexcept;

  const activity& of_;
  hash_map<std::uint32_t, std::unique_ptr<group_layers>> groups_;
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
