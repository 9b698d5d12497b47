#include <trace/filters/select.hpp>

#include <profkit/core/ops.hpp>
#include <profkit/core/probe_trace.hpp>
#include <profkit/core/steps.hpp>

#include <trace/stats.hpp>
#include <trace/windows/windows.hpp>
#include <trace/input_texts.hpp>
#include <base/hash_map.hpp>
#include <formats/xspace/line_time.hpp>
#include <formats/xspace/plane_node.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t latest_ps = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t earliest_ps = std::numeric_limits<std::int64_t>::min();

}  // namespace

namespace {

// Of a file as a whole, not of one node in it.
bool whole_file_fits(const profile& p, std::size_t file, std::string_view wanted) {
  const capture_file& entry = p.what().files[file];
  if (contains(entry.host, wanted)) return true;
  const bool named = !entry.host.empty() || !p.outline(file)->hostnames.empty();
  return !named && contains(entry.path, wanted);  // a file that names no host is known by its path
}

// Of a plane that a merge wrote; nothing of another.
std::optional<bool> node_fits(const plane_index& plane, std::string_view wanted) noexcept {
  const auto node = node_of_host(plane);
  if (!node) return std::nullopt;
  if (const auto asked = node_of_name(wanted)) return *node == *asked;
  return contains(hostname_of(plane), wanted);
}

}  // namespace

bool host_fits(const profile& p, std::size_t file, std::string_view wanted) {
  if (wanted.empty()) return true;
  if (const std::int64_t node = p.what().files[file].node; node >= 0)
    if (const auto asked = node_of_name(wanted)) return node == *asked;
  if (whole_file_fits(p, file, wanted)) return true;
  const xspace_index* const space = p.outline(file);
  return std::any_of(space->hostnames.begin(), space->hostnames.end(), [&](std::string_view name) { return contains(name, wanted); }) ||
         std::any_of(space->planes.begin(), space->planes.end(), [&](const plane_index& plane) { return node_fits(plane, wanted).value_or(false); });
}

bool host_fits(const profile& p, std::size_t file, const plane_index& plane, std::string_view wanted) {
  if (wanted.empty()) return true;
  const auto of_node = node_fits(plane, wanted);
  if (!of_node) return host_fits(p, file, wanted);
  return *of_node || whole_file_fits(p, file, wanted);
}

bool selection::is_of_host(const plane_index& plane) const noexcept {
  return whole_files_ || node_fits(plane, options_->host).value_or(true);
}

std::string_view plane_name_at(const profile& p, std::uint32_t file, std::int32_t plane) noexcept {
  const plane_index* const found = find_plane(p, file, plane);
  return found == nullptr ? std::string_view() : found->name;
}

void add_damage(std::vector<file_damage>& all, std::uint32_t file, const fault& what) {
  if (std::none_of(all.begin(), all.end(), [&](const file_damage& d) { return d.file == file; }))
    all.push_back({file, what});
}

std::string why_nothing(const profile& p, const query_filters& o) {
  bool any_file = false, any_xspace = false, any_trace = false, any_bytes = false, any_plane = false, any_line = false;
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    if (!host_fits(p, file, o.host)) continue;
    any_file = true;
    any_trace = any_trace || is_trace(p.what().files[file]);
    if (!has_planes(p.what().files[file].family)) continue;
    const xspace_index* const space = p.outline(file);
    any_xspace = true;
    any_bytes = any_bytes || !space->planes.empty() || p.what().files[file].bytes != 0;
    for (const plane_index& plane : space->planes) {
      if (plane.name.find(o.plane) == std::string_view::npos) continue;
      any_plane = true;
      any_line = any_line || std::any_of(plane.lines.begin(), plane.lines.end(), [&](const line_index& line) {
                   return line.name().find(o.line) != std::string_view::npos;
                 });
    }
  }
  const auto none_contains = [](const char* what, const std::string& text) {
    return std::string("no ") + what + " name contains '" + text + "'; `profkit info` lists them";
  };
  if (p.file_count() == 0) return {};
  if (!any_file) return none_contains("host's", o.host);
  if (!any_xspace) return any_trace && filters_events(o) ? "nothing in the capture matches the filters" : "";
  if (!any_bytes) return "the file is empty, which is a valid message without content";
  if (!any_plane && !o.plane.empty()) return none_contains("plane's", o.plane);
  if (!any_line && !o.line.empty()) return none_contains("line's", o.line);
  return filters_events(o) ? "nothing in the capture matches the filters" : "";
}

const char* why_unread(const std::vector<capture_file>& files) noexcept {
  for (const capture_file& file : files)
    if (const char* const why = why_not_read(file.family)) return why;
  return nullptr;
}

std::string why_nothing_ran_or(const trace& t, const query_filters& o, std::string otherwise) {
  if (!t.files().is_any_xspace() && !t.has_traces()) {
    const char* const why = why_unread(t.files().what().files);
    otherwise = why != nullptr ? why : nothing_recorded;
  }
  return why_nothing_or(t.files(), o, std::move(otherwise));
}

bool anything_intact(const profile& p) noexcept {
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const fault* const known = p.file_fault(file);
    if (const probe_trace* trace = p.neutrino(file)) {
      if (trace->anything_intact()) return true;
    } else if (known == nullptr || !p.outline(file)->planes.empty()) {
      return true;
    } else if (known->code == fault_code::damaged && !has_planes(p.what().files[file].family)) {
      // What a stream gave before it was cut is read.
      if (!p.bytes(file).empty() || p.recorded(file) != nullptr) return true;
    }
  }
  return p.file_count() == 0;
}

line_clock::line_clock(const profile& p, std::size_t file, const line_index& line, const line_header& header) noexcept {
  line_index whole;
  whole.body = line.body;
  whole.header = header;
  base_ps_ = line_base_ps(p, file, whole);
}

bool event_filter::keeps_time(std::optional<std::int64_t> start_ps, std::int64_t duration_ps) const noexcept {
  if (nothing_) return false;
  if (windows_.empty()) return true;
  if (!start_ps) return false;
  const std::int64_t start = *start_ps;
  return std::all_of(windows_.begin(), windows_.end(), [&](const window& w) {
    return start < w.to_ps && (start >= w.from_ps || (!w.by_start && start + duration_ps > w.from_ps));
  });
}

fault no_such_step(const profile& p, std::uint64_t wanted, std::uint64_t steps) {
  fault f;
  f.code = fault_code::invalid_argument;
  f.path = p.what().path;
  f.message = "there is no step " + std::to_string(wanted) + ": ";
  f.message += steps == 0 ? "nothing here has steps to choose from" : "steps go from 0 to " + std::to_string(steps - 1);
  f.hint = "`profkit steps` lists the steps of a capture.";
  return f;
}

result<selection> selection::make(const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  selection made(p, o);
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const capture_file& listed = p.what().files[file];
    made.files_.push_back(host_fits(p, file, o.host));
    made.others_.push_back(made.files_[file] && !has_planes(listed.family));
    made.whole_files_ = made.whole_files_ || (!o.host.empty() && made.files_[file] && listed.node < 0 && whole_file_fits(p, file, o.host));
  }
  if (o.step || o.split_by_step)
    if (result<void> found = made.find_steps(t, host); !found) return std::move(found).error();
  return made;
}

result<void> selection::find_steps(const trace& t, const hooks& host) {
  query_filters of_steps;
  of_steps.host = options_->host;
  of_steps.limit = 0;
  result<steps_result> steps = analyse_steps(t, of_steps, host);
  if (!steps) return std::move(steps).error();

  std::uint64_t most = 0;
  std::vector<host_step> of_hosts;
  hash_map<std::pair<std::uint32_t, std::string_view>, std::uint64_t> named;  // by file and name: steps of hosts so far
  for (const step_row row : steps->steps) {
    const bool of_host = is_host_source(row.source);
    const step_place place{row.file, row.plane, row.device};
    most = std::max(most, row.index + 1);
    if (!of_host && row.index == 0) places_with_steps_.push_back(place);
    const std::uint64_t before = of_host ? named[{row.host_file, row.name}]++ : 0;
    if (!options_->split_by_step && row.index != *options_->step) continue;
    const step_window window{row.index, row.start_ps, saturating_add(row.start_ps, row.duration_ps)};
    if (of_host) of_hosts.push_back({row.index, row.host_file, row.name, window.to_ps, before});
    if (!of_host) windows_[place].push_back(window);
    // Indices grow in each place: the first one of each counts for the file.
    std::vector<step_window>& of_file = windows_[{row.host_file, -1, -1}];
    if (of_file.empty() || of_file.back().index < row.index) of_file.push_back(window);
  }
  std::sort(places_with_steps_.begin(), places_with_steps_.end());
  if (result<void> found = find_device_windows(t, of_hosts, host); !found) return found;
  if (!windows_.empty() || !options_->step) return {};
  return no_such_step(*profile_, *options_->step, most);
}

// A step of the host is on a device the time of what it launched there: the windows of the bubble detector.
result<void> selection::find_device_windows(const trace& t, const std::vector<host_step>& steps, const hooks& host) {
  if (steps.empty()) return {};
  result<std::shared_ptr<const activity>> read = t.all_activity(host);
  if (!read) return std::move(read).error();
  const activity& of = **read;
  const bubbles::host_steps hosts(of, window_policy::whole);
  std::vector<step_place> added;
  for (std::size_t at = 0; at < of.devices().size(); ++at) {
    const activity_device& device = of.devices()[at];
    const step_place place{device.file, device.plane, device.plane < 0 ? static_cast<std::int32_t>(at) : -1};
    const bool has_host_steps = std::any_of(steps.begin(), steps.end(), [&](const host_step& s) { return s.file == device.file; });
    if (!has_host_steps || std::binary_search(places_with_steps_.begin(), places_with_steps_.end(), place)) continue;
    result<bubbles::device_windows> found = bubbles::find_windows(of, at, hosts, host);
    if (!found) return std::move(found).error();
    added.push_back(place);
    // By name and the end of the marker, else by name and position among those of the name.
    hash_map<std::pair<std::string_view, std::int64_t>, const bubbles::step_window*> by_end;
    hash_map<std::string_view, std::vector<const bubbles::step_window*>> by_name;
    for (const bubbles::step_window& w : found->windows) {
      if (w.pseudo) continue;
      by_end.insert_or_assign({of.text(w.name), w.marker_end_ps}, &w);
      by_name[of.text(w.name)].push_back(&w);
    }
    for (const host_step& step : steps) {
      if (step.file != device.file) continue;
      const std::vector<const bubbles::step_window*>& alike = by_name[step.name];
      const auto ended = by_end.find({step.name, step.end_ps});
      const bubbles::step_window* const window = ended != by_end.end()             ? ended->second
                                                 : step.same_before < alike.size() ? alike[step.same_before]
                                                                                   : nullptr;
      if (window != nullptr) windows_[place].push_back({step.index, window->start_ps, window->end_ps, true});
    }
  }
  places_with_steps_.insert(places_with_steps_.end(), added.begin(), added.end());
  std::sort(places_with_steps_.begin(), places_with_steps_.end());
  return {};
}

selection::extent selection::times() const noexcept {
  extent all{options_->from_ps.value_or(earliest_ps), options_->to_ps.value_or(latest_ps)};
  if (!options_->step || windows_.empty()) return all;
  const auto is_of_device = [](const step_place& place) { return place.plane >= 0 || place.device >= 0; };
  const bool any_device = std::any_of(windows_.begin(), windows_.end(), [&](const auto& w) { return is_of_device(w.first); });
  extent of_step{latest_ps, earliest_ps};
  for (const auto& [place, windows] : windows_)
    for (const step_window& w : windows) {
      if (w.index != *options_->step || (any_device && !is_of_device(place))) continue;
      of_step.from_ps = std::min(of_step.from_ps, w.from_ps);
      of_step.to_ps = std::max(of_step.to_ps, w.to_ps);
    }
  return {std::max(all.from_ps, of_step.from_ps), std::min(all.to_ps, of_step.to_ps)};
}

event_filter selection::times_at(const step_place& place) const {
  event_filter filter;
  if (options_->from_ps || options_->to_ps)
    filter.windows_.push_back({options_->from_ps.value_or(earliest_ps), options_->to_ps.value_or(latest_ps)});
  if (options_->step) {
    const std::vector<step_window>* const windows = windows_at(place);
    const step_window* const window = windows == nullptr ? nullptr : window_of(*windows, *options_->step);
    if (window == nullptr)
      filter.nothing_ = true;
    else
      filter.windows_.push_back({window->from_ps, window->to_ps, window->by_start});
  }
  return filter;
}

const selection::step_window* selection::window_of(const std::vector<step_window>& windows, std::uint64_t index) {
  const auto found = std::find_if(windows.begin(), windows.end(), [&](const step_window& w) { return w.index == index; });
  return found == windows.end() ? nullptr : &*found;
}

const std::vector<selection::step_window>* selection::windows_at(const step_place& place) const {
  const bool own = std::binary_search(places_with_steps_.begin(), places_with_steps_.end(), place);
  const auto found = windows_.find(own ? place : step_place{place.file, -1, -1});
  return found == windows_.end() ? nullptr : &found->second;
}

std::vector<selection::step_window> selection::steps_of(std::size_t file, std::int32_t plane, std::int32_t device) const {
  const std::vector<step_window>* const known =
      options_->split_by_step ? windows_at({static_cast<std::uint32_t>(file), plane, device}) : nullptr;
  if (known == nullptr) return {};
  std::vector<step_window> by_start = *known;
  std::stable_sort(by_start.begin(), by_start.end(), [](const step_window& a, const step_window& b) { return a.from_ps < b.from_ps; });
  return by_start;
}

event_filter selection::times_of(std::size_t file, std::int32_t device) const {
  return times_at({static_cast<std::uint32_t>(file), -1, device});
}

event_filter selection::events_of(std::size_t file, std::size_t plane) const {
  event_filter filter = times_at({static_cast<std::uint32_t>(file), static_cast<std::int32_t>(plane), -1});
  if (!options_->name.empty()) {
    filter.by_name_ = true;
    const plane_index& index = profile_->xspace(file)->planes[plane];
    for (const std::string_view bytes : index.event_metadata_entries) {
      const event_metadata_view entry(bytes);
      if (!counts_in(index.event_metadata, entry.key(), bytes)) continue;
      if (name(entry.name(), entry.display_name())) filter.ids_.insert(entry.key());
    }
  }
  return filter;
}

damage_list::damage_list(const profile& p, const selection& selected, needs wanted) : profile_(p) {
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    if (!selected.file(file) || selected.other_file(file)) continue;
    // A streamed file has to be brought into memory, which may fail.
    if (wanted == needs::events) static_cast<void>(p.xspace(file));
    note_file(file);
  }
}

void damage_list::note_file(std::size_t file) {
  if (const fault* f = profile_.file_fault(file)) note(file, *f);
}

const fault* damage_list::of(std::size_t file) const noexcept {
  const auto at = std::find_if(found_.begin(), found_.end(), [&](const file_damage& d) { return d.file == file; });
  return at == found_.end() ? nullptr : &at->what;
}

void damage_list::note_line(std::size_t file, const plane_index& plane, const line_index& line,
                            std::uint64_t offset_in_line, std::string_view what) {
  if (has(file)) return;
  note(file, line.offset + offset_in_line,
       "line '" + std::string(line.name()) + "' of plane '" + std::string(plane.name) + "': " + std::string(what));
}

void damage_list::note_events(std::size_t file, const plane_index& plane, const line_index& line, const line_end& end,
                              std::uint64_t negative) {
  if (end.damaged) note_line(file, plane, line, end.damage_offset, bad_event);
  if (negative != 0) note_line(file, plane, line, 0, negative_durations(negative));
}

void damage_list::note(std::size_t file, std::uint64_t byte_offset, std::string what) {
  if (has(file)) return;
  fault f;
  f.code = fault_code::damaged;
  f.path = profile_.what().files[file].path;
  f.byte_offset = byte_offset;
  f.message = "damaged at byte " + std::to_string(byte_offset) + ": " + what;
  f.hint = "Everything intact is shown. Fetch the file again if it was copied.";
  note(file, std::move(f));
}

void damage_list::note(std::size_t file, fault what) {
  if (has(file)) return;
  if (what.path.empty()) what.path = profile_.what().files[file].path;
  const auto at = std::find_if(found_.begin(), found_.end(), [&](const file_damage& d) { return d.file > file; });
  found_.insert(at, {static_cast<std::uint32_t>(file), std::move(what)});
}

void damage_list::note(const activity& read, const selection& selected) {
  for (const activity_input& input : read.inputs())
    if (input.damage && selected.other_file(input.file)) note(input.file, *input.damage);
}

std::uint64_t count_event_metadata(const plane_index& plane) noexcept {
  std::uint64_t distinct = 0;
  for (const std::string_view bytes : plane.event_metadata_entries)
    if (counts_in(plane.event_metadata, event_metadata_view(bytes).key(), bytes)) ++distinct;
  return distinct;
}

std::uint64_t count_stat_metadata(const plane_index& plane) noexcept {
  std::uint64_t distinct = 0;
  for (const std::string_view bytes : plane.stat_metadata_entries)
    if (counts_in(plane.stat_metadata, stat_metadata_view(bytes).key(), bytes)) ++distinct;
  return distinct;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
