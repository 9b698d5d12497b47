// A second reader of valid trace JSON, as plain and slow as can be, to compare the real one with.
#pragma once
#include "recorded.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace profkit::test {

class slow_reader {
 public:
  explicit slow_reader(std::string_view text) : text_(text) {}

  recorded_trace read() {
    blanks();
    if (peek() == '[') {
      events();
    } else {
      members([&](const std::string& key) {
        if (key == "traceEvents" && peek() == '[')
          events();
        else
          trace_.headers.emplace_back(key, value());
      });
    }
    blanks();
    if (at_ != text_.size()) throw std::runtime_error("text after the end");
    return std::move(trace_);
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : throw std::runtime_error("cut"); }
  void expect(char c) {
    if (peek() != c) throw std::runtime_error("unexpected character at " + std::to_string(at_));
    ++at_;
  }
  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  template <class Member>
  void members(Member member) {
    expect('{');
    blanks();
    if (peek() == '}') {
      ++at_;
      return;
    }
    for (;;) {
      blanks();
      const std::string key = string();
      blanks();
      expect(':');
      blanks();
      member(key);
      blanks();
      if (peek() == '}') {
        ++at_;
        return;
      }
      expect(',');
    }
  }
  template <class Element>
  void elements(Element element) {
    expect('[');
    blanks();
    if (peek() == ']') {
      ++at_;
      return;
    }
    for (;;) {
      blanks();
      element();
      blanks();
      if (peek() == ']') {
        ++at_;
        return;
      }
      expect(',');
    }
  }

  void events() {
    elements([&] {
      recorded_event e;
      const std::size_t start = at_;
      std::string ts;
      members([&](const std::string& key) {
        const bool quoted = peek() == '"';
        const std::string raw = value();
        const std::string text = quoted ? unquoted(raw) : raw;
        const bool usable = raw[0] != '{' && raw[0] != '[' && raw != "null";
        const std::string kept = usable ? text : std::string();
        if (key == "name") e.name = kept;
        if (key == "cat") e.cat = kept;
        if (key == "id") e.id = kept;
        if (key == "pid") e.pid = usable && quoted ? '"' + kept + '"' : kept;
        if (key == "tid") e.tid = usable && quoted ? '"' + kept + '"' : kept;
        if (key == "ph") e.phase = kept.size() == 1 ? kept[0] : '\0';
        if (key == "ts") ts = text;
        if (key == "dur") e.dur_ps = picoseconds(text);
        if (key == "args") e.args = raw;
      });
      e.has_time = !ts.empty();
      if (e.has_time && e.phase != 'M') e.ts_ps = picoseconds(ts);  // tests keep below the far times here
      e.byte_offset = start;
      e.json = text_.substr(start, at_ - start);
      trace_.events.push_back(e);
    });
  }

  // Decimal text without exponent and with at most six decimals.
  static std::int64_t picoseconds(const std::string& text) {
    std::int64_t ps = 0;
    int decimals = -1;
    for (const char c : text) {
      if (c == '-') continue;
      if (c == '.') {
        decimals = 0;
        continue;
      }
      ps = ps * 10 + (c - '0');
      if (decimals >= 0) ++decimals;
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 6; ++i) ps *= 10;
    return text[0] == '-' ? -ps : ps;
  }

  std::string value() {
    const std::size_t start = at_;
    switch (peek()) {
      case '{': members([&](const std::string&) { value(); }); break;
      case '[': elements([&] { value(); }); break;
      case '"': string(); break;
      default:
        while (at_ < text_.size() && std::string_view(" \t\r\n,]}").find(text_[at_]) == std::string_view::npos) ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }
  // Reads a string; gives it without quotes and escapes.
  std::string string() {
    const std::size_t start = at_;
    expect('"');
    while (peek() != '"') at_ += peek() == '\\' ? 2 : 1;
    ++at_;
    return unquoted(std::string(text_.substr(start, at_ - start)));
  }
  static std::string unquoted(const std::string& raw) {
    std::string out;
    for (std::size_t i = 1; i + 1 < raw.size(); ++i) {
      if (raw[i] != '\\') {
        out += raw[i];
        continue;
      }
      const char c = raw[++i];
      const std::string_view letters("bfnrt"), meanings("\b\f\n\r\t");
      if (const auto at = letters.find(c); at != std::string_view::npos)
        out += meanings[at];
      else if (c == 'u') {  // tests use \u00XX below 0x80 only
        out += static_cast<char>(std::stoi(raw.substr(i + 1, 4), nullptr, 16));
        i += 4;
      } else
        out += c;
    }
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  recorded_trace trace_;
};

}  // namespace profkit::test
