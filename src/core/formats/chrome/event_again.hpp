// One event of a Chrome trace again, from the text that a reader gave it out with.
#pragma once
#include <profkit/core/chrome.hpp>

#include <formats/chrome/chrome_event_text.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class event_again {
 public:
  // Everything but ordinal, offset and times; what `into` points to lives until the next call. False when the text is
  // not an event.
  bool read(std::string_view json, chrome_event& into);

 private:
  event_text text_;
  event_decoder decoder_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
