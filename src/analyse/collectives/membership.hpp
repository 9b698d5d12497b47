// Which devices a collective instruction joins, number by number.
#pragma once
#include <profkit/hlo.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The devices of a program, in the order of its logical ids.
struct program_devices {
  std::int64_t replicas = 0, partitions = 0;  // 0: not on record
  std::vector<std::int64_t> ids;              // replica by replica, all partitions of each
  bool assigned = false;                      // the program says which devices; else they are numbered from 0
};

// The devices that a program was assigned. Without an assignment their number is that of the ids of its collectives, if these
// count one thing only. Nothing when it cannot be known, or is of no sense.
[[nodiscard]] std::optional<program_devices> devices_of_program(const hlo_module_view& module);

// Groups or pairs of an instruction, as ids of devices.
struct group_membership {
  std::shared_ptr<const program_devices> devices;
  std::vector<std::vector<std::int64_t>> groups;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // source, target
  std::int64_t channel = 0;  // joins a send and its recv
  [[nodiscard]] bool same_members(const group_membership& o) const;
};

// Null when the instruction does not say it. `opcode`: "all-reduce", without "-start".
[[nodiscard]] std::shared_ptr<const group_membership> membership_of(
    const instruction_view& instruction, std::string_view opcode, std::shared_ptr<const program_devices> devices);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
