// What somebody meant who wrote a name a little wrong.
#include <profkit/core/text.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t longest_name = 200;  // of a longer one, its beginning is compared

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The fewest letters to add, drop, change or swap with their neighbour so that `wanted` becomes a part of `name`.
std::size_t changes(std::string_view wanted, std::string_view name) {
  // Rows of the table of all beginnings of `wanted` against those of `name`; a part may begin anywhere, so the first is zeros.
  std::vector<std::size_t> before_last(name.size() + 1), last(name.size() + 1), row(name.size() + 1);
  for (std::size_t i = 1; i <= wanted.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= name.size(); ++j) {
      const bool same = lower(wanted[i - 1]) == lower(name[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(wanted[i - 1]) == lower(name[j - 2]) && lower(wanted[i - 2]) == lower(name[j - 1]))
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return *std::min_element(last.begin(), last.end());
}

}  // namespace

const std::string* closest_to(std::string_view wanted, const std::vector<std::string>& names) {
  if (wanted.size() < 3 || wanted.size() > longest_name) return nullptr;
  const std::string* found = nullptr;
  std::pair<std::size_t, std::size_t> least(wanted.size() / 4 + 1, 0);  // changes, difference in length
  for (const std::string& name : names) {
    const std::string_view start = std::string_view(name).substr(0, longest_name);
    const std::pair<std::size_t, std::size_t> is(changes(wanted, start),
                                                 std::max(start.size(), wanted.size()) - std::min(start.size(), wanted.size()));
    if (is >= least) continue;
    least = is;
    found = &name;
  }
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
