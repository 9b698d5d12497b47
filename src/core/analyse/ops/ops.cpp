// Totals of ops over all events of the lines that carry them.
#include <analyse/ops/device_clock.hpp>
#include <analyse/ops/event_origins.hpp>
#include <analyse/ops/host_ops.hpp>
#include <analyse/ops/kernel_ops.hpp>
#include <analyse/ops/op_programs.hpp>
#include <analyse/ops/op_rows.hpp>
#include <analyse/ops/op_totals.hpp>
#include <analyse/ops/step_numbers.hpp>
#include <analyse/ops/ops_left_out.hpp>
#include <analyse/questions.hpp>
#include <trace/filters/select.hpp>
#include <trace/stats.hpp>
#include <base/collective_names.hpp>
#include <base/contained.hpp>
#include <base/stream_overlap.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/info.hpp>
#include <profkit/core/named_stat.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/time.hpp>
#include <trace/line_scan.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// How far the events of a line reach by the clock of the capture, whatever clock their totals are made by, and how many
// of them have a negative duration.
struct event_reach {
  std::int64_t min_start_ps = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_end_ps = std::numeric_limits<std::int64_t>::min();  // stops at the end of int64
  std::uint64_t negative_durations = 0;

  void note(const event_row* rows, std::size_t count) noexcept {
    for (const event_row* row = rows; row != rows + count; ++row) {
      negative_durations += row->duration_ps < 0 ? 1 : 0;
      if ((row->flags & event_has_occurrences) != 0) continue;
      min_start_ps = std::min(min_start_ps, row->offset_ps);
      max_end_ps =
          std::max(max_end_ps, saturating_add(row->offset_ps, std::max<std::int64_t>(row->duration_ps, 0)));
    }
  }
};

void note(const line_rows& rows, overrun_meter& overlap) noexcept {
  for (const event_row* row = rows.rows; row != rows.rows + rows.count; ++row)
    if ((row->flags & event_has_occurrences) == 0)
      overlap.note(row->offset_ps, saturating_add(row->offset_ps, std::max<std::int64_t>(row->duration_ps, 0)));
}

// What the first pass over a streamed file gave of one line: its ops by metadata id. Which lines are wanted, and what
// the metadata of their plane says, is not known before its end, so it totals all of all.
struct streamed_line {
  op_rows::sums sums;
  std::uint64_t events = 0, negative_durations = 0, busy_ps = 0;
  std::int64_t duration_sum_ps = 0;
  event_reach reach;
  std::int64_t overlap_ps = 0;
  bool in_order = true;  // else there are no self times
  bool has_stats = false;
  line_end end;
};
using streamed_lines = by_line<streamed_line>;

// Calls use(place, plane, line) for every line with events that the filters let through.
template <class Use>
void for_each_line(const profile& p, const selection& selected, const streamed_lines& streamed, Use&& use) {
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    if (!selected.file(file)) continue;
    const xspace_index* const xspace = p.outline(file);
    for (std::size_t plane = 0; plane < xspace->planes.size(); ++plane) {
      const plane_index& in = xspace->planes[plane];
      if (!selected.plane(in)) continue;
      for (std::size_t line = 0; line < in.lines.size(); ++line) {
        const line_place place{static_cast<std::uint32_t>(file), static_cast<std::int32_t>(plane),
                               static_cast<std::int32_t>(line)};
        const streamed_line* const known = streamed.find(place);
        if (known != nullptr ? !known->end.has_events : !has_events(in.lines[line])) continue;
        use(place, in, in.lines[line]);
      }
    }
  }
}

struct picked_lines {
  std::vector<line_place> places;
  std::string source, absent;
  bool only_hlo_ops = false;  // of their events, those with an hlo_op stat
};

picked_lines pick_named_lines(const profile& p, const selection& selected, const streamed_lines& streamed,
                              const query_filters& o) {
  picked_lines exact, similar;
  for_each_line(p, selected, streamed, [&](line_place place, const plane_index&, const line_index& line) {
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

picked_lines pick_lines(const profile& p, const selection& selected, const streamed_lines& streamed,
                        const query_filters& o) {
  if (!o.line.empty()) return pick_named_lines(p, selected, streamed, o);
  picked_lines ops, streams, threads;
  bool device_has_events = false;
  for_each_line(p, selected, streamed, [&](line_place place, const plane_index& plane, const line_index& line) {
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
  op_key key = op_key::metadata_id;
  std::size_t dense_ids = 0;
  std::vector<std::int64_t> hlo_op_ids;
  stat_finder stats;
  std::optional<event_origins> origins;  // where they are asked for

  [[nodiscard]] bool has_device_clock() const noexcept { return stats.knows(at_device_duration); }
  [[nodiscard]] bool has_programs() const noexcept { return stats.knows(at_program_id) || stats.knows(at_hlo_module); }
  [[nodiscard]] bool reads_stats() const noexcept { return has_device_clock() || has_programs() || origins; }
};

// How a plane's totals find an id. Writers mostly number the entries consecutively: then by position, with
// room for a few unused numbers. A few ids elsewhere are found by hash; where there are many, all ids are
// replaced by the position of their entry.
plane_facts plane_facts_of(const plane_index& plane, bool only_hlo_ops, bool with_origins) {
  constexpr std::size_t few = 256;  // as many as op_totals has room for
  plane_facts facts{op_key::metadata_id, 0, {}, stat_finder(plane, stats_of_ops), {}};
  const std::size_t entries = plane.event_metadata_entries.size();
  const auto most = static_cast<std::int64_t>(entries + entries / 16 + 1024);
  std::int64_t greatest = -1;
  std::size_t elsewhere = 0;
  for (const std::string_view bytes : plane.event_metadata_entries) {
    const std::int64_t key = event_metadata_view(bytes).key();
    if (key >= 0 && key < most)
      greatest = std::max(greatest, key);
    else
      ++elsewhere;
  }
  facts.dense_ids = static_cast<std::size_t>(greatest + 1);
  if (with_origins) facts.origins.emplace(plane);
  if (facts.has_programs() || with_origins) {
    facts.key = op_key::program;
  } else if (elsewhere > few) {
    facts.key = op_key::entry;
    facts.dense_ids = entries;
  }
  if (only_hlo_ops) facts.hlo_op_ids = stat_ids(plane, "hlo_op");
  return facts;
}

// Replaces metadata ids by the positions of their entries.
class entry_numbers {
 public:
  explicit entry_numbers(const plane_index& plane) : plane_(plane) {}
  void replace(event_row* rows, std::size_t count) {
    for (event_row* row = rows; row != rows + count; ++row) row->metadata_id = number_of(row->metadata_id);
  }
  [[nodiscard]] std::vector<std::int64_t> take_without_entry() noexcept { return std::move(without_entry_); }

 private:
  std::int64_t number_of(std::int64_t id) {
    if (const auto at = plane_.event_metadata.position(id)) return *at;
    const std::size_t entries = plane_.event_metadata_entries.size();
    const auto [known, is_new] = numbers_.try_emplace(id, entries + without_entry_.size());
    if (is_new) without_entry_.push_back(id);
    return static_cast<std::int64_t>(known->second);
  }
  const plane_index& plane_;
  hash_map<std::int64_t, std::size_t> numbers_;
  std::vector<std::int64_t> without_entry_;
};

using cut_durations = hash_map<std::uint64_t, std::int64_t>;  // ps, by where the event lies in the file

// What one line gave.
struct line_totals {
  ops_line line;
  line_end end;
  std::uint64_t negative_durations = 0;
  event_reach reach;
  std::int64_t overlap_ps = 0;  // of all events of a stream, whether they are selected or not
  bool wants_events = true;
  // What an earlier reading of the line found: only some events have a start by the device's clock; events are out of
  // order.
  bool aligned_starts = false, out_of_order = false;
};

// Whether all events of a line can be placed. A line that itself lies out of reach is in the file's fault.
bool lies_in_reach(const profile& p, const line_totals& t, const line_index& line) {
  const auto base_ps = line_base_ps(p, t.line.file, line);
  if (!base_ps || t.reach.min_start_ps > t.reach.max_end_ps) return true;
  return t.reach.max_end_ps != std::numeric_limits<std::int64_t>::max() &&
         checked_add(*base_ps, t.reach.min_start_ps) && checked_add(*base_ps, t.reach.max_end_ps);
}

// What all lines have in common.
struct task {
  const profile& p;
  const selection& selected;
  const query_filters& options;
  bool only_hlo_ops;
  std::map<std::pair<std::uint32_t, std::int32_t>, plane_facts> facts;

  [[nodiscard]] const plane_facts& facts_at(line_place place) const { return facts.at({place.file, place.plane}); }

  [[nodiscard]] line_totals begin(line_place place) const {
    line_totals found;
    ops_line& line = found.line;
    line.file = place.file;
    line.plane = place.plane;
    line.line = place.line;
    line.plane_name = plane_at(p, place).name;
    line.line_name = line_at(p, place).name();
    line.kind = line_at(p, place).kind;
    return found;
  }
};

// Totals the events of one line.
class line_totaller final : public line_reader {
 public:
  // `cut`: the durations of events that end earlier than they say; null: none is known to.
  line_totaller(const task& of, line_place place, line_totals& into, const cut_durations* cut)
      : plane_(plane_at(of.p, place)),
        options_(of.options),
        filter_(of.selected.events_of(place.file, static_cast<std::size_t>(place.plane))),
        clock_(of.p, place.file, line_at(of.p, place), line_at(of.p, place).header),
        only_hlo_ops_(of.only_hlo_ops),
        steps_(of.selected.steps_of(place.file, place.plane, -1)),
        facts_(of.facts_at(place)),
        numbers_(plane_),
        program_ids_(facts_.dense_ids),
        device_(into.aligned_starts),
        file_(cut == nullptr ? nullptr : of.p.bytes(place.file).data()),
        cut_(cut),
        next_offset_(line_at(of.p, place).offset),
        out_of_order_(into.out_of_order),
        totals_(facts_.dense_ids),
        into_(into) {}

  [[nodiscard]] bool changes_rows() const noexcept override { return true; }
  void take(const line_rows& rows) override {
    if (cut_ != nullptr) end_earlier(rows.rows, rows.count);
    if (into_.line.kind == line_kind::stream) note(rows, overlap_);
    const std::size_t kept = select(rows.rows, rows.count, rows.readable_end);
    if (!out_of_order_ && device_.takes_starts()) {
      order_.add(rows.rows, kept, [&](const event_row* ready, std::size_t n) { totals_.add(ready, n); });
      return;
    }
    totals_.add(rows.rows, kept);
    if (out_of_order_) totals_.add_unordered(rows.rows, kept);
  }

  // The line is read again where only now something is known of it that its totals depend on.
  bool end(const line_end& end) override {
    into_.end = end;
    order_.finish([&](const event_row* ready, std::size_t n) { totals_.add(ready, n); });
    if (device_.is_contradicted()) {
      into_.aligned_starts = true;
      return true;
    }
    if (!(totals_.in_order() && device_.in_order()) && !out_of_order_) {
      into_.out_of_order = true;
      return true;
    }
    finish();
    return false;
  }

 private:
  void finish() {
    totals_.finish();
    into_.line.clock = device_.clock();
    into_.line.events = totals_.events();
    into_.line.events_cut = events_cut_;
    into_.line.duration_sum_ps = totals_.duration_sum_ps();
    into_.line.busy_ps = clamp_ps(totals_.busy_ps());
    into_.negative_durations = totals_.negative_durations();
    into_.reach = reach_;
    into_.overlap_ps = overlap_.max_ps();
    op_rows::sums sums;
    sums.plane = &plane_;
    sums.key = facts_.key;
    sums.dense = facts_.dense_ids;
    sums.others = totals_.take_sparse_ids();
    sums.by_slot = totals_.take_sums();
    sums.without_entry = numbers_.take_without_entry();
    sums.first_pair = facts_.dense_ids;
    sums.pairs = program_ids_.take_pairs();
    sums.programs = programs_.take_programs();
    into_.line.ops = make_op_rows(std::move(sums), options_.name);
  }

  void end_earlier(event_row* rows, std::size_t count) {
    for (event_row* row = rows; row != rows + count; ++row) {
      const auto found = cut_->find(next_offset_);
      next_offset_ = static_cast<std::uint64_t>(row->stats + row->stats_bytes - file_);
      if (found == cut_->end()) continue;
      row->duration_ps = found->second;
      ++events_cut_;
    }
  }
  // Brings the selected events to the front, ready to be added, and gives how many there are.
  std::size_t select(event_row* rows, std::size_t count, const char* readable_end) {
    std::size_t kept = count;
    if (only_hlo_ops_ || !filter_.keeps_all())
      kept = static_cast<std::size_t>(
          std::remove_if(rows, rows + count, [&](const event_row& row) { return !wanted(row); }) - rows);
    reach_.note(rows, kept);
    if (facts_.reads_stats()) read_stats(rows, kept, readable_end);
    if (facts_.key == op_key::entry) numbers_.replace(rows, kept);
    return kept;
  }
  void read_stats(event_row* rows, std::size_t count, const char* readable_end) {
    for (event_row* row = rows; row != rows + count; ++row) {
      const stat_finder::found_stats found = facts_.stats.find(*row, readable_end);
      if (facts_.has_device_clock()) device_.apply(*row, found[at_device_offset], found[at_device_duration]);
      if (facts_.key != op_key::program) continue;
      std::uint32_t program = programs_.number_of(plane_, found[at_program_id], found.messages[at_hlo_module]);
      if (facts_.origins) {
        program_key origin = facts_.origins->of(*row, readable_end);
        if (!steps_.empty()) origin.step = steps_.number_at(clock_.start_of(*row));
        program = programs_.number_of(program, origin);
      }
      row->metadata_id = program_ids_.number_of(row->metadata_id, program);
    }
  }
  bool wanted(const event_row& row) const {
    if (only_hlo_ops_ && !find_stat(row, facts_.hlo_op_ids)) return false;
    return filter_.keeps_all() || filter_.keeps(row, clock_.start_of(row));
  }

  const plane_index& plane_;
  const query_filters& options_;
  const event_filter filter_;
  const line_clock clock_;
  const bool only_hlo_ops_;
  const step_numbers steps_;
  const plane_facts& facts_;
  event_reach reach_;
  overrun_meter overlap_;
  entry_numbers numbers_;
  program_numbers programs_;
  program_ids program_ids_;
  device_clock device_;
  start_order order_;
  const char* const file_;  // where events are cut
  const cut_durations* const cut_;
  std::uint64_t next_offset_, events_cut_ = 0;
  const bool out_of_order_;
  op_totals totals_;
  line_totals& into_;
};

// What the first pass gave of a line. Its events are wanted again where only some of them count, where their stats do
// (the metadata that says which comes after them), and where they are out of order, for their self times.
void take_streamed(const task& of, const line_place& place, streamed_line& known, line_totals& into) {
  into.end = known.end;
  into.out_of_order = !known.in_order;
  if (of.only_hlo_ops || into.out_of_order || of.options.split_by_step || (known.has_stats && of.facts_at(place).reads_stats())) return;
  into.wants_events = false;
  into.line.events = known.events;
  into.line.duration_sum_ps = known.duration_sum_ps;
  into.line.busy_ps = clamp_ps(known.busy_ps);
  into.negative_durations = known.negative_durations;
  into.reach = known.reach;
  into.overlap_ps = known.overlap_ps;
  known.sums.plane = &plane_at(of.p, place);
  into.line.ops = make_op_rows(std::move(known.sums), of.options.name);
}

// The first look at a line of a streamed file: totals it by metadata id.
class streamed_totaller final : public line_reader {
 public:
  // An event takes five bytes at least. Ids are small numbers in files as they are written.
  streamed_totaller(streamed_line& into, std::uint64_t bytes)
      : into_(into), totals_(static_cast<std::size_t>(std::min(bytes / 5, std::uint64_t{1} << 16))) {}
  void take(const line_rows& rows) override {
    into_.reach.note(rows.rows, rows.count);
    note(rows, overlap_);
    totals_.add(rows.rows, rows.count);
    for (std::size_t i = 0; i < rows.count && !into_.has_stats; ++i) into_.has_stats = rows.rows[i].stats_bytes != 0;
  }
  bool end(const line_end& end) override {
    into_.end = end;
    into_.in_order = totals_.in_order();
    into_.overlap_ps = overlap_.max_ps();
    if (into_.in_order) totals_.finish();
    into_.events = totals_.events();
    into_.negative_durations = totals_.negative_durations();
    into_.duration_sum_ps = totals_.duration_sum_ps();
    into_.busy_ps = totals_.busy_ps();
    if (into_.in_order) keep_sums();
    return false;
  }

 private:
  void keep_sums() {
    std::size_t met = 0;
    totals_.for_each([&](std::int64_t, const op_sum&) { ++met; });
    into_.sums.others.reserve(met);
    into_.sums.by_slot.reserve(met + 1);
    into_.sums.by_slot.emplace_back();
    totals_.for_each([&](std::int64_t id, const op_sum& sum) {
      into_.sums.others.push_back(id);
      into_.sums.by_slot.push_back(sum);
    });
  }

  streamed_line& into_;
  overrun_meter overlap_;
  op_totals totals_;
};

class first_ops_pass final : public line_pass {
 public:
  bool wants(const line_place&) override { return true; }
  std::unique_ptr<line_reader> begin(const line_place& place, std::uint64_t bytes) override {
    return std::make_unique<streamed_totaller>(lines.add(place), bytes);
  }
  streamed_lines lines;
};

class ops_pass final : public line_pass {
 public:
  ops_pass(const task& of, const std::vector<line_place>& places, streamed_lines& streamed)
      : task_(of) {
    for (const line_place& place : places) {
      line_totals& into = lines.add(place) = of.begin(place);
      streamed_line* const known = streamed.find(place);
      if (of.only_hlo_ops && of.facts_at(place).hlo_op_ids.empty())
        into.wants_events = false;
      else if (known != nullptr)
        take_streamed(of, place, *known, into);
    }
  }
  bool wants(const line_place& place) override {
    const line_totals* const into = lines.find(place);
    return into != nullptr && into->wants_events;
  }
  std::unique_ptr<line_reader> begin(const line_place& place, std::uint64_t) override {
    return std::make_unique<line_totaller>(task_, place, *lines.find(place), nullptr);
  }
  by_line<line_totals> lines;

 private:
  const task& task_;
};

// Of traces and tables, beside the lines of an XSpace: kernels of devices; where no device of the capture has any,
// what hosts did.
result<void> add_traces(const trace& t, const selection& selected, const query_filters& o, const hooks& host,
                        ops_result& found, damage_list& damage) {
  const auto read = t.all_activity(host);
  if (!read) return read.error();
  damage.note(**read, selected);
  const auto& devices = (*read)->devices();
  const bool any_kernels = std::any_of(devices.begin(), devices.end(), [](const activity_device& d) {
    return d.kernels != 0 || !d.totals.empty();
  });
  const std::size_t before = found.lines.size();
  trace_ops_of what = trace_ops_of::nothing;
  if (any_kernels) {
    if (auto added = add_kernel_ops(t.files(), *read, selected, o, host, found); !added) return added;
    what = trace_ops_of::kernels;
  } else if (before == 0) {
    const auto added = add_host_ops(t.files(), *read, selected, o, host, found);
    if (!added) return added.error();
    what = *added ? trace_ops_of::operators : trace_ops_of::host_spans;
  }
  if (!filters_events(o) && o.plane.empty() && o.line.empty())
    found.left_out = lines_left_out(t.files(), **read, selected, what, found.lines);
  for (const activity_input& in : (*read)->inputs()) {
    if (in.unpaired.empty() || !selected.file(in.file)) continue;
    found.begins_without_end += in.begins_without_end;
    found.begins_open += in.begins_open;
    found.ends_without_begin += in.ends_without_begin;
    found.unpaired += (found.unpaired.empty() ? "" : "; ") + in.path + ": " + in.unpaired;
  }
  if (found.lines.size() == before) return {};
  // As in an XSpace: the lines of that name, else those whose name contains it.
  const auto first = found.lines.begin() + static_cast<std::ptrdiff_t>(before);
  const auto has_name = [&](const ops_line& line) { return line.line_name == o.line; };
  if (std::any_of(first, found.lines.end(), has_name))
    found.lines.erase(std::remove_if(first, found.lines.end(), [&](const ops_line& line) { return !has_name(line); }),
                      found.lines.end());
  if (before != 0) found.source += " and ";
  const auto& hosts = (*read)->hosts();
  const auto is_unplaced = [](const activity_host& h) { return h.unplaced_spans != 0; };
  const bool unplaced = what == trace_ops_of::host_spans && std::any_of(hosts.begin(), hosts.end(), is_unplaced);
  found.source += any_kernels ? "kernels of traces and tables"
                  : unplaced  ? "events of traces that do not say which are of devices"
                              : "host spans of traces: no device is recorded";
  return {};
}

// What the trace cuts because it lasts over the start of the next kernel of its stream, of one device.
class cut_kernels final : public kernel_visitor {
 public:
  result<void> rows(const kernel_row* first, std::size_t count) override {
    for (const kernel_row* k = first; k != first + count; ++k)
      if ((k->flags & kernel_cut) != 0) durations_ps.emplace(k->source_row, k->duration_ps);
    return {};
  }
  cut_durations durations_ps;
};
result<cut_durations> find_cut(const trace& t, line_place place, const hooks& host) {
  const auto read = t.all_activity(host);
  if (!read) return read.error();
  cut_kernels cut;
  const auto& devices = (*read)->devices();
  for (std::size_t d = 0; d < devices.size(); ++d)
    if (devices[d].file == place.file && devices[d].plane == place.plane)
      if (auto visited = (*read)->visit_kernels(d, cut, host); !visited) return std::move(visited).error();
  return std::move(cut.durations_ps);
}

// Totals lines of streams anew, with the durations that the trace gives to kernels that it cuts.
class cut_ops_pass final : public line_pass {
 public:
  explicit cut_ops_pass(const task& of) : task_(of) {}
  bool wants(const line_place& place) override { return lines.find(place) != nullptr; }
  std::unique_ptr<line_reader> begin(const line_place& place, std::uint64_t) override {
    return std::make_unique<line_totaller>(task_, place, *lines.find(place), &of_planes.at({place.file, place.plane}));
  }
  by_line<line_totals> lines;
  std::map<std::pair<std::uint32_t, std::int32_t>, cut_durations> of_planes;

 private:
  const task& task_;
};

// Kernels of a stream take turns: where one lasts long over the start of another, its duration may be false.
result<void> read_cut(const trace& t, const task& of, by_line<line_totals>& lines, const hooks& host) {
  cut_ops_pass again(of);
  for (auto& [place, totals] : lines) {
    ops_line& line = totals.line;
    if (line.kind != line_kind::stream || totals.overlap_ps <= overlap_allowed_ps) continue;
    if (of.p.is_streamed(place.file)) {
      line.events_cut.reset();
      continue;
    }
    const auto [at, is_new] = again.of_planes.try_emplace({place.file, place.plane});
    if (is_new) {
      auto cut = find_cut(t, place, host);
      if (!cut) return std::move(cut).error();
      at->second = std::move(*cut);
    }
    if (!at->second.empty()) again.lines.add(place) = of.begin(place);
  }
  if (again.lines.empty()) return {};
  if (auto read = scan_lines(of.p, {&again}, host); !read) return read;
  for (auto& [place, totals] : again.lines) *lines.find(place) = std::move(totals);
  return {};
}

// Files of other families have no ops. Whether they are sound is still the same answer for every command.
result<void> add_damage_of_others(const trace& t, const selection& selected, const hooks& host,
                                  std::vector<file_damage>& damage) {
  std::size_t other = 0;
  while (other < t.files().file_count() && !selected.other_file(other)) ++other;
  if (other == t.files().file_count()) return {};
  const auto looked = analyse_info(t, {}, host);
  if (!looked) return looked.error();
  for (std::uint32_t file = 0; file < looked->files.size(); ++file)
    if (looked->files[file].damage && selected.other_file(file))
      add_damage(damage, file, *looked->files[file].damage);
  return {};
}

class ops_finder final : public line_question {
 public:
  ops_finder(const trace& t, const query_filters& o, const hooks& host, ops_result& into)
      : trace_(t), profile_(t.files()), options_(o), of_events_(o), host_(host), found_(into) {
    // The name picks rows, not events: what an op has to itself depends on all the others.
    of_events_.name.clear();
  }

  line_pass* first_pass() override { return filters_events(of_events_) ? nullptr : &first_; }

  result<void> prepare() override {
    auto selected = selection::make(trace_, of_events_, host_);
    if (!selected) return std::move(selected).error();
    selected_.emplace(std::move(*selected));
    damage_.emplace(profile_, *selected_, damage_list::needs::outline);
    picked_ = pick_lines(profile_, *selected_, first_.lines, options_);
    task_.emplace(task{profile_, *selected_, options_, picked_.only_hlo_ops, {}});
    for (const line_place& place : picked_.places) {
      const auto [at, is_new] = task_->facts.try_emplace({place.file, place.plane});
      if (is_new) at->second = plane_facts_of(plane_at(profile_, place), picked_.only_hlo_ops, options_.split_by_origin);
    }
    pass_.emplace(*task_, picked_.places, first_.lines);
    return {};
  }

  line_pass& pass() override { return *pass_; }

  result<void> finish() override {
    if (auto cut = read_cut(trace_, *task_, pass_->lines, host_); !cut) return cut;
    for (auto& [place, t] : pass_->lines) {
      const plane_index& plane = plane_at(profile_, place);
      const line_index& line = line_at(profile_, place);
      damage_->note_events(place.file, plane, line, t.end, std::max(t.negative_durations, t.reach.negative_durations));
      if (!lies_in_reach(profile_, t, line)) damage_->note_line(place.file, plane, line, 0, event_out_of_reach);
      if (t.line.duration_sum_ps == std::numeric_limits<std::int64_t>::max())
        damage_->note_line(place.file, plane, line, 0, sum_stops);
      if (t.line.events != 0) found_.lines.push_back(std::move(t.line));
    }
    if (!found_.lines.empty()) found_.source = picked_.source;
    if (trace_.has_traces())
      if (auto added = add_traces(trace_, *selected_, options_, host_, found_, *damage_); !added) return added;
    if (found_.lines.empty()) found_.absent = why_absent();
    found_.damage = damage_->take();
    if (found_.lines.empty()) return add_damage_of_others(trace_, *selected_, host_, found_.damage);
    return {};
  }

 private:
  [[nodiscard]] std::string why_absent() const {
    if (trace_.has_traces() && picked_.places.empty())
      return "no device kernel and no host span was recorded, or none is in the part that was asked for";
    std::string why = why_nothing_ran_or(trace_, options_, picked_.absent);
    if (!why.empty()) return why;
    return picked_.only_hlo_ops ? "no line 'XLA Ops', no device stream and no host event with an hlo_op stat"
                                : "no event of " + picked_.source + " is in the part that was asked for";
  }

  const trace& trace_;
  const profile& profile_;
  const query_filters options_;
  query_filters of_events_;
  const hooks& host_;
  first_ops_pass first_;
  std::optional<selection> selected_;
  std::optional<damage_list> damage_;
  picked_lines picked_;
  std::optional<task> task_;
  std::optional<ops_pass> pass_;
  ops_result& found_;
};

// What a trace says of an op, in the form of stats of an XSpace.
std::vector<named_stat> stats_of_kernels(const op_row& row) {
  std::vector<named_stat> stats;
  const auto add = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    named_stat& stat = stats.emplace_back();
    stat.name = name;
    stat.kind = stat_kind::str_value;
    stat.from = named_stat::origin::metadata;
    stat.text = text;
  };
  add("category", row.category);
  add("op_type", row.op_type);
  add("core", row.core);
  add("tf_op", row.framework_op);
  const auto add_number = [&](std::string_view name, std::uint64_t number) {
    if (number == 0) return;
    named_stat& stat = stats.emplace_back();
    stat.name = name;
    stat.kind = stat_kind::uint64_value;
    stat.from = named_stat::origin::metadata;
    stat.bits = number;
  };
  add_number("flops", row.flops);
  add_number("bytes_accessed", row.bytes);
  return stats;
}

}  // namespace

event_metadata_view op_row::metadata() const noexcept {
  return entry.data() == nullptr ? event_metadata_view() : event_metadata_view(entry);
}

bool is_async_half(const op_row& op) noexcept {
  if (!op.has_metadata_id && !op.program_id) return false;  // a kernel, no instruction of a program
  return role_of(instruction_name(op.display_name.empty() ? op.name : op.display_name)) != async_role::none;
}

std::unique_ptr<line_question> ops_question(const trace& t, const query_filters& o, const hooks& host, ops_result& into) {
  return std::make_unique<ops_finder>(t, o, host, into);
}

result<ops_result> analyse_ops(const trace& t, const query_filters& o, const hooks& host) {
  return contained([&] { return answer_alone(ops_question, t, o, host); });
}

std::vector<named_stat> op_stats(const profile& p, const ops_line& line, const op_row& row) {
  if (!row.has_metadata_id) return stats_of_kernels(row);
  const plane_index* const plane = find_plane(p, line.file, line.plane);
  return plane == nullptr ? std::vector<named_stat>() : name_stats(*plane, row.metadata().stats(), named_stat::origin::metadata);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
