// How long ranks stand in collectives until the last one comes.
#pragma once
#include <profkit/core/activity.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace bubbles {

// How long a rank waits for others in one of its collectives, from its start on.
struct collective_wait {
  std::uint64_t source_row = 0;  // of the kernel
  std::int64_t waited_ps = 0;
};

struct straggler_waits {
  std::uint64_t collectives = 0;  // that all of their ranks ran
  std::int64_t waited_ps = 0;     // of all ranks together
  // The rank that the others waited for longest, and how often it came last.
  std::int32_t late_rank = -1;
  std::int64_t waited_for_late_ps = 0;
  std::uint64_t times_late = 0;
  // The longest wait of one rank.
  std::int64_t longest_ps = 0;
  std::int32_t longest_rank = -1;
  string_id longest_name = 0;
  // Why nothing could be compared, where devices of a run with several ranks communicate; "" else.
  std::string missing;
  std::vector<std::vector<collective_wait>> by_device;  // by source row; empty: nothing could be compared
};

// Of all-reduce, all-gather, reduce-scatter and all-to-all, whose members end together: who comes last has the shortest
// execution, and the others waited as much longer as theirs lasts. No clock of one rank is held against that of another.
// Executions count as one where the i-th of a name and process group is there on every rank of the group.
result<straggler_waits> find_straggler_waits(const activity& of, const hooks& host);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
