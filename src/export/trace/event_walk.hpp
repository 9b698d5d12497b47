// The lines of XSpace files that filters keep, and their events in the order of time.
#pragma once
#include <profkit/core/profile.hpp>

#include "analyse/filters/select.hpp"
#include "base/affix.hpp"
#include "base/progress.hpp"
#include "export/node_title.hpp"
#include "formats/xspace/plane_node.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// One event that has a place in time.
struct placed_event {
  std::int64_t start_ps;     // on the capture's clock
  std::int64_t duration_ps;  // not negative
  std::int64_t metadata_id;
  const char* stats;  // as in event_row
  std::uint32_t stats_bytes;
  std::uint32_t reserved;

  [[nodiscard]] std::int64_t end_ps() const noexcept { return start_ps + duration_ps; }  // fits: line_clock saw to it
  [[nodiscard]] message_range<stat_view, 4> all_stats() const noexcept {
    return message_range<stat_view, 4>(stats_bytes == 0 ? std::string_view() : std::string_view(stats, stats_bytes));
  }
};

// Earlier first, of equal starts the longer one: parents before their children.
[[nodiscard]] inline bool before_in_time(const placed_event& a, const placed_event& b) noexcept {
  return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
}

// What was met on the way and is not written.
struct walk_losses {
  std::uint64_t aggregated = 0, out_of_reach = 0;
};

class line_walk {
 public:
  line_walk(const profile& p, std::size_t file, const plane_index& plane, const line_index& line,
            const line_header& header, const event_filter& filter, damage_list& damage, progress_meter& progress,
            walk_losses& losses)
      : file_(file),
        plane_(plane),
        line_(line),
        filter_(filter),
        clock_(p, file, line, header),
        damage_(damage),
        progress_(progress),
        losses_(losses) {}

  // Hands the events that the filter keeps to `use(const placed_event*, count)`, a result<void>, in the order of time.
  template <class Use>
  result<void> in_time_order(Use&& use) {
    if (filter_.keeps_none()) return {};
    bool sorted = true;
    placed_event last{INT64_MIN, 0, 0, nullptr, 0, 0};
    result<void> looked = in_file_order(
        [&](const placed_event* events, std::size_t count) -> result<void> {
          for (std::size_t i = 0; sorted && i < count; ++i) {
            sorted = !before_in_time(events[i], last);
            last = events[i];
          }
          return {};
        },
        true, &sorted);
    if (!looked) return looked;
    if (sorted) return in_file_order(use, false);
    std::vector<placed_event> all;
    looked = in_file_order(
        [&](const placed_event* events, std::size_t count) -> result<void> {
          all.insert(all.end(), events, events + count);
          return {};
        },
        false);
    if (!looked) return looked;
    std::stable_sort(all.begin(), all.end(), before_in_time);
    for (std::size_t at = 0; at < all.size(); at += batch_events) {
      if (result<void> used = use(all.data() + at, std::min(batch_events, all.size() - at)); !used) return used;
    }
    return {};
  }

  // The same in the order of the file. With `only_looking` nothing is counted, and it ends when *go_on is false.
  template <class Use>
  result<void> in_file_order(Use&& use, bool only_looking = false, const bool* go_on = nullptr) {
    if (filter_.keeps_none()) return {};
    event_scanner scanner(line_.body);
    const bool keeps_all = filter_.keeps_all();
    std::uint64_t negative = 0, unplaced = 0;
    while (const std::size_t n = scanner.next(rows_, batch_events)) {
      if (result<void> step = progress_.step(line_.offset + scanner.offset()); !step) return step;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const event_row& row = rows_[i];
        const auto start = clock_.start_of(row);
        if (!keeps_all && !filter_.keeps(row, start)) continue;
        if (!start) {
          if (!only_looking) ++((row.flags & event_has_occurrences) != 0 ? losses_.aggregated : losses_.out_of_reach);
          unplaced += (row.flags & event_has_occurrences) == 0 && clock_.base_ps() ? 1 : 0;
          continue;
        }
        negative += row.duration_ps < 0 ? 1 : 0;
        placed_[kept++] = {*start,    std::max<std::int64_t>(row.duration_ps, 0), row.metadata_id, row.stats,
                           row.stats_bytes, 0};
      }
      if (kept != 0) {
        if (result<void> used = use(static_cast<const placed_event*>(placed_), kept); !used) return used;
      }
      if (go_on != nullptr && !*go_on) return {};
    }
    if (only_looking) return {};
    line_end end;
    end.damaged = !scanner.ok();
    end.damage_offset = scanner.offset();
    damage_.note_events(file_, plane_, line_, end, negative);
    if (unplaced != 0) damage_.note_line(file_, plane_, line_, 0, event_out_of_reach);
    return {};
  }

 private:
  static constexpr std::size_t batch_events = 512;

  const std::size_t file_;
  const plane_index& plane_;
  const line_index& line_;
  const event_filter& filter_;
  const line_clock clock_;
  damage_list& damage_;
  progress_meter& progress_;
  walk_losses& losses_;
  event_row rows_[batch_events];
  placed_event placed_[batch_events];
};

// The XSpace files that a selection keeps, but those of which nothing can be read.
[[nodiscard]] inline std::vector<std::size_t> xspace_files(const profile& p, const selection& selected) {
  std::vector<std::size_t> files;
  for (std::size_t file = 0; file < p.file_count(); ++file)
    if (selected.file(file) && !selected.other_file(file) && (p.file_fault(file) == nullptr || !p.xspace(file)->planes.empty()))
      files.push_back(file);
  return files;
}

// A host's name for people: the file's own, else the first the XSpace lists.
[[nodiscard]] inline std::string host_of(const profile& p, std::size_t file) {
  const capture_file& listed = p.what().files[file];
  if (!listed.host.empty()) return listed.host;
  const std::vector<std::string_view>& names = p.xspace(file)->hostnames;
  return names.empty() ? std::string() : std::string(names.front());
}
// The same of a plane, which a merge may have from another host.
[[nodiscard]] inline std::string host_of(const profile& p, std::size_t file, const plane_index& plane) {
  const auto node = node_of_host(plane);
  if (!node) return host_of(p, file);
  const std::string_view hostname = hostname_of(plane);
  return hostname.empty() ? name_of_node(*node) : std::string(hostname);
}

// The node of what a file says, of a plane of it where one is given; negative where no merge wrote it.
[[nodiscard]] inline std::int64_t node_of_place(const profile& p, std::size_t file, const plane_index* plane) {
  const auto node = plane == nullptr ? std::nullopt : node_of_host(*plane);
  return node.value_or(p.what().files[file].node);
}

// What stands before the names of a file's processes, where it has to be said: its node, or its host.
[[nodiscard]] inline std::string place_title(const profile& p, std::size_t file, bool with_host) {
  const capture_file& listed = p.what().files[file];
  if (listed.node >= 0) return node_title(listed.node, listed.host);
  return with_host ? host_of(p, file) : std::string();
}

// A plane as a process of a viewer: with its host where there are several files, with its node where a merge says it.
[[nodiscard]] inline std::string process_name(const profile& p, std::size_t file, std::string_view plane, bool with_host) {
  const std::string place = place_title(p, file, with_host);
  return place.empty() ? std::string(plane) : place + ": " + std::string(plane);
}
[[nodiscard]] inline std::string process_name(const profile& p, std::size_t file, const plane_index& plane, bool with_host) {
  const auto node = node_of_host(plane);
  if (!node) return process_name(p, file, plane.name, with_host);
  const bool is_shown_as_device = plane.kind == plane_kind::host && starts_with(plane.name, "/device:");
  return node_title(*node, hostname_of(plane)) + ": " + (is_shown_as_device ? "/host:CPU" : std::string(plane.name));
}

[[nodiscard]] inline std::string line_title(const line_header& header) {
  if (!header.display_name.empty()) return std::string(header.display_name);
  if (!header.name.empty()) return std::string(header.name);
  return "line " + std::to_string(header.id);
}

[[nodiscard]] inline std::string lane_title(const std::string& line, std::size_t lane) {
  return lane == 0 ? line : line + " #" + std::to_string(lane + 1);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
