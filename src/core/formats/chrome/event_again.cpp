#include <formats/chrome/event_again.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

bool event_again::read(std::string_view json, chrome_event& into) {
  std::uint64_t irregular = 0;
  text_.json = json;
  const bool sound = split_event(text_, limits{}.max_nesting, irregular);
  decoder_.decode(text_, into);
  return sound;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
