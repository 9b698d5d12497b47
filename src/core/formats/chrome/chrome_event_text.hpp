// One event as raw spans, and its decoding.
#pragma once
#include <profkit/core/chrome.hpp>
#include <formats/chrome/chrome_text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class event_field : std::uint8_t { name, cat, id, ph, pid, tid, ts, dur, args };
inline constexpr std::size_t event_fields = 9;
inline constexpr std::size_t no_event_field = event_fields;

// The field of a key as it is written, escapes not undone; no_event_field when the key is none of them.
[[nodiscard]] std::size_t event_field_of(std::string_view key);

// Raw values by field ("" when absent; strings with their quotes) and the whole event.
class event_text {
 public:
  std::string_view json;
  bool escapes = true;  // false: there is no backslash in it

  void clear() noexcept {
    present_ = 0;
    forget_args();
  }
  void forget_args() noexcept { args_first_ = no_args; }
  void set(std::size_t field, std::string_view value) noexcept {
    present_ |= 1U << field;
    values_[field] = value;
  }
  // The members of "args" are those from `first` on in a list of many.
  void set_args(std::size_t first, std::size_t count) noexcept {
    args_first_ = first;
    args_count_ = count;
  }
  [[nodiscard]] json_member_list args(const json_member_text* all) const noexcept {
    return args_first_ == no_args ? json_member_list() : json_member_list{all + args_first_, args_count_};
  }
  [[nodiscard]] std::string_view operator[](event_field f) const noexcept {
    const auto field = static_cast<std::size_t>(f);
    return (present_ >> field & 1) != 0 ? values_[field] : std::string_view();
  }

 private:
  static constexpr std::size_t no_args = static_cast<std::size_t>(-1);
  std::size_t args_first_ = no_args, args_count_ = 0;
  std::uint32_t present_ = 0;
  std::array<std::string_view, event_fields> values_;
};

// Splits the event text `e.json` into its fields. False when it is not an object of members. `irregular` counts stray
// commas.
bool split_event(event_text& e, std::uint32_t max_nesting, std::uint64_t& irregular);

// Undoes the escapes of one event after the other; spans are good until the next.
class event_decoder {
 public:
  // Everything but ordinal, offset and times. Gives the number of escapes JSON does not know.
  std::uint64_t decode(const event_text& from, chrome_event& into);

 private:
  std::string_view unusual_text_of(std::string_view raw, std::size_t slot, bool& sound);
  std::array<std::string, 6> scratch_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
