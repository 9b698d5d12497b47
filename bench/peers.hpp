// The same sums with other readers, to compare with.
#pragma once
#include <cstdint>
#include <string_view>

namespace profkit::bench {

// Of all events (and, where asked, their stats) of a capture, modulo 2^64: every reader must find the same.
struct event_sums {
  std::uint64_t events = 0, metadata_ids = 0, offsets = 0, durations = 0;
  std::uint64_t stats = 0, stat_ids = 0, stat_values = 0, stat_bytes = 0;
  friend bool operator==(const event_sums& a, const event_sums& b) noexcept {
    return a.events == b.events && a.metadata_ids == b.metadata_ids && a.offsets == b.offsets &&
           a.durations == b.durations && a.stats == b.stats && a.stat_ids == b.stat_ids &&
           a.stat_values == b.stat_values && a.stat_bytes == b.stat_bytes;
  }
};

// Generated protobuf classes on an arena: parse, iterate, free.
event_sums sum_with_protobuf(std::string_view capture, bool with_stats);
// A reader written by hand over protozero.
event_sums sum_with_protozero(std::string_view capture, bool with_stats);

}  // namespace profkit::bench
