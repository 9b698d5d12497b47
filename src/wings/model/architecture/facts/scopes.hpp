// Calls of modules as PyTorch's profiler records them ("nn.Module: Qwen2MLP_3"), and which call lies in which.
#pragma once
#include <profkit/core/activity.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// What a module does, by words of its class.
enum class module_part : std::uint8_t { none, attention, mlp, experts, state_space };

struct module_call {
  std::int64_t start_ps = 0, end_ps = 0;
  std::uint32_t thread = 0;
  std::uint32_t of_class = 0;                                   // index into module_scopes::classes
  std::int32_t parent = -1;                                     // the call around it; -1: none
  std::uint32_t attentions = 0, state_spaces = 0, experts = 0;  // operators of these kinds in it
};

struct module_class {
  std::string name;  // "Qwen2DecoderLayer"
  module_part part = module_part::none;
  std::uint64_t calls = 0;
};

struct module_scopes {
  std::vector<module_class> classes;
  std::vector<module_call> calls;  // by thread and start, the outer first
  [[nodiscard]] const std::string& class_of(const module_call& c) const { return classes[c.of_class].name; }
};

// "Qwen2MLP" of "nn.Module: Qwen2MLP_3"; "" when it is not a module.
[[nodiscard]] std::string_view class_of_module(std::string_view span) noexcept;
[[nodiscard]] module_part part_of_class(std::string_view name) noexcept;
// Whether a class is named as one that is a block of a model: "BertLayer", "TransformerBlock".
[[nodiscard]] bool is_block_class(std::string_view name) noexcept;

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
