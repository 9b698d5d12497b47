#include <read/chrome_args.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

void pick_arguments(const chrome_event& e, const std::string_view* names, std::size_t count, std::string_view* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = {};
  json_members members(e.args_json, e.args_marks);
  while (members.next()) {
    const std::string_view key = members.key();
    for (std::size_t i = 0; i < count; ++i) {
      if (names[i] == key) {
        values[i] = members.value();
        break;
      }
    }
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
