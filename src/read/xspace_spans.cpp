#include <read/line_pieces.hpp>
#include <read/xspace_spans.hpp>

#include <base/progress.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t batch = 256;

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
result<std::optional<std::uint64_t>> visit_piece(const xspace_spans::thread_line& on, std::uint64_t from,
                                                 std::uint64_t to, interval_sequence windows, wanted_names& wanted,
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

}  // namespace

result<void> xspace_spans::visit(std::int64_t from_ps, std::int64_t to_ps, host_span_visitor& into,
                                 const hooks& host) const {
  const interval all{from_ps, to_ps};
  auto seen = visit_in({&all, 1}, into, host);
  if (!seen) return std::move(seen).error();
  return {};
}

result<std::uint32_t> xspace_spans::visit_in(interval_sequence windows, host_span_visitor& into,
                                             const hooks& host) const {
  progress_meter meter(host);
  span_batch spans(into);
  std::uint32_t kinds = 0;
  std::uint64_t bytes = 0;
  wanted_names wanted(into);
  for (const thread_line& on : lines) {
    const std::uint64_t size = on.line.body.size();
    if (wanted.look_at(*on.names))
      if (auto taken = visit_piece(on, 0, size, windows, wanted, spans, kinds); !taken) return std::move(taken).error();
    bytes += size;
    if (result<void> stepped = meter.step(bytes); !stepped) return std::move(stepped).error();
  }
  if (result<void> given = spans.give(); !given) return std::move(given).error();
  return kinds;
}

result<std::uint32_t> xspace_spans::visit_in_parts(interval_sequence windows, host_span_parts& into,
                                                   const hooks& host) const {
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

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
