// Memory: how full the fullest device was over time, what one program needs over its schedule, and what is alive at the peaks.
#include <page/html/sections.hpp>

#include <export/json/memory_parts.hpp>

#include <cstddef>
#include <cstdint>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {
namespace {

constexpr std::uint64_t max_alive = 60;

void write_allocator(json_writer& out, const memory_result& m) {
  const runtime_report& r = *m.runtime;
  const allocator_memory* const of = r.allocator ? &m.allocators[*r.allocator] : nullptr;
  out.begin_object();
  json::write_text_or_null(out, "device", of == nullptr ? "" : short_plane_name(of->device.empty() ? of->name : of->device));
  out.field("capacity_bytes", r.pool_bytes);
  out.field("peak_bytes", r.peak_bytes);
  out.field("peak_ps", r.peak_ts_ps);
  out.field("is_global_peak", r.is_global_peak);
  out.key("samples");
  out.begin_tuple();
  for (const timeline_sample& s : r.samples) {
    out.value(s.ts_ns);
    out.value(s.highest_bytes - s.bytes_reserved);  // a curve of maxima
    out.value(s.bytes_reserved);
  }
  out.end_array();
  const auto top = json::top_of(r.alive, max_alive);
  json::write_objects(out, "alive", top, [&](const live_row& row) {
    out.field("bytes", row.size_bytes);
    out.field("what", std::string_view(row.tf_op));
    out.field("shape", std::string_view(row.shape));
    out.field("type", std::string_view(row.data_type));
    out.field("lifetime", lifetime_class_name(row.lifetime));
    out.field("kind", std::string_view(row.kind));
  }, 0, r.alive.size() - top.size());
  out.field("alive_rows", std::uint64_t{r.alive.size()});
  out.end_object();
}

void write_program(json_writer& out, const memory_result& m) {
  const hlo_report& h = *m.hlo;
  const module_memory& module = m.modules[h.module];
  const space_memory* const space = module.space(h.color);
  out.begin_object();
  out.field("module", std::string_view(module.name));
  out.field("space", memory_space_name(h.color, module.home));
  out.field("peak_bytes", h.static_peak_bytes);
  out.field("indefinite_bytes", space == nullptr ? 0 : space->indefinite_bytes);
  json::write_text_or_null(out, "peak_instruction", space == nullptr ? std::string_view() : space->peak_instruction);
  out.field("peak_event", space == nullptr ? -1 : space->peak_event);
  out.field("method", space == nullptr ? "" : peak_method_name(space->method));
  out.key("curve");
  out.begin_tuple();
  if (h.curve)
    for (const curve_point& point : h.curve->points) {
      out.value(point.event);
      out.value(point.live_bytes);
    }
  out.end_array();
  const auto top = json::top_of(h.alive, max_alive);
  json::write_objects(out, "alive", top, [&](const buffer_row& row) {
    out.field("bytes", row.size_bytes);
    out.field("what", row.instruction_name);
    out.field("opcode", row.opcode);
    out.field("op_name", row.op_name);
    out.field("shape", std::string_view(row.shape));
    out.field("source", row.source_file);
    out.field("line", row.source_line);
  }, 0, h.alive.size() - top.size());
  out.field("alive_rows", std::uint64_t{h.alive.size()});
  out.end_object();
}

}  // namespace

void write_memory_section(json_writer& out, const report_result& found) {
  if (!found.parts.memory) return;
  const memory_result& m = *found.parts.memory;
  if (!m.runtime && !m.hlo) return;
  out.key("memory");
  out.begin_object(4);
  json::write_strings(out, "summary", m.summary);
  out.key("runtime");
  if (m.runtime)
    write_allocator(out, m);
  else
    out.null();
  out.key("program");
  if (m.hlo)
    write_program(out, m);
  else
    out.null();
  out.end_object();
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
