// The instructions of a module's entry computation, as they are stored and as they run.
#include <analyse/modules/shape_text.hpp>
#include <analyse/source_table.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <profkit/core/modules.hpp>
#include <profkit/hlo.hpp>

#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

instruction_row row_of(const instruction_view& instruction, const source_table& places) {
  instruction_row row;
  row.id = instruction.id();
  row.name = instruction.name();
  row.opcode = instruction.opcode();
  const op_metadata_view metadata = instruction.metadata();
  row.op_name = metadata.op_name();
  const source_place place = places.place_of(metadata);
  row.source_file = place.file;
  row.source_line = place.line;
  row.shape = shape_text(instruction.shape());
  return row;
}

// The computation with the module's entry id, else the first.
std::optional<computation_view> entry_of(const hlo_module_view& module) noexcept {
  std::optional<computation_view> entry;
  const auto computations = module.computations();
  for (auto at = computations.begin(); !at.done(); ++at) {
    const computation_view computation = *at;
    if (computation.id() == module.entry_computation_id()) return computation;
    if (!entry) entry = computation;
  }
  return entry;
}

}  // namespace

result<const module_row*> find_module(const modules_result& found, std::string_view name) {
  return contained([&]() -> result<const module_row*> {
    for (const module_row& m : found.modules)
      if (m.name.find(name) != std::string_view::npos) return &m;
    fault f;
    f.code = fault_code::not_found;
    f.message = "no module's name contains '" + std::string(name) + "'";
    constexpr std::size_t max_named = 10;
    for (std::size_t i = 0; i < found.modules.size() && i < max_named; ++i)
      f.hint += (i == 0 ? "The modules are: " : ", ") + std::string(found.modules[i].name);
    if (found.modules.size() > max_named) f.hint += ", …";
    return f;
  });
}

result<entry_dump> analyse_entry(const module_row& m) {
  return contained([&]() -> result<entry_dump> {
    const hlo_proto_view proto(m.blob);
    const hlo_module_view module = proto.hlo_module();
    const std::optional<computation_view> entry = entry_of(module);
    if (!entry) {
      if (m.damage) return *m.damage;
      fault f;
      f.code = fault_code::not_found;
      f.message = "module '" + std::string(m.name) + "' has no computation";
      return f;
    }
    entry_dump dump;
    dump.module_name = module.name();
    dump.computation_name = entry->name();
    const source_table places(module);
    hash_map<std::int64_t, std::size_t> by_id;
    for (const instruction_view instruction : entry->instructions()) {
      by_id.emplace(instruction.id(), dump.proto_order.size());
      dump.proto_order.push_back(row_of(instruction, places));
    }
    for (const std::int64_t id : module.schedule().find_linear(entry->id()).instruction_ids()) {
      const auto found = by_id.find(id);
      if (found != by_id.end()) dump.schedule_order.push_back(found->second);
    }
    return dump;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
