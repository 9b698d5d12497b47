// One pass over an XSpace that is not all in memory: its events go by, everything else is kept.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/source.hpp>
#include <formats/xspace/xspace_index.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// A line by its position in the file, as in the index of the whole.
struct stream_place {
  std::uint32_t plane = 0, line = 0;
};

// Events of one line, in file order. Rows and the stats they point to are there until the next call.
struct line_rows {
  event_row* rows = nullptr;  // may be changed
  std::size_t count = 0;
  const char* readable_end = nullptr;  // bytes up to there may be read
  const char* begin = nullptr;         // where they begin
  std::uint64_t begin_in_line = 0;     // the same, from the start of the line
  [[nodiscard]] std::uint64_t offset_in_line(const char* at) const noexcept {
    return begin_in_line + static_cast<std::uint64_t>(at - begin);
  }
};

struct line_end {
  bool has_events = false;          // at least one that is whole by its length
  bool damaged = false;             // the events end there; what follows in the line is lost
  std::uint64_t damage_offset = 0;  // in the line
  std::optional<line_header> header;  // all of it; none while the line is streamed: the index has it afterwards
};

// What takes the events.
class stream_visitor {
 public:
  virtual ~stream_visitor() = default;
  // `bytes`: how long the line says it is. False: its events are not wanted, and end_line() is called at once.
  virtual bool begin_line(stream_place place, std::uint64_t bytes) = 0;
  virtual void events(const line_rows& rows) = 0;
  virtual void end_line(const line_end& end) = 0;
  // All of a plane has gone by.
  virtual void end_plane(std::uint32_t /*plane*/) {}
};

// What a pass keeps.
struct streamed_xspace {
  // Everything but the events: the bodies of lines hold their other fields only. Offsets are those of the whole.
  xspace_index index;
  std::uint64_t bytes = 0;      // that were decoded
  std::optional<fault> damage;   // of the source: cut or broken compression, an input that shrank
  std::optional<fault> foreign;  // by its beginning it is another message
  bool is_another = false;  // foreign by its signature, which counts more than damage
  std::shared_ptr<const void> owner;
};

// Reads `from`, rewound, to its end. Memory: a window of 1 MiB, the longest event that it cuts, and what is kept: names,
// stats, metadata maps. Faults: `limit` when a single event, or what is kept, is more than max_materialised_bytes;
// `cancelled`; those of the source that leave nothing usable. Damage is not a fault: see the index.
result<streamed_xspace> stream_xspace(source& from, stream_visitor& visitor, const limits& bounds = {},
                                      const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
