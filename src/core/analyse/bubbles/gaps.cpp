#include <analyse/bubbles/gaps.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

void recent_kernels::keep_rows() noexcept {
  std::array<kernel_row, max_context> rows;
  for (std::size_t i = 0; i < max_context; ++i)
    if (last_[i].row != nullptr) rows[i] = *last_[i].row;
  kept_ = rows;
  for (std::size_t i = 0; i < max_context; ++i)
    if (last_[i].row != nullptr) last_[i].row = &kept_[i];
}

void recent_kernels::put_before(bubble& b) const noexcept {
  b.before_count = 0;
  for (const ended& e : last_)
    if (e.row != nullptr) b.before[b.before_count++] = *e.row;
}

void bubble_store::leave_out(std::int64_t length_ps, bool inter_step) noexcept {
  if (inter_step) return;  // its two parts stand for it
  ++left_out_;
  left_out_ps_ = saturating_add(left_out_ps_, length_ps);
}

void bubble_store::add(bubble&& b) {
  constexpr std::size_t few = 512, max_reserved = std::size_t{1} << 16;
  if (!has_room_for(b.length_ps())) return leave_out(b.length_ps(), b.inter_step);
  // Grown once, to what it may hold: pages that are never filled cost nothing, copies do.
  if (kept_.size() == few) kept_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(2 * most_, max_reserved)));
  kept_.push_back(std::move(b));
  if (kept_.size() >= 2 * most_) drop_shortest();
}

void bubble_store::drop_shortest() {
  if (kept_.size() <= most_) return;
  const auto longer = [](const bubble& a, const bubble& b) {
    return a.length_ps() != b.length_ps() ? a.length_ps() > b.length_ps() : a.start_ps < b.start_ps;
  };
  const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(most_);
  std::nth_element(kept_.begin(), last, kept_.end(), longer);
  for (auto dropped = last; dropped != kept_.end(); ++dropped) leave_out(dropped->length_ps(), dropped->inter_step);
  kept_.erase(last, kept_.end());
  shortest_ps_ = std::min_element(kept_.begin(), kept_.end(), [](const bubble& a, const bubble& b) {
                   return a.length_ps() < b.length_ps();
                 })->length_ps();
}

std::vector<bubble> bubble_store::take() {
  drop_shortest();
  std::sort(kept_.begin(), kept_.end(), [](const bubble& a, const bubble& b) {
    return std::tie(a.start_ps, b.end_ps, a.scope) < std::tie(b.start_ps, a.end_ps, b.scope);
  });
  shortest_ps_ = 0;
  return std::exchange(kept_, {});
}

void insert_longest(std::vector<std::pair<std::int64_t, std::int64_t>>& spans, std::int64_t start_ps,
                    std::int64_t end_ps, std::size_t most) {
  const auto length = [](const auto& s) { return s.second - s.first; };
  const std::pair<std::int64_t, std::int64_t> added{start_ps, end_ps};
  const auto at = std::upper_bound(spans.begin(), spans.end(), added, [&](const auto& a, const auto& b) {
    return length(a) != length(b) ? length(a) > length(b) : a.first < b.first;
  });
  spans.insert(at, added);
  if (spans.size() > most) spans.pop_back();
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
