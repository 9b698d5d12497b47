#include "heap_replay.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

trace_choice::trace_choice(const program& p) : program_(p), trace_of_allocation_(p.allocations.size(), -1) {
  for (std::size_t t = 0; t < p.traces.size(); ++t) {
    const auto events = p.traces[t].events();
    const auto first = events.begin();
    if (first.done()) continue;
    const std::uint32_t buffer = p.buffer_by_id.find((*first).buffer_id());
    if (buffer == nowhere || p.buffers[buffer].allocation == nowhere) continue;
    trace_of_allocation_[p.buffers[buffer].allocation] = static_cast<std::int64_t>(t);
  }
}

void trace_choice::count_events() {
  counted_ = true;
  for (std::size_t t = 0; t < program_.traces.size(); ++t) {
    hash_map<std::int64_t, std::uint64_t> here;
    std::vector<std::int64_t> colors;  // in the order of first sight: the maps have none
    for (const heap_event_view event : program_.traces[t].events()) {
      const std::uint32_t buffer = program_.buffer_by_id.find(event.buffer_id());
      if (buffer == nowhere || program_.buffers[buffer].allocation == nowhere) continue;
      if (++here[program_.buffers[buffer].color] == 1) colors.push_back(program_.buffers[buffer].color);
    }
    for (const std::int64_t color : colors) {
      auto& best = busiest_.try_emplace(color, 0, -1).first->second;
      if (here[color] > best.first) best = {here[color], static_cast<std::int64_t>(t)};
    }
  }
}

std::int64_t trace_choice::of(std::int64_t color, const std::vector<std::uint32_t>& allocations) {
  for (const std::uint32_t a : allocations)
    if (program_.allocations[a].is_temporary() && trace_of_allocation_[a] >= 0) return trace_of_allocation_[a];
  if (!counted_) count_events();
  const auto found = busiest_.find(color);
  return found == busiest_.end() ? -1 : found->second.second;
}

heap_replay::heap_replay(program& p, std::int64_t trace) : program_(p) {
  result_.touched.assign(p.allocations.size(), false);
  if (trace < 0) return;
  decode(trace);
  bool any = false;
  const bool fits = replay(
      [&](const replay_event& event, std::int64_t live) {
        if (live > result_.peak_bytes) {
          result_.peak_bytes = live;
          result_.peak_event = event.position;
        }
        if (!any || live < result_.min_bytes) result_.min_bytes = live;
        any = true;
      },
      [](std::uint32_t, std::int32_t) { return true; }, &p.problems);
  if (!fits) {
    result_.overflow = true;
    p.problems.note("hlo.size_overflow", [] {
      return std::string("live buffers add up to more than 2^63 - 1 bytes: the replay stopped there");
    });
  }
  name_peak(trace);
}

void heap_replay::decode(std::int64_t trace) {
  std::int32_t position = 0;
  auto it = program_.traces[static_cast<std::size_t>(trace)].events().begin();
  for (; !it.done() && position < std::numeric_limits<std::int32_t>::max(); ++it, ++position) {
    const heap_event_view event = *it;
    if (!event.ok()) program_.note_damage(event.damage(), "a heap event is damaged");
    ++result_.events;
    replay_event e;
    e.kind = event.kind();
    e.position = position;
    e.buffer = program_.buffer_by_id.find(event.buffer_id());
    if (e.buffer == nowhere || program_.buffers[e.buffer].allocation == nowhere ||
        e.kind > heap_event_kind::share_with || e.kind < heap_event_kind::alloc) {
      ++result_.ignored;
      program_.problems.note("hlo.event_of_unassigned_buffer", [&] {
        return "a heap event is about logical buffer " + std::to_string(event.buffer_id()) +
               ", which is in no allocation: the event counts nothing";
      });
      continue;
    }
    result_.touched[program_.buffers[e.buffer].allocation] = true;
    if (e.kind == heap_event_kind::share_with)
      e.shared_with = program_.buffer_by_id.find(event.share_with_canonical_id());
    events_.push_back(e);
  }
  if (it.done() && !it.ok()) program_.note_damage(it.position(), "a heap trace breaks off");
}

void heap_replay::name_peak(std::int64_t trace) {
  std::int64_t position = 0;
  const auto events = program_.traces[static_cast<std::size_t>(trace)].events();
  for (auto it = events.begin(); result_.peak_event >= 0 && !it.done(); ++it, ++position) {
    if (position != result_.peak_event) continue;
    const heap_event_view event = *it;
    result_.peak_instruction = event.instruction_name();
    result_.peak_computation = event.computation_name();
    return;
  }
}

std::vector<std::uint32_t> heap_replay::alive_at_peak() const {
  std::vector<std::uint32_t> alive;
  if (result_.peak_event < 0) return alive;
  share_chains chains(program_.buffers.size());
  std::vector<std::int32_t> users(program_.buffers.size(), 0);
  for (const replay_event& e : events_) {
    if (e.kind == heap_event_kind::alloc) {
      ++users[chains.root(e.buffer)];
    } else if (e.kind == heap_event_kind::free) {
      std::int32_t& n = users[chains.root(e.buffer)];
      if (n > 0) --n;
    } else if (e.shared_with != nowhere && chains.share(e.buffer, e.shared_with)) {
      ++users[chains.root(e.buffer)];
    }
    if (e.position == result_.peak_event) break;
  }
  for (std::uint32_t b = 0; b < users.size(); ++b)
    if (users[b] > 0) alive.push_back(b);
  return alive;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
