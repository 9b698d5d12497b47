// profkit bubbles: where devices wait, for how long, what ran before and after, and what may be the cause.
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "report_folder.hpp"
#include "report_parts.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/architecture.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/picture.hpp>
#include <profkit/core/source.hpp>
#include <profkit/core/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <map>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace profkit_tool {
namespace {

using namespace profkit;

constexpr std::size_t max_steps = 12, max_groups = 6, max_gaps = 10, max_explained = 3, max_structures = 6, max_layer_name = 24,
                      max_ops = 8, max_short_gaps = 5, max_advice = 8, max_causes = 6, max_devices = 9;

class report {
 public:
  report(session& s, const bubbles_report& r, const bubble_options& asked) : s_(s), of_(*r.of), r_(r.found), asked_(asked) {}

  void print() {
    if (!r_.absent.empty()) {
      s_.absent(escape_for_terminal(r_.absent));
      return;
    }
    for (std::size_t i = 0; i < r_.answers.size(); ++i) print_answer(i);
    print_leading_cause();
    print_time();
    print_devices();
    print_steps();
    print_groups();
    print_gaps();
    print_causes();
    print_structures();
    print_ops();
    print_short_gaps();
    print_aicpu();
    print_advice();
    print_missing();
  }

 private:
  std::string name(std::string_view text) const { return escape_for_terminal(text); }
  // As `ops` names it, without its scope.
  std::string kernel_name(const bubble& b, const kernel_row& k) const {
    std::string full = readable_kernel_name(short_op_name(of_.text(op_name_of(of_.devices()[b.device], k)), ""));
    const std::size_t scope = full.rfind("::", full.find_first_of("<("));
    return scope == std::string::npos ? full : full.substr(scope + 2);
  }
  std::string device(std::uint32_t d) const { return short_plane_name(of_.text(of_.devices()[d].name)); }
  bool several_devices() const {
    return std::count_if(r_.devices.begin(), r_.devices.end(), [](const auto& d) { return d.kernels > 0; }) > 1;
  }
  std::string dim(const std::string& text) { return s_.out().screen().paint(text, style::dim); }

  void print_answer(std::size_t i) {
    static constexpr const char* labels[] = {"idle?", "where", "kind", "host risk", "evidence"};
    constexpr std::size_t indent = 12;
    std::string label = labels[i];
    label.resize(indent - 2, ' ');
    std::string text = wrap(name(r_.answers[i]), columns_of(s_) - indent, indent);
    if (i == 0 && text.compare(0, 3, "Yes") == 0) text = s_.out().screen().paint("Yes", style::warning) + text.substr(3);
    s_.out().line("  " + dim(label) + text);
  }

  void print_leading_cause() {
    const std::optional<profkit::leading_cause> found = profkit::find_leading_cause(r_.time);
    if (!found) return;
    constexpr std::size_t indent = 12;
    const std::string text = "The largest that is known: " + std::string(profkit::idle_cause_meaning(found->cause)) + ", " +
                             share_text(found->time_ps, found->service_ps) + " of the time (" +
                             human_duration(found->time_ps) + "), " + certainty_name(found->sure) + '.';
    s_.out().line("  " + dim("cause     ") + wrap(text, columns_of(s_) - indent, indent));
  }

  std::string use_text(const time_row& r) const {
    if (r.use != time_use::idle) return spaced(time_use_name(r.use)) + (r.cause ? ": waiting for ranks" : "");
    return r.cause ? "idle: " + cause_text(*r.cause, 0) : "idle: gaps that are not listed";
  }

  // All devices together: what is outside of steps stands beside what is in them.
  void print_time() {
    std::vector<std::pair<const time_row*, std::int64_t>> rows;  // with its time outside of steps
    for (const time_row& r : r_.time) {
      if (r.device >= 0) break;
      const auto same = std::find_if(rows.begin(), rows.end(), [&](const auto& other) {
        return other.first->use == r.use && other.first->cause == r.cause && other.first->sure == r.sure;
      });
      if (same == rows.end())
        rows.emplace_back(&r, r.in_steps ? 0 : r.time_ps);
      else
        same->second = r.time_ps;
    }
    if (rows.empty()) return;
    const std::int64_t steps_ps = time_ps_of(r_, -1, true), outside_ps = time_ps_of(r_, -1, false);
    table t;
    const bool marked = has_only_marked_steps(r_);
    t.flexible("device time", cut::end, 20).left("certainty").minor().right(marked ? "in steps" : "time").right("share");
    if (outside_ps > 0) t.right("outside steps").right("share");
    for (const auto& [r, outside] : rows) {
      const bool judged = r->use == time_use::idle;
      const std::int64_t in_steps_ps = r->in_steps ? r->time_ps : 0;
      std::vector<std::string> row{use_text(*r), judged ? certainty_name(r->sure) : ""};
      const auto add = [&](std::int64_t part_ps, std::int64_t whole_ps) {
        row.push_back(part_ps > 0 ? human_duration(part_ps) : "");
        row.push_back(part_ps > 0 ? share_text(part_ps, whole_ps) : "");
      };
      add(in_steps_ps, steps_ps);
      if (outside_ps > 0) add(outside, outside_ps);
      t.row(row);
    }
    s_.print("Where the time went: " + human_duration(steps_ps) + (marked ? " in steps" : "") +
             (outside_ps > 0 ? ", " + human_duration(outside_ps) + " outside of them" : "") +
             (several_devices() ? ", of all devices" : ""), t);
  }

  void print_devices() {
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < r_.devices.size(); ++i)
      if (r_.devices[i].kernels > 0) shown.push_back(i);
    if (shown.size() < 2) return;
    table t;
    t.flexible("device", cut::middle, 8).right("kernels").minor().right("span").right("busy").right("idle").right("gaps").minor();
    t.right("longest").left("steps from").minor();
    const std::size_t rows = s_.rows_of(max_devices, shown.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const device_gaps& d = r_.devices[shown[i]];
      t.row({device(static_cast<std::uint32_t>(shown[i])), grouped(d.kernels), human_duration(d.span_ps()),
             human_duration(d.busy_ps), share_text(d.idle_ps(), d.span_ps()), grouped(d.gaps),
             human_duration(d.largest_ps), d.window_source});
    }
    // Not the clock of `ops` and `report`, where the device has its own.
    s_.print(s_.capture().is_any_xspace() ? "Devices, over the whole capture, by aligned times" : "Devices, over the whole capture",
             t, shown.size());
  }

  // The steps that wait longest, in the order of time.
  void print_steps() {
    if (r_.steps.empty()) return;
    std::vector<std::pair<std::int64_t, std::size_t>> order;  // by the time idle, the longest first
    order.reserve(r_.steps.size());
    bool any_unknown = false;
    for (const bubble_step& b : r_.steps) {
      order.emplace_back(-b.underfeed_ps(), order.size());
      any_unknown = any_unknown || b.breakdown.not_recorded_ps > 0;
    }
    const std::size_t rows = s_.rows_of(max_steps, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rows), order.end());
    order.resize(rows);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    table t;
    if (several_devices()) t.flexible("device", cut::middle, 5);
    t.flexible("step", cut::end, 6).right("window").right("idle").right("before").minor().right("inside").minor().right("after").minor();
    t.right("longest").right("gaps").minor().right("compute").minor().right("exposed").minor().right("copy").minor();
    if (any_unknown) t.right("not known").minor();
    for (const auto& [idle, i] : order) {
      const bubble_step& b = r_.steps[i];
      const std::int64_t whole = b.service_ps();
      std::vector<std::string> row;
      if (several_devices()) row.push_back(device(b.device));
      const step_breakdown& p = b.breakdown;
      for (std::string& cell : std::vector<std::string>{
               name(b.id), human_duration(whole), share_text(b.underfeed_ps(), whole),
               share_text(b.prelaunch_ps, whole), share_text(b.internal_total_ps, whole), share_text(b.tail_ps, whole),
               human_duration(std::max({b.prelaunch_ps, b.largest_internal_ps, b.tail_ps})), grouped(b.bubble_count),
               share_text(p.compute_only_ps + p.comm_overlapped_ps, whole),
               p.comm_exposed_ps > 0 ? share_text(p.comm_exposed_ps, whole) : "",
               p.copy_ps > 0 ? share_text(p.copy_ps, whole) : ""})
        row.push_back(std::move(cell));
      if (any_unknown) row.push_back(share_text(p.not_recorded_ps, whole));
      t.row(std::move(row));
    }
    std::string title = "Steps: " + grouped(std::uint64_t{r_.steps.size()}) + ", windows by " +
                        window_policy_name(asked_.windows);
    if (rows < r_.steps.size()) title += "; those that wait longest";
    s_.print(title, t, r_.steps.size());
    std::string tags;
    for (std::size_t tag = 0; tag < bubble_tag_count; ++tag) {
      std::uint64_t on = 0;
      for (std::size_t i = 0; i < r_.steps.size(); ++i)
        on += r_.steps.verdict(i).tags.has(static_cast<bubble_tag>(tag)) ? 1 : 0;
      if (on == 0) continue;
      tags += (tags.empty() ? "" : ", ") + std::string(bubble_tag_name(static_cast<bubble_tag>(tag)));
      if (r_.steps.size() > 1) tags += " (" + grouped(on) + ')';
    }
    if (!tags.empty()) s_.out().line("  " + wrap("tags: " + tags, columns_of(s_) - 4, 2));
  }

  void print_groups() {
    if (r_.groups.size() < 2 && r_.steps.size() < 3) return;
    table t;
    t.left("group").right("steps").right("window").right("idle").right("idle p95").minor().right("longest p95").minor();
    t.left("pattern").right("recurring").minor().left("host risk").minor();
    const std::size_t rows = s_.rows_of(max_groups, r_.groups.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const bubble_group& g = r_.groups[i];
      t.row({g.id, grouped(std::uint64_t{g.steps.size()}), human_duration(g.service_ps.mean),
             share_text(g.underfeed_ppm.mean, 1'000'000), share_text(g.underfeed_ppm.p95, 1'000'000),
             human_duration(g.largest_ps.p95), idle_pattern_name(g.pattern),
             g.recurring_places == 0 ? "no" : grouped(g.recurring_places) + " places", host_risk_name(g.risk)});
    }
    s_.print("Groups of steps that do the same work, by time", t, r_.groups.size());
  }

  static const char* scope_text(const bubble& b) {
    switch (b.scope) {
      case bubble_scope::prelaunch: return "before";
      case bubble_scope::tail: return "after";
      case bubble_scope::step_internal: return "inside";
      case bubble_scope::global: return "between";
    }
    return "between";
  }

  // "data loader: enumerate(DataLoader)#…" for data_loader and the span that names it.
  std::string cause_text(idle_cause c, string_id span) const {
    const std::string text = spaced(idle_cause_name(c));
    return span == 0 ? text : text + ": " + name(of_.text(span));
  }
  std::string cause_text(const bubble& b) const {
    return b.boundary_adjacent ? "edge of the capture" : cause_text(b.cause.id, b.cause.span);
  }

  std::vector<const bubble*> longest_gaps() const {
    std::vector<const bubble*> all;
    for (const bubble& b : r_.bubbles)
      if (!b.inter_step) all.push_back(&b);
    std::stable_sort(all.begin(), all.end(),
                     [](const bubble* a, const bubble* b) { return a->length_ps() > b->length_ps(); });
    return all;
  }

  void print_gaps() {
    const std::vector<const bubble*> all = longest_gaps();
    if (all.empty()) return;
    table t;
    t.right("length").left("").flexible("step", cut::end, 6).minor();
    if (several_devices()) t.flexible("device", cut::middle, 5);
    t.right("at").flexible("after", cut::end, 8).flexible("before", cut::end, 8);
    t.flexible("cause", cut::end, 14).left("certainty").minor();
    const std::size_t rows = s_.rows_of(max_gaps, all.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const bubble& b = *all[i];
      std::vector<std::string> row{human_duration(b.length_ps()), scope_text(b),
                                   b.step < 0 ? "" : name(r_.steps[static_cast<std::size_t>(b.step)].id)};
      if (several_devices()) row.push_back(device(b.device));
      row.push_back(human_duration(b.start_ps));
      row.push_back(b.before_count > 0 ? kernel_name(b, b.before[0]) : "");
      row.push_back(b.after_count > 0 ? kernel_name(b, b.after[0]) : "");
      row.push_back(cause_text(b));
      row.push_back(b.boundary_adjacent ? "" : certainty_name(b.sure));
      t.row(std::move(row));
    }
    s_.print("Longest gaps: " + count_of(all.size(), "gap") + " of " +
             human_duration(asked_.thresholds.reportable_gap_ps) + " and more", t, all.size());
    for (std::size_t i = 0; i < std::min(max_explained, rows); ++i) explain(*all[i]);
  }

  void explain(const bubble& b) {
    const host_evidence& h = b.host;
    std::string text = human_duration(b.length_ps()) + " at " + human_duration(b.start_ps) + ": ";
    if (!h.traced) {
      text += "no host trace";
    } else if (h.host_ps == 0) {
      text += "the host shows nothing";
    } else {
      text += "host active " + share_text(h.host_ps, b.length_ps());
      if (h.leaf_ps != h.host_ps) text += " (" + share_text(h.leaf_ps, b.length_ps()) + " without frames)";
      if (b.launch_thread() != no_thread)
        text += ", the launching thread " + share_text(h.launcher_ps, b.length_ps());
      if (h.sync_ps > 0) text += ", sync and copies " + share_text(h.sync_ps, b.length_ps());
      if (h.comm_ps > 0) text += ", communication " + share_text(h.comm_ps, b.length_ps());
      if (h.gc_ps > 0) text += ", garbage collection " + share_text(h.gc_ps, b.length_ps());
    }
    if (b.launch_ps() != no_time_ps)
      text += "; the next kernel was launched " +
              human_duration(b.launch_ps() > b.start_ps ? b.launch_ps() - b.start_ps : b.start_ps - b.launch_ps()) +
              (b.launch_ps() > b.start_ps ? " into the gap" : " before the gap");
    if (const std::int64_t call_ps = b.launched_ps() - b.launch_ps(); call_ps >= b.length_ps() - call_ps)
      text += ", by a call of " + human_duration(call_ps);
    for (std::size_t i = 0; i < h.ops.size() && i < 3; ++i)
      text += (i == 0 ? "; in " : ", ") + shorten(name(of_.text(h.ops[i].first)), 40, cut::middle) + ' ' +
              human_duration(h.ops[i].second);
    s_.out().line("  - " + wrap(text, columns_of(s_) - 6, 4));
  }

  void print_causes() {
    if (r_.causes.empty()) return;
    table t;
    t.flexible("cause", cut::end, 20).left("certainty").left("in").minor().right("gaps").right("together");
    t.flexible("the longest", cut::end, 20).minor();
    const std::size_t rows = s_.rows_of(max_causes, r_.causes.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const cause_summary& c = r_.causes[i];
      std::string longest = c.evidence.size() > 1 ? c.evidence[1] : "";
      if (const std::size_t colon = longest.find(": "); colon != std::string::npos) longest.erase(0, colon + 2);
      t.row({cause_text(c.cause, c.span), certainty_name(c.sure),
             (c.scope == cause_summary::reach::step ? "step " : "") +
                 (c.scope == cause_summary::reach::global ? "no step" : name(c.target)),
             c.is_exposed() ? "" : grouped(c.bubbles), human_duration(c.total_ps), name(longest)});
    }
    s_.print("Causes, by the time that the device did not compute", t, r_.causes.size());
  }

  void print_structures() {
    if (r_.dominant_step < 0) return;
    const bubble_step& step = r_.steps[static_cast<std::size_t>(r_.dominant_step)];
    if (step.structures < 2) return;
    std::vector<step_structure> order;
    std::int64_t inside = 0, between = 0;
    for (std::uint32_t i = 0; i < step.structures; ++i) {
      order.push_back(r_.structures[step.first_structure + i]);
      inside += order.back().bubble_total_ps;
      between += order.back().gap_before_ps;
    }
    std::stable_sort(order.begin(), order.end(), [](const step_structure& a, const step_structure& b) {
      return a.bubble_total_ps + a.gap_before_ps > b.bubble_total_ps + b.gap_before_ps;
    });
    const std::size_t rows = s_.rows_of(max_structures, order.size());
    table t;
    t.left("part").flexible("begins with", cut::middle, 12).right("kernels").minor().right("wall").right("of step");
    t.right("gaps inside").minor().right("longest").right("gap before").minor();
    for (std::size_t i = 0; i < rows; ++i) {
      const step_structure& p = order[i];
      t.row({p.type == step_structure::role::layer
                 ? name(shorten(of_.text(p.name), max_layer_name, cut::start))
                 : std::string(structure_role_name(p.type)) +
                       (p.type == step_structure::role::part ? ' ' + std::to_string(p.index) : ""),
             name(of_.text(p.anchor)), grouped(p.clocks.kernels), human_duration(p.clocks.wall_ps),
             share_text(p.clocks.wall_ps, step.service_ps()), p.bubbles > 0 ? human_duration(p.bubble_total_ps) : "",
             p.bubbles > 0 ? human_duration(p.bubble_largest_ps) : "",
             p.gap_before_ps > 0 ? human_duration(p.gap_before_ps) : ""});
    }
    s_.heading("Inside step " + name(step.id) + ", which waits longest: " + count_of(order.size(), "part") + " by " +
               step.structure_source);
    s_.out().line("  Gaps inside the parts: " + human_duration(inside) + ", between them: " + human_duration(between));
    t.print(s_.out(), s_.columns());
    s_.left_out(order.size(), rows);
  }

  void print_ops() {
    std::vector<const bubble_op*> shown;
    for (const bubble_op& op : r_.ops) shown.push_back(&op);
    std::stable_sort(shown.begin(), shown.end(), [](const bubble_op* a, const bubble_op* b) {
      return a->duration_ps + a->gap_before_ps > b->duration_ps + b->gap_before_ps;
    });
    if (shown.empty()) return;
    const std::size_t rows = s_.rows_of(max_ops, shown.size());
    table t;
    t.flexible("type of op", cut::middle, 16).flexible("core", cut::end, 8).minor().right("calls").right("duration").right("mean").minor();
    t.right("gaps before").right("waits").flexible("note", cut::end, 12).minor();
    for (std::size_t i = 0; i < rows; ++i) {
      const bubble_op& op = *shown[i];
      const std::string note =
          op.false_hotspot ? "wait anchor: no hotspot"
          : op.inefficient ? "small, inefficient"
          : op.bound[0] != '\0'
              ? std::string(op.bound) +
                    (op.bound == std::string_view("compute") || op.bound == std::string_view("memory") ? " bound" : "")
              : "";
      t.row({(several_devices() ? device(op.device) + ' ' : "") + name(of_.text(op.op_type)), name(of_.text(op.core)),
             grouped(op.calls), human_duration(op.duration_ps),
             human_duration(op.duration_ps / std::max<std::int64_t>(static_cast<std::int64_t>(op.calls), 1)),
             op.gap_before_ps > 0 ? human_duration(op.gap_before_ps) : "",
             op.wait_ps > 0 ? human_duration(op.wait_ps) : "", spaced(note)});
    }
    s_.print("Ops, by their time and the idle time right before them", t, shown.size());
  }

  // Of all devices together, where they are a hundredth of the time of the steps.
  void print_short_gaps() {
    struct gap_sum {
      string_id op = 0;
      std::uint64_t gaps = 0;
      std::int64_t time_ps = 0;
    };
    std::map<string_id, gap_sum> by_op;
    std::int64_t all_ps = 0;
    for (const bubble_op& op : r_.ops) {
      if (op.short_gaps_after == 0) continue;
      gap_sum& sum = by_op[op.op_type];
      sum.op = op.op_type;
      sum.gaps += op.short_gaps_after;
      sum.time_ps += op.short_gap_after_ps;
      all_ps += op.short_gap_after_ps;
    }
    if (all_ps < time_ps_of(r_, -1, true) / 100 || all_ps == 0) return;
    std::vector<gap_sum> sums;
    for (const auto& [op, sum] : by_op) sums.push_back(sum);
    std::stable_sort(sums.begin(), sums.end(), [](const gap_sum& a, const gap_sum& b) { return a.time_ps > b.time_ps; });
    table t;
    t.flexible("type of op", cut::middle, 16).right("gaps").right("together").right("mean").minor();
    const std::size_t rows = s_.rows_of(max_short_gaps, sums.size());
    for (std::size_t i = 0; i < rows; ++i)
      t.row({name(of_.text(sums[i].op)), grouped(sums[i].gaps), human_duration(sums[i].time_ps),
             human_duration(sums[i].time_ps / static_cast<std::int64_t>(sums[i].gaps))});
    s_.print("Gaps under " + human_duration(asked_.thresholds.reportable_gap_ps) +
             ", by the op that they follow: " + human_duration(all_ps), t, sums.size());
  }

  void print_aicpu() {
    if (r_.aicpu_ops.empty()) return;
    table t;
    t.flexible("op", cut::middle, 16).right("calls").right("duration").right("hidden").left("verdict");
    const std::size_t rows = s_.rows_of(max_ops, r_.aicpu_ops.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const aicpu_op& a = r_.aicpu_ops[i];
      t.row({name(of_.text(a.op_type)), grouped(a.calls), human_duration(a.duration_ps),
             share_text(a.masked_ps, a.duration_ps), aicpu_verdict_name(a.verdict)});
    }
    s_.print("AI CPU ops, and how much of them compute hides", t, r_.aicpu_ops.size());
  }

  void print_advice() {
    if (r_.recommendations.empty()) return;
    s_.heading("What to do (P0: 5 % of the time and more; P1: 1 %; P2: less; P3: none)");
    const std::size_t rows = s_.rows_of(max_advice, r_.recommendations.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const recommendation& a = r_.recommendations[i];
      std::string text = a.text + (a.how.empty() ? "" : ' ' + a.how);
      if (!a.target.empty()) text = shorten(a.target, 60, cut::middle) + ": " + text;
      if (!a.evidence.empty()) text += " (" + shorten(a.evidence.back(), 120, cut::middle) + ")";
      if (a.recoverable_ps > 0) text = "up to " + human_duration(a.recoverable_ps) + ": " + text;
      s_.out().line("  P" + std::to_string(a.priority) + "  " + wrap(name(text), columns_of(s_) - 6, 6));
    }
    s_.left_out(r_.recommendations.size(), rows);
  }

  void print_missing() {
    if (r_.evidence_gaps.empty()) return;
    s_.heading("What the capture does not show");
    for (const std::string& gap : r_.evidence_gaps) s_.out().line("  - " + wrap(name(gap), columns_of(s_) - 4, 4));
  }

  session& s_;
  const activity& of_;
  const bubbles_result& r_;
  const bubble_options& asked_;
};

// The other report on the same kernels, which are read already.
result<void> write_model(const std::shared_ptr<const activity>& of, const std::string& label, const std::string& path,
                         const hooks& host) {
  auto found = find_architecture(*of, {}, label, host);
  if (!found) return std::move(found).error();
  auto into = atomic_file_sink(path);
  if (!into) return std::move(into).error();
  if (auto written = write_architecture_markdown({of, std::move(*found), label}, **into); !written) return written;
  return (*into)->finish();
}

result<void> steps_fit(const bubbles_report& r, const profkit::step_filter& only) {
  const auto& devices = r.found.devices;
  const bool any = std::any_of(devices.begin(), devices.end(), [](const auto& d) { return d.kernels > 0; });
  if (only.empty() || !any || !r.found.steps.empty()) return {};
  return fault{fault_code::invalid_argument, r.found.absent, r.of->inputs().front().path, profkit::no_offset,
               "`profkit bubbles` without --step, --name and --time lists the steps"};
}

int run_bubbles(const options& given, bubble_options wanted) {
  options asked = given;
  const bool both = names_folder(given.output_path);
  std::string model_path;
  if (both) {
    if (auto made = make_folder(given.output_path); !made) {
      print_fault(made.error(), look_at_terminal(STDERR_FILENO, asked.color));
      return exit_unreadable;
    }
    const std::string label = profile_label(given.path);
    asked.json = true;
    asked.output_path = file_in(given.output_path, "anomaly_discovery_" + label + ".json");
    model_path = file_in(given.output_path, architecture_file_name({nullptr, {}, label}));
  }
  std::optional<bubbles_report> held;
  // What goes into a folder by its name by convention other tools read whole.
  wanted.limit = asked.limit.value_or(both ? 0 : profkit::default_limit(profkit::document::bubbles));
  const auto look = [&](const profkit::trace& t, const hooks& host) -> result<void> {
    auto found = analyse_bubbles(t, wanted, host);
    if (!found) return std::move(found).error();
    held = std::move(*found);
    if (auto fits = names_fit(*held->of, wanted.device, wanted.step_pattern); !fits) return fits;
    return steps_fit(*held, wanted.only);
  };
  const slice_writer writer{
      [&](const profkit::trace& t, sink& into, const hooks& host) -> result<document_status> {
        if (result<void> done = look(t, host); !done) return std::move(done).error();
        auto written = write_bubbles_document(t.files(), wanted, *held, into);
        if (written && both) {
          auto model = write_model(held->of, profile_label(given.path), model_path, host);
          if (!model) return std::move(model).error();
        }
        if (asked.svg_path.empty()) held.reset();
        return written;
      },
      [&](session& s) -> result<void> {
        if (result<void> done = look(s.trace(), s.hooks()); !done) return done;
        report(s, *held, wanted).print();
        if (held->found.absent.empty()) {
          s.out().line();
          s.out().line("  " + wrap("-o DIR/ writes this as JSON, and a report on the model that ran beside it", columns_of(s), 2));
        }
        s.lost(*held->of);
        s.lost(held->found.damage);
        if (asked.svg_path.empty()) held.reset();
        return {};
      },
      [&](const profkit::trace&, sink& into, const hooks& host) -> result<void> {
        return profkit::write_timeline_picture(*held, wanted.only, into, host);
      },
      &wanted};
  const int status = run_slice(asked, document::bubbles, writer);
  if (both && (status == exit_ok || status == exit_partial) && !asked.quiet) {
    print_written(asked.output_path);
    print_written(model_path);
  }
  return status;
}

// A small text file as a whole.
result<std::string> read_text_file(const std::string& path) {
  profkit::limits bounds;
  bounds.max_materialised_bytes = std::uint64_t{16} << 20;
  auto from = profkit::open_file_source(path, profkit::io_mode::read, bounds);
  if (!from) return std::move(from).error();
  auto held = profkit::hold_bytes(std::move(from).value(), bounds);
  if (!held) return std::move(held).error();
  if (held->damage) return std::move(*held->damage);
  return std::string(held->bytes);
}

class bubbles_command_options final : public command_options {
 public:
  void list(option_list& all) override {
    list_path(all, *this);
    all.group("Bubbles");
    list_device(all, bubbles_.device);
    all.value("--window-policy", windows_.typed, "HOW",
              "Where steps begin and end: whole, guide, marker or device")
        .offer_words(windows_.words())
        .add_to_manual(
            "'whole' is the default: from its mark, or from its first kernel where the device is still busy with earlier "
            "work, to the next step; the last one to the end of its mark or of its last kernel. With 'guide' steps begin and "
            "end with their first kernels, the last one with the last kernel; with 'marker' they last as long as their own "
            "mark, with 'device' from their first kernel to their last.");
    list_step_pattern(all, bubbles_.step_pattern);
    all.value("--step", step_, "N", "Only the N-th step of each device, counted from 0");
    all.value("--name", bubbles_.only.name, "TEXT", "Only steps whose name contains TEXT");
    list_window(all, time_);
    all.repeated("--threshold", thresholds_, "NAME=VALUE", "One threshold, may be repeated; --json lists them all");
    all.value("--thresholds", threshold_file_, "FILE", "A TOML file with a table [bubbles] of thresholds")
        .offer_files();
    output_.list(all, *this);
    all.value("--svg", svg_path, "FILE", "A picture as well: what each device ran, and why it waited").offer_files();
    input_.list(all, *this);
  }

  [[nodiscard]] std::optional<fault> understand() override {
    if (auto wrong = windows_.understand("--window-policy", bubbles_.windows)) return wrong;
    profkit::step_filter& only = bubbles_.only;
    if (auto wrong = understand_number("--step", step_, only.step)) return wrong;
    if (auto wrong = understand_window(time_, only.from_ps, only.to_ps)) return wrong;
    if (auto wrong = understand_thresholds()) return wrong;
    if (auto wrong = input_.understand(*this)) return wrong;
    return output_.understand(*this);
  }
  [[nodiscard]] int run_command() const override { return run_bubbles(*this, bubbles_); }

 private:
  [[nodiscard]] std::optional<fault> understand_thresholds() {
    if (!threshold_file_.empty()) {
      const auto read = read_text_file(threshold_file_);
      if (!read) return read.error();
      auto thresholds = profkit::read_thresholds(*read, threshold_file_);
      if (!thresholds) return std::move(thresholds).error();
      bubbles_.thresholds = *thresholds;
    }
    for (const std::string& one : thresholds_) {
      const std::size_t equals = one.find('=');
      if (equals == std::string::npos)
        return wrong_value("--threshold", one, "no NAME=VALUE", "write it as in idle_ratio=0.25");
      const std::string_view words = one;
      if (auto set = profkit::set_threshold(bubbles_.thresholds, words.substr(0, equals), words.substr(equals + 1)); !set)
        return std::move(set).error();
    }
    return std::nullopt;
  }

  bubble_options bubbles_;
  choice<window_policy> windows_{
      {"whole", window_policy::whole}, {"guide", window_policy::guide}, {"marker", window_policy::marker}, {"device", window_policy::device}};
  std::string step_, time_;
  std::string threshold_file_;
  std::vector<std::string> thresholds_;
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description bubbles_command = {
    "bubbles",
    "PATH",
    "Why devices wait: idle gaps, what is around them, possible causes",
    "Every step of every device with its idle time before, inside and after its kernels; the longest gaps\n"
    "with the kernels on both sides, what the host did meanwhile, and what that may mean. For XSpace,\n"
    "Kineto and Ascend captures. Idle time is a fact; a cause is proved, likely, possible or unknown.",
    "  profkit bubbles logdir\n"
    "  profkit bubbles rank0_ascend_pt --window-policy marker\n"
    "  profkit bubbles vm.xplane.pb --plane TPU:0 --threshold reportable_gap_us=200\n"
    "  profkit bubbles vm.xplane.pb --json --limit 100\n"
    "  profkit bubbles vm.xplane.pb --step 1\n"
    "  profkit bubbles vm.xplane.pb --svg timeline.svg\n"
    "  profkit bubbles rank0_ascend_pt -o reports/    this analysis as JSON, and the architecture report\n",
    make_options<bubbles_command_options>,
    "With -o a folder, or a name that ends in a slash, gets the analysis as anomaly_discovery_<name>.json and the\n"
    "report on the model that ran as model_architecture_report_<name>.md. Without -o nothing is written.",
};

}  // namespace profkit_tool
