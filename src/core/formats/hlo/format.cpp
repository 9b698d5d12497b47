#include <formats/registry.hpp>
#include <formats/probe_wire.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr name_rule hlo_file_names[] = {
    {"*.hlo_proto.pb", "", ".hlo_proto.pb"},
    {"*.hlo.pb", "", ".hlo.pb"},
};

std::string why_no_hlo(std::string_view head) {
  return why_no_message(head, 3, "a module with a name, an entry and computations");
}

constexpr known_format describe_hlo() {
  known_format f;
  f.family = file_family::hlo_proto;
  f.name = "hlo_proto";
  f.title = "HLO module";
  f.content = file_content::module;
  f.names = hlo_file_names;
  f.probe = probe_hlo_proto;
  f.why_not = why_no_hlo;
  f.yields_to_contents = true;
  return f;
}

}  // namespace

extern const known_format hlo_format = describe_hlo();

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
