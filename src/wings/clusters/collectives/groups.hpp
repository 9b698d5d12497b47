// What the programs inside a capture say about which devices take part in a collective.
#pragma once
#include <profkit/hlo.hpp>

#include <base/hash_map.hpp>
#include <base/text_groups.hpp>
#include <formats/xspace/xspace_index.hpp>

#include "membership.hpp"
#include "payload.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Who takes part in one invocation, as far as it is on record. Of several answers the greatest counts.
enum class participation : std::uint8_t {
  unknown,      // nothing is on record
  everyone,     // one group of all devices of the program
  within_node,  // the program has devices of one node alone, and so has each of its groups
  own_group,    // one group of several, and it is known which
  sub_groups,   // groups or pairs where the trace does not say which device is in which
};

// The process groups of instructions. Reads a program when it is first asked for.
class recorded_groups {
 public:
  struct answer {
    participation who = participation::unknown;
    std::int64_t devices = 0;  // of the program; 0: not on record
    std::shared_ptr<const group_membership> members = nullptr;  // null: not known
    collective_message message = {};
    void add(const answer& other);  // what else the same name may stand for
  };

  // The programs of all planes: a merged trace has one plane of them a node.
  explicit recorded_groups(const xspace_index& space);
  // The program is found by its id, else by the module's name, else every program that has the instruction counts.
  [[nodiscard]] answer find(std::optional<std::int64_t> program_id, std::string_view module_name,
                            std::string_view instruction);

 private:
  struct program {
    std::string_view blob;
    hash_map<std::string_view, answer> instructions;
    bool read = false;
  };
  static void read(program& p);
  answer look_up(const std::vector<std::size_t>& in, std::string_view instruction);

  std::vector<program> programs_;
  std::vector<std::size_t> all_;
  hash_map<std::int64_t, std::vector<std::size_t>> by_id_;
  hash_map<std::string_view, std::vector<std::size_t>> by_name_;
};

// The devices of a program, as far as the texts of its operations count them.
class program_extent {
 public:
  void add(const text_groups& groups) noexcept;
  [[nodiscard]] recorded_groups::answer answer_of(const text_groups& groups) const noexcept;

 private:
  [[nodiscard]] std::int64_t devices() const noexcept;  // 0: not on record
  std::int64_t replicas_ = 0, partitions_ = 0, devices_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
