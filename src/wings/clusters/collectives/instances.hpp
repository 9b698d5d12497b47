// Executions of collectives as traces hold them, before anything is compared.
#pragma once
#include <profkit/core/collectives.hpp>

#include "base/string_table.hpp"
#include "groups.hpp"
#include "membership.hpp"
#include "payload.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct collective_instance {
  std::uint32_t node = 0;  // index into collective_instances::nodes
  std::int32_t device = 0;
  std::uint32_t name = 0, module = 0;  // in texts
  std::uint32_t kind = 0;  // likewise: what says what it does: the opcode of an instruction, else a kernel's name
  std::int64_t start_ps = 0, end_ps = 0;
  std::int64_t correlation_id = -1;
  std::optional<std::int64_t> run_id;
  bool library_kernel = false;  // of a communication library: it ends when its data has arrived
  participation who = participation::unknown;
  std::uint32_t group = 0;         // in texts: the process group, where it is known and not everyone
  std::int64_t group_devices = 0;  // that take part, as far as that is on record
  std::int64_t program_devices = 0;  // of the program that it is part of; 0: not on record
  std::uint32_t stream = 0;    // of its device
  std::uint32_t members = 0;   // 1 + index into memberships: what its program says about who takes part
  std::uint32_t lane = 0;      // index into lanes
  std::uint32_t communicator = 0;  // 1 + index into communicators; 0: who takes part is not known
  std::uint32_t role = 0;      // in texts: what its process group is for, as the recorder says
  std::uint32_t size = 0;      // in texts: what it moves, as recorded; 0: not on record
  collective_message message;
  std::int64_t sequence = -1;  // its number among the calls of its group, as the recorder counts them
  std::int64_t root = -1;      // rank, as recorded
  collective_part part = collective_part::both;
  std::uint32_t activity_device = 0;  // of a kernel of an activity
  std::uint64_t source_row = 0;
  bool ranks_on_record = false;  // of the members of its process group
};

// A device that runs collectives.
struct collective_lane {
  std::uint32_t node = 0;  // index into collective_instances::nodes
  std::int32_t device = 0;
};

// Devices that call collectives together, by name.
struct communicator {
  struct member {
    std::uint32_t lane = 0;
    std::int64_t rank = -1;  // its number in the groups on record
  };
  std::uint32_t name = 0;  // in texts; 0: everyone
  std::vector<member> members;  // by rank; of those that there are traces of
  std::int64_t size = 0;         // all of them
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // of ranks: source, target; only these wait for each other
  std::int64_t root = -1;  // rank that sends a broadcast, or receives what is reduced; -1: not known
  std::int64_t channel = 0;  // joins a send and its recv
  bool everyone = false;   // all devices of all traces
  bool numbered_by_place = false;  // which device has which number is inferred from the order of nodes and devices
  bool devices_counted = false;    // even how many devices the program has is inferred
};

struct collective_instances {
  string_table texts;
  std::vector<collective_node> nodes;
  std::uint32_t clocks = 0;  // different ones of the nodes
  std::vector<collective_instance> all;
  std::optional<std::int64_t> origin_unix_ns;
  std::vector<file_damage> damage;
  bool groups_by_number = false;  // of some operation the group is known by the end of its name alone
  std::vector<collective_lane> lanes;  // by node and device
  std::vector<std::shared_ptr<const group_membership>> memberships;
  std::vector<communicator> communicators;
  std::int64_t world_size = 0;   // ranks of the whole run, as far as that is on record
  bool has_ranks = false;        // some traces are of ranks
  bool rank_is_twice = false;    // two files are of one rank: they are not of one run
};

// Without its rank and its part.
[[nodiscard]] collective_member member_of(const collective_instance& e);
// Whose clock a node shows: nodes of one host have the same. Where all are of one host, each is looked at as if it had its own.
[[nodiscard]] std::uint32_t clock_shown_by(const validation_result& matched, std::uint32_t node) noexcept;

// Puts the ids of programs in the places of devices: fills `communicators`, and which of them instances belong to.
void form_communicators(collective_instances& found);

// The collective that an instruction or a kernel of this name is: "all-reduce"; empty when the name spells none.
[[nodiscard]] std::string_view collective_in(std::string_view name);
// What a collective of this name (an HLO instruction, a kernel) demands of the order of its members.
[[nodiscard]] collective_semantics semantics_of(std::string_view name) noexcept;

// Whether any part of [start, end] lies in the time that was asked for.
[[nodiscard]] inline bool in_window(const validation_options& o, std::int64_t start_ps, std::int64_t end_ps) noexcept {
  return (!o.to_ps || start_ps < *o.to_ps) && (!o.from_ps || start_ps >= *o.from_ps || end_ps > *o.from_ps);
}

using trace_list = std::vector<std::shared_ptr<const trace>>;
// Collectives by what they are: HLO opcodes and kernels of communication libraries; reductions do not count.
result<collective_instances> find_collectives(const trace_list& traces, const hooks& host);
// Those of the ranks of an activity.
result<collective_instances> find_collectives_of_ranks(const activity& of, const hooks& host);

// A call: executions of one number of the members of a communicator.
struct matched_call {
  std::uint32_t op = 0, occurrence = 0;  // of the result
  std::uint32_t communicator = 0;        // index
  std::vector<collective_instance> members;  // by lane
  bool mixed = false;                    // members did not all do the same
  [[nodiscard]] std::int64_t start_ps() const noexcept;  // of the first
};

// The calls of instances whose communicator is known, by op and occurrence. `shifts`: how far the clock of each node is from the
// others. Adds ops, groups and members.
std::vector<matched_call> match_calls(const collective_instances& found, const std::vector<std::int64_t>& shifts,
                                      const validation_options& o, validation_result& into);

// Members that did otherwise than the others of their group.
void find_irregularities(const collective_instances& found, const std::vector<matched_call>& calls,
                         const std::vector<std::int64_t>& shifts, const validation_options& o, validation_result& into);

// "; the trace of node 2 is incomplete: …" for those of the nodes whose traces are incomplete.
std::string incomplete_traces(const validation_result& of, const std::vector<std::uint32_t>& nodes);

// Puts instances into groups of one invocation each; fills ops, groups, members and warnings of the result.
// `irregularities`: whether members are compared as well.
void match_by_time(const collective_instances& found, bool clocks_agree, const validation_options& o,
                   validation_result& into, bool irregularities = true);

// Who came last to each call, and what the others waited for it. The one place that says so.
void judge_arrivals(const collective_instances& from, const validation_options& o, validation_result& into);
// Why members of a call may be missing.
[[nodiscard]] std::string why_calls_are_incomplete(const collective_instances& found);
// Counts calls, or executions, that cannot be judged.
void add_unjudged(collective_arrivals& into, std::string_view why, std::uint64_t calls, std::uint64_t executions);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
