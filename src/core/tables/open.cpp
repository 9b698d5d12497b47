// A table of a capture, with the analysis that it needs.
#include <tables/rows_of_list.hpp>

#include <base/contained.hpp>
#include <profkit/core/activity.hpp>
#include <profkit/core/architecture.hpp>
#include <profkit/core/collectives.hpp>
#include <profkit/core/filters.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Rows over what is held with them.
template <class Held>
class rows_with final : public row_source {
 public:
  rows_with(std::shared_ptr<const Held> held, std::unique_ptr<row_source> rows)
      : held_(std::move(held)), rows_(std::move(rows)) {}
  [[nodiscard]] table_kind which() const noexcept override { return rows_->which(); }
  result<std::size_t> read(void* rows, std::size_t capacity) override { return rows_->read(rows, capacity); }
  [[nodiscard]] std::vector<file_damage> damage() const override { return rows_->damage(); }

 private:
  std::shared_ptr<const Held> held_;
  std::unique_ptr<row_source> rows_;
};

template <class Held>
std::unique_ptr<row_source> hold(std::shared_ptr<const Held> held, std::unique_ptr<row_source> rows) {
  return std::make_unique<rows_with<Held>>(std::move(held), std::move(rows));
}

// The first filter that is set and that the table does not take.
const char* filter_not_taken(const table_description& table, const query_filters& o) noexcept {
  const struct {
    bool set;
    std::uint32_t bit;
    const char* name;
  } filters[] = {{!o.host.empty(), filter_host, "host"},       {!o.plane.empty(), filter_plane, "plane"},
                 {!o.line.empty(), filter_line, "line"},       {!o.name.empty(), filter_name, "name"},
                 {o.step.has_value(), filter_step, "step"},    {o.from_ps || o.to_ps, filter_time, "time"},
                 {o.limit != 0, filter_limit, "limit"}};
  for (const auto& f : filters)
    if (f.set && (table.filters & f.bit) == 0) return f.name;
  return nullptr;
}

// The filter may fit planes of hosts alone.
std::optional<fault> no_such_device(const asked_rows& asked, const activity& read) {
  if (asked.allow_empty || read.inputs().empty() || !read.inputs().front().no_device_fits) return std::nullopt;
  return fault{fault_code::invalid_argument, read.inputs().front().why_empty, read.inputs().front().path, no_offset,
               "the table devices lists them"};
}

result<std::unique_ptr<row_source>> open_kernels(const asked_rows& asked) {
  activity_options o;
  o.device = asked.filters.plane;
  auto read = o.device.empty() ? asked.of.all_activity(asked.host) : asked.of.some_activity(o, asked.host);
  if (!read) return std::move(read).error();
  if (auto none = no_such_device(asked, **read)) return std::move(*none);
  auto rows = rows_of(asked.devices, **read, asked.of.files());
  return hold<activity>(std::move(*read), std::move(rows));
}

result<std::unique_ptr<row_source>> open_bubbles(const asked_rows& asked, table_kind which) {
  auto found = analyse_bubbles(asked.of, bubble_options_of(asked.filters), asked.host);
  if (!found) return std::move(found).error();
  if (auto none = no_such_device(asked, *found->of)) return std::move(*none);
  auto held = std::make_shared<const bubbles_report>(std::move(*found));
  auto rows = rows_of(asked.devices, *held, which);
  return hold<bubbles_report>(std::move(held), std::move(rows));
}

result<std::unique_ptr<row_source>> open_memory(const asked_rows& asked, table_kind which) {
  memory_options o;
  o.host = asked.filters.host;
  o.runtime = which == table_kind::allocators;
  if (which == table_kind::live_curve) o.curve_points = std::numeric_limits<std::uint32_t>::max();
  auto found = analyse_memory(asked.of, o, asked.host);
  if (!found) return std::move(found).error();
  auto held = std::make_shared<const memory_result>(std::move(*found));
  auto rows = rows_of(asked.devices, *held, which);
  return hold<memory_result>(std::move(held), std::move(rows));
}

result<std::unique_ptr<row_source>> open_facts(const asked_rows& asked) {
  architecture_options o;
  o.device = asked.filters.plane;
  auto found = analyse_architecture(asked.of, o, asked.host);
  if (!found) return std::move(found).error();
  if (auto none = no_such_device(asked, *found->of)) return std::move(*none);
  auto held = std::make_shared<const architecture_report>(std::move(*found));
  auto rows = fact_rows(*asked.devices, *held);
  return hold<architecture_report>(std::move(held), std::move(rows));
}

// Damage by the file of the capture: that of a validation is by trace, and names the path.
std::vector<file_damage> damage_by_file(const profile& p, std::vector<file_damage> damage) {
  const std::vector<capture_file>& files = p.what().files;
  for (file_damage& d : damage) {
    const auto at = std::find_if(files.begin(), files.end(), [&](const capture_file& f) { return f.path == d.what.path; });
    d.file = at == files.end() ? 0 : static_cast<std::uint32_t>(at - files.begin());
  }
  return damage;
}

result<std::unique_ptr<row_source>> open_collective_calls(const asked_rows& asked) {
  validation_options o;
  o.from_ps = asked.filters.from_ps;
  o.to_ps = asked.filters.to_ps;
  o.host = asked.host;
  auto found = validate_collectives_of(asked.of, o);
  if (!found) return std::move(found).error();
  auto held = std::make_shared<const validation_result>(std::move(*found));
  auto rows = call_rows(*held, damage_by_file(asked.of.files(), held->damage));
  return hold<validation_result>(std::move(held), std::move(rows));
}

result<std::unique_ptr<row_source>> open_launches(const asked_rows& asked) {
  const profile& p = asked.of.files();
  std::vector<trace_of_file> traces;
  for (std::uint32_t file = 0; file < p.file_count(); ++file)
    if (const probe_trace* const trace = p.neutrino(file)) traces.push_back({trace, file});
  if (!traces.empty()) return rows_of(std::move(traces));
  return make_rows<rows::probe_launches>(
      table_kind::probe_launches, 0, [](std::uint64_t, rows::probe_launches&) {}, damage_of(p));
}

result<std::unique_ptr<row_source>> open_table(const asked_rows& asked, const table_description& table) {
  if (const char* const filter = filter_not_taken(table, asked.filters))
    return fault{fault_code::invalid_argument, std::string("the table ") + table.name + " takes no filter by " + filter,
                 asked.of.files().what().path, no_offset, "docs/tables.md says which it takes"};
  if (!asked.allow_empty)
    if (result<void> fits = check_filters(asked.of, asked.filters, asked.host); !fits) return std::move(fits).error();
  switch (table.kind) {
    case table_kind::files: return file_rows(asked.of.files());
    case table_kind::devices: return device_rows(asked.devices);
    case table_kind::ops: return open_ops(asked);
    case table_kind::steps:
    case table_kind::gaps:
    case table_kind::causes:
    case table_kind::device_time: return open_bubbles(asked, table.kind);
    case table_kind::kernels: return open_kernels(asked);
    case table_kind::collectives: return open_collectives(asked);
    case table_kind::modules: return open_modules(asked);
    case table_kind::allocators:
    case table_kind::live_buffers:
    case table_kind::live_curve: return open_memory(asked, table.kind);
    case table_kind::probe_launches: return open_launches(asked);
    case table_kind::facts: return open_facts(asked);
    case table_kind::findings: return open_findings(asked);
    case table_kind::op_groups: return open_op_groups(asked);
    case table_kind::collective_calls: return open_collective_calls(asked);
    case table_kind::events:
    case table_kind::probe_records: break;
  }
  return fault{fault_code::unsupported, std::string("the table ") + table.name + " has no rows of this kind",
               asked.of.files().what().path, no_offset,
               table.kind == table_kind::events ? "it comes as Arrow; as text by `profkit export -o events.csv`"
                                                : "it comes as Arrow, one map at a time; as text by `profkit neutrino --records`"};
}

}  // namespace

result<std::unique_ptr<row_source>> open_rows(const trace& t, std::shared_ptr<const capture_devices> devices,
                                              table_kind which, const table_options& options, const hooks& host) {
  const table_description* const table = description_of(which);
  if (table == nullptr)
    return fault{fault_code::invalid_argument, "there is no table " + std::to_string(static_cast<std::int32_t>(which)), "",
                 no_offset, "use a PK_TABLE_ constant"};
  return contained([&] { return open_table({t, std::move(devices), options.filters, host, options.allow_empty}, *table); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
