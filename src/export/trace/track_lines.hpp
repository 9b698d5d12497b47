// The lines of a file that reaches exporters as tracks alone, a format of the host's own: filtered, in the order of
// time.
#pragma once
#include <profkit/core/recording.hpp>
#include <profkit/core/track.hpp>

#include "parts.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class track_lines {
 public:
  struct line {
    std::string_view process, title;
    std::string id;                      // the stream or the position, as written
    std::vector<track_event> events;  // by (start, longer first); at least one, unless it is a counter
    std::vector<recorded_value> values;  // of a counter, by time; at least one
    std::string_view unit;               // of those
  };

  // Reads the file under the filters of the job. Its damage is known to the job already. Faults: cancelled, limit.
  static result<track_lines> read(const trace_job& job, std::size_t file);

  [[nodiscard]] const std::vector<line>& all() const noexcept { return lines_; }
  [[nodiscard]] std::string_view text(string_id id) const noexcept { return texts_.text(id); }

 private:
  track_list texts_;  // all of it
  std::vector<line> lines_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
