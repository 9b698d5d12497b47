// The HLO block of the memory documents.
#include "memory_parts.hpp"

#include <profkit/time.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

double percent(std::int64_t part, std::int64_t whole) noexcept {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void write_index(json_writer& out, std::string_view key, const std::vector<std::int64_t>& index) {
  out.key(key);
  out.begin_array(min_notes);
  for (const std::int64_t i : index) out.value(i);
  out.end_array();
}

void write_buffer(json_writer& out, const buffer_row& b) {
  out.begin_object();
  out.field("logical_buffer_id", b.logical_buffer_id);
  out.field("size_bytes", b.size_bytes);
  out.field("allocation_index", b.allocation_index);
  out.field("offset_in_allocation", b.offset_bytes);
  out.field("instruction_id", b.instruction_id);
  out.field("instruction_name", b.instruction_name);
  out.field("opcode", b.opcode);
  out.field("op_name", b.op_name);
  write_index(out, "shape_index", b.shape_index);
  out.field("class", residency_name(b.kind));
  out.field("computation", b.computation_name);
  out.field("shape", std::string_view(b.shape));
  out.field("source_file", b.source_file);
  out.field("source_line", b.source_line);
  out.end_object();
}

void write_buffers(json_writer& out, const std::vector<buffer_row>& rows, std::uint64_t top) {
  write_rows(out, "buffers", top_of(rows, top), [&](const buffer_row& b) { write_buffer(out, b); }, 0,
             rows.size() - top_of(rows, top).size());
}

void write_hlo_rollup(json_writer& out, std::string_view key, const std::vector<rollup_row>& rows, std::int64_t total,
                      std::uint64_t top) {
  out.key(key);
  out.begin_array(rows.size() + 1);  // the rest is a row of its own
  std::int64_t rest = 0, rest_keys = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i >= top) {
      rest = saturating_add(rest, rows[i].total_bytes);
      ++rest_keys;
      continue;
    }
    out.begin_object();
    out.field("key", std::string_view(rows[i].key));
    out.field("total_bytes", rows[i].total_bytes);
    out.key("pct");
    out.number(percent(rows[i].total_bytes, total));
    out.end_object();
  }
  if (rest_keys > 0) {
    out.begin_object();
    out.field("key", "<other>");
    out.field("total_bytes", rest);
    out.field("n_keys", rest_keys);
    out.key("pct");
    out.number(percent(rest, total));
    out.end_object();
  }
  out.end_array();
}

void write_rollups(json_writer& out, const std::vector<rollup_row>& by_opcode,
                   const std::vector<rollup_row>& by_op_name, std::int64_t total, std::uint64_t top) {
  out.key("rollups");
  out.begin_object();
  write_hlo_rollup(out, "by_opcode", by_opcode, total, top);
  write_hlo_rollup(out, "by_op_name", by_op_name, total, top);
  out.end_object();
}

void write_sweep(json_writer& out, const schedule_sweep_result& s) {
  out.key("schedule_sweep");
  out.begin_object();
  out.field("schedule_present", s.schedule_present);
  out.field("entry_schedule_length", s.entry_schedule_length);
  out.field("peak_schedule_pos", s.peak_schedule_pos);
  out.key("peak_instruction");
  out.begin_object();
  out.field("id", s.peak_instruction_id);
  out.field("name", s.peak_instruction_name);
  out.field("opcode", s.peak_opcode);
  out.field("op_name", s.peak_op_name);
  out.end_object();
  out.field("peak_alive_bytes_entry_level", s.peak_alive_bytes);
  out.field("n_subcomputation_lbs_skipped", s.n_subcomputation_lbs_skipped);
  out.field("scope_note", std::string_view(s.scope_note));
  out.end_object();
}

void write_alive(json_writer& out, const hlo_report& h, std::uint64_t top) {
  out.key("alive_at_peak");
  out.begin_object();
  out.field("n_buffers", static_cast<std::uint64_t>(h.alive.size()));
  out.field("total_bytes", h.alive_total_bytes);
  write_buffers(out, h.alive, top);
  std::int64_t tail = 0;
  std::uint64_t n = 0;
  for (std::size_t i = h.alive.size(); i > top; --i, ++n) tail = saturating_add(tail, h.alive[i - 1].size_bytes);
  out.key("tail");
  out.begin_object();
  out.field("n_buffers", n);
  out.field("total_bytes", tail);
  out.end_object();
  write_rollups(out, h.by_opcode, h.by_op_name, h.alive_total_bytes, top);
  out.end_object();
}

void write_always_alive(json_writer& out, const hlo_report& h, std::uint64_t top) {
  out.key("always_alive");
  out.begin_object();
  out.field("total_bytes", h.always_alive_total_bytes);
  out.key("pct_of_temp_pool");
  out.number(percent(h.always_alive_total_bytes, h.temp_pool_bytes));
  write_buffers(out, h.always_alive, top);
  write_rollups(out, h.always_by_opcode, h.always_by_op_name, h.always_alive_total_bytes, top);
  out.field(
      "definition",
      "Bytes of the temp pool at addresses that one logical buffer alone ever uses. They need not be in use all the "
      "time: what nothing can remove is residency_floor_bytes.");
  out.end_object();
}

void write_top_allocations(json_writer& out, const hlo_report& h) {
  out.key("top_allocations");
  out.begin_array(min_notes);
  for (const allocation_row& a : h.top_allocations) {
    out.begin_object();
    out.field("index", a.index);
    out.field("size_bytes", a.size_bytes);
    out.field("n_assigned_lbs", a.n_assigned_lbs);
    out.field("color", a.color);
    write_strings(out, "flags", a.flags);
    out.end_object();
  }
  out.end_array();
}

void write_curve(json_writer& out, const std::optional<live_curve>& curve) {
  out.key("curve");
  if (!curve) return out.null();
  out.begin_object();
  out.field("n_events", curve->n_events);
  out.field("every_extremum", curve->every_extremum);
  out.key("points");
  out.begin_tuple();  // as many as were asked for
  for (const curve_point& point : curve->points) {
    out.begin_object();
    out.field("event", point.event);
    out.field("live_bytes", point.live_bytes);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write_donation(json_writer& out, const std::vector<donation_row>& rows, std::uint64_t top) {
  out.key("donation_candidates");
  out.begin_object();
  std::int64_t total = 0;
  for (const donation_row& d : rows) total = saturating_add(total, d.saved_bytes);
  out.field("n_parameters", static_cast<std::uint64_t>(rows.size()));
  out.field("saved_bytes", total);
  const auto parameter = [&](const donation_row& d) {
    out.field("parameter_number", d.parameter_number);
    write_index(out, "parameter_shape_index", d.parameter_shape_index);
    out.field("parameter", d.parameter_name);
    out.field("output", d.output_name);
    write_index(out, "output_shape_index", d.output_shape_index);
    out.field("shape", std::string_view(d.shape));
    out.field("saved_bytes", d.saved_bytes);
  };
  write_objects(out, "parameters", top_of(rows, top), parameter, 0, rows.size() - top_of(rows, top).size());
  out.end_object();
}

void write_what_if(json_writer& out, const std::vector<what_if_result>& rows) {
  out.key("what_if");
  out.begin_array(min_notes);
  for (const what_if_result& w : rows) {
    out.begin_object();
    out.field("action", std::string_view(w.action));
    out.field("name", std::string_view(w.name));
    out.field("n_buffers", w.n_buffers);
    out.field("buffer_bytes", w.buffer_bytes);
    out.field("before_bytes", w.before_bytes);
    out.field("after_bytes", w.after_bytes);
    out.field("bound", "lower");
    out.field("claim", std::string_view(w.claim));
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_hlo_block(json_writer& out, const hlo_report& h, const memory_result& r, std::uint64_t top) {
  const module_memory& m = r.modules[h.module];
  out.begin_object();
  out.field("hlo_proto_path", std::string_view(h.hlo_proto_path));
  out.field("module_name", std::string_view(m.name));
  out.field("module", std::string_view(m.label));
  out.field("program_id", std::string_view(m.program_id));
  out.field("selection", std::string_view(r.selection));
  out.field("memory_space", h.color);
  out.field("static_peak_bytes", h.static_peak_bytes);
  out.field("thread_local_excluded_bytes", h.thread_local_excluded_bytes);
  out.field("all_allocations_bytes", h.all_allocations_bytes);
  out.key("decomposition");
  out.begin_object();
  out.field("entry_params_bytes", h.entry_params_bytes);
  out.field("constants_bytes", h.constants_bytes);
  out.field("thread_local_bytes", h.thread_local_bytes);
  out.field("temp_pool_bytes", h.temp_pool_bytes);
  out.field("temp_pool_alloc_index", h.temp_pool_alloc_index);
  out.field("other_bytes", h.other_bytes);
  out.end_object();
  out.field("n_logical_buffers", h.n_logical_buffers);
  out.field("n_buffer_allocations", h.n_buffer_allocations);
  write_sweep(out, h.sweep);
  write_alive(out, h, top);
  write_always_alive(out, h, top);
  const space_memory* s = m.space(h.color);
  out.key("residency_floor");
  out.begin_object();
  out.field("total_bytes", s == nullptr ? std::int64_t{0} : s->residency_floor_bytes);
  out.field("indefinite_bytes", s == nullptr ? std::int64_t{0} : s->indefinite_bytes);
  out.field("temp_bytes", s == nullptr ? std::int64_t{0} : s->temp_floor_bytes);
  out.field("definition", "The least value of the live curve over the schedule: bytes in use at every moment.");
  out.end_object();
  write_top_allocations(out, h);
  write_donation(out, h.donation, top);
  write_what_if(out, h.what_if);
  write_curve(out, h.curve);
  out.end_object();
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
