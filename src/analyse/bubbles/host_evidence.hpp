// What hosts did during the gaps of their devices.
#pragma once
#include <profkit/core/bubbles.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// What the name of a host span says.
struct span_meaning {
  bool sync = false, comm = false;
};
[[nodiscard]] span_meaning meaning_of(std::string_view name, bool reference) noexcept;

struct host_facts {
  bool stacks = false, runtime = false;  // python frames, events of the runtime below the framework
  std::vector<file_damage> damage;       // the first of each file
};

// Fills bubble::host of every bubble whose group has host spans. One visit a group; the work grows with the number of
// spans and of gaps, not with their product.
result<host_facts> collect_host_evidence(const activity& of, std::vector<bubble>& bubbles, bool reference,
                                         const hooks& host);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
