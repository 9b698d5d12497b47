// The reference tool's correction, in its own doubles and order of operations: for --compat=reference alone.
#pragma once
#include <profkit/core/clock.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class reference_clock {
 public:
  struct knot {
    double x = 0, y = 0;
    std::int64_t exact_x = 0, exact_y = 0;
  };
  reference_clock() = default;
  // Starts that are not known are 0, as there. `correct` is false for --no_correction.
  reference_clock(const node_start& own, const node_start& reference, const snapshot_set& snapshots,
                  const std::vector<offset_row>& offsets, bool correct);

  // Corrected Unix ns.
  [[nodiscard]] double corrected_ns(bool device, std::int64_t offset_ps) const noexcept;
  // The same before correction: on S.
  [[nodiscard]] double local_ns(bool device, std::int64_t offset_ps) const noexcept;
  // And as its own clock stamped it.
  [[nodiscard]] double recorded_ns(bool device, std::int64_t offset_ps) const noexcept {
    return (full_ && device ? gpu_ns_ : wall_ns_) + static_cast<double>(offset_ps) / 1000.0;
  }
  // The output's offset_ps; nothing when it does not fit int64.
  [[nodiscard]] std::optional<std::int64_t> offset_of(double corrected_ns) const noexcept;
  [[nodiscard]] bool is_full() const noexcept { return full_; }

 private:
  double wall_ns_ = 0, gpu_ns_ = 0, zero_ns_ = 0;
  std::vector<knot> snapshots_, offsets_;
  bool whole_knots_ = false;  // of a snapshot file: integers
  bool full_ = false;
};

// What keeps the corrected times of one line from going back.
struct reference_guard {
  double last_ns = -1;
  double operator()(double ns, bool& clamped) noexcept {
    clamped = ns <= last_ns;
    if (clamped) ns = last_ns + 1;
    return last_ns = ns;
  }
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
