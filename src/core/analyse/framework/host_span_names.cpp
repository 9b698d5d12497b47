#include <analyse/framework/host_span_names.hpp>

#include <analyse/ops/op_rows.hpp>
#include <analyse/ops/thread_totals.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class spans_by_name final : public host_span_visitor {
 public:
  spans_by_name(const activity& of, std::uint32_t group, const selection& selected, const query_filters& o, framework_result& into)
      : of_(of), group_(group), selected_(selected), options_(o), into_(into), totals_(of, group, selected, o) {}

  result<void> read(const hooks& host) {
    const auto add_all = [&]() -> result<void> {
      if (result<void> visited = visit_all_spans(of_, group_, *this, host); !visited) return visited;
      add_markers();
      return {};
    };
    if (result<void> filled = totals_.fill(add_all); !filled) return filled;
    sum_up();
    return {};
  }
  result<void> spans(const host_span* first, std::size_t count) override {
    for (const host_span* s = first; s != first + count; ++s)
      if (s->kind != host_span_kind::device_marker) add(*s);
    return {};
  }

 private:
  // Steps are marked by spans of the host, too.
  void add_markers() {
    for (const step_marker& m : of_.markers()) {
      if (m.host_group != group_ || m.device >= 0) continue;
      host_span s;
      s.thread = m.thread;
      s.start_ps = m.start_ps;
      s.duration_ps = std::max<std::int64_t>(m.end_ps - m.start_ps, 0);
      s.name = m.name;
      s.kind = host_span_kind::annotation;
      add(s);
    }
  }
  // Self time leaves out calls inside whatever names are asked for, so all spans are added.
  void add(const host_span& s) {
    if (!totals_.add(s.thread, s.start_ps, s.duration_ps, s.name) || totals_.is_another_look()) return;
    const std::string_view name = of_.text(s.name);
    if (!selected_.name(name)) return;
    ++into_.matched;
    if (options_.limit == 0 || into_.events.size() < options_.limit) sample(s, totals_.of_thread(s.thread), name);
  }
  void sample(const host_span& s, const activity_thread& on, std::string_view name) {
    framework_event& row = into_.events.emplace_back();
    row.file = on.file;
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
  void sum_up() {
    std::map<std::tuple<std::uint32_t, std::int32_t, std::string_view>, framework_name> names;
    totals_.finish([&](const activity_thread& on, const op_totals& totals) {
      totals.for_each([&](std::int64_t id, const op_sum& sum) {
        const std::string_view name = of_.text(static_cast<string_id>(id));
        if (!selected_.name(name)) return;
        framework_name& row = names[{on.file, on.plane, name}];
        row.file = on.file;
        row.plane = on.plane;
        row.plane_name = on.process;
        row.name = name;
        add_sum(row, sum);
      });
    });
    for (const auto& [key, row] : names) into_.names.push_back(row);
  }

  const activity& of_;
  const std::uint32_t group_;
  const selection& selected_;
  const query_filters& options_;
  framework_result& into_;
  thread_totals totals_;
};

}  // namespace

void add_sum(framework_name& into, const op_sum& sum) {
  into.count += sum.count;
  into.total_ps = saturating_add(into.total_ps, sum.total_ps);
  into.self_ps = saturating_add(into.self_ps, clamp_ps(sum.self_ps));
  into.max_ps = std::max(into.max_ps, sum.max_ps);
}

result<void> add_host_spans(const profile& p, const std::shared_ptr<const activity>& of, const selection& selected,
                            const query_filters& o, const hooks& host, framework_result& into) {
  for (std::uint32_t group = 0; group < of->hosts().size(); ++group) {
    const std::uint32_t file = of->hosts()[group].file;
    if (!selected.other_file(file)) continue;
    if (result<void> read = spans_by_name(*of, group, selected, o, into).read(host); !read) return read;
  }
  into.texts = of;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
