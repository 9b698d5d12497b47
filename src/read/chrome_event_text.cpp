#include <read/chrome_event_text.hpp>

#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Fields are strings or numbers; anything else counts as absent.
bool is_text_or_number(std::string_view raw) noexcept {
  return !raw.empty() && raw.front() != '{' && raw.front() != '[' && raw != "null";
}

}  // namespace

std::size_t event_field_of(std::string_view key) noexcept {
  const auto index = [](event_field f) { return static_cast<std::size_t>(f); };
  switch (key.size()) {
    case 2:
      if (key == "ts") return index(event_field::ts);
      if (key == "ph") return index(event_field::ph);
      if (key == "id") return index(event_field::id);
      break;
    case 3:
      if (key == "pid") return index(event_field::pid);
      if (key == "tid") return index(event_field::tid);
      if (key == "dur") return index(event_field::dur);
      if (key == "cat") return index(event_field::cat);
      break;
    case 4:
      if (key == "name") return index(event_field::name);
      if (key == "args") return index(event_field::args);
      break;
    default: break;
  }
  return no_event_field;
}

namespace {

bool take_members(json_members& members, event_text& e, std::uint64_t& irregular) {
  e.values = {};
  e.args_marks = {};
  while (members.next()) {
    std::string_view key = members.key();
    std::size_t field = event_field_of(key);
    if (field == no_event_field && key.find('\\') != std::string_view::npos) {
      std::string scratch;
      field = event_field_of(json_text('"' + std::string(key) + '"', scratch));
    }
    if (field == no_event_field) continue;
    e.values[field] = members.value();
    if (field == static_cast<std::size_t>(event_field::args)) e.args_marks = members.value_marks();
  }
  if (members.trailing_comma()) ++irregular;
  return members.ok();
}

}  // namespace

bool split_event(event_text& e, std::uint32_t max_nesting, std::uint64_t& irregular) {
  json_members members(e.json, max_nesting);
  return take_members(members, e, irregular);
}

bool split_marked_event(std::string_view text, json_marks& marks, event_text& e, std::uint64_t& irregular) {
  while (marks.first != marks.last && marks.base + *marks.first < text.data()) ++marks.first;
  if (marks.first == marks.last || marks.base + *marks.first != text.data()) return false;
  json_members members(text, marks);
  std::uint64_t strays = 0;
  if (!take_members(members, e, strays)) return false;
  irregular += strays;
  e.json = text.substr(0, static_cast<std::size_t>(members.end() - text.data()));
  return true;
}

std::string_view event_decoder::text_of(std::string_view raw, std::size_t slot, bool& sound) {
  if (raw.empty()) return raw;
  if (raw.front() == '"' && std::memchr(raw.data(), '\\', raw.size()) == nullptr) return raw.substr(1, raw.size() - 2);
  return is_text_or_number(raw) ? json_text(raw, scratch_[slot], &sound) : std::string_view();
}

std::uint64_t event_decoder::decode(const event_text& from, chrome_event& into) {
  bool sound = true;
  into.name = text_of(from[event_field::name], 0, sound);
  into.cat = text_of(from[event_field::cat], 1, sound);
  into.id = text_of(from[event_field::id], 2, sound);
  const auto ref = [&](event_field f, std::size_t slot) {
    const std::string_view raw = from[f];
    return chrome_ref{text_of(raw, slot, sound), !raw.empty() && raw.front() == '"'};
  };
  into.pid = ref(event_field::pid, 3);
  into.tid = ref(event_field::tid, 4);
  const std::string_view phase = text_of(from[event_field::ph], 5, sound);
  into.phase = phase.size() == 1 ? phase.front() : '\0';
  into.args_json = from[event_field::args];
  into.args_marks = from.args_marks;
  into.json = from.json;
  return sound ? 0 : 1;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
