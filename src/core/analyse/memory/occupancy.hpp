// How many bytes of an address space a changing set of ranges covers, each byte once.
#pragma once
#include <profkit/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

struct address_range {
  std::int64_t begin = 0, end = 0;  // half open, not negative
};

// Ranges come and go; covered() is the size of their union. O(log n) a change.
class covered_bytes {
 public:
  // `edges` are all begins and ends that will be used.
  explicit covered_bytes(std::vector<std::int64_t> edges) : edges_(std::move(edges)) {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    while (leaves_ + 1 < edges_.size()) leaves_ *= 2;
    nodes_.assign(2 * leaves_, {});
  }

  // A range in terms of the edges; found once for what comes and goes.
  struct stretch {
    std::uint32_t begin = 0, end = 0;
  };
  [[nodiscard]] stretch place(const address_range& range) const noexcept {
    if (range.end <= range.begin) return {};
    return {place_of(range.begin), place_of(range.end)};
  }

  void add(const stretch& where) { change(where, 1); }
  // Only what was added before.
  void remove(const stretch& where) { change(where, -1); }
  [[nodiscard]] std::int64_t covered() const noexcept { return edges_.size() < 2 ? 0 : nodes_[1].covered; }

 private:
  struct node {
    std::int64_t covered = 0;
    std::int32_t count = 0;  // ranges that cover all of it and not all of its parent
  };

  [[nodiscard]] std::uint32_t place_of(std::int64_t edge) const noexcept {
    return static_cast<std::uint32_t>(std::lower_bound(edges_.begin(), edges_.end(), edge) - edges_.begin());
  }
  [[nodiscard]] std::int64_t length(std::size_t from, std::size_t to) const noexcept {
    const std::size_t last = edges_.size() - 1;
    return edges_[to < last ? to : last] - edges_[from < last ? from : last];
  }
  void refresh(std::size_t at, std::size_t from, std::size_t to) noexcept {
    node& n = nodes_[at];
    if (n.count > 0)
      n.covered = length(from, to);
    else
      n.covered = at >= leaves_ ? 0 : nodes_[2 * at].covered + nodes_[2 * at + 1].covered;
  }
  void change(const stretch& where, std::int32_t by) {
    if (where.end > where.begin) change(1, 0, leaves_, where.begin, where.end, by);
  }
  // As deep as the logarithm of the number of edges.
  void change(std::size_t at, std::size_t from, std::size_t to, std::size_t begin, std::size_t end, std::int32_t by) {
    if (begin <= from && to <= end) {
      nodes_[at].count += by;
    } else {
      const std::size_t middle = from + (to - from) / 2;
      if (begin < middle) change(2 * at, from, middle, begin, end, by);
      if (end > middle) change(2 * at + 1, middle, to, begin, end, by);
    }
    refresh(at, from, to);
  }

  std::vector<std::int64_t> edges_;
  std::vector<node> nodes_;
  std::size_t leaves_ = 1;
};

// A byte range owned by someone.
struct owned_range {
  address_range range;
  std::uint32_t owner = 0;
};

// Calls take(owner, bytes) for every stretch of addresses that exactly one range covers.
template <class Take>
void visit_lone_owners(const std::vector<owned_range>& ranges, Take&& take) {
  struct edge {
    std::int64_t at;
    std::uint32_t range;
    bool begins;
  };
  std::vector<edge> edges;
  edges.reserve(2 * ranges.size());
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].range.end <= ranges[i].range.begin) continue;
    edges.push_back({ranges[i].range.begin, i, true});
    edges.push_back({ranges[i].range.end, i, false});
  }
  std::sort(edges.begin(), edges.end(), [](const edge& a, const edge& b) { return a.at < b.at; });
  std::uint64_t active = 0, sum = 0;  // the sum of the active positions is the one that is active alone
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i > 0 && active == 1 && edges[i].at > edges[i - 1].at)
      take(ranges[static_cast<std::size_t>(sum)].owner, edges[i].at - edges[i - 1].at);
    if (edges[i].begins) {
      ++active;
      sum += edges[i].range;
    } else {
      --active;
      sum -= edges[i].range;
    }
  }
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
