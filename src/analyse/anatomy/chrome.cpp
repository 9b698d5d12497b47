// The chrome slice: what trace-event JSON files hold, whether or not they are exports of an XSpace.
#include <profkit/core/chrome.hpp>

#include <analyse/anatomy/chrome_verdict.hpp>
#include <analyse/anatomy/json_stats.hpp>
#include <analyse/anatomy/select.hpp>
#include <base/affix.hpp>
#include <base/contained.hpp>
#include <formats/chrome/chrome_tracks.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t event_cap = 999'000;  // XLA drops the tail at one million
constexpr std::size_t sample_args = 5;

// Numbers in order of value before strings in order of bytes.
struct ref_key {
  bool is_string = false;
  std::int64_t number = 0;
  std::string_view text;

  friend bool operator<(const ref_key& a, const ref_key& b) {
    return std::tie(a.is_string, a.number, a.text) < std::tie(b.is_string, b.number, b.text);
  }
};

chrome_sample sample_of(const chrome_event& e) {
  chrome_sample s;
  s.name = e.name;
  s.cat = e.cat;
  s.phase.assign(1, e.phase);
  s.pid = e.pid.text;
  s.tid = e.tid.text;
  s.start_ps = e.ts_ps;
  s.duration_ps = e.dur_ps;
  std::map<std::string, std::string> args;  // of equal keys the last counts
  std::string quoted, scratch;
  for (json_members m(e.args_json); m.next();) {
    quoted.assign(1, '"').append(m.key()).append(1, '"');
    args[std::string(json_text(quoted, scratch))] = m.value();
    if (args.size() > sample_args) args.erase(std::prev(args.end()));
  }
  s.args.assign(args.begin(), args.end());
  return s;
}

// Takes samples that pass the filters. The time window is that of the file's own zero, like the times shown.
class sampler {
 public:
  sampler(const anatomy_options& o, chrome_tracks* names) : options_(o), names_(names) {}

  void take(const chrome_event& e, chrome_file& into) const {
    const bool complete = e.phase == 'X';
    if (!complete && e.phase != 'i' && e.phase != 'I') return;
    std::vector<chrome_sample>& samples = complete ? into.complete_samples : into.instant_samples;
    if (options_.limit != 0 && samples.size() >= options_.limit) return;
    if (!contains(e.name, options_.name) || !in_window(e) || !on_wanted_thread(e)) return;
    samples.push_back(sample_of(e));
  }

 private:
  [[nodiscard]] bool in_window(const chrome_event& e) const {
    if (!options_.from_ps && !options_.to_ps) return true;
    if (!e.ts_ps) return false;
    const std::int64_t end_ps = saturating_add(*e.ts_ps, e.dur_ps.value_or(0));
    if (options_.to_ps && *e.ts_ps >= *options_.to_ps) return false;
    return !options_.from_ps || *e.ts_ps >= *options_.from_ps || end_ps > *options_.from_ps;
  }
  [[nodiscard]] bool on_wanted_thread(const chrome_event& e) const {
    if (names_ == nullptr) return true;
    return contains(names_->process(names_->process_of(e)).name, options_.plane) &&
           contains(names_->track(names_->thread_of(e)).name, options_.line);
  }
  const anatomy_options& options_;
  chrome_tracks* names_;  // nullptr: every thread is wanted
};

// Counts, names and header of one file; samples too when they need no names.
class fact_collector final : public chrome_visitor {
 public:
  fact_collector(chrome_file& into, const sampler* samples) : into_(into), samples_(samples) {}

  bool event(const chrome_event& e) override {
    ++by_phase_[static_cast<unsigned char>(e.phase)];
    verdict.look(e);
    if (e.phase == 'M') {
      const bool has_index =
          e.name == "process_sort_index" && json_scaled_integer(json_member(e.args_json, "sort_index"));
      if (e.name == "process_name" || e.name == "thread_name" || has_index) tracks.take_name(e);
      return true;
    }
    if (e.ts_ps) {
      const std::int64_t end_ps = saturating_add(*e.ts_ps, std::max<std::int64_t>(e.dur_ps.value_or(0), 0));
      into_.first_ps = std::min(into_.first_ps.value_or(*e.ts_ps), *e.ts_ps);
      into_.last_ps = std::max(into_.last_ps.value_or(end_ps), end_ps);
    }
    if (samples_ != nullptr) samples_->take(e, into_);
    return true;
  }

  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    keys_.emplace(key);
    if (key == "displayTimeUnit") into_.display_time_unit = json_text(json, scratch_);
    if (key == "metadata") into_.metadata = compact_json(json);
    return true;
  }

  void finish(const chrome_summary& read) {
    if (!read.bare_array && read.has_events_key) keys_.emplace("traceEvents");
    into_.top_level_keys.assign(keys_.begin(), keys_.end());
    for (std::size_t phase = 0; phase < 256; ++phase) {
      if (by_phase_[phase] == 0) continue;
      into_.phases[phase == 0 ? std::string() : std::string(1, static_cast<char>(phase))] = by_phase_[phase];
    }
    into_.events = read.events;
    into_.zero_us = read.zero_us;
    into_.at_event_cap = read.events >= event_cap;
    into_.broken_events = read.broken_events;
    into_.unusable_times = read.unusable_times;
  }

  chrome_verdict verdict;
  chrome_tracks tracks;  // those with a name or a sort index

 private:
  chrome_file& into_;
  const sampler* samples_;
  std::uint64_t by_phase_[256] = {};
  std::set<std::string> keys_;
  std::string scratch_;
};

class sample_collector final : public chrome_visitor {
 public:
  sample_collector(chrome_file& into, const sampler& samples) : into_(into), samples_(samples) {}
  bool event(const chrome_event& e) override {
    samples_.take(e, into_);
    return true;
  }

 private:
  chrome_file& into_;
  const sampler& samples_;
};

void list_processes(const chrome_tracks& tracks, const anatomy_options& o, chrome_file& into) {
  std::vector<std::map<ref_key, std::string_view>> threads(tracks.processes().size());
  for (const chrome_track& t : tracks.tracks())
    threads[t.process][{t.tid_is_string, t.number.value_or(0), t.tid}] = t.name;
  std::map<ref_key, std::size_t> by_pid;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const chrome_trace_process& p = tracks.processes()[i];
    by_pid[{p.pid_is_string, p.number.value_or(0), p.pid}] = i;
  }
  for (const auto& [pid, at] : by_pid) {
    const chrome_trace_process& facts = tracks.processes()[at];
    if (!contains(facts.name, o.plane)) continue;
    chrome_process process;
    process.pid = facts.pid;
    process.name = facts.name;
    process.sort_index = facts.sort_index.value_or(0);
    for (const auto& [tid, name] : threads[at])
      if (contains(name, o.line)) process.threads.emplace_back(tid.text, name);
    if (process.threads.empty() && !o.line.empty()) continue;
    into.processes.push_back(std::move(process));
  }
}

result<chrome_file> chrome_facts_of(const profile& p, std::size_t file, const anatomy_options& o, const hooks& host) {
  chrome_file facts;
  facts.file = static_cast<std::uint32_t>(file);
  const std::string_view bytes = p.bytes(file);
  const fault* const known = p.file_fault(file);
  if (bytes.empty() && known != nullptr) {
    facts.damage = *known;
    return facts;
  }
  chrome_options options;
  options.bounds = p.what().bounds;
  options.host = host;
  const bool by_thread = !o.plane.empty() || !o.line.empty();
  const sampler any_thread(o, nullptr);
  fact_collector collector(facts, by_thread ? nullptr : &any_thread);
  result<chrome_summary> read = read_chrome(bytes, collector, options);
  if (read.ok()) list_processes(collector.tracks, o, facts);
  if (read.ok() && by_thread) {
    const sampler samples(o, &collector.tracks);
    sample_collector second(facts, samples);
    read = read_chrome(bytes, second, options);
  }
  if (!read && read.error().code == fault_code::cancelled) return read.error();
  if (read.ok()) {
    collector.finish(*read);
    facts.damage = collector.verdict.of(known, *read);
  } else {
    facts.damage = known != nullptr ? *known : read.error();
  }
  if (facts.damage && facts.damage->path.empty()) facts.damage->path = p.what().files[file].path;
  return facts;
}

}  // namespace

result<chrome_result> anatomy_chrome(const trace& t, const anatomy_options& o, const hooks& host) {
  return contained([&]() -> result<chrome_result> {
    anatomy_options without_step = o;  // steps are an XSpace's
    without_step.step.reset();
    const result<selection> selected = selection::make(t, without_step, host);
    if (!selected) return fault(selected.error());
    const profile& p = t.files();
    chrome_result found;
    for (std::size_t file = 0; file < p.file_count(); ++file) {
      if (p.what().files[file].family != file_family::chrome_trace || !selected->file(file)) continue;
      result<chrome_file> facts = chrome_facts_of(p, file, o, host);
      if (!facts) return std::move(facts).error();
      found.files.push_back(std::move(facts).value());
    }
    if (found.files.empty()) {
      found.absent = o.host.empty() ? "no trace-event JSON (*.trace.json, *.trace.json.gz) in the capture"
                                    : "no trace-event JSON of host '" + o.host + "'";
    }
    return found;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
