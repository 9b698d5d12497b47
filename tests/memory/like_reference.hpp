// The numbers of the reference tool (the memory-profile skill, schema version 2), from its own choices and sums: an oracle
// that reference_test.cpp compares with what that tool gave.
#pragma once
#include <analyse/memory/allocator_events.hpp>
#include <analyse/memory/program.hpp>

#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// Its sums over all memory spaces, its choice of file and pool, its sweeps and its replay by requested bytes. Faults: damaged
// where it ends with a traceback.
result<memory_result> analyse_memory_like_reference(const profile& p, const memory_options& o);
// Its document; where ours says more of the same, that is there, too.
std::string reference_memory_document(const profile& p, const memory_options& o, const memory_result& r);

// Faults: damaged where the reference ends with a traceback, because it takes the pool's index for its position.
result<hlo_report> hlo_like_reference(program& p);

// Why there is no block; "" when `report` is one. `events`: in the reference's order.
std::string runtime_like_reference(const profile& p, std::size_t file, const memory_options& o, const collected_events& all,
                                   const std::vector<allocator_event>& events, runtime_report& report);

// Fixed decimals of a computed rate, never of a time.
std::string decimals(double value, int digits);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
