#include <profkit/core/xspace_writer.hpp>

#include "base/chunked_bytes.hpp"
#include "base/contained.hpp"
#include "base/string_table.hpp"
#include "base/wire_encode.hpp"

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Field numbers: see profkit/xspace.hpp.
void append_nonzero(std::string& to, std::uint32_t field, std::int64_t value) {
  if (value != 0) append_varint_field(to, field, static_cast<std::uint64_t>(value));
}
void append_text(std::string& to, std::uint32_t field, std::string_view text) {
  if (!text.empty()) append_bytes_field(to, field, text);
}

void append_stat(std::string& to, std::uint32_t field, std::int64_t metadata, const stat_value& value,
                 std::string& scratch) {
  scratch.clear();
  append_nonzero(scratch, 1, metadata);
  const auto number = static_cast<std::uint32_t>(value.kind);
  switch (value.kind) {
    case stat_kind::none: break;
    case stat_kind::double_value: append_fixed64_field(scratch, number, value.scalar); break;
    case stat_kind::uint64_value:
    case stat_kind::int64_value:
    case stat_kind::ref_value: append_varint_field(scratch, number, value.scalar); break;
    case stat_kind::str_value:
    case stat_kind::bytes_value: append_bytes_field(scratch, number, value.text); break;
  }
  append_bytes_field(to, field, scratch);
}

// A map entry {1: id, 2: {1: id, …body}}.
void append_metadata_entry(chunked_bytes& to, std::uint32_t field, std::int64_t id, std::string_view body,
                           std::string& scratch) {
  const auto key = static_cast<std::uint64_t>(id);
  const std::uint64_t value_bytes = varint_field_bytes(1, key) + body.size();
  scratch.clear();
  append_delimited_head(scratch, field, varint_field_bytes(1, key) + delimited_field_bytes(2, value_bytes));
  append_varint_field(scratch, 1, key);
  append_delimited_head(scratch, 2, value_bytes);
  append_varint_field(scratch, 1, key);
  to.append(scratch);
  to.append(body);
}

}  // namespace

stat_value stat_value::of_double(double value) noexcept {
  stat_value v;
  v.kind = stat_kind::double_value;
  std::memcpy(&v.scalar, &value, sizeof value);
  return v;
}

struct xspace_writer::state {
  state(sink& s, std::uint64_t bound) : into(s), max_plane_bytes(bound) {}

  sink& into;
  std::uint64_t max_plane_bytes;
  std::uint64_t metadata_bytes = 0;  // of the open plane
  std::optional<fault> first;
  bool in_plane = false, in_line = false, in_event = false, finished = false;

  std::string plane_head;
  chunked_bytes lines;
  std::string plane_stats;
  std::string line_head;
  chunked_bytes events;
  std::string event;  // the open one, without its length
  std::string scratch, entry;

  string_table event_names, stat_names;              // of the open plane
  std::vector<std::int64_t> ids_of_event_names;      // by string id - 1
  std::vector<std::string> event_bodies;             // by metadata id - 1: fields past the id
  std::vector<std::int64_t> ids_of_stat_names;       // by string id - 1
  std::vector<std::string> stat_bodies;
  std::optional<std::int64_t> id_of_no_event_name, id_of_no_stat_name;  // "" is string 0

  // Runs one call unless something failed before.
  template <class Work>
  void run(Work&& work) noexcept {
    if (first) return;
    if (finished) return keep(misuse("nothing can be written after finish()"));
    result<void> done = contained([&]() -> result<void> { return work(); });
    if (!done) return keep(std::move(done).error());
    if (max_plane_bytes != 0 && in_plane && held_bytes() > max_plane_bytes)
      keep({fault_code::limit, "the open plane takes more than max_plane_bytes (" + std::to_string(max_plane_bytes) + ')', "",
            no_offset, "end planes earlier, or raise the bound"});
  }
  [[nodiscard]] std::uint64_t held_bytes() const noexcept {
    return lines.size() + events.size() + event.size() + plane_stats.size() + metadata_bytes;
  }
  void keep(fault why) noexcept {
    if (!first) first = std::move(why);
  }
  static fault misuse(const char* what) { return {fault_code::invalid_argument, what, "", no_offset, ""}; }

  result<void> write(std::string_view bytes) { return into.write(bytes); }

  result<void> add_note(std::uint32_t field, std::string_view text) {
    if (in_plane) return misuse("hostnames, errors and warnings stand beside planes: end the plane first");
    scratch.clear();
    append_bytes_field(scratch, field, text);
    return write(scratch);
  }

  void close_event() {
    if (!in_event) return;
    entry.clear();
    append_delimited_head(entry, 4, event.size());
    events.append(entry);
    events.append(event);
    in_event = false;
  }

  result<void> end_line() {
    if (!in_line) return misuse("end_line() without begin_line()");
    close_event();
    entry.clear();
    append_delimited_head(entry, 3, line_head.size() + events.size());
    entry += line_head;
    lines.append(entry);
    lines.append(std::move(events));
    in_line = false;
    return {};
  }

  result<void> end_plane() {
    if (!in_plane) return misuse("end_plane() without begin_plane()");
    if (in_line) {
      if (result<void> ended = end_line(); !ended) return ended;
    }
    chunked_bytes metadata;
    for (std::size_t i = 0; i < event_bodies.size(); ++i)
      append_metadata_entry(metadata, 4, static_cast<std::int64_t>(i) + 1, event_bodies[i], scratch);
    for (std::size_t i = 0; i < stat_bodies.size(); ++i)
      append_metadata_entry(metadata, 5, static_cast<std::int64_t>(i) + 1, stat_bodies[i], scratch);
    entry.clear();
    append_delimited_head(entry, 1, plane_head.size() + lines.size() + metadata.size() + plane_stats.size());
    entry += plane_head;
    in_plane = false;
    if (result<void> written = write(entry); !written) return written;
    if (result<void> written = lines.write_to(into); !written) return written;
    lines.clear();
    if (result<void> written = metadata.write_to(into); !written) return written;
    return write(plane_stats);
  }

  std::int64_t new_event_metadata(std::string_view name, std::string_view display_name) {
    std::string& body = event_bodies.emplace_back();
    append_text(body, 2, name);
    append_text(body, 4, display_name);
    metadata_bytes += body.size();
    return static_cast<std::int64_t>(event_bodies.size());
  }

  // The body of event metadata that was given out; nullptr for any other id.
  std::string* body_of(std::int64_t event_metadata) {
    if (event_metadata < 1 || static_cast<std::uint64_t>(event_metadata) > event_bodies.size()) return nullptr;
    return &event_bodies[static_cast<std::size_t>(event_metadata - 1)];
  }
  [[nodiscard]] bool is_stat(std::int64_t stat_metadata) const noexcept {
    return stat_metadata >= 1 && static_cast<std::uint64_t>(stat_metadata) <= stat_bodies.size();
  }
  result<void> check_stat(std::int64_t stat_metadata, const stat_value& value) const {
    if (!is_stat(stat_metadata)) return misuse("a stat with an id that stat_metadata() did not give for this plane");
    if (value.kind == stat_kind::ref_value && !is_stat(static_cast<std::int64_t>(value.scalar)))
      return misuse("a ref value with an id that stat_metadata() did not give for this plane");
    return {};
  }

  result<void> open_event(std::int64_t event_metadata, std::uint32_t field, std::int64_t value,
                          std::int64_t duration_ps) {
    if (!in_line) return misuse("an event outside of a line");
    if (body_of(event_metadata) == nullptr)
      return misuse("an event with an id that event_metadata() did not give for this plane");
    close_event();
    event.clear();
    append_varint_field(event, 1, static_cast<std::uint64_t>(event_metadata));
    append_varint_field(event, field, static_cast<std::uint64_t>(value));
    append_nonzero(event, 3, duration_ps);
    in_event = true;
    return {};
  }
};

xspace_writer::xspace_writer(sink& into, std::uint64_t max_plane_bytes)
    : state_(std::make_unique<state>(into, max_plane_bytes)) {}
xspace_writer::~xspace_writer() = default;
xspace_writer::xspace_writer(xspace_writer&&) noexcept = default;
xspace_writer& xspace_writer::operator=(xspace_writer&&) noexcept = default;

void xspace_writer::add_error(std::string_view text) {
  state_->run([&] { return state_->add_note(2, text); });
}
void xspace_writer::add_warning(std::string_view text) {
  state_->run([&] { return state_->add_note(3, text); });
}
void xspace_writer::add_hostname(std::string_view name) {
  state_->run([&] { return state_->add_note(4, name); });
}

void xspace_writer::begin_plane(std::string_view name, std::int64_t id) {
  state& s = *state_;
  s.run([&]() -> result<void> {
    if (s.in_plane) return state::misuse("begin_plane() while a plane is open");
    s.plane_head.clear();
    append_nonzero(s.plane_head, 1, id);
    append_text(s.plane_head, 2, name);
    s.plane_stats.clear();
    s.event_names = string_table();
    s.stat_names = string_table();
    s.ids_of_event_names.clear();
    s.ids_of_stat_names.clear();
    s.event_bodies.clear();
    s.stat_bodies.clear();
    s.id_of_no_event_name.reset();
    s.id_of_no_stat_name.reset();
    s.metadata_bytes = 0;
    s.in_plane = true;
    return {};
  });
}

void xspace_writer::add_plane_stat(std::int64_t stat_metadata, const stat_value& value) {
  state& s = *state_;
  s.run([&]() -> result<void> {
    if (!s.in_plane) return state::misuse("a plane stat outside of a plane");
    if (result<void> sound = s.check_stat(stat_metadata, value); !sound) return sound;
    append_stat(s.plane_stats, 6, stat_metadata, value, s.scratch);
    return {};
  });
}

void xspace_writer::end_plane() {
  state_->run([&] { return state_->end_plane(); });
}

namespace {

// The id of an interned name, made by `add` when the name is new.
template <class Add>
std::int64_t interned(string_table& names, std::vector<std::int64_t>& ids, std::optional<std::int64_t>& id_of_no_name,
                      std::string_view name, Add&& add) {
  if (name.empty()) {
    if (!id_of_no_name) id_of_no_name = add();
    return *id_of_no_name;
  }
  const std::uint32_t text = names.intern(name);
  if (text > ids.size()) ids.push_back(add());
  return ids[text - 1];
}

}  // namespace

std::int64_t xspace_writer::event_metadata(std::string_view name, std::string_view display_name) {
  state& s = *state_;
  std::int64_t id = 0;
  s.run([&]() -> result<void> {
    if (!s.in_plane) return state::misuse("event metadata outside of a plane");
    id = interned(s.event_names, s.ids_of_event_names, s.id_of_no_event_name, name,
                  [&] { return s.new_event_metadata(name, display_name); });
    return {};
  });
  return id;
}

std::int64_t xspace_writer::add_event_metadata(std::string_view name, std::string_view display_name) {
  state& s = *state_;
  std::int64_t id = 0;
  s.run([&]() -> result<void> {
    if (!s.in_plane) return state::misuse("event metadata outside of a plane");
    id = s.new_event_metadata(name, display_name);
    return {};
  });
  return id;
}

void xspace_writer::add_metadata_stat(std::int64_t event_metadata, std::int64_t stat_metadata,
                                      const stat_value& value) {
  state& s = *state_;
  s.run([&]() -> result<void> {
    std::string* const body = s.in_plane ? s.body_of(event_metadata) : nullptr;
    if (body == nullptr) return state::misuse("a stat of event metadata that this plane does not have");
    if (result<void> sound = s.check_stat(stat_metadata, value); !sound) return sound;
    append_stat(*body, 5, stat_metadata, value, s.scratch);
    return {};
  });
}

void xspace_writer::set_metadata_bytes(std::int64_t event_metadata, std::string_view bytes) {
  state& s = *state_;
  s.run([&]() -> result<void> {
    std::string* const body = s.in_plane ? s.body_of(event_metadata) : nullptr;
    if (body == nullptr) return state::misuse("bytes of event metadata that this plane does not have");
    append_bytes_field(*body, 3, bytes);
    s.metadata_bytes += bytes.size();
    return {};
  });
}

std::int64_t xspace_writer::stat_metadata(std::string_view name, std::string_view description) {
  state& s = *state_;
  std::int64_t id = 0;
  s.run([&]() -> result<void> {
    if (!s.in_plane) return state::misuse("stat metadata outside of a plane");
    id = interned(s.stat_names, s.ids_of_stat_names, s.id_of_no_stat_name, name, [&] {
      std::string& body = s.stat_bodies.emplace_back();
      append_text(body, 2, name);
      append_text(body, 3, description);
      s.metadata_bytes += body.size();
      return static_cast<std::int64_t>(s.stat_bodies.size());
    });
    return {};
  });
  return id;
}

void xspace_writer::begin_line(const line_to_write& line) {
  state& s = *state_;
  s.run([&]() -> result<void> {
    if (!s.in_plane) return state::misuse("begin_line() outside of a plane");
    if (s.in_line) return state::misuse("begin_line() while a line is open");
    s.line_head.clear();
    append_nonzero(s.line_head, 1, line.id);
    append_text(s.line_head, 2, line.name);
    append_nonzero(s.line_head, 3, line.timestamp_ns);
    append_nonzero(s.line_head, 10, line.display_id);
    append_text(s.line_head, 11, line.display_name);
    s.events.clear();
    s.in_line = true;
    return {};
  });
}

void xspace_writer::add_event(std::int64_t event_metadata, std::int64_t offset_ps, std::int64_t duration_ps) {
  state_->run([&] { return state_->open_event(event_metadata, 2, offset_ps, duration_ps); });
}

void xspace_writer::add_aggregate(std::int64_t event_metadata, std::int64_t num_occurrences,
                                  std::int64_t duration_ps) {
  state_->run([&] { return state_->open_event(event_metadata, 5, num_occurrences, duration_ps); });
}

void xspace_writer::add_event_stat(std::int64_t stat_metadata, const stat_value& value) {
  state& s = *state_;
  s.run([&]() -> result<void> {
    if (!s.in_event) return state::misuse("an event stat before any event of the line");
    if (result<void> sound = s.check_stat(stat_metadata, value); !sound) return sound;
    append_stat(s.event, 4, stat_metadata, value, s.scratch);
    return {};
  });
}

void xspace_writer::end_line() {
  state_->run([&] { return state_->end_line(); });
}

const fault* xspace_writer::failed() const noexcept { return state_->first ? &*state_->first : nullptr; }

result<void> xspace_writer::finish() {
  if (state_->in_plane) end_plane();
  state_->finished = true;
  if (state_->first) return *state_->first;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
