// Sums of where the time in steps went: by what ran, and by why nothing did.
#include <profkit/core/report.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

template <class Share>
void sort_longest_first(std::vector<Share>& shares) {
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.time_ps > b.time_ps; });
}

}  // namespace

std::vector<use_share> use_shares(const idle_total& idle) {
  std::vector<use_share> shares;
  for (const time_row& row : idle.time) {
    auto known = std::find_if(shares.begin(), shares.end(), [&](const use_share& s) { return s.use == row.use; });
    if (known == shares.end()) known = shares.insert(known, {row.use, 0, 0});
    known->time_ps += row.time_ps;
    if (row.cause && row.use != time_use::idle) known->waiting_ps += row.time_ps;
  }
  sort_longest_first(shares);
  return shares;
}

std::vector<cause_share> cause_shares(const idle_total& idle) {
  std::vector<cause_share> shares;
  for (const time_row& row : idle.time) {
    if (row.use != time_use::idle || !row.cause || *row.cause == idle_cause::unexplained) continue;
    auto known = std::find_if(shares.begin(), shares.end(), [&](const cause_share& s) { return s.cause == *row.cause; });
    if (known == shares.end()) known = shares.insert(known, {*row.cause, 0, 0});
    known->time_ps += row.time_ps;
    if (row.sure == certainty::proved) known->proved_ps += row.time_ps;
  }
  sort_longest_first(shares);
  return shares;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
