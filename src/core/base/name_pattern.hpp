// Regular expressions of a user that match whole names, by RE2: in time proportional to the name, whatever the pattern.
#pragma once
#include <profkit/core/result.hpp>

#include <memory>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The syntax is RE2's (https://github.com/google/re2/wiki/Syntax); a byte is a character. Copies share what was
// compiled; any thread may match.
class name_pattern {
 public:
  // Faults: invalid_argument, whose message says what is wrong, not in which pattern; unsupported, where profkit was
  // built without RE2.
  static result<name_pattern> make(std::string_view pattern);
  // Whether all of `name` is described.
  [[nodiscard]] bool matches(std::string_view name) const;

 private:
  struct compiled;
  explicit name_pattern(std::shared_ptr<const compiled> pattern) noexcept;

  std::shared_ptr<const compiled> compiled_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
