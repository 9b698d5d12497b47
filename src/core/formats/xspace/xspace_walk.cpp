// The walk: three levels (file, plane, line) that remember where they are. A step takes what is at hand, or says how
// many bytes are missing; the beginning of a field that is cut by the end of a piece is held until it is whole.
#include <formats/xspace/xspace_walk.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t rows_at_once = 256;
constexpr std::uint64_t whole_file = std::numeric_limits<std::uint64_t>::max();

// The longest head of a field: a tag of five bytes and a varint of ten. With that many bytes at hand, or all there are,
// a head that cannot be read is damaged.
constexpr std::size_t head_bytes = 16;

walk_stopped over_limit(std::string what, const walk_bounds& bounds, std::uint64_t at) {
  return {fault{fault_code::limit, std::move(what) + ", over max_materialised_bytes (" + std::to_string(bounds.named) + ")",
                "", at, bounds.hint}};
}

walk_stopped no_memory_for(std::uint64_t bytes, const walk_bounds& bounds) {
  return {fault{fault_code::out_of_memory, "no memory for " + std::to_string(bytes) + " decoded bytes", "", no_offset,
                bounds.hint}};
}

template <class Work>
result<void> until_stopped(Work&& work) {
  try {
    work();
    return {};
  } catch (walk_stopped& s) {
    return std::move(s.why);
  }
}

}  // namespace

void kept_message::copy(const char* bytes, std::size_t count, std::uint64_t was) {
  if (count == 0) return;
  make_room(count);
  note_place(was);
  bytes_.append(bytes, count);
}

std::uint64_t kept_message::open(std::uint32_t field, std::uint64_t was, std::uint64_t payload_was) {
  make_room(1 + length_bytes);
  note_place(was);
  const char tag = static_cast<char>(field << 3 | 2U);
  bytes_.append(&tag, 1);
  bytes_.add(length_bytes);
  note_place(payload_was);
  return bytes_.used();
}

void kept_message::close(std::uint64_t opened, bool had_any, std::uint64_t missing) {
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

std::shared_ptr<const void> kept_message::share(std::string_view& bytes) {
  static_cast<void>(bytes_.resize_capacity(bytes_.used()));
  bytes = bytes_.view();
  return bytes_.share();
}

void kept_message::make_room(std::uint64_t count) {
  const std::uint64_t used = bytes_.used() + runs_.size() * sizeof(reduced_from::run);
  if (used + count > std::min(bounds_.kept_bytes, longest))
    throw over_limit("names, stats and metadata have more than " + std::to_string(used) + " bytes", bounds_, no_offset);
  if (!bytes_.make_room(count)) throw no_memory_for(used + count, bounds_);
}

void kept_message::note_place(std::uint64_t was) {
  if (!runs_.empty() && runs_.back().was + (bytes_.used() - runs_.back().at) == was) return;
  runs_.push_back({bytes_.used(), was});
}

result<void> xspace_walk::take(std::string_view piece) {
  return until_stopped([&] {
    while (!piece.empty() && !is_over()) {
      if (rest_.used() == 0) {
        here_ = std::exchange(piece, {});
        run();
        if (is_over()) return;
        if (!here_.empty() && !rest_.make_room(here_.size())) throw no_memory_for(here_.size(), bounds_);
        rest_.append(here_.data(), here_.size());
        continue;
      }
      const std::string_view more = piece.substr(0, static_cast<std::size_t>(missing_ - rest_.used()));
      if (!rest_.make_room(more.size())) throw no_memory_for(rest_.used() + more.size(), bounds_);
      rest_.append(more.data(), more.size());
      piece.remove_prefix(more.size());
      if (rest_.used() < missing_) return;
      here_ = rest_.view();
      run();
      rest_.drop_front(static_cast<std::size_t>(rest_.used()) - here_.size());
    }
  });
}

result<void> xspace_walk::end() {
  return until_stopped([&] {
    ended_ = true;
    here_ = rest_.view();
    run();
  });
}

std::shared_ptr<reduced_from> xspace_walk::take_kept(std::string_view& bytes, std::shared_ptr<const void>& owner) {
  auto from = std::make_shared<reduced_from>();
  from->runs = kept_.take_runs();
  owner = kept_.share(bytes);
  lines_kept_ = 0;
  return from;
}

void xspace_walk::run() {
  while (move() && step()) {
  }
}

// False when bytes are missing, or nothing follows.
bool xspace_walk::step() {
  switch (at_) {
    case level::file: return step_file();
    case level::plane: return step_plane();
    case level::plane_end: end_plane(); return true;
    case level::line: return step_line();
    case level::line_end:
      close(line_opened_, line_);
      ++lines_of_plane_;
      at_ = level::plane;
      return true;
    case level::over: break;
  }
  return false;
}

// Whether so many bytes are at hand, or all there are. A field cannot make what is held grow before its bytes are there.
bool xspace_walk::have(std::uint64_t bytes) {
  if (here_.size() >= bytes || ended_) return true;
  if (bytes > bounds_.held_bytes)
    throw over_limit("the event or field at byte " + std::to_string(position_) + " has " + std::to_string(bytes) + " bytes",
                     bounds_, position_);
  missing_ = bytes;
  return false;
}

void xspace_walk::pass(std::size_t bytes) noexcept {
  here_.remove_prefix(bytes);
  position_ += bytes;
}

std::string_view xspace_walk::at_hand(std::uint64_t end) const noexcept {
  return here_.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(here_.size(), end - position_)));
}

// Does what lies ahead, up to the end of the input.
bool xspace_walk::move() {
  if (position_ < copy_to_) {
    const std::string_view now = at_hand(copy_to_);
    kept_.copy(now.data(), now.size(), position_);
    pass(now.size());
    if (position_ < copy_to_ && !have(1)) return false;
  }
  if (position_ < skip_to_) {
    pass(at_hand(skip_to_).size());
    if (position_ < skip_to_ && !have(1)) return false;
  }
  if (!skipped_head_.empty()) {
    if (position_ < skip_to_) kept_.copy(skipped_head_.data(), skipped_head_.size(), skipped_at_);
    skipped_head_.clear();
  }
  return true;
}

// The head of the next field of a message that ends at `end`. At damage nothing of it is taken.
xspace_walk::met xspace_walk::next(std::uint64_t end, field_head& field) {
  std::uint64_t wanted = head_bytes;
  for (;;) {
    if (!have(std::min(wanted, end - position_))) return met::missing;
    const std::string_view here = at_hand(end);
    if (here.empty()) return met::end;
    const bool is_all = ended_ || position_ + here.size() == end;
    const char* at = here.data();
    const char* const last = at + here.size();
    field.at = position_;
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

// Copies a field of a message that ends at `end`. Of one that runs past it only the beginning: that is damage.
void xspace_walk::copy_field(const field_head& field, std::uint64_t end) noexcept {
  copy_to_ = field.end <= end ? field.end : std::min(end, field.payload);
  skip_to_ = std::min(field.end, end);
}

// Skips a field of the file that is not needed. If the end of the file cuts it, its head is copied.
void xspace_walk::skip_unknown(const field_head& field) {
  skipped_head_.assign(here_.data(), static_cast<std::size_t>(field.payload - field.at));
  skipped_at_ = field.at;
  skip_to_ = field.end;
}

// Copies the beginning of a field that cannot be read, enough that it cannot be read in the copy either.
void xspace_walk::copy_damage(std::uint64_t end) {
  const std::string_view here = at_hand(end).substr(0, head_bytes);
  kept_.copy(here.data(), here.size(), position_);
}

// Closes the copy of a field that was read as far as it goes.
void xspace_walk::close(std::uint64_t opened, const field_head& field) {
  kept_.close(opened, position_ > field.payload, field.end > position_ ? field.end - position_ : 0);
}

bool xspace_walk::step_file() {
  field_head field;
  switch (next(whole_file, field)) {
    case met::missing: return false;
    case met::end: at_ = level::over; return false;
    case met::damage:
      copy_damage(whole_file);
      // Damage of the source counts, wherever it is. A file that breaks before its first plane is not an XSpace, and the
      // rest, which may be a bomb, is not decoded.
      skip_to_ = planes_ == 0 ? std::uint64_t{text_sample_bytes} : whole_file;
      at_ = level::over;
      return true;
    case met::field: break;
  }
  if (field.is_bytes(1))
    open_plane(field);
  else if (field.type == wire_type::length_delimited && field.number <= 4)
    copy_field(field, whole_file);
  else
    skip_unknown(field);
  return true;
}

void xspace_walk::open_plane(const field_head& plane) {
  // What the index leaves out is not read. One more than it takes: it then says so.
  if (planes_ > max_planes) {
    skip_to_ = plane.end;
    return;
  }
  plane_ = plane;
  lines_of_plane_ = 0;
  skip_to_ = planes_ < max_planes ? plane.payload : plane.end;
  at_ = planes_ < max_planes ? level::plane : level::plane_end;
  plane_opened_ = kept_.open(1, plane.at, plane.payload);
}

bool xspace_walk::step_plane() {
  field_head field;
  switch (next(plane_.end, field)) {
    case met::missing: return false;
    case met::damage: copy_damage(plane_.end); [[fallthrough]];
    case met::end:
      skip_to_ = plane_.end;
      at_ = level::plane_end;
      return true;
    case met::field: break;
  }
  if (field.is_bytes(3))
    open_line(field);
  else if (field.end > plane_.end || (field.type == wire_type::length_delimited ? field.number <= 6 : field.number == 1))
    copy_field(field, plane_.end);
  else
    skip_to_ = field.end;
  return true;
}

void xspace_walk::end_plane() {
  close(plane_opened_, plane_);
  at_ = level::file;
  visitor_.end_plane(planes_++);
}

void xspace_walk::open_line(const field_head& line) {
  line_stop_ = std::min(line.end, plane_.end);
  if (lines_kept_ > max_lines) {
    skip_to_ = line_stop_;
    return;
  }
  const bool listed = lines_kept_++ < max_lines;
  line_ = line;
  skip_to_ = listed ? std::min(line.payload, plane_.end) : line_stop_;
  before_line_ = kept_.used();
  line_opened_ = kept_.open(3, line.at, line.payload);
  at_ = listed ? level::line : level::line_end;
  if (!listed) return;
  line_begin_ = line.payload;
  head_end_ = line_opened_;
  line_end_ = {};
  before_events_ = {};
  takes_events_ = visitor_.begin_line({planes_, lines_of_plane_}, line.end - line.payload);
}

void xspace_walk::end_line() {
  visitor_.end_line(line_end_);
  skip_to_ = line_stop_;
  at_ = level::line_end;
}

bool xspace_walk::step_line() {
  const std::uint64_t end = line_stop_;
  if (position_ < end && !have(1)) return false;
  const std::string_view here = at_hand(end);
  if (here.empty()) {
    end_line();
    return true;
  }
  const char* const stop = read_whole_fields(here);
  const std::string_view rest = here.substr(static_cast<std::size_t>(stop - here.data()));
  const bool is_all = ended_ || position_ + here.size() == end;
  pass(here.size() - rest.size());
  if (rest.empty()) return true;
  // The field there is cut by the end of what is at hand, or damaged.
  const line_step next = step_over(rest, end, is_all);
  if (next.damaged) {
    note_line_damage(position_ - line_begin_);
    // Of a long line whose header comes first the index does not see this; the taker of the events does.
    const std::uint64_t bytes = std::min(end, position_ + (ended_ ? here_.size() : 0)) - line_begin_;
    const bool is_long = (ended_ ? bytes : end - line_begin_) > short_line_bytes;
    if (!is_long || !before_events_.are_whole()) {
      if (!have(std::min<std::uint64_t>(head_bytes, end - position_))) return false;
      copy_damage(end);
    }
    end_line();
    return true;
  }
  skip_to_ = next.skip_to;
  return have(std::min(next.wanted, end - position_));
}

// Hands on the events among the whole fields at the front, and copies the others. Gives where it stopped.
const char* xspace_walk::read_whole_fields(std::string_view here) {
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
                      position_ + static_cast<std::uint64_t>(at - here.data()), events != 0 || line_end_.has_events);
    at = reader.position();
  }
  line_end_.has_events = line_end_.has_events || events != 0;
  if (events != 0) hand_on({here.data(), static_cast<std::size_t>(at - here.data())}, end);
  return at;
}

void xspace_walk::keep_line_field(const wire_field& field, std::string_view raw, std::uint64_t was, bool after_events) {
  const bool is_text = field.is_bytes(2) || field.is_bytes(11);
  const bool is_number = field.type == wire_type::varint &&
                         (field.number == 1 || field.number == 3 || field.number == 9 || field.number == 10);
  if (!is_text && !is_number) return;
  kept_.copy(raw.data(), raw.size(), was);
  if (after_events) return;
  head_end_ = kept_.used();
  before_events_.take(field);
}

void xspace_walk::hand_on(std::string_view fields, const char* readable_end) {
  if (!takes_events_ || line_end_.damaged) return;
  line_rows batch;
  std::array<event_row, rows_at_once> rows;
  batch.rows = rows.data();
  batch.readable_end = readable_end;
  batch.begin = fields.data();
  batch.begin_in_line = position_ - line_begin_;
  event_scanner scan(fields);
  while ((batch.count = scan.next(rows.data(), rows.size())) != 0) visitor_.events(batch);
  if (!scan.ok()) note_line_damage(batch.begin_in_line + scan.offset());
}

void xspace_walk::note_line_damage(std::uint64_t offset) noexcept {
  if (line_end_.damaged) return;
  line_end_.damaged = true;
  line_end_.damage_offset = offset;
}

xspace_walk::line_step xspace_walk::step_over(std::string_view rest, std::uint64_t end, bool is_all) {
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
  if (field_bytes > end - position_) return {true, 0, 0};
  if (number == 0) return {true, 0, 0};
  if (number == 4 && length > std::numeric_limits<std::uint32_t>::max()) {
    note_line_damage(position_ - line_begin_);
    line_end_.has_events = true;
  } else if (number == 4 || number == 2 || number == 11) {
    return {false, field_bytes, 0};
  }
  return {false, 1, position_ + field_bytes};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
