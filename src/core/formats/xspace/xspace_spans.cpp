#include <formats/xspace/line_pieces.hpp>
#include <formats/xspace/xspace_spans.hpp>

#include <base/progress.hpp>

#include <atomic>
#include <optional>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

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
  span_picker picker(windows, into);
  std::uint32_t kinds = 0;
  std::uint64_t bytes = 0;
  for (const thread_line& on : lines) {
    const std::uint64_t size = on.line.body.size();
    if (auto picked = picker.pick(on, 0, size, kinds); !picked) return std::move(picked).error();
    bytes += size;
    if (result<void> stepped = meter.step(bytes); !stepped) return std::move(stepped).error();
  }
  if (result<void> given = picker.give(); !given) return std::move(given).error();
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
    span_picker picker(windows, *part.visitor);
    const thread_line& on = lines[piece.line];
    part.kinds |= kinds.load(std::memory_order_relaxed);
    auto damage = picker.pick(on, piece.from, piece.to, part.kinds);
    if (!damage) return std::move(damage).error();
    if (*damage && !part.damage) part.damage = on.line.offset + piece.from + **damage;
    if (result<void> given = picker.give(); !given) return std::move(given).error();
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
