// What the HLO text of an operation says about who takes part: "replica_groups={{0,1}}", "replica_groups=[4,2]<=[8]",
// "source_target_pairs={{0,1},{1,0}}". XLA writes it into the names of TPU operations (HloInstruction::ToString,
// xla/hlo/ir/hlo_instructions.cc; ReplicaGroup and IotaReplicaGroupList, xla/hlo/ir/collective_device_list.cc).
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What the ids of a group count (CollectiveOpGroupMode, xla/service/collective_ops_utils.cc).
enum class group_ids : std::uint8_t {
  replicas,
  partitions,
  replicas_of_all_partitions,  // each id stands for all partitions of a replica
  devices,                     // replicas and partitions together
};

struct text_groups {
  group_ids ids_are = group_ids::replicas;
  std::int64_t groups = 0;  // 0: one of everyone
  std::int64_t ids = 0;     // of all groups together, or one more than the greatest of a pair; 0: not on record
  bool pairs = false;       // source_target_pairs
  bool operator==(const text_groups& o) const noexcept {
    return ids_are == o.ids_are && groups == o.groups && ids == o.ids && pairs == o.pairs;
  }
};

// Empty when the text has neither groups nor pairs, or has them in a form that is not known. `opcode`: "all-reduce",
// without "-start".
[[nodiscard]] std::optional<text_groups> groups_in_text(std::string_view hlo_text, std::string_view opcode) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
