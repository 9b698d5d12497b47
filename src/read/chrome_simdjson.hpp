// The fast way through a chunk of whole, valid events. The only place that knows simdjson.
#pragma once
#include <read/chrome_event_text.hpp>

#include <cstddef>
#include <memory>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class simdjson_events {
 public:
  // Bytes that must be readable after a chunk.
  static constexpr std::size_t padding = 128;

  simdjson_events();
  ~simdjson_events();
  // Gives the events of [begin, end), separated by single commas, to `into`, up to the first that is not
  // valid JSON or no object. Gives the end of the last event it gave, `begin` when there was none. The
  // byte before `begin` and the one at `end` are used during the call and then put back.
  const char* parse(char* begin, char* end, event_text_sink& into);
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }  // the sink said so

 private:
  struct state;
  std::unique_ptr<state> state_;
  bool stopped_ = false;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
