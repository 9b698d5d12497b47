// Collectives across nodes as a document and as CSV.
#include <base/contained.hpp>
#include <base/format.hpp>
#include <export/json/document.hpp>
#include <clusters/export/validate_parts.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// ns with three decimals, exact.
std::string exact_ns(std::int64_t ps) {
  const bool negative = ps < 0;
  const std::uint64_t size =
      negative ? std::uint64_t{0} - static_cast<std::uint64_t>(ps) : static_cast<std::uint64_t>(ps);
  std::string text = (negative ? "-" : "") + std::to_string(size / 1000);
  const std::string rest = std::to_string(1000 + size % 1000);
  return text + '.' + rest.substr(1);
}

std::optional<std::int64_t> node_at(const json::validate_sight& with, std::int32_t node) {
  return node < 0 ? std::nullopt : std::optional(with.found.nodes[static_cast<std::size_t>(node)].id);
}

template <class Member>
json::latest_device latest(const json::validate_sight& with, const Member& last) {
  return {with.found.nodes[last.node].id, last.device, last.rank};
}

json::moved_bytes moved(const collective_op& op, std::int64_t payload_bytes, std::int64_t moving_ps) {
  json::moved_bytes made{payload_bytes, moving_ps, {}, {}};
  if (payload_bytes < 0 || moving_ps <= 0) return made;
  made.algorithm_bytes_per_s = bytes_per_s(payload_bytes, moving_ps);
  made.bus_bytes_per_s = bytes_per_s(link_bytes(op, payload_bytes), moving_ps);
  return made;
}

}  // namespace

namespace json {

const char* clocks_of(const validation_result& found, const validate_sight&) noexcept {
  return found.corrected ? "corrected" : "uncorrected";
}
const alignment_result* alignment_of(const validation_result&, const validate_sight& with) noexcept { return with.alignment; }

rows_by_place<collective_op> ops_of(const validation_result& found, const validate_sight&) {
  rows_by_place<collective_op> shown;
  for (const collective_op& op : found.ops)
    if (op.groups != 0 || op.sub_groups) shown.push_back(op);
  return shown;
}

rows_by_place<collective_group> details_of(const validation_result& found, const validate_sight&) {
  rows_by_place<collective_group> shown;
  for (const collective_group& g : found.groups)
    if (g.violates || (g.judged && g.order_gap_ps >= 0)) shown.push_back(g);
  std::stable_sort(shown.begin(), shown.end(), [](const collective_group& a, const collective_group& b) {
    return a.violates != b.violates ? a.violates : a.order_gap_ps - a.bound_ps > b.order_gap_ps - b.bound_ps;
  });
  return shown;
}

rows_by_place<collective_group> calls_of(const validation_result& found, const validate_sight&) {
  rows_by_place<collective_group> shown(found.groups.begin(), found.groups.end());
  std::stable_sort(shown.begin(), shown.end(),
                   [](const collective_group& a, const collective_group& b) { return a.start_gap_ps > b.start_gap_ps; });
  return shown;
}

shown_call shown(const collective_group& group, const validation_result& found, const validate_sight&) {
  const collective_member* first = found.members.data() + group.first_member;
  return {group, found.ops[group.op], first[group.last], first[group.latest_start], first[group.earliest_end]};
}
std::vector<collective_member> members_of(const shown_call& call, const validate_sight& with) {
  const auto first = with.found.members.begin() + static_cast<std::ptrdiff_t>(call.group.first_member);
  return {first, first + call.group.member_count};
}
std::int64_t latest_start_node_of(const shown_call& call, const validate_sight& with) { return node_of(call.latest_start, with); }
std::int64_t earliest_end_node_of(const shown_call& call, const validate_sight& with) { return node_of(call.earliest_end, with); }

latest_device latest_of(const collective_op& op, const validate_sight& with) {
  return {node_at(with, op.latest_node), op.latest_device, op.latest_rank};
}
latest_device latest_of(const shown_call& call, const validate_sight& with) {
  return starts_last_alone(with.found, call.group) ? latest(with, call.last) : latest_device();
}
latest_device latest_of(const collective_arrivals& arrivals, const validate_sight& with) {
  return arrivals.latest < 0 ? latest_device() : latest(with, arrivals.devices[static_cast<std::size_t>(arrivals.latest)]);
}
std::string text_of(const collective_arrivals&, const validate_sight& with) { return arrivals_text(with.found); }

moved_bytes moved_of(const collective_op& op, const validate_sight&) {
  return op.sized_groups == 0 ? moved_bytes() : moved(op, op.payload_bytes, op.moving_ps);
}
moved_bytes moved_of(const shown_call& call, const validate_sight&) {
  return moved(call.op, call.group.payload_bytes, call.group.moving_ps);
}

std::optional<std::int64_t> late_of(const collective_irregularity& row, const validate_sight&) noexcept {
  return row.what == collective_irregularity::kind::straggler ? std::optional(row.late_ps) : std::nullopt;
}

std::optional<std::int64_t> reference_node_of(const alignment_result& alignment, const validate_sight& with) {
  return node_at(with, alignment.nodes.empty() ? -1 : static_cast<std::int32_t>(alignment.reference));
}
const clock_relation* interval_of(const aligned_node& node) noexcept {
  return node.reached && node.to_reference.feasible ? &node.to_reference : nullptr;
}
std::optional<clock_guess> guess_of(const aligned_node& node) noexcept {
  if (interval_of(node) == nullptr) return std::nullopt;
  return clock_guess{std::llround(node.offset_ps), node.drift_ppm, std::llround(node.spread_ps)};
}
std::optional<bool> agrees_of(const aligned_node& node) noexcept {
  return node.snapshot_offset_ps ? std::optional(node.agrees) : std::nullopt;
}

clock_pair shown(const clock_relation& relation, const alignment_result& of, const validate_sight&) {
  return {of.nodes[relation.a].id, of.nodes[relation.b].id, relation};
}
const clock_relation* interval_of(const clock_pair& pair) noexcept { return pair.relation.feasible ? &pair.relation : nullptr; }

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
  fields_of_validate(out, found, {found, alignment});
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
