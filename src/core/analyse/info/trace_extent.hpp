// When the events of a trace begin and end, and whether all of them are there.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/profile.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct trace_extent {
  std::uint64_t events = 0, broken = 0;           // read; stretches of text that are not events
  std::optional<std::int64_t> first_ps, last_ps;  // by the file's own clock
  std::optional<fault> damage;                    // the first

  // XLA's exporter drops what follows the millionth.
  [[nodiscard]] bool is_cut_by_exporter() const noexcept { return events >= 999'000; }
};

// Of a trace-event JSON file. Faults: cancelled.
result<trace_extent> extent_of_trace(const profile& p, std::size_t file, const hooks& host);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
