#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

document_status write_steps(json_writer& out, const profile& p, const steps_result& found, events_checked checked) {
  const verdict v = judge(p, found.absent, found.damage);
  begin_document(out, document::steps);
  write_verdict(out, v);
  fields_of_steps(out, found);
  write_files(out, p);
  write_damage(out, found.damage, checked);
  end_document(out);
  return v.status;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
