#include <analyse/ops/host_ops.hpp>

#include <analyse/ops/op_rows.hpp>
#include <analyse/ops/op_totals.hpp>
#include <base/affix.hpp>
#include <base/hash_map.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Totals of the spans of one host, a line a thread. Spans come in no order: a thread whose spans are not in that of their
// starts is visited twice.
class host_ops final : public host_span_visitor {
 public:
  host_ops(const activity& of, std::uint32_t group, bool only_operators, const selection& selected,
           const query_filters& o)
      : of_(of), only_operators_(only_operators), times_(selected.times_of(of.hosts()[group].file, -1)), options_(o) {}

  result<void> spans(const host_span* first, std::size_t count) override {
    for (const host_span* s = first; s != first + count; ++s) {
      if (s->kind == host_span_kind::device_marker || (only_operators_ && s->kind != host_span_kind::op)) continue;
      event_row event{};
      event.offset_ps = s->start_ps;
      event.duration_ps = s->duration_ps;
      if (!times_.keeps_all() && !times_.keeps(event, s->start_ps)) continue;
      thread& on = thread_of(s->thread);
      if (!on.wanted) continue;
      event.metadata_id = number_of(*s);
      if (again_ && !on.totals.in_order())
        on.totals.add_unordered(&event, 1);
      else if (!again_)
        on.totals.add(&event, 1);
    }
    return {};
  }
  // Whether all spans have to come once more.
  [[nodiscard]] bool needs_another_look() {
    again_ = std::any_of(threads_.begin(), threads_.end(), [](const auto& t) { return !t.second->totals.in_order(); });
    return again_;
  }

  void finish(ops_result& into) {
    const auto ops = std::make_shared<const std::vector<kernel_op>>(std::move(ops_));
    std::vector<std::uint32_t> numbers;
    for (const auto& [number, t] : threads_)
      if (t->wanted) numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    for (const std::uint32_t number : numbers) {
      op_totals& totals = threads_.find(number)->second->totals;
      totals.finish();
      const activity_thread& on = of_.threads()[number];
      ops_line line;
      line.file = on.file;
      line.plane = on.plane;
      line.line = on.line;
      line.plane_name = on.process;
      line.line_name = on.name;
      line.kind = line_kind::thread;
      line.events = totals.events();
      line.duration_sum_ps = totals.duration_sum_ps();
      line.busy_ps = static_cast<std::int64_t>(
          std::min<std::uint64_t>(totals.busy_ps(), std::numeric_limits<std::int64_t>::max()));
      op_rows::sums sums;
      sums.key = op_key::kernel;
      sums.kernels = ops;
      sums.others = totals.take_sparse_ids();
      sums.by_slot = totals.take_sums();
      line.ops = make_op_rows(std::move(sums), options_.name);
      into.lines.push_back(std::move(line));
    }
  }

 private:
  struct thread {
    op_totals totals{0};
    bool wanted = false;
  };
  thread& thread_of(std::uint32_t number) {
    if (last_ != nullptr && number == last_number_) return *last_;
    const auto [at, is_new] = threads_.try_emplace(number);
    if (is_new) {
      const activity_thread& on = of_.threads()[number];
      at->second = std::make_unique<thread>();
      at->second->wanted = contains(on.process, options_.plane) && contains(on.name, options_.line);
    }
    last_number_ = number;
    return *(last_ = at->second.get());
  }
  std::int64_t number_of(const host_span& s) {
    const auto [at, is_new] = numbers_.try_emplace({s.name, s.kind}, static_cast<std::int64_t>(ops_.size()));
    if (is_new) {
      kernel_op& op = ops_.emplace_back();
      op.name = of_.text(s.name);
      op.category = host_span_kind_name(s.kind);
    }
    return at->second;
  }

  const activity& of_;
  const bool only_operators_;
  const event_filter times_;
  const query_filters& options_;
  hash_map<std::uint32_t, std::unique_ptr<thread>> threads_;
  hash_map<std::pair<string_id, host_span_kind>, std::int64_t> numbers_;
  std::vector<kernel_op> ops_;
  thread* last_ = nullptr;
  std::uint32_t last_number_ = 0;
  bool again_ = false;
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

result<void> visit_all(const activity& of, std::uint32_t group, host_span_visitor& into, const hooks& host) {
  using limit = std::numeric_limits<std::int64_t>;
  return of.visit_host_spans(group, limit::min(), limit::max(), into, host);
}

}  // namespace

result<bool> add_host_ops(const profile& p, const std::shared_ptr<const activity>& of, const selection& selected,
                          const query_filters& o, const hooks& host, ops_result& into) {
  const auto groups = static_cast<std::uint32_t>(of->hosts().size());
  operator_finder operators;
  for (std::uint32_t group = 0; group < groups && !operators.found; ++group)
    if (result<void> visited = visit_all(*of, group, operators, host); !visited) return std::move(visited).error();
  for (std::uint32_t group = 0; group < groups; ++group) {
    const std::uint32_t file = of->hosts()[group].file;
    if (p.outline(file) != nullptr || !selected.file(file) || !of->has_host_spans(group)) continue;
    host_ops ops(*of, group, operators.found, selected, o);
    if (result<void> visited = visit_all(*of, group, ops, host); !visited) return std::move(visited).error();
    if (ops.needs_another_look())
      if (result<void> visited = visit_all(*of, group, ops, host); !visited) return std::move(visited).error();
    ops.finish(into);
  }
  into.texts = of;
  return operators.found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
