// A model from totals of ops, where no table says when kernels ran: counts of layers, no order.
#pragma once
#include <model/architecture/kernels.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// The ops of a device's totals; no rows.
[[nodiscard]] device_kernels collect_totals(const activity& of, std::size_t device);

// Fills everything that follows from counts.
void read_totals(const activity& of, const device_kernels& kernels, std::string_view label, device_architecture& into);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
