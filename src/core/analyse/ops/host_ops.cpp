#include <analyse/ops/host_ops.hpp>

#include <analyse/ops/op_rows.hpp>
#include <analyse/ops/step_numbers.hpp>
#include <analyse/ops/thread_totals.hpp>
#include <base/hash_map.hpp>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Totals of the spans of one host, a line a thread.
class host_ops final : public host_span_visitor {
 public:
  host_ops(const activity& of, std::uint32_t group, bool only_operators, const selection& selected,
           const query_filters& o)
      : of_(of),
        group_(group),
        only_operators_(only_operators),
        options_(o),
        steps_(selected.steps_of(of.hosts()[group].file, -1, -1)),
        totals_(of, group, selected, o) {}

  result<void> spans(const host_span* first, std::size_t count) override {
    for (const host_span* s = first; s != first + count; ++s)
      if (s->kind != host_span_kind::device_marker && (!only_operators_ || s->kind == host_span_kind::op))
        totals_.add(s->thread, s->start_ps, s->duration_ps, number_of(*s));
    return {};
  }
  result<void> read(const hooks& host) {
    return totals_.fill([&] { return visit_all_spans(of_, group_, *this, host); });
  }
  void finish(ops_result& into) {
    const auto ops = std::make_shared<const std::vector<kernel_op>>(std::move(ops_));
    totals_.finish([&](const activity_thread& on, op_totals& totals) {
      ops_line line;
      line.file = on.file;
      line.plane = on.plane;
      line.line = on.line;
      line.plane_name = on.process;
      line.line_name = on.name;
      line.kind = line_kind::thread;
      fill_line(line, totals, ops, options_.name);
      into.lines.push_back(std::move(line));
    });
  }

 private:
  std::int64_t number_of(const host_span& s) {
    const std::uint32_t step = steps_.number_at(s.start_ps);
    const auto [at, is_new] = numbers_.try_emplace({s.name, s.kind, step}, static_cast<std::int64_t>(ops_.size()));
    if (is_new) {
      kernel_op& op = ops_.emplace_back();
      op.name = of_.text(s.name);
      op.category = host_span_kind_name(s.kind);
      op.origin.step = std::int64_t{step} - 1;
    }
    return at->second;
  }

  const activity& of_;
  const std::uint32_t group_;
  const bool only_operators_;
  const query_filters& options_;
  const step_numbers steps_;
  thread_totals totals_;
  hash_map<std::tuple<string_id, host_span_kind, std::uint32_t>, std::int64_t> numbers_;
  std::vector<kernel_op> ops_;
};

// Whether any host has an operator of a framework.
class operator_finder final : public host_span_visitor {
 public:
  result<void> spans(const host_span* first, std::size_t count) override {
    found = found || std::any_of(first, first + count, [](const host_span& s) { return s.kind == host_span_kind::op; });
    return {};
  }
  bool found = false;
};

}  // namespace

result<bool> add_host_ops(const profile& p, const std::shared_ptr<const activity>& of, const selection& selected,
                          const query_filters& o, const hooks& host, ops_result& into) {
  const auto groups = static_cast<std::uint32_t>(of->hosts().size());
  operator_finder operators;
  for (std::uint32_t group = 0; group < groups && !operators.found; ++group)
    if (result<void> visited = visit_all_spans(*of, group, operators, host); !visited) return std::move(visited).error();
  for (std::uint32_t group = 0; group < groups; ++group) {
    const std::uint32_t file = of->hosts()[group].file;
    if (!selected.other_file(file) || !of->has_host_spans(group)) continue;
    host_ops ops(*of, group, operators.found, selected, o);
    if (result<void> read = ops.read(host); !read) return std::move(read).error();
    ops.finish(into);
  }
  into.texts = of;
  return operators.found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
