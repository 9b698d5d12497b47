// The beginning of a Python pickle of protocol 2 to 5 (https://docs.python.org/3/library/pickletools.html). Nothing of
// it is ever run.
#pragma once
#include <profkit/namespace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] bool is_pickle(std::string_view head) noexcept;
// What torch.cuda.memory._dump_snapshot() writes: a dict with the segments of the allocator and what it did.
[[nodiscard]] bool is_memory_snapshot(std::string_view head) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
