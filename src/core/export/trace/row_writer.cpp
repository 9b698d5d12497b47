#include "row_writer.hpp"

#include <profkit/core/chrome.hpp>

#include "json_text.hpp"

#include "base/format.hpp"
#include "base/json_writer.hpp"
#include "base/sound_json.hpp"

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Of the members of an event's text those that other tools know: `,"cat":…,"name":…`. A reader that makes texts may leave the
// name out of them.
void append_members(std::string& out, std::string_view json, std::string_view name, bool with_id) {
  for (const std::string_view key : {"cat", "name", "id", "args"}) {
    const std::string_view raw = key == "id" && !with_id ? std::string_view() : json_member(json, key);
    const bool is_name_alone = raw.empty() && key == "name" && (json.empty() || !name.empty());
    if (raw.empty() && !is_name_alone) continue;
    out.append(",\"").append(key).append("\":");
    if (is_name_alone)
      append_json_string(out, name);
    else
      append_sound_json(out, raw);
  }
}

const char* phase_of(const trace_row& row) noexcept {
  switch (row.event.kind) {
    case track_event_kind::instant: return "{\"ph\":\"i\",\"s\":\"t\",";
    case track_event_kind::arrow_start: return "{\"ph\":\"s\",";
    case track_event_kind::arrow_step: return "{\"ph\":\"t\",";
    case track_event_kind::arrow_end: return "{\"ph\":\"f\",\"bp\":\"e\",";
    default: return row.counter ? "{\"ph\":\"C\"," : "{\"ph\":\"X\",";
  }
}

}  // namespace

void row_writer::format(piece& p) {
  if (p.style == nullptr) return;
  const row_style& style = *p.style;
  const bool xla = style.dialect == json_dialect::xla;
  std::string pid = "\"pid\":";
  append_integer(pid, style.pid);
  pid += ",\"tid\":";
  std::string& out = p.text;
  out.reserve(p.rows.size() * 256);
  std::string time, values;
  for (const trace_row& row : p.rows) {
    const placed_event& event = row.event;
    if (row.counter && style.text) {
      values.clear();
      style.text->append_numbers(values, event.stats(), p.counters);
      if (values.empty()) continue;
    }
    out += phase_of(row);
    out += pid;
    append_integer(out, std::uint64_t{row.tid});
    out += ",\"ts\":";
    if (xla) {
      append_xla_microseconds(out, static_cast<std::uint64_t>(event.start_ps));
      out += ",\"dur\":";
      append_xla_microseconds(out, static_cast<std::uint64_t>(event.duration_ps));
      out += ',';
      style.text->append_event_tail(out, *row.what, event.stats());
      out += ',';
      continue;
    }
    time.clear();
    append_exact_microseconds(time, event.start_ps);
    out += time;
    if (event.kind == track_event_kind::span && !row.counter) {
      out += ",\"dur\":";
      append_exact_microseconds(out, event.duration_ps);
    }
    if (!style.text) {
      const bool is_slice = event.kind == track_event_kind::span || event.kind == track_event_kind::instant;
      append_members(out, event.json(), style.names->text(static_cast<string_id>(event.name)), !is_slice);
      out += "},\n";
      p.counters += row.counter ? 1 : 0;
      p.flows += is_slice || row.counter ? 0 : 1;
      continue;
    }
    out += ',';
    if (row.counter) {
      out.append("\"name\":").append(row.what->name).append(",\"args\":{").append(values).append("}},\n");
      continue;
    }
    style.text->append_event_tail(out, *row.what, event.stats());
    out += ",\n";
    style.flows->for_each(event.stats(), [&](std::uint64_t id, flow_end end) {
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
