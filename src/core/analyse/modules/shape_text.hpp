// Shapes as XLA writes them.
#pragma once
#include <profkit/hlo.hpp>

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// "f32[5,1024]{1,0:T(8,128)S(1)}", "(f32[2]{0}, s32[])", "pred[<=8]"; the layout only where the shape carries
// one. Tuples nested deeper than 100 levels show as "…".
[[nodiscard]] std::string shape_text(const shape_view& shape);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
