#include <formats/registry.hpp>
#include <formats/protobuf/probe_wire.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr name_rule hlo_file_names[] = {
    {"*.hlo_proto.pb", "", ".hlo_proto.pb"},
    {"*.hlo.pb", "", ".hlo.pb"},
};
constexpr name_rule op_stats_file_names[] = {
    {"*.op_stats_v2.pb", "", ".op_stats_v2.pb"},
};

std::string why_no_hlo(std::string_view head) {
  return why_no_message(head, 3, "a module with a name, an entry and computations");
}

constexpr known_format describe_hlo() {
  known_format f;
  f.family = file_family::hlo_proto;
  f.name = "hlo_proto";
  f.names = hlo_file_names;
  f.probe = probe_hlo_proto;
  f.why_not = why_no_hlo;
  f.yields_to_contents = true;
  return f;
}

constexpr known_format describe_op_stats() {
  known_format f;
  f.family = file_family::op_stats;
  f.name = "op_stats";
  f.names = op_stats_file_names;
  return f;
}

}  // namespace

extern const known_format hlo_format = describe_hlo();
extern const known_format op_stats_format = describe_op_stats();

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
