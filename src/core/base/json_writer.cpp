#include <base/json_writer.hpp>

#include <base/format.hpp>
#include <base/utf8.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t flush_bytes = std::size_t{64} << 10;
constexpr std::uint64_t no_bound = ~std::uint64_t{0};
constexpr std::uint64_t map_least = 100;  // entries of a map, however few a list takes
constexpr std::uint64_t text_least = 100;
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

void json_writer::bound(const json_bounds& bounds) {
  is_bounded_ = true;
  bounds_ = bounds;
}

void json_writer::raw(std::string_view s) {
  if (state_.ok()) buffer_.append(s);
}

void json_writer::newline() {
  if (style_ == style::compact) return;
  buffer_ += '\n';
  buffer_.append(2 * open_.size(), ' ');
}

std::uint64_t json_writer::bytes_left() const noexcept {
  if (bounds_.bytes == 0) return no_bound;
  const std::uint64_t at = flushed_ + buffer_.size();
  const std::uint64_t end = open_.empty() ? bounds_.bytes : open_.back().end;
  return end > at ? end - at : 0;
}

// Three quarters of what is left but for a reserve, a ninth of what there was; when that is touched, a tenth of it each.
std::uint64_t json_writer::bytes_for_list() const noexcept {
  const std::uint64_t left = bytes_left(), reserve = (open_.empty() ? bounds_.bytes : open_.back().bytes) / 9;
  return std::max(left > reserve ? (left - reserve) / 4 * 3 : 0, left / 10);
}

bool json_writer::is_full(const level& list) const noexcept {
  if (list.kind == container::tuple || list.kind == container::object) return false;
  return (list.most != 0 && list.written >= list.most) || bytes_left() == 0;
}

bool json_writer::is_full() const noexcept {
  return skipped_ > 0 || (!open_.empty() && is_full(open_.back()));
}

void json_writer::left_out(std::uint64_t items) noexcept {
  if (skipped_ == 0 && !open_.empty()) open_.back().total += items;
}

// Puts the comma, the line break and the indent before a value or a key, and hands full buffers on.
bool json_writer::before_item() {
  if (!state_.ok()) return true;
  if (buffer_.size() >= flush_bytes) {
    flushed_ += buffer_.size();
    state_ = out_.write(buffer_);
    buffer_.clear();
    if (!state_.ok()) return true;
  }
  if (open_.empty()) return true;
  level& in = open_.back();
  if (in.kind == container::list || in.kind == container::map) {
    ++in.total;
    if (is_full(in)) return false;
    ++in.written;
  }
  if (in.has_items) buffer_ += ',';
  in.has_items = true;
  newline();
  return true;
}

bool json_writer::before_value() {
  if (skipped_ > 0) return false;
  if (!after_key_) return before_item();
  after_key_ = false;
  const bool written = !skips_value_;
  skips_value_ = false;
  return written;
}

void json_writer::open(container kind, char bracket, std::uint64_t most, std::uint64_t share) {
  const bool has_key = after_key_;
  if (!before_value()) {
    ++skipped_;
    return;
  }
  raw({&bracket, 1});
  level made;
  made.kind = kind;
  made.most = most;
  if (bounds_.bytes != 0) {
    const bool is_bound_itself = kind == container::list || kind == container::map || share > 1 || open_.empty();
    const std::uint64_t given = kind == container::list || kind == container::map ? bytes_for_list()
                                : share > 1                                       ? bytes_left() / share
                                                                                  : bytes_left();
    made.bytes = is_bound_itself ? given : open_.back().bytes;
    made.end = flushed_ + buffer_.size() + given;
  }
  made.path = path_.size();
  if (is_bounded_ && !open_.empty()) {
    if (!has_key)
      path_ += "[]";
    else
      path_.append(path_.empty() ? 0 : 1, '.').append(key_);
  }
  open_.push_back(made);
}

void json_writer::count(const level& list) {
  auto known = std::find_if(counts_.begin(), counts_.end(), [this](const json_cut& of) { return of.path == path_; });
  if (known == counts_.end()) known = counts_.insert(known, {path_, 0, 0});
  json_cut& of = *known;
  of.written += list.written;
  of.total += list.total;
}

std::vector<json_cut> json_writer::cuts() const {
  std::vector<json_cut> cut;
  std::copy_if(counts_.begin(), counts_.end(), std::back_inserter(cut),
               [](const json_cut& of) { return of.written != of.total; });
  std::sort(cut.begin(), cut.end(), [](const json_cut& a, const json_cut& b) { return a.path < b.path; });
  return cut;
}

std::uint64_t json_writer::close(char bracket) {
  if (skipped_ > 0) {
    --skipped_;
    return 0;
  }
  const level closed = open_.back();
  open_.pop_back();
  if (is_bounded_ && (closed.kind == container::list || closed.kind == container::map)) count(closed);
  path_.resize(closed.path);
  if (state_.ok() && closed.has_items) newline();
  raw({&bracket, 1});
  return closed.total - closed.written;
}

void json_writer::begin_object(std::uint64_t share) { open(container::object, '{', 0, share); }
void json_writer::begin_map() {
  open(container::map, '{', bounds_.items == 0 ? 0 : std::max(bounds_.items, map_least), 0);
}
void json_writer::end_object() { close('}'); }
void json_writer::begin_array(std::uint64_t least) {
  open(container::list, '[', bounds_.items == 0 ? 0 : std::max(bounds_.items, least), 0);
}
void json_writer::begin_tuple() { open(container::tuple, '[', 0, 0); }
std::uint64_t json_writer::end_array() { return close(']'); }

void json_writer::key(std::string_view name) {
  if (skipped_ > 0) return;
  after_key_ = true;
    // The keys of a map identify its entries: a key is not cut.
  const bool is_too_long = bounds_.text != 0 && name.size() > bounds_.text && !open_.empty() && open_.back().kind == container::map;
  if (is_too_long) ++open_.back().total;
  skips_value_ = is_too_long || !before_item();
  if (skips_value_ || !state_.ok()) return;
  if (is_bounded_) key_ = name;
  append_json_string(buffer_, name);
  raw(style_ == style::compact ? ":" : ": ");
}

void json_writer::value(std::string_view text) {
  if (!before_value() || !state_.ok()) return;
  // Near the end of the bytes texts get shorter, so that a row never goes far beyond it.
  const std::size_t most =
      bounds_.text == 0 ? text.size()
                        : static_cast<std::size_t>(std::clamp<std::uint64_t>(bytes_left() / 2, text_least, bounds_.text));
  const std::size_t before = buffer_.size();
  std::size_t size = text.size();
  if (size <= most) {
    append_json_string(buffer_, text);
    if (bounds_.text == 0 || buffer_.size() - before <= 2 * most + 2) return;
    buffer_.resize(before);
    size = most;
  }
  // An escape takes up to six bytes.
  std::size_t cut = std::min(size, most);
  for (;; cut /= 3) {
    cut = character_at(text, cut);
    append_json_string(buffer_, text.substr(0, cut));
    if (cut == 0 || buffer_.size() - before <= 2 * most + 2) break;
    buffer_.resize(before);
  }
  buffer_.insert(buffer_.size() - 1, "…");
  ++texts_cut_;
}

void json_writer::whole(std::string_view text) {
  if (before_value() && state_.ok()) append_json_string(buffer_, text);
}

void json_writer::value(bool b) {
  if (before_value()) raw(b ? "true" : "false");
}

void json_writer::value(std::int64_t n) {
  if (before_value() && state_.ok()) append_integer(buffer_, n);
}

void json_writer::value(std::uint64_t n) {
  if (before_value() && state_.ok()) append_integer(buffer_, n);
}

void json_writer::number(double d) {
  if (!std::isfinite(d)) return null();
  if (!before_value()) return;
  if (d == 0 && std::signbit(d)) return raw("-0.0");  // "-0" is an integer to many readers: the sign would be lost
  if (state_.ok()) append_shortest(buffer_, d);
}

void json_writer::null() {
  if (before_value()) raw("null");
}

void json_writer::id(std::int64_t n) {
  if (!before_value() || !state_.ok()) return;
  buffer_ += '"';
  append_integer(buffer_, n);
  buffer_ += '"';
}

void json_writer::id(std::uint64_t n) {
  if (!before_value() || !state_.ok()) return;
  buffer_ += '"';
  append_integer(buffer_, n);
  buffer_ += '"';
}

void json_writer::milliseconds(std::int64_t ps) {
  if (before_value() && state_.ok()) append_milliseconds(buffer_, ps);
}

void json_writer::microseconds(std::int64_t ps) {
  if (before_value() && state_.ok()) append_microseconds(buffer_, ps);
}

void json_writer::microseconds_of_ns(std::int64_t ns) {
  if (!before_value() || !state_.ok()) return;
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
