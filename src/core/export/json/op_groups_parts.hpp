// What the fields of the document `op_groups` are found with.
#pragma once
#include <profkit/core/op_groups.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
class json_writer;
namespace json {

void write_rates_by_type(json_writer& out, const peak_group& of);

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
