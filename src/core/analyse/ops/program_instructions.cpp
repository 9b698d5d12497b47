#include <analyse/ops/program_instructions.hpp>

#include <analyse/ops/hlo_kinds.hpp>
#include <analyse/ops/op_programs.hpp>
#include <analyse/source_table.hpp>
#include <base/affix.hpp>
#include <formats/xspace/embedded_modules.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::string instruction_facts::category() const {
  if (opcode != "fusion" || fusion_kind.size() < 2 || fusion_kind[0] != 'k') return std::string(opcode);
  std::string name(fusion_kind.substr(1));
  name[0] = folded(name[0]);
  return name + " fusion";
}

program_instructions::program_instructions(const xspace_index& space) {
  for (const plane_index& plane : space.planes) {
    if (plane.kind != plane_kind::metadata) continue;
    for_each_embedded_module(plane, [&](const event_metadata_view& entry, std::string_view blob) {
      const hlo_module_view module = hlo_proto_view(blob).hlo_module();
      const source_table sources(module);
      const std::vector<hlo_cost> costs = hlo_costs_of(module);
      const std::vector<work_kind> kinds = hlo_kinds_of(module);
      std::size_t at = 0;
      instructions known;
      for (const computation_view computation : module.computations())
        for (const instruction_view each : computation.instructions()) {
          const op_metadata_view metadata = each.metadata();
          const source_place place = sources.place_of(metadata);
          known.try_emplace(each.name(), instruction_facts{each.opcode(), each.fusion_kind(), metadata.op_name(), place.file, place.line,
                                                            costs[at], kinds[at]});
          ++at;
        }
      // The profiler's key is the id of the program; of a TPU's the name has it.
      const std::int64_t id = program_id_in(entry.name()).value_or(entry.key());
      if (!id_of_module_.try_emplace(module.name(), id).second) ambiguous_.insert(module.name());
      by_id_.insert_or_assign(id, std::move(known));
    });
  }
}

const instruction_facts* program_instructions::find(std::optional<std::int64_t> program_id, std::string_view module,
                                                    std::string_view instruction) const {
  auto of = program_id ? by_id_.find(*program_id) : by_id_.end();
  if (of == by_id_.end() && !ambiguous_.contains(module))
    if (const auto named = id_of_module_.find(module); named != id_of_module_.end()) of = by_id_.find(named->second);
  if (of == by_id_.end()) return nullptr;
  const auto found = of->second.find(instruction);
  return found == of->second.end() ? nullptr : &found->second;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
