#include <diff/gates.hpp>

#include <diff/significance.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace diff {
namespace {

double per_step_of(std::int64_t sum_ps, const run_snapshot& run) { return static_cast<double>(sum_ps) / static_cast<double>(run.step_count()); }

template <class Takes>
std::optional<double> time_of(const run_snapshot& run, Takes&& takes) {
  if (run.step_count() == 0) return std::nullopt;
  double sum = 0;
  for (const time_use_sum& part : run.time)
    if (takes(part.use)) sum += per_step_of(part.time_ps, run);
  return sum;
}
std::optional<double> idle_time(const run_snapshot& run, const std::string&) {
  return time_of(run, [](time_use u) { return u == time_use::idle; });
}
std::optional<double> compute_time(const run_snapshot& run, const std::string&) {
  return time_of(run, [](time_use u) { return u == time_use::compute; });
}
std::optional<double> exposed_time(const run_snapshot& run, const std::string&) {
  return time_of(run, [](time_use u) { return u == time_use::exposed_comm || u == time_use::exposed_copy; });
}
std::optional<double> op_time(const run_snapshot& run, const std::string& name) {
  std::optional<double> sum;
  if (run.step_count() == 0) return sum;
  for (const run_op& op : run.ops)
    if (op.name.find(name) != std::string::npos) sum = sum.value_or(0) + per_step_of(op.time_ps, run);
  return sum;
}
std::optional<double> memory_size(const run_snapshot& run, const std::string&) {
  return run.memory_bytes > 0 ? std::optional(static_cast<double>(run.memory_bytes)) : std::nullopt;
}

constexpr struct {
  const char* word;
  run_number number;
  bool is_exact;
} numbers[] = {{"step", median_step, false},   {"idle", idle_time, false},     {"compute", compute_time, false},
               {"exposed", exposed_time, false}, {"memory", memory_size, true}};

fault no_gate(const std::string& text, const std::string& why) {
  return {fault_code::invalid_argument, "the gate '" + text + "': " + why, "", no_offset,
          "step>+2%; before '>' step, idle, compute, exposed, memory or op:NAME"};
}

// "+2.5 %".
std::string percent(double ratio) {
  const long long tenths = std::llround(1000 * ratio);
  const long long size = tenths < 0 ? -tenths : tenths;
  return (tenths < 0 ? "-" : "+") + std::to_string(size / 10) + '.' + std::to_string(size % 10) + " %";
}

}  // namespace

std::optional<double> median_step(const run_snapshot& run, const std::string&) {
  const auto ps = run.median_step_ps();
  return ps ? std::optional(static_cast<double>(*ps)) : std::nullopt;
}

std::vector<double> numbers_of(const std::vector<run_snapshot>& runs, run_number number, const std::string& name) {
  std::vector<double> all;
  for (const run_snapshot& run : runs) all.push_back(number(run, name).value_or(0));
  return all;
}

number_change change_of_runs(const std::vector<double>& before, const std::vector<double>& after) {
  number_change found;
  if (!all_above_zero(before) || !all_above_zero(after)) return found;
  const run_change runs(before, after);
  found.change = runs.change();
  if (before.size() + after.size() < 3) return found;
  found.method = change_method::arrangements;
  found.low = runs.lower_bound(0.975);
  found.high = runs.upper_bound(0.975);
  found.p = runs.two_sided_p();
  return found;
}

result<gate> parse_gate(const std::string& text) {
  const std::size_t more = text.rfind('>');
  if (more == std::string::npos) return no_gate(text, "it has no '>'");
  gate made;
  made.text = text;
  std::string limit = text.substr(more + 1);
  if (!limit.empty() && limit.back() == '%') limit.pop_back();
  if (!limit.empty() && limit.front() == '+') limit.erase(0, 1);
  double percent = -1;
  const char* const last = limit.data() + limit.size();
  const auto [end, error] = std::from_chars(limit.data(), last, percent);  // whatever the host's locale
  if (error != std::errc() || end != last || !(percent >= 0) || percent > 1e6) return no_gate(text, "'" + text.substr(more + 1) + "' is no percentage");
  made.limit = percent / 100;
  const std::string what = text.substr(0, more);
  if (what.compare(0, 3, "op:") == 0) {
    made.name = what.substr(3);
    if (made.name.empty()) return no_gate(text, "no op is named");
    made.number = op_time;
    return made;
  }
  for (const auto& known : numbers)
    if (what == known.word) {
      made.number = known.number;
      made.is_exact = known.is_exact;
      return made;
    }
  return no_gate(text, "nothing is called '" + what + "'");
}

gate_verdict judge(const gate& g, const std::vector<run_snapshot>& before, const std::vector<run_snapshot>& after) {
  gate_verdict made;
  made.gate = g.text;
  const std::vector<double> was = numbers_of(before, g.number, g.name), is = numbers_of(after, g.number, g.name);
  if (!all_above_zero(was) || !all_above_zero(is)) {
    made.why = "it is not on record, or 0, in every capture";
    return made;
  }
  if (g.is_exact) {
    made.change = *std::max_element(is.begin(), is.end()) / *std::max_element(was.begin(), was.end()) - 1;
    made.low = made.change;
    made.state = *made.change > g.limit ? gate_state::tripped : gate_state::holds;
    made.why = percent(*made.change);
    return made;
  }
  const run_change runs(was, is);
  made.change = runs.change();
  made.low = runs.lower_bound(0.95);
  if (!made.low) {
    made.why = percent(*made.change) + "; " + std::to_string(was.size()) + (was.size() == 1 ? " run" : " runs") + " before and " + std::to_string(is.size()) +
               " after are too few to know it from what runs differ by: three a side are enough";
    return made;
  }
  made.state = *made.low > g.limit ? gate_state::tripped : gate_state::holds;
  made.why = percent(*made.change) + ", at least " + percent(*made.low) + " with 95 %";
  return made;
}

}  // namespace diff
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
