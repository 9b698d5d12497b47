// When a device may have worked for launches that are not on its record. Such time is neither busy nor idle: not known.
#pragma once
#include <profkit/core/activity.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// One list a device, by start: from a launch, or the end of the kernel that its stream ran before it, to the start of the
// next kernel that is known to run after it. Each is a kernel with the name of the call. A launch counts for the device and
// the stream of the kernel that its thread launched right before it, else right after it; for all devices of the host where
// that thread launched none. Without a next kernel it lasts until the end of the host's step; without steps it takes no time.
result<std::vector<std::vector<kernel_row>>> find_unrecorded_work(const activity& of, const hooks& host);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
