// Totals of what the threads of one host did, and how much of its time each call has to itself.
#pragma once
#include <trace/filters/select.hpp>
#include <analyse/ops/op_totals.hpp>
#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <profkit/core/activity.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// All spans of a host, in no order.
[[nodiscard]] inline result<void> visit_all_spans(const activity& of, std::uint32_t group, host_span_visitor& into, const hooks& host) {
  using limit = std::numeric_limits<std::int64_t>;
  return of.visit_host_spans(group, limit::min(), limit::max(), into, host);
}

// Spans come in no order: where those of a thread are not in the order of their starts, all come once more.
class thread_totals {
 public:
  thread_totals(const activity& of, std::uint32_t group, const selection& selected, const query_filters& o)
      : of_(of), times_(selected.times_of(of.hosts()[group].file, -1)), options_(o) {}

  // `id`: what it is summed by. False: the span's thread or time is not asked for.
  bool add(std::uint32_t thread, std::int64_t start_ps, std::int64_t duration_ps, std::int64_t id) {
    if (!times_.keeps_time(start_ps, duration_ps)) return false;
    one_thread& on = find(thread);
    if (!on.wanted) return false;
    event_row event{};
    event.metadata_id = id;
    event.offset_ps = start_ps;
    event.duration_ps = duration_ps;
    if (!again_)
      on.totals.add(&event, 1);
    else if (!on.totals.in_order())
      on.totals.add_unordered(&event, 1);
    return true;
  }
  // Calls add_all(), which adds all spans, once or twice.
  template <class AddAll>
  result<void> fill(AddAll&& add_all) {
    if (result<void> added = add_all(); !added) return added;
    again_ = std::any_of(threads_.begin(), threads_.end(), [](const auto& t) { return !t.second->totals.in_order(); });
    return again_ ? add_all() : result<void>();
  }
  [[nodiscard]] bool is_another_look() const noexcept { return again_; }
  // use(thread, totals) of every thread that is wanted, in their order, once all spans were added.
  template <class Use>
  void finish(Use&& use) {
    std::vector<std::uint32_t> numbers;
    for (const auto& [number, t] : threads_)
      if (t->wanted) numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    for (const std::uint32_t number : numbers) {
      op_totals& totals = threads_.find(number)->second->totals;
      totals.finish();
      use(of_thread(number), totals);
    }
  }
  [[nodiscard]] const activity_thread& of_thread(std::uint32_t number) const {
    return number == no_thread ? unknown_thread_ : of_.threads()[number];
  }

 private:
  struct one_thread {
    op_totals totals{0};
    bool wanted = false;
  };
  one_thread& find(std::uint32_t number) {
    if (last_ != nullptr && number == last_number_) return *last_;
    const auto [at, is_new] = threads_.try_emplace(number);
    if (is_new) {
      const activity_thread& on = of_thread(number);
      at->second = std::make_unique<one_thread>();
      at->second->wanted = contains(on.process, options_.plane) && contains(on.name, options_.line);
    }
    last_number_ = number;
    return *(last_ = at->second.get());
  }

  const activity& of_;
  const event_filter times_;
  const query_filters& options_;
  const activity_thread unknown_thread_;
  hash_map<std::uint32_t, std::unique_ptr<one_thread>> threads_;
  one_thread* last_ = nullptr;
  std::uint32_t last_number_ = 0;
  bool again_ = false;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
