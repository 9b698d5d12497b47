#include <profkit/core/op_groups.hpp>

#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

void write_rates_by_type(json_writer& out, const peak_group& of) {
  out.begin_object();
  for (std::size_t t = 0; t < number_types; ++t)
    if (const auto rate = known_peak(of.peaks.flops_by_type[t])) write_optional(out, number_type_name(static_cast<number_type>(t)), rate);
  out.end_object();
}

result<document_status> write_op_groups(json_writer& out, const trace& t, const std::vector<group_key>& keys, const query_filters& o,
                                        const hooks& host) {
  const result<op_groups> found = analyse_op_groups(t, keys, o, host);
  if (!found) return found.error();
  return write_framed(out, document::op_groups, t.files(), o, found->absent, found->damage, [&] { fields_of_op_groups(out, *found); });
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
