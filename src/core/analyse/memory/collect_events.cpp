// Where the allocator events of a capture lie: one pass over the lines of its host planes, in parts.
#include "allocator_events.hpp"
#include "hosts.hpp"

#include <trace/stats.hpp>
#include <formats/xspace/line_pieces.hpp>
#include <profkit/core/recording.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

// Which allocator an event belongs to: the first, in the order of preference, of the stats that name one.
struct allocator_key {
  allocator_field field = allocator_field::id;
  std::string_view name;
  std::int64_t number = 0;  // unless it has a name

  [[nodiscard]] std::string text() const {
    return field == allocator_field::allocator_name ? std::string(name) : std::to_string(number);
  }
  friend bool operator==(const allocator_key& a, const allocator_key& b) noexcept {
    return a.field == b.field && a.number == b.number && a.name == b.name;
  }
};

// Reads the keys of the events of one plane.
class key_reader {
 public:
  explicit key_reader(const allocator_plane& plane) : plane_(&plane) {
    for (const allocator_field f : by_preference)
      if (enough_ == 0 && plane.fields.has(f)) enough_ = bit_of(f);
  }
  [[nodiscard]] allocator_key read(const event_row& row, const char* readable_end) {
    values_.read(plane_->fields, row, readable_end, enough_);
    if (values_.has(allocator_field::allocator_name)) {
      const std::string_view name = name_of(values_.text(allocator_field::allocator_name));
      if (!name.empty()) return {allocator_field::allocator_name, name, 0};
      values_.read(plane_->fields, row, readable_end);
    }
    for (const allocator_field f : {allocator_field::index_on_host, allocator_field::device_ordinal})
      if (values_.has(f)) return {f, {}, values_.number(f)};
    return {allocator_field::id, {}, values_.number(allocator_field::id)};
  }

 private:
  static constexpr allocator_field by_preference[] = {allocator_field::allocator_name, allocator_field::index_on_host,
                                                     allocator_field::device_ordinal, allocator_field::id};

  // A ref is mostly the same as before.
  std::string_view name_of(const text_stat& text) {
    if (!text.is_ref) return text.str;
    if (!ref_ || *ref_ != text.ref) {
      ref_ = text.ref;
      name_ = text.text(*plane_->index);
    }
    return name_;
  }

  const allocator_plane* plane_;
  std::uint32_t enough_ = 0;  // a field that decides the allocator whatever else there is
  field_values values_;
  std::optional<std::uint64_t> ref_;
  std::string_view name_;
};

bool is_host_allocator(std::string_view name) noexcept {
  return name.find("host") != std::string_view::npos || name.find("cpu") != std::string_view::npos ||
         name.find("CPU") != std::string_view::npos;
}

// The device plane an allocator serves: "3" is /device:TPU:3 (or GPU:3), "GPU_4_bfc" is /device:GPU:4.
std::string device_of(const devices_of_nodes& devices, std::optional<std::int64_t> node, std::string_view name) {
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
  return ordinal < 0 ? std::string() : std::string(devices.find(node, ordinal, kind));
}

// One that is read: the event's place is not yet among the others'.
struct found_event {
  std::uint64_t offset = 0;   // in the line
  std::int64_t start_ps = 0;  // 0 without a time
  std::uint32_t key = 0;      // which of the part's
  bool has_time = false;
};

// A piece of a line.
struct found_piece {
  std::size_t line = 0;  // of those that are read
  line_stretch stretch;
  std::size_t events = 0;  // of an allocator
  bool ends_line = false;
  // Of all events.
  bool any = false, in_order = true;
  std::int64_t first_offset_ps = 0, last_offset_ps = 0;
  std::optional<std::int64_t> timestamp_ns;  // when the piece has it
  std::optional<std::uint64_t> damage;       // where in the line
};

// What a part of the lines has.
struct found_part {
  std::vector<found_piece> pieces;
  std::vector<found_event> events;
  std::vector<allocator_key> keys;
};

constexpr std::uint32_t max_keys = 256;                       // of a plane
constexpr std::size_t max_allocators = std::size_t{1} << 14;  // of all

class collector {
 public:
  collector(const profile& p, const std::string& host_filter, const hooks& host)
      : profile_(p), host_filter_(host_filter), host_(host), meter_(host) {}

  void add_file(std::size_t file) {
    if (!host_fits(profile_, file, host_filter_)) return;
    const xspace_index* space = profile_.allocations(file);
    if (space == nullptr) return;
    for (std::size_t at = 0; at < space->planes.size(); ++at) {
      const plane_index& plane = space->planes[at];
      if (!records_allocators(plane) || !host_fits(profile_, file, plane, host_filter_)) continue;
      out_.host_plane_present = true;
      add_plane(file, at);
    }
  }

  collected_events take() {
    read_lines();
    // That a writer puts times of lines after their events is seen only at the end: once more, with what is known now.
    if (!misplaced_.empty() && !out_.stopped) {
      forget();
      read_lines();
    }
    out_.places.finish();
    return std::move(out_);
  }

 private:
  // A line that is read.
  struct line_to_read {
    std::uint32_t plane;  // index into collected_events::planes
    std::int32_t line;    // position in the plane
    const line_index* index;
    line_header header;
    line_clock clock;
  };

  void add_plane(std::size_t file, std::size_t plane_at) {
    const plane_index& plane = profile_.allocations(file)->planes[plane_at];
    event_roles roles;
    for (const std::string_view entry : plane.event_metadata_entries) {
      const event_metadata_view view(entry);
      const bool allocates = view.name() == "MemoryAllocation";
      if (!allocates && view.name() != "MemoryDeallocation") continue;
      if (!counts_in(plane.event_metadata, view.key(), entry)) continue;
      roles.add(view.key(), allocates ? event_role::allocation : event_role::deallocation);
    }
    if (roles.empty()) return;
    const auto at = static_cast<std::uint32_t>(out_.planes.size());
    out_.planes.push_back({static_cast<std::uint32_t>(file), static_cast<std::int32_t>(plane_at), &plane,
                           allocator_fields(plane), std::move(roles)});
    for (std::size_t line = 0; line < plane.lines.size(); ++line) {
      const line_index& index = plane.lines[line];
      lines_.push_back(
          {at, static_cast<std::int32_t>(line), &index, index.header, line_clock(profile_, file, index, index.header)});
    }
  }

  void read_lines() {
    std::vector<std::string_view> bodies;
    bodies.reserve(lines_.size());
    for (const line_to_read& line : lines_) bodies.push_back(line.index->body);
    result<void> done = read_line_parts<found_part>(
        bodies, cut_lines(bodies), host_, [] { return found_part(); },
        [&](const line_piece& piece, found_part& found) { return read_piece(piece, found); },
        [&](found_part found, std::uint64_t bytes) { return keep(found, bytes); });
    if (!done) out_.stopped = std::move(done).error();
  }

  // What has to be found again.
  void forget() {
    for (const auto& [at, timestamp_ns] : misplaced_) {
      line_to_read& line = lines_[at];
      line.header.timestamp_ns = timestamp_ns;
      line.clock = line_clock(profile_, out_.planes[line.plane].file, *line.index, line.header);
    }
    misplaced_.clear();
    out_.allocators.clear();
    out_.lines.clear();
    out_.places = {};
    out_.n_events = out_.without_time = 0;
    out_.damage.clear();
    known_.clear();
    done_bytes_ = 0;
  }

  // ---- on any thread ----

  result<bool> read_piece(const line_piece& piece, found_part& into) const {
    const line_to_read& line = lines_[piece.line];
    const allocator_plane& plane = out_.planes[line.plane];
    const std::string_view body = line.index->body;
    found_piece found;
    found.line = piece.line;
    found.stretch.from = piece.from;
    found.ends_line = piece.ends_line;
    key_reader keys(plane);
    const std::size_t events_before = into.events.size();
    std::uint64_t min_start = 0, max_end = 0;  // as unsigned_of() has them
    bool overflows = false;
    constexpr std::size_t batch = 256;
    event_row rows[batch];
    std::uint16_t kept[batch];
    event_scanner scan(
        body.substr(static_cast<std::size_t>(piece.from), static_cast<std::size_t>(piece.to - piece.from)));
    const char* batch_at = body.data() + piece.from;
    std::int64_t latest = 0;
    while (const std::size_t n = scan.next(rows, batch)) {
      if (!found.any) {
        found.any = true;
        found.first_offset_ps = latest = rows[0].offset_ps;
        min_start = unsigned_of(latest);
      }
      const batch_summary of = summarise(rows, n, plane.roles, latest, kept);
      latest = rows[n - 1].offset_ps;
      found.in_order = found.in_order && of.in_order;
      min_start = std::min(min_start, of.min_start);
      max_end = std::max(max_end, of.max_end);
      overflows |= of.overflows;
      const std::size_t n_kept = of.n_kept;
      for (std::size_t k = 0; k < n_kept; ++k) {
        const std::size_t i = kept[k];
        const char* const began = i == 0 ? batch_at : rows[i - 1].stats + rows[i - 1].stats_bytes;
        const std::uint32_t key = key_at(into.keys, keys.read(rows[i], end_of(body)));
        found_event& e = into.events.emplace_back();
        take(line, static_cast<std::uint64_t>(began - body.data()), rows[i], e);
        e.key = key;
      }
      batch_at = rows[n - 1].stats + rows[n - 1].stats_bytes;
    }
    found.last_offset_ps = latest;
    if (found.any) {
      found.stretch.min_start_ps = signed_of(min_start);
      found.stretch.max_end_ps = overflows ? std::numeric_limits<std::int64_t>::max() : signed_of(max_end);
    }
    found.events = into.events.size() - events_before;
    if (scan.met_timestamp()) found.timestamp_ns = scan.header().timestamp_ns;
    if (!scan.ok()) found.damage = piece.from + scan.offset();
    into.pieces.push_back(found);
    return scan.ok();
  }

  // What is known of consecutive events; the event before them is at `latest`. `kept` gets the events of an
  // allocator.
  struct batch_summary {
    std::uint64_t min_start, max_end;  // as unsigned_of() has them
    std::size_t n_kept = 0;
    bool in_order = true, overflows = false;
  };
  static batch_summary summarise(const event_row* rows, std::size_t n, const event_roles& roles, std::int64_t latest,
                                 std::uint16_t* kept) noexcept {
    batch_summary s{};
    // Nearly all events are something else: without a branch that depends on which.
    const std::int64_t first = roles.first(), second = roles.second();
    std::int64_t min_start = rows[0].offset_ps;
    std::uint64_t max_end = 0, bits = 0;
    bool in_order = true;
    for (std::size_t i = 0; i < n; ++i) {
      const event_row& row = rows[i];
      kept[s.n_kept] = static_cast<std::uint16_t>(i);
      s.n_kept +=
          static_cast<std::size_t>(row.metadata_id == first) | static_cast<std::size_t>(row.metadata_id == second);
      in_order &= row.offset_ps >= latest;
      latest = row.offset_ps;
      min_start = std::min(min_start, latest);
      const auto start = static_cast<std::uint64_t>(latest), duration = static_cast<std::uint64_t>(row.duration_ps);
      bits |= start | duration;
      max_end = std::max(max_end, start + duration);
    }
    s.in_order = in_order;
    s.min_start = unsigned_of(min_start);
    s.max_end = max_end ^ sign_bit;
    if (bits >> 62 != 0) find_end(rows, n, s);
    if (!roles.few()) {
      s.n_kept = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (roles.of(rows[i].metadata_id) != event_role::other) kept[s.n_kept++] = static_cast<std::uint16_t>(i);
    }
    return s;
  }
  // Sets max_end where times are negative, or too large to be added.
  static void find_end(const event_row* rows, std::size_t n, batch_summary& s) noexcept {
    s.max_end = 0;
    for (const event_row* row = rows; row != rows + n; ++row) {
      const auto duration = static_cast<std::uint64_t>(std::max<std::int64_t>(row->duration_ps, 0));
      const std::uint64_t start = unsigned_of(row->offset_ps), end = start + duration;
      s.overflows |= end < start;
      s.max_end = std::max(s.max_end, end);
    }
  }

  // In the same order.
  static constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
  static std::uint64_t unsigned_of(std::int64_t v) noexcept { return static_cast<std::uint64_t>(v) ^ sign_bit; }
  static std::int64_t signed_of(std::uint64_t v) noexcept { return static_cast<std::int64_t>(v ^ sign_bit); }

  // All of an event but for its key.
  static void take(const line_to_read& line, std::uint64_t offset, const event_row& row, found_event& e) {
    const std::optional<std::int64_t> start = line.clock.start_of(row);
    e.has_time = start.has_value();
    e.start_ps = start.value_or(0);
    e.offset = offset;
  }

  static std::uint32_t key_at(std::vector<allocator_key>& keys, const allocator_key& key) {
    if (!keys.empty() && keys.back() == key) return static_cast<std::uint32_t>(keys.size() - 1);
    const std::size_t searched = std::min<std::size_t>(keys.size(), max_keys);
    for (std::size_t at = 0; at < searched; ++at)
      if (keys[at] == key) return static_cast<std::uint32_t>(at);
    keys.push_back(key);
    return static_cast<std::uint32_t>(keys.size() - 1);
  }

  // ---- in the order of the lines ----

  result<void> keep(const found_part& found, std::uint64_t bytes) {
    constexpr std::uint32_t unknown = ~std::uint32_t{0};
    std::vector<std::uint32_t> allocators(found.keys.size(), unknown);
    std::size_t at = 0;
    for (const found_piece& piece : found.pieces) {
      const line_to_read& line = lines_[piece.line];
      if (known_plane_ != line.plane) {
        known_.clear();
        known_plane_ = line.plane;
        std::fill(allocators.begin(), allocators.end(), unknown);
      }
      begin_piece(line, piece);
      for (const std::size_t end = at + piece.events; at < end; ++at) {
        const found_event& e = found.events[at];
        std::uint32_t& allocator = allocators[e.key];
        if (allocator == unknown) allocator = allocator_of(line, found.keys[e.key]);
        add_event(e, allocator);
      }
      if (piece.ends_line) end_line(piece.line);
    }
    return meter_.step(done_bytes_ += bytes);
  }

  void begin_piece(const line_to_read& line, const found_piece& piece) {
    if (piece.stretch.from == 0) {
      in_order_ = true;
      latest_offset_ps_ = std::numeric_limits<std::int64_t>::min();
      timestamp_ns_ = 0;
    }
    if (piece.any) {
      in_order_ = in_order_ && piece.in_order && piece.first_offset_ps >= latest_offset_ps_;
      latest_offset_ps_ = piece.last_offset_ps;
    }
    if (piece.timestamp_ns) timestamp_ns_ = *piece.timestamp_ns;
    stretches_.push_back(piece.stretch);
    if (!met_ && piece.events > 0) {
      met_ = true;
      out_.lines.push_back({line.plane, line.line, line.index->body, line.clock, line.header.timestamp_ns, true, {}});
    }
    if (piece.damage) {
      note_damage(out_.planes[line.plane].file, line.index->offset + *piece.damage);
      timestamp_ns_ = complete_header(*line.index).timestamp_ns;
    }
  }

  void add_event(const found_event& e, std::uint32_t at) {
    if (!e.has_time) ++out_.without_time;
    allocator_identity& allocator = out_.allocators[at];
    ++allocator.n_events;
    allocator.first_ps = std::min(allocator.first_ps, e.start_ps);
    allocator.last_ps = std::max(allocator.last_ps, e.start_ps);
    ++out_.n_events;
    out_.places.add({e.start_ps, static_cast<std::uint32_t>(out_.lines.size() - 1), e.offset}, at);
  }

  void end_line(std::size_t at) {
    if (met_) {
      out_.lines.back().in_order = in_order_;
      out_.lines.back().stretches = stretches_;
      if (timestamp_ns_ != lines_[at].header.timestamp_ns) misplaced_.emplace_back(at, timestamp_ns_);
    }
    met_ = false;
    stretches_.clear();
  }

  std::uint32_t allocator_of(const line_to_read& line, const allocator_key& key) {
    for (const auto& [known, at] : known_)
      if (known == key) return at;
    const allocator_plane& plane = out_.planes[line.plane];
    std::string name = key.text();
    const recording* const recorded = profile_.recorded(plane.file);
    const std::optional<std::string_view> named =
        recorded == nullptr ? std::nullopt : std::optional<std::string_view>(recorded->device_of_allocator(name));
    const bool is_host_memory = named ? named->empty() : is_host_allocator(name);
    // Two keys can have one text; what is shown as one allocator is one.
    std::optional<std::uint32_t> known = own_allocator(plane, name);
    // A file made of names alone must not make this quadratic: past so many, all others of a plane are one.
    const bool is_other = !known && (own_allocators(plane) >= max_keys || out_.allocators.size() >= max_allocators);
    if (is_other) {
      name = "(others)";
      known = own_allocator(plane, name);
    }
    if (!known) {
      known = static_cast<std::uint32_t>(out_.allocators.size());
      allocator_identity& fresh = out_.allocators.emplace_back();
      fresh.file = plane.file;
      fresh.plane = plane.plane;
      fresh.node = node_of_host(*plane.index);
      fresh.host = fresh.node ? merged_host_of(*plane.index) : host_of(plane.file);
      fresh.is_host_memory = is_host_memory;
      if (named) fresh.device = *named;
      else if (!is_other && !is_host_memory) fresh.device = device_of(devices_of(plane.file), fresh.node, name);
      fresh.name = std::move(name);
    }
    if (known_.size() < max_keys) known_.emplace_back(key, *known);
    return *known;
  }

  // Of the present plane, whose allocators are the last ones.
  [[nodiscard]] std::size_t own_allocators(const allocator_plane& plane) const noexcept {
    std::size_t n = 0;
    while (n < out_.allocators.size()) {
      const allocator_identity& a = out_.allocators[out_.allocators.size() - 1 - n];
      if (a.file != plane.file || a.plane != plane.plane) break;
      ++n;
    }
    return n;
  }
  [[nodiscard]] std::optional<std::uint32_t> own_allocator(const allocator_plane& plane, std::string_view name) const {
    for (std::size_t at = out_.allocators.size() - own_allocators(plane); at < out_.allocators.size(); ++at)
      if (out_.allocators[at].name == name) return static_cast<std::uint32_t>(at);
    return std::nullopt;
  }

  const devices_of_nodes& devices_of(std::uint32_t file) {
    if (!devices_ || devices_file_ != file) devices_.emplace(*profile_.xspace(file));
    devices_file_ = file;
    return *devices_;
  }

  [[nodiscard]] std::string host_of(std::uint32_t file) const {
    const std::string& host = profile_.what().files[file].host;
    const auto& names = profile_.allocations(file)->hostnames;
    return host.empty() && !names.empty() ? std::string(names.front()) : host;
  }

  void note_damage(std::size_t file, std::uint64_t offset) {
    for (const file_damage& d : out_.damage)
      if (d.file == file) return;
    fault f;
    f.code = fault_code::damaged;
    f.path = profile_.what().files[file].path;
    f.byte_offset = offset;
    f.message = "an event of /host:CPU breaks the protobuf format at byte " + std::to_string(offset);
    f.hint = "later allocator events are lost";
    out_.damage.push_back({static_cast<std::uint32_t>(file), std::move(f)});
  }

  const profile& profile_;
  const std::string& host_filter_;
  const hooks& host_;
  progress_meter meter_;
  std::uint64_t done_bytes_ = 0;
  std::vector<line_to_read> lines_;
  collected_events out_;

  std::uint32_t known_plane_ = 0;
  std::vector<std::pair<allocator_key, std::uint32_t>> known_;  // of the present plane
  std::optional<devices_of_nodes> devices_;
  std::uint32_t devices_file_ = 0;
  // Of the present line.
  std::vector<line_stretch> stretches_;
  std::int64_t latest_offset_ps_ = 0, timestamp_ns_ = 0;
  bool in_order_ = true;
  bool met_ = false;  // an allocator event
  // Lines whose timestamp is another than what came before their events.
  std::vector<std::pair<std::size_t, std::int64_t>> misplaced_;
};

}  // namespace

collected_events collect_allocator_events(const profile& p, const std::string& host_filter, const hooks& host) {
  collector c(p, host_filter, host);
  for (std::size_t file = 0; file < p.file_count(); ++file) c.add_file(file);
  return c.take();
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
