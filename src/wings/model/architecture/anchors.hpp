// The kernels that mark layers: attention; else what comes back evenly; else communication that does.
#pragma once
#include <model/architecture/kernels.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// What marks layers, and what else there is of it.
struct layer_anchors {
  anchor_source source = anchor_source::none;
  std::vector<std::size_t> rows;   // ascending
  std::vector<std::uint32_t> ops;  // the ops that mark, by index
  std::string family;
  std::uint64_t backward = 0;
  // Kernels that take the place of attention in some layers, or a second attention in each: not counted as layers.
  std::map<std::string, std::uint64_t> other_mixers;  // by family
};

[[nodiscard]] layer_anchors find_anchors(const device_kernels& of);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
