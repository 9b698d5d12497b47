#include <read/chrome_args.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

argument_picker::argument_picker(const std::string_view* names, std::size_t count) noexcept
    : names_(names), count_(count) {
  for (std::size_t i = 0; i < count; ++i) sizes_ |= std::uint64_t{1} << (names[i].size() % 64);
}

std::uint8_t argument_picker::slot_of(std::string_view key) const noexcept {
  if ((sizes_ >> (key.size() % 64) & 1) == 0) return json_gaps::no_slot;
  const std::string_view* const found = std::find(names_, names_ + count_, key);
  return found == names_ + count_ ? json_gaps::no_slot : static_cast<std::uint8_t>(found - names_);
}

void argument_picker::pick(const chrome_event& e, std::string_view* values) {
  std::fill_n(values, count_, std::string_view());
  if (e.args_json.empty() || e.args_json.front() != '{') return;
  const auto find = [this](std::string_view key) { return slot_of(key); };
  const auto take = [values](std::uint8_t slot, std::string_view value, const json_marks&) { values[slot] = value; };
  if (e.args_marks.base != nullptr && walk_marked_object(e.args_json, e.args_marks, gaps_, find, take).end != nullptr) {
    return;
  }
  for (json_members members(e.args_json); members.next();) {
    if (const std::uint8_t slot = slot_of(members.key()); slot != json_gaps::no_slot) values[slot] = members.value();
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
