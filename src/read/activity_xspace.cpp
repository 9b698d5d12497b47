// The activity of XSpace files: kernels of a device from its op and stream lines, merged by start while they are
// decoded; host spans from the host's threads; step windows from Steps, else XLA Modules, else host events with a
// step_num. Nothing of an event is kept, so the size of a file does not matter.
#include <read/activity_parts.hpp>
#include <read/line_pieces.hpp>
#include <read/line_time.hpp>
#include <read/plane_node.hpp>
#include <read/xspace_index.hpp>
#include <read/xspace_lines.hpp>
#include <read/xspace_names.hpp>

#include <base/hash_map.hpp>
#include <base/progress.hpp>
#include <base/thread_pool.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Launches by correlation id; where a file has more of them, what comes last does without.
using launch_map = hash_map<std::uint64_t, std::int64_t>;
constexpr std::size_t most_launches = std::size_t{1} << 21;
constexpr std::size_t batch = 256;

// The whole number that a stat of this id has; of several the last.
[[gnu::noinline]] std::optional<std::uint64_t> number_in(std::string_view stats, std::int64_t stat_id) noexcept {
  std::optional<std::uint64_t> found;
  for (const stat_view stat : message_range<stat_view, 4>(stats))
    if (stat.metadata_id() == stat_id &&
        (stat.kind() == stat_kind::uint64_value || stat.kind() == stat_kind::int64_value))
      found = stat.as_uint64();
  return found;
}

// Reads a stat, behind its id, that is one value as writers write it, with nothing behind it. False when it is not.
inline bool is_one_value(const unsigned char* at, const unsigned char* end,
                         std::optional<std::uint64_t>& number) noexcept {
  if (at == end) return true;
  const unsigned char tag = *at++;
  const std::ptrdiff_t bytes = end - at;
  switch (tag) {
    case 0x11: return bytes == 8;  // double
    case 0x18:
    case 0x20:
    case 0x38: {  // whole numbers, references
      if (bytes == 0 || bytes > 9) return false;
      std::uint64_t value = 0;
      unsigned shift = 0;
      for (; *at >= 0x80; shift += 7) {
        value |= std::uint64_t{*at & 0x7fU} << shift;
        if (++at == end) return false;
      }
      if (at + 1 != end) return false;
      if (tag != 0x38) number = value | std::uint64_t{*at} << shift;
      return true;
    }
    case 0x2a:
    case 0x32: return bytes > 0 && *at < 0x80 && bytes == 1 + *at;  // texts
    default: return false;
  }
}

// The same as number_in() for stats such as writers write them; false when they are not.
bool find_usual_number(const char* stats, std::uint32_t bytes, std::int64_t stat_id,
                       std::optional<std::uint64_t>& found) noexcept {
  constexpr unsigned char stat_tag = 0x22, id_tag = 0x08;
  const auto* at = reinterpret_cast<const unsigned char*>(stats);
  const auto* const end = at + bytes;
  while (end - at >= 5) {
    const unsigned length = at[1];
    if (at[0] != stat_tag || length >= 0x80 || length < 3 || length > end - at - 2 || at[2] != id_tag) return false;
    const unsigned char* const stat_end = at + 2 + length;
    unsigned id = at[3];
    at += 4;
    if (id >= 0x80) {
      if (*at >= 0x80) return false;
      id = (id & 0x7fU) | static_cast<unsigned>(*at++) << 7;
    }
    std::optional<std::uint64_t> number;
    if (!is_one_value(at, stat_end, number)) return false;
    if (id == stat_id && number) found = number;
    at = stat_end;
  }
  return at == end;
}

// False when no stat can have this id, a small one: nowhere stands the tag of an id with it behind, nor the beginning
// of a tag in more bytes than it needs. Looks at 16 pairs of bytes at a time.
inline bool may_have_small_id(const char* stats, std::uint32_t bytes, unsigned char id) noexcept {
#if defined(__GNUC__)
  typedef unsigned char sixteen __attribute__((vector_size(16)));
  const sixteen seven_bits = sixteen{} + std::uint8_t{0x7f}, tag = sixteen{} + std::uint8_t{0x08},
                long_tag = sixteen{} + std::uint8_t{0x88}, ids = sixteen{} + id, none = {};
  for (const char* const end = stats + bytes; end - stats >= 2; stats += 16) {
    sixteen first, second;
    if (PROFKIT_LIKELY(end - stats > 16)) {
      std::memcpy(&first, stats, 16);
      std::memcpy(&second, stats + 1, 16);
    } else {
      unsigned char rest[17] = {};
      std::memcpy(rest, stats, static_cast<std::size_t>(end - stats));
      std::memcpy(&first, rest, 16);
      std::memcpy(&second, rest + 1, 16);
    }
    const sixteen low = second & seven_bits;
    const sixteen hits = ((first == tag) & (low == ids)) | ((first == long_tag) & (low == none));
    std::uint64_t halves[2];
    std::memcpy(halves, &hits, 16);
    if ((halves[0] | halves[1]) != 0) return true;
  }
  return false;
#else
  static_cast<void>(stats);
  static_cast<void>(bytes);
  static_cast<void>(id);
  return true;
#endif
}

inline std::optional<std::uint64_t> number_of(const char* stats, std::uint32_t bytes, std::int64_t stat_id) noexcept {
  std::optional<std::uint64_t> found;
  if (stat_id > 0 && stat_id < 0x80 && !may_have_small_id(stats, bytes, static_cast<unsigned char>(stat_id)))
    return found;
  if (bytes == 0 || find_usual_number(stats, bytes, stat_id, found)) return found;
  return number_in(std::string_view(stats, bytes), stat_id);
}

std::int64_t stream_id_of(const line_index& line) noexcept {
  constexpr std::string_view prefix("Stream #");
  const std::string_view name = line.name();
  std::int64_t id = line.header.id;
  if (name.substr(0, prefix.size()) == prefix)
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), id);
  return id;
}

[[gnu::cold, gnu::noinline]] fault damaged_event(const std::string& path, std::uint64_t byte_offset) {
  return {fault_code::damaged,
          "damaged event at byte " + std::to_string(byte_offset) + "; the events before it were read", path,
          byte_offset, ""};
}

// The kernels of one plane.
class xspace_kernels final : public kernel_source {
 public:
  std::shared_ptr<const profile> from;
  std::vector<line_events> lines;  // one a stream, in the order of the streams
  std::shared_ptr<const kernel_names> names;
  std::optional<std::int64_t> correlation_stat;
  std::shared_ptr<const launch_map> launches;

  result<void> visit(kernel_visitor& into, const hooks& host) const override {
    if (lines.size() == 1 && lines[0].lateness_ps == 0) return visit_line(into, host);
    progress_meter meter(host);
    std::vector<ordered_events> cursors;
    cursors.reserve(lines.size());
    for (const line_events& line : lines) cursors.emplace_back(line);
    // A heap of the lines by their next event.
    const auto later = [&](std::size_t a, std::size_t b) { return cursors[b].front() < cursors[a].front(); };
    std::vector<std::size_t> heap;
    for (std::size_t i = 0; i < cursors.size(); ++i)
      if (!cursors[i].done()) heap.push_back(i);
    std::make_heap(heap.begin(), heap.end(), later);
    std::array<kernel_row, batch> rows;
    std::size_t count = 0;
    std::uint64_t decoded = 0;
    while (!heap.empty()) {
      const std::size_t line = heap.front();
      // While one line is ahead of all others nothing has to be sifted.
      const std::size_t second = heap.size() < 2                                                           ? line
                                 : heap.size() == 2 || cursors[heap[1]].front() < cursors[heap[2]].front() ? heap[1]
                                                                                                           : heap[2];
      do {
        fill(rows[count++], cursors[line].front(), lines[line], static_cast<std::uint16_t>(line));
        cursors[line].pop();
        if (count == rows.size()) {
          if (result<void> taken = into.rows(rows.data(), count); !taken) return taken;
          count = 0;
          decoded += rows.size();
          if (result<void> stepped = meter.step(decoded); !stepped) return stepped;
        }
      } while (!cursors[line].done() && (second == line || !(cursors[second].front() < cursors[line].front())));
      std::pop_heap(heap.begin(), heap.end(), later);
      if (cursors[line].done())
        heap.pop_back();
      else
        std::push_heap(heap.begin(), heap.end(), later);
    }
    return count == 0 ? result<void>() : into.rows(rows.data(), count);
  }

 private:
  // The only line, which is in order. Of events that start together the shorter one comes first.
  result<void> visit_line(kernel_visitor& into, const hooks& host) const {
    progress_meter meter(host);
    const line_events& line = lines[0];
    const auto shorter = [](const kernel_row& a, const kernel_row& b) {
      return a.duration_ps != b.duration_ps ? a.duration_ps < b.duration_ps : a.source_row < b.source_row;
    };
    std::array<event_row, batch> events;
    std::vector<kernel_row> rows(batch);
    event_rejects rejects;
    event_scanner scan(line.body);
    std::uint64_t offset = 0, decoded = 0;
    std::size_t held = 0;  // rows that start together with what may come
    while (const std::size_t count = scan.next(events.data(), events.size())) {
      if (rows.size() < held + count) rows.resize(2 * rows.size());
      std::size_t filled = held, together = 0;  // where the rows begin that start together with the last one
      bool sorted = held < 2;
      for (std::size_t i = 0; i < count; ++i) {
        spanned_event e;
        e.offset = offset;
        offset = static_cast<std::uint64_t>(events[i].stats + events[i].stats_bytes - line.body.data());
        if (!place_event(events[i], line.base_ps, e.start_ps, e.end_ps, rejects)) continue;
        e.metadata_id = events[i].metadata_id;
        e.stats = events[i].stats;
        e.stats_bytes = events[i].stats_bytes;
        fill(rows[filled], e, line, 0);
        if (filled > 0 && rows[filled - 1].start_ps == e.start_ps) {
          sorted = false;
        } else {
          if (!sorted) std::sort(at(rows, together), at(rows, filled), shorter);
          together = filled;
          sorted = true;
        }
        ++filled;
      }
      if (result<void> taken = give(into, rows.data(), together); !taken) return taken;
      std::copy(at(rows, together), at(rows, filled), rows.begin());
      held = filled - together;
      decoded += count;
      if (result<void> stepped = meter.step(decoded); !stepped) return stepped;
    }
    std::sort(rows.begin(), at(rows, held), shorter);
    return give(into, rows.data(), held);
  }
  static std::vector<kernel_row>::iterator at(std::vector<kernel_row>& rows, std::size_t i) {
    return rows.begin() + static_cast<std::ptrdiff_t>(i);
  }
  static result<void> give(kernel_visitor& into, const kernel_row* rows, std::size_t count) {
    return count == 0 ? result<void>() : into.rows(rows, count);
  }

  void fill(kernel_row& k, const spanned_event& e, const line_events& line, std::uint16_t stream) const {
    k.start_ps = e.start_ps;
    k.duration_ps = e.end_ps - e.start_ps;
    k.wait_ps = k.launch_ps = no_time_ps;
    k.source_row = line.offset + e.offset;
    k.core = k.step = 0;
    k.details = 0;
    const kernel_name& named = names->find(e.metadata_id);
    k.name = named.name;
    k.op_type = named.op_type;
    k.kind = line.kind == line_kind::async && named.kind != kernel_class::comm ? kernel_class::copy : named.kind;
    k.stream = stream;
    k.flags = kernel_has_stream;
    if (!correlation_stat || launches == nullptr) return;
    if (const auto id = number_of(e.stats, e.stats_bytes, *correlation_stat))
      if (const auto at = launches->find(*id); at != launches->end()) k.launch_ps = at->second;
  }
};

// The threads of the hosts of one file.
class xspace_host_spans final : public host_span_source {
 public:
  struct thread_line {
    line_events line;
    std::uint32_t thread = 0;
    std::shared_ptr<const span_names> names;  // of its plane
  };
  std::shared_ptr<const profile> from;
  std::uint32_t file = 0;
  std::vector<thread_line> lines;

  result<void> visit(std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& into,
                     const hooks& host) const override {
    const interval all{from_ps, to_ps};
    auto seen = visit_in({&all, 1}, into, host);
    if (!seen) return std::move(seen).error();
    return {};
  }

  result<std::uint32_t> visit_in(interval_sequence windows, host_span_visitor& into, const hooks& host) const override {
    progress_meter meter(host);
    span_batch spans(into);
    std::uint32_t kinds = 0;
    std::uint64_t bytes = 0;
    wanted_names wanted(into);
    for (const thread_line& on : lines) {
      const std::uint64_t size = on.line.body.size();
      if (wanted.look_at(*on.names))
        if (auto taken = visit_piece(on, 0, size, windows, wanted, spans, kinds); !taken)
          return std::move(taken).error();
      bytes += size;
      if (result<void> stepped = meter.step(bytes); !stepped) return std::move(stepped).error();
    }
    if (result<void> given = spans.give(); !given) return std::move(given).error();
    return kinds;
  }

  result<std::uint32_t> visit_in_parts(interval_sequence windows, host_span_parts& into,
                                       const hooks& host) const override {
    struct found_part {
      std::unique_ptr<host_span_visitor> visitor;
      std::uint32_t kinds = 0;
      std::optional<std::uint64_t> damage;  // where in the file
    };
    progress_meter meter(host);
    std::atomic<std::uint32_t> kinds{0};  // of the parts that were taken: the others need not look for them
    std::uint64_t bytes = 0;
    std::vector<std::string_view> bodies;
    for (const thread_line& on : lines) bodies.push_back(on.line.body);
    const auto read = [&](const line_piece& piece, found_part& part) -> result<bool> {
      span_batch spans(*part.visitor);
      wanted_names wanted(*part.visitor);
      const thread_line& on = lines[piece.line];
      if (!wanted.look_at(*on.names)) return true;
      part.kinds |= kinds.load(std::memory_order_relaxed);
      auto damage = visit_piece(on, piece.from, piece.to, windows, wanted, spans, part.kinds);
      if (!damage) return std::move(damage).error();
      if (*damage && !part.damage) part.damage = on.line.offset + piece.from + **damage;
      if (result<void> given = spans.give(); !given) return std::move(given).error();
      return !*damage;
    };
    const auto keep = [&](found_part part, std::uint64_t of_part) -> result<void> {
      kinds |= part.kinds;
      bytes += of_part;
      if (result<void> stepped = meter.step(bytes); !stepped) return stepped;
      if (part.damage) into.note_damage(file, damaged_event(from->what().files[file].path, *part.damage));
      return into.keep(std::move(part.visitor));
    };
    auto visited = read_line_parts<found_part>(
        bodies, cut_lines(bodies), host,
        [&] {
          return found_part{into.begin(), 0, {}};
        },
        read, keep);
    if (!visited) return std::move(visited).error();
    return kinds.load();
  }

 private:
  class span_batch {
   public:
    explicit span_batch(host_span_visitor& into) : into_(into) {}
    host_span& next() noexcept { return spans_[count_++]; }
    [[nodiscard]] bool full() const noexcept { return count_ == spans_.size(); }
    result<void> give() {
      const std::size_t given = std::exchange(count_, 0);
      return given == 0 ? result<void>() : into_.spans(spans_.data(), given);
    }

   private:
    host_span_visitor& into_;
    std::array<host_span, batch> spans_;
    std::size_t count_ = 0;
  };

  // Which names of a plane the visitor wants; asked once a plane.
  class wanted_names {
   public:
    explicit wanted_names(host_span_visitor& visitor) : visitor_(visitor) {}
    // False when it wants none.
    bool look_at(const span_names& names) {
      if (&names == looked_at_) return any_;
      looked_at_ = &names;
      any_ = false;
      all_ = true;
      possible_kinds_ = 0;
      names.for_each([&](const span_name& n) {
        const bool wants = visitor_.wants(n.name);
        any_ = any_ || wants;
        all_ = all_ && wants;
        possible_kinds_ |= 1U << static_cast<unsigned>(n.kind);
      });
      return any_;
    }
    [[nodiscard]] bool has(string_id name) { return all_ || visitor_.wants(name); }
    [[nodiscard]] std::uint32_t possible_kinds() const noexcept { return possible_kinds_; }

   private:
    host_span_visitor& visitor_;
    const span_names* looked_at_ = nullptr;
    bool any_ = false, all_ = true;
    std::uint32_t possible_kinds_ = 0;
  };

  // Which events of a line touch one of some windows, of which there is one at least.
  class touching_events {
   public:
    touching_events(interval_sequence windows, std::int64_t base_ps) noexcept
        : windows_(windows), base_ps_(base_ps), near_base_(base_ps > -far_ps && base_ps < far_ps) {
      move_to(windows.begin());
    }
    // Puts the places of those among the rows into `found`, which has room for all; gives how many they are.
    std::size_t find(const event_row* rows, std::size_t count, std::uint8_t* found) noexcept {
      std::size_t touching = 0;
      for (std::size_t i = 0; i < count; ++i) {
        std::int64_t start_ps = 0, end_ps = 0;
        if (!place(rows[i], start_ps, end_ps)) continue;
        if (start_ps >= end_ps_ || start_ps < before_ps_) {
          if (start_ps >= windows_.data[windows_.count - 1].end_ps) continue;
          seek(start_ps);
        }
        found[touching] = static_cast<std::uint8_t>(i);
        touching += start_ps_ < end_ps && end_ps > start_ps ? 1 : 0;
      }
      return touching;
    }
    // Between the beginning of the first window and the end of the last.
    [[nodiscard]] bool is_between(const event_row& row) const noexcept {
      std::int64_t start_ps = 0, end_ps = 0;
      return place(row, start_ps, end_ps) && end_ps > start_ps && start_ps < windows_.data[windows_.count - 1].end_ps &&
             end_ps > windows_.data[0].start_ps;
    }

   private:
    static constexpr std::int64_t far_ps = std::int64_t{1} << 61;

    bool place(const event_row& row, std::int64_t& start_ps, std::int64_t& end_ps) const noexcept {
      const auto lengths = static_cast<std::uint64_t>(row.offset_ps) | static_cast<std::uint64_t>(row.duration_ps);
      if (PROFKIT_LIKELY(near_base_ && lengths < static_cast<std::uint64_t>(far_ps) &&
                         (row.flags & event_has_occurrences) == 0)) {
        start_ps = base_ps_ + row.offset_ps;
        end_ps = start_ps + row.duration_ps;
        return true;
      }
      return (row.flags & event_has_occurrences) == 0 && row.duration_ps > 0 &&
             !__builtin_add_overflow(base_ps_, row.offset_ps, &start_ps) &&
             !__builtin_add_overflow(start_ps, row.duration_ps, &end_ps);
    }
    void seek(std::int64_t start_ps) noexcept {
      const interval* at = window_;
      if (start_ps < before_ps_)
        at = std::partition_point(windows_.begin(), windows_.end(),
                                  [&](const interval& w) { return w.end_ps <= start_ps; });
      while (at->end_ps <= start_ps) ++at;
      move_to(at);
    }
    void move_to(const interval* at) noexcept {
      window_ = at;
      start_ps_ = at->start_ps;
      end_ps_ = at->end_ps;
      before_ps_ = at == windows_.begin() ? std::numeric_limits<std::int64_t>::min() : at[-1].end_ps;
    }

    const interval_sequence windows_;
    const std::int64_t base_ps_;
    const bool near_base_;              // no usual event overflows
    const interval* window_ = nullptr;  // the first that ends behind the start of the event looked at last
    std::int64_t start_ps_ = 0, end_ps_ = 0;
    std::int64_t before_ps_ = 0;  // where the window in front of it ends
  };

  // Where in the piece the first damaged event lies, or one that does not end where the piece ends.
  static result<std::optional<std::uint64_t>> visit_piece(const thread_line& on, std::uint64_t from, std::uint64_t to,
                                                          interval_sequence windows, wanted_names& wanted,
                                                          span_batch& into, std::uint32_t& kinds) {
    touching_events touching(windows, on.line.base_ps);
    const char* event_at = on.line.body.data() + from;
    event_scanner scan(std::string_view(event_at, static_cast<std::size_t>(to - from)));
    std::array<event_row, 128> rows;
    std::array<std::uint8_t, 128> found;
    while (const std::size_t count = scan.next(rows.data(), rows.size())) {
      if ((wanted.possible_kinds() & ~kinds) != 0)
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint32_t kind = 1U << static_cast<unsigned>(on.names->find(rows[i].metadata_id).kind);
          if ((kind & ~kinds) != 0 && touching.is_between(rows[i])) kinds |= kind;
        }
      const std::size_t spans = touching.find(rows.data(), count, found.data());
      for (std::size_t at = 0; at < spans; ++at) {
        const std::size_t i = found[at];
        const event_row& row = rows[i];
        const span_name& named = on.names->find(row.metadata_id);
        if (!wanted.has(named.name)) continue;
        const char* const began = i == 0 ? event_at : rows[i - 1].stats + rows[i - 1].stats_bytes;
        host_span& s = into.next();
        s.start_ps = on.line.base_ps + row.offset_ps;
        s.duration_ps = row.duration_ps;
        s.source_row = on.line.offset + static_cast<std::uint64_t>(began - on.line.body.data());
        s.name = named.name;
        s.thread = on.thread;
        s.kind = named.kind;
        if (!into.full()) continue;
        if (result<void> given = into.give(); !given) return std::move(given).error();
      }
      event_at = rows[count - 1].stats + rows[count - 1].stats_bytes;
    }
    return scan.ok() ? std::nullopt : std::optional<std::uint64_t>(scan.offset());
  }
};

// Which lines and planes are of kernels.
bool carries_kernels(const line_index& line) noexcept {
  return (line.kind == line_kind::ops || line.kind == line_kind::async || line.kind == line_kind::stream) &&
         !message_range<std::string_view, 4>(line.body).empty();
}
bool runs_kernels(const plane_index& plane) noexcept {
  return plane.kind == plane_kind::device && std::any_of(plane.lines.begin(), plane.lines.end(), carries_kernels);
}

// The planes of one node in a file: what was not merged is of one node.
struct node_planes {
  std::optional<std::int64_t> node;
  std::vector<const plane_index*> hosts;
  std::vector<std::size_t> devices;  // that run kernels
};

[[gnu::cold]] std::vector<node_planes> planes_by_node(const xspace_index& space) {
  std::vector<node_planes> nodes;
  hash_map<std::int64_t, std::size_t> known;
  for (std::size_t at = 0; at < space.planes.size(); ++at) {
    const plane_index& plane = space.planes[at];
    const bool device = runs_kernels(plane);
    if (!device && plane.kind != plane_kind::host) continue;
    const std::optional<std::int64_t> node = node_of(plane);
    const auto [found, is_new] = known.try_emplace(node.value_or(-1), nodes.size());
    if (is_new) nodes.push_back({node, {}, {}});
    if (device)
      nodes[found->second].devices.push_back(at);
    else
      nodes[found->second].hosts.push_back(&plane);
  }
  return nodes;
}

// Of the devices of one node, and of its host.
class node_filler {
 public:
  // What is told of the file goes into `input` and `rejects`.
  node_filler(activity_parts& into, std::size_t file, const node_planes& planes, std::size_t steps_of_device,
              std::size_t& launches_left, activity_input& input, event_rejects& rejects)
      : into_(into),
        file_(file),
        space_(*into.from->xspace(file)),
        path_(into.from->what().files[file].path),
        input_(input),
        rejects_(rejects),
        steps_of_device_(steps_of_device),
        launches_left_(launches_left),
        hosts_(planes.hosts),
        devices_(planes.devices) {}

  result<void> fill() {
    group_ = into_.add_host_group();
    list_host();
    const bool devices_may_tell = std::any_of(devices_.begin(), devices_.end(), [&](std::size_t plane) {
      return !step_lines_of(space_.planes[plane]).lines.empty();
    });
    if (result<void> looked = look_at_host(true, !devices_may_tell); !looked) return looked;
    if (result<void> looked = look_at_devices(); !looked) return looked;
    for (std::size_t i = 0; i < devices_.size(); ++i) add_device(i);
    if (!device_steps_ && devices_may_tell)
      if (result<void> looked = look_at_host(false, true); !looked) return looked;
    if (!device_steps_) add_host_steps();
    return {};
  }

 private:
  // Nothing when the line lies out of reach, which the file's fault tells.
  std::optional<line_events> events_of(const line_index& line) const {
    const auto base = line_base_ps(*into_.from, file_, line);
    if (!base) return std::nullopt;
    line_events e;
    e.body = line.body;
    e.offset = line.offset;
    e.base_ps = *base;
    e.kind = line.kind;
    return e;
  }

  void note_damage(const line_events& line, const first_look& facts) {
    if (!facts.damage || input_.damage) return;
    input_.damage = damaged_event(path_, line.offset + *facts.damage);
  }

  // A line of a device, and what a first look at it told.
  struct looked_at {
    const line_index* line = nullptr;
    line_events events;
    first_look facts;
  };

  result<void> look_at_devices() {
    std::vector<looked_at*> all;
    for (const std::size_t plane : devices_) {
      std::vector<looked_at>& lines = device_lines_.emplace_back();
      for (const line_index& line : space_.planes[plane].lines) {
        if (!carries_kernels(line) || lines.size() == most_streams) continue;
        if (const auto events = events_of(line)) lines.push_back({&line, *events, {}});
      }
    }
    for (std::vector<looked_at>& lines : device_lines_)
      for (looked_at& line : lines) all.push_back(&line);
    return for_each_item(all.size(), into_.host, [&](std::size_t i) -> result<void> {
      all[i]->facts = look_at_line(all[i]->events);
      return {};
    });
  }

  void add_device(std::size_t device_at) {
    const std::size_t plane_at = devices_[device_at];
    const plane_index& plane = space_.planes[plane_at];
    auto source = std::make_unique<xspace_kernels>();
    source->from = into_.from;
    activity_device d;
    d.file = static_cast<std::uint32_t>(file_);
    d.plane = static_cast<std::int32_t>(plane_at);
    d.ordinal = plane.device;
    d.host_group = group_;
    d.name = into_.strings.intern(plane.name);
    const bool is_tpu = plane.name.find("TPU") != std::string_view::npos;
    const bool is_gpu = plane.name.find("GPU") != std::string_view::npos;
    d.type = is_tpu ? accelerator::tpu : is_gpu ? accelerator::gpu : accelerator::other;
    d.timestamp_resolution_ps = is_tpu ? 1 : 1000;
    for (looked_at& line : device_lines_[device_at]) {
      line.events.lateness_ps = line.facts.lateness_ps;
      note_damage(line.events, line.facts);
      rejects_.add(line.facts.rejects);
      input_.rows += line.facts.events;
      d.kernels += line.facts.events;
      d.streams.push_back({stream_id_of(*line.line), into_.strings.intern(line.line->name())});
      source->lines.push_back(line.events);
    }
    source->names = std::make_shared<const kernel_names>(plane, into_.strings);
    source->correlation_stat = plane.stat_id("correlation_id");
    if (source->correlation_stat && launches_ != nullptr && !launches_->empty()) {
      source->launches = launches_;
      d.has_launches = true;
    }
    const std::int32_t device = into_.add_device(std::move(d), std::move(source));
    if (device >= 0) into_.devices[static_cast<std::size_t>(device)].steps_cut = add_device_steps(plane, device);
  }

  // Lines of a kind; "Sparse Core Steps" and the like only where the core's own line is missing.
  static std::vector<const line_index*> lines_of(const plane_index& plane, line_kind kind, std::string_view own) {
    std::vector<const line_index*> named, others;
    for (const line_index& line : plane.lines) {
      if (line.kind != kind || message_range<std::string_view, 4>(line.body).empty()) continue;
      (line.name() == own ? named : others).push_back(&line);
    }
    return named.empty() ? others : named;
  }
  struct step_lines {
    std::vector<const line_index*> lines;
    bool numbered = false;
  };
  static step_lines step_lines_of(const plane_index& plane) {
    step_lines found{lines_of(plane, line_kind::steps, "Steps"), true};
    if (found.lines.empty()) found = {lines_of(plane, line_kind::modules, "XLA Modules"), false};
    return found;
  }

  // True when there are more than are kept.
  bool add_device_steps(const plane_index& plane, std::int32_t device) {
    std::size_t room = steps_of_device_;
    const auto [lines, numbered] = step_lines_of(plane);
    const auto number_stat = plane.stat_id("step_num");
    for (const line_index* line : lines) {
      const std::optional<line_events> events = events_of(*line);
      if (!events) continue;
      raw_events rows(*events);
      for (spanned_event e; rows.next(e);) {
        // The program's name without its fingerprint.
        const std::string_view name = plane.event_name(e.metadata_id);
        const std::string_view shown = numbered ? name : name.substr(0, name.find('('));
        add_step(device, shown, e, marker_source::line, number_stat, numbered);
        device_steps_ = true;
        if (--room > 0) continue;
        input_.notes.push_back("only the first steps of " + std::string(plane.name) +
                               " are told apart: it has more of them than are kept");
        return true;
      }
      if (const auto damage = rows.damage(); damage && !input_.damage)
        input_.damage = damaged_event(path_, line->offset + *damage);
    }
    return false;
  }

  void add_step(std::int32_t device, std::string_view name, const spanned_event& e, marker_source source,
                std::optional<std::int64_t> number_stat, bool number_in_name) {
    step_marker m;
    m.host_group = group_;
    m.device = device;
    m.name = into_.strings.intern(name);
    m.start_ps = e.start_ps;
    m.end_ps = e.end_ps;
    m.source = source;
    if (number_stat) {
      if (const auto number = number_of(e.stats, e.stats_bytes, *number_stat); number && *number <= INT64_MAX)
        m.number = static_cast<std::int64_t>(*number);
    }
    if (m.number < 0 && number_in_name) {
      std::int64_t number = -1;
      const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
      if (read.ec == std::errc() && read.ptr == name.data() + name.size()) m.number = number;
    }
    into_.markers.push_back(m);
  }

  // A host plane, and the ids of what is looked for in its events.
  struct host_plane {
    const plane_index* plane = nullptr;
    std::optional<std::int64_t> correlation, step_number;
    hash_map<std::int64_t, std::optional<named_step>> step_names;
  };
  struct host_line {
    std::size_t plane = 0;  // in host_planes_
    line_events events;
  };
  struct host_step {
    std::size_t plane = 0;
    spanned_event event;
    const std::optional<named_step>* match = nullptr;  // by its name; null: by its number
  };

  // Threads of the host planes.
  [[gnu::cold]] void list_host() {
    auto source = std::make_unique<xspace_host_spans>();
    source->from = into_.from;
    source->file = static_cast<std::uint32_t>(file_);
    for (const plane_index* const plane : hosts_) {
      const auto names = std::make_shared<const span_names>(*plane, into_.strings);
      host_plane& of = host_planes_.emplace_back();
      of.plane = plane;
      of.correlation = plane->stat_id("correlation_id");
      of.step_number = plane->stat_id("step_num");
      for (const line_index& line : plane->lines) {
        if (line.kind != line_kind::thread) continue;
        const std::optional<line_events> events = events_of(line);
        if (!events) continue;
        source->lines.push_back({*events, into_.threads++, names});
        host_lines_.push_back({host_planes_.size() - 1, *events});
      }
    }
    if (!source->lines.empty()) into_.host_spans[group_] = std::move(source);
  }

  [[gnu::cold]] void match_step_names() {
    for (host_plane& of : host_planes_)
      for (const std::string_view entry : of.plane->event_metadata_entries) {
        const event_metadata_view metadata(entry);
        if (const auto match = into_.steps.match(metadata.name())) of.step_names[metadata.key()] = match;
      }
  }

  // When the host launched what; and host events with a step_num, and those with the name of a step.
  result<void> look_at_host(bool for_launches, bool for_steps) {
    struct found_part {
      std::vector<std::pair<std::uint64_t, std::int64_t>> launches;
      std::vector<host_step> steps;
      std::optional<std::uint64_t> damage;  // where in the file
    };
    std::vector<const host_line*> lines;
    std::vector<std::string_view> bodies;
    if (for_steps) match_step_names();
    for (const host_line& line : host_lines_) {
      const host_plane& plane = host_planes_[line.plane];
      if (!(for_launches && plane.correlation) && !(for_steps && (plane.step_number || !plane.step_names.empty())))
        continue;
      lines.push_back(&line);
      bodies.push_back(line.events.body);
    }
    auto launches = std::make_shared<launch_map>();
    std::atomic<bool> too_many{false};
    const auto read = [&](const line_piece& piece, found_part& part) -> result<bool> {
      const host_line& line = *lines[piece.line];
      const host_plane& plane = host_planes_[line.plane];
      const bool steps = for_steps && (plane.step_number || !plane.step_names.empty());
      line_events events = line.events;
      events.body =
          events.body.substr(static_cast<std::size_t>(piece.from), static_cast<std::size_t>(piece.to - piece.from));
      const bool any_name = !plane.step_names.empty();
      bool launch = for_launches && plane.correlation;
      event_rejects rejects;
      const auto damage =
          for_each_event(events, rejects, [&](const event_row& row, std::int64_t start_ps, std::int64_t end_ps) {
            if (row.stats_bytes == 0 && !(steps && any_name)) return true;
            launch = launch && !too_many.load(std::memory_order_relaxed);
            if (!launch && !steps) return false;
            if (launch)
              if (const auto id = number_of(row.stats, row.stats_bytes, *plane.correlation))
                part.launches.push_back({*id, start_ps});
            if (!steps) return true;
            const auto match = any_name ? plane.step_names.find(row.metadata_id) : plane.step_names.end();
            const bool named = match != plane.step_names.end();
            if (!named && !(plane.step_number && number_of(row.stats, row.stats_bytes, *plane.step_number)))
              return true;
            spanned_event e;
            e.start_ps = start_ps;
            e.end_ps = end_ps;
            e.metadata_id = row.metadata_id;
            e.stats = row.stats;
            e.stats_bytes = row.stats_bytes;
            part.steps.push_back({line.plane, e, named ? &match->second : nullptr});
            return true;
          });
      if (damage && !part.damage) part.damage = line.events.offset + piece.from + *damage;
      return !damage;
    };
    const auto keep = [&](found_part part, std::uint64_t) -> result<void> {
      if (part.damage && !input_.damage) input_.damage = damaged_event(path_, *part.damage);
      host_steps_.insert(host_steps_.end(), part.steps.begin(), part.steps.end());
      if (too_many) return {};
      for (const auto& [id, start_ps] : part.launches) {
        const auto [at, is_new] = launches->try_emplace(id, start_ps);
        if (!is_new) at->second = std::min(at->second, start_ps);
        if (launches->size() < launches_left_) continue;
        too_many = true;
        break;
      }
      return {};
    };
    auto looked = read_line_parts<found_part>(
        bodies, cut_lines(bodies), into_.host, [] { return found_part{}; }, read, keep);
    if (!looked || !for_launches) return looked;
    if (too_many) {
      launches->clear();
      input_.notes.push_back("there are more launches than are held: kernels are not connected with them");
    }
    launches_left_ -= launches->size();
    launches_ = std::move(launches);
    return {};
  }

  void add_host_steps() {
    for (const host_step& s : host_steps_) {
      const plane_index& plane = *host_planes_[s.plane].plane;
      add_step(-1, plane.event_name(s.event.metadata_id), s.event,
               s.match == nullptr ? marker_source::numbered_step : (*s.match)->source,
               host_planes_[s.plane].step_number, false);
      if (s.match != nullptr && into_.markers.back().number < 0) into_.markers.back().number = (*s.match)->number;
    }
  }

  static constexpr std::size_t most_streams = 65535;
  activity_parts& into_;
  const std::size_t file_;
  const xspace_index& space_;
  const std::string& path_;
  activity_input& input_;
  event_rejects& rejects_;
  const std::size_t steps_of_device_;
  std::size_t& launches_left_;  // of the file
  const std::vector<const plane_index*>& hosts_;
  const std::vector<std::size_t>& devices_;
  std::uint32_t group_ = 0;
  std::vector<std::vector<looked_at>> device_lines_;  // as devices_
  std::vector<host_plane> host_planes_;
  std::vector<host_line> host_lines_;
  std::vector<host_step> host_steps_;
  bool device_steps_ = false;
  std::shared_ptr<const launch_map> launches_;
};

result<void> fill_from_file(activity_parts& into, std::size_t file) {
  constexpr std::size_t most_steps = std::size_t{1} << 16, least_steps = 1024;  // of the file, of a device
  const xspace_index& space = *into.from->xspace(file);
  activity_input input;
  input.file = static_cast<std::uint32_t>(file);
  input.path = into.from->what().files[file].path;
  input.variant = "xspace";
  if (const fault* known = into.from->file_fault(file)) input.damage = *known;
  event_rejects rejects;
  const std::vector<node_planes> nodes = planes_by_node(space);
  std::size_t devices = 0, launches_left = most_launches;
  for (const node_planes& planes : nodes) devices += planes.devices.size();
  for (const node_planes& planes : nodes) {
    if (planes.devices.empty()) continue;
    node_filler filler(into, file, planes, std::max(most_steps / devices, least_steps), launches_left, input, rejects);
    if (result<void> filled = filler.fill(); !filled) return filled;
  }
  if (devices == 0) {
    input.why_empty =
        space.planes.empty()
            ? input.path + " has no planes"
            : "no device plane of " + input.path +
                  " has ops or kernel streams; what ran on the host's own processors is shown by `profkit ops`";
    input.notes.push_back(input.why_empty);
  }
  input.rejected = rejects.negative + rejects.aggregated + rejects.unplaced;
  const auto note = [&](const char* why, std::uint64_t count) {
    if (count > 0) input.reject_reasons.push_back({why, count});
  };
  note("negative duration", rejects.negative);
  note("aggregated: without a place in time", rejects.aggregated);
  note("more than 106 days from the origin", rejects.unplaced);
  into.inputs.push_back(std::move(input));
  return {};
}

}  // namespace

result<void> fill_activity_from_xspace(activity_parts& into) {
  for (std::size_t file = 0; file < into.from->file_count(); ++file) {
    if (into.from->xspace(file) == nullptr) continue;
    if (result<void> filled = fill_from_file(into, file); !filled) return filled;
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
