// What one pass over a streamed file gave, line by line.
#pragma once
#include <profkit/core/profile.hpp>
#include <formats/xspace/xspace_stream.hpp>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A value for each line of the files that were streamed; lines come in the order of file, plane and line.
template <class Value>
class by_streamed_line {
  using key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

 public:
  Value& add(std::uint32_t file, stream_place place) {
    return lines_.emplace_back(key{file, place.plane, place.line}, Value()).second;
  }
  // Null for a line of another file.
  [[nodiscard]] const Value* find(std::size_t file, std::size_t plane, std::size_t line) const noexcept {
    return at(*this, file, plane, line);
  }
  [[nodiscard]] Value* find(std::size_t file, std::size_t plane, std::size_t line) noexcept {
    return at(*this, file, plane, line);
  }

 private:
  std::vector<std::pair<key, Value>> lines_;

  template <class Self>
  static auto at(Self& self, std::size_t file, std::size_t plane, std::size_t line) noexcept
      -> decltype(&self.lines_.front().second) {
    const key wanted{static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(plane),
                     static_cast<std::uint32_t>(line)};
    const auto found = std::lower_bound(self.lines_.begin(), self.lines_.end(), wanted,
                                        [](const auto& entry, const key& k) { return entry.first < k; });
    return found != self.lines_.end() && found->first == wanted ? &found->second : nullptr;
  }
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
