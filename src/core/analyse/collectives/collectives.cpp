// Communication: asynchronous operations, collectives on ops lines, kernels of communication libraries.
#include <analyse/collectives/async_ops.hpp>
#include <trace/filters/select.hpp>
#include <trace/stats.hpp>
#include <base/affix.hpp>
#include <base/collective_names.hpp>
#include <base/communication_kernels.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/id_table.hpp>
#include <base/progress.hpp>
#include <formats/xspace/event_collectives.hpp>
#include <formats/xspace/xspace_names.hpp>
#include <profkit/core/activity.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// The collective that a kernel which communicates spells, in its type or its name; empty when neither does.
std::string_view spelled_by_kernel(std::string_view op_type, std::string_view name) {
  const std::string_view spelled = collective_spelled_in(op_type);
  return spelled.empty() ? collective_spelled_in(name) : spelled;
}
// What such a kernel is called that spells none: its library, else its name.
std::string_view library_of_kernel(std::string_view name) {
  const std::string_view library = collective_library_of(name);
  return library.empty() ? name : library;
}

// The collective of an instruction of this category; else empty. Of a half the category may say the whole: then its name
// says which half it is.
std::string_view collective_by_category(std::string_view category, std::string_view by_name) {
  const std::string_view collective = collective_of(category);
  if (collective.empty()) return {};
  if (role_of(category) != async_role::none) return category;
  return role_of(by_name) != async_role::none && collective_of(by_name) == collective ? by_name : collective;
}

// The category of an op if it communicates; else empty.
std::string_view op_category(const profile& p, const ops_line& line, const op_row& op) {
  const std::string_view by_name = collective_with_role(instruction_name(op.name));
  if (!op.has_metadata_id)
    if (const std::string_view named = collective_by_category(op.category, by_name); !named.empty()) return named;
  if (!op.has_metadata_id || line.kind == line_kind::stream) {
    const bool communicates = op.has_metadata_id || op.program_id ? classify_kernel(op.name, {}) == kernel_class::comm
                                                 : op.category == kernel_class_name(kernel_class::comm);
    if (!communicates) return {};
    const std::string_view spelled = spelled_by_kernel(op.op_type, op.name);
    return spelled.empty() ? library_of_kernel(op.name) : spelled;
  }
  for (const named_stat& stat : op_stats(p, line, op)) {
    if (stat.name != "hlo_category") continue;
    if (const std::string_view named = collective_by_category(stat.text, by_name); !named.empty()) return named;
  }
  return by_name;
}

void add_ops(const profile& p, const ops_line& line, collectives_result& into) {
  hash_map<std::int64_t, std::size_t> rows;  // by metadata id: an op of several programs is one collective
  for (const op_row op : line.ops) {
    const std::string_view category = op_category(p, line, op);
    if (category.empty()) continue;
    const auto [at, is_new] =
        op.has_metadata_id ? rows.try_emplace(op.metadata_id, into.ops.size()) : std::pair(rows.end(), true);
    if (!is_new) {
      collective_op_row& known = into.ops[at->second];
      known.count += op.count;
      known.total_ps = saturating_add(known.total_ps, op.total_ps);
      known.min_ps = std::min(known.min_ps, op.min_ps);
      known.max_ps = std::max(known.max_ps, op.max_ps);
      continue;
    }
    collective_op_row& row = into.ops.emplace_back();
    row.file = line.file;
    row.plane = line.plane;
    row.line = line.line;
    row.plane_name = line.plane_name;
    row.name = op.name;
    row.category = category;
    row.on_stream = line.kind == line_kind::stream;
    row.is_half = role_of(category) != async_role::none;
    row.count = op.count;
    row.total_ps = op.total_ps;
    row.min_ps = op.min_ps;
    row.max_ps = op.max_ps;
  }
}

// Collectives among the ops of host threads and the kernels of streams, whose events name the instruction that they
// run for: of one op some events may be of a collective and others not, so that every event is looked at.
class event_op_finder {
 public:
  event_op_finder(const profile& p, const selection& selected, damage_list& damage, progress_meter& meter,
                  collectives_result& into)
      : profile_(p), selected_(selected), damage_(damage), meter_(meter), found_(into) {}

  // Whether the events of a line say more than its ops do.
  [[nodiscard]] bool wants(const ops_line& line) const {
    const plane_index* const plane = find_plane(profile_, line.file, line.plane);
    if (plane == nullptr) return false;
    return line.kind == line_kind::thread || (line.kind == line_kind::stream && event_collectives::named_in(*plane));
  }

  result<void> add_line(const ops_line& at) {
    const plane_index& plane = plane_of(at);
    if (plane_ != &plane) enter_plane(at, plane);
    const line_index& line = plane.lines[static_cast<std::size_t>(at.line)];
    const line_clock clock(profile_, at.file, line, complete_header(line));
    const event_filter filter = selected_.events_of(at.file, static_cast<std::size_t>(at.plane));
    const bool on_stream = line.kind == line_kind::stream;
    const std::size_t first_row = found_.ops.size();
    hash_map<std::pair<std::int64_t, std::string_view>, std::size_t> rows;  // by metadata id and category
    for_each_event(line, at.file, plane, damage_, [&](const event_row& event) {
      const std::string_view category =
          on_stream ? category_of_kernel(plane, event) : collectives_.of(event.stats, event.stats_bytes);
      if (category.empty() || !filter.keeps(event, clock.start_of(event))) return;
      const auto [row, is_new] = rows.try_emplace({event.metadata_id, category}, found_.ops.size());
      if (is_new) {
        collective_op_row& added = found_.ops.emplace_back();
        added.file = at.file;
        added.plane = at.plane;
        added.line = at.line;
        added.plane_name = at.plane_name;
        added.name = plane.event_name(event.metadata_id);
        added.category = category;
        added.on_stream = on_stream;
        added.is_half = role_of(category) != async_role::none;
        added.min_ps = std::numeric_limits<std::int64_t>::max();
        added.max_ps = -1;
      }
      count(event, found_.ops[row->second]);
    });
    for (std::size_t i = first_row; i < found_.ops.size(); ++i)
      if (found_.ops[i].max_ps < 0) found_.ops[i].min_ps = found_.ops[i].max_ps = 0;  // aggregated events alone
    return meter_.step(line.offset + line.body.size());
  }

 private:
  [[nodiscard]] const plane_index& plane_of(const ops_line& line) const {
    return profile_.xspace(line.file)->planes[static_cast<std::size_t>(line.plane)];
  }

  void enter_plane(const ops_line& at, const plane_index& plane) {
    if (file_ != at.file) {
      file_ = at.file;
      programs_ = std::make_shared<const program_collectives>(*profile_.xspace(at.file));
    }
    plane_ = &plane;
    readable_end_ = end_of(profile_.bytes(at.file));
    collectives_ = event_collectives(plane, programs_, readable_end_);
    ids_of_device_duration_ = stat_ids(plane, "device_duration_ps");
    kernels_.clear();
  }

  // What the name of a kernel says about all its events.
  struct kernel_facts {
    kernel_class kind = kernel_class::compute;
    std::string_view spelled, library;  // of one that communicates
  };

  // What the name of a kernel that communicates spells; else what its event names, unless it copies.
  std::string_view category_of_kernel(const plane_index& plane, const event_row& event) {
    const auto [at, is_new] = kernels_.try_emplace(event.metadata_id);
    kernel_facts& kernel = at->second;
    if (is_new) {
      const std::string_view name = plane.event_name(event.metadata_id);
      kernel.kind = classify_kernel(name, {});
      if (kernel.kind == kernel_class::comm) {
        kernel.spelled = spelled_by_kernel({}, name);
        kernel.library = library_of_kernel(name);
      }
    }
    if (!kernel.spelled.empty() || kernel.kind == kernel_class::copy) return kernel.spelled;
    const std::string_view named = collective_of(collectives_.of(event.stats, event.stats_bytes));
    return named.empty() ? kernel.library : named;
  }

  // As op_totals counts.
  void count(const event_row& event, collective_op_row& row) const {
    const auto by_device = find_stat(event, ids_of_device_duration_, readable_end_);
    const std::int64_t taken_ps = (by_device ? integer_value(*by_device) : std::nullopt).value_or(event.duration_ps);
    const std::int64_t duration_ps = std::max<std::int64_t>(taken_ps, 0);
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
  std::optional<std::uint32_t> file_;
  std::shared_ptr<const program_collectives> programs_;  // of the file
  const plane_index* plane_ = nullptr;
  const char* readable_end_ = nullptr;  // of the file
  event_collectives collectives_;       // of the plane
  std::vector<std::int64_t> ids_of_device_duration_;
  hash_map<std::int64_t, kernel_facts> kernels_;  // by metadata id
};

// What recorders themselves say of waits and links. The name of an operation of HCCL ends with its group and number.
result<void> add_recorded(const trace& t, const query_filters& o, const hooks& host, collectives_result& into) {
  if (!t.has_traces() || o.step || !o.line.empty()) return {};
  result<std::shared_ptr<const activity>> read = t.all_activity(host);
  if (!read) return std::move(read).error();
  const activity& of = **read;
  std::map<std::pair<std::uint32_t, std::string_view>, std::size_t> rows;
  for (const communication_row& row : of.communication()) {
    if (row.device >= of.devices().size()) continue;
    const activity_device& device = of.devices()[row.device];
    if (!host_fits(t.files(), device.file, o.host)) continue;
    const std::string_view whole = of.text(row.op), name = whole.substr(0, whole.find("__"));
    const std::string_view device_name = of.text(device.name);
    if (!contains(device_name, o.plane) || !contains(whole, o.name)) continue;
    if ((o.from_ps || o.to_ps) && row.start_ps == no_time_ps) continue;
    if ((o.from_ps && row.start_ps < *o.from_ps) || (o.to_ps && row.start_ps >= *o.to_ps)) continue;
    const auto [at, is_new] = rows.try_emplace({row.device, name}, into.recorded.size());
    if (is_new) {
      recorded_communication& added = into.recorded.emplace_back();
      added.file = device.file;
      added.device = device_name;
      added.name = name;
    }
    recorded_communication& sum = into.recorded[at->second];
    ++sum.count;
    sum.elapsed_ps = saturating_add(sum.elapsed_ps, row.elapsed_ps);
    sum.wait_ps = saturating_add(sum.wait_ps, row.wait_ps);
    sum.synchronization_ps = saturating_add(sum.synchronization_ps, row.synchronization_ps);
    sum.transit_ps = saturating_add(sum.transit_ps, row.transit_ps);
    sum.idle_ps = saturating_add(sum.idle_ps, row.idle_ps);
    for (const communication_link& link : row.links) {
      const std::string_view called = of.text(link.link);
      auto known = std::find_if(sum.links.begin(), sum.links.end(), [&](const recorded_link& l) { return l.link == called; });
      if (known == sum.links.end()) known = sum.links.insert(known, recorded_link{called});
      known->bytes = saturating_add(known->bytes, link.bytes);
      known->transit_ps = saturating_add(known->transit_ps, link.transit_ps);
    }
  }
  std::stable_sort(into.recorded.begin(), into.recorded.end(),
                   [](const auto& a, const auto& b) { return a.elapsed_ps > b.elapsed_ps; });
  into.recorded_texts = std::move(*read);
  return {};
}

result<collectives_result> gather_collectives(const trace& t, const ops_result& ops, const query_filters& o,
                                            const hooks& host) {
  const profile& p = t.files();
  result<selection> selected = selection::make(t, o, host);
  if (!selected) return std::move(selected).error();

  collectives_result found;
  found.texts = ops.texts;
  damage_list damage(p, *selected);
  for (const file_damage& d : ops.damage) damage.note(d.file, d.what);
  progress_meter meter(host);
  if (result<void> added = find_async_ops(p, *selected, damage, meter, found); !added) return std::move(added).error();
  event_op_finder by_event(p, *selected, damage, meter, found);
  for (const ops_line& line : ops.lines) {
    if (!by_event.wants(line))
      add_ops(p, line, found);
    else if (result<void> added = by_event.add_line(line); !added)
      return std::move(added).error();
  }
  std::stable_sort(found.ops.begin(), found.ops.end(),
               [](const collective_op_row& a, const collective_op_row& b) { return a.total_ps > b.total_ps; });
  if (result<void> added = add_recorded(t, o, host, found); !added) return std::move(added).error();
  if (found.async.empty() && found.ops.empty() && found.recorded.empty())
    found.absent = why_nothing_ran_or(t, o,
                                  t.has_traces() ? "no kernel that communicates was recorded"
                                                 : "no event on an 'Async XLA Ops' line, no collective among the ops and "
                                                   "no kernel of a communication library");
  found.damage = damage.take();
  return found;
}

}  // namespace

result<collectives_result> analyse_collectives(const trace& t, const ops_result& ops, const query_filters& o,
                                               const hooks& host) {
  return contained([&] { return gather_collectives(t, ops, o, host); });
}

result<collectives_result> analyse_collectives(const trace& t, const query_filters& o, const hooks& host) {
  const result<ops_result> ops = analyse_ops(t, o, host);
  if (!ops) return ops.error();
  return analyse_collectives(t, *ops, o, host);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
