// The stats of events, found by their names.
#pragma once
#include <profkit/core/event_row.hpp>

#include <base/id_table.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Whether this map entry is the one that counts for its key.
[[nodiscard]] bool counts_in(const metadata_lookup& index, std::int64_t key, std::string_view entry) noexcept;

// Keys of all entries with this name that count (the last of equal keys). Names are not unique.
[[nodiscard]] std::vector<std::int64_t> stat_ids(const plane_index& plane, std::string_view name);

// Up to where stats may be read: the end of their file.
[[nodiscard]] inline const char* end_of(std::string_view bytes) noexcept { return bytes.data() + bytes.size(); }

// The stats of a scanned event.
[[nodiscard]] inline message_range<stat_view, 4> stats_of(const event_row& event) noexcept {
  return message_range<stat_view, 4>(event.stats_bytes == 0 ? std::string_view()
                                                            : std::string_view(event.stats, event.stats_bytes));
}

// The last stat with this metadata id, as protobuf readers that build a dictionary see it.
template <class Range>
[[nodiscard]] std::optional<stat_view> find_stat(const Range& stats, std::int64_t metadata_id) noexcept {
  std::optional<stat_view> found;
  for (const stat_view stat : stats)
    if (stat.metadata_id() == metadata_id) found = stat;
  return found;
}

// The last stat of an event whose id is among `ids`. `readable_end`: bytes up to there may be read (never used), which
// makes it faster.
[[nodiscard]] std::optional<stat_view> find_stat(const event_row& event, const std::vector<std::int64_t>& ids,
                                                 const char* readable_end = nullptr) noexcept;

// Looks for a few stats of events by name, in one walk over the stats of an event. Of several with one name the last
// counts, as in find_stat().
class stat_finder {
 public:
  static constexpr std::size_t max_names = 4;
  struct found_stats {
    std::array<std::string_view, max_names> messages = {};  // in the order of the names; empty: none
    const char* readable_end = nullptr;
    [[nodiscard]] stat_view operator[](std::size_t name) const noexcept {
      return messages[name].empty() ? stat_view() : stat_view(messages[name], readable_end);
    }
  };

  stat_finder() = default;  // finds nothing
  stat_finder(const plane_index& plane, const std::string_view (&names)[max_names]);
  // Whether the plane has a stat of that name, by its position among the names.
  [[nodiscard]] bool knows(std::size_t name) const noexcept { return known_[name]; }
  // `readable_end`: bytes up to there may be read.
  [[nodiscard]] found_stats find(const event_row& event, const char* readable_end) const noexcept;

 private:
  id_table<std::uint8_t> names_;  // by id; 0: none of them, else the position + 1
  std::array<bool, max_names> known_ = {};
};

// The number in a stat of an integer kind, as a signed or unsigned count; nothing for other kinds.
[[nodiscard]] std::optional<std::int64_t> integer_value(const stat_view& stat) noexcept;

// The text of a str or bytes value, or the name a ref value refers to; empty for other kinds.
[[nodiscard]] std::string_view text_value(const plane_index& plane, const stat_view& stat) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
