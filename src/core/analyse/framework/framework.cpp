// What the hosts did: events on host planes by name, and the stats they carry, found out and not assumed.
#include <analyse/framework/host_span_names.hpp>
#include <analyse/questions.hpp>
#include <trace/filters/select.hpp>
#include <analyse/ops/op_totals.hpp>
#include <trace/stats.hpp>
#include <base/contained.hpp>
#include <base/id_table.hpp>
#include <trace/line_scan.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct stat_total {
  std::uint64_t count = 0;
  std::uint8_t kinds = 0;
};
template <class Total>
using totals_by_id = std::vector<std::pair<std::int64_t, Total>>;

// What the events of one line gave.
struct host_line {
  std::uint64_t matched = 0, negative_durations = 0;
  std::optional<op_totals> adding;  // until all are added
  totals_by_id<op_sum> events;      // of all names, for those inside others take their time
  totals_by_id<stat_total> stats;
  std::vector<framework_event> samples;
  line_end end;
};

class host_line_reader final : public line_reader {
 public:
  // `bytes`: the length of the line. `limit`: so many samples at most; 0: all.
  host_line_reader(const profile& p, const line_place& at, std::uint64_t bytes, const event_filter& filter, std::uint64_t limit,
                   host_line& into)
      : at_(at),
        plane_(p.xspace(at.file)->planes[static_cast<std::size_t>(at.plane)]),
        line_(plane_.lines[static_cast<std::size_t>(at.line)]),
        clock_(p, at.file, line_, complete_header(line_)),
        filter_(filter),
        limit_(limit),
        into_(into),
        is_another_look_(into.adding.has_value()) {
    // No more room than events, which take five bytes at least.
    if (!is_another_look_)
      into_.adding.emplace(static_cast<std::size_t>(std::min<std::uint64_t>(plane_.event_metadata_entries.size(), bytes / 5)));
  }

  [[nodiscard]] bool changes_rows() const noexcept override { return !filter_.keeps_all_times(); }
  void take(const line_rows& rows) override {
    event_row* end = rows.rows + rows.count;
    if (!filter_.keeps_all_times())
      end = std::remove_if(rows.rows, end, [&](const event_row& row) { return !filter_.keeps_time(clock_.start_of(row), row.duration_ps); });
    const auto count = static_cast<std::size_t>(end - rows.rows);
    if (is_another_look_) return into_.adding->add_unordered(rows.rows, count);
    into_.adding->add(rows.rows, count);
    for (const event_row* row = rows.rows; row != end; ++row)
      if (filter_.keeps_name(row->metadata_id)) add(*row, rows.readable_end);
  }
  bool end(const line_end& end) override {
    into_.end = end;
    stats_.for_each([&](std::int64_t id, const stat_total& total) {
      if (total.count != 0) into_.stats.emplace_back(id, total);
    });
    if (!is_another_look_ && !into_.adding->in_order()) return true;
    into_.adding->finish();
    into_.negative_durations = into_.adding->negative_durations();
    into_.adding->for_each([&](std::int64_t id, const op_sum& sum) { into_.events.emplace_back(id, sum); });
    into_.adding.reset();
    return false;
  }

 private:
  void add(const event_row& event, const char* readable_end) {
    ++into_.matched;
    for (const stat_view stat : message_range<stat_view, 4>({event.stats, event.stats_bytes}, readable_end)) {
      stat_total& seen = stats_[stat.metadata_id()];
      ++seen.count;
      seen.kinds = static_cast<std::uint8_t>(seen.kinds | 1u << static_cast<unsigned>(stat.kind()));
    }
    if (limit_ == 0 || into_.samples.size() < limit_) add_sample(event);
  }
  void add_sample(const event_row& event) {
    framework_event& row = into_.samples.emplace_back();
    row.file = at_.file;
    row.plane = at_.plane;
    row.line = at_.line;
    row.line_name = line_.name();
    row.name = plane_.event_name(event.metadata_id);
    row.start_ps = clock_.start_of(event);
    row.duration_ps = std::max<std::int64_t>(event.duration_ps, 0);
    row.stats = name_stats(plane_, stats_of(event), named_stat::origin::event);
    std::stable_sort(row.stats.begin(), row.stats.end(),
                     [](const named_stat& a, const named_stat& b) { return a.name < b.name; });
  }

  const line_place at_;
  const plane_index& plane_;
  const line_index& line_;
  const line_clock clock_;
  const event_filter& filter_;
  const std::uint64_t limit_;
  host_line& into_;
  const bool is_another_look_;
  id_table<stat_total> stats_;
};

class host_pass final : public line_pass {
 public:
  host_pass(const profile& p, const query_filters& o, const selection& selected)
      : profile_(p), options_(o), selected_(selected), filters_(selected) {}
  bool wants(const line_place& place) override {
    // Samples borrow from events, which stay where they are only in a file that is in memory.
    const xspace_index* const space = selected_.file(place.file) ? profile_.xspace(place.file) : nullptr;
    if (space == nullptr || space->planes.empty()) return false;
    const plane_index& plane = space->planes[static_cast<std::size_t>(place.plane)];
    const line_index& line = plane.lines[static_cast<std::size_t>(place.line)];
    if (plane.kind != plane_kind::host || !selected_.plane(plane) || !selected_.line(line) ||
        line.kind == line_kind::derived)
      return false;
    filters_.add(place);
    lines.add(place);
    return true;
  }
  std::unique_ptr<line_reader> begin(const line_place& place, std::uint64_t bytes) override {
    return std::make_unique<host_line_reader>(profile_, place, bytes, filters_.of(place), options_.limit, *lines.find(place));
  }
  [[nodiscard]] const event_filter& filter_of(const line_place& place) const { return filters_.of(place); }
  by_line<host_line> lines;

 private:
  const profile& profile_;
  const query_filters& options_;
  const selection& selected_;
  plane_filters filters_;
};

class framework_finder final : public line_question {
 public:
  framework_finder(const trace& t, const query_filters& o, const hooks& host, framework_result& into)
      : trace_(t), profile_(t.files()), options_(o), host_(host), found_(into) {}

  result<void> prepare() override {
    auto selected = selection::make(trace_, options_, host_);
    if (!selected) return std::move(selected).error();
    selected_.emplace(std::move(*selected));
    damage_.emplace(profile_, *selected_);
    pass_.emplace(profile_, options_, *selected_);
    return {};
  }

  line_pass& pass() override { return *pass_; }

  result<void> finish() override {
    for (auto line = pass_->lines.begin(); line != pass_->lines.end();) line = add_plane(line, pass_->lines.end());
    if (trace_.has_traces())
      if (result<void> added = add_traces(); !added) return added;
    settle();
    return {};
  }

 private:
  result<void> add_traces() {
    auto read = trace_.all_activity(host_);
    if (!read) return std::move(read).error();
    damage_->note(**read, *selected_);
    const std::uint64_t before = found_.matched;
    if (result<void> added = add_host_spans(profile_, *read, *selected_, options_, host_, found_); !added) return added;
    if (const std::uint64_t spans = found_.matched - before; spans != 0) {
      stat_total& kinds = stats_[span_kind_stat];
      kinds.count += spans;
      kinds.kinds = static_cast<std::uint8_t>(kinds.kinds | 1U << static_cast<unsigned>(stat_kind::str_value));
    }
    return {};
  }

  // All lines of the plane of `line`; gives the first of the next plane. Several ids can share a name: the name is what
  // a person asks for.
  template <class Line>
  Line add_plane(Line line, Line end) {
    const line_place first = line->first;
    const plane_index& plane = profile_.xspace(first.file)->planes[static_cast<std::size_t>(first.plane)];
    std::map<std::string_view, framework_name> by_name;
    for (; line != end && line->first.file == first.file && line->first.plane == first.plane; ++line) {
      host_line& found = line->second;
      const line_index& index = plane.lines[static_cast<std::size_t>(line->first.line)];
      damage_->note_events(first.file, plane, index, found.end, found.negative_durations);
      found_.matched += found.matched;
      const event_filter& filter = pass_->filter_of(line->first);
      for (const auto& [id, sum] : found.events)
        if (filter.keeps_name(id)) add_sum(by_name[plane.event_name(id)], sum);
      for (const auto& [id, seen] : found.stats) {
        stat_total& total = stats_[plane.stat_name(id)];
        total.count += seen.count;
        total.kinds = static_cast<std::uint8_t>(total.kinds | seen.kinds);
      }
      for (framework_event& sample : found.samples)
        if (options_.limit == 0 || found_.events.size() < options_.limit) found_.events.push_back(std::move(sample));
    }
    for (auto& [name, row] : by_name) {
      row.file = first.file;
      row.plane = first.plane;
      row.plane_name = plane.name;
      row.name = name;
      found_.names.push_back(row);
    }
    return line;
  }

  [[nodiscard]] bool any_host_plane() const {
    if (trace_.has_traces()) return true;
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      if (!selected_->file(file)) continue;
      for (const plane_index& plane : profile_.xspace(file)->planes)
        if (plane.kind == plane_kind::host) return true;
    }
    return false;
  }

  void settle() {
    // Names of one plane stand in alphabetical order: ties keep file, plane, name.
    std::stable_sort(found_.names.begin(), found_.names.end(),
                 [](const framework_name& a, const framework_name& b) { return a.total_ps > b.total_ps; });
    for (const auto& [name, total] : stats_) found_.stats.push_back({name, total.count, total.kinds});
    if (found_.matched == 0)
      found_.absent =
          why_nothing_ran_or(trace_, options_, any_host_plane() ? "no host recorded an event" : "no host plane");
    found_.damage = damage_->take();
  }

  const trace& trace_;
  const profile& profile_;
  const query_filters options_;
  const hooks& host_;
  std::optional<selection> selected_;
  std::optional<damage_list> damage_;
  std::optional<host_pass> pass_;
  framework_result& found_;
  std::map<std::string_view, stat_total> stats_;
};

}  // namespace

std::unique_ptr<line_question> framework_question(const trace& t, const query_filters& o, const hooks& host,
                                                  framework_result& into) {
  return std::make_unique<framework_finder>(t, o, host, into);
}

result<framework_result> analyse_framework(const trace& t, const query_filters& o, const hooks& host) {
  return contained([&] { return answer_alone(framework_question, t, o, host); });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
