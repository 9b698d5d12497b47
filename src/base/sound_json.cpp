#include <base/sound_json.hpp>

#include <profkit/core/chrome.hpp>

#include <base/json_writer.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

void append_sound_json(std::string& out, std::string_view raw) {
  std::string scratch;
  std::size_t at = 0, skipped = 0;
  bool after_value = false;  // anything before the next comma or bracket is not JSON and is left out
  while (at < raw.size()) {
    const char c = raw[at];
    const bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
    if (opens && (after_value || skipped > 0)) ++skipped;
    const std::size_t kept = out.size();
    const bool ignored = skipped > 0 || (after_value && c != ',' && c != ':' && !closes);
    if (closes && skipped > 0) --skipped;
    if (c == '"') {
      std::size_t end = at + 1;
      bool plain = true;
      for (; end < raw.size() && raw[end] != '"'; ++end) {
        if (raw[end] == '\\') {
          plain = false;
          ++end;
        } else if (static_cast<unsigned char>(raw[end]) < 0x20 || static_cast<unsigned char>(raw[end]) >= 0x80) {
          plain = false;
        }
      }
      const std::string_view text = raw.substr(at, std::min(end + 1, raw.size()) - at);
      if (plain && end < raw.size())
        out += text;
      else
        append_json_string(out, json_text(text, scratch));
      at = end + 1;
      if (ignored) out.resize(kept);
      after_value = true;
      continue;
    }
    if (c == ',') {
      after_value = skipped > 0;
      const std::size_t next = raw.find_first_not_of(" \t\r\n,", at + 1);
      if (next != std::string_view::npos && raw[next] != '}' && raw[next] != ']' && !ignored) out += ',';
      at = next == std::string_view::npos ? raw.size() : next;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at;
      continue;
    }
    if (c == '{' || c == '}' || c == '[' || c == ']' || c == ':') {
      if (!ignored) {
        out += c;
        after_value = closes;
      }
      ++at;
      continue;
    }
    // A number or a word: what JSON does not know (NaN, Infinity, True) becomes text.
    const std::size_t end = std::min(raw.find_first_of(" \t\r\n,{}[]:\"", at), raw.size());
    const std::string_view word = raw.substr(at, end - at);
    const bool known = word == "true" || word == "false" || word == "null" ||
                       ((word.front() == '-' || (word.front() >= '0' && word.front() <= '9')) &&
                        word.find_first_not_of("0123456789+-.eE") == std::string_view::npos &&
                        word.find_first_of("0123456789") != std::string_view::npos);
    if (known)
      out += word;
    else
      append_json_string(out, word);
    at = end;
    if (ignored) out.resize(kept);
    after_value = true;
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
