// Training or inference steps: from the device's own line, else from program runs, else from host annotations.
#include <analyse/anatomy/select.hpp>
#include <analyse/anatomy/stats.hpp>
#include <base/contained.hpp>
#include <base/progress.hpp>

#include <algorithm>
#include <charconv>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view step_num_name = "step_num";

std::optional<std::int64_t> number_in(std::string_view text) noexcept {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool has_events(const line_index& line) noexcept { return !message_range<event_view, 4>(line.body).empty(); }

// Lines of one kind that have events. "Sparse Core Steps" and the like count only where the core's own line
// is missing: they repeat it on a plane.
std::vector<std::size_t> lines_of(const plane_index& plane, line_kind kind, std::string_view own_name) {
  std::vector<std::size_t> named, others;
  for (std::size_t line = 0; line < plane.lines.size(); ++line) {
    const line_index& candidate = plane.lines[line];
    if (candidate.kind != kind || !has_events(candidate)) continue;
    (candidate.name() == own_name ? named : others).push_back(line);
  }
  return named.empty() ? others : named;
}

class step_finder {
 public:
  step_finder(const profile& p, const anatomy_options& o, const selection& selected, const hooks& host)
      : profile_(p), options_(o), selected_(selected), damage_(p, selected, is_xspace), meter_(host) {}

  result<steps_result> run() {
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      if (profile_.xspace(file) == nullptr) continue;
      any_xspace_ = true;
      if (!selected_.file(file)) continue;
      if (result<void> found = add_file(file); !found) return std::move(found).error();
    }
    keep_wanted();
    found_.matched = found_.steps.size();
    if (found_.steps.empty()) found_.absent = why_none();
    if (options_.limit != 0 && found_.steps.size() > options_.limit)
      found_.steps.resize(static_cast<std::size_t>(options_.limit));
    found_.damage = damage_.take();
    return std::move(found_);
  }

 private:
  // One source a file, the best that any of its planes has: rows of two sources would not be comparable.
  result<void> add_file(std::size_t file) {
    const xspace_index& space = *profile_.xspace(file);
    struct attempt {
      step_source source;
      line_kind kind;
      std::string_view own_name;
    };
    constexpr attempt attempts[] = {{step_source::steps_line, line_kind::steps, "Steps"},
                                    {step_source::xla_modules, line_kind::modules, "XLA Modules"}};
    for (const attempt& a : attempts) {
      bool any = false;
      for (std::size_t plane = 0; plane < space.planes.size(); ++plane) {
        if (space.planes[plane].kind != plane_kind::device) continue;
        for (const std::size_t line : lines_of(space.planes[plane], a.kind, a.own_name)) {
          any = true;
          if (result<void> added = add_line(file, plane, line, a.source, {}); !added) return added;
        }
        sort_plane();
      }
      if (any) return {};
    }
    for (std::size_t plane = 0; plane < space.planes.size(); ++plane) {
      if (space.planes[plane].kind != plane_kind::host) continue;
      const std::vector<std::int64_t> ids = stat_ids(space.planes[plane], step_num_name);
      for (std::size_t line = 0; !ids.empty() && line < space.planes[plane].lines.size(); ++line)
        if (result<void> added = add_line(file, plane, line, step_source::host_step_num, ids); !added) return added;
      sort_plane();
    }
    return {};
  }

  // With ids, only events that carry one of these stats.
  result<void> add_line(std::size_t file, std::size_t plane, std::size_t line, step_source source,
                        const std::vector<std::int64_t>& ids) {
    const plane_index& plane_at = profile_.xspace(file)->planes[plane];
    const line_index& line_at = plane_at.lines[line];
    if (!selected_.plane(plane_at) || !selected_.line(line_at)) return {};
    const std::vector<std::int64_t> number_ids = ids.empty() ? stat_ids(plane_at, step_num_name) : ids;
    const line_clock clock(profile_, file, line_at, complete_header(line_at));
    for_each_event(line_at, file, plane_at, damage_, [&](const event_row& event) {
      const std::optional<stat_view> number = find_stat(event, number_ids);
      if (!ids.empty() && !number) return true;
      const std::optional<std::int64_t> start = clock.start_of(event);
      if (!start) {
        if ((event.flags & event_has_occurrences) == 0) damage_.note_line(file, plane_at, line_at, 0, out_of_reach);
        return true;
      }
      step_row row;
      row.file = static_cast<std::uint32_t>(file);
      row.plane = static_cast<std::int32_t>(plane);
      row.line = static_cast<std::int32_t>(line);
      row.source = source;
      row.name = plane_at.event_name(event.metadata_id);
      if (number) row.step_num = integer_value(*number);
      if (!row.step_num && source == step_source::steps_line) row.step_num = number_in(row.name);
      row.start_ps = *start;
      row.duration_ps = event.duration_ps;
      found_.steps.push_back(row);
      return true;
    });
    return meter_.step(line_at.offset + line_at.body.size());
  }

  // Rows of the plane that was read last.
  void sort_plane() {
    std::stable_sort(found_.steps.begin() + static_cast<std::ptrdiff_t>(sorted_), found_.steps.end(),
                     [](const step_row& a, const step_row& b) { return a.start_ps < b.start_ps; });
    sorted_ = found_.steps.size();
  }

  // The step filter picks the Nth row of each device, or of each file's host steps; names and times pick after it.
  void keep_wanted() {
    std::vector<step_row> kept;
    for (std::size_t i = 0; i < found_.steps.size(); ++i) {
      step_row& row = found_.steps[i];
      const bool same_list = i > 0 && found_.steps[i - 1].file == row.file &&
                             (row.source == step_source::host_step_num || found_.steps[i - 1].plane == row.plane);
      row.index = same_list ? found_.steps[i - 1].index + 1 : 0;
      if ((!options_.step || row.index == *options_.step) && selected_.name(row.name) && in_window(row))
        kept.push_back(row);
    }
    found_.steps = std::move(kept);
  }

  bool in_window(const step_row& row) const noexcept {
    if (options_.to_ps && row.start_ps >= *options_.to_ps) return false;
    return !options_.from_ps || row.start_ps >= *options_.from_ps || row.start_ps + row.duration_ps > *options_.from_ps;
  }

  std::string why_none() const {
    return why_nothing_or(profile_, options_,
                          any_xspace_ ? "no device plane has a 'Steps' or 'XLA Modules' line with events, and no host "
                                        "event has a step_num stat"
                                      : "the capture has no XSpace file");
  }

  const profile& profile_;
  const anatomy_options& options_;
  const selection& selected_;
  damage_list damage_;
  progress_meter meter_;
  steps_result found_;
  std::size_t sorted_ = 0;
  bool any_xspace_ = false;
};

}  // namespace

const char* step_source_name(step_source s) noexcept {
  switch (s) {
    case step_source::steps_line: return "Steps";
    case step_source::xla_modules: return "XLA Modules";
    case step_source::host_step_num: return "step_num";
  }
  return "step_num";
}

result<steps_result> anatomy_steps(const profile& p, const anatomy_options& o, const hooks& host) {
  return contained([&]() -> result<steps_result> {
    // Which rows are the wanted step is found out here; everywhere else it is a window made from these rows.
    anatomy_options but_step = o;
    but_step.step.reset();
    result<selection> selected = selection::make(p, but_step, host);
    if (!selected) return std::move(selected).error();
    return step_finder(p, o, *selected, host).run();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
