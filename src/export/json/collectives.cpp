#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

std::optional<double> rate_of(const recorded_link& link) noexcept {
  return link.transit_ps > 0 ? std::optional(bytes_per_s(link.bytes, link.transit_ps)) : std::nullopt;
}

document_status write_collectives(json_writer& out, const profile& p, const collectives_result& found,
                                  events_checked checked) {
  const verdict v = judge(p, found.absent, found.damage);
  begin_document(out, document::collectives);
  write_verdict(out, v);
  fields_of_collectives(out, found);
  write_files(out, p);
  write_damage(out, found.damage, checked);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
