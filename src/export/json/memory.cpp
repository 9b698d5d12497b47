// The memory document.
#include "memory_parts.hpp"

#include <base/contained.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

void write_memory_inputs(json_writer& out, const profile& p, const memory_result& r) {
  out.key("inputs");
  out.begin_object();
  out.field("profile_dir", std::string_view(p.what().path));
  write_text_or_null(out, "xplane_pb", r.xplane_path);
  write_text_or_null(out, "hlo_proto_pb", r.hlo_path);
  out.end_object();
}

void write_space(json_writer& out, const space_memory& s, program_home home) {
  out.begin_object();
  out.field("color", s.color);
  out.field("name", memory_space_name(s.color, home));
  out.field("total_bytes", s.total_bytes);
  out.field("peak_bytes", s.peak_bytes);
  out.key("peak_event");
  if (s.peak_event >= 0)
    out.value(s.peak_event);
  else
    out.null();
  out.field("peak_instruction", s.peak_instruction);
  out.field("peak_computation", s.peak_computation);
  out.field("indefinite_bytes", s.indefinite_bytes);
  out.field("entry_params_bytes", s.entry_params_bytes);
  out.field("constants_bytes", s.constants_bytes);
  out.field("live_out_bytes", s.live_out_bytes);
  out.field("temp_bytes", s.temp_bytes);
  out.field("temp_peak_bytes", s.temp_peak_bytes);
  out.field("temp_outside_bytes", s.temp_outside_bytes);
  out.field("thread_local_bytes", s.thread_local_bytes);
  out.field("fragmentation_bytes", s.fragmentation_bytes);
  out.field("residency_floor_bytes", s.residency_floor_bytes);
  out.field("temp_floor_bytes", s.temp_floor_bytes);
  out.field("memory_viewer_peak_bytes", s.memory_viewer_peak_bytes);
  out.field("method", peak_method_name(s.method));
  out.field("bound", peak_bound_name(s.bound));
  out.field("bound_reason", std::string_view(s.bound_reason));
  out.field("coverage", std::string_view(s.coverage));
  out.field("trace_events", s.trace_events);
  out.field("trace_events_ignored", s.trace_events_ignored);
  out.end_object();
}

void write_module_memory(json_writer& out, const module_memory& m) {
  out.begin_object();
  out.field("name", std::string_view(m.name));
  out.field("program_id", std::string_view(m.program_id));
  out.field("label", std::string_view(m.label));
  out.field_id("module_id", m.module_id);
  out.field("source", std::string_view(m.sources.front().path));
  out.key("sources");
  out.begin_array(min_notes);
  for (const module_source& s : m.sources) {
    out.begin_object();
    out.field("file", s.file);
    out.field("path", std::string_view(s.path));
    out.field("host", std::string_view(s.host));
    out.field("kind", std::string_view(s.kind));
    out.field("entry", std::string_view(s.entry_name));
    out.field("same_bytes", s.same_bytes);
    out.end_object();
  }
  out.end_array();
  write_text_or_null(out, "differs_from", m.differs_from);
  out.field("has_buffer_assignment", m.has_buffer_assignment);
  out.field("n_logical_buffers", m.n_logical_buffers);
  out.field("n_buffer_allocations", m.n_buffer_allocations);
  out.field("all_allocations_bytes", m.all_allocations_bytes);
  out.key("spaces");
  out.begin_array(min_notes);
  for (const space_memory& s : m.spaces) write_space(out, s, m.home);
  out.end_array();
  out.key("problems");
  out.begin_array(min_notes);
  for (const memory_problem& problem : m.problems) {
    out.begin_object();
    out.field("id", std::string_view(problem.id));
    out.field("what", std::string_view(problem.what));
    out.field("count", problem.count);
    out.end_object();
  }
  out.end_array();
  out.key("damage");
  if (m.damage) {
    out.begin_object();
    fields_of_fault(out, *m.damage);
    out.end_object();
  } else {
    out.null();
  }
  out.end_object();
}

void write_allocator(json_writer& out, const allocator_memory& a) {
  out.begin_object();
  out.field("name", std::string_view(a.name));
  out.field("host", std::string_view(a.host));
  out.field("device", std::string_view(a.device));
  out.field("file", a.file);
  out.field("n_allocations", a.n_allocations);
  out.field("n_deallocations", a.n_deallocations);
  out.field("heap_peak_bytes", a.heap_peak_bytes);
  out.field("heap_peak_ps", a.heap_peak_ps);
  out.field("lifetime_peak_bytes", a.lifetime_peak_bytes);
  out.field("occupancy_peak_bytes", a.occupancy_peak_bytes);
  out.field("occupancy_peak_ps", a.occupancy_peak_ps);
  out.field("reserved_at_peak_bytes", a.reserved_at_peak_bytes);
  out.field("allocated_at_peak_bytes", a.allocated_at_peak_bytes);
  out.field("available_at_peak_bytes", a.available_at_peak_bytes);
  out.field("capacity_bytes", a.capacity_bytes);
  out.field("pre_trace_bytes", a.pre_trace_bytes);
  out.field("trace_end_live_bytes", a.trace_end_live_bytes);
  out.field("unmatched_frees", a.unmatched_frees);
  out.field("address_reuses", a.address_reuses);
  out.key("fragmentation_at_peak");
  out.number(a.fragmentation_at_peak);
  out.field("allocator_agrees", a.allocator_agrees);
  out.field("disagreements", a.disagreements);
  out.end_object();
}

void write_memory_finding(json_writer& out, const finding& f) {
  out.begin_object();
  out.field("id", std::string_view(f.id));
  out.field("certainty", certainty_name(f.sure));
  write_optional(out, "recoverable_bytes", f.recoverable_bytes);
  out.field("what", std::string_view(f.what));
  out.field("where", std::string_view(f.where));
  out.field("next", std::string_view(f.next));
  out.end_object();
}

void write_invariants(json_writer& out, const std::vector<memory_invariant>& invariants) {
  out.key("invariants");
  out.begin_array(min_notes);
  for (const memory_invariant& i : invariants) {
    out.begin_object();
    out.field("id", std::string_view(i.id));
    out.key("holds");
    if (i.holds)
      out.value(*i.holds);
    else
      out.null();
    out.field("left", i.left);
    out.field("right", i.right);
    out.field("note", std::string_view(i.note));
    out.end_object();
  }
  out.end_array();
}

void write_fit(json_writer& out, const std::optional<fit_result>& fit) {
  out.key("fit");
  if (!fit) return out.null();
  out.begin_object();
  out.field("limit_bytes", fit->limit_bytes);
  if (fit->known()) {
    out.field("needed_bytes", fit->needed_bytes);
    out.field("needed_by", std::string_view(fit->needed_by));
    out.field("fits", fit->fits);
    out.field("spare_bytes", fit->spare_bytes);
  } else {
    for (const char* const unknown : {"needed_bytes", "needed_by", "fits", "spare_bytes"}) {
      out.key(unknown);
      out.null();
    }
  }
  out.end_object();
}

verdict judge_memory(const profile& p, const memory_result& r) {
  const bool nothing = r.modules.empty() && r.allocators.empty();
  std::string absent;
  if (nothing) {
    absent = "no_data_sources: HLO " + r.hlo_absent_reason;
    if (!r.runtime_absent_reason.empty()) absent += ", runtime " + r.runtime_absent_reason;
  }
  if (is_all_damaged(p, r)) return {document_status::error, r.damage.front().what.message, &r.damage.front().what};
  return judge(p, absent, r.damage);
}

}  // namespace

void write_memory_blocks(json_writer& out, const memory_result& r, std::uint64_t top) {
  out.field("primary_source", r.hlo ? "hlo_buffer_assignment" : "runtime_allocator");
  out.key("hlo");
  if (r.hlo)
    write_hlo_block(out, *r.hlo, r, top);
  else
    out.null();
  write_text_or_null(out, "hlo_absent_reason", r.hlo_absent_reason);
  out.key("runtime");
  if (r.runtime)
    write_runtime_block(out, *r.runtime, r, top);
  else
    out.null();
  out.key("runtime_diagnostics");
  if (r.runtime)
    write_runtime_diagnostics(out, r.runtime->diagnostics);
  else
    out.null();
  write_text_or_null(out, "runtime_absent_reason", r.runtime_absent_reason);
  write_strings(out, "consistency_warnings", r.consistency_warnings);
}

document_status write_memory(json_writer& out, const profile& p, const memory_options& o, const memory_result& r) {
  const verdict v = judge_memory(p, r);
  begin_document(out, document::memory);
  write_verdict(out, v);
  out.field("skill", "memory-profile");
  write_memory_inputs(out, p, r);
  write_memory_blocks(out, r, o.top);
  write_rows(out, "modules", r.modules, [&](const module_memory& m) { write_module_memory(out, m); }, min_notes);
  write_rows(out, "allocators", r.allocators, [&](const allocator_memory& a) { write_allocator(out, a); }, min_notes);
  write_invariants(out, r.invariants);
  write_fit(out, r.fit);
  write_strings(out, "summary", r.summary);
  write_rows(out, "findings", r.findings, [&](const finding& f) { write_memory_finding(out, f); }, min_notes);
  write_files(out, p);
  write_damage(out, r.damage, checked_by(document::memory, p));
  end_document(out);
  return v.status;
}

memory_options memory_options_of(const query_filters& o) {
  memory_options options;
  options.host = o.host;
  options.name = o.name;
  if (o.step) options.step = static_cast<std::int64_t>(*o.step);
  options.top = o.limit == 0 ? ~std::uint64_t{0} : o.limit;
  // A curve is no list that ends early: it gets fewer points.
  constexpr std::uint64_t bytes_per_sample = 1000, min_samples = 10;
  if (o.max_bytes != 0)
    options.time_samples = std::min(options.time_samples, std::max(o.max_bytes / bytes_per_sample, min_samples));
  return options;
}

result<document_status> write_memory(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  const memory_options options = memory_options_of(o);
  result<memory_result> found = analyse_memory(t, options, host);
  if (!found) return std::move(found).error();
  return write_memory(out, p, options, *found);
}

}  // namespace json

result<document_status> write_memory_document(const profile& p, const memory_options& o, const memory_result& found,
                                              sink& into) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    json_bounds bounds =
        json::bounds_of(document::memory, o.top == ~std::uint64_t{0} ? 0 : std::max<std::uint64_t>(o.top, 1));
    // Who asks for more points than a document has by itself asks for a larger document.
    const memory_options usual;
    if (o.time_samples > usual.time_samples || o.curve_points > usual.time_samples) bounds.bytes = bounds.text = 0;
    out.bound(bounds);
    const document_status status = json::write_memory(out, p, o, found);
    if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
    return status;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
