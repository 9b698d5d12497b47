#include <read/chrome_simdjson.hpp>

#include <simdjson.h>

#include <cstring>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

static_assert(simdjson_events::padding >= simdjson::SIMDJSON_PADDING);

struct simdjson_events::state {
  simdjson::ondemand::parser parser;
  std::string key, scratch;
};

namespace {

// Puts bytes at two places and the old ones back at the end.
class borrowed_bytes {
 public:
  borrowed_bytes(char* first, char* second) : first_(first), second_(second), old_first_(*first), old_second_(*second) {
    *first_ = '[';
    *second_ = ']';
  }
  ~borrowed_bytes() {
    *first_ = old_first_;
    *second_ = old_second_;
  }
  borrowed_bytes(const borrowed_bytes&) = delete;
  borrowed_bytes& operator=(const borrowed_bytes&) = delete;

 private:
  char* first_;
  char* second_;
  char old_first_, old_second_;
};

// `key` points past the opening quote; the closing one is known to be there.
std::size_t field_at(const char* key, std::string& quoted, std::string& scratch) {
  const char* end = key;
  while (*end != '"' && *end != '\\') ++end;
  if (*end == '"') return event_field_of(std::string_view(key, static_cast<std::size_t>(end - key)));
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  quoted.assign(key - 1, static_cast<std::size_t>(end - key) + 2);
  return event_field_of(json_text(quoted, scratch));
}

// Reads the members of one event. False at the first error.
bool read_members(simdjson::ondemand::object& object, event_text& event, std::string& key, std::string& scratch) {
  using namespace simdjson;
  event.values = {};
  for (auto member : object) {
    ondemand::field field;
    if (std::move(member).get(field) != SUCCESS) return false;
    const std::size_t which = field_at(field.key().raw(), key, scratch);
    if (which == no_event_field) continue;
    ondemand::value& value = field.value();
    std::string_view raw = trim_json_space(value.raw_json_token());
    if (which == static_cast<std::size_t>(event_field::args) && !raw.empty() && raw.front() == '{') {
      ondemand::object nested;
      if (value.get_object().get(nested) != SUCCESS || nested.raw_json().get(raw) != SUCCESS) return false;
      raw = trim_json_space(raw);
    } else if (which == static_cast<std::size_t>(event_field::args) && !raw.empty() && raw.front() == '[') {
      ondemand::array nested;
      if (value.get_array().get(nested) != SUCCESS || nested.raw_json().get(raw) != SUCCESS) return false;
      raw = trim_json_space(raw);
    }
    event.values[which] = raw;
  }
  return true;
}

}  // namespace

simdjson_events::simdjson_events() : state_(std::make_unique<state>()) {}
simdjson_events::~simdjson_events() = default;

const char* simdjson_events::parse(char* begin, char* end, event_text_sink& into) {
  using namespace simdjson;
  const borrowed_bytes brackets(begin - 1, end);
  const char* done = begin;
  const auto length = static_cast<std::size_t>(end - begin) + 2;
  ondemand::document document;
  ondemand::array elements;
  if (state_->parser.iterate(padded_string_view(begin - 1, length, length + padding)).get(document) != SUCCESS) return done;
  if (document.get_array().get(elements) != SUCCESS) return done;
  event_text event;
  for (auto element : elements) {
    ondemand::value value;
    ondemand::object object;
    if (std::move(element).get(value) != SUCCESS) break;
    const char* const start = value.raw_json_token().data();
    if (value.get_object().get(object) != SUCCESS) break;
    if (!read_members(object, event, state_->key, state_->scratch)) break;
    const char* next = nullptr;
    if (document.current_location().get(next) != SUCCESS) break;
    while (next[-1] != '}') --next;  // back over the blanks before the next token
    event.json = std::string_view(start, static_cast<std::size_t>(next - start));
    done = next;
    if (!into.take(event)) {
      stopped_ = true;
      break;
    }
  }
  return done;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
