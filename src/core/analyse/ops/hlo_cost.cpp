#include <analyse/ops/hlo_cost.hpp>

#include <analyse/array_size.hpp>
#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t flops_per_multiply_add = 2;
// A tuple is an array of pointers.
constexpr std::int64_t pointer_bytes = 8;
// Computations call each other as deep as a file says.
constexpr int deepest_call = 100;
// Positions of windows over inputs with holes are counted one by one, up to so many in a module.
constexpr std::int64_t most_window_steps = std::int64_t{1} << 26;

enum class opcode_class : std::uint8_t {
  elementwise,
  transcendental,
  free,       // moves no bytes
  contained,  // the work is that of the instructions inside
  other,
};

constexpr std::string_view elementwise_opcodes[] = {
    "abs", "add", "and", "ceil", "clamp", "compare", "complex", "convert", "count-leading-zeros", "divide", "floor", "imag", "is-finite",
    "maximum", "minimum", "multiply", "negate", "not", "or", "popcnt", "real", "reduce-precision", "remainder", "round-nearest-afz",
    "round-nearest-even", "select", "shift-left", "shift-right-arithmetic", "shift-right-logical", "sign", "stochastic-convert", "subtract",
    "xor",
};
constexpr std::string_view transcendental_opcodes[] = {
    "atan2", "cbrt", "cosine", "erf", "exponential", "exponential-minus-one", "log", "log-plus-one", "logistic", "power", "rng",
    "rsqrt", "sine", "sqrt", "tan", "tanh",
};
constexpr std::string_view free_opcodes[] = {
    "add-dependency", "after-all", "async-update", "bitcast", "constant", "domain", "get-dimension-size", "get-tuple-element",
    "opt-barrier", "parameter", "partition-id", "replica-id",
};
constexpr std::string_view containing_opcodes[] = {"call", "conditional", "while"};
// What these do cannot be seen from shapes.
constexpr std::string_view unknown_opcodes[] = {"cholesky", "fft", "infeed", "outfeed", "rng-bit-generator", "triangular-solve"};

template <std::size_t N>
bool is_among(std::string_view name, const std::string_view (&names)[N]) noexcept {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

opcode_class class_of(std::string_view opcode) noexcept {
  if (is_among(opcode, elementwise_opcodes)) return opcode_class::elementwise;
  if (is_among(opcode, transcendental_opcodes)) return opcode_class::transcendental;
  if (is_among(opcode, free_opcodes) || ends_with(opcode, "-done")) return opcode_class::free;
  if (is_among(opcode, containing_opcodes)) return opcode_class::contained;
  return opcode_class::other;
}

array_size size_of(const shape_view& shape) noexcept {
  if (shape.element_type() != tuple_element_type) return size_of_array(shape);
  std::int64_t count = 0;
  for ([[maybe_unused]] const shape_view each : shape.tuple_shapes()) ++count;
  return {0, count * pointer_bytes};
}

// The array itself, or the first of a tuple.
shape_view first_array(const shape_view& shape) noexcept {
  if (shape.element_type() != tuple_element_type) return shape;
  for (const shape_view each : shape.tuple_shapes()) return each;
  return shape_view();
}

// The extent of a dimension; 1 where the shape has no such dimension.
std::int64_t extent_of(const shape_view& shape, std::int64_t dimension) noexcept {
  std::int64_t at = 0;
  for (const std::int64_t extent : shape.dimensions())
    if (at++ == dimension) return std::max<std::int64_t>(extent, 0);
  return 1;
}

template <class Range>
std::int64_t number_at(const Range& numbers, std::int64_t position) noexcept {
  std::int64_t at = 0;
  for (const std::int64_t n : numbers)
    if (at++ == position) return n;
  return -1;
}

struct node {
  instruction_view is;
  opcode_class kind = opcode_class::other;
  array_size size;                     // of its first array
  std::int64_t shape_bytes = 0;        // as an operand: the array, or a tuple's pointers
  std::vector<std::uint32_t> operands;  // positions
  bool is_whole = true;                 // its operands are in its computation
};

struct part {
  std::uint32_t from = 0, to = 0;  // its instructions
  std::uint32_t root = 0;
  enum class progress : std::uint8_t { untouched, under_way, done } at = progress::untouched;
  hlo_cost sum;
};

class module_costs {
 public:
  explicit module_costs(const hlo_module_view& module) {
    for (const computation_view each : module.computations()) add(each);
    costs_.resize(nodes_.size());
    for (std::uint32_t at = 0; at < parts_.size(); ++at) sum_of(at, 0);
  }
  std::vector<hlo_cost> take() noexcept { return std::move(costs_); }

 private:
  void add(const computation_view& computation) {
    part of;
    of.from = of.root = static_cast<std::uint32_t>(nodes_.size());
    hash_map<std::int64_t, std::uint32_t> by_id;
    for (const instruction_view instruction : computation.instructions()) {
      const auto at = static_cast<std::uint32_t>(nodes_.size());
      by_id.insert_or_assign(instruction.id(), at);
      if (instruction.id() == computation.root_id()) of.root = at;
      const shape_view shape = instruction.shape();
      nodes_.push_back({instruction, class_of(instruction.opcode()), size_of(first_array(shape)), size_of(shape).bytes, {}, true});
    }
    of.to = static_cast<std::uint32_t>(nodes_.size());
    for (std::uint32_t at = of.from; at < of.to; ++at)
      for (const std::int64_t id : nodes_[at].is.operand_ids())
        if (const auto found = by_id.find(id); found != by_id.end())
          nodes_[at].operands.push_back(found->second);
        else
          nodes_[at].is_whole = false;
    part_of_.insert_or_assign(computation.id(), static_cast<std::uint32_t>(parts_.size()));
    parts_.push_back(of);
  }

  // What one run of a computation does. Unknown where it calls itself, or too deep.
  hlo_cost sum_of(std::uint32_t at, int depth) {
    if (parts_[at].at == part::progress::done) return parts_[at].sum;
    if (parts_[at].at == part::progress::under_way || depth > deepest_call) return {};
    parts_[at].at = part::progress::under_way;
    hlo_cost sum;
    sum.is_known = true;
    std::int64_t largest = -1;
    for (std::uint32_t i = parts_[at].from; i < parts_[at].to; ++i) {
      const hlo_cost cost = costs_[i] = cost_of(nodes_[i], depth);
      sum.is_known = sum.is_known && cost.is_known;
      sum.flops = saturating_add(sum.flops, cost.flops);
      sum.transcendentals = saturating_add(sum.transcendentals, cost.transcendentals);
      sum.bytes = saturating_add(sum.bytes, cost.bytes);
      if (cost.flops > largest && cost.element_type != 0) {
        largest = cost.flops;
        sum.element_type = cost.element_type;
      }
    }
    parts_[at].sum = sum;
    parts_[at].at = part::progress::done;
    return sum;
  }
  hlo_cost called_by(const node& n, int depth, std::int64_t which = 0) {
    const auto found = part_of_.find(number_at(n.is.called_computation_ids(), which));
    return found == part_of_.end() ? hlo_cost{} : sum_of(found->second, depth + 1);
  }

  [[nodiscard]] array_size operand_size(const node& n, std::size_t at) const noexcept {
    return at < n.operands.size() ? nodes_[n.operands[at]].size : array_size{};
  }
  [[nodiscard]] shape_view operand_shape(const node& n, std::size_t at) const noexcept {
    return at < n.operands.size() ? nodes_[n.operands[at]].is.shape() : shape_view();
  }
  [[nodiscard]] std::int64_t operand_bytes(const node& n) const noexcept {
    std::int64_t sum = 0;
    for (const std::uint32_t each : n.operands) sum = saturating_add(sum, nodes_[each].shape_bytes);
    return sum;
  }

  hlo_cost cost_of(const node& n, int depth) {
    if (!n.is_whole) return {};
    const std::string_view opcode = n.is.opcode();
    hlo_cost cost;
    cost.is_known = true;
    cost.element_type = first_array(n.is.shape()).element_type();
    switch (n.kind) {
      case opcode_class::free:
      case opcode_class::contained: return cost;
      case opcode_class::elementwise: cost.flops = n.size.elements; break;
      case opcode_class::transcendental: cost.transcendentals = n.size.elements; break;
      case opcode_class::other:
        if (is_among(opcode, unknown_opcodes)) return {};
        if (opcode == "fusion") return fusion(n, depth);
        if (opcode == "custom-call") return library_call(n);
        break;
    }
    cost.bytes = saturating_add(n.shape_bytes, operand_bytes(n));
    if (n.kind != opcode_class::other) return cost;
    if (opcode == "dot") {
      multiply_adds(cost, n, dot_multiply_adds(operand_shape(n, 0), n.size, n.is.dot_dimension_numbers().lhs_contracting_dimensions()));
    } else if (opcode == "convolution") {
      multiply_adds(cost, n, convolution_multiply_adds(n.is, operand_shape(n, 0), operand_shape(n, 1), n.is.shape()));
    } else if (opcode == "slice") {
      cost.bytes = saturating_mul(n.size.bytes, 2);
    } else if (opcode == "dynamic-slice") {
      cost.bytes = saturating_add(saturating_mul(n.size.bytes, 2), operand_size(n, 1).bytes);
    } else if (opcode == "dynamic-update-slice") {
      cost.bytes = saturating_add(saturating_mul(operand_size(n, 1).bytes, 2), operand_size(n, 2).bytes);
    } else if (opcode == "gather") {
      cost.bytes = saturating_add(saturating_mul(n.size.bytes, 2), operand_size(n, 1).bytes);
    } else if (opcode == "scatter") {
      scatter(cost, n, depth);
    } else if (opcode == "tuple") {
      cost.bytes = n.shape_bytes;
    } else if (opcode == "copy-start") {
      cost.bytes = saturating_mul(operand_size(n, 0).bytes, 2);
    } else if (opcode == "async-start") {
      cost = called_by(n, depth);
    } else if (opcode == "map") {
      apply(cost, called_by(n, depth), n.size.elements);
    } else if (opcode == "reduce") {
      apply(cost, called_by(n, depth), std::max<std::int64_t>(operand_size(n, 0).elements - n.size.elements, 0));
    } else if (opcode == "reduce-window") {
      apply(cost, called_by(n, depth), reductions_of_window(n));
    } else if (opcode == "select-and-scatter") {
      const std::int64_t source = operand_size(n, 1).elements;
      apply(cost, called_by(n, depth, 0), saturating_mul(source, window_elements(n.is) - 1));
      apply(cost, called_by(n, depth, 1), source);
    } else if (opcode == "sort") {
      const std::int64_t elements = operand_size(n, 0).elements;
      std::int64_t levels = 0;  // of a sort by comparisons: the logarithm, rounded up
      while (levels < 62 && (std::int64_t{1} << levels) < elements) ++levels;
      cost.flops = saturating_mul(elements, levels);
    } else if (opcode == "all-reduce" || opcode == "all-reduce-start") {
      for (const std::uint32_t each : n.operands) cost.flops = saturating_add(cost.flops, nodes_[each].size.elements);
      cost.bytes = saturating_mul(operand_bytes(n), 2);
    }
    return cost;
  }

  // Calls of a function of scalars.
  static void apply(hlo_cost& cost, const hlo_cost& function, std::int64_t calls) noexcept {
    cost.is_known = cost.is_known && function.is_known;
    cost.flops = saturating_add(cost.flops, saturating_mul(function.flops, calls));
    cost.transcendentals = saturating_add(cost.transcendentals, saturating_mul(function.transcendentals, calls));
  }

  void multiply_adds(hlo_cost& cost, const node& n, std::int64_t count) const noexcept {
    if (count < 0)
      cost = {};
    else
      cost.flops = saturating_mul(flops_per_multiply_add, count);
    cost.element_type = operand_shape(n, 0).element_type();
  }
  template <class Range>
  static std::int64_t dot_multiply_adds(const shape_view& left, const array_size& result, const Range& contracted) noexcept {
    std::int64_t width = 1;
    for (const std::int64_t dimension : contracted) width = saturating_mul(width, extent_of(left, dimension));
    return saturating_mul(result.elements, width);
  }

  // Negative where that cannot be counted.
  std::int64_t convolution_multiply_adds(const instruction_view& is, const shape_view& left, const shape_view& right,
                                         const shape_view& result) noexcept {
    const convolution_dimension_numbers_view numbers = is.convolution_dimension_numbers();
    const auto groups = [](std::int64_t written) { return std::max<std::int64_t>(written, 1); };
    std::int64_t count = extent_of(left, numbers.input_feature_dimension()) / groups(is.feature_group_count());
    count = saturating_mul(count, extent_of(result, numbers.output_feature_dimension()));
    count = saturating_mul(count, extent_of(left, numbers.input_batch_dimension()) / groups(is.batch_group_count()));
    std::int64_t spatial = 0;
    for (const window_dimension_view window : is.window().dimensions()) {
      const std::int64_t positions = valid_positions(window, extent_of(left, number_at(numbers.input_spatial_dimensions(), spatial)),
                                                     extent_of(right, number_at(numbers.kernel_spatial_dimensions(), spatial)),
                                                     extent_of(result, number_at(numbers.output_spatial_dimensions(), spatial)));
      if (positions < 0) return -1;
      count = saturating_mul(count, positions);
      ++spatial;
    }
    return count;
  }
  // Pairs of an element of the kernel and an element of the output that meet an element of the input, not padding or a hole.
  std::int64_t valid_positions(const window_dimension_view& window, std::int64_t input, std::int64_t kernel,
                               std::int64_t output) noexcept {
    constexpr std::int64_t furthest = std::int64_t{1} << 30;
    const std::int64_t stride = window.stride(), dilation = window.window_dilation();
    const std::int64_t hole = std::max<std::int64_t>(window.base_dilation(), 1);
    for (const std::int64_t each : {input, kernel, output, stride, dilation, hole, window.padding_low()})
      if (each > furthest || each < -furthest) return -1;
    if (stride < 1) return -1;
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < kernel; ++k) {
      const std::int64_t shift = k * dilation - window.padding_low();  // the input's position, with holes, at output 0
      const std::int64_t last = (input - 1) * hole;
      const std::int64_t from = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
      const std::int64_t to = last - shift < 0 ? 0 : std::min(output, (last - shift) / stride + 1);
      window_steps_ += hole == 1 ? 1 : std::max<std::int64_t>(to - from, 1);
      if (window_steps_ > most_window_steps) return -1;
      if (hole == 1)
        count += std::max<std::int64_t>(to - from, 0);
      else
        for (std::int64_t o = from; o < to; ++o) count += (shift + o * stride) % hole == 0;
    }
    return count;
  }

  static std::int64_t window_elements(const instruction_view& is) noexcept {
    std::int64_t elements = 1;
    for (const window_dimension_view each : is.window().dimensions())
      elements = saturating_mul(elements, std::max<std::int64_t>(each.size(), 0));
    return elements;
  }
  static std::int64_t reductions_of_window(const node& n) noexcept {
    return saturating_mul(n.size.elements, std::max<std::int64_t>(window_elements(n.is) - 1, 0));
  }

  // Operands, indices, updates: as many operands as updates. Reads and writes what the updates cover, and reads them.
  void scatter(hlo_cost& cost, const node& n, int depth) {
    const std::size_t arrays = n.operands.size() / 2;
    std::int64_t updated = 0;
    for (std::size_t i = arrays + 1; i < n.operands.size(); ++i) updated = saturating_add(updated, operand_size(n, i).bytes);
    cost.bytes = saturating_add(saturating_mul(updated, 3), operand_size(n, arrays).bytes);
    apply(cost, called_by(n, depth), operand_size(n, arrays + 1).elements);
  }

  // Matrix products and convolutions of libraries. Their result is a tuple: what was asked for, then room to work in.
  hlo_cost library_call(const node& n) {
    const std::string_view target = n.is.custom_call_target();
    const shape_view first = operand_shape(n, 0), second = operand_shape(n, 1), result = first_array(n.is.shape());
    hlo_cost cost;
    cost.is_known = true;
    cost.bytes = saturating_add(n.size.bytes, operand_bytes(n));
    if (starts_with(target, "__cublas$")) {
      const std::vector<std::int64_t> contracted = contracted_dimensions(n.is);
      if (contracted.empty()) return {};
      multiply_adds(cost, n, dot_multiply_adds(first, n.size, contracted));
    } else if (target == "__cudnn$convForward" || target == "__cudnn$convBiasActivationForward") {
      multiply_adds(cost, n, convolution_multiply_adds(n.is, first, second, result));
    } else if (target == "__cudnn$convBackwardInput") {
      multiply_adds(cost, n, convolution_multiply_adds(n.is, result, second, first));
    } else if (target == "__cudnn$convBackwardFilter") {
      multiply_adds(cost, n, convolution_multiply_adds(n.is, first, result, second));
    } else {
      return {};
    }
    return cost;
  }
  // From the backend's JSON: "lhs_contracting_dimensions":["1"].
  static std::vector<std::int64_t> contracted_dimensions(const instruction_view& is) {
    constexpr std::string_view key = "\"lhs_contracting_dimensions\":[";
    const std::string_view config = is.backend_config().empty() ? is.backend_config_payload().value() : is.backend_config();
    std::vector<std::int64_t> found;
    std::size_t at = config.find(key);
    if (at == std::string_view::npos) return found;
    bool in_number = false;
    for (at += key.size(); at < config.size() && config[at] != ']'; ++at) {
      const bool is_number = is_digit(config[at]);
      if (is_number && !in_number) found.push_back(0);
      if (is_number) found.back() = std::min<std::int64_t>(found.back() * 10 + (config[at] - '0'), 1000);
      in_number = is_number;
    }
    return found;
  }

  hlo_cost fusion(const node& n, int depth) {
    const auto found = part_of_.find(number_at(n.is.called_computation_ids(), 0));
    if (found == part_of_.end()) return {};
    hlo_cost cost = sum_of(found->second, depth + 1);
    if (!cost.is_known) return {};
    const part& inside = parts_[found->second];
    cost.bytes = written_bytes(inside, n.is.shape());
    users users_of(inside.to - inside.from);
    for (std::uint32_t at = inside.from; at < inside.to; ++at)
      for (std::size_t i = 0; i < nodes_[at].operands.size(); ++i)
        if (const std::uint32_t operand = nodes_[at].operands[i]; operand >= inside.from && operand < inside.to)
          users_of[operand - inside.from].push_back({at, static_cast<std::uint32_t>(i)});
    for (std::uint32_t at = inside.from; at < inside.to; ++at) {
      const std::string_view opcode = nodes_[at].is.opcode();
      if (opcode == "constant" && nodes_[at].size.elements > 1) cost.bytes = saturating_add(cost.bytes, nodes_[at].size.bytes);
      const bool is_array = nodes_[at].is.shape().element_type() != tuple_element_type;
      // The arrays of a tuple that is a parameter are read where they are taken out of it.
      const bool is_read = is_array && (opcode == "parameter" || (opcode == "get-tuple-element" && is_of_parameter(nodes_[at])));
      if (is_read) cost.bytes = saturating_add(cost.bytes, read_bytes(at, users_of[at - inside.from]));
    }
    return cost;
  }
  struct use {
    std::uint32_t by, operand;
  };
  using users = std::vector<std::vector<use>>;

  [[nodiscard]] bool is_of_parameter(const node& n) const noexcept {
    return !n.operands.empty() && nodes_[n.operands[0]].is.opcode() == "parameter";
  }
  // What a fusion writes: its results; of a buffer that is updated in place only the update.
  [[nodiscard]] std::int64_t written_bytes(const part& inside, const shape_view& shape) const noexcept {
    if (inside.root >= inside.to) return 0;
    const node& root = nodes_[inside.root];
    const auto of = [&](const node& n) { return n.is.opcode() == "dynamic-update-slice" ? operand_size(n, 1).bytes : n.size.bytes; };
    if (root.is.opcode() != "tuple") {
      if (shape.element_type() != tuple_element_type) return of(root);
      std::int64_t sum = 0;
      visit_shape(shape, [&](const shape_view& each, int) {
        if (each.element_type() != tuple_element_type) sum = saturating_add(sum, size_of(each).bytes);
      });
      return sum;
    }
    std::int64_t sum = 0;
    for (const std::uint32_t each : root.operands) sum = saturating_add(sum, of(nodes_[each]));
    return sum;
  }
  // What a fusion reads of one of its parameters: slices of it, else all of it, once for all users that can share the read.
  std::int64_t read_bytes(std::uint32_t at, const std::vector<use>& used) const {
    const std::int64_t whole = nodes_[at].size.bytes;
    std::int64_t sum = 0;
    bool is_read = false;
    const auto read_whole = [&] {
      if (!std::exchange(is_read, true)) sum = saturating_add(sum, whole);
    };
    for (const use& each : used) {
      const node& user = nodes_[each.by];
      const std::string_view opcode = user.is.opcode();
      if (opcode == "slice" || (opcode == "dynamic-slice" && each.operand == 0))
        sum = saturating_add(sum, user.size.bytes);
      else if (opcode == "broadcast" || opcode == "reshape")
        sum = saturating_add(sum, whole);
      else if (opcode != "dynamic-update-slice" || each.operand != 0)
        read_whole();
    }
    return sum;
  }

  std::vector<node> nodes_;
  std::vector<part> parts_;
  std::vector<hlo_cost> costs_;
  hash_map<std::int64_t, std::uint32_t> part_of_;  // by the computation's id
  std::int64_t window_steps_ = 0;
};

}  // namespace

std::vector<hlo_cost> hlo_costs_of(const hlo_module_view& module) { return module_costs(module).take(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
