#include "allocator_events.hpp"

#include <analyse/anatomy/select.hpp>
#include <analyse/anatomy/stats.hpp>
#include <base/progress.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

// Stats of MemoryAllocation and MemoryDeallocation events (tsl profiler, TensorFlow's bfc_allocator and PJRT).
enum class field : std::uint8_t {
  addr,
  id,
  requested_bytes,
  allocation_bytes,
  bytes_allocated,
  peak_bytes_in_use,
  bytes_reserved,
  bytes_available,
  fragmentation,
  shape,
  tf_op,
  data_type,
  allocator_name,
  index_on_host,
  device_ordinal,
  none,
};
constexpr std::size_t deepest_chain = 100;
constexpr std::size_t field_count = static_cast<std::size_t>(field::none);
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

// Which field a stat id of one plane is.
class field_table {
 public:
  explicit field_table(const plane_index& plane) {
    for (const std::string_view entry : plane.stat_metadata_entries) {
      const stat_metadata_view view(entry);
      const auto at = std::find(field_names.begin(), field_names.end(), view.name());
      if (at == field_names.end() || !counts_in(plane.stat_metadata, view.key(), entry)) continue;
      add(view.key(), static_cast<field>(at - field_names.begin()));
    }
  }
  [[nodiscard]] field of(std::int64_t id) const noexcept {
    if (id >= 0 && static_cast<std::uint64_t>(id) < small_.size()) return small_[static_cast<std::size_t>(id)];
    const auto found = large_.find(id);
    return found == large_.end() ? field::none : found->second;
  }

 private:
  void add(std::int64_t id, field f) {
    constexpr std::int64_t small_ids = 4096;
    if (id < 0 || id >= small_ids) {
      large_[id] = f;
      return;
    }
    if (small_.size() <= static_cast<std::size_t>(id)) small_.resize(static_cast<std::size_t>(id) + 1, field::none);
    small_[static_cast<std::size_t>(id)] = f;
  }
  std::vector<field> small_;
  hash_map<std::int64_t, field> large_;
};

std::int64_t number_of(const stat_view& stat) noexcept {
  switch (stat.kind()) {
    case stat_kind::int64_value:
    case stat_kind::uint64_value:
    case stat_kind::ref_value: return stat.as_int64();
    default: return 0;
  }
}

text_stat text_of(const plane_index& plane, const stat_view& stat) noexcept {
  text_stat t;
  t.text = text_value(plane, stat);
  t.is_ref = stat.kind() == stat_kind::ref_value;
  t.ref = t.is_ref ? stat.as_uint64() : 0;
  return t;
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
  collector(const profile& p, const std::string& host_filter, const hooks& host)
      : profile_(p), host_filter_(host_filter), meter_(host) {}

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
  collected_events take() { return std::move(out_); }

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
    const field_table fields(plane);
    known_.clear();
    for (std::size_t line = 0; line < plane.lines.size() && !out_.stopped; ++line) {
      if (result<void> go_on = meter_.step(done_bytes_); !go_on) out_.stopped = std::move(go_on).error();
      done_bytes_ += plane.lines[line].body.size();
      const line_header header = complete_header(plane.lines[line]);
      const line_clock clock(profile_, file, plane.lines[line], header);
      std::uint32_t position = 0;
      constexpr std::size_t batch = 256;
      event_row rows[batch];
      event_scanner scanner(plane.lines[line].body);
      while (const std::size_t n = scanner.next(rows, batch)) {
        for (std::size_t i = 0; i < n; ++i, ++position) {
          const auto has = [&](const std::vector<std::int64_t>& ids) {
            return std::find(ids.begin(), ids.end(), rows[i].metadata_id) != ids.end();
          };
          const bool allocates = has(allocations);
          if (!allocates && !has(deallocations)) continue;
          const auto start = clock.start_of(rows[i]);
          if (!start) ++out_.without_time;
          allocator_event e;
          e.start_ps = start.value_or(0);
          e.raw_ns = saturating_add(header.timestamp_ns, floor_ns(rows[i].offset_ps));
          e.line = static_cast<std::int32_t>(line);
          e.event = position;
          e.is_allocation = allocates;
          const allocator_key key = read_stats(plane, fields, rows[i], e);
          e.allocator = allocator_of(file, plane_at, host, key);
          out_.events.push_back(e);
        }
      }
      if (!scanner.ok()) note_damage(file, plane.lines[line].offset + scanner.offset());
    }
  }

  static allocator_key read_stats(const plane_index& plane, const field_table& fields, const event_row& row,
                                  allocator_event& e) {
    allocator_key key;
    std::uint32_t seen = 0;  // the first of equal stats counts
    for (const stat_view stat : stats_of(row)) {
      const field f = fields.of(stat.metadata_id());
      if (f == field::none || (seen >> static_cast<unsigned>(f) & 1U) != 0) continue;
      seen |= 1U << static_cast<unsigned>(f);
      switch (f) {
        case field::addr: e.addr = static_cast<std::uint64_t>(number_of(stat)); break;
        case field::id: key.id = e.id = number_of(stat); break;
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
        case field::shape: e.shape = text_of(plane, stat); break;
        case field::tf_op: e.tf_op = text_of(plane, stat); break;
        case field::data_type:
          e.data_type = text_of(plane, stat);
          e.data_type_is_number = stat.kind() == stat_kind::int64_value || stat.kind() == stat_kind::uint64_value;
          e.data_type_number = e.data_type_is_number ? stat.as_int64() : 0;
          break;
        case field::allocator_name: key.name = text_value(plane, stat); break;
        case field::index_on_host: key.index_on_host = number_of(stat); break;
        case field::device_ordinal: key.device_ordinal = number_of(stat); break;
        case field::none: break;
      }
    }
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

collected_events collect_allocator_events(const profile& p, const std::string& host_filter,
                                          std::optional<std::size_t> only_file, const hooks& host) {
  collector c(p, host_filter, host);
  if (only_file) {
    c.add_file(*only_file, true);
  } else {
    for (std::size_t file = 0; file < p.file_count(); ++file) c.add_file(file, false);
  }
  return c.take();
}

std::vector<std::vector<std::string_view>> enclosing_events(const plane_index& plane, const line_index& line,
                                                            const std::vector<std::uint32_t>& events) {
  struct span {
    std::int64_t start, end;
    std::int64_t metadata_id;
    std::uint32_t event;
  };
  std::vector<span> spans;
  constexpr std::size_t batch = 256;
  event_row rows[batch];
  event_scanner scanner(line.body);
  std::uint32_t position = 0;
  while (const std::size_t n = scanner.next(rows, batch))
    for (std::size_t i = 0; i < n; ++i, ++position)
      spans.push_back({rows[i].offset_ps,
                       saturating_add(rows[i].offset_ps, std::max<std::int64_t>(rows[i].duration_ps, 0)),
                       rows[i].metadata_id, position});
  std::stable_sort(spans.begin(), spans.end(), [](const span& a, const span& b) {
    return a.start < b.start || (a.start == b.start && a.end > b.end);
  });
  std::vector<std::pair<std::uint32_t, std::size_t>> wanted;  // event, position in the answer
  for (std::size_t i = 0; i < events.size(); ++i) wanted.emplace_back(events[i], i);
  std::sort(wanted.begin(), wanted.end());
  std::vector<std::vector<std::string_view>> found(events.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t at = 0; at < spans.size(); ++at) {
    const auto is_over = [&](std::uint32_t o) { return spans[o].end <= spans[at].start; };
    while (!open.empty() && is_over(open.back())) open.pop_back();
    const auto asked = std::lower_bound(wanted.begin(), wanted.end(), std::make_pair(spans[at].event, std::size_t{0}));
    if (asked != wanted.end() && asked->first == spans[at].event) {
      std::vector<std::string_view>& chain = found[asked->second];
      std::size_t over = 0;
      for (const std::uint32_t o : open) {
        if (chain.size() == deepest_chain) break;
        if (is_over(o))
          ++over;
        else
          chain.push_back(plane.event_name(spans[o].metadata_id));
      }
      // Events that overlap without nesting leave ended ones below; they are swept out before they pile up.
      if (over > 2 * deepest_chain) open.erase(std::remove_if(open.begin(), open.end(), is_over), open.end());
    }
    if (spans[at].end > spans[at].start) open.push_back(at);
  }
  return found;
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
