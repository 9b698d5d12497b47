// The events of a file, by its format.
#include <base/contained.hpp>
#include <formats/registry.hpp>

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<void> fill_tracks(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted) {
  return contained([&]() -> result<void> {
    if (file >= p.file_count())
      return fault{fault_code::invalid_argument,
                   "file " + std::to_string(file) + " of " + std::to_string(p.file_count()), "", no_offset, ""};
    const auto fill = format_of(p.what().files[file].family).fill_tracks;
    if (fill == nullptr) return {};
    tracks_wanted asked = wanted;
    if (asked.host == nullptr) asked.host = &p.what().host;
    return fill(p, file, into, asked);
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
