// A table of strings behind the ones that were asked for last.
#pragma once
#include <base/string_table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Names of events repeat: their ids are found by both ends of the text, without a hash of all of it.
class recent_strings {
 public:
  static constexpr std::size_t slots = 1024;

  explicit recent_strings(string_table& strings) noexcept : strings_(strings) {}

  [[nodiscard]] std::uint32_t intern(std::string_view text) {
    slot& s = slots_[index_of(text)];
    if (s.text.size() != text.size() || std::memcmp(s.text.data(), text.data(), text.size()) != 0) {
      const std::uint32_t id = strings_.intern(text);
      s = {strings_.text(id), id};
    }
    return s.id;
  }

  // A place below `slots`, by the first and last eight bytes and the length.
  [[nodiscard]] static std::size_t index_of(std::string_view text) noexcept {
    std::uint64_t first = 0, last = 0;
    if (text.size() >= 8) {
      std::memcpy(&first, text.data(), 8);
      std::memcpy(&last, text.data() + text.size() - 8, 8);
    } else if (!text.empty()) {
      std::memcpy(&first, text.data(), text.size());
    }
    const std::uint64_t mixed = (first ^ (last << 7) ^ (last >> 13) ^ text.size()) * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(mixed >> 54) % slots;
  }

 private:
  struct slot {
    std::string_view text = std::string_view("", 0);  // the table's own
    std::uint32_t id = 0;
  };
  string_table& strings_;
  std::array<slot, slots> slots_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
