#include <profkit/core/chrome.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

// Text of an event in the arena, until no more is added.
struct text_place {
  std::size_t offset = 0, size = 0;
};

struct kept_event {
  text_place name, category, id, pid, tid, args;
  pk_chrome_event row{};
};

// Keeps the events of one chunk: the core's spans end with the visit.
class kept_events final : public chrome_visitor {
 public:
  bool event(const chrome_event& e) override {
    kept_event& kept = events_.emplace_back();
    kept.name = keep(e.name);
    kept.category = keep(e.cat);
    kept.id = keep(e.id);
    kept.pid = keep(e.pid.text);
    kept.tid = keep(e.tid.text);
    kept.args = keep(e.args_json);
    kept.row.byte_offset = e.byte_offset;
    kept.row.phase = static_cast<unsigned char>(e.phase);
    if (e.ts_ps) set(kept.row, kept.row.start_ps, *e.ts_ps, PK_CHROME_HAS_START);
    if (e.dur_ps) set(kept.row, kept.row.duration_ps, *e.dur_ps, PK_CHROME_HAS_DURATION);
    if (e.pid.is_string) kept.row.flags |= PK_CHROME_PID_IS_STRING;
    if (e.tid.is_string) kept.row.flags |= PK_CHROME_TID_IS_STRING;
    return true;
  }

  [[nodiscard]] std::size_t left() const noexcept { return events_.size() - next_; }

  void clear() noexcept {
    events_.clear();
    texts_.clear();
    next_ = 0;
  }

  // The next event, its text pointing into the arena.
  pk_chrome_event take() noexcept {
    const kept_event& kept = events_[next_++];
    pk_chrome_event row = kept.row;
    row.name = text_at(kept.name);
    row.category = text_at(kept.category);
    row.id = text_at(kept.id);
    row.pid = text_at(kept.pid);
    row.tid = text_at(kept.tid);
    row.args = text_at(kept.args);
    return row;
  }

 private:
  static void set(pk_chrome_event& row, std::int64_t& field, std::int64_t value, std::uint32_t flag) noexcept {
    field = value;
    row.flags |= flag;
  }
  text_place keep(std::string_view text) {
    const text_place place{texts_.size(), text.size()};
    texts_.append(text);
    return place;
  }
  [[nodiscard]] pk_str text_at(const text_place& place) const noexcept {
    return {texts_.data() + place.offset, place.size};
  }

  std::vector<kept_event> events_;
  std::string texts_;
  std::size_t next_ = 0;
};

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

struct pk_chrome_reader {
  pk_chrome_reader(pk_profile* of, std::uint32_t at, const profkit::chrome_options& options)
      : profile(of), file(at), reader(profile.core().bytes(at), options) {}

  profkit::capi::profile_reference profile;
  std::uint32_t file;
  profkit::chrome_reader reader;
  profkit::capi::kept_events kept;
  bool ended = false;
  std::optional<profkit::fault> failed;  // reported once everything before it was given
};

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

fault in_file(const pk_chrome_reader& reader, fault why) {
  if (why.path.empty()) why.path = reader.profile.core().what().files[reader.file].path;
  return why;
}

// Reads on until there is an event to give, or none is left.
void refill(pk_chrome_reader& reader) {
  reader.kept.clear();
  while (!reader.ended && reader.kept.left() == 0) {
    result<bool> more = reader.reader.next(reader.kept);
    if (!more) reader.failed = std::move(more).error();
    reader.ended = reader.failed || !*more;
  }
}

// PK_END, or what was wrong with the file.
result<pk_status> ending(const pk_chrome_reader& reader) {
  if (reader.failed) return in_file(reader, *reader.failed);
  if (const fault* why = reader.profile.core().file_fault(reader.file)) return in_file(reader, *why);
  if (const auto& why = reader.reader.summary().damage) return in_file(reader, *why);
  return PK_END;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_chrome_open(pk_profile* profile, uint32_t file, pk_chrome_reader** out, pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    result<const profkit::profile*> core = require_file(profile, file);
    if (!core) return std::move(core).error();
    if (!out) return null_argument("out");
    const profkit::capture_file& known = (*core)->what().files[file];
    if (profkit::content_of(known.family) != profkit::file_content::trace_events)
      return profkit::fault{
          profkit::fault_code::unsupported,
          std::string("a file of family ") + profkit::family_name(known.family) + " has no Chrome events", known.path,
          profkit::no_offset, "look at pk_file_info::family"};
    if (const profkit::fault* why = (*core)->file_fault(file); why && (*core)->bytes(file).empty()) return *why;
    profkit::chrome_options options;
    options.bounds = (*core)->what().bounds;
    *out = new pk_chrome_reader(profile, file, options);
    return PK_OK;
  });
}

pk_status pk_chrome_events_read(pk_chrome_reader* reader, pk_chrome_event* events, size_t capacity, size_t* count,
                                pk_error** err) noexcept {
  if (count) *count = 0;
  return guard(err, [&]() -> result<pk_status> {
    if (!reader) return null_argument("reader");
    if (!events) return null_argument("events");
    if (!count) return null_argument("count");
    if (capacity == 0) return invalid_argument("capacity is 0");
    if (reader->kept.left() == 0) {
      refill(*reader);
      if (reader->kept.left() == 0) return ending(*reader);
    }
    *count = std::min(capacity, reader->kept.left());
    for (std::size_t i = 0; i < *count; ++i) events[i] = reader->kept.take();
    return PK_OK;
  });
}

pk_status pk_chrome_summarise(const pk_chrome_reader* reader, pk_chrome_summary* out, pk_error** err) noexcept {
  if (out) *out = {};
  return guard(err, [&]() -> result<pk_status> {
    if (!reader) return null_argument("reader");
    if (!out) return null_argument("out");
    const profkit::chrome_summary& summary = reader->reader.summary();
    out->event_count = summary.events;
    out->broken_count = summary.broken_events;
    out->unusable_time_count = summary.unusable_times;
    out->zero_us = summary.zero_us;
    return PK_OK;
  });
}

void pk_chrome_free(pk_chrome_reader* reader) noexcept { delete reader; }
