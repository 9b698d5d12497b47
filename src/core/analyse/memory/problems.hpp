// Problems of one module, each listed once with a count.
#pragma once
#include <profkit/core/memory.hpp>

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

class problem_list {
 public:
  // `what` is kept from the first of each id.
  template <class What>
  void note(std::string_view id, What&& what) {
    for (memory_problem& p : found_) {
      if (p.id != id) continue;
      ++p.count;
      return;
    }
    found_.push_back({std::string(id), std::forward<What>(what)(), 1});
  }
  [[nodiscard]] bool has(std::string_view id) const noexcept {
    for (const memory_problem& p : found_)
      if (p.id == id) return true;
    return false;
  }
  [[nodiscard]] std::vector<memory_problem> take() noexcept { return std::move(found_); }

 private:
  std::vector<memory_problem> found_;
};

// Adds bytes; stops at the greatest int64 and says so.
inline void add_bytes(std::int64_t& sum, std::int64_t bytes, problem_list& problems) {
  if (bytes <= 0) return;  // negative sizes were made 0 and reported when they were read
  if (sum <= std::numeric_limits<std::int64_t>::max() - bytes) {
    sum += bytes;
    return;
  }
  sum = std::numeric_limits<std::int64_t>::max();
  problems.note("hlo.size_overflow", [] {
    return std::string("sizes add up to more than 2^63 - 1 bytes: sums stop there and are no measure");
  });
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
