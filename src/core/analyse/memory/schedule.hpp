// When values live, from the schedule and the uses of each value.
#pragma once
#include "program.hpp"

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

enum class sweep_scope : std::uint8_t {
  entry,          // the entry computation alone
  whole_program,  // bodies of while, call, conditional and async-start, laid out before the instruction that runs them
};

struct lifetime {
  std::int32_t first = -1, last = -1;  // positions in the order; -1: the buffer is defined outside it
};

struct execution_order {
  std::vector<std::uint32_t> instructions;  // by position
  std::vector<std::int32_t> position;       // by instruction; -1: not in it
  [[nodiscard]] bool present() const noexcept { return !instructions.empty(); }
};
execution_order order_of(program& p, sweep_scope scope);

// First and last position at which each buffer of `wanted` provably holds a value: its definition, and the last
// instruction that reads it, directly or through tuples, bitcasts and the done half of an asynchronous operation.
// Results of the entry computation live to the end. The true lifetime is never shorter.
std::vector<lifetime> lifetimes_of(const program& p, const execution_order& order,
                                   const std::vector<std::uint32_t>& wanted);

struct sweep_result {
  std::int64_t peak_bytes = 0;
  std::int64_t peak_position = -1;
  std::int64_t min_bytes = 0;
  std::uint64_t placed = 0, skipped = 0;  // buffers inside and outside the order
  std::vector<std::uint32_t> alive;       // at the peak
};

// Address ranges in use at every position. Buffers that share addresses count once, so that the peak never exceeds
// the allocations. `base` is where each allocation begins in one address space (by allocation; -1: not swept).
sweep_result sweep(const program& p, const std::vector<std::uint32_t>& buffers, const std::vector<lifetime>& lives,
                   const std::vector<std::int64_t>& base, std::size_t positions,
                   std::vector<curve_point>* curve = nullptr);

// Distinct bytes of each buffer of a set that overlap in the address space: the first in the list owns what it shares.
std::vector<std::int64_t> distinct_bytes(const program& p, const std::vector<std::uint32_t>& buffers,
                                         const std::vector<std::int64_t>& base);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
