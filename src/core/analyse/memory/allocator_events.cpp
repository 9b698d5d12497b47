#include "allocator_events.hpp"

#include <formats/xspace/event_stats.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

constexpr std::array<std::string_view, allocator_field_count> field_names = {"",
                                                                             "addr",
                                                                             "id",
                                                                             "requested_bytes",
                                                                             "allocation_bytes",
                                                                             "bytes_allocated",
                                                                             "peak_bytes_in_use",
                                                                             "bytes_reserved",
                                                                             "bytes_available",
                                                                             "fragmentation",
                                                                             "shape",
                                                                             "tf_op",
                                                                             "data_type",
                                                                             "allocator_name",
                                                                             "index_on_host",
                                                                             "device_ordinal"};

// All of an event but for its allocator.
void read_event(const collected_events& all, const event_place& place, const event_row& row, std::int64_t start_ps,
                allocator_event& e) {
  using field = allocator_field;
  const allocator_line& line = all.lines[place.line];
  const allocator_plane& plane = all.planes[line.plane];
  field_values values;
  values.read(plane.fields, row, end_of(line.body));
  e.place = place;
  e.start_ps = start_ps;
  e.raw_ns = saturating_add(line.timestamp_ns, floor_ns(row.offset_ps));
  e.is_allocation = plane.roles.of(row.metadata_id) == event_role::allocation;
  e.addr = static_cast<std::uint64_t>(values.number(field::addr));
  e.id = values.number(field::id);
  e.requested_bytes = values.number(field::requested_bytes);
  e.allocation_bytes = values.number(field::allocation_bytes);
  e.has_allocated = values.has(field::bytes_allocated);
  e.bytes_allocated = values.number(field::bytes_allocated);
  e.peak_bytes_in_use = values.number(field::peak_bytes_in_use);
  e.bytes_reserved = values.number(field::bytes_reserved);
  e.bytes_available = values.number(field::bytes_available);
  e.fragmentation = values.real(field::fragmentation);
  e.shape = values.text(field::shape);
  e.tf_op = values.text(field::tf_op);
  e.data_type = values.text(field::data_type);
  e.data_type_is_number = values.has_integer(field::data_type);
  e.data_type_number = e.data_type_is_number ? values.number(field::data_type) : 0;
}

event_row row_at(const allocator_line& line, std::uint64_t offset) noexcept {
  event_row row{};
  static_cast<void>(
      decode_first_event(line.body.substr(static_cast<std::size_t>(offset)), row));  // it was there before
  return row;
}

}  // namespace

allocator_fields::allocator_fields(const plane_index& plane) {
  for (const std::string_view entry : plane.stat_metadata_entries) {
    const stat_metadata_view view(entry);
    const auto at = std::find(field_names.begin() + 1, field_names.end(), view.name());
    if (at == field_names.end() || !counts_in(plane.stat_metadata, view.key(), entry)) continue;
    const auto field = static_cast<allocator_field>(at - field_names.begin());
    const std::int64_t id = view.key();
    (static_cast<std::uint64_t>(id) < small_ids ? by_id_[id] : others_[id]) = field;
    known_ |= bit_of(field);
  }
}

PROFKIT_NOINLINE allocator_field allocator_fields::of_large(std::int64_t id) const noexcept {
  const auto found = others_.find(id);
  return found == others_.end() ? allocator_field::none : found->second;
}

void event_roles::add(std::int64_t id, event_role role) {
  if (count_ >= most_quick) {
    others_[id] = role;
  } else {
    for (std::size_t at = count_; at < most_quick; ++at) quick_[at] = {id, role};
  }
  ++count_;
}

event_role event_roles::of(std::int64_t id) const noexcept {
  for (const quick& q : quick_)
    if (q.id == id) return q.role;
  if (PROFKIT_LIKELY(others_.empty())) return event_role::other;
  const auto found = others_.find(id);
  return found == others_.end() ? event_role::other : found->second;
}

allocator_event collected_events::event_at(const event_place& at) const noexcept {
  allocator_event e;
  const event_row row = row_at(lines[at.line], at.offset);
  read_event(*this, at, row, lines[at.line].clock.start_of(row).value_or(0), e);
  return e;
}

ordered_allocator_events::ordered_allocator_events(const collected_events& all, std::uint32_t file,
                                                   std::optional<std::uint32_t> allocator, const hooks& host)
    : all_(all), allocator_(allocator), meter_(host) {
  for (const event_places::run& run : all.places.runs()) {
    if (all.planes[all.lines[run.line].plane].file != file) continue;
    cursor c{};
    c.at = run.at;
    c.left = run.events;
    c.when.line = run.line;
    c.ahead_at = run.at;
    c.ahead_left = run.events;
    constexpr int events_ahead = 8;
    for (int i = 0; i < events_ahead; ++i) look_ahead(c);
    if (advance(c)) cursors_.push_back(c);
  }
  const auto later = [&](std::uint32_t a, std::uint32_t b) { return cursors_[b].when < cursors_[a].when; };
  for (std::uint32_t i = 0; i < cursors_.size(); ++i) heap_.push_back(i);
  std::make_heap(heap_.begin(), heap_.end(), later);
}

bool ordered_allocator_events::advance(cursor& c) const noexcept {
  if (c.left == 0) return false;
  --c.left;
  all_.places.take(c.at, c.when.offset, c.allocator);
  look_ahead(c);
  const allocator_line& line = all_.lines[c.when.line];
  static_cast<void>(decode_first_event(line.body.substr(static_cast<std::size_t>(c.when.offset)), c.row));
  c.start_ps = line.clock.start_of(c.row).value_or(0);
  c.when.time = c.start_ps;
  return true;
}

// Events lie far from each other: without this each would be waited for.
void ordered_allocator_events::look_ahead(cursor& c) const noexcept {
  if (c.ahead_left == 0) return;
  --c.ahead_left;
  all_.places.take(c.ahead_at, c.ahead_offset, c.ahead_allocator);
  const char* const event = all_.lines[c.when.line].body.data() + c.ahead_offset;
  __builtin_prefetch(event);
  __builtin_prefetch(event + 64);
}

// The first cursor may no longer be the next one.
void ordered_allocator_events::sift_down() noexcept {
  const std::uint32_t moved = heap_.front();
  std::size_t at = 0;
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && cursors_[heap_[child + 1]].when < cursors_[heap_[child]].when) ++child;
    if (!(cursors_[heap_[child]].when < cursors_[moved].when)) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = moved;
}

void ordered_allocator_events::go_on() noexcept {
  if (!advance(cursors_[heap_.front()])) {
    heap_.front() = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
  }
  sift_down();
}

bool ordered_allocator_events::next(allocator_event& into) {
  while (!heap_.empty() && !stopped_) {
    if (seen_++ % 65536 == 0)
      if (result<void> stepped = meter_.step(seen_); !stepped) {
        stopped_ = std::move(stepped).error();
        return false;
      }
    const cursor& c = cursors_[heap_.front()];
    const bool wanted = !allocator_ || c.allocator == *allocator_;
    if (wanted) {
      read_event(all_, {c.when.line, c.when.offset}, c.row, c.start_ps, into);
      into.allocator = c.allocator;
    }
    go_on();
    if (wanted) return true;
  }
  return false;
}

std::string tensorflow_type_name(std::int64_t type) {
  // tensorflow/core/framework/types.proto.
  constexpr const char* names[] = {
      "invalid",       "f32",        "f64",      "s32",     "u8",     "s16",  "s8",     "string",   "c64",
      "s64",           "pred",       "qint8",    "quint8",  "qint32", "bf16", "qint16", "quint16",  "u16",
      "c128",          "f16",        "resource", "variant", "u32",    "u64",  "f8e5m2", "f8e4m3fn", "f8e4m3fnuz",
      "f8e4m3b11fnuz", "f8e5m2fnuz", "s4",       "u4",      "s2",     "u2"};
  if (type >= 0 && type < static_cast<std::int64_t>(sizeof names / sizeof *names)) return names[type];
  return "dt" + std::to_string(type);
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
