// How many elements and bytes an HLO array has.
#pragma once
#include <profkit/hlo.hpp>
#include <profkit/time.hpp>

#include <analyse/element_types.hpp>

#include <algorithm>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct array_size {
  std::int64_t elements = 0, bytes = 0;
};

// Of one array, without padding; nothing of a tuple, and of types that are not known.
[[nodiscard]] inline array_size size_of_array(const shape_view& shape) noexcept {
  const element_type* type = find_element_type(shape.element_type());
  if (type == nullptr || type->bits == 0) return {};
  array_size size{1, 0};
  for (const std::int64_t extent : shape.dimensions()) size.elements = saturating_mul(size.elements, std::max<std::int64_t>(extent, 0));
  const std::int64_t written_bits = shape.layout().element_size_in_bits();
  const std::int64_t bits = written_bits > 0 ? written_bits : type->bits;
  const std::int64_t all_bits = saturating_mul(size.elements, bits);
  size.bytes = bits % 8 == 0 ? saturating_mul(size.elements, bits / 8) : all_bits / 8 + (all_bits % 8 != 0);
  return size;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
