#include <export/json/document.hpp>

#include <profkit/core/collectives.hpp>

#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

const char* form_name(async_row::form form) noexcept {
  switch (form) {
    case async_row::form::pair: return "pair";
    case async_row::form::single: return "single";
    case async_row::form::unmatched_start: return "unmatched_start";
    case async_row::form::unmatched_done: return "unmatched_done";
  }
  return "single";
}

void write_async(json_writer& out, const async_row& row) {
  out.begin_object();
  out.field("file", row.file);
  out.field("plane", row.plane);
  out.field("line", row.line);
  out.key("flow");
  if (row.flow)
    out.id(*row.flow);
  else
    out.null();
  out.field("form", form_name(row.shape));
  out.field("name", row.name);
  out.field("hlo_op", row.hlo_op);
  out.field("category", row.category);
  out.field("start_ps", row.start_ps);
  out.field("duration_ps", row.duration_ps);
  out.field("in_flight_ps", row.in_flight_ps);
  write_optional(out, "exposed_stall_ps", row.exposed_stall_ps);
  out.key("exposed_from");
  if (row.exposed_from.empty())
    out.null();
  else
    out.value(row.exposed_from);
  out.field("events", row.events);
  write_optional(out, "bytes", row.bytes);
  write_text_or_null(out, "from_space", row.from_space);
  write_text_or_null(out, "to_space", row.to_space);
  out.end_object();
}

void write_transfer(json_writer& out, const transfer_total& t) {
  out.begin_object();
  out.field("file", t.file);
  out.field("plane", t.plane);
  write_text_or_null(out, "from_space", t.from_space);
  write_text_or_null(out, "to_space", t.to_space);
  out.field("count", t.count);
  out.field("bytes", t.bytes);
  out.field("in_flight_ps", t.in_flight_ps);
  write_optional(out, "exposed_stall_ps", t.exposed_stall_ps);
  out.end_object();
}

void write_collective_op(json_writer& out, const collective_op_row& row) {
  out.begin_object();
  out.field("file", row.file);
  out.field("plane", row.plane);
  out.field("line", row.line);
  out.field("name", row.name);
  out.field("category", row.category);
  out.field("is_half", row.is_half);
  out.field("on_stream", row.on_stream);
  out.field("count", row.count);
  out.field("total_ps", row.total_ps);
  out.field("min_ps", row.min_ps);
  out.field("max_ps", row.max_ps);
  out.end_object();
}

void write_recorded(json_writer& out, const recorded_communication& row) {
  out.begin_object();
  out.field("file", row.file);
  out.field("device", row.device);
  out.field("name", row.name);
  out.field("count", row.count);
  out.field("elapsed_ps", row.elapsed_ps);
  out.field("wait_ps", row.wait_ps);
  out.field("synchronization_ps", row.synchronization_ps);
  out.field("transit_ps", row.transit_ps);
  out.field("idle_ps", row.idle_ps);
  out.key("links");
  out.begin_array();
  for (const recorded_link& link : row.links) {
    out.begin_object();
    out.field("link", link.link);
    out.field("bytes", link.bytes);
    out.field("transit_ps", link.transit_ps);
    write_optional(out, "bytes_per_s", link.transit_ps > 0 ? std::optional(bytes_per_s(link.bytes, link.transit_ps)) : std::nullopt);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

}  // namespace

document_status write_collectives(json_writer& out, const profile& p, const collectives_result& found,
                                  events_checked checked) {
  const verdict v = judge(p, found.absent, found.damage);
  begin_document(out, document::collectives);
  write_verdict(out, v);
  out.field("flows", found.flows);
  out.field("events_without_flow", found.events_without_flow);
  const auto async = [&](const async_row& row) { write_async(out, row); };
  const std::uint64_t async_left_out = write_rows(out, "async", found.async, async);
  out.field("async_left_out", async_left_out);
  const auto transfer = [&](const transfer_total& row) { write_transfer(out, row); };
  const std::uint64_t transfers_left_out = write_rows(out, "transfers", found.transfers, transfer);
  out.field("transfers_left_out", transfers_left_out);
  const auto op = [&](const collective_op_row& row) { write_collective_op(out, row); };
  const std::uint64_t ops_left_out = write_rows(out, "ops", found.ops, op);
  out.field("ops_left_out", ops_left_out);
  const auto recorded = [&](const recorded_communication& row) { write_recorded(out, row); };
  const std::uint64_t recorded_left_out = write_rows(out, "recorded", found.recorded, recorded);
  out.field("recorded_left_out", recorded_left_out);
  write_files(out, p);
  write_damage(out, found.damage, checked);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
