#include <analyse/bubbles/causes.hpp>

#include <analyse/bubbles/host_vocabulary.hpp>
#include <analyse/bubbles/ratio.hpp>
#include <base/affix.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

struct verdict {
  gap_cause cause;
  certainty sure = certainty::possible;
};

// A lock shows what the host did, not why it had to: a thread that waits for something often waits in a lock.
bool only_suggests(idle_cause c) noexcept { return c == idle_cause::lock; }

// A call that copies holds the host up when the memory is pageable, which the copy itself says; else it is a wait.
idle_cause copy_or_wait(idle_cause c, const bubble& b, const activity& in) {
  if (c != idle_cause::h2d_pageable) return c;
  return contains(in.text(b.next.name), "Pageable ->") ? c : idle_cause::sync_wait;
}

// The wait before the gap held the host up for drain_ps: so much of what followed would have come earlier without it.
std::int64_t owed_to_drain(const bubble& b) noexcept {
  const host_evidence& h = b.host;
  return h.drain_ps == 0 ? 0 : std::min(b.length_ps(), saturating_add(h.drain_end_ps - b.start_ps, h.drain_ps));
}

// How much of the gap the call took that launched what ends it.
std::int64_t launching_ps(const bubble& b) noexcept {
  if (b.launch_ps() == no_time_ps) return 0;
  return static_cast<std::int64_t>(
      common({b.start_ps, b.end_ps}, {b.launch_ps(), std::max(b.launch_ps(), b.launched_ps())}).length_ps());
}

// Garbage collection holds the lock of the interpreter, and a profiler holds the driver: they count on every thread.
known_activity known_of(const host_evidence& h, const activity& in) {
  known_activity most = h.known;
  if (h.gc_ps > most.covered_ps) most = {idle_cause::gc, 0, h.gc_ps};
  if (h.recording_ps > most.covered_ps) {
    const auto named = std::find_if(h.ops.begin(), h.ops.end(),
                                    [&](const auto& op) { return cause_named(in.text(op.first)) == idle_cause::recording; });
    most = {idle_cause::recording, named == h.ops.end() ? 0 : named->first, h.recording_ps};
  }
  return most;
}

// Whether the launching thread began and ended one thing after the other, rather than stand in one.
bool is_lively(const bubble& b, const bubble_thresholds& t) noexcept {
  return !at_least(b.host.still_ps, b.length_ps(), t.medium_confidence_ppm);
}

// Whether it stood in one call that is on record.
bool stands_in_call(const bubble& b, const bubble_thresholds& t) noexcept {
  return b.host.still_span != 0 && !is_lively(b, t);
}

verdict by_known(const known_activity& known, const bubble& b, const activity& in, launch_reading launch, const bubble_thresholds& t) {
  verdict v{{copy_or_wait(known.cause, b, in), known.span, known.covered_ps}, certainty::possible};
  const bool most = at_least(known.covered_ps, b.length_ps(), t.high_confidence_ppm);
  if (b.launch_thread() == no_thread) return v;  // it may be a thread that the device does not wait for
  const bool suggests = only_suggests(known.cause) || (known.cause == idle_cause::optimizer_loop && !is_lively(b, t));
  if (most && launch == launch_reading::late && !suggests)
    v.sure = certainty::proved;
  else if (at_least(known.covered_ps, b.length_ps(), t.medium_confidence_ppm))
    v.sure = certainty::likely;
  return v;
}

idle_cause issuing(const bubble& b) noexcept {
  return (b.next.flags & kernel_by_graph) != 0 ? idle_cause::graph_launch_late : idle_cause::launch_bound;
}

// By how much of the gap the launching thread, or where that is not known the host, was at work.
verdict by_amount(const bubble& b, launch_reading launch, const bubble_thresholds& t) {
  const bool launcher = b.launch_thread() != no_thread;
  const std::int64_t active_ps = launcher ? b.host.launcher_ps : b.host.leaf_ps;
  const bool late = launcher && launch == launch_reading::late;
  if (launcher && stands_in_call(b, t))
    return {{idle_cause::host_call, b.host.still_span, b.host.still_ps}, late ? certainty::likely : certainty::possible};
  if (at_least(active_ps, b.length_ps(), t.high_confidence_ppm))
    return {{issuing(b), 0, active_ps}, late ? certainty::proved : certainty::possible};
  if (at_least(active_ps, b.length_ps(), t.medium_confidence_ppm))
    return {{issuing(b), 0, active_ps}, late ? certainty::likely : certainty::possible};
  // A few spans here and there show that the thread was traced, and say nothing of the time between them; what other threads
  // recorded shows that the host was.
  if (!at_least(b.host.host_ps, b.length_ps(), t.untraced_coverage_ppm) &&
      (!launcher || at_least(b.host.silent_ps, b.length_ps(), t.high_confidence_ppm)))
    return {{idle_cause::host_untraced, 0, 0},
            !late                                                              ? certainty::possible
            : at_least(b.host.untraced_ps, b.length_ps(), t.high_confidence_ppm) ? certainty::proved
                                                                               : certainty::likely};
  return {{idle_cause::unexplained, 0, active_ps}, certainty::unknown};
}

verdict judge(const bubble& b, const activity& in, const bubble_thresholds& t) {
  const host_evidence& h = b.host;
  if (!h.traced) return {{idle_cause::host_untraced, 0, 0}, certainty::possible};
  const launch_reading launch = read_launch(b, t);
  // Without the thread the end of the call is not known either: it may last into the gap.
  if (launch == launch_reading::early && b.launch_thread() != no_thread) {
    const std::int64_t waited_ps = b.end_ps - std::max(b.launched_ps(), b.start_ps);
    return {{idle_cause::device_dependency, 0, waited_ps},
            waited_ps >= t.reportable_gap_ps && at_least(waited_ps, b.length_ps(), t.high_confidence_ppm) ? certainty::proved
                                                                                                          : certainty::likely};
  }
  const known_activity known = known_of(h, in);
  const std::int64_t drained_ps = owed_to_drain(b), known_ps = known.covered_ps;
  if (at_least(known_ps, b.length_ps(), t.high_confidence_ppm) && known.cause != idle_cause::lock &&
      known.cause != idle_cause::optimizer_loop)
    return by_known(known, b, in, launch, t);
  // A wait is the cause if what the thread does after it is on record and is not a cause of its own.
  if (at_least(drained_ps, b.length_ps(), t.medium_confidence_ppm) && known.cause != idle_cause::recording &&
      at_least(h.launcher_ps, b.length_ps(), t.medium_confidence_ppm)) {
    const bool other = stands_in_call(b, t) ||
                       (known.cause != idle_cause::sync_wait && known.cause != idle_cause::optimizer_loop &&
                        at_least(known_ps, b.length_ps(), t.medium_confidence_ppm));
    const bool most = at_least(drained_ps, b.length_ps(), t.high_confidence_ppm) && launch == launch_reading::late && !other;
    return {{idle_cause::sync_drain, h.drain_span, drained_ps}, most ? certainty::proved : certainty::likely};
  }
  // Short calls in between are not the cause: the rest of what the thread did would be the larger one.
  if (at_least(known_ps, b.length_ps(), t.known_cause_ppm) && known_ps >= h.launcher_ps / 2)
    return by_known(known, b, in, launch, t);
  // So long a launch does something else besides, which is not on record.
  if (at_least(launching_ps(b), b.length_ps(), t.medium_confidence_ppm))
    return stands_in_call(b, t)
               ? verdict{{idle_cause::host_call, h.still_span, h.still_ps}, certainty::likely}
               : verdict{{idle_cause::unexplained, 0, launching_ps(b)}, certainty::unknown};
  if (launch == launch_reading::early) return {{idle_cause::unexplained, 0, 0}, certainty::unknown};
  return by_amount(b, launch, t);
}

}  // namespace

launch_reading read_launch(const bubble& b, const bubble_thresholds& t) noexcept {
  if (b.launch_ps() == no_time_ps) return launch_reading::unknown;
  const std::int64_t before_ps = std::min(std::max(b.launched_ps(), b.start_ps), b.end_ps) - b.start_ps;
  if (at_least(before_ps, b.length_ps(), t.late_launch_ppm)) return launch_reading::late;
  return at_least(before_ps, b.length_ps(), t.early_launch_ppm) ? launch_reading::midway : launch_reading::early;
}

void judge_cause(bubble& of, const activity& in, const bubble_thresholds& t) {
  const verdict v = judge(of, in, t);
  of.cause = v.cause;
  of.sure = of.boundary_adjacent ? std::min(v.sure, certainty::possible) : v.sure;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
