// How long ranks stand in collectives until the last one comes.
#pragma once
#include <profkit/core/bubbles.hpp>

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
  std::int64_t waited_ps = 0;  // of all ranks together
  std::string latest;          // who comes last, and how often; "" where no device waits
  std::string longest;         // the longest wait of one rank; likewise
  device_time longest_at;      // its place
  std::string unjudged;        // how many calls have no known last member, and why; "" when all have one
  // Why nothing could be compared, where devices of a run with several ranks communicate; "" else.
  std::string missing;
  std::vector<std::vector<collective_wait>> by_device;  // by source row; empty: nothing could be compared
};

// As judge_arrivals() says it of the calls of the ranks.
result<straggler_waits> find_straggler_waits(const activity& of, const hooks& host);

}  // namespace bubbles
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
