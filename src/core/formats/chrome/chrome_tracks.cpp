#include <formats/chrome/chrome_tracks.hpp>

#include <cstring>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// 7 and "7" are different keys.
void append_key(const chrome_ref& ref, std::string& key) { key.append(1, ref.is_string ? '"' : ' ').append(ref.text); }

std::optional<std::int64_t> number_of_ref(const chrome_ref& ref) {
  return ref.is_string ? std::nullopt : json_scaled_integer(ref.text);
}

unsigned last_of(std::string_view text) noexcept {
  return text.empty() ? 0U : static_cast<unsigned char>(text.back());
}

}  // namespace

chrome_tracks::recent& chrome_tracks::recent_of(recent_ones& among, char what, const chrome_ref& pid,
                                                const chrome_ref& line, bool& known) {
  const std::size_t mixed = static_cast<unsigned char>(what) + 5 * last_of(pid.text) + 11 * pid.text.size() +
                            last_of(line.text) + 17 * line.text.size();
  recent& r = among[mixed % among.size()];
  known = r.what == what && r.line == line.text && r.pid == pid.text && r.line_is_string == line.is_string &&
          r.pid_is_string == pid.is_string;
  if (known) return r;
  r.what = what;
  r.pid.assign(pid.text);
  r.line.assign(line.text);
  r.pid_is_string = pid.is_string;
  r.line_is_string = line.is_string;
  return r;
}

std::uint32_t chrome_tracks::find_process(const chrome_ref& pid) {
  bool known = false;
  recent& r = recent_of(recent_processes_, 'P', pid, {}, known);
  if (known) return r.found;
  key_.clear();
  append_key(pid, key_);
  const auto [at, added] = process_by_key_.try_emplace(key_, static_cast<std::uint32_t>(processes_.size()));
  r.found = at->second;
  if (!added) return r.found;
  chrome_trace_process p;
  p.pid.assign(pid.text);
  p.pid_is_string = pid.is_string;
  p.number = number_of_ref(pid);
  if (!pid.text.empty()) p.position = with_pid_++;
  processes_.push_back(std::move(p));
  return r.found;
}

std::uint32_t chrome_tracks::find_track(chrome_track_kind kind, const chrome_ref& pid, const chrome_ref& line,
                                        bool is_shown) {
  constexpr char letters[] = {'t', 'b', 'C'};
  const char letter = letters[static_cast<std::size_t>(kind)];
  bool known = false;
  recent& r = recent_of(recent_tracks_, letter, pid, line, known);
  if (known) return r.found;
  r.what = 0;  // until it is found
  const std::uint32_t process = find_process(pid);
  char number[sizeof process];
  std::memcpy(number, &process, sizeof number);
  key_.assign(number, sizeof number).append(1, letter);
  append_key(line, key_);
  const auto [at, added] = track_by_key_.try_emplace(key_, static_cast<std::uint32_t>(tracks_.size()));
  if (added) add_track(kind, process, line);
  r.found = at->second;
  if (!is_shown) return r.found;
  r.what = letter;
  chrome_track& t = tracks_[r.found];
  chrome_trace_process& of = processes_[process];
  if (t.position < 0 && of.position >= 0) t.position = of.tracks++;
  return r.found;
}

void chrome_tracks::add_track(chrome_track_kind kind, std::uint32_t process, const chrome_ref& line) {
  chrome_track t;
  t.kind = kind;
  t.process = process;
  if (kind == chrome_track_kind::thread) {
    t.tid.assign(line.text);
    t.tid_is_string = line.is_string;
    t.number = number_of_ref(line);
  } else {
    t.name.assign(line.text);
  }
  tracks_.push_back(std::move(t));
}

chrome_place chrome_tracks::place_of(std::uint32_t at) const {
  const chrome_track& of = tracks_[at];
  const chrome_trace_process& process = processes_[of.process];
  chrome_place place;
  place.plane = process.position;
  place.line = of.position;
  if (process.position >= 0) {
    place.plane_name = process.name;
    place.line_name = of.name;
  }
  place.plane_type = classify_plane(place.plane_name);
  place.line_type = of.kind == chrome_track_kind::async     ? line_kind::async
                    : of.kind == chrome_track_kind::counter ? line_kind::counter
                                                            : classify_line(place.plane_type, place.line_name,
                                                                            of.number.value_or(0));
  return place;
}

fault chrome_out_of_reach(const std::string& path) {
  return {fault_code::damaged, "times lie more than 106 days from the origin of the capture", path, no_offset,
          "open this file alone"};
}

std::uint32_t chrome_tracks::process_of(const chrome_event& e) { return find_process(e.pid); }

std::uint32_t chrome_tracks::thread_of(const chrome_event& e) {
  return find_track(chrome_track_kind::thread, e.pid, e.tid, true);
}

void chrome_tracks::take_name(const chrome_event& e) {
  const auto text = [&](std::string_view key) { return json_text(json_member(e.args_json, key), scratch_); };
  const auto index = [&] { return json_scaled_integer(json_member(e.args_json, "sort_index")); };
  if (e.name == "process_name") {
    chrome_trace_process& p = processes_[find_process(e.pid)];
    p.name = text("name");
  } else if (e.name == "process_labels") {
    chrome_trace_process& p = processes_[find_process(e.pid)];
    p.labels = text("labels");
  } else if (e.name == "process_sort_index") {
    processes_[find_process(e.pid)].sort_index = index();
  } else if (e.name == "thread_name") {
    chrome_track& t = tracks_[thread_of(e)];
    t.name = text("name");
  } else if (e.name == "thread_sort_index") {
    tracks_[find_track(chrome_track_kind::thread, e.pid, e.tid, false)].sort_index = index();
  }
}

std::uint32_t chrome_tracks::see(const chrome_event& e) {
  switch (e.phase) {
    case 'X':
    case 'B':
    case 'E':
    case 'i':
    case 'I':
    case 'R': return thread_of(e);
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F': return find_track(chrome_track_kind::async, e.pid, {e.cat, false}, true);
    case 'C': return find_track(chrome_track_kind::counter, e.pid, {e.name, false}, true);
    case 'M':
      find_process(e.pid);
      take_name(e);
      return none;
    default: find_process(e.pid); return none;
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit
