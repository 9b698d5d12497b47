#include <export/json/document.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

document_status write_steps(json_writer& out, const profile& p, const steps_result& found, events_checked checked) {
  const verdict v = judge(p, found.absent, found.damage);
  begin_document(out, document::steps);
  write_verdict(out, v);
  const auto step = [&](const step_row& row) {
    out.field("file", row.file);
    out.field("plane", row.plane);
    out.field("line", row.line);
    out.field("source", step_source_name(row.source));
    out.field("name", row.name);
    write_optional_id(out, "step_num", row.step_num);
    out.field("index", row.index);
    out.field("start_ps", row.start_ps);
    out.field("duration_ps", row.duration_ps);
  };
  write_objects(out, "steps", found.steps, step, 0,
                found.matched - std::min<std::uint64_t>(found.matched, found.steps.size()));
  out.field("matched", found.matched);
  write_files(out, p);
  write_damage(out, found.damage, checked);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
