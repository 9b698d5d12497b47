// How many operations an HLO instruction does and how many bytes it moves, from shapes alone.
//
// The rules are those of XLA's HloCostAnalysis, which XProf shows, too (hlo_cost_analysis.cc of openxla/xla): a dot does 2
// operations for each element of its result and each contracted element; elementwise operations do one for each element;
// functions such as exp and tanh count apart; an instruction reads its operands and writes its result once, and what is
// computed inside a fusion moves no bytes. Three differences, each where XLA would say nothing or twice the truth: library
// calls of matrix products count as the dot that they stand for; loops, calls and branches count nothing, for the
// instructions inside them do; the second half of an asynchronous pair counts nothing.
#pragma once
#include <profkit/hlo.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct hlo_cost {
  bool is_known = false;
  std::int64_t flops = 0;
  std::int64_t transcendentals = 0;
  std::int64_t bytes = 0;
  // Of the operands of its largest product, else of its result: xla.PrimitiveType.
  std::int32_t element_type = 0;
};

// Of all instructions, in the order in which they stand in the module, computation by computation.
[[nodiscard]] std::vector<hlo_cost> hlo_costs_of(const hlo_module_view& module);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
