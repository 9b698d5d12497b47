// Drawings of plain characters: streams side by side, the model as a stack of boxes, passes on a scale of time.
#pragma once
#include <profkit/core/architecture.hpp>

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace markdown {

// One row a stream over two neighbouring layers, at most 100 columns; "" without a sample.
[[nodiscard]] std::string draw_lanes(const device_architecture& d);
// The layers of each order of types, from the input up.
[[nodiscard]] std::string draw_model(const device_architecture& d);
// Passes, each with its span on the scale of the capture.
[[nodiscard]] std::string draw_timeline(const device_architecture& d);

// "0-1, 5".
[[nodiscard]] std::string ranges_text(const layer_type& t);

}  // namespace markdown
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
