// What a step did, as a template that other steps can be compared with.
#pragma once
#include <analyse/bubbles/kernels.hpp>
#include <base/hash_map.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

struct step_template {
  std::uint64_t kernels = 0;
  kernel_class dominant = kernel_class::compute;
  std::vector<std::pair<string_id, std::uint32_t>> types;  // op type and count, by type
  std::uint64_t steps = 0;
  // Input shapes of the first step, by position; then how many later steps of that length were compared.
  std::vector<string_id> shapes;
  std::vector<bool> varies;
  std::uint64_t compared = 0;
};

// Steps with the same sequence of op types on their main stream, runs of one type counted once, share a template.
class template_table {
 public:
  // The template of a step; -1 when there are too many of them to keep.
  std::int32_t add(const step_rows& rows, const activity_device& on, std::int32_t main);
  [[nodiscard]] std::vector<step_template>& all() noexcept { return templates_; }

 private:
  static void compare_shapes(step_template& t, const step_rows& rows, const activity_device& on);
  std::vector<step_template> templates_;
  hash_map<std::uint64_t, std::uint32_t> index_;
};

inline constexpr std::size_t max_templates = 1024;

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
