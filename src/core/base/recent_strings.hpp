// A table of strings, with a cache of the texts that were asked for last.
#pragma once
#include <base/string_table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// The last texts that were looked up, found by their ends. A miss compares with no other text.
class recent_texts {
 public:
  struct slot {
    std::uint64_t first = 0, last = 0;
    std::string_view text;
    std::uint32_t id = 0;  // of ""
  };

  // The slot that `text` is in, or where it is to be put: then `known` is false.
  [[nodiscard]] slot& find(std::string_view text, bool& known) noexcept {
    std::uint64_t first = 0, last = 0;
    if (text.size() >= 8) {
      std::memcpy(&first, text.data(), 8);
      std::memcpy(&last, text.data() + text.size() - 8, 8);
    } else if (!text.empty()) {
      std::memcpy(&first, text.data(), text.size());
    }
    const std::uint64_t mixed = (first ^ (last << 7) ^ (last >> 13) ^ text.size()) * 0x9e3779b97f4a7c15ULL;
    slot& s = slots_[static_cast<std::size_t>(mixed >> 54)];
    known = s.first == first && s.last == last && s.text.size() == text.size() &&
            (text.size() <= 16 || std::memcmp(s.text.data() + 8, text.data() + 8, text.size() - 16) == 0);
    s.first = first;
    s.last = last;
    return s;
  }

 private:
  std::array<slot, 1024> slots_;
};

// Names of events repeat: most are found without a hash of all of their text.
class recent_strings {
 public:
  explicit recent_strings(string_table& strings) noexcept : strings_(strings) {}

  [[nodiscard]] std::uint32_t intern(std::string_view text) {
    bool known = false;
    recent_texts::slot& s = recent_.find(text, known);
    if (!known) {
      s.id = strings_.intern(text);
      s.text = strings_.text(s.id);
    }
    return s.id;
  }

 private:
  string_table& strings_;
  recent_texts recent_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
