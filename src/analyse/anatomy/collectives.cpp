// Communication: asynchronous operations joined by flow, collectives on ops lines, kernels of communication
// libraries.
#include <analyse/anatomy/program_opcodes.hpp>
#include <analyse/anatomy/select.hpp>
#include <analyse/anatomy/stats.hpp>
#include <base/collective_names.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/progress.hpp>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// One event of an async line.
struct async_event {
  std::int32_t line = 0;
  std::int64_t start_ps = 0, duration_ps = 0;
  std::int64_t metadata_id = 0;
  std::string_view name, hlo_op;
  std::optional<std::int64_t> device_duration_ps;
  async_role role = async_role::none;
  [[nodiscard]] std::int64_t end_ps() const noexcept { return start_ps + duration_ps; }  // checked by line_clock
};
struct flow_group {
  std::optional<std::uint64_t> flow;
  std::vector<async_event> events;
};

// A done operation on an ops line.
struct done_event {
  std::int64_t end_ps;
  std::string_view name;
  std::int64_t waited_ps;
};

class async_finder {
 public:
  async_finder(const profile& p, const selection& selected, damage_list& damage, progress_meter& meter,
               collectives_result& into)
      : profile_(p), selected_(selected), damage_(damage), meter_(meter), found_(into) {}

  result<void> add_plane(std::size_t file, std::size_t plane_at) {
    file_ = file;
    plane_at_ = plane_at;
    const plane_index& plane = profile_.xspace(file)->planes[plane_at];
    ids_of_flow_ = stat_ids(plane, "flow");
    ids_of_hlo_op_ = stat_ids(plane, "hlo_op");
    ids_of_device_duration_ = stat_ids(plane, "device_duration_ps");
    ids_of_category_ = stat_ids(plane, "hlo_category");
    groups_.clear();
    by_flow_.clear();
    for (std::size_t line = 0; line < plane.lines.size(); ++line) {
      if (plane.lines[line].kind != line_kind::async || !selected_.line(plane.lines[line])) continue;
      if (result<void> added = add_line(plane, line); !added) return added;
    }
    if (groups_.empty()) return {};
    const auto any = [&](auto what) { return std::any_of(groups_.begin(), groups_.end(), what); };
    const bool in_pairs = any([](const flow_group& g) { return g.events.size() > 1; });
    const bool alone =
        any([](const flow_group& g) { return g.events.size() == 1 && !g.events.front().hlo_op.empty(); });
    std::vector<done_event> done;
    if (alone) done = find_done_events(plane);
    for (flow_group& group : groups_) found_.async.push_back(row_of(plane, group, in_pairs, done));
    return {};
  }

 private:
  result<void> add_line(const plane_index& plane, std::size_t line_at) {
    const line_index& line = plane.lines[line_at];
    const line_clock clock(profile_, file_, line, complete_header(line));
    const event_filter filter = selected_.events_of(file_, plane_at_);
    for_each_event(line, file_, plane, damage_, [&](const event_row& row) {
      const std::optional<std::int64_t> start = clock.start_of(row);
      if (!start || !filter.keeps(row, start)) return true;
      async_event event;
      event.line = static_cast<std::int32_t>(line_at);
      event.start_ps = *start;
      event.duration_ps = row.duration_ps;
      event.metadata_id = row.metadata_id;
      event.name = plane.event_name(row.metadata_id);
      event.role = role_of(instruction_name(event.name));
      if (const auto hlo_op = find_stat(row, ids_of_hlo_op_)) event.hlo_op = text_value(plane, *hlo_op);
      if (const auto waited = find_stat(row, ids_of_device_duration_))
        event.device_duration_ps = integer_value(*waited);
      std::optional<std::uint64_t> flow;
      if (const auto stat = find_stat(row, ids_of_flow_))
        if (const auto number = integer_value(*stat)) flow = static_cast<std::uint64_t>(*number);
      group_of(flow).events.push_back(event);
      return true;
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

  // Done operations of the plane's ops lines by when they end: one ends exactly with its asynchronous event.
  std::vector<done_event> find_done_events(const plane_index& plane) {
    std::vector<done_event> done;
    hash_map<std::int64_t, std::string_view> names;  // of done operations; empty for other ids
    for (const line_index& line : plane.lines) {
      if (line.kind != line_kind::ops) continue;
      const line_clock clock(profile_, file_, line, complete_header(line));
      for_each_event(line, file_, plane, damage_, [&](const event_row& row) {
        const auto [at, added] = names.try_emplace(row.metadata_id);
        if (added) {
          const std::string_view name = instruction_name(plane.event_name(row.metadata_id));
          if (role_of(name) == async_role::done) at->second = name;
        }
        const std::optional<std::int64_t> start = clock.start_of(row);
        if (at->second.empty() || !start) return true;
        std::optional<std::int64_t> waited;
        if (const auto stat = find_stat(row, ids_of_device_duration_)) waited = integer_value(*stat);
        done.push_back({*start + row.duration_ps, at->second, waited.value_or(row.duration_ps)});
        return true;
      });
    }
    std::stable_sort(done.begin(), done.end(), [](const done_event& a, const done_event& b) {
      return std::tie(a.end_ps, a.name) < std::tie(b.end_ps, b.name);
    });
    return done;
  }

  async_row row_of(const plane_index& plane, flow_group& group, bool in_pairs, const std::vector<done_event>& done) {
    std::stable_sort(group.events.begin(), group.events.end(),
                     [](const async_event& a, const async_event& b) { return a.start_ps < b.start_ps; });
    const async_event& first = group.events.front();
    async_row row;
    row.file = static_cast<std::uint32_t>(file_);
    row.plane = static_cast<std::int32_t>(plane_at_);
    row.line = first.line;
    row.flow = group.flow;
    row.name = first.name;
    row.hlo_op = first.hlo_op;
    row.category = category_of(plane, first);
    row.start_ps = first.start_ps;
    row.duration_ps = first.duration_ps;
    row.events = static_cast<std::uint32_t>(std::min<std::size_t>(group.events.size(), UINT32_MAX));
    if (group.events.size() > 1)
      fill_pair(group, row);
    else
      fill_lone(first, in_pairs && group.flow, done, row);
    return row;
  }

  static void fill_pair(const flow_group& group, async_row& row) {
    row.shape = async_row::form::pair;
    // The done event: the last that says so, else the last.
    const auto says_done = std::find_if(group.events.rbegin(), group.events.rend(),
                                        [](const async_event& e) { return e.role == async_role::done; });
    const async_event& last = says_done != group.events.rend() ? *says_done : group.events.back();
    std::int64_t end_ps = row.start_ps;
    for (const async_event& e : group.events) end_ps = std::max(end_ps, e.end_ps());
    row.duration_ps = checked_sub(end_ps, row.start_ps).value_or(0);
    row.exposed_stall_ps = last.device_duration_ps;
    if (row.exposed_stall_ps) row.exposed_from = "done event";
  }

  // A flow with one event. Real TPU captures write one event from start to done, named after the start, with
  // the done operation in hlo_op; in a capture that writes pairs its other half is missing.
  static void fill_lone(const async_event& event, bool in_pairs, const std::vector<done_event>& done, async_row& row) {
    const bool names_both = event.role == async_role::start && role_of(event.hlo_op) == async_role::done;
    if (event.role == async_role::done) {
      row.shape = async_row::form::unmatched_done;
      row.exposed_stall_ps = event.device_duration_ps;
      if (row.exposed_stall_ps) row.exposed_from = "done event";
      return;
    }
    if (in_pairs && !names_both && event.role == async_role::start) {
      row.shape = async_row::form::unmatched_start;
      return;
    }
    row.shape = async_row::form::single;
    const auto key = std::make_pair(event.end_ps(), event.hlo_op);
    const auto at = std::lower_bound(done.begin(), done.end(), key, [](const done_event& d, const auto& k) {
      return std::tie(d.end_ps, d.name) < std::tie(k.first, k.second);
    });
    if (at == done.end() || at->end_ps != key.first || at->name != key.second) return;
    row.exposed_stall_ps = at->waited_ps;
    row.exposed_from = "XLA Ops";
  }

  std::string_view category_of(const plane_index& plane, const async_event& event) const {
    std::string_view text = instruction_name(event.name);
    if (const metadata_entry entry = plane.event_metadata.find(event.metadata_id))
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
  std::vector<std::int64_t> ids_of_flow_, ids_of_hlo_op_, ids_of_device_duration_, ids_of_category_;
  std::vector<flow_group> groups_;
  hash_map<std::uint64_t, std::size_t> by_flow_;
};

// The collective that a name or opcode means, with "-start" or "-done" where it is a half; else empty.
std::string_view category_of_name(std::string_view name) {
  const std::string_view collective = collective_of(name);
  const async_role role = role_of(name);
  if (collective.empty() || role == async_role::none) return collective;
  return name.substr(0, operation_of(name).size() + (role == async_role::start ? 6 : 5));
}

// The category of an op if it communicates; else empty.
std::string_view op_category(const profile& p, const ops_line& line, const op_row& op) {
  if (line.kind == line_kind::stream) return collective_library_of(op.metadata().name());
  for (const named_stat& stat : op_stats(p, line, op))
    if (stat.name == "hlo_category" && !collective_of(stat.text).empty())
      return role_of(stat.text) == async_role::none ? collective_of(stat.text) : stat.text;
  return category_of_name(instruction_name(op.metadata().name()));
}

void add_ops(const profile& p, const ops_line& line, collectives_result& into) {
  for (const op_row op : line.ops) {
    const std::string_view category = op_category(p, line, op);
    if (category.empty()) continue;
    collective_op_row& row = into.ops.emplace_back();
    row.file = line.file;
    row.plane = line.plane;
    row.line = line.line;
    row.name = op.metadata().name();
    row.category = category;
    row.count = op.count;
    row.total_ps = op.total_ps;
    row.min_ps = op.min_ps;
    row.max_ps = op.max_ps;
  }
}

// Collectives among the ops that host threads ran. Their name is no more than a hint: each event names its program,
// and the program inside the file knows the instruction. Instructions of different programs share names and
// metadata ids, so that every event is looked at.
class host_op_finder {
 public:
  host_op_finder(const profile& p, const selection& selected, damage_list& damage, progress_meter& meter,
                 collectives_result& into)
      : profile_(p), selected_(selected), damage_(damage), meter_(meter), found_(into) {}

  result<void> add_line(const ops_line& at) {
    const xspace_index& space = *profile_.xspace(at.file);
    const auto plane_at = static_cast<std::size_t>(at.plane);
    if (file_ != at.file) {
      file_ = at.file;
      opcodes_.emplace(space);
      plane_ = no_plane;
    }
    const plane_index& plane = space.planes[plane_at];
    if (plane_ != plane_at) enter_plane(plane, plane_at);
    const line_index& line = plane.lines[static_cast<std::size_t>(at.line)];
    const line_clock clock(profile_, at.file, line, complete_header(line));
    const event_filter filter = selected_.events_of(at.file, plane_at);
    const std::size_t first_row = found_.ops.size();
    hash_map<std::pair<std::int64_t, std::string_view>, std::size_t> rows;  // by metadata id and category
    for_each_event(line, at.file, plane, damage_, [&](const event_row& event) {
      if (!filter.keeps(event, clock.start_of(event))) return true;
      const std::string_view category = category_of(plane, event);
      if (category.empty()) return true;
      const auto [row, is_new] = rows.try_emplace({event.metadata_id, category}, found_.ops.size());
      if (is_new) {
        collective_op_row& added = found_.ops.emplace_back();
        added.file = at.file;
        added.plane = at.plane;
        added.line = at.line;
        added.name = plane.event_name(event.metadata_id);
        added.category = category;
        added.min_ps = std::numeric_limits<std::int64_t>::max();
        added.max_ps = -1;
      }
      count(event, found_.ops[row->second]);
      return true;
    });
    for (std::size_t i = first_row; i < found_.ops.size(); ++i)
      if (found_.ops[i].max_ps < 0) found_.ops[i].min_ps = found_.ops[i].max_ps = 0;  // aggregated events alone
    return meter_.step(line.offset + line.body.size());
  }

 private:
  static constexpr std::size_t no_plane = static_cast<std::size_t>(-1);
  using instruction_key = std::tuple<std::optional<std::int64_t>, std::string_view, std::string_view>;

  void enter_plane(const plane_index& plane, std::size_t plane_at) {
    plane_ = plane_at;
    ids_of_hlo_op_ = stat_ids(plane, "hlo_op");
    ids_of_module_ = stat_ids(plane, "hlo_module");
    ids_of_program_ = stat_ids(plane, "program_id");
    categories_.clear();
  }

  std::string_view category_of(const plane_index& plane, const event_row& event) {
    const auto hlo_op = find_stat(event, ids_of_hlo_op_);
    if (!hlo_op) return {};
    instruction_key key;
    auto& [program, module, instruction] = key;
    instruction = text_value(plane, *hlo_op);
    if (const auto stat = find_stat(event, ids_of_module_)) module = text_value(plane, *stat);
    if (const auto stat = find_stat(event, ids_of_program_)) program = integer_value(*stat);
    const auto [at, is_new] = categories_.try_emplace(key);
    if (is_new) {
      const std::string_view opcode = opcodes_->find(program, module, instruction);
      at->second = category_of_name(opcode.empty() ? instruction_name(instruction) : opcode);
    }
    return at->second;
  }

  // As op_totals counts.
  static void count(const event_row& event, collective_op_row& row) {
    const std::int64_t duration_ps = std::max<std::int64_t>(event.duration_ps, 0);
    row.total_ps = saturating_add(row.total_ps, duration_ps);
    if ((event.flags & event_has_occurrences) != 0) {
      row.count += static_cast<std::uint64_t>(std::max<std::int64_t>(event.num_occurrences, 0));
      return;
    }
    ++row.count;
    row.min_ps = std::min(row.min_ps, duration_ps);
    row.max_ps = std::max(row.max_ps, duration_ps);
  }

  const profile& profile_;
  const selection& selected_;
  damage_list& damage_;
  progress_meter& meter_;
  collectives_result& found_;
  std::optional<program_opcodes> opcodes_;  // of the file
  std::optional<std::uint32_t> file_;
  std::size_t plane_ = no_plane;
  std::vector<std::int64_t> ids_of_hlo_op_, ids_of_module_, ids_of_program_;
  hash_map<instruction_key, std::string_view> categories_;
};

result<collectives_result> find_collectives(const profile& p, const anatomy_options& o, const hooks& host) {
  result<selection> selected = selection::make(p, o, host);
  if (!selected) return std::move(selected).error();
  result<ops_result> ops = anatomy_ops(p, o, host);
  if (!ops) return std::move(ops).error();

  collectives_result found;
  damage_list damage(p, *selected, is_xspace);
  for (file_damage& d : ops->damage) damage.note(d.file, std::move(d.what));
  progress_meter meter(host);
  async_finder asynchronous(p, *selected, damage, meter, found);
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const xspace_index* space = selected->file(file) ? p.xspace(file) : nullptr;
    for (std::size_t plane = 0; space != nullptr && plane < space->planes.size(); ++plane) {
      if (!selected->plane(space->planes[plane])) continue;
      if (result<void> added = asynchronous.add_plane(file, plane); !added) return std::move(added).error();
    }
  }
  host_op_finder host_ops(p, *selected, damage, meter, found);
  for (const ops_line& line : ops->lines) {
    if (line.kind != line_kind::thread)
      add_ops(p, line, found);
    else if (result<void> added = host_ops.add_line(line); !added)
      return std::move(added).error();
  }
  std::stable_sort(found.ops.begin(), found.ops.end(),
                   [](const collective_op_row& a, const collective_op_row& b) { return a.total_ps > b.total_ps; });
  if (found.async.empty() && found.ops.empty())
    found.absent = why_nothing_or(p, o,
                                  "no event on an 'Async XLA Ops' line, no collective among the ops and no kernel of a "
                                  "communication library");
  found.damage = damage.take();
  return found;
}

}  // namespace

result<collectives_result> anatomy_collectives(const profile& p, const anatomy_options& o, const hooks& host) {
  return contained([&] { return find_collectives(p, o, host); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
