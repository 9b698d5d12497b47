// What the events of a Chrome trace mean, for readers that only classify: spans with their two ends brought together,
// moments, values and arrows, each on its track, with what is wrong with its times.
#pragma once
#include <profkit/core/chrome.hpp>

#include <base/string_table.hpp>
#include <formats/activity_input.hpp>
#include <formats/chrome/chrome_pairs.hpp>
#include <formats/chrome/chrome_tracks.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// begin: something began whose span comes with its end, or never. async: not nested in a thread.
enum class chrome_item_kind : std::uint8_t {
  complete,
  begin,
  pair,
  instant,
  async_begin,
  async_pair,
  async_instant,
  counter,
  flow,
  metadata,
  other
};

// The first that is wrong, in this order. out_of_reach: more than 106 days away, on the capture's clock; of a pair too
// when its ends are that far apart.
enum class chrome_defect : std::uint8_t {
  none,
  without_time,
  start_out_of_reach,
  without_begin,
  without_duration,
  negative_duration,
  end_out_of_reach
};

// Whether it has no place on the capture's clock.
[[nodiscard]] constexpr bool is_unplaced(chrome_defect defect) noexcept {
  return defect == chrome_defect::without_time || defect == chrome_defect::start_out_of_reach;
}

struct chrome_item {
  chrome_item_kind kind = chrome_item_kind::other;
  chrome_defect defect = chrome_defect::none;  // not checked for metadata and `other`
  std::uint32_t track = chrome_tracks::none;   // none of flows, metadata and `other`
  std::int64_t start_ps = 0;                   // on the capture's clock
  std::int64_t duration_ps = 0;                // as written; 0 where it is not known
  std::uint64_t ordinal = 0;                   // of the event that was read just now
  // Of a pair the whole of it: ordinal, time, name and category of the begin, the arguments of both (of one in both the
  // begin's stands last), the rest of the end.
  const chrome_event* event = nullptr;
};

// Begins without an end and ends without a begin, on threads and asynchronous.
struct unpaired_events {
  std::uint64_t begins = 0, open_begins = 0, ends = 0;  // open: nothing around them ended either
  std::vector<std::string> begin_names, end_names;      // of the first few, in file order
};

class chrome_sink {
 public:
  virtual ~chrome_sink() = default;
  // In file order; a pair comes with its end. What it points to lives until this returns. Return false to stop.
  virtual bool item(const chrome_item& found) = 0;
  virtual bool header(std::string_view /*key*/, std::string_view /*json*/) { return true; }
};

// Begins and ends are matched by name, on one thread or, asynchronous ones, of one process, category and id.
class chrome_decoder final : public chrome_visitor {
 public:
  // shift_ps is added to all times.
  chrome_decoder(std::int64_t shift_ps, chrome_tracks& tracks, chrome_sink& into)
      : shift_ps_(shift_ps), tracks_(tracks), into_(into) {}

  bool event(const chrome_event& e) override;
  bool header(std::string_view key, std::string_view json, std::uint64_t) override { return into_.header(key, json); }

  // Begins on threads that had no end so far, and the least ordinal of them.
  [[nodiscard]] std::uint64_t open_count() const noexcept { return begins_.count(); }
  [[nodiscard]] std::uint64_t first_open() const noexcept { return begins_.first(); }
  // So far.
  [[nodiscard]] unpaired_events unpaired() const;

 private:
  bool take_begin(const chrome_event& e, chrome_item found, open_begins& begins, std::uint32_t group);
  bool take_end(const chrome_event& e, chrome_item found, open_begins& begins, std::uint32_t group);
  std::uint32_t async_group_of(const chrome_event& e, std::uint32_t track);

  std::int64_t shift_ps_;
  chrome_tracks& tracks_;
  chrome_sink& into_;
  string_table names_, async_groups_;
  open_begins begins_, async_begins_;
  std::uint64_t ends_without_begin_ = 0;
  std::vector<std::string> end_names_;
  std::string key_, args_;
};

// Counts an event among the rejected, with what is wrong with its times; of a pair the place of its end.
void reject_item(activity_input& input, const chrome_item& item);

// Begins without an end and ends without a begin.
void note_unpaired(const unpaired_events& found, activity_input& input);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
