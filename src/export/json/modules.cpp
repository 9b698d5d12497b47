#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

void write_module_row(json_writer& out, const module_row& row) {
  out.begin_object();
  out.field("file", row.file);
  out.field("plane", row.plane);
  out.field_id("metadata_id", row.metadata_id);
  out.field("name", row.name);
  out.field("module_name", row.module_name);
  out.field_id("module_id", row.module_id);
  out.field("computations", row.computations);
  out.field("instructions", row.instructions);
  out.field("bytes", row.bytes);
  out.field("sibling", sibling_state_name(row.sibling));
  out.key("sibling_path");
  if (row.sibling == sibling_state::none)
    out.null();
  else
    out.value(std::string_view(row.sibling_path));
  out.key("damage");
  if (row.damage) {
    out.begin_object();
    write_fault_fields(out, *row.damage);
    out.end_object();
  } else {
    out.null();
  }
  out.end_object();
}

void write_instruction(json_writer& out, const instruction_row& row) {
  out.begin_object();
  out.field_id("id", row.id);
  out.field("name", row.name);
  out.field("opcode", row.opcode);
  out.field("shape", std::string_view(row.shape));
  out.field("op_name", row.op_name);
  out.field("source_file", row.source_file);
  out.field("source_line", row.source_line);
  out.end_object();
}

void write_entry(json_writer& out, const entry_dump& entry) {
  out.begin_object();
  out.field("computation", entry.computation_name);
  write_rows(out, "instructions", entry.proto_order, [&](const instruction_row& row) { write_instruction(out, row); });
  out.field("matched", static_cast<std::uint64_t>(entry.proto_order.size()));
  write_rows(out, "schedule", entry.schedule_order,
             [&](std::size_t at) { out.value(static_cast<std::uint64_t>(at)); });
  out.end_object();
}

// The frame of the document around the rows and, for one module, its entry computation.
document_status write_listed(json_writer& out, const profile& p, const modules_result& found, const module_row* only) {
  const verdict v = judge(p, found.absent, found.damage);
  begin_document(out, document::modules);
  write_verdict(out, v);
  out.key("modules");
  out.begin_array();
  for (const module_row& row : found.modules)
    if (only == nullptr || &row == only) write_module_row(out, row);
  out.end_array();
  out.field("matched", only != nullptr ? std::uint64_t{1} : static_cast<std::uint64_t>(found.modules.size()));
  if (only != nullptr) {
    out.key("entry");
    if (const result<entry_dump> entry = analyse_entry(*only); entry)
      write_entry(out, *entry);
    else
      out.null();  // the module's own damage says why
  }
  write_files(out, p);
  write_damage(out, found.damage, checked_by(document::modules, p));
  end_document(out);
  return v.status;
}

}  // namespace

document_status write_modules(json_writer& out, const profile& p, const modules_result& found) {
  return write_listed(out, p, found, nullptr);
}

document_status write_module_entry(json_writer& out, const profile& p, const modules_result& found,
                                   const module_row* only) {
  return write_listed(out, p, found, only);
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
