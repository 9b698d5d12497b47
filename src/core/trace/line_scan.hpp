// One decode of the lines of XSpaces for all passes that want their events, of files in memory and streamed ones.
#pragma once
#include <formats/xspace/xspace_stream.hpp>
#include <profkit/core/profile.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct line_place {
  std::uint32_t file = 0;
  std::int32_t plane = 0, line = 0;
  friend bool operator<(const line_place& a, const line_place& b) noexcept {
    return std::tie(a.file, a.plane, a.line) < std::tie(b.file, b.plane, b.line);
  }
  friend bool operator==(const line_place& a, const line_place& b) noexcept { return !(a < b) && !(b < a); }
};

// Of a file whose outline is known.
[[nodiscard]] inline const plane_index& plane_at(const profile& p, const line_place& place) {
  return p.outline(place.file)->planes[static_cast<std::size_t>(place.plane)];
}
// The plane that a row names; null where there is none, as in files other than XSpaces.
[[nodiscard]] inline const plane_index* find_plane(const profile& p, std::uint32_t file, std::int32_t plane) noexcept {
  const std::vector<plane_index>& planes = p.outline(file)->planes;
  return plane < 0 || static_cast<std::size_t>(plane) >= planes.size() ? nullptr : &planes[static_cast<std::size_t>(plane)];
}
[[nodiscard]] inline const line_index& line_at(const profile& p, const line_place& place) {
  return plane_at(p, place).lines[static_cast<std::size_t>(place.line)];
}

// Takes the events of one line, on one thread.
class line_reader {
 public:
  virtual ~line_reader() = default;
  // Whether take() changes the rows; then they are this reader's own.
  [[nodiscard]] virtual bool changes_rows() const noexcept { return false; }
  // The next events, in file order.
  virtual void take(const line_rows& rows) = 0;
  // No event is left. True: the line is read once more, for a reader that is begun anew.
  virtual bool end(const line_end& end) = 0;
};

// What one question wants of many lines.
class line_pass {
 public:
  virtual ~line_pass() = default;
  // Asked of each line, in the order of file, plane and line, by one thread, before its events are read.
  virtual bool wants(const line_place& place) = 0;
  // Called on any thread. `bytes`: how long the line says it is.
  virtual std::unique_ptr<line_reader> begin(const line_place& place, std::uint64_t bytes) = 0;
};

// Reads each line that a pass wants, once for all of them; on up to host.threads threads, the longest line first.
// Faults: cancelled, out_of_memory, those of a source that is streamed again. Damage is not a fault: end() has it.
result<void> scan_lines(const profile& p, const std::vector<line_pass*>& passes, const hooks& host);

// scan_lines() for the files that are streamed, before anything is known of their planes: outline() has them
// afterwards. `again`: whether they are to be read once more later.
result<void> scan_streamed_lines(const profile& p, const std::vector<line_pass*>& passes, bool again, const hooks& host);

// A value for each of some lines, which are added in the order of file, plane and line. Adding moves the values.
template <class Value>
class by_line {
 public:
  Value& add(const line_place& place) { return lines_.emplace_back(place, Value()).second; }
  // Null for a line that was not added.
  [[nodiscard]] const Value* find(const line_place& place) const noexcept { return at(*this, place); }
  [[nodiscard]] Value* find(const line_place& place) noexcept { return at(*this, place); }
  [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
  // The first of each pair is the place.
  [[nodiscard]] auto begin() noexcept { return lines_.begin(); }
  [[nodiscard]] auto end() noexcept { return lines_.end(); }

 private:
  template <class Self>
  static auto at(Self& self, const line_place& place) noexcept -> decltype(&self.lines_.front().second) {
    const auto found = std::lower_bound(self.lines_.begin(), self.lines_.end(), place,
                                        [](const auto& entry, const line_place& wanted) { return entry.first < wanted; });
    return found != self.lines_.end() && found->first == place ? &found->second : nullptr;
  }

  std::vector<std::pair<line_place, Value>> lines_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
