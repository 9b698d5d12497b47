#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

void write_module(json_writer& out, const module_row& row) {
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

}  // namespace

document_status write_modules(json_writer& out, const profile& p, const modules_result& found, std::uint64_t limit) {
  const verdict v = judge(p, found.absent, found.damage);
  begin_document(out, document::modules);
  write_verdict(out, v);
  out.key("modules");
  out.begin_array();
  std::uint64_t written = 0;
  for (const module_row& row : found.modules) {
    if (limit != 0 && written == limit) break;
    ++written;
    write_module(out, row);
  }
  out.end_array();
  out.field("matched", static_cast<std::uint64_t>(found.modules.size()));
  write_files(out, p);
  write_damage(out, found.damage);
  out.end_object();
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
