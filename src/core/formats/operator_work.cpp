#include <formats/operator_work.hpp>

#include <base/affix.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

enum class work_rule : std::uint8_t {
  product,
  sum_and_product,
  linear,
  attention,
  attention_t,
  attention_backward,
  attention_backward_t,
  convolution,
  convolution_bias,
  convolution_aten,
  convolution_backward,
  pointwise,
  in_place,
  compare,
  copy,
  reduction,
  normalize,
};

struct known_operator {
  std::string_view name;
  work_rule rule;
  std::size_t first;
};
constexpr known_operator known_operators[] = {
#define PROFKIT_OPERATOR(name, rule, first) {name, work_rule::rule, first},
#include <formats/operator_rules.inc>
#undef PROFKIT_OPERATOR
};

const known_operator* find_operator(std::string_view op) noexcept {
  constexpr std::string_view prefix = "aten::";
  if (!starts_with(op, prefix)) return nullptr;
  op.remove_prefix(prefix.size());
  for (const known_operator& each : known_operators)
    if (each.name == op) return &each;
  return nullptr;
}

struct known_type {
  std::string_view name;
  std::int64_t bytes;
  std::optional<number_type> number;
};
// C++ types as PyTorch writes them (c10/core/ScalarType.h).
constexpr known_type known_types[] = {
    {"float", 4, number_type::tf32},
    {"double", 8, number_type::f64},
    {"c10::Half", 2, number_type::f16},
    {"c10::BFloat16", 2, number_type::bf16},
    {"c10::Float8_e4m3fn", 1, number_type::f8},
    {"c10::Float8_e5m2", 1, number_type::f8},
    {"c10::Float8_e4m3fnuz", 1, number_type::f8},
    {"c10::Float8_e5m2fnuz", 1, number_type::f8},
    {"signed char", 1, number_type::i8},
    {"unsigned char", 1, number_type::i8},
    {"bool", 1, std::nullopt},
    {"short", 2, std::nullopt},
    {"int", 4, std::nullopt},
    {"long", 8, std::nullopt},
    {"long int", 8, std::nullopt},
    {"long long", 8, std::nullopt},
    {"c10::complex<float>", 8, number_type::tf32},
    {"c10::complex<double>", 16, number_type::f64},
};

struct input {
  bool is_array = false;  // a list of numbers, empty or not
  std::vector<std::int64_t> extents;
  const known_type* type = nullptr;

  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count = saturating_mul(count, extent);
    return count;
  }
  [[nodiscard]] std::int64_t bytes() const noexcept { return saturating_mul(elements(), type->bytes); }
  [[nodiscard]] std::int64_t extent_from_end(std::size_t at) const noexcept { return extents[extents.size() - at]; }
};

// The elements of a JSON array, as they are written.
std::vector<std::string_view> elements_of(std::string_view array) {
  std::vector<std::string_view> found;
  int depth = 0;
  bool in_text = false;
  std::size_t from = 0;
  for (std::size_t at = 0; at < array.size(); ++at) {
    const char c = array[at];
    if (c == '"' && (at == 0 || array[at - 1] != '\\')) in_text = !in_text;
    if (in_text) continue;
    const bool ends = (c == ',' && depth == 1) || (c == ']' && depth == 1);
    if (ends) {
      std::string_view element = array.substr(from, at - from);
      while (!element.empty() && static_cast<unsigned char>(element.front()) <= ' ') element.remove_prefix(1);
      while (!element.empty() && static_cast<unsigned char>(element.back()) <= ' ') element.remove_suffix(1);
      if (!element.empty() || c == ',') found.push_back(element);
    }
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (ends || (c == '[' && depth == 1)) from = at + 1;
  }
  return found;
}

// "[1, 64]"; nothing when that is not a list of whole numbers from 0 on.
std::optional<std::vector<std::int64_t>> numbers_of(std::string_view list) {
  if (list.size() < 2 || list.front() != '[' || list.back() != ']') return std::nullopt;
  std::vector<std::int64_t> found;
  for (const std::string_view each : elements_of(list)) {
    std::int64_t n = 0;
    for (const char c : each) {
      if (!is_digit(c) || n > (std::int64_t{1} << 56)) return std::nullopt;
      n = n * 10 + (c - '0');
    }
    if (each.empty()) return std::nullopt;
    found.push_back(n);
  }
  return found;
}

std::string_view unquoted(std::string_view text) noexcept {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

std::vector<input> inputs_of(std::string_view shapes, std::string_view types) {
  std::vector<input> found;
  const std::vector<std::string_view> names = elements_of(types);
  for (const std::string_view each : elements_of(shapes)) {
    input& in = found.emplace_back();
    if (auto extents = numbers_of(each)) {
      in.is_array = true;
      in.extents = std::move(*extents);
    }
    const std::string_view name = found.size() <= names.size() ? unquoted(names[found.size() - 1]) : std::string_view();
    const auto type = std::find_if(std::begin(known_types), std::end(known_types), [&](const known_type& t) { return t.name == name; });
    if (type != std::end(known_types)) in.type = &*type;
  }
  return found;
}

using sides = std::vector<std::int64_t>;

class operator_work {
 public:
  operator_work(const known_operator& op, std::vector<input> inputs, std::string_view values)
      : op_(op), inputs_(std::move(inputs)), values_(elements_of(values)) {}

  std::optional<kernel_work> work() {
    switch (op_.rule) {
      case work_rule::product: return product(0);
      case work_rule::sum_and_product: return product(added_bytes(0));
      case work_rule::linear: return linear();
      case work_rule::attention: return attention(0, 1, 2, 2);
      case work_rule::attention_t: return attention(0, 2, 1, 2);
      case work_rule::attention_backward: return attention(1, 1, 2, 5);
      case work_rule::attention_backward_t: return attention(1, 2, 1, 5);
      case work_rule::convolution: return convolution(2, 3, 4);
      case work_rule::convolution_bias: return convolution(3, 4, 5);
      case work_rule::convolution_aten: return convolution(4, 3, 5);
      case work_rule::convolution_backward: return convolution_backward();
      case work_rule::pointwise: return pointwise(1, false);
      case work_rule::compare: return pointwise(1, true);
      case work_rule::in_place: return in_place();
      case work_rule::copy: return copy();
      case work_rule::reduction: return over_input(1, 1);
      case work_rule::normalize: return over_input(0, 2);
    }
    return std::nullopt;
  }

 private:
  // An array of a known type, with so many dimensions at least; else null.
  [[nodiscard]] const input* array_at(std::size_t at, std::size_t dimensions = 0) const noexcept {
    at += op_.first;
    const bool is_known = at < inputs_.size() && inputs_[at].is_array && inputs_[at].type != nullptr;
    return is_known && inputs_[at].extents.size() >= dimensions ? &inputs_[at] : nullptr;
  }
  // Of the bias, say, counted from the first of all inputs; 0 where there is none.
  [[nodiscard]] std::int64_t added_bytes(std::size_t at) const noexcept {
    const bool is_known = at < inputs_.size() && inputs_[at].is_array && inputs_[at].type != nullptr && !inputs_[at].extents.empty();
    return is_known ? inputs_[at].bytes() : 0;
  }
  // The numbers of a value: "[1, 1]".
  [[nodiscard]] std::optional<sides> value_at(std::size_t at) const {
    return at < values_.size() ? numbers_of(unquoted(values_[at])) : std::nullopt;
  }
  static kernel_work work_of(std::int64_t multiply_adds, std::int64_t bytes, const input& left) noexcept {
    return {saturating_mul(multiply_adds, 2), bytes, left.type->number};
  }
  static std::int64_t sum_of(std::initializer_list<std::int64_t> parts) noexcept {
    std::int64_t sum = 0;
    for (const std::int64_t part : parts) sum = saturating_add(sum, part);
    return sum;
  }
  // Products of 8-bit numbers have results of 16 bits at least.
  static std::int64_t result_bytes(std::int64_t elements, const input& left) noexcept {
    return saturating_mul(elements, std::max<std::int64_t>(left.type->bytes, 2));
  }

  // `added`: the bytes of what is added to it.
  [[nodiscard]] std::optional<kernel_work> product(std::int64_t added) const {
    const input *left = array_at(0, 2), *right = array_at(1, 2);
    if (left == nullptr || right == nullptr || left->extent_from_end(1) != right->extent_from_end(2)) return std::nullopt;
    if (left->extents.size() != right->extents.size()) return std::nullopt;
    const std::int64_t depth = left->extent_from_end(1);
    const std::int64_t result = depth == 0 ? 0 : saturating_mul(left->elements() / depth, right->extent_from_end(1));
    const std::int64_t bytes = sum_of({left->bytes(), right->bytes(), added, result_bytes(result, *left)});
    return work_of(saturating_mul(result, depth), bytes, *left);
  }
  [[nodiscard]] std::optional<kernel_work> linear() const {
    const input *left = array_at(0, 1), *weight = array_at(1, 2);
    if (left == nullptr || weight == nullptr || left->extent_from_end(1) != weight->extent_from_end(1)) return std::nullopt;
    const std::int64_t depth = left->extent_from_end(1);
    const std::int64_t result = depth == 0 ? 0 : saturating_mul(left->elements() / depth, weight->extent_from_end(2));
    const std::int64_t bytes = sum_of({left->bytes(), weight->bytes(), added_bytes(2), result_bytes(result, *left)});
    return work_of(saturating_mul(result, depth), bytes, *left);
  }

  // Forward: query times keys, and that times values. Backward: the first once more, and two for each gradient of its factors.
  [[nodiscard]] std::optional<kernel_work> attention(std::size_t query_at, std::size_t heads_at, std::size_t length_at,
                                                     int products) const {
    const input *query = array_at(query_at, 4), *key = array_at(query_at + 1, 4), *value = array_at(query_at + 2, 4);
    if (query == nullptr || key == nullptr || value == nullptr) return std::nullopt;
    const std::int64_t pairs = saturating_mul(saturating_mul(query->extents[0], query->extents[heads_at]),
                                      saturating_mul(query->extents[length_at], key->extents[length_at]));
    const std::int64_t of_key = saturating_mul(pairs, query->extents[3]), of_value = saturating_mul(pairs, value->extents[3]);
    const bool is_forward = products == 2;
    const std::int64_t count = is_forward ? sum_of({of_key, of_value})
                                          : sum_of({saturating_mul(of_key, 3), saturating_mul(of_value, 2)});
    const std::int64_t rows = query->elements() / std::max<std::int64_t>(query->extents[3], 1);
    const std::int64_t result = saturating_mul(saturating_mul(rows, value->extents[3]), query->type->bytes);
    const std::int64_t read = sum_of({query->bytes(), key->bytes(), value->bytes()});
    // Backward reads the result and its gradient too, and writes as much as it read of the three.
    return work_of(count, is_forward ? sum_of({read, result}) : sum_of({read, read, result, result}), *query);
  }

  [[nodiscard]] static std::int64_t product_of(const sides& extents, std::size_t from) noexcept {
    std::int64_t product = 1;
    for (std::size_t i = from; i < extents.size(); ++i) product = saturating_mul(product, extents[i]);
    return product;
  }
  // Positions of padding, stride and dilation among the values. Weight: [filters, features of a group, sides of the kernel ...].
  [[nodiscard]] std::optional<kernel_work> convolution(std::size_t padding_at, std::size_t stride_at, std::size_t dilation_at) const {
    const input *in = array_at(0, 3), *weight = array_at(1, 3);
    const std::optional<sides> padding = value_at(padding_at), stride = value_at(stride_at), dilation = value_at(dilation_at);
    if (in == nullptr || weight == nullptr || !padding || !stride || !dilation) return std::nullopt;
    const bool may_be_transposed = op_.rule == work_rule::convolution_aten;
    if (may_be_transposed && (values_.size() < 7 || unquoted(values_[6]) != "False")) return std::nullopt;
    const std::size_t dimensions = in->extents.size() - 2;
    if (weight->extents.size() != in->extents.size()) return std::nullopt;
    const auto of = [&](const sides& each, std::size_t d) -> std::int64_t {
      return each.size() == dimensions ? each[d] : each.size() == 1 ? each[0] : -1;
    };
    std::int64_t result = saturating_mul(in->extents[0], weight->extents[0]);
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::int64_t pad = of(*padding, d), step = of(*stride, d), spread = of(*dilation, d), side = weight->extents[d + 2];
      constexpr std::int64_t furthest = std::int64_t{1} << 30;
      if (pad < 0 || step < 1 || spread < 1 || side < 1) return std::nullopt;
      if (pad > furthest || spread > furthest || side > furthest || in->extents[d + 2] > furthest) return std::nullopt;
      const std::int64_t room = in->extents[d + 2] + 2 * pad - spread * (side - 1) - 1;
      if (room < 0) return std::nullopt;
      result = saturating_mul(result, room / step + 1);
    }
    return work_of(saturating_mul(result, product_of(weight->extents, 1)),
                   sum_of({in->bytes(), weight->bytes(), result_bytes(result, *in)}), *in);
  }
  // One product for each of the gradients that are asked for: of the input, of the weight; the last value says which.
  [[nodiscard]] std::optional<kernel_work> convolution_backward() const {
    const input *gradient = array_at(0, 3), *in = array_at(1, 3), *weight = array_at(2, 3);
    if (gradient == nullptr || in == nullptr || weight == nullptr || values_.size() < 11) return std::nullopt;
    if (unquoted(values_[7]) != "False") return std::nullopt;  // transposed
    const std::vector<std::string_view> mask = elements_of(unquoted(values_[10]));
    if (mask.size() != 3) return std::nullopt;
    const std::int64_t of_input = mask[0] == "True", of_weight = mask[1] == "True";
    const std::int64_t count = saturating_mul(saturating_mul(gradient->elements(), product_of(weight->extents, 1)), of_input + of_weight);
    const std::int64_t moved = sum_of({gradient->bytes(), saturating_mul(in->bytes(), 1 + of_input),
                                       saturating_mul(weight->bytes(), 1 + of_weight)});
    return work_of(count, moved, *in);
  }

  // Arrays are repeated along dimensions where they have one element.
  [[nodiscard]] std::optional<kernel_work> pointwise(std::int64_t flops_each, bool gives_bool) const {
    sides result;
    std::int64_t read = 0, bytes_each = 0;
    std::optional<number_type> number;
    for (const input& in : inputs_) {
      if (!in.is_array || in.type == nullptr) continue;
      read = saturating_add(read, in.bytes());
      if (in.extents.size() > result.size()) result.insert(result.begin(), in.extents.size() - result.size(), 1);
      for (std::size_t i = 1; i <= in.extents.size(); ++i)
        if (std::int64_t& extent = result[result.size() - i]; extent == 1) extent = in.extent_from_end(i);
      // An array of no dimensions does not widen the result.
      if (!in.extents.empty() && in.type->bytes > bytes_each) {
        bytes_each = in.type->bytes;
        number = in.type->number;
      }
    }
    if (bytes_each == 0) return std::nullopt;
    const std::int64_t elements = product_of(result, 0);
    const std::int64_t written = saturating_mul(elements, gives_bool ? 1 : bytes_each);
    return kernel_work{saturating_mul(elements, flops_each), saturating_add(read, written), number};
  }
  [[nodiscard]] std::optional<kernel_work> in_place() const {
    const input* result = array_at(0);
    if (result == nullptr) return std::nullopt;
    std::int64_t bytes = result->bytes();
    for (const input& in : inputs_)
      if (in.is_array && in.type != nullptr) bytes = saturating_add(bytes, in.bytes());
    return kernel_work{result->elements(), bytes, result->type->number};
  }
  [[nodiscard]] std::optional<kernel_work> copy() const {
    const input *into = array_at(0), *from = array_at(1);
    if (into == nullptr || from == nullptr) return std::nullopt;
    return kernel_work{0, saturating_add(into->bytes(), from->bytes()), std::nullopt};
  }
  [[nodiscard]] std::optional<kernel_work> over_input(std::int64_t flops_each, std::int64_t passes) const {
    const input* in = array_at(0);
    if (in == nullptr) return std::nullopt;
    return kernel_work{saturating_mul(in->elements(), flops_each), saturating_mul(in->bytes(), passes), in->type->number};
  }

  const known_operator& op_;
  const std::vector<input> inputs_;
  const std::vector<std::string_view> values_;
};

}  // namespace

bool needs_values(std::string_view op) noexcept {
  const known_operator* known = find_operator(op);
  if (known == nullptr) return false;
  return known->rule == work_rule::convolution || known->rule == work_rule::convolution_bias ||
         known->rule == work_rule::convolution_aten || known->rule == work_rule::convolution_backward;
}

std::optional<kernel_work> work_of_operator(std::string_view op, std::string_view shapes, std::string_view types, std::string_view values) {
  const known_operator* known = find_operator(op);
  if (known == nullptr) return std::nullopt;
  return operator_work(*known, inputs_of(shapes, types), values).work();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
