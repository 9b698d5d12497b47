// What a JSON text is made of, without reading its values: enough to say what it is when it is not a trace. Judges
// syntax, unlike a probe, because text may begin with a bracket as well.
#pragma once
#include <profkit/namespace.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct json_outline {
  bool is_json = false;   // as far as it goes, and it went past the first key or value
  bool is_object = false;  // else an array
  bool is_whole = false;  // its last bracket was met; nothing or another JSON text follows
  std::size_t stopped_at = 0;  // the first byte that is not JSON, when is_json is false
  // Keys of the outer object, the first of them.
  std::array<std::string_view, 64> keys{};
  std::size_t key_count = 0;
  std::string_view schema;  // the value of the outer key "schema" or "$schema", when it is a string
  bool call_frames = false;  // outer key "nodes": its objects have a "callFrame"

  [[nodiscard]] bool has(std::string_view key) const noexcept;
};

[[nodiscard]] json_outline outline_json(std::string_view text) noexcept;

// Kinds of JSON that say what they are. A key of the outer object, or what stands under it, is the sign.
[[nodiscard]] bool is_speedscope(const json_outline& of) noexcept;
[[nodiscard]] bool is_cpu_profile(const json_outline& of) noexcept;
[[nodiscard]] bool is_memory_snapshot(const json_outline& of) noexcept;
[[nodiscard]] bool is_execution_trace(const json_outline& of) noexcept;
[[nodiscard]] bool is_rocprofv3(const json_outline& of) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
