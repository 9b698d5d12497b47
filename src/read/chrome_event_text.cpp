#include <read/chrome_event_text.hpp>
#include <read/json_walk.hpp>

#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Fields are strings or numbers; anything else counts as absent.
bool is_text_or_number(std::string_view raw) noexcept {
  return !raw.empty() && raw.front() != '{' && raw.front() != '[' && raw != "null";
}

}  // namespace

namespace {

// The bytes of a key of up to four as a number.
constexpr std::uint32_t key_word(std::string_view key) noexcept {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < key.size(); ++i) word |= std::uint32_t{static_cast<unsigned char>(key[i])} << (8 * i);
  return word;
}

// A table in which no two fields meet.
struct field_table {
  static constexpr std::size_t slots = 32;
  static constexpr std::size_t slot_of(std::uint32_t word) noexcept { return word * 0x85ebca6bU >> 27; }
  constexpr field_table() {
    for (std::size_t& f : field) f = no_event_field;
    constexpr std::string_view keys[event_fields] = {"name", "cat", "id", "ph", "pid", "tid", "ts", "dur", "args"};
    for (std::size_t i = 0; i < event_fields; ++i) {
      const std::uint32_t word = key_word(keys[i]);
      distinct = distinct && field[slot_of(word)] == no_event_field;
      words[slot_of(word)] = word;
      field[slot_of(word)] = i;
    }
  }
  std::uint32_t words[slots] = {};
  std::size_t field[slots] = {};
  bool distinct = true;
};
constexpr field_table fields;
static_assert(fields.distinct);

}  // namespace

std::size_t event_field_of(std::string_view key) noexcept {
  if (key.size() > 4 || key.size() < 2) return no_event_field;
  // Two bytes from both ends cover it, and those in the middle fall on each other.
  const std::size_t last = key.size() - 1;
  const auto at = [key](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(key[i])} << (8 * i); };
  const std::uint32_t word = at(0) | at(1) | at(last / 2 + last % 2) | at(last);
  const std::size_t slot = field_table::slot_of(word);
  return fields.words[slot] == word ? fields.field[slot] : no_event_field;
}

namespace {

// Also of a key with escapes.
std::size_t field_of_any(std::string_view key) {
  if (key.find('\\') == std::string_view::npos) return event_field_of(key);
  std::string scratch;
  return event_field_of(json_text('"' + std::string(key) + '"', scratch));
}

}  // namespace

bool split_event(event_text& e, std::uint32_t max_nesting, std::uint64_t& irregular) {
  e.clear();
  e.args_marks = {};
  e.escapes = true;
  json_members members(e.json, max_nesting);
  while (members.next()) {
    const std::size_t field = field_of_any(members.key());
    if (field != no_event_field) e.set(field, members.value());
  }
  if (members.trailing_comma()) ++irregular;
  return members.ok();
}

bool split_marked_event(std::string_view text, json_marks& marks, json_gaps& gaps, event_text& e,
                        std::uint64_t& irregular) {
  while (marks.first != marks.last && marks.base + marks.places[marks.first] < text.data()) ++marks.first;
  e.clear();
  e.args_marks = {};
  e.escapes = marks.escapes;
  const auto find = [](std::string_view key) {
    const std::size_t field = field_of_any(key);
    return field == no_event_field ? json_gaps::no_slot : static_cast<std::uint8_t>(field);
  };
  const auto take = [&e](std::uint8_t field, std::string_view value, const json_marks& inner) {
    e.set(field, value);
    if (field == static_cast<std::uint8_t>(event_field::args)) e.args_marks = inner;
  };
  const walked_object walked = walk_marked_object(text, marks, gaps, find, take);
  if (walked.end == nullptr) return false;
  if (walked.trailing_comma) ++irregular;
  marks.first = walked.last_mark;
  e.json = text.substr(0, static_cast<std::size_t>(walked.end - text.data()));
  return true;
}

std::string_view event_decoder::unusual_text_of(std::string_view raw, std::size_t slot, bool& sound) {
  return is_text_or_number(raw) ? json_text(raw, scratch_[slot], &sound) : std::string_view();
}

std::uint64_t event_decoder::decode(const event_text& from, chrome_event& into) {
  bool sound = true;
  const auto text_of = [&](event_field f, std::size_t slot) __attribute__((always_inline)) {
    const std::string_view raw = from[f];
    if (raw.empty()) return raw;
    if (raw.front() == '"') {
      if (!from.escapes || std::memchr(raw.data(), '\\', raw.size()) == nullptr) return raw.substr(1, raw.size() - 2);
    } else if (raw.front() >= '0' && raw.front() <= '9') {
      return raw;
    }
    return unusual_text_of(raw, slot, sound);
  };
  into.name = text_of(event_field::name, 0);
  into.cat = text_of(event_field::cat, 1);
  into.id = text_of(event_field::id, 2);
  const auto ref = [&](event_field f, std::size_t slot) __attribute__((always_inline)) {
    const std::string_view raw = from[f];
    return chrome_ref{text_of(f, slot), !raw.empty() && raw.front() == '"'};
  };
  into.pid = ref(event_field::pid, 3);
  into.tid = ref(event_field::tid, 4);
  const std::string_view phase = text_of(event_field::ph, 5);
  into.phase = phase.size() == 1 && from[event_field::ph].front() == '"' ? phase.front() : '\0';
  into.args_json = from[event_field::args];
  into.args_marks = from.args_marks;
  into.json = from.json;
  return sound ? 0 : 1;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
