#include <formats/chrome/chrome_text.hpp>
#include <formats/chrome/json_outline.hpp>

#include <algorithm>
#include <bitset>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_outline_levels = 512;

class outliner {
 public:
  explicit outliner(std::string_view text) noexcept : text_(text) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;
  }

  json_outline run() noexcept {
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '{' && text_[at_] != '[')) return stopped();
    made_.is_object = text_[at_] == '{';
    open();
    while (level_ != 0) {
      skip_space();
      if (at_ == text_.size()) break;
      if (!step()) return stopped();
    }
    made_.is_whole = level_ == 0;
    skip_space();
    if (made_.is_whole && at_ != text_.size() && text_[at_] != '{' && text_[at_] != '[') return stopped();
    made_.is_json = made_.is_whole || items_ != 0;
    return made_;
  }

 private:
  enum class wanted { key_or_end, key, colon, value_or_end, value, comma_or_end };

  json_outline stopped() noexcept {
    made_.is_json = false;
    made_.stopped_at = at_;
    return made_;
  }

  // Takes one token; false when it may not stand there.
  bool step() noexcept {
    const char c = text_[at_];
    const bool may_end = next_ == wanted::key_or_end || next_ == wanted::value_or_end || next_ == wanted::comma_or_end;
    if (may_end && c == (objects_[level_] ? '}' : ']')) return close();
    switch (next_) {
      case wanted::comma_or_end:
        if (c != ',') return false;
        ++at_;
        next_ = objects_[level_] ? wanted::key : wanted::value;
        return true;
      case wanted::colon:
        if (c != ':') return false;
        ++at_;
        ++items_;
        next_ = wanted::value;
        return true;
      case wanted::key_or_end:
      case wanted::key:
        if (c != '"') return false;
        next_ = wanted::colon;
        if (take_string()) keep_key();
        return true;
      default: return take_value(c);
    }
  }

  bool take_value(char c) noexcept {
    if (c == '{' || c == '[') return open();
    next_ = wanted::comma_or_end;
    ++items_;
    if (c != '"') return take_word();
    if (take_string() && level_ == 1 && (key_ == "schema" || key_ == "$schema")) made_.schema = string_;
    return true;
  }

  bool open() noexcept {
    if (level_ + 1 == max_outline_levels) return false;
    objects_[++level_] = text_[at_++] == '{';
    next_ = objects_[level_] ? wanted::key_or_end : wanted::value_or_end;
    return true;
  }
  bool close() noexcept {
    --level_;
    ++at_;
    next_ = wanted::comma_or_end;
    return true;
  }

  void keep_key() noexcept {
    if (level_ == 1) {
      key_ = string_;
      if (made_.key_count < made_.keys.size()) made_.keys[made_.key_count++] = string_;
    }
    made_.call_frames = made_.call_frames || (level_ == 3 && key_ == "nodes" && string_ == "callFrame");
  }

  // False when the text ends inside the string.
  bool take_string() noexcept {
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) {
      at_ = text_.size();
      return false;
    }
    string_ = text_.substr(start, at_++ - start);
    return true;
  }

  // A number, true, false or null; of numbers also those that JSON lacks, as Python writes them.
  bool take_word() noexcept {
    const std::size_t start = at_;
    const auto ends = [](char c) { return is_json_space(c) || c == ',' || c == ']' || c == '}'; };
    while (at_ < text_.size() && !ends(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    for (const std::string_view known : {"true", "false", "null", "NaN", "Infinity", "-Infinity"})
      if (word == known || (at_ == text_.size() && known.substr(0, word.size()) == word)) return true;
    if (word.find_first_not_of("0123456789+-.eE") == std::string_view::npos &&
        (word[0] == '-' || (word[0] >= '0' && word[0] <= '9')))
      return true;
    at_ = start;
    return false;
  }

  void skip_space() noexcept {
    while (at_ < text_.size() && is_json_space(text_[at_])) ++at_;
  }

  std::string_view text_, string_, key_;
  std::size_t at_ = 0, level_ = 0, items_ = 0;
  std::bitset<max_outline_levels> objects_;
  wanted next_ = wanted::value;
  json_outline made_;
};

}  // namespace

bool json_outline::has(std::string_view key) const noexcept {
  return std::find(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(key_count), key) !=
         keys.begin() + static_cast<std::ptrdiff_t>(key_count);
}

json_outline outline_json(std::string_view text) noexcept { return outliner(text).run(); }

bool is_speedscope(const json_outline& of) noexcept {
  return of.is_json && of.schema == "https://www.speedscope.app/file-format-schema.json";
}

bool is_cpu_profile(const json_outline& of) noexcept {
  return of.is_json && of.call_frames && of.has("startTime") && of.has("endTime");
}

bool is_memory_snapshot(const json_outline& of) noexcept {
  return of.is_json && of.has("segments") && of.has("device_traces");
}

bool is_execution_trace(const json_outline& of) noexcept {
  return of.is_json && of.has("nodes") && of.schema.find("-chakra.") != std::string_view::npos;
}

bool is_rocprofv3(const json_outline& of) noexcept { return of.is_json && of.has("rocprofiler-sdk-tool"); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
