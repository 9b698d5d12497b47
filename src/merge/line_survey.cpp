#include "line_survey.hpp"

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t write_buffer_bytes = std::size_t{1} << 20;
constexpr std::uint64_t tell_bytes = std::uint64_t{1} << 20;

// Steps through the fields of a line; events come as bytes, everything else as a field.
class line_walker {
 public:
  explicit line_walker(std::string_view body, std::uint64_t from = 0) noexcept
      : begin_(body.data()), p_(begin_ + from), end_(begin_ + body.size()) {}

  // True: `field` or (is_event) `event` is the next one, at [at, position).
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

// The time of an event in the output.
class event_times {
 public:
  event_times(const line_clock& clock, const line_rules& rules) : mapper_(clock), rules_(rules) {}

  // False: the event has no place in time and is copied.
  PROFKIT_ALWAYS_INLINE bool place(const event_bytes& e, event_time& time, line_mapper::mapped& m) noexcept {
    if (PROFKIT_LIKELY(!rules_.reference)) {
      if (e.aggregated) return false;
      m = mapper_(e.offset_ps, !rules_.keep_order);
      if (!m.fits) m.at_ps = e.offset_ps < 0 ? -most_corrected_ps : most_corrected_ps;
      time.offset_ps = m.at_ps - rules_.zero_ps;
      if (rules_.scale_durations) scale(e, m, time);
      return true;
    }
    return place_like_reference(e, time, m);
  }
  line_mapper& mapper() noexcept { return mapper_; }
  void resume(const line_mark& mark) noexcept {
    mapper_.resume(mark.last_ps);
    guard_ = mark.guard;
  }
  [[nodiscard]] line_mark mark_at(std::uint64_t at) const noexcept { return {at, mapper_.last_ps(), guard_}; }
  void use(const line_clock& clock) noexcept { clock_ = &clock; }

 private:
  // An event that ends beyond what the clock can say keeps its duration.
  void scale(const event_bytes& e, const line_mapper::mapped& m, event_time& time) noexcept {
    if (e.duration_ps <= 0) return;
    const auto end = checked_add(e.offset_ps, e.duration_ps);
    const auto mapped_end = end ? mapper_.map(*end) : line_mapper::mapped{0, 0, false};
    if (!mapped_end.fits || mapped_end.at_ps < m.at_ps) return;
    time.duration_ps = mapped_end.at_ps - m.at_ps;
    time.new_duration = time.duration_ps != e.duration_ps;
  }
  PROFKIT_NOINLINE bool place_like_reference(const event_bytes& e, event_time& time, line_mapper::mapped& m) noexcept {
    const reference_clock& r = *clock_->reference;
    const std::int64_t offset = e.aggregated ? 0 : e.offset_ps;
    m = {};
    const double ns = guard_(r.corrected_ns(clock_->device, offset), m.clamped);
    const auto ps = r.offset_of(ns);
    m.fits = ps.has_value();
    m.at_ps = ps.value_or(offset);
    time.offset_ps = m.at_ps;
    return true;
  }

  line_mapper mapper_;
  const line_rules& rules_;
  const line_clock* clock_ = nullptr;
  reference_guard guard_;
};

event_times times_of(const line_clock& clock, const line_rules& rules) {
  event_times times(clock, rules);
  times.use(clock);
  return times;
}

std::uint64_t field_bytes(std::uint64_t body) noexcept { return 1 + varint_bytes(body) + body; }

void count_event(const line_mapper::mapped& m, std::uint64_t at, line_facts& facts) noexcept {
  if (PROFKIT_LIKELY(m.fits)) {
    facts.least_ps = std::min(facts.least_ps, m.at_ps);
    facts.most_ps = std::max(facts.most_ps, m.at_ps);
  } else {
    ++facts.out_of_reach;
    if (!facts.unreachable) facts.unreachable = at;
  }
  ++facts.placed_events;
  facts.clamped += m.clamped;
  facts.snapshot_extrapolated += m.snapshot_extrapolated;
  facts.offset_extrapolated += m.offset_extrapolated;
  if (magnitude(m.correction_ps) > magnitude(facts.max_correction_ps)) facts.max_correction_ps = m.correction_ps;
  facts.min_correction_ps = std::min(facts.min_correction_ps, m.correction_ps);
  facts.correction_sum_ps += m.correction_ps;
}

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

void append_event(std::string& into, const event_bytes& e, const event_time& time) {
  const std::uint64_t bytes = rewritten_body_bytes(e, time);
  const std::size_t old = into.size();
  into.resize(old + static_cast<std::size_t>(field_bytes(bytes)));
  char* at = into.data() + old;
  *at++ = 0x22;
  at = put_varint(at, bytes);
  put_rewritten_body(at, e, time);
}

void append_copy(std::string& into, std::string_view event) { append_bytes_field(into, 4, event); }

}  // namespace

line_mapper::mapped line_mapper::map(std::int64_t offset_ps) noexcept {
  mapped m;
  const auto at = checked_add(offset_ps, how_.base_ps);
  if (!at) {
    m.fits = false;
    return m;
  }
  if (how_.kind == line_clock::how::shift) {
    m.at_ps = *at;
    m.fits = *at <= most_corrected_ps && *at >= -most_corrected_ps;
    return m;
  }
  const node_clock::corrected c =
      how_.kind == line_clock::how::tracer ? how_.clock->from_tracer(*at, at_) : how_.clock->from_host(*at, at_);
  m.at_ps = c.reference_ps;
  m.fits = c.reference_ps <= most_corrected_ps && c.reference_ps >= -most_corrected_ps;
  m.snapshot_extrapolated = c.snapshot_extrapolated;
  m.offset_extrapolated = c.offset_extrapolated;
  if (m.fits) {
    const auto ahead = checked_sub(c.local_ps, c.reference_ps);
    const auto correction = ahead ? checked_add(*ahead, how_.to_local_ps) : ahead;
    m.correction_ps = correction.value_or(0);
  }
  return m;
}

line_facts read_line_head(std::string_view body) noexcept {
  line_facts facts;
  wire_reader reader(body);
  for (wire_field field; reader.next(field) && !field.is_bytes(4);) take_header_field(field, facts);
  return facts;
}

line_facts survey_line(std::string_view body, const line_clock& clock, const line_rules& rules,
                       const passed_piece& passed) {
  line_facts facts;
  event_times times = times_of(clock, rules);
  line_walker walk(body);
  std::string_view event;
  bool is_event = false;
  std::int64_t last_start = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_duration = std::numeric_limits<std::int64_t>::max();
  std::uint64_t next_mark = 0, told = 0;
  const auto tell = [&](std::uint64_t to) {
    auto ok = passed(told, to);
    if (!ok) facts.stopped = std::move(ok).error();
    told = to;
    return !facts.stopped;
  };
  const bool may_sort = !rules.keep_order && !rules.reference;
  while (walk.next(event, is_event)) {
    if (!is_event) {
      take_header_field(walk.field(), facts);
      if (is_copied_line_field(walk.field().number)) facts.other_bytes += walk.position() - walk.field_at();
      continue;
    }
    const event_bytes e = read_event(event);
    if (e.shape == event_shape::damaged) {
      facts.damage = walk.field_at();
      return facts;
    }
    ++facts.events;
    if (walk.field_at() - told >= tell_bytes && !tell(walk.field_at())) return facts;
    if (!facts.in_order) continue;
    if (walk.field_at() >= next_mark) {
      facts.marks.push_back(times.mark_at(walk.field_at()));
      next_mark = walk.field_at() + rules.bytes_between_marks;
    }
    event_time time;
    line_mapper::mapped m;
    if (may_sort && !e.aggregated) {
      if (e.offset_ps < last_start || (e.offset_ps == last_start && e.duration_ps > last_duration)) {
        facts.in_order = false;
        facts.marks.clear();
        continue;
      }
      last_start = e.offset_ps;
      last_duration = e.duration_ps;
    }
    if (!times.place(e, time, m)) {
      facts.event_bytes += field_bytes(event.size());
      continue;
    }
    facts.event_bytes += field_bytes(rewritten_body_bytes(e, time));
    count_event(m, walk.field_at(), facts);
  }
  if (!walk.ok()) facts.damage = walk.field_at();
  tell(body.size());
  return facts;
}

void survey_unsorted(std::string_view body, const line_clock& clock, const line_rules& rules, line_facts& facts) {
  line_facts fresh;
  event_times times = times_of(clock, rules);
  for (const sort_key& key : sorted_events(body, facts.events)) {
    const event_bytes e = event_at(body, key.at);
    event_time time;
    line_mapper::mapped m;
    if (!times.place(e, time, m)) {
      fresh.event_bytes += field_bytes(e.body.size());
      continue;
    }
    fresh.event_bytes += field_bytes(rewritten_body_bytes(e, time));
    count_event(m, key.at, fresh);
  }
  fresh.id = facts.id;
  fresh.timestamp_ns = facts.timestamp_ns;
  fresh.display_id = facts.display_id;
  fresh.name = facts.name;
  fresh.display_name = facts.display_name;
  fresh.events = facts.events;
  fresh.other_bytes = facts.other_bytes;
  fresh.in_order = false;
  facts = std::move(fresh);
}

void write_events(std::string_view body, const line_clock& clock, const line_rules& rules, const line_mark& from,
                  std::uint64_t to, std::string& into) {
  event_times times = times_of(clock, rules);
  times.resume(from);
  line_walker walk(body.substr(0, static_cast<std::size_t>(to)), from.at);
  std::string_view event;
  bool is_event = false;
  while (walk.next(event, is_event)) {
    if (!is_event) continue;
    const event_bytes e = read_event(event);
    event_time time;
    line_mapper::mapped m;
    if (times.place(e, time, m))
      append_event(into, e, time);
    else
      append_copy(into, event);
  }
}

result<void> write_unsorted(std::string_view body, const line_clock& clock, const line_rules& rules,
                            std::uint64_t events, event_output& into) {
  event_times times = times_of(clock, rules);
  std::string buffer;
  for (const sort_key& key : sorted_events(body, events)) {
    const event_bytes e = event_at(body, key.at);
    event_time time;
    line_mapper::mapped m;
    if (times.place(e, time, m))
      append_event(buffer, e, time);
    else
      append_copy(buffer, e.body);
    if (buffer.size() < write_buffer_bytes) continue;
    if (auto ok = into.take(buffer); !ok) return ok;
    buffer.clear();
  }
  return buffer.empty() ? result<void>() : into.take(buffer);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
