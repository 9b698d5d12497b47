// Collectives across nodes as a document and as CSV.
#include <profkit/core/collectives.hpp>

#include <base/contained.hpp>
#include <base/format.hpp>
#include <export/json/document.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

using json::write_optional;
using json::write_strings;

// ns with three decimals, exact.
std::string exact_ns(std::int64_t ps) {
  const bool negative = ps < 0;
  const std::uint64_t size =
      negative ? std::uint64_t{0} - static_cast<std::uint64_t>(ps) : static_cast<std::uint64_t>(ps);
  std::string text = (negative ? "-" : "") + std::to_string(size / 1000);
  const std::string rest = std::to_string(1000 + size % 1000);
  return text + '.' + rest.substr(1);
}

void write_nodes(json_writer& out, const validation_result& found) {
  out.key("nodes");
  out.begin_array(json::min_inputs);
  for (const collective_node& node : found.nodes) {
    out.begin_object();
    out.field_id("id", node.id);
    out.field("hostname", std::string_view(node.hostname));
    out.field("trace", node.trace);
    out.field("clock", node.clock);
    out.field("devices", node.devices);
    out.field("collectives", node.collectives);
    write_optional(out, "bound_ps", node.bound_ps);
    out.key("incomplete");
    if (node.incomplete.empty())
      out.null();
    else
      out.value(std::string_view(node.incomplete));
    out.end_object();
  }
  out.end_array();
}

void write_node_id(json_writer& out, std::string_view key, const validation_result& found, std::int32_t node) {
  out.key(key);
  if (node < 0)
    out.null();
  else
    out.id(found.nodes[static_cast<std::size_t>(node)].id);
}

void write_rank(json_writer& out, std::string_view key, std::int64_t rank) {
  out.key(key);
  if (rank < 0)
    out.null();
  else
    out.id(rank);
}

// Who came last; nullptr: nobody alone.
template <class Member>
void write_latest(json_writer& out, const validation_result& found, const Member* latest) {
  write_node_id(out, "latest_node", found, latest == nullptr ? -1 : static_cast<std::int32_t>(latest->node));
  out.field("latest_device", latest == nullptr ? -1 : latest->device);
  write_rank(out, "latest_rank", latest == nullptr ? -1 : latest->rank);
}

// What moved in a time, as the algorithm sees it and as links do; null where one of the two is not known.
void write_rates(json_writer& out, const collective_op& op, std::int64_t payload_bytes, std::int64_t moving_ps) {
  const bool known = payload_bytes >= 0 && moving_ps > 0;
  const auto rate = [&](std::int64_t bytes) {
    return known ? std::optional(bytes_per_s(bytes, moving_ps)) : std::nullopt;
  };
  write_optional(out, "payload_bytes", payload_bytes < 0 ? std::nullopt : std::optional(payload_bytes));
  write_optional(out, "moving_ps", moving_ps < 0 ? std::nullopt : std::optional(moving_ps));
  write_optional(out, "algorithm_bytes_per_s", rate(payload_bytes));
  write_optional(out, "bus_bytes_per_s", rate(known ? link_bytes(op, payload_bytes) : 0));
}

void write_collectives_of_nodes(json_writer& out, const validation_result& found) {
  out.key("ops");
  out.begin_array();
  for (const collective_op& op : found.ops) {
    if (op.groups == 0 && !op.sub_groups) continue;
    out.begin_object();
    out.field("name", std::string_view(op.name));
    out.field("collective", std::string_view(op.collective));
    out.field("module", std::string_view(op.module));
    out.field("process_group", std::string_view(op.group));
    out.field("device", op.device);
    out.field("by_group", op.by_group);
    out.field("semantics", collective_semantics_name(op.semantics));
    out.field("groups", op.groups);
    out.field("violations", op.violations);
    out.field("violations_raw", op.violations_raw);
    out.field("unjudged", op.unjudged);
    out.key("unjudged_reason");
    if (op.unjudged_why.empty())
      out.null();
    else
      out.value(std::string_view(op.unjudged_why));
    out.field("mean_arrival_skew_ps", op.mean_skew_ps);
    out.field("most_arrival_skew_ps", op.max_skew_ps);
    out.field("mean_transfer_ps", op.mean_transfer_ps);
    out.field("cost", collective_share_name(op.cost));
    write_node_id(out, "latest_node", found, op.latest_node);
    out.field("latest_device", op.latest_device);
    write_rank(out, "latest_rank", op.latest_rank);
    out.field("latest_count", op.latest_count);
    out.field("sized_groups", op.sized_groups);
    write_rates(out, op, op.sized_groups == 0 ? -1 : op.payload_bytes, op.sized_groups == 0 ? -1 : op.moving_ps);
    out.end_object();
  }
  out.end_array();
}

// Every group, the one that waited longest for its last member first.
void write_calls(json_writer& out, const validation_result& found) {
  std::vector<const collective_group*> shown;
  for (const collective_group& g : found.groups) shown.push_back(&g);
  std::stable_sort(shown.begin(), shown.end(),
                   [](const collective_group* a, const collective_group* b) { return a->start_gap_ps > b->start_gap_ps; });
  json::write_objects(out, "calls", shown, [&](const collective_group* g) {
    const collective_op& op = found.ops[g->op];
    const collective_member& last = found.members[g->first_member + g->last];
    out.field("op", std::string_view(op.name));
    out.field("module", std::string_view(op.module));
    out.field("process_group", std::string_view(op.group));
    out.field("device", op.device);
    out.field("call", g->occurrence);
    out.field("last_start_ps", last.start_ps);
    write_latest(out, found, starts_last_alone(found, *g) ? &last : nullptr);
    out.field("arrival_skew_ps", g->start_gap_ps);
    write_optional(out, "span_ps", g->span_ps < 0 ? std::nullopt : std::optional(g->span_ps));
    write_rates(out, op, g->payload_bytes, g->moving_ps);
  });
}

// Who comes last, over all calls that could be judged.
void write_arrivals(json_writer& out, const validation_result& found) {
  const collective_arrivals& a = found.arrivals;
  out.key("arrivals");
  out.begin_object();
  out.field("judged", a.judged);
  out.field("tied", a.tied);
  out.field("waited_ps", a.waited_ps);
  out.key("text");
  const std::string text = arrivals_text(found);
  if (text.empty())
    out.null();
  else
    out.value(std::string_view(text));
  write_latest(out, found, a.latest < 0 ? nullptr : &a.devices[static_cast<std::size_t>(a.latest)]);
  json::write_objects(out, "devices", a.devices, [&](const arriving_device& d) {
    write_node_id(out, "node", found, static_cast<std::int32_t>(d.node));
    out.field("device", d.device);
    write_rank(out, "rank", d.rank);
    out.field("calls", d.calls);
    out.field("times_last", d.times_last);
    out.field("waited_for_ps", d.waited_for_ps);
    out.field("waited_ps", d.waited_ps);
  });
  out.key("unjudged");
  out.begin_array();
  for (const unjudged_arrivals& u : a.unjudged) {
    out.begin_object();
    out.field("reason", std::string_view(u.why));
    out.field("calls", u.calls);
    out.field("executions", u.executions);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

// The groups out of order, beyond the bound first.
void write_details(json_writer& out, const validation_result& found) {
  std::vector<const collective_group*> shown;
  for (const collective_group& g : found.groups)
    if (g.violates || (g.judged && g.order_gap_ps >= 0)) shown.push_back(&g);
  std::stable_sort(shown.begin(), shown.end(), [](const collective_group* a, const collective_group* b) {
    return a->violates != b->violates ? a->violates : a->order_gap_ps - a->bound_ps > b->order_gap_ps - b->bound_ps;
  });
  json::write_objects(out, "details", shown, [&](const collective_group* g) {
    const collective_member& late = found.members[g->first_member + g->latest_start];
    const collective_member& early = found.members[g->first_member + g->earliest_end];
    out.field("op", std::string_view(found.ops[g->op].name));
    out.field("process_group", std::string_view(found.ops[g->op].group));
    out.field("device", found.ops[g->op].device);
    out.field("rank", g->occurrence);
    out.field("beyond_bound", g->violates);
    write_node_id(out, "latest_start_node", found, static_cast<std::int32_t>(late.node));
    out.field("latest_start_ps", late.start_ps);
    write_node_id(out, "earliest_end_node", found, static_cast<std::int32_t>(early.node));
    out.field("earliest_end_ps", early.end_ps);
    out.field("gap_ps", g->order_gap_ps);
    out.field("bound_ps", g->bound_ps);
    out.key("members");
    out.begin_array();
    for (std::uint32_t i = 0; i < g->member_count; ++i) {
      const collective_member& m = found.members[g->first_member + i];
      out.begin_object();
      write_node_id(out, "node", found, static_cast<std::int32_t>(m.node));
      out.field("device", m.device);
      write_rank(out, "rank", m.rank);
      out.field("part", collective_part_name(m.part));
      out.field("start_ps", m.start_ps);
      out.field("end_ps", m.end_ps);
      out.key("correlation_id");
      if (m.correlation_id < 0)
        out.null();
      else
        out.id(m.correlation_id);
      out.end_object();
    }
    out.end_array();
  });
}

void write_warnings(json_writer& out, const validation_result& found) {
  out.key("warning_list");
  out.begin_array();
  for (const collective_warning& w : found.warning_list) {
    out.begin_object();
    out.field("kind", collective_warning_name(w.what));
    out.key("node");
    if (w.node_id < 0)
      out.null();
    else
      out.id(w.node_id);
    out.field("op", std::string_view(w.op));
    out.field("count", w.count);
    out.field("text", std::string_view(w.text));
    out.end_object();
  }
  out.end_array();
}

template <class Row>
void write_place(json_writer& out, const validation_result& found, const Row& row) {
  const collective_op& op = found.ops[row.op];
  out.field("op", std::string_view(op.name));
  out.field("module", std::string_view(op.module));
  out.field("process_group", std::string_view(op.group));
  out.field("call", row.occurrence);
  out.field("call_start_ps", row.call_start_ps);
  write_node_id(out, "node", found, static_cast<std::int32_t>(row.node));
  out.field("device", row.device);
  write_rank(out, "rank", row.rank);
  out.field("count", row.count);
}

// Of files that are known to lack events.
void write_unrecorded(json_writer& out, const validation_result& found) {
  json::write_objects(out, "unrecorded_calls", found.unrecorded, [&](const unrecorded_calls& row) {
    out.field("where", unrecorded_place_name(row.where));
    write_place(out, found, row);
    out.field("evidence", std::string_view(row.evidence));
  });
}

void write_irregularities(json_writer& out, const validation_result& found) {
  json::write_objects(out, "irregularities", found.irregularities, [&](const collective_irregularity& row) {
    out.field("kind", collective_irregularity_name(row.what));
    write_place(out, found, row);
    out.field("of_count", row.of_count);
    out.key("late_ps");
    if (row.what == collective_irregularity::kind::straggler)
      out.value(row.late_ps);
    else
      out.null();
    out.field("evidence", std::string_view(row.evidence));
  });
}

// known: collectives say something of it.
void write_relation(json_writer& out, const clock_relation& r, bool known) {
  out.field("constraints", r.constraints);
  out.field("feasible", r.feasible);
  out.field("decidable", r.decidable);
  if (!r.feasible || !known) return;
  out.field("pivot_ps", r.pivot_ps);
  out.field("least_offset_ps", r.least_offset_ps);
  out.field("most_offset_ps", r.most_offset_ps);
  out.key("least_drift_ppm");
  out.number(r.least_drift_ppm);
  out.key("most_drift_ppm");
  out.number(r.most_drift_ppm);
}

void write_alignment(json_writer& out, const validation_result& found, const alignment_result& a) {
  out.begin_object();
  out.key("absent");
  if (a.absent.empty())
    out.null();
  else
    out.value(std::string_view(a.absent));
  write_strings(out, "assumptions", a.assumptions);
  write_node_id(out, "reference_node", found, a.nodes.empty() ? -1 : static_cast<std::int32_t>(a.reference));
  out.field("undecidable", a.undecidable);
  out.field("contradictions", a.contradictions);
  out.key("nodes");
  out.begin_array(json::min_inputs);
  for (const aligned_node& node : a.nodes) {
    out.begin_object();
    out.field_id("id", node.id);
    out.field("hostname", std::string_view(node.hostname));
    out.field("reached", node.reached);
    out.field("calls_known", node.calls_known);
    out.field("contains_zero", node.contains_zero);
    write_relation(out, node.to_reference, node.reached);
    if (node.reached && node.to_reference.feasible) {
      out.key("point_offset_ps");
      out.value(static_cast<std::int64_t>(std::llround(node.offset_ps)));
      out.key("point_drift_ppm");
      out.number(node.drift_ppm);
      out.key("point_spread_ps");
      out.value(static_cast<std::int64_t>(std::llround(node.spread_ps)));
    }
    if (node.snapshot_offset_ps) {
      out.field("snapshot_offset_ps", *node.snapshot_offset_ps);
      out.field("agrees_with_snapshots", node.agrees);
    }
    out.end_object();
  }
  out.end_array();
  out.key("pairs");
  out.begin_array();
  for (const clock_relation& r : a.pairs) {
    out.begin_object();
    out.field_id("a", a.nodes[r.a].id);
    out.field_id("b", a.nodes[r.b].id);
    write_relation(out, r, true);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

}  // namespace

namespace json {

document_status write_validation(json_writer& out, const validation_result& found, const alignment_result* alignment) {
  begin_document(out, "validate");
  verdict v;
  if (!found.damage.empty()) {
    const bool nothing = found.groups.empty() && found.damage.size() == found.traces.size();
    const fault& first = found.damage.front().what;
    v = {nothing ? document_status::error : document_status::partial, first.message, nothing ? &first : nullptr};
  } else if (!found.absent.empty()) {
    v = {document_status::absent, found.absent, nullptr};
  }
  write_verdict(out, v);
  out.field("clocks", found.corrected ? "corrected" : "uncorrected");
  out.field("bounds_known", found.bounds_known);
  write_optional_id(out, "origin_unix_ns", found.origin_unix_ns);
  out.field("violations", found.violations);
  out.field("violations_raw", found.violations_raw);
  out.field("pair_violations", found.pair_violations);
  out.field("overlaps", found.overlaps);
  out.field("unjudged", found.unjudged);
  out.field("within_node", found.within_node);
  out.field("warnings", found.warnings);
  out.key("avg_gap_ns");
  out.number(found.mean_gap_ns);
  out.field("gap_count", std::uint64_t{found.groups.size()});
  write_strings(out, "assumptions", found.assumptions);
  write_nodes(out, found);
  write_collectives_of_nodes(out, found);
  write_arrivals(out, found);
  write_details(out, found);
  write_calls(out, found);
  write_irregularities(out, found);
  write_unrecorded(out, found);
  write_warnings(out, found);
  out.key("alignment");
  if (alignment != nullptr)
    write_alignment(out, found, *alignment);
  else
    out.null();
  write_strings(out, "traces", found.traces);
  write_damage(out, found.damage, found.checked);
  end_document(out);
  return v.status;
}

}  // namespace json

result<document_status> write_validation(const validation_result& found, const alignment_result* alignment, sink& into,
                                         std::uint64_t limit) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    out.bound(json::bounds_of(limit, default_document_limit));
    const document_status status = json::write_validation(out, found, alignment);
    if (result<void> done = out.finish(); !done) return std::move(done).error();
    return status;
  });
}

result<void> write_validation_csv(const validation_result& found, sink& into) {
  return contained([&]() -> result<void> {
    // Columns by the text of their names: node_10 before node_2.
    std::vector<std::pair<std::string, std::uint32_t>> columns;
    for (std::uint32_t n = 0; n < found.nodes.size(); ++n)
      columns.emplace_back("node_" + std::to_string(found.nodes[n].id), n);
    std::sort(columns.begin(), columns.end());
    std::string out = "event_idx,op_name,occurrence,start_gap_ns";
    for (const auto& [name, node] : columns) out += ',' + name + "_corr_id," + name + "_start_ns";
    out += "\r\n";
    std::uint64_t row = 0;
    for (const collective_group& g : found.groups) {
      const collective_op& op = found.ops[g.op];
      out += std::to_string(row++) + ',';
      const bool quoted = op.name.find_first_of(",\"\r\n") != std::string::npos;
      if (quoted) out += '"';
      for (const char c : op.name) out.append(c == '"' ? 2 : 1, c);
      if (quoted) out += '"';
      out += ',' + std::to_string(g.occurrence) + ',';
      std::vector<const collective_member*> members(found.nodes.size(), nullptr);
      for (std::uint32_t i = 0; i < g.member_count; ++i) {
        const collective_member& m = found.members[g.first_member + i];
        if (members[m.node] == nullptr || m.part != collective_part::receives) members[m.node] = &m;
      }
      out += exact_ns(g.start_gap_ps);
      for (const auto& [name, node] : columns) {
        if (members[node] == nullptr) {
          out += ",,";
          continue;
        }
        out += ',' + std::to_string(members[node]->correlation_id) + ',';
        out += exact_ns(members[node]->start_ps);
      }
      out += "\r\n";
      if (out.size() >= (std::size_t{1} << 18)) {
        if (result<void> written = into.write(out); !written) return written;
        out.clear();
      }
    }
    return into.write(out);
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
