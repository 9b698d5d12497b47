// What happened around the evidence of a finding.
#include <profkit/core/explain.hpp>

#include <base/affix.hpp>
#include <base/contained.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace report {
namespace {

constexpr std::size_t max_kernels_beside = 2, max_kernels_during = 3, max_host_spans = 4;

struct time_window {
  std::int64_t from_ps, to_ps;  // of one instant both are equal

  [[nodiscard]] std::int64_t overlap_ps(std::int64_t start_ps, std::int64_t duration_ps) const noexcept {
    return checked_sub(std::min(to_ps, saturating_add(start_ps, duration_ps)), std::max(from_ps, start_ps))
        .value_or(std::numeric_limits<std::int64_t>::max());
  }
};

// Keeps the `most` best of what it is given, the best first.
template <class Row>
class best_rows {
 public:
  using rule = bool (*)(const Row&, const Row&) noexcept;
  best_rows(std::size_t most, rule is_better) : most_(most), is_better_(is_better) {}
  void offer(const Row& row) {
    const auto at = std::upper_bound(rows_.begin(), rows_.end(), row, is_better_);
    if (at == rows_.end() && rows_.size() == most_) return;
    rows_.insert(at, row);
    if (rows_.size() > most_) rows_.pop_back();
  }
  [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }

 private:
  std::size_t most_;
  rule is_better_;
  std::vector<Row> rows_;
};

bool ends_later(const kernel_row& a, const kernel_row& b) noexcept {
  return saturating_add(a.start_ps, a.duration_ps) > saturating_add(b.start_ps, b.duration_ps);
}
bool is_longer(const kernel_row& a, const kernel_row& b) noexcept { return a.duration_ps > b.duration_ps; }
bool starts_earlier(const kernel_row& a, const kernel_row& b) noexcept { return a.start_ps < b.start_ps; }

class kernels_around final : public kernel_visitor {
 public:
  explicit kernels_around(const time_window& window) : window_(window) {}

  result<void> rows(const kernel_row* rows, std::size_t count) override {
    for (const kernel_row* k = rows; k != rows + count; ++k) {
      if (k->start_ps >= window_.to_ps)
        after_.offer(*k);
      else if (saturating_add(k->start_ps, k->duration_ps) <= window_.from_ps)
        before_.offer(*k);
      else
        during_.offer(*k);
    }
    return {};
  }

  // In the order of time.
  void add_to(std::vector<neighbour>& all, const activity& of, const activity_device& device) const {
    const auto add = [&](const std::vector<kernel_row>& rows, neighbour_position position) {
      std::vector<kernel_row> in_time(rows);
      std::stable_sort(in_time.begin(), in_time.end(), starts_earlier);
      for (const kernel_row& k : in_time) {
        const bool has_stream = k.stream < device.streams.size();
        all.push_back({position, false, has_stream ? std::string(of.text(device.streams[k.stream].name)) : std::string(),
                       std::string(of.text(k.name)), k.start_ps, k.duration_ps});
      }
    };
    add(before_.rows(), neighbour_position::before);
    add(during_.rows(), neighbour_position::during);
    add(after_.rows(), neighbour_position::after);
  }

 private:
  time_window window_;
  best_rows<kernel_row> before_{max_kernels_beside, ends_later}, during_{max_kernels_during, is_longer},
      after_{max_kernels_beside, starts_earlier};
};

class spans_around final : public host_span_visitor {
 public:
  explicit spans_around(const time_window& window) : window_(window) {}

  result<void> spans(const host_span* spans, std::size_t count) override {
    for (const host_span* s = spans; s != spans + count; ++s)
      if (s->kind != host_span_kind::device_marker) spans_.offer({window_.overlap_ps(s->start_ps, s->duration_ps), *s});
    return {};
  }

  void add_to(std::vector<neighbour>& all, const activity& of) const {
    for (const covering& c : spans_.rows()) {
      const activity_thread* const thread = c.span.thread < of.threads().size() ? &of.threads()[c.span.thread] : nullptr;
      all.push_back({neighbour_position::during, true, thread == nullptr ? std::string() : thread->name,
                     std::string(of.text(c.span.name)), c.span.start_ps, c.span.duration_ps});
    }
  }

 private:
  struct covering {
    std::int64_t overlap_ps;
    host_span span;
  };
  // What covers more of the window; of those that cover as much the innermost, then an order that no reader changes.
  static bool says_more(const covering& a, const covering& b) noexcept {
    if (a.overlap_ps != b.overlap_ps) return a.overlap_ps > b.overlap_ps;
    if (a.span.duration_ps != b.span.duration_ps) return a.span.duration_ps < b.span.duration_ps;
    if (a.span.start_ps != b.span.start_ps) return a.span.start_ps < b.span.start_ps;
    return a.span.thread != b.span.thread ? a.span.thread < b.span.thread : a.span.source_row < b.span.source_row;
  }
  time_window window_;
  best_rows<covering> spans_{max_host_spans, says_more};
};

const evidence* first_in_time(const finding& f) {
  const auto at = std::find_if(f.proof.begin(), f.proof.end(), [](const evidence& e) { return e.start_ps.has_value(); });
  return at == f.proof.end() ? nullptr : &*at;
}

result<std::vector<neighbour>> neighbours_of(const activity& of, const evidence& e, const hooks& host) {
  std::vector<neighbour> all;
  const auto device = std::find_if(of.devices().begin(), of.devices().end(), [&](const activity_device& d) {
    return d.file == e.file && d.plane == e.plane;
  });
  if (device == of.devices().end()) return all;
  const time_window window{*e.start_ps, std::max(*e.start_ps, e.end_ps.value_or(*e.start_ps))};
  kernels_around kernels(window);
  const auto index = static_cast<std::size_t>(device - of.devices().begin());
  if (auto visited = of.visit_kernels(index, kernels, host); !visited) return std::move(visited).error();
  kernels.add_to(all, of, *device);
  spans_around spans(window);
  const std::int64_t to_ps = std::max(window.to_ps, saturating_add(window.from_ps, 1));
  if (auto visited = of.visit_host_spans(device->host_group, window.from_ps, to_ps, spans, host); !visited)
    return std::move(visited).error();
  spans.add_to(all, of);
  return all;
}

// The command that shows more of findings of a kind.
struct kind_command {
  std::string_view kind;
  const char *arguments, *why;
};
constexpr kind_command kind_commands[] = {
    {"bubbles.", "bubbles PATH", "all gaps, with their causes"},
    {"collectives.", "collectives PATH", "all collectives and asynchronous copies"},
    {"memory.", "memory PATH", "what fills the memory"},
    {"modules.", "modules PATH", "every module"},
    {"damage.", "info PATH", "what each file holds, and where it is damaged"},
    {"incomplete.", "info PATH", "what each file holds, and what is missing"},
    {"time.", "info PATH", "the files and their clocks"},
};

std::vector<next_command> commands_of(const profile& p, const finding& f) {
  std::vector<next_command> all;
  for (const kind_command& k : kind_commands)
    if (starts_with(f.id, k.kind)) all.push_back({k.arguments, k.why});
  if (const evidence* const e = first_in_time(f); e != nullptr) {
    const std::string_view plane = plane_name_at(p, e->file, e->plane);
    all.push_back({"tree PATH" + (plane.empty() ? std::string() : " --plane " + shell_word(plane)) + " --time " +
                       std::to_string(*e->start_ps) + "ps:" + std::to_string(e->end_ps.value_or(*e->start_ps)) + "ps",
                   "every event of that time"});
  }
  return all;
}

}  // namespace
}  // namespace report

result<explanation> explain_finding(const trace& t, const report_result& of, std::string_view id, const hooks& host) {
  return contained([&]() -> result<explanation> {
    const auto at = std::find_if(of.findings.begin(), of.findings.end(), [&](const finding& f) { return f.id == id; });
    if (at == of.findings.end())
      return fault{fault_code::not_found, "the report has no finding '" + std::string(id) + "'", t.files().what().path, no_offset,
                   of.findings.empty() ? "nothing was found" : "`profkit explain PATH` lists those there are, as " +
                                                                   of.findings.front().id};
    explanation made;
    made.found = *at;
    made.next = report::commands_of(t.files(), *at);
    const evidence* const e = report::first_in_time(*at);
    if (e == nullptr) return made;
    made.around_ps = e->start_ps;
    const auto activity = t.all_activity(host);
    if (!activity) return activity.error();
    auto neighbours = report::neighbours_of(**activity, *e, host);
    if (!neighbours) return std::move(neighbours).error();
    made.neighbours = std::move(*neighbours);
    return made;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
