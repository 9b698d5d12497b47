// Host spans from the events of a line: those that touch some windows and whose name is wanted.
#pragma once
#include <profkit/core/activity.hpp>
#include <formats/xspace/xspace_lines.hpp>
#include <formats/xspace/xspace_names.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A thread of a host.
struct thread_line {
  line_events line;
  std::uint32_t thread = 0;
  std::shared_ptr<const span_names> names;  // of its plane
};

// Hands spans to a visitor in batches.
class span_picker {
 public:
  // There is a window at least.
  span_picker(interval_sequence windows, host_span_visitor& into) : windows_(windows), into_(into) {}

  // Picks from the bytes [from, to) of the line. `kinds` gains the kinds of all spans between the first window and the
  // last. Where in the piece the first damaged event lies, or one that does not end where the piece ends.
  result<std::optional<std::uint64_t>> pick(const thread_line& on, std::uint64_t from, std::uint64_t to,
                                            std::uint32_t& kinds);
  // What is left; the last call.
  result<void> give();

 private:
  void look_at(const span_names& names);
  [[nodiscard]] bool wants(string_id name) { return wants_all_ || into_.wants(name); }

  const interval_sequence windows_;
  host_span_visitor& into_;
  std::array<host_span, 256> spans_;
  std::size_t count_ = 0;
  // Of the names looked at last.
  const span_names* names_ = nullptr;
  bool wants_any_ = false, wants_all_ = true;
  std::uint32_t possible_kinds_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
