// Chrome trace-event JSON, streamed: trace.json of XLA and Perfetto exports, Kineto, Ascend. The one JSON
// reader of the library: its users distinguish the dialects, by the header and the events.
//
// Source of the format: "Trace Event Format" of the Chromium project. `ts` and `dur` are microseconds, as
// numbers or as decimal strings; displayTimeUnit only says what viewers show. A file whose first time is 1e17 or
// more has Unix times in nanoseconds, as some writers do: as microseconds it would lie after the year 5138.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// A pid or a tid as written. 7 and "7" are different.
struct chrome_ref {
  std::string_view text;  ///< "" when the event has none
  bool is_string = false;
};

/// One member of a JSON object as it is written: escapes not undone, strings with their quotes.
struct json_member_text {
  std::string_view key;    ///< without quotes; "" of an element of an array
  std::string_view value;
};

/// The members of an object in file order, when they are known: `first` is null when they are not.
struct json_member_list {
  const json_member_text* first = nullptr;
  std::size_t count = 0;
  [[nodiscard]] const json_member_text* begin() const noexcept { return first; }
  [[nodiscard]] const json_member_text* end() const noexcept { return first + count; }
};

/// One trace event. All spans live until the visitor returns. Strings have their escapes undone; bytes that
/// are not UTF-8 and raw control characters are kept. Of a key written twice the last counts.
struct chrome_event {
  std::uint64_t ordinal = 0;      ///< number of events delivered before this one
  std::uint64_t byte_offset = 0;  ///< of its '{' in the decoded bytes
  char phase = 0;                 ///< "ph" when it is one character; 0 when absent or longer
  bool has_time = false;          ///< "ts" is there, usable or not
  std::string_view name, cat, id;
  chrome_ref pid, tid;
  /// Exact: decimal text to ps, digits past the sixth rounded half away from zero. ts_ps is relative to
  /// chrome_summary::zero_us; it is empty in M events, when absent, when it is not a number and when it lies
  /// 106 days or more from there, as does its end.
  std::optional<std::int64_t> ts_ps, dur_ps;
  std::string_view args_json;  ///< raw text of "args", "" when absent; json_members reads it
  json_member_list args;       ///< the members of args_json, when they are known already
  std::string_view json;       ///< raw text of the whole event
};

/// What a file was like. Offsets are in decoded bytes.
struct chrome_summary {
  bool bare_array = false;               ///< the file is an array of events; else an object around "traceEvents"
  bool has_events_key = false;           ///< there was a "traceEvents" array, or null (true for a bare array)
  bool terminated = false;               ///< the closing bracket was there; a bare array may lack it by the format
  std::uint64_t bytes = 0;               ///< decoded bytes read
  std::uint64_t events = 0;              ///< delivered; objects without "ph" count
  std::uint64_t broken_events = 0;       ///< stretches of text that are not events and were passed over
  std::vector<std::uint64_t> broken_at;  ///< where the first 16 of them start
  std::uint64_t irregular =
      0;  ///< places that are not valid JSON and were read all the same (stray commas, bad escapes)
  std::uint64_t first_irregular = no_offset;
  /// Events whose "ts" or "dur" is not a number or out of range, or that end out of range; complete events of negative
  /// duration.
  std::uint64_t unusable_times = 0;
  std::uint64_t first_unusable_time = no_offset;
  bool nanoseconds = false;  ///< "ts" and "dur" are nanoseconds, by the first of them
  /// What zero of chrome_event::ts_ps means, in microseconds of the file's clock: the first timestamp cut to
  /// whole seconds when that is 1e9 us or more, else 0. Set before the first event that has a ts_ps.
  std::int64_t zero_us = 0;
  std::optional<fault> damage;  ///< the first: cut file, broken event, damaged compression, a limit
};

/// What is wrong with times that cannot be used, where there are any.
[[nodiscard]] std::optional<fault> damage_of_times(const chrome_summary& summary);

/// Receives what a file holds, in file order. Return false to stop.
class chrome_visitor {
 public:
  virtual ~chrome_visitor() = default;
  virtual bool event(const chrome_event& e) = 0;
  /// A top-level key other than traceEvents (displayTimeUnit, metadata, baseTimeNanoseconds, …): its raw
  /// JSON text. It may come before or after the events.
  virtual bool header(std::string_view key, std::string_view json, std::uint64_t byte_offset);
};

struct chrome_options {
  limits bounds;  ///< max_nesting; max_string_bytes bounds one event and one header value
  hooks host;
  std::size_t chunk_bytes = std::size_t{64} << 10;  ///< whole events are parsed in pieces of about this size
  bool tolerant_only = false;                        ///< look at every event alone; the result is the same
};

/// Reads a file piece by piece in bounded memory, whatever its size. Damage never stops it: only what is
/// broken is passed over, counted and reported in the summary. Spans or sources are borrowed.
class chrome_reader {
 public:
  explicit chrome_reader(std::string_view bytes, const chrome_options& options = {});
  explicit chrome_reader(source& from, const chrome_options& options = {});
  ~chrome_reader();
  chrome_reader(chrome_reader&&) noexcept;
  chrome_reader& operator=(chrome_reader&&) noexcept;

  /// Reads on, about one chunk, and hands what it held to the visitor. False: the file is read to its end, or the
  /// visitor stopped it. Faults: cancelled, out_of_memory; unrecognised when the text does not start like
  /// trace JSON; damaged when there is no text at all.
  result<bool> next(chrome_visitor& into);
  [[nodiscard]] const chrome_summary& summary() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The whole file at once.
result<chrome_summary> read_chrome(std::string_view bytes, chrome_visitor& into, const chrome_options& options = {});
result<chrome_summary> read_chrome(source& from, chrome_visitor& into, const chrome_options& options = {});

/// Which time zero stands for, found by looking at the head and the tail of the file only.
struct chrome_clock {
  std::int64_t zero_us = 0;  ///< as chrome_summary::zero_us
  std::optional<std::int64_t>
      origin_unix_ns;  ///< Unix time of zero: timestamps since the epoch, or baseTimeNanoseconds
  /// The same cut to whole seconds before the earliest time in the tail: files are not always in the order of time, and
  /// Kineto's last events have the time at which it began. At most origin_unix_ns.
  std::optional<std::int64_t> start_unix_ns;
};
chrome_clock read_chrome_clock(std::string_view bytes, const chrome_options& options = {});

/// Walks the members of one JSON object's text ("{…}"), such as chrome_event::args_json.
class json_members {
 public:
  explicit json_members(std::string_view object, std::uint32_t max_nesting = limits{}.max_nesting) noexcept;
  bool next() noexcept;  ///< false at the end, and at text that is not a member
  [[nodiscard]] std::string_view key() const noexcept { return key_; }      ///< escapes not undone
  [[nodiscard]] std::string_view value() const noexcept { return value_; }  ///< raw JSON text, strings with quotes
  [[nodiscard]] bool ok() const noexcept { return ok_; }                    ///< false: it ended at broken text
  /// A comma stood before the closing brace, which JSON does not allow.
  [[nodiscard]] bool trailing_comma() const noexcept { return trailing_comma_; }

 private:
  const char* at_;
  const char* end_;
  std::string_view key_, value_;
  std::uint32_t max_nesting_;
  bool first_ = true, ok_ = true, trailing_comma_ = false;
};

/// The raw value of a member by key (the last one of that name), "" when there is none.
std::string_view json_member(std::string_view object, std::string_view key);
/// A raw JSON value as text: a string without quotes and escapes (in `scratch` when it has escapes), anything
/// else as written. `sound` becomes false at an escape JSON does not know, which is kept as it stands.
std::string_view json_text(std::string_view raw_value, std::string& scratch, bool* sound = nullptr);
/// Exact decimal number, or decimal string, times 10^scale as an integer, rounded half away from zero; empty
/// when it is not a number or does not fit.
std::optional<std::int64_t> json_scaled_integer(std::string_view raw_value, int scale = 0);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
