#include <formats/activity_store.hpp>

#include <base/merge_runs.hpp>
#include <base/progress.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t rows_per_call = 4096;
constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::min();

std::int64_t end_ps_of(const host_span& s) noexcept { return saturating_add(s.start_ps, s.duration_ps); }

bool comes_before(const kernel_row& a, const kernel_row& b) noexcept {
  if (a.start_ps != b.start_ps) return a.start_ps < b.start_ps;
  if (a.duration_ps != b.duration_ps) return a.duration_ps < b.duration_ps;
  return a.source_row < b.source_row;
}

}  // namespace

void sort_kernels(std::vector<kernel_row>& rows) {
  if (!std::is_sorted(rows.begin(), rows.end(), comes_before)) std::sort(rows.begin(), rows.end(), comes_before);
}

kernel_list::kernel_list(std::vector<kernel_row> rows) : rows_(std::move(rows)) { sort_kernels(rows_); }

result<void> kernel_list::visit(kernel_visitor& into, const hooks& host) const {
  progress_meter meter(host, rows_.size() * sizeof(kernel_row));
  for (std::size_t at = 0; at < rows_.size(); at += rows_per_call) {
    if (auto go_on = meter.step(at * sizeof(kernel_row)); !go_on) return go_on;
    if (auto taken = into.rows(rows_.data() + at, std::min(rows_per_call, rows_.size() - at)); !taken) return taken;
  }
  return {};
}

struct host_span_list::search {
  std::int64_t from_ps, to_ps;
  std::size_t end;  // spans from here on start too late
  host_span_visitor& into;
  std::array<host_span, 256> found;
  std::size_t count = 0;

  result<void> take(const host_span& s) {
    found[count++] = s;
    return count == found.size() ? give() : result<void>();
  }
  result<void> give() {
    const std::size_t given = std::exchange(count, 0);
    return given == 0 ? result<void>() : into.spans(found.data(), given);
  }
};

host_span_list::host_span_list(std::vector<host_span> spans) : spans_(std::move(spans)) {
  const auto earlier = [](const host_span& a, const host_span& b) {
    return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.source_row < b.source_row;
  };
  constexpr std::size_t max_runs = 256;
  merge_runs(spans_, max_runs, earlier);
  const std::size_t blocks = (spans_.size() + block - 1) / block;
  leaves_ = 1;
  while (leaves_ < blocks) leaves_ *= 2;
  latest_end_.assign(2 * leaves_, nowhere);
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    std::int64_t& latest = latest_end_[leaves_ + i / block];
    latest = std::max(latest, end_ps_of(spans_[i]));
  }
  for (std::size_t node = leaves_ - 1; node > 0; --node) {
    latest_end_[node] = std::max(latest_end_[2 * node], latest_end_[2 * node + 1]);
  }
}

result<void> host_span_list::look_into(std::size_t node, std::size_t first_block, std::size_t blocks, search& s) const {
  if (first_block * block >= s.end || latest_end_[node] < s.from_ps) return {};
  if (blocks > 1) {
    if (auto left = look_into(2 * node, first_block, blocks / 2, s); !left) return left;
    return look_into(2 * node + 1, first_block + blocks / 2, blocks / 2, s);
  }
  const std::size_t last = std::min(s.end, (first_block + 1) * block);
  for (std::size_t i = first_block * block; i < last; ++i) {
    const host_span& span = spans_[i];
    if (end_ps_of(span) <= s.from_ps && span.start_ps < s.from_ps) continue;
    if (auto taken = s.take(span); !taken) return taken;
  }
  return {};
}

result<void> host_span_list::visit(std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& into,
                                   const hooks& host) const {
  progress_meter meter(host);
  if (auto go_on = meter.step(0); !go_on) return go_on;
  const auto late =
      std::partition_point(spans_.begin(), spans_.end(), [to_ps](const host_span& s) { return s.start_ps < to_ps; });
  search s{from_ps, to_ps, static_cast<std::size_t>(late - spans_.begin()), into, {}, 0};
  if (auto looked = look_into(1, 0, leaves_, s); !looked) return looked;
  return s.give();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
