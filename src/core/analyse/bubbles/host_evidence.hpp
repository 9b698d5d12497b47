// What hosts did during the gaps of their devices.
#pragma once
#include <profkit/core/bubbles.hpp>

#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

struct host_facts {
  bool stacks = false, runtime = false;  // python frames, events of the runtime below the framework
  std::vector<file_damage> damage;       // the first of each file
};

// Fills bubble::host of every bubble whose group has host spans. One visit a group; the work grows with the number of
// spans and of gaps, not with their product.
result<host_facts> collect_host_evidence(const activity& of, std::vector<bubble>& bubbles, const hooks& host);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
