// The compiler's heap simulation replayed, as XProf's memory viewer replays it.
#pragma once
#include "program.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// One event, with ids turned into positions.
struct replay_event {
  std::uint32_t buffer = nowhere;
  std::uint32_t shared_with = nowhere;
  std::int32_t position = 0;  // among all events of the trace
  heap_event_kind kind = heap_event_kind::alloc;
};

// Which trace belongs to a memory space; -1: none. Follows the buffers in the trace, because
// buffer_allocation_index is unreliable.
class trace_choice {
 public:
  explicit trace_choice(const program& p);
  // `allocations` are those of the space, in the order of the file.
  [[nodiscard]] std::int64_t of(std::int64_t color, const std::vector<std::uint32_t>& allocations);

 private:
  const program& program_;
  std::vector<std::int64_t> trace_of_allocation_;  // -1: none
  bool counted_ = false;
  hash_map<std::int64_t, std::pair<std::uint64_t, std::int64_t>> busiest_;  // color -> events, trace
  void count_events();
};

struct replay_result {
  std::int64_t peak_bytes = 0;
  std::int64_t peak_event = -1;
  std::int64_t min_bytes = 0;  // of the curve over all events, 0 without events
  std::uint64_t events = 0, ignored = 0;
  std::string_view peak_instruction, peak_computation;
  bool overflow = false;      // the sum left int64: the replay stopped there
  std::vector<bool> touched;  // by allocation: has a buffer in the trace
};

class heap_replay {
 public:
  // Decodes the events of one trace. Events of buffers that are not assigned are counted and left out.
  heap_replay(program& p, std::int64_t trace);
  [[nodiscard]] const replay_result& result() const noexcept { return result_; }
  // The buffers that hold memory at the peak, each once; a buffer that shares counts as the one it shares with.
  [[nodiscard]] std::vector<std::uint32_t> alive_at_peak() const;
  // Live bytes after every event, in order.
  template <class Take>
  void visit_curve(Take&& take) const {
    replay(
        [&](const replay_event& event, std::int64_t live) { take(static_cast<std::int64_t>(event.position), live); });
  }

  // The replay itself: calls step(event, live bytes) after each event; gives false from `keep` to leave a buffer out.
  template <class Step, class Keep>
  bool replay(Step&& step, Keep&& keep, problem_list* problems = nullptr) const;
  template <class Step>
  bool replay(Step&& step) const {
    return replay(std::forward<Step>(step), [](std::uint32_t, std::int32_t) { return true; });
  }

  [[nodiscard]] const std::vector<replay_event>& events() const noexcept { return events_; }

 private:
  void decode(std::int64_t trace);
  void name_peak(std::int64_t trace);

  program& program_;
  std::vector<replay_event> events_;
  replay_result result_;
};

// Which buffer's memory each buffer uses, by the SHARE_WITH events so far.
class share_chains {
 public:
  explicit share_chains(std::size_t buffers) : parent_(buffers, nowhere) {}
  std::uint32_t root(std::uint32_t buffer) noexcept {
    while (parent_[buffer] != nowhere) {
      const std::uint32_t up = parent_[buffer];
      if (parent_[up] != nowhere) parent_[buffer] = parent_[up];  // halves the path for the next visit
      buffer = up;
    }
    return buffer;
  }
  // False for a circle, which is not made.
  bool share(std::uint32_t buffer, std::uint32_t with) noexcept {
    const std::uint32_t top = root(with);
    if (top == buffer) return false;
    parent_[buffer] = top;
    return true;
  }
  [[nodiscard]] bool shares(std::uint32_t buffer) const noexcept { return parent_[buffer] != nowhere; }

 private:
  std::vector<std::uint32_t> parent_;
};

template <class Step, class Keep>
bool heap_replay::replay(Step&& step, Keep&& keep, problem_list* problems) const {
  const std::vector<logical_buffer>& buffers = program_.buffers;
  share_chains chains(buffers.size());
  std::vector<std::int32_t> users(buffers.size(), 0);
  std::int64_t live = 0;
  const auto name = [&](std::uint32_t b) { return "logical buffer " + std::to_string(buffers[b].id); };
  const auto report = [&](const char* id, auto&& what) {
    if (problems != nullptr) problems->note(id, what);
  };
  const auto add = [&](std::uint32_t b, std::int32_t position) {
    if (!keep(b, position)) return true;
    if (live > std::numeric_limits<std::int64_t>::max() - buffers[b].size_bytes) return false;
    live += buffers[b].size_bytes;
    return true;
  };
  for (const replay_event& e : events_) {
    switch (e.kind) {
      case heap_event_kind::alloc: {
        const std::uint32_t root = chains.root(e.buffer);
        if (++users[root] > 1)
          report("hlo.allocated_twice",
               [&] { return name(e.buffer) + " is allocated while it is alive: it counts once"; });
        else if (!add(root, e.position))
          return false;
        break;
      }
      case heap_event_kind::free: {
        const std::uint32_t root = chains.root(e.buffer);
        if (users[root] == 0) {
          report("hlo.free_without_alloc", [&] {
            return "the heap trace frees " + name(e.buffer) + ", which holds no memory: the event counts nothing";
          });
          break;
        }
        if (--users[root] == 0 && keep(root, e.position)) live -= buffers[root].size_bytes;
        break;
      }
      case heap_event_kind::share_with: {
        if (e.shared_with == nowhere || !chains.share(e.buffer, e.shared_with)) {
          report(e.shared_with == nowhere ? "hlo.unknown_buffer" : "hlo.share_with_cycle", [&] {
            return e.shared_with == nowhere
                       ? name(e.buffer) + " shares with a buffer that does not exist: the event counts nothing"
                       : name(e.buffer) + " shares with a buffer that shares with it: the event counts nothing";
          });
          break;
        }
        const std::uint32_t root = chains.root(e.buffer);
        if (++users[root] == 1 && !add(root, e.position)) return false;
        break;
      }
    }
    step(e, live);
  }
  return true;
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
