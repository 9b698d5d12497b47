#include <formats/chrome/json_splitter.hpp>

#include <base/json_scalar.hpp>
#include <formats/chrome/chrome_text.hpp>

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

namespace ondemand = simdjson::ondemand;

std::string_view without_trailing_blanks(const char* from, const char* to) noexcept {
  while (is_json_space(to[-1])) --to;
  return {from, static_cast<std::size_t>(to - from)};
}

// The key before a value: between them are the quote that closes it, a colon and blanks.
std::string_view key_before(const char* key, const char* value) noexcept {
  while (*--value != ':') {}
  while (*--value != '"') {}
  return {key, static_cast<std::size_t>(value - key)};
}

// Goes over a text to the end of each value: On-Demand does not look at what is skipped. What it hands out is used where
// it lies: a copy is several times as slow as all the rest.
class walker {
 public:
  walker(ondemand::document& text, std::uint32_t max_nesting) : text_(text), max_nesting_(max_nesting) {}

  // `take` is called with key and value of each member and has to pass() or look into the value; false ends the walk.
  template <class Take>
  bool members(ondemand::value& of, std::uint32_t depth, Take&& take) {
    auto object = of.get_object();
    if (object.error() != simdjson::SUCCESS || depth > max_nesting_) return false;
    for (auto&& each : object) {
      if (each.error() != simdjson::SUCCESS) return false;
      auto&& field = std::move(each).value_unsafe();
      ondemand::value& value = field.value();
      const std::string_view token = value.raw_json_token();
      if (!take(key_before(field.key().raw(), token.data()), value, token)) return false;
    }
    return true;
  }
  template <class Of, class Take>
  bool elements(Of& of, std::uint32_t depth, Take&& take) {
    auto array = of.get_array();
    if (array.error() != simdjson::SUCCESS || depth > max_nesting_) return false;
    for (auto&& each : array) {
      if (each.error() != simdjson::SUCCESS) return false;
      auto&& value = std::move(each).value_unsafe();
      if (!take(std::string_view(), value, value.raw_json_token())) return false;
    }
    return true;
  }
  // Past a value, which becomes its whole text. It opens brackets of that depth, if any.
  bool pass(ondemand::value& value, std::string_view& token, std::uint32_t depth) {
    const auto pass_inner = [&](std::string_view, ondemand::value& inner, std::string_view inner_token) {
      return pass(inner, inner_token, depth + 1);
    };
    if (token.front() == '{') return members(value, depth, pass_inner) && up_to_here(token);
    if (token.front() == '[') return elements(value, depth, pass_inner) && up_to_here(token);
    token = without_trailing_blanks(token.data(), token.data() + token.size());
    // A string has to be taken: On-Demand would skip what it holds for a key up to the end of the value after it.
    if (token.front() == '"') return value.get_raw_json_string().error() == simdjson::SUCCESS;
    return is_json_scalar(token);
  }
  // Makes `token` the text from its start to before what is looked at next.
  bool up_to_here(std::string_view& token) {
    const char* here = nullptr;
    if (text_.current_location().get(here) != simdjson::SUCCESS) return false;
    token = without_trailing_blanks(token.data(), here);
    return true;
  }

 private:
  ondemand::document& text_;
  std::uint32_t max_nesting_;
};

}  // namespace

struct json_splitter::state {
  explicit state(std::uint32_t nesting) : max_nesting(std::min(std::max(nesting, 1U), 1024U)) {}

  ondemand::parser parser;
  std::unique_ptr<char[]> copy;  // the text, and room after it that simdjson may look at
  std::size_t capacity = 0;
  const char* original = nullptr;  // the text
  const char* copied = nullptr;    // its copy
  std::uint32_t max_nesting;
  std::vector<json_member_text> members;

  // Looks at `before` + text + `after`, in the copy.
  bool begin(std::string_view before, std::string_view text, std::string_view after, ondemand::document& into) {
    const std::size_t size = before.size() + text.size() + after.size();
    if (size + simdjson::SIMDJSON_PADDING > capacity) {
      capacity = size + size / 2 + simdjson::SIMDJSON_PADDING;
      copy.reset(new char[capacity]);
    }
    char* at = std::copy(before.begin(), before.end(), copy.get());
    original = text.data();
    copied = at;
    at = std::copy(text.begin(), text.end(), at);
    at = std::copy(after.begin(), after.end(), at);
    std::memset(at, ' ', simdjson::SIMDJSON_PADDING);
    return parser.iterate(copy.get(), size, size + simdjson::SIMDJSON_PADDING).get(into) == simdjson::SUCCESS;
  }
  [[nodiscard]] std::string_view in_text(std::string_view in_copy) const noexcept {
    if (in_copy.empty()) return {};
    return {original + (in_copy.data() - copied), in_copy.size()};
  }
  void add_member(std::string_view key, std::string_view value) {
    json_member_text& m = members.emplace_back();
    m.key = in_text(key);
    m.value = in_text(value);
  }

  bool split(std::string_view text, char kind) {
    members.clear();
    ondemand::document document;
    // Inside an array, so that something follows the value.
    if (text.empty() || !begin("[", text, "]", document)) return false;
    walker walk(document, max_nesting + 1);
    bool found = false;
    const auto keep = [&](std::string_view key, ondemand::value& value, std::string_view token) {
      if (!walk.pass(value, token, 3)) return false;
      add_member(key, token);
      return true;
    };
    const auto take_only = [&](std::string_view, ondemand::value& value, std::string_view token) {
      if (found || token.front() != kind) return false;
      found = true;
      return kind == '{' ? walk.members(value, 2, keep) : walk.elements(value, 2, keep);
    };
    return walk.elements(document, 1, take_only) && found &&
           document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing after it
  }
};

json_splitter::json_splitter(std::uint32_t max_nesting) : state_(std::make_unique<state>(max_nesting)) {}
json_splitter::~json_splitter() = default;
json_splitter::json_splitter(json_splitter&&) noexcept = default;
json_splitter& json_splitter::operator=(json_splitter&&) noexcept = default;

std::optional<json_member_list> json_splitter::object(std::string_view text) {
  if (!state_->split(text, '{')) return std::nullopt;
  return json_member_list{state_->members.data(), state_->members.size()};
}

std::optional<json_member_list> json_splitter::array(std::string_view text) {
  if (!state_->split(text, '[')) return std::nullopt;
  return json_member_list{state_->members.data(), state_->members.size()};
}

std::optional<json_member_list> json_splitter::events(std::string_view text, std::vector<event_text>& into) {
  state& s = *state_;
  into.clear();
  s.members.clear();
  ondemand::document document;
  if (!s.begin("[", text, "]", document)) return std::nullopt;
  const bool escapes = std::memchr(text.data(), '\\', text.size()) != nullptr;
  walker walk(document, s.max_nesting + 1);
  const auto take_argument = [&](std::string_view key, ondemand::value& value, std::string_view token) {
    if (!walk.pass(value, token, 4)) return false;
    s.add_member(key, token);
    return true;
  };
  const auto take_field = [&](std::string_view key, ondemand::value& value, std::string_view token) {
    event_text& e = into.back();
    const std::size_t field = event_field_of(key);
    if (field == static_cast<std::size_t>(event_field::args)) e.forget_args();  // of equal keys the last counts
    if (field == static_cast<std::size_t>(event_field::args) && token.front() == '{') {
      const std::size_t first = s.members.size();
      if (!walk.members(value, 3, take_argument) || !walk.up_to_here(token)) return false;
      e.set_args(first, s.members.size() - first);
    } else if (!walk.pass(value, token, 3)) {
      return false;
    }
    if (field != no_event_field) e.set(field, s.in_text(token));
    return true;
  };
  const auto take_event = [&](std::string_view, ondemand::value& value, std::string_view token) {
    into.emplace_back();
    into.back().escapes = escapes;
    if (!walk.members(value, 2, take_field) || !walk.up_to_here(token)) return false;
    into.back().json = s.in_text(token);
    return true;
  };
  if (!walk.elements(document, 1, take_event)) return std::nullopt;
  return json_member_list{s.members.data(), s.members.size()};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
