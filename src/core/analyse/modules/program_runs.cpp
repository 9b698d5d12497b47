// Runs of programs on hosts: what the events of one `run_id` span.
#include <trace/filters/select.hpp>
#include <analyse/questions.hpp>
#include <base/hash_map.hpp>
#include <formats/xspace/event_stats.hpp>
#include <profkit/interval.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view stats_of_runs[stat_finder::max_names] = {"run_id", "program_id", "hlo_module", "device_ordinal"};
enum stat_of_run : std::size_t { at_run_id, at_run_program, at_run_module, at_run_device };

// Program, run, device: a run on two devices is two.
using program_run_key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

// Makes the span of a run hold another, too.
template <class Runs, class Key>
void widen_run(Runs& runs, const Key& key, const interval& span) {
  const auto [at, is_new] = runs.try_emplace(key, span);
  if (!is_new) at->second = {std::min(at->second.start_ps, span.start_ps), std::max(at->second.end_ps, span.end_ps)};
}

struct runs_of_line {
  hash_map<program_run_key, interval> runs;
  hash_map<std::int64_t, std::string> modules;  // by program
};

class run_reader final : public line_reader {
 public:
  run_reader(const profile& p, const line_place& at, const event_filter& filter, runs_of_line& into)
      : plane_(plane_at(p, at)),
        clock_(p, at.file, line_at(p, at), complete_header(line_at(p, at))),
        filter_(filter),
        stats_(plane_, stats_of_runs),
        into_(into) {}
  void take(const line_rows& rows) override {
    for (const event_row* row = rows.rows; row != rows.rows + rows.count; ++row) {
      const stat_finder::found_stats found = stats_.find(*row, rows.readable_end);
      if (found.messages[at_run_id].empty() || found.messages[at_run_program].empty()) continue;
      const std::optional<std::int64_t> run = integer_value(found[at_run_id]), program = integer_value(found[at_run_program]);
      const std::optional<std::int64_t> start_ps = clock_.start_of(*row);
      if (!run || !program || !start_ps || !filter_.keeps_time(start_ps, row->duration_ps)) continue;
      widen_run(into_.runs, program_run_key(*program, *run, integer_value(found[at_run_device]).value_or(0)),
            {*start_ps, *start_ps + std::max<std::int64_t>(row->duration_ps, 0)});
      std::string& module = into_.modules[*program];
      if (module.empty()) module = text_value(plane_, found[at_run_module]);
    }
  }
  bool end(const line_end&) override { return false; }

 private:
  const plane_index& plane_;
  const line_clock clock_;
  const event_filter& filter_;
  const stat_finder stats_;
  runs_of_line& into_;
};

class runs_pass final : public line_pass {
 public:
  runs_pass(const profile& p, const selection& selected) : profile_(p), selected_(selected), filters_(selected) {}
  bool wants(const line_place& place) override {
    if (!selected_.file(place.file)) return false;
    const plane_index& plane = plane_at(profile_, place);
    const line_index& line = line_at(profile_, place);
    if (line.kind != line_kind::thread || !plane.stat_id("run_id") || !plane.stat_id("program_id")) return false;
    if (!selected_.plane(plane) || !selected_.line(line)) return false;
    filters_.add(place);
    lines.add(place);
    return true;
  }
  std::unique_ptr<line_reader> begin(const line_place& place, std::uint64_t) override {
    return std::make_unique<run_reader>(profile_, place, filters_.of(place), *lines.find(place));
  }
  by_line<runs_of_line> lines;

 private:
  const profile& profile_;
  const selection& selected_;
  plane_filters filters_;
};

class run_finder final : public line_question {
 public:
  run_finder(const trace& t, const query_filters& o, const hooks& host, std::vector<program_runs>& into)
      : trace_(t), options_(o), host_(host), found_(into) {}
  result<void> prepare() override {
    auto selected = selection::make(trace_, options_, host_);
    if (!selected) return std::move(selected).error();
    selected_.emplace(std::move(*selected));
    pass_.emplace(trace_.files(), *selected_);
    return {};
  }
  line_pass& pass() override { return *pass_; }
  // The ops of a run lie on several threads.
  result<void> finish() override {
    std::map<std::pair<std::uint32_t, program_run_key>, interval> runs;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::string> modules;
    for (auto& [place, of_line] : pass_->lines) {
      for (const auto& [key, span] : of_line.runs) widen_run(runs, std::pair(place.file, key), span);
      for (auto& [program, module] : of_line.modules) modules.try_emplace({place.file, program}, std::move(module));
    }
    for (const auto& [key, span] : runs) {
      const std::int64_t program = std::get<0>(key.second);
      if (found_.empty() || found_.back().file != key.first || found_.back().program_id != program)
        found_.push_back({key.first, program, std::move(modules[{key.first, program}]), 0, 0, 0});
      program_runs& into = found_.back();
      const std::int64_t length_ps = checked_sub(span.end_ps, span.start_ps).value_or(0);
      ++into.runs;
      into.total_ps = saturating_add(into.total_ps, length_ps);
      into.max_ps = std::max(into.max_ps, length_ps);
    }
    return {};
  }

 private:
  const trace& trace_;
  const query_filters options_;
  const hooks& host_;
  std::optional<selection> selected_;
  std::optional<runs_pass> pass_;
  std::vector<program_runs>& found_;
};

}  // namespace

std::unique_ptr<line_question> program_runs_question(const trace& t, const query_filters& o, const hooks& host,
                                                     std::vector<program_runs>& into) {
  return std::make_unique<run_finder>(t, o, host, into);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
