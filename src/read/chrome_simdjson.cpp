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
  std::string quoted, scratch;
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

// The text from `start` up to `stop`, without the blanks and the one comma before `stop`.
std::string_view value_before(const char* start, const char* stop, bool comma) {
  while (is_json_space(stop[-1])) --stop;
  if (comma) --stop;
  while (is_json_space(stop[-1])) --stop;
  return {start, static_cast<std::size_t>(stop - start)};
}

// Reads the members of one event, up to its closing brace. An object or array of arguments is passed over
// by counting brackets only; `open_arguments` is its start when it is the last member.
bool read_members(simdjson::ondemand::object& object, event_text& event, const char*& open_arguments,
                  std::string& quoted, std::string& scratch) {
  using namespace simdjson;
  constexpr auto args = static_cast<std::size_t>(event_field::args);
  event.values = {};
  open_arguments = nullptr;
  for (auto member : object) {
    ondemand::field field;
    if (std::move(member).get(field) != SUCCESS) return false;
    const char* const key = field.key().raw();
    if (open_arguments != nullptr) {
      event.values[args] = value_before(open_arguments, key - 1, true);
      open_arguments = nullptr;
    }
    const std::size_t which = field_at(key, quoted, scratch);
    if (which == no_event_field) continue;
    const std::string_view token = field.value().raw_json_token();
    if (which == args && (*token.data() == '{' || *token.data() == '['))
      open_arguments = token.data();
    else
      event.values[which] = trim_json_space(token);
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
  if (state_->parser.iterate(padded_string_view(begin - 1, length, length + padding)).get(document) != SUCCESS)
    return done;
  if (document.get_array().get(elements) != SUCCESS) return done;
  event_text event;
  for (auto element : elements) {
    ondemand::value value;
    ondemand::object object;
    if (std::move(element).get(value) != SUCCESS) break;
    const char* const start = value.raw_json_token().data();
    if (value.get_object().get(object) != SUCCESS) break;
    const char* open_arguments = nullptr;
    if (!read_members(object, event, open_arguments, state_->quoted, state_->scratch)) break;
    const char* next = nullptr;
    if (document.current_location().get(next) != SUCCESS) break;
    while (next[-1] != '}') --next;  // back over the blanks before the next token
    if (open_arguments != nullptr) {
      event.values[static_cast<std::size_t>(event_field::args)] = value_before(open_arguments, next - 1, false);
    }
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
