// Bounds on what hostile or broken input can make the library do, and the hooks a host hands in.
#pragma once
#include <profkit/namespace.hpp>

#include <atomic>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Every bound that can stop a reader. A fault with code `limit` names the field that was hit.
struct limits {
  std::uint64_t max_materialised_bytes = std::uint64_t{8} << 30;  ///< decoded bytes held in memory for one file
  std::uint64_t max_decompression_ratio = 1100;                   ///< decoded / encoded, checked past ratio_free_bytes
  std::uint64_t ratio_free_bytes = std::uint64_t{1} << 30;
  std::uint32_t max_nesting = 100;                           ///< message, JSON and tuple-shape depth
  std::uint64_t max_string_bytes = std::uint64_t{64} << 20;  ///< one JSON string or one text line
  std::uint64_t max_files = 100000;                          ///< files looked at below one directory
};

// enum log_level: written by scripts/generate
/// Levels of pk_hooks::log.
enum class log_level : std::int32_t {
  info = 1, ///< worth knowing
  warning   ///< something is left out
};
// end of enum log_level

/// What a host may hand in. All members are optional; the library itself never prints.
struct hooks {
  void* user = nullptr;
  void (*log)(void* user, log_level level, const char* message) = nullptr;
  /// Called at most every 50 ms; total_bytes is 0 when unknown. Non-zero stops the work with `cancelled`.
  std::int32_t (*progress)(void* user, std::uint64_t done_bytes, std::uint64_t total_bytes) = nullptr;
  const std::atomic<bool>* cancel = nullptr;  ///< true stops the work with `cancelled`; may be set by any thread
  std::uint32_t threads = 1;                  ///< results are identical for any number
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
