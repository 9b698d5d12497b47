#include "shown_lines.hpp"

#include <profkit/time.hpp>

#include "base/affix.hpp"
#include "base/hash_map.hpp"
#include "base/progress.hpp"
#include "process_titles.hpp"
#include "trace/line_batches.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

bool before_in_time(const placed_event& a, const placed_event& b) noexcept {
  return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
}

// The events of one line of an XSpace.
class line_walk {
 public:
  line_walk(const trace_job& job, std::size_t file, const plane_index& plane, const line_index& line,
            const line_header& header, const event_filter& filter, progress_meter& progress)
      : job_(job), file_(file), plane_(plane), line_(line), filter_(filter), clock_(job.p, file, line, header), progress_(progress) {}

  // Hands the events that the filter keeps to `use(const placed_event*, count)`, a result<void>, in the order of time.
  template <class Use>
  result<void> in_time_order(Use&& use) {
    if (filter_.keeps_none()) return {};
    bool sorted = true;
    placed_event last{std::numeric_limits<std::int64_t>::min(), 0, 0, nullptr, 0, track_event_kind::span};
    result<void> looked = in_file_order(
        [&](const placed_event* events, std::size_t count) -> result<void> {
          for (std::size_t i = 0; sorted && i < count; ++i) {
            sorted = !before_in_time(events[i], last);
            last = events[i];
          }
          return {};
        },
        &sorted);
    if (!looked) return looked;
    if (sorted) return in_file_order(use);
    std::vector<placed_event> all;
    looked = in_file_order([&](const placed_event* events, std::size_t count) -> result<void> {
      all.insert(all.end(), events, events + count);
      return {};
    });
    if (!looked) return looked;
    std::stable_sort(all.begin(), all.end(), before_in_time);
    for (std::size_t at = 0; at < all.size(); at += max_batch_events) {
      if (result<void> used = use(all.data() + at, std::min(max_batch_events, all.size() - at)); !used) return used;
    }
    return {};
  }

 private:
  // With `go_on` it only looks: nothing is counted, and it ends when *go_on is false.
  template <class Use>
  result<void> in_file_order(Use&& use, const bool* go_on = nullptr) {
    const bool keeps_all = filter_.keeps_all();
    std::uint64_t negative = 0, unplaced = 0, aggregated = 0, out_of_reach = 0;
    result<void> used;
    const line_end end = for_each_batch(line_, [&](const event_row* rows, std::size_t count, std::uint64_t offset) {
      used = progress_.step(line_.offset + offset);
      std::size_t kept = 0;
      for (const event_row* row = rows; row != rows + count; ++row) {
        const auto start = clock_.start_of(*row);
        if (!keeps_all && !filter_.keeps(*row, start)) continue;
        if (!start) {
          const bool is_aggregated = (row->flags & event_has_occurrences) != 0;
          ++(is_aggregated ? aggregated : out_of_reach);
          unplaced += !is_aggregated && clock_.base_ps() ? 1 : 0;
          continue;
        }
        negative += row->duration_ps < 0 ? 1 : 0;
        placed_[kept++] = {*start,     std::max<std::int64_t>(row->duration_ps, 0), row->metadata_id,
                           row->stats, row->stats_bytes,                            track_event_kind::span};
      }
      if (used && kept != 0) used = use(static_cast<const placed_event*>(placed_), kept);
      return used && (go_on == nullptr || *go_on);
    });
    if (!used || go_on != nullptr) return used;
    job_.outcome.aggregated_left_out += aggregated;
    job_.outcome.out_of_reach += out_of_reach;
    job_.damage.note_events(file_, plane_, line_, end, negative);
    if (unplaced != 0) job_.damage.note_line(file_, plane_, line_, 0, event_out_of_reach);
    return {};
  }

  const trace_job& job_;
  const std::size_t file_;
  const plane_index& plane_;
  const line_index& line_;
  const event_filter& filter_;
  const line_clock clock_;
  progress_meter& progress_;
  placed_event placed_[max_batch_events];
};

// Those of a node together, nodes in the order of their first planes.
std::vector<std::size_t> grouped_by_node(const xspace_index& space) {
  std::vector<std::pair<std::size_t, std::size_t>> order;
  hash_map<std::int64_t, std::size_t> places;
  for (std::size_t at = 0; at < space.planes.size(); ++at)
    order.emplace_back(places.try_emplace(node_of_host(space.planes[at]).value_or(-1), places.size()).first->second, at);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> planes;
  for (const auto& [place, at] : order) planes.push_back(at);
  return planes;
}

class plane_walk {
 public:
  plane_walk(const trace_job& job, std::size_t file, line_visitor& visitor)
      : job_(job), file_(file), visitor_(visitor), progress_(job.o.host, job.p.bytes(file).size()) {}

  result<void> run() {
    const xspace_index& space = *job_.p.xspace(file_);
    for (const std::size_t at : grouped_by_node(space)) {
      if (!job_.selected.plane(space.planes[at])) continue;
      if (result<void> walked = walk_plane(space.planes[at], job_.selected.events_of(file_, at)); !walked) return walked;
    }
    return {};
  }

 private:
  result<void> walk_plane(const plane_index& plane, const event_filter& filter) {
    bool begun = false;
    for (std::size_t i = 0; i < plane.lines.size(); ++i) {
      const line_index& index = plane.lines[i];
      if (!job_.selected.line(index)) continue;
      const line_header header = complete_header(index);
      bool any = false;
      const auto begin = [&]() -> result<void> {
        any = true;
        if (!std::exchange(begun, true))
          if (result<void> process = visitor_.begin_process(process_of(plane)); !process) return process;
        shown_line line;
        line.title = line.name = line_title(header);
        line.id = std::to_string(header.id);
        line.number = static_cast<std::uint32_t>(i + 1);
        line.order = line.number;
        line.is_counter = index.kind == line_kind::counter;
        return visitor_.begin_line(line);
      };
      const auto use = [&](const placed_event* events, std::size_t count) -> result<void> {
        if (!any)
          if (result<void> line = begin(); !line) return line;
        return visitor_.take(events, count);
      };
      line_walk walk(job_, file_, plane, index, header, filter, progress_);
      if (result<void> walked = walk.in_time_order(use); !walked) return walked;
      if (any)
        if (result<void> ended = visitor_.end_line(); !ended) return ended;
    }
    return {};
  }

  shown_process process_of(const plane_index& plane) const {
    return {file_, &plane, process_name(job_.p, file_, plane, job_.p.file_count() > 1), std::string(plane.name),
            host_of(job_.p, file_, plane), static_cast<std::uint32_t>(plane.lines.size()), -1, nullptr};
  }

  const trace_job& job_;
  const std::size_t file_;
  line_visitor& visitor_;
  progress_meter progress_;
};

bool is_arrow(track_event_kind kind) noexcept { return kind >= track_event_kind::arrow_start; }

// Of any other format: what its reader gives.
class track_walk {
 public:
  track_walk(const trace_job& job, std::size_t file, line_visitor& visitor)
      : job_(job), file_(file), visitor_(visitor), times_(job.selected.times_of(file, -1)), progress_(job.o.host, job.p.bytes(file).size()) {}

  result<void> run() {
    result<void> filled = fill_tracks(job_.p, file_, *read_, {true, &job_.o.host});
    if (!filled && filled.error().code != fault_code::damaged) return filled;
    if (!filled && !job_.damage.has(file_)) job_.damage.note(file_, std::move(filled).error());
    const std::vector<track>& tracks = read_->tracks();
    std::vector<track_id> order(tracks.size());
    for (track_id at = 0; at < order.size(); ++at) order[at] = at;
    // What has no position comes last.
    const auto place = [&](track_id at) {
      return std::pair(static_cast<std::uint32_t>(tracks[at].plane), static_cast<std::uint32_t>(tracks[at].line));
    };
    std::stable_sort(order.begin(), order.end(), [&](track_id a, track_id b) { return place(a) < place(b); });
    for (auto first = order.begin(); first != order.end();) {
      const auto last = std::find_if(first, order.end(), [&](track_id at) { return tracks[at].plane != tracks[*first].plane; });
      if (result<void> walked = walk_process(&*first, static_cast<std::size_t>(last - first)); !walked) return walked;
      first = last;
    }
    return {};
  }

 private:
  result<void> walk_process(const track_id* tracks, std::size_t count) {
    bool begun = false;
    for (std::size_t i = 0; i < count; ++i) {
      const track& of = read_->tracks()[tracks[i]];
      if (!contains(read_->text(of.plane_name), job_.o.filters.plane) || !contains(read_->text(of.line_name), job_.o.filters.line)) continue;
      shown_line line = line_of(of, static_cast<std::uint32_t>(i + 1));
      const std::vector<placed_event> events = events_of(tracks[i], line.arrows);
      if (events.empty()) continue;
      if (result<void> step = progress_.step(0); !step) return step;
      if (!std::exchange(begun, true))
        if (result<void> process = visitor_.begin_process(process_of(of, count)); !process) return process;
      if (result<void> begin = visitor_.begin_line(line); !begin) return begin;
      if (result<void> taken = visitor_.take(events.data(), events.size()); !taken) return taken;
      if (result<void> ended = visitor_.end_line(); !ended) return ended;
    }
    return {};
  }

  shown_process process_of(const track& of, std::size_t lines) const {
    const std::string name(read_->text(of.plane_name)), pid(read_->text(of.plane_id));
    const std::string place = place_title(job_.p, file_, job_.p.file_count() > 1);
    const std::string title = name.empty() ? "process " + pid : name;
    return {file_, nullptr, place.empty() ? title : place + ": " + title, name.empty() ? pid : name, host_of(job_.p, file_),
            static_cast<std::uint32_t>(lines), of.plane, read_};
  }

  shown_line line_of(const track& of, std::uint32_t number) const {
    // Lines that say where they belong come first.
    constexpr std::int64_t max_index = std::int64_t{1} << 32;
    const bool is_ordered = of.sort_index && *of.sort_index >= 0 && *of.sort_index < max_index;
    shown_line line;
    line.id = read_->text(of.line_id);
    line.name = line.title = read_->text(of.line_name);
    if (line.title.empty()) line.title = "thread " + line.id;
    if (line.id.empty() && std::max<std::int64_t>(of.stream, of.line) >= 0)
      line.id = std::to_string(of.stream >= 0 ? of.stream : of.line);
    line.number = number;
    line.position = of.line;
    line.order = static_cast<std::uint64_t>(is_ordered ? *of.sort_index : max_index + number - 1);
    line.is_counter = of.line_type == line_kind::counter;
    line.unit = read_->text(of.unit);
    return line;
  }

  // An arrow alone says nothing: filters by line or name leave arrows out.
  std::vector<placed_event> events_of(track_id at, std::vector<placed_event>& arrows) {
    const bool has_arrows = job_.o.filters.line.empty() && job_.o.filters.name.empty();
    std::vector<placed_event> kept;
    for (const track_event& e : read_->events(at)) {
      if (!checked_add(e.start_ps, e.duration_ps)) {
        ++job_.outcome.out_of_reach;
        continue;
      }
      if (is_arrow(e.kind) && !has_arrows) continue;
      if (!times_.keeps_time(e.start_ps, e.duration_ps) || !contains(read_->text(e.name), job_.o.filters.name)) continue;
      const bool fits = e.text.size() <= std::numeric_limits<std::uint32_t>::max();
      (is_arrow(e.kind) ? arrows : kept)
          .push_back({e.start_ps, e.duration_ps, e.name, e.text.data(), fits ? static_cast<std::uint32_t>(e.text.size()) : 0, e.kind});
    }
    std::stable_sort(kept.begin(), kept.end(), before_in_time);
    std::stable_sort(arrows.begin(), arrows.end(), before_in_time);
    return kept;
  }

  const trace_job& job_;
  const std::size_t file_;
  line_visitor& visitor_;
  const event_filter times_;
  progress_meter progress_;
  const std::shared_ptr<track_list> read_ = std::make_shared<track_list>();
};

}  // namespace

result<void> walk_lines(const trace_job& job, line_visitor& visitor) {
  for (const std::size_t file : job.files) {
    // A file has planes or tracks.
    if (result<void> walked = plane_walk(job, file, visitor).run(); !walked) return walked;
    if (result<void> walked = track_walk(job, file, visitor).run(); !walked) return walked;
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
