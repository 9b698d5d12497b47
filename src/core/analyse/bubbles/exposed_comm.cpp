#include <analyse/bubbles/exposed_comm.hpp>
#include <analyse/bubbles/segments.hpp>
#include <trace/windows/windows.hpp>

#include <algorithm>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

bool computes(const kernel_row& k) noexcept { return (class_bit(k.kind) & compute_bits) != 0; }

// When the last rank has come to a collective; its start where that is not known.
std::int64_t all_came_ps(const kernel_row& comm, const std::vector<collective_wait>& waits) {
  const auto found = std::lower_bound(waits.begin(), waits.end(), comm.source_row,
                                      [](const collective_wait& w, std::uint64_t row) { return w.source_row < row; });
  return found == waits.end() || found->source_row != comm.source_row
             ? comm.start_ps
             : saturating_add(comm.start_ps, found->waited_ps);
}

// One collective alone, from `start_ps` to `end_ps`; `next`: the compute kernel after it, null for none.
void add_alone(exposed_split& into, std::int64_t start_ps, std::int64_t end_ps, const kernel_row& comm, const kernel_row* next) {
  into.all_ps = saturating_add(into.all_ps, end_ps - start_ps);
  if (next == nullptr || next->launch_ps == no_time_ps) return;
  const std::int64_t launched_ps = std::min(std::max(next->launch_ps, start_ps), end_ps);
  into.not_launched_ps = saturating_add(into.not_launched_ps, launched_ps - start_ps);
  if (!has_stream(comm) || !has_stream(*next)) return;
  std::int64_t& after = comm.stream == next->stream ? into.same_stream_ps : into.queued_ps;
  after = saturating_add(after, end_ps - launched_ps);
}

}  // namespace

void exposed_split::add(const exposed_split& more) noexcept {
  for (const auto part : {&exposed_split::all_ps, &exposed_split::not_launched_ps, &exposed_split::same_stream_ps,
                          &exposed_split::queued_ps, &exposed_split::waiting_ps})
    this->*part = saturating_add(this->*part, more.*part);
}

exposed_split split_exposed(const step_rows& step, std::int64_t end_ps, const std::vector<collective_wait>& waits) {
  exposed_split found;
  // Collectives by their starts and ends: one that lasts within an earlier one is never alone.
  std::vector<const kernel_row*> running;
  std::size_t first = 0;                  // that has not ended
  std::int64_t computed_ps = open_start;  // up to here compute ran, or was looked for
  const auto add_until = [&](std::int64_t to_ps, const kernel_row* next) {
    std::int64_t at_ps = computed_ps;
    for (; first < running.size(); ++first) {
      const kernel_row& c = *running[first];
      const std::int64_t from_ps = std::max(c.start_ps, at_ps), until_ps = std::min(end_of(c), to_ps);
      if (until_ps > from_ps) {
        add_alone(found, from_ps, until_ps, c, next);
        const std::int64_t waited_ps = std::min(all_came_ps(c, waits), until_ps) - from_ps;
        found.waiting_ps = saturating_add(found.waiting_ps, std::max<std::int64_t>(waited_ps, 0));
        at_ps = until_ps;
      }
      if (end_of(c) > to_ps) break;
    }
  };
  for (const kernel_row& k : step.rows) {
    if (k.kind == kernel_class::comm && (running.empty() || end_of(k) > end_of(*running.back()))) running.push_back(&k);
    if (!computes(k) || k.duration_ps <= 0) continue;
    if (k.start_ps > computed_ps) add_until(k.start_ps, &k);
    computed_ps = std::max(computed_ps, end_of(k));
  }
  add_until(end_ps, nullptr);
  return found;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
