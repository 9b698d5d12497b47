// Walks the members of an object whose quotes and brackets are known, in one go.
#pragma once
#include <profkit/core/chrome.hpp>
#include <read/chrome_text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What stands between two values of objects that are written alike, such as `, "name": "`, and what it means: text that
// was read once need not be taken apart again. What a text means depends on nothing but the text; which one to expect
// is a guess from what followed the last time.
class json_gaps {
  static constexpr std::uint8_t root = 62, nowhere = 63;  // nowhere stays empty and has none behind it

 public:
  static constexpr std::uint8_t no_slot = 0xff;
  enum class value_kind : std::uint8_t { scalar, string, nested };

  struct gap {
    static constexpr std::size_t least_bytes = 4, most_bytes = 64;
    char text[most_bytes];  // with the quote or bracket that opens the value
    std::uint8_t size = 0;
    std::uint8_t marks = 0;   // in it, before that of the value
    std::uint8_t key_at = 0;  // where the first of them stands
    std::uint8_t slot = no_slot;
    value_kind kind = value_kind::scalar;
    bool first = false;  // behind the opening brace
    std::array<std::uint8_t, 2> next = {nowhere, nowhere};
  };

  // The gap that is to be expected first in an object.
  [[nodiscard]] std::uint8_t start() const noexcept { return root; }
  // The gap behind `before` that stands at `at`; null when it is another than those of before.
  [[nodiscard]] const gap* expected(std::uint8_t& before, const char* at, const char* end) const noexcept {
    for (const std::uint8_t guess : gaps_[before].next) {
      const gap& g = gaps_[guess];
      if (!stands_at(g, at, end) || g.first != (before == root)) continue;
      before = guess;
      return &g;
    }
    return nullptr;
  }
  // The same where only the quote that opens the key is known; `at` becomes the start of the gap.
  [[nodiscard]] const gap* expected_around(std::uint8_t& before, const char* key, const char* least, const char*& at,
                                           const char* end) const noexcept {
    for (const std::uint8_t guess : gaps_[before].next) {
      const gap& g = gaps_[guess];
      if (g.first || key - least <= g.key_at || !stands_at(g, key - g.key_at, end)) continue;
      at = key - g.key_at;
      before = guess;
      return &g;
    }
    return nullptr;
  }
  // Remembers a gap behind `before`, which becomes it.
  void learn(std::uint8_t& before, std::string_view text, std::size_t key_at, std::uint32_t marks, std::uint8_t slot,
             value_kind kind) {
    const bool first = before == root;
    if (text.size() < gap::least_bytes || text.size() > gap::most_bytes) {
      before = nowhere;
      return;
    }
    const std::uint8_t index = place_of(text, first);
    gap& g = gaps_[index];
    if (!is(g, text, first)) {
      g = gap();
      std::memcpy(g.text, text.data(), text.size());
      g.size = static_cast<std::uint8_t>(text.size());
      g.marks = static_cast<std::uint8_t>(marks);
      g.key_at = static_cast<std::uint8_t>(key_at);
      g.slot = slot;
      g.kind = kind;
      g.first = first;
    }
    std::array<std::uint8_t, 2>& next = gaps_[before].next;
    if (before != nowhere && next[0] != index && next[1] != index) next = {index, next[0]};
    before = index;
  }

 private:
  static bool is(const gap& g, std::string_view text, bool first) noexcept {
    return g.size == text.size() && g.first == first && std::memcmp(g.text, text.data(), text.size()) == 0;
  }
  // Where a text is, or may be put; one of those that it might be at gives way when all of them are taken.
  [[nodiscard]] std::uint8_t place_of(std::string_view text, bool first) const noexcept {
    std::uint32_t head = 0, tail = 0;
    std::memcpy(&head, text.data() + text.size() / 2 - 2, 4);
    std::memcpy(&tail, text.data() + text.size() - 4, 4);
    const std::uint32_t mixed = (head ^ (tail << 7) ^ (tail >> 9)) * 0x9e3779b1U;
    const std::uint32_t start_at = mixed >> 16;
    constexpr std::uint32_t most_tried = 8;
    for (std::uint32_t i = 0; i < most_tried; ++i) {
      const auto index = static_cast<std::uint8_t>((start_at + i) % root);
      if (gaps_[index].size == 0 || is(gaps_[index], text, first)) return index;
    }
    return static_cast<std::uint8_t>((start_at + text.size()) % root);
  }

  static bool stands_at(const gap& g, const char* at, const char* end) noexcept {
    const std::size_t size = g.size;
    if (static_cast<std::size_t>(end - at) <= size) return false;
    if (size >= 32) return same<32>(at, g.text, size);
    if (size >= 16) return same<16>(at, g.text, size);
    if (size >= 8) return same<8>(at, g.text, size);
    return size >= gap::least_bytes && same<4>(at, g.text, size);
  }
  // Both ends, which overlap or meet: size is from Half to twice Half.
  template <std::size_t Half>
  static bool same(const char* a, const char* b, std::size_t size) noexcept {
    if constexpr (Half > 8) {
      return same<Half / 2>(a, b, Half) && same<Half / 2>(a + size - Half, b + size - Half, Half);
    } else {
      using word = std::conditional_t<Half == 8, std::uint64_t, std::uint32_t>;
      word a0 = 0, a1 = 0, b0 = 0, b1 = 0;
      std::memcpy(&a0, a, Half);
      std::memcpy(&b0, b, Half);
      std::memcpy(&a1, a + size - Half, Half);
      std::memcpy(&b1, b + size - Half, Half);
      return ((a0 ^ b0) | (a1 ^ b1)) == 0;
    }
  }

  std::array<gap, 64> gaps_;
};

struct walked_object {
  const char* end = nullptr;  // past the closing brace; null: the text is not that of an object of members
  std::uint32_t last_mark = 0;
  bool trailing_comma = false;
};

// The object at text.front() == '{' has marks.first. `find` gives the slot of a key (escapes not undone), always the
// same one; `take` gets slot, raw value, and the marks of a value that is an object or array, unless the slot is
// no_slot.
template <class Find, class Take>
inline walked_object walk_marked_object(std::string_view text, const json_marks& marks, json_gaps& gaps, Find&& find,
                                        Take&& take) {
  using kind = json_gaps::value_kind;
  const char* const base = marks.base;
  const std::uint32_t* const places = marks.places;
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  std::uint32_t mark = marks.first;  // the next one
  walked_object walked;
  if (mark >= marks.last || base + places[mark] != at) return walked;
  ++at;
  ++mark;
  std::uint8_t gap_before = gaps.start();
  const json_gaps::gap* known = nullptr;  // stands at `at`
  for (bool first = true;; first = false) {
    const char* value = nullptr;
    const char* value_end = nullptr;
    json_marks inner;
    // Past a string or what is nested, whose mark is `mark`.
    const auto pass_marked = [&](kind k) {
      if (k == kind::string) {
        if (mark + 1 >= marks.last) return false;
        value_end = base + places[mark + 1] + 1;
        mark += 2;
        return true;
      }
      const std::uint32_t partner = mark < marks.last ? marks.partners[mark] : 0;
      if (partner <= mark || partner >= marks.last) return false;
      value_end = base + places[partner] + 1;
      inner = {base, places, marks.partners, mark, partner + 1, marks.escapes};
      mark = partner + 1;
      return true;
    };

    std::uint8_t gap_here = gap_before;
    if (known == nullptr) known = gaps.expected(gap_here, at, end);
    if (known != nullptr) {
      const json_gaps::gap& here = *known;
      known = nullptr;
      const std::uint32_t mark_here = mark;
      mark += here.marks;
      value = at + here.size;
      bool passed = false;
      if (here.kind != kind::scalar) {
        --value;
        passed = pass_marked(here.kind);
      } else if (mark < marks.last) {
        // Where the number ends is told by the key behind it, without waiting for its digits to be looked at.
        std::uint8_t gap_next = gap_here;
        known = gaps.expected_around(gap_next, base + places[mark], value, value_end, end);
        if (known != nullptr && value_end != value &&
            (is_number_up_to(value, value_end, end) || end_of_scalar(value, end) == value_end)) {
          gap_here = gap_next;
          passed = true;
        } else {
          known = nullptr;
          value_end = end_of_scalar(value, end);
          passed = value_end != value && value_end != end;
        }
      }
      if (passed) {
        if (here.slot != json_gaps::no_slot) {
          take(here.slot, std::string_view(value, static_cast<std::size_t>(value_end - value)), inner);
        }
        at = value_end;
        gap_before = gap_here;
        continue;
      }
      mark = mark_here;  // a value of another kind, or the end of what is known
    }

    // What comes next begins at a mark: a key, behind a comma unless it is the first, or the closing brace.
    const char* const gap_start = at;
    const std::uint32_t gap_mark = mark;
    if (mark >= marks.last) return walked;
    const char* const next = base + places[mark];
    at = skip_json_space(at, next);
    const bool comma = at != next && *at == ',' && !first;
    if (comma) at = skip_json_space(at + 1, next);
    if (at != next) return walked;
    if (*next == '}') {
      walked.trailing_comma = comma;
      walked.end = at + 1;
      walked.last_mark = mark + 1;
      return walked;
    }
    if (*next != '"' || comma == first) return walked;
    if (mark + 1 >= marks.last) return walked;
    const char* const key_end = base + places[mark + 1];
    const std::string_view key(at + 1, static_cast<std::size_t>(key_end - at) - 1);
    mark += 2;
    at = key_end + 1;
    if (end - at < 3) return walked;
    at = skip_json_space(at, end);
    if (at == end || *at != ':') return walked;
    at = skip_json_space(at + 1, end);
    if (at == end) return walked;
    value = at;
    const kind k = *value == '"' ? kind::string : *value == '{' || *value == '[' ? kind::nested : kind::scalar;
    if (k != kind::scalar && (mark >= marks.last || base + places[mark] != value)) return walked;
    const std::uint32_t value_mark = mark;
    if (k == kind::scalar) {
      value_end = end_of_scalar(value, end);
      if (value_end == value || value_end == end) return walked;
    } else if (!pass_marked(k)) {
      return walked;
    }
    const std::uint8_t slot = find(key);
    const std::size_t gap_bytes = static_cast<std::size_t>(value - gap_start) + (k == kind::scalar ? 0 : 1);
    gaps.learn(gap_before, {gap_start, gap_bytes}, static_cast<std::size_t>(next - gap_start), value_mark - gap_mark,
               slot, k);
    if (slot != json_gaps::no_slot) {
      take(slot, std::string_view(value, static_cast<std::size_t>(value_end - value)), inner);
    }
    at = value_end;
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
