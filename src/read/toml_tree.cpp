#include "read/toml_tree.hpp"
#include <base/hash_map.hpp>
#include <base/utf8.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t most_levels = 256;

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_bare(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}
constexpr bool is_control(char c) noexcept {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f';
}

// Digits with single underscores between them: taken from the front of `text`, appended without the underscores.
template <class IsDigit>
bool take_digits(std::string_view& text, std::string& digits, IsDigit&& fits) {
  const std::size_t before = digits.size();
  while (!text.empty()) {
    if (digits.size() > before && text.size() > 1 && text[0] == '_') text.remove_prefix(fits(text[1]) ? 1 : 0);
    if (!fits(text[0])) break;
    digits.push_back(text[0]);
    text.remove_prefix(1);
  }
  return digits.size() > before;
}

bool take_one_of(std::string_view& text, std::string_view which) {
  if (text.empty() || which.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Two digits (four in a year) from `least` to `most`.
bool take_part(std::string_view& text, std::size_t width, int least, int most, int* part = nullptr) {
  int value = 0;
  if (text.size() < width) return false;
  for (std::size_t i = 0; i < width; ++i) {
    if (!is_digit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(width);
  if (part) *part = value;
  return value >= least && value <= most;
}

bool take_date(std::string_view& text) {
  int year = 0, month = 0, day = 0;
  if (!take_part(text, 4, 0, 9999, &year) || !take_one_of(text, "-") || !take_part(text, 2, 1, 12, &month) ||
      !take_one_of(text, "-") || !take_part(text, 2, 1, 31, &day))
    return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (month == 2) return day <= (leap ? 29 : 28);
  return day <= (month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31);
}

bool take_time(std::string_view& text) {
  if (!take_part(text, 2, 0, 23) || !take_one_of(text, ":") || !take_part(text, 2, 0, 59) || !take_one_of(text, ":") ||
      !take_part(text, 2, 0, 60))
    return false;
  if (!take_one_of(text, ".")) return true;
  if (text.empty() || !is_digit(text[0])) return false;
  while (!text.empty() && is_digit(text[0])) text.remove_prefix(1);
  return true;
}

bool is_date_or_time(std::string_view text) {
  if (text.size() > 2 && text[2] == ':') return take_time(text) && text.empty();
  if (!take_date(text)) return false;
  if (text.empty()) return true;
  if (!take_one_of(text, "Tt ") || !take_time(text)) return false;
  if (text.empty() || take_one_of(text, "Zz")) return text.empty();
  return take_one_of(text, "+-") && take_part(text, 2, 0, 23) && take_one_of(text, ":") && take_part(text, 2, 0, 59) &&
         text.empty();
}

// One document. Functions that return false or null have said why, by fail().
class toml_reader {
 public:
  explicit toml_reader(std::string_view text) noexcept : at_(text.data()), end_(at_ + text.size()) {}

  bool read(toml_value& root) {
    toml_value* into = &root;
    std::size_t levels = 0;
    while (true) {
      skip_blanks();
      if (at_ == end_) return true;
      if (*at_ == '[') {
        if (into = read_header(root, levels); !into) return false;
      } else if (!stands_at_end_of_line() && !read_pair(*into, levels)) {
        return false;
      }
      if (!skip_rest_of_line()) return false;
    }
  }

  [[nodiscard]] const char* why() const noexcept { return why_; }
  [[nodiscard]] std::uint32_t line() const noexcept { return line_; }

 private:
  bool fail(const char* why) noexcept {
    why_ = why;
    return false;
  }

  // ---- blanks, comments, ends of lines ----
  void skip_blanks() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }
  bool take(char c) noexcept {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] std::size_t newline_bytes() const noexcept {
    if (at_ == end_) return 0;
    if (*at_ == '\n') return 1;
    return *at_ == '\r' && end_ - at_ > 1 && at_[1] == '\n' ? 2 : 0;
  }
  bool take_newline() noexcept {
    const std::size_t bytes = newline_bytes();
    at_ += bytes;
    if (bytes != 0) ++line_;
    return bytes != 0;
  }
  [[nodiscard]] bool stands_at_end_of_line() const noexcept { return *at_ == '#' || newline_bytes() != 0; }
  bool skip_comment() noexcept {
    if (!take('#')) return true;
    for (; at_ != end_ && newline_bytes() == 0; ++at_)
      if (is_control(*at_)) return fail("a control character in a comment");
    return true;
  }
  bool skip_rest_of_line() noexcept {
    skip_blanks();
    if (!skip_comment()) return false;
    return at_ == end_ || take_newline() || fail("more on the line than one key and its value");
  }
  bool skip_lines() noexcept {
    do {
      skip_blanks();
      if (!skip_comment()) return false;
    } while (take_newline());
    return true;
  }

  // ---- tables ----
  toml_value* find(toml_value& table, const std::string& name) {
    const auto at = places_.find({table.table, name});
    return at == places_.end() ? nullptr : &table.members[at->second].value;
  }
  toml_value* add(toml_value& table, std::string name, toml_value value, std::uint32_t line) {
    places_.emplace(std::pair<std::int64_t, std::string>(table.table, name), table.members.size());
    table.members.push_back({std::move(name), line, std::move(value)});
    return &table.members.back().value;
  }
  toml_value new_table(toml_origin origin) noexcept {
    toml_value table;
    table.origin = origin;
    table.table = ++tables_;
    table.section = section_;
    return table;
  }

  // The table of a header, "[a.b]" or "[[a.b]]".
  toml_value* read_header(toml_value& root, std::size_t& levels) {
    const auto refuse = [&](const char* why) -> toml_value* {
      fail(why);
      return nullptr;
    };
    ++at_;
    const bool of_array = take('[');
    std::vector<std::string> names;
    if (!read_names(names, 0)) return nullptr;
    if (!take(']') || (of_array && !take(']'))) return refuse("the header of a table does not end with ']'");
    levels = names.size();
    ++section_;
    std::string last = std::move(names.back());
    names.pop_back();
    toml_value* table = &root;
    for (std::string& name : names) {
      toml_value* below = find(*table, name);
      if (!below) {
        table = add(*table, std::move(name), new_table(toml_origin::implied), line_);
        continue;
      }
      if (!is_open(*below)) return refuse("a table below something that is no table");
      table = below->kind == toml_kind::array ? &below->items.back() : below;
    }
    toml_value* known = find(*table, last);
    if (!of_array) {
      if (!known) return add(*table, std::move(last), new_table(toml_origin::named), line_);
      if (known->kind != toml_kind::table || known->origin != toml_origin::implied)
        return refuse("this table is defined already");
      known->origin = toml_origin::named;
      return known;
    }
    if (!known) {
      toml_value array;
      array.kind = toml_kind::array;
      array.origin = toml_origin::named;
      known = add(*table, std::move(last), std::move(array), line_);
    } else if (known->kind != toml_kind::array || !is_open(*known)) {
      return refuse("this name belongs to something that is no array of tables");
    }
    known->items.push_back(new_table(toml_origin::named));
    return &known->items.back();
  }
  static bool is_open(const toml_value& value) noexcept {
    return (value.kind == toml_kind::table || value.kind == toml_kind::array) && value.origin != toml_origin::closed;
  }

  // "a.b = value" into a table that lies `levels` deep.
  bool read_pair(toml_value& into, std::size_t levels) {
    const std::uint32_t line = line_;
    std::vector<std::string> names;
    if (!read_names(names, levels)) return false;
    if (!take('=')) return fail("'=' is missing after a key");
    skip_blanks();
    toml_value value;
    if (!read_value(value, levels + names.size())) return false;
    std::string last = std::move(names.back());
    names.pop_back();
    toml_value* table = &into;
    for (std::string& name : names) {
      toml_value* below = find(*table, name);
      if (!below) {
        table = add(*table, std::move(name), new_table(toml_origin::dotted), line);
        continue;
      }
      const bool open =
          below->kind == toml_kind::table && (below->origin == toml_origin::implied ||
                                              (below->origin == toml_origin::dotted && below->section == section_));
      if (!open) return fail("a key with dots adds to something that is complete");
      below->origin = toml_origin::dotted;
      below->section = section_;
      table = below;
    }
    if (find(*table, last)) return fail("this key has a value already");
    add(*table, std::move(last), std::move(value), line);
    return true;
  }

  bool read_names(std::vector<std::string>& names, std::size_t levels) {
    do {
      skip_blanks();
      std::string name;
      if (at_ != end_ && (*at_ == '"' || *at_ == '\'')) {
        if (!read_text(name, false)) return false;
      } else {
        while (at_ != end_ && is_bare(*at_)) name.push_back(*at_++);
        if (name.empty()) return fail("a key is missing, or a character in it needs quotes");
      }
      names.push_back(std::move(name));
      if (levels + names.size() > most_levels) return fail("more than 256 levels");
      skip_blanks();
    } while (take('.'));
    return true;
  }

  // ---- values ----
  bool read_value(toml_value& value, std::size_t levels) {
    if (levels > most_levels) return fail("more than 256 levels");
    if (at_ == end_) return fail("a value is missing");
    switch (*at_) {
      case '"':
      case '\'': value.kind = toml_kind::text; return read_text(value.text, true);
      case '[': return read_array(value, levels + 1);
      case '{': return read_inline_table(value, levels);
      default: return read_word(value);
    }
  }

  bool read_array(toml_value& value, std::size_t levels) {
    value.kind = toml_kind::array;
    value.origin = toml_origin::closed;
    ++at_;
    while (true) {
      if (!skip_lines()) return false;
      if (take(']')) return true;
      toml_value item;
      if (!read_value(item, levels)) return false;
      value.items.push_back(std::move(item));
      if (!skip_lines()) return false;
      if (take(']')) return true;
      if (!take(',')) return fail("',' or ']' is missing in an array");
    }
  }

  bool read_inline_table(toml_value& value, std::size_t levels) {
    value = new_table(toml_origin::closed);
    ++at_;
    skip_blanks();
    if (take('}')) return true;
    while (true) {
      if (!read_pair(value, levels)) return false;
      skip_blanks();
      if (take('}')) return true;
      if (!take(',')) return fail("',' or '}' is missing in an inline table");
    }
  }

  bool read_text(std::string& text, bool may_have_lines) {
    const char quote = *at_;
    const bool has_lines = may_have_lines && end_ - at_ >= 3 && at_[1] == quote && at_[2] == quote;
    at_ += has_lines ? 3 : 1;
    if (has_lines) take_newline();
    while (at_ != end_) {
      if (*at_ == quote) {
        if (!has_lines) return ++at_, true;
        // Up to two quotes may stand in front of the three that end it.
        const char* const first = at_;
        while (at_ != end_ && *at_ == quote && at_ - first < 5) ++at_;
        const auto quotes = static_cast<std::size_t>(at_ - first);
        text.append(quotes < 3 ? quotes : quotes - 3, quote);
        if (quotes >= 3) return true;
      } else if (newline_bytes() != 0) {
        if (!has_lines) return fail("a string does not end on its line");
        take_newline();
        text.push_back('\n');
      } else if (is_control(*at_)) {
        return fail("a control character in a string");
      } else if (*at_ == '\\' && quote == '"') {
        if (!read_escape(text, has_lines)) return false;
      } else {
        text.push_back(*at_++);
      }
    }
    return fail("a string does not end");
  }

  bool read_escape(std::string& text, bool has_lines) {
    constexpr std::string_view names = "btnfr\"\\", meanings = "\b\t\n\f\r\"\\";
    ++at_;
    if (at_ != end_) {
      if (const std::size_t known = names.find(*at_); known != std::string_view::npos) {
        text.push_back(meanings[known]);
        return ++at_, true;
      }
      if (*at_ == 'u' || *at_ == 'U') return read_code_point(text, *at_ == 'u' ? 4 : 8);
    }
    // A backslash at the end of a line: up to the next character that is no white space.
    skip_blanks();
    if (!has_lines || newline_bytes() == 0) return fail("no such escape in a string");
    do skip_blanks();
    while (take_newline());
    return true;
  }

  bool read_code_point(std::string& text, std::ptrdiff_t digits) {
    ++at_;
    std::uint32_t code_point = 0;
    const char* const end = at_ + std::min(digits, end_ - at_);
    const bool read = std::from_chars(at_, end, code_point, 16).ptr == at_ + digits;
    if (!read || code_point > 0x10ffff || (code_point >= 0xd800 && code_point <= 0xdfff))
      return fail("no Unicode character in a string");
    at_ += digits;
    append_utf8(text, code_point);
    return true;
  }

  // true, a number, a date
  bool read_word(toml_value& value) {
    const char* const begin = at_;
    const auto skip = [&] {
      while (at_ != end_ && (is_bare(*at_) || *at_ == '+' || *at_ == '.' || *at_ == ':')) ++at_;
      return std::string_view(begin, static_cast<std::size_t>(at_ - begin));
    };
    std::string_view word = skip();
    if (word == "true" || word == "false") {
      value.kind = toml_kind::truth;
      value.truth = word == "true";
      return true;
    }
    if (const std::size_t digits = word.find_first_not_of("0123456789");
        digits != word.npos && (digits == 2 ? word[2] == ':' : digits == 4 && word[4] == '-')) {
      // A date and its time may stand apart.
      if (word.size() == 10 && end_ - at_ > 1 && *at_ == ' ' && is_digit(at_[1])) ++at_, word = skip();
      value.kind = toml_kind::time;
      return is_date_or_time(word) || fail("no such date or time");
    }
    return read_number(word, value) || fail("no valid value");
  }

  static bool read_number(std::string_view word, toml_value& value) {
    std::string digits;
    const bool has_sign = !word.empty() && (word[0] == '+' || word[0] == '-');
    if (has_sign && word[0] == '-') digits.push_back('-');
    if (has_sign) word.remove_prefix(1);
    value.kind = toml_kind::integer;
    if (!has_sign && word.size() > 2 && word[0] == '0' && !is_digit(word[1])) {
      const int base = word[1] == 'x' ? 16 : word[1] == 'o' ? 8 : word[1] == 'b' ? 2 : 0;
      if (base != 0) {
        word.remove_prefix(2);
        const auto fits = [&](char c) {
          return base == 16 ? is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') : c >= '0' && c < '0' + base;
        };
        return take_digits(word, digits, fits) && word.empty() && whole(digits, base, value.integer);
      }
    }
    if (word == "inf" || word == "nan") {
      value.kind = toml_kind::number;
      value.number = word == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
      if (!digits.empty()) value.number = -value.number;
      return true;
    }
    const bool zero_first = word.size() > 1 && word[0] == '0' && (is_digit(word[1]) || word[1] == '_');
    if (zero_first || !take_digits(word, digits, is_digit)) return false;
    if (word.empty()) return whole(digits, 10, value.integer);
    value.kind = toml_kind::number;
    if (take_one_of(word, ".")) {
      digits.push_back('.');
      if (!take_digits(word, digits, is_digit)) return false;
    }
    if (!word.empty()) {
      if (!take_one_of(word, "eE")) return false;
      digits.push_back('e');
      if (!word.empty() && word[0] == '-') digits.push_back('-');
      take_one_of(word, "+-");
      if (!take_digits(word, digits, is_digit) || !word.empty()) return false;
    }
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value.number);
    return read.ec == std::errc() && read.ptr == end;
  }
  static bool whole(const std::string& digits, int base, std::int64_t& value) {
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value, base);
    return read.ec == std::errc() && read.ptr == end;
  }

  const char* at_;
  const char* const end_;
  std::uint32_t line_ = 1;
  std::uint32_t tables_ = 0;   // given a number so far; the root has 0
  std::uint32_t section_ = 0;  // the number of headers so far
  const char* why_ = "";
  hash_map<std::pair<std::int64_t, std::string>, std::size_t> places_;  // number of a table and name -> its member
};

std::uint64_t line_offset(std::string_view text, std::uint32_t line) {
  std::size_t offset = 0;
  for (std::uint32_t at = 1; at < line; ++at) {
    const std::size_t end = text.find('\n', offset);
    if (end == std::string_view::npos) break;
    offset = end + 1;
  }
  return offset;
}

fault no_toml(std::string_view text, std::uint32_t line, const std::string& path, const char* why) {
  return fault{fault_code::damaged, "no valid TOML at line " + std::to_string(line) + ": " + why, path,
               line_offset(text, line), ""};
}

}  // namespace

const toml_value* toml_value::find(std::string_view name) const noexcept {
  const auto at =
      std::find_if(members.begin(), members.end(), [&](const toml_member& each) { return each.name == name; });
  return at == members.end() ? nullptr : &at->value;
}

result<toml_value> parse_toml(std::string_view text, const std::string& path) {
  if (text.size() > max_toml_bytes) {
    return fault{fault_code::limit, "the TOML document is longer than 16 MiB", path, max_toml_bytes, ""};
  }
  for (std::size_t at = 0; at < text.size();) {
    const utf8_step step = decode_utf8(text, at);
    if (!step.valid) {
      const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      return no_toml(text, static_cast<std::uint32_t>(1 + lines), path, "this is not UTF-8");
    }
    at += step.bytes;
  }
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  toml_reader reader(text.substr(text.substr(0, 3) == byte_order_mark ? 3 : 0));
  toml_value root;
  if (!reader.read(root)) return no_toml(text, reader.line(), path, reader.why());
  return root;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
