// What the numbers of a result say to its reader.
#pragma once
#include <profkit/core/memory.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// The findings of a result: broken invariants, problems of modules, what does not fit, what could be won.
void add_findings(memory_result& r);
// At most six lines that say what matters.
void summarise(memory_result& r);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
