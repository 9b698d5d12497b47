#include <analyse/bubbles/labels.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

bubble_labels labels_of(const bubble& b, const bubble_thresholds& t) noexcept {
  bubble_labels labels;
  const host_evidence& h = b.host;
  const std::int64_t length = b.length_ps();
  if (!h.traced) {
    labels.add(bubble_label::untraced_host_blocking);
    return labels;
  }
  if (at_least(h.sync_ps, length, t.sync_overlap_ppm)) labels.add(bubble_label::sync_or_h2d);
  if (at_least(h.comm_ps, length, t.comm_overlap_ppm)) labels.add(bubble_label::comm_wait);
  if (!at_least(h.host_ps, length, t.untraced_coverage_ppm)) labels.add(bubble_label::untraced_host_blocking);
  if (!labels.empty()) return labels;
  if (at_least(h.host_ps, length, t.launch_lag_coverage_ppm))
    labels.add(bubble_label::host_launch_lag);
  else if (h.host_ps > 0 && !at_least(h.threads_ps, h.host_ps, t.serial_parallelism_ppm))
    labels.add(bubble_label::python_serialization_or_lock);
  else
    labels.add(bubble_label::insufficient_evidence);
  return labels;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
