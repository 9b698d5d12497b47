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

// How much of a document is written; 0: without bounds.
struct json_bounds {
  std::uint64_t items = 0;  // of each list
  std::uint64_t bytes = 0;  // of the whole: a list is given at most three quarters of what is left to what holds it
  std::size_t text = 0;     // of one text, which then ends with "…"
};

// A list that was not written whole; one entry for all lists of one path ("steps[].ops").
struct json_cut {
  std::string path;
  std::uint64_t written = 0, total = 0;  // over all lists of that path
};

// Output is deterministic: UTF-8, two-space indent or compact, keys in the order given. A byte that is not
// valid UTF-8 is written as the text \xNN, so that strict readers take the document and a person can see the byte; a
// lone surrogate, which would keep every byte, is refused by several readers. The first sink fault is kept; later
// calls do nothing.
class json_writer {
 public:
  enum class style { compact, indented };
  explicit json_writer(sink& out, style s = style::indented);

  // Before the first value. From then on lists take so many items and no more: later ones are counted, not written.
  void bound(const json_bounds& bounds);

  // `share` n: its lists take no more than an n-th of the bytes that are left; 0: as much as there is.
  void begin_object(std::uint64_t share = 0);
  // An object whose keys come from the capture: bounded as a list.
  void begin_map();
  void end_object();  // of a map, too
  // `least`: so many items are taken, however few a list takes.
  void begin_array(std::uint64_t least = 0);
  // An array whose size no capture decides: always whole.
  void begin_tuple();
  std::uint64_t end_array();  // of a tuple, too; how many of its items were not written
  // The list that is open takes no more items: count further items with left_out() instead of writing them.
  [[nodiscard]] bool is_full() const noexcept;
  // The open list has so many more items.
  void left_out(std::uint64_t items) noexcept;
  void key(std::string_view name);
  void value(std::string_view text);
  // For texts that are useless when cut: a path, a command.
  void whole(std::string_view text);
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

  [[nodiscard]] std::size_t depth() const noexcept { return open_.size(); }
  [[nodiscard]] const json_bounds& bounds() const noexcept { return bounds_; }
  // What the bounds left out so far, by path.
  [[nodiscard]] std::vector<json_cut> cuts() const;
  [[nodiscard]] std::uint64_t texts_cut() const noexcept { return texts_cut_; }

  // Ends the document with a newline, flushes, and gives the first fault of the sink, if any.
  result<void> finish();

 private:
  enum class container : std::uint8_t { object, map, list, tuple };
  struct level {
    container kind = container::object;
    bool has_items = false;
    std::uint64_t most = 0;               // items; 0: any number
    std::uint64_t written = 0, total = 0;  // of lists and maps
    std::uint64_t bytes = 0, end = 0;      // what its lists were given together, and the byte at which they are full
    std::size_t path = 0;                 // length of the path around it
  };

  bool before_value();  // false: the value is not written
  bool before_item();
  void open(container kind, char bracket, std::uint64_t most, std::uint64_t share);
  std::uint64_t close(char bracket);
  void count(const level& list);
  [[nodiscard]] std::uint64_t bytes_left() const noexcept;
  [[nodiscard]] std::uint64_t bytes_for_list() const noexcept;
  [[nodiscard]] bool is_full(const level& list) const noexcept;
  void raw(std::string_view s);
  void newline();
  sink& out_;
  style style_;
  std::string buffer_;
  std::uint64_t flushed_ = 0;
  std::vector<level> open_;
  std::uint64_t skipped_ = 0;  // how many containers are open that are not written
  bool after_key_ = false, skips_value_ = false;
  bool is_bounded_ = false;
  json_bounds bounds_;
  std::string path_, key_;
  std::vector<json_cut> counts_;  // of every path
  std::uint64_t texts_cut_ = 0;
  result<void> state_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
