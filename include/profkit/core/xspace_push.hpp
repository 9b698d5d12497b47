// An XSpace whose bytes arrive piece by piece, from a socket or a call: its events come out meanwhile.
#pragma once
#include <profkit/core/event_row.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// A plane as far as it is known when its first line begins: writers put id and name first. plane_end() knows all.
struct pushed_plane {
  std::uint32_t plane = 0;  ///< its position in the capture
  std::int64_t id = 0;      ///< 0 while none came
  std::string_view name;    ///< "" while none came
};

/// A line and what is known of it. Before its first event that is what stands before that event on the wire, whatever
/// the pieces; line_end() knows all of it. Writers put id, name and timestamp first, but need not.
struct pushed_line {
  std::uint32_t plane = 0, line = 0;  ///< positions in the capture, and in the plane
  std::int64_t id = 0, display_id = 0;
  std::string_view name, display_name;
  std::int64_t timestamp_ns = 0;  ///< what the offsets of its events count from: Unix ns, or ns since the profile's start
  std::int64_t duration_ps = 0;   ///< 0 in files seen so far
  std::uint64_t event_count = 0;  ///< events handed on so far
  /// Of line_end(): id, name or timestamp_ns are not what they were at line_begin(): fields stood after events.
  bool was_changed = false;
};

/// What takes a capture that arrives. Planes come one after the other, their lines one after the other. What is handed
/// over is borrowed for the call, but for the bytes of plane_end(). False stops the reading with `cancelled`.
class xspace_push_visitor {
 public:
  virtual ~xspace_push_visitor() = default;
  virtual bool plane_begin(const pushed_plane& /*plane*/) { return true; }
  virtual bool line_begin(const pushed_line& /*line*/) { return true; }
  /// The next events of the line, in the order of the file. An event's name is that of its metadata_id, which
  /// plane_end() knows; it begins line.timestamp_ns and offset_ps after time zero of the file.
  virtual bool events(const pushed_line& line, const event_row* rows, std::size_t count) = 0;
  virtual bool line_end(const pushed_line& /*line*/) { return true; }
  /// All of the plane has come. `rest` is an XSpace with this plane alone, without its events: names, metadata, stats and
  /// headers of lines, for plane_view, metadata_index or profile::open_buffer(). It may be kept, with its owner. Its
  /// `damage` is the first of the plane, by its place in the capture.
  virtual bool plane_end(std::uint32_t /*plane*/, const held_bytes& /*rest*/) { return true; }
  // enum xspace_push_visitor::note_kind: written by scripts/generate
  /// Lists of text that an XSpace carries beside its planes.
  enum class note_kind : std::uint8_t { hostname, error, warning };
  // end of enum xspace_push_visitor::note_kind
  virtual bool note(note_kind /*kind*/, std::string_view /*text*/) { return true; }
  /// Something is damaged, at why.byte_offset of the decoded capture. What is intact around it comes nevertheless.
  virtual bool damage(const fault& /*why*/) { return true; }
};

struct xspace_push_options {
  std::string label;  ///< stands for the path in messages
  limits bounds;      ///< max_materialised_bytes: of an event or entry that is not all there, and of the rest of a plane
};

/// Reads an XSpace that its caller pushes, plain, gzip or zstd. Holds the event or entry that is not all there yet, and of
/// the open plane everything but its events. One thread at a time; the visitor is called inside push() and finish().
class xspace_push_reader {
 public:
  /// `visitor` must outlive the reader.
  explicit xspace_push_reader(xspace_push_visitor& visitor, xspace_push_options options = {});
  ~xspace_push_reader();
  xspace_push_reader(const xspace_push_reader&) = delete;
  xspace_push_reader& operator=(const xspace_push_reader&) = delete;

  /// The next bytes, as many as there are; they are borrowed for the call. Damage is not a fault here: the visitor is
  /// called, and finish() fails. Faults, after which every call gives the same one: `limit`, `out_of_memory`,
  /// `cancelled` (the visitor), `unrecognised` and `text_mangled` (not an XSpace), `unsupported` (a compression that this
  /// build lacks), `invalid_argument` (a call from inside the visitor, or after finish()).
  result<void> push(std::string_view bytes);
  /// No more bytes come: what is open ends here. Succeeds only for a capture that was whole and sound; otherwise the
  /// fault is that of push(), or the damage that lies first.
  result<void> finish();

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
