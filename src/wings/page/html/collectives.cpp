// Collectives and asynchronous copies, op by op.
#include <page/html/sections.hpp>

#include <export/json/document.hpp>
#include <page/picture/device_lanes.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {

void write_collectives_section(json_writer& out, const report_result& found) {
  const collectives_result& c = found.parts.collectives;
  if (found.summary.collectives.empty() && c.ops.empty()) return;
  out.key("collectives");
  out.begin_object(4);
  json::write_objects(out, "ops", c.ops, [&](const collective_op_row& row) {
    out.field("name", std::string_view(picture::shown_op_name(row.name)));
    out.field("category", row.category);
    out.field("plane", short_plane_name(row.plane_name));
    out.field("on_stream", row.on_stream);
    out.field("is_half", row.is_half);
    out.field("count", row.count);
    out.field("total_ps", row.total_ps);
    out.field("min_ps", row.min_ps);
    out.field("max_ps", row.max_ps);
  });
  out.end_object();
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
