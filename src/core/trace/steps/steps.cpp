// Training or inference steps: of an XSpace from the device's own line, else from program runs, else from host
// annotations and step_num; of traces and tables from what they mark.
#include <trace/steps/marked_steps.hpp>
#include <trace/filters/select.hpp>
#include <trace/stats.hpp>
#include <trace/steps/step_rows.hpp>
#include <trace/input_texts.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/id_table.hpp>
#include <base/progress.hpp>
#include <formats/xspace/xspace_steps.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

namespace {

using packed_step = step_list::packed::step;

class step_finder {
 public:
  step_finder(const trace& t, const query_filters& o, const selection& selected, const hooks& host)
      : trace_(t),
        profile_(t.files()),
        options_(o),
        selected_(selected),
        host_(host),
        damage_(profile_, selected),
        meter_(host) {}

  result<steps_result> run() {
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      if (!selected_.file(file)) continue;
      if (result<void> found = add_file(file); !found) return std::move(found).error();
    }
    if (trace_.has_traces()) {
      auto recorded = trace_.all_activity(host_);
      if (!recorded) return std::move(recorded).error();
      pytorch_ = is_of_pytorch(**recorded);
      xla_ = is_of_xla(**recorded);
      damage_.note(**recorded, selected_);
      add_marked_steps(profile_, std::move(*recorded), selected_, options_, *packed_);
    }
    if (const std::uint64_t most = number_steps(); most != 0 && options_.step && *options_.step >= most)
      return no_such_step(profile_, *options_.step, most);
    keep_wanted();
    std::vector<packed_step>& steps = packed_->steps;
    found_.matched = steps.size();
    if (steps.empty()) found_.absent = why_none();
    if (options_.limit != 0 && steps.size() > options_.limit) {
      steps.resize(static_cast<std::size_t>(options_.limit));
      steps.shrink_to_fit();
    }
    found_.steps = step_list(std::move(packed_));
    found_.damage = damage_.take();
    return std::move(found_);
  }

 private:
  // One source a file, the best that any of its planes has: rows of two sources would not be comparable.
  result<void> add_file(std::size_t file) {
    const xspace_index& space = *profile_.xspace(file);
    for (const auto& [source, kind] : {std::pair(step_source::steps_line, line_kind::steps),
                                      std::pair(step_source::xla_modules, line_kind::modules)}) {
      struct place {
        std::size_t plane, line;
      };
      std::vector<place> lines;
      bool any = false;  // of planes that the filters leave out as well
      std::uint64_t events = 0;
      for (std::size_t plane = 0; plane < space.planes.size(); ++plane) {
        if (space.planes[plane].kind != plane_kind::device) continue;
        for (const std::size_t line : step_lines_of(space.planes[plane], kind)) {
          any = true;
          if (!selected_.plane(space.planes[plane])) continue;
          lines.push_back({plane, line});
          events += count_events(space.planes[plane].lines[line].body);
        }
      }
      if (!any) continue;
      // Once, and no more of it: a vector that grows takes half as much again, and twice that while it grows.
      packed_->steps.reserve(packed_->steps.size() + static_cast<std::size_t>(events));
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (result<void> added = add_device_line(file, lines[i].plane, lines[i].line, source); !added) return added;
        if (i + 1 == lines.size() || lines[i + 1].plane != lines[i].plane) sort_plane();
      }
      return {};
    }
    return add_hosts(file);
  }

  result<void> add_hosts(std::size_t file) {
    const xspace_index& space = *profile_.xspace(file);
    const std::size_t first = packed_->steps.size();
    for (std::size_t plane = 0; plane < space.planes.size(); ++plane) {
      if (space.planes[plane].kind != plane_kind::host || !selected_.host(space.planes[plane])) continue;
      const host_step_marks marks(space.planes[plane], names_of_steps_);
      for (std::size_t line = 0; marks.any() && line < space.planes[plane].lines.size(); ++line)
        if (result<void> added = add_host_line(file, plane, line, marks); !added) return added;
      sort_plane();
    }
    keep_best_source(first);
    return {};
  }

  // Of the rows from `first` on: hosts may mark one step in several ways.
  void keep_best_source(std::size_t first) {
    const auto rank = [&](const packed_step& step) { return sources_.find(step.origin)->second; };
    auto& steps = packed_->steps;
    const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
    if (begin == steps.end()) return;
    const auto best = rank(*std::min_element(begin, steps.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); }));
    steps.erase(std::remove_if(begin, steps.end(), [&](const packed_step& step) { return rank(step) != best; }), steps.end());
    sorted_ = steps.size();
  }

  std::uint32_t add_origin(std::size_t file, std::size_t plane, std::size_t line, step_source source) {
    const plane_index& plane_at = profile_.xspace(file)->planes[plane];
    const auto in_file = static_cast<std::uint32_t>(file);
    packed_->origins.push_back({in_file, in_file, static_cast<std::int32_t>(plane), static_cast<std::int32_t>(line), source, -1,
                                selected_.plane(plane_at) && selected_.line(plane_at.lines[line]), plane_at.name});
    return static_cast<std::uint32_t>(packed_->origins.size() - 1);
  }

  // An event that is a step.
  struct marked {
    std::uint32_t origin = 0;
    std::optional<std::int64_t> number;
    bool numbered_by_name = false;  // where it has no number
  };

  result<void> add_device_line(std::size_t file, std::size_t plane, std::size_t line, step_source source) {
    const step_num_stat stat(profile_.xspace(file)->planes[plane]);
    const char* const readable_end = end_of(profile_.bytes(file));
    const std::uint32_t origin = add_origin(file, plane, line, source);
    return add_line(file, plane, line, [&](const event_row& event) -> std::optional<marked> {
      const std::optional<stat_view> number = stat.find(event.stats, event.stats_bytes, readable_end);
      return marked{origin, number ? integer_value(*number) : std::nullopt, source == step_source::steps_line};
    });
  }

  result<void> add_host_line(std::size_t file, std::size_t plane, std::size_t line, const host_step_marks& marks) {
    const char* const readable_end = end_of(profile_.bytes(file));
    std::map<marker_source, std::uint32_t> origins;
    return add_line(file, plane, line, [&](const event_row& event) -> std::optional<marked> {
      const std::optional<host_step_marks::mark> mark = marks.of(event, readable_end);
      if (!mark) return std::nullopt;
      const auto [at, is_new] = origins.try_emplace(mark->source);
      if (is_new) {
        at->second = add_origin(file, plane, line, source_of(mark->source));
        sources_[at->second] = mark->source;
      }
      return marked{at->second, mark->number};
    });
  }

  // `mark` says of an event whether it is a step.
  template <class Mark>
  result<void> add_line(std::size_t file, std::size_t plane, std::size_t line, const Mark& mark) {
    const plane_index& plane_at = profile_.xspace(file)->planes[plane];
    const line_index& line_at = plane_at.lines[line];
    const line_clock clock(profile_, file, line_at, complete_header(line_at));
    id_table<step_name> names;
    for_each_event(line_at, file, plane_at, damage_, [&](const event_row& event) {
      const std::optional<marked> found = mark(event);
      if (!found) return;
      const std::optional<std::int64_t> start = clock.start_of(event);
      if (!start) {
        if ((event.flags & event_has_occurrences) == 0) damage_.note_line(file, plane_at, line_at, 0, event_out_of_reach);
        return;
      }
      step_name& name = names[event.metadata_id];
      if (!name.known) name = name_of(plane_at.event_name(event.metadata_id));
      const std::optional<std::int64_t>& number =
          !found->number && found->numbered_by_name ? name.number : found->number;
      packed_step& step = packed_->steps.emplace_back();
      step.start_ps = *start;
      step.duration_ps = event.duration_ps;
      step.has_number = number ? 1 : 0;
      if (number) step.number = *number;
      step.name = name.at;
      step.origin = found->origin & 0x7fffffffU;
    });
    return meter_.step(line_at.offset + line_at.body.size());
  }

  // The name of a metadata id.
  struct step_name {
    bool known = false;
    std::uint32_t at = 0;  // in the names
    std::optional<std::int64_t> number;
  };
  step_name name_of(std::string_view text) {
    packed_->names.push_back(text);
    return {true, static_cast<std::uint32_t>(packed_->names.size() - 1), step_number_in(text)};
  }

  // Rows of the plane that was read last.
  void sort_plane() {
    const auto starts_before = [](const packed_step& a, const packed_step& b) { return a.start_ps < b.start_ps; };
    const auto first = packed_->steps.begin() + static_cast<std::ptrdiff_t>(sorted_);
    // Sorting takes memory, and lines are in order as profilers write them.
    if (!std::is_sorted(first, packed_->steps.end(), starts_before))
      std::stable_sort(first, packed_->steps.end(), starts_before);
    sorted_ = packed_->steps.size();
  }

  // Numbers the rows of each device, or of each file's host steps, and gives how many there are at most.
  std::uint64_t number_steps() {
    const auto& origins = packed_->origins;
    std::vector<packed_step>& steps = packed_->steps;
    std::uint64_t index = 0, most = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (i > 0) {
        index = is_same_list(origins[steps[i - 1].origin], origins[steps[i].origin]) ? index + 1 : 0;
      }
      steps[i].index = index;
      most = std::max(most, index + 1);
    }
    return most;
  }

  // A row has the same position whatever is left out, for --step takes it beside any other filter.
  void keep_wanted() {
    std::vector<packed_step>& steps = packed_->steps;
    if (!filters_events(options_) && options_.plane.empty() && options_.line.empty()) return;
    const auto unwanted = [&](const packed_step& step) {
      return !packed_->origins[step.origin].wanted || (options_.step && step.index != *options_.step) ||
             !selected_.name(packed_->names[step.name]) || !time_fits(options_, step.start_ps, step.duration_ps);
    };
    steps.erase(std::remove_if(steps.begin(), steps.end(), unwanted), steps.end());
  }

  std::string why_none() const {
    const auto& files = profile_.what().files;
    const bool any_xspace = profile_.is_any_xspace(), any_times = any_xspace || std::any_of(files.begin(), files.end(), is_trace);
    return why_nothing_ran_or(trace_, options_,
                          !any_times ? only_totals
                          : !options_.plane.empty() || !options_.line.empty()
                              ? "no step is marked there; without --plane and --line there may be some"
                          : any_xspace ? "no device plane has a 'Steps' or 'XLA Modules' line with events, and no host "
                                        "event has a step_num stat or the name of a step"
                              : std::string("no step is marked") +
                                    (pytorch_ ? ": in PyTorch call profiler.step() after each, or wrap each in "
                                                "record_function(\"step#N\")"
                                     : xla_   ? ", and no device has a line of steps or of runs of programs: in JAX "
                                                "wrap each in jax.profiler.StepTraceAnnotation(\"step\", step_num=N)"
                                              : ""));
  }

  const trace& trace_;
  const profile& profile_;
  const query_filters& options_;
  const selection& selected_;
  const hooks& host_;
  damage_list damage_;
  progress_meter meter_;
  steps_result found_;
  std::shared_ptr<step_list::packed> packed_ = std::make_shared<step_list::packed>();
  const step_names names_of_steps_;
  hash_map<std::uint32_t, marker_source> sources_;  // of origins of hosts
  std::size_t sorted_ = 0;
  bool pytorch_ = false, xla_ = false;
};

}  // namespace

std::size_t step_list::size() const noexcept { return packed_ == nullptr ? 0 : packed_->steps.size(); }

step_row step_list::operator[](std::size_t at) const noexcept {
  const packed::step& step = packed_->steps[at];
  const packed::origin& origin = packed_->origins[step.origin];
  step_row row;
  row.file = origin.file;
  row.plane = origin.plane;
  row.line = origin.line;
  row.device = origin.device;
  row.host_file = origin.host_file;
  row.plane_name = origin.plane_name;
  row.source = origin.source;
  row.index = step.index;
  row.name = packed_->names[step.name];
  if (step.has_number) row.step_num = step.number;
  row.start_ps = step.start_ps;
  row.duration_ps = step.duration_ps;
  return row;
}

bool is_host_source(step_source s) noexcept {
  return s == step_source::host_step_num || s == step_source::profiler_step || s == step_source::annotation;
}

result<steps_result> analyse_steps(const trace& t, const query_filters& o, const hooks& host) {
  return contained([&]() -> result<steps_result> {
    // Which rows are the wanted step is found out here; everywhere else it is a window made from these rows.
    query_filters but_step = o;
    but_step.step.reset();
    result<selection> selected = selection::make(t, but_step, host);
    if (!selected) return std::move(selected).error();
    return step_finder(t, o, *selected, host).run();
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
