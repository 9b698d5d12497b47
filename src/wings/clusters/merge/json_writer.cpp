#include "json_writer.hpp"

#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>

#include <base/exact_microseconds.hpp>
#include <base/hash_map.hpp>
#include <base/json_writer.hpp>
#include <base/merged_losses.hpp>
#include <base/node_sections.hpp>
#include <base/sound_json.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include "clock_planes.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_buffered_bytes = std::size_t{1} << 20;
constexpr std::uint64_t exact_integers = std::uint64_t{1} << 53;  // that readers with doubles can hold
constexpr std::size_t max_losses_bytes = 2000;                    // in the file's header, which has to stay short
constexpr std::int64_t places_per_node = 1000;                    // of its processes among those of all

// Phases whose events are joined by their ids, over all processes of a file.
constexpr std::string_view joined_phases = "stfbneSTpFNOD";

// Sound JSON without its newlines and what indents the lines.
void append_as_one_line(std::string& out, std::string_view json) {
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t end = std::min(json.find('\n', at), json.size());
    std::string_view line = json.substr(at, end - at);
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    out += line;
    at = std::min(json.find_first_not_of(" \t\r\n", end), json.size());
  }
}

struct merged_process {
  std::uint64_t pid = 0;
  std::int64_t place = 0;
  std::string label_json;  // "node 3, rank 3: python", as JSON
};

// The events of one node.
class section_writer final : public chrome_visitor {
 public:
  // `losses`: what the section says of what was lost.
  section_writer(const merge_options& o, const aligned_trace& t, std::size_t index, std::size_t nodes, std::int64_t base_ns,
                 std::int64_t zero_ps, merge_result& made, merged_node& report, const std::vector<std::string>& losses,
                 std::string& text, sink& into)
      : o_(o), t_(t), index_(index), nodes_(nodes), zero_ps_(zero_ps), made_(made), report_(report), losses_(losses), text_(text), into_(into),
        correction_(correction_of_json(t, base_ns)), mapper_(correction_) {}

  // `first_pid`: the first number that no process before has; moves on.
  result<void> run(std::uint64_t& first_pid, const hooks& host) {
    name_processes(first_pid);
    append_head();
    append_added_events();
    const auto read = read_trace_json(t_.input, o_, host, *this);
    if (!read) return read.error();
    if (failed_) return std::move(*failed_);
    if (placed_ > 0) {
      report_.mean_correction_ps = static_cast<std::int64_t>(correction_sum_ / static_cast<wide_sum>(placed_));
      report_.min_correction_ps = least_correction_;
      const bool ahead = magnitude(greatest_correction_) >= magnitude(least_correction_);
      report_.max_correction_ps = ahead ? greatest_correction_ : least_correction_;
    }
    return flush();
  }

  bool event(const chrome_event& e) override {
    ++report_.events;
    std::string_view json = e.json;
    // An event without arguments, or one that was read alone, may not be sound JSON.
    const bool is_sound = e.args.first != nullptr;
    if (!is_sound || json.find('\n') != std::string_view::npos) {
      sound_.clear();
      if (is_sound)
        append_as_one_line(sound_, json);
      else
        append_sound_json(sound_, json);
      json = sound_;
    }
    text_ += ",\n{";
    bool first = true, has_pid = false;
    json_members members(json);
    while (members.next()) {
      const std::size_t before = text_.size();
      if (!first) text_ += ',';
      has_pid = has_pid || members.key() == "pid";
      if (append_member(e, members.key(), members.value()))
        first = false;
      else
        text_.resize(before);
    }
    if (!has_pid) {
      text_ += first ? "\"pid\":" : ",\"pid\":";
      append_integer(text_, process_of(e.pid).pid);
    }
    text_ += '}';
    if (text_.size() < max_buffered_bytes) return true;
    if (auto ok = flush(); !ok) failed_ = std::move(ok).error();
    return !failed_;
  }

 private:
  result<void> flush() {
    auto ok = into_.write(text_);
    text_.clear();
    return ok;
  }

  [[nodiscard]] std::string label() const {
    std::string text = "node " + std::to_string(t_.input.node_id);
    if (t_.json->rank) text += ", rank " + std::to_string(*t_.json->rank);
    return text;
  }

  void name_processes(std::uint64_t& first_pid) {
    const std::vector<json_process>& recorded = t_.json->processes;
    std::vector<std::size_t> order(recorded.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return recorded[a].sort_index.value_or(0) < recorded[b].sort_index.value_or(0);
    });
    processes_.resize(recorded.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      processes_[order[i]].place = static_cast<std::int64_t>(index_) * places_per_node + static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      const json_process& p = recorded[i];
      processes_[i].pid = first_pid++;
      std::string key, scratch;
      const std::string_view pid = json_text(p.pid, scratch);
      key.assign(1, p.pid == "null" ? ' ' : p.pid.front() == '"' ? '"' : '#');
      if (p.pid != "null") key += pid;
      by_pid_.emplace(std::move(key), i);
      std::string name = p.name;
      if (!p.is_named) name = p.pid == "null" || pid.empty() ? std::string() : p.pid.front() == '"' ? std::string(pid) : "process " + std::string(pid);
      append_json_string(processes_[i].label_json, name.empty() && !p.is_named ? label() : label() + ": " + name);
      merged_plane listed;
      listed.name = label() + (name.empty() ? "" : ": " + name);
      listed.id = static_cast<std::int64_t>(processes_[i].pid);
      listed.node = t_.input.node_id;
      listed.source = p.is_named ? p.name : p.pid == "null" ? std::string() : std::string(pid);
      made_.planes.push_back(std::move(listed));
    }
    report_.planes = recorded.size();
  }

  // Whose events follow, and what stood around them.
  void append_head() {
    text_ += section_head;
    text_ += "{\"node\":";
    append_integer(text_, t_.input.node_id);
    text_ += ",\"header\":{" + t_.json->headers;
    if (!losses_.empty()) {
      if (!t_.json->headers.empty()) text_ += ',';
      append_losses(text_, losses_);
    }
    text_ += "},\"hostname\":";
    append_json_string(text_, report_.hostname);
    text_ += ",\"rank\":" + (t_.json->rank ? std::to_string(*t_.json->rank) : "null") + ",\"label\":";
    append_json_string(text_, label());
    text_ += ",\"baseTimeNanoseconds\":";
    append_integer(text_, made_.origin_ns);
    text_ += ",\"processes\":[";
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      text_ += i == 0 ? "{\"pid\":" : ",{\"pid\":";
      append_integer(text_, processes_[i].pid);
      text_ += ",\"recorded\":" + t_.json->processes[i].pid + ",\"name\":";
      append_json_string(text_, t_.json->processes[i].name);
      text_ += '}';
    }
    text_ += "],\"clock\":{\"status\":";
    append_json_string(text_, node_status_name(report_.status));
    text_ += ",\"method\":";
    append_json_string(text_, report_.method);
    text_ += ",\"reference_node\":";
    append_integer(text_, made_.reference_node);
    text_ += ",\"run_id\":";
    append_json_string(text_, made_.run_id);
    text_ += ",\"windows\":" + (report_.bounds.known ? windows_text(report_.bounds) : std::string("null")) + "}}}";
  }

  // Names and places of processes that recorded none.
  void append_added_events() {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      const auto begin = [&](std::string_view what) {
        text_ += ",\n{\"ph\":\"M\",\"name\":\"";
        text_ += what;
        text_ += "\",\"pid\":";
        append_integer(text_, processes_[i].pid);
        text_ += ",\"args\":{";
      };
      if (!t_.json->processes[i].is_named) {
        begin("process_name");
        text_ += "\"name\":" + processes_[i].label_json;
        text_ += added_event_end;
      }
      if (!t_.json->processes[i].sort_index) {
        begin("process_sort_index");
        text_ += "\"sort_index\":";
        append_integer(text_, processes_[i].place);
        text_ += added_event_end;
      }
    }
  }

  const merged_process& process_of(const chrome_ref& pid) {
    if (last_ != nullptr && pid.text == last_pid_ && pid.is_string == last_is_string_) return *last_;
    key_.assign(1, pid.text.empty() && !pid.is_string ? ' ' : pid.is_string ? '"' : '#');
    key_ += pid.text;
    auto at = by_pid_.find(key_);
    if (at == by_pid_.end()) {  // perhaps known as a string
      key_.front() = '"';
      at = by_pid_.find(key_);
    }
    last_ = &processes_[at == by_pid_.end() ? 0 : at->second];
    last_pid_ = pid.text;
    last_is_string_ = pid.is_string;
    return *last_;
  }

  void append_key(std::string_view key) {
    text_ += '"';
    text_ += key;
    text_ += "\":";
  }

  // False: the member is left out.
  bool append_member(const chrome_event& e, std::string_view key, std::string_view value) {
    if (key == "ts") return append_time(e, value);
    append_key(key);
    if (key == "pid") {
      append_integer(text_, process_of(e.pid).pid);
    } else if (key == "dur") {
      append_duration(e, value);
    } else if (key == "bind_id" || (key == "id" && joined_phases.find(e.phase) != std::string_view::npos)) {
      append_id(value);
    } else if (key == "id2") {
      append_id2(value);
    } else if (key == "args" && e.phase == 'M' && (e.name == "process_name" || e.name == "process_sort_index")) {
      append_process_args(e, value);
    } else {
      text_ += value;
    }
    return true;
  }

  // Names and places have no time.
  bool append_time(const chrome_event& e, std::string_view value) {
    if (e.phase == 'M') return false;
    append_key("ts");
    std::int64_t at_ps = 0;
    if (!e.ts_ps || !mapper_.map(*e.ts_ps, at_ps)) {
      report_.out_of_reach_events += e.ts_ps ? 1 : 0;
      text_ += e.ts_ps ? std::string_view("null") : value;
      return true;
    }
    if (correction_.clock != nullptr) {
      const std::int64_t correction = mapper_.host_time(*e.ts_ps) - at_ps + correction_.to_local_ps;
      least_correction_ = placed_ == 0 ? correction : std::min(least_correction_, correction);
      greatest_correction_ = placed_ == 0 ? correction : std::max(greatest_correction_, correction);
      correction_sum_ += correction;
      ++placed_;
    }
    append_exact_microseconds(text_, at_ps - zero_ps_);
    return true;
  }

  void append_duration(const chrome_event& e, std::string_view value) {
    std::int64_t from_ps = 0, to_ps = 0;
    if (o_.scale_durations && e.ts_ps && e.dur_ps && mapper_.map(*e.ts_ps, from_ps) && mapper_.map(*e.ts_ps + *e.dur_ps, to_ps))
      return append_exact_microseconds(text_, to_ps - from_ps);
    if (t_.json->nanoseconds && e.dur_ps) return append_exact_microseconds(text_, *e.dur_ps);
    text_ += value;
  }

  // An id that no other node has: a number where readers hold it exactly.
  void append_id(std::string_view value) {
    const std::string_view id = json_text(value, scratch_);
    const bool quoted = !value.empty() && value.front() == '"';
    const bool digits = !id.empty() && id.size() <= 16 && id.find_first_not_of("0123456789") == std::string_view::npos;
    const std::optional<std::int64_t> number = digits ? json_scaled_integer(id) : std::nullopt;
    if (number && static_cast<std::uint64_t>(*number) < exact_integers / nodes_ - 1) {
      if (quoted) text_ += '"';
      append_integer(text_, static_cast<std::uint64_t>(*number) * nodes_ + index_);
      if (quoted) text_ += '"';
      return;
    }
    append_json_string(text_, std::string(id) + "@node" + std::to_string(t_.input.node_id));
  }
  // {"global": id} counts in all processes, {"local": id} in its own.
  void append_id2(std::string_view value) {
    const std::string_view global = json_member(value, "global");
    if (global.empty()) {
      text_ += value;
      return;
    }
    text_ += "{\"global\":";
    append_id(std::string(global));
    text_ += '}';
  }

  void append_process_args(const chrome_event& e, std::string_view value) {
    const bool names = e.name == "process_name";
    const merged_process& process = process_of(e.pid);
    text_ += '{';
    json_members members(value);
    bool first = true;
    while (members.next()) {
      if (!std::exchange(first, false)) text_ += ',';
      const bool is_it = members.key() == (names ? "name" : "sort_index");
      append_key(members.key());
      if (!is_it) {
        text_ += members.value();
      } else if (names) {
        append_json_string(text_, label() + ": " + std::string(json_text(members.value(), scratch_)));
      } else {
        append_integer(text_, process.place);
        text_ += ",\"recorded_sort_index\":";
        text_ += members.value();
      }
    }
    text_ += '}';
  }

  const merge_options& o_;
  const aligned_trace& t_;
  const std::size_t index_, nodes_;
  const std::int64_t zero_ps_;
  merge_result& made_;
  merged_node& report_;
  const std::vector<std::string>& losses_;
  std::string& text_;
  sink& into_;
  const line_correction correction_;
  line_mapper mapper_;
  std::vector<merged_process> processes_;
  hash_map<std::string, std::size_t> by_pid_;
  const merged_process* last_ = nullptr;
  std::string last_pid_, key_, sound_, scratch_;
  bool last_is_string_ = false;
  std::optional<fault> failed_;
  std::int64_t least_correction_ = 0, greatest_correction_ = 0;
  wide_sum correction_sum_ = 0;
  std::uint64_t placed_ = 0;
};

// Counts what goes through.
class counting_sink final : public sink {
 public:
  explicit counting_sink(sink& inner) : inner_(inner) {}
  result<void> write(std::string_view bytes) override {
    count_ += bytes.size();
    return inner_.write(bytes);
  }
  result<void> finish() override { return {}; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  sink& inner_;
  std::uint64_t count_ = 0;
};

}  // namespace

line_correction correction_of_json(const aligned_trace& t, std::int64_t base_ns) noexcept {
  line_correction c;
  const std::int64_t wall = t.start.walltime_ns.value_or(base_ns);
  const std::int64_t origin = t.json->origin_unix_ns.value_or(wall);
  if (!t.clock) {
    c.base_ps = relative_ps(origin, base_ns).value_or(out_of_reach_ps);
    return c;
  }
  c.clock = &*t.clock;
  c.kind = line_correction::how::host;
  c.base_ps = relative_ps(origin, wall).value_or(out_of_reach_ps);
  c.to_local_ps = relative_ps(wall, base_ns).value_or(0);
  return c;
}

result<std::uint64_t> write_merged_json(const merge_options& o, const alignment& all, std::int64_t zero_ps, merge_result& made,
                                        sink& into, const hooks& host) {
  counting_sink counted(into);
  const auto usable = static_cast<std::size_t>(
      std::count_if(all.traces.begin(), all.traces.end(), [](const aligned_trace& t) { return t.usable && t.json; }));
  std::string text = "{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":";
  append_integer(text, made.origin_ns);
  text += ",\"profkit_nodes\":" + std::to_string(usable);
  // A section has those of its node, the first one those of nodes that have none; the file's own header the first few of all.
  std::vector<std::string> all_losses, without_section;
  std::size_t header_bytes = 0;
  for (const aligned_trace& t : all.traces)
    for (std::string& loss : losses_of(t)) {
      std::string quoted;
      append_json_string(quoted, loss);
      if ((header_bytes += quoted.size()) <= max_losses_bytes) all_losses.push_back(loss);
      if (!t.usable || !t.json) without_section.push_back(std::move(loss));
    }
  if (!all_losses.empty()) append_losses(text += ',', all_losses);
  text += ",\"metadata\":{\"producer\":\"profkit merge\"},\"traceEvents\":[\n";
  std::uint64_t first_pid = 1;
  std::size_t index = 0;
  for (std::size_t i = 0; i < all.traces.size(); ++i) {
    const aligned_trace& t = all.traces[i];
    if (!t.usable || !t.json) continue;
    if (index > 0) text += ",\n";
    std::vector<std::string> losses = losses_of(t);
    if (index == 0) losses.insert(losses.end(), without_section.begin(), without_section.end());
    section_writer section(o, t, index++, usable, all.base_ns, zero_ps, made, made.nodes[i], losses, text, counted);
    if (auto ok = section.run(first_pid, host); !ok) return std::move(ok).error();
    made.events += made.nodes[i].events;
  }
  text += "\n]}\n";
  if (auto ok = counted.write(text); !ok) return std::move(ok).error();
  return counted.count();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
