#include <formats/ascend/ascend_work.hpp>

#include <base/affix.hpp>
#include <base/split.hpp>
#include <formats/operator_work.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct matrix_type {
  std::string_view name;
  std::int64_t bytes;
  std::optional<number_type> number;
};
// As CANN's tables write types.
constexpr matrix_type matrix_types[] = {
    {"FLOAT", 4, number_type::f32}, {"FLOAT16", 2, number_type::f16}, {"DT_BF16", 2, number_type::bf16}, {"BF16", 2, number_type::bf16},
};

// Without their batches all have two dimensions: in the layouts of the matrix unit they have more.
struct product_kernel {
  std::string_view type;
  std::size_t batches;
};
constexpr product_kernel product_kernels[] = {
    {"MatMul", 0},      {"MatMulV2", 0},      {"MatMulV3", 0},
    {"BatchMatMul", 1}, {"BatchMatMulV2", 1}, {"BatchMatMulV3", 1},
};

// Empty when that is not a list of numbers above 0.
std::vector<std::int64_t> extents_of(std::string_view shape) {
  std::vector<std::int64_t> extents;
  for (const std::string_view part : parts_between(shape, ',')) {
    std::int64_t extent = 0;
    for (const char c : part) {
      if (!is_digit(c) || extent > (std::int64_t{1} << 40)) return {};
      extent = extent * 10 + (c - '0');
    }
    if (extent == 0) return {};
    extents.push_back(extent);
  }
  return extents;
}

std::int64_t element_count(const std::vector<std::int64_t>& extents) noexcept {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count = saturating_mul(count, extent);
  return count;
}

// The side of a matrix other than `side`; 0: neither is `side`. Which of the two comes first is not on record.
std::int64_t side_beside(const std::vector<std::int64_t>& extents, std::int64_t side) noexcept {
  const std::int64_t rows = extents[extents.size() - 2], columns = extents[extents.size() - 1];
  return rows == side ? columns : columns == side ? rows : 0;
}

}  // namespace

std::optional<kernel_work> work_of_ascend_kernel(std::string_view type, std::string_view input_shapes, std::string_view input_types,
                                                 std::string_view output_shapes) {
  const auto* const kernel = std::find_if(std::begin(product_kernels), std::end(product_kernels),
                                          [&](const product_kernel& k) { return k.type == type; });
  if (kernel == std::end(product_kernels)) return std::nullopt;
  const std::vector<std::string_view> inputs = parts_between(input_shapes, ';'), types = parts_between(input_types, ';');
  if (inputs.size() < 2 || types.size() < 2 || types[0] != types[1]) return std::nullopt;
  const auto* const number = std::find_if(std::begin(matrix_types), std::end(matrix_types),
                                          [&](const matrix_type& t) { return t.name == types[0]; });
  if (number == std::end(matrix_types)) return std::nullopt;
  const std::vector<std::int64_t> left = extents_of(inputs[0]), right = extents_of(inputs[1]), result = extents_of(output_shapes);
  const std::size_t dimensions = kernel->batches + 2;
  if (left.size() != dimensions || right.size() != dimensions || result.size() != dimensions) return std::nullopt;
  const std::int64_t depth = side_beside(left, result[dimensions - 2]);
  if (depth == 0 || side_beside(right, result[dimensions - 1]) != depth) return std::nullopt;
  if (kernel->batches != 0 && (left[0] != result[0] || right[0] != result[0])) return std::nullopt;
  const std::int64_t elements = saturating_add(element_count(left), saturating_add(element_count(right), element_count(result)));
  return kernel_work{saturating_mul(saturating_mul(element_count(result), depth), 2), saturating_mul(elements, number->bytes),
                     number->number};
}

std::optional<kernel_work> work_of_ascend_operator(std::string_view op, std::string_view shapes, std::string_view types) {
  std::string shape_list, type_list;
  for (const std::string_view shape : parts_between(shapes, ';')) {
    shape_list += shape_list.empty() ? "[[" : ",[";
    shape_list += shape;
    shape_list += ']';
  }
  for (const std::string_view type : parts_between(types, ';')) {
    type_list += type_list.empty() ? "[\"" : ",\"";
    type_list += type;
    type_list += '"';
  }
  return work_of_operator(op, shape_list + ']', type_list + ']', {});
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
