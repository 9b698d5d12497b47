// Where everything in an XSpace lies: built by hopping over lengths, without touching event bodies.
#pragma once
#include <profkit/core/event_row.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/track.hpp>
#include <profkit/xspace.hpp>
#include <formats/xspace/metadata_table.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

struct line_index {
  std::string_view body;     // the XLine message
  std::uint64_t offset = 0;  // of body in the file
  line_header header;        // fields before the first event; see complete_header()
  line_kind kind = line_kind::other;
  std::string_view name() const noexcept { return header.name.empty() ? header.display_name : header.name; }
};

struct plane_index {
  std::string_view body;
  std::uint64_t offset = 0;
  std::int64_t id = 0;
  std::string_view name;
  plane_kind kind = plane_kind::other;
  std::int32_t device = -1;       // device_ordinal(name)
  std::vector<line_index> lines;  // in file order
  metadata_entries event_metadata_entries, stat_metadata_entries;
  std::vector<std::string_view> stats;
  metadata_lookup event_metadata, stat_metadata;  // O(1) by id; the last entry of an id wins

  plane_index() = default;
  plane_index(plane_index&&) noexcept = default;  // no copies: the lookups borrow from the entries
  plane_index& operator=(plane_index&&) noexcept = default;

  // Name of an event or stat metadata id; "" when the id has no entry.
  std::string_view event_name(std::int64_t metadata_id) const noexcept;
  std::string_view event_display_name(std::int64_t metadata_id) const noexcept;
  std::string_view stat_name(std::int64_t metadata_id) const noexcept;
  // The stat metadata id of a name; nullopt when this plane has none. Linear: look it up once a plane.
  std::optional<std::int64_t> stat_id(std::string_view wanted) const noexcept;
};

// How much of the beginning of a damaged file is looked at to see whether it went through a text conversion.
inline constexpr std::size_t text_sample_bytes = std::size_t{4} << 20;

// Where the bytes of a message lay from which some were left out: runs of bytes that stood together.
struct reduced_from {
  struct run {
    std::uint64_t at, was;  // offset in the message, and in the whole
  };
  std::vector<run> runs;  // ascending; the first is at 0
  std::string head;       // how the whole begins
  bool after_planes = false;  // planes of the whole stood before the message
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t at) const noexcept;
  // The offset in the whole of a message that begins at `at`; its first bytes may have been left out.
  [[nodiscard]] std::uint64_t beginning_at(std::uint64_t at) const noexcept;
};

struct xspace_index {
  std::string_view bytes;                    // what was indexed
  std::shared_ptr<const reduced_from> from;  // null: all of the file
  std::vector<plane_index> planes;
  std::vector<std::string_view> errors, warnings, hostnames;
  std::optional<fault> damage;  // first damage met while indexing; everything before it is listed

  // Where a position in the indexed bytes lies in the file, and where the body of a message begins there.
  [[nodiscard]] std::uint64_t offset_of(const char* at) const noexcept;
  [[nodiscard]] std::uint64_t beginning_of(std::string_view message) const noexcept;
};

// An empty plane or line takes two bytes of a file and some hundred of the index, so their numbers are bounded:
// far above what any writer makes, and low enough that hostile files do not fill the memory.
inline constexpr std::size_t max_planes = std::size_t{1} << 16;
inline constexpr std::size_t max_lines = std::size_t{1} << 20;  // of the file

// Lines up to this size get their whole header at once. Larger ones are hopped over only when their id, name or start
// does not stand before the first event: serializers write in field order, and a pass over gigabytes of
// events to look for fields that are not there would cost more than many a query.
inline constexpr std::size_t short_line_bytes = std::size_t{64} << 10;

// Never fails as a whole: damage is reported in xspace_index::damage (code damaged or text_mangled).
// `from`: what was left out of the bytes, for offsets; null when nothing was.
xspace_index index_xspace(std::string_view bytes, std::shared_ptr<const reduced_from> from = nullptr);

// The whole header of a line. Writers put display_name, display_id and duration_ps after the events, so
// this hops over all of them once.
line_header complete_header(const line_index& line) noexcept;

// Takes a field of a line other than an event. Of equal fields the last counts.
inline void take_line_field(const wire_field& field, line_header& into) noexcept {
  const auto value = static_cast<std::int64_t>(field.value);
  if (field.is_varint(1)) into.id = value;
  if (field.is_bytes(2)) into.name = field.bytes;
  if (field.is_varint(3)) into.timestamp_ns = value;
  if (field.is_varint(9)) into.duration_ps = value;
  if (field.is_varint(10)) into.display_id = value;
  if (field.is_bytes(11)) into.display_name = field.bytes;
}

// Of the fields that stand before the events of a line: whether the header may be taken as whole.
struct fields_before_events {
  bool id = false, name = false, start = false;
  void take(const wire_field& field) noexcept {
    id = id || field.is_varint(1);
    name = name || ((field.is_bytes(2) || field.is_bytes(11)) && !field.bytes.empty());
    start = start || field.is_varint(3);
  }
  [[nodiscard]] bool are_whole() const noexcept { return id && name && start; }
};

// Which walker decodes events. `portable` is for tests and benchmarks; results never differ.
enum class scan_variant : std::uint8_t { fastest, portable };

// Decodes the events of one line in file order, a batch at a time, at memory speed (BMI2 or SWAR, chosen
// at run time). Usage: event_scanner s(line.body); while (std::size_t n = s.next(rows, cap)) …; then
// s.ok() says whether it is the end or damage, s.offset() where (in line.body). Batches of some hundred rows stay in
// the first-level cache. Never reads outside line_body.
class event_scanner {
 public:
  explicit event_scanner(std::string_view line_body, scan_variant wanted = scan_variant::fastest) noexcept;
  std::size_t next(event_row* rows, std::size_t capacity) noexcept;
  [[nodiscard]] bool ok() const noexcept { return damage_ == nullptr; }
  // What stood before, between and after the events: once the scan is at its end, and ok(), all of the line's header
  // but for the number of events.
  [[nodiscard]] const line_header& header() const noexcept { return header_; }
  // Whether the header's timestamp stood there so far.
  [[nodiscard]] bool met_timestamp() const noexcept { return met_timestamp_; }
  // Where the damaged field starts; without damage, how far the scan is.
  [[nodiscard]] std::uint64_t offset() const noexcept {
    return static_cast<std::uint64_t>((damage_ != nullptr ? damage_ : at_) - begin_);
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
  const char* damage_ = nullptr;
  line_header header_;
  bool met_timestamp_ = false;
  std::size_t (*scan_)(const char** at, const char* end, event_row* rows, std::size_t capacity) noexcept;
};

// The event that begins where `from` does, as event_scanner would find it first: quicker for one alone. False when
// there is none, or it is damaged.
bool decode_first_event(std::string_view from, event_row& row) noexcept;

// Number of events of a line, by hopping lengths only.
std::uint64_t count_events(std::string_view line_body) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
