#include <analyse/anatomy/embedded_modules.hpp>
#include <analyse/anatomy/program_opcodes.hpp>
#include <profkit/hlo.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

program_opcodes::program_opcodes(const xspace_index& space) {
  for (const plane_index& plane : space.planes) {
    if (plane.kind != plane_kind::metadata) continue;
    for_each_embedded_module(plane, [&](const event_metadata_view& entry, std::string_view blob) {
      const hlo_module_view module = hlo_proto_view(blob).hlo_module();
      by_name_[module.name()].blobs.push_back(blob);
      by_id_[entry.key()].blobs.push_back(blob);  // the profiler's key is the id of the program
      if (module.id() != entry.key()) by_id_[module.id()].blobs.push_back(blob);
    });
  }
}

std::string_view program_opcodes::look_up(programs& in, std::string_view instruction) {
  if (!in.read) {
    in.read = true;
    for (const std::string_view blob : in.blobs)
      for (const computation_view computation : hlo_proto_view(blob).hlo_module().computations())
        for (const instruction_view known : computation.instructions()) {
          const auto [at, is_new] = in.opcodes.try_emplace(known.name(), known.opcode());
          if (!is_new && at->second != known.opcode()) at->second = {};
        }
  }
  const auto found = in.opcodes.find(instruction);
  return found == in.opcodes.end() ? std::string_view() : found->second;
}

std::string_view program_opcodes::find(std::optional<std::int64_t> program_id, std::string_view module_name,
                                       std::string_view instruction) {
  if (program_id)
    if (const auto same_id = by_id_.find(*program_id); same_id != by_id_.end())
      return look_up(same_id->second, instruction);
  const auto same_name = by_name_.find(module_name);
  return same_name == by_name_.end() ? std::string_view() : look_up(same_name->second, instruction);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
