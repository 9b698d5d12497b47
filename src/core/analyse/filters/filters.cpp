// Whether the filters of a query fit anything. One that fits nothing is the caller's mistake, and is reported as that.
#include <trace/filters/select.hpp>
#include <base/affix.hpp>
#include <base/contained.hpp>
#include <formats/ascend/table_index.hpp>
#include <profkit/core/modules.hpp>
#include <profkit/core/ops.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Names of one kind that were met, as far as a message shows them.
class met_names {
 public:
  void add(std::string_view name) {
    constexpr std::size_t most = 1000;
    if (!name.empty() && all_.size() < most && std::find(all_.begin(), all_.end(), name) == all_.end()) all_.emplace_back(name);
  }
  [[nodiscard]] std::string text() const {
    constexpr std::size_t most_shown = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(all_.size(), most_shown); ++i) text += (i == 0 ? "'" : ", '") + all_[i] + '\'';
    return all_.size() > most_shown ? text + ", …" : text;
  }
  [[nodiscard]] const std::string* closest(const std::string& wanted) const { return closest_to(wanted, all_); }

 private:
  std::vector<std::string> all_;
};

fault no_match(const profile& p, std::string message, const std::string& there_are) {
  fault f;
  f.code = fault_code::invalid_argument;
  f.path = p.what().path;
  f.message = std::move(message);
  if (!there_are.empty()) f.message += "; there are " + there_are;
  f.hint = "`profkit info` lists hosts, planes, lines and their times; text filters are case-sensitive.";
  return f;
}

fault no_name_has(const profile& p, const char* what, const std::string& wanted, const met_names& met) {
  fault f = no_match(p, std::string("no ") + what + " name contains '" + wanted + "'", met.text());
  if (const std::string* const near = met.closest(wanted)) f.hint = "did you mean '" + *near + "'? " + f.hint;
  return f;
}

result<void> check_hosts(const profile& p, const query_filters& o) {
  met_names hosts;
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    if (host_fits(p, file, o.host)) return {};
    const std::vector<std::string> names = file_header(p, file).hosts;
    for (const std::string& name : names) hosts.add(name);
    if (names.empty()) hosts.add(p.what().files[file].path);
  }
  return no_name_has(p, "host's", o.host, hosts);
}

// A table whose rows are shown.
bool is_shown_table(const capture_file& file) noexcept {
  const file_content held = content_of(file.family);
  return (held == file_content::kernel_table || held == file_content::totals_table) && file.export_of < 0;
}

// Planes and lines of an XSpace, and what stands for them in files of other families: processes and threads, devices and
// their streams.
result<void> check_planes(const profile& p, const query_filters& o, const info_result& others, const activity* traces) {
  met_names planes, lines;
  bool any_plane = false, any_line = false;
  const auto look = [&](std::string_view plane, auto&& names_of_lines) {
    planes.add(plane);
    if (!contains(plane, o.plane)) return;
    any_plane = true;
    names_of_lines([&](std::string_view line) {
      lines.add(line);
      any_line = any_line || contains(line, o.line);
    });
  };
  const auto is_other = [&p](std::size_t file) { return !has_planes(p.what().files[file].family); };
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    if (!host_fits(p, file, o.host)) continue;
    for (const plane_index& plane : p.outline(file)->planes)
      look(plane.name, [&](auto&& use) {
        for (const line_index& line : plane.lines) use(line.name());
      });
  }
  for (const file_info& file : others.files) {
    if (!is_other(file.file)) continue;
    for (const plane_info& plane : file.planes)
      look(plane.name, [&](auto&& use) {
        for (const line_info& line : plane.lines) use(line.name);
      });
  }
  for (std::size_t file = 0; file < p.file_count(); ++file)
    if (is_shown_table(p.what().files[file]) && host_fits(p, file, o.host))
      look(table_name(p, file), [](auto&& use) { use(std::string_view("rows")); });
  if (traces != nullptr) {
    for (const activity_device& d : traces->devices())
      if (is_other(d.file) && host_fits(p, d.file, o.host))
        look(traces->text(d.name), [&](auto&& use) {
          for (const activity_stream& s : d.streams) use(traces->text(s.name));
        });
    for (const activity_thread& t : traces->threads())
      if (is_other(t.file) && host_fits(p, t.file, o.host))
        look(t.process, [&](auto&& use) { use(std::string_view(t.name)); });
  }
  if (!any_plane && !o.plane.empty()) return no_name_has(p, "plane's", o.plane, planes);
  if (!any_line && !o.line.empty()) return no_name_has(p, "line's", o.line, lines);
  return {};
}

bool names_fit(const profile& p, const query_filters& o) {
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    for (const plane_index& plane : p.outline(file)->planes) {
      for (const std::string_view bytes : plane.event_metadata_entries) {
        const event_metadata_view entry(bytes);
        if (contains(entry.name(), o.name) || contains(entry.display_name(), o.name)) return true;
      }
      for (const std::string_view bytes : plane.stat_metadata_entries)
        if (contains(stat_metadata_view(bytes).name(), o.name)) return true;
    }
  }
  return false;
}

// Whether anything fits that the tree and the metadata pick by name and `info` does not count: arrows, rows of tables, keys
// of arguments, columns.
result<bool> any_text_of_traces(const trace& t, const query_filters& of_names, const hooks& host) {
  struct looker final : tree_visitor, metadata_visitor {
    void begin_file(std::uint32_t, const file_info&) override {}
    void begin_plane(const tree_plane&) override {}
    void begin_line(const tree_line&) override {}
    void event(const tree_event&) override { found = true; }
    void end_line(std::uint64_t) override {}
    void end_plane(std::uint64_t) override {}
    void end_file(const fault*) override {}
    void event_metadata(const metadata_event_row&) override { found = true; }
    void end_event_metadata(std::uint64_t) override {}
    void stat_metadata(const metadata_stat_row&) override { found = true; }
    void end_stat_metadata(std::uint64_t) override {}
    void end_plane() override {}
    bool found = false;
  } looked;
  const auto keys = walk_metadata(t, looked, of_names, host);
  if (!keys) return keys.error();
  if (looked.found) return true;
  const auto events = walk_tree(t, looked, of_names, host);
  if (!events) return events.error();
  return looked.found;
}

result<void> check_names(const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  if (names_fit(p, o)) return {};
  query_filters of_names;
  of_names.name = o.name;
  of_names.limit = 1;
  const auto modules = analyse_modules(t, of_names, host);
  if (!modules) return modules.error();
  if (!modules->modules.empty()) return {};
  if (t.has_traces()) {  // ops of NPUs are types of kernels
    const auto ops = analyse_ops(t, of_names, host);
    if (!ops) return ops.error();
    if (std::any_of(ops->lines.begin(), ops->lines.end(), [](const ops_line& line) { return !line.ops.empty(); }))
      return {};
  }
  const auto events = analyse_info(t, of_names, host);
  if (!events) return events.error();
  if (events->events != 0) return {};
  const auto texts = t.has_traces() ? any_text_of_traces(t, of_names, host) : result<bool>(false);
  if (!texts) return texts.error();
  if (*texts) return {};
  return no_match(p, "no event, op or module has a name that contains '" + o.name + "'", {});
}

result<void> check_times(const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  query_filters of_host;
  of_host.host = o.host;
  const auto all = analyse_info(t, of_host, host);
  if (!all) return all.error();
  std::optional<std::int64_t> first_ps, last_ps;
  for (const file_info& file : all->files) {
    if (!file.first_ps || !file.last_ps) continue;
    first_ps = std::min(first_ps.value_or(*file.first_ps), *file.first_ps);
    last_ps = std::max(last_ps.value_or(*file.last_ps), *file.last_ps);
  }
  if (!first_ps || ((!o.to_ps || *o.to_ps > *first_ps) && (!o.from_ps || *o.from_ps <= *last_ps))) return {};
  return no_match(p, "no event is in the time window",
                  "events from " + human_duration(*first_ps) + " to " + human_duration(*last_ps));
}

}  // namespace

result<void> check_filters(const trace& t, const query_filters& o, const hooks& host) {
  return contained([&]() -> result<void> {
    const profile& p = t.files();
    if (o.host.empty() && o.plane.empty() && o.line.empty() && o.name.empty() && !o.from_ps && !o.to_ps) return {};
    // An export beside an XSpace may be larger than it, and is not looked at for this.
    for (std::size_t file = 0; file < p.file_count(); ++file)
      if (p.what().files[file].export_of < 0 && p.file_fault(file) != nullptr) return {};
    if (!o.host.empty())
      if (auto fits = check_hosts(p, o); !fits) return fits;
    if (!o.plane.empty() || !o.line.empty()) {
      info_result others;
      std::shared_ptr<const activity> traces;
      if (t.has_traces()) {
        auto listed = analyse_info(t, {}, host);
        if (!listed) return std::move(listed).error();
        others = std::move(*listed);
        auto read = t.all_activity(host);
        if (!read) return std::move(read).error();
        traces = std::move(*read);
      }
      if (auto fits = check_planes(p, o, others, traces.get()); !fits) return fits;
    }
    if (p.is_any_streamed()) return {};  // the pass is over
    if (!o.name.empty())
      if (auto fits = check_names(t, o, host); !fits) return fits;
    if (o.from_ps || o.to_ps) return check_times(t, o, host);
    return {};
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
