#include "groups.hpp"

#include <formats/xspace/embedded_modules.hpp>
#include <base/collective_names.hpp>

#include <profkit/time.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Where a frontend writes the pairs of a send and a recv.
constexpr std::string_view send_recv_pairs = "_xla_send_recv_source_target_pairs";

// Groups of an instruction: how many, and how many ids the first of them has.
struct group_list {
  std::int64_t groups = 0, size = 0;
};

template <class Groups>
group_list listed(const Groups& groups) {
  group_list found;
  for (const replica_group_view group : groups) {
    if (found.groups++ > 0) continue;
    for (const std::int64_t id : group.replica_ids()) {
      static_cast<void>(id);
      ++found.size;
    }
  }
  return found;
}

group_list iota_groups(const iota_replica_groups_view& iota) {
  return {iota.num_replica_groups(), iota.num_devices_per_group()};
}

// Groups along every axis of a mesh are one group of all of it; along fewer there are several. A mesh of more devices
// than a number holds is damaged: its size is 0, that of no program.
group_list mesh_groups(const mesh_axes_replica_groups_view& mesh) {
  std::int64_t axes = 0, named = 0;
  std::optional<std::int64_t> devices = 1;
  for (const mesh_axis_view axis : mesh.mesh().axes()) {
    ++axes;
    if (devices) devices = checked_mul(*devices, std::max<std::int64_t>(axis.size(), 1));
  }
  for (const axis_ref_view axis : mesh.axes()) named += axis.sub_axis().size() == 0 ? 1 : 0;
  return named == axes ? group_list{1, devices.value_or(0)} : group_list{2, 0};
}

group_list groups_of(const instruction_view& instruction) {
  switch (instruction.device_list()) {
    case device_list_kind::none: break;
    case device_list_kind::collective_device_list: {
      const collective_device_list_view list = instruction.collective_device_list();
      const group_list found = listed(list.replica_groups());
      return found.groups > 0 ? found : iota_groups(list.iota());
    }
    case device_list_kind::iota_collective_device_list: return iota_groups(instruction.iota_collective_device_list());
    case device_list_kind::mesh_axes_replica_group_list: return mesh_groups(instruction.mesh_axes_replica_group_list());
  }
  return listed(instruction.replica_groups());
}

bool has_pairs(const instruction_view& instruction) {
  for (const source_target_view pair : instruction.source_target_pairs()) {
    static_cast<void>(pair);
    return true;
  }
  for (const frontend_attribute_view attribute : instruction.frontend_attributes().entries())
    if (attribute.key() == send_recv_pairs) return true;
  return false;
}

// 0: not on record, or more than a number holds.
std::int64_t devices_of(std::int64_t replicas, std::int64_t partitions) {
  return checked_mul(replicas, partitions).value_or(0);
}

// Ids of groups count replicas, partitions, or both together: one group of them is everyone only when it has, with
// what each id stands for, as many devices as the program.
participation who_of(const instruction_view& instruction, std::string_view opcode, std::int64_t replicas,
                     std::int64_t partitions) {
  if (has_pairs(instruction)) return participation::sub_groups;
  const group_list found = groups_of(instruction);
  if (found.groups > 1) return participation::sub_groups;
  const std::int64_t devices = devices_of(replicas, partitions);
  if (devices == 0) return participation::unknown;
  const bool across_both = instruction.channel_id() > 0 && !instruction.use_global_device_ids() &&
                           (opcode == "all-reduce" || opcode == "all-gather" || opcode == "reduce-scatter");
  if (found.groups == 0) {
    if (opcode == "send" || opcode == "recv" || opcode == "collective-permute") return participation::unknown;
    const bool alone = instruction.channel_id() > 0 ? replicas == 1 : partitions == 1;
    return across_both || alone ? participation::everyone : participation::sub_groups;
  }
  const std::optional<std::int64_t> members = checked_mul(found.size, across_both ? partitions : 1);
  return members == devices ? participation::everyone : participation::sub_groups;
}

}  // namespace

recorded_groups::recorded_groups(const xspace_index& space) {
  for (const plane_index& plane : space.planes) {
    if (plane.kind != plane_kind::metadata) continue;
    for_each_embedded_module(plane, [&](const event_metadata_view& entry, std::string_view blob) {
      const hlo_module_view module = hlo_proto_view(blob).hlo_module();
      const std::size_t at = programs_.size();
      programs_.push_back({blob, {}, false});
      all_.push_back(at);
      by_name_[module.name()].push_back(at);
      by_id_[entry.key()].push_back(at);  // the profiler's key is the id of the program
      if (module.id() != entry.key()) by_id_[module.id()].push_back(at);
    });
  }
}

void recorded_groups::read(program& p) {
  p.read = true;
  const hlo_module_view module = hlo_proto_view(p.blob).hlo_module();
  const device_assignment_view assigned = module.device_assignment();
  const std::int64_t replicas = assigned.replica_count(), partitions = assigned.computation_count();
  program_memberships memberships(module);
  // What a computation holds counts for whoever calls it (an asynchronous start, a fusion), and the end of an
  // asynchronous operation is what its start is.
  hash_map<std::int64_t, answer> of_computation, of_instruction;
  const auto all_of = [](const hash_map<std::int64_t, answer>& known, const auto& ids_of_parts) {
    answer all;
    for (const std::int64_t id : ids_of_parts)
      if (const auto at = known.find(id); at != known.end()) all.add(at->second);
    return all;
  };
  for (const computation_view computation : module.computations()) {
    answer all;
    of_instruction.clear();
    for (const instruction_view instruction : computation.instructions()) {
      const std::string_view opcode = collective_of(instruction.opcode());
      answer here;
      if (role_of(instruction.opcode()) == async_role::done)
        here = all_of(of_instruction, instruction.operand_ids());
      else if (opcode.empty())
        here = all_of(of_computation, instruction.called_computation_ids());
      else
        here = {who_of(instruction, opcode, replicas, partitions), devices_of(replicas, partitions),
                memberships.of(instruction, opcode), message_of(instruction, opcode)};
      if (here.who == participation::unknown && here.members == nullptr) continue;
      of_instruction[instruction.id()] = here;
      all.add(here);
      p.instructions[instruction.name()].add(here);
    }
    of_computation[computation.id()] = all;
  }
}

void recorded_groups::answer::add(const answer& other) {
  if (other.who == participation::unknown && other.members == nullptr) return;
  const bool first = who == participation::unknown && members == nullptr;
  devices = first ? other.devices : std::min(devices, other.devices);
  if (first)
    message = other.message;
  else if (message.out_bytes != other.message.out_bytes)
    message = {};
  if (first)
    members = other.members;
  else if (members != nullptr && (other.members == nullptr || !members->same_members(*other.members)))
    members = nullptr;
  who = std::max(who, other.who);
}

recorded_groups::answer recorded_groups::look_up(const std::vector<std::size_t>& in, std::string_view instruction) {
  answer found;
  for (const std::size_t at : in) {
    program& p = programs_[at];
    if (!p.read) read(p);
    const auto known = p.instructions.find(instruction);
    if (known == p.instructions.end()) continue;
    found.add(known->second);
  }
  return found;
}

void program_extent::add(const text_groups& groups) noexcept {
  switch (groups.ids_are) {
    case group_ids::replicas:
    case group_ids::replicas_of_all_partitions: replicas_ = std::max(replicas_, groups.ids); break;
    case group_ids::partitions: partitions_ = std::max(partitions_, groups.ids); break;
    case group_ids::devices: devices_ = std::max(devices_, groups.ids); break;
  }
}

std::int64_t program_extent::devices() const noexcept {
  if (replicas_ == 0 && partitions_ == 0) return devices_;
  return std::max(devices_, devices_of(std::max<std::int64_t>(replicas_, 1), std::max<std::int64_t>(partitions_, 1)));
}

recorded_groups::answer program_extent::answer_of(const text_groups& groups) const noexcept {
  const std::int64_t all = devices();
  if (groups.pairs || groups.groups > 1) return {participation::sub_groups, all};
  if (all == 0) return {};
  const std::int64_t each =
      groups.ids_are == group_ids::replicas_of_all_partitions ? std::max<std::int64_t>(partitions_, 1) : 1;
  const bool everyone = groups.groups == 0 || checked_mul(groups.ids, each) == all;
  return {everyone ? participation::everyone : participation::sub_groups, all};
}

recorded_groups::answer recorded_groups::find(std::optional<std::int64_t> program_id, std::string_view module_name,
                                              std::string_view instruction) {
  if (program_id)
    if (const auto same_id = by_id_.find(*program_id); same_id != by_id_.end())
      return look_up(same_id->second, instruction);
  if (const auto same_name = by_name_.find(module_name); same_name != by_name_.end())
    return look_up(same_name->second, instruction);
  return look_up(all_, instruction);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
