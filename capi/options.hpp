// Reading what a host hands in: sized structs of any release, hooks, limits.
#pragma once
#include <profkit/profkit.h>
#include <profkit/core/capture.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>

#include "error.hpp"

struct pk_cancel_token {
  std::atomic<bool> cancelled{false};
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// Checks the size a caller gave and what lies past this release's struct.
result<void> check_sized_struct(const void* options, std::size_t known_size, const char* type_name);

// A caller's struct, of an older or a newer release, as this one has it: what it lacks is zero, which is the default.
template <class Options>
result<Options> read_sized_struct(const Options* options, const char* type_name) {
  Options known{};
  if (!options) return known;
  if (result<void> sound = check_sized_struct(options, sizeof known, type_name); !sound)
    return std::move(sound).error();
  std::memcpy(&known, options, std::min<std::size_t>(options->struct_size, sizeof known));
  return known;
}

// A limit of the core, where 0 is none. `standard` is what PK_LIMIT_DEFAULT stands for.
[[nodiscard]] constexpr std::uint64_t limit_of(std::uint64_t given, std::uint64_t standard) noexcept {
  if (given == PK_LIMIT_NONE) return 0;
  return given == PK_LIMIT_DEFAULT ? standard : given;
}

[[nodiscard]] fault unknown_flags(const char* type_name, std::uint32_t flags);

// The core's hooks over the host's. Stays where it is while the core uses it.
class hook_bridge {
 public:
  hook_bridge() = default;
  hook_bridge(const hook_bridge&) = delete;
  hook_bridge& operator=(const hook_bridge&) = delete;

  // Fails at once when the host has cancelled already.
  result<void> take(const pk_hooks* hooks);
  [[nodiscard]] const hooks& core() const noexcept { return core_; }

 private:
  pk_hooks host_ = PK_HOOKS_INIT;
  hooks core_;
};

result<limits> read_limits(const pk_limits* bounds);
result<open_options> read_open_options(const pk_open_options& given, hook_bridge& bridge);

// The filters that a function takes.
enum filter_bit : std::uint32_t { by_host = 1, by_plane = 2, by_line = 4, by_name = 8, by_step = 16, by_time = 32, by_all = 63 };
// `given` may be NULL. One that is set and not in `taken` is an invalid argument. There is no limit then.
result<query_filters> read_filters(const pk_filters* given, std::uint32_t taken);

// NULL and "" are the same to every option.
[[nodiscard]] inline std::string text_of(const char* text) { return text ? text : ""; }

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
