// Counts of ops held against the layers that were found: a mismatch means that one of them is wrong.
#pragma once
#include <model/architecture/layers.hpp>

#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

void cross_check_layers(const layer_anchors& anchors, const pass_cuts& cuts, const std::vector<kind_counts>& counts,
                        device_architecture& into);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
