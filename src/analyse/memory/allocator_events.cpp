#include "allocator_events.hpp"

#include <analyse/anatomy/stats.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

constexpr std::size_t field_count = static_cast<std::size_t>(allocator_field::none);
constexpr std::array<std::string_view, field_count> field_names = {"addr",
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

std::int64_t number_of(const stat_view& stat) noexcept {
  switch (stat.kind()) {
    case stat_kind::int64_value:
    case stat_kind::uint64_value:
    case stat_kind::ref_value: return stat.as_int64();
    default: return 0;
  }
}

text_stat text_of(const stat_view& stat) noexcept {
  text_stat t;
  t.str = stat.as_bytes();
  t.is_ref = stat.kind() == stat_kind::ref_value;
  t.ref = t.is_ref ? stat.as_uint64() : 0;
  return t;
}

// Hands each stat that is a field to `take(field, stat)`; of equal ones the first.
template <class Take>
void for_each_field(const allocator_fields& fields, std::string_view line, const event_row& row, Take&& take) {
  if (row.stats_bytes == 0) return;
  std::uint32_t seen = 0;
  const std::string_view stats(row.stats, row.stats_bytes);
  for (const stat_view stat : message_range<stat_view, 4>(stats, line.data() + line.size())) {
    const allocator_field f = fields.of(stat.metadata_id());
    if (f == allocator_field::none || (seen >> static_cast<unsigned>(f) & 1U) != 0) continue;
    seen |= 1U << static_cast<unsigned>(f);
    take(f, stat);
  }
}

bool contains(const std::vector<std::int64_t>& sorted_ids, std::int64_t id) noexcept {
  return std::binary_search(sorted_ids.begin(), sorted_ids.end(), id);
}

// All of an event but for its allocator.
void read_event(const collected_events& all, const event_place& place, const event_row& row, allocator_event& e) {
  using field = allocator_field;
  const allocator_line& line = all.lines[place.line];
  const allocator_plane& plane = all.planes[line.plane];
  e = {};
  e.place = place;
  e.start_ps = line.clock.start_of(row).value_or(0);
  e.raw_ns = saturating_add(line.timestamp_ns, floor_ns(row.offset_ps));
  e.is_allocation = contains(plane.allocations, row.metadata_id);
  for_each_field(plane.fields, line.body, row, [&](field f, const stat_view& stat) {
    switch (f) {
      case field::addr: e.addr = static_cast<std::uint64_t>(number_of(stat)); break;
      case field::id: e.id = number_of(stat); break;
      case field::requested_bytes: e.requested_bytes = number_of(stat); break;
      case field::allocation_bytes: e.allocation_bytes = number_of(stat); break;
      case field::bytes_allocated:
        e.bytes_allocated = number_of(stat);
        e.has_allocated = true;
        break;
      case field::peak_bytes_in_use: e.peak_bytes_in_use = number_of(stat); break;
      case field::bytes_reserved: e.bytes_reserved = number_of(stat); break;
      case field::bytes_available: e.bytes_available = number_of(stat); break;
      case field::fragmentation: e.fragmentation = stat.as_double(); break;
      case field::shape: e.shape = text_of(stat); break;
      case field::tf_op: e.tf_op = text_of(stat); break;
      case field::data_type:
        e.data_type = text_of(stat);
        e.data_type_is_number = stat.kind() == stat_kind::int64_value || stat.kind() == stat_kind::uint64_value;
        e.data_type_number = e.data_type_is_number ? stat.as_int64() : 0;
        break;
      case field::allocator_name:
      case field::index_on_host:
      case field::device_ordinal:
      case field::none: break;
    }
  });
}

event_row row_at(const allocator_line& line, std::uint64_t offset) noexcept {
  event_row row{};
  event_scanner scan(line.body.substr(static_cast<std::size_t>(offset)));
  static_cast<void>(scan.next(&row, 1));  // it was there in the first pass
  return row;
}

event_moment moment_of(const collected_events& all, std::uint32_t line_at, std::uint64_t offset, const event_row& row) {
  const allocator_line& line = all.lines[line_at];
  event_moment m;
  m.line = line_at;
  m.offset = offset;
  if (all.order == event_order::by_time) {
    m.time = line.clock.start_of(row).value_or(0);
  } else {
    m.time = saturating_add(line.timestamp_ns, floor_ns(row.offset_ps));
    m.behind = !contains(all.planes[line.plane].allocations, row.metadata_id);
  }
  return m;
}

// Which allocator an event belongs to: the most telling of the stats that name one.
struct allocator_key {
  std::string_view name;
  std::optional<std::int64_t> index_on_host, device_ordinal;
  std::int64_t id = 0;

  [[nodiscard]] std::string text() const {
    if (!name.empty()) return std::string(name);
    return std::to_string(index_on_host ? *index_on_host : device_ordinal ? *device_ordinal : id);
  }
  friend bool operator==(const allocator_key& a, const allocator_key& b) noexcept {
    return a.name == b.name && a.index_on_host == b.index_on_host && a.device_ordinal == b.device_ordinal &&
           a.id == b.id;
  }
};

bool is_host_allocator(std::string_view name) noexcept {
  return name.find("host") != std::string_view::npos || name.find("cpu") != std::string_view::npos ||
         name.find("CPU") != std::string_view::npos;
}

// The device plane an allocator serves: "3" is /device:TPU:3 (or GPU:3), "GPU_4_bfc" is /device:GPU:4.
std::string device_of(const xspace_index& space, std::string_view name) {
  std::int64_t ordinal = -1;
  std::string_view kind;
  const auto digits_from = [&](std::size_t at) {
    std::int64_t n = -1;
    for (; at < name.size() && name[at] >= '0' && name[at] <= '9' && n < 1000000; ++at)
      n = (n < 0 ? 0 : n) * 10 + (name[at] - '0');
    return n;
  };
  if (!name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos) ordinal = digits_from(0);
  for (const std::string_view prefix : {"GPU_", "TPU_"}) {
    if (name.substr(0, 4) != prefix) continue;
    ordinal = digits_from(4);
    kind = prefix.substr(0, 3);
  }
  if (ordinal < 0) return {};
  for (const plane_index& plane : space.planes) {
    if (plane.kind != plane_kind::device || plane.device != ordinal) continue;
    if (!kind.empty() && plane.name.find(kind) == std::string_view::npos) continue;
    if (plane.name.find(' ') != std::string_view::npos) continue;  // "/device:TPU:0 SparseCore 1" is a part of one
    return std::string(plane.name);
  }
  return {};
}

class collector {
 public:
  collector(const profile& p, const std::string& host_filter, event_order order, const hooks& host)
      : profile_(p), host_filter_(host_filter), meter_(host) {
    out_.order = order;
  }

  void add_file(std::size_t file, bool first_plane_only) {
    const xspace_index* space = profile_.xspace(file);
    if (space == nullptr || !host_fits(profile_, file, host_filter_)) return;
    for (std::size_t plane = 0; plane < space->planes.size(); ++plane) {
      if (space->planes[plane].name != "/host:CPU") continue;
      out_.host_plane_present = true;
      add_plane(file, plane);
      if (first_plane_only) return;
    }
  }
  collected_events take() {
    out_.places.finish();
    return std::move(out_);
  }

 private:
  void add_plane(std::size_t file, std::size_t plane_at) {
    const plane_index& plane = profile_.xspace(file)->planes[plane_at];
    std::string host = profile_.what().files[file].host;
    if (!profile_.xspace(file)->hostnames.empty() && host.empty())
      host = std::string(profile_.xspace(file)->hostnames.front());
    std::vector<std::int64_t> allocations, deallocations;
    for (const std::string_view entry : plane.event_metadata_entries) {
      const event_metadata_view view(entry);
      const bool allocates = view.name() == "MemoryAllocation";
      if (!allocates && view.name() != "MemoryDeallocation") continue;
      if (!counts_in(plane.event_metadata, view.key(), entry)) continue;
      (allocates ? allocations : deallocations).push_back(view.key());
    }
    if (allocations.empty() && deallocations.empty()) return;
    std::sort(allocations.begin(), allocations.end());
    std::sort(deallocations.begin(), deallocations.end());
    out_.planes.push_back({static_cast<std::uint32_t>(file), static_cast<std::int32_t>(plane_at), &plane,
                           allocator_fields(plane), std::move(allocations), std::move(deallocations)});
    known_.clear();
    for (std::size_t line = 0; line < plane.lines.size() && !out_.stopped; ++line)
      add_line(file, plane_at, static_cast<std::int32_t>(line), host);
  }

  void add_line(std::size_t file, std::size_t plane_at, std::int32_t line_at, const std::string& host) {
    const allocator_plane& plane = out_.planes.back();
    const line_index& line = plane.index->lines[static_cast<std::size_t>(line_at)];
    // Nearly all events are something else, so the ids are compared first of all.
    const std::vector<std::int64_t>& some = plane.allocations.empty() ? plane.deallocations : plane.allocations;
    const std::vector<std::int64_t>& others = plane.deallocations.empty() ? plane.allocations : plane.deallocations;
    const std::int64_t one = some.front(), other = others.front();
    const bool only_two = some.size() == 1 && others.size() == 1;
    bool met = false, in_order = true;
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    constexpr std::size_t batch = 256;
    event_row rows[batch];
    event_scanner scanner(line.body);
    const char* batch_at = line.body.data();
    for (std::uint64_t batches = 0; const std::size_t n = scanner.next(rows, batch); ++batches) {
      for (std::size_t i = 0; i < n; ++i) {
        const event_row& row = rows[i];
        in_order = in_order && row.offset_ps >= latest;
        latest = row.offset_ps;
        if (row.metadata_id != one && row.metadata_id != other &&
            (only_two || (!contains(some, row.metadata_id) && !contains(others, row.metadata_id))))
          continue;
        if (!met) begin_line(file, line_at, line);
        met = true;
        const char* const began = i == 0 ? batch_at : rows[i - 1].stats + rows[i - 1].stats_bytes;
        add_event(file, plane_at, host, static_cast<std::uint64_t>(began - line.body.data()), row);
      }
      batch_at = rows[n - 1].stats + rows[n - 1].stats_bytes;
      if (batches % 1024 == 0 && !go_on(batch_at - line.body.data())) break;
    }
    if (met) out_.lines.back().in_order = in_order;
    if (!scanner.ok()) note_damage(file, line.offset + scanner.offset());
    if (!go_on(static_cast<std::ptrdiff_t>(line.body.size()))) return;
    done_bytes_ += line.body.size();
  }

  bool go_on(std::ptrdiff_t bytes_of_line) {
    if (result<void> stepped = meter_.step(done_bytes_ + static_cast<std::uint64_t>(bytes_of_line)); !stepped)
      out_.stopped = std::move(stepped).error();
    return !out_.stopped;
  }

  void begin_line(std::size_t file, std::int32_t line_at, const line_index& line) {
    const line_header header = complete_header(line);
    out_.lines.push_back({static_cast<std::uint32_t>(out_.planes.size() - 1), line_at, line.body,
                          line_clock(profile_, file, line, header), header.timestamp_ns});
  }

  void add_event(std::size_t file, std::size_t plane, const std::string& host, std::uint64_t offset,
                 const event_row& row) {
    const allocator_line& line = out_.lines.back();
    const auto start = line.clock.start_of(row);
    if (!start) ++out_.without_time;
    const std::uint32_t at = allocator_of(file, plane, host, key_of(out_.planes.back(), line.body, row));
    allocator_identity& allocator = out_.allocators[at];
    ++allocator.n_events;
    allocator.first_ps = std::min(allocator.first_ps, start.value_or(0));
    allocator.last_ps = std::max(allocator.last_ps, start.value_or(0));
    ++out_.n_events;
    out_.places.add(moment_of(out_, static_cast<std::uint32_t>(out_.lines.size() - 1), offset, row), at);
  }

  static allocator_key key_of(const allocator_plane& plane, std::string_view line, const event_row& row) {
    allocator_key key;
    for_each_field(plane.fields, line, row, [&](allocator_field f, const stat_view& stat) {
      if (f == allocator_field::id) key.id = number_of(stat);
      if (f == allocator_field::allocator_name) key.name = text_value(*plane.index, stat);
      if (f == allocator_field::index_on_host) key.index_on_host = number_of(stat);
      if (f == allocator_field::device_ordinal) key.device_ordinal = number_of(stat);
    });
    return key;
  }

  std::uint32_t allocator_of(std::size_t file, std::size_t plane, const std::string& host, const allocator_key& key) {
    if (last_ < known_.size() && known_[last_].first == key) return known_[last_].second;
    for (last_ = 0; last_ < known_.size(); ++last_)
      if (known_[last_].first == key) return known_[last_].second;
    std::string name = key.text();
    // Two keys can have one text; what is shown as one allocator is one.
    for (std::uint32_t at = 0; at < out_.allocators.size(); ++at) {
      const allocator_identity& a = out_.allocators[at];
      if (a.file != file || a.plane != static_cast<std::int32_t>(plane) || a.name != name) continue;
      if (known_.size() < most_keys) known_.emplace_back(key, at);
      return at;
    }
    allocator_identity fresh;
    fresh.file = static_cast<std::uint32_t>(file);
    fresh.plane = static_cast<std::int32_t>(plane);
    fresh.host = host;
    fresh.is_host_memory = is_host_allocator(name);
    if (!fresh.is_host_memory) fresh.device = device_of(*profile_.xspace(file), name);
    fresh.name = std::move(name);
    // A file made of names alone must not make this quadratic: past so many, all others are one.
    if (out_.allocators.size() >= most_keys) {
      fresh.name = "(others)";
      fresh.device.clear();
      for (std::uint32_t at = most_keys; at < out_.allocators.size(); ++at)
        if (out_.allocators[at].file == file) return at;
    }
    const auto at = static_cast<std::uint32_t>(out_.allocators.size());
    out_.allocators.push_back(std::move(fresh));
    if (known_.size() < most_keys) known_.emplace_back(key, at);
    return at;
  }

  void note_damage(std::size_t file, std::uint64_t offset) {
    for (const file_damage& d : out_.damage)
      if (d.file == file) return;
    fault f;
    f.code = fault_code::damaged;
    f.path = profile_.what().files[file].path;
    f.byte_offset = offset;
    f.message = "an event of /host:CPU breaks the protobuf format at byte " + std::to_string(offset);
    f.hint = "allocator events behind it are lost";
    out_.damage.push_back({static_cast<std::uint32_t>(file), std::move(f)});
  }

  static constexpr std::uint32_t most_keys = 256;

  const profile& profile_;
  const std::string& host_filter_;
  progress_meter meter_;
  std::uint64_t done_bytes_ = 0;
  collected_events out_;
  std::vector<std::pair<allocator_key, std::uint32_t>> known_;  // of the present plane
  std::size_t last_ = 0;
};

}  // namespace

allocator_fields::allocator_fields(const plane_index& plane) {
  for (const std::string_view entry : plane.stat_metadata_entries) {
    const stat_metadata_view view(entry);
    const auto at = std::find(field_names.begin(), field_names.end(), view.name());
    if (at == field_names.end() || !counts_in(plane.stat_metadata, view.key(), entry)) continue;
    add(view.key(), static_cast<allocator_field>(at - field_names.begin()));
  }
}

void allocator_fields::add(std::int64_t id, allocator_field f) {
  constexpr std::int64_t small_ids = 4096;
  if (id < 0 || id >= small_ids) {
    large_[id] = f;
    return;
  }
  if (small_.size() <= static_cast<std::size_t>(id))
    small_.resize(static_cast<std::size_t>(id) + 1, allocator_field::none);
  small_[static_cast<std::size_t>(id)] = f;
}

allocator_event collected_events::event_at(const event_place& at) const noexcept {
  allocator_event e;
  read_event(*this, at, row_at(lines[at.line], at.offset), e);
  return e;
}

collected_events collect_allocator_events(const profile& p, const std::string& host_filter,
                                          std::optional<std::size_t> only_file, event_order order, const hooks& host) {
  collector c(p, host_filter, order, host);
  if (only_file) {
    c.add_file(*only_file, true);
  } else {
    for (std::size_t file = 0; file < p.file_count(); ++file) c.add_file(file, false);
  }
  return c.take();
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
  c.row = row_at(all_.lines[c.when.line], c.when.offset);
  c.when = moment_of(all_, c.when.line, c.when.offset, c.row);
  return true;
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
      read_event(all_, {c.when.line, c.when.offset}, c.row, into);
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
