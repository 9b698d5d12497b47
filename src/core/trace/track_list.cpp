#include <profkit/core/track.hpp>

#include "base/arena.hpp"
#include "base/contained.hpp"
#include "base/string_table.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct track_list::state {
  string_table strings;
  arena texts;
  std::vector<track> tracks;
  std::vector<std::vector<track_event>> events;  // by track
  std::uint64_t event_count = 0;
};

track_list::track_list() : state_(std::make_unique<state>()) {}
track_list::~track_list() = default;
track_list::track_list(track_list&&) noexcept = default;
track_list& track_list::operator=(track_list&&) noexcept = default;

string_id track_list::intern(std::string_view text) { return state_->strings.intern(text); }

track_id track_list::add_track(const track& t) {
  state_->tracks.push_back(t);
  state_->events.emplace_back();
  return static_cast<track_id>(state_->tracks.size() - 1);
}

result<void> track_list::add_events(track_id on, const track_event* events, std::size_t count) {
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

void track_list::settle(track_id of, const track& t) { state_->tracks[of] = t; }

std::string_view track_list::keep(std::string_view text) { return state_->texts.copy(text); }

std::string_view track_list::text(string_id id) const noexcept { return state_->strings.text(id); }
const std::vector<track>& track_list::tracks() const noexcept { return state_->tracks; }
const std::vector<track_event>& track_list::events(track_id on) const noexcept { return state_->events[on]; }
std::uint64_t track_list::event_count() const noexcept { return state_->event_count; }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
