#include "membership.hpp"

#include <base/collective_names.hpp>
#include <base/text_groups.hpp>

#include <profkit/time.hpp>

#include <algorithm>
#include <charconv>
#include <set>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Programs of more devices, and instructions of more ids, are not written out.
constexpr std::int64_t max_members_listed = 1 << 18;
// Of all different groups of a program together.
constexpr std::int64_t max_ids_of_program = 1 << 22;

// Where a frontend writes the pairs of a send and a recv.
constexpr std::string_view pairs_of_send = "_xla_send_recv_source_target_pairs";

using id_list = std::vector<std::int64_t>;
using id_groups = std::vector<id_list>;
using id_pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

bool joins_both(std::string_view opcode) noexcept {
  return opcode == "all-reduce" || opcode == "all-gather" || opcode == "reduce-scatter";
}

bool goes_by_pairs(std::string_view opcode) noexcept {
  return opcode == "send" || opcode == "recv" || opcode == "collective-permute";
}

// What the ids of its groups or pairs count (CollectiveOpGroupMode, xla/service/collective_ops_utils.cc).
group_ids ids_count(const instruction_view& instruction, std::string_view opcode) noexcept {
  const bool over_channel = instruction.channel_id() > 0;
  if (!joins_both(opcode)) return over_channel ? group_ids::partitions : group_ids::replicas;
  if (!over_channel) return group_ids::replicas;
  return instruction.use_global_device_ids() ? group_ids::devices : group_ids::replicas_of_all_partitions;
}

// Sizes one after the other: of the last the steps are 1. Nothing when all together are too many.
struct grid {
  id_list sizes;
  [[nodiscard]] std::optional<std::int64_t> count() const {
    std::int64_t all = 1;
    for (const std::int64_t size : sizes) {
      const auto product = size > 0 ? checked_mul(all, size) : std::nullopt;
      if (!product || *product > max_members_listed) return std::nullopt;
      all = *product;
    }
    return all;
  }
  // Its numbers, walked along the axes of `order`, the last of them fastest.
  [[nodiscard]] id_list walked(const std::vector<std::size_t>& order) const {
    id_list steps(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;) steps[i - 1] = steps[i] * sizes[i];
    id_list numbers{0};
    for (const std::size_t axis : order) {
      id_list longer;
      for (const std::int64_t number : numbers)
        for (std::int64_t k = 0; k < sizes[axis]; ++k) longer.push_back(number + k * steps[axis]);
      numbers = std::move(longer);
    }
    return numbers;
  }
};

std::optional<id_groups> cut(const id_list& numbers, std::int64_t size) {
  if (size <= 0 || static_cast<std::int64_t>(numbers.size()) % size != 0) return std::nullopt;
  id_groups groups;
  for (std::size_t from = 0; from < numbers.size(); from += static_cast<std::size_t>(size))
    groups.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(from),
                        numbers.begin() + static_cast<std::ptrdiff_t>(from) + static_cast<std::ptrdiff_t>(size));
  return groups;
}

// 0, 1, 2, … in the shape of some dimensions, these put into another order, and cut (IotaTileAssignment of XLA).
std::optional<id_groups> members_of_iota(const iota_replica_groups_view& iota) {
  grid of;
  std::vector<std::size_t> order;
  std::set<std::size_t> seen;
  for (const std::int64_t size : iota.iota_reshape_dims()) of.sizes.push_back(size);
  for (const std::int32_t axis : iota.iota_transpose_perm()) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= of.sizes.size()) return std::nullopt;
    if (!seen.insert(static_cast<std::size_t>(axis)).second) return std::nullopt;
    order.push_back(static_cast<std::size_t>(axis));
  }
  const auto count = of.count();
  if (of.sizes.empty() || order.size() != of.sizes.size() || !count) return std::nullopt;
  if (checked_mul(iota.num_replica_groups(), iota.num_devices_per_group()) != count) return std::nullopt;
  return cut(of.walked(order), iota.num_devices_per_group());
}

// Devices of a mesh that differ along the named axes alone are a group. A part of an axis splits it in three.
std::optional<id_groups> mesh_ids(const mesh_axes_replica_groups_view& mesh) {
  struct piece {
    std::int64_t first = 0, size = 0;  // of the axis, counted in devices on its left
    std::size_t axis = 0;
  };
  id_list axes;
  for (const mesh_axis_view axis : mesh.mesh().axes()) axes.push_back(axis.size());
  std::vector<piece> named;
  for (const axis_ref_view ref : mesh.axes()) {
    const std::int64_t at = ref.mesh_axis_index();
    if (at < 0 || at >= static_cast<std::int64_t>(axes.size())) return std::nullopt;
    const std::int64_t whole = axes[static_cast<std::size_t>(at)];
    piece part{1, whole, static_cast<std::size_t>(at)};
    if (ref.sub_axis().present()) part = {ref.sub_axis().pre_size(), ref.sub_axis().size(), static_cast<std::size_t>(at)};
    const auto inside = part.first > 0 && part.size > 0 ? checked_mul(part.first, part.size) : std::nullopt;
    if (!inside || whole % *inside != 0) return std::nullopt;
    named.push_back(part);
  }
  grid of;
  std::vector<std::size_t> rest, along(named.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    std::vector<std::size_t> here;
    for (std::size_t i = 0; i < named.size(); ++i)
      if (named[i].axis == axis) here.push_back(i);
    std::sort(here.begin(), here.end(), [&](std::size_t a, std::size_t b) { return named[a].first < named[b].first; });
    std::int64_t left = 1;
    for (const std::size_t i : here) {
      if (named[i].first % left != 0) return std::nullopt;  // two parts overlap
      rest.push_back(of.sizes.size());
      of.sizes.push_back(named[i].first / left);
      along[i] = of.sizes.size();
      of.sizes.push_back(named[i].size);
      left = named[i].first * named[i].size;
    }
    if (axes[axis] <= 0) return std::nullopt;
    rest.push_back(of.sizes.size());
    of.sizes.push_back(axes[axis] / left);
  }
  const auto count = of.count();
  if (!count) return std::nullopt;
  std::int64_t size = 1;
  for (const std::size_t axis : along) size *= of.sizes[axis];
  rest.insert(rest.end(), along.begin(), along.end());
  id_list numbers = of.walked(rest), order;
  for (const std::int64_t id : mesh.mesh().device_ids()) order.push_back(id);
  if (!order.empty() && order.size() != numbers.size()) return std::nullopt;
  if (!order.empty())
    for (std::int64_t& number : numbers) number = order[static_cast<std::size_t>(number)];
  return cut(numbers, size);
}

template <class Groups>
std::optional<id_groups> listed_members(const Groups& all) {
  id_groups groups;
  std::int64_t ids = 0;
  for (const replica_group_view group : all) {
    id_list& into = groups.emplace_back();
    for (const std::int64_t id : group.replica_ids()) {
      into.push_back(id);
      if (++ids > max_members_listed) return std::nullopt;
    }
  }
  return groups;
}

// Empty: one group of all. Nothing: they have no sense.
std::optional<id_groups> groups_as_written(const instruction_view& instruction) {
  std::optional<id_groups> found;
  switch (instruction.device_list()) {
    case device_list_kind::none: found = listed_members(instruction.replica_groups()); break;
    case device_list_kind::collective_device_list: {
      const collective_device_list_view list = instruction.collective_device_list();
      found = listed_members(list.replica_groups());
      if (found && found->empty() && list.iota().num_replica_groups() > 0) found = members_of_iota(list.iota());
      break;
    }
    case device_list_kind::iota_collective_device_list: found = members_of_iota(instruction.iota_collective_device_list()); break;
    case device_list_kind::mesh_axes_replica_group_list: found = mesh_ids(instruction.mesh_axes_replica_group_list()); break;
  }
  // One group without a number is how some writers say "all".
  if (found && found->size() == 1 && found->front().empty()) found->clear();
  return found;
}

// "{{0,1},{1,2}}"; with any blanks.
std::optional<id_pairs> pairs_in_text(std::string_view text) {
  id_list numbers;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c >= '0' && c <= '9') {
      std::int64_t id = 0;
      const auto read = std::from_chars(text.data() + at, text.data() + text.size(), id);
      if (read.ec != std::errc() || depth != 2) return std::nullopt;
      numbers.push_back(id);
      at = static_cast<std::size_t>(read.ptr - text.data());
      continue;
    }
    if (c == '{') ++depth;
    if (c == '}' && (--depth < 0 || (depth == 1 && numbers.size() % 2 != 0))) return std::nullopt;
    if (c != '{' && c != '}' && c != ',' && c != ' ') return std::nullopt;
    ++at;
  }
  if (depth != 0 || numbers.size() % 2 != 0 || static_cast<std::int64_t>(numbers.size()) > max_members_listed) return std::nullopt;
  id_pairs pairs;
  for (std::size_t i = 0; i < numbers.size(); i += 2) pairs.emplace_back(numbers[i], numbers[i + 1]);
  return pairs;
}

std::optional<id_pairs> pairs_as_written(const instruction_view& instruction) {
  id_pairs pairs;
  for (const source_target_view pair : instruction.source_target_pairs()) {
    pairs.emplace_back(pair.source(), pair.target());
    if (static_cast<std::int64_t>(pairs.size()) > max_members_listed) return std::nullopt;
  }
  if (!pairs.empty()) return pairs;
  for (const frontend_attribute_view attribute : instruction.frontend_attributes().entries())
    if (attribute.key() == pairs_of_send) return pairs_in_text(attribute.value());
  return pairs;
}

// What an instruction records about who takes part, as bytes: its fields for groups and pairs, and what their ids count.
std::string as_written(const instruction_view& instruction, std::string_view opcode) {
  std::string text(opcode);
  text += instruction.channel_id() > 0 ? " channel " : " ";
  const bool by_channel = opcode == "send" || opcode == "recv";
  if (by_channel) text += std::to_string(instruction.channel_id());
  text += instruction.use_global_device_ids() ? " global " : " ";
  wire_reader reader(instruction.bytes());
  for (wire_field field; reader.next(field);)
    for (const std::uint32_t number : {49U, 52U, 68U, 87U, 92U, 93U})
      if (field.is_bytes(number) && (number != 68U || by_channel))
        (text += std::to_string(number) + ' ' + std::to_string(field.bytes.size()) + ' ') += field.bytes;
  return text;
}

// Puts ids of replicas or partitions in the places of devices.
class translation {
 public:
  translation(const program_devices& devices, group_ids ids_are) : devices_(devices), ids_are_(ids_are) {}

  // How often a group stands for one: once for each of what its ids do not count.
  [[nodiscard]] std::int64_t copies() const noexcept {
    if (ids_are_ == group_ids::replicas) return devices_.partitions;
    return ids_are_ == group_ids::partitions ? devices_.replicas : 1;
  }
  [[nodiscard]] std::int64_t ids() const noexcept {
    if (ids_are_ == group_ids::devices) return devices_.replicas * devices_.partitions;
    return ids_are_ == group_ids::partitions ? devices_.partitions : devices_.replicas;
  }
  // The devices of an id in one of the copies.
  bool add(std::int64_t id, std::int64_t copy, id_list& into) const {
    if (id < 0 || id >= ids()) return false;
    switch (ids_are_) {
      case group_ids::devices: into.push_back(at(id)); break;
      case group_ids::replicas: into.push_back(at(id * devices_.partitions + copy)); break;
      case group_ids::partitions: into.push_back(at(copy * devices_.partitions + id)); break;
      case group_ids::replicas_of_all_partitions:
        for (std::int64_t p = 0; p < devices_.partitions; ++p) into.push_back(at(id * devices_.partitions + p));
        break;
    }
    return true;
  }

 private:
  [[nodiscard]] std::int64_t at(std::int64_t logical) const { return devices_.ids[static_cast<std::size_t>(logical)]; }
  const program_devices& devices_;
  group_ids ids_are_;
};

}  // namespace

bool group_membership::same_members(const group_membership& o) const {
  return groups == o.groups && pairs == o.pairs && devices->ids == o.devices->ids && devices->assigned == o.devices->assigned;
}

namespace {

std::optional<program_devices> devices_of_program(const hlo_module_view& module) {
  program_devices found;
  const device_assignment_view assigned = module.device_assignment();
  found.replicas = assigned.replica_count();
  found.partitions = assigned.computation_count();
  const auto count = found.replicas > 0 && found.partitions > 0 ? checked_mul(found.replicas, found.partitions) : std::nullopt;
  if (count && *count > max_members_listed) return std::nullopt;
  if (count) {
    found.assigned = true;
    found.ids.assign(static_cast<std::size_t>(*count), -1);
    std::int64_t partition = 0;
    std::set<std::int64_t> seen;
    for (const computation_device_view computation : assigned.computation_devices()) {
      std::int64_t replica = 0;
      for (const std::int64_t id : computation.replica_device_ids()) {
        if (partition >= found.partitions || replica >= found.replicas || !seen.insert(id).second) return std::nullopt;
        found.ids[static_cast<std::size_t>(replica * found.partitions + partition)] = id;
        ++replica;
      }
      ++partition;
    }
    if (static_cast<std::int64_t>(seen.size()) != *count) return std::nullopt;
    return found;
  }
  std::int64_t greatest = -1, ids_read = 0;
  hash_set<std::string> seen_before;
  std::optional<group_ids> ids_are;
  const auto take = [&](const auto& ids) {
    for (const std::int64_t id : ids) greatest = std::max(greatest, id);
    ids_read += static_cast<std::int64_t>(ids.size());
  };
  for (const computation_view computation : module.computations())
    for (const instruction_view instruction : computation.instructions()) {
      const std::string_view opcode = collective_of(instruction.opcode());
      if (opcode.empty() || !seen_before.insert(as_written(instruction, opcode)).second) continue;
      if (ids_read > max_ids_of_program) return std::nullopt;
      const auto groups = groups_as_written(instruction);
      const auto pairs = pairs_as_written(instruction);
      if (!groups || !pairs) return std::nullopt;
      if (groups->empty() && pairs->empty()) continue;
      const group_ids here = ids_count(instruction, opcode);
      const bool one_replica = here == group_ids::devices || here == group_ids::partitions;
      if (!one_replica && here != group_ids::replicas) return std::nullopt;
      const group_ids counted = one_replica ? group_ids::partitions : group_ids::replicas;
      if (ids_are && *ids_are != counted) return std::nullopt;
      ids_are = counted;
      for (const id_list& group : *groups) take(group);
      for (const auto& [source, target] : *pairs) greatest = std::max({greatest, source, target});
    }
  if (!ids_are || greatest < 0 || greatest >= max_members_listed) return std::nullopt;
  found.replicas = *ids_are == group_ids::replicas ? greatest + 1 : 1;
  found.partitions = *ids_are == group_ids::replicas ? 1 : greatest + 1;
  for (std::int64_t id = 0; id <= greatest; ++id) found.ids.push_back(id);
  return found;
}

std::shared_ptr<const group_membership> membership_of(const instruction_view& instruction, std::string_view opcode,
                                                      std::shared_ptr<const program_devices> devices) {
  if (devices == nullptr) return nullptr;
  auto found = std::make_shared<group_membership>();
  found->devices = devices;
  if (opcode == "send" || opcode == "recv") found->channel = instruction.channel_id();
  group_ids ids_are = ids_count(instruction, opcode);
  if (goes_by_pairs(opcode)) {
    // The pairs of a send count replicas where there are several, else partitions.
    if (opcode != "collective-permute") {
      if (devices->replicas > 1 && devices->partitions > 1) return nullptr;
      ids_are = devices->replicas > 1 ? group_ids::replicas : group_ids::partitions;
    }
    const translation to(*devices, ids_are);
    const auto pairs = pairs_as_written(instruction);
    if (!pairs || pairs->empty()) return nullptr;
    const auto all = checked_mul(static_cast<std::int64_t>(pairs->size()), to.copies());
    if (!all || *all > max_members_listed) return nullptr;
    std::set<std::int64_t> targets;  // no device receives twice
    for (std::int64_t copy = 0; copy < to.copies(); ++copy)
      for (const auto& [source, target] : *pairs) {
        id_list both;
        if (!to.add(source, copy, both) || !to.add(target, copy, both)) return nullptr;
        if (!targets.insert(both[1]).second) return nullptr;
        found->pairs.emplace_back(both[0], both[1]);
      }
    return found;
  }
  const translation to(*devices, ids_are);
  std::optional<id_groups> groups = groups_as_written(instruction);
  if (!groups) return nullptr;
  if (groups->empty()) {
    id_list& all = groups->emplace_back();
    for (std::int64_t id = 0; id < to.ids(); ++id) all.push_back(id);
  }
  std::set<std::int64_t> members;  // no device is in two groups
  for (std::int64_t copy = 0; copy < to.copies(); ++copy)
    for (const id_list& group : *groups) {
      id_list& into = found->groups.emplace_back();
      for (const std::int64_t id : group)
        if (!to.add(id, copy, into)) return nullptr;
      for (const std::int64_t id : into)
        if (!members.insert(id).second) return nullptr;
    }
  return found;
}

}  // namespace

program_memberships::program_memberships(const hlo_module_view& module) {
  if (std::optional<program_devices> devices = devices_of_program(module))
    devices_ = std::make_shared<const program_devices>(std::move(*devices));
}

std::shared_ptr<const group_membership> program_memberships::of(const instruction_view& instruction, std::string_view opcode) {
  if (devices_ == nullptr) return nullptr;
  const auto [at, is_new] = known_.try_emplace(as_written(instruction, opcode), nullptr);
  if (!is_new || ids_ > static_cast<std::size_t>(max_ids_of_program)) return at->second;
  at->second = membership_of(instruction, opcode, devices_);
  ids_ += devices_->ids.size();
  return at->second;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
