// Totals of ops over all events of the lines that carry them.
#include <analyse/anatomy/op_totals.hpp>
#include <analyse/anatomy/select.hpp>
#include <analyse/anatomy/stats.hpp>
#include <base/contained.hpp>
#include <base/progress.hpp>
#include <base/thread_pool.hpp>
#include <profkit/core/anatomy.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t batch_rows = 256;

// One line to total.
struct line_place {
  std::uint32_t file;
  std::int32_t plane, line;
};

bool has_events(const line_index& line) noexcept { return !message_range<std::string_view, 4>(line.body).empty(); }

// Calls use(place, plane, line) for every line with events that the filters let through.
template <class Use>
void for_each_line(const profile& p, const selection& selected, Use&& use) {
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const xspace_index* xspace = selected.file(file) ? p.xspace(file) : nullptr;
    if (xspace == nullptr) continue;
    for (std::size_t plane = 0; plane < xspace->planes.size(); ++plane) {
      const plane_index& in = xspace->planes[plane];
      if (!selected.plane(in)) continue;
      for (std::size_t line = 0; line < in.lines.size(); ++line) {
        if (!has_events(in.lines[line])) continue;
        use(line_place{static_cast<std::uint32_t>(file), static_cast<std::int32_t>(plane),
                       static_cast<std::int32_t>(line)},
            in, in.lines[line]);
      }
    }
  }
}

struct picked_lines {
  std::vector<line_place> places;
  std::string source, absent;
  bool only_hlo_ops = false;  // of their events, those with an hlo_op stat
};

picked_lines pick_named_lines(const profile& p, const selection& selected, const anatomy_options& o) {
  picked_lines exact, similar;
  for_each_line(p, selected, [&](line_place place, const plane_index&, const line_index& line) {
    if (line.name() == o.line) exact.places.push_back(place);
    if (selected.line(line)) similar.places.push_back(place);
  });
  picked_lines& picked = exact.places.empty() ? similar : exact;
  if (picked.places.empty())
    picked.absent = "no line with events has '" + o.line + "' in its name";
  else
    picked.source = "lines named '" + o.line + "'";
  return std::move(picked);
}

picked_lines pick_lines(const profile& p, const selection& selected, const anatomy_options& o) {
  if (!o.line.empty()) return pick_named_lines(p, selected, o);
  picked_lines ops, streams, threads;
  bool device_has_events = false;
  for_each_line(p, selected, [&](line_place place, const plane_index& plane, const line_index& line) {
    if (plane.kind == plane_kind::device) device_has_events = true;
    if (line.kind == line_kind::ops) ops.places.push_back(place);
    if (line.kind == line_kind::stream) streams.places.push_back(place);
    if (line.kind == line_kind::thread) threads.places.push_back(place);
  });
  if (!ops.places.empty()) {
    ops.source = "XLA Ops";
    return ops;
  }
  if (!streams.places.empty()) {
    streams.source = "device streams";
    return streams;
  }
  if (device_has_events) {
    picked_lines none;
    none.absent = "the device planes have events, but neither a line 'XLA Ops' nor a stream";
    return none;
  }
  threads.source = "host events with hlo_op";
  threads.only_hlo_ops = true;
  return threads;
}

// What all lines of a plane share.
struct plane_facts {
  std::size_t dense_ids = 0;
  std::vector<std::int64_t> hlo_op_ids;
};

// How many ids, from 0 on, a plane's totals find by position: all of them in files as they are written, and
// never more than a few for each entry.
std::size_t dense_ids_of(const plane_index& plane) {
  const std::size_t entries = plane.event_metadata_entries.size();
  const auto most = static_cast<std::int64_t>(entries + entries / 4 + 1024);
  std::int64_t greatest = -1;
  for (const std::string_view bytes : plane.event_metadata_entries) {
    const std::int64_t key = event_metadata_view(bytes).key();
    if (key < most) greatest = std::max(greatest, key);
  }
  return static_cast<std::size_t>(greatest + 1);
}

// Progress of several threads through one host function.
class shared_meter {
 public:
  shared_meter(const hooks& host, std::uint64_t total_bytes) : meter_(host, total_bytes) {}
  result<void> advance(std::uint64_t bytes) {
    const std::lock_guard<std::mutex> hold(mutex_);
    done_bytes_ += bytes;
    return meter_.step(done_bytes_);
  }

 private:
  std::mutex mutex_;
  progress_meter meter_;
  std::uint64_t done_bytes_ = 0;
};

std::int64_t clamp_ps(std::uint64_t ps) noexcept {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(ps, std::numeric_limits<std::int64_t>::max()));
}

// What one line gave.
struct line_totals {
  ops_line line;
  bool damaged = false;
  std::uint64_t damage_offset = 0;
  std::uint64_t negative_durations = 0;
};

class line_reader {
 public:
  line_reader(const profile& p, line_place place, const plane_facts& facts, const selection& selected,
              const anatomy_options& o, bool only_hlo_ops, shared_meter& meter)
      : plane_(p.xspace(place.file)->planes[static_cast<std::size_t>(place.plane)]),
        line_(plane_.lines[static_cast<std::size_t>(place.line)]),
        place_(place),
        options_(o),
        filter_(selected.events_of(place.file, static_cast<std::size_t>(place.plane))),
        clock_(p, place.file, line_, line_.header),
        only_hlo_ops_(only_hlo_ops),
        hlo_op_ids_(facts.hlo_op_ids),
        meter_(meter),
        totals_(facts.dense_ids) {}

  result<line_totals> read() {
    line_totals found;
    ops_line& line = found.line;
    line.file = place_.file;
    line.plane = place_.plane;
    line.line = place_.line;
    line.plane_name = plane_.name;
    line.line_name = line_.name();
    line.kind = line_.kind;
    if (only_hlo_ops_ && hlo_op_ids_.empty()) return found;

    event_scanner scan(line_.body);
    auto scanned = feed(scan, [&](const event_row* rows, std::size_t count) { totals_.add(rows, count); });
    if (!scanned) return std::move(scanned).error();
    found.damaged = !scan.ok();
    found.damage_offset = scan.offset();
    if (!totals_.in_order()) {
      event_scanner again(line_.body);
      scanned = feed(again, [&](const event_row* rows, std::size_t count) { totals_.add_unordered(rows, count); });
      if (!scanned) return std::move(scanned).error();
    }
    totals_.finish();
    line.events = totals_.events();
    line.duration_sum_ps = totals_.duration_sum_ps();
    line.busy_ps = clamp_ps(totals_.busy_ps());
    found.negative_durations = totals_.negative_durations();
    list_rows(line.ops);
    return found;
  }

 private:
  // Hands the selected events on, a batch at a time.
  template <class Take>
  result<void> feed(event_scanner& scan, Take&& take) {
    constexpr std::uint64_t bytes_between_steps = std::uint64_t{1} << 20;
    std::uint64_t told = 0;
    std::array<event_row, batch_rows> rows;
    const bool all = filter_.keeps_all() && !only_hlo_ops_;
    while (const std::size_t count = scan.next(rows.data(), rows.size())) {
      if (all) {
        take(rows.data(), count);
      } else {
        const auto end = std::remove_if(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count),
                                        [&](const event_row& row) { return !wanted(row); });
        take(rows.data(), static_cast<std::size_t>(end - rows.begin()));
      }
      if (scan.offset() - told < bytes_between_steps) continue;
      auto stepped = meter_.advance(scan.offset() - told);
      if (!stepped) return stepped;
      told = scan.offset();
    }
    return meter_.advance(scan.offset() - told);
  }

  bool wanted(const event_row& row) const {
    if (only_hlo_ops_ && !find_stat(row, hlo_op_ids_)) return false;
    return filter_.keeps_all() || filter_.keeps(row, clock_.start_of(row));
  }

  void list_rows(std::vector<op_row>& rows) const {
    totals_.for_each([&](std::int64_t metadata_id, const op_sum& sum) {
      const metadata_entry entry = plane_.event_metadata.find(metadata_id);
      if (!options_.name.empty()) {
        const event_metadata_view metadata(entry.bytes);
        if (metadata.name().find(options_.name) == std::string_view::npos &&
            metadata.display_name().find(options_.name) == std::string_view::npos)
          return;
      }
      op_row& row = rows.emplace_back();
      row.metadata_id = metadata_id;
      if (entry) row.entry = entry.bytes;
      row.count = sum.count;
      row.total_ps = sum.total_ps;
      row.self_ps = clamp_ps(sum.self_ps);
      row.min_ps = sum.max_ps < 0 ? 0 : sum.min_ps;
      row.max_ps = std::max<std::int64_t>(sum.max_ps, 0);
    });
    std::sort(rows.begin(), rows.end(), [](const op_row& a, const op_row& b) {
      return a.total_ps != b.total_ps ? a.total_ps > b.total_ps : a.metadata_id < b.metadata_id;
    });
    rows.shrink_to_fit();
  }

  const plane_index& plane_;
  const line_index& line_;
  const line_place place_;
  const anatomy_options& options_;
  const event_filter filter_;
  const line_clock clock_;
  const bool only_hlo_ops_;
  const std::vector<std::int64_t>& hlo_op_ids_;
  shared_meter& meter_;
  op_totals totals_;
};

result<ops_result> total_ops(const profile& p, const anatomy_options& o, const hooks& host) {
  // The name picks rows, not events: what an op has to itself depends on all the others.
  anatomy_options of_events = o;
  of_events.name.clear();
  auto selected = selection::make(p, of_events, host);
  if (!selected) return std::move(selected).error();
  damage_list damage(p, *selected, is_xspace);

  picked_lines picked = pick_lines(p, *selected, o);
  const auto line_at = [&](const line_place& place) -> const line_index& {
    return p.xspace(place.file)
        ->planes[static_cast<std::size_t>(place.plane)]
        .lines[static_cast<std::size_t>(place.line)];
  };
  // The longest lines first, so that threads end together.
  std::vector<std::size_t> order(picked.places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return line_at(picked.places[a]).body.size() > line_at(picked.places[b]).body.size();
  });
  std::uint64_t bytes = 0;
  std::map<std::pair<std::uint32_t, std::int32_t>, plane_facts> facts;
  for (const line_place& place : picked.places) {
    bytes += line_at(place).body.size();
    const auto [at, is_new] = facts.try_emplace({place.file, place.plane});
    if (!is_new) continue;
    const plane_index& plane = p.xspace(place.file)->planes[static_cast<std::size_t>(place.plane)];
    at->second.dense_ids = dense_ids_of(plane);
    if (picked.only_hlo_ops) at->second.hlo_op_ids = stat_ids(plane, "hlo_op");
  }
  shared_meter meter(host, bytes);
  auto totals = map_items<line_totals>(order.size(), host, [&](std::size_t item) {
    const line_place place = picked.places[order[item]];
    return line_reader(p, place, facts.at({place.file, place.plane}), *selected, o, picked.only_hlo_ops, meter).read();
  });
  if (!totals) return std::move(totals).error();
  std::vector<line_totals> in_order(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) in_order[order[i]] = std::move((*totals)[i]);

  ops_result found;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    line_totals& t = in_order[i];
    const plane_index& plane = p.xspace(t.line.file)->planes[static_cast<std::size_t>(t.line.plane)];
    const line_index& line = line_at(picked.places[i]);
    if (t.damaged) damage.note_line(t.line.file, plane, line, t.damage_offset, "an event breaks the protobuf format");
    if (t.negative_durations != 0)
      damage.note_line(
          t.line.file, plane, line, 0,
          (std::to_string(t.negative_durations) + " events have a negative duration; they count as 0").c_str());
    if (t.line.events != 0) found.lines.push_back(std::move(t.line));
  }
  found.source = std::move(picked.source);
  found.absent = std::move(picked.absent);
  if (found.lines.empty() && found.absent.empty()) {
    found.absent = picked.only_hlo_ops ? "no line 'XLA Ops', no device stream and no host event with an hlo_op stat"
                                       : "no event of " + found.source + " lies in the part that was asked for";
  }
  if (found.lines.empty()) found.source.clear();
  found.damage = damage.take();
  return found;
}

}  // namespace

event_metadata_view op_row::metadata() const noexcept {
  return entry.data() == nullptr ? event_metadata_view() : event_metadata_view(entry);
}

result<ops_result> anatomy_ops(const profile& p, const anatomy_options& o, const hooks& host) {
  return contained([&] { return total_ops(p, o, host); });
}

std::vector<named_stat> op_stats(const profile& p, const ops_line& line, const op_row& row) {
  const xspace_index* xspace = p.xspace(line.file);
  const auto plane = static_cast<std::size_t>(line.plane);
  if (xspace == nullptr || plane >= xspace->planes.size()) return {};
  return name_stats(xspace->planes[plane], row.metadata().stats(), named_stat::origin::metadata);
}

device_peaks peaks_of(const profile& p, std::uint32_t file, std::int32_t plane) {
  device_peaks peaks;
  const xspace_index* xspace = p.xspace(file);
  if (xspace == nullptr || static_cast<std::size_t>(plane) >= xspace->planes.size()) return peaks;
  const plane_index& device = xspace->planes[static_cast<std::size_t>(plane)];
  std::string_view vendor;
  for (const std::string_view bytes : device.stats) {
    const stat_view stat(bytes);
    const named_stat named = name_stat(device, stat, named_stat::origin::plane);
    if (named.name == "peak_teraflops_per_second") peaks.flops_per_s = stat.as_double() * 1e12;
    // TPU planes carry the first, GPU planes the second (bytes per second).
    if (named.name == "peak_hbm_bw_gigabytes_per_second") peaks.hbm_bytes_per_s = stat.as_double() * 1e9;
    if (named.name == "memory_bandwidth") peaks.hbm_bytes_per_s = stat.as_double();
    if (named.name == "device_type_string") peaks.device_type = named.text;
    if (named.name == "device_vendor") vendor = named.text;
  }
  if (peaks.device_type.empty()) peaks.device_type = vendor;
  return peaks;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
