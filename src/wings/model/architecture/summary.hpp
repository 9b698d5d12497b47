// What can be said about the findings: evidence, how sure, what is missing.
#pragma once
#include <model/architecture/anchors.hpp>
#include <model/architecture/kernels.hpp>
#include <model/architecture/passes.hpp>
#include <model/architecture/phases.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// Fills parallelism, limitations, confidence and evidence, in this order.
void sum_up(const activity& of, const device_kernels& kernels, const layer_anchors& anchors, const pass_cuts& cuts,
            const anchor_phases& phases, std::string_view label, device_architecture& into);
// One sentence for people.
[[nodiscard]] std::string summary_of(const activity& of, const architecture_result& r);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
