// The course through a file: header, events, damage. Windows of valid events are split by json_splitter; what it
// refuses is read event by event.
#include <profkit/core/chrome.hpp>

#include <base/contained.hpp>
#include <base/node_sections.hpp>
#include <base/progress.hpp>
#include <base/unix_time.hpp>
#include <formats/chrome/chrome_event_text.hpp>
#include <formats/chrome/chrome_text.hpp>
#include <formats/chrome/chrome_window.hpp>
#include <formats/chrome/json_splitter.hpp>
#include <formats/chrome/node_sections.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_broken_offsets = 16;
// After damage, the next event must lie in this much text to be taken for one.
constexpr std::size_t recovery_bytes = std::size_t{1} << 20;
// Timestamps from here on count from some far origin: zero is then moved next to them.
constexpr std::int64_t far_time_us = 1'000'000'000;
constexpr std::int64_t second_us = 1'000'000;
constexpr int ns_exponent = -3;
// After so many windows in a row that are not valid JSON, the rest is read event by event at once.
constexpr int max_refused_windows = 8;

// Whether the '{' at text[at] may begin an event that follows another one; `cut` becomes the end of that one.
bool is_between_events(std::string_view text, std::size_t at, std::size_t& cut) noexcept {
  const auto solid_before = [text](std::size_t i) {
    while (i > 0 && is_json_space(text[i - 1])) --i;
    return i;
  };
  const std::size_t comma = solid_before(at);
  if (comma == 0 || text[comma - 1] != ',') return false;
  cut = solid_before(comma - 1);
  return cut > 0 && text[cut - 1] == '}';
}

// Where the last whole event of a text ends that begins with one; 0 when it is not known. A guess: it looks for what
// the first event begins with, or else for any object after another. A wrong one costs time and nothing else.
std::size_t likely_end_of_events(std::string_view text) noexcept {
  const std::string_view head = text.substr(0, text.find(':') + 1);
  std::size_t cut = 0;
  for (std::size_t at = text.rfind(head); at != std::string_view::npos && at > text.size() / 2;
       at = text.rfind(head, at - 1)) {
    if (is_between_events(text, at, cut)) return cut;
  }
  for (std::size_t at = text.rfind('{'); at != std::string_view::npos && at > 0; at = text.rfind('{', at - 1)) {
    if (is_between_events(text, at, cut)) return cut;
  }
  return 0;
}

}  // namespace

bool chrome_visitor::header(std::string_view, std::string_view, std::uint64_t) { return true; }

struct chrome_reader::state {
  // Where in the file the window stands.
  enum class place : std::uint8_t {
    start,
    members,  // of the object around traceEvents
    events,
    lost,   // in damage: look for the next event
    ended,  // past the closing bracket
    done,
  };

  template <class Input>
  state(Input& input, std::uint64_t total_bytes, const chrome_options& wanted)
      : options(wanted),
        window(input, std::max<std::size_t>(wanted.chunk_bytes, 1)),
        progress(options.host, total_bytes),
        splitter(wanted.bounds.max_nesting),
        one_by_one_until(wanted.tolerant_only ? no_offset : 0) {}

  chrome_options options;
  text_window window;
  progress_meter progress;
  json_splitter splitter;
  std::vector<event_text> window_events;
  event_decoder decoder;
  chrome_event given;  // to the visitor
  chrome_summary summary;
  place where = place::start;
  chrome_visitor* visitor = nullptr;
  bool stopped = false;
  bool zero_known = false;
  int unit_exponent = 0;  // of times, as a power of ten of µs
  enum class token : std::uint8_t { open, item, comma };
  token before = token::open;          // what stands before the window in its array or object
  std::uint64_t one_by_one_until;  // file offset up to which events are read alone
  int refused_windows = 0;         // in a row
  std::string key_scratch;
  std::optional<section_reader> section;  // the text is that of one node in a merged trace
  bool section_is_open = false;

  result<bool> step();
  result<void> begin();
  void read_member();
  void read_events();
  void find_next_event();
  void past_the_end();

  void take(const event_text& e, json_member_list args = {});
  void take_time(const event_text& e);
  bool take_many();
  void take_one();

  void skip_separators();
  void begin_item();
  void end_items();
  [[nodiscard]] const char* item_bound();
  bool need_more(const char* what);
  void irregular_at(std::uint64_t offset, std::uint64_t count = 1);
  void damage(fault_code code, std::string message, std::uint64_t offset, std::string hint = {});
  void broken(const char* at, json_end why = json_end::broken);
  void cut(const char* inside);
  void finish();
};

// ---- bookkeeping ---------------------------------------------------------------------------------------

void chrome_reader::state::irregular_at(std::uint64_t offset, std::uint64_t count) {
  if (count == 0) return;
  if (summary.irregular == 0) summary.first_irregular = offset;
  summary.irregular += count;
}

void chrome_reader::state::damage(fault_code code, std::string message, std::uint64_t offset, std::string hint) {
  if (!summary.damage) summary.damage = fault{code, std::move(message), "", offset, std::move(hint)};
}

// Counts the text at `at` as lost and starts to look for the next event after its first byte; at its first byte, when
// it is an object where the array of events ended too early.
void chrome_reader::state::broken(const char* at, json_end why) {
  const std::uint64_t offset = window.offset_of(at);
  ++summary.broken_events;
  if (summary.broken_at.size() < max_broken_offsets) summary.broken_at.push_back(offset);
  if (why == json_end::too_nested) {
    damage(fault_code::limit, "an event nests deeper than limits::max_nesting", offset, "raise max_nesting");
  } else {
    damage(fault_code::damaged, "text that is no trace event: expected an object {\"ph\": …}", offset,
           "the events around it were read; write the file again to have all of them");
  }
  window.skip_to(at);
  const bool may_be_event = where == place::members && window.size() > 0 && *window.at() == '{';
  if (window.size() > 0 && !may_be_event) window.skip_to(window.at() + 1);
  where = place::lost;
}

// The file ends where it may not.
void chrome_reader::state::cut(const char* inside) {
  damage(fault_code::damaged, std::string("the file ends inside ") + inside, window.offset() + window.size(),
         "it was cut while it was written or copied; what came before was read");
}

void chrome_reader::state::finish() {
  where = place::done;
  if (section) summary.terminated = true;  // it has no brackets of its own
  summary.bytes = window.offset() + window.size();
}

// Reads more text. When there is none, or the item at window.at() is longer than the limits allow, the
// file is cut or the item passed over; false then.
bool chrome_reader::state::need_more(const char* what) {
  if (window.size() > options.bounds.max_string_bytes && where != place::lost) {
    damage(fault_code::limit, std::string(what) + " is longer than limits::max_string_bytes", window.offset(),
           "raise max_string_bytes");
    broken(window.at());
    return false;
  }
  if (window.more()) return true;
  if (window.source_fault() && !summary.damage) summary.damage = window.source_fault();
  const bool nothing_left = skip_json_space(window.at(), window.end()) == window.end();
  if (where == place::events || where == place::members) {
    if (!nothing_left) {
      cut(what);
      broken(window.at());  // whole events may follow a bracket that was lost
      return false;
    }
    if (!summary.bare_array) cut("the object around the events");
  }
  finish();
  return false;
}

// Past blanks and commas. Anything but one comma between two items is irregular.
void chrome_reader::state::skip_separators() {
  const char* at = window.at();
  for (;; ++at) {
    at = skip_json_space(at, window.end());
    if (at == window.end() || *at != ',') break;
    if (before != token::item) irregular_at(window.offset_of(at));
    before = token::comma;
  }
  window.skip_to(at);
}

void chrome_reader::state::begin_item() {
  if (before == token::item) irregular_at(window.offset());  // no comma
  before = token::open;
}

void chrome_reader::state::end_items() {
  if (before == token::comma) irregular_at(window.offset());
}

// One event or member ends before this, or it is too long.
const char* chrome_reader::state::item_bound() {
  const std::uint64_t most = options.bounds.max_string_bytes;
  return window.size() > most ? window.at() + most : window.end();
}

// ---- events --------------------------------------------------------------------------------------------

void chrome_reader::state::take_time(const event_text& e) {
  given.ts_ps.reset();
  given.dur_ps.reset();
  bool counted = false;
  const auto unusable = [&] {
    if (!counted && summary.unusable_times++ == 0) summary.first_unusable_time = given.byte_offset;
    counted = true;
  };
  const bool is_span = given.phase == 'X';
  const std::string_view ts = e[event_field::ts];
  given.has_time = !ts.empty() && ts != "null";
  if (given.has_time && given.phase != 'M') {
    decimal_time t;
    if (!zero_known && parse_microseconds(ts, t, ns_exponent) && t.us >= min_unix_us) {
      summary.nanoseconds = true;
      unit_exponent = ns_exponent;
    }
    bool usable = parse_microseconds(ts, t, unit_exponent);
    if (usable && !zero_known) {
      zero_known = true;
      if (t.us >= far_time_us) summary.zero_us = t.us - t.us % second_us;
    }
    std::int64_t ps = 0;
    usable = usable && ps_since(t, summary.zero_us, ps);
    if (usable)
      given.ts_ps = ps;
    else
      unusable();
  }
  const std::string_view dur = e[event_field::dur];
  if (dur.empty() || dur == "null") return;
  std::int64_t ps = 0;
  if (!parse_duration(dur, ps, unit_exponent)) return unusable();
  given.dur_ps = ps;
  if (is_span && ps < 0) unusable();
  if (given.ts_ps && !checked_add(*given.ts_ps, ps)) {  // it ends out of reach
    given.ts_ps.reset();
    unusable();
  }
}

void chrome_reader::state::take(const event_text& e, json_member_list args) {
  given.ordinal = summary.events;
  given.byte_offset = window.offset_of(e.json.data());
  irregular_at(given.byte_offset, decoder.decode(e, given));
  given.args = args;
  if (section) {
    if (!section_is_open) {
      section_is_open = true;
      if (!section->open(given.args_json, given.byte_offset, *visitor)) stopped = true;
      return;
    }
    if (!section->restore(given)) return;
  }
  take_time(e);
  ++summary.events;
  if (!visitor->event(given)) stopped = true;
}

// Gives the whole events of the window. False when there is only one, or not all is as it should be: then none is given,
// and the window's events are read alone.
bool chrome_reader::state::take_many() {
  const std::string_view text(window.at(), window.size());
  const std::size_t cut = likely_end_of_events(text);
  if (cut == 0) {
    one_by_one_until = window.offset() + window.size();
    return false;
  }
  const auto arguments = splitter.events(text.substr(0, cut), window_events);
  const bool any_too_long = std::any_of(window_events.begin(), window_events.end(), [this](const event_text& e) {
    return e.json.size() > options.bounds.max_string_bytes;
  });
  if (!arguments || any_too_long) {
    one_by_one_until = ++refused_windows < max_refused_windows ? window.offset() + cut : no_offset;
    return false;
  }
  refused_windows = 0;
  for (const event_text& e : window_events) {
    if (!stopped) take(e, e.args(arguments->first));
  }
  before = token::item;
  window.skip_to(window_events.back().json.data() + window_events.back().json.size());
  return true;
}

// Gives the event that the window begins with, or finds that it is not an event.
void chrome_reader::state::take_one() {
  const char* const from = window.at();
  const json_value_end last = end_of_value(from, item_bound(), options.bounds.max_nesting);
  if (last.why == json_end::more) {
    need_more("an event");
    return;
  }
  event_text event;
  std::uint64_t strays = 0;
  event.json = std::string_view(from, static_cast<std::size_t>(last.end - from));
  if (last.why != json_end::found || !split_event(event, options.bounds.max_nesting, strays)) {
    broken(from, last.why);
    return;
  }
  irregular_at(window.offset(), strays);
  take(event);
  before = token::item;
  window.skip_to(last.end);
}

void chrome_reader::state::read_events() {
  if (window.size() < options.chunk_bytes) window.more();
  skip_separators();
  if (window.size() == 0) {
    need_more("the array of events");
    return;
  }
  const char first = *window.at();
  if (first == ']') {
    end_items();
    window.skip_to(window.at() + 1);
    before = token::item;
    where = summary.bare_array ? place::ended : place::members;
    if (summary.bare_array) summary.terminated = true;
    return;
  }
  if (first != '{') {
    broken(window.at());
    return;
  }
  begin_item();
  if (window.offset() < one_by_one_until || !take_many()) take_one();
}

// In damage: the next object with a "ph" is taken for the next event.
void chrome_reader::state::find_next_event() {
  const auto* brace =
      window.size() == 0 ? nullptr : static_cast<const char*>(std::memchr(window.at(), '{', window.size()));
  window.skip_to(brace == nullptr ? window.end() : brace);
  if (brace == nullptr) {
    if (!window.more()) need_more("");
    return;
  }
  const std::size_t bytes = std::min(window.size(), recovery_bytes);
  const json_value_end last = end_of_value(brace, brace + bytes, options.bounds.max_nesting);
  if (last.why == json_end::more && bytes < recovery_bytes && window.more()) return;  // look again with more text
  if (last.why == json_end::found) {
    event_text event;
    event.json = std::string_view(brace, static_cast<std::size_t>(last.end - brace));
    std::uint64_t strays = 0;
    const bool sound = split_event(event, options.bounds.max_nesting, strays);
    if (sound && !event[event_field::ph].empty() && event[event_field::ph].front() == '"') {
      where = place::events;
      before = token::open;
      summary.has_events_key = true;
      return;
    }
  }
  window.skip_to(window.at() + 1);
}

// ---- around the events -----------------------------------------------------------------------------------

result<void> chrome_reader::state::begin() {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  while (window.size() < byte_order_mark.size() && window.more()) {}
  if (std::string_view(window.at(), std::min(window.size(), byte_order_mark.size())) == byte_order_mark) {
    window.skip_to(window.at() + byte_order_mark.size());
  }
  for (;;) {
    window.skip_to(skip_json_space(window.at(), window.end()));
    if (window.size() > 0 || !window.more()) break;
  }
  if (window.size() == 0) {
    finish();
    if (window.source_fault()) return *window.source_fault();
    return fault{fault_code::damaged, "the file is empty: expected trace-event JSON", "", 0, ""};
  }
  const char first = *window.at();
  if (first != '{' && first != '[') {
    finish();
    return fault{fault_code::unrecognised, "not trace-event JSON: expected '{' or '[' at the start", "",
                 window.offset(), ""};
  }
  while (first == '{' && window.size() < section_head.size() && section_reader::begins_section({window.at(), window.size()}) && window.more()) {}
  if (std::string_view(window.at(), window.size()).substr(0, section_head.size()) == section_head) {
    section.emplace();
    summary.bare_array = summary.has_events_key = true;
    where = place::events;
    return {};
  }
  summary.bare_array = summary.has_events_key = first == '[';
  where = first == '[' ? place::events : place::members;
  window.skip_to(window.at() + 1);
  return {};
}

// One "key": value of the outer object, its closing brace, or the start of the events.
void chrome_reader::state::read_member() {
  skip_separators();
  if (window.size() == 0) {
    need_more("a header value");
    return;
  }
  const char* const at = window.at();
  const char* const end = item_bound();
  if (*at == '}') {
    end_items();
    window.skip_to(at + 1);
    summary.terminated = true;
    where = place::ended;
    return;
  }
  if (*at != '"') {
    broken(at);
    return;
  }
  const json_value_end key = end_of_string(at, end);
  const char* const colon = key.why == json_end::found ? skip_json_space(key.end, end) : end;
  if (colon == end) {
    need_more("a header key");
    return;
  }
  if (*colon != ':') {
    broken(at);
    return;
  }
  const char* const value = skip_json_space(colon + 1, end);
  const std::string_view name = json_text(std::string_view(at, static_cast<std::size_t>(key.end - at)), key_scratch);
  if (value != end && *value == '[' && name == "traceEvents") {
    window.skip_to(value + 1);
    summary.has_events_key = true;
    before = token::open;
    where = place::events;
    return;
  }
  const json_value_end last = end_of_value(value, end, options.bounds.max_nesting);
  switch (last.why) {
    case json_end::more: need_more("a header value"); return;
    case json_end::broken:
    case json_end::too_nested: broken(at, last.why); return;
    case json_end::found: break;
  }
  // Some writers have no other list for "no event".
  if (name == "traceEvents" && std::string_view(value, static_cast<std::size_t>(last.end - value)) == "null") {
    summary.has_events_key = true;
  }
  if (!visitor->header(name, std::string_view(value, static_cast<std::size_t>(last.end - value)),
                       window.offset_of(value))) {
    stopped = true;
  }
  begin_item();
  before = token::item;
  window.skip_to(last.end);
}

// Only blanks may follow; after anything else there may be more events.
void chrome_reader::state::past_the_end() {
  window.skip_to(skip_json_space(window.at(), window.end()));
  if (window.size() == 0) {
    if (!window.more()) need_more("");
    return;
  }
  broken(window.at());
}

result<bool> chrome_reader::state::step() {
  const std::uint64_t events_before = summary.events;
  if (result<void> go_on = progress.step(window.offset()); !go_on) return go_on.error();
  const std::uint64_t stop_at = window.offset() + options.chunk_bytes;
  while (where != place::done && !stopped && summary.events == events_before && window.offset() < stop_at) {
    switch (where) {
      case place::start:
        if (result<void> started = begin(); !started) return started.error();
        break;
      case place::members: read_member(); break;
      case place::events: read_events(); break;
      case place::lost: find_next_event(); break;
      case place::ended: past_the_end(); break;
      case place::done: break;
    }
  }
  if (stopped) finish();
  return where != place::done;
}

// ---- public ----------------------------------------------------------------------------------------------

chrome_reader::chrome_reader(std::string_view bytes, const chrome_options& options)
    : state_(std::make_unique<state>(bytes, bytes.size(), options)) {}
chrome_reader::chrome_reader(source& from, const chrome_options& options)
    : state_(std::make_unique<state>(from, 0, options)) {}
chrome_reader::~chrome_reader() = default;
chrome_reader::chrome_reader(chrome_reader&&) noexcept = default;
chrome_reader& chrome_reader::operator=(chrome_reader&&) noexcept = default;

const chrome_summary& chrome_reader::summary() const noexcept { return state_->summary; }

result<bool> chrome_reader::next(chrome_visitor& into) {
  state_->visitor = &into;
  return contained([this] { return state_->step(); });
}

std::optional<fault> damage_of_times(const chrome_summary& summary) {
  if (summary.unusable_times == 0) return std::nullopt;
  return fault{fault_code::damaged,
               std::to_string(summary.unusable_times) + (summary.unusable_times == 1 ? " event has" : " events have") +
                   " a ts or dur that is no number, negative or 106 days off",
               "", summary.first_unusable_time, "their other fields were read"};
}

namespace {

result<chrome_summary> read_all_events(chrome_reader& reader, chrome_visitor& into) {
  for (;;) {
    result<bool> more = reader.next(into);
    if (!more) return more.error();
    if (!*more) return reader.summary();
  }
}

}  // namespace

result<chrome_summary> read_chrome(std::string_view bytes, chrome_visitor& into, const chrome_options& options) {
  return contained([&]() -> result<chrome_summary> {
    chrome_reader reader(bytes, options);
    return read_all_events(reader, into);
  });
}

result<chrome_summary> read_chrome(source& from, chrome_visitor& into, const chrome_options& options) {
  return contained([&]() -> result<chrome_summary> {
    chrome_reader reader(from, options);
    return read_all_events(reader, into);
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
