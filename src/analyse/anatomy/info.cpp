// The inventory of a capture: one scan of every event, nothing kept but counts and times.
#include <analyse/anatomy/chrome_inventory.hpp>
#include <analyse/anatomy/hlo_parts.hpp>
#include <analyse/anatomy/select.hpp>
#include <analyse/anatomy/stats.hpp>
#include <base/contained.hpp>
#include <base/progress.hpp>

#include <algorithm>
#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

void widen(std::optional<std::int64_t>& first, std::optional<std::int64_t>& last, std::int64_t from, std::int64_t to) {
  first = first ? std::min(*first, from) : from;
  last = last ? std::max(*last, to) : to;
}

class inventory {
 public:
  inventory(const profile& p, const anatomy_options& o, const selection& selected, const hooks& host)
      : profile_(p),
        selected_(selected),
        damage_(p, selected, [](file_family) noexcept { return true; }),
        options_(o),
        host_(host),
        meter_(host, total_bytes(p)) {}

  result<info_result> run() {
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      if (!selected_.file(file)) continue;
      if (result<void> added = add_file(file); !added) return std::move(added).error();
      done_bytes_ += profile_.bytes(file).size();
    }
    if (result<void> added = add_chrome(); !added) return std::move(added).error();
    if (result<void> added = count_threads(); !added) return std::move(added).error();
    note_databases();
    settle_damage();
    return std::move(found_);
  }

 private:
  static std::uint64_t total_bytes(const profile& p) noexcept {
    std::uint64_t total = 0;
    for (std::size_t file = 0; file < p.file_count(); ++file) total += p.bytes(file).size();
    return total;
  }

  result<void> add_file(std::size_t file) {
    const capture_file& entry = profile_.what().files[file];
    file_info& info = found_.files.emplace_back(file_header(profile_, file));
    if (entry.family == file_family::hlo_proto) look_into_module(file);
    const xspace_index* space = profile_.xspace(file);
    if (space == nullptr) return {};
    for (const std::string& error : info.errors)
      note_incomplete(entry.path + ": the recorder reported an error: " + error);
    for (std::size_t plane = 0; plane < space->planes.size(); ++plane) {
      if (!selected_.plane(space->planes[plane])) continue;
      if (result<void> added = add_plane(file, plane, info); !added) return added;
    }
    return {};
  }

  result<void> add_plane(std::size_t file, std::size_t plane, file_info& into) {
    const plane_index& index = profile_.xspace(file)->planes[plane];
    plane_info info;
    info.id = index.id;
    info.name = index.name;
    info.kind = index.kind;
    info.stats = plane_stats(index);
    info.event_metadata = count_event_metadata(index);
    info.stat_metadata = count_stat_metadata(index);
    look_into_entries(file, index);
    const event_filter filter = selected_.events_of(file, plane);
    for (const line_index& line : index.lines) {
      if (!selected_.line(line)) continue;
      info.lines.push_back(line_totals(file, index, line, filter));
      const line_info& added = info.lines.back();
      if (added.first_ps) widen(into.first_ps, into.last_ps, *added.first_ps, *added.last_ps);
      ++found_.lines;
      found_.events += added.events;
      found_.event_stats += added.event_stats;
      const std::uint64_t behind = line.offset + line.body.size();
      if (result<void> going = meter_.step(done_bytes_ + behind); !going) return going;
    }
    ++found_.planes;
    into.planes.push_back(std::move(info));
    return {};
  }

  line_info line_totals(std::size_t file, const plane_index& plane, const line_index& line,
                        const event_filter& filter) {
    const line_header header = complete_header(line);
    const line_clock clock(profile_, file, line, header);
    const char* const readable_end = profile_.bytes(file).data() + profile_.bytes(file).size();
    line_info info;
    info.id = header.id;
    info.name = header.name.empty() ? header.display_name : header.name;
    info.kind = line.kind;
    info.timestamp_ns = header.timestamp_ns;
    for_each_event(line, file, plane, damage_, [&](const event_row& event) {
      const std::optional<std::int64_t> start = clock.start_of(event);
      if (!filter.keeps_all() && !filter.keeps(event, start)) return true;
      ++info.events;
      info.event_stats += count_stats(file, plane, line, event, readable_end);
      info.duration_sum_ps = saturating_add(info.duration_sum_ps, event.duration_ps);
      if ((event.flags & event_has_offset) == 0) return true;
      if (start)
        widen(info.first_ps, info.last_ps, *start, *start + event.duration_ps);
      else
        damage_.note_line(file, plane, line, 0, out_of_reach);
      return true;
    });
    return info;
  }

  // Looks into every stat, so that damage anywhere in a file is told by its inventory.
  std::uint64_t count_stats(std::size_t file, const plane_index& plane, const line_index& line, const event_row& event,
                            const char* readable_end) {
    if (event.stats_bytes == 0) return 0;
    const message_range<stat_view, 4> stats(std::string_view(event.stats, event.stats_bytes), readable_end);
    std::uint64_t count = 0;
    bool sound = true;
    auto at = stats.begin();
    for (; !at.done(); ++at, ++count) sound = (*at).ok() && sound;
    if (!sound || !at.ok())
      damage_.note_line(file, plane, line, offset_in(line.body, event.stats), "a stat of an event is damaged");
    return count;
  }

  void look_into_module(std::size_t file) {
    const char* const damage = count_hlo_parts(profile_.bytes(file)).damage;
    if (damage != nullptr) damage_.note(file, offset_in(profile_.bytes(file), damage), "this is no whole HloProto");
  }

  void look_into_entries(std::size_t file, const plane_index& plane) {
    for (const std::string_view bytes : plane.event_metadata_entries) {
      const event_metadata_view entry(bytes);
      const auto stats = entry.stats();
      bool sound = true;
      auto at = stats.begin();
      for (; !at.done(); ++at) sound = (*at).ok() && sound;
      if (!sound || !at.ok())
        damage_.note(file, offset_in(profile_.bytes(file), bytes.data()),
                     "a stat of event metadata " + std::to_string(entry.key()) + " of plane '" +
                         std::string(plane.name) + "' is damaged");
    }
  }

  // Chrome JSON has processes and threads in place of planes and lines. Exports of an XSpace repeat its events:
  // only whether they are whole is told of them.
  result<void> add_chrome() {
    const auto is_chrome = [](const file_info& file) { return file.family == file_family::chrome_trace; };
    if (std::none_of(found_.files.begin(), found_.files.end(), is_chrome)) return {};
    anatomy_options of_files;
    of_files.host = options_.host;
    of_files.limit = 1;
    result<chrome_result> chrome = anatomy_chrome(profile_, of_files, host_);
    if (!chrome) return std::move(chrome).error();
    for (const chrome_file& file : chrome->files) add_chrome_file(file);
    return {};
  }

  void add_chrome_file(const chrome_file& file) {
    file_info* const known = info_of(file.file);
    if (known == nullptr) return;
    file_info& info = *known;
    const std::int64_t shift_ps = profile_.file_shift_ns(file.file) * ps_per_ns;
    if (file.first_ps) info.first_ps = saturating_add(*file.first_ps, shift_ps);
    if (file.last_ps) info.last_ps = saturating_add(*file.last_ps, shift_ps);
    if (file.at_event_cap)
      note_incomplete(info.path + ": " + std::to_string(file.events) +
                      " events, where the exporter stops: the tail is missing, do not total");
    if (file.damage && !damage_.has(file.file)) damage_.note(file.file, *file.damage);
  }

  // Files that are read into the timeline: their processes and devices are shown like planes.
  static bool has_threads(const file_info& file) noexcept {
    return (file.family == file_family::chrome_trace && file.export_of < 0) ||
           file.family == file_family::ascend_kernels;
  }

  result<void> count_threads() {
    if (std::none_of(found_.files.begin(), found_.files.end(), has_threads)) return {};
    chrome_inventory threads(profile_, options_);
    if (result<void> filled = fill_timeline(profile_, threads); !filled) {
      const fault& why = filled.error();
      if (why.code == fault_code::cancelled || why.code == fault_code::out_of_memory) return filled;
      // Everything intact was counted; the fault is that of the first damaged file.
      for (const file_info& info : found_.files)
        if (info.path == why.path) damage_.note(info.file, why);
    }
    for (file_info& info : found_.files) {
      if (!has_threads(info)) continue;
      info.planes = threads.planes_of(info.file);
      found_.planes += info.planes.size();
      for (const plane_info& plane : info.planes) {
        found_.lines += plane.lines.size();
        for (const line_info& line : plane.lines) {
          found_.events += line.events;
          if (info.family == file_family::ascend_kernels && line.first_ps) {
            widen(info.first_ps, info.last_ps, *line.first_ps, *line.last_ps);
          }
        }
      }
    }
    found_.texts = threads.take_texts();
    return {};
  }

  file_info* info_of(std::uint32_t file) {
    const auto at = std::find_if(found_.files.begin(), found_.files.end(),
                                 [&](const file_info& info) { return info.file == file; });
    return at == found_.files.end() ? nullptr : &*at;
  }

  // A folder may hold nothing but databases, which are not read.
  void note_databases() {
    const auto any = [this](bool (*fits)(file_family)) {
      return std::any_of(found_.files.begin(), found_.files.end(),
                         [fits](const file_info& file) { return fits(file.family); });
    };
    if (!any([](file_family f) { return f == file_family::ascend_database; })) return;
    if (any([](file_family f) { return f == file_family::ascend_kernels || f == file_family::chrome_trace; })) return;
    note_incomplete(
        "there is only a database export, which is not read: export it as text, too (export_type=Text of "
        "torch_npu.profiler, or msprof --export=on)");
  }

  void note_incomplete(std::string reason) {
    found_.complete = false;
    found_.reasons.push_back(std::move(reason));
  }

  void settle_damage() {
    for (file_damage& damaged : damage_.take()) {
      note_incomplete(profile_.what().files[damaged.file].path + ": " + damaged.what.message);
      info_of(damaged.file)->damage = std::move(damaged.what);
    }
  }

  const profile& profile_;
  const selection& selected_;
  damage_list damage_;
  const anatomy_options& options_;
  const hooks& host_;
  progress_meter meter_;
  std::uint64_t done_bytes_ = 0;
  info_result found_;
};

}  // namespace

file_info file_header(const profile& p, std::size_t file) {
  const capture_file& entry = p.what().files[file];
  file_info info;
  info.file = static_cast<std::uint32_t>(file);
  info.path = entry.path;
  info.family = entry.family;
  info.export_of = entry.export_of;
  info.bytes = entry.bytes;
  info.origin_unix_ns = p.file_origin_unix_ns(file);
  info.aligned = info.origin_unix_ns.has_value();
  if (const xspace_index* space = p.xspace(file)) {
    info.hosts.assign(space->hostnames.begin(), space->hostnames.end());
    info.errors.assign(space->errors.begin(), space->errors.end());
    info.warnings.assign(space->warnings.begin(), space->warnings.end());
  }
  if (info.hosts.empty() && !entry.host.empty()) info.hosts.push_back(entry.host);
  return info;
}

result<info_result> anatomy_info(const profile& p, const anatomy_options& o, const hooks& host) {
  return contained([&]() -> result<info_result> {
    result<selection> selected = selection::make(p, o, host);
    if (!selected) return std::move(selected).error();
    return inventory(p, o, *selected, host).run();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
