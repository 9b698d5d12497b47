#include <profkit/core/op_groups.hpp>

#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

template <class Sums>
void write_work(json_writer& out, const Sums& sums) {
  out.field("worked_ps", sums.worked_ps);
  out.field("flops", sums.flops);
  out.field("bytes", sums.bytes);
  out.field("attainable_ps", sums.roof.attainable_ps);
  out.field("compute_bound_ps", sums.roof.compute_bound_ps);
  out.field("memory_bound_ps", sums.roof.memory_bound_ps);
  write_nearer_memories(out, sums.roof);
  out.field("neither_bound_ps", sums.roof.neither_ps);
}

void write_peaks(json_writer& out, const peak_group& of) {
  out.begin_object();
  out.field("device_type", std::string_view(of.peaks.device_type));
  out.field("devices", of.devices);
  out.field("source", std::string_view(of.peaks.source));
  write_optional(out, "flops_per_s", known_peak(of.peaks.flops_per_s));
  write_optional(out, "hbm_bytes_per_s", known_peak(of.peaks.hbm_bytes_per_s));
  const auto nearer = [&](std::string_view key, double rate) {
    if (rate > 0) write_optional(out, key, std::optional(rate));
  };
  nearer("vmem_read_bytes_per_s", of.peaks.vmem_read_bytes_per_s);
  nearer("vmem_write_bytes_per_s", of.peaks.vmem_write_bytes_per_s);
  nearer("cmem_read_bytes_per_s", of.peaks.cmem_read_bytes_per_s);
  nearer("cmem_write_bytes_per_s", of.peaks.cmem_write_bytes_per_s);
  out.key("flops_per_s_by_type");
  out.begin_object();
  for (std::size_t t = 0; t < number_types; ++t)
    if (const auto rate = known_peak(of.peaks.flops_by_type[t])) write_optional(out, number_type_name(static_cast<number_type>(t)), rate);
  out.end_object();
  out.end_object();
}

}  // namespace

result<document_status> write_op_groups(json_writer& out, const trace& t, const std::vector<group_key>& keys, const query_filters& o,
                                        const hooks& host) {
  const result<op_groups> found = analyse_op_groups(t, keys, o, host);
  if (!found) return found.error();
  const verdict v = judge(t.files(), found->absent, found->damage);
  begin_document(out, document::op_groups);
  write_verdict(out, v);
  out.key("by");
  out.begin_tuple();
  for (const group_key key : found->keys) out.value(group_key_name(key));
  out.end_array();
  out.field("source", std::string_view(found->source));
  out.field("count", found->count);
  out.field("self_ps", found->self_ps);
  out.field("total_ps", found->total_ps);
  write_work(out, *found);
  out.field("unlinked", found->unlinked);
  out.field("unlinked_ps", found->unlinked_ps);
  out.field("by_graph", found->by_graph);
  if (found->in_ranges != 0) out.field("in_ranges", found->in_ranges);
  if (found->by_order != 0) out.field("by_order", found->by_order);
  if (found->moving_ps) out.field("moving_ps", *found->moving_ps);
  write_rows(out, "peaks", found->peaks, [&](const peak_group& each) { write_peaks(out, each); });
  const std::uint64_t left_out = write_objects(out, "groups", found->rows, [&](const op_group& g) {
    out.field("depth", g.depth);
    out.field("by", group_key_name(g.key));
    out.field("name", std::string_view(g.name));
    out.field("count", g.count);
    out.field("self_ps", g.self_ps);
    out.field("total_ps", g.total_ps);
    out.field("own_ps", g.own_ps);
    if (g.backward_ps) out.field("backward_ps", *g.backward_ps);
    write_work(out, g);
  }, 0, found->rows_left_out);
  out.field("groups_left_out", left_out);
  write_files(out, t.files());
  write_damage(out, found->damage, checked_by(document::op_groups, t.files(), o));
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
