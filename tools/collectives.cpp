// profkit collectives: synchronous operations by name, asynchronous ones by flow, and their starts and dones.
#include "grouping.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/communication.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace profkit_tool {
namespace {

using profkit::async_row;
using profkit::collectives_result;
using profkit::escape_for_terminal;
using profkit::grouped;
using profkit::human_bytes;
using profkit::human_duration;
using profkit::saturating_add;
using profkit::transfer_total;

const char* form_name(async_row::form form) noexcept {
  switch (form) {
    case async_row::form::pair: return "start and done";
    case async_row::form::single: return "one event";
    case async_row::form::unmatched_start: return "start only";
    case async_row::form::unmatched_done: return "done only";
  }
  return "";
}

std::string op_of(const async_row& row) {
  return row.hlo_op.empty() ? short_op_name(row.name, {}) : escape_for_terminal(row.hlo_op);
}

struct async_total {
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, max_ps = 0, stall_ps = 0, bytes = 0;
  bool has_stall = false, has_bytes = false;
};

void print_async_totals(session& s, const collectives_result& found, std::uint64_t limit) {
  using key = std::tuple<std::uint32_t, std::int32_t, std::string, std::string>;
  std::map<key, async_total> totals;
  bool any_stall = false;
  for (const async_row& row : found.async) {
    async_total& t = totals[{row.file, row.plane, op_of(row), escape_for_terminal(row.category)}];
    ++t.count;
    t.total_ps = saturating_add(t.total_ps, row.in_flight_ps);
    t.max_ps = std::max(t.max_ps, row.in_flight_ps);
    if (row.exposed_stall_ps) {
      t.stall_ps = saturating_add(t.stall_ps, *row.exposed_stall_ps);
      t.has_stall = any_stall = true;
    }
    t.bytes = saturating_add(t.bytes, row.bytes.value_or(0));
    t.has_bytes = t.has_bytes || row.bytes;
  }
  std::vector<std::pair<key, async_total>> rows(totals.begin(), totals.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.total_ps > b.second.total_ps; });
  table t;
  t.right("file").flexible("plane", cut::middle, 8).flexible("op", cut::middle, 20).flexible("category", cut::end, 10).minor();
  t.right("count").right("in flight").right("max").minor().right("exposed").right("bytes").minor();
  for (const auto& [k, total] : rows) {
    if (t.is_full(limit)) break;
    t.row({s.file_label(std::get<0>(k)),
           short_plane_name(profkit::plane_name_at(s.capture(), std::get<0>(k), std::get<1>(k))), std::get<2>(k),
           std::get<3>(k), grouped(total.count), human_duration(total.total_ps), human_duration(total.max_ps),
           total.has_stall ? human_duration(total.stall_ps) : "",
           total.has_bytes ? human_bytes(static_cast<std::uint64_t>(total.bytes)) : ""});
  }
  std::string title = "Asynchronous operations: " + count_of(found.flows, "flow");
  if (found.events_without_flow > 0) title += ", " + count_of(found.events_without_flow, "event") + " without one";
  s.print(title, t, rows.size());
  if (!any_stall)
    s.out().line(
        "  in flight is start to done and may overlap computation; this capture does not carry the exposed part");
}

// "Host to HBM"; "" where neither is known.
std::string between(std::string_view from_space, std::string_view to_space) {
  if (from_space.empty() && to_space.empty()) return "";
  const auto named = [](std::string_view space) { return space.empty() ? "?" : escape_for_terminal(space); };
  return named(from_space) + " to " + named(to_space);
}

void print_transfers(session& s, const collectives_result& found, std::uint64_t limit) {
  if (found.transfers.empty()) return;
  table t;
  t.right("file").flexible("plane", cut::middle, 8).left("memory").minor().right("copies").right("bytes").minor().right("in flight").right("B/s");
  t.right("exposed");
  for (const transfer_total& total : found.transfers) {
    if (t.is_full(limit)) break;
    t.row({s.file_label(total.file), short_plane_name(profkit::plane_name_at(s.capture(), total.file, total.plane)),
           between(total.from_space, total.to_space), grouped(total.count), human_bytes(static_cast<std::uint64_t>(total.bytes)),
           human_duration(total.in_flight_ps), rate_text(total.bytes, total.in_flight_ps),
           total.exposed_stall_ps ? human_duration(*total.exposed_stall_ps) : ""});
  }
  s.print("Copies between memories: in flight is the time in which at least one was", t, found.transfers.size());
}

void print_async_rows(session& s, const collectives_result& found, std::uint64_t limit) {
  table t;
  t.right("file").flexible("plane", cut::middle, 8).right("flow").flexible("op", cut::middle, 20).left("form").minor();
  t.right("start").right("duration").right("exposed");
  for (const async_row& row : found.async) {
    if (t.is_full(limit)) break;
    t.row({s.file_label(row.file), short_plane_name(profkit::plane_name_at(s.capture(), row.file, row.plane)),
           row.flow ? std::to_string(*row.flow) : "", op_of(row), form_name(row.shape), human_duration(row.start_ps),
           human_duration(row.in_flight_ps), row.exposed_stall_ps ? human_duration(*row.exposed_stall_ps) : ""});
  }
  s.print("In order", t, found.async.size());
}

// Halves of asynchronous operations, or all else. Threads of one host plane, and streams of one device, together.
std::vector<profkit::collective_op_row> by_plane(const collectives_result& found, bool halves) {
  using key = std::tuple<std::uint32_t, std::int32_t, std::string_view, std::string_view, std::string_view>;
  std::map<key, profkit::collective_op_row> totals;
  for (const profkit::collective_op_row& row : found.ops) {
    if (row.is_half != halves) continue;
    auto [at, is_first] = totals.try_emplace({row.file, row.plane, row.plane_name, row.name, row.category}, row);
    if (is_first) continue;
    profkit::collective_op_row& total = at->second;
    total.count += row.count;
    total.total_ps = saturating_add(total.total_ps, row.total_ps);
    total.min_ps = std::min(total.min_ps, row.min_ps);
    total.max_ps = std::max(total.max_ps, row.max_ps);
  }
  std::vector<profkit::collective_op_row> rows;
  for (const auto& [found_as, total] : totals) rows.push_back(total);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.total_ps > b.total_ps; });
  return rows;
}

void print_ops_rows(session& s, const collectives_result& found, bool halves, std::uint64_t limit) {
  const std::vector<profkit::collective_op_row> rows = by_plane(found, halves);
  if (rows.empty()) return;
  table t;
  t.right("file").flexible("plane", cut::middle, 8).flexible("op", cut::middle, 20).left("category").minor().right("count");
  t.right("total").right("min").minor().right("max");
  for (const profkit::collective_op_row& row : rows) {
    if (t.is_full(limit)) break;
    t.row({s.file_label(row.file), short_plane_name(row.plane_name),
           short_op_name(row.name, {}), escape_for_terminal(row.category), grouped(row.count),
           human_duration(row.total_ps), extreme_text(row.min_ps, row.max_ps, row.total_ps), extreme_text(row.max_ps, row.max_ps, row.total_ps)});
  }
  s.print(halves ? "Starts and dones of asynchronous collectives, as the device ran them" : "Synchronous collectives: nothing else runs on the stream or thread meanwhile",
          t, rows.size());
}

// "HCCS 24.6 GB/s (1.2 GB)", each link on record.
std::string links_text(const profkit::recorded_communication& row) {
  std::string text;
  for (const profkit::recorded_link& link : row.links)
    text += (text.empty() ? "" : ", ") + escape_for_terminal(link.link) + ' ' +
            (link.transit_ps > 0 ? rate_text(link.bytes, link.transit_ps) + "B/s" : human_bytes(static_cast<std::uint64_t>(link.bytes)));
  return text;
}

void print_recorded(session& s, const collectives_result& found, std::uint64_t limit) {
  if (found.recorded.empty()) return;
  table t;
  t.right("file").flexible("device", cut::middle, 8).flexible("op", cut::middle, 20).right("count").right("elapsed").minor();
  t.right("waited").right("synchronized").minor().right("moved bytes").minor().right("idle").flexible("links", cut::end, 12).minor();
  for (const profkit::recorded_communication& row : found.recorded) {
    if (t.is_full(limit)) break;
    t.row({s.file_label(row.file), escape_for_terminal(row.device), escape_for_terminal(row.name), grouped(row.count),
           human_duration(row.elapsed_ps), human_duration(row.wait_ps), human_duration(row.synchronization_ps),
           human_duration(row.transit_ps), human_duration(row.idle_ps), links_text(row)});
  }
  s.print("Waits and links as the recorder lists them; SDMA has again what it moved over other links", t,
          found.recorded.size());
}

profkit::result<void> print_collectives(session& s) {
  profkit::query_filters all = s.filters(0);
  all.limit = 0;
  auto found = profkit::analyse_collectives(s.trace(), all, s.hooks());
  if (!found) return std::move(found).error();
  s.lost(found->damage);
  if (found->async.empty() && found->ops.empty() && found->recorded.empty()) {
    s.absent(found->absent);
    return {};
  }
  const std::uint64_t limit = s.asked().limit.value_or(default_rows);
  print_ops_rows(s, *found, false, limit);
  if (!found->async.empty()) {
    print_async_totals(s, *found, limit);
    print_transfers(s, *found, limit);
    print_async_rows(s, *found, limit);
  }
  print_ops_rows(s, *found, true, limit);
  print_recorded(s, *found, limit);
  return {};
}

}  // namespace

extern const command_description collectives_command = {
    "collectives",
    "PATH",
    "Collectives: asynchronous ones paired by flow, exposed time",
    "Pairs start and done events by their flow, or reads the one event that TPU captures write for both,\n"
    "and adds up synchronous collectives and kernels that communicate (NCCL, RCCL, HCCL), by kind.",
    "  profkit collectives vm.xplane.pb\n"
    "  profkit collectives vm.xplane.pb --plane TPU:0 --limit 0\n",
    make_options<plain_slice<profkit::document::collectives, print_collectives>>,
    "The exposed part is given where the capture has it. What a host runs is looked up in the programs inside the\n"
    "file: psum.7 of a JAX program is an all-reduce.",
};

}  // namespace profkit_tool
