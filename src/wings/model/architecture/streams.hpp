// Streams and what they hide: who computes, who communicates, and how much of it at the same time.
#pragma once
#include <model/architecture/kernels.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace architecture {

// Fills streams and pipeline; the sample is of layers that anatomies know.
void find_streams(const activity& of, const device_kernels& kernels, device_architecture& into);

}  // namespace architecture
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
