// Which devices a collective instruction joins, number by number.
#pragma once
#include <profkit/hlo.hpp>

#include <base/hash_map.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The devices of a program, in the order of its logical ids.
struct program_devices {
  std::int64_t replicas = 0, partitions = 0;  // 0: not on record
  std::vector<std::int64_t> ids;              // replica by replica, all partitions of each
  // The program says which devices. Else their number is that of the ids of its collectives, if these count one thing only, and
  // they are numbered from 0.
  bool assigned = false;
};

// Groups or pairs of an instruction, as ids of devices.
struct group_membership {
  std::shared_ptr<const program_devices> devices;
  std::vector<std::vector<std::int64_t>> groups;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // source, target
  std::int64_t channel = 0;  // joins a send and its recv
  [[nodiscard]] bool same_members(const group_membership& o) const;
};

// The groups of a program's instructions. Those that are written alike are made once; a program of too many different ones is damaged,
// and says nothing of the rest.
class program_memberships {
 public:
  explicit program_memberships(const hlo_module_view& module);
  // Null when the instruction does not say it. `opcode`: "all-reduce", without "-start".
  [[nodiscard]] std::shared_ptr<const group_membership> of(const instruction_view& instruction, std::string_view opcode);

 private:
  std::shared_ptr<const program_devices> devices_;
  hash_map<std::string, std::shared_ptr<const group_membership>> known_;  // by what is written
  std::size_t ids_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
