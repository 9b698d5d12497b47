// A walk over an XSpace whose bytes come in pieces of any size: events are handed on as they come, everything else is
// kept. The one-pass reader of a source and the reader that a host pushes to drive it.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>
#include <profkit/wire.hpp>

#include <base/growing_bytes.hpp>
#include <formats/xspace/xspace_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Thrown inside, also by a visitor: it ends the walk with this fault.
struct walk_stopped {
  fault why;
};

// What a walk may hold.
struct walk_bounds {
  std::uint64_t held_bytes = 0;  // of a field whose bytes are not all there
  std::uint64_t kept_bytes = 0;  // of all but events
  std::uint64_t named = 0;       // the value of limits::max_materialised_bytes, for messages
  const char* hint = "";         // what to do when there is more
};

// All but the events, as an XSpace of its own: the bodies of lines hold their other fields only. Damage is copied, too,
// so that the index meets it in the same place.
class kept_message {
 public:
  explicit kept_message(const walk_bounds& bounds) noexcept : bounds_(bounds) {}

  void copy(const char* bytes, std::size_t count, std::uint64_t was);
  // Opens a sub-message whose length is not known yet; `was` is where its tag stood, `payload_was` its first byte.
  // Gives what close() wants.
  std::uint64_t open(std::uint32_t field, std::uint64_t was, std::uint64_t payload_was);
  // `missing`: how many bytes the sub-message said it has beyond those that were there. Of one that is cut the copy
  // holds something where `had_any`, as the index makes the difference.
  void close(std::uint64_t opened, bool had_any, std::uint64_t missing);

  [[nodiscard]] std::uint64_t used() const noexcept { return bytes_.used(); }
  [[nodiscard]] std::string_view view() const noexcept { return bytes_.view(); }
  // Takes the bytes out, to their exact size; the message is empty then.
  std::shared_ptr<const void> share(std::string_view& bytes);
  std::vector<reduced_from::run> take_runs() noexcept { return std::exchange(runs_, {}); }

 private:
  static constexpr std::size_t length_bytes = 5;  // a padded varint
  static constexpr std::uint64_t longest = (std::uint64_t{1} << 35) - 1;

  void make_room(std::uint64_t count);
  void note_place(std::uint64_t was);

  const walk_bounds& bounds_;
  growing_bytes bytes_;
  std::vector<reduced_from::run> runs_;
};

class xspace_walk {
 public:
  xspace_walk(stream_visitor& visitor, const walk_bounds& bounds) noexcept
      : bounds_(bounds), kept_(bounds_), visitor_(visitor) {}
  xspace_walk(const xspace_walk&) = delete;
  xspace_walk& operator=(const xspace_walk&) = delete;

  // Goes on with these bytes, which are looked at during the call only. Faults: `limit`, `out_of_memory`; nothing can
  // follow them.
  result<void> take(std::string_view piece);
  // No more bytes come: what is open ends here.
  result<void> end();
  // Damage after which no field of the file can be found: the rest goes by.
  [[nodiscard]] bool is_lost() const noexcept { return at_ == level::over; }
  // Nor is it worth decoding.
  [[nodiscard]] bool is_over() const noexcept { return is_lost() && position_ >= skip_to_; }

  // How far the walk is; up to here all is handed on or kept.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

  // What is kept. Taken at the end of a plane it is that plane alone, and what stood before it.
  [[nodiscard]] std::shared_ptr<reduced_from> take_kept(std::string_view& bytes, std::shared_ptr<const void>& owner);
  // Of the plane that is open, up to its last line.
  [[nodiscard]] std::string_view kept_before_line() const noexcept {
    return kept_.view().substr(plane_opened_, before_line_ - plane_opened_);
  }
  // Of the line that is open: its fields so far, and those before its first event.
  [[nodiscard]] std::string_view kept_of_line() const noexcept { return kept_.view().substr(line_opened_); }
  [[nodiscard]] std::string_view line_head() const noexcept {
    return kept_.view().substr(line_opened_, head_end_ - line_opened_);
  }
  [[nodiscard]] std::uint64_t line_begin() const noexcept { return line_begin_; }
  // Not a byte of its body came: of a line that ends, whether it was empty, or cut right after its head.
  [[nodiscard]] bool is_line_absent() const noexcept { return position_ == line_begin_ && at_hand(line_stop_).empty(); }

 private:
  struct field_head {
    std::uint32_t number = 0;
    wire_type type = wire_type::varint;
    std::uint64_t at = 0;       // where the field begins
    std::uint64_t payload = 0;  // where its payload does, when it is length-delimited; else where the field ends
    std::uint64_t end = 0;      // where it ends, as it says
    [[nodiscard]] bool is_bytes(std::uint32_t wanted) const noexcept {
      return number == wanted && type == wire_type::length_delimited;
    }
  };
  enum class met : std::uint8_t { field, end, damage, missing };
  enum class level : std::uint8_t { file, plane, plane_end, line, line_end, over };
  // What to do about a field of a line that is not whole.
  struct line_step {
    bool damaged = false;
    std::uint64_t wanted = 1;   // how much to have at hand before the next look
    std::uint64_t skip_to = 0;  // not 0: where to go first
  };

  void run();
  bool step();
  bool have(std::uint64_t bytes);
  bool move();
  met next(std::uint64_t end, field_head& field);
  [[nodiscard]] std::string_view at_hand(std::uint64_t end) const noexcept;
  void pass(std::size_t bytes) noexcept;

  void copy_field(const field_head& field, std::uint64_t end) noexcept;
  void skip_unknown(const field_head& field);
  void copy_damage(std::uint64_t end);
  void close(std::uint64_t opened, const field_head& field);

  bool step_file();
  void open_plane(const field_head& plane);
  bool step_plane();
  void end_plane();
  void open_line(const field_head& line);
  bool step_line();
  void end_line();
  const char* read_whole_fields(std::string_view here);
  void keep_line_field(const wire_field& field, std::string_view raw, std::uint64_t was, bool after_events);
  void hand_on(std::string_view fields, const char* readable_end);
  void note_line_damage(std::uint64_t offset) noexcept;
  line_step step_over(std::string_view rest, std::uint64_t end, bool is_all);

  const walk_bounds bounds_;
  kept_message kept_;
  stream_visitor& visitor_;

  std::string_view here_;      // the bytes at hand, from position_ on
  growing_bytes rest_;         // of a field that did not all come
  std::uint64_t missing_ = 1;  // how many bytes there must be before it goes on
  std::uint64_t position_ = 0;
  bool ended_ = false;

  // What lies ahead: to copy up to the one, then to skip up to the other.
  std::uint64_t copy_to_ = 0, skip_to_ = 0;
  std::string skipped_head_;  // of an unknown field of the file that is being skipped
  std::uint64_t skipped_at_ = 0;

  level at_ = level::file;
  std::uint32_t planes_ = 0, lines_of_plane_ = 0;
  std::size_t lines_kept_ = 0;
  field_head plane_, line_;
  std::uint64_t plane_opened_ = 0, before_line_ = 0, line_opened_ = 0;
  // Of the line that is read.
  std::uint64_t line_begin_ = 0, line_stop_ = 0, head_end_ = 0;
  line_end line_end_;
  bool takes_events_ = false;
  fields_before_events before_events_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
