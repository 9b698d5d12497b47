#include <formats/xspace/stat_number.hpp>
#include <formats/xspace/xspace_kernels.hpp>

#include <base/progress.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t kernels_at_once = 256;

std::vector<kernel_row>::iterator at(std::vector<kernel_row>& rows, std::size_t i) {
  return rows.begin() + static_cast<std::ptrdiff_t>(i);
}
result<void> give(kernel_visitor& into, const kernel_row* rows, std::size_t count) {
  return count == 0 ? result<void>() : into.rows(rows, count);
}

}  // namespace

inline void xspace_kernels::fill(kernel_row& k, const spanned_event& e, const line_events& line,
                                 std::uint16_t stream) const {
  k.start_ps = e.start_ps;
  k.duration_ps = e.end_ps - e.start_ps;
  k.wait_ps = k.launch_ps = k.launch_end_ps = no_time_ps;
  k.launch_thread = no_thread;
  k.source_row = line.offset + e.offset;
  k.core = k.step = 0;
  k.details = 0;
  const kernel_name& named = names->find(e.metadata_id);
  k.name = named.name;
  k.op_type = named.op_type;
  const bool in_flight = line.kind == line_kind::async && named.kind != kernel_class::comm;
  k.kind = in_flight ? kernel_class::copy : named.kind;
  if (line.kind == line_kind::stream && (k.kind == kernel_class::compute || k.kind == kernel_class::other) &&
      !collectives.of(e.stats, e.stats_bytes).empty())
    k.kind = kernel_class::comm;
  k.stream = stream;
  k.flags = in_flight ? kernel_has_stream | kernel_in_flight : kernel_has_stream;
  if (__builtin_expect(!cut_durations_ps_.empty(), 0)) {
    if (const auto cut = cut_durations_ps_.find(k.source_row); cut != cut_durations_ps_.end()) {
      k.duration_ps = cut->second;
      k.flags |= kernel_cut;
    }
  }
  if (!correlation_stat || launches == nullptr) return;
  if (const auto id = stat_number(e.stats, e.stats_bytes, *correlation_stat))
    if (const auto at = launches->find(*id); at != launches->end()) {
      k.launch_ps = at->second.start_ps;
      k.launch_end_ps = at->second.end_ps;
      k.launch_thread = at->second.thread;
    }
}

stream_overruns xspace_kernels::cut_too_long() {
  std::vector<kernel_row> rows;
  std::vector<std::uint64_t> launch_ids;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (lines[line].kind != line_kind::stream) continue;
    raw_events events(lines[line]);
    for (spanned_event e; events.next(e);) {
      fill(rows.emplace_back(), e, lines[line], static_cast<std::uint16_t>(line));
      const auto id = correlation_stat ? stat_number(e.stats, e.stats_bytes, *correlation_stat) : std::nullopt;
      launch_ids.push_back(id.value_or(no_launch_id));
    }
  }
  stream_overruns found = cut_overruns(rows, launch_ids, {});
  for (const kernel_row& k : rows)
    if ((k.flags & kernel_cut) != 0) cut_durations_ps_.emplace(k.source_row, k.duration_ps);
  return found;
}

void xspace_kernels::list_correlations(hash_set<std::uint64_t>& into) const {
  if (!correlation_stat) return;
  for (const line_events& line : lines) {
    raw_events events(line);
    for (spanned_event e; events.next(e);)
      if (const auto id = stat_number(e.stats, e.stats_bytes, *correlation_stat)) into.insert(*id);
  }
}

result<void> xspace_kernels::visit(kernel_visitor& into, const hooks& host) const {
  if (lines.size() == 1 && lines[0].max_disorder_ps == 0) return visit_line(into, host);
  progress_meter meter(host);
  std::vector<ordered_events> cursors;
  cursors.reserve(lines.size());
  for (const line_events& line : lines) cursors.emplace_back(line);
  // A heap of the lines by their next event.
  const auto later = [&](std::size_t a, std::size_t b) { return cursors[b].front() < cursors[a].front(); };
  std::vector<std::size_t> heap;
  for (std::size_t i = 0; i < cursors.size(); ++i)
    if (!cursors[i].done()) heap.push_back(i);
  std::make_heap(heap.begin(), heap.end(), later);
  std::array<kernel_row, kernels_at_once> rows;
  std::size_t count = 0;
  std::uint64_t decoded = 0;
  while (!heap.empty()) {
    const std::size_t line = heap.front();
    // While one line is ahead of all others nothing has to be sifted.
    const std::size_t second = heap.size() < 2                                                           ? line
                               : heap.size() == 2 || cursors[heap[1]].front() < cursors[heap[2]].front() ? heap[1]
                                                                                                         : heap[2];
    do {
      fill(rows[count++], cursors[line].front(), lines[line], static_cast<std::uint16_t>(line));
      cursors[line].pop();
      if (count == rows.size()) {
        if (result<void> taken = into.rows(rows.data(), count); !taken) return taken;
        count = 0;
        decoded += rows.size();
        if (result<void> stepped = meter.step(decoded); !stepped) return stepped;
      }
    } while (!cursors[line].done() && (second == line || !(cursors[second].front() < cursors[line].front())));
    std::pop_heap(heap.begin(), heap.end(), later);
    if (cursors[line].done())
      heap.pop_back();
    else
      std::push_heap(heap.begin(), heap.end(), later);
  }
  return count == 0 ? result<void>() : into.rows(rows.data(), count);
}

// The only line, which is in order. Of events that start together the shorter one comes first.
result<void> xspace_kernels::visit_line(kernel_visitor& into, const hooks& host) const {
  progress_meter meter(host);
  const line_events& line = lines[0];
  const auto shorter = [](const kernel_row& a, const kernel_row& b) {
    return a.duration_ps != b.duration_ps ? a.duration_ps < b.duration_ps : a.source_row < b.source_row;
  };
  std::array<event_row, kernels_at_once> events;
  std::vector<kernel_row> rows(kernels_at_once);
  event_rejects rejects;
  event_scanner scan(line.body);
  std::uint64_t offset = 0, decoded = 0;
  std::size_t held = 0;  // rows that start together with what may come
  while (const std::size_t count = scan.next(events.data(), events.size())) {
    if (rows.size() < held + count) rows.resize(2 * rows.size());
    std::size_t filled = held, together = 0;  // where the rows begin that start together with the last one
    bool sorted = held < 2;
    for (std::size_t i = 0; i < count; ++i) {
      spanned_event e;
      e.offset = offset;
      offset = static_cast<std::uint64_t>(events[i].stats + events[i].stats_bytes - line.body.data());
      if (!place_event(events[i], line.base_ps, e.start_ps, e.end_ps, rejects)) continue;
      e.metadata_id = events[i].metadata_id;
      e.stats = events[i].stats;
      e.stats_bytes = events[i].stats_bytes;
      fill(rows[filled], e, line, 0);
      if (filled > 0 && rows[filled - 1].start_ps == e.start_ps) {
        sorted = false;
      } else {
        if (!sorted) std::sort(at(rows, together), at(rows, filled), shorter);
        together = filled;
        sorted = true;
      }
      ++filled;
    }
    if (result<void> taken = give(into, rows.data(), together); !taken) return taken;
    std::copy(at(rows, together), at(rows, filled), rows.begin());
    held = filled - together;
    decoded += count;
    if (result<void> stepped = meter.step(decoded); !stepped) return stepped;
  }
  std::sort(rows.begin(), at(rows, held), shorter);
  return give(into, rows.data(), held);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
