#include <analyse/bubbles/gaps.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

void recent_kernels::add(const kernel_row& k) noexcept {
  const std::int64_t end = end_of(k);
  if (count_ == most_context && end < end_of(last_[most_context - 1])) return;
  // Of kernels that end together the one that started later stands first.
  std::size_t at = count_ < most_context ? count_++ : most_context - 1;
  for (; at > 0 && end_of(last_[at - 1]) <= end; --at) last_[at] = last_[at - 1];
  last_[at] = k;
}

void recent_kernels::put_before(bubble& b) const noexcept {
  b.before = last_;
  b.before_count = count_;
}

void bubble_store::add(bubble&& b) {
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
  for (auto dropped = last; dropped != kept_.end(); ++dropped) {
    if (dropped->inter_step) continue;  // its two parts stand for it
    ++left_out_;
    left_out_ps_ = saturating_add(left_out_ps_, dropped->length_ps());
  }
  kept_.erase(last, kept_.end());
}

std::vector<bubble> bubble_store::take() {
  drop_shortest();
  std::sort(kept_.begin(), kept_.end(), [](const bubble& a, const bubble& b) {
    return std::tie(a.start_ps, b.end_ps, a.scope) < std::tie(b.start_ps, a.end_ps, b.scope);
  });
  return std::move(kept_);
}

void keep_longest(std::vector<std::pair<std::int64_t, std::int64_t>>& spans, std::int64_t start_ps, std::int64_t end_ps,
                  std::size_t most) {
  const auto length = [](const auto& s) { return s.second - s.first; };
  const std::pair<std::int64_t, std::int64_t> added{start_ps, end_ps};
  if (spans.size() == most && length(spans.back()) >= length(added)) return;
  const auto at = std::upper_bound(spans.begin(), spans.end(), added, [&](const auto& a, const auto& b) {
    return length(a) != length(b) ? length(a) > length(b) : a.first < b.first;
  });
  spans.insert(at, added);
  if (spans.size() > most) spans.pop_back();
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
