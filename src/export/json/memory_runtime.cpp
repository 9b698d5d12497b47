// The runtime block of the memory documents.
#include "memory_parts.hpp"

#include <profkit/time.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

double percent_of(std::int64_t part, std::int64_t whole) noexcept {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole) * 100.0;
}

void write_live_row(json_writer& out, const live_row& b) {
  out.begin_object();
  out.field("addr", b.addr);
  out.field("pool_id", b.pool_id);
  out.field("size_bytes", b.size_bytes);
  out.field("alloc_bytes", b.alloc_bytes);
  out.field("shape", std::string_view(b.shape));
  out.field("tf_op", std::string_view(b.tf_op));
  out.field("data_type", std::string_view(b.data_type));
  out.field("alloc_ts_ns", b.alloc_ts_ns);
  out.field("age_ns_at_peak", b.age_ns_at_peak);
  out.field("crossed_step_boundaries", b.crossed_step_boundaries);
  out.key("parent_chain");
  out.begin_array(min_notes);
  for (const std::string_view name : b.parent_chain) out.value(name);
  out.end_array();
  out.field("lifetime_class", lifetime_class_name(b.lifetime));
  out.field("deallocated", b.deallocated);
  out.field("kind", std::string_view(b.kind));
  out.field("requested_bytes", b.requested_bytes);
  out.end_object();
}

void write_lifetime_rollup(json_writer& out, std::string_view key, const std::vector<lifetime_rollup_row>& rows,
                           std::int64_t peak, bool mixed, std::uint64_t top) {
  const auto write_row = [&](std::string_view name, const lifetime_rollup_row& row) {
    out.begin_object();
    out.field("key", name);
    out.field("n_buffers", row.n_buffers);
    out.field("total_bytes", row.total_bytes);
    if (mixed) {
      out.key("lifetime_mix");
      out.begin_object();
      out.field("persistent", row.mix_bytes[0]);
      out.field("transient", row.mix_bytes[1]);
      out.field("unknown", row.mix_bytes[2]);
      out.end_object();
    }
    out.key("pct_of_peak");
    out.number(percent_of(row.total_bytes, peak));
    out.end_object();
  };
  out.key(key);
  out.begin_array(rows.size() + 1);  // the rest is a row of its own
  lifetime_rollup_row tail;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!mixed || i < top) {
      write_row(rows[i].key, rows[i]);
      continue;
    }
    tail.n_buffers += rows[i].n_buffers;
    tail.total_bytes = saturating_add(tail.total_bytes, rows[i].total_bytes);
    for (std::size_t c = 0; c < 3; ++c) tail.mix_bytes[c] = saturating_add(tail.mix_bytes[c], rows[i].mix_bytes[c]);
  }
  if (tail.n_buffers > 0) write_row("<tail>", tail);
  out.end_array();
}

void write_step_event(json_writer& out, const char* kind, std::int64_t ts_ns, const std::optional<std::string>& step,
                      const std::int64_t* bytes) {
  out.begin_object();
  out.field("kind", kind);
  out.field("ts_ns", ts_ns);
  out.key("step_id");
  if (step)
    out.value(std::string_view(*step));
  else
    out.null();
  if (bytes != nullptr) out.field("bytes", *bytes);
  out.end_object();
}

void write_timeline(json_writer& out, const runtime_report& t) {
  out.key("timeline");
  out.begin_object();
  out.key("samples");
  out.begin_tuple();  // as many as were asked for
  for (const timeline_sample& s : t.samples) {
    out.begin_object();
    out.field("ts_ns", s.ts_ns);
    out.field("bytes_allocated", s.bytes_allocated);
    out.field("bytes_reserved", s.bytes_reserved);
    out.field("live_count", s.live_count);
    out.key("fragmentation");
    out.number(s.fragmentation);
    out.end_object();
  }
  out.end_array();
  out.key("events_of_interest");
  out.begin_tuple();
  out.begin_object();
  out.field("kind", "global_peak");
  out.field("ts_ns", t.global_peak_ts_ns);
  out.field("bytes", t.global_peak_bytes);
  out.end_object();
  write_step_event(out, "step_start", t.step.from_ns, t.step.id, nullptr);
  write_step_event(out, "step_end", t.step.to_ns, t.step.id, nullptr);
  write_step_event(out, "step_local_peak", t.peak_ts_ns, t.step.id, &t.peak_bytes);
  out.end_array();
  out.key("axis_units");
  out.begin_object();
  out.field("ts_ns", "nanoseconds since the origin of the capture");
  out.field("bytes", "bytes");
  out.end_object();
  out.end_object();
}

void write_peak(json_writer& out, const runtime_report& t, const memory_result& r) {
  out.key("pool");
  out.begin_object();
  out.field("id", t.pool_id);
  out.field("bytes_reserved", t.pool_bytes);
  if (t.allocator) {
    const allocator_memory& a = r.allocators[*t.allocator];
    out.field("allocator", std::string_view(a.name));
    out.field("host", std::string_view(a.host));
    out.field("device", std::string_view(a.device));
    out.field("capacity_bytes", a.capacity_bytes);
    out.field("program_reserved_bytes", t.reserved_bytes);
  }
  out.end_object();
  out.key("peak");
  out.begin_object();
  out.field("ts_ns", t.peak_ts_ns);
  out.field("ts_ps", t.peak_ts_ps);
  out.field("bytes_total", t.peak_bytes);
  out.key("bytes_by_pool");
  out.begin_map();
  for (const auto& [pool, bytes] : t.peak_bytes_by_pool) out.field(std::to_string(pool), bytes);
  out.end_object();
  out.key("fragmentation_at_peak");
  out.number(t.fragmentation_at_peak);
  out.field("is_global_peak", t.is_global_peak);
  out.end_object();
}

}  // namespace

void write_runtime_block(json_writer& out, const runtime_report& t, const memory_result& r, std::uint64_t top) {
  out.begin_object();
  out.key("step");
  out.begin_object();
  out.key("id");
  if (t.step.id)
    out.value(std::string_view(*t.step.id));
  else
    out.null();
  out.field("policy", std::string_view(t.step.policy));
  out.key("range_ns");
  out.begin_tuple();
  out.value(t.step.from_ns);
  out.value(t.step.to_ns);
  out.end_array();
  out.field("source", std::string_view(t.step.source));
  out.end_object();
  write_peak(out, t, r);
  out.key("alive_at_peak");
  out.begin_object();
  out.field("n_buffers", static_cast<std::uint64_t>(t.alive.size()));
  out.field("total_bytes", t.alive_total_bytes);
  const auto shown = top_of(t.alive, top);
  const std::uint64_t n_tail = t.alive.size() - shown.size();
  std::int64_t tail = 0;
  for (std::size_t i = shown.size(); i < t.alive.size(); ++i) tail = saturating_add(tail, t.alive[i].size_bytes);
  write_rows(out, "buffers", shown, [&](const live_row& row) { write_live_row(out, row); }, 0, n_tail);
  out.key("tail");
  out.begin_object();
  out.field("n_buffers", n_tail);
  out.field("total_bytes", tail);
  out.end_object();
  out.end_object();
  out.key("rollups");
  out.begin_object();
  write_lifetime_rollup(out, "by_lifetime_class", t.by_lifetime_class, t.peak_bytes, false, top);
  write_lifetime_rollup(out, "by_shape", t.by_shape, t.peak_bytes, true, top);
  write_lifetime_rollup(out, "by_tf_op", t.by_tf_op, t.peak_bytes, true, top);
  write_lifetime_rollup(out, "by_parent_jit", t.by_parent_jit, t.peak_bytes, true, top);
  write_lifetime_rollup(out, "by_dtype", t.by_dtype, t.peak_bytes, false, top);
  out.end_object();
  write_timeline(out, t);
  out.field("n_planes", t.n_planes);
  out.field("host_plane_present", true);
  out.end_object();
}

void write_runtime_diagnostics(json_writer& out, const runtime_diagnostics& d) {
  out.begin_object();
  out.key("alloc_accounting_drift_pct");
  out.number(d.alloc_accounting_drift_pct);
  out.field("unmatched_dealloc_count", d.unmatched_dealloc_count);
  out.field("pretrace_dealloc_count", d.pretrace_dealloc_count);
  out.field("unmatched_alloc_count", d.unmatched_alloc_count);
  out.field("trace_end_live_bytes", d.trace_end_live_bytes);
  out.field("n_pools_seen", d.n_pools_seen);
  out.key("pools_summary");
  out.begin_array(min_notes);
  for (const pool_summary& p : d.pools) {
    out.begin_object();
    out.field("pool_id", p.id);
    out.field("n_alloc", p.n_alloc);
    out.field("n_dealloc", p.n_dealloc);
    out.field("max_peak_bytes_in_use", p.max_peak_bytes_in_use);
    out.field("name", std::string_view(p.name));
    out.end_object();
  }
  out.end_array();
  out.field("step_line_present", d.step_line_present);
  out.field("shape_missing_count", d.shape_missing_count);
  out.field("tf_op_missing_count", d.tf_op_missing_count);
  write_strings(out, "warnings", d.warnings);
  out.end_object();
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
