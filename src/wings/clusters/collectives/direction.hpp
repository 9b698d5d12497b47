// Who waits for whom in a collective that is not a barrier. Traces do not name the root of a broadcast, the sender of a
// recv nor the pairs of a permute; but an instruction has the same ones in every invocation, so that all of them
// together can show it.
#pragma once
#include <profkit/core/collectives.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class collective_directions {
 public:
  // How far a time of a member can be wrong.
  using error_of_time = std::function<std::int64_t(const collective_member&, std::int64_t time_ps)>;
  collective_directions(const validation_result& found, const error_of_time& error);

  // The node whose time contradicts the fewest invocations of a broadcast or reduce instruction; empty for kernels
  // without an instruction, which serve every root in turn.
  [[nodiscard]] std::optional<std::uint32_t> root_of(std::uint32_t op) const;
  // The node that this node receives from in a send and recv that belong together, by the fewest contradictions.
  [[nodiscard]] std::optional<std::uint32_t> sender_to(std::uint32_t op, std::uint32_t node) const;

  // Every kernel of a collective-permute sends or receives, so that each node has a partner that the fewest invocations
  // contradict. Given is the relation of the node for which even that one is contradicted most: whatever the pairs are,
  // at least that many invocations break their order. Empty for kernels of other instructions.
  struct relation {
    std::uint32_t sender = 0, receiver = 0;  // nodes
    std::size_t nodes = 0;                   // that take part
  };
  [[nodiscard]] std::optional<relation> pair_of(std::uint32_t op) const;

  // Why groups of this op could not be judged.
  [[nodiscard]] const char* why_unjudged(std::uint32_t at, const collective_op& op, bool one_device_a_node) const;

 private:
  struct tally {
    std::uint64_t contradictions = 0, invocations = 0;
  };
  using candidates = std::map<std::uint32_t, tally>;  // by node
  static void add(tally& to, bool contradicted) noexcept;
  static void add_roots(candidates& roots, const collective_member* members, std::uint32_t count, bool from,
                        const error_of_time& error);
  static std::optional<std::uint32_t> best_of(const candidates& all);

  std::map<std::uint32_t, candidates> roots_;                                     // by op
  std::map<std::pair<std::uint32_t, std::uint32_t>, candidates> senders_;         // by op and receiving node
  using pair_tallies = std::map<std::pair<std::uint32_t, std::uint32_t>, tally>;  // by sender and receiver
  std::map<std::uint32_t, pair_tallies> pairs_;                                   // by op
  std::set<std::uint32_t> too_many_;  // ops with a group of more members than are compared
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
