// The repeated parts of a step, such as the layers of a model, found in the sequence of its kernels.
#pragma once
#include <analyse/bubbles/kernels.hpp>
#include <analyse/bubbles/layer_spans.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// Attention kernels begin a layer. Case does not matter; backward kernels do not count.
[[nodiscard]] bool is_attention(std::string_view name) noexcept;

struct step_structures {
  std::vector<step_structure> list;      // by start; `step` is left to the caller
  std::vector<std::uint32_t> first_row;  // of each structure, in the rows; one more for the end
  const char* source = "";               // "annotations", "attention", "periodic op", "gaps"; "" none
  std::string_view missing;              // why there are none
};

// Reused from step to step: nothing is allocated once it is warm.
class structure_finder {
 public:
  // `layers`: those that the host names, when kernels are connected with their launches.
  structure_finder(const activity& of, const bubble_thresholds& t, const std::vector<layer_span>& layers)
      : of_(of), thresholds_(t), layers_(layers) {}
  // `op_count`: one more than the greatest index in rows.ops.
  [[nodiscard]] step_structures find(const step_rows& rows, std::size_t op_count);

 private:
  struct occurrence {
    std::uint32_t count = 0, first = 0, last = 0;
    double distance_sum = 0, distance_squares = 0;
  };
  bool is_attention_op(const kernel_row& k, std::uint32_t op);
  void count_ops(const step_rows& rows, std::size_t op_count);
  [[nodiscard]] std::int64_t attention_anchor(const step_rows& rows);
  [[nodiscard]] std::int64_t periodic_anchor(const step_rows& rows) const;
  [[nodiscard]] std::vector<std::uint32_t> cut_at_op(const step_rows& rows, std::uint32_t anchor) const;
  [[nodiscard]] std::vector<std::uint32_t> cut_at_layers(const step_rows& rows, std::uint32_t& tail,
                                                         std::vector<string_id>& names) const;
  [[nodiscard]] std::vector<std::uint32_t> cut_at_gaps(const step_rows& rows) const;
  static std::uint32_t end_of_last_layer(const step_rows& rows, const std::vector<std::uint32_t>& anchors);

  const activity& of_;
  const bubble_thresholds& thresholds_;
  const std::vector<layer_span>& layers_;
  std::vector<std::int8_t> attention_;  // by op: -1 not looked at
  std::vector<occurrence> seen_;        // by op
};

// The structure that holds an instant, by their starts; -1 when it lies before the first.
[[nodiscard]] std::int32_t structure_at(const std::vector<step_structure>& list, std::int64_t at_ps) noexcept;

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
