#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

void write_kinds(json_writer& out, std::uint8_t kinds) {
  out.begin_tuple();
  for (unsigned kind = 0; kind < 8; ++kind)
    if ((kinds >> kind & 1u) != 0) out.value(stat_kind_name(static_cast<stat_kind>(kind)));
  out.end_array();
}

document_status write_framework(json_writer& out, const profile& p, const framework_result& found, events_checked checked) {
  const verdict v = judge(p, found.absent, found.damage);
  begin_document(out, document::framework);
  write_verdict(out, v);
  fields_of_framework(out, found);
  write_files(out, p);
  write_damage(out, found.damage, checked);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
