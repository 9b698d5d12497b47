#include "line_survey.hpp"

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t write_buffer_bytes = std::size_t{1} << 20;
constexpr std::uint64_t bytes_between_reports = std::uint64_t{1} << 20;

// Steps through the fields of a line; events come as bytes, everything else as a field.
class line_walker {
 public:
  explicit line_walker(std::string_view body, std::uint64_t from = 0) noexcept
      : begin_(body.data()), p_(begin_ + from), end_(begin_ + body.size()) {}

  // True: field() or (is_event) `event` is the next one, at [field_at, position).
  PROFKIT_ALWAYS_INLINE bool next(std::string_view& event, bool& is_event) noexcept {
    at_ = p_;
    if (p_ == end_) return false;
    if (PROFKIT_LIKELY(*p_ == 0x22)) {
      const char* q = p_ + 1;
      std::uint64_t length = 0;
      if (!read_length(q, end_, length) || length > static_cast<std::uint64_t>(end_ - q)) return fail();
      event = std::string_view(q, static_cast<std::size_t>(length));
      p_ = q + length;
      is_event = true;
      return true;
    }
    return next_field(event, is_event);
  }
  [[nodiscard]] const wire_field& field() const noexcept { return field_; }
  [[nodiscard]] std::uint64_t field_at() const noexcept { return static_cast<std::uint64_t>(at_ - begin_); }
  [[nodiscard]] std::uint64_t position() const noexcept { return static_cast<std::uint64_t>(p_ - begin_); }
  [[nodiscard]] bool ok() const noexcept { return ok_; }

 private:
  PROFKIT_COLD bool next_field(std::string_view& event, bool& is_event) noexcept {
    wire_reader reader(std::string_view(p_, static_cast<std::size_t>(end_ - p_)));
    if (!reader.next(field_)) return fail();
    p_ = reader.position();
    is_event = field_.is_bytes(4);  // a tag that was not written in the shortest way
    event = field_.bytes;
    return true;
  }
  bool fail() noexcept { return ok_ = false; }

  const char* begin_;
  const char* p_;
  const char* end_;
  const char* at_ = nullptr;
  wire_field field_;
  bool ok_ = true;
};

void take_header_field(const wire_field& field, line_facts& facts) noexcept {
  const auto value = static_cast<std::int64_t>(field.value);
  if (field.is_varint(1)) facts.id = value;
  if (field.is_bytes(2)) facts.name = field.bytes;
  if (field.is_varint(3)) facts.timestamp_ns = value;
  if (field.is_varint(10)) facts.display_id = value;
  if (field.is_bytes(11)) facts.display_name = field.bytes;
}

std::uint64_t field_bytes(std::uint64_t body) noexcept { return 1 + quick_varint_bytes(body) + body; }

// The times of the events of a line in the output, one after another.
class event_times {
 public:
  event_times(const line_correction& clock, const line_rules& rules) noexcept
      : mapper_(clock), rules_(rules), clock_(clock) {}

  // False: the event has no place in time and is copied.
  PROFKIT_ALWAYS_INLINE bool place(const event_bytes& e, event_time& time) noexcept {
    if (e.aggregated) return false;
    fits_ = mapper_.place(e.offset_ps, !rules_.keep_order, at_ps_, clamped_);
    if (!fits_) at_ps_ = e.offset_ps < 0 ? -max_corrected_ps : max_corrected_ps;
    time.offset_ps = at_ps_ - rules_.zero_ps;
    if (rules_.scale_durations) scale(e, time);
    return true;
  }

  // Counts the event that was placed last.
  PROFKIT_ALWAYS_INLINE void count(const event_bytes& e, std::uint64_t at, line_facts& facts) noexcept {
    ++facts.placed_events;
    facts.clamped += clamped_;
    if (!fits_) {
      if (facts.out_of_reach++ == 0) facts.unreachable = at;
      return;
    }
    facts.least_ps = std::min(facts.least_ps, at_ps_);
    facts.most_ps = std::max(facts.most_ps, at_ps_);
    if (clock_.clock == nullptr) {
      facts.min_correction_ps = 0;
      return;
    }
    const std::int64_t local = mapper_.host_time(e.offset_ps);
    const std::int64_t correction = local - at_ps_ + clock_.to_local_ps;
    facts.snapshot_extrapolated +=
        clock_.kind == line_correction::how::tracer && clock_.clock->tracer_to_host().extrapolates(e.offset_ps);
    facts.offset_extrapolated += clock_.clock->host_to_reference().extrapolates(local);
    facts.greatest_correction_ps = std::max(facts.greatest_correction_ps, correction);
    facts.min_correction_ps = std::min(facts.min_correction_ps, correction);
    facts.correction_sum_ps += correction;
  }

  void resume(const line_mark& mark) noexcept { mapper_.resume(mark.last_ps); }
  [[nodiscard]] line_mark mark_at(std::uint64_t at, std::uint64_t written_at) const noexcept {
    return {at, written_at, mapper_.last_ps()};
  }

 private:
  // An event that ends beyond what the clock can say keeps its duration.
  void scale(const event_bytes& e, event_time& time) noexcept {
    if (e.duration_ps <= 0) return;
    const auto end = checked_add(e.offset_ps, e.duration_ps);
    std::int64_t end_ps = 0;
    if (!end || !mapper_.map(*end, end_ps) || end_ps < at_ps_) return;
    time.duration_ps = end_ps - at_ps_;
    time.new_duration = time.duration_ps != e.duration_ps;
  }

  line_mapper mapper_;
  const line_rules& rules_;
  const line_correction& clock_;
  std::int64_t at_ps_ = 0;
  bool fits_ = true, clamped_ = false;
};

// An event of an unsorted line: 16 bytes.
struct sort_key {
  std::int64_t start_ps;
  std::uint64_t at;  // of its tag in the line
};
static_assert(sizeof(sort_key) == 16);

event_bytes event_at(std::string_view body, std::uint64_t at) noexcept {
  line_walker walk(body, at);
  std::string_view event;
  bool is_event = false;
  walk.next(event, is_event);
  return read_event(event);
}

// Events by start; of equal starts the longer first, then as they stood. Those without a place in time come first.
std::vector<sort_key> sorted_events(std::string_view body, std::uint64_t count) {
  std::vector<sort_key> keys;
  keys.reserve(static_cast<std::size_t>(count));
  line_walker walk(body);
  std::string_view event;
  bool is_event = false;
  while (walk.next(event, is_event)) {
    if (!is_event) continue;
    const event_bytes e = read_event(event);
    keys.push_back({e.aggregated ? std::numeric_limits<std::int64_t>::min() : e.offset_ps, walk.field_at()});
  }
  std::sort(keys.begin(), keys.end(), [body](const sort_key& a, const sort_key& b) {
    if (a.start_ps != b.start_ps) return a.start_ps < b.start_ps;
    const event_bytes first = event_at(body, a.at), second = event_at(body, b.at);
    if (first.aggregated != second.aggregated) return first.aggregated;
    if (!first.aggregated && first.duration_ps != second.duration_ps) return first.duration_ps > second.duration_ps;
    return a.at < b.at;
  });
  return keys;
}

// Writes one event at `to`; gives the end.
char* put_event(char* to, const event_bytes& e, event_times& times) noexcept {
  event_time time;
  *to++ = 0x22;
  if (times.place(e, time)) return put_rewritten_body(put_varint(to, rewritten_body_bytes(e, time)), e, time);
  to = put_varint(to, e.body.size());
  if (!e.body.empty()) std::memcpy(to, e.body.data(), e.body.size());
  return to + e.body.size();
}

// Copies more than asked for, where both sides have room for that: what is short takes no branch on its length.
PROFKIT_ALWAYS_INLINE void copy_bytes(char* to, const char* from, std::size_t bytes,
                                      const char* readable_end) noexcept {
  constexpr std::size_t step = 32, usual = 128;
  static_assert(usual <= write_slack_bytes);
  if (!PROFKIT_LIKELY(static_cast<std::size_t>(readable_end - from) >= bytes + usual)) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, usual);
  for (std::size_t done = usual; !PROFKIT_LIKELY(done >= bytes); done += step)
    std::memcpy(to + done, from + done, step);
}

// A few bytes: the head of an event.
PROFKIT_ALWAYS_INLINE void copy_head(char* to, const char* from, std::size_t bytes, const char* readable_end) noexcept {
  constexpr std::size_t usual = 16;
  if (PROFKIT_LIKELY(bytes <= usual) && PROFKIT_LIKELY(static_cast<std::size_t>(readable_end - from) >= usual))
    std::memcpy(to, from, usual);
  else if (bytes > 0)
    std::memcpy(to, from, bytes);
}

// The seven-bit groups of a number of up to 56 bits, spread over eight bytes; gives the place after those that count.
PROFKIT_ALWAYS_INLINE char* put_varint_wide(char* to, std::uint64_t value) noexcept {
  static_assert(write_slack_bytes >= 8);
  const std::size_t bytes = quick_varint_bytes(value);
  if (!PROFKIT_LIKELY(bytes <= 8)) return put_varint(to, value);
  std::uint64_t spread = (value & 0x0fffffffU) | (value & 0xfffffff0000000U) << 4;
  spread = (spread & 0x00003fff00003fffU) | (spread & 0x0fffc0000fffc000U) << 2;
  spread = (spread & 0x007f007f007f007fU) | (spread & 0x3f803f803f803f80U) << 1;
  spread |= 0x8080808080808080U & ((std::uint64_t{1} << (8 * (bytes - 1))) - 1);
  for (std::size_t i = 0; i < 8; ++i) to[i] = static_cast<char>(spread >> (8 * i));  // one store
  return to + bytes;
}

// Events that are all of the usual shape, which the survey has seen: only the offset is looked at.
void write_usual_events(std::string_view body, const line_correction& clock, const line_rules& rules,
                        const line_mark& from, std::uint64_t to, char* out) noexcept {
  line_mapper mapper(clock);
  mapper.resume(from.last_ps);
  const char* const end = body.data() + body.size();
  line_walker walk(body.substr(0, static_cast<std::size_t>(to)), from.at);
  std::string_view event;
  bool is_event = false, clamped = false;
  const bool in_order = !rules.keep_order;
  while (walk.next(event, is_event)) {
    if (!is_event) continue;
    const char* const begin = event.data();
    const char* const event_end = begin + event.size();
    const char* p = begin + 1;
    std::uint64_t value = 0;
    read_varint(p, event_end, value);
    const char* const offset_at = p++;
    read_varint(p, event_end, value);
    const auto offset_ps = static_cast<std::int64_t>(value);
    std::int64_t at_ps = 0;
    if (!mapper.place(offset_ps, in_order, at_ps, clamped))
      at_ps = offset_ps < 0 ? -max_corrected_ps : max_corrected_ps;
    const std::uint64_t wire = as_wire(at_ps - rules.zero_ps);
    const auto before = static_cast<std::size_t>(offset_at - begin), after = static_cast<std::size_t>(event_end - p);
    *out++ = 0x22;
    out = put_varint_wide(out, before + 1 + quick_varint_bytes(wire) + after);
    copy_head(out, begin, before, end);
    out += before;
    *out++ = 0x10;
    out = put_varint_wide(out, wire);
    copy_bytes(out, p, after, end);
    out += after;
  }
}

std::uint64_t mark_end(std::string_view body, const line_facts& facts, std::size_t mark) noexcept {
  return mark + 1 < facts.marks.size() ? facts.marks[mark + 1].at : body.size();
}

}  // namespace

bool line_mapper::map(std::int64_t offset_ps, std::int64_t& at_ps) const noexcept {
  const auto x = checked_add(offset_ps, how_.base_ps);
  if (!x) return false;
  at_ps = *x;
  if (how_.kind == line_correction::how::tracer) at_ps = how_.clock->tracer_to_reference()(*x);
  if (how_.kind == line_correction::how::host) at_ps = how_.clock->host_to_reference()(*x);
  return at_ps <= max_corrected_ps && at_ps >= -max_corrected_ps;
}

bool line_mapper::place_slowly(std::int64_t offset_ps, std::int64_t& at_ps) noexcept {
  if (!map(offset_ps, at_ps)) return false;
  const std::int64_t x = offset_ps + how_.base_ps;  // map() has checked it
  const piecewise_map nothing;
  const piecewise_map& map = how_.kind == line_correction::how::tracer ? how_.clock->tracer_to_reference()
                             : how_.kind == line_correction::how::host ? how_.clock->host_to_reference()
                                                                       : nothing;
  quick_ = quick_segment(map.piece_at(x), how_.base_ps);
  return true;
}

std::int64_t line_mapper::host_time_slowly(std::int64_t offset_ps) noexcept {
  const piecewise_map& map = how_.clock->tracer_to_host();
  const std::int64_t x = offset_ps + how_.base_ps;
  quick_local_ = quick_segment(map.piece_at(x), how_.base_ps);
  const std::int64_t local = map(x);
  return local > max_corrected_ps || local < -max_corrected_ps ? 0 : local;
}

line_facts read_line_head(std::string_view body) noexcept {
  line_facts facts;
  wire_reader reader(body);
  for (wire_field field; reader.next(field) && !field.is_bytes(4);) take_header_field(field, facts);
  return facts;
}

line_facts survey_line(std::string_view body, const line_correction& clock, const line_rules& rules,
                       const passed_piece& passed) {
  line_facts facts;
  event_times times(clock, rules);
  line_walker walk(body);
  std::string_view event;
  bool is_event = false;
  std::int64_t last_start = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_duration = std::numeric_limits<std::int64_t>::max();
  std::uint64_t next_mark = 0, reported = 0;
  const auto report = [&](std::uint64_t to) {
    auto ok = passed(reported, to);
    if (!ok) facts.stopped = std::move(ok).error();
    reported = to;
    return !facts.stopped;
  };
  while (walk.next(event, is_event)) {
    if (!is_event) {
      take_header_field(walk.field(), facts);
      if (is_copied_line_field(walk.field().number)) facts.other_bytes += walk.position() - walk.field_at();
      continue;
    }
    const event_bytes e = read_event(event);
    if (PROFKIT_LIKELY(e.shape == event_shape::usual)) {
    } else if (e.shape == event_shape::damaged) {
      facts.damage = walk.field_at();
      return facts;
    } else {
      facts.usual = false;
    }
    ++facts.events;
    if (walk.field_at() - reported >= bytes_between_reports && !report(walk.field_at())) return facts;
    if (!facts.in_order) continue;
    if (walk.field_at() >= next_mark) {
      facts.marks.push_back(times.mark_at(walk.field_at(), facts.event_bytes));
      next_mark = walk.field_at() + rules.bytes_between_marks;
    }
    if (!rules.keep_order && !e.aggregated) {
      if (e.offset_ps < last_start || (e.offset_ps == last_start && e.duration_ps > last_duration)) {
        facts.in_order = false;
        facts.marks.clear();
        continue;
      }
      last_start = e.offset_ps;
      last_duration = e.duration_ps;
    }
    event_time time;
    if (!times.place(e, time)) {
      facts.event_bytes += field_bytes(event.size());
      continue;
    }
    facts.event_bytes += field_bytes(rewritten_body_bytes(e, time));
    times.count(e, walk.field_at(), facts);
  }
  if (!walk.ok()) facts.damage = walk.field_at();
  report(body.size());
  return facts;
}

void survey_unsorted(std::string_view body, const line_correction& clock, const line_rules& rules, line_facts& facts) {
  line_facts fresh;
  event_times times(clock, rules);
  for (const sort_key& key : sorted_events(body, facts.events)) {
    const event_bytes e = event_at(body, key.at);
    event_time time;
    if (!times.place(e, time)) {
      fresh.event_bytes += field_bytes(e.body.size());
      continue;
    }
    fresh.event_bytes += field_bytes(rewritten_body_bytes(e, time));
    times.count(e, key.at, fresh);
  }
  fresh.id = facts.id;
  fresh.timestamp_ns = facts.timestamp_ns;
  fresh.display_id = facts.display_id;
  fresh.name = facts.name;
  fresh.display_name = facts.display_name;
  fresh.events = facts.events;
  fresh.other_bytes = facts.other_bytes;
  fresh.in_order = false;
  fresh.usual = facts.usual;
  facts = std::move(fresh);
}

std::uint64_t written_bytes(const line_facts& facts, std::size_t mark) noexcept {
  const std::uint64_t end = mark + 1 < facts.marks.size() ? facts.marks[mark + 1].written_at : facts.event_bytes;
  return end - facts.marks[mark].written_at;
}

void write_events(std::string_view body, const line_correction& clock, const line_rules& rules, const line_facts& facts,
                  std::size_t mark, char* to) {
  const std::uint64_t end = mark_end(body, facts, mark);
  if (facts.usual && !rules.scale_durations) {
    write_usual_events(body, clock, rules, facts.marks[mark], end, to);
    return;
  }
  event_times times(clock, rules);
  times.resume(facts.marks[mark]);
  line_walker walk(body.substr(0, static_cast<std::size_t>(end)), facts.marks[mark].at);
  std::string_view event;
  bool is_event = false;
  while (walk.next(event, is_event))
    if (is_event) to = put_event(to, read_event(event), times);
}

result<void> write_unsorted(std::string_view body, const line_correction& clock, const line_rules& rules,
                            std::uint64_t events, event_output& into) {
  event_times times(clock, rules);
  std::string buffer;
  for (const sort_key& key : sorted_events(body, events)) {
    const event_bytes e = event_at(body, key.at);
    const std::size_t old = buffer.size();
    buffer.resize(old + e.body.size() + 4 * max_varint_bytes);
    buffer.resize(static_cast<std::size_t>(put_event(buffer.data() + old, e, times) - buffer.data()));
    if (buffer.size() < write_buffer_bytes) continue;
    if (auto ok = into.take(buffer); !ok) return ok;
    buffer.clear();
  }
  return buffer.empty() ? result<void>() : into.take(buffer);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
