// Writes one JSON document to a sink, value by value; never builds a tree.
#pragma once
#include <profkit/core/sink.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The text as a JSON string, quotes included; bytes that are not UTF-8 as json_writer writes them.
void append_json_string(std::string& out, std::string_view text);

// Output is deterministic: UTF-8, two-space indent or compact, keys in the order given. A byte that is not
// valid UTF-8 is written as the text \xNN, so that strict readers take the document and a person can tell the byte; a
// lone surrogate, which would give every byte back, is refused by several of them. The first sink fault is kept; later
// calls do nothing.
class json_writer {
 public:
  enum class style { compact, indented };
  explicit json_writer(sink& out, style s = style::indented);

  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  void key(std::string_view name);
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool b);
  void value(std::int64_t n);
  void value(std::uint64_t n);
  void value(std::int32_t n) { value(static_cast<std::int64_t>(n)); }
  void value(std::uint32_t n) { value(static_cast<std::uint64_t>(n)); }
  void number(double d);  // shortest text that reads back equal; NaN and infinities become null
  void null();
  void id(std::int64_t n);  // decimal string: ids, addresses, raw 64-bit payloads, absolute times
  void id(std::uint64_t n);
  void milliseconds(std::int64_t ps);        // number with 6 decimals, printed from the integer
  void microseconds(std::int64_t ps);        // number with 3 decimals (rounded half away from zero)
  void microseconds_of_ns(std::int64_t ns);  // the same for instants since the epoch, which do not fit in ps

  template <class T>
  void field(std::string_view name, T v) {
    key(name);
    value(v);
  }
  void field_id(std::string_view name, std::int64_t n) {
    key(name);
    id(n);
  }
  void field_id(std::string_view name, std::uint64_t n) {
    key(name);
    id(n);
  }

  // Ends the document with a newline, flushes, and gives the first fault of the sink, if any.
  result<void> finish();

 private:
  void before_value();
  void raw(std::string_view s);
  void newline();
  sink& out_;
  style style_;
  std::string buffer_;
  std::vector<bool> has_items_;  // one a nesting level
  bool after_key_ = false;
  result<void> state_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
