// The names and arguments of a plane's events as JSON text, made once and put together for each event.
#pragma once
#include <profkit/xspace.hpp>

#include "base/hash_map.hpp"
#include "formats/xspace/xspace_index.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class json_dialect : std::uint8_t {
  people,  // numbers are numbers where JSON can hold them; UTF-8
  xla,     // XLA's own text: everything a string, ASCII, some stats and events left out
};

// Text of one plane. prepare() the metadata of a batch of events, on one thread; then append_event_tail() may be called
// by any number of threads.
class plane_text {
 public:
  plane_text(const plane_index& plane, json_dialect dialect);

  struct argument {
    std::uint32_t rank;       // order by key; equal for equal keys
    std::uint32_t key;        // index into keys_
    std::string value;        // JSON text
    std::string step_name;    // of a stat called step_name, as a JSON string: it replaces the event's name
  };
  struct operation {
    std::string name;      // JSON string
    std::string bare;      // name and arguments when the event adds none: `"name":"x","args":{…}}`
    std::vector<argument> arguments;  // by rank, one of each
    bool left_out = false;  // xla: events that its converter drops
  };

  // The text of an operation; stays where it is while the plane_text lives.
  const operation& prepare(std::int64_t metadata_id);
  // Appends `"name":…,"args":{…}}` of an event: from the key of its name to the end of its object.
  void append_event_tail(std::string& out, const operation& op, const message_range<stat_view, 4>& stats) const;

  // Appends the arguments alone: `{"key":value,…}`.
  void append_arguments(std::string& out, const operation& op, const message_range<stat_view, 4>& stats) const;
  // Appends `"key":number` of each stat that is a number, with commas between; `count` grows by them.
  void append_numbers(std::string& out, const message_range<stat_view, 4>& stats, std::uint64_t& count) const;

 private:
  struct key_text {
    std::uint32_t rank = 0;
    bool left_out = false, is_step_name = false;
    std::string text;  // `"key":`
  };
  struct stat_name {
    std::uint32_t key = 0;
    std::string quoted;  // as a value that a ref refers to
  };

  void quote(std::string& out, std::string_view text) const;
  void append_value(std::string& out, const stat_view& stat, bool as_text) const;
  [[nodiscard]] const stat_name* find_stat(std::int64_t id) const noexcept;
  [[nodiscard]] std::uint32_t key_of(std::int64_t stat_id) const noexcept;
  argument argument_of(const stat_view& stat) const;
  struct own_argument {
    std::uint32_t rank, key;
    stat_view stat;
  };
  // Hands the event's own arguments, by key and one of each, to use(own, count).
  template <class Use>
  void with_own_arguments(const message_range<stat_view, 4>& stats, Use&& use) const;
  void append_tail_with(std::string& out, const operation& op, const own_argument* own, std::size_t count) const;
  void append_members(std::string& out, const operation& op, const own_argument* own, std::size_t count) const;

  const plane_index& plane_;
  const json_dialect dialect_;
  std::vector<key_text> keys_;  // distinct names; 0 is ""
  std::uint32_t long_name_key_ = 0;
  std::vector<stat_name> dense_;  // by id, for the small ids that every writer gives
  std::vector<bool> is_dense_;
  hash_map<std::int64_t, stat_name> sparse_;
  hash_map<std::int64_t, const operation*> operations_;
  std::deque<operation> storage_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
