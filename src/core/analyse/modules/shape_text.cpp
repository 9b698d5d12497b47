#include <analyse/modules/shape_text.hpp>

#include <analyse/element_types.hpp>

#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr int deepest_shape = 100;

void append_element_type(std::string& out, std::int32_t type) {
  if (const element_type* known = find_element_type(type))
    out += known->name;
  else
    out += "type" + std::to_string(type);
}

template <class Range>
void append_numbers(std::string& out, const Range& numbers) {
  bool first = true;
  for (const std::int64_t n : numbers) {
    if (!first) out += ',';
    first = false;
    out += std::to_string(n);
  }
}

void append_dimensions(std::string& out, const shape_view& shape) {
  const auto dynamic = shape.is_dynamic_dimension();
  auto is_dynamic = dynamic.begin();
  bool first = true;
  out += '[';
  for (const std::int64_t n : shape.dimensions()) {
    if (!first) out += ',';
    first = false;
    if (!is_dynamic.done()) {
      if (*is_dynamic) out += "<=";
      ++is_dynamic;
    }
    out += std::to_string(n);
  }
  out += ']';
}

void append_layout(std::string& out, const layout_view& layout) {
  std::string properties;
  for (const tile_view tile : layout.tiles()) {
    properties += properties.empty() ? "T(" : "(";
    append_numbers(properties, tile.dimensions());
    properties += ')';
  }
  if (layout.tail_padding_alignment_in_elements() > 1)
    properties += "L(" + std::to_string(layout.tail_padding_alignment_in_elements()) + ')';
  if (layout.element_size_in_bits() != 0) properties += "E(" + std::to_string(layout.element_size_in_bits()) + ')';
  if (layout.memory_space() != 0) properties += "S(" + std::to_string(layout.memory_space()) + ')';
  std::string order;
  append_numbers(order, layout.minor_to_major());
  if (order.empty() && properties.empty()) return;
  out += '{' + order;
  if (!properties.empty()) out += ':' + properties;
  out += '}';
}

void append_shape(std::string& out, const shape_view& shape, int depth) {
  if (shape.element_type() != tuple_element_type) {
    append_element_type(out, shape.element_type());
    append_dimensions(out, shape);
    append_layout(out, shape.layout());
    return;
  }
  out += '(';
  bool first = true;
  const auto elements = shape.tuple_shapes();
  for (auto at = elements.begin(); !at.done(); ++at) {
    if (!first) out += ", ";
    first = false;
    if (depth == deepest_shape) {
      out += "…";
      break;
    }
    append_shape(out, *at, depth + 1);
  }
  out += ')';
}

}  // namespace

std::string shape_text(const shape_view& shape) {
  std::string out;
  append_shape(out, shape, 0);
  return out;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
