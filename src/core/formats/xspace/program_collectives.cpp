#include <formats/xspace/program_collectives.hpp>

#include <profkit/hlo.hpp>
#include <base/collective_names.hpp>
#include <formats/xspace/embedded_modules.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

program_collectives::program_collectives(const xspace_index& space) {
  hash_map<std::int64_t, std::vector<std::string_view>> blobs_by_id;
  hash_map<std::string_view, std::vector<std::string_view>> blobs_by_name;
  for (const plane_index& plane : space.planes) {
    if (plane.kind != plane_kind::metadata) continue;
    for_each_embedded_module(plane, [&](const event_metadata_view& entry, std::string_view blob) {
      const hlo_module_view module = hlo_proto_view(blob).hlo_module();
      blobs_by_name[module.name()].push_back(blob);
      blobs_by_id[entry.key()].push_back(blob);  // the profiler's key is the id of the program
      if (module.id() != entry.key()) blobs_by_id[module.id()].push_back(blob);
    });
  }
  const auto remember = [this](const renamed& of) {
    for (const auto& [instruction, collective] : of) renamed_.insert(instruction);
  };
  for (const auto& [id, blobs] : blobs_by_id) remember(by_id_.emplace(id, read(blobs)).first->second);
  for (const auto& [name, blobs] : blobs_by_name) remember(by_name_.emplace(name, read(blobs)).first->second);
}

program_collectives::renamed program_collectives::read(const std::vector<std::string_view>& blobs) {
  hash_map<std::string_view, std::string_view> opcodes;  // empty: the programs disagree
  for (const std::string_view blob : blobs)
    for (const computation_view computation : hlo_proto_view(blob).hlo_module().computations())
      for (const instruction_view known : computation.instructions()) {
        const auto [at, is_new] = opcodes.try_emplace(known.name(), known.opcode());
        if (!is_new && at->second != known.opcode()) at->second = {};
      }
  renamed found;
  for (const auto& [instruction, opcode] : opcodes) {
    const std::string_view collective = collective_with_role(opcode);
    if (!opcode.empty() && collective != collective_with_role(instruction_name(instruction)))
      found.emplace(instruction, collective);
  }
  return found;
}

std::string_view program_collectives::find(std::optional<std::int64_t> program_id, std::string_view module_name,
                                           std::string_view instruction) const {
  const renamed* of = nullptr;
  if (program_id)
    if (const auto same_id = by_id_.find(*program_id); same_id != by_id_.end()) of = &same_id->second;
  if (of == nullptr)
    if (const auto same_name = by_name_.find(module_name); same_name != by_name_.end()) of = &same_name->second;
  if (of != nullptr)
    if (const auto at = of->find(instruction); at != of->end()) return at->second;
  return collective_with_role(instruction_name(instruction));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
