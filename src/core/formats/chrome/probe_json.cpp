#include <formats/chrome/chrome_text.hpp>
#include <formats/chrome/json_outline.hpp>
#include <formats/chrome/probe_json.hpp>
#include <formats/head_text.hpp>
#include <formats/probe_wire.hpp>

#include <cstddef>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Walks over JSON without judging it: strings and nesting are all a probe needs. A head may end anywhere.
class json_scan {
 public:
  explicit json_scan(std::string_view head) noexcept : text_(head) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;
  }

  // The next character other than white space; 0 at the end. A string is taken whole, see string().
  char next() noexcept {
    while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
    if (at_ >= text_.size()) return 0;
    const char c = text_[at_++];
    if (c == '"') take_string();
    if (c == '{' || c == '[') ++depth_;
    if ((c == '}' || c == ']') && depth_ > 0) --depth_;
    return c;
  }
  // The last string, between its quotes, escapes as they stand.
  [[nodiscard]] std::string_view string() const noexcept { return string_; }
  // How many objects and arrays are open.
  [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
  // True when a colon follows: the last string is a key.
  [[nodiscard]] bool at_colon() const noexcept {
    std::size_t at = at_;
    while (at < text_.size() && is_json_space(text_[at])) ++at;
    return at < text_.size() && text_[at] == ':';
  }

 private:
  void take_string() noexcept {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) {  // cut
      at_ = text_.size();
      string_ = {};
      return;
    }
    string_ = text_.substr(start, at_ - start);
    ++at_;
  }

  std::string_view text_;
  std::string_view string_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

probe_result probe_object(json_scan& scan) noexcept {
  bool unit = false, schema = false, devices = false, first = true, keys = false;
  for (char c = scan.next(); c != 0 && scan.depth() > 0; c = scan.next(), first = false) {
    if (first) keys = c == '"' && scan.at_colon();
    if (c != '"' || scan.depth() != 1 || !scan.at_colon()) continue;
    if (scan.string() == "traceEvents") return {detection_confidence::certain, "traceEvents"};
    unit |= scan.string() == "displayTimeUnit";
    schema |= scan.string() == "schemaVersion";
    devices |= scan.string() == "deviceProperties";
  }
  // The events may begin past the head; an object that closed without them holds none.
  if (scan.depth() == 0) return {};
  if (unit) return {detection_confidence::likely, "displayTimeUnit"};
  if (schema && devices) return {detection_confidence::likely, "schemaVersion, deviceProperties"};
  if (keys) return {detection_confidence::possible, "an object that goes on"};
  return {};
}

probe_result probe_array(json_scan& scan) noexcept {
  const char first = scan.next();
  if (first == ']' && scan.next() == 0) return {detection_confidence::likely, "empty array"};
  if (first != '{') return {};
  // The first events: metadata events and duration events all say their phase.
  for (char c = scan.next(); c != 0 && scan.depth() > 0; c = scan.next()) {
    if (c == '"' && scan.depth() == 2 && scan.string() == "ph" && scan.at_colon()) {
      return {detection_confidence::certain, "array of events with ph"};
    }
  }
  return {};
}

}  // namespace

probe_result probe_chrome_trace(std::string_view head) noexcept {
  json_scan scan(head);
  switch (scan.next()) {
    case '{': return probe_object(scan);
    case '[': return probe_array(scan);
    default: return {};
  }
}

std::string why_no_trace(std::string_view head) {
  constexpr std::size_t max_first_bytes = 16, max_keys_named = 5;
  const json_outline of = outline_json(head);
  if (!of.is_json && of.stopped_at == 0 && is_plain_text(head.substr(0, max_first_bytes)))
    return "no JSON: it begins with neither { nor [";
  if (!of.is_json) return "no JSON: " + byte_text(head, of.stopped_at);
  const std::string cut = of.is_whole ? "" : ", as far as it goes";
  if (!of.is_object) return "a JSON array without objects that have \"ph\"" + cut;
  std::string text = "a JSON object without \"traceEvents\"" + cut;
  for (std::size_t i = 0; i < of.key_count && i < max_keys_named; ++i)
    text += (i == 0 ? "; its keys: " : ", ") + std::string(of.keys[i]);
  if (of.key_count > max_keys_named) text += ", …";
  return text;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
