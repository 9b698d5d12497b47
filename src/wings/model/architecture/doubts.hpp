// What keeps layers, their types and phases from being more than possible.
#pragma once
#include <model/architecture/kernels.hpp>
#include <model/architecture/phases.hpp>

#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// Kernels of a backward pass or of an optimiser run.
[[nodiscard]] bool is_training(const activity& names, const device_kernels& of);

// A sentence for each reason; none where the names of the kernels leave nothing open. Says of the layers whether they may have experts.
[[nodiscard]] std::vector<std::string> find_doubts(const activity& names, const device_kernels& of,
                                                   const anchor_phases& phases, device_architecture& found);

// Where facts of the model say something else than its kernels, both are said, and the kernels are no more than possible.
void hold_against_facts(const std::vector<model_fact>& facts, device_architecture& found);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
