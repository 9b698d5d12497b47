#include <analyse/collectives/async_ops.hpp>

#include <analyse/collectives/copied.hpp>
#include <trace/stats.hpp>
#include <base/collective_names.hpp>
#include <base/hash_map.hpp>
#include <base/id_table.hpp>
#include <base/affix.hpp>
#include <formats/xspace/event_collectives.hpp>
#include <formats/xspace/xspace_names.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/interval.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// One event of an async line. Its stats are read when its row is made.
struct async_event {
  std::int64_t start_ps = 0, duration_ps = 0;
  std::int64_t metadata_id = 0;
  const char* stats = nullptr;
  std::uint32_t stats_bytes = 0;
  std::int32_t line = 0;
  [[nodiscard]] std::int64_t end_ps() const noexcept { return start_ps + duration_ps; }  // checked by line_clock
};

// What is kept of the events of a flow. Of equal starts the one that stands first in the file came first.
struct flow_group {
  std::optional<std::uint64_t> flow;
  async_event first;
  std::uint32_t pair = 0;  // where the rest is kept; only of a flow that has more events
  std::uint64_t events = 0;
};
struct flow_pair {
  async_event last;
  std::optional<async_event> last_done;  // of those that say so
  std::int64_t end_ps = std::numeric_limits<std::int64_t>::min();
};

// The end of an operation, as ops lines have it: how long the device waited for it, and when it was done by its clock.
struct awaited_op {
  std::int64_t at_ps = 0;  // its end
  std::string_view name;
  std::optional<std::int64_t> waited_ps = std::nullopt, device_end_ps = std::nullopt;
};
// Its beginning, as ops lines have it.
struct begun_op {
  std::int64_t at_ps = 0;  // its start
  std::string_view name;
  std::optional<std::int64_t> device_start_ps = std::nullopt;
};
// In order, the first of equal ones in the file.
template <class Op>
class ops_by_time {
 public:
  void want(Op op) { ops_.push_back(op); }
  void sort() {
    std::sort(ops_.begin(), ops_.end(), goes_before);
    const auto equal = [](const Op& a, const Op& b) { return !goes_before(a, b) && !goes_before(b, a); };
    ops_.erase(std::unique(ops_.begin(), ops_.end(), equal), ops_.end());
    for (const Op& op : ops_) times_.insert(op.at_ps);
  }
  [[nodiscard]] bool empty() const noexcept { return ops_.empty(); }
  [[nodiscard]] bool any_at(std::int64_t ps) const { return times_.contains(ps); }
  [[nodiscard]] Op* find(std::int64_t at_ps, std::string_view name) {
    const auto at = std::lower_bound(ops_.begin(), ops_.end(), Op{at_ps, name}, goes_before);
    return at != ops_.end() && at->at_ps == at_ps && at->name == name ? &*at : nullptr;
  }

 private:
  static bool goes_before(const Op& a, const Op& b) noexcept {
    return std::tie(a.at_ps, a.name) < std::tie(b.at_ps, b.name);
  }
  std::vector<Op> ops_;
  hash_set<std::int64_t> times_;
};

// The copies of a plane from one memory to another.
struct flights {
  transfer_total total;
  std::vector<interval> by_trace, by_device;
  bool has_stalls = true;
};

class async_finder {
 public:
  async_finder(const profile& p, const selection& selected, damage_list& damage, progress_meter& meter,
               collectives_result& into)
      : profile_(p), selected_(selected), damage_(damage), meter_(meter), found_(into) {}

  result<void> add_plane(std::size_t file, std::size_t plane_at) {
    file_ = file;
    plane_at_ = plane_at;
    readable_end_ = end_of(profile_.bytes(file));
    const plane_index& plane = profile_.xspace(file)->planes[plane_at];
    ids_of_flow_ = stat_ids(plane, "flow");
    ids_of_hlo_op_ = stat_ids(plane, "hlo_op");
    ids_of_device_duration_ = stat_ids(plane, "device_duration_ps");
    ids_of_device_offset_ = stat_ids(plane, "device_offset_ps");
    ids_of_category_ = stat_ids(plane, "hlo_category");
    groups_.clear();
    pairs_.clear();
    by_flow_.clear();
    roles_ = {};
    awaited_ = {};
    begun_ = {};
    for (std::size_t line = 0; line < plane.lines.size(); ++line) {
      if (plane.lines[line].kind != line_kind::async || !selected_.line(plane.lines[line])) continue;
      if (result<void> added = add_line(plane, line); !added) return added;
    }
    if (groups_.empty()) return {};
    find_on_ops_lines(plane);
    home_ = contains(plane.name, "TPU:") ? program_home::tpu : program_home::unknown;
    for (const flow_group& group : groups_) {
      std::optional<interval> by_device;
      found_.async.push_back(row_of(plane, group, by_device));
      add_transfer(found_.async.back(), by_device);
    }
    add_transfers();
    return {};
  }

 private:
  result<void> add_line(const plane_index& plane, std::size_t line_at) {
    const line_index& line = plane.lines[line_at];
    const line_clock clock(profile_, file_, line, complete_header(line));
    const event_filter filter = selected_.events_of(file_, plane_at_);
    for_each_event(line, file_, plane, damage_, [&](const event_row& row) {
      const std::optional<std::int64_t> start = clock.start_of(row);
      if (!start && clock.base_ps() && (row.flags & event_has_occurrences) == 0)
        damage_.note_line(file_, plane, line, 0, event_out_of_reach);
      if (!start || !filter.keeps(row, start)) return;
      async_event event;
      event.line = static_cast<std::int32_t>(line_at);
      event.start_ps = *start;
      event.duration_ps = row.duration_ps;
      event.metadata_id = row.metadata_id;
      event.stats = row.stats;
      event.stats_bytes = row.stats_bytes;
      std::optional<std::uint64_t> flow;
      if (const auto stat = find_stat(row, ids_of_flow_, readable_end_))
        if (const auto number = integer_value(*stat)) flow = static_cast<std::uint64_t>(*number);
      add_to_flow(plane, group_of(flow), event);
    });
    return meter_.step(line.offset + line.body.size());
  }

  flow_group& group_of(std::optional<std::uint64_t> flow) {
    if (!flow) {
      ++found_.events_without_flow;
      return groups_.emplace_back();
    }
    const auto [at, added] = by_flow_.emplace(*flow, groups_.size());
    if (!added) return groups_[at->second];
    ++found_.flows;
    groups_.emplace_back().flow = flow;
    return groups_.back();
  }

  void add_to_flow(const plane_index& plane, flow_group& group, const async_event& event) {
    if (++group.events == 1) {
      group.first = event;
      return;
    }
    if (group.events == 2) {
      group.pair = static_cast<std::uint32_t>(pairs_.size());
      pairs_.emplace_back();
      add_to_pair(plane, pairs_.back(), group.first);
    }
    add_to_pair(plane, pairs_[group.pair], event);
    if (event.start_ps < group.first.start_ps) group.first = event;
  }

  void add_to_pair(const plane_index& plane, flow_pair& pair, const async_event& event) {
    if (pair.last.stats == nullptr || event.start_ps >= pair.last.start_ps) pair.last = event;
    if (role_of_id(plane, event.metadata_id) == async_role::done &&
        (!pair.last_done || event.start_ps >= pair.last_done->start_ps))
      pair.last_done = event;
    pair.end_ps = std::max(pair.end_ps, event.end_ps());
  }

  async_role role_of_id(const plane_index& plane, std::int64_t metadata_id) {
    std::optional<async_role>& role = roles_[metadata_id];
    if (!role) role = role_of(instruction_name(plane.event_name(metadata_id)));
    return *role;
  }

  // The done operation that ends a flow, as an ops line would have it: the done event of a pair, what a lone event names.
  std::optional<awaited_op> awaited_of(const plane_index& plane, const flow_group& group) {
    if (group.events > 1) {
      const std::optional<async_event>& done = pairs_[group.pair].last_done;
      if (!done) return std::nullopt;
      return awaited_op{done->end_ps(), instruction_name(plane.event_name(done->metadata_id))};
    }
    if (is_unmatched(plane, group)) return std::nullopt;
    return awaited_op{group.first.end_ps(), hlo_op_of(plane, group.first)};
  }

  // The ends and beginnings of the operations on ops lines of the plane.
  void find_on_ops_lines(const plane_index& plane) {
    in_pairs_ = !pairs_.empty();
    for (const flow_group& group : groups_) {
      const std::optional<awaited_op> op = awaited_of(plane, group);
      if (!op || role_of(op->name) != async_role::done) continue;
      awaited_.want(*op);
      begun_.want({group.first.start_ps, instruction_name(plane.event_name(group.first.metadata_id))});
    }
    if (awaited_.empty()) return;
    awaited_.sort();
    begun_.sort();
    for (const line_index& line : plane.lines) {
      if (line.kind != line_kind::ops) continue;
      const line_clock clock(profile_, file_, line, complete_header(line));
      for_each_event(line, file_, plane, damage_, [&](const event_row& row) {
        const async_role role = role_of_id(plane, row.metadata_id);
        if (role == async_role::none) return;
        if (const std::optional<std::int64_t> start = clock.start_of(row)) look_at_op(plane, row, role, *start);
      });
    }
  }

  void look_at_op(const plane_index& plane, const event_row& row, async_role role, std::int64_t start_ps) {
    const std::int64_t end_ps = start_ps + row.duration_ps;
    if (role == async_role::start && begun_.any_at(start_ps)) {
      begun_op* const op = begun_.find(start_ps, instruction_name(plane.event_name(row.metadata_id)));
      if (op != nullptr && !op->device_start_ps) op->device_start_ps = device_start_of(row);
    }
    if (role != async_role::done || !awaited_.any_at(end_ps)) return;
    awaited_op* const op = awaited_.find(end_ps, instruction_name(plane.event_name(row.metadata_id)));
    if (op == nullptr || op->waited_ps) return;
    op->waited_ps = device_duration_of(row).value_or(row.duration_ps);
    op->device_end_ps = device_end_of(row);
  }

  // In a capture that writes pairs, a start that does not name its end, or a done, is one whose other half is missing.
  bool is_unmatched(const plane_index& plane, const flow_group& group) {
    const async_role role = role_of_id(plane, group.first.metadata_id);
    if (role == async_role::done) return true;
    return in_pairs_ && group.flow && role == async_role::start &&
           role_of(hlo_op_of(plane, group.first)) != async_role::done;
  }

  // Gives the flight by the device's clock, too, where the capture has it.
  async_row row_of(const plane_index& plane, const flow_group& group, std::optional<interval>& by_device) {
    const async_event& first = group.first;
    async_row row;
    row.file = static_cast<std::uint32_t>(file_);
    row.plane = static_cast<std::int32_t>(plane_at_);
    row.line = first.line;
    row.flow = group.flow;
    row.name = plane.event_name(first.metadata_id);
    row.hlo_op = hlo_op_of(plane, first);
    row.category = category_of(plane, first.metadata_id, row.name);
    row.start_ps = first.start_ps;
    row.duration_ps = first.duration_ps;
    row.events = static_cast<std::uint32_t>(std::min<std::uint64_t>(group.events, UINT32_MAX));
    if (const std::optional<copied_array> copied = copied_by(row.name)) {
      row.bytes = copied->bytes;
      row.from_space = memory_space_name(copied->from_space, home_);
      row.to_space = memory_space_name(copied->to_space, home_);
    }
    if (group.events > 1)
      by_device = fill_pair(group, row);
    else
      fill_lone(plane, group, row);
    if (!row.exposed_stall_ps) by_device = fill_awaited(awaited_of(plane, group), row);
    hold_stall_against_flight(by_device, row);
    return row;
  }

  void add_transfer(const async_row& row, const std::optional<interval>& by_device) {
    if (!row.bytes) return;
    flights& of = transfers_[{row.from_space, row.to_space}];
    of.total.file = row.file;
    of.total.plane = row.plane;
    of.total.from_space = row.from_space;
    of.total.to_space = row.to_space;
    ++of.total.count;
    of.total.bytes = saturating_add(of.total.bytes, *row.bytes);
    of.total.exposed_stall_ps = saturating_add(of.total.exposed_stall_ps.value_or(0), row.exposed_stall_ps.value_or(0));
    of.has_stalls = of.has_stalls && row.exposed_stall_ps;
    of.by_trace.push_back({row.start_ps, saturating_add(row.start_ps, row.duration_ps)});
    if (by_device) of.by_device.push_back(*by_device);
  }
  // By the device's clock where all of them have it.
  void add_transfers() {
    for (auto& [spaces, of] : transfers_) {
      std::vector<interval>& spans = of.by_device.size() == of.by_trace.size() ? of.by_device : of.by_trace;
      normalise(spans);
      of.total.in_flight_ps = static_cast<std::int64_t>(
          std::min<std::uint64_t>(covered_ps({spans.data(), spans.size()}), std::numeric_limits<std::int64_t>::max()));
      if (!of.has_stalls) of.total.exposed_stall_ps.reset();
      found_.transfers.push_back(of.total);
    }
    transfers_.clear();
  }

  // How long the device waited, where an ops line has it. Gives the flight by the device's clock.
  std::optional<interval> fill_awaited(const std::optional<awaited_op>& op, async_row& row) {
    if (!op) return std::nullopt;
    const awaited_op* const done = awaited_.find(op->at_ps, op->name);
    if (done == nullptr || !done->waited_ps) return std::nullopt;
    row.exposed_stall_ps = done->waited_ps;
    row.exposed_from = "XLA Ops";
    const begun_op* const begun = begun_.find(row.start_ps, instruction_name(row.name));
    return begun == nullptr ? std::nullopt : between(begun->device_start_ps, done->device_end_ps);
  }

  // A wait and the flight that it is part of are by one clock: the device's, where it has both. Where a wait by
  // the device's clock is longer than the flight by the host's, the two cannot be compared.
  static void hold_stall_against_flight(std::optional<interval>& by_device, async_row& row) {
    row.in_flight_ps = row.duration_ps;
    if (!row.exposed_stall_ps) return;
    const std::optional<std::int64_t> flight_ps =
        by_device ? checked_sub(by_device->end_ps, by_device->start_ps) : std::nullopt;
    if (flight_ps && *flight_ps >= *row.exposed_stall_ps)
      row.in_flight_ps = *flight_ps;
    else
      by_device.reset();
    if (*row.exposed_stall_ps <= row.in_flight_ps) return;
    row.exposed_stall_ps.reset();
    row.exposed_from = {};
  }

  // Gives the flight by the device's clock.
  std::optional<interval> fill_pair(const flow_group& group, async_row& row) const {
    const flow_pair& pair = pairs_[group.pair];
    row.shape = async_row::form::pair;
    // The done event: the last that says so, else the last.
    const async_event& last = pair.last_done ? *pair.last_done : pair.last;
    row.duration_ps = checked_sub(std::max(pair.end_ps, row.start_ps), row.start_ps).value_or(0);
    row.exposed_stall_ps = device_duration_of(last);
    if (!row.exposed_stall_ps) return std::nullopt;
    row.exposed_from = "done event";
    return last.end_ps() == pair.end_ps ? between(device_start_of(group.first), device_end_of(last)) : std::nullopt;
  }

  // A flow with one event. Real TPU captures write one event from start to done, named after the start, with
  // the done operation in hlo_op; in a capture that writes pairs its other half is missing.
  void fill_lone(const plane_index& plane, const flow_group& group, async_row& row) {
    if (role_of_id(plane, group.first.metadata_id) == async_role::done) {
      row.shape = async_row::form::unmatched_done;
      row.exposed_stall_ps = device_duration_of(group.first);
      if (row.exposed_stall_ps) row.exposed_from = "done event";
      return;
    }
    if (is_unmatched(plane, group)) {
      row.shape = async_row::form::unmatched_start;
      return;
    }
    row.shape = async_row::form::single;
  }

  template <class Event>
  std::optional<std::int64_t> device_duration_of(const Event& event) const {
    const auto waited = find_stat(row_with_stats_of(event), ids_of_device_duration_, readable_end_);
    return waited ? integer_value(*waited) : std::nullopt;
  }
  template <class Event>
  std::optional<std::int64_t> device_start_of(const Event& event) const {
    const auto start = find_stat(row_with_stats_of(event), ids_of_device_offset_, readable_end_);
    return start ? integer_value(*start) : std::nullopt;
  }
  template <class Event>
  std::optional<std::int64_t> device_end_of(const Event& event) const {
    const std::optional<std::int64_t> start = device_start_of(event), duration = device_duration_of(event);
    return start && duration ? checked_add(*start, *duration) : std::nullopt;
  }
  static std::optional<interval> between(std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
    return start && end ? std::optional(interval{*start, *end}) : std::nullopt;
  }
  std::string_view hlo_op_of(const plane_index& plane, const async_event& event) const {
    const auto hlo_op = find_stat(row_with_stats_of(event), ids_of_hlo_op_, readable_end_);
    return hlo_op ? text_value(plane, *hlo_op) : std::string_view();
  }
  static const event_row& row_with_stats_of(const event_row& row) noexcept { return row; }
  static event_row row_with_stats_of(const async_event& event) noexcept {
    return {event.metadata_id, 0, event.duration_ps, 0, event.stats, event.stats_bytes, 0};
  }

  std::string_view category_of(const plane_index& plane, std::int64_t metadata_id, std::string_view name) const {
    std::string_view text = instruction_name(name);
    if (const metadata_entry entry = plane.event_metadata.find(metadata_id))
      for (const stat_view stat : event_metadata_view(entry.bytes).stats())
        if (std::find(ids_of_category_.begin(), ids_of_category_.end(), stat.metadata_id()) != ids_of_category_.end())
          text = text_value(plane, stat);
    const std::string_view collective = collective_of(text);
    return collective.empty() ? operation_of(text) : collective;
  }

  const profile& profile_;
  const selection& selected_;
  damage_list& damage_;
  progress_meter& meter_;
  collectives_result& found_;
  std::size_t file_ = 0, plane_at_ = 0;
  const char* readable_end_ = nullptr;  // of the file
  std::vector<std::int64_t> ids_of_flow_, ids_of_hlo_op_, ids_of_device_duration_, ids_of_device_offset_,
      ids_of_category_;
  std::vector<flow_group> groups_;
  std::vector<flow_pair> pairs_;  // of the groups that have more than one event
  hash_map<std::uint64_t, std::size_t> by_flow_;
  id_table<std::optional<async_role>> roles_;  // of metadata ids
  ops_by_time<awaited_op> awaited_;            // of the plane's operations
  ops_by_time<begun_op> begun_;
  bool in_pairs_ = false;
  program_home home_ = program_home::unknown;
  std::map<std::pair<std::string_view, std::string_view>, flights> transfers_;  // by the spaces from and to
};

}  // namespace

result<void> find_async_ops(const profile& p, const selection& selected, damage_list& damage, progress_meter& meter,
                            collectives_result& into) {
  async_finder finder(p, selected, damage, meter, into);
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    if (!selected.file(file)) continue;
    const std::vector<plane_index>& planes = p.xspace(file)->planes;
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      if (!selected.plane(planes[plane])) continue;
      if (result<void> added = finder.add_plane(file, plane); !added) return added;
    }
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
