#include <formats/registry.hpp>
#include <formats/neutrino/neutrino_fill.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Its folders are recognised by what lies in them (neutrino_detect.hpp).
constexpr known_format describe_neutrino() {
  known_format f;
  f.family = file_family::neutrino;
  f.name = "neutrino";
  f.title = "neutrino";
  f.content = file_content::probe_records;
  f.fill_tracks = fill_from_neutrino;
  return f;
}

}  // namespace

extern const known_format neutrino_format = describe_neutrino();

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
