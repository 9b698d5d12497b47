#include <formats/registry.hpp>
#include <formats/probe_wire.hpp>
#include <formats/xspace/xspace_fill.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr name_rule xspace_file_names[] = {
    {"*.xplane.pb", "", ".xplane.pb", detection_confidence::certain, host_rule::stem},
};

std::string why_no_xspace(std::string_view head) { return why_no_message(head, 4, "planes with lines, names and stats"); }

constexpr known_format describe_xspace() {
  known_format f;
  f.family = file_family::xspace;
  f.name = "xspace";
  f.title = "XSpace";
  f.content = file_content::planes;
  f.names = xspace_file_names;
  f.probe = probe_xspace;
  f.why_not = why_no_xspace;
  f.yields_to_contents = true;
  f.makes_a_run = true;
  f.fill_activity = fill_activity_from_xspace;
  return f;
}

}  // namespace

extern const known_format xspace_format = describe_xspace();

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
