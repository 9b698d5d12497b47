// Where events lie, in the order of time: some bytes an event, from which the events are read again.
#pragma once
#include "packed_numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

// The order of events: by time, then by line, then as they lie there.
struct event_moment {
  std::int64_t time = 0;
  std::uint32_t line = 0;
  std::uint64_t offset = 0;  // in the line
  friend bool operator<(const event_moment& a, const event_moment& b) noexcept {
    return std::tie(a.time, a.line, a.offset) < std::tie(b.time, b.line, b.offset);
  }
};

// Events come line by line, as they lie there, and are kept as runs in the order of time, which are to be merged: a
// line in order is one run, and so is one where no event stands more than some thousands after its place.
class event_places {
 public:
  struct run {
    std::uint32_t line = 0;
    std::uint64_t at = 0, events = 0;  // what take() goes on from, and how often
  };
  void add(const event_moment& when, std::uint32_t allocator);
  void finish();  // after the last
  [[nodiscard]] const std::vector<run>& runs() const noexcept { return runs_; }

  // Walks a run: the offset and the allocator of one event become those of the next; both begin with 0.
  void take(std::uint64_t& at, std::uint64_t& offset, std::uint32_t& allocator) const noexcept {
    const std::uint64_t step = packed_.take(at);
    offset = (step & backwards) != 0 ? offset - (step >> flag_bits) : offset + (step >> flag_bits);
    if ((step & other_allocator) != 0) allocator = static_cast<std::uint32_t>(packed_.take(at));
  }

 private:
  static constexpr std::uint64_t other_allocator = 1, backwards = 2;
  static constexpr unsigned flag_bits = 2;
  static constexpr std::size_t max_held = std::size_t{1} << 15;
  struct held_event {
    std::int64_t time;
    std::uint64_t offset;
    std::uint32_t allocator;
    friend bool operator<(const held_event& a, const held_event& b) noexcept {
      return std::tie(a.time, a.offset) < std::tie(b.time, b.offset);
    }
  };
  void write(std::size_t count);

  std::vector<held_event> held_;  // of one line, not yet written
  std::uint32_t line_ = 0;
  bool in_order_ = true;  // held_
  held_event last_{};     // of the last run
  std::vector<run> runs_;
  packed_numbers packed_;
};

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
