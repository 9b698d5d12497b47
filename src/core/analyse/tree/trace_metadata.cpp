// The metadata of a Chrome trace: what it says of itself, of its processes and threads, and which events carry what.
#include <analyse/tree/tree_parts.hpp>

#include <profkit/core/chrome.hpp>

#include <analyse/info/chrome_verdict.hpp>
#include <base/string_table.hpp>
#include <formats/chrome/chrome_tracks.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Events of one name and category in a process. Ids are of the collector's strings.
struct counted_name {
  std::uint32_t name = 0, category = 0;
  std::uint64_t count = 0;
  std::string phases;
  std::vector<std::uint32_t> arguments;  // by first sight
};
struct counted_argument {
  std::uint32_t name = 0;
  std::uint64_t count = 0, last_event = 0;  // the ordinal after that of the event that was counted last
};
struct counted_process {
  std::vector<counted_name> names;
  hash_map<std::uint64_t, std::uint32_t> name_at;  // category and name to their place
  std::vector<counted_argument> arguments;
  hash_map<std::uint32_t, std::uint32_t> argument_at;
};

class metadata_collector final : public chrome_visitor {
 public:
  explicit metadata_collector(std::uint64_t limit) : members(limit) {}

  bool event(const chrome_event& e) override {
    verdict.look(e);
    const bool is_nowhere = tracks.see(e) == chrome_tracks::none;
    const std::uint32_t at = tracks.process_of(e);
    if (at >= processes.size()) processes.resize(at + std::size_t{1});
    if (e.phase == 'M') return true;
    if (is_nowhere) tracks.thread_beside(e);
    counted_process& process = processes[at];
    counted_name& name = name_of(process, e);
    ++name.count;
    if (e.phase != 0 && name.phases.find(e.phase) == std::string::npos) name.phases += e.phase;
    std::size_t place = 0;
    each_argument(e, [&](std::string_view key, std::string_view) {
      count_argument(process, name, place++, argument_id(key), e.ordinal + 1);
    });
    return true;
  }

  bool header(std::string_view key, std::string_view json, std::uint64_t) override {
    members.take(key, json);
    return true;
  }

  chrome_verdict verdict;
  chrome_tracks tracks;
  member_list members;
  string_table strings;
  std::vector<counted_process> processes;  // by process of the tracks

 private:
  counted_name& name_of(counted_process& process, const chrome_event& e) {
    const std::uint32_t name = strings.intern(e.name), category = strings.intern(e.cat);
    const auto [at, added] = process.name_at.try_emplace(std::uint64_t{category} << 32 | name,
                                                         static_cast<std::uint32_t>(process.names.size()));
    if (added) {
      process.names.emplace_back();
      process.names.back().name = name;
      process.names.back().category = category;
    }
    return process.names[at->second];
  }

  std::uint32_t argument_id(std::string_view key) {
    if (!contains(key, "\\")) return strings.intern(key);
    quoted_.assign(1, '"').append(key).append(1, '"');
    return strings.intern(json_text(quoted_, scratch_));
  }

  // Events of one name mostly carry the same arguments at the same places.
  static void count_argument(counted_process& process, counted_name& name, std::size_t place, std::uint32_t key,
                             std::uint64_t event) {
    std::vector<std::uint32_t>& known = name.arguments;
    const bool in_place = place < known.size() && known[place] == key;
    if (!in_place && std::find(known.begin(), known.end(), key) == known.end()) known.push_back(key);
    const auto [at, added] = process.argument_at.try_emplace(key, static_cast<std::uint32_t>(process.arguments.size()));
    if (added) process.arguments.push_back({key, 0, 0});
    counted_argument& argument = process.arguments[at->second];
    if (argument.last_event == event) return;  // written twice
    argument.last_event = event;
    ++argument.count;
  }

  std::string quoted_, scratch_;
};

class metadata_of_trace {
 public:
  metadata_of_trace(std::uint32_t file, metadata_collector& read, metadata_visitor& visitor, const query_filters& o)
      : file_(file), read_(read), visitor_(visitor), options_(o), limit_(o.limit == 0 ? ~std::uint64_t{0} : o.limit) {}

  void show() {
    visitor_.file(read_.members.facts(file_));
    std::vector<std::vector<std::uint32_t>> threads(read_.tracks.processes().size());
    for (std::uint32_t at = 0; at < read_.tracks.tracks().size(); ++at)
      threads[read_.tracks.track(at).process].push_back(at);
    for (const std::uint32_t process : by_position(threads.size(), [this](std::uint32_t at) {
           return read_.tracks.process(at).position;
         }))
      show_process(process, threads[process]);
  }

 private:
  // What has no position comes last.
  template <class Position>
  static std::vector<std::uint32_t> by_position(std::size_t count, Position&& of) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return static_cast<std::uint32_t>(of(a)) < static_cast<std::uint32_t>(of(b));
    });
    return order;
  }

  void show_process(std::uint32_t at, const std::vector<std::uint32_t>& tracks) {
    const chrome_trace_process& process = read_.tracks.process(at);
    counted_process& counted = read_.processes[at];
    const std::string_view name = process.position >= 0 ? std::string_view(process.name) : std::string_view();
    if (!process_fits(read_.tracks, at, options_.plane)) return;
    if (process.position < 0 && counted.names.empty()) return;  // metadata that is of nothing
    tree_plane plane;
    plane.file = file_;
    plane.plane = process.position;
    plane.id = process.position;
    plane.name = name;
    plane.kind = classify_plane(name);
    plane.lines = static_cast<std::uint64_t>(process.tracks);
    plane.event_metadata = counted.names.size();
    plane.stat_metadata = counted.arguments.size();
    plane.process.emplace();
    plane.process->pid = process.pid;
    plane.process->labels = process.labels;
    plane.process->sort_index = process.sort_index;
    add_threads(tracks, *plane.process);
    visitor_.begin_plane(plane);
    show_names(counted);
    show_arguments(counted);
    visitor_.end_plane();
  }

  void add_threads(const std::vector<std::uint32_t>& tracks, tree_process& into) const {
    for (const std::uint32_t place :
         by_position(tracks.size(), [&](std::uint32_t i) { return read_.tracks.track(tracks[i]).position; })) {
      const chrome_track& track = read_.tracks.track(tracks[place]);
      if (track.kind != chrome_track_kind::thread || !contains(track.name, options_.line)) continue;
      if (into.threads.size() == limit_)
        ++into.threads_left_out;
      else
        into.threads.push_back({track.position, track.tid, track.name, track.sort_index});
    }
  }

  void show_names(counted_process& of) {
    std::sort(of.names.begin(), of.names.end(), [this](const counted_name& a, const counted_name& b) {
      if (a.count != b.count) return a.count > b.count;
      return std::make_tuple(read_.strings.text(a.category), read_.strings.text(a.name)) <
             std::make_tuple(read_.strings.text(b.category), read_.strings.text(b.name));
    });
    std::uint64_t fitting = 0, shown = 0;
    for (const counted_name& counted : of.names) {
      if (!contains(read_.strings.text(counted.name), options_.name)) continue;
      ++fitting;
      if (shown == limit_) continue;
      ++shown;
      metadata_event_row row;
      row.has_key = false;
      row.name = read_.strings.text(counted.name);
      row.category = read_.strings.text(counted.category);
      row.phases = counted.phases;
      row.count = counted.count;
      for (const std::uint32_t argument : counted.arguments) row.arguments.push_back(read_.strings.text(argument));
      visitor_.event_metadata(row);
    }
    visitor_.end_event_metadata(fitting - shown);
  }

  void show_arguments(counted_process& of) {
    std::sort(of.arguments.begin(), of.arguments.end(), [this](const counted_argument& a, const counted_argument& b) {
      return a.count != b.count ? a.count > b.count : read_.strings.text(a.name) < read_.strings.text(b.name);
    });
    std::uint64_t fitting = 0, shown = 0;
    for (const counted_argument& counted : of.arguments) {
      if (!contains(read_.strings.text(counted.name), options_.name)) continue;
      ++fitting;
      if (shown == limit_) continue;
      ++shown;
      metadata_stat_row row;
      row.has_key = false;
      row.name = read_.strings.text(counted.name);
      row.count = counted.count;
      visitor_.stat_metadata(row);
    }
    visitor_.end_stat_metadata(fitting - shown);
  }

  std::uint32_t file_;
  metadata_collector& read_;
  metadata_visitor& visitor_;
  const query_filters& options_;
  std::uint64_t limit_;
};

}  // namespace

result<void> walk_trace_metadata(const profile& p, std::size_t file, metadata_visitor& visitor, const query_filters& o,
                                 const selection&, damage_list& damage, const hooks& host) {
  const std::string_view bytes = p.bytes(file);
  const fault* const known = p.file_fault(file);
  if (bytes.empty() && known != nullptr) {
    damage.note(file, *known);
    return {};
  }
  chrome_options options;
  options.bounds = p.what().bounds;
  options.host = host;
  metadata_collector read(o.limit);
  result<chrome_summary> summary = read_chrome(bytes, read, options);
  if (!summary && summary.error().code == fault_code::cancelled) return summary.error();
  if (!summary) {
    damage.note(file, known != nullptr ? *known : summary.error());
    return {};
  }
  if (std::optional<fault> wrong = read.verdict.of(known, *summary)) damage.note(file, *std::move(wrong));
  metadata_of_trace(static_cast<std::uint32_t>(file), read, visitor, o).show();
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
