#include <analyse/ops/hlo_kinds.hpp>

#include <base/collective_names.hpp>
#include <base/hash_map.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Computations call each other as deep as a file says.
constexpr int deepest_fusion = 100;

// Opcodes that hand values on and take no time of their own inside a fusion.
constexpr std::string_view plumbing_opcodes[] = {
    "add-dependency", "after-all", "bitcast", "constant", "domain", "get-tuple-element", "iota", "opt-barrier", "parameter", "reshape",
    "tuple",
};

bool is_plumbing(std::string_view opcode) noexcept {
  return std::find(std::begin(plumbing_opcodes), std::end(plumbing_opcodes), opcode) != std::end(plumbing_opcodes);
}

std::int64_t elements_in(const shape_view& shape) noexcept {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape.dimensions()) elements = saturating_mul(elements, std::max<std::int64_t>(extent, 0));
  return elements;
}

bool is_scalar(const shape_view& shape) noexcept {
  for ([[maybe_unused]] const std::int64_t extent : shape.dimensions()) return false;
  return true;
}

bool has_same_order(const shape_view& a, const shape_view& b) noexcept {
  const auto order_of = [](const shape_view& shape) {
    std::vector<std::int64_t> order;
    for (const std::int64_t dimension : shape.layout().minor_to_major()) order.push_back(dimension);
    return order;
  };
  return order_of(a) == order_of(b);
}

class module_kinds {
 public:
  explicit module_kinds(const hlo_module_view& module) {
    for (const computation_view computation : module.computations()) {
      one_computation& added = computations_.emplace_back();
      for (const instruction_view is : computation.instructions()) added.instructions.push_back(is);
      at_id_.insert_or_assign(computation.id(), computations_.size() - 1);
    }
  }
  std::vector<work_kind> take() {
    std::vector<work_kind> all;
    for (const one_computation& each : computations_) {
      const shapes_by_id shapes = shapes_of(each);
      for (const instruction_view& is : each.instructions) all.push_back(kind_of(is, shapes, 0));
    }
    return all;
  }

 private:
  struct one_computation {
    std::vector<instruction_view> instructions;
    std::optional<work_kind> moves_by;  // of a fusion that calls it
    bool under_way = false;
  };
  using shapes_by_id = hash_map<std::int64_t, shape_view>;

  // Asked for by copies alone.
  static shapes_by_id shapes_of(const one_computation& of) {
    shapes_by_id shapes;
    const auto is_copy = [](const instruction_view& is) { return is.opcode() == "copy"; };
    if (std::none_of(of.instructions.begin(), of.instructions.end(), is_copy)) return shapes;
    for (const instruction_view& is : of.instructions) shapes.insert_or_assign(is.id(), is.shape());
    return shapes;
  }

  work_kind kind_of(const instruction_view& is, const shapes_by_id& shapes, int depth) {
    const std::string_view opcode = is.opcode();
    if (opcode == "fusion") return kind_of_fusion(is, depth);
    if (opcode == "custom-call") return work_kind::unknown;
    if (!collective_of(opcode).empty()) return work_kind::communication;
    work_kind kind = kind_of_opcode(opcode);
    if (kind == work_kind::unknown) return work_kind::compute;
    if (opcode != "copy") return kind;
    for (const std::int64_t id : is.operand_ids())
      if (const auto operand = shapes.find(id); operand != shapes.end() && !has_same_order(operand->second, is.shape()))
        kind = work_kind::layout_copy;
    return kind;
  }
  work_kind kind_of_fusion(const instruction_view& is, int depth) {
    for (const std::int64_t id : is.called_computation_ids()) {
      const auto called = at_id_.find(id);
      return called == at_id_.end() ? work_kind::unknown : kind_inside(computations_[called->second], depth + 1);
    }
    return work_kind::unknown;
  }
  // Unknown where it calls itself, or too deep.
  work_kind kind_inside(one_computation& of, int depth) {
    if (of.moves_by) return *of.moves_by;
    if (of.under_way || depth > deepest_fusion) return work_kind::unknown;
    of.under_way = true;
    of.moves_by = largest_move(of, depth);
    return *of.moves_by;
  }
  // The kind that moves most elements; of equal ones, the one that costs more by the order of the kinds.
  work_kind largest_move(const one_computation& of, int depth) {
    const shapes_by_id shapes = shapes_of(of);
    work_kind largest = work_kind::fill;
    std::int64_t elements = -1;
    for (const instruction_view& is : of.instructions) {
      // Scalars are positions: of slices, say.
      if (is_plumbing(is.opcode()) || is_scalar(is.shape())) continue;
      const work_kind kind = kind_of(is, shapes, depth);
      if (kind == work_kind::compute || kind == work_kind::unknown || kind == work_kind::communication) return kind;
      // A value that is spread out is part of what takes it.
      const std::int64_t moved = kind == work_kind::broadcast ? 0 : elements_in(is.shape());
      if (moved < elements || (moved == elements && kind >= largest)) continue;
      elements = moved;
      largest = kind;
    }
    return largest;
  }

  std::vector<one_computation> computations_;
  hash_map<std::int64_t, std::size_t> at_id_;
};

}  // namespace

std::vector<work_kind> hlo_kinds_of(const hlo_module_view& module) { return module_kinds(module).take(); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
