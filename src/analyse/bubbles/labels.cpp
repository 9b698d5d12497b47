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

launch_reading read_launch(const bubble& b, const bubble_thresholds& t) noexcept {
  const std::int64_t launch = b.launch_ps();
  if (launch == no_time_ps) return launch_reading::unknown;
  if (launch > b.start_ps) return launch_reading::host_late;
  return b.start_ps - launch > t.launch_margin_ps ? launch_reading::device_waited : launch_reading::in_time;
}

confidence confidence_of(const bubble& b, bool recurring, const bubble_thresholds& t) noexcept {
  const host_evidence& h = b.host;
  if (!h.traced || b.boundary_adjacent || b.labels.has(bubble_label::insufficient_evidence)) return confidence::low;
  const launch_reading launch = read_launch(b, t);
  std::int64_t covered = 0;
  if (b.labels.has(bubble_label::sync_or_h2d)) covered = std::max(covered, h.sync_ps);
  if (b.labels.has(bubble_label::comm_wait)) covered = std::max(covered, h.comm_ps);
  if (b.labels.has(bubble_label::host_launch_lag)) {
    // A launch before the gap speaks against the host, whatever it did meanwhile.
    if (launch == launch_reading::device_waited) return confidence::low;
    covered = std::max(covered, h.host_ps);
  }
  // What was not seen is no strong evidence: an absence of events counts at most as much as the middle grade.
  if (b.labels.has(bubble_label::untraced_host_blocking) && covered == 0)
    return recurring ? confidence::medium : confidence::low;
  if (b.labels.has(bubble_label::python_serialization_or_lock)) return recurring ? confidence::medium : confidence::low;
  const bool proven = recurring || launch == launch_reading::host_late;
  if (at_least(covered, b.length_ps(), t.high_confidence_ppm) && proven) return confidence::high;
  if (at_least(covered, b.length_ps(), t.medium_confidence_ppm)) return confidence::medium;
  if (b.scope == bubble_scope::prelaunch && launch == launch_reading::host_late) return confidence::medium;
  return confidence::low;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
