// Kernels and host spans held in memory, for readers of tables and JSON.
#pragma once
#include <formats/activity_parts.hpp>

#include <cstddef>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Puts kernels in the promised order: (start, end, row).
void sort_kernels(std::vector<kernel_row>& rows);

class kernel_list final : public kernel_source {
 public:
  // In order already, or it is put in order.
  explicit kernel_list(std::vector<kernel_row> rows);
  result<void> visit(kernel_visitor& into, const hooks& host) const override;

 private:
  std::vector<kernel_row> rows_;
};

// Finds the spans of any stretch of time without looking at those far from it.
class host_span_list final : public host_span_source {
 public:
  explicit host_span_list(std::vector<host_span> spans);
  result<void> visit(std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& into,
                     const hooks& host) const override;

 private:
  static constexpr std::size_t block = 32;  // spans that share one entry of the tree

  struct search;
  result<void> look_into(std::size_t node, std::size_t first_block, std::size_t blocks, search& s) const;

  std::vector<host_span> spans_;          // by start
  std::vector<std::int64_t> latest_end_;  // a binary tree over blocks of spans, the root at 1
  std::size_t leaves_ = 0;                // a power of two
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
