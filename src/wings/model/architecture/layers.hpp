// Layers and passes from anchors and cuts: what each holds, its type, and the orders of types that passes have.
#pragma once
#include <model/architecture/anchors.hpp>
#include <model/architecture/kernels.hpp>
#include <model/architecture/passes.hpp>
#include <model/architecture/phases.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// How many kernels of each kind a pass holds.
using kind_counts = std::array<std::uint64_t, op_kind_count>;

// Fills passes, layers, layouts and types of `into`; gives the counts by pass.
std::vector<kind_counts> fill_layers(const device_kernels& of, const layer_anchors& anchors,
                                     const anchor_phases& phases, const pass_cuts& cuts, device_architecture& into);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
