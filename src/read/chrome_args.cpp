#include <read/chrome_args.hpp>
#include <read/json_walk.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

void pick_arguments(const chrome_event& e, const std::string_view* names, std::size_t count, std::string_view* values) {
  std::uint64_t sizes = 0;  // of the names: most keys have another
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = {};
    sizes |= std::uint64_t{1} << (names[i].size() % 64);
  }
  const auto take = [&](std::string_view key, std::string_view value, const json_marks&) {
    if ((sizes >> (key.size() % 64) & 1) == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (names[i] == key) {
        values[i] = value;
        return;
      }
    }
  };
  if (e.args_json.empty() || e.args_json.front() != '{') return;
  if (e.args_marks.base != nullptr && walk_marked_object(e.args_json, e.args_marks, take).end != nullptr) return;
  for (json_members members(e.args_json); members.next();) take(members.key(), members.value(), {});
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
