// Whether the filters of a query fit anything: one that does not is a mistake of the one who asks, and is told as such.
#include <analyse/anatomy/select.hpp>
#include <base/affix.hpp>
#include <base/contained.hpp>
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
    constexpr std::size_t most_shown = 6;
    if (name.empty() || std::find(shown_.begin(), shown_.end(), name) != shown_.end()) return;
    if (shown_.size() < most_shown)
      shown_.emplace_back(name);
    else
      more_ = true;
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::string& name : shown_) text += (text.empty() ? "" : ", ") + ('\'' + name + '\'');
    return more_ ? text + ", …" : text;
  }

 private:
  std::vector<std::string> shown_;
  bool more_ = false;
};

fault no_match(const profile& p, std::string message, const std::string& there_are) {
  fault f;
  f.code = fault_code::invalid_argument;
  f.path = p.what().path;
  f.message = std::move(message);
  if (!there_are.empty()) f.message += "; there are " + there_are;
  f.hint = "`profkit info` lists hosts, planes, lines and their times; text filters heed capitals.";
  return f;
}

fault no_name_has(const profile& p, const char* what, const std::string& wanted, const met_names& met) {
  return no_match(p, std::string("no ") + what + " name contains '" + wanted + "'", met.text());
}

result<void> check_hosts(const profile& p, const anatomy_options& o) {
  met_names hosts;
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    if (host_fits(p, file, o.host)) return {};
    const std::vector<std::string> names = file_header(p, file).hosts;
    for (const std::string& name : names) hosts.add(name);
    if (names.empty()) hosts.add(p.what().files[file].path);
  }
  return no_name_has(p, "host's", o.host, hosts);
}

// Planes and lines of an XSpace, and what stands for them in files of other families.
result<void> check_planes(const profile& p, const anatomy_options& o, const info_result& others) {
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
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const xspace_index* const space = host_fits(p, file, o.host) ? p.outline(file) : nullptr;
    if (space == nullptr) continue;
    for (const plane_index& plane : space->planes)
      look(plane.name, [&](auto&& use) {
        for (const line_index& line : plane.lines) use(line.name());
      });
  }
  for (const file_info& file : others.files) {
    if (file.family == file_family::xspace) continue;
    for (const plane_info& plane : file.planes)
      look(plane.name, [&](auto&& use) {
        for (const line_info& line : plane.lines) use(line.name);
      });
  }
  if (!any_plane && !o.plane.empty()) return no_name_has(p, "plane's", o.plane, planes);
  if (!any_line && !o.line.empty()) return no_name_has(p, "line's", o.line, lines);
  return {};
}

bool names_fit(const profile& p, const anatomy_options& o) {
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const xspace_index* const space = p.outline(file);
    if (space == nullptr) continue;
    for (const plane_index& plane : space->planes) {
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

result<void> check_names(const profile& p, const anatomy_options& o, const hooks& host) {
  if (names_fit(p, o)) return {};
  anatomy_options of_names;
  of_names.name = o.name;
  of_names.limit = 1;
  const auto modules = anatomy_modules(p, of_names, host);
  if (!modules) return modules.error();
  if (!modules->modules.empty()) return {};
  const auto events = anatomy_info(p, of_names, host);
  if (!events) return events.error();
  if (events->events != 0) return {};
  return no_match(p, "no event, op or module has a name that contains '" + o.name + "'", {});
}

result<void> check_times(const profile& p, const anatomy_options& o, const hooks& host) {
  anatomy_options of_host;
  of_host.host = o.host;
  const auto all = anatomy_info(p, of_host, host);
  if (!all) return all.error();
  std::optional<std::int64_t> first_ps, last_ps;
  for (const file_info& file : all->files) {
    if (!file.first_ps || !file.last_ps) continue;
    first_ps = std::min(first_ps.value_or(*file.first_ps), *file.first_ps);
    last_ps = std::max(last_ps.value_or(*file.last_ps), *file.last_ps);
  }
  if (!first_ps || ((!o.to_ps || *o.to_ps > *first_ps) && (!o.from_ps || *o.from_ps <= *last_ps))) return {};
  return no_match(p, "no event lies in the window of time",
                  "events from " + human_duration(*first_ps) + " to " + human_duration(*last_ps));
}

bool any_has_threads(const profile& p) noexcept {
  return std::any_of(p.what().files.begin(), p.what().files.end(), [](const capture_file& file) {
    return file.family == file_family::chrome_trace || file.family == file_family::ascend_kernels;
  });
}

}  // namespace

result<void> check_filters(const profile& p, const anatomy_options& o, const hooks& host) {
  return contained([&]() -> result<void> {
    if (o.host.empty() && o.plane.empty() && o.line.empty() && o.name.empty() && !o.from_ps && !o.to_ps) return {};
    // An export beside an XSpace may be larger than it, and is not looked at for this.
    for (std::size_t file = 0; file < p.file_count(); ++file)
      if (p.what().files[file].export_of < 0 && p.file_fault(file) != nullptr) return {};
    if (!o.host.empty())
      if (auto fits = check_hosts(p, o); !fits) return fits;
    if (!o.plane.empty() || !o.line.empty()) {
      info_result others;
      if (any_has_threads(p)) {
        auto listed = anatomy_info(p, {}, host);
        if (!listed) return std::move(listed).error();
        others = std::move(*listed);
      }
      if (auto fits = check_planes(p, o, others); !fits) return fits;
    }
    if (p.is_any_streamed()) return {};  // the pass is over
    if (!o.name.empty())
      if (auto fits = check_names(p, o, host); !fits) return fits;
    if (o.from_ps || o.to_ps) return check_times(p, o, host);
    return {};
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
