// Any text as a table of kernels, as a trace, or as what lies beside them, and any XSpace: the activity keeps its
// promises, and the bubbles found in an XSpace fill its steps.
#include <profkit/core/activity.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/interval.hpp>
#include <profkit/time.hpp>

#include <formats/activity_parts.hpp>
#include <formats/ascend/ascend_rank.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

struct kernel_checker final : kernel_visitor {
  kernel_checker(const activity& a, const activity_device& d) : all(a), device(d) {}
  result<void> rows(const kernel_row* first, std::size_t count) override {
    for (const kernel_row* r = first; r != first + count; ++r) {
      require(r->duration_ps >= 0 && r->start_ps <= std::numeric_limits<std::int64_t>::max() - r->duration_ps);
      require(seen == 0 || r->start_ps >= last_start);
      require((r->flags & kernel_has_stream) == 0 || r->stream < device.streams.size());
      require(r->details <= device.details.size());
      require(r->origin <= all.origins().size());
      require(r->wait_ps == no_time_ps || r->wait_ps >= 0);
      length += all.text(r->name).size() + all.text(r->op_type).size();
      last_start = r->start_ps;
      ++seen;
    }
    return {};
  }
  const activity& all;
  const activity_device& device;
  std::int64_t last_start = 0;
  std::uint64_t seen = 0;
  std::size_t length = 0;
};

struct span_checker final : host_span_visitor {
  result<void> spans(const host_span* first, std::size_t count) override {
    for (const host_span* s = first; s != first + count; ++s) {
      require(s->duration_ps >= 0);
      require(s->start_ps < to_ps && (s->start_ps + s->duration_ps > from_ps || s->start_ps >= from_ps));
      ++seen;
    }
    return {};
  }
  std::int64_t from_ps = 0, to_ps = 0;
  std::uint64_t seen = 0;
};

std::uint64_t spans_in(const activity& a, std::uint32_t group, std::int64_t from, std::int64_t to) {
  span_checker checker;
  checker.from_ps = from;
  checker.to_ps = to;
  require(a.visit_host_spans(group, from, to, checker).ok());
  return checker.seen;
}

void check(const activity& a) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < a.devices().size(); ++i) {
    kernel_checker checker(a, a.devices()[i]);
    require(a.visit_kernels(i, checker).ok());
    require(checker.seen == a.devices()[i].kernels);
    const std::uint32_t group = a.devices()[i].host_group;
    const std::uint64_t all = spans_in(a, group, least, most);
    require(spans_in(a, group, checker.last_start, most) <= all);
  }
  for (const step_marker& m : a.markers()) {
    require(m.start_ps <= m.end_ps);
    require(m.device < static_cast<std::int32_t>(a.devices().size()));
  }
  for (const activity_input& in : a.inputs()) {
    require(in.rejected <= in.rows || in.variant.empty());
    std::uint64_t rejected = 0;
    for (const auto& [reason, count] : in.reject_reasons) rejected += count;
    require(rejected == in.rejected);
  }
}

struct span_sums final : host_span_visitor {
  result<void> spans(const host_span* first, std::size_t count) override {
    for (const host_span* s = first; s != first + count; ++s) add(*s);
    return {};
  }
  void add(const host_span& s) {
    const interval span{s.start_ps, saturating_add(s.start_ps, s.duration_ps)};
    kinds |= 1U << static_cast<unsigned>(s.kind);
    for (const interval& w : windows)
      if (!common(w, span).empty()) {
        ++touching;
        rows += s.source_row;
        return;
      }
  }
  std::vector<interval> windows;
  std::uint64_t touching = 0, rows = 0;
  std::uint32_t kinds = 0;
};

// Asked for by windows, the spans of a group are those that touch one of them.
void check_windows(const activity& a, const bubbles_result& found) {
  for (const activity_device& d : a.devices()) {
    span_sums all, asked;
    for (const bubble& b : found.bubbles)
      if (a.devices()[b.device].host_group == d.host_group) all.windows.push_back({b.start_ps, b.end_ps});
    normalise(all.windows);
    if (all.windows.empty() || all.windows.size() > 100) continue;
    asked.windows = all.windows;
    require(a.visit_host_spans(d.host_group, all.windows.front().start_ps, all.windows.back().end_ps, all).ok());
    const auto kinds = a.visit_host_spans_in(d.host_group, all.windows, asked);
    require(kinds.ok() && *kinds == all.kinds);
    require(asked.touching == all.touching && asked.rows == all.rows);
  }
}

void check_bubbles(const activity& a) {
  const auto found = find_bubbles(a);
  require(found.ok());
  for (const bubble_step& s : found->steps) {
    require(s.busy_ps + s.prelaunch_ps + s.internal_total_ps + s.tail_ps == s.service_ps());
    require(s.breakdown.sum_ps() == s.service_ps());
  }
  for (const bubble& b : found->bubbles) {
    const host_evidence& h = b.host;
    for (const std::int64_t covered : {h.host_ps, h.leaf_ps, h.sync_ps, h.comm_ps, h.gc_ps})
      require(covered >= 0 && covered <= b.length_ps());
    require(h.leaf_ps <= h.host_ps);
    require(h.ops.size() <= 10);
    for (const auto& [name, overlap_ps] : h.ops) require(overlap_ps > 0 && overlap_ps <= b.length_ps());
  }
  check_windows(a, *found);
}

void check_beside(unsigned which, std::string_view text) {
  activity_input input;
  ascend_settings settings;
  if (which == 0) {
    read_ascend_info(text, settings, input);
  } else if (which == 1) {
    read_ascend_metadata(text, settings, input);
  } else if (which == 2) {
    count_ascend_rows(text, "table", input);
  } else {
    const activity_options options;
    const hooks host;
    activity_parts parts(nullptr, options, host, *step_names::make(""));
    if (which == 3) {
      read_ascend_communication(text, 1000, -5, 0, parts, input);
    } else {
      read_ascend_step_trace(text, {{0, 0}, {7, 1}}, parts, input);
    }
    for (const communication_row& row : parts.communication) require(row.elapsed_ps >= 0);
  }
}

}  // namespace

// Ops of a table of totals: rows, in every order, with what they say.
void check_totals(const profile& p) {
  auto found = analyse_ops(trace(p));
  require(found.ok());
  for (ops_line& line : found->lines) {
    std::int64_t self_ps = 0;
    for (const ops_order order : {ops_order::total, ops_order::self, ops_order::count}) {
      line.ops.sort_by(order);
      for (const op_row op : line.ops) {
        require(op.count > 0 && op.total_ps >= 0 && op.self_ps >= 0);
        static_cast<void>(op_stats(p, line, op));
        if (order == ops_order::total) self_ps = saturating_add(self_ps, op.self_ps);
      }
    }
    require(self_ps == line.busy_ps);
  }
}

// The first byte chooses what the rest is taken for; from 128 on it is an XSpace, from 192 on totals of ops.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t bytes = size - 1;
  const std::unique_ptr<char[]> copy(new char[bytes]);
  std::copy(data + 1, data + size, copy.get());
  const std::string_view text(copy.get(), bytes);
  constexpr const char* labels[] = {"kernel_details.csv", "op_summary_1.csv", "w.1.pt.trace.json",
                                    "a_ascend_pt/trace_view.json"};
  constexpr unsigned beside = 5;
  const bool is_totals = data[0] >= 0xC0, is_xspace = data[0] >= 0x80 && !is_totals;
  const unsigned which = is_xspace || is_totals ? 0 : data[0] % (std::size(labels) + beside);
  if (which >= std::size(labels)) {
    check_beside(which - static_cast<unsigned>(std::size(labels)), text);
    return 0;
  }
  open_options how;
  how.bounds.max_nesting = 20;
  const auto opened = profile::open_buffer(text, is_xspace ? "x.xplane.pb" : is_totals ? "a.op_stats_v2.pb" : labels[which], how);
  if (!opened) return 0;
  activity_options options;
  options.details = (data[0] & 0x40) == 0;
  const auto a = read_activity(*opened, options);
  require(a.ok());
  check(**a);
  if (is_xspace) check_bubbles(**a);
  if (is_totals) check_totals(**opened);
  return 0;
}
