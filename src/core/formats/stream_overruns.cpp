#include <formats/stream_overruns.hpp>

#include <base/format.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::int64_t kernel_end_ps(const kernel_row& k) noexcept { return saturating_add(k.start_ps, k.duration_ps); }

// Both within int64; their distance need not be.
std::int64_t distance_ps(std::int64_t from_ps, std::int64_t to_ps) noexcept {
  return checked_sub(to_ps, from_ps).value_or(std::numeric_limits<std::int64_t>::max());
}

class overrun_finder {
 public:
  overrun_finder(std::vector<kernel_row>& rows, const std::vector<std::uint64_t>& launch_ids,
                 const std::vector<bool>& shared_streams)
      : rows_(rows), launch_ids_(launch_ids), shared_streams_(shared_streams) {}

  stream_overruns run() {
    std::vector<std::uint32_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto starts_before = [this](std::uint32_t a, std::uint32_t b) {
      const kernel_row &left = rows_[a], &right = rows_[b];
      return left.start_ps != right.start_ps ? left.start_ps < right.start_ps : left.source_row < right.source_row;
    };
    if (!std::is_sorted(order.begin(), order.end(), starts_before)) std::sort(order.begin(), order.end(), starts_before);
    for (const std::uint32_t row : order)
      if (is_judged(rows_[row])) add(row);
    return found_;
  }

 private:
  // A kernel that is not known to be over, and when the first kernel of another launch began after it.
  struct running {
    std::uint32_t row;
    std::int64_t next_start_ps;
  };
  static constexpr std::int64_t none = INT64_MAX;
  static constexpr std::size_t max_open = 64;  // nodes of a graph at once; a stream runs one kernel otherwise

  [[nodiscard]] bool is_judged(const kernel_row& k) const {
    const bool shared = k.stream < shared_streams_.size() && shared_streams_[k.stream];
    return (k.flags & kernel_has_stream) != 0 && (k.flags & kernel_duplicate) == 0 && k.duration_ps > 0 && !shared;
  }

  [[nodiscard]] bool is_one_launch(std::uint32_t a, std::uint32_t b) const {
    return !launch_ids_.empty() && launch_ids_[a] != no_launch_id && launch_ids_[a] == launch_ids_[b];
  }

  void add(std::uint32_t row) {
    const kernel_row& k = rows_[row];
    if (k.stream >= streams_.size()) streams_.resize(std::size_t{k.stream} + 1);
    std::vector<running>& open = streams_[k.stream];
    const auto is_over = [&](running& before) {
      kernel_row& earlier = rows_[before.row];
      if (kernel_end_ps(earlier) <= k.start_ps) return true;
      if (is_one_launch(before.row, row)) return false;
      before.next_start_ps = std::min(before.next_start_ps, k.start_ps);
      const bool lasts_too_long = distance_ps(k.start_ps, kernel_end_ps(earlier)) > overlap_allowed_ps;
      if (lasts_too_long) cut(earlier, before.next_start_ps);
      return lasts_too_long;
    };
    open.erase(std::remove_if(open.begin(), open.end(), is_over), open.end());
    if (open.size() == max_open) open.erase(open.begin());
    open.push_back({row, none});
  }

  void cut(kernel_row& k, std::int64_t at_ps) {
    const std::int64_t too_long_ps = distance_ps(at_ps, kernel_end_ps(k));
    k.duration_ps = std::min(k.duration_ps, distance_ps(k.start_ps, at_ps));
    k.flags = static_cast<std::uint8_t>(k.flags | kernel_cut);
    ++found_.kernels;
    if (too_long_ps <= found_.longest_cut_ps) return;
    found_.longest_cut_ps = too_long_ps;
    found_.longest_name = k.name;
  }

  std::vector<kernel_row>& rows_;
  const std::vector<std::uint64_t>& launch_ids_;
  const std::vector<bool>& shared_streams_;
  std::vector<std::vector<running>> streams_;  // by stream
  stream_overruns found_;
};

}  // namespace

stream_overruns cut_overruns(std::vector<kernel_row>& rows, const std::vector<std::uint64_t>& launch_ids,
                             const std::vector<bool>& shared_streams) {
  return overrun_finder(rows, launch_ids, shared_streams).run();
}

void note_overruns(const stream_overruns& found, const string_table& names, activity_input& input) {
  if (found.kernels == 0) return;
  input.incomplete.push_back(counted(found.kernels, "kernel lasts", "kernels last") +
                             " over the start of later kernels of the same stream, which cannot be (" +
                             (found.kernels == 1 ? "by " : "at most by ") + human_duration(found.longest_cut_ps) + ": " +
                             std::string(names.text(found.longest_name)) +
                             "); such a duration ends at the start of the next kernel here");
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
