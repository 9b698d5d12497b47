#include <formats/xspace/span_picker.hpp>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Which events of a line touch any of the windows, at least one.
class touching_events {
 public:
  touching_events(interval_sequence windows, std::int64_t base_ps) noexcept
      : windows_(windows), base_ps_(base_ps), near_base_(base_ps > -far_ps && base_ps < far_ps) {
    move_to(windows.begin());
  }
  // Puts the places of those among the rows into `found`, which has room for all; gives how many they are.
  std::size_t find(const event_row* rows, std::size_t count, std::uint8_t* found) noexcept {
    std::size_t touching = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t start_ps = 0, end_ps = 0;
      if (!place(rows[i], start_ps, end_ps)) continue;
      if (start_ps >= end_ps_ || start_ps < before_ps_) {
        if (start_ps >= windows_.data[windows_.count - 1].end_ps) continue;
        seek(start_ps);
      }
      found[touching] = static_cast<std::uint8_t>(i);
      touching += start_ps_ < end_ps && end_ps > start_ps ? 1 : 0;
    }
    return touching;
  }
  // Between the beginning of the first window and the end of the last.
  [[nodiscard]] bool is_between(const event_row& row) const noexcept {
    std::int64_t start_ps = 0, end_ps = 0;
    return place(row, start_ps, end_ps) && end_ps > start_ps && start_ps < windows_.data[windows_.count - 1].end_ps &&
           end_ps > windows_.data[0].start_ps;
  }

 private:
  static constexpr std::int64_t far_ps = std::int64_t{1} << 61;

  bool place(const event_row& row, std::int64_t& start_ps, std::int64_t& end_ps) const noexcept {
    const auto lengths = static_cast<std::uint64_t>(row.offset_ps) | static_cast<std::uint64_t>(row.duration_ps);
    if (PROFKIT_LIKELY(near_base_ && lengths < static_cast<std::uint64_t>(far_ps) &&
                       (row.flags & event_has_occurrences) == 0)) {
      start_ps = base_ps_ + row.offset_ps;
      end_ps = start_ps + row.duration_ps;
      return true;
    }
    return (row.flags & event_has_occurrences) == 0 && row.duration_ps > 0 &&
           !__builtin_add_overflow(base_ps_, row.offset_ps, &start_ps) &&
           !__builtin_add_overflow(start_ps, row.duration_ps, &end_ps);
  }
  void seek(std::int64_t start_ps) noexcept {
    const interval* at = window_;
    if (start_ps < before_ps_)
      at = std::partition_point(windows_.begin(), windows_.end(),
                                [&](const interval& w) { return w.end_ps <= start_ps; });
    while (at->end_ps <= start_ps) ++at;
    move_to(at);
  }
  void move_to(const interval* at) noexcept {
    window_ = at;
    start_ps_ = at->start_ps;
    end_ps_ = at->end_ps;
    before_ps_ = at == windows_.begin() ? std::numeric_limits<std::int64_t>::min() : at[-1].end_ps;
  }

  const interval_sequence windows_;
  const std::int64_t base_ps_;
  const bool near_base_;              // no usual event overflows
  const interval* window_ = nullptr;  // the first that ends after the start of the event looked at last
  std::int64_t start_ps_ = 0, end_ps_ = 0;
  std::int64_t before_ps_ = 0;  // where the window before it ends
};

}  // namespace

// The visitor is asked once for each name.
void span_picker::look_at(const span_names& names) {
  names_ = &names;
  wants_any_ = false;
  wants_all_ = true;
  possible_kinds_ = 0;
  names.for_each([&](const span_name& n) {
    const bool wanted = into_.wants(n.name);
    wants_any_ = wants_any_ || wanted;
    wants_all_ = wants_all_ && wanted;
    possible_kinds_ |= 1U << static_cast<unsigned>(n.kind);
  });
}

result<void> span_picker::give() {
  const std::size_t given = std::exchange(count_, 0);
  return given == 0 ? result<void>() : into_.spans(spans_.data(), given);
}

result<std::optional<std::uint64_t>> span_picker::pick(const thread_line& on, std::uint64_t from, std::uint64_t to,
                                                       std::uint32_t& kinds) {
  if (names_ != on.names.get()) look_at(*on.names);
  if (!wants_any_) return std::optional<std::uint64_t>();
  touching_events touching(windows_, on.line.base_ps);
  const char* event_at = on.line.body.data() + from;
  event_scanner scan(std::string_view(event_at, static_cast<std::size_t>(to - from)));
  std::array<event_row, 128> rows;
  std::array<std::uint8_t, 128> found;
  while (const std::size_t count = scan.next(rows.data(), rows.size())) {
    if ((possible_kinds_ & ~kinds) != 0)
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t kind = 1U << static_cast<unsigned>(on.names->find(rows[i].metadata_id).kind);
        if ((kind & ~kinds) != 0 && touching.is_between(rows[i])) kinds |= kind;
      }
    const std::size_t spans = touching.find(rows.data(), count, found.data());
    for (std::size_t at = 0; at < spans; ++at) {
      const std::size_t i = found[at];
      const event_row& row = rows[i];
      const span_name& named = on.names->find(row.metadata_id);
      if (!wants(named.name)) continue;
      const char* const began = i == 0 ? event_at : rows[i - 1].stats + rows[i - 1].stats_bytes;
      host_span& s = spans_[count_++];
      s.start_ps = on.line.base_ps + row.offset_ps;
      s.duration_ps = row.duration_ps;
      s.source_row = on.line.offset + static_cast<std::uint64_t>(began - on.line.body.data());
      s.name = named.name;
      s.thread = on.thread;
      s.kind = named.kind;
      if (count_ < spans_.size()) continue;
      if (result<void> given = give(); !given) return std::move(given).error();
    }
    event_at = rows[count - 1].stats + rows[count - 1].stats_bytes;
  }
  return scan.ok() ? std::nullopt : std::optional<std::uint64_t>(scan.offset());
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
