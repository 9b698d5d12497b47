// What kind of work the instructions of a program are.
#pragma once
#include <analyse/ops/work_kinds.hpp>
#include <profkit/hlo.hpp>

#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Of all instructions, in the order in which they stand in the module, computation by computation. A fusion that computes nothing
// is what it moves most elements by.
[[nodiscard]] std::vector<work_kind> hlo_kinds_of(const hlo_module_view& module);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
