// The pass: a window slides over the message, events are handed on from it, and what is no event is copied into a
// message of its own, an XSpace without events, which the index then reads as it reads any other. Damage is copied,
// too, so that the index meets it in the same place.
#include <formats/xspace/xspace_stream.hpp>

#include <profkit/core/capture.hpp>

#include <profkit/wire.hpp>
#include <base/growing_bytes.hpp>
#include <base/progress.hpp>
#include <formats/foreign/foreign_format.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t window_bytes = std::size_t{1} << 20;
constexpr std::size_t rows_at_once = 256;

// The longest head of a field: a tag of five bytes and a varint of ten. With that many bytes at hand, or all there are,
// a head that cannot be read is damaged.
constexpr std::size_t head_bytes = 16;

// What is thrown inside and ends the pass.
struct stopped {
  fault why;
};

fault over_limit(const source& from, std::string what, const limits& bounds) {
  return fault{
      fault_code::limit,
      std::move(what) + ", over max_materialised_bytes (" + std::to_string(bounds.max_materialised_bytes) + ")",
      from.name(), no_offset, "raise max_materialised_bytes, or decompress the file and open it mapped"};
}

fault no_memory(const source& from, std::uint64_t bytes) {
  return fault{fault_code::out_of_memory, "no memory for " + std::to_string(bytes) + " decoded bytes", from.name(),
               no_offset, "decompress the file and open it mapped"};
}

// The decoded bytes that are at hand.
class window {
 public:
  window(source& from, const limits& bounds, const hooks& host)
      : from_(from), bounds_(bounds), meter_(host, from.encoded_bytes() == no_offset ? 0 : from.encoded_bytes()) {
    if (!buffer_.resize_capacity(window_bytes)) throw stopped{no_memory(from, window_bytes)};
  }

  [[nodiscard]] const char* data() noexcept { return buffer_.data() + begin_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(buffer_.used()) - begin_; }
  // Of data(), in the decoded bytes of the file.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] std::optional<fault> take_damage() noexcept { return std::move(damage_); }
  [[nodiscard]] std::string take_head() noexcept { return std::move(head_); }

  void take(std::size_t bytes) noexcept {
    begin_ += bytes;
    position_ += bytes;
  }

  // Reads on until `bytes` are at hand or the input ends. A field cannot make it grow before its bytes are there.
  void want(std::uint64_t bytes) {
    if (size() >= bytes || ended_) return;
    if (bytes > std::max<std::uint64_t>(window_bytes, bounds_.max_materialised_bytes))
      throw stopped{over_limit(from_, "one event or field has " + std::to_string(bytes) + " bytes", bounds_)};
    buffer_.drop_front(begin_);
    begin_ = 0;
    while (size() < bytes && !ended_) fill(bytes);
  }

  // Goes on to a position ahead, or to the end of the input.
  void skip_to(std::uint64_t position) {
    while (position_ < position) {
      if (size() == 0) want(1);
      if (size() == 0) return;
      take(static_cast<std::size_t>(std::min<std::uint64_t>(size(), position - position_)));
    }
  }

 private:
  void fill(std::uint64_t wanted) {
    if (auto going = meter_.step(from_.encoded_position()); !going) {
      going.error().path = from_.name();
      throw stopped{std::move(going).error()};
    }
    if (buffer_.room() == 0) {
      const std::uint64_t more = std::min(buffer_.used() * 2, std::max<std::uint64_t>(wanted, window_bytes));
      if (!buffer_.resize_capacity(more)) throw stopped{no_memory(from_, more)};
    }
    auto count =
        from_.read(buffer_.end(), static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.room(), window_bytes)));
    if (!count) {
      ended_ = true;
      if (!leaves_bytes_usable(count.error(), position_ + size())) throw stopped{std::move(count).error()};
      damage_ = std::move(count).error();
      return;
    }
    ended_ = *count == 0;
    head_.append(buffer_.end(), std::min(*count, text_sample_bytes - head_.size()));
    buffer_.add(*count);
  }

  source& from_;
  const limits& bounds_;
  progress_meter meter_;
  growing_bytes buffer_;
  std::size_t begin_ = 0;
  std::uint64_t position_ = 0;
  std::string head_;
  std::optional<fault> damage_;
  bool ended_ = false;
};

// The message that is kept.
class kept_message {
 public:
  kept_message(const source& from, const limits& bounds) : from_(from), bounds_(bounds) {}

  void copy(const char* bytes, std::size_t count, std::uint64_t was) {
    if (count == 0) return;
    make_room(count);
    note_place(was);
    bytes_.append(bytes, count);
  }

  // Opens a sub-message whose length nobody knows yet; `was` is where its tag stood, `payload_was` its first byte.
  // Gives what close() wants.
  std::uint64_t open(std::uint32_t field, std::uint64_t was, std::uint64_t payload_was) {
    make_room(1 + length_bytes);
    note_place(was);
    const char tag = static_cast<char>(field << 3 | 2U);
    bytes_.append(&tag, 1);
    bytes_.add(length_bytes);
    note_place(payload_was);
    return bytes_.used();
  }
  // `missing`: how many bytes the sub-message said it has beyond those that were there. Of one that is cut the copy
  // holds something where `had_any`, as the index makes the difference.
  void close(std::uint64_t opened, bool had_any, std::uint64_t missing) {
    if (missing != 0 && had_any && bytes_.used() == opened) {
      constexpr char unknown_field[] = {0x78, 0};
      make_room(sizeof unknown_field);
      bytes_.append(unknown_field, sizeof unknown_field);
    }
    std::uint64_t length = std::min(bytes_.used() - opened + missing, longest);
    char* const at = bytes_.data() + opened - length_bytes;
    for (std::size_t i = 0; i < length_bytes; ++i, length >>= 7)
      at[i] = static_cast<char>((length & 0x7f) | (i + 1 < length_bytes ? 0x80 : 0));
  }

  // Takes the bytes out, to their exact size.
  std::shared_ptr<const void> share(std::string_view& bytes) {
    static_cast<void>(bytes_.resize_capacity(bytes_.used()));
    bytes = bytes_.view();
    return bytes_.share();
  }
  std::vector<reduced_from::run> take_runs() noexcept { return std::move(runs_); }

 private:
  static constexpr std::size_t length_bytes = 5;  // a padded varint
  static constexpr std::uint64_t longest = (std::uint64_t{1} << 35) - 1;

  void make_room(std::uint64_t count) {
    const std::uint64_t used = bytes_.used() + runs_.size() * sizeof(reduced_from::run);
    if (used + count > std::min(bounds_.max_materialised_bytes, longest))
      throw stopped{
          over_limit(from_, "names, stats and metadata have more than " + std::to_string(used) + " bytes", bounds_)};
    if (!bytes_.make_room(count)) throw stopped{no_memory(from_, used + count)};
  }

  void note_place(std::uint64_t was) {
    if (!runs_.empty() && runs_.back().was + (bytes_.used() - runs_.back().at) == was) return;
    runs_.push_back({bytes_.used(), was});
  }

  const source& from_;
  const limits& bounds_;
  growing_bytes bytes_;
  std::vector<reduced_from::run> runs_;
};

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

enum class met : std::uint8_t { field, end, damage };

class streamer {
 public:
  streamer(source& from, stream_visitor& visitor, const limits& bounds, const hooks& host)
      : window_(from, bounds, host), kept_(from, bounds), visitor_(visitor) {}

  streamed_xspace run() {
    constexpr std::uint64_t whole = std::numeric_limits<std::uint64_t>::max();
    field_head field;
    met what = next(whole, field);
    for (; what == met::field; what = next(whole, field)) {
      if (field.is_bytes(1))
        read_plane(field);
      else if (field.type == wire_type::length_delimited && field.number <= 4)
        copy_field(field, whole);
      else
        skip_unknown(field);
    }
    if (what == met::damage) copy_damage(whole);
    // Damage of the source counts, wherever it is. What breaks before its first plane is no XSpace, and the rest, which
    // may be a bomb, is not decoded.
    window_.skip_to(what == met::damage && planes_ == 0 ? std::uint64_t{text_sample_bytes} : whole);

    streamed_xspace done;
    done.bytes = window_.position();
    done.damage = window_.take_damage();
    auto from = std::make_shared<reduced_from>();
    from->runs = kept_.take_runs();
    from->head = window_.take_head();
    std::string_view bytes;
    done.owner = kept_.share(bytes);
    done.index = index_xspace(bytes, from);
    done.foreign = done.damage && done.index.planes.empty() ? why_not_begun_xspace(from->head)
                                                            : why_not_xspace(from->head);
    if ((done.damage || done.index.damage) && done.index.planes.empty())
      if (auto other = why_another(from->head)) {
        done.foreign = std::move(other);
        done.is_another = true;
      }
    from->head = {};
    return done;
  }

 private:
  // The head of the next field of a message that ends at `end`. At damage nothing of it is taken.
  met next(std::uint64_t end, field_head& field) {
    std::uint64_t wanted = head_bytes;
    for (;;) {
      window_.want(std::min(wanted, end - window_.position()));
      const std::string_view here = at_hand(end);
      if (here.empty()) return met::end;
      const bool is_all = window_.ended() || window_.position() + here.size() == end;
      const char* at = here.data();
      const char* const last = at + here.size();
      field.at = window_.position();
      std::uint32_t tag = 0;
      if (!read_tag(at, last, tag) || tag >> 3 == 0) return met::damage;
      field.number = tag >> 3;
      field.type = static_cast<wire_type>(tag & 7U);
      if (field.type == wire_type::length_delimited) {
        std::uint64_t length = 0;
        if (!read_length(at, last, length)) return met::damage;
        field.payload = field.at + static_cast<std::uint64_t>(at - here.data());
        field.end = field.payload + length;
        return met::field;
      }
      wire_reader reader(here);
      if (wire_field read; reader.next(read)) {
        field.payload = field.end = field.at + static_cast<std::uint64_t>(reader.position() - here.data());
        return met::field;
      }
      // Only a group can need more than a head.
      if (field.type != wire_type::group || is_all) return met::damage;
      wanted = std::uint64_t{here.size()} * 2;
    }
  }

  [[nodiscard]] std::string_view at_hand(std::uint64_t end) noexcept {
    return {window_.data(),
            static_cast<std::size_t>(std::min<std::uint64_t>(window_.size(), end - window_.position()))};
  }

  // Copies from here to a position, or to the end of the input.
  void copy_to(std::uint64_t position) {
    while (window_.position() < position) {
      window_.want(1);
      const std::string_view here = at_hand(position);
      if (here.empty()) return;
      kept_.copy(here.data(), here.size(), window_.position());
      window_.take(here.size());
    }
  }

  // Copies a field of a message that ends at `end`. Of one that runs past it only the beginning: that is damage.
  void copy_field(const field_head& field, std::uint64_t end) {
    if (field.end <= end) return copy_to(field.end);
    copy_to(std::min(end, field.payload));
    window_.skip_to(end);
  }

  // Goes over a field of the file that nobody wants. Of one that the end of the file cuts the head is copied.
  void skip_unknown(const field_head& field) {
    const std::string head(window_.data(), static_cast<std::size_t>(field.payload - field.at));
    window_.skip_to(field.end);
    if (window_.position() < field.end) kept_.copy(head.data(), head.size(), field.at);
  }

  // Copies the beginning of a field that cannot be read, enough that it cannot be read in the copy either.
  void copy_damage(std::uint64_t end) {
    window_.want(std::min<std::uint64_t>(head_bytes, end - window_.position()));
    const std::string_view here = at_hand(end).substr(0, head_bytes);
    kept_.copy(here.data(), here.size(), window_.position());
  }

  // Closes the copy of a field that was read as far as it goes.
  void close(std::uint64_t opened, const field_head& field) {
    const std::uint64_t here = window_.position();
    kept_.close(opened, here > field.payload, field.end > here ? field.end - here : 0);
  }

  void read_plane(const field_head& plane) {
    // What the index leaves out is not read. One more than it takes: it then says so.
    if (planes_ > max_planes) return window_.skip_to(plane.end);
    const bool listed = planes_ < max_planes;
    window_.skip_to(plane.payload);
    const std::uint64_t opened = kept_.open(1, plane.at, plane.payload);
    if (listed) read_plane_body(plane.end);
    window_.skip_to(plane.end);
    close(opened, plane);
    ++planes_;
  }

  void read_plane_body(std::uint64_t end) {
    lines_of_plane_ = 0;
    field_head field;
    met what = next(end, field);
    for (; what == met::field; what = next(end, field)) {
      if (field.is_bytes(3))
        read_line(field, end);
      else if (field.type == wire_type::length_delimited ? field.number <= 6 : field.number == 1)
        copy_field(field, end);
      else if (field.end > end)
        copy_field(field, end);
      else
        window_.skip_to(field.end);
    }
    if (what == met::damage) copy_damage(end);
  }

  void read_line(const field_head& line, std::uint64_t plane_end) {
    if (lines_ > max_lines) return window_.skip_to(std::min(line.end, plane_end));
    const bool listed = lines_++ < max_lines;
    window_.skip_to(std::min(line.payload, plane_end));
    const std::uint64_t opened = kept_.open(3, line.at, line.payload);
    const std::uint64_t end = std::min(line.end, plane_end);
    if (listed) read_line_body(line.payload, end, line.end - line.payload);
    window_.skip_to(end);
    close(opened, line);
    ++lines_of_plane_;
  }

  void read_line_body(std::uint64_t begin, std::uint64_t end, std::uint64_t claimed_bytes) {
    line_begin_ = begin;
    line_end_ = {};
    named_before_events_ = false;
    takes_events_ = visitor_.begin_line({planes_, lines_of_plane_}, claimed_bytes);
    std::uint64_t wanted = 1;
    while (window_.position() < end) {
      window_.want(std::min(wanted, end - window_.position()));
      const std::string_view here = at_hand(end);
      if (here.empty()) break;
      const char* const stop = read_whole_fields(here);
      const std::string_view rest = here.substr(static_cast<std::size_t>(stop - here.data()));
      const bool is_all = window_.ended() || window_.position() + here.size() == end;
      window_.take(here.size() - rest.size());
      if (rest.empty()) {
        wanted = 1;
        continue;
      }
      // The field there is cut by the end of the window, or damaged.
      const step next = step_over(rest, end, is_all);
      if (next.damaged) {
        end_events();
        // Of a long line whose name comes first the index does not see this; whoever takes the events does.
        const std::uint64_t bytes = std::min(end, window_.position() + (window_.ended() ? window_.size() : 0)) - begin;
        const bool is_long = (window_.ended() ? bytes : end - begin) > short_line_bytes;
        if (!is_long || !named_before_events_) copy_damage(end);
        break;
      }
      wanted = next.wanted;
      if (next.skip_to != 0) window_.skip_to(next.skip_to);
    }
    visitor_.end_line(line_end_);
  }

  // Hands on the events among the whole fields at the front, and copies the others. Gives where it stopped.
  const char* read_whole_fields(std::string_view here) {
    const char* at = here.data();
    const char* const end = at + here.size();
    std::uint64_t events = 0;
    for (;;) {
      at = detail::skip_short_elements<4>(at, end, events);
      wire_reader reader(std::string_view(at, static_cast<std::size_t>(end - at)));
      wire_field field;
      if (!reader.next(field)) break;
      if (field.is_bytes(4))
        ++events;
      else
        keep_line_field(field, {at, static_cast<std::size_t>(reader.position() - at)},
                        window_.position() + static_cast<std::uint64_t>(at - here.data()), events != 0);
      at = reader.position();
    }
    line_end_.has_events = line_end_.has_events || events != 0;
    if (events != 0) hand_on({here.data(), static_cast<std::size_t>(at - here.data())}, end);
    return at;
  }

  void keep_line_field(const wire_field& field, std::string_view raw, std::uint64_t was, bool after_events) {
    const bool is_text = field.is_bytes(2) || field.is_bytes(11);
    const bool is_number = field.type == wire_type::varint &&
                           (field.number == 1 || field.number == 3 || field.number == 9 || field.number == 10);
    if (!is_text && !is_number) return;
    if (is_text && !field.bytes.empty() && !after_events && !line_end_.has_events) named_before_events_ = true;
    kept_.copy(raw.data(), raw.size(), was);
  }

  void hand_on(std::string_view fields, const char* readable_end) {
    if (!takes_events_ || line_end_.damaged) return;
    line_rows batch;
    std::array<event_row, rows_at_once> rows;
    batch.rows = rows.data();
    batch.readable_end = readable_end;
    batch.begin = fields.data();
    batch.begin_in_line = window_.position() - line_begin_;
    event_scanner scan(fields);
    while ((batch.count = scan.next(rows.data(), rows.size())) != 0) visitor_.events(batch);
    if (!scan.ok()) note_line_damage(batch.begin_in_line + scan.offset());
  }

  void end_events() { note_line_damage(window_.position() - line_begin_); }
  void note_line_damage(std::uint64_t offset) noexcept {
    if (line_end_.damaged) return;
    line_end_.damaged = true;
    line_end_.damage_offset = offset;
  }

  struct step {
    bool damaged = false;
    std::uint64_t wanted = 1;   // how much to have at hand before the next look
    std::uint64_t skip_to = 0;  // not 0: where to go first
  };

  // What to do about a field of a line at the front of the window that is not whole there.
  step step_over(std::string_view rest, std::uint64_t end, bool is_all) {
    if (is_all) return {true, 0, 0};
    const char* at = rest.data();
    const char* const last = at + rest.size();
    std::uint32_t tag = 0;
    std::uint64_t length = 0;
    if (!read_tag(at, last, tag) || static_cast<wire_type>(tag & 7U) != wire_type::length_delimited) {
      const bool is_group = tag >> 3 != 0 && static_cast<wire_type>(tag & 7U) == wire_type::group;
      if (rest.size() >= head_bytes && !is_group) return {true, 0, 0};
      return {false, std::max<std::uint64_t>(head_bytes, rest.size() * (is_group ? 2 : 1) + 1), 0};
    }
    if (!read_length(at, last, length)) {
      if (rest.size() >= head_bytes) return {true, 0, 0};
      return {false, head_bytes, 0};
    }
    const std::uint32_t number = tag >> 3;
    const std::uint64_t field_bytes = static_cast<std::uint64_t>(at - rest.data()) + length;
    if (field_bytes > end - window_.position()) return {true, 0, 0};
    if (number == 0) return {true, 0, 0};
    if (number == 4 && length > std::numeric_limits<std::uint32_t>::max()) {
      end_events();
      line_end_.has_events = true;
    } else if (number == 4 || number == 2 || number == 11) {
      return {false, field_bytes, 0};
    }
    return {false, 1, window_.position() + field_bytes};
  }

  window window_;
  kept_message kept_;
  stream_visitor& visitor_;
  std::uint32_t planes_ = 0, lines_of_plane_ = 0;
  std::size_t lines_ = 0;
  // Of the line that is read.
  std::uint64_t line_begin_ = 0;
  line_end line_end_;
  bool takes_events_ = false, named_before_events_ = false;
};

}  // namespace

result<streamed_xspace> stream_xspace(source& from, stream_visitor& visitor, const limits& bounds, const hooks& host) {
  if (auto back = from.rewind(); !back) return std::move(back).error();
  try {
    return streamer(from, visitor, bounds, host).run();
  } catch (stopped& s) {
    return std::move(s.why);
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
