// The tracks of a whole capture.
#pragma once
#include <profkit/core/profile.hpp>
#include <profkit/core/track.hpp>

#include <utility>

namespace profkit_tests {

// Of every file that is no export of another. A fault: the first damage, after all that is intact.
inline profkit::result<void> fill_all(const profkit::profile& p, profkit::track_sink& into) {
  profkit::result<void> all;
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    if (p.what().files[file].export_of >= 0) continue;
    if (profkit::result<void> filled = profkit::fill_tracks(p, file, into); !filled && all) all = std::move(filled);
  }
  return all;
}

}  // namespace profkit_tests
