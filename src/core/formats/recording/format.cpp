#include <formats/registry.hpp>
#include <formats/recording/recording_fill.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Its files are recognised by the formats that the host hands in (core/format.hpp).
constexpr known_format describe_recording() {
  known_format f;
  f.family = file_family::own;
  f.name = "own";
  f.title = "own";
  f.content = file_content::recording;
  f.makes_a_run = true;
  f.fill_tracks = fill_from_recording;
  f.fill_activity = fill_activity_from_recordings;
  return f;
}

}  // namespace

extern const known_format recording_format = describe_recording();

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
