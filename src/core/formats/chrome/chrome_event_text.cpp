#include <formats/chrome/chrome_event_text.hpp>

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
constexpr field_table fields_by_word;
static_assert(fields_by_word.distinct);

}  // namespace

std::size_t event_field_of(std::string_view key) {
  if (key.size() > 4) {  // longer than any field, unless escapes make it so
    if (std::memchr(key.data(), '\\', key.size()) == nullptr) return no_event_field;
    std::string scratch;
    const std::string_view plain = json_text('"' + std::string(key) + '"', scratch);
    return plain.size() > 4 ? no_event_field : event_field_of(plain);
  }
  if (key.size() < 2) return no_event_field;
  // Two bytes from both ends cover it, and those in the middle fall on each other.
  const std::size_t last = key.size() - 1;
  const auto at = [key](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(key[i])} << (8 * i); };
  const std::uint32_t word = at(0) | at(1) | at(last / 2 + last % 2) | at(last);
  const std::size_t slot = field_table::slot_of(word);
  return fields_by_word.words[slot] == word ? fields_by_word.field[slot] : no_event_field;
}

bool split_event(event_text& e, std::uint32_t max_nesting, std::uint64_t& irregular) {
  e.clear();
  e.escapes = true;
  json_members members(e.json, max_nesting);
  while (members.next()) {
    const std::size_t field = event_field_of(members.key());
    if (field != no_event_field) e.set(field, members.value());
  }
  if (members.trailing_comma()) ++irregular;
  return members.ok();
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
  into.args = {};
  into.json = from.json;
  return sound ? 0 : 1;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
