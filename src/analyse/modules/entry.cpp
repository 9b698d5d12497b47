// The instructions of a module's entry computation, as they are stored and as they run.
#include <analyse/modules/shape_text.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <profkit/core/anatomy.hpp>
#include <profkit/hlo.hpp>

#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Source places of a module that keeps them in one table (since 2024) and not at every instruction.
class source_places {
 public:
  explicit source_places(const stack_frame_index_view& table) {
    for (const std::string_view name : table.file_names()) file_names_.push_back(name);
    for (const file_location_view location : table.file_locations()) locations_.push_back(location);
    for (const stack_frame_view frame : table.stack_frames()) frames_.push_back(frame);
  }
  void resolve(std::int32_t frame_id, instruction_row& row) const noexcept {
    const stack_frame_view* frame = at(frames_, frame_id);
    const file_location_view* location = frame != nullptr ? at(locations_, frame->file_location_id()) : nullptr;
    if (location == nullptr) return;
    row.source_line = location->line();
    if (const std::string_view* name = at(file_names_, location->file_name_id())) row.source_file = *name;
  }

 private:
  // Ids are 1-based positions.
  template <class T>
  static const T* at(const std::vector<T>& list, std::int32_t id) noexcept {
    return id >= 1 && static_cast<std::size_t>(id) <= list.size() ? &list[static_cast<std::size_t>(id) - 1] : nullptr;
  }
  std::vector<std::string_view> file_names_;
  std::vector<file_location_view> locations_;
  std::vector<stack_frame_view> frames_;
};

instruction_row row_of(const instruction_view& instruction, const source_places& places) {
  instruction_row row;
  row.id = instruction.id();
  row.name = instruction.name();
  row.opcode = instruction.opcode();
  const op_metadata_view metadata = instruction.metadata();
  row.op_name = metadata.op_name();
  row.source_file = metadata.source_file();
  row.source_line = metadata.source_line();
  if (row.source_file.empty()) places.resolve(metadata.stack_frame_id(), row);
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
    const source_places places(module.stack_frame_index());
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
