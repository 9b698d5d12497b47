// What a layer consists of: the role of each of its kernels, its parts and its tree, on the layer of median length.
#pragma once
#include <model/architecture/kernels.hpp>

#include <cstddef>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// Roles of the rows [first, last) of a layer. `is_last`: the last of its pass, which the output head may follow.
[[nodiscard]] std::vector<layer_role> roles_of(const device_kernels& of, std::size_t first, std::size_t last,
                                               layer_kind kind, bool is_last);

// Fills anatomies, one a layer type and phase.
void find_anatomies(const activity& names, const device_kernels& of, device_architecture& into);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
