#include <analyse/framework/host_span_names.hpp>

#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class spans_by_name final : public host_span_visitor {
 public:
  spans_by_name(const activity& of, std::uint32_t file, const selection& selected, const query_filters& o,
             framework_result& into)
      : of_(of), file_(file), selected_(selected), times_(selected.times_of(file, -1)), options_(o), into_(into) {}

  result<void> spans(const host_span* first, std::size_t count) override {
    for (const host_span* s = first; s != first + count; ++s)
      if (s->kind != host_span_kind::device_marker) add(*s, of_.threads()[s->thread]);
    return {};
  }
  // Steps are marked by spans of the host, too.
  void add_markers(std::uint32_t group) {
    for (const step_marker& m : of_.markers()) {
      if (m.host_group != group || m.device >= 0) continue;
      host_span s;
      s.start_ps = m.start_ps;
      s.duration_ps = std::max<std::int64_t>(m.end_ps - m.start_ps, 0);
      s.name = m.name;
      s.kind = host_span_kind::annotation;
      add(s, m.thread == no_thread ? unknown_thread_ : of_.threads()[m.thread]);
    }
  }
  void finish() {
    for (const auto& [place, names] : by_process_)
      for (const auto& [name, total] : names) {
        framework_name row = total;
        row.file = file_;
        row.plane = place.second;
        row.plane_name = place.first;
        row.name = name;
        into_.names.push_back(row);
      }
  }

 private:
  void add(const host_span& s, const activity_thread& on) {
    if (!contains(on.process, options_.plane) || !contains(on.name, options_.line)) return;
    const std::string_view name = of_.text(s.name);
    if (!selected_.name(name)) return;
    event_row event{};
    event.duration_ps = s.duration_ps;
    if (!times_.keeps_all() && !times_.keeps(event, s.start_ps)) return;
    ++into_.matched;
    framework_name& total = by_process_[{on.process, on.plane}][name];
    ++total.count;
    total.total_ps = saturating_add(total.total_ps, s.duration_ps);
    total.max_ps = std::max(total.max_ps, s.duration_ps);
    if (options_.limit == 0 || into_.events.size() < options_.limit) sample(s, on, name);
  }
  void sample(const host_span& s, const activity_thread& on, std::string_view name) {
    framework_event& row = into_.events.emplace_back();
    row.file = file_;
    row.plane = on.plane;
    row.line = on.line;
    row.line_name = on.name;
    row.name = name;
    row.start_ps = s.start_ps;
    row.duration_ps = s.duration_ps;
    named_stat& kind = row.stats.emplace_back();
    kind.name = span_kind_stat;
    kind.kind = stat_kind::str_value;
    kind.text = host_span_kind_name(s.kind);
  }

  const activity& of_;
  const std::uint32_t file_;
  const selection& selected_;
  const event_filter times_;
  const query_filters& options_;
  framework_result& into_;
  const activity_thread unknown_thread_;
  std::map<std::pair<std::string_view, std::int32_t>, std::map<std::string_view, framework_name>> by_process_;
};

}  // namespace

result<void> add_host_spans(const profile& p, const std::shared_ptr<const activity>& of, const selection& selected,
                            const query_filters& o, const hooks& host, framework_result& into) {
  using limit = std::numeric_limits<std::int64_t>;
  for (std::uint32_t group = 0; group < of->hosts().size(); ++group) {
    const std::uint32_t file = of->hosts()[group].file;
    if (p.outline(file) != nullptr || !selected.file(file)) continue;
    spans_by_name names(*of, file, selected, o, into);
    if (result<void> visited = of->visit_host_spans(group, limit::min(), limit::max(), names, host); !visited)
      return visited;
    names.add_markers(group);
    names.finish();
  }
  into.texts = of;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
