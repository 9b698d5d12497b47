#include <page/html/names.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace html {

std::uint32_t page_names::of(std::string_view name) {
  constexpr std::size_t max_bytes = 400'000;
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  if (bytes_ > max_bytes) return 0;
  constexpr std::size_t around = 8;
  bytes_ += name.size() + around;
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(names_.back(), number);
  return number;
}

void page_names::write(json_writer& out) const {
  out.key("names");
  out.begin_tuple();
  for (const std::string& name : names_) out.value(std::string_view(name));
  out.end_array();
}

}  // namespace html
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
