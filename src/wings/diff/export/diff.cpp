#include <diff/export/diff_parts.hpp>

#include <base/contained.hpp>
#include <export/json/document.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

std::vector<std::int64_t> steps_of(const run_snapshot& side) {
  std::vector<std::int64_t> all;
  for (const run_device& d : side.devices) all.insert(all.end(), d.step_ps.begin(), d.step_ps.end());
  std::sort(all.begin(), all.end());
  return all;
}

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
  fields_of_diff(out, found, {found.before, found.after});
  write_damage(out, damage, events_checked::all);
  end_document(out);
  return v.status;
}

}  // namespace

std::optional<std::int64_t> shortest_of(const run_snapshot& side, const diff_sight&) {
  const std::vector<std::int64_t> all = steps_of(side);
  return all.empty() ? std::nullopt : std::optional(all.front());
}
std::optional<std::int64_t> longest_of(const run_snapshot& side, const diff_sight&) {
  const std::vector<std::int64_t> all = steps_of(side);
  return all.empty() ? std::nullopt : std::optional(all.back());
}

op_shown shown(const op_delta& row, const diff_report&, const diff_sight& with) {
  const run_op& of = row.after.empty() ? with.before.ops[row.before.front()] : with.after.ops[row.after.front()];
  op_shown made{row, {}, {}, of.framework_op, of.module, of.kind};
  for (const std::uint32_t i : row.before) made.before.push_back(shown_name(with.before.ops[i]));
  for (const std::uint32_t i : row.after) made.after.push_back(shown_name(with.after.ops[i]));
  return made;
}

device_shown shown(const device_delta& row, const diff_report&, const diff_sight& with) {
  const run_device& of = row.after >= 0 ? with.after.devices[static_cast<std::size_t>(row.after)]
                                        : with.before.devices[static_cast<std::size_t>(row.before)];
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
