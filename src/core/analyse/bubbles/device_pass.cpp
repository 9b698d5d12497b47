#include <analyse/bubbles/breakdown.hpp>
#include <analyse/bubbles/clocks.hpp>
#include <analyse/bubbles/device_pass.hpp>
#include <trace/windows/keeping.hpp>
#include <analyse/kernel_reach.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::size_t max_top_gaps = 5;
constexpr keeping structures_kept{1U << 16, 1U << 19, 64}, block_sides_kept{1U << 13, 1U << 16, 32};
constexpr std::uint32_t no_step = ~std::uint32_t{0};

std::int64_t number_in(std::string_view text) noexcept {
  std::int64_t number = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : -1;
}

keeping bubbles_kept(const bubble_options& o) noexcept { return {o.max_bubbles, o.max_bubbles, 256}; }

}  // namespace

device_pass::device_pass(const activity& of, std::size_t device, const bubble_options& o, device_windows windows,
                         const std::vector<layer_span>& layers, const std::vector<kernel_row>& unrecorded,
                         const std::vector<collective_wait>& waits)
    : of_(of),
      device_(device),
      on_(of.devices()[device]),
      counts_launches_(has_launches_for(on_)),
      asks_all_(o.only.empty()),
      asked_from_ps_(o.only.from_ps.value_or(open_start)),
      thresholds_(o.thresholds),
      unrecorded_(unrecorded),
      waits_(waits),
      windows_(std::move(windows)),
      ops_(of, device),
      aicpu_(o.thresholds),
      structures_(of, o.thresholds, layers),
      store_(bubbles_kept(o).share(of.devices().size())),
      step_store_(bubbles_kept(o).share(of.devices().size())) {
  found_.gaps.window_source = windows_.source;
  found_.gaps.windows_cut = windows_.cut;
  found_.gaps.steps_not_found = windows_.steps_not_found;
  found_.gaps.steps_left_out = windows_.steps_left_out;
  stream_stamps_.assign(on_.streams.size(), 0);
  found_.facts.reserve(windows_.windows.size());
}

bool device_pass::in_window(std::int64_t at_ps) const noexcept {
  return window_ < windows_.windows.size() && windows_.windows[window_].start_ps <= at_ps;
}

// Whether kernels count among the ops: all, or those of the steps that are asked for.
inline bool device_pass::counts_ops() const noexcept { return asks_all_ || (inside_ && windows_.windows[window_].asked); }

inline void device_pass::note_end(std::uint32_t op, std::int64_t end_ps) noexcept {
  if (end_ps < ended_ps_) return;
  ended_ps_ = end_ps;
  ended_op_ = op;
}

void device_pass::begin(const kernel_row& first) {
  any_ = true;
  last_start_ps_ = first.start_ps;
  sweep_.begin(first.start_ps);
  found_.gaps.first_ps = first.start_ps;
  found_.gaps.last_ps = end_of(first);
  step_window& window = windows_.windows.front();
  if (window.pseudo || window.start_ps == open_start)
    window.start_ps = std::min(std::max(window.start_ps, first.start_ps), window.end_ps);
}

// Where neither the edge of a window nor the end of a kernel of an AI CPU lies on the way.
inline void device_pass::advance_quietly(std::int64_t to_ps) {
  sweep_.advance(to_ps, [&](std::int64_t from, std::int64_t to, unsigned bits) {
    if (bits == 0) {
      if (inside_ || outside_) return;
      outside_ = true;
      outside_from_ps_ = from;
      return;
    }
    count_time(to - from, bits);
    busy_until_ps_ = to;
    add_piece(inside_ ? step_.breakdown : found_.gaps.outside, to - from, bits);
    if (!inside_) return;
    if (bits != unrecorded_bit) step_.busy_ps += to - from;
    step_busy_ = true;
    step_busy_until_ps_ = to;
  });
}

inline void device_pass::count_time(std::int64_t length_ps, unsigned bits) noexcept {
  (bits == unrecorded_bit ? found_.gaps.not_recorded_ps : found_.gaps.busy_ps) += length_ps;
}

inline void device_pass::count_outside(std::size_t kernels, std::int64_t end_ps) noexcept {
  if (window_ == windows_.windows.size())
    found_.gaps.kernels_after_steps += kernels;
  else if (window_ == 0)
    found_.gaps.kernels_before_steps += kernels;
  else
    found_.gaps.kernels_between_steps += kernels;
  reached_ps_ = std::max(reached_ps_, end_ps);
}

inline void device_pass::count_without_launch(const kernel_row& k) noexcept {
  ++found_.gaps.without_launch;
  found_.gaps.without_launch_ps = saturating_add(found_.gaps.without_launch_ps, k.duration_ps);
}

inline void device_pass::count_stream(const kernel_row& k) noexcept {
  if (!has_stream(k) || k.stream >= stream_stamps_.size() || stream_stamps_[k.stream] == window_ + 1) return;
  stream_stamps_[k.stream] = window_ + 1;
  ++step_.streams;
}

// Plain kernels, which most are: one class alone has run since the kernel before, or a gap before them need not be
// reported. Counts the time up to each of the rows as long as they are plain; the first that is not is for add(). Gaps
// come as if at random, so no branch depends on them.
std::size_t device_pass::follow_plain(const kernel_row* rows, std::size_t count, plain_run& run) {
  if (!any_ || !sweep_.is_single() || outside_ || !open_.empty() || (inside_ && !step_busy_) ||
      aicpu_.next_end_ps() != open_end)
    return 0;
  class_sweep::single sweep = sweep_.as_single();
  if (sweep.at == unrecorded_class) return 0;
  const std::int64_t edge = std::min({edge_ps_, next_unrecorded_ps(), farthest_ps}), noted_gap = noted_gap_ps_;
  std::int64_t last_start = last_start_ps_, comm_until = comm_until_ps_, comm_until_now = comm_until_now_ps_;
  std::size_t n = 0;
  for (count = std::min(count, run.gaps.size()); n < count; ++n) {
    const kernel_row& k = rows[n];
    const std::int64_t start = k.start_ps, gap_ps = start - sweep.reached_ps;
    const auto kind = static_cast<std::size_t>(k.kind);
    if (start < last_start || start >= edge || gap_ps >= noted_gap || (kind != sweep.at && gap_ps < 0)) break;
    if (k.duration_ps <= 0 || k.duration_ps > farthest_ps - start || k.wait_ps > 0 || runs_on_aicpu(k) ||
        !k.makes_interval() || (k.details | k.step) != 0)
      break;
    if ((run.ops[n] = ops_.near(k)) == op_table::unknown) break;
    comm_until = start > last_start ? comm_until_now : comm_until;
    last_start = start;
    const std::int64_t end = start + k.duration_ps, until = std::min(start, sweep.reached_ps);
    if (k.kind == kernel_class::comm) comm_until_now = std::max(comm_until_now, end);
    run.gaps[n] = gap_ps;
    run.busy_ps[sweep.at] += until - sweep.now_ps;
    run.busy_until_ps = until > sweep.now_ps ? until : run.busy_until_ps;
    run.latest_end_ps = std::max(run.latest_end_ps, end);
    sweep = {start, std::max(sweep.reached_ps, end), kind};
  }
  if (n == 0) return 0;
  sweep_.set_single(sweep);
  last_start_ps_ = last_start;
  comm_until_ps_ = comm_until;
  comm_until_now_ps_ = comm_until_now;
  return n;
}

// Adds the first rows, as many as are plain; how many they are.
std::size_t device_pass::add_plain(const kernel_row* rows, std::size_t count) {
  plain_run run;
  const std::size_t n = follow_plain(rows, count, run);
  if (n == 0) return 0;
  std::uint64_t gaps = 0;
  std::int64_t gap_sum = 0, largest = 0;
  const bool counts = counts_ops();
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t gap = std::max<std::int64_t>(run.gaps[i], 0);  // too short to list
    gaps += gap > 0 ? 1 : 0;
    gap_sum += gap;
    largest = std::max(largest, gap);
    if (!counts) continue;
    if (ended_op_ != op_table::unknown) ops_.add_short_gap_after(ended_op_, gap);
    ops_.add_plain(run.ops[i], rows[i].duration_ps, gap);
    note_end(run.ops[i], rows[i].start_ps + rows[i].duration_ps);
  }
  if (counts_launches_)
    for (std::size_t i = 0; i < n; ++i)
      if (rows[i].launch_ps == no_time_ps) count_without_launch(rows[i]);
  // What ended last: from a kernel on that started after the end of all before it.
  std::size_t recent = n > max_context ? n - max_context : 0;
  while (recent > 0 && run.gaps[recent] < 0) --recent;
  for (; recent < n; ++recent) recent_.add(rows[recent], rows[recent].start_ps + rows[recent].duration_ps);
  device_gaps& all = found_.gaps;
  all.kernels += n;
  all.last_ps = std::max(all.last_ps, run.latest_end_ps);
  all.gaps += gaps;
  all.largest_ps = std::max(all.largest_ps, largest);
  for (const std::int64_t busy_ps : run.busy_ps) all.busy_ps += busy_ps;
  if (run.busy_until_ps != open_start) busy_until_ps_ = run.busy_until_ps;
  for (std::size_t kind = 0; kind < run.busy_ps.size(); ++kind)
    add_piece(inside_ ? step_.breakdown : all.outside, run.busy_ps[kind], 1U << kind);
  if (!inside_) {
    count_outside(n, run.latest_end_ps);
    return n;
  }
  for (const std::int64_t busy_ps : run.busy_ps) step_.busy_ps += busy_ps;
  if (run.busy_until_ps != open_start) step_busy_until_ps_ = run.busy_until_ps;
  step_.bubble_count += gaps;
  step_.internal_total_ps += gap_sum;
  step_.largest_internal_ps = std::max(step_.largest_internal_ps, largest);
  member_end_ps_ = std::max(member_end_ps_, run.latest_end_ps);
  for (std::size_t i = 0; i < n; ++i) {
    ++step_.kernels[static_cast<std::size_t>(rows[i].kind)];
    step_.duration_sum_ps = saturating_add(step_.duration_sum_ps, rows[i].duration_ps);
    count_stream(rows[i]);
  }
  rows_.add(rows, run.ops.data(), n);
  return n;
}

inline bool device_pass::add(const kernel_row& k) {
  if ((k.flags & kernel_duplicate) != 0) {
    ++found_.gaps.duplicates;
    return true;
  }
  if ((k.flags & kernel_in_flight) != 0) {
    ++found_.gaps.in_flight;
    return true;
  }
  if (!any_) begin(k);
  if (k.start_ps < last_start_ps_) return false;
  if (k.start_ps > last_start_ps_) comm_until_ps_ = comm_until_now_ps_;
  last_start_ps_ = k.start_ps;
  const std::int64_t end = k.start_ps + k.duration_ps;  // both within reach
  ++found_.gaps.kernels;
  found_.gaps.last_ps = std::max(found_.gaps.last_ps, end);
  if (counts_launches_ && k.launch_ps == no_time_ps) count_without_launch(k);
  const bool runs = k.duration_ps > 0, on_aicpu = runs_on_aicpu(k);
  arriving_ = runs ? &k : nullptr;
  // Where kernels of its class run already, no piece of time ends with this one: the time up to it is added later,
  // unless a window ends in between or what passed so far has to be known.
  if (k.start_ps >= edge_ps_ || !sweep_.runs_beyond(k.kind, k.start_ps) || on_aicpu) {
    if (runs && thresholds_.merge_tolerance_ps > 0 && busy_before_ && k.start_ps > sweep_.reached_ps() &&
        k.start_ps - sweep_.reached_ps() <= thresholds_.merge_tolerance_ps)
      sweep_.add(kernel_class::other, k.start_ps);
    const bool quietly = k.start_ps < edge_ps_ && aicpu_.next_end_ps() == open_end && !(inside_ && outside_);
    if (quietly) {
      advance_quietly(k.start_ps);
    } else {
      advance(k.start_ps);
      pass_edges(k.start_ps);
    }
  }
  // The wait before a kernel holds the time of a collective that started before it and reached into the wait.
  const bool polluted = wait_of(k) > 0 && comm_until_ps_ != open_start && comm_until_ps_ > k.start_ps - wait_of(k);
  const std::uint32_t op = counts_ops() ? ops_.add(k, polluted) : op_table::unknown;
  if (runs && (!busy_before_ || sweep_.reached_ps() <= k.start_ps)) begin_busy(k, op);
  if (runs && !open_.empty()) fill_after(k);
  if (on_aicpu && op != op_table::unknown) aicpu_.begin(k, op, inside_ ? static_cast<std::uint32_t>(found_.steps.size()) : no_step);
  if (inside_)
    count_member(k, op, polluted);
  else
    count_outside(1, end);
  if (!runs) return true;
  sweep_.add(k.kind, end);
  note_end(op, end);
  recent_.add(k, end);
  busy_before_ = true;
  if (k.kind == kernel_class::comm) comm_until_now_ps_ = std::max(comm_until_now_ps_, end);
  return true;
}

result<void> device_pass::rows(const kernel_row* rows, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    i += add_plain(rows + i, count - i);
    if (i == count) break;
    const bool reaches = is_within_reach(rows[i]);
    if (!reaches) clipped_ = within_reach(rows[i]);
    add_unrecorded_until(reaches ? rows[i].start_ps : clipped_.start_ps);
    const bool in_order = add(reaches ? rows[i] : clipped_);
    arriving_ = nullptr;
    if (!in_order)
      return fault{fault_code::internal, "the kernels of a device were not in the order of their starts", "", no_offset, ""};
    if (!reaches) recent_.keep_rows();
  }
  recent_.keep_rows();
  return {};
}

// Like kernels these end idle time; they do not count as kernels.
void device_pass::add_unrecorded_until(std::int64_t at_ps) {
  for (; next_unrecorded_ps() <= at_ps && next_unrecorded_ < unrecorded_.size(); ++next_unrecorded_) {
    const kernel_row& k = unrecorded_[next_unrecorded_];
    ++found_.gaps.unrecorded;
    if (k.duration_ps == 0 || !is_within_reach(k)) continue;
    if (!any_) begin(k);
    found_.gaps.last_ps = std::max(found_.gaps.last_ps, end_of(k));
    last_start_ps_ = k.start_ps;
    advance(k.start_ps);
    pass_edges(k.start_ps);
    arriving_ = &k;
    if (!busy_before_ || sweep_.reached_ps() <= k.start_ps) begin_busy(k, op_table::unknown);
    if (!open_.empty()) fill_after(k);
    sweep_.add(unrecorded_class, end_of(k));
    note_end(op_table::unknown, end_of(k));
    last_unrecorded_ps_ = std::max(last_unrecorded_ps_, end_of(k));
    busy_before_ = true;
    arriving_ = nullptr;
  }
}

void device_pass::advance(std::int64_t to_ps) {
  sweep_.advance(
      to_ps, [&] { return aicpu_.next_end_ps(); },
      [&](std::int64_t from, std::int64_t to, unsigned bits) {
        if ((bits & class_bit(kernel_class::compute)) != 0) aicpu_.cover(to - from);
        take_piece(from, to, bits);
        aicpu_.end_until(to, [&](std::uint32_t step, aicpu_verdict verdict, std::int64_t exposed_ps) {
          if (step == no_step) return;
          aicpu_exposure& of_step = step < found_.facts.size() ? found_.facts[step].aicpu : facts_.aicpu;
          if (verdict == aicpu_verdict::exposed) ++of_step.exposed_calls;
          if (verdict == aicpu_verdict::partly_exposed)
            of_step.partly_exposed_ps = saturating_add(of_step.partly_exposed_ps, exposed_ps);
        });
      });
}

// Shares a piece of time out among the windows it lies in.
void device_pass::take_piece(std::int64_t from_ps, std::int64_t to_ps, unsigned bits) {
  if (bits != 0) {
    count_time(to_ps - from_ps, bits);
    busy_until_ps_ = to_ps;
  }
  while (from_ps < to_ps) {
    close_windows(from_ps);
    std::int64_t upto = to_ps;
    if (in_window(from_ps)) {
      if (outside_) end_outside(windows_.windows[window_].start_ps);
      upto = std::min(to_ps, windows_.windows[window_].end_ps);
      if (bits != 0) {
        add_piece(step_.breakdown, upto - from_ps, bits);
        if (bits != unrecorded_bit) step_.busy_ps += upto - from_ps;
        step_busy_ = true;
        step_busy_until_ps_ = upto;
      }
    } else {
      if (window_ < windows_.windows.size()) upto = std::min(to_ps, windows_.windows[window_].start_ps);
      if (bits != 0) add_piece(found_.gaps.outside, upto - from_ps, bits);
      if (bits == 0 && !outside_) {
        outside_ = true;
        outside_from_ps_ = from_ps;
      }
    }
    from_ps = upto;
  }
}

// The device was idle outside of all windows until now.
void device_pass::end_outside(std::int64_t at_ps) {
  outside_ = false;
  open_bubble(bubble_scope::global, outside_from_ps_, at_ps, false);
}

// The device was idle, and this kernel ends that.
void device_pass::begin_busy(const kernel_row& k, std::uint32_t op) {
  if (busy_before_ && k.start_ps > busy_until_ps_) {
    const std::int64_t gap = k.start_ps - busy_until_ps_;
    ++found_.gaps.gaps;
    found_.gaps.largest_ps = std::max(found_.gaps.largest_ps, gap);
    auto& top = found_.gaps.top;
    keep_longest(top, busy_until_ps_, k.start_ps, max_top_gaps);
    if (top.size() == max_top_gaps && thresholds_.merge_tolerance_ps <= 0)
      noted_gap_ps_ = std::min(thresholds_.reportable_gap_ps, top.back().second - top.back().first + 1);
    if (op != op_table::unknown) ops_.add_gap(op, gap);
    if (ended_op_ != op_table::unknown && gap < thresholds_.reportable_gap_ps) ops_.add_short_gap_after(ended_op_, gap);
  }
  if (in_window(k.start_ps)) {
    if (outside_) end_outside(windows_.windows[window_].start_ps);
    begin_step_busy(k);
  } else if (outside_) {
    end_outside(k.start_ps);
  }
}

void device_pass::begin_step_busy(const kernel_row& k) {
  const std::int64_t window_start = windows_.windows[window_].start_ps;
  if (step_busy_) {
    const std::int64_t gap = k.start_ps - step_busy_until_ps_;
    if (gap <= 0) return;
    ++step_.bubble_count;
    step_.internal_total_ps += gap;
    step_.largest_internal_ps = std::max(step_.largest_internal_ps, gap);
    open_bubble(bubble_scope::step_internal, step_busy_until_ps_, k.start_ps, true);
    return;
  }
  step_busy_ = true;
  step_busy_until_ps_ = k.start_ps;
  step_.prelaunch_ps = k.start_ps - window_start;
  // The end of the step before and the beginning of this one are one gap of the device.
  if (step_.prelaunch_ps > 0 && tail_to_ps_ == window_start && tail_from_ps_ < tail_to_ps_) {
    open_bubble(bubble_scope::global, tail_from_ps_, k.start_ps, false, true);
  }
  open_bubble(bubble_scope::prelaunch, window_start, k.start_ps, true);
}

void device_pass::open_bubble(bubble_scope scope, std::int64_t start_ps, std::int64_t end_ps, bool of_step,
                              bool inter_step) {
  const std::int64_t length = end_ps - start_ps;
  if (length <= 0 || length < thresholds_.reportable_gap_ps || (!of_step && !asks_all_)) return;
  if (of_step) {
    ++step_.reportable;
    step_.reportable_ps += length;
  }
  if (!step_store_.has_room_for(length)) return step_store_.leave_out(length, inter_step);
  bubble& b = open_.emplace_back();
  b.inter_step = inter_step;
  b.device = static_cast<std::uint32_t>(device_);
  b.step = of_step ? static_cast<std::int32_t>(found_.steps.size()) : -1;
  b.scope = scope;
  b.start_ps = start_ps;
  b.end_ps = end_ps;
  if (arriving_ != nullptr) b.next = *arriving_;
  recent_.put_before(b);
  b.before_other_step = of_step && b.before_count > 0 && b.before[0].start_ps < windows_.windows[window_].start_ps;
}

// Adds the kernel to every gap that waits for the kernels after it, but not to the idle end of a step.
void device_pass::fill_after(const kernel_row& k) {
  for (std::size_t i = 0; i < open_.size();) {
    bubble& b = open_[i];
    if (b.scope != bubble_scope::tail) b.after[b.after_count++] = k;
    if (b.scope != bubble_scope::tail && b.after_count < max_context) {
      ++i;
      continue;
    }
    step_store_.add(std::move(b));
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void device_pass::count_member(const kernel_row& k, std::uint32_t op, bool polluted) {
  ++step_.kernels[static_cast<std::size_t>(k.kind)];
  if (k.duration_ps == 0) ++step_.zero_length_kernels;
  step_.duration_sum_ps = saturating_add(step_.duration_sum_ps, k.duration_ps);
  step_.wait_sum_ps = saturating_add(step_.wait_sum_ps, wait_of(k));
  if (polluted) step_.polluted_wait_ps = saturating_add(step_.polluted_wait_ps, wait_of(k));
  count_stream(k);
  member_end_ps_ = std::max(member_end_ps_, end_of(k));
  if (k.step != 0 && windows_.windows[window_].number >= 0) {
    if (k.step != step_name_) {
      step_name_ = k.step;
      step_number_ = number_in(of_.text(k.step));
    }
    if (step_number_ >= 0 && step_number_ != windows_.windows[window_].number) ++step_.other_step_id_kernels;
  }
  rows_.add(&k, &op, 1);
}

void device_pass::pass_edges(std::int64_t now_ps) {
  close_windows(now_ps);
  inside_ = in_window(now_ps);
  edge_ps_ = window_ == windows_.windows.size() ? open_end
             : inside_                          ? windows_.windows[window_].end_ps
                                                : windows_.windows[window_].start_ps;
}

void device_pass::close_windows(std::int64_t now_ps) {
  while (window_ < windows_.windows.size() && windows_.windows[window_].end_ps <= now_ps) close_window();
}

std::string device_pass::id_of(const step_window& w) {
  if (w.pseudo) return "capture";
  if (w.number >= 0) return std::to_string(w.number);
  if (w.source == marker_source::step_id) return std::string(of_.text(w.name));
  // Names without a number come again and again: the runs of each are counted.
  return std::string(of_.text(w.name)) + '#' + std::to_string(name_counts_[w.name]++);
}

void device_pass::close_window() {
  const step_window& w = windows_.windows[window_];
  step_.device = static_cast<std::uint32_t>(device_);
  step_.id = id_of(w);
  step_.source = w.source;
  step_.pseudo = w.pseudo;
  step_.start_ps = w.start_ps;
  step_.end_ps = w.end_ps;
  step_.marker_end_ps = w.marker_end_ps;
  step_.tail_known = w.tail_known;
  step_.straddled = reached_ps_ > w.start_ps || member_end_ps_ > w.end_ps;
  reached_ps_ = std::max(reached_ps_, member_end_ps_);
  tail_from_ps_ = tail_to_ps_ = open_start;
  if (!step_busy_) {
    step_.prelaunch_ps = step_.service_ps();
    open_bubble(bubble_scope::prelaunch, w.start_ps, w.end_ps, true);
  } else {
    step_.tail_ps = w.end_ps - step_busy_until_ps_;
    open_bubble(bubble_scope::tail, step_busy_until_ps_, w.end_ps, true);
    tail_from_ps_ = step_busy_until_ps_;
    tail_to_ps_ = w.end_ps;
  }
  step_.breakdown.idle_ps = step_.service_ps() - step_.busy_ps - step_.breakdown.not_recorded_ps;
  if (!w.asked || (w.pseudo && w.start_ps == w.end_ps)) {
    open_.clear();
    static_cast<void>(step_store_.take());
    ++window_;
    return open_step();
  }
  std::vector<step_structure> structures;
  describe_step(structures);
  keep_bubbles(static_cast<std::int32_t>(found_.steps.size()), structures);
  step_.first_structure = static_cast<std::uint32_t>(found_.structures.size());
  const std::uint64_t room = structures_kept.share(of_.devices().size());
  if (found_.structures.size() + structures.size() <= room) {
    step_.structures = static_cast<std::uint32_t>(structures.size());
    for (const step_structure& s : structures) found_.structures.push_back(s);
  } else {
    found_.structures_left_out += structures.size();
    step_.structures_missing = "there are more structures than are kept";
  }
  service_ps_ = saturating_add(service_ps_, step_.service_ps());
  idle_of_steps_ps_ = saturating_add(idle_of_steps_ps_, step_.breakdown.idle_ps);
  found_.steps.push_back(step_);
  found_.facts.push_back(facts_);
  ++window_;
  open_step();
}

void device_pass::open_step() noexcept {
  step_ = {};
  facts_ = {};
  step_busy_ = false;
  member_end_ps_ = open_start;
  rows_.clear();
}

// Everything about the kernels of the step that needs them all at once.
void device_pass::describe_step(std::vector<step_structure>& structures) {
  const auto step = static_cast<std::uint32_t>(found_.steps.size());
  step_structures parts = structures_.find(rows_, ops_.size());
  step_.structure_source = parts.source;
  step_.structures_missing = parts.missing;
  structures = std::move(parts.list);
  for (step_structure& s : structures) s.step = step;
  if (rows_.overflow) ++found_.steps_too_large;
  if (rows_.rows.empty()) return;
  clock_sweep all;
  for (const kernel_row& k : rows_.rows) all.add(k);
  step_.clocks = all.clocks();
  const std::int32_t main = main_stream(rows_, on_);
  facts_.form = templates_.add(rows_, on_, main);
  if (step_.breakdown.comm_exposed_ps > 0) facts_.exposed = split_exposed(rows_, step_.end_ps, waits_);
  if (found_.block_sides.size() + 2 > block_sides_kept.share(of_.devices().size())) {
    found_.block_sides_left_out += 2;
    return;
  }
  for (block_side& half : split_block_side(rows_, on_, main, thresholds_)) {
    half.step = step;
    found_.block_sides.push_back(half);
  }
}

// Settles the bubbles that ended in this window or before it.
void device_pass::keep_bubbles(std::int32_t step, const std::vector<step_structure>& structures) {
  for (bubble& b : open_) step_store_.add(std::move(b));
  open_.clear();
  for (bubble& b : step_store_.take()) {
    b.heavy = b.length_ps() >= thresholds_.heavy_gap_ps &&
              (b.step != step || at_least(b.length_ps(), step_.service_ps(), thresholds_.heavy_share_ppm));
    if (b.step == step && b.scope == bubble_scope::step_internal && b.before_count > 0 && b.after_count > 0) {
      b.structure_before = structure_at(structures, b.before[0].start_ps);
      b.structure_after = structure_at(structures, b.after[0].start_ps);
    }
    for (std::size_t i = 0; i < b.before_count; ++i)
      if (runs_on_aicpu(b.before[i]) && end_of(b.before[i]) >= b.start_ps - thresholds_.aicpu_adjacent_ps)
        aicpu_.note_beside_bubble(ops_.find(b.before[i]));
    for (std::size_t i = 0; i < b.after_count; ++i)
      if (runs_on_aicpu(b.after[i]) && b.after[i].start_ps <= b.end_ps + thresholds_.aicpu_adjacent_ps)
        aicpu_.note_beside_bubble(ops_.find(b.after[i]));
    store_.add(std::move(b));
  }
}

// How long steps last before the first kernel and after the last one.
std::int64_t device_pass::idle_beyond_kernels_ps() const noexcept {
  std::int64_t sum_ps = 0;
  for (const step_window& w : windows_.windows) {
    const std::int64_t first_ps = std::min(found_.gaps.first_ps, w.end_ps), last_ps = std::max(found_.gaps.last_ps, w.start_ps);
    sum_ps = saturating_add(sum_ps, std::max<std::int64_t>(first_ps - w.start_ps, 0));
    sum_ps = saturating_add(sum_ps, std::max<std::int64_t>(w.end_ps - last_ps, 0));
  }
  return sum_ps;
}

device_found device_pass::finish() {
  if (!any_) return std::move(found_);
  add_unrecorded_until(open_end);
  auto& windows = windows_.windows;
  step_window& last = windows.back();
  if (last.pseudo) {
    last.end_ps = std::min(last.end_ps, std::max(found_.gaps.last_ps, last.start_ps));
  } else if (last.end_ps == open_end) {
    const bool has_members = window_ + 1 == windows.size() && member_end_ps_ != open_start;
    last.end_ps = has_members
                      ? std::max({member_end_ps_, last_unrecorded_ps_, last.start_ps})
                      : std::max(last.marker_end_ps == no_time_ps ? last.start_ps : last.marker_end_ps, last.start_ps);
  }
  last.asked = last.asked && (last.pseudo || last.end_ps > asked_from_ps_);  // when an open window ends is known now
  advance(found_.gaps.last_ps);
  while (window_ < windows.size()) close_window();
  if (!last.pseudo) found_.edges = {windows.front().start_ps, last.end_ps, windows.size()};
  found_.gaps.outside.idle_ps = found_.gaps.idle_ps() - (idle_of_steps_ps_ - idle_beyond_kernels_ps());
  if (!asks_all_) found_.gaps.outside = {};
  keep_bubbles(-2, {});
  found_.bubbles = store_.take();
  found_.gaps.bubbles_left_out = store_.left_out() + step_store_.left_out();
  found_.gaps.bubbles_left_out_ps = saturating_add(store_.left_out_ps(), step_store_.left_out_ps());
  found_.aicpu_ops = aicpu_.take(ops_, static_cast<std::uint32_t>(device_));
  found_.ops = ops_.take(service_ps_, thresholds_);
  found_.templates = std::move(templates_.all());
  found_.steps.shrink_to_fit();
  found_.structures.shrink_to_fit();
  found_.block_sides.shrink_to_fit();
  return std::move(found_);
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
