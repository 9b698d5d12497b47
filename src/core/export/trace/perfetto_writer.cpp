#include <profkit/core/perfetto_writer.hpp>

#include "base/contained.hpp"
#include "base/string_table.hpp"
#include "base/wire_encode.hpp"

#include <profkit/time.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Field numbers of the published protos.
namespace trace_field {
constexpr std::uint32_t packet = 1;
}
namespace packet_field {
constexpr std::uint32_t clock_snapshot = 6, timestamp = 8, sequence = 10, track_event = 11, interned = 12, sequence_flags = 13,
                        track_descriptor = 60, machine = 98;
}
namespace snapshot_field {
constexpr std::uint32_t clocks = 1, primary = 2;
}
namespace clock_field {
constexpr std::uint32_t id = 1, timestamp = 2;
}
namespace track_field {
constexpr std::uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8;
}
namespace process_field {
constexpr std::uint32_t pid = 1, name = 6;
}
namespace thread_field {
constexpr std::uint32_t pid = 1, tid = 2, name = 5;
}
namespace counter_field {
constexpr std::uint32_t unit_name = 6;
}
namespace event_field {
constexpr std::uint32_t annotations = 4, type = 9, name_iid = 10, track = 11, counter_value = 30,
                        double_counter_value = 44, flow_ids = 47;
}
namespace annotation_field {
constexpr std::uint32_t name_iid = 1, uint_value = 3, int_value = 4, double_value = 5, string_value = 6,
                        string_value_iid = 17;
}
namespace interned_field {
constexpr std::uint32_t event_names = 2, annotation_names = 3, annotation_values = 29;
}
namespace interned_string_field {
constexpr std::uint32_t iid = 1, text = 2;
}
// Events that name no clock are on the second one.
enum builtin_clock : std::uint64_t { realtime = 1, boottime = 6 };
enum event_type : std::uint64_t { slice_begin = 1, slice_end = 2, instant_event = 3, counter_event = 4 };

constexpr std::uint64_t state_cleared = 1, needs_state = 2;
constexpr std::size_t packet_flush_bytes = std::size_t{256} << 10;
// Thread ids of tracks are made up; no process has one of them, so no track is taken for a main thread.
constexpr std::uint64_t first_tid = 1000000;

std::uint64_t bits_of(double value) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

// Texts that packets have defined, each by the field of interned data that holds it.
struct interned_texts {
  std::uint32_t field;
  string_table table;
  bool has_empty = false;  // the empty string is id 0 in the table and no valid iid
};
// What the packets of a machine have said.
struct perfetto_sequence {
  interned_texts names{interned_field::event_names, {}}, argument_names{interned_field::annotation_names, {}},
      values{interned_field::annotation_values, {}};
  bool begun = false;
};

struct perfetto_writer::state {
  state(sink& s, std::uint64_t base_time_ns, base base_is) : into(s), base_ns(base_time_ns), what(base_is) {}

  sink& into;
  std::uint64_t base_ns;
  base what;
  std::optional<fault> first;
  std::uint64_t next_uuid = 0, clamped = 0;
  std::map<std::uint32_t, perfetto_sequence> sequences;  // by machine
  std::uint32_t machine = 0;
  perfetto_sequence* now = &sequences[0];
  std::string out, event, interned, scratch, packet;
  bool in_event = false;
  std::uint64_t event_ns = 0;

  template <class Work>
  void run(Work&& work) noexcept {
    if (first) return;
    result<void> done = contained([&]() -> result<void> { return work(); });
    if (!done) first = std::move(done).error();
  }

  std::uint64_t ns_of(std::int64_t ps) noexcept {
    const std::int64_t ns = ps >= 0 ? ps / ps_per_ns : -((-(ps + 1)) / ps_per_ns) - 1;  // rounded down
    if (ns < 0 && magnitude(ns) > base_ns) {
      ++clamped;
      return 0;
    }
    return base_ns + static_cast<std::uint64_t>(ns);
  }

  // The iid of a text, which the open packet defines when it is new.
  std::uint64_t intern(interned_texts& among, std::string_view text) {
    const std::uint32_t known = among.table.size();
    const std::uint64_t id = std::uint64_t{among.table.intern(text)} + 1;
    const bool is_new = among.table.size() != known || (text.empty() && !std::exchange(among.has_empty, true));
    if (is_new) {
      scratch.clear();
      append_varint_field(scratch, interned_string_field::iid, id);
      append_bytes_field(scratch, interned_string_field::text, text);
      append_bytes_field(interned, among.field, scratch);
    }
    return id;
  }

  void begin_packet() {
    if (!now->begun && what == base::unix_time) append_clocks();
    packet.clear();
    append_owner();
    append_varint_field(packet, packet_field::sequence_flags, std::exchange(now->begun, true) ? needs_state : state_cleared);
  }
  void append_owner() {
    append_varint_field(packet, packet_field::sequence, std::uint64_t{machine} + 1);
    if (machine != 0) append_varint_field(packet, packet_field::machine, machine);
  }
  void append_clocks() {
    std::string clock, snapshot;
    for (const builtin_clock id : {realtime, boottime}) {
      clock.clear();
      append_varint_field(clock, clock_field::id, id);
      append_varint_field(clock, clock_field::timestamp, base_ns);
      append_bytes_field(snapshot, snapshot_field::clocks, clock);
    }
    append_varint_field(snapshot, snapshot_field::primary, boottime);
    packet.clear();
    append_owner();
    append_bytes_field(packet, packet_field::clock_snapshot, snapshot);
    append_bytes_field(out, trace_field::packet, packet);
  }
  result<void> end_packet() {
    append_bytes_field(out, trace_field::packet, packet);
    if (out.size() < packet_flush_bytes) return {};
    result<void> written = into.write(out);
    out.clear();
    return written;
  }

  result<void> close_event() {
    if (!in_event) return {};
    in_event = false;
    begin_packet();
    append_varint_field(packet, packet_field::timestamp, event_ns);
    if (!interned.empty()) append_bytes_field(packet, packet_field::interned, interned);
    interned.clear();
    append_bytes_field(packet, packet_field::track_event, event);
    return end_packet();
  }

  result<void> open_event(event_type type, std::uint64_t track, std::int64_t at_ps, const std::string_view* name) {
    if (result<void> closed = close_event(); !closed) return closed;
    event.clear();
    append_varint_field(event, event_field::type, type);
    append_varint_field(event, event_field::track, track);
    if (name != nullptr)
      append_varint_field(event, event_field::name_iid, intern(now->names, *name));
    event_ns = ns_of(at_ps);
    in_event = true;
    return {};
  }

  template <class Append>
  void annotate(std::string_view name, Append&& append_value) {
    run([&]() -> result<void> {
      if (!in_event)
        return fault{fault_code::invalid_argument, "an argument before any slice or instant", "", no_offset, ""};
      const std::uint64_t iid = intern(now->argument_names, name);
      std::string& annotation = annotation_scratch;
      annotation.clear();
      append_varint_field(annotation, annotation_field::name_iid, iid);
      append_value(annotation);
      append_bytes_field(event, event_field::annotations, annotation);
      return {};
    });
  }
  std::string annotation_scratch;

  result<void> describe(const std::string& track) {
    if (result<void> closed = close_event(); !closed) return closed;
    begin_packet();
    append_bytes_field(packet, packet_field::track_descriptor, track);
    return end_packet();
  }
};

perfetto_writer::perfetto_writer(sink& into, std::uint64_t base_ns, base what)
    : state_(std::make_unique<state>(into, base_ns, what)) {}
perfetto_writer::~perfetto_writer() = default;
perfetto_writer::perfetto_writer(perfetto_writer&&) noexcept = default;
perfetto_writer& perfetto_writer::operator=(perfetto_writer&&) noexcept = default;

void perfetto_writer::use_machine(std::uint32_t machine) {
  state& s = *state_;
  s.run([&]() -> result<void> {
    if (machine == s.machine) return {};
    if (result<void> closed = s.close_event(); !closed) return closed;
    s.machine = machine;
    s.now = &s.sequences[machine];
    return {};
  });
}

// Uuids count processes, tracks and counters alike; the pid of a process is its uuid.
std::uint64_t perfetto_writer::add_process(std::string_view name) {
  state& s = *state_;
  const std::uint64_t uuid = ++s.next_uuid;
  s.run([&] {
    std::string process, track;
    append_varint_field(process, process_field::pid, uuid);
    append_bytes_field(process, process_field::name, name);
    append_varint_field(track, track_field::uuid, uuid);
    append_bytes_field(track, track_field::process, process);
    return s.describe(track);
  });
  return uuid;
}

std::uint64_t perfetto_writer::add_track(std::uint64_t process, std::string_view name) {
  state& s = *state_;
  const std::uint64_t uuid = ++s.next_uuid;
  s.run([&] {
    std::string thread, track;
    append_varint_field(thread, thread_field::pid, process);
    append_varint_field(thread, thread_field::tid, first_tid + uuid);
    append_bytes_field(thread, thread_field::name, name);
    append_varint_field(track, track_field::uuid, uuid);
    append_bytes_field(track, track_field::name, name);
    append_varint_field(track, track_field::parent, process);
    append_bytes_field(track, track_field::thread, thread);
    return s.describe(track);
  });
  return uuid;
}

std::uint64_t perfetto_writer::add_counter(std::uint64_t process, std::string_view name, std::string_view unit) {
  state& s = *state_;
  const std::uint64_t uuid = ++s.next_uuid;
  s.run([&] {
    std::string counter, track;
    if (!unit.empty()) append_bytes_field(counter, counter_field::unit_name, unit);
    append_varint_field(track, track_field::uuid, uuid);
    append_bytes_field(track, track_field::name, name);
    append_varint_field(track, track_field::parent, process);
    append_bytes_field(track, track_field::counter, counter);
    return s.describe(track);
  });
  return uuid;
}

void perfetto_writer::begin_slice(std::uint64_t track, std::int64_t start_ps, std::string_view name) {
  state_->run([&] { return state_->open_event(slice_begin, track, start_ps, &name); });
}
void perfetto_writer::end_slice(std::uint64_t track, std::int64_t end_ps) {
  state_->run([&]() -> result<void> {
    if (result<void> opened = state_->open_event(slice_end, track, end_ps, nullptr); !opened) return opened;
    return state_->close_event();
  });
}
void perfetto_writer::instant(std::uint64_t track, std::int64_t at_ps, std::string_view name) {
  state_->run([&] { return state_->open_event(instant_event, track, at_ps, &name); });
}
void perfetto_writer::set_counter(std::uint64_t counter, std::int64_t at_ps, std::int64_t value) {
  state_->run([&]() -> result<void> {
    if (result<void> opened = state_->open_event(counter_event, counter, at_ps, nullptr); !opened) return opened;
    append_varint_field(state_->event, event_field::counter_value, static_cast<std::uint64_t>(value));
    return state_->close_event();
  });
}
void perfetto_writer::set_counter(std::uint64_t counter, std::int64_t at_ps, double value) {
  state_->run([&]() -> result<void> {
    if (result<void> opened = state_->open_event(counter_event, counter, at_ps, nullptr); !opened) return opened;
    append_fixed64_field(state_->event, event_field::double_counter_value, bits_of(value));
    return state_->close_event();
  });
}

void perfetto_writer::add_argument(std::string_view name, std::int64_t value) {
  state_->annotate(name, [&](std::string& to) {
    append_varint_field(to, annotation_field::int_value, static_cast<std::uint64_t>(value));
  });
}
void perfetto_writer::add_argument(std::string_view name, std::uint64_t value) {
  state_->annotate(name, [&](std::string& to) { append_varint_field(to, annotation_field::uint_value, value); });
}
void perfetto_writer::add_argument(std::string_view name, double value) {
  state_->annotate(
      name, [&](std::string& to) { append_fixed64_field(to, annotation_field::double_value, bits_of(value)); });
}
void perfetto_writer::add_argument(std::string_view name, std::string_view text, bool shared) {
  state_->annotate(name, [&](std::string& to) {
    if (shared)
      append_varint_field(to, annotation_field::string_value_iid,
                          state_->intern(state_->now->values, text));
    else
      append_bytes_field(to, annotation_field::string_value, text);
  });
}
void perfetto_writer::add_flow(std::uint64_t flow) {
  state_->run([&]() -> result<void> {
    if (!state_->in_event)
      return fault{fault_code::invalid_argument, "a flow before any slice or instant", "", no_offset, ""};
    append_fixed64_field(state_->event, event_field::flow_ids, flow);
    return {};
  });
}

std::uint64_t perfetto_writer::clamped() const noexcept { return state_->clamped; }
const fault* perfetto_writer::failed() const noexcept { return state_->first ? &*state_->first : nullptr; }

result<void> perfetto_writer::finish() {
  state& s = *state_;
  s.run([&]() -> result<void> {
    if (result<void> closed = s.close_event(); !closed) return closed;
    result<void> written = s.into.write(s.out);
    s.out.clear();
    return written;
  });
  if (s.first) return *s.first;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
