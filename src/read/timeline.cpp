#include <profkit/core/timeline.hpp>

#include "base/contained.hpp"
#include "base/string_table.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct timeline::state {
  string_table strings;
  std::vector<track> tracks;
  std::vector<std::vector<timeline_event>> events;  // by track
  std::uint64_t event_count = 0;
};

timeline::timeline() : state_(std::make_unique<state>()) {}
timeline::~timeline() = default;
timeline::timeline(timeline&&) noexcept = default;
timeline& timeline::operator=(timeline&&) noexcept = default;

string_id timeline::intern(std::string_view text) { return state_->strings.intern(text); }

track_id timeline::add_track(const track& t) {
  state_->tracks.push_back(t);
  state_->events.emplace_back();
  return static_cast<track_id>(state_->tracks.size() - 1);
}

result<void> timeline::add_events(track_id on, const timeline_event* events, std::size_t count) {
  return contained([&]() -> result<void> {
    if (on >= state_->events.size()) {
      return fault{fault_code::invalid_argument, "events for track " + std::to_string(on) + ", which was not added", "",
                   no_offset, ""};
    }
    state_->events[on].insert(state_->events[on].end(), events, events + count);
    state_->event_count += count;
    return {};
  });
}

std::string_view timeline::text(string_id id) const noexcept { return state_->strings.text(id); }
const std::vector<track>& timeline::tracks() const noexcept { return state_->tracks; }
const std::vector<timeline_event>& timeline::events(track_id on) const noexcept { return state_->events[on]; }
std::uint64_t timeline::event_count() const noexcept { return state_->event_count; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
