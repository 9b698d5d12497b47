#include <diff/export/diff_parts.hpp>

#include <base/contained.hpp>
#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

document_status write_diff(json_writer& out, const diff_report& found) {
  begin_document(out, "diff");
  std::vector<file_damage> damage;
  std::uint32_t side = 0;
  for (const run_snapshot* const of : {&found.before, &found.after}) {
    if (!of->damage.empty()) damage.push_back({side, of->damage.front().what});
    ++side;
  }
  verdict v;
  if (!found.found.absent.empty()) v = {document_status::absent, found.found.absent, nullptr};
  if (!damage.empty()) v = {document_status::partial, damage.front().what.message, nullptr};
  write_verdict(out, v);
  fields_of_diff(out, found);
  write_damage(out, damage, events_checked::all);
  end_document(out);
  return v.status;
}

}  // namespace

op_shown shown(const op_delta& row, const diff_report& in) {
  const run_op& of = in.op_of(row);
  op_shown made{row, {}, {}, of.framework_op, of.module, of.kind};
  for (const std::uint32_t i : row.before) made.before.push_back(shown_name(in.before.ops[i]));
  for (const std::uint32_t i : row.after) made.after.push_back(shown_name(in.after.ops[i]));
  return made;
}

device_shown shown(const device_delta& row, const diff_report& in) {
  const run_device& of = in.device_of(row);
  return {row, of.name, of.rank};
}

}  // namespace json

result<document_status> write_diff_document(const diff_report& found, sink& into, std::uint64_t limit) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    out.bound(json::bounds_of(limit, default_document_limit));
    const document_status status = json::write_diff(out, found);
    if (result<void> done = out.finish(); !done) return std::move(done).error();
    return status;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
