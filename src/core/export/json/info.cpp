#include <export/json/document.hpp>
#include <export/json/info_parts.hpp>
#include <profkit/core/probe.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

std::optional<std::int64_t> origin_of(const info_result&, const profile& p) noexcept { return p.origin_unix_ns(); }

std::optional<not_read_files> not_read_of(const info_result&, const profile& p) {
  const capture& what = p.what();
  if (what.ignored_count == 0) return std::nullopt;
  return not_read_files{what.ignored_count, what.ignored_count - what.ignored.size(), what.ignored};
}

std::optional<probe_totals> probes_of(const file_info& file, const profile& p) {
  const probe_trace* const trace = p.neutrino(file.file);
  return trace == nullptr ? std::nullopt : std::optional(totals_of(*trace));
}

namespace {

std::vector<file_damage> damage_of_files(const info_result& info) {
  std::vector<file_damage> damage;
  for (const file_info& file : info.files)
    if (file.damage) damage.push_back({file.file, *file.damage});
  return damage;
}

std::string absence_of(const profile& p, const info_result& info) {
  if (p.file_count() == 0) return "no profile file in " + p.what().path;
  return info.absent;
}

}  // namespace

document_status write_info(json_writer& out, const profile& p, const info_result& info) {
  const std::vector<file_damage> damage = damage_of_files(info);
  const verdict v = judge(p, absence_of(p, info), damage);
  begin_document(out, document::info);
  write_verdict(out, v);
  fields_of_info(out, info, p);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
