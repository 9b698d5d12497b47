#include <base/json_writer.hpp>

#include <base/format.hpp>
#include <base/utf8.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t flush_bytes = std::size_t{64} << 10;
constexpr char hex_digits[] = "0123456789abcdef";

// What a byte of a string becomes: 0 as it is, 1 looked at more closely, else the letter after the backslash.
struct escape_table {
  char of[256] = {};
  constexpr escape_table() {
    for (int i = 0; i < 0x20; ++i) of[i] = 1;
    for (int i = 0x7f; i < 0x100; ++i) of[i] = 1;
    of[static_cast<int>('"')] = '"';
    of[static_cast<int>('\\')] = '\\';
    of[8] = 'b';
    of[9] = 't';
    of[10] = 'n';
    of[12] = 'f';
    of[13] = 'r';
  }
};
constexpr escape_table escapes;

// How many of the first bytes of a string go out as they are: no quote, backslash, control character, DEL, and
// nothing above ASCII. Eight at a time; the tests of each byte set its top bit.
std::size_t plain_prefix(const char* text, std::size_t size) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
  std::size_t at = 0;
  for (; size - at >= 8; at += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, text + at, sizeof eight);
    const std::uint64_t quotes = eight ^ (ones * '"'), slashes = eight ^ (ones * '\\'), deletes = eight ^ (ones * 0x7f);
    const std::uint64_t found = (eight - ones * 0x20) | (quotes - ones) | (slashes - ones) | (deletes - ones) | eight;
    if ((found & tops) != 0) break;
  }
  while (at < size && escapes.of[static_cast<unsigned char>(text[at])] == 0) ++at;
  return at;
}

void append_u_escape(std::string& out, std::uint32_t unit) {
  const char text[6] = {'\\',
                        'u',
                        hex_digits[(unit >> 12) & 15],
                        hex_digits[(unit >> 8) & 15],
                        hex_digits[(unit >> 4) & 15],
                        hex_digits[unit & 15]};
  out.append(text, sizeof text);
}

void append_byte(std::string& out, unsigned char byte) {
  const char text[5] = {'\\', '\\', 'x', hex_digits[byte >> 4], hex_digits[byte & 15]};
  out.append(text, sizeof text);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;  // start of the bytes that go out as they are
  for (std::size_t at = 0; at < text.size();) {
    at += plain_prefix(text.data() + at, text.size() - at);
    if (at == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[at]);
    const char escape = escapes.of[byte];
    if (escape == 1 && byte >= 0x80) {
      const utf8_step step = decode_utf8(text, at);
      if (step.valid) {
        at += step.bytes;
        continue;
      }
    }
    out.append(text, plain, at - plain);
    if (escape != 1) {
      out += '\\';
      out += escape;
    } else {
      if (byte < 0x80)
        append_u_escape(out, byte);
      else
        append_byte(out, byte);
    }
    plain = ++at;
  }
  out.append(text, plain, text.size() - plain);
  out += '"';
}

json_writer::json_writer(sink& out, style s) : out_(out), style_(s) { buffer_.reserve(flush_bytes + 4096); }

void json_writer::raw(std::string_view s) {
  if (state_.ok()) buffer_.append(s);
}

void json_writer::newline() {
  if (style_ == style::compact) return;
  buffer_ += '\n';
  buffer_.append(2 * has_items_.size(), ' ');
}

// Puts the comma, the line break and the indent before a value or a key, and hands full buffers on.
void json_writer::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!state_.ok()) return;
  if (buffer_.size() >= flush_bytes) {
    state_ = out_.write(buffer_);
    buffer_.clear();
    if (!state_.ok()) return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) buffer_ += ',';
  has_items_.back() = true;
  newline();
}

void json_writer::begin_object() {
  before_value();
  raw("{");
  has_items_.push_back(false);
}

void json_writer::end_object() {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (!state_.ok()) return;
  if (had_items) newline();
  raw("}");
}

void json_writer::begin_array() {
  before_value();
  raw("[");
  has_items_.push_back(false);
}

void json_writer::end_array() {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (!state_.ok()) return;
  if (had_items) newline();
  raw("]");
}

void json_writer::key(std::string_view name) {
  before_value();
  after_key_ = true;
  if (!state_.ok()) return;
  append_json_string(buffer_, name);
  raw(style_ == style::compact ? ":" : ": ");
}

void json_writer::value(std::string_view text) {
  before_value();
  if (state_.ok()) append_json_string(buffer_, text);
}

void json_writer::value(bool b) {
  before_value();
  raw(b ? "true" : "false");
}

void json_writer::value(std::int64_t n) {
  before_value();
  if (state_.ok()) append_integer(buffer_, n);
}

void json_writer::value(std::uint64_t n) {
  before_value();
  if (state_.ok()) append_integer(buffer_, n);
}

void json_writer::number(double d) {
  if (!std::isfinite(d)) return null();
  before_value();
  if (d == 0 && std::signbit(d)) return raw("-0.0");  // "-0" is an integer to many readers: the sign would be lost
  char text[64];
  raw({text, static_cast<std::size_t>(std::to_chars(text, text + sizeof text, d).ptr - text)});
}

void json_writer::null() {
  before_value();
  raw("null");
}

void json_writer::id(std::int64_t n) {
  before_value();
  if (!state_.ok()) return;
  buffer_ += '"';
  append_integer(buffer_, n);
  buffer_ += '"';
}

void json_writer::id(std::uint64_t n) {
  before_value();
  if (!state_.ok()) return;
  buffer_ += '"';
  append_integer(buffer_, n);
  buffer_ += '"';
}

void json_writer::milliseconds(std::int64_t ps) {
  before_value();
  if (state_.ok()) append_milliseconds(buffer_, ps);
}

void json_writer::microseconds(std::int64_t ps) {
  before_value();
  if (state_.ok()) append_microseconds(buffer_, ps);
}

void json_writer::microseconds_of_ns(std::int64_t ns) {
  before_value();
  if (!state_.ok()) return;
  const std::uint64_t size =
      ns < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  if (ns < 0) buffer_ += '-';
  append_integer(buffer_, size / 1000);
  const auto rest = static_cast<unsigned>(size % 1000);
  const char decimals[4] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                            static_cast<char>('0' + rest % 10)};
  buffer_.append(decimals, sizeof decimals);
}

result<void> json_writer::finish() {
  if (!state_.ok()) return state_;
  buffer_ += '\n';
  state_ = out_.write(buffer_);
  buffer_.clear();
  return state_;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
