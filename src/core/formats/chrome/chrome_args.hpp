// Some members of an event's "args", all in one pass.
#pragma once
#include <profkit/core/chrome.hpp>

#include <cstddef>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class argument_picker {
 public:
  // The names outlive it.
  argument_picker(const std::string_view* names, std::size_t count) noexcept;
  // values[i] becomes the raw value of names[i] in e's arguments (the last one of that name), "" when it is not there.
  void pick(const chrome_event& e, std::string_view* values) const;

 private:
  void take(std::string_view key, std::string_view value, std::string_view* values) const noexcept;

  const std::string_view* names_;
  std::size_t count_;
  std::uint64_t sizes_ = 0;  // of the names: most keys have another
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
