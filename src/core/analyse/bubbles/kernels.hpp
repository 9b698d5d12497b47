// Small facts about kernel rows.
#pragma once
#include <profkit/core/bubbles.hpp>
#include <profkit/time.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

[[nodiscard]] inline std::int64_t end_of(const kernel_row& k) noexcept {
  return saturating_add(k.start_ps, k.duration_ps);
}
[[nodiscard]] inline std::int64_t wait_of(const kernel_row& k) noexcept { return k.wait_ps > 0 ? k.wait_ps : 0; }
[[nodiscard]] inline std::int64_t cost_of(const kernel_row& k) noexcept {
  return saturating_add(k.duration_ps, wait_of(k));
}
[[nodiscard]] inline bool has_stream(const kernel_row& k) noexcept { return (k.flags & kernel_has_stream) != 0; }
[[nodiscard]] inline string_id type_of(const kernel_row& k) noexcept { return k.op_type != 0 ? k.op_type : k.name; }
[[nodiscard]] inline bool runs_on_aicpu(const kernel_row& k) noexcept {
  return k.kind == kernel_class::aicpu || (k.flags & kernel_on_aicpu) != 0;
}

// The kernels of one window, in the order of their starts, and for each the index of its op.
struct step_rows {
  std::vector<kernel_row> rows;
  std::vector<std::uint32_t> ops;
  bool overflow = false;  // there were more than are worth holding: none is held

  // A quarter of a gigabyte of a capture goes by before a window has so many.
  static constexpr std::size_t max_rows = std::size_t{1} << 19;
  void add(const kernel_row* more, const std::uint32_t* ops_of_them, std::size_t count) {
    if (overflow) return;
    if (rows.size() + count > max_rows) {
      overflow = true;
      rows = {};
      ops = {};
      return;
    }
    rows.insert(rows.end(), more, more + count);
    ops.insert(ops.end(), ops_of_them, ops_of_them + count);
  }
  void clear() noexcept {
    rows.clear();
    ops.clear();
    overflow = false;
  }
};

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
