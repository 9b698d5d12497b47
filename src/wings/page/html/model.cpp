// What model ran: layers by type, what they spend their time on, and how sure that is.
#include <page/html/sections.hpp>

#include <export/json/document.hpp>
#include <profkit/core/architecture.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {
namespace {

void write_anatomy(json_writer& out, const device_architecture& d, const layer_anatomy& a) {
  out.field("kind", d.type_text(a.kind));
  out.field("sampling", a.sampling);
  out.field("phase", model_phase_name(a.phase));
  out.field("layers", a.layers);
  out.field("kernels", a.kernels);
  out.key("wall_ps");
  out.begin_tuple();
  for (const std::int64_t ps : {a.wall_ps.least, a.wall_ps.median, a.wall_ps.most}) out.value(ps);
  out.end_array();
  json::write_objects(out, "parts", a.components, [&](const layer_component& part) {
    out.field("role", layer_role_title(part.role));
    out.field("time_ps", part.kernel_sum_ps);
    out.field("kernels", part.kernels);
  });
}

}  // namespace

void write_model_section(json_writer& out, const report_result& found) {
  if (!found.parts.model) return;
  const device_architecture& d = found.parts.model->devices[found.parts.model->reported];
  out.key("architecture");
  out.begin_object(4);
  out.field("layer_word", d.layer_word());
  out.field("passes", d.complete_passes());
  json::write_objects(out, "types", d.anatomies, [&](const layer_anatomy& a) { write_anatomy(out, d, a); });
  json::write_strings(out, "parallelism", d.parallelism);
  json::write_strings(out, "limitations", d.limitations);
  out.end_object();
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
