#include "row_writer.hpp"

#include "json_text.hpp"

#include "base/format.hpp"

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

message_range<stat_view, 4> stats_of_row(const trace_row& row) noexcept {
  return message_range<stat_view, 4>(row.stats_bytes == 0 ? std::string_view()
                                                          : std::string_view(row.stats, row.stats_bytes));
}

}  // namespace

void row_writer::format(piece& p) {
  if (p.style == nullptr) return;
  const plane_style& style = *p.style;
  const bool xla = style.dialect == json_dialect::xla;
  std::string pid = "\"pid\":";
  append_integer(pid, style.pid);
  pid += ",\"tid\":";
  std::string& out = p.text;
  out.reserve(p.rows.size() * 256);
  std::string time;
  for (const trace_row& row : p.rows) {
    const auto stats = stats_of_row(row);
    if (row.counter) {
      std::string values;
      style.text.append_numbers(values, stats, p.counters);
      if (values.empty()) continue;
      out += "{\"ph\":\"C\",";
      out += pid;
      append_integer(out, std::uint64_t{row.tid});
      out += ",\"ts\":";
      append_exact_microseconds(out, static_cast<std::int64_t>(row.time_ps));
      out += ",\"name\":";
      out += row.what->name;
      out += ",\"args\":{";
      out += values;
      out += "}},\n";
      continue;
    }
    out += "{\"ph\":\"X\",";
    out += pid;
    append_integer(out, std::uint64_t{row.tid});
    out += ",\"ts\":";
    if (xla) {
      append_xla_microseconds(out, row.time_ps);
      out += ",\"dur\":";
      append_xla_microseconds(out, row.duration_ps);
    } else {
      time.clear();
      append_exact_microseconds(time, static_cast<std::int64_t>(row.time_ps));
      out += time;
      out += ",\"dur\":";
      append_exact_microseconds(out, static_cast<std::int64_t>(row.duration_ps));
    }
    out += ',';
    style.text.append_event_tail(out, *row.what, stats);
    if (xla) {
      out += ',';
      continue;
    }
    out += ",\n";
    style.flows.for_each(stats, [&](std::uint64_t id, flow_end end) {
      if (end == flow_end::unknown) return;
      ++p.flows;
      out += end == flow_end::out ? "{\"ph\":\"s\"," : end == flow_end::in ? "{\"ph\":\"f\",\"bp\":\"e\"," : "{\"ph\":\"t\",";
      out += "\"cat\":\"flow\",\"name\":\"flow\",\"id\":";
      append_integer(out, id);
      out += ',';
      out += pid;
      append_integer(out, std::uint64_t{row.tid});
      out += ",\"ts\":";
      out += time;
      out += "},\n";
    });
  }
}

result<void> row_writer::flush() {
  result<void> formatted = for_each_item(pieces_.size(), host_, [&](std::size_t i) -> result<void> {
    format(pieces_[i]);
    return {};
  });
  if (!formatted) return formatted;
  for (const piece& p : pieces_) {
    flows_ += p.flows;
    counters_ += p.counters;
    if (result<void> written = into_.write(p.text); !written) return written;
  }
  pieces_.clear();
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
