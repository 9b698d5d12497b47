// Executions of collectives as traces hold them, before anything is compared.
#pragma once
#include <profkit/core/collectives.hpp>

#include "base/string_table.hpp"
#include "groups.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
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
};

struct collective_instances {
  string_table texts;
  std::vector<collective_node> nodes;
  std::uint32_t clocks = 0;  // different ones of the nodes
  std::vector<collective_instance> all;
  std::optional<std::int64_t> origin_unix_ns;
  std::vector<file_damage> damage;
  bool groups_by_number = false;  // of some operation the group is known by the end of its name alone
};

// What a collective of this name (an HLO instruction, a kernel) demands of the order of its members.
[[nodiscard]] collective_semantics semantics_of(std::string_view name) noexcept;

// Whether any part of [start, end] lies in the time that was asked for.
[[nodiscard]] inline bool in_window(const validation_options& o, std::int64_t start_ps, std::int64_t end_ps) noexcept {
  return (!o.to_ps || start_ps < *o.to_ps) && (!o.from_ps || start_ps >= *o.from_ps || end_ps > *o.from_ps);
}

using trace_list = std::vector<std::shared_ptr<const trace>>;
// Collectives by what they are: HLO opcodes and kernels of communication libraries; reductions are none.
result<collective_instances> find_collectives(const trace_list& traces, const hooks& host);

// Puts instances into groups of one invocation each; fills ops, groups, members and warnings of the result.
void match_by_time(const collective_instances& found, bool clocks_agree, const validation_options& o,
                   validation_result& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
