#include <formats/chrome/chrome_args.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

argument_picker::argument_picker(const std::string_view* names, std::size_t count) noexcept
    : names_(names), count_(count) {
  for (std::size_t i = 0; i < count; ++i) sizes_ |= std::uint64_t{1} << (names[i].size() % 64);
}

void argument_picker::take(std::string_view key, std::string_view value, std::string_view* values) const noexcept {
  if ((sizes_ >> (key.size() % 64) & 1) == 0) return;
  const std::string_view* const found = std::find(names_, names_ + count_, key);
  if (found != names_ + count_) values[found - names_] = value;
}

void argument_picker::pick(const chrome_event& e, std::string_view* values) const {
  std::fill_n(values, count_, std::string_view());
  if (e.args.first != nullptr) {
    for (const json_member_text& m : e.args) take(m.key, m.value, values);
  } else if (!e.args_json.empty() && e.args_json.front() == '{') {
    for (json_members m(e.args_json); m.next();) take(m.key(), m.value(), values);
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
