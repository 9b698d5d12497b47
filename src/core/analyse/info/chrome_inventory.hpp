// Counts of the processes and threads of Chrome JSON files that are not exports of an XSpace.
#pragma once
#include <profkit/core/activity.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/info.hpp>

#include <base/hash_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Totals a line: those that an activity counted, or of what fill_tracks() streams.
class chrome_inventory final : public track_sink {
 public:
  chrome_inventory(const profile& p, const query_filters& o);

  // Lines of traces, as they were counted without filters of events.
  void add_counted(const activity& of);

  string_id intern(std::string_view text) override;
  track_id add_track(const track& t) override;
  result<void> add_events(track_id on, const track_event* events, std::size_t count) override;
  void settle(track_id of, const track& t) override { tracks_[of].where = t; }

  // Processes of a file in the order they were met, as planes; their threads as lines.
  [[nodiscard]] std::vector<plane_info> planes_of(std::uint32_t file) const;
  // What the names in planes_of() refer to.
  [[nodiscard]] std::shared_ptr<const void> take_texts();

 private:
  struct thread_totals {
    track where;
    std::uint64_t events = 0;
    std::int64_t duration_sum_ps = 0;
    std::optional<std::int64_t> first_ps, last_ps;
  };
  [[nodiscard]] bool line_fits(const track& t) const;
  [[nodiscard]] bool name_fits(string_id name) const;

  const profile& profile_;
  const query_filters& options_;
  std::shared_ptr<std::deque<std::string>> texts_ = std::make_shared<std::deque<std::string>>();
  hash_map<std::string_view, string_id> ids_;
  std::vector<thread_totals> tracks_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
