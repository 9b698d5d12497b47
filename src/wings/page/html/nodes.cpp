// What nodes say of each other: process groups, who is irregular in them, and clocks.
#include <page/html/sections.hpp>

#include <export/json/document.hpp>

#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {
namespace {

void write_groups(json_writer& out, const validation_result& v) {
  std::vector<const collective_op*> ops;
  for (const collective_op& op : v.ops)
    if (op.groups > 0) ops.push_back(&op);
  json::write_objects(out, "ops", ops, [&](const collective_op* op) {
    out.field("name", short_op_name(op->name, ""));
    out.field("group", std::string_view(op->group));
    out.field("calls", op->groups);
    out.field("violations", op->violations);
    out.field("skew_ps", op->mean_skew_ps);
    out.field("transfer_ps", op->mean_transfer_ps);
    const bool sized = op->sized_groups > 0 && op->moving_ps > 0;
    json::write_optional(out, "bus_bytes_per_s", sized ? std::optional(bytes_per_s(link_bytes(*op, op->payload_bytes), op->moving_ps))
                                                       : std::nullopt);
    json::write_optional(out, "latest_node", op->latest_node < 0 ? std::nullopt
                                                                 : std::optional(v.nodes[static_cast<std::size_t>(op->latest_node)].id));
    out.field("latest_device", op->latest_device);
    out.field("latest_count", op->latest_count);
  });
}

void write_irregular(json_writer& out, const validation_result& v) {
  json::write_objects(out, "irregular", v.irregularities, [&](const collective_irregularity& row) {
    const collective_op& op = v.ops[row.op];
    out.field("kind", collective_irregularity_name(row.what));
    out.field("node", v.nodes[row.node].id);
    out.field("device", row.device);
    out.field("name", short_op_name(op.name, ""));
    out.field("group", std::string_view(op.group));
    out.field("call", row.occurrence);
    out.field("evidence", std::string_view(row.evidence));
  });
}

// How far the clock of each node can be from where it is taken to be: what a merge says of it, or what collectives leave of it.
void write_clocks(json_writer& out, const nodes_compared& nodes) {
  const validation_result& v = *nodes.validation;
  std::vector<std::size_t> all(v.nodes.size());
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = n;
  json::write_objects(out, "clocks", all, [&](std::size_t n) {
    const collective_node& node = v.nodes[n];
    out.field("node", node.id);
    out.field("host", std::string_view(node.hostname));
    json::write_optional(out, "bound_ps", node.bound_ps);
    const aligned_node* const aligned = nodes.alignment && nodes.alignment->absent.empty() ? &nodes.alignment->nodes[n] : nullptr;
    const bool known = aligned != nullptr && aligned->reached && aligned->to_reference.feasible;
    const auto offset = [&](std::int64_t ps) { return known ? std::optional(ps) : std::nullopt; };
    out.field("is_reference", aligned != nullptr && nodes.alignment->reference == n);
    json::write_optional(out, "least_offset_ps", offset(known ? aligned->to_reference.least_offset_ps : 0));
    json::write_optional(out, "most_offset_ps", offset(known ? aligned->to_reference.most_offset_ps : 0));
    json::write_optional(out, "offset_ps", offset(known ? static_cast<std::int64_t>(std::llround(aligned->offset_ps)) : 0));
  });
}

}  // namespace

void write_nodes_section(json_writer& out, const report_result& found) {
  const nodes_compared& nodes = found.parts.nodes;
  if (!nodes.validation || !nodes.validation->absent.empty()) return;
  out.key("nodes");
  out.begin_object(4);
  out.field("clocks_corrected", nodes.validation->corrected);
  write_groups(out, *nodes.validation);
  write_irregular(out, *nodes.validation);
  write_clocks(out, nodes);
  out.end_object();
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
