#include <analyse/bubbles/templates.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {
namespace {

constexpr std::size_t max_compared_kernels = std::size_t{1} << 16;

// FNV-1a over the ids; they are given in the order of the file, so they are the same in every run.
std::uint64_t sequence_hash(const step_rows& rows, std::int32_t main) noexcept {
  std::uint64_t hash = 14695981039346656037ULL;
  string_id last = 0;
  bool any = false;
  for (const kernel_row& k : rows.rows) {
    if (main >= 0 && (!has_stream(k) || k.stream != static_cast<std::uint32_t>(main))) continue;
    const string_id type = type_of(k);
    if (any && type == last) continue;
    any = true;
    last = type;
    for (unsigned shift = 0; shift < 32; shift += 8) hash = (hash ^ (type >> shift & 255U)) * 1099511628211ULL;
  }
  return hash;
}

string_id shapes_of(const kernel_row& k, const activity_device& on) noexcept {
  return k.details != 0 && k.details <= on.details.size() ? on.details[k.details - 1].input_shapes : 0;
}

}  // namespace

std::int32_t template_table::add(const step_rows& rows, const activity_device& on, std::int32_t main) {
  const auto [at, is_new] =
      index_.try_emplace(sequence_hash(rows, main), static_cast<std::uint32_t>(templates_.size()));
  if (is_new && templates_.size() == max_templates) {
    index_.erase(at);
    return -1;
  }
  if (is_new) {
    step_template& t = templates_.emplace_back();
    t.kernels = rows.rows.size();
    std::array<std::int64_t, 5> by_class{};
    std::vector<string_id> types;
    types.reserve(rows.rows.size());
    for (const kernel_row& k : rows.rows) {
      std::int64_t& sum = by_class[static_cast<std::size_t>(k.kind)];
      sum = saturating_add(sum, k.duration_ps);
      types.push_back(type_of(k));
    }
    t.dominant = static_cast<kernel_class>(std::max_element(by_class.begin(), by_class.end()) - by_class.begin());
    std::sort(types.begin(), types.end());
    for (const string_id type : types) {
      if (t.types.empty() || t.types.back().first != type) t.types.push_back({type, 0});
      ++t.types.back().second;
    }
  }
  step_template& t = templates_[at->second];
  ++t.steps;
  if (on.has_shapes) compare_shapes(t, rows, on);
  return static_cast<std::int32_t>(at->second);
}

void template_table::compare_shapes(step_template& t, const step_rows& rows, const activity_device& on) {
  const std::size_t n = rows.rows.size();
  if (n > max_compared_kernels) return;
  if (t.steps == 1) {
    t.shapes.reserve(n);
    for (const kernel_row& k : rows.rows) t.shapes.push_back(shapes_of(k, on));
    t.varies.assign(n, false);
    return;
  }
  if (n != t.shapes.size()) return;  // positions do not correspond
  ++t.compared;
  for (std::size_t i = 0; i < n; ++i)
    if (shapes_of(rows.rows[i], on) != t.shapes[i]) t.varies[i] = true;
}

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
