#include <base/sound_json.hpp>

#include <profkit/core/chrome.hpp>

#include <base/json_scalar.hpp>
#include <base/json_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class sound_text {
 public:
  explicit sound_text(std::string& out) : out_(out) { levels_.push_back({false, expected::value, false, 0}); }

  void string(std::string_view text, bool is_plain) {
    if (!begin_scalar()) return;
    if (is_plain)
      out_ += text;
    else
      append_json_string(out_, json_text(text, scratch_));
    end_scalar();
  }
  // A number or a word: what JSON does not know (NaN, Infinity, True), and every word as a key, becomes text.
  void word(std::string_view text) {
    const bool is_key = levels_.back().next == expected::key;
    if (!begin_scalar()) return;
    if (!is_key && is_json_scalar(text))
      out_ += text;
    else
      append_json_string(out_, text);
    end_scalar();
  }
  void open(char bracket) {
    if (skipped_ > 0 || levels_.back().next != expected::value) {
      ++skipped_;
      return;
    }
    begin_item();
    out_ += bracket;
    const bool is_object = bracket == '{';
    levels_.push_back({is_object, is_object ? expected::key : expected::value, false, 0});
  }
  void close() {
    if (skipped_ > 0) {
      --skipped_;
      return;
    }
    if (levels_.size() == 1) return;
    drop_lone_key();
    out_ += levels_.back().is_object ? '}' : ']';
    levels_.pop_back();
    end_item();
  }
  void colon() {
    if (skipped_ > 0 || levels_.back().next != expected::colon) return;
    out_ += ':';
    levels_.back().next = expected::value;
  }
  void comma() {
    if (skipped_ > 0 || levels_.size() == 1) return;
    drop_lone_key();
    levels_.back().next = levels_.back().is_object ? expected::key : expected::value;
  }
  void finish() {
    skipped_ = 0;
    while (levels_.size() > 1) close();
    if (!levels_.back().any) out_ += "null";
  }

 private:
  enum class expected { key, colon, value, comma };
  struct level {
    bool is_object;
    expected next;
    bool any;         // an item is complete
    std::size_t item;  // where the item begins whose key was written last
  };

  // Whether a scalar may stand here; what comes after a value is left out up to the next comma or bracket.
  bool begin_scalar() {
    level& in = levels_.back();
    if (skipped_ > 0 || in.next == expected::colon || in.next == expected::comma) return false;
    if (in.next == expected::value) {
      begin_item();
      return true;
    }
    in.item = out_.size();
    if (in.any) out_ += ',';
    return true;
  }
  void end_scalar() {
    if (levels_.back().next == expected::key)
      levels_.back().next = expected::colon;
    else
      end_item();
  }
  void begin_item() {
    if (!levels_.back().is_object && levels_.back().any) out_ += ',';
  }
  void end_item() {
    levels_.back().any = true;
    levels_.back().next = expected::comma;
  }
  void drop_lone_key() {
    level& in = levels_.back();
    if (in.is_object && (in.next == expected::colon || in.next == expected::value)) out_.resize(in.item);
  }

  std::string& out_;
  std::string scratch_;
  std::vector<level> levels_;  // the first is around the text
  std::size_t skipped_ = 0;    // brackets that are open and left out
};

}  // namespace

void append_sound_json(std::string& out, std::string_view raw) {
  sound_text text(out);
  std::size_t at = 0;
  while (at < raw.size()) {
    const char c = raw[at];
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
      text.string(raw.substr(at, std::min(end + 1, raw.size()) - at), plain && end < raw.size());
      at = end + 1;
      continue;
    }
    const std::size_t end = std::min(raw.find_first_of(" \t\r\n,{}[]:\"", at), raw.size());
    if (end > at) {
      text.word(raw.substr(at, end - at));
      at = end;
      continue;
    }
    ++at;
    switch (c) {
      case '{':
      case '[': text.open(c); break;
      case '}':
      case ']': text.close(); break;
      case ':': text.colon(); break;
      case ',': text.comma(); break;
      default: break;  // white space
    }
  }
  text.finish();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
